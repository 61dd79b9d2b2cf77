package region

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [The rest of a loop]
//
// A loop that takes gradients, such as one that trains a network, takes long, and after a few turns
// it is known that compiling it pays. So its region is in front of each turn, and stands for the
// turns that are left: a function of the state and of the index so far. When it has run, the loop
// is at its end. A derivative in such a loop is not compiled by itself, as it is compiled with the
// loop, unless the loop is not.

// manyTurns is how many times as long as so far a loop that takes gradients is taken to go on.
const manyTurns = 4

// restOf is a region for the turns that are left of a loop that takes gradients, nil if it takes
// none or cannot be one.
func (w *writer) restOf(loop *core.Loop, let *core.Let) *Region {
	if !takesGradients(loop.Body) {
		return nil
	}
	again := core.NewCopier(nil).Op(loop).(*core.Loop)
	of := originalsOf(again, loop)
	again.Init = loop.State
	var b core.Builder
	switch head := loop.Head.(type) {
	case *core.Range:
		integer := func(to *core.Builder, row prim.ID, x, y core.Atom) *core.Var {
			return to.Let("i", types.Int, &core.Prim{Prim: row.Row(),
				Inst: []types.Type{types.Int}, Args: []core.Atom{x, y}}, let.At)
		}
		var body core.Builder
		turn := core.NewVar("turn", types.Int)
		sum := &core.Prim{Prim: prim.Add.Row(), Inst: []types.Type{types.Int},
			Args: []core.Atom{head.Index, turn}}
		body.Bind(again.Head.(*core.Range).Index, sum, let.At)
		again.Body = body.Block(body.Splice(again.Body))
		again.Head = &core.Range{Index: turn, Bound: integer(&b, prim.Sub, head.Bound, head.Index)}
	case *core.While:
	default:
		return nil
	}
	r := w.region(rest, b.Block(b.Let("rest", let.Var.Ty, again, let.At)))
	if r != nil {
		r.outer, r.of = nil, of
	}
	return r
}

// takesGradients tells whether there are gradients in a block, outside of inner loops.
func takesGradients(b *core.Block) bool {
	found := false
	parts := core.Parts{Block: func(b *core.Block) { found = found || takesGradients(b) }}
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		switch op := let.Op.(type) {
		case *core.Loop:
		case *core.Prim:
			found = found || op.Prim.ID == prim.Reverse
		default:
			parts.Visit(op)
		}
	}
	return found
}

// turns is a loop with a region in front of each turn, for those that are left.
func (w *writer) turns(loop *core.Loop, r *Region) *core.Loop {
	outer := w.around
	w.around = r
	body := w.block(loop.Body)
	w.around = outer
	done := w.choice(core.NewVar("done", types.Bool), r, &core.Block{Result: core.BoolLit(false)},
		diag.Span{})
	body.Stmts = append([]core.Stmt{done}, body.Stmts...)
	return &core.Loop{State: loop.State, Init: loop.Init, Head: loop.Head, Body: body}
}
