package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Flat loops]
//
// The sum of a comprehension over two ranges is a loop over all of its elements, which a nest of
// two loops has stored:
//
//	xs = alloc f64s a
//	for i < p parallel { m = mul.i i q; for j < q parallel { …; k = add.i m j; xs[k] = x } }
//	for k < a parallel, add.f from 0.0 { y = xs[k]; yield y } gives total     where a = mul.i p q
//
// In lanes of a loop around them all of that is vectors, of which the first loops store each, and
// the second one reads it again. So the second loop takes the form of the nest, and xs is not
// needed. Its totals become states, so that what is combined is combined in the same order:
//
//	for i < p, s = 0.0 { m = mul.i i q; for j < q, t = s { …; k = add.i m j; u = add.f t x; yield u } gives v; yield v } gives total
//
// Elsewhere the loops stay, since the nest is no longer parallel.

// Flat joins nests that store the elements of a buffer with the loops that read them, in loops with
// lanes: Note [Flat loops].
func Flat(f *loop.Func) {
	w := &flattener{}
	loop.Walk(f.Body, func(s loop.Stmt) {
		if x, ok := s.(*loop.Let); ok && x.Op == loop.MulI {
			w.products.Set(x.Var, x)
		}
	})
	f.Body = w.outside(f.Body)
}

type flattener struct {
	products loop.VarMap[*loop.Let] // of integers
	uses     map[*loop.Var]int      // of the buffers in a loop with lanes
}

// outside rewrites the loops with lanes in a block.
func (w *flattener) outside(b *loop.Block) *loop.Block {
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(b.Stmts); i = out.Nested(b, i+1) {
		s := b.Stmts[i]
		x, ok := s.(*loop.For)
		if !ok || !x.Lanes {
			out.Add(loop.MapBlocks(s, w.outside))
			continue
		}
		w.uses = map[*loop.Var]int{}
		loop.AllUses(x.Body, func(a loop.Atom) {
			if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
				w.uses[v]++
			}
		})
		out.Add(loop.MapBlocks(s, w.block))
	}
	return out.Rebuilt(b, b.Yield)
}

// block joins loops of a block.
func (w *flattener) block(b *loop.Block) *loop.Block {
	stmts := b.Stmts
	for n := 0; n < len(stmts); n++ {
		f := w.filling(stmts, n)
		if f == nil {
			continue
		}
		for m := n + 1; m < len(stmts) && !updates(stmts[m]); m++ {
			if x, ok := stmts[m].(*loop.For); ok && w.reads(x, f) {
				joined := make([]loop.Stmt, 0, len(stmts))
				joined = append(append(joined, stmts[:n]...), stmts[n+1:m]...)
				stmts = append(append(joined, f.joined(x)), stmts[m+1:]...)
				n--
				break
			}
		}
	}
	b = &loop.Block{Stmts: stmts, Yield: b.Yield}
	out := loop.Rebuild(b)
	for i := out.Nested(b, 0); i < len(stmts); i = out.Nested(b, i+1) {
		out.Add(loop.MapBlocks(stmts[i], w.block))
	}
	return out.Rebuilt(b, b.Yield)
}

// filling is a nest of two loops that store all elements of a buffer, and nothing else.
type filling struct {
	outer, inner *loop.For
	store        *loop.Store
}

// filling is such a nest at a place of a block, or nil. The buffer is made in the block.
func (w *flattener) filling(stmts []loop.Stmt, n int) *filling {
	outer, ok := stmts[n].(*loop.For)
	if !ok || !outer.Parallel || len(outer.Reds) > 0 {
		return nil
	}
	f := &filling{outer: outer}
	writes := 0
	written(outer, func(*loop.Var) { writes++ })
	for _, s := range outer.Body.Stmts {
		if x, ok := s.(*loop.For); ok && x.Parallel && len(x.Reds) == 0 {
			for _, s := range x.Body.Stmts {
				if st, ok := s.(*loop.Store); ok {
					f.inner, f.store = x, st
				}
			}
		}
	}
	if f.store == nil || writes != 1 || updates(outer) {
		return nil
	}
	for _, s := range stmts[:n] {
		if a, ok := s.(*loop.Alloc); ok && a.Var == f.store.Buf && f.inOrder() {
			return f
		}
	}
	return nil
}

