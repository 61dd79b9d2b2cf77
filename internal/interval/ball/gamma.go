package ball

import "math/big"

// Note [Stirling]
//
// For x > 0,
//
//	log Γ(x) = (x−½)·log x − x + ½·log 2π + Σ_{k<n} B(2k)/(2k(2k−1)·x^(2k−1)) + R(n)
//	ψ(x)     = log x − 1/(2x) − Σ_{k<n} B(2k)/(2k·x^2k) + R(n)
//	ψ^(m)(x) = (−1)^(m+1)·[(m−1)!/x^m + m!/(2x^(m+1)) +
//	           Σ_{k<n} B(2k)·(2k+m−1)!/((2k)!·x^(2k+m)) + R(n)]
//
// and in each case |R(n)| is at most the size of the term n, the first one left out (the series
// are enveloping for real x > 0: DLMF 5.11(ii), 5.15). Any n is therefore sound; the terms are
// added while they fall and exceed 2^-p, and the size of the next one joins the radius. They
// fall below 2^-p if x is large, about p/5 here, so the argument is raised by
//
//	log Γ(x) = log Γ(x+N) − log x(x+1)…(x+N−1),  ψ(x) = ψ(x+N) − Σ 1/(x+k),
//	ψ^(m)(x) = ψ^(m)(x+N) + (−1)^(m+1)·m!·Σ 1/(x+k)^(m+1)
//
// For x < ½ the reflection formulas lead to 1 − x > ½:
//
//	log |Γ(x)| = log π − log |sin πx| − log Γ(1−x)
//	ψ(x) = ψ(1−x) − π·cot πx
//	ψ^(m)(x) = (−1)^m·ψ^(m)(1−x) − d^m/dx^m π·cot πx
//
// where sin πx is computed from x − n, n the nearest integer, which is exact, so
// that nothing is lost near poles. All sums are of balls.

// stirlingFrom returns how large an argument must be for p bits; m is the order of a
// polygamma.
func stirlingFrom(p uint, m int64) int64 { return int64(p)/5 + 8 + m }

// raise returns N ≥ 0 with x + N ≥ stirlingFrom, for a positive point x.
func raise(x *Ball, p uint, m int64) int64 {
	from := stirlingFrom(p, m)
	if x.top() > 62 {
		return 0
	}
	return max(0, from-floorInt(x).Int64())
}

// bernoulliSum sets z to Σ B(2k)·c(k)·x^-(2k+shift), where coef updates c from k−1
// to k (c starts as 1) by multiplying and dividing small integers. With the remainder.
func (z *Ball) bernoulliSum(x *Ball, shift int64, q uint,
	coef func(c *Ball, k int64, q uint)) *Ball {
	var u, pw, c, t, b Ball
	u.Recip(x, q)
	pw.PowInt(&u, max(shift, -shift), q)
	if shift < 0 {
		pw.Recip(&pw, q)
	}
	u.Sqr(&u, q)
	z.SetInt64(0)
	c.SetInt64(1)
	last := mag{}
	for k := int64(1); ; k++ {
		pw.Mul(&pw, &u, q)
		coef(&c, k, q)
		bk := &bernoullis(int(k))[k]
		t.Mul(&pw, b.SetInt(&bk.num), q)
		t.Quo(&t, b.SetInt(&bk.den), q)
		t.Mul(&t, &c, q)
		size := magInt(&t.man, t.exp).add(t.rad)
		if size.m == 0 || size.top() < z.top()-int64(q) || last.m != 0 && size.cmp(last) >= 0 {
			z.rad = z.rad.add(size)
			return z
		}
		last = size
		z.Add(z, &t, q)
	}
}

// Lgamma sets z to log |Γ(x)|; the domain is all but 0, −1, −2, … If x contains one
// of these, the result is the whole line.
func (z *Ball) Lgamma(x *Ball, prec uint) *Ball {
	if done := z.poles(x); done {
		return z
	}
	part := x.part
	if x.rad.m == 0 {
		z.lgammaPoint(x, prec)
		z.part = part
		return z
	}
	f := func(z, x *Ball, p uint) *Ball { return z.lgammaPoint(x, p) }
	df := func(z, x *Ball, p uint) *Ball { return z.polygammaPoint(0, x, p) }
	return z.convex(x, prec, f, df)
}

