package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// prim lowers an application of a row of the table.
func (l *lowerer) prim(let *core.Let, op *core.Prim, env *env) value {
	if rule := structural[op.Prim.ID]; rule != nil {
		return rule(l, let, op, env)
	}
	if op.Prim.Regular != "" {
		return l.defining(op, env)
	}
	if rule := integers[op.Prim.ID]; rule != nil &&
		types.Resolve(op.Args[0].Type()) == types.Type(types.Int) {
		return l.maybeTotal(op, env, func(args []loop.Atom) value { return &scalar{rule(l, args)} })
	}
	if op.Prim.Order != 0 {
		return l.comparison(op, env)
	}
	switch f := op.Prim.Float.(type) {
	case prim.Constant:
		return &scalar{loop.Real(f)}
	case prim.FromInt:
		n := l.scalar(op.Args[0], env)
		if l.rule && n.AtomKind() == loop.F64 {
			return &scalar{n}
		}
		return &scalar{l.let("x", loop.ToReal, n)}
	case prim.ToInt:
		return &scalar{l.rounded(roundings[op.Prim.ID], l.scalar(op.Args[0], env))}
	case prim.Bool1:
		return &scalar{l.not(l.scalar(op.Args[0], env))}
	}
	row := loop.OfPrim(op.Prim)
	if row == nil {
		l.fail("the primitive %s", op.Prim.Name)
	}
	return l.maybeTotal(op, env, func(args []loop.Atom) value {
		return &scalar{l.let("x", row, args...)}
	})
}

// mostDefined bounds the columns of a matrix that is factored by a definition: larger ones are left
// to the interpreter, whose rows of linear algebra are as fast and have derivatives that take less
// memory.
const mostDefined = 64

// defining applies a row over arrays by its definition, where that gives what the row does. Whether
// it does is decided by numbers that are not differentiated.
func (l *lowerer) defining(op *core.Prim, env *env) value {
	regular := rules.Regular(op.Prim)
	if types.Resolve(op.Args[0].Type()) == types.Type(types.Int) {
		return l.definingReal(op, regular, env)
	}
	if regular != nil {
		if row, ok := l.array(op.Args[0], env).elem.(*array); ok {
			l.check(l.let("few", loop.LeI, row.n, loop.Int(mostDefined)), l.at)
		}
	}
	v := l.inner(rules.Defined(op, l.at), env)
	if regular != nil {
		args := append(l.atoms(op.Args, env), v)
		for i, x := range args {
			x = l.defined(x)
			args[i] = l.zipReals(x, x, func(x, _ loop.Atom) loop.Atom { return l.stopped(x) })
		}
		l.check(l.plain(l.inline(regular, nil, args)), l.at)
	}
	return v
}

// definingReal applies a row over reals by its definition. A rule asks only for what its definition
// covers.
func (l *lowerer) definingReal(op *core.Prim, regular *core.Lambda, env *env) value {
	v := l.inner(rules.Defined(op, l.at), env)
	if !l.rule {
		l.check(l.plain(l.inline(regular, nil, append(l.atoms(op.Args, env), v))), l.at)
	}
	return v
}

// maybeTotal applies a row to scalars, one of which may be a total.
func (l *lowerer) maybeTotal(op *core.Prim, env *env, f func(args []loop.Atom) value) value {
	values := l.atoms(op.Args, env)
	atoms := make([]loop.Atom, len(values))
	for i, v := range values {
		if _, ok := v.(*pending); ok {
			return l.combine(op.Prim.ID, values)
		}
		atoms[i] = l.plain(v)
	}
	return f(atoms)
}

// realTests and intTests are the operations that comparisons are, but for those whose sides are
// exchanged.
var (
	realTests = [...]*loop.Op{prim.Less: loop.LtF, prim.Less | prim.Equal: loop.LeF}
	intTests  = [...]*loop.Op{prim.Less: loop.LtI, prim.Less | prim.Equal: loop.LeI,
		prim.Equal: loop.EqI, prim.Less | prim.Greater: loop.NeI}
)

func (l *lowerer) comparison(op *core.Prim, env *env) value {
	order, x, y := op.Prim.Order, l.scalar(op.Args[0], env), l.scalar(op.Args[1], env)
	if order&(prim.Less|prim.Greater) == prim.Greater {
		order, x, y = order.Mirrored(), y, x
	}
	switch x.AtomKind() {
	case loop.F64:
		return boolean(l.let("b", realTests[order], x, y))
	case loop.Bool:
		x, y = l.word(x), l.word(y)
	}
	return boolean(l.let("b", intTests[order], x, y))
}

var roundings = [prim.Count]*loop.Op{prim.Floor: loop.FloorF, prim.Ceil: loop.CeilF,
	prim.Trunc: loop.TruncF, prim.Round: loop.RoundF}

