package paperstest

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The reference works with so many bits, and moves each real by 2^-step times
// its size. The difference then loses about step bits to cancellation and is
// wrong by the square of that move, relatively: both leave more than a
// hundred bits.
const (
	bits = 500
	step = 150
)

// Reference returns the gradient of a problem by central differences of the program, evaluated in
// balls by the executable semantics of core. No rule of differentiation and no float evaluator of
// a row is involved. The result is certain if the function is smooth at the point.
func Reference(p *papers.Problem) (value.Value, *diag.Diagnostic) {
	xs := value.RealsOf(p.At)
	slopes := make([]*ball.Ball, len(xs))
	largest := 0.0 // of the result, and of its changes if an argument moves by its size
	for i := range xs {
		h := new(ball.Ball).Mul(ball.FromFloat64(size(xs[i])),
			new(ball.Ball).Mul2(ball.FromInt64(1), -step), bits)
		up, total, d := objective(p, i, h)
		if d != nil {
			return nil, d
		}
		down, _, d := objective(p, i, new(ball.Ball).Neg(h))
		if d != nil {
			return nil, d
		}
		largest = max(largest, total)
		slopes[i] = up.Quo(up.Sub(up, down, bits), h.Mul2(h, 1), bits)
		largest = max(largest, math.Abs(slopes[i].Float64())*size(xs[i]))
	}
	gradient := make([]float64, len(xs))
	for i, slope := range slopes {
		lo, hi := slope.Float64s()
		switch {
		case max(-lo, hi)*size(xs[i]) <= 1e-45*largest: // of the order of the move: it is zero
		case hi-lo <= 1e-15*max(-lo, hi):
			gradient[i] = slope.Float64()
		default:
			return nil, diag.Errorf(diag.Failure, p.Fun.At, "component %d is in [%g, %g]",
				i, lo, hi)
		}
	}
	return value.WithReals(p.At, gradient), nil
}

// size returns the scale of a finite difference: |x|, or 1 for 0.
func size(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Abs(x)
}

// objective returns the inner product of the cotangent with the result, where the i-th real of
// the argument is moved by h, and the sum of the absolute values of its terms.
func objective(p *papers.Problem, i int, h *ball.Ball) (sum *ball.Ball, total float64,
	d *diag.Diagnostic) {
	fun := types.Resolve(p.Fun.Type).(*types.Fun)
	k := -1
	arg := coretest.Import(p.At, fun.Param, func(x float64) coretest.Value {
		moved := ball.FromFloat64(x)
		if k++; k == i {
			moved.Add(moved, h, bits)
		}
		return moved
	})
	y, d := coretest.CallPrecisely(p.Program, p.Fun, arg, bits)
	if d != nil {
		return nil, 0, d
	}
	weights := value.RealsOf(p.Cotangent)
	sum = ball.New()
	k = 0
	var add func(coretest.Value)
	each := func(vs []coretest.Value) {
		for _, v := range vs {
			add(v)
		}
	}
	add = func(v coretest.Value) {
		switch v := v.(type) {
		case *ball.Ball:
			total += math.Abs(weights[k] * v.Float64())
			sum.FMA(ball.FromFloat64(weights[k]), v, sum, bits)
			k++
		case coretest.Tuple:
			each(v)
		case coretest.Array:
			each(v)
		case coretest.Con:
			each(v.Args)
		}
	}
	add(y)
	return sum, total, nil
}
