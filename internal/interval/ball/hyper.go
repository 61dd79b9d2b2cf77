package ball

import "math/bits"

// Note [Composed functions]
//
// The functions of this file and its neighbours are compositions of balls: their
// errors are in the radii, so containment needs no further proof. The formulas are
// chosen so that for a point no step subtracts nearly equal numbers; with a few
// guard bits each step loses one or two bits, and the result is tight.

const guard = 12

// Sinh sets z to the hyperbolic sine of x.
func (z *Ball) Sinh(x *Ball, prec uint) *Ball {
	if z.improper(x) {
		return z
	}
	return z.smooth(x, prec, (*Ball).sinhPoint, func(d, x *Ball) { halfSum(d, x, false) }, false)
}

// halfSum sets d to (e^x ± e^-x)/2 as balls, for slopes: Sinh and Cosh cannot be each
// other's.
func halfSum(d, x *Ball, minus bool) {
	var e Ball
	e.Exp(x, slopeBits)
	d.Recip(&e, slopeBits)
	d.addSub(&e, d, slopeBits, minus)
	d.Mul2(d, -1)
}

// sinhPoint sets z to sinh x at x's midpoint. With E = e^|x| − 1: sinh |x| = (E + E/(1+E))/2.
func (z *Ball) sinhPoint(x *Ball, prec uint) *Ball {
	var a, e, t Ball
	a.Mid(x)
	neg := a.man.Sign() < 0
	a.Abs(&a)
	q := prec + guard
	e.Expm1(&a, q)
	t.Add(&e, FromInt64(1), q)
	t.Quo(&e, &t, q)
	z.Add(&e, &t, prec)
	z.Mul2(z, -1)
	if neg {
		z.Neg(z)
	}
	return z
}

// Cosh sets z to the hyperbolic cosine of x.
func (z *Ball) Cosh(x *Ball, prec uint) *Ball {
	if z.improper(x) {
		return z
	}
	if x.rad.m != 0 && x.ContainsZero() { // [1, cosh of the farther end]
		part := x.part
		var a, b Ball
		x.ends(&a, &b)
		a.Abs(&a)
		b.maxPoint(&a)
		z.between(a.SetInt64(0), &b, prec, (*Ball).coshPoint, false)
		z.part = part
		return z
	}
	return z.smooth(x, prec, (*Ball).coshPoint, func(d, x *Ball) {
		halfSum(d, x, true)
	}, x.man.Sign() < 0)
}

func (z *Ball) coshPoint(x *Ball, prec uint) *Ball {
	var a, e, t Ball
	q := prec + guard
	e.Exp(a.Abs(a.Mid(x)), q)
	t.Recip(&e, q)
	z.Add(&e, &t, prec)
	return z.Mul2(z, -1)
}

// Tanh sets z to the hyperbolic tangent of x.
func (z *Ball) Tanh(x *Ball, prec uint) *Ball {
	switch x.kind {
	case empty:
		return z.SetEmpty()
	case whole:
		part := x.part
		z.setUnit()
		z.part = part
		return z
	}
	return z.smooth(x, prec, (*Ball).tanhPoint, func(d, x *Ball) {
		d.Cosh(x, slopeBits)
		d.Sqr(d, slopeBits)
		d.Recip(d, slopeBits)
	}, false)
}

// tanhPoint sets z to tanh x at x's midpoint. With E = e^2|x| − 1: tanh |x| = E/(E + 2). For |x|
// > prec, 1 − tanh |x| < 2e^-2|x| < 2^(1-2|x|).
func (z *Ball) tanhPoint(x *Ball, prec uint) *Ball {
	var a, e, t Ball
	a.Mid(x)
	neg := a.man.Sign() < 0
	if a.top() > int64(bits.Len(prec))+1 {
		z.SetInt64(1)
		z.rad = magPow2(1 - 2*int64(prec))
	} else {
		a.Abs(&a)
		q := prec + guard
		e.Expm1(a.Mul2(&a, 1), q)
		t.Add(&e, FromInt64(2), q)
		z.Quo(&e, &t, prec)
	}
	if neg {
		z.Neg(z)
	}
	return z
}

// Asinh sets z to the inverse hyperbolic sine of x.
func (z *Ball) Asinh(x *Ball, prec uint) *Ball {
	if z.improper(x) {
		return z
	}
	return z.smooth(x, prec, (*Ball).asinhPoint, func(d, x *Ball) {
		d.Sqr(x, slopeBits)
		d.Add(d, FromInt64(1), slopeBits)
		d.Sqrt(d, slopeBits)
		d.Recip(d, slopeBits)
	}, false)
}

