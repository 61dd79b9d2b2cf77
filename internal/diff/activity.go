package diff

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// activity tells which variables vary with the arguments that are
// differentiated: only they need cotangents.
type activity struct{ has map[*core.Var]bool }

// block notes the variables that a block and the blocks nested in it bind,
// and what they are bound to. It must come after those for the blocks around.
func (a *activity) block(b *core.Block, defs map[*core.Var]core.Op) {
	for _, s := range b.Stmts {
		let, ok := s.(*core.Let)
		if !ok {
			continue
		}
		defs[let.Var] = let.Op
		if a.mentioned(let.Op) {
			a.mark(let.Var)
			a.bound(let.Op)
		}
		nested := core.Parts{Block: func(inner *core.Block) { a.block(inner, defs) }}
		nested.Visit(let.Op)
	}
}

// bound marks what an operation that varies binds: elements of arrays that
// vary, and states.
func (a *activity) bound(op core.Op) {
	element := func(x *core.Var, array core.Atom) {
		if v, ok := array.(*core.Var); ok && a.has[v] {
			a.mark(x)
		}
	}
	switch op := op.(type) {
	case *core.Map:
		for i, p := range op.Params {
			element(p, op.Arrays[i])
		}
	case *core.Reduce:
		a.mark(op.Acc)
		element(op.Elem, op.Array)
	case *core.Scan:
		a.mark(op.Acc)
		element(op.Elem, op.Array)
	case *core.Loop:
		a.mark(op.State)
		if each, ok := op.Head.(*core.Each); ok {
			element(each.Elem, each.Array)
		}
	default:
		parts := core.Parts{Bind: a.mark}
		parts.Visit(op)
	}
}

func (a *activity) mark(v *core.Var) {
	if types.HasReals(v.Ty) {
		a.has[v] = true
	}
}

func (a *activity) mentioned(op core.Op) bool {
	found := false
	core.OpAtoms(op, func(x core.Atom) {
		if v, ok := x.(*core.Var); ok && a.has[v] {
			found = true
		}
	})
	return found
}
