package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// move is put for a value that nothing uses after it.
func (l *lowerer) move(to, from value) {
	switch to := to.(type) {
	case *product:
		from := l.matching(to, from)
		for i, part := range from.parts {
			l.move(to.parts[i], part)
		}
		return
	case *array:
		from := from.(*array)
		l.equalLengths(from.n, to.n)
		if l.redirect(to, from) {
			return
		}
	}
	l.put(to, from)
}

// distinct tells whether no two parts of a value are in the same buffer.
func distinct(v value) bool {
	seen, once := map[*loop.Var]bool{}, true
	mapLeaves(v, nil, func(leaf value, _ []loop.Atom) value {
		if c, ok := leaf.(*column); ok {
			once = once && !seen[c.buf]
			seen[c.buf] = true
		}
		return leaf
	})
	return once
}

// redirect writes an array directly to where it is put, if it was made in the current block, row by
// row, and nothing has read it: its stores then go to the other place, and its buffers are not
// made.
func (l *lowerer) redirect(to, from *array) bool {
	var pairs [][2]*column
	ok := true
	var match func(a, b value, dims []loop.Atom)
	match = func(a, b value, dims []loop.Atom) {
		switch a := a.(type) {
		case *product:
			l.sameTable(a, b.(*product))
			for i := range a.parts {
				match(a.parts[i], b.(*product).parts[i], dims)
			}
		case *array:
			inner := b.(*array)
			ok = ok && l.same(a.n, inner.n)
			match(a.elem, inner.elem, also(dims, a.n))
		case *column:
			c := b.(*column)
			c.free()
			ok = ok && isInt(c.base, 0) && l.dense(a, dims) && l.dense(c, dims)
			pairs = append(pairs, [2]*column{a, c})
		}
	}
	match(to, from, nil)
	if !ok {
		return false
	}
	for _, p := range pairs {
		if l.depth(p[0].buf) >= len(l.open)-1 || !l.early(p[0].base) || !l.onlyStored(p[1].buf) {
			return false
		}
	}
	for _, p := range pairs {
		l.retarget(p[1].buf, p[0])
	}
	return true
}

// onlyStored tells whether a buffer is made in the current block and only ever written by Store.
func (l *lowerer) onlyStored(buf *loop.Var) bool {
	made, only := false, true
	for _, s := range l.scope().Stmts {
		if a, ok := s.(*loop.Alloc); ok && a.Var == buf {
			made = true
		}
	}
	if !made {
		return false
	}
	block := &loop.Block{Stmts: l.scope().Stmts}
	loop.Walk(block, func(s loop.Stmt) {
		if _, store := s.(*loop.Store); !store {
			loop.Uses(s, func(a loop.Atom) { only = only && a != loop.Atom(buf) })
		}
		loop.Blocks(s, func(b *loop.Block) {
			for _, a := range b.Yield {
				only = only && a != loop.Atom(buf)
			}
		})
	})
	return only
}

// retarget replaces a buffer made in the current block by a place in another, which is
// computed where the buffer was made.
func (l *lowerer) retarget(buf *loop.Var, to *column) {
	stmts := l.scope().Stmts
	for k, s := range stmts {
		if a, ok := s.(*loop.Alloc); ok && a.Var == buf {
			var address loop.Builder
			base := l.recomputed(&address, to.base)
			rest := l.shiftStores(&loop.Block{Stmts: stmts[k+1:]}, buf, to.buf, base)
			l.scope().Stmts = append(append(stmts[:k:k], address.Stmts...), rest.Stmts...)
			return
		}
	}
}

// early tells whether an integer can be computed at the start of the current block.
func (l *lowerer) early(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok || l.depth(v) < len(l.open)-1 || l.given[v] {
		return true
	}
	def := l.defs.Get(v)
	return def != nil && !slices.ContainsFunc(def.Args, func(a loop.Atom) bool {
		return !l.early(a)
	})
}

// recomputed emits an address that is known in the current block anew.
func (l *lowerer) recomputed(b *loop.Builder, a loop.Atom) loop.Atom {
	v, ok := a.(*loop.Var)
	if !ok || l.depth(v) < len(l.open)-1 {
		return a
	}
	def := l.defs.Get(v)
	if def == nil {
		return a // given
	}
	args := make([]loop.Atom, len(def.Args))
	for i, a := range def.Args {
		args[i] = l.recomputed(b, a)
	}
	w := b.Let(v.Name, def.Op, args...)
	if w, ok := w.(*loop.Var); ok {
		l.bindAt(w, len(l.open)-1)
	}
	return w
}

// shiftStores is a block in which the stores of a buffer are those of another, from a place on.
func (l *lowerer) shiftStores(b *loop.Block, from, to *loop.Var, base loop.Atom) *loop.Block {
	out := loop.Rebuild(b)
	for _, s := range b.Stmts {
		store, ok := s.(*loop.Store)
		if !ok || store.Buf != from {
			out.Add(loop.MapBlocks(s, func(inner *loop.Block) *loop.Block {
				return l.shiftStores(inner, from, to, base)
			}))
			continue
		}
		at := store.At
		switch {
		case isInt(base, 0):
		case isInt(at, 0):
			at = base
		default:
			at = out.Let("a", loop.AddI, at, base)
		}
		out.Store(to, at, store.Value)
	}
	return out.Rebuilt(b, b.Yield)
}