// inOrder tells whether the elements are stored side by side, in the order of the turns.
func (f *filling) inOrder() bool {
	if v, ok := f.inner.Count.(*loop.Var); ok {
		for _, s := range f.outer.Body.Stmts {
			inside := false
			if loop.Defs(s, func(x *loop.Var) { inside = inside || x == v }); inside {
				return false
			}
		}
	}
	base := offset(f.inner, f.store.At)
	for _, s := range f.outer.Body.Stmts {
		if x, ok := s.(*loop.Let); ok && x.Var == base {
			return x.Op == loop.MulI && timesIndex(x, f.outer.Index, f.inner.Count)
		}
	}
	return false
}

// reads tells whether a loop goes over the elements that a nest has stored, and nothing else uses
// them.
func (w *flattener) reads(s *loop.For, f *filling) bool {
	count, ok := s.Count.(*loop.Var)
	if !ok || !s.Parallel || len(s.Reds) == 0 {
		return false
	}
	n := w.products.Get(count)
	p, q := f.outer.Count, f.inner.Count
	if n == nil || !(same(n.Args[0], p) && same(n.Args[1], q) || same(n.Args[0], q) && same(n.Args[1], p)) {
		return false
	}
	loads := 0
	for _, x := range s.Body.Stmts {
		if l, ok := x.(*loop.Load); ok && l.Buf == f.store.Buf {
			if l.At != loop.Atom(s.Index) {
				return false
			}
			loads++
		}
	}
	return loads > 0 && loads+1 == w.uses[f.store.Buf]
}

// joined is the loop over the elements in the form of the nest.
func (f *filling) joined(s *loop.For) *loop.For {
	inner := &loop.For{Index: f.inner.Index, Count: f.inner.Count}
	outer := &loop.For{Index: f.outer.Index, Count: f.outer.Count}
	turn, body := &loop.Builder{}, &loop.Builder{}
	for _, x := range f.inner.Body.Stmts {
		if x != loop.Stmt(f.store) {
			turn.Add(x)
		}
	}
	r := newRewriter(nil)
	defer r.release()
	r.subst.Set(s.Index, f.store.At)
	r.m.Block = func(b *loop.Block) *loop.Block {
		out := &loop.Block{}
		for _, x := range b.Stmts {
			if l, ok := x.(*loop.Load); ok && l.Buf == f.store.Buf {
				r.subst.Set(l.Var, f.store.Value)
				continue
			}
			out.Stmts = append(out.Stmts, r.m.Stmt(x))
		}
		out.Yield = r.atoms(b.Yield)
		return out
	}
	second := r.m.Block(s.Body)
	turn.Add(second.Stmts...)
	var next, last []loop.Atom
	for i, red := range s.Reds {
		k := red.Result.Kind
		before, now := loop.NewVar(red.Result.Name, k), loop.NewVar(red.Result.Name, k)
		after := loop.NewVar(red.Result.Name, k)
		inner.States = append(inner.States, loop.State{Var: now, Init: before, Result: after})
		outer.States = append(outer.States, loop.State{Var: before, Init: red.Init, Result: red.Result})
		next = append(next, turn.Let(red.Result.Name, red.Op, now, second.Yield[i]))
		last = append(last, after)
	}
	inner.Body = turn.Block(next...)
	for _, x := range f.outer.Body.Stmts {
		if x == loop.Stmt(f.inner) {
			x = inner
		}
		body.Add(x)
	}
	outer.Body = body.Block(last...)
	return outer
}
