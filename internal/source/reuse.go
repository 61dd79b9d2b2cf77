package source

import "github.com/fluxion-lang/fluxion/internal/loop"

// Reusing is a Language in which memory is not freed at the end of a turn. A buffer that only the
// turn of a loop uses is made in the first turn, and used again in others.
type Reusing interface {
	// Reuse makes a buffer, which has been declared in front of the loop, in the memory that it had
	// before, if that is enough.
	Reuse(name string, k loop.Kind, n string, zero bool)
}

// findHeld finds the buffers that a state, a result or a function that is called may hold.
func (w *walker) findHeld(b *loop.Block) {
	hold := func(a loop.Atom) {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			w.held[v] = true
		}
	}
	for _, s := range b.Stmts {
		switch s.(type) {
		// none of them keeps the buffer
		case *loop.Load, *loop.Store, *loop.Accum, *loop.Length, *loop.Copy:
		default:
			loop.Uses(s, hold)
		}
		loop.Blocks(s, w.findHeld)
	}
	for _, a := range b.Yield {
		hold(a)
	}
}

// reuse declares the buffers of an outermost loop that its turns use again. Go has those of a few
// elements on the stack.
func (w *walker) reuse(s loop.Stmt) {
	if _, ok := w.l.(Reusing); !ok || w.depth > 0 || w.f.Math != nil {
		return
	}
	loop.Blocks(s, func(b *loop.Block) {
		loop.Walk(b, func(x loop.Stmt) {
			if x, ok := x.(*loop.Alloc); ok && w.used[x.Var] && !w.held[x.Var] {
				if _, fixed := x.Len.(*loop.Const); !fixed {
					w.reused[x] = true
					w.l.Declare(w.bind(x.Var), x.Var.Kind, "")
				}
			}
		})
	})
}
