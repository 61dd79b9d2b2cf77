package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Updates]
//
// An update is lowered to one of a copy, which is removed where nothing else needs the array
// (pass.InPlace).
//
// {m with [i].w[j] = v} is, in core,
//
//	e = index m i; w = field w e; next = scatter w [j] [v]
//	other = {b = e.b, w = next}; scatter m [i] [other]
//
// and would replace all of element i. So an array that comes from an update knows what it was
// before, and what was replaced (replaced). Where an element of an array is replaced by what has
// arrays in it, those that lie in the element already are left out, and of those that were in it
// before updates only the replaced elements are written. That takes the time of one update, however
// deep the arrays nest.
//
// An array that lies in a buffer which may be updated before its elements are read, as in {m with
// [i] = m[j], [j] = m[i]}, is copied first.

// mostReplaced is how many updates an array knows of.
const mostReplaced = 8

// copied is an array in buffers of its own that may be updated.
func (l *lowerer) copied(a *array) *array {
	a = l.owned(a).(*array)
	return mapLeaves(a, nil, func(leaf value, dims []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			return leaf
		}
		c.free()
		v := l.fresh("own", c.buf.Kind)
		l.sizes[v] = l.sizes[c.buf]
		l.add(&loop.Copy{Var: v, Buf: c.buf})
		l.copies[v] = c.buf
		return &column{c.kind, v, c.base, c.steps, nil}
	}).(*array)
}

// each lowers a loop over the indices of at, which updates an array.
func (l *lowerer) each(xs, at *array, turn func(xs *array, j, i loop.Atom) *array) *array {
	checked := func(xs *array, j loop.Atom) *array {
		i := l.plain(l.element(at, j))
		l.inRange(i, xs.n)
		return turn(xs, j, i)
	}
	if at.lit != nil && len(at.lit) <= 4 {
		for j := range at.lit {
			xs = checked(xs, loop.Int(int64(j)))
		}
		return xs
	}
	return l.sequential(at.n, xs,
		func(j *loop.Var, state value) value { return checked(state.(*array), j) }).(*array)
}

// updated is an array, which is a copy, with its element i replaced.
func (l *lowerer) updated(xs *array, i loop.Atom, by value) *array {
	w := &writing{l, map[*loop.Var]*loop.Var{}}
	w.put(l.locate(xs, i), by, true)
	return mapLeaves(xs, nil, func(leaf value, _ []loop.Atom) value {
		if c, ok := leaf.(*column); ok {
			return &column{c.kind, w.newest(c.buf), c.base, c.steps, nil}
		}
		return leaf
	}).(*array)
}

// writing replaces elements of buffers.
type writing struct {
	*lowerer
	versions map[*loop.Var]*loop.Var // what buffers have become
}

func (w *writing) newest(buf *loop.Var) *loop.Var {
	if v := w.versions[buf]; v != nil {
		return v
	}
	return buf
}

// put replaces what is in a place of copies. They are as they were if intact.
func (w *writing) put(to, by value, intact bool) {
	l := w.lowerer
	switch to := to.(type) {
	case *product:
		by := l.matching(to, by)
		for k, part := range to.parts {
			w.put(part, by.parts[k], intact)
		}
	case *column:
		w.versions[to.buf] = l.update(w.newest(to.buf), to.base, l.plain(by))
	case *array:
		from := l.defined(by).(*array)
		l.equalLengths(to.n, from.n)
		switch {
		case intact && l.lies(from, to):
		case intact && from.was != nil && l.lies(from.was.of, to):
			for k, e := range from.was.edits {
				w.put(l.locate(to, e.at), e.by, k == 0)
			}
		case len(from.lit) > 0 && len(from.lit) <= fewElements:
			for k, item := range from.lit {
				w.put(l.locate(to, loop.Int(int64(k))), item, false)
			}
		default:
			w.all(to, from)
		}
	}
}