// poles handles arguments of the gamma functions that are improper or contain a pole. It reports
// whether z is set.
func (z *Ball) poles(x *Ball) bool {
	switch x.kind {
	case empty:
		z.SetEmpty()
		return true
	case whole:
		z.halfLine()
		return true
	}
	var lo, hi Ball
	x.ends(&lo, &hi)
	if lo.man.Sign() > 0 {
		return false
	}
	if x.top() > hugeStep || x.rad.m != 0 && x.rad.top() > 4 {
		// A wide one has a pole for certain; one of a million digits is not worth the work.
		z.halfLine()
		return true
	}
	var zero Ball
	hi.minPoint(&zero)
	if ceilInt(&lo).Cmp(floorInt(&hi)) <= 0 {
		if x.rad.m == 0 {
			z.SetEmpty()
		} else {
			z.halfLine()
		}
		return true
	}
	return false
}

// lgammaPoint returns log |Γ| at a point off the poles.
func (z *Ball) lgammaPoint(x *Ball, prec uint) *Ball {
	var m, d Ball
	m.Mid(x)
	// Zeros at 1 and 2, where the value is −γ·d and (1−γ)·d to first order; with
	// |d| ≤ 1/4 the error is at most d² (Σ ζ(k)/k·|d|^k ≤ ζ(2)/2·d²/(1−|d|)·… < 1.1·d² for 1, less
	// for 2; 2·d² is used).
	for n := int64(1); n <= 2; n++ {
		if m.top() > 2 || m.top() < 0 {
			break
		}
		d.Sub(&m, FromInt64(n), uint(m.man.BitLen())+66)
		if d.man.Sign() == 0 {
			return z.SetInt64(0)
		}
		if d.top() < -int64(prec)-8 {
			var g Ball
			q := prec + guard
			g.EulerGamma(q)
			g.Sub(FromInt64(n-1), &g, q)
			z.Mul(&g, &d, q)
			z.rad = z.rad.add(magPow2(2*d.top() + 1))
			return z.finish(prec)
		}
	}
	return z.tighten(&m, prec, (*Ball).lgammaOnce)
}

func (z *Ball) lgammaOnce(x *Ball, q uint) *Ball {
	if x.man.Sign() < 0 || x.top() < -1 { // x < ¼ at least when reflected
		var s, p, t Ball
		sinCosPi(&s, nil, x, q+guard)
		s.Abs(&s)
		p.Quo(p.Pi(q+guard), &s, q+guard)
		p.Log(&p, q+guard)
		t.Sub(FromInt64(1), x, max(q+guard, uint(x.man.BitLen())+64))
		z.lgammaPositive(&t, q)
		return z.Sub(&p, z, q)
	}
	return z.lgammaPositive(x, q)
}

// lgammaPositive sets z to log Γ by Stirling's formula after raising, for x > 0 with a tiny
// radius or none.
func (z *Ball) lgammaPositive(x *Ball, q uint) *Ball {
	n := raise(x, q, 0)
	var y, l, s, h, p Ball
	y.Set(x)
	w := q + guard + uint(bitLen64(n)) + uint(max(min(x.top(), 1<<20), 0))
	if n > 0 {
		p.risingFactorial(&y, n, w)
		y.Add(&y, FromInt64(n), w)
	}
	// (y−½)·log y − y + ½·log 2π
	l.Log(&y, w)
	h.SetInt64(-1)
	h.exp = -1
	s.Add(&y, &h, w)
	s.Mul(&s, &l, w)
	s.Sub(&s, &y, w)
	h.Pi(w)
	h.Mul2(&h, 1)
	h.Log(&h, w)
	h.Mul2(&h, -1)
	s.Add(&s, &h, w)
	// c(k) = 1/(2k(2k−1)): from scratch at each k
	h.bernoulliSum(&y, -1, w, func(c *Ball, k int64, q uint) {
		c.Recip(FromInt64(2*k*(2*k-1)), q)
	})
	s.Add(&s, &h, w)
	if n > 0 {
		p.Log(&p, w)
		s.Sub(&s, &p, w)
	}
	return z.Set(&s).finish(q)
}

