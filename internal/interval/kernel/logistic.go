package kernel

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Logistic functions]
//
//   - sigmoid x = 1/(1+exp(-x)), for x < 0 exp(x)/(1+exp(x)): the sum's relative error
//     is at most that of exp, 2^-68, so the quotient's is at most 2^-67.
//     Below -60 it is exp(x) but for a factor within exp(-60) < 2^-86 of 1.
//   - softplus x = log1p(exp x): y·(log1p)'(y)/log1p(y) ≤ 1, so exp's error is not
//     amplified: 2^-68 + 2^-76. Below -40 it is E(1 - E/2), E = exp x, with
//     error E²/3 < 2^-116; above 40 it exceeds x, by less than
//     exp(-x) < 2^-57.7.
//   - logaddexp(a, b) = m + softplus(-d), m the larger argument and d ≥ 0 the
//     difference as an exact double-double. Where the two terms cancel, the
//     softplus is log1pDD of expAccurate: with exp(-d) in (0, 1] the argument
//     1+y of logDD is below 2 and its absolute error below 2^-86 (terms from r⁵/5
//     on, below 2^-37, in doubles; the tails, below 2^-41, rounded once), and for
//     y < 1/8 the series has 2^-84·y: both below 2^-82 of the softplus, and E is
//     2^-80 of it. Where more than 16 bits cancel, or the terms are so small that the
//     rounding of subnormals would show, Note [Near zeros] takes over. The value is never
//     0 there: exp a + exp b = 1 has no algebraic solutions (Lindemann).

const logisticBudget = 0x1p-65

// Sigmoid is 1/(1+e^-x).
var Sigmoid = Monotone{SigmoidVal, -inf, inf, exactly(0), exactly(1)}

// SigmoidVal encloses 1/(1+exp(-x)) for finite x.
func SigmoidVal(x float64) Val {
	switch {
	case x == 0:
		return exactly(0.5)
	case math.Abs(x) < 0x1p-56:
		return aboveOrBelow(0.5, math.Copysign(1, x)) // by less than |x|/4
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

// Softplus is log(1+e^x).
var Softplus = Monotone{SoftplusVal, -inf, inf, exactly(0), exactly(inf)}

// SoftplusVal encloses log(1+exp x) for finite x.
func SoftplusVal(x float64) Val { return softplus(dd{x, 0}) }

// softplus encloses log(1+exp x); x.l must be 0 if x > 40.
func softplus(x dd) Val {
	switch {
	case x.h > 40:
		return aboveOrBelow(x.h, 1)
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
	s := Val{K: -4000} // b is beyond reach
	if d.h > -2000 {
		s = softplus(d)
		if a == 0 {
			return s
		}
	} else if a == 0 {
		return vanishing()
	}
	h := math.Ldexp(s.H, s.K)
	if h < math.Abs(a)*0x1p-58 {
		return aboveOrBelow(a, 1)
	}
	cancel := a < 0 && math.Abs(h+a) < 0.25*h
	if cancel && d.h > -600 {
		r := log1pDD(expAccurate(d)).addF(a)
		if math.Abs(r.h) > h*0x1p-16 {
			return Val{r.h, r.l, h * 0x1p-80, 0}
		}
	}
	if cancel || h < 0x1p-960 {
		return multi(new(ball.Ball).LogAddExp(ball.FromFloat64(a), ball.FromFloat64(b), multiBits))
	}
	r := fastTwoSum(h, math.Ldexp(s.L, s.K)).addF(a)
	// s.L may be subnormal
	err := math.Ldexp(s.E, s.K) + math.Abs(r.h)*0x1p-99 + 4*math.SmallestNonzeroFloat64
	return Val{r.h, r.l, err, 0}
}
