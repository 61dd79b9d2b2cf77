package family

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// GammaP is the regularised lower incomplete gamma function P(a, x), for a > 0 and x ≥ 0.
var GammaP = &Function{
	extend: func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball {
		return gammaP(int(ints[0]), int(ints[1]), xs[0], xs[1], q)
	},
	domain: []interval.Interval{{Lo: 0, Hi: math.Inf(1)}, {Lo: 0, Hi: math.Inf(1)}},
	open:   []bool{true, false},
	rising: []int{-1, 1},
	values: interval.Interval{Lo: 0, Hi: 1},
	limit:  func(ints []int64, xs []float64) (float64, bool) { return gammaLimit(ints, xs, 0, 1) },
	quick: func(ints []int64, xs []float64) (float64, bool) {
		switch {
		case ints[0] == 0 && ints[1] == 0:
			p, _, ok, _ := kernel.GammaPQ(xs[0], xs[1])
			return p, ok
		case ints[0] == 0 && ints[1] == 1:
			return kernel.GammaDensity(xs[0], xs[1])
		}
		return 0, false
	},
}

// GammaQ is the regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x).
var GammaQ = &Function{
	extend: func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball {
		y := gammaP(int(ints[0]), int(ints[1]), xs[0], xs[1], q)
		if y != nil {
			y.Neg(y)
			if ints[0] == 0 && ints[1] == 0 {
				y.Add(ball.FromInt64(1), y, q)
			}
		}
		return y
	},
	domain: GammaP.domain,
	open:   GammaP.open,
	rising: []int{1, -1},
	values: GammaP.values,
	limit:  func(ints []int64, xs []float64) (float64, bool) { return gammaLimit(ints, xs, 1, 0) },
	quick: func(ints []int64, xs []float64) (float64, bool) {
		switch {
		case ints[0] == 0 && ints[1] == 0:
			_, q, _, ok := kernel.GammaPQ(xs[0], xs[1])
			return q, ok
		case ints[0] == 0 && ints[1] == 1:
			d, ok := kernel.GammaDensity(xs[0], xs[1])
			return -d, ok
		}
		return 0, false
	},
}

// gammaLimit returns the function with values from at x = 0 and to at infinity, or its derivative.
func gammaLimit(ints []int64, xs []float64, from, to float64) (float64, bool) {
	a, x := xs[0], xs[1]
	switch n, m := ints[0], ints[1]; {
	case x == 0 && m == 0 && n == 0:
		return from, true
	case math.IsInf(x, 1) && m == 0 && n == 0 && !math.IsInf(a, 1):
		return to, true
	case x == 0 && m == 0, math.IsInf(x, 1) && !math.IsInf(a, 1):
		return 0, true
	case x == 0 && m == 1 && n == 0 && a >= 1: // the density
		if a > 1 {
			return 0, true
		}
		return to - from, true
	case x == 0 && m == 1 && n == 0:
		return math.Inf(int(to - from)), true
	case x == 0:
		return math.NaN(), true
	}
	return 0, false
}

// gammaP returns the derivative of P of order n by a and m by x.
func gammaP(n, m int, a, x *ball.Ball, q uint) *ball.Ball {
	// The logarithm of x^a e^-x / Γ(a + 1), a power of ε.
	g := newSeries(n, 0, q)
	log := ball.New().Log(x, q)
	if !log.IsFinite() {
		return nil
	}
	g.at(0, 0).Sub(ball.New().Mul(a, log, q), x, q)
	if n > 0 {
		g.at(1, 0).Set(log)
	}
	shifted := ball.New().Add(a, ball.FromInt64(1), 2*q)
	g.lgamma(-1, shifted, true, false)
	factor := g.exp()
	if m > 0 {
		// x^(a-1) e^-x / Γ(a) is the factor times (a + ε)/x.
		factor.times(linear{y: a, u: ball.FromInt64(1)})
		factor.scale(ball.New().Recip(x, q))
		return derivative(n, 0, gammaDensity(m-1, factor, a, x), q)
	}
	if n == 0 {
		if y := nearlyOne(a, x, factor.at(0, 0), q); y != nil {
			return y
		}
	}
	sum := terms(n, 0, a, nil, x, q)
	if sum == nil {
		return nil
	}
	return derivative(n, 0, factor.product(sum), q)
}

// nearlyOne returns P where Q is below 2^-q, and nil elsewhere. For x > a
//
//	Q(a, x) ≤ x^a e^-x / Γ(a) / (x - a + 1) if a ≥ 1, and x^(a-1) e^-x / Γ(a) if a ≤ 1
//
// since in Γ(a, x) = ∫ t^(a-1) e^-t over t > x the power is at most x^(a-1) e^((a-1)(t-x)/x) if a
// ≥ 1, and at most x^(a-1) if a ≤ 1. Both bounds are at most a · factor, as x - a + 1 ≥ 1 and x ≥
// 1.
func nearlyOne(a, x, factor *ball.Ball, q uint) *ball.Ball {
	one := ball.FromInt64(1)
	if !a.Less(x) || !one.Less(x) {
		return nil
	}
	bound := ball.New().Mul(a, factor, 64)
	if !bound.IsFinite() || !bound.Less(ball.New().Mul2(one, -int64(q))) {
		return nil
	}
	return one.SetEnds(ball.New().Sub(one, bound, 2*q), one, 2*q)
}

// gammaDensity differentiates f = x^(a-1) e^-x / Γ(a) m times by x:
//
//	x f^(k+1) = (a - 1 - k - x) f^(k) - k f^(k-1)
//
// which is x f' = (a - 1 - x) f, differentiated k times.
func gammaDensity(m int, f *series, a, x *ball.Ball) *ball.Ball {
	one := ball.FromInt64(1)
	reciprocal := ball.New().Recip(x, f.q)
	before := newSeries(f.n, 0, f.q)
	for k := range m {
		next := f.clone()
		y := ball.New().Sub(a, ball.FromInt64(int64(k+1)), 2*f.q)
		next.times(linear{y: y.Sub(y, x, 2*f.q), u: one})
		before.scale(ball.FromInt64(int64(-k)))
		next.add(before)
		next.scale(reciprocal)
		before, f = f, next
	}
	return f.at(f.n, 0)
}
