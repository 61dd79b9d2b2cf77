package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Rules that compiled code compares]
//
// A program that takes one gradient, or calls one optimiser, would run in the interpreter as a
// whole if its region had to wait for the interpreter to compare the rules that it uses. So there
// is another form of a region, which compares by itself, wherever it uses a rule: at the point, and
// at two points beside it, along a generic direction each, with the tolerance that the interpreter
// has. A rule that seems to be wrong makes the derivative tied, so that the interpreter runs the
// region and decides: its own comparison is at one of these points. Otherwise the rules that were
// used, which this form counts, have been compared.

//
// Where derivatives around differentiate the rule, it is compared at each order up to theirs, as
// the interpreter does: Note [Comparing rules] of package derive.

// The tolerances of comparisons, relative to the largest component of the derivative and to what is
// differentiated, how much larger they are for each order more, and how far from the point the
// other two points are: as in package derive. At orders above mostOrders the interpreter compares.
const (
	ruleTolerance  = 1e-6
	orderTolerance = 100
	besideBy       = 0x1p-10
	mostOrders     = 3
)

// ruleComparison is what the comparison of a rule needs.
type ruleComparison struct {
	push    bool        // the rule is of tangents
	fun, by value       // the function and its rule
	y       value       // the value of the function
	salt    *loop.Var   // which of three points it is
	below   []loop.Atom // the sizes of what is differentiated
}

// ruleDiffers lowers the comparison of a rule at orders from 1, as a function of the argument that
// tells whether the rule differs from the derivative of its function.
func (l *lowerer) ruleDiffers(orders int, push bool, fun, by, x, y value) *separate {
	if orders > mostOrders {
		l.fail("the comparison of a rule at order %d", orders)
	}
	return l.separatelyFor(0, false, func(x value) value {
		l.loops = true
		s := l.push()
		salt := l.index(loop.Int(3))
		c := ruleComparison{push: push, fun: fun, by: by, y: y, salt: salt}
		point := l.beside(salt, x)
		differs := loop.Atom(loop.Truth(false))
		for order := 1; order <= orders; order++ {
			differs = l.let("differs", loop.Or, differs, l.differsAt(c, order, point))
		}
		l.pop()
		any := l.fresh("differs", loop.Bool)
		l.add(&loop.For{Index: salt, Count: loop.Int(3), Parallel: true, Body: s.Block(differs),
			Reds: []loop.Red{{Op: loop.Or, Init: loop.Truth(false), Result: any}}})
		return boolean(any)
	}, x)
}

// beside lowers one of the three points: they are at 0, 1 and -1 times a step.
func (l *lowerer) beside(salt *loop.Var, x value) value {
	r := l.let("r", loop.ToReal, salt)
	step := l.let("step", loop.MulF, r,
		l.let("step", loop.AddF, loop.Real(2.5*besideBy),
			l.let("step", loop.MulF, r, loop.Real(-1.5*besideBy))))
	return l.owned(l.numbered(x, loop.Int(0), func(x, n loop.Atom) loop.Atom {
		size := l.let("size", loop.MaxF, l.let("size", loop.AbsF, x), loop.Real(1))
		move := l.let("move", loop.MulF, step, l.let("move", loop.MulF, l.generic(n, salt), size))
		return l.let("x", loop.AddF, x, move)
	}))
}

// along is a generic direction at a point.
func (l *lowerer) along(salt loop.Atom, point value) value {
	return l.owned(l.numbered(point, loop.Int(0), func(_, n loop.Atom) loop.Atom {
		return l.generic(n, salt)
	}))
}

