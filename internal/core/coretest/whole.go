package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// whole applies a row over arrays.
func whole(let *core.Let, f prim.Whole, args []Value) (Value, *diag.Diagnostic) {
	arrays := make([]linalg.Array, len(args))
	for i, t := range primArgs(let) {
		arrays[i] = arrayOf(args[i], rank(t))
	}
	d := linalg.Regular(arrays)
	var r linalg.Array
	if d == nil {
		r, d = f(linalg.Unlimited, arrays)
	}
	if d != nil {
		d.Span = let.At
		return nil, d
	}
	switch r.Rank {
	case 0:
		return r.Rows[0][0], nil
	case 1:
		return fromFloats(r.Rows[0]), nil
	}
	rows := make(Array, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = fromFloats(row)
	}
	return rows, nil
}

func primArgs(let *core.Let) []types.Type {
	var list []types.Type
	for _, a := range let.Op.(*core.Prim).Args {
		list = append(list, a.Type())
	}
	return list
}

// rank returns the number of dimensions of a type of arrays of reals.
func rank(t types.Type) int {
	if a, ok := types.Resolve(t).(*types.Array); ok {
		return 1 + rank(a.Elem)
	}
	return 0
}

func arrayOf(v Value, rank int) linalg.Array {
	switch rank {
	case 0:
		return linalg.Real(v.(float64))
	case 1:
		return linalg.Vector(floats(v.(Array)))
	}
	a := linalg.Array{Rank: 2}
	for _, row := range v.(Array) {
		a.Rows = append(a.Rows, floats(row.(Array)))
	}
	return a
}
