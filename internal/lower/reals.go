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
		for _, part := range v.parts {
			n = l.plus(n, l.count(part))
		}
		return n
	case *array:
		return l.times(v.n, l.count(v.elem))
	case *text:
	default:
		if kindOf(v) == loop.F64 {
			return loop.Int(1)
		}
	}
	return loop.Int(0)
}

// overlay is a value with its reals, from left to right, replaced by columns of an array of reals: those from
// `base` on, where steps are those of the arrays around.
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
	l.withoutVariants(op.Args[0].Type())
	v := l.use(op.Args[0], env)
	n := l.bounded(l.count(v))
	out := l.newArray(n, &scalar{loop.Real(0)})
	l.putReals(l.overlay(v, out.elem.(*column), loop.Int(0), nil), v)
	out.lit = fewReals(v, nil)
	return out
}

// fewReals are the reals of a value that is made of scalars, behind some others; nil if it has arrays or many of them.
func fewReals(v value, found []value) []value {
	switch v := v.(type) {
	case *product:
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
			l.parallel(from.n, func(i *loop.Var) { l.putReals(l.locate(to.(*array), i), l.element(from, i)) })
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
	l.withoutVariants(op.Args[0].Type())
	v, xs := l.use(op.Args[0], env), l.array(op.Args[1], env)
	l.check(l.let("equal", loop.EqI, l.count(v), xs.n), l.at)
	return l.replaced(v, xs)
}

// replaced is a value with its reals taken from an array of as many.
func (l *lowerer) replaced(v value, xs *array) value {
	c := xs.elem.(*column)
	c.free()
	return l.loaded(l.overlay(v, c, c.base, nil))
}

// zipReals is a value whose reals are made from those of two values of one shape; its other leaves
// are the first one's.
func (l *lowerer) zipReals(u, v value, f func(x, y loop.Atom) loop.Atom) value {
	switch u := u.(type) {
	case *product:
		v := v.(*product)
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
		return l.fill(u.n, func(i *loop.Var) value { return l.zipReals(l.element(u, i), l.element(v, i), f) })
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
	l.withoutVariants(op.Args[0].Type())
	return l.zipReals(l.use(op.Args[0], env), l.use(op.Args[1], env), func(x, y loop.Atom) loop.Atom {
		return l.let("sum", loop.AddF, x, y)
	})
}

func scaleReal(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	c, v := l.scalar(op.Args[0], env), l.use(op.Args[1], env)
	return l.zipReals(v, v, func(x, _ loop.Atom) loop.Atom { return l.let("scaled", loop.MulF, c, x) })
}

func innerReal(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	l.withoutVariants(op.Args[0].Type())
	return &scalar{l.innerProduct(l.use(op.Args[0], env), l.use(op.Args[1], env))}
}

// innerProduct is the sum of the products of corresponding reals.
func (l *lowerer) innerProduct(u, v value) loop.Atom {
	sum := loop.Atom(loop.Real(0))
	switch u := u.(type) {
	case *product:
		for i, part := range u.parts {
			if hasReals(part) {
				sum = l.let("sum", loop.AddF, sum, l.innerProduct(part, v.(*product).parts[i]))
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
		l.add(&loop.For{Index: i, Count: u.n, Parallel: true, Reds: []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: r}}, Body: s.Block(x)})
		sum = r
	case *scalar:
		if u.atom.AtomKind() == loop.F64 {
			sum = l.let("p", loop.MulF, u.atom, l.plain(v))
		}
	}
	return sum
}
