package pass

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Relayout]
//
// In lanes, x[i·d + j] with the index i of the lanes and that of an inner loop, j, is a gather: the
// lanes' elements lie d apart. If the loop over j runs again and again,
//
//	for i < n lanes { t = mul.i i d; for c < k { for j < d { … x[t + j] … } } }
//
// they are gathered once, into a buffer of the turn, in which those of the lanes lie side by side:
//
//	for i < n lanes { t = mul.i i d; for j < d { y[j] = x[t + j] }; for c < k { for j < d { … y[j] … } } }
//
// If the outer loop has no turns, the elements might not exist, and none are gathered.

// Relayout does so in all loops with lanes of a function.
func Relayout(f *loop.Func) { f.Body = relayout(f.Body) }

func relayout(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		if f, ok := s.(*loop.For); ok && f.Lanes {
			out.Add(gatherOnce(f))
		} else {
			out.Add(loop.MapBlocks(s, relayout))
		}
	}
	return out.Rebuilt(b, b.Yield)
}

// gathered names elements that were gathered.
type gathered struct {
	buf, base *loop.Var
	count     loop.Atom
	outer     loop.Atom // the count of the loop around
}

func gatherOnce(f *loop.For) *loop.For {
	if !slices.ContainsFunc(f.Body.Stmts, hasLoop) {
		return f
	}
	varies := loop.Varying(f)
	var written, shared loop.VarSet
	local := loop.Local(f)
	loop.Walk(f.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Store:
			written.Add(s.Buf)
		case *loop.Accum:
			written.Add(s.Buf)
		case *loop.Update:
			written.Add(s.Buf)
		}
	})
	made := map[gathered]*loop.Var{}
	out := loop.Rebuild(f.Body)
	known := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return !ok || !local.Has(v) || shared.Has(v) }
	// inward is a loop inside of one around it, with reads of what was gathered.
	inward := func(inner, around *loop.For) *loop.For {
		body := loop.Rebuild(inner.Body)
		for _, s := range inner.Body.Stmts {
			if load, ok := s.(*loop.Load); ok && !local.Has(load.Buf) && !written.Has(load.Buf) {
				if base := offset(inner, load.At); base != nil && varies.Has(base) && shared.Has(base) {
					key := gathered{load.Buf, base, inner.Count, around.Count}
					if made[key] == nil {
						made[key] = gather(out, key)
					}
					s = &loop.Load{Var: load.Var, Buf: made[key], At: inner.Index}
				}
			}
			body.Add(s)
		}
		return withBody(inner, body.Rebuilt(inner.Body, inner.Body.Yield))
	}
	for _, s := range f.Body.Stmts {
		if around, ok := s.(*loop.For); ok && known(around.Count) {
			body := loop.Rebuild(around.Body)
			for _, s := range around.Body.Stmts {
				if inner, ok := s.(*loop.For); ok && known(inner.Count) {
					s = inward(inner, around)
				}
				body.Add(s)
			}
			s = withBody(around, body.Rebuilt(around.Body, around.Body.Yield))
		}
		out.Add(s)
		loop.Defs(s, shared.Add) // known to what follows in the turn
	}
	return withBody(f, out.Rebuilt(f.Body, f.Body.Yield))
}

// hasLoop tells whether a statement is a loop in whose body there is another one.
func hasLoop(s loop.Stmt) bool {
	f, ok := s.(*loop.For)
	return ok && slices.ContainsFunc(f.Body.Stmts, func(s loop.Stmt) bool { _, ok := s.(*loop.For); return ok })
}

// withBody is a loop with another body: the loop itself if it is the same.
func withBody(f *loop.For, body *loop.Block) *loop.For {
	if body == f.Body {
		return f
	}
	c := *f
	c.Body = body
	return &c
}

// offset is t if an index is t plus that of a loop.
func offset(s *loop.For, at loop.Atom) *loop.Var {
	for _, x := range s.Body.Stmts {
		if let, ok := x.(*loop.Let); ok && loop.Atom(let.Var) == at && let.Op == loop.AddI {
			for k := range 2 {
				if v, ok := let.Args[1-k].(*loop.Var); ok && let.Args[k] == loop.Atom(s.Index) && v != s.Index {
					return v
				}
			}
		}
	}
	return nil
}

// gather emits the loop that gathers.
func gather(b *loop.Builder, g gathered) *loop.Var {
	count := b.Let("count", loop.MaxI, b.Let("count", loop.SelI, b.Let("some", loop.LtI, loop.Int(0), g.outer), g.count, loop.Int(0)), loop.Int(0))
	buf := b.Alloc(g.buf.Name, g.buf.Kind, count, false)
	b.Parallel("j", count, func(b *loop.Builder, j *loop.Var) {
		b.Store(buf, j, b.Load("x", g.buf, b.Let("at", loop.AddI, g.base, j)))
	})
	return buf
}
