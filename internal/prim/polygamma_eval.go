package prim

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// digamma adds to the kernel the infinity on either side of the pole at 0.
func digamma(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), -x)
	}
	return kernel.Digamma(x)
}

// polygamma is the n-th derivative of digamma,
//
//	ψ⁽ⁿ⁾(x) = (-1)^s n! Σ 1/(x+k)^s over k ≥ 0, with s = n + 1,
//
// for n ≥ 1 and any x that is not a pole.
func polygamma(n int64, x float64) float64 {
	switch {
	case n < 0:
		return math.NaN()
	case n == 0:
		return digamma(x)
	case x != x, math.IsInf(x, -1):
		return math.NaN()
	}
	if n == math.MaxInt64 {
		n -= 2 // so that n + 1 fits; no double tells the difference
	}
	sign := 1.0 // (-1)^s
	if n%2 == 0 {
		sign = -1
	}
	switch {
	case math.IsInf(x, 1):
		return math.Copysign(0, sign)
	case x == 0:
		if n%2 == 0 {
			return math.Copysign(math.Inf(1), -x)
		}
		return math.Inf(1)
	case x < 0 && x == math.Trunc(x):
		if n%2 == 0 {
			return math.NaN() // the two sides of the pole differ
		}
		return math.Inf(1)
	case x > 0:
		b := dd{x, 0}
		return sign * factorialOver(n, b, powerSum(n+1, b, b))
	}
	// With x = f - N and 0 < f < 1, the sum falls into the terms x+k = f+j,
	// j ≥ 0, and the N terms -(1-f+j): a difference of two tails.
	f := twoSum(x, -math.Floor(x))
	g := dd{1, 0}.sub(f)
	if f == g && sign < 0 {
		// Half way between two poles of opposite signs the terms on the left
		// cancel those on the right, all but the tail.
		b := twoSum(1, -x)
		return sign * factorialOver(n, b, powerSum(n+1, b, b))
	}
	b := f
	if g.h < f.h {
		b = g
	}
	left := powerSum(n+1, g, b).sub(powerSum(n+1, twoSum(1, -x), b))
	if sign < 0 {
		left = left.neg()
	}
	return sign * factorialOver(n, b, powerSum(n+1, f, b).add(left))
}

// powerSum is Σ (b/(a+k))^s over k ≥ 0, for 0 < b ≤ a and s ≥ 2: Hurwitz's
// zeta function, scaled so that no term exceeds 1.
func powerSum(s int64, a, b dd) dd {
	var sum dd
	// Euler and Maclaurin's formula for the rest converges well once a is past
	// s/2; its terms fall by (s+2j)² / (2πa)².
	for a.h < 16+float64(s)/2 {
		term := b.div(a).powi(s)
		sum = sum.add(term)
		if term.h <= 0x1p-110*sum.h { // both 0 where b/a is small
			return sum
		}
		a = a.addf(1)
	}
	// ∫ + ½ (b/a)^s + Σ B2j/(2j)! s(s+1)…(s+2j-2) (b/a)^s a^(1-2j)
	tail, z := 0.0, 1/a.h
	coefficient, factorial := float64(s)*z, 2.0
	for j := 1; j < len(bernoulli2); j++ {
		tail += bernoulli2[j] / factorial * coefficient
		m := float64(s) + float64(2*j)
		coefficient *= (m - 1) * z * m * z
		factorial *= float64((2*j + 1) * (2*j + 2))
	}
	rest := a.div(dd{float64(s - 1), 0}).addf(0.5).addf(tail)
	return sum.add(rest.mul(b.div(a).powi(s)))
}

// factorialOver is n! sum / b^(n+1).
func factorialOver(n int64, b, sum dd) float64 {
	if n > 1<<20 {
		// Out of range, except in a narrow band around b = n/e, where this
		// gives the magnitude and a few digits.
		log := kernel.Lgamma(float64(n) + 1)
		return math.Copysign(kernel.Exp(log-(float64(n)+1)*kernel.Log(b.h)+kernel.Log(math.Abs(sum.h))), sum.h)
	}
	// One factor at a time, the exponent apart: n! alone would overflow.
	fraction, exponent := math.Frexp(b.h)
	b = dd{fraction, math.Ldexp(b.l, -exponent)}
	p, e := sum.div(b), -exponent
	for i := int64(1); i <= n; i++ {
		p = p.mulf(float64(i)).div(b)
		_, shift := math.Frexp(p.h)
		p = p.scale(math.Ldexp(1, -shift))
		e += shift - exponent
	}
	return math.Ldexp(p.float(), e)
}

// bernoulli2[k] is the Bernoulli number of index 2k.
var bernoulli2 = [...]float64{
	1.0 / 1,
	1.0 / 6,
	-1.0 / 30,
	1.0 / 42,
	-1.0 / 30,
	5.0 / 66,
	-691.0 / 2730,
	7.0 / 6,
	-3617.0 / 510,
	43867.0 / 798,
	-174611.0 / 330,
	854513.0 / 138,
	-236364091.0 / 2730,
	8553103.0 / 6,
	-23749461029.0 / 870,
	8615841276005.0 / 14322,
	-7709321041217.0 / 510,
	2577687858367.0 / 6,
	-26315271553053477373.0 / 1919190,
	2929993913841559.0 / 6,
	-261082718496449122051.0 / 13530,
}
