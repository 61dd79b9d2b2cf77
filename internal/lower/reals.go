package lower

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// The rows on the reals in a value of any type.

// count is the number of reals in a value.
func (l *lowerer) count(v value) loop.Atom {
	v = l.defined(v)
	if isFunction(v) {
		l.fail("the reals of a function")
	}
	switch v := v.(type) {
	case *product:
		n := loop.Atom(loop.Int(0))
		if v.cons != nil && varies(v) {
			for tag := range v.cons {
				n = l.let("n", loop.SelI, l.has(v, tag), l.count(v.fields(tag)), n)
			}
			return n
		}
		if v.cons != nil {
			v = v.fields(0)
		}
		for _, part := range v.parts {
			n = l.plus(n, l.count(part))
		}
		return n
	case *array:
		if varies(v.elem) {
			l.loops = true
			s := l.push()
			i := l.index(v.n)
			x := l.count(l.element(v, i))
			l.pop()
			n := l.fresh("n", loop.I64)
			l.add(&loop.For{Index: i, Count: v.n, Parallel: true,
				Reds: []loop.Red{{Op: loop.AddI, Init: loop.Int(0), Result: n}}, Body: s.Block(x)})
			return n
		}
		return l.times(v.n, l.count(v.elem))
	case *text:
	default:
		if kindOf(v) == loop.F64 {
			return loop.Int(1)
		}
	}
	return loop.Int(0)
}

// varies tells whether the number of reals in a value depends on its constructors.
func varies(v value) bool {
	return contains(v, func(v value) bool {
		p, ok := v.(*product)
		if !ok || p.cons == nil {
			return false
		}
		for tag := range p.cons {
			n, known := fixedCount(p.fields(tag))
			first, _ := fixedCount(p.fields(0))
			if !known || n != first {
				return true
			}
		}
		return false
	})
}

// fixedCount is the number of reals in a value, if neither constructors nor arrays decide it.
func fixedCount(v value) (n int, known bool) {
	switch v := v.(type) {
	case *product:
		if varies(v) {
			return 0, false
		}
		if v.cons != nil {
			v = v.fields(0)
		}
		for _, part := range v.parts {
			more, known := fixedCount(part)
			if !known {
				return 0, false
			}
			n += more
		}
	case *array:
		return 0, !hasReals(v)
	case *scalar, *column:
		if kindOf(v) == loop.F64 {
			return 1, true
		}
	}
	return n, true
}

// starts are the numbers of the reals in front of each element of an array.
func (l *lowerer) starts(v *array) *array {
	out := l.newArray(v.n, &scalar{loop.Int(0)})
	l.sequential(v.n, &scalar{loop.Int(0)}, func(i *loop.Var, n value) value {
		l.put(l.locate(out, i), n)
		return &scalar{l.plus(l.plain(n), l.count(l.element(v, i)))}
	})
	return out
}

// overlay is a value with its reals, from left to right, replaced by columns of an array of reals:
// those from `base` on, where steps are those of the arrays around.
func (l *lowerer) overlay(v value, xs *column, base loop.Atom, steps []loop.Atom) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.overlay(part, xs, base, steps)
			base = l.plus(base, l.times(l.count(part), xs.steps[0]))
		}
		return p
	case *array:
		step := l.times(l.count(v.elem), xs.steps[0])
		return &array{n: v.n, elem: l.overlay(v.elem, xs, base, also(steps, step))}
	case *pending:
		panic(notTotal{})
	case *text:
		return v
	}
	if kindOf(v) != loop.F64 {
		return v
	}
	return &column{loop.F64, xs.buf, base, steps, nil}
}

func reals(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(op.Args[0].Type())
	v := l.use(op.Args[0], env)
	n := l.bounded(l.count(v))
	out := l.newArray(n, &scalar{loop.Real(0)})
	l.storeReals(out.elem.(*column), loop.Int(0), v)
	out.lit = fewReals(v, nil)
	return out
}

// storeReals writes the reals of a value to a column, from a place on.
func (l *lowerer) storeReals(to *column, at loop.Atom, v value) {
	if !hasVariant(v) {
		l.putReals(l.overlay(v, to, l.place(to, at), nil), v)
		return
	}
	switch v := v.(type) {
	case *product:
		if v.cons != nil {
			l.eachField(v, hasReals, func(_ int, fields *product) { l.storeReals(to, at, fields) })
			return
		}
		for _, part := range v.parts {
			l.storeReals(to, at, part)
			at = l.plus(at, l.count(part))
		}
	case *array:
		if hasReals(v) {
			starts := l.starts(v)
			l.parallel(v.n, func(i *loop.Var) {
				l.storeReals(to, l.plus(at, l.plain(l.element(starts, i))), l.element(v, i))
			})
		}
	}
}

// place is the address of an element of a column.
func (l *lowerer) place(c *column, at loop.Atom) loop.Atom {
	return l.plus(c.base, l.times(at, c.steps[0]))
}

// fewReals are the reals of a value that is made of scalars, behind some others; nil if it has
// arrays or many of them.
func fewReals(v value, found []value) []value {
	switch v := v.(type) {
	case *product:
		if v.cons != nil {
			return nil
		}
		for _, part := range v.parts {
			more := fewReals(part, found)
			if more == nil && hasReals(part) {
				return nil
			}
			if more != nil {
				found = more
			}
		}
	case *scalar:
		if v.atom.AtomKind() == loop.F64 {
			found = append(found, v)
		}
	default:
		return nil
	}
	if len(found) > fewElements {
		return nil
	}
	return found
}

