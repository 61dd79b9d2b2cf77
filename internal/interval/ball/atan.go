package ball

import (
	"math"
	"math/big"
)

// Note [Atan]
//
// At a point 0 < x ≤ 1, for any y0 in [0, 0.79]:
//
//	atan x = y0 + atan(u),   u = (x·cos y0 − sin y0)/(cos y0 + x·sin y0)
//
// so that, as in Note [Log], y0 needs no proof. In units 2^-w: sin and cos err by sinErr, x is
// cut by 1, so the numerator errs by at most 2·sinErr + 3, the denominator, which is at least
// cos y0 > 0.7 and for y0 near atan x about √(1+x²) ≥ 1, likewise. With |u| < 1/8, u errs by at
// most (2·sinErr + 3)(1 + 1/8)/0.7 + 2 < 100, and the series adds 1.5·J + 1 ≤ 25 for J ≤ 16
// terms, Note [Odd series]. atanErr = 128.
//
// For x > 1, atan x = π/2 − atan(1/x), where 1/x is rounded to w bits (1 unit).
// On a ball m ± r the derivative is at most 1/(1 + (|m| − r)²).

const atanErr = 128

// Atan sets z to the inverse tangent of x.
func (z *Ball) Atan(x *Ball, prec uint) *Ball {
	switch x.kind {
	case empty:
		return z.SetEmpty()
	case whole: // [−π/2, π/2], a little widened
		part := x.part
		z.SetInt64(0)
		z.rad = magUp(3373259427, -31) // ⌈2^31·π/2⌉
		z.part = part
		return z
	}
	part, r := x.part, x.rad
	if x.absWide() && x.relWide(wideBits) {
		return z.monotone(x, prec, (*Ball).atanPoint, false)
	}
	if r.m == 0 {
		z.atanPoint(x, prec)
		z.part = part
		return z
	}
	lo := magIntLow(&x.man, x.exp).subLow(r)
	d := r
	if lo.m != 0 { // 1/(1+lo²) ≤ min(1, 1/lo²)
		den := magPow2(0)
		if lo.top() > -16 {
			den = addLow(den, lo.mulLow(lo))
		}
		d = r.div(den)
	}
	q := prec
	if t := min(x.top(), 0) - d.top() + 36; t < int64(prec) {
		q = uint(max(t, 36))
	}
	z.atanPoint(x, q)
	z.rad = z.rad.add(d)
	z.part = part
	return z.finish(prec)
}

// addLow returns a lower bound of a + b.
func addLow(a, b mag) mag {
	if a.m == 0 {
		return b
	}
	if a.e < b.e {
		a, b = b, a
	}
	d := a.e - b.e
	if d >= 62 || b.m == 0 {
		return a
	}
	return magLow(a.m<<30+(b.m<<30)>>d, a.e-30)
}

// atanPoint returns the inverse tangent of x's midpoint.
func (z *Ball) atanPoint(x *Ball, prec uint) *Ball {
	p := int64(max(prec, 4))
	t := x.top()
	neg := x.man.Sign() < 0
	switch {
	case x.man.Sign() == 0:
		return z.SetInt64(0)
	case t < -p/2-2: // atan x = x ± |x|³/3
		r := magPow2(3*max(t, -maxExp/4) - 1)
		if t < -maxExp/4 {
			r = magPow2(t - 2*p)
		}
		z.Set(x)
		z.rad, z.part = r, false
		return z.finish(prec)
	case t > p+4: // π/2 ∓ 1/x
		z.Pi(prec + 2)
		z.exp--
		z.rad = z.rad.shl(-1).add(magPow2(1 - t))
		if neg {
			z.man.Neg(&z.man)
		}
		return z.finish(prec)
	}
	sc := getScratch()
	defer sc.put()
	big1 := t > 1 || t == 1 && x.man.TrailingZeroBits() != uint(x.man.BitLen()-1)
	k := max(-t, 0)
	w := uint(p + k + 12)
	xf := &sc.e
	if big1 {
		// 1/x with w bits: 2^w/(man·2^exp) = 2^(w−exp)/man, cut.
		sc.a.Abs(&x.man)
		sh := int64(w) - x.exp
		if sh < 0 {
			xf.SetInt64(0)
		} else {
			sc.b.Lsh(intOne, uint(sh))
			xf.Quo(&sc.b, &sc.a)
		}
	} else {
		fixed(xf, x, int64(w))
		xf.Abs(xf)
	}
	sc.atanFixed(&z.man, xf, w, uint(p))
	if big1 {
		constPi.fixed(&sc.a, w)
		sc.a.Rsh(&sc.a, 1)
		z.man.Sub(&sc.a, &z.man)
	}
	if neg {
		z.man.Neg(&z.man)
	}
	z.exp, z.kind, z.part = -int64(w), finite, false
	z.rad = magUp(atanErr+2, -int64(w))
	return z.finish(prec)
}

// atanFixed sets z to atan x for 0 ≤ x ≤ 1 in fixed point with w bits, within
// atanErr; p is the precision that says how good a start pays. x may be sc.e.
func (sc *scratch) atanFixed(z, x *big.Int, w, p uint) {
	n := uint(x.BitLen())
	if k := w - n; n < w && k >= 6 && 16*k >= w {
		// The series alone: at most w/(2k) + 1 ≤ 9 terms.
		sc.oddSeries(z, x, w, true)
		return
	}
	y0 := new(big.Int)
	const direct = 1100
	if w <= direct {
		floatToFixed(y0, math.Atan(fixedToFloat(x, w)), w)
	} else {
		h := w/8 + 16
		inner := getScratch()
		xh := new(big.Int).Rsh(x, w-h)
		inner.atanFixed(y0, xh, h, h)
		inner.put()
		y0.Lsh(y0, w-h)
	}
	s, c := &sc.a, &sc.b
	sc.sinCosFixed(s, c, y0, w)
	c.Sub(sc.c.Lsh(intOne, w), c)
	num, den := &sc.c, &sc.d
	sc.tmp.Mul(x, c)
	num.Rsh(&sc.tmp, w)
	num.Sub(num, s)
	sc.tmp.Mul(x, s)
	den.Rsh(&sc.tmp, w)
	den.Add(den, c)
	quoShort(s, num, den, w, &sc.tmp)
	j := sc.oddSeries(num, s, w, true)
	if j > 16 {
		panic("fluxion bug: ball: the start of an inverse tangent was useless")
	}
	z.Add(y0, num)
}