// asinhPoint sets z to asinh x at x's midpoint. asinh |x| = log1p(|x| + x²/(1 + √(1 + x²))).
func (z *Ball) asinhPoint(x *Ball, prec uint) *Ball {
	var a, s, t Ball
	a.Mid(x)
	neg := a.man.Sign() < 0
	a.Abs(&a)
	q := prec + guard
	s.Sqr(&a, q)
	t.Add(&s, FromInt64(1), q)
	t.Sqrt(&t, q)
	t.Add(&t, FromInt64(1), q)
	s.Quo(&s, &t, q)
	s.Add(&s, &a, q)
	z.Log1p(&s, prec)
	if neg {
		z.Neg(z)
	}
	return z
}

// Acosh sets z to the inverse hyperbolic cosine of x; the domain is x ≥ 1.
func (z *Ball) Acosh(x *Ball, prec uint) *Ball {
	if x.kind == whole {
		return z.halfLine()
	}
	if z.improper(x) {
		return z
	}
	if x.man.Sign() <= 0 || x.top() < 1 || x.rad.m != 0 && !FromInt64(1).Less(x) {
		return z.monotoneOn(from1, x, prec, (*Ball).acoshPoint, false)
	}
	return z.smooth(x, prec, (*Ball).acoshPoint, func(d, x *Ball) {
		var t Ball
		d.Sub(x, FromInt64(1), slopeBits)
		d.Mul(d, t.Add(x, FromInt64(1), slopeBits), slopeBits)
		d.Sqrt(d, slopeBits)
		d.Recip(d, slopeBits)
	}, false)
}

// acoshPoint sets z to acosh x at x's midpoint. With d = x − 1: acosh x = log1p(d + √(d(d+2))).
func (z *Ball) acoshPoint(x *Ball, prec uint) *Ball {
	var a, d, t Ball
	a.Mid(x)
	q := prec + guard
	d.Sub(&a, FromInt64(1), q)
	t.Add(&a, FromInt64(1), q)
	t.Mul(&t, &d, q)
	t.Sqrt(&t, q)
	t.Add(&t, &d, q)
	return z.Log1p(&t, prec)
}

// Atanh sets z to the inverse hyperbolic tangent of x; the domain is |x| < 1. If x
// reaches an end of it the result is the whole line.
func (z *Ball) Atanh(x *Ball, prec uint) *Ball {
	if x.kind == empty {
		return z.SetEmpty()
	}
	if x.kind == whole || !x.insideUnit() {
		if x.kind == finite && x.outsideUnit(true) {
			return z.SetEmpty()
		}
		return z.halfLine()
	}
	return z.smooth(x, prec, (*Ball).atanhPoint, func(d, x *Ball) {
		unitProduct(d, x)
		d.Recip(d, slopeBits)
	}, false)
}

// atanhPoint sets z to atanh x at x's midpoint. atanh |x| = log1p(2|x|/(1−|x|))/2.
func (z *Ball) atanhPoint(x *Ball, prec uint) *Ball {
	var a, t Ball
	a.Mid(x)
	neg := a.man.Sign() < 0
	a.Abs(&a)
	q := prec + guard
	t.Sub(FromInt64(1), &a, q)
	t.Quo(a.Mul2(&a, 1), &t, q)
	z.Log1p(&t, prec)
	z.Mul2(z, -1)
	if neg {
		z.Neg(z)
	}
	return z
}

// insideUnit reports whether x lies in the open interval (−1, 1).
func (x *Ball) insideUnit() bool {
	return FromInt64(-1).Less(x) && x.Less(FromInt64(1))
}

// outsideUnit reports whether all of x has absolute value over 1, or 1 where closed
// is set.
func (x *Ball) outsideUnit(closed bool) bool {
	one := FromInt64(1)
	if one.Less(x) || x.Less(FromInt64(-1)) {
		return true
	}
	return closed && (one.LessEq(x) || x.LessEq(FromInt64(-1)))
}

// unitProduct sets d to (1−x)(1+x), for slopes.
func unitProduct(d, x *Ball) {
	var t Ball
	t.Sub(FromInt64(1), x, slopeBits)
	d.Add(FromInt64(1), x, slopeBits)
	d.Mul(d, &t, slopeBits)
}