// rounded is a real as an integer, if it fits one.
func (l *lowerer) rounded(how *loop.Op, x loop.Atom) loop.Atom {
	r := l.let("r", how, x)
	if l.rule {
		return r
	}
	l.check(l.let("low", loop.LeF, loop.Real(-0x1p63), r), l.at)
	l.check(l.let("high", loop.LtF, r, loop.Real(0x1p63)), l.at)
	return l.let("n", loop.ToInt, r)
}

// integers are the rows on Int.
var integers [prim.Count]func(l *lowerer, args []loop.Atom) loop.Atom

func init() {
	checked := func(op, over *loop.Op) func(l *lowerer, args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom {
			if _, ok := facts.Exact(op, l.span(args[0]), l.span(args[1])); !ok && !l.rule {
				l.check(l.not(l.let("over", over, args...)), l.at)
			}
			return l.let("n", op, args...)
		}
	}
	plain := func(op *loop.Op) func(l *lowerer, args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom { return l.let("n", op, args...) }
	}
	quotient := func(op *loop.Op) func(l *lowerer, args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom {
			l.check(l.let("divides", loop.NeI, args[1], loop.Int(0)), l.at)
			if l.span(args[0]).Lo == math.MinInt64 && l.span(args[1]).Lo < 0 {
				l.check(l.let("fits", loop.NeI, args[1], loop.Int(-1)), l.at)
			}
			n := l.let("n", op, args...)
			if v, ok := n.(*loop.Var); ok && op == loop.ModI && l.span(args[1]).Lo >= 0 {
				l.below[v] = args[1]
			}
			return n
		}
	}
	shift := func(op *loop.Op, beyond func(l *lowerer, a loop.Atom) loop.Atom) func(l *lowerer,
		args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom {
			l.check(l.let("shift", loop.LeI, loop.Int(0), args[1]), l.at)
			far := l.let("far", loop.LtI, loop.Int(63), args[1])
			return l.let("n", loop.SelI, far, beyond(l, args[0]), l.let("n", op, args...))
		}
	}
	add, sub, mul := checked(loop.AddI, loop.AddOver), checked(loop.SubI,
		loop.SubOver), checked(loop.MulI, loop.MulOver)
	integers = [prim.Count]func(l *lowerer, args []loop.Atom) loop.Atom{
		prim.Add: add, prim.Sub: sub, prim.Mul: mul,
		prim.Neg: func(l *lowerer, args []loop.Atom) loop.Atom {
			return sub(l, []loop.Atom{loop.Int(0), args[0]})
		},
		prim.Abs: func(l *lowerer, args []loop.Atom) loop.Atom {
			negative := sub(l, []loop.Atom{loop.Int(0), args[0]})
			return l.let("n", loop.MaxI, args[0], negative)
		},
		prim.Max: plain(loop.MaxI), prim.Min: plain(loop.MinI),
		prim.Div: quotient(loop.DivI), prim.Mod: quotient(loop.ModI),
		prim.BitAnd: plain(loop.AndI), prim.BitOr: plain(loop.OrI), prim.BitXor: plain(loop.XorI),
		prim.ShiftLeft: shift(loop.ShlI, func(*lowerer, loop.Atom) loop.Atom {
			return loop.Int(0)
		}),
		prim.ShiftRight: shift(loop.ShrI, func(l *lowerer, a loop.Atom) loop.Atom {
			return l.let("n", loop.ShrI, a, loop.Int(63))
		}),
		prim.Mix:    mix,
		prim.PowInt: intPower,
	}
}

// mix is the row of that name: SplitMix64.
func mix(l *lowerer, args []loop.Atom) loop.Atom {
	word := func(w uint64) loop.Atom { return loop.Int(int64(w)) }
	z := l.plus(args[0], l.times(l.plus(args[1], loop.Int(1)), word(0x9e3779b97f4a7c15)))
	fold := func(z loop.Atom, by int64) loop.Atom {
		return l.let("z", loop.XorI, z, l.let("z", loop.ShrU, z, loop.Int(by)))
	}
	z = l.times(fold(z, 30), word(0xbf58476d1ce4e5b9))
	z = l.times(fold(z, 27), word(0x94d049bb133111eb))
	return fold(z, 31)
}

// mostPower bounds the exponents of integers: beyond it, all powers but those of 0, 1 and -1
// overflow.
const mostPower = 64

// intPower is a power of an integer: by a literal a product, and else a loop.
func intPower(l *lowerer, args []loop.Atom) loop.Atom {
	times := func(r loop.Atom) loop.Atom { return integers[prim.Mul](l, []loop.Atom{r, args[0]}) }
	if c, ok := args[1].(*loop.Const); ok && 0 <= c.I && c.I <= mostPower {
		r := loop.Atom(loop.Int(1))
		for range c.I {
			r = times(r)
		}
		return r
	}
	l.check(l.let("low", loop.LeI, loop.Int(0), args[1]), l.at)
	l.check(l.let("high", loop.LeI, args[1], loop.Int(mostPower)), l.at)
	power := l.sequential(args[1], &scalar{loop.Int(1)}, func(_ *loop.Var, r value) value {
		return &scalar{times(l.plain(r))}
	})
	return l.plain(power)
}
