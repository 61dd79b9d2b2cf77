package exact

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Tower evaluates a function's derivative tower at a point (λS §4.2): its value and its
// partial derivatives. The program's Main is the pair of a function
// S -> T and of a point of type S, neither with functions in it. What comes back has a
// value of type T for each of the powers, the derivative of those orders
// with respect to the reals of the point from left to right. It is as Run is otherwise.
func Tower(ctx context.Context, p *core.Program, o Options, powers [][]int) ([]value.Value, *diag.Diagnostic) {
	r, d := newRunner(ctx, p, o, powers)
	if d != nil {
		return nil, d
	}
	v, d := r.climb()
	all, _ := v.(value.Tuple)
	return all, d
}

// Powers lists the orders of derivation in n variables whose sum is at most order, by
// increasing sum: the coefficients of a tower.
func Powers(n, order int) [][]int {
	var all [][]int
	power := make([]int, n)
	var fill func(k, left int)
	fill = func(k, left int) {
		switch {
		case k < n-1:
			for power[k] = left; power[k] >= 0; power[k]-- {
				fill(k+1, left-power[k])
			}
			power[k] = 0
			return
		case n > 0:
			power[k] = left
		}
		all = append(all, append([]int(nil), power...))
	}
	for sum := 0; sum <= order; sum++ {
		if fill(0, sum); n == 0 {
			break
		}
	}
	return all
}

// tower is the derivatives of the function that Main gives, at its point, in one tuple. Each real
// of the point that is derived by is a variable of its own, and the coefficients
// of the result are the derivatives, but for factorials.
func (m *machine) tower(main types.Type, v slots, powers [][]int) (slots, types.Type, error) {
	pair := types.Resolve(main).(*types.Tuple).Elems
	to := types.Resolve(pair[0]).(*types.Fun).Result
	function := shape{p: 1}
	x := v.part(function, shapeOf(pair[1]))
	degree := make([]int, len(m.collect(pair[1], x)))
	for _, power := range powers {
		for k, n := range power {
			degree[k] = max(degree[k], n)
		}
	}
	tags := make([]jet.Tag, len(degree))
	for k, n := range degree {
		if n > 0 {
			tags[k] = m.openDerivative(n)
		}
	}
	k := -1
	moving, err := m.leaves(diag.Span{}, pair[1], []slots{x}, func(xs []jet.Jet) jet.Jet {
		if k++; degree[k] == 0 {
			return xs[0]
		}
		return m.Var(tags[k], degree[k], xs[0], m.One())
	})
	y := makeSlots(shapeOf(to))
	if err == nil {
		err = m.call(v.p[0].(*closure), moving, []shape{shapeOf(pair[1])}, y)
	}
	for k := len(tags) - 1; k >= 0; k-- {
		if tags[k] != 0 {
			m.close(tags[k])
		}
	}
	if err != nil {
		return y, to, err
	}
	var all slots
	var elems []types.Type
	for _, power := range powers {
		part, err := m.leaves(diag.Span{}, to, []slots{y}, func(xs []jet.Jet) jet.Jet { return m.derivative(xs[0], tags, power) })
		if err != nil {
			return y, to, err
		}
		all, elems = join(all, part), append(elems, to)
	}
	return all, &types.Tuple{Elems: elems}, nil
}

// derivative takes a derivative out of a series.
func (m *machine) derivative(x jet.Jet, tags []jet.Tag, power []int) jet.Jet {
	factor := 1.0
	for k := len(tags) - 1; k >= 0; k-- { // from the newest variable on
		if tags[k] == 0 {
			continue
		}
		x = m.Coeff(x, tags[k], power[k])
		for n := 2; n <= power[k]; n++ {
			factor *= float64(n)
		}
	}
	return m.Plain(m.Mul(m.Float(factor), x))
}
