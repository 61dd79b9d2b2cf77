package coretest

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// mapReals rebuilds a value that contains no functions, with f applied to its reals from left to
// right.
func mapReals(v Value, f func(x Value) Value) Value {
	all := func(vs []Value) []Value {
		made := make([]Value, len(vs))
		for i, v := range vs {
			made[i] = mapReals(v, f)
		}
		return made
	}
	switch v := v.(type) {
	case float64, *ball.Ball:
		return f(v)
	case Tuple:
		return Tuple(all(v))
	case Array:
		return Array(all(v))
	case Con:
		return Con{v.Con, all(v.Args)}
	}
	return v
}

// Reals lists the reals in a value, from left to right.
func Reals(v Value) []Value {
	var xs []Value
	mapReals(v, func(x Value) Value {
		xs = append(xs, x)
		return x
	})
	return xs
}

// withLeaves returns a value with its reals, from left to right, replaced.
func withLeaves(v Value, xs []Value) Value {
	k := -1
	return mapReals(v, func(Value) Value {
		k++
		return xs[k]
	})
}

// sameShape reports whether two values of one type have the same constructors
// and the same lengths of arrays, and therefore the same real leaves.
func sameShape(u, v Value) bool {
	all := func(us, vs []Value) bool { return slices.EqualFunc(us, vs, sameShape) }
	switch u := u.(type) {
	case Tuple:
		return all(u, v.(Tuple))
	case Array:
		return all(u, v.(Array))
	case Con:
		v := v.(Con)
		return u.Con == v.Con && all(u.Args, v.Args)
	}
	return true
}

// realOps is the arithmetic on the reals of an evaluator.
type realOps struct {
	plus, times, over func(x, y Value) Value
	number            func(n int) Value
}

// leafOp applies a row on the reals of values of any type, and reports whether the row is one.
// Sums are taken from the left, starting at zero.
func leafOp(let *core.Let, op *core.Prim, args []Value, on realOps) (
	Value, *diag.Diagnostic, bool) {
	plus, times, zero := on.plus, on.times, on.number(0)
	zip := func(f func(x, y Value) Value) ([]Value, *diag.Diagnostic) {
		if !sameShape(args[0], args[1]) {
			return nil, diag.Errorf(diag.ShapesDiffer, let.At, "%s", op.Prim.Name)
		}
		xs, ys := Reals(args[0]), Reals(args[1])
		for i := range xs {
			xs[i] = f(xs[i], ys[i])
		}
		return xs, nil
	}
	switch op.Prim.ID {
	case prim.Reals:
		return Array(Reals(args[0])), nil, true
	case prim.WithReals:
		xs := args[1].(Array)
		if len(xs) != len(Reals(args[0])) {
			return nil, diag.Errorf(diag.ShapesDiffer, let.At, "%d reals", len(xs)), true
		}
		return withLeaves(args[0], xs), nil, true
	case prim.ScaleReal:
		return mapReals(args[1], func(x Value) Value { return times(args[0], x) }), nil, true
	case prim.AddReal:
		sums, d := zip(plus)
		if d != nil {
			return nil, d, true
		}
		return withLeaves(args[0], sums), nil, true
	case prim.Deviation:
		return on.deviation(args), nil, true
	case prim.InnerReal:
		products, d := zip(times)
		sum := zero
		for _, x := range products {
			sum = plus(sum, x)
		}
		return sum, d, true
	}
	return nil, nil, false
}

// deviation returns the mean square of errors, each relative to its tolerance. In a derivative it
// is also the mean square of errors of tangents. That decides how finely a program approximates,
// and not what it computes.
func (on realOps) deviation(args []Value) Value {
	square := func(x Value) Value { return on.times(x, x) }
	errors, us, vs := Reals(args[2]), Reals(args[3]), Reals(args[4])
	sum := on.number(0)
	for k, e := range errors {
		size := on.over(on.plus(square(us[k]), square(vs[k])), on.number(2))
		allowed := on.plus(square(args[0]), on.times(square(args[1]), size))
		sum = on.plus(sum, on.over(square(e), allowed))
	}
	return on.over(sum, on.number(max(1, len(errors))))
}
