package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// prim lowers an application of a row of the table.
func (l *lowerer) prim(let *core.Let, op *core.Prim, env *env) value {
	if rule := structural[op.Prim.Name]; rule != nil {
		return rule(l, let, op, env)
	}
	if asDefined[op.Prim.Name] {
		return l.inner(diff.Defined(op, l.at), env)
	}
	if rule := integers[op.Prim.Name]; rule != nil && types.Resolve(op.Args[0].Type()) == types.Type(types.Int) {
		return l.maybeTotal(op, env, func(args []loop.Atom) value { return &scalar{rule(l, args)} })
	}
	if compare := comparisons[op.Prim.Name]; compare != nil {
		return l.comparison(compare, op, env)
	}
	switch f := op.Prim.Float.(type) {
	case prim.Constant:
		return &scalar{loop.Real(f)}
	case prim.FromInt:
		return &scalar{l.let("x", loop.ToReal, l.scalar(op.Args[0], env))}
	case prim.Round:
		return &scalar{l.rounded(roundings[op.Prim.Name], l.scalar(op.Args[0], env))}
	case prim.Bool1:
		return &scalar{l.not(l.scalar(op.Args[0], env))}
	}
	row := loop.OfPrim(op.Prim)
	switch op.Prim.Name {
	case "scale", "inner":
		row = loop.MulF
	}
	if row == nil {
		l.fail("the primitive %s", op.Prim.Name)
	}
	return l.maybeTotal(op, env, func(args []loop.Atom) value { return &scalar{l.let("x", row, args...)} })
}

// asDefined are the rows over arrays that are what their definitions are, also in which matrices they
// refuse. Others refuse matrices that are singular to the precision of doubles, which takes a condition
// number.
var asDefined = map[string]bool{
	"matMul": true, "matMulTN": true, "matMulNT": true, "matVec": true, "vecMat": true, "outer": true,
}

// maybeTotal applies a row to scalars, one of which may be a total.
func (l *lowerer) maybeTotal(op *core.Prim, env *env, f func(args []loop.Atom) value) value {
	values := l.atoms(op.Args, env)
	atoms := make([]loop.Atom, len(values))
	for i, v := range values {
		if _, ok := v.(*pending); ok {
			return l.combine(op.Prim.Name, values)
		}
		atoms[i] = l.plain(v)
	}
	return f(atoms)
}

// comparisons are the operations on reals and on integers that a comparison is, and whether
// its arguments are exchanged.
var comparisons = map[string]*struct {
	real, int *loop.Op
	swap      bool
}{
	"<":  {loop.LtF, loop.LtI, false},
	"<=": {loop.LeF, loop.LeI, false},
	">":  {loop.LtF, loop.LtI, true},
	">=": {loop.LeF, loop.LeI, true},
	"==": {nil, loop.EqI, false},
	"!=": {nil, loop.NeI, false},
}

func (l *lowerer) comparison(c *struct {
	real, int *loop.Op
	swap      bool
}, op *core.Prim, env *env) value {
	x, y := l.scalar(op.Args[0], env), l.scalar(op.Args[1], env)
	if c.swap {
		x, y = y, x
	}
	switch x.AtomKind() {
	case loop.F64:
		return boolean(l.let("b", c.real, x, y))
	case loop.Bool:
		x, y = l.word(x), l.word(y)
	}
	return boolean(l.let("b", c.int, x, y))
}

var roundings = map[string]*loop.Op{"floor": loop.FloorF, "ceil": loop.CeilF, "trunc": loop.TruncF, "round": loop.RoundF}

// rounded is a real as an integer, if it fits one.
func (l *lowerer) rounded(how *loop.Op, x loop.Atom) loop.Atom {
	r := l.let("r", how, x)
	l.check(l.let("low", loop.LeF, loop.Real(-0x1p63), r), l.at)
	l.check(l.let("high", loop.LtF, r, loop.Real(0x1p63)), l.at)
	return l.let("n", loop.ToInt, r)
}

// integers are the rows on Int.
var integers map[string]func(l *lowerer, args []loop.Atom) loop.Atom

func init() {
	checked := func(op, over *loop.Op) func(l *lowerer, args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom {
			if _, ok := exactSpan(op, l.span(args[0]), l.span(args[1])); !ok && !l.rule {
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
			if l.span(args[0]).lo == math.MinInt64 && l.span(args[1]).lo < 0 {
				l.check(l.let("fits", loop.NeI, args[1], loop.Int(-1)), l.at)
			}
			n := l.let("n", op, args...)
			if v, ok := n.(*loop.Var); ok && op == loop.ModI && l.span(args[1]).lo >= 0 {
				l.below[v] = args[1]
			}
			return n
		}
	}
	shift := func(op *loop.Op, beyond func(l *lowerer, a loop.Atom) loop.Atom) func(l *lowerer, args []loop.Atom) loop.Atom {
		return func(l *lowerer, args []loop.Atom) loop.Atom {
			l.check(l.let("shift", loop.LeI, loop.Int(0), args[1]), l.at)
			far := l.let("far", loop.LtI, loop.Int(63), args[1])
			return l.let("n", loop.SelI, far, beyond(l, args[0]), l.let("n", op, args...))
		}
	}
	add, sub, mul := checked(loop.AddI, loop.AddOver), checked(loop.SubI, loop.SubOver), checked(loop.MulI, loop.MulOver)
	integers = map[string]func(l *lowerer, args []loop.Atom) loop.Atom{
		"+": add, "-": sub, "*": mul,
		"neg": func(l *lowerer, args []loop.Atom) loop.Atom { return sub(l, []loop.Atom{loop.Int(0), args[0]}) },
		"abs": func(l *lowerer, args []loop.Atom) loop.Atom {
			negative := sub(l, []loop.Atom{loop.Int(0), args[0]})
			return l.let("n", loop.MaxI, args[0], negative)
		},
		"max": plain(loop.MaxI), "min": plain(loop.MinI),
		"div": quotient(loop.DivI), "mod": quotient(loop.ModI),
		"bitAnd": plain(loop.AndI), "bitOr": plain(loop.OrI), "bitXor": plain(loop.XorI),
		"shiftLeft": shift(loop.ShlI, func(*lowerer, loop.Atom) loop.Atom { return loop.Int(0) }),
		"shiftRight": shift(loop.ShrI, func(l *lowerer, a loop.Atom) loop.Atom {
			return l.let("n", loop.ShrI, a, loop.Int(63))
		}),
		"mix": mix,
		"^":   intPower,
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

// intPower is a power of an integer by a literal.
func intPower(l *lowerer, args []loop.Atom) loop.Atom {
	c, ok := args[1].(*loop.Const)
	if !ok || c.I < 0 || c.I > 64 {
		l.fail("a power of an integer")
	}
	r := loop.Atom(loop.Int(1))
	for range c.I {
		r = integers["*"](l, []loop.Atom{r, args[0]})
	}
	return r
}
