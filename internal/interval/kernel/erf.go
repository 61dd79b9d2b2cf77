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
//   - erfcx x = exp(x²)·erfc x is W(x) for x ≥ 1/2. From 32 on it is the asymptotic series
//     1/(x√π)·Σ (-1)^k (2k-1)!!/(2x²)^k to k = 8, whose remainder is below the next term,
//     2^-73; the terms from k = 2 on, below 2^-19, are plain doubles. Below 1/2 the product
//     with 1 - erf x costs 2^-66. Below -1/2 it is 2·exp(x²) - W(-x), at least half of the
//     first term.

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

// Erfcx is e^(x²)·erfc x.
var Erfcx = Monotone{ErfcxVal, -inf, inf, exactly(inf), exactly(0)}

// ErfcxVal encloses exp(x²)·erfc(x) for finite x.
func ErfcxVal(x float64) Val {
	switch {
	case x == 0:
		return exactly(1)
	case math.Abs(x) < 0x1p-60:
		return aboveOrBelow(1, -math.Copysign(1, x))
	case x >= 32:
		return erfcxFar(x)
	case x >= 0.5:
		return at(erfcxPieces[:], -1, dd{x, 0}).budget(erfBudget)
	case x < -27:
		return huge()
	}
	e := expDD(twoProd(x, x))
	r := fastTwoSum(e.H, e.L)
	if x > -0.5 {
		r = r.mul(erfSmall(-x).addF(1))
	} else {
		w := at(erfcxPieces[:], -1, dd{-x, 0})
		r = r.scale(2).sub(w.scale(pow2(max(-e.K, -900))))
	}
	v := r.budget(erfBudget)
	v.K = e.K
	return v
}

// erfcxFar encloses exp(x²)·erfc(x) for x ≥ 32.
func erfcxFar(x float64) Val {
	k := 0
	if x > 0x1p500 { // so that the quotient does not underflow
		x *= 0x1p-600
		k = -600
	}
	sum := dd{1, 0}
	if k == 0 {
		z := dd{0.5, 0}.div(twoProd(x, x)) // 1/(2x²) < 2^-11
		rest := 0.0
		for i := 7; i > 0; i-- {
			rest = float64(z.h * float64(-float64(2*i+1)*(1+rest)))
		}
		sum = z.neg().add(z.mulF(-rest)).addF(1)
	}
	v := sum.div(dd{x, 0}.mul(rootPi)).budget(erfBudget)
	v.K = k
	return v
}

// rootPi is √π.
var rootPi = halfPi.scale(2).sqrt()

// Note [Derivatives of erfcx]
//
// erfcx x = 1/π ∫ x exp(-t²)/(x² + t²) dt over the reals, for x > 0. The midpoint rule with steps
// of h,
//
//	2h/π·Σ w_k·x/(x² + t_k²),  t_k = (k + 1/2)·h,  w_k = exp(-t_k²),
//
// misses it by 2 exp(x²)/(1 + exp(2πx/h)) for x < π/h, and by less than exp(-(π/h)²) beyond. That
// is 2^-76 at 2, with h = 0.22, and less to the right. It is a sum of Re 1/(x + i·t_k), so its
// derivative of order n is that of (-1)^n n! Re (x + i·t_k)^-(n+1): no order cancels, as the terms
// with t_k > x have small weights. The n-th derivative of what it misses is |2x - 2π/h|^n < 25^n
// times as large, which is below 2^-55 of the sum up to order 4. The terms from ErfcxNodes on add
// less than 2^-57.

// ErfcxStep is h, and ErfcxNodes the number of terms, of Note [Derivatives of erfcx].
const (
	ErfcxStep  = 0.22
	ErfcxNodes = 29
)

// ErfcxDerivative returns the derivative of order n of erfcx, within one unit in the last place,
// for n ≤ 4 and 2 ≤ x ≤ 2^60; ok is false elsewhere.
func ErfcxDerivative(n int64, x float64) (y float64, ok bool) {
	switch {
	case n == 0:
		return Erfcx.Nearest(x), true
	case n < 0 || n > 4 || !(x >= 2 && x <= 0x1p60):
		return 0, false
	}
	sum := dd{}
	for k := ErfcxNodes - 1; k >= 0; k-- {
		t := twoProd(float64(k)+0.5, ErfcxStep)
		size := twoProd(x, x).add(t.sqr())
		// a + ib = 1/(x + it), and its power.
		a, b := dd{x, 0}.div(size), t.neg().div(size)
		re, im := a, b
		for range n {
			re, im = re.mul(a).sub(im.mul(b)), re.mul(b).add(im.mul(a))
		}
		sum = sum.add(re.mul(expPair(t.sqr().neg())))
	}
	sum = sum.mulF(2 * ErfcxStep).div(halfPi.scale(2))
	for k := range n {
		sum = sum.mulF(-float64(k + 1))
	}
	return sum.nearest(), true
}
