package kernel

import "math"

// Note [Gamma]
//
// The gamma function and its kin come from the asymptotic series at arguments
// of 16 or more, to which the recurrence shifts the others. Everything but the
// small tail of a series is done in double-double: near a zero of the result
// the leading terms cancel, and the tail, below 1/100, does not matter there.
const asymptotic = 16

// Lgamma is log |Γ(x)|.
func Lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0), x <= 0 && x == math.Trunc(x), x > 2.6e305:
		return math.Inf(1)
	case x > 0:
		return lgammadd(x).float()
	case x > -0x1p-70:
		return -Log(-x)
	}
	// Γ(x) Γ(-x) = -π / (x sin πx).
	sin, _ := sincosdd(pidd.mulf(x - math.RoundToEven(x)))
	if sin.h < 0 {
		sin = sin.neg()
	}
	return lnPi.sub(logOf(sin)).sub(logdd(-x)).sub(lgammadd(-x)).float()
}

// lgammadd is log Γ(x) for 0 < x ≤ 2.6e305.
func lgammadd(x float64) dd {
	switch {
	case x < 0.5: // Γ(x) = Γ(2+x) / ((1+x) x)
		return lgammaNear2(x).sub(logOf(twoSum(1, x))).sub(logdd(x))
	case x < 1.5: // Γ(x) = Γ(1+x) / x
		return lgammaNear2(x - 1).sub(logdd(x))
	case x <= 2.5:
		return lgammaNear2(x - 2)
	}
	shifted, product := dd{x, 0}, dd{1, 0}
	for shifted.h < asymptotic {
		product = product.mul(shifted)
		shifted = shifted.addf(1)
	}
	// (x - ½) log x - x + ½ log 2π + Σ B2k / (2k (2k-1) x^(2k-1))
	tail, y := 0.0, 1/shifted.h
	z := y * y
	for k := 9; k >= 1; k-- {
		tail = tail*z + bernoulli2[k]/float64(2*k*(2*k-1))
	}
	log := logOf(shifted)
	sum := shifted.mul(log.addf(-1)).sub(log.scale(0.5))
	return sum.add(halfLn2Pi).addf(tail * y).sub(logOf(product))
}

// lgammaNear2 is log Γ(2+z) for |z| ≤ ½, with full relative accuracy near its
// zero: (1-γ) z + Σ (-1)^k (ζ(k)-1)/k z^k, where ζ(k)-1 is about 2^-k.
func lgammaNear2(z float64) dd {
	tail := 0.0
	for k := len(lgammaTwo) - 1; k >= 0; k-- {
		tail = tail*z + lgammaTwo[k]
	}
	return oneMinusEuler.add(twoProd(tail, z)).mulf(z)
}

// Digamma is the derivative of Lgamma. At 0 it has the infinity of the side
// that the sign of the zero tells; at the other poles it is NaN.
func Digamma(x float64) float64 {
	switch {
	case x != x, math.IsInf(x, 1):
		return x
	case x == 0:
		return math.Copysign(math.Inf(1), -x)
	case x < 0 && x == math.Trunc(x): // -∞ included
		return math.NaN()
	case math.Abs(x) < 0x1p-100:
		return -1 / x
	case x > 0:
		return digammadd(dd{x, 0}).float()
	}
	// ψ(x) = ψ(1-x) - π cot πx
	sin, cos := sincosdd(pidd.mulf(x - math.RoundToEven(x)))
	return digammadd(twoSum(1, -x)).sub(pidd.mul(cos).div(sin)).float()
}

// digammadd is ψ(x) for x > 0.
func digammadd(x dd) dd {
	var sum dd
	for ; x.h < asymptotic; x = x.addf(1) {
		sum = sum.add(dd{1, 0}.div(x))
	}
	// log x - 1/2x - Σ B2k / (2k x^2k)
	y := dd{1, 0}.div(x)
	tail, z := 0.0, y.h*y.h
	for k := 10; k >= 1; k-- {
		tail = (tail + bernoulli2[k]/float64(2*k)) * z
	}
	return logOf(x).sub(y.scale(0.5)).addf(-tail).sub(sum)
}
