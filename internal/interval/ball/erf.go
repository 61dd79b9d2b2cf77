package ball

import "math"

// Note [Erf]
//
// Three ways, at a point x > 0:
//
//	erf x = (2x/√π)·e^(−x²)·S,  S = Σ_{k≥0} (2x²)^k/(2k+1)!!                    (series)
//	erfc x = e^(−x²)/(x√π)·Σ_{k<n} (−1)^k (2k−1)!!/(2x²)^k + R, |R| < |term n|   (asymptotic)
//	erf x = 2x/√π·(1 ± x²/3)                                                     (tiny x)
//
// The asymptotic series envelops erfc (DLMF 7.12): its remainder is less than the
// first term left out, so any n is sound; its terms fall until k ≈ x² and reach
// 2^-p there if x² > p·ln 2. It is summed with balls.
//
// S is summed by sumBlocks with y = 2x², which may exceed 1/4, so Note [Factorial series] does
// not apply; but all terms are positive, and relative errors bound it. In units of 2^-w: y is
// cut, a relative 1 unit if y ≥ 1; the power y^i of i factors errs by a relative 2i (one for
// each product, one for each y). The term k errs by 2m, joining a block by 2m + 1, beginning a
// group by 1 (acc is at least 2^w, as its first coefficient is 1 or more at a block's start …
// and acc holds D(L)·P ≥ the term's coefficient ≥ 1). A term passes k/m joins and at most k
// groups. With n terms in all: relative error at most 2m + (n/m + 1)(2m + 1) + n + 1 ≤ 4n + 6m
// + 8 units. For y < 1, powers are small and have absolute errors of at most 2i units instead;
// then 1 ≤ S ≤ 2 and Σ 1/D(k) < 2 give the same bound in absolute units. n is such that the
// tail is less than a unit: y^n/D(n) < 2^-w and from there on terms fall by half.
//
// erfc by the series is 1 − erf, with the x²/ln 2 bits more that cancel.

// Erf sets z to the error function of x.
func (z *Ball) Erf(x *Ball, prec uint) *Ball { return z.erfs(x, prec, (*Ball).erfPoint, false) }

// Erfc sets z to 1 − erf x.
func (z *Ball) Erfc(x *Ball, prec uint) *Ball { return z.erfs(x, prec, (*Ball).erfcPoint, true) }

func (z *Ball) erfs(x *Ball, prec uint, f pointFunc, decreasing bool) *Ball {
	switch x.kind {
	case empty:
		return z.SetEmpty()
	case whole:
		part := x.part
		z.setUnit() // erf: [−1, 1]; erfc: [0, 2]
		if decreasing {
			z.Add(z, FromInt64(1), 64)
		}
		z.part = part
		return z
	}
	return z.smooth(x, prec, f, func(d, x *Ball) {
		var t Ball
		d.Sqr(x, slopeBits)
		d.Exp(d.Neg(d), slopeBits)
		t.Sqrt(t.Pi(slopeBits), slopeBits)
		d.Quo(d.Mul2(d, 1), &t, slopeBits)
		if decreasing {
			d.Neg(d)
		}
	}, decreasing)
}

func (z *Ball) erfPoint(x *Ball, prec uint) *Ball {
	var a, s Ball
	a.Mid(x)
	p := int64(max(prec, 4))
	t := a.top()
	if a.man.Sign() == 0 {
		return z.SetInt64(0)
	}
	neg := a.man.Sign() < 0
	a.Abs(&a)
	q := prec + guard
	switch {
	case t < -p/2-2:
		s.Sqrt(s.Pi(q), q)
		z.Quo(a.Mul2(&a, 1), &s, q)
		z.rad = z.rad.add(magInt(&z.man, z.exp).add(z.rad).mul(magPow2(max(2*t, -maxExp/2))))
		z.finish(prec)
	case a.beyond(float64(p) * math.Ln2): // 1 − erfc, and erfc < e^(−x²)
		z.SetInt64(1)
		z.rad = magPow2(-p)
	default:
		z.erfSeries(&a, q)
		z.finish(prec)
	}
	if neg {
		z.Neg(z)
	}
	return z
}

// beyond reports whether x² > b for certain, for a positive point.
func (x *Ball) beyond(b float64) bool {
	t := x.top()
	return t > 100 || t > -100 && x.approx() > math.Sqrt(b)*(1+0x1p-40)
}

// erfSeries sets z to erf at a point 0 < x, for moderate x.
func (z *Ball) erfSeries(x *Ball, prec uint) *Ball {
	f := x.approx()
	y2 := 2 * f * f * (1 + 0x1p-40) // at least 2x²
	p := prec + 8
	// The number of terms, in doubles with a margin: the ratio at k is y/(2k+1).
	ly, lg := math.Log2(y2+0x1p-1000), 0.0
	n := 1
	for ; ; n++ {
		lg += math.Log2(float64(2*n+1)) - ly
		if lg > float64(p)+40 && float64(2*n+1) > 2*y2 {
			break
		}
	}
	m := babySteps(n)
	units := uint64(4*n + 6*m + 8)
	w := p + uint(bitLen64(int64(units)))
	sc := getScratch()
	defer sc.put()
	var sq, e, s, c Ball
	sq.Sqr(x, max(w, 2*uint(x.man.BitLen()))) // exact, if long
	fixed(&sc.a, sq.Mul2(&sq, 1), int64(w))
	sc.sumBlocks(&sc.b, &sc.a, w, divErf, false, 0, n)
	s.man.Set(&sc.b)
	s.exp = -int64(w)
	s.rad = magInt(&s.man, s.exp).mul(magUp(units, -int64(w)))
	q := p + uint(max(sq.top(), 0))
	sq.Mul2(&sq, -1)
	e.Exp(sq.Neg(&sq), q)
	c.Sqrt(c.Pi(q), q)
	s.Mul(&s, &e, q)
	s.Mul(&s, x, q)
	return z.Quo(s.Mul2(&s, 1), &c, prec)
}

func (z *Ball) erfcPoint(x *Ball, prec uint) *Ball {
	var a, e Ball
	a.Mid(x)
	if a.man.Sign() <= 0 {
		e.erfPoint(&a, prec+2)
		return z.Sub(FromInt64(1), &e, prec)
	}
	q := prec + guard
	if a.beyond(float64(q+8) * math.Ln2) {
		return z.erfcAsymptotic(&a, prec)
	}
	f := a.approx()
	e.erfSeries(&a, q+uint(f*f*1.45)+16)
	return z.Sub(FromInt64(1), &e, prec)
}

// erfcAsymptotic is for points with x² > p·ln 2.
func (z *Ball) erfcAsymptotic(x *Ball, prec uint) *Ball {
	q := prec + guard + 8
	var s, t, u, e, c Ball
	u.Sqr(x, max(q, 2*uint(min(int64(x.man.BitLen()), 4*int64(q)))))
	e.Exp(c.Neg(&u), q)
	u.Recip(u.Mul2(&u, 1), q) // 1/(2x²)
	s.SetInt64(1)
	t.SetInt64(1)
	for k := int64(1); ; k++ {
		// |term k| is known before it is used, as the bound of the remainder.
		t.Mul(&t, &u, q)
		t.Mul(&t, FromInt64(1-2*k), q)
		size := magInt(&t.man, t.exp).add(t.rad)
		if size.top() < -int64(q) || k > 4*int64(q) {
			s.rad = s.rad.add(size)
			break
		}
		s.Add(&s, &t, q)
	}
	c.Sqrt(c.Pi(q), q)
	c.Mul(&c, x, q)
	s.Mul(&s, &e, q)
	return z.Quo(&s, &c, prec)
}
