package ball

import "math/big"

// Digamma sets z to ψ(x) = Γ'(x)/Γ(x); the domain is all but 0, −1, −2, …
func (z *Ball) Digamma(x *Ball, prec uint) *Ball { return z.Polygamma(0, x, prec) }

// maxOrder is the greatest order of Polygamma. Beyond it, the result is the whole line, which is
// sound and useless.
const maxOrder = 10000

// Note [Range of polygamma]
//
// Between two poles (or from 0 up) the derivative of ψ^(m) is ψ^(m+1)(x) = (−1)^m (m+1)! Σ
// 1/(x+k)^(m+2). For x > 0 it keeps its sign, so ψ^(m) is monotone. For x < 0 and even m the
// powers are even, so it is increasing too. For odd m, ψ^(m) is a sum of even powers, positive
// and convex.

// Polygamma sets z to ψ^(m)(x), the m-th derivative of digamma, for m ≥ 0; empty for
// negative m.
func (z *Ball) Polygamma(m int64, x *Ball, prec uint) *Ball {
	if m < 0 {
		return z.SetEmpty()
	}
	if z.poles(x) {
		return z
	}
	if m > maxOrder {
		part := x.part
		z.SetWhole()
		z.part = part
		return z
	}
	part := x.part
	if x.rad.m == 0 {
		z.polygammaPoint(m, x, prec)
		z.part = part
		return z
	}
	f := func(z, x *Ball, p uint) *Ball { return z.polygammaPoint(m, x, p) }
	df := func(z, x *Ball, p uint) *Ball { return z.polygammaPoint(m+1, x, p) }
	switch {
	case x.Sign() < 0 && m%2 == 1:
		return z.convex(x, prec, f, df)
	default:
		decreasing := m%2 == 1 // ψ rises, ψ' falls, ψ'' rises (towards 0) …
		return z.smooth(x, prec, f, func(d, x *Ball) {
			var lo, hi Ball
			x.ends(&lo, &hi)
			if x.Sign() < 0 {
				// The derivative is convex: its values at the ends do not bound it.
				d.SetWhole()
				return
			}
			df(d, &lo, slopeBits)
			df(&hi, new(Ball).Set(&hi), slopeBits)
			d.Hull(d, &hi, slopeBits)
		}, decreasing)
	}
}

func (z *Ball) polygammaPoint(m int64, x *Ball, prec uint) *Ball {
	var p Ball
	p.Mid(x)
	return z.tighten(&p, prec, func(z, x *Ball, q uint) *Ball { return z.polygammaOnce(m, x, q) })
}

// polygammaOnce sets z to ψ^(m) at a point off the poles; see Note [Stirling].
func (z *Ball) polygammaOnce(m int64, x *Ball, q uint) *Ball {
	if x.man.Sign() < 0 {
		var t, c Ball
		w := q + guard
		t.Sub(FromInt64(1), x, max(w, uint(x.man.BitLen())+64))
		t.polygammaPositive(m, &t, w)
		cotDerivative(&c, m, x, w)
		if m%2 == 1 {
			t.Neg(&t)
		}
		return z.Sub(&t, &c, q)
	}
	return z.polygammaPositive(m, x, q)
}

func (z *Ball) polygammaPositive(m int64, x *Ball, q uint) *Ball {
	n := raise(x, q, m)
	w := q + guard + uint(bitLen64(n))
	var y, s, t, u, fact Ball
	y.Set(x)
	s.SetInt64(0)
	// Σ 1/(x+k)^(m+1)
	for k := int64(0); k < n; k++ {
		t.PowInt(&y, m+1, w)
		s.Add(&s, t.Recip(&t, w), w)
		y.Add(&y, FromInt64(1), max(w, uint(x.man.BitLen())+64))
	}
	y.finish(max(w, uint(x.man.BitLen())+64))
	if m == 0 {
		// log y − 1/(2y) − Σ B(2k)/(2k·y^2k) − Σ 1/(x+k)
		t.Log(&y, w)
		u.Recip(&y, w)
		u.Mul2(&u, -1)
		t.Sub(&t, &u, w)
		u.bernoulliSum(&y, 0, w, func(c *Ball, k int64, q uint) { c.Recip(FromInt64(2*k), q) })
		t.Sub(&t, &u, w)
		return z.Sub(&t, &s, q)
	}
	fact.SetInt(new(big.Int).MulRange(1, m))
	s.Mul(&s, &fact, w) // m!·Σ
	// (m−1)!/y^m + m!/(2y^(m+1)) + Σ B(2k)(2k+m−1)!/((2k)!·y^(2k+m))
	t.PowInt(&y, m, w)
	t.Quo(&fact, &t, w)
	s.Add(&s, u.Quo(&t, FromInt64(m), w), w)
	u.Quo(&t, &y, w)
	s.Add(&s, u.Mul2(&u, -1), w)
	u.bernoulliSum(&y, m, w, func(c *Ball, k int64, q uint) {
		if k == 1 { // (m+1)!/2!
			c.SetInt(new(big.Int).MulRange(1, m+1))
			c.Mul2(c, -1)
			return
		}
		c.Mul(c, FromInt64((2*k+m-1)*(2*k+m-2)), q)
		c.Quo(c, FromInt64(2*k*(2*k-1)), q)
	})
	s.Add(&s, &u, w)
	if m%2 == 0 {
		s.Neg(&s)
	}
	return z.Set(&s).finish(q)
}

// cotDerivative sets z to the m-th derivative of π·cot πx: π^(m+1)·Q(cot πx) where
// Q starts as c and differentiating with respect to πx maps Q(c) to −(1 + c²)·Q'(c).
func cotDerivative(z *Ball, m int64, x *Ball, q uint) {
	w := q + guard + 2*uint(m)
	var s, c Ball
	sinCosPi(&s, &c, x, w)
	c.Quo(&c, &s, w)
	poly := []*big.Int{big.NewInt(0), big.NewInt(1)}
	for range m {
		next := make([]*big.Int, len(poly)+1)
		for i := range next {
			next[i] = new(big.Int)
		}
		for i := 1; i < len(poly); i++ {
			d := new(big.Int).Mul(poly[i], big.NewInt(int64(i)))
			next[i-1].Sub(next[i-1], d)
			next[i+1].Sub(next[i+1], d)
		}
		poly = next
	}
	var t, k Ball
	for i := len(poly) - 1; i >= 0; i-- {
		t.Mul(&t, &c, w)
		t.Add(&t, k.SetInt(poly[i]), w)
	}
	k.Pi(w)
	k.PowInt(&k, m+1, w)
	z.Mul(&t, &k, q)
}