// differsAt compares the derivatives of an order at a point.
func (l *lowerer) differsAt(c ruleComparison, order int, point value) loop.Atom {
	rule, d, tied := l.compared(&c, order, point)
	finite := l.reduceReals(rule, d, loop.And, loop.Truth(true), func(x, y loop.Atom) loop.Atom {
		return l.let("finite", loop.And, l.finite(x), l.finite(y))
	})
	size := l.largestOf(rule, d)
	below := loop.Atom(loop.Real(0))
	for _, s := range c.below {
		below = l.let("size", loop.MaxF, below, s)
	}
	relative := ruleTolerance * math.Pow(orderTolerance, float64(order-1))
	tolerance := l.let("tolerance", loop.AddF,
		l.let("tolerance", loop.MulF, size, loop.Real(relative)),
		l.let("tolerance", loop.MulF, below, loop.Real(1e-3*relative)))
	near := l.reduceReals(rule, d, loop.And, loop.Truth(true), func(x, y loop.Atom) loop.Atom {
		return l.let("near", loop.LeF, l.let("size", loop.AbsF, l.let("d", loop.SubF, x, y)),
			tolerance)
	})
	told := l.let("told", loop.And, finite, l.not(tied))
	return l.let("differs", loop.And, told, l.not(near))
}

// largestOf is the size of the largest real of two values of one shape.
func (l *lowerer) largestOf(u, v value) loop.Atom {
	return l.reduceReals(u, v, loop.MaxF, loop.Real(0), func(x, y loop.Atom) loop.Atom {
		return l.let("size", loop.MaxF, l.let("size", loop.AbsF, x), l.let("size", loop.AbsF, y))
	})
}

// compared lowers the rule and the derivative of its function, differentiated along one direction
// as often as the order says, and whether a derivative is tied. Sizes of what is differentiated are
// added to c.below.
func (l *lowerer) compared(c *ruleComparison, order int, point value) (rule, derivative value,
	tied loop.Atom) {
	if order == 1 {
		return l.comparedFirst(c, point)
	}
	s := l.separatelyFor(l.separating+1, false, func(point value) value {
		inner := *c // what is in there has sizes that are not known here
		rule, d, tied := l.compared(&inner, order-1, point)
		return &product{parts: []value{rule, d, boolean(tied)}}
	}, point)
	direction := l.along(l.let("salt", loop.AddI, c.salt, loop.Int(1)), point)
	v, reals, tied := l.emitDerivative(s, l.forwardOf(s, make([]bool, len(s.fun.Params))), point,
		direction)
	both := v.(*product).parts
	c.below = append(c.below, l.largestOf(both[0], both[1]))
	tied = l.let("tied", loop.Or, tied, l.plain(both[2]))
	both = l.withParts(v, reals).(*product).parts
	return both[0], both[1], tied
}

// comparedFirst is compared for the first order.
func (l *lowerer) comparedFirst(c *ruleComparison, point value) (rule, derivative value,
	tied loop.Atom) {
	s := l.separatelyFor(l.separating+1, false,
		func(x value) value { return l.apply(c.fun, []value{x}) }, point)
	var weights value
	var d *loop.Func
	if c.push {
		weights = l.along(c.salt, point)
		d = l.forwardOf(s, make([]bool, len(s.fun.Params)))
	} else {
		weights = l.owned(l.numberedLike(c.y, loop.Int(0), func(_, n loop.Atom) loop.Atom {
			return l.generic(n, c.salt)
		}))
		d = l.reverseOf(s)
		weights = s.fitted(l, weights)
	}
	v, reals, tied := l.emitDerivative(s, d, point, weights)
	like := point
	if c.push {
		like = v
	}
	derivative = l.withParts(like, reals)
	c.below = append(c.below, l.largestOf(v, v))
	return l.owned(l.apply(c.by, []value{point, weights})), derivative, tied
}

// emitDerivative emits the derivative of a separate function, and gives the function's value, the
// reals of the derivative and whether it is tied.
func (l *lowerer) emitDerivative(s *separate, d *loop.Func, point, weights value) (v value,
	reals []loop.Atom, tied loop.Atom) {
	if l.ties {
		d = &loop.Func{Name: d.Name, Params: d.Params, Body: settled(d.Body)}
	}
	results := l.emitCopy(d, append(s.args(l, point), l.realAtoms(weights)...))
	last := len(results) - 1
	tied, results = results[last], results[:last]
	v = l.rebuilt(s.value, &results, nil)
	return v, results, tied
}

