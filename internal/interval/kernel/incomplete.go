package kernel

import "math"

// Note [Incomplete gamma and beta]
//
// Both functions are a factor times a series or a continued fraction, all in double-double.
//
//	P(a, x) = G/a Σ x^k / ((a+1) … (a+k))                      x < a + 1
//	Q(a, x) = G / (x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - …)))  x ≥ a + 1
//	G = x^a e^-x / Γ(a)
//
// The terms of the series are positive, and those of the fraction do not cancel there. For small
// a the logarithm of G is a log x - x - log Γ(a), where log Γ has the absolute error 2^-66 · 30.
// For a ≥ 16, by Stirling's formula, it is a (log (x/a) - (x - a)/a) + log (a/2π)/2 - s(a), whose
// terms are of the size of the result. The incomplete beta function is computed by its fraction
// (DLMF 8.17.22), on the side where that converges. The factor is limited to a + b ≤ mostBeta,
// because of log Γ. The complement of a value near 1 is declined.
//
// The error is not proved but measured, by comparison with the certified evaluators:
// TestQuickFamilies finds less than one unit in the last place. If a result is not ok, the
// certified evaluators compute it.

const (
	mostTerms  = 4000
	mostGamma  = 1e6
	mostBeta   = 300
	converged  = 0x1p-68
	complement = 0x1p-8 // the least result of 1 - p
)

// gammaFactor returns x^a e^-x / Γ(a).
func gammaFactor(a, x float64) (dd, bool) {
	if !(a > 0x1p-500 && a < mostGamma && x > 0x1p-500 && x < 2*mostGamma) {
		return dd{}, false
	}
	if a < 16 {
		return exponential(logOf(x).mulF(a).addF(-x).sub(lgammaPositive(a)))
	}
	y := dd{1, 0}.div(dd{a, 0})
	s := polyDD(y.sqr(), stirling[:], 3).mul(y)
	l := logDD(dd{x, 0}.div(dd{a, 0})).mulF(a).sub(twoSum(x, -a))
	return exponential(l.add(logDD(dd{a, 0}).scale(0.5)).sub(halfLog2Pi).sub(s))
}

// exponential returns e^x, unless that is very large or very small.
func exponential(x dd) (dd, bool) {
	if !(math.Abs(x.h) < 600) {
		return dd{}, false
	}
	v := expDD(x)
	return dd{v.H, v.L}.scale(math.Ldexp(1, v.K)), true
}

// GammaPQ returns P(a, x) and Q(a, x) for positive a and x, each with whether it is valid.
func GammaPQ(a, x float64) (p, q float64, okP, okQ bool) {
	g, ok := gammaFactor(a, x)
	if !ok {
		return 0, 0, false, false
	}
	if x < a+1 || x < 1.5 {
		term := dd{1, 0}
		sum := term
		for k := 1; term.h > converged*sum.h; k++ {
			if k > mostTerms {
				return 0, 0, false, false
			}
			term = term.mulF(x).div(twoSum(a, float64(k)))
			sum = sum.add(term)
		}
		value := g.mul(sum).div(dd{a, 0})
		q, okQ = value.complement()
		return value.nearest(), q, true, okQ
	}
	b := twoSum(x, -a).addF(1)
	value, ok := lentz(b, func(k int) (dd, dd) {
		b = b.addF(2)
		return twoSum(a, -float64(k)).mulF(float64(k)), b
	})
	if !ok {
		return 0, 0, false, false
	}
	value = g.div(value)
	p, okP = value.complement()
	return p, value.nearest(), okP, true
}

// GammaDensity returns x^(a-1) e^-x / Γ(a), the derivative of P by x.
func GammaDensity(a, x float64) (float64, bool) {
	g, ok := gammaFactor(a, x)
	return g.div(dd{x, 0}).nearest(), ok
}

// complement returns 1 - a, unless too few bits of it are left.
func (a dd) complement() (float64, bool) {
	rest := a.neg().addF(1)
	return rest.nearest(), rest.h > complement
}

// lentz returns b + p1/(b1 + p2/(b2 + …)), where terms returns p_k and b_k from k = 1 on.
func lentz(b dd, terms func(k int) (p, b dd)) (dd, bool) {
	f, c, d := b, b, dd{}
	for k := 1; k <= mostTerms; k++ {
		p, q := terms(k)
		d = p.mul(d).add(q)
		c = p.div(c).add(q)
		if d.h == 0 || c.h == 0 {
			return f, false
		}
		d = dd{1, 0}.div(d)
		step := c.mul(d)
		f = f.mul(step)
		if math.Abs(step.addF(-1).h) < converged {
			return f, true
		}
	}
	return f, false
}

// betaFactor returns x^a y^b / B(a, b), where x + y = 1.
func betaFactor(a, b float64, x, y dd) (dd, bool) {
	if !(a > 0x1p-500 && b > 0x1p-500 && a+b < mostBeta && x.h > 0x1p-500 && y.h > 0x1p-500) {
		return dd{}, false
	}
	both := twoSum(a, b)
	l := lgammaPositive(both.h).addF(both.l * DigammaVal(both.h).Nearest())
	l = l.sub(lgammaPositive(a)).sub(lgammaPositive(b))
	return exponential(l.add(logDD(x).mulF(a)).add(logDD(y).mulF(b)))
}

// BetaI returns I_x(a, b) for positive a and b and 0 < x < 1.
func BetaI(a, b, x float64) (float64, bool) {
	u, v := dd{x, 0}, twoSum(1, -x)
	swapped := x > (a+1)/(a+b+2)
	if swapped {
		a, b, u, v = b, a, v, u
	}
	g, ok := betaFactor(a, b, u, v)
	if !ok {
		return 0, false
	}
	fraction, ok := lentz(dd{1, 0}, func(k int) (dd, dd) {
		m := float64(k / 2)
		above, below := twoSum(a, m), twoSum(a, float64(k))
		part := twoSum(b, -m).mulF(m)
		if k%2 == 1 {
			part = above.mul(above.add(dd{b, 0})).neg()
		}
		return part.mul(u).div(below.mul(below.addF(-1))), dd{1, 0}
	})
	if !ok {
		return 0, false
	}
	value := g.div(fraction).div(dd{a, 0})
	if swapped {
		return value.complement()
	}
	return value.nearest(), true
}

// BetaDensity returns x^(a-1) (1-x)^(b-1) / B(a, b), the derivative of I_x(a, b) by x.
func BetaDensity(a, b, x float64) (float64, bool) {
	u, v := dd{x, 0}, twoSum(1, -x)
	g, ok := betaFactor(a, b, u, v)
	return g.div(u).div(v).nearest(), ok
}
