package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// structural are the rows on values of any type, and those over arrays that have no definition in
// the table.
var structural [prim.Count]func(l *lowerer, let *core.Let, op *core.Prim, env *env) value

func init() {
	structural = [prim.Count]func(l *lowerer, let *core.Let, op *core.Prim, env *env) value{
		prim.Length: func(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
			return &scalar{l.array(op.Args[0], env).n}
		},
		prim.Fail: func(l *lowerer, let *core.Let, _ *core.Prim, _ *env) value {
			l.check(loop.Truth(false), l.at)
			return &bottom{let.Var.Ty}
		},
		prim.Note: func(l *lowerer, _ *core.Let, _ *core.Prim, _ *env) value {
			if l.source.Watched {
				l.fail("what is told about the progress")
			}
			return unit
		},
		prim.IsNaN: func(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
			x := l.scalar(op.Args[0], env)
			return boolean(l.let("nan", loop.NeF, x, x))
		},
		prim.Infinity: func(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
			sign := l.scalar(op.Args[0], env)
			negative := l.let("negative", loop.LtI, sign, loop.Int(0))
			return &scalar{l.let("inf", loop.SelF, negative, loop.Real(math.Inf(-1)),
				loop.Real(math.Inf(1)))}
		},
		prim.StopGradient: stopGradient,
		prim.Append:       appended,
		prim.Flatten:      flatten,
		prim.Scatter:      scatter,
		prim.Accumulate:   accumulate,
		prim.RowSize:      rowSize,
		prim.Reals:        reals,
		prim.WithReals:    withReals,
		prim.AddReal:      addReal,
		prim.ScaleReal:    scaleReal,
		prim.InnerReal:    innerReal,
		prim.Deviation:    deviation,
		prim.Jumps:        jumps,
		prim.Narrow:       narrow,
		prim.Sided: func(l *lowerer, _ *core.Let, _ *core.Prim, _ *env) value {
			l.fail("a right-hand side on one side of its jumps")
			return nil
		},
		prim.Norm:       norm,
		prim.Logsumexp:  logsumexp,
		prim.Softmax:    softmax,
		prim.Reverse:    reverse,
		prim.Forward:    forward,
		prim.Jacobian:   jacobian,
		prim.Checkpoint: checkpoint,

		prim.WithDerivative: withRule,
		prim.WithPullback:   withRule,
		prim.Converging:     converging,
		prim.Correction:     correction,
		prim.WithEnclosure: func(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
			return l.unruled(op, env)
		},

		prim.SortIndices: sortIndices,
		prim.Polygamma:   polygamma,
	}
	for _, row := range []prim.ID{prim.StringAppend, prim.Show, prim.Fixed, prim.Scientific,
		prim.TextOf} {
		structural[row] = func(*lowerer, *core.Let, *core.Prim, *env) value { return &text{} }
	}
}

// stopGradient is a value with its reals as constants.
func stopGradient(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	v := l.use(op.Args[0], env)
	return l.zipReals(v, v, func(x, _ loop.Atom) loop.Atom { return l.stopped(x) })
}

// rowSize is the length of the rows, or -1 if there are none.
func rowSize(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	a := l.array(op.Args[0], env)
	row, ok := a.elem.(*array)
	if !ok {
		l.fail("an array of type %s", types.Show(op.Args[0].Type()))
	}
	none := l.let("none", loop.EqI, a.n, loop.Int(0))
	n := l.let("n", loop.SelI, none, loop.Int(-1), row.n)
	return &scalar{n}
}

func appended(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	a, b := l.array(op.Args[0], env), l.array(op.Args[1], env)
	if grown := l.append(a, b); grown != nil {
		return grown
	}
	n := l.bounded(l.plus(a.n, b.n))
	out := l.newArray(n, l.eitherLength(a, b, a.elem, b.elem))
	for _, from := range []struct {
		*array
		at loop.Atom
	}{{a, loop.Int(0)}, {b, a.n}} {
		l.parallel(from.n, func(i *loop.Var) {
			l.put(l.locate(out, l.plus(i, from.at)), l.element(from.array, i))
		})
	}
	return out
}