// generic is a number between 1 and 2, of either sign, that depends on two integers.
func (l *lowerer) generic(n, salt loop.Atom) loop.Atom {
	const golden = -0x61c8864680b583eb // 2⁶⁴ divided by the golden ratio
	mixed := l.let("mixed", loop.MulI,
		l.let("n", loop.AddI, n, l.let("n", loop.MulI, salt, loop.Int(1023))), loop.Int(golden))
	bits := l.let("bits", loop.ShrU, mixed, loop.Int(54))
	size := l.let("size", loop.AddF, loop.Real(1),
		l.let("size", loop.MulF, l.let("r", loop.ToReal, bits), loop.Real(0x1p-10)))
	sign := l.let("sign", loop.AndI, mixed, loop.Int(1<<50))
	return l.let("generic", loop.SelF, l.let("is", loop.EqI, sign, loop.Int(0)), size,
		l.let("neg", loop.NegF, size))
}

// numbered maps the reals of a value. Each is given with a number.
func (l *lowerer) numbered(v value, n loop.Atom, f func(x, n loop.Atom) loop.Atom) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.numbered(part, l.partNumber(n, loop.Int(int64(i))), f)
		}
		return p
	case *array:
		if !hasReals(v) {
			return v
		}
		return l.fill(v.n, func(i *loop.Var) value {
			return l.numbered(l.element(v, i), l.partNumber(n, i), f)
		})
	case *scalar:
		if v.atom.AtomKind() == loop.F64 {
			return &scalar{f(v.atom, n)}
		}
	case *pending:
		panic(notTotal{})
	}
	return v
}

// numberedLike is a value with the lengths of another, which has only reals, made of their numbers.
func (l *lowerer) numberedLike(v value, n loop.Atom, f func(x, n loop.Atom) loop.Atom) value {
	switch v := v.(type) {
	case *product:
		p := v.fresh()
		for i, part := range v.parts {
			p.parts[i] = l.numberedLike(part, l.partNumber(n, loop.Int(int64(i))), f)
		}
		return p
	case *array:
		return l.fill(v.n, func(i *loop.Var) value {
			return l.numberedLike(v.elem, l.partNumber(n, i), f)
		})
	case *scalar:
		if v.atom.AtomKind() == loop.F64 {
			return &scalar{f(nil, n)}
		}
	case *column:
		if v.kind == loop.F64 {
			return &scalar{f(nil, n)}
		}
	}
	l.fail("the comparison of a rule for values that are not real")
	return nil
}

// partNumber is the number of a part of what has a number.
func (l *lowerer) partNumber(n, part loop.Atom) loop.Atom {
	return l.let("n", loop.AddI, l.let("n", loop.MulI, n, loop.Int(61)),
		l.let("n", loop.AddI, part, loop.Int(1)))
}

// reduceReals combines what a function gives for the reals of two values of one shape.
func (l *lowerer) reduceReals(u, v value, op *loop.Op, init loop.Atom,
	f func(x, y loop.Atom) loop.Atom) loop.Atom {
	switch u := u.(type) {
	case *product:
		for i, part := range u.parts {
			init = l.reduceReals(part, v.(*product).parts[i], op, init, f)
		}
	case *array:
		v := v.(*array)
		l.check(l.let("equal", loop.EqI, u.n, v.n), l.at)
		if !hasReals(u) {
			break
		}
		neutral := loop.Atom(loop.Real(0)) // of sizes
		if op == loop.And {
			neutral = loop.Truth(true)
		}
		s := l.push()
		i := l.index(u.n)
		x := l.reduceReals(l.element(u, i), l.element(v, i), op, neutral, f)
		l.pop()
		r := l.fresh("total", op.Result)
		l.add(&loop.For{Index: i, Count: u.n, Parallel: true,
			Reds: []loop.Red{{Op: op, Init: init, Result: r}}, Body: s.Block(x)})
		return r
	case *scalar:
		if u.atom.AtomKind() == loop.F64 {
			return l.let("total", op, init, f(u.atom, l.plain(v)))
		}
	}
	return init
}
