package grad

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Idle loops]
//
// A reversal runs the statements of its block again, but for what they write to buffers from
// outside. Of a product of matrices
//
//	for i < m { for j < n { for k < l, add.f { … } gives s; c[i·n + j] = s } }
//
// the reversal of the loop over i has no use for a second run of the loop over j, and that of the
// loop over j none for the sum. Such a loop is left out at once. It would be dead code, of which
// every loop around it makes a copy.

// idle tells whether to run a loop again does nothing. It is not asked in functions with tapes,
// which runs may write to.
func (r *reverser) idle(s *loop.For) bool {
	if r.local == nil || !r.quiet || len(r.tapes)+len(r.saved)+len(r.slopes)+len(r.factors) > 0 || !s.Parallel || len(s.States) > 0 {
		return false
	}
	for _, red := range s.Reds {
		if red.Op != loop.AddF || !r.onlyStored(red.Result) {
			return false
		}
	}
	own := map[*loop.Var]bool{}
	writes := func(buf *loop.Var) bool { return r.local[buf] && !own[buf] }
	return !loop.AnyWithin(s, func(x loop.Stmt) bool {
		switch x := x.(type) {
		case *loop.Alloc:
			own[x.Var] = true
		case *loop.Store:
			return writes(x.Buf)
		case *loop.Accum:
			return writes(x.Buf)
		case *loop.For:
			return len(x.States) > 0
		case *loop.While, *loop.Call, *loop.Update, *loop.Copy:
			return true
		}
		return false
	})
}

// onlyStored tells whether a total is used for nothing but stores to buffers from outside.
func (r *reverser) onlyStored(total *loop.Var) bool {
	u := r.totals[total]
	if u == nil || u.read {
		return false
	}
	for _, buf := range u.into {
		if r.local[buf] {
			return false
		}
	}
	return true
}

// totalUses is how the totals of loops are used.
func totalUses(b *loop.Block) map[*loop.Var]*totalUse {
	all := map[*loop.Var]*totalUse{}
	loop.Walk(b, func(s loop.Stmt) {
		if s, ok := s.(*loop.For); ok {
			for _, red := range s.Reds {
				all[red.Result] = &totalUse{}
			}
		}
	})
	if len(all) == 0 {
		return nil
	}
	read := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind == loop.F64 {
			if u := all[v]; u != nil {
				u.read = true
			}
		}
	}
	yields := func(b *loop.Block) {
		for _, a := range b.Yield {
			read(a)
		}
	}
	loop.Walk(b, func(s loop.Stmt) {
		if s, ok := s.(*loop.Store); ok {
			if v, ok := s.Value.(*loop.Var); ok {
				if u := all[v]; u != nil {
					u.into = append(u.into, s.Buf)
				}
			}
			return
		}
		loop.Uses(s, read)
		loop.Blocks(s, yields)
	})
	yields(b)
	return all
}
