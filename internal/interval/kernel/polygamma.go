package kernel

import "math"

// polygammaLarge does the work of Polygamma for n > 1000 and finite x off the poles. The result
// is out of range unless x is near n/e, and has no proved bound.
func polygammaLarge(n int64, x float64) float64 {
	if n == math.MaxInt64 {
		n -= 2 // so that n + 1 fits; no double shows the difference
	}
	if x > 0 {
		return largeOrder(n, x)
	}
	// The nearest pole alone, at most 1/2 away, gives n!·2^(n+1) or more. That of the
	// other side takes away less than all but 2^-53 of it, unless the two
	// cancel exactly: then what is left is the value at 1 - x.
	pole := math.RoundToEven(x)
	switch {
	case n%2 == 1 || x < pole && x-pole != -0.5:
		return math.Inf(1)
	case math.Abs(x-pole) == 0.5:
		return largeOrder(n, 1-x)
	}
	return math.Inf(-1)
}

// largeOrder returns the polygamma function for x > 0,
//
//	ψ⁽ⁿ⁾(x) = (-1)^s n! Σ 1/(x+k)^s over k ≥ 0, with s = n + 1.
func largeOrder(n int64, x float64) float64 {
	b := dd{x, 0}
	y := factorialOver(n, b, powerSum(n+1, b))
	if n%2 == 0 {
		return -y
	}
	return y
}

// powerSum returns Σ (b/(b+k))^s over k ≥ 0, for b > 0 and s ≥ 2: Hurwitz's zeta
// function, scaled so that no term exceeds 1.
func powerSum(s int64, b dd) dd {
	var sum dd
	a := b
	// Euler and Maclaurin's formula for the rest converges well once a is past
	// s/2; its terms fall by (s+2j)² / (2πa)².
	for a.h < 16+float64(s)/2 {
		term := b.div(a).power(s)
		sum = sum.add(term)
		if term.h <= 0x1p-110*sum.h { // both 0 where b/a is small
			return sum
		}
		a = a.addF(1)
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
	rest := a.div(dd{float64(s - 1), 0}).addF(0.5).addF(tail)
	return sum.add(rest.mul(b.div(a).power(s)))
}

// factorialOver returns n! sum / b^(n+1).
func factorialOver(n int64, b, sum dd) float64 {
	if n > 1<<20 {
		// Out of range, except in a narrow band around b = n/e, where this
		// gives the magnitude and a few digits.
		log := Lgamma(float64(n) + 1)
		size := log - (float64(n)+1)*Log.Nearest(b.h) + Log.Nearest(math.Abs(sum.h))
		return math.Copysign(Exp.Nearest(size), sum.h)
	}
	// One factor at a time, the exponent apart: n! alone would overflow.
	fraction, exponent := math.Frexp(b.h)
	b = dd{fraction, math.Ldexp(b.l, -exponent)}
	p, e := sum.div(b), -exponent
	for i := int64(1); i <= n; i++ {
		p = p.mulF(float64(i)).div(b)
		_, shift := math.Frexp(p.h)
		p = p.scale(math.Ldexp(1, -shift))
		e += shift - exponent
	}
	return math.Ldexp(p.nearest(), e)
}

// bernoulli2 holds the Bernoulli number of index 2k at k.
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