// eitherLength is an element with the lengths that elements of either array have; rows of different
// lengths are given up on.
func (l *lowerer) eitherLength(a, b *array, x, y value) value {
	switch x := x.(type) {
	case *product:
		p := l.either(x, y.(*product))
		for i, part := range x.parts {
			p.parts[i] = l.eitherLength(a, b, part, y.(*product).parts[i])
		}
		return p
	case *array:
		y := y.(*array)
		if l.same(x.n, y.n) {
			return &array{n: x.n, elem: l.eitherLength(a, b, x.elem, y.elem)}
		}
		none := l.let("none", loop.EqI, a.n, loop.Int(0))
		other := l.let("none", loop.EqI, b.n, loop.Int(0))
		equal := l.let("equal", loop.EqI, x.n, y.n)
		l.check(l.let("fit", loop.Or, equal, l.let("fit", loop.Or, none, other)), l.at)
		n := l.let("n", loop.SelI, none, y.n, x.n)
		return &array{n: n, elem: l.eitherLength(a, b, x.elem, y.elem)}
	}
	return x
}

// flatten joins the rows, which have one length.
func flatten(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	a := l.array(op.Args[0], env)
	row, ok := a.elem.(*array)
	if !ok {
		l.fail("an array of type %s", types.Show(op.Args[0].Type()))
	}
	n := l.bounded(l.times(a.n, row.n))
	joined := true
	mapLeaves(row.elem, nil, func(leaf value, _ []loop.Atom) value {
		c, ok := leaf.(*column)
		joined = joined && (!ok || l.same(c.steps[0], l.times(row.n, c.steps[1])))
		return leaf
	})
	if !joined {
		a = l.compact(a, l.dense).(*array)
		row = a.elem.(*array)
	}
	return &array{n: n, elem: mapLeaves(row.elem, nil, func(leaf value, _ []loop.Atom) value {
		c, ok := leaf.(*column)
		if !ok {
			return leaf
		}
		return &column{c.kind, c.buf, c.base, c.steps[1:], c.total}
	})}
}

// stopped is a real as a constant: it goes to its bits and back, which have no derivatives.
func (l *lowerer) stopped(x loop.Atom) loop.Atom {
	return l.let("x", loop.FromBits, l.let("bits", loop.Bits, x))
}

// norm is the Euclidean length.
func norm(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs := l.array(op.Args[0], env)
	if !l.resolvable() {
		return &scalar{l.euclidean(xs, l.largest(xs))}
	}
	top := l.largest(xs)
	kink := l.let("kink", loop.EqI, l.let("bits", loop.Bits, top), loop.Int(0))
	return l.choice(kink,
		func() value { return &scalar{l.kinkOfNorm(xs)} },
		func() value { return &scalar{l.euclidean(xs, top)} }, open, open)
}

// largest is the largest size of an element.
func (l *lowerer) largest(xs *array) loop.Atom {
	return l.total(xs, loop.MaxF, loop.Real(0), func(x loop.Atom) loop.Atom {
		return l.let("size", loop.AbsF, x)
	})
}

