package kernel

import "math"

// Note [atan]
//
// For 0 ≤ t ≤ 1 and c = i/64 nearest t, atan t = atan c + atan z with
// z = (t-c)/(1+tc), |z| ≤ 2^-7; t > 1 goes through π/2 - atan(1/t). The series
// z(1 - z²/3 + z⁴/5 - …) to z^12/13 has its first two terms in double-double
// (τ < 2^-30), so its relative error is below 2^-80. t-c is a double-double
// operation on operands that nearly cancel; c is a multiple of 2^-6, and
// addF's error is relative to the result. 1+tc, the quotient and the final sum
// (no cancellation: z ≥ -atan c/2 unless c = 0) cost 2^-102 each. t may carry
// a relative error of 2^-98 itself, which atan does not amplify. Altogether
// below 2^-79.

const atanBudget = 0x1p-76

// atanDD returns atan t for t ≥ 0, t not subnormal or above 2^900.
func atanDD(t dd) dd {
	if t.h > 1 {
		return halfPi.sub(atanUnit(dd{1, 0}.div(t)))
	}
	return atanUnit(t)
}

func atanUnit(t dd) dd {
	i := int(t.h*64 + 0.5)
	z := t
	if i > 0 {
		c := float64(i) / 64
		z = t.addF(-c).div(t.mulF(c).addF(1))
	}
	s := polyDD(z.sqr().neg(), oddReciprocal[:7], 2).mul(z)
	if i == 0 {
		return s
	}
	return atanTable[i].add(s)
}

// Atan is the arctangent.
var Atan = Monotone{AtanVal, -inf, inf, quarterTurn.neg(), quarterTurn}

// AtanVal encloses atan x for finite x.
func AtanVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, false)
	}
	return mirrored(x, func(x float64) Val {
		if x > 0x1p110 {
			return halfPi.budget(atanBudget) // 1/x < 2^-110
		}
		return atanDD(dd{x, 0}).budget(atanBudget)
	})
}

// Atan2Val encloses the angle of the point (x, y), x and y finite and not both
// zero, in (-π, π]; y = 0 counts as positive.
func Atan2Val(y, x float64) Val {
	if y < 0 {
		return Atan2Val(-y, x).neg()
	}
	switch {
	case y == 0 && x > 0:
		return exactly(0)
	case y == 0:
		return piDD.budget(atanBudget)
	case x == 0:
		return halfPi.budget(atanBudget)
	}
	my, ey := math.Frexp(y)
	mx, ex := math.Frexp(math.Abs(x))
	q := dd{my, 0}.div(dd{mx, 0}) // in (1/2, 2)
	d := ey - ex
	var a dd
	switch {
	case d > 110:
		return halfPi.budget(atanBudget)
	case d < -60 && x > 0: // atan q = q·(1 - q²/3), q < 2^-59
		v := q.budget(atanBudget)
		v.K = d
		return v
	case d < -110:
		return piDD.budget(atanBudget)
	default:
		a = atanDD(q.scale(pow2(d)))
	}
	if x < 0 {
		a = piDD.sub(a)
	}
	return a.budget(atanBudget)
}

// Note [asin and acos]
//
// asin x = atan(x/√(1-x²)) and acos x = atan(√(1-x²)/x), shifted by π for
// negative x. 1-x and 1+x are exact double-doubles, so √((1-x)(1+x)) has
// relative error below 2^-101 however near x is to 1, and the quotient's is
// below 2^-100, within what Note [atan] allows. π - atan(…) is at least π/2.

// Asin is the arcsine.
var Asin = Monotone{AsinVal, -1, 1, quarterTurn.neg(), quarterTurn}

// AsinVal encloses asin x for |x| ≤ 1.
func AsinVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, true)
	}
	return mirrored(x, func(x float64) Val {
		if x == 1 {
			return halfPi.budget(atanBudget)
		}
		return atanDD(dd{x, 0}.div(legOf(x))).budget(atanBudget)
	})
}

// Acos is the arccosine.
var Acos = Monotone{AcosVal, -1, 1, halfTurn, exactly(0)}

// AcosVal encloses acos x for |x| ≤ 1.
func AcosVal(x float64) Val {
	switch {
	case x == 1:
		return exactly(0)
	case x == -1:
		return piDD.budget(atanBudget)
	case math.Abs(x) < 0x1p-110:
		return halfPi.budget(atanBudget)
	}
	a := atanDD(legOf(x).div(dd{math.Abs(x), 0}))
	if x < 0 {
		a = piDD.sub(a)
	}
	return a.budget(atanBudget)
}

// legOf returns √(1-x²).
func legOf(x float64) dd { return twoSum(1, -x).mul(twoSum(1, x)).sqrt() }
