package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Powers of sets]. The row `**` is a function of two arguments on x > 0 only; Note
// [Powers] of package prim says what it is elsewhere, which depends on what varies:
//
//   - A whole exponent that does not vary makes it `^`: Note [Equal constants].
//   - At the edge x = 0 the derivative in x exists if x varies only where x >= 0. That is so if
//     x depends only on arguments of integrands, which do not leave their cells, and if x
//     cannot be negative by its form: `abs t ** 1.5` has the slope 0 at 0, `t ** 1.5` has none.

// power compiles x ** y.
func (c *compiler) power(row *prim.Prim, at diag.Span, args []core.Atom, d int) {
	m := c.m
	x, y := c.real(args[0]), c.real(args[1])
	inside := c.neverNegative(args[0])
	c.emit(func(f *regs) error {
		v, w := f.r[x.part][x.n], f.r[y.part][y.n]
		n, whole := m.whole(w)
		whole = whole && m.settled(y, w)
		if !whole || n < 0 {
			v = m.edge(at, v)
		}
		var r jet.Jet
		if whole {
			r = m.PowInt(v, n)
		} else {
			if !inside {
				m.touch(at, v)
			}
			r = m.Pow(v, w, inside || m.onlyRanges(v))
		}
		if !r.Known() || m.explaining {
			m.explain(at, row, r, v, w)
		}
		f.r[local][d] = r
		return nil
	})
}

// whole is the integer that the value of a jet is, if it is one of moderate size.
func (c *ctx) whole(x jet.Jet) (n int64, ok bool) {
	if !x.Known() || !c.N.IsPoint(x.Val()) {
		return 0, false
	}
	lo, hi := c.N.Ends(x.Val())
	n = int64(lo)
	return n, lo == hi && -1<<31 < lo && lo < 1<<31 && float64(n) == lo
}

// onlyRanges tells whether every variable that x depends on is the argument of an integrand.
func (c *ctx) onlyRanges(x jet.Jet) bool {
	for i, ranging := range c.ranging {
		if tag := jet.Tag(i + 1); tag >= c.Floor && !ranging && x.Has(tag) {
			return false
		}
	}
	return true
}

// neverNegative tells whether an atom is at least 0 by its form, wherever it has a value.
func (c *compiler) neverNegative(a core.Atom) bool {
	switch a := a.(type) {
	case *core.Lit:
		return a.Real != nil && a.Real.Sign() >= 0
	case *core.Var:
		return c.nonNegative[a]
	}
	return false
}

// noteForm records whether the result of a primitive is never negative.
func (c *compiler) noteForm(result *core.Var, op *core.Prim) {
	all := func() bool {
		return !slices.ContainsFunc(op.Args, func(a core.Atom) bool { return !c.neverNegative(a) })
	}
	never := false
	switch op.Prim.SignRule {
	case prim.NeverNegative:
		never = true
	case prim.IfAll:
		never = all()
	case prim.IfAny:
		never = slices.ContainsFunc(op.Args, c.neverNegative)
	case prim.Product:
		never = op.Args[0] == op.Args[1] || all()
	case prim.Power:
		n, ok := op.Args[1].(*core.Lit)
		never = ok && n.Int%2 == 0 || c.neverNegative(op.Args[0])
	}
	if never {
		c.nonNegative[result] = true
	}
}
