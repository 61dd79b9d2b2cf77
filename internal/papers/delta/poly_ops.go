package delta

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// primal implements primal_A : 𝒟{A} -> A, which keeps the first component of each dual
// number (§4.1).
func (t *dual) primal(b *core.Builder, a types.Type, x core.Atom) core.Atom {
	if t.firsts == nil {
		t.firsts = &poly{name: "primal", in: []form{dualised}, out: itself,
			leaf: func(b *core.Builder, in []core.Atom, _, _ core.Atom) (core.Atom, core.Atom) {
				return t.into(b, func() core.Atom { return t.value(in[0]) }), nil
			}}
	}
	out, _ := t.apply(b, t.firsts, a, []core.Atom{x}, nil, nil)
	return out
}

// delta_A : 𝒟{A} -> δA keeps the second components; forward mode (Fig. 15).
var deltaOp = &poly{name: "delta", in: []form{dualised}, out: itself,
	leaf: func(b *core.Builder, in []core.Atom, _, _ core.Atom) (core.Atom, core.Atom) {
		return proj(b, "dx", in[0], 1), nil
	}}

// zip_A : (A × δA) -> 𝒟{A}; forward mode (Fig. 15).
var zipOp = &poly{name: "zip", in: []form{itself, itself}, out: dualised,
	leaf: func(b *core.Builder, in []core.Atom, _, _ core.Atom) (core.Atom, core.Atom) {
		return pair(b, "x", in[0], in[1]), nil
	}}

// dot_A : A × A -> Real adds the products of corresponding reals to a sum:
// ⊙ of Fig. 1.
var dotOp = &poly{name: "dot", in: []form{itself, itself}, counter: types.Real,
	leaf: func(b *core.Builder, in []core.Atom, _, sum core.Atom) (core.Atom, core.Atom) {
		product := arith(b, prim.Mul, in[0], in[1])
		if isReal(sum, 0) { // 0 + x
			return nil, product
		}
		return nil, arith(b, prim.Add, sum, product)
	}}

// onehot_A is the direction in δA of one of the reals, by their order.
var onehotOp = &poly{name: "onehot", in: []form{itself}, out: itself, env: types.Int,
	counter: types.Int,
	leaf: func(b *core.Builder, _ []core.Atom, want, i core.Atom) (core.Atom, core.Atom) {
		here := b.Let("here", types.Bool, &core.Prim{Prim: prim.Eq.Row(),
			Inst: []types.Type{types.Int}, Args: []core.Atom{i, want}}, diag.Span{})
		dx := b.Let("dx", types.Real, &core.If{Cond: here, Then: core.Ret(realLit(1)),
			Else: core.Ret(realLit(0))}, diag.Span{})
		return dx, next(b, i)
	}}

// fill_A replaces the reals by those of an array, by their order.
var fillOp = &poly{name: "fill", in: []form{itself}, out: itself, env: array(types.Real),
	counter: types.Int,
	leaf: func(b *core.Builder, _ []core.Atom, xs, i core.Atom) (core.Atom, core.Atom) {
		return b.Let("x", types.Real, &core.Index{Of: xs, At: i}, diag.Span{}), next(b, i)
	}}

// initZeros implements initZeros_A : A -> 𝒟{A}, which pairs each real with Zero (Fig. 15).
func (t *dual) initZeros() *poly {
	if t.zeros == nil {
		t.zeros = &poly{name: "initZeros", in: []form{itself}, out: dualised,
			leaf: func(b *core.Builder, in []core.Atom, _, _ core.Atom) (core.Atom, core.Atom) {
				return t.into(b, func() core.Atom { return t.constant(in[0]) }), nil
			}}
	}
	return t.zeros
}

// initVars implements initVars_A : A × DeltaId -> 𝒟{A} × DeltaId, which pairs each real with what
// var makes of a number of its own (Fig. 15). It takes and returns the last number used.
func initVars(variable func(b *core.Builder, id core.Atom) core.Atom) *poly {
	return &poly{name: "initVars", in: []form{itself}, out: dualised, counter: types.Int,
		leaf: func(b *core.Builder, in []core.Atom, _, last core.Atom) (core.Atom, core.Atom) {
			id := next(b, last)
			return pair(b, "x", in[0], variable(b, id)), id
		}}
}

// lookup_A : DeltaMap × 𝒟{A} -> δA (Fig. 15), where 𝒟{A} comes from initVars
// and so its numbers are known by their order.
var lookupOp = sync.OnceValue(func() *poly {
	return &poly{name: "lookup", in: []form{itself}, out: itself, env: data("DeltaMap"),
		counter: types.Int,
		leaf: func(b *core.Builder, _ []core.Atom, um, last core.Atom) (core.Atom, core.Atom) {
			id := next(b, last)
			return call(b, "dx", lib("lookupOrZero").Use(), id, um), id
		}}
})

func next(b *core.Builder, n core.Atom) core.Atom {
	return b.Let("n", types.Int, &core.Prim{Prim: prim.Add.Row(), Inst: []types.Type{types.Int},
		Args: []core.Atom{n, core.IntLit(1)}}, diag.Span{})
}

func arith(b *core.Builder, row prim.ID, x, y core.Atom) core.Atom {
	return b.Let("x", types.Real, &core.Prim{Prim: row.Row(), Inst: []types.Type{types.Real},
		Args: []core.Atom{x, y}}, diag.Span{})
}