// putReals writes the reals of a value to where they belong.
func (l *lowerer) putReals(to, from value) {
	switch from := from.(type) {
	case *product:
		for i, part := range from.parts {
			l.putReals(to.(*product).parts[i], part)
		}
	case *array:
		if hasReals(from) {
			l.parallel(from.n, func(i *loop.Var) {
				l.putReals(l.locate(to.(*array), i), l.element(from, i))
			})
		}
	case *scalar:
		if c, ok := to.(*column); ok {
			l.add(&loop.Store{Buf: c.buf, At: c.base, Value: from.atom})
		}
	}
}

// hasReals tells whether there are reals in a value.
func hasReals(v value) bool {
	found := false
	mapLeaves(v, nil, func(leaf value, _ []loop.Atom) value {
		switch leaf.(type) {
		case *scalar, *column:
			found = found || kindOf(leaf) == loop.F64
		}
		return leaf
	})
	return found
}

func withReals(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(op.Args[0].Type())
	v, xs := l.use(op.Args[0], env), l.array(op.Args[1], env)
	l.check(l.let("equal", loop.EqI, l.count(v), xs.n), l.at)
	return l.replaced(v, xs)
}

// replaced is a value with its reals taken from an array of as many.
func (l *lowerer) replaced(v value, xs *array) value {
	c := xs.elem.(*column)
	c.free()
	return l.renewed(v, c, loop.Int(0))
}

// renewed is a value with its reals taken from a column, from a place on.
func (l *lowerer) renewed(v value, from *column, at loop.Atom) value {
	if !hasVariant(v) {
		return l.loaded(l.overlay(v, from, l.place(from, at), nil))
	}
	switch v := v.(type) {
	case *product:
		if v.cons != nil {
			return l.withFields(v, hasReals, func(_ int, fields *product) value {
				return l.renewed(fields, from, at)
			})
		}
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.renewed(part, from, at)
			at = l.plus(at, l.count(part))
		}
		return p
	case *array:
		if hasReals(v) {
			starts := l.starts(v)
			return l.fill(v.n, func(i *loop.Var) value {
				return l.renewed(l.element(v, i), from, l.plus(at, l.plain(l.element(starts, i))))
			})
		}
	}
	return v
}

// zipReals is a value whose reals are made from those of two values of one shape; its other leaves
// are the first one's.
func (l *lowerer) zipReals(u, v value, f func(x, y loop.Atom) loop.Atom) value {
	switch u := u.(type) {
	case *product:
		v := v.(*product)
		if u.cons != nil {
			l.check(l.let("equal", loop.EqI, l.plain(u.parts[0]), l.plain(v.parts[0])), l.at)
			return l.withFields(u, func(fields value) bool {
				return hasReals(fields) || hasArray(fields) || hasVariant(fields)
			},
				func(tag int, fields *product) value {
					return l.zipReals(fields, v.fields(tag), f)
				})
		}
		p := u.fresh()
		for i, part := range u.parts {
			p.parts[i] = l.zipReals(part, v.parts[i], f)
		}
		return p
	case *array:
		v := v.(*array)
		l.check(l.let("equal", loop.EqI, u.n, v.n), l.at)
		if !hasReals(u) {
			return u
		}
		return l.fill(u.n, func(i *loop.Var) value {
			return l.zipReals(l.element(u, i), l.element(v, i), f)
		})
	case *scalar:
		if u.atom.AtomKind() == loop.F64 {
			return &scalar{f(u.atom, l.plain(v))}
		}
	case *pending:
		panic(notTotal{})
	}
	return u
}

func addReal(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(op.Args[0].Type())
	return l.zipReals(l.use(op.Args[0], env), l.use(op.Args[1], env),
		func(x, y loop.Atom) loop.Atom {
			return l.let("sum", loop.AddF, x, y)
		})
}

func scaleReal(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	c, v := l.scalar(op.Args[0], env), l.use(op.Args[1], env)
	return l.zipReals(v, v, func(x, _ loop.Atom) loop.Atom {
		return l.let("scaled", loop.MulF, c, x)
	})
}

func innerReal(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutNodes(op.Args[0].Type())
	return &scalar{l.innerProduct(l.use(op.Args[0], env), l.use(op.Args[1], env))}
}

// innerProduct is the sum of the products of corresponding reals.
func (l *lowerer) innerProduct(u, v value) loop.Atom {
	sum := loop.Atom(loop.Real(0))
	switch u := u.(type) {
	case *product:
		v := v.(*product)
		if u.cons != nil {
			l.check(l.let("equal", loop.EqI, l.plain(u.parts[0]), l.plain(v.parts[0])), l.at)
			for tag := range u.cons {
				if fields := u.fields(tag); hasReals(fields) || hasArray(fields) ||
					hasVariant(fields) {
					sum = l.plain(l.choice(l.has(u, tag), func() value {
						return &scalar{l.innerProduct(fields, v.fields(tag))}
					},
						func() value { return &scalar{sum} }, open, open))
				}
			}
			break
		}
		for i, part := range u.parts {
			if more := l.innerProduct(part, v.parts[i]); hasReals(part) {
				sum = l.let("sum", loop.AddF, sum, more)
			}
		}
	case *array:
		v := v.(*array)
		l.check(l.let("equal", loop.EqI, u.n, v.n), l.at)
		if !hasReals(u) {
			break
		}
		l.loops = true
		s := l.push()
		i := l.index(u.n)
		x := l.innerProduct(l.element(u, i), l.element(v, i))
		l.pop()
		r := l.fresh("sum", loop.F64)
		l.add(&loop.For{Index: i, Count: u.n, Parallel: true,
			Reds: []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: r}}, Body: s.Block(x)})
		sum = r
	case *scalar:
		if u.atom.AtomKind() == loop.F64 {
			sum = l.let("p", loop.MulF, u.atom, l.plain(v))
		}
	}
	return sum
}
