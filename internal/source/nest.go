package source

import "github.com/fluxion-lang/fluxion/internal/loop"

// findOnce finds the scalars that can be written where they are used: in one place, of the block in
// which they are bound. All expressions are pure. What is loaded from a buffer that may change in
// between is bound.
func (w *walker) findOnce(f *loop.Func) {
	w.once, w.negated = map[*loop.Var]bool{}, map[*loop.Var]string{}
	if _, ok := w.l.(Nesting); !ok {
		return
	}
	n := &nesting{w: w, bound: map[*loop.Var]*loop.Block{}, count: map[*loop.Var]int{},
		fixed: map[*loop.Var]bool{}}
	for _, p := range f.Params {
		n.fixed[p] = true
	}
	loop.Walk(f.Body, func(s loop.Stmt) {
		if s, ok := s.(*loop.Accum); ok { // the only way to write to a parameter
			delete(n.fixed, s.Buf)
		}
	})
	n.visit(f.Body)
	for _, a := range f.Body.Yield {
		if a.AtomKind() == loop.I64 { // it may be a length, which is mentioned several times
			n.keep(a)
		} else {
			n.use(a, f.Body)
		}
	}
	for v := range n.bound {
		w.once[v] = n.count[v] == 1
	}
}

// nesting counts the uses of scalars.
type nesting struct {
	w     *walker
	bound map[*loop.Var]*loop.Block // where a scalar is bound
	count map[*loop.Var]int         // its uses; one in another block counts twice
	fixed map[*loop.Var]bool        // buffers that nothing writes to
}

// use counts a use in a block.
func (n *nesting) use(a loop.Atom, b *loop.Block) {
	if v, ok := a.(*loop.Var); ok {
		if n.count[v]++; n.bound[v] != b {
			n.count[v]++
		}
	}
}

// keep counts a use as several, so that the scalar is bound to a name.
func (n *nesting) keep(a loop.Atom) {
	if v, ok := a.(*loop.Var); ok {
		n.count[v] += 2
	}
}

func (n *nesting) visit(b *loop.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			if n.bound[s.Var] = b; !n.w.used[s.Var] {
				continue
			}
		case *loop.Length:
			if n.bound[s.Var] = b; !n.w.used[s.Var] {
				continue
			}
		case *loop.Load:
			if !n.w.used[s.Var] {
				continue
			}
			if n.fixed[s.Buf] {
				n.bound[s.Var] = b
			}
		case *loop.Alloc: // its length is compared with 0 first
			n.keep(s.Len)
		case *loop.For: // the count is compared with the index in every turn
			n.keep(s.Count)
		}
		n.w.uses(s, func(a loop.Atom) { n.use(a, b) })
		switch s := s.(type) {
		case *loop.For:
			n.visit(s.Body)
			n.yields(s.Body, len(s.States))
		case *loop.While:
			n.visit(s.Cond)
			n.yields(s.Cond, 0)
			n.visit(s.Body)
			n.yields(s.Body, len(s.States))
		case *loop.If:
			n.visit(s.Then)
			n.yields(s.Then, 0)
			n.visit(s.Else)
			n.yields(s.Else, 0)
		}
	}
}

// yields counts what a block yields. The first ones are the next states of a loop, which are set
// one after the other: an expression would see some of the others changed.
func (n *nesting) yields(b *loop.Block, states int) {
	for i, a := range b.Yield {
		if i < states {
			n.keep(a)
		} else {
			n.use(a, b)
		}
	}
}
