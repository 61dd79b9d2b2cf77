package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// total reports whether an operation always ends with a value, so that it may be dropped if the
// value is not needed. It may return false for an operation that does. Running out of a budget
// does not count as a failure.
func (s *simplifier) total(op core.Op) bool {
	ok := true
	parts := core.Parts{
		Atom:  func(a core.Atom) { ok = ok && s.totalAtom(a) },
		Block: func(b *core.Block) { ok = ok && s.totalBlock(b) },
	}
	switch op := op.(type) {
	case *core.Lambda:
		return true
	case *core.Prim:
		if !op.Prim.Ends(len(op.Inst) > 0 && op.Inst[0] == types.Type(types.Int)) {
			return false
		}
	case *core.Apply:
		if !s.totalCall(op) {
			return false
		}
	case *core.Build:
		if !s.notNegative(op.Size) {
			return false
		}
	case *core.Map:
		if len(op.Arrays) > 1 {
			return false // the lengths may differ
		}
	case *core.Loop:
		if _, ok := op.Head.(*core.While); ok {
			return false
		}
	case *core.Index, *core.Slice, *core.CheckSize:
		return false
	}
	parts.Visit(op)
	return ok
}

func (s *simplifier) totalBlock(b *core.Block) bool {
	for _, stmt := range b.Stmts {
		if let, ok := stmt.(*core.Let); ok && !s.total(let.Op) {
			return false
		}
	}
	return s.totalAtom(b.Result)
}

// totalAtom returns false for a constant whose own evaluation may fail, because an evaluator may
// delay that until the constant is used.
func (s *simplifier) totalAtom(a core.Atom) bool {
	g, ok := a.(*core.Global)
	if !ok {
		return true
	}
	f := s.defs[g.Name]
	return f == nil || f.fun != nil || f.total
}

func (s *simplifier) totalCall(op *core.Apply) bool {
	n := s.arityOf(op.Fun)
	if len(op.Args) < n {
		return true
	}
	g, ok := op.Fun.(*core.Global)
	return ok && len(op.Args) == n && s.defs[g.Name].total
}

// notNegative reports whether an Int is evidently at least 0.
func (s *simplifier) notNegative(a core.Atom) bool {
	switch a := a.(type) {
	case *core.Lit:
		return a.Int >= 0
	case *core.Var:
		p, ok := s.known.Get(a).(*core.Prim)
		return ok && p.Prim.ID == prim.Length
	}
	return false
}
