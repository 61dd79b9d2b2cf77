package opt

import "github.com/fluxion-lang/fluxion/internal/core"

// eliminate removes the bindings of a definition that are not needed and cannot fail. It changes
// the blocks in place.
func (s *simplifier) eliminate(b *core.Block) {
	s.live.Clear()
	e := &eliminator{s: s}
	e.block(b)
}

// eliminator walks the code backwards, so that it meets the uses of a variable before its
// binding.
type eliminator struct {
	s *simplifier
}

func (e *eliminator) block(b *core.Block) {
	e.atom(b.Result)
	parts := core.Parts{Atom: e.atom, Block: e.block}
	kept := len(b.Stmts)
	for i := len(b.Stmts) - 1; i >= 0; i-- {
		stmt := b.Stmts[i]
		switch stmt := stmt.(type) {
		case *core.Let:
			if !e.s.live.Has(stmt.Var) && e.s.total(stmt.Op) {
				e.s.changed = true
				continue
			}
			parts.Visit(stmt.Op)
		case *core.LetRec:
			if !e.anyLive(stmt.Vars) {
				e.s.changed = true
				continue
			}
			for _, fun := range stmt.Funs {
				parts.Visit(fun)
			}
		}
		kept--
		b.Stmts[kept] = stmt
	}
	b.Stmts = b.Stmts[kept:]
}

func (e *eliminator) atom(a core.Atom) {
	if v, ok := a.(*core.Var); ok {
		e.s.live.Add(v)
	}
}

func (e *eliminator) anyLive(vs []*core.Var) bool {
	for _, v := range vs {
		if e.s.live.Has(v) {
			return true
		}
	}
	return false
}
