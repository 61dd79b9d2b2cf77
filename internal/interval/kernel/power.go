package kernel

import "math"

// Note [pow]
//
// x^y = exp(y·log x) for x > 0. logDD has relative error 2^-76 (and 2^-75 after
// the scaling of a subnormal x), the product with y 2^-105; where the
// result is a double |y·log x| < 746, so the exponent's absolute error is
// below 746·2^-75 < 2^-65.4 and the result's relative error below
// 2^-65.4 + 2^-68 < 2^-65.1. The budget is 2^-64.

const powBudget = 0x1p-63

// PowVal encloses x^y for finite x > 0 and finite y. Where the result is exact
// and not 1 the enclosure still has positive width.
func PowVal(x, y float64) Val {
	if x == 1 || y == 0 {
		return exactly(1)
	}
	k := 0.0
	if x < 0x1p-1000 {
		x *= 0x1p54
		k = -54
	}
	l := logDD(dd{x, 0})
	if k != 0 {
		l = l.add(ln2.mulF(k))
	}
	// |log x| ≥ 2^-53, so a product below 2^-900 or above 2^900 decides alone.
	switch e := float64(l.h * y); {
	case e > 1000:
		return huge()
	case e < -1000:
		return vanishing()
	case math.Abs(e) < 0x1p-60:
		return aboveOrBelow(1, math.Copysign(1, e))
	}
	v := expDD(l.mulF(y))
	v.E = v.H * powBudget
	return v
}

// Note [pown]
//
// x^n by repeated squaring in double-double, on the mantissa of x with the
// exponent kept apart. Each product has relative error at most 2^-102 (5u²), and
// an error made at stage i is raised with everything after it, so the total
// is at most (number of factors) · 2^-102 ≤ |n|·2^-101; a reciprocal adds
// 2^-102.

// PownVal encloses x^n for finite x ≠ 0 and 1 ≤ |n| ≤ 2^31.
func PownVal(x float64, n int) Val {
	r, k := pownDD(x, n)
	v := r.budget(math.Abs(float64(n)) * 0x1p-99)
	v.K = min(max(k, -4000), 4000)
	return v
}

// pownDD returns the power of PownVal as r·2^k. Where k is far out of range it may be wrong, but
// not if |n| < 2^29.
func pownDD(x float64, n int) (r dd, k int) {
	m, e := math.Frexp(x)
	r = dd{1, 0}
	b, eb := dd{m, 0}, e
	for i := max(n, -n); ; {
		if i&1 == 1 {
			r, k = normal(r.mul(b), k+eb)
		}
		if i >>= 1; i == 0 {
			break
		}
		b, eb = normal(b.sqr(), 2*eb)
		if eb > 1<<40 || eb < -1<<40 { // far out of range; keep from wrapping
			eb /= 1 << 8
		}
	}
	if n < 0 {
		return dd{1, 0}.div(r), -k
	}
	return r, k
}

// normal moves the exponent of a into k.
func normal(a dd, k int) (dd, int) {
	_, e := math.Frexp(a.h)
	return a.scale(pow2(-e)), k + e
}

// Note [Roots by one Newton step]
//
// For a double y near x^(1/3) with d = (x - y³)/(3y²), Newton's y+d differs
// from the root by at most d²/y·(1 + |d/y|). y³ is a double-double product of
// relative error 2^-102, so x - y³ has absolute error below 2^-101·x, d below
// 2^-102·y, plus 2^-52·|d| for evaluating d as a double. The bound uses the d that
// was found, so nothing is assumed of the starting value.

// Cbrt is the cube root.
var Cbrt = Monotone{CbrtVal, -inf, inf, exactly(-inf), exactly(inf)}

// CbrtVal encloses ∛x for finite x; perfect cubes of short numbers are exact.
func CbrtVal(x float64) Val {
	if x == 0 {
		return exactly(x)
	}
	m, e := math.Frexp(x)
	k := e / 3
	m = math.Ldexp(m, e-3*k) // |m| in [1/8, 4)
	y := math.Cbrt(m)
	c := twoProd(y, y).mulF(y)
	res := c.addF(-m)
	d := -(res.h + res.l) / (3 * y * y)
	a := math.Abs(y)
	err := 2*(float64(d*d)/a+math.Abs(d)*0x1p-51) + a*0x1p-100
	if d == 0 && math.FMA(float64(y*y), y, -m) == 0 && math.FMA(y, y, -float64(y*y)) == 0 {
		err = 0 // y² is a double and y²·y = m
	}
	return Val{y, d, err, k}
}

// HypotVal encloses √(x²+y²) for finite x and y. Squares are exact
// double-doubles, so the relative error is below 2^-101.
func HypotVal(x, y float64) Val {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return exactly(x)
	}
	_, k := math.Frexp(x)
	x, y = math.Ldexp(x, -k), math.Ldexp(y, -k) // x in [1/2, 1); y may underflow:
	if y < 0x1p-400 {
		// √(x²+y²) - x < y² < 2^-800, and positive even where y became 0.
		v := aboveOrBelow(x, 1)
		v.K += k
		return v
	}
	if y < 0x1p-60 {
		v := aboveOrBelow(x, 1) // y²/2x < 2^-119
		v.K += k
		return v
	}
	x2, y2 := twoProd(x, x), twoProd(y, y)
	s := x2.add(y2)
	r := s.sqrt()
	v := r.budget(0x1p-99)
	if x2.l == 0 && y2.l == 0 && s.l == 0 && math.FMA(r.h, r.h, -s.h) == 0 && r.l == 0 &&
		twoSum(x2.h, y2.h).l == 0 {
		v.E = 0 // exact squares, exact sum, exact root
	}
	v.K = k
	return v
}

// RootnVal encloses x^(1/n) for finite x > 0 and n ≥ 1: as Note [pow], with a
// division in the exponent.
func RootnVal(x float64, n int) Val {
	v := expDD(logOf(x).div(dd{float64(n), 0}))
	v.E = v.H * powBudget
	return v
}
