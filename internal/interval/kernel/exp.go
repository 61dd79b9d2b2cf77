package kernel

import "math"

// Note [exp]
//
// x = n·(log 2/128) + r with n the nearest integer, n = 128k + j, so
// exp x = 2^k · 2^(j/128) · exp r and |r| < 0.00272 < 2^-8.5.
//
// Reduction, for |x| < 760, so |n| < 2^18: expStep0 has 34 bits, n·expStep0 is
// exact, and x - n·expStep0 is a multiple of 2^-61 below 2^-8 in magnitude,
// hence exact in the FMA. expStep1 is 53 more bits: the rest of the constant is
// below 2^-95, times n below 2^-77, and rounding n·expStep1 < 2^-24 (and its
// sum with the low word of x, below 2^-43) costs 2^-77 and 2^-96. The reduced
// argument rh+rl is normalised and has absolute error below 2^-76.
//
// exp(r)-1 = rh + q with q = rl + rl·rh + rh²(1/2 + rh/6 + … + rh⁴/720): what is
// left out is rh²·rl < 2^-79 and rh⁷/7! < 2^-71.8; q < 2^-18, so its rounding errors
// are below 3·2^-71.
//
// With T = th+tl = 2^(j/128) (relative error 2^-106) the result is
// th + th·rh + (tl + th·q + tl·rh); th·rh is exact as a double-double, its sum
// with th is exact, and the low sum, below 2^-17·th, rounds to within 2^-70
// three times (2^-70 bounds each by two: the addends are far below 2^-18).
// Altogether less than 2^-68 relative; the budget is 2^-67.

const expBudget = 0x1p-66 // relative E; the argued error is at most half

// expCore returns h+l and k with exp(xh+xl) = (h+l)·2^k, h in [0.99, 2.01),
// |l| < 2^-16, for |xh| ≤ 760 and |xl| ≤ 2^-43.
func expCore(xh, xl float64) (h, l float64, k int) {
	t := float64(xh*expInvStep) + 0x1.8p52 // n in the low bits of t
	n := t - 0x1.8p52
	i := int(int32(math.Float64bits(t)))
	a := math.FMA(-n, expStep0, xh)
	r := twoSum(a, xl-float64(n*expStep1))
	// Estrin's scheme, for a short chain.
	r2 := float64(r.h * r.h)
	p := math.FMA(r2, 1.0/720, math.FMA(r.h, 1.0/120, 1.0/24))
	p = math.FMA(r2, p, math.FMA(r.h, 1.0/6, 0.5))
	q := math.FMA(r2, p, math.FMA(r.l, r.h, r.l))
	e := &exp2Table[i&127]
	s := float64(e.h * r.h)
	sl := math.FMA(e.h, r.h, -s)
	f := fastTwoSum(e.h, s)
	return f.h, f.l + math.FMA(e.h, q, math.FMA(e.l, r.h, sl+e.l)), i >> 7
}

// pow2 returns 2^k for -1022 ≤ k ≤ 1023.
func pow2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// huge and vanishing return Vals for positive values beyond the range of doubles. Their ends are
// [MaxFloat64, +Inf] and [0, 2^-1074].
func huge() Val      { return Val{H: 1, K: 2000} }
func vanishing() Val { return Val{H: 1, K: -2000} }

// Exp is e^x.
var Exp = Monotone{ExpVal, -inf, inf, exactly(0), exactly(inf)}

// ExpVal encloses exp x for finite x.
func ExpVal(x float64) Val {
	if math.Abs(x) < 640 {
		if math.Abs(x) < 0x1p-57 {
			if x == 0 {
				return exactly(1)
			}
			return aboveOrBelow(1, math.Copysign(1, x))
		}
		h, l, k := expCore(x, 0)
		p := pow2(k)
		h = float64(h * p)
		return Val{H: h, L: float64(l * p), E: float64(h * expBudget)}
	}
	return expDD(dd{x, 0})
}

// expDD encloses exp(x) for |x.l| ≤ 2^-43 and any finite x.h.
func expDD(x dd) Val {
	switch {
	case x.h > 720:
		return huge()
	case x.h < -760:
		return vanishing()
	}
	h, l, k := expCore(x.h, x.l)
	return Val{h, l, h * expBudget, k}
}

