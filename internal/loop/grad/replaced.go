package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// replaced is f with the updates outside of loops that carry the buffer as loops which make the new
// one. Those have reversals like any others.
//
//	own = copy xs; ys = own with [k] = y    →    ys = alloc n; for i < n parallel { ys[i] = select (i == k) y xs[i] }
func replaced(f *loop.Func) *loop.Func {
	if !loop.Any(f.Body, isUpdate) {
		return f
	}
	uses := map[loop.Atom]int{}
	loop.AllUses(f.Body, func(a loop.Atom) { uses[a]++ })
	carried := carriedIn(f.Body)
	m := loop.Mapper{Use: func(a loop.Atom) loop.Atom { return a }, Bind: func(v *loop.Var) *loop.Var { return v }, Share: true}
	m.Block = func(b *loop.Block) *loop.Block {
		updated := map[*loop.Var]bool{} // that are used just once, by an update of the block
		for _, s := range b.Stmts {
			if s, ok := s.(*loop.Update); ok && uses[s.Buf] == 1 {
				updated[s.Buf] = true
			}
		}
		from := map[*loop.Var]*loop.Var{} // what buffers are copies of
		out := loop.Rebuild(b)
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Copy:
				if updated[s.Var] && !carried[s.Buf] { // nothing updates it
					from[s.Var] = s.Buf
					continue
				}
			case *loop.Update:
				if of := from[s.Buf]; of != nil {
					out.Add(remade(s, of)...)
					continue
				}
				if !carried[s.Buf] {
					out.Add(remade(s, s.Buf)...)
					continue
				}
			}
			out.Add(m.Stmt(s))
		}
		return out.Rebuilt(b, b.Yield)
	}
	return &loop.Func{Name: f.Name, Params: f.Params, Body: m.Block(f.Body), Adds: f.Adds}
}

func isUpdate(s loop.Stmt) bool {
	_, ok := s.(*loop.Update)
	return ok
}

// carriedIn gives the buffers that are states, and versions of those.
func carriedIn(b *loop.Block) map[*loop.Var]bool {
	carried := map[*loop.Var]bool{}
	is := func(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && carried[v] }
	var visit func(b *loop.Block)
	states := func(states []loop.State) {
		for _, st := range states {
			carried[st.Var], carried[st.Result] = true, is(st.Init)
		}
	}
	visit = func(b *loop.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *loop.Update:
				carried[s.Var] = carried[s.Buf]
			case *loop.For:
				states(s.States)
			case *loop.While:
				states(s.States)
			}
			loop.Blocks(s, visit)
			if s, ok := s.(*loop.If); ok {
				for i, v := range s.Results {
					carried[v] = is(s.Then.Yield[i]) || is(s.Else.Yield[i])
				}
			}
		}
	}
	visit(b)
	return carried
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
