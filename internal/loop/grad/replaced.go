package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// replaced is f with the updates of copies, outside of loops that carry them, as loops which make the new buffer. Those have
// reversals like any others.
//
//	own = copy xs; ys = own with [k] = y    →    ys = alloc n; for i < n parallel { ys[i] = select (i == k) y xs[i] }
func replaced(f *loop.Func) *loop.Func {
	uses := map[loop.Atom]int{}
	found := false
	loop.AllUses(f.Body, func(a loop.Atom) { uses[a]++ })
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }, Share: true}
	m.Block = func(b *loop.Block) *loop.Block {
		updated := map[*loop.Var]bool{} // that are used just once, by an update of the block
		for _, s := range b.Stmts {
			if s, ok := s.(*loop.Update); ok && uses[s.Buf] == 1 {
				updated[s.Buf] = true
			}
		}
		from := map[*loop.Var]*loop.Var{} // what buffers are copies of, or themselves
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Copy:
				if updated[s.Var] {
					from[s.Var] = s.Buf
					continue
				}
			case *loop.Update:
				if of := from[s.Buf]; of != nil {
					found = true
					out.Add(remade(s, of)...)
					from[s.Var] = s.Var
					continue
				}
			}
			out.Add(m.Stmt(s))
		}
		return out.Rebuilt(b, b.Yield)
	}
	body := m.Block(f.Body)
	if !found {
		return f
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: body, Adds: f.Adds}
}

// remade makes the buffer that an update of a copy of another gives.
func remade(s *loop.Update, of *loop.Var) []loop.Stmt {
	choose := loop.SelF
	if of.Kind == loop.I64s {
		choose = loop.SelI
	}
	var b loop.Builder
	n := b.Length(of)
	b.Add(&loop.Alloc{Var: s.Var, Len: n})
	b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
		is := b.Let("is", loop.EqI, i, s.At)
		b.Store(s.Var, i, b.Let("x", choose, is, s.Value, b.Load("x", of, i)))
	})
	return b.Stmts
}