// all replaces all elements of an array, which lies densely.
func (w *writing) all(to, from *array) {
	l := w.lowerer
	from = l.compact(from, func(c *column,
		dims []loop.Atom) bool {
		return l.settled(c.buf) && l.dense(c, dims)
	}).(*array)
	var walk func(to, from value, dims []loop.Atom)
	walk = func(to, from value, dims []loop.Atom) {
		switch to := to.(type) {
		case *product:
			from := l.matching(to, from)
			for k, part := range to.parts {
				walk(part, from.parts[k], dims)
			}
		case *array:
			from := from.(*array)
			if len(dims) > 0 {
				l.equalLengths(to.n, from.n)
			}
			walk(to.elem, from.elem, also(dims, to.n))
		case *column:
			c := from.(*column)
			c.free()
			w.versions[to.buf] = l.updates(w.newest(to.buf), l.size(dims),
				func(k loop.Atom) (at, by loop.Atom) {
					return l.plus(to.base, k), l.load(c.kind, c.buf, l.plus(c.base, k))
				})
		}
	}
	walk(to, from, nil)
}

// settled tells whether a buffer is a parameter of the function, or was made as it is: nothing
// updates it.
func (l *lowerer) settled(buf *loop.Var) bool {
	return l.made[buf] || slices.Contains(l.params, buf)
}

// lies tells whether a value is what a copy is a copy of, in the same place.
func (l *lowerer) lies(v, of value) bool {
	switch of := of.(type) {
	case *product:
		p, ok := v.(*product)
		if !ok || p.table != of.table || p.funs != of.funs || len(p.parts) != len(of.parts) {
			return false
		}
		for k, part := range of.parts {
			if !l.lies(p.parts[k], part) {
				return false
			}
		}
		return true
	case *array:
		a, ok := v.(*array)
		return ok && l.same(a.n, of.n) && l.lies(a.elem, of.elem)
	case *column:
		c, ok := v.(*column)
		return ok && c.total == nil && l.copies[of.buf] == c.buf && l.same(c.base, of.base) &&
			slices.EqualFunc(c.steps, of.steps, l.same)
	}
	return false
}

func scatter(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs, at, ys := l.array(op.Args[0], env), l.array(op.Args[1], env), l.array(op.Args[2], env)
	l.check(l.let("equal", loop.EqI, at.n, ys.n), l.at)
	result := l.each(l.copied(xs), at, func(xs *array, j, i loop.Atom) *array {
		return l.updated(xs, i, l.element(ys, j))
	})
	result.was = &replaced{of: xs}
	if xs.was != nil {
		result.was = &replaced{xs.was.of, slices.Clone(xs.was.edits)}
	}
	for k, i := range at.lit {
		result.was.edits = append(result.was.edits,
			edit{l.plain(i), l.element(ys, loop.Int(int64(k)))})
	}
	if n := len(result.was.edits); n > mostReplaced || n == 0 || len(at.lit) == 0 {
		result.was = nil
	}
	return result
}

// accumulate adds to reals in a parallel loop, and to integers one after the other.
func accumulate(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs, at, ys := l.array(op.Args[0], env), l.array(op.Args[1], env), l.array(op.Args[2], env)
	l.check(l.let("equal", loop.EqI, at.n, ys.n), l.at)
	c, ok := xs.elem.(*column)
	switch {
	case !ok:
		l.fail("an array of type %s that is added to", types.Show(op.Args[0].Type()))
	case c.total != nil:
		l.accumulated(xs, c, at, ys)
		return xs
	case c.kind != loop.F64:
		return l.each(l.copied(xs), at, func(xs *array, j, i loop.Atom) *array {
			sum := integers[prim.Add](l,
				[]loop.Atom{l.plain(l.element(xs, i)), l.plain(l.element(ys, j))})
			return l.updated(xs, i, &scalar{sum})
		})
	}
	buf := l.alloc("sums", loop.F64, xs.n, true)
	out := &column{loop.F64, buf, loop.Int(0), []loop.Atom{loop.Int(1)}, nil}
	if !l.zeroed[c.buf] {
		l.parallel(xs.n, func(i *loop.Var) {
			l.add(&loop.Accum{Buf: buf, At: i, Value: l.plain(l.element(xs, i))})
		})
	}
	l.accumulated(xs, out, at, ys)
	return &array{n: xs.n, elem: out}
}

func (l *lowerer) accumulated(xs *array, to *column, at, ys *array) {
	l.parallel(at.n, func(j *loop.Var) {
		i := l.plain(l.element(at, j))
		l.inRange(i, xs.n)
		place := l.plus(l.times(i, to.steps[0]), to.base)
		l.add(&loop.Accum{Buf: to.buf, At: place, Value: l.plain(l.element(ys, j))})
	})
}
