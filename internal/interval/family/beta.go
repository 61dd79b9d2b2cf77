package family

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// BetaI is the regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 ≤ x ≤ 1; its
// reals are a, b and x.
var BetaI = &Function{
	extend: func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball {
		i, j, m := int(ints[0]), int(ints[1]), int(ints[2])
		if m > 0 {
			return betaDensity(i, j, m-1, xs[0], xs[1], xs[2], q)
		}
		return betaI(i, j, xs[0], xs[1], xs[2], q)
	},
	domain: []interval.Interval{{Lo: 0, Hi: math.Inf(1)}, {Lo: 0, Hi: math.Inf(1)}, {Lo: 0, Hi: 1}},
	open:   []bool{true, true, false},
	rising: []int{-1, 1, 1},
	values: interval.Interval{Lo: 0, Hi: 1},
	limit:  betaLimit,
	quick: func(ints []int64, xs []float64) (float64, bool) {
		switch {
		case ints[0] != 0 || ints[1] != 0:
			return 0, false
		case ints[2] == 0:
			return kernel.BetaI(xs[0], xs[1], xs[2])
		case ints[2] == 1:
			return kernel.BetaDensity(xs[0], xs[1], xs[2])
		}
		return 0, false
	},
}

func betaLimit(ints []int64, xs []float64) (float64, bool) {
	a, b, x := xs[0], xs[1], xs[2]
	if x != 0 && x != 1 || math.IsInf(a, 1) || math.IsInf(b, 1) {
		return 0, false
	}
	edge := a // the dominant exponent at this end
	if x == 1 {
		edge = b
	}
	switch i, j, m := ints[0], ints[1], ints[2]; {
	case m == 0 && i+j > 0:
		return 0, true
	case m == 0:
		return x, true
	case m == 1 && i+j == 0 && edge > 1:
		return 0, true
	case m == 1 && i+j == 0 && edge < 1:
		return math.Inf(1), true
	case m == 1 && i+j == 0: // a or b times a power of 1
		return a * b, true
	}
	return math.NaN(), true
}

// betaI returns the derivative of order i by a and j by b. The series converges fast if x is
// below about the mean a/(a + b), or below 1/2. Otherwise betaI uses 1 - I_(1-x)(b, a).
func betaI(i, j int, a, b, x *ball.Ball, q uint) *ball.Ball {
	y := ball.New().Sub(ball.FromInt64(1), x, max(2*q, 2048))
	order := i + j
	rho := rhoOf(order, a, b)
	var here, there int64
	var ok, flips bool
	for limit := 64; !ok && !flips && limit <= maxTerms; limit *= 4 {
		here, ok = countTerms(order, rho, a, b, x, q, limit)
		there, flips = countTerms(order, rho, b, a, y, q, limit)
	}
	if ok && (!flips || here <= 2*there) {
		return betaSeries(i, j, a, b, x, y, q)
	}
	z := betaSeries(j, i, b, a, y, x, q)
	if z == nil {
		return nil
	}
	z.Neg(z)
	if order == 0 {
		z.Add(ball.FromInt64(1), z, q)
	}
	return z
}

// betaSeries computes betaI by the series in x. y is 1 - x.
func betaSeries(i, j int, a, b, x, y *ball.Ball, q uint) *ball.Ball {
	g := betaLog(i, j, a, b, x, y, q)
	if g == nil {
		return nil
	}
	g.lgamma(-1, ball.New().Add(a, ball.FromInt64(1), 2*q), true, false)
	sum := terms(i, j, a, b, x, q)
	if sum == nil {
		return nil
	}
	return derivative(i, j, g.exp().product(sum), q)
}

// betaLog returns the logarithm of x^a y^b Γ(a+b)/Γ(b), or nil if it does not exist.
func betaLog(i, j int, a, b, x, y *ball.Ball, q uint) *series {
	g := newSeries(i, j, q)
	logX, logY := ball.New().Log(x, q), ball.New().Log(y, q)
	if !logX.IsFinite() || !logY.IsFinite() {
		return nil
	}
	g.at(0, 0).Add(ball.New().Mul(a, logX, q), ball.New().Mul(b, logY, q), q)
	if i > 0 {
		g.at(1, 0).Set(logX)
	}
	if j > 0 {
		g.at(0, 1).Set(logY)
	}
	g.lgamma(1, ball.New().Add(a, b, 2*q), true, true)
	g.lgamma(-1, b, false, true)
	return g
}

// betaDensity differentiates f = x^(a-1) (1-x)^(b-1) / B(a, b) m times by x, and i and j times
// by a and b:
//
//	x (1-x) f^(k+1) = (a - 1 - (a+b-2) x - k (1-2x)) f^(k) + k (k - 1 - (a+b-2)) f^(k-1)
//
// which is x (1-x) f' = (a - 1 - (a+b-2) x) f, differentiated k times.
func betaDensity(i, j, m int, a, b, x *ball.Ball, q uint) *ball.Ball {
	w := 2 * q
	one := ball.FromInt64(1)
	y := ball.New().Sub(one, x, max(w, 2048))
	g := betaLog(i, j, a, b, x, y, q)
	if g == nil {
		return nil
	}
	g.lgamma(-1, a, true, false)
	f := g.exp()
	reciprocal := ball.New().Mul(x, y, q)
	reciprocal.Recip(reciprocal, q)
	f.scale(reciprocal)
	before := newSeries(i, j, q)
	both := ball.New().Sub(ball.New().Add(a, b, w), ball.FromInt64(2), w)
	minusX := ball.New().Neg(x)
	for k := range m {
		n := ball.FromInt64(int64(k))
		next := f.clone()
		t := ball.New().Sub(a, one, w)
		t.Sub(t, ball.New().Mul(both, x, w), w)
		t.Sub(t, ball.New().Mul(n, ball.New().Sub(y, x, w), w), w)
		next.times(linear{t, y, minusX})
		s := ball.New().Sub(ball.FromInt64(int64(k-1)), both, w)
		minusK := ball.FromInt64(int64(-k))
		before.times(linear{s.Mul(s, n, w), minusK, minusK})
		next.add(before)
		next.scale(reciprocal)
		before, f = f, next
	}
	return derivative(i, j, f.at(i, j), q)
}