// expPair returns exp(x) as a normalised double-double for |x.h| ≤ 600.
func expPair(x dd) dd {
	h, l, k := expCore(x.h, x.l)
	return fastTwoSum(h, l).scale(pow2(k))
}

// expAccurate returns exp x with relative error below 2^-96, for |x| ≤ 600: as
// Note [exp], with the step in three parts and the series, to r¹²/12!, in
// double-double for its first seven terms (τ < 2^-71; left out: 2^-143). It is
// for sums that cancel.
func expAccurate(x dd) dd {
	n := math.RoundToEven(x.h * expInvStep)
	i := int(n)
	r := twoSum(math.FMA(-n, expStep0, x.h), x.l).sub(twoProd(n, expStep1)).addF(
		float64(-n * expStep2))
	return polyDD(r, invFactorial[:13], 7).mul(exp2Table[i&127]).scale(pow2(i >> 7))
}

// Exp2 is 2^x.
var Exp2 = Monotone{Exp2Val, -inf, inf, exactly(0), exactly(inf)}

// Exp2Val encloses 2^x for finite x; integers are exact.
func Exp2Val(x float64) Val {
	if x == math.Floor(x) && math.Abs(x) < 2000 {
		return Val{H: 1, K: int(x)}
	}
	return expOf(x, ln2)
}

// Exp10 is 10^x.
var Exp10 = Monotone{Exp10Val, -inf, inf, exactly(0), exactly(inf)}

// Exp10Val encloses 10^x for finite x; exact for 0, 1, …, 22.
func Exp10Val(x float64) Val {
	if x >= 0 && x <= 22 && x == math.Floor(x) {
		return exactly(pow10(int(x)))
	}
	return expOf(x, ln10)
}

// expOf encloses exp(x·c). The product is rounded by 2^-104·745 < 2^-94, which
// the slack of expBudget covers.
func expOf(x float64, c dd) Val {
	if math.Abs(x) > 2000 {
		if x > 0 {
			return huge()
		}
		return vanishing()
	}
	if math.Abs(x) < 0x1p-70 {
		return aboveOrBelow(1, math.Copysign(1, x))
	}
	return expDD(c.mulF(x))
}

// pow10 returns 10^n. It is exact for 0 ≤ n ≤ 22.
func pow10(n int) float64 {
	p := 1.0
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

// Note [expm1]
//
// For |x| < 1/4, expm1 x = x·(1 + x/2! + x²/3! + …) to x^17/18!, the first six
// terms in double-double (Note [Mixed Horner]: τ = 2^-12/7! < 2^-24); what is
// left out is below 2^-36/19! < 2^-92. Relative error below 2^-74.
// Elsewhere |expm1 x| > 0.22, and subtracting 1 from exp x (relative error 2^-68,
// absolute at most 1.29·2^-68 where they are of like size) leaves at most
// 2^-68·(1.29/0.28) < 2^-65.7 for positive and 2^-68·(0.78/0.22) < 2^-66 for
// negative x.

const expm1Budget = 0x1p-64

// Expm1 is e^x - 1, which is accurate near 0.
var Expm1 = Monotone{Expm1Val, -inf, inf, exactly(-1), exactly(inf)}

// Expm1Val encloses exp(x)-1 for finite x.
func Expm1Val(x float64) Val {
	switch {
	case math.Abs(x) < tinyEven:
		return aboveOrBelow(x, 1)
	case math.Abs(x) < 0.25:
		return expm1Small(x).mulF(x).budget(expm1Budget)
	case x > 80:
		v := ExpVal(x)
		v.E *= 2 // covers the 1, below 2^-115·exp x
		return v
	case x < -60:
		return Val{-1, 0x1p-87, 0x1p-87, 0} // 0 < exp x < 2^-86
	}
	return expPair(dd{x, 0}).addF(-1).budget(expm1Budget)
}

// expm1Small returns expm1(x)/x for |x| < 1/4.
func expm1Small(x float64) dd {
	return polyDD(dd{x, 0}, invFactorial[1:19], 6)
}