// euclidean is the length of an array with a largest element. A power of two near it scales all of
// them, so that no square overflows or underflows, and nothing is rounded by it.
func (l *lowerer) euclidean(xs *array, top loop.Atom) loop.Atom {
	// 0 and infinity are their own norms, and NaN is.
	some := l.let("some", loop.And, l.let("some", loop.LtF, loop.Real(0), top), l.finite(top))
	const one = 1 << 52 // of an exponent
	exponent := l.let("exponent", loop.AndI, l.let("bits", loop.Bits, top), loop.Int(0x7ff*one))
	exponent = l.let("exponent", loop.MinI, l.let("exponent", loop.MaxI, exponent, loop.Int(one)),
		loop.Int(0x7fd*one))
	unit, inverse := l.let("unit", loop.FromBits, exponent), l.let("unit", loop.FromBits,
		l.minus(loop.Int(0x7fe*one), exponent))
	sum := l.total(xs, loop.AddF, loop.Real(0), func(x loop.Atom) loop.Atom {
		q := l.let("q", loop.MulF, x, inverse)
		return l.let("square", loop.MulF, q, q)
	})
	scaled := l.let("norm", loop.MulF, unit, l.let("root", loop.Sqrt, sum))
	return l.let("norm", loop.SelF, some, scaled, l.stopped(top))
}

// total combines what a function gives for each element of an array of reals.
func (l *lowerer) total(xs *array, op *loop.Op, init loop.Atom,
	f func(x loop.Atom) loop.Atom) loop.Atom {
	if len(xs.lit) > 0 && len(xs.lit) <= fewElements {
		for _, x := range xs.lit {
			init = l.let("total", op, init, f(l.plain(x)))
		}
		return init
	}
	l.loops = true
	s := l.push()
	i := l.index(xs.n)
	x := f(l.plain(l.element(xs, i)))
	l.pop()
	r := l.fresh("total", op.Result)
	l.add(&loop.For{Index: i, Count: xs.n, Parallel: true,
		Reds: []loop.Red{{Op: op, Init: init, Result: r}}, Body: s.Block(x)})
	return r
}

// shifted gives the exponentials of an array less its largest element, that element, and their sum.
func (l *lowerer) shifted(xs *array) (e func(i loop.Atom) loop.Atom, top, sum loop.Atom) {
	top = l.total(xs, loop.MaxF, loop.Real(math.Inf(-1)), func(x loop.Atom) loop.Atom { return x })
	top = l.stopped(top) // the result does not depend on the shift
	shift := l.let("shift", loop.SelF, l.finite(top), top, loop.Real(0))
	exp := func(x loop.Atom) loop.Atom {
		return l.let("e", loop.Lookup("exp"), l.let("d", loop.SubF, x, shift))
	}
	sum = l.total(xs, loop.AddF, loop.Real(0), exp)
	return func(i loop.Atom) loop.Atom { return exp(l.plain(l.element(xs, i))) }, shift, sum
}

func logsumexp(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	_, shift, sum := l.shifted(l.array(op.Args[0], env))
	return &scalar{l.let("lse", loop.AddF, shift, l.let("log", loop.Lookup("log"), sum))}
}

func softmax(l *lowerer, _ *core.Let, op *core.Prim, env *env) value {
	xs := l.array(op.Args[0], env)
	e, _, sum := l.shifted(xs)
	return l.fill(xs.n, func(i *loop.Var) value {
		return &scalar{l.let("w", loop.DivF, e(i), sum)}
	})
}

// kinkOfNorm is the norm of zeros, as a function with a slope: their product with the unit vector
// of the direction that they move in.
func (l *lowerer) kinkOfNorm(xs *array) loop.Atom {
	direction := l.fill(xs.n, func(i *loop.Var) value {
		return &scalar{l.let("d", loop.Toward,
			l.plain(l.element(xs, i)))}
	}).(*array)
	length := l.euclidean(direction, l.largest(direction))
	s := l.push()
	i := l.index(xs.n)
	dx := l.plain(l.element(direction, i))
	unit := rules.Unit(dx, length, loop.Atom(loop.Real(0)), words{l})
	x := l.let("x", loop.MulF, l.plain(l.element(xs, i)), unit)
	l.pop()
	sum := l.fresh("total", loop.F64)
	l.loops = true
	l.add(&loop.For{Index: i, Count: xs.n, Parallel: true,
		Reds: []loop.Red{{Op: loop.AddF, Init: loop.Real(0), Result: sum}}, Body: s.Block(x)})
	return sum
}
