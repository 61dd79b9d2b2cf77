package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Lanes marks the outermost parallel loops that can run several turns at once: Note [Lanes] of
// package loop; or the loops in them, where that is better: Note [Strides] and Note [Tiles].
// Branches that stand in the way become selections if they only compute, and checks move to a loop
// of their own: Note [Early checks].
func Lanes(f *loop.Func) { f.Body = lanes(f.Body, true) }

func lanes(b *loop.Block, outermost bool) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.For); ok && x.Parallel && worthLanes(x) {
			if laned(out, x, outermost) {
				continue
			}
		}
		out.Add(loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return lanes(b, false) }))
	}
	return out.Rebuilt(b, b.Yield)
}

// laned appends a loop with lanes, or tells that it has none.
func laned(out *loop.Builder, s *loop.For, outermost bool) bool {
	varies := loop.Varying(s) // still when branches are selections, and when checks have left
	defer varies.Release()
	in := *s
	in.Body = selections(s.Body, func(s *loop.If) bool {
		return varies.HasAtom(s.Cond) && blockCost(s.Then)+blockCost(s.Else) <= 400
	})
	var checks []loop.Stmt
	switch laneable(&in, varies) {
	case byBody:
		return false
	case byChecks:
		first, rest := early(&in)
		if rest == nil || laneable(rest, varies) != byNothing {
			return false
		}
		checks, in = first, *rest
	}
	if inwards(&in, varies, outermost) || holdsProduct(in.Body) {
		return false
	}
	out.Add(checks...)
	in.Lanes = true
	out.Add(&in)
	return true
}

// worthLanes tells whether a loop may have enough turns: more for totals, since the lanes of a
// vector are added up one after the other in the end.
func worthLanes(s *loop.For) bool {
	k, ok := s.Count.(*loop.Const)
	return !ok || k.I >= 8 || k.I >= 4 && len(s.Reds) == 0
}

// hindrance is what stands in the way of lanes.
type hindrance uint8

const (
	byNothing hindrance = iota
	byChecks            // nothing but checks that vary
	byBody
)

// laneable tells which conditions of Note [Lanes] a loop does not meet.
func laneable(s *loop.For, varies *loop.VarSet) hindrance {
	is, found := varies.HasAtom, byNothing
	if loop.Any(s.Body, func(s loop.Stmt) bool {
		switch s := s.(type) {
		case *loop.If:
			return is(s.Cond)
		case *loop.For:
			return is(s.Count)
		case *loop.While:
			return is(s.Cond.Yield[0])
		case *loop.Check:
			if is(s.Cond) {
				found = byChecks
			}
		case *loop.Alloc:
			return is(s.Len)
		case *loop.Call, *loop.Update:
			return true
		}
		return false
	}) {
		return byBody
	}
	return found
}