// risingFactorial sets z to x(x+1)…(x+n−1). It multiplies in a balanced tree while the factors
// are short.
func (z *Ball) risingFactorial(x *Ball, n int64, q uint) *Ball {
	if n == 1 {
		return z.Set(x).finish(q)
	}
	var a, b, y Ball
	a.risingFactorial(x, n/2, q)
	y.Add(x, FromInt64(n/2), max(q, uint(x.man.BitLen())+64))
	b.risingFactorial(&y, n-n/2, q)
	return z.Mul(&a, &b, q)
}

// sinCosPi sets s to sin πx and c, unless nil, to cos πx for a point x, whose
// fractional part is exact.
func sinCosPi(s, c, x *Ball, q uint) {
	n, _ := halfUp(x)
	var f, t, pi Ball
	f.Sub(x, t.SetInt(n), uint(x.man.BitLen())+64) // |f| ≤ ½
	f.Mul(&f, pi.Pi(q+4), q+4)
	s.Sin(&f, q)
	if c != nil {
		c.Cos(&f, q)
	}
	if n.Bit(0) != 0 {
		s.Neg(s)
		if c != nil {
			c.Neg(c)
		}
	}
}

// convex sets z to the range over x of a function that is convex there (or
// monotone); df is its derivative. If df changes sign inside, the minimum is
// bracketed by bisection, and bounded from below by the tangents at the bracket.
func (z *Ball) convex(x *Ball, prec uint, f, df pointFunc) *Ball {
	part := x.part
	var lo, hi, da, db Ball
	x.ends(&lo, &hi)
	df(&da, &lo, slopeBits)
	df(&db, &hi, slopeBits)
	sa, sb := da.Sign(), db.Sign()
	switch {
	case sa != 0 && sa == sb:
		// df is monotone, so it lies between its values at the ends.
		z.smooth(x, prec, f, func(d, _ *Ball) { d.Hull(&da, &db, slopeBits) }, sa < 0)
		z.part = part
		return z
	case sa >= 0 && sb <= 0:
		// Undecided at both ends: nothing to bisect. The mean value form is sound.
		da.Hull(&da, &db, slopeBits)
		f(z, x, prec)
		z.rad = z.rad.add(x.rad.mul(magInt(&da.man, da.exp).add(da.rad)))
		z.part = part
		return z.finish(prec)
	}
	var fa, fb, top, bottom, t Ball
	f(&fa, &lo, prec)
	f(&fb, &hi, prec)
	fa.upper(&top)
	top.maxPoint(fb.upper(&t))
	// Bisect: df < 0 at a (or undecided), > 0 at b.
	a, b := &lo, &hi
	for range 64 {
		var c, d Ball
		c.Add(a, b, 96)
		c.Mul2(&c, -1)
		c.rad = mag{}
		if c.cmpPoint(a) <= 0 || c.cmpPoint(b) >= 0 {
			break
		}
		df(&d, &c, slopeBits+16)
		if s := d.Sign(); s < 0 {
			a, da = &c, d
		} else if s > 0 {
			b, db = &c, d
		} else {
			break
		}
	}
	// On [a, b], f ≥ f(a) − |df(a)|·(b−a).
	f(&fa, a, min(prec, 128))
	t.Sub(b, a, 64)
	e := magInt(&t.man, t.exp).add(t.rad).mul(magInt(&da.man, da.exp).add(da.rad))
	fa.rad = fa.rad.add(e)
	fa.lower(&bottom)
	z.setEnds(&bottom, &top, prec)
	z.part = part
	return z
}

var constGamma = constant{compute: func(z *big.Int, w uint) {
	var t Ball
	t.polygammaOnce(0, FromInt64(1), w+8)
	fixed(z, &t, int64(w))
	z.Neg(z)
}}

// EulerGamma sets z to the Euler–Mascheroni constant, −ψ(1).
func (z *Ball) EulerGamma(prec uint) *Ball { return constGamma.ball(z, prec) }
