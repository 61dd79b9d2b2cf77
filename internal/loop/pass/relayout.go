package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Relayout]
//
// In lanes, x[i·d + j] with the index i of the lanes and that of an inner loop, j, is a gather: the lanes' elements lie d
// apart. If the loop over j runs again and again,
//
//	for i < n lanes { t = mul.i i d; for c < k { for j < d { … x[t + j] … } } }
//
// they are gathered once, into a buffer of the turn, in which those of the lanes lie side by side:
//
//	for i < n lanes { t = mul.i i d; for j < d { y[j] = x[t + j] }; for c < k { for j < d { … y[j] … } } }
//
// If the outer loop has no turns, the elements might not exist, and none are gathered.

// Relayout does so in all loops with lanes of a block, which it changes.
func Relayout(b *loop.Block) {
	for _, s := range b.Stmts {
		if f, ok := s.(*loop.For); ok && f.Lanes {
			gatherOnce(f)
			continue
		}
		loop.Blocks(s, Relayout)
	}
}

// gathered names elements that were gathered.
type gathered struct {
	buf, base *loop.Var
	count     loop.Atom
	outer     loop.Atom // the count of the loop around
}

func gatherOnce(f *loop.For) {
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
	var out loop.Builder
	known := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return !ok || !local.Has(v) || shared.Has(v) }
	for _, s := range f.Body.Stmts {
		around, ok := s.(*loop.For)
		if ok && known(around.Count) {
			for _, s := range around.Body.Stmts {
				inner, ok := s.(*loop.For)
				if !ok || !known(inner.Count) {
					continue
				}
				for i, s := range inner.Body.Stmts {
					load, ok := s.(*loop.Load)
					if !ok || local.Has(load.Buf) || written.Has(load.Buf) {
						continue
					}
					base := offset(inner, load.At)
					if base == nil || !varies.Has(base) || !shared.Has(base) {
						continue
					}
					key := gathered{load.Buf, base, inner.Count, around.Count}
					if made[key] == nil {
						made[key] = gather(&out, key)
					}
					inner.Body.Stmts[i] = &loop.Load{Var: load.Var, Buf: made[key], At: inner.Index}
				}
			}
		}
		out.Add(s)
		loop.Defs(s, shared.Add) // known to what follows in the turn
	}
	f.Body.Stmts = out.Stmts
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
