package kernel

import "math"

// Note [Hyperbolic functions]
//
// With A = exp|x| (relative error ε = 2^-68, Note [exp]):
//
//   - sinh for |x| < 1/2 is x·Σ x^2i/(2i+1)! to x^20/21!, four terms in
//     double-double (τ < 2^-8/9! < 2^-26; left out: 2^-22/23! < 2^-96): 2^-76.
//     Otherwise (A - 1/A)/2, whose absolute error (A + 1/A)/2·ε is at most
//     2.17·ε of it.
//   - cosh is (A + 1/A)/2, relative error at most ε.
//   - tanh for |x| < 1/2 is sinh/cosh from the same series and A. Otherwise it
//     is (B-1)/(B+1) with B = exp 2|x| > 2.7; d tanh = 2dB/(B+1)², so the
//     relative error is at most 2Bε/((B+1)(B-1)) < 0.86·ε, and 2^-100 more.
//   - For |x| > 40, 1/A < 2^-57·A... is dropped at the cost of exp(-80) < 2^-115,
//     and 1 - tanh|x| < 2^-114.
//
// All are below 2^-66.8; the budget is 2^-65.

const hyperbolicBudget = 0x1p-64

// Sinh is the hyperbolic sine.
var Sinh = Monotone{SinhVal, -inf, inf, exactly(-inf), exactly(inf)}

// SinhVal encloses sinh x for finite x.
func SinhVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, true)
	}
	return mirrored(x, func(x float64) Val {
		if x < 0.5 {
			return sinhSmall(x).budget(hyperbolicBudget)
		}
		if x > 40 {
			return halfExp(x)
		}
		a := expPair(dd{x, 0})
		return a.sub(dd{1, 0}.div(a)).scale(0.5).budget(hyperbolicBudget)
	})
}

// HalfCosh is the hyperbolic cosine for x ≥ 0.
var HalfCosh = Monotone{CoshVal, 0, inf, exactly(1), exactly(inf)}

// CoshVal encloses cosh x for finite x.
func CoshVal(x float64) Val {
	x = math.Abs(x)
	switch {
	case x == 0:
		return exactly(1)
	case x < tinyOdd:
		return aboveOrBelow(1, 1) // cosh x - 1 < 0.6·x² < 2^-56
	case x > 40:
		return halfExp(x)
	}
	a := expPair(dd{x, 0})
	return a.add(dd{1, 0}.div(a)).scale(0.5).budget(hyperbolicBudget)
}

// Tanh is the hyperbolic tangent.
var Tanh = Monotone{TanhVal, -inf, inf, exactly(-1), exactly(1)}

// TanhVal encloses tanh x for finite x.
func TanhVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, false)
	}
	return mirrored(x, func(x float64) Val {
		if x < 0.5 {
			a := expPair(dd{x, 0})
			c := a.add(dd{1, 0}.div(a)).scale(0.5)
			return sinhSmall(x).div(c).budget(hyperbolicBudget)
		}
		if x > 40 {
			return Val{1, -0x1p-110, 0x1p-110, 0}
		}
		b := expPair(dd{2 * x, 0})
		return b.addF(-1).div(b.addF(1)).budget(hyperbolicBudget)
	})
}

func sinhSmall(x float64) dd {
	return polyDD(twoProd(x, x), sinhSeries[:], 4).mulF(x)
}

// halfExp encloses exp(x)/2 for x > 40, with room for ±exp(-x)/2.
func halfExp(x float64) Val {
	v := expDD(dd{x, 0})
	v.K--
	v.E *= 2
	return v
}

// Note [Inverse hyperbolic functions]
//
//   - asinh x = log1p(x + x²/(1+√(1+x²))) for x > 0: only positive terms, relative
//     error of the argument below 2^-99, and y/((1+y)·log1p y) ≤ 1 amplifies
//     nothing.
//   - acosh x = log1p(t + √(t(t+2))), t = x-1 exactly as a double-double: likewise.
//   - atanh x = log((1+x)/(1-x))/2, by its own series below 1/8.
//   - For x > 2^60 asinh and acosh are log 2x within 2^-122.
//
// The error is that of log1pDD, 2^-76.

// Asinh is the inverse hyperbolic sine.
var Asinh = Monotone{AsinhVal, -inf, inf, exactly(-inf), exactly(inf)}

// AsinhVal encloses asinh x for finite x.
func AsinhVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, false)
	}
	return mirrored(x, func(x float64) Val {
		if x > 0x1p60 {
			return logTwice(x)
		}
		x2 := twoProd(x, x)
		return log1pDD(x2.div(x2.addF(1).sqrt().addF(1)).addF(x)).budget(derivedLogBudget)
	})
}

// Acosh is the inverse hyperbolic cosine.
var Acosh = Monotone{AcoshVal, 1, inf, exactly(0), exactly(inf)}

// AcoshVal encloses acosh x for finite x ≥ 1.
func AcoshVal(x float64) Val {
	switch {
	case x == 1:
		return exactly(0)
	case x > 0x1p60:
		return logTwice(x)
	}
	t := twoSum(x, -1)
	return log1pDD(t.mul(t.addF(2)).sqrt().add(t)).budget(derivedLogBudget)
}

// Atanh is the inverse hyperbolic tangent.
var Atanh = Monotone{AtanhVal, -1, 1, exactly(-inf), exactly(inf)}

// AtanhVal encloses atanh x for |x| < 1.
func AtanhVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, true)
	}
	return mirrored(x, func(x float64) Val {
		if x < 0.125 {
			return atanhSeries(dd{x, 0}).budget(derivedLogBudget)
		}
		return logDD(twoSum(1, x).div(twoSum(1, -x))).scale(0.5).budget(derivedLogBudget)
	})
}

func logTwice(x float64) Val { return logDD(dd{x, 0}).add(ln2).budget(derivedLogBudget) }
