package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Forwarding]
//
// A copy of a buffer is not needed if it is only read: what is read of it can be read of the buffer itself.
//
//	b = alloc n; for i < n { x = a[i]; b[i] = x }; … b[k] …   →   … a[k] …
//
// The cotangent of what a loop starts with is such a copy, if nothing else adds to it. Nobody writes to the buffer after the
// copy has read it, but a buffer that is updated in place is not what it was: its copies stay.

// Forward removes copies of buffers: Note [Forwarding].
func Forward(f *loop.Func) {
	w := &forwarder{uses: map[*loop.Var]int{}, reads: map[*loop.Var]int{}}
	loop.AllUses(f.Body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			w.uses[v]++
		}
	})
	loop.Walk(f.Body, func(s loop.Stmt) {
		if l, ok := s.(*loop.Load); ok {
			w.reads[l.Buf]++
		}
	})
	w.copies(f.Body, loop.Updated(f.Body))
	if len(w.of) == 0 {
		return
	}
	w.rewriter = newRewriter(w.block)
	for b, a := range w.of {
		w.subst.Set(b, a)
	}
	f.Body = w.block(f.Body)
	w.release()
	DeadCode(f) // of the loops that have copied
}

// forwarder reads the originals of copies.
type forwarder struct {
	*rewriter
	uses, reads map[*loop.Var]int // of buffers: how often each is used, and how often by a Load
	of          map[*loop.Var]*loop.Var
}

// copies finds the copies that are made in a block, where the buffers in updated may change.
func (w *forwarder) copies(b *loop.Block, updated map[*loop.Var]bool) {
	made := map[*loop.Var]*loop.Alloc{}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			made[s.Var] = s
		case *loop.For:
			w.loop(s, made, updated)
		}
		loop.Blocks(s, func(b *loop.Block) { w.copies(b, updated) })
	}
}

// loop finds the buffers that a loop fills with the elements of another, each at its own index.
func (w *forwarder) loop(s *loop.For, made map[*loop.Var]*loop.Alloc, updated map[*loop.Var]bool) {
	if !s.Parallel {
		return
	}
	element := map[*loop.Var]*loop.Var{} // of which buffer a variable is the element at the index
	inside := map[*loop.Var]bool{}
	for _, x := range s.Body.Stmts {
		loop.Defs(x, func(v *loop.Var) { inside[v] = true })
		switch x := x.(type) {
		case *loop.Load:
			if x.At == loop.Atom(s.Index) && !inside[x.Buf] && !updated[x.Buf] {
				element[x.Var] = x.Buf
			}
		case *loop.Store:
			v, _ := x.Value.(*loop.Var)
			alloc, from := made[x.Buf], element[v]
			if alloc == nil || alloc.Zero || from == nil || x.At != loop.Atom(s.Index) || !same(alloc.Len, s.Count) ||
				from.Kind != x.Buf.Kind || w.uses[x.Buf] != w.reads[x.Buf]+1 {
				continue
			}
			if w.of == nil {
				w.of = map[*loop.Var]*loop.Var{}
			}
			w.of[x.Buf] = from
		}
	}
}

// block leaves the copies out.
func (w *forwarder) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			if w.of[s.Var] != nil {
				continue
			}
		case *loop.Store:
			if w.of[s.Buf] != nil {
				continue
			}
		}
		out.Add(w.m.Stmt(s))
	}
	return out.Rebuilt(b, w.atoms(b.Yield))
}
