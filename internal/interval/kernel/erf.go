package kernel

import "math"

// Note [erf]
//
//   - |x| < 1/2: erf x = x·Σ c_i·x^2i to i = 19, six terms in double-double
//     (τ < 2^-25): relative error below 2^-76.
//   - x ≥ 1/2: erfc x = exp(-x²)·W(x), W from the pieces (2^-67) and exp of the
//     exact double-double x² (2^-68, Note [exp]): below 2^-66.3.
//   - The rest by 1 - erf and 2 - erfc(-x): erf(1/2) = 0.52, so subtracting from 1
//     at most doubles the error below 1/2 and reduces it above.
//   - From 6 on, 0 < 1 - erf x < 2^-55.

const erfBudget = 0x1p-64

// erfSmall returns erf x for 2^-900 < |x| < 1/2.
func erfSmall(x float64) dd { return polyDD(twoProd(x, x), erfSeries[:], 6).mulF(x) }

// erfcLarge encloses erfc x for 1/2 ≤ x < 28.
func erfcLarge(x float64) Val {
	x2 := twoProd(x, x)
	v := expDD(x2.neg())
	r := fastTwoSum(v.H, v.L).mul(at(erfcxPieces[:], -1, dd{x, 0})).budget(erfBudget)
	r.K = v.K
	return r
}

// Erf is the error function.
var Erf = Monotone{ErfVal, -inf, inf, exactly(-1), exactly(1)}

// ErfVal encloses erf x for finite x.
func ErfVal(x float64) Val {
	switch a := math.Abs(x); {
	case x == 0:
		return exactly(x)
	case a < 0x1p-700:
		v := erfSmall(x * 0x1p200)
		return Val{v.h, v.l, math.Abs(v.h) * erfBudget, -200}
	case a < 0.5:
		return erfSmall(x).budget(erfBudget)
	}
	return mirrored(x, func(x float64) Val {
		if x >= 6 {
			return Val{1, -0x1p-56, 0x1p-56, 0}
		}
		c := erfcLarge(x) // K ≥ -52
		return dd{c.H, c.L}.scale(-pow2(c.K)).addF(1).budget(erfBudget)
	})
}

// Erfc is 1 - erf x, which is accurate where it is small.
var Erfc = Monotone{ErfcVal, -inf, inf, exactly(2), exactly(0)}

// ErfcVal encloses erfc x for finite x.
func ErfcVal(x float64) Val {
	switch {
	case x == 0:
		return exactly(1)
	case math.Abs(x) < 0x1p-60:
		return aboveOrBelow(1, -math.Copysign(1, x))
	case math.Abs(x) < 0.5:
		return erfSmall(-x).addF(1).budget(erfBudget)
	case x >= 28:
		return vanishing()
	case x > 0:
		return erfcLarge(x)
	case x <= -6:
		return Val{2, -0x1p-55, 0x1p-55, 0}
	}
	c := erfcLarge(-x)
	return dd{c.H, c.L}.scale(-pow2(c.K)).addF(2).budget(erfBudget)
}
