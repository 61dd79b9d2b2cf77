package curry

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Operands]
//
// Core names every intermediate result; Fig. 1 is about expressions, where the
// operands of an operation are expressions in the same environment: BDApp is
// prod b1 b2 ∘ eval. So a simple operation whose result is used once, and that
// as an operand in the same block, is translated where it is used, and adds
// nothing to the environment.
//
// What can fail must still do so in the order of the statements, so that of
// two failures it is the first that is reported. Core comes from expressions,
// evaluated from the left: operations that wait for their use are a stack, and
// a statement takes its operands from the top. Where it does not, or where an
// operation that can fail stays a statement, nothing below may wait for longer.

// findOperands decides which bindings of a block are translated where they are used.
func (t *translator) findOperands(b *core.Block) {
	uses, operand := map[core.Atom]int{}, map[core.Atom]bool{}
	core.Atoms(b, func(a core.Atom) { uses[a]++ })
	for _, stmt := range b.Stmts {
		if let, ok := stmt.(*core.Let); ok {
			eachOperand(let.Op, func(a core.Atom) { operand[a] = true })
		}
	}
	var waiting []core.Atom // those that can fail, in order
	flush := func() {
		for _, v := range waiting {
			delete(t.inline, v.(*core.Var))
		}
		waiting = nil
	}
	for _, stmt := range b.Stmts {
		let, ok := stmt.(*core.Let)
		if !ok {
			continue // making functions cannot fail
		}
		var taken []core.Atom
		eachOperand(let.Op, func(a core.Atom) {
			if slices.Contains(waiting, a) {
				taken = append(taken, a)
			}
		})
		if rest := len(waiting) - len(taken); slices.Equal(waiting[rest:], taken) {
			waiting = waiting[:rest:rest]
		} else {
			flush()
			taken = nil
		}
		fails := len(taken) > 0 || canFail(let.Op)
		switch {
		case isSimple(let.Op) && uses[let.Var] == 1 && operand[let.Var]:
			t.inline[let.Var] = let
			if fails {
				waiting = append(waiting, let.Var)
			}
		case fails:
			flush()
		}
	}
	flush() // the rest is used by no statement after it
}

func eachOperand(op core.Op, f func(core.Atom)) {
	parts := core.Parts{Atom: f}
	parts.Visit(op)
}

// isSimple reports whether an operation has no body, or is a function.
func isSimple(op core.Op) bool {
	switch op.(type) {
	case *core.Prim, *core.Lambda, *core.Apply, *core.Tuple, *core.Proj, *core.Record, *core.Field,
		*core.Construct, *core.Index, *core.Slice:
		return true
	}
	return false
}

// canFail reports whether an operation may fail, or not end.
func canFail(op core.Op) bool {
	switch op := op.(type) {
	case *core.Lambda, *core.Tuple, *core.Proj, *core.Record, *core.Field, *core.Construct,
		*core.Array:
		return false
	case *core.Prim:
		if (&Prim{Row: op.Prim, Inst: op.Inst}).isInt() {
			_, compares := op.Prim.Int.(prim.IntCompare)
			return !compares
		}
		switch op.Prim.Float.(type) {
		case nil, prim.Int1, prim.Int2, prim.ToInt:
			return op.Prim.ID != prim.Length
		}
		return false
	}
	return true
}
