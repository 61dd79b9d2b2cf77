package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Lanes marks the outermost parallel loops that can run several turns at once: Note [Lanes] of
// package loop; or the loops in them, where that is better: Note [Strides] and Note [Tiles]. Branches that stand in the way
// become selections if they only compute, and checks move to a loop of their own: Note [Early checks].
func Lanes(f *loop.Func) { f.Body = lanes(f.Body, true) }

func lanes(b *loop.Block, outermost bool) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if x, ok := s.(*loop.For); ok && x.Parallel && worthLanes(x) {
			y := *x
			varies := loop.Varying(x)
			y.Body = selections(x.Body, func(s *loop.If) bool {
				v, ok := s.Cond.(*loop.Var)
				return ok && varies.Has(v) && blockCost(s.Then)+blockCost(s.Else) <= 400
			})
			if y.Body != x.Body {
				varies = loop.Varying(&y)
			}
			in, fits := &y, laneable(&y, varies)
			var checks *loop.For
			if !fits {
				if first, rest := early(in); rest != nil {
					if varies = loop.Varying(rest); laneable(rest, varies) {
						checks, in, fits = first, rest, true
					}
				}
			}
			if fits && !inwards(in, varies, outermost) && !holdsProduct(in.Body) {
				if checks != nil {
					out.Add(checks)
				}
				in.Lanes = true
				out.Add(in)
				continue
			}
		}
		out.Add(loop.MapBlocks(s, func(b *loop.Block) *loop.Block { return lanes(b, false) }))
	}
	return out.Rebuilt(b, b.Yield)
}

// worthLanes tells whether a loop may have enough turns: more for totals, since the lanes of a vector are added up
// one after the other in the end.
func worthLanes(s *loop.For) bool {
	k, ok := s.Count.(*loop.Const)
	return !ok || k.I >= 8 || k.I >= 4 && len(s.Reds) == 0
}

// laneable tells whether a loop meets the conditions of Note [Lanes].
func laneable(s *loop.For, varies *loop.VarSet) bool {
	is := varies.HasAtom
	return !loop.Any(s.Body, func(s loop.Stmt) bool {
		switch s := s.(type) {
		case *loop.If:
			return is(s.Cond)
		case *loop.For:
			return is(s.Count)
		case *loop.While:
			return is(s.Cond.Yield[0])
		case *loop.Check:
			return is(s.Cond)
		case *loop.Alloc:
			return is(s.Len)
		case *loop.Call, *loop.Update:
			return true
		}
		return false
	})
}
