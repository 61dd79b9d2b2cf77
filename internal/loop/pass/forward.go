package pass

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Forwarding]
//
// A copy of a buffer is not needed if it is only read: what is read of it can be read of the buffer
// itself.
//
//	b = alloc n; for i < n { x = a[i]; b[i] = x }; … b[k] …   →   … a[k] …
//
// The cotangent of what a loop starts with is such a copy, if nothing else adds to it. Nobody
// writes to the buffer after the copy has read it, but a buffer that is updated in place is not
// what it was: its copies stay. So do those of what a branch gives that may be such a buffer, as in
// {m with [0] = m[1], [1] = if b then v else m[0]}.
//
// A buffer whose elements are all the same value is not needed either:
//
//	b = alloc n; for i < n { b[i] = x }; … b[k] …   →   … x …
//
// The cotangents of what a sum adds up are such a buffer.

// Forward removes copies of buffers, and those of one value: Note [Forwarding].
func Forward(f *loop.Func) {
	w := &forwarder{body: f.Body}
	w.copies(f.Body)
	if w.onlyRead(); len(w.of)+len(w.all) == 0 {
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
	body    *loop.Block
	updated map[*loop.Var]bool       // the buffers that may change: changing; nil until a copy is met
	made    loop.VarMap[*loop.Alloc] // the buffers that have been made
	element loop.VarMap[*loop.Load]  // the reads of elements at the index of a loop
	of      map[*loop.Var]*loop.Var
	all     map[*loop.Var]loop.Atom // what all elements of a buffer are
}

// copies finds the buffers that loops of a block fill with the elements of another.
func (w *forwarder) copies(b *loop.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			w.made.Set(s.Var, s)
		case *loop.For:
			if s.Parallel {
				w.loop(b, s)
			}
			w.copies(s.Body)
		default:
			loop.Blocks(s, w.copies)
		}
	}
}

// loop finds the buffers of a block that a loop in it fills with the elements of another, each at
// its own index.
func (w *forwarder) loop(b *loop.Block, s *loop.For) {
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Load:
			if x.At == loop.Atom(s.Index) {
				w.element.Set(x.Var, x)
			}
		case *loop.Store:
			alloc := w.made.Get(x.Buf)
			if x.At != loop.Atom(s.Index) || alloc == nil || !same(alloc.Len, s.Count) || !standsIn(b, alloc) {
				continue
			}
			v, ok := x.Value.(*loop.Var)
			if !ok || v != s.Index && !w.inside(s.Body, v) {
				put(&w.all, x.Buf, x.Value)
				continue
			}
			from := w.element.Get(v)
			if alloc.Zero || from == nil || from.Buf.Kind != x.Buf.Kind || !standsIn(s.Body, from) ||
				w.inside(s.Body, from.Buf) || w.changes(from.Buf) {
				continue
			}
			put(&w.of, x.Buf, from.Buf)
		}
	}
}

// standsIn tells whether a statement stands in a block, and not in one that is inside of it or
// around it.
func standsIn(b *loop.Block, s loop.Stmt) bool { return slices.Contains(b.Stmts, s) }

// inside tells whether a variable is bound in a block.
func (w *forwarder) inside(b *loop.Block, x *loop.Var) bool {
	found := false
	for _, s := range b.Stmts {
		loop.Defs(s, func(v *loop.Var) { found = found || v == x })
	}
	return found
}

// changes tells whether a buffer may be updated, under its own name or another.
func (w *forwarder) changes(buf *loop.Var) bool {
	if w.updated == nil {
		w.updated = changing(w.body)
	}
	return w.updated[buf]
}

// changing gives the buffers that may be updated, and those that may be the same memory: results of
// branches and calls, and states of loops. A state that is updated has no other name, and neither
// has its result.
func changing(b *loop.Block) map[*loop.Var]bool {
	updated := loop.Updated(b)
	out := map[*loop.Var]bool{}
	maps.Copy(out, updated)
	again := len(out) > 0
	add := func(v *loop.Var, from ...loop.Atom) {
		for _, a := range from {
			if x, ok := a.(*loop.Var); ok && out[x] && v.Kind.IsBuffer() && !out[v] {
				out[v], again = true, true
			}
		}
	}
	states := func(states []loop.State, yield []loop.Atom) {
		for i, st := range states {
			if !updated[st.Var] {
				add(st.Var, st.Init, yield[i])
				add(st.Result, st.Init, yield[i])
			}
		}
	}
	for again {
		again = false
		loop.Walk(b, func(s loop.Stmt) {
			switch s := s.(type) {
			case *loop.If:
				for i, v := range s.Results {
					add(v, s.Then.Yield[i], s.Else.Yield[i])
				}
			case *loop.For:
				states(s.States, s.Body.Yield)
			case *loop.While:
				states(s.States, s.Body.Yield)
			case *loop.Call:
				for _, v := range s.Results {
					add(v, s.Args...)
				}
			}
		})
	}
	return out
}

// onlyRead keeps the buffers that are only read, apart from the write that fills them.
func (w *forwarder) onlyRead() {
	if len(w.of)+len(w.all) == 0 {
		return
	}
	others := map[*loop.Var]int{} // how often a buffer is used other than by reading an element
	loop.AllUses(w.body, func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() && w.dropped(v) {
			others[v]++
		}
	})
	loop.Walk(w.body, func(s loop.Stmt) {
		if l, ok := s.(*loop.Load); ok && w.dropped(l.Buf) {
			others[l.Buf]--
		}
	})
	for v, n := range others {
		if n != 1 {
			delete(w.of, v)
			delete(w.all, v)
		}
	}
}

// dropped tells whether a buffer is not needed.
func (w *forwarder) dropped(buf *loop.Var) bool { return w.of[buf] != nil || w.all[buf] != nil }

// value returns what all elements of a buffer are, which may be a copy of one that is not needed
// itself; nil if they differ.
func (w *forwarder) value(buf *loop.Var) loop.Atom {
	for w.of[buf] != nil {
		buf = w.of[buf]
	}
	return w.all[buf]
}

// block leaves the copies out.
func (w *forwarder) block(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			if w.dropped(s.Var) {
				continue
			}
		case *loop.Store:
			if w.dropped(s.Buf) {
				continue
			}
		case *loop.Load:
			if x := w.value(s.Buf); x != nil {
				w.subst.Set(s.Var, w.atom(x))
				continue
			}
		}
		out.Add(w.m.Stmt(s))
	}
	return out.Rebuilt(b, w.atoms(b.Yield))
}
