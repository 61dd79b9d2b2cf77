package kernel

import "math"

// Note [Logistic functions]
//
//   - sigmoid x = 1/(1+exp(-x)), for x < 0 exp(x)/(1+exp(x)): the sum's relative error
//     is at most that of exp, 2^-68, so the quotient's is at most 2^-67.
//     Below -60 it is exp(x) but for a factor within exp(-60) < 2^-86 of 1.
//   - softplus x = log1p(exp x): y·(log1p)'(y)/log1p(y) ≤ 1, so exp's error is not
//     amplified: 2^-68 + 2^-76. Below -40 it is E(1 - E/2), E = exp x, with
//     error E²/3 < 2^-116; above 40 it is x + exp(-x) within exp(-2x).
//   - logaddexp(a, b) = m + softplus(-d), m the larger argument and d ≥ 0 the
//     difference as an exact double-double; the error is 2^-67 of the softplus,
//     absolute, and 2^-102 of the sum. Where the two terms cancel, relative
//     accuracy is lost, and E says so.

const logisticBudget = 0x1p-65

// SigmoidVal encloses 1/(1+exp(-x)) for finite x.
func SigmoidVal(x float64) Val {
	switch {
	case x == 0:
		return exactly(0.5)
	case x > 60:
		return Val{1, -0x1p-87, 0x1p-87, 0}
	case x < -60:
		v := expDD(dd{x, 0})
		v.E = v.H * logisticBudget
		return v
	case x < 0:
		e := expPair(dd{x, 0})
		return e.div(e.addF(1)).budget(logisticBudget)
	}
	return dd{1, 0}.div(expPair(dd{-x, 0}).addF(1)).budget(logisticBudget)
}

// SoftplusVal encloses log(1+exp x) for finite x.
func SoftplusVal(x float64) Val { return softplus(dd{x, 0}) }

// softplus encloses log(1+exp x).
func softplus(x dd) Val {
	switch {
	case x.h > 745:
		v := x.budget(0)
		d := x.h * 0x1p-60
		v.L, v.E = v.L+d, d // exp(-x) < 2^-1074; x.l = 0 for a double argument
		if x.l != 0 {
			v = x.budget(0x1p-99)
		}
		return v
	case x.h > 40:
		return x.add(expPair(dd{max(-x.h, -600), -x.l})).budget(0x1p-99)
	case x.h < -40:
		v := expDD(x)
		if v.K > -1000 {
			v.L -= v.H * v.H * 0.5 * pow2(v.K)
		}
		v.E = v.H * logisticBudget
		return v
	}
	return log1pDD(expPair(x)).budget(logisticBudget)
}

// LogAddExpVal encloses log(exp a + exp b) for finite a and b.
func LogAddExpVal(a, b float64) Val {
	if a < b {
		a, b = b, a
	}
	d := twoSum(b, -a)
	if d.h < -700 || math.IsInf(d.h, 0) { // exp(-700) < 2^-1009
		if a == 0 {
			if d.h < -800 {
				return vanishing()
			}
			return softplus(d)
		}
		if math.Abs(a) > 0x1p-900 {
			return aboveOrBelow(a, 1)
		}
	}
	s := softplus(d)
	s.H, s.L, s.E = math.Ldexp(s.H, s.K), math.Ldexp(s.L, s.K), math.Ldexp(s.E, s.K)
	r := fastTwoSum(s.H, s.L).addF(a)
	return Val{r.h, r.l, s.E + math.Abs(r.h)*0x1p-99 + math.SmallestNonzeroFloat64*8, 0}
}
