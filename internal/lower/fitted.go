package lower

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// A tangent or cotangent must have the constructors and the lengths of the value that it belongs
// to.

// tangentAt is a tangent of a value. It is checked, and has the value's lengths.
func (l *lowerer) tangentAt(point, tangent value) value {
	f := &fitting{l, func(n loop.Atom) loop.Atom { return n }}
	tangent = f.value(point, l.defined(tangent))
	l.sameConstructors(point, tangent)
	return tangent
}

// fitting makes values with the lengths of others. The derivative of a function reads a tangent
// where the function reads the value. So their buffers must have the same lengths, also those of
// fields that the value does not have: an array in such a field may have any length, and gives way
// to one of zeros.
type fitting struct {
	l      *lowerer
	length func(n loop.Atom) loop.Atom // a length in the other value, as one that is known here
}

// value checks the lengths of a value, and gives it with those of the other one.
func (f *fitting) value(like, v value) value {
	switch like := like.(type) {
	case *product:
		v := v.(*product)
		out := v.fresh()
		if like.cons == nil {
			for i, part := range like.parts {
				out.parts[i] = f.value(part, v.parts[i])
			}
			return out
		}
		copy(out.parts, v.parts)
		for tag, first := range like.cons {
			if fields := v.fields(tag); hasArray(fields) {
				copy(out.parts[first:], f.fields(f.l.has(v, tag), like.fields(tag),
					fields).(*product).parts)
			}
		}
		return out
	case *array:
		f.check(like, v)
	}
	return v
}

// check checks lengths, also of fields that elements of arrays do not have: they are those that
// others have.
func (f *fitting) check(like, v value) {
	switch like := like.(type) {
	case *product:
		for i, part := range like.parts {
			f.check(part, v.(*product).parts[i])
		}
	case *array:
		v := v.(*array)
		if f.l.check(f.equal(like, v), f.l.at); hasReals(v) {
			f.check(like.elem, v.elem)
		}
	}
}

func (f *fitting) equal(like, v *array) loop.Atom {
	return f.l.let("equal", loop.EqI, f.length(like.n), v.n)
}

// fields is value for the fields of a constructor, if the value has it.
func (f *fitting) fields(has loop.Atom, like, v value) value {
	l := f.l
	same := f.same(like, v)
	l.check(l.let("fits", loop.Or, l.not(has), same), l.at)
	return l.choice(same, func() value {
		return f.withLengths(like, v, nil, func(own *column, _ []loop.Atom) value { return own })
	}, func() value {
		return f.withLengths(like, v, nil, func(own *column, dims []loop.Atom) value {
			return &column{own.kind, l.alloc("zeros", own.kind, l.size(dims), true), loop.Int(0),
				l.rowMajor(dims), nil}
		})
	}, open, open)
}

// same tells whether the arrays of two values have the same lengths.
func (f *fitting) same(like, v value) loop.Atom {
	l, all := f.l, loop.Atom(loop.Truth(true))
	switch like := like.(type) {
	case *product:
		for i, part := range like.parts {
			all = l.let("same", loop.And, all, f.same(part, v.(*product).parts[i]))
		}
	case *array:
		v := v.(*array)
		if all = f.equal(like, v); hasReals(v) {
			all = l.let("same", loop.And, all, f.same(like.elem, v.elem))
		}
	}
	return all
}

// withLengths is a value with the lengths of the other one, in arrays of the given lengths, and
// with other columns.
func (f *fitting) withLengths(like, v value, dims []loop.Atom,
	leaf func(own *column, dims []loop.Atom) value) value {
	switch v := v.(type) {
	case *product:
		out := v.fresh()
		for i, part := range v.parts {
			out.parts[i] = f.withLengths(like.(*product).parts[i], part, dims, leaf)
		}
		return out
	case *array:
		n := f.length(like.(*array).n)
		return &array{n: n, elem: f.withLengths(like.(*array).elem, v.elem, also(dims, n), leaf)}
	case *column:
		return leaf(v, dims)
	}
	return v
}

// sameConstructors checks that two values with the same lengths have the same constructors.
func (l *lowerer) sameConstructors(a, b value) {
	switch a := a.(type) {
	case *product:
		b := b.(*product)
		if a.cons == nil {
			for i, part := range a.parts {
				l.sameConstructors(part, b.parts[i])
			}
			return
		}
		l.check(l.let("equal", loop.EqI, l.plain(a.parts[0]), l.plain(b.parts[0])), l.at)
		l.eachField(a, hasVariant, func(tag int, fields *product) {
			l.sameConstructors(fields, b.fields(tag))
		})
	case *array:
		if hasVariant(a) && hasReals(a) {
			l.parallel(a.n, func(i *loop.Var) {
				l.sameConstructors(l.element(a, i), l.element(b.(*array), i))
			})
		}
	}
}

// allFinite tells whether the reals of a value are finite.
func (l *lowerer) allFinite(v value) loop.Atom {
	all := loop.Atom(loop.Truth(true))
	and := func(x loop.Atom) { all = l.let("finite", loop.And, all, x) }
	switch v := v.(type) {
	case *product:
		if v.cons == nil {
			for _, part := range v.parts {
				and(l.allFinite(part))
			}
			break
		}
		for tag := range v.cons {
			if fields := v.fields(tag); hasReals(fields) {
				and(l.plain(l.choice(l.has(v, tag), func() value {
					return boolean(l.allFinite(fields))
				},
					func() value { return boolean(loop.Truth(true)) }, open, open)))
			}
		}
	case *array:
		if !hasReals(v) {
			break
		}
		l.loops = true
		s := l.push()
		i := l.index(v.n)
		x := l.allFinite(l.element(v, i))
		l.pop()
		r := l.fresh("finite", loop.Bool)
		l.add(&loop.For{Index: i, Count: v.n, Parallel: true,
			Reds: []loop.Red{{Op: loop.And, Init: loop.Truth(true), Result: r}}, Body: s.Block(x)})
		return r
	case *scalar:
		if v.atom.AtomKind() == loop.F64 {
			return l.finite(v.atom)
		}
	}
	return all
}
