package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Shared values]
//
// Inlined functions of the library repeat one another. The sphere and the torus that a program
// turns by an angle compute in each call
//
//	x' = cos 0.9 * x + sin 0.9 * y      y' = cos 0.9 * y - sin 0.9 * x
//	(x' - 0) * (x' - 0)                 x'^2
//
// A search calls its function often, and an operation on jets costs far more than one on doubles,
// so the compiler finds equal expressions. It does so for rows that are smooth and defined
// everywhere: these decide nothing, report nothing and touch no edge, so that neither the sites of
// a frame nor its troubles depend on how often they are applied. Of them
//
//   - one of literals alone is a constant, which is computed with the literals;
//   - one with a neutral number is its other argument;
//   - x * x is x^2, whose enclosure is narrower: both factors are the same point of x;
//   - one that was computed before, in the block or in one around it, is not computed again. A slot
//     is written by one statement only, so that equal operands are equal values.

// expression is a smooth row that is applied to operands.
type expression struct {
	row  prim.ID
	x, y operand // y is the zero operand for rows of one real
	n    int64   // the exponent of a power
}

// shared compiles a row of reals that is smooth and defined everywhere; ok is false for others.
func (c *compiler) shared(op *core.Prim, want *place) (at place, ok bool) {
	row := op.Prim
	if n, ok := exponent(op); ok {
		if n == 1 {
			return c.atom(op.Args[0]), true
		}
		return c.compute(expression{row: prim.PowInt, x: c.real(op.Args[0]), n: n}, want), true
	}
	if row.Domain != "" || row.Singular != "" || row.KinkKind != prim.Smooth {
		return place{}, false
	}
	e := expression{row: row.ID}
	switch {
	case c.m.Binary(row.ID) != nil && len(op.Args) == 2:
		e.x, e.y = c.real(op.Args[0]), c.real(op.Args[1])
		switch {
		case row.Neutral.Right && c.isNumber(op.Args[1], row.Neutral.Number):
			return place{r: []operand{e.x}}, true
		case row.Neutral.Left && c.isNumber(op.Args[0], row.Neutral.Number):
			return place{r: []operand{e.y}}, true
		case row.ID == prim.Mul && e.x == e.y:
			e = expression{row: prim.PowInt, x: e.x, n: 2}
		}
	case c.m.Unary(row.ID) != nil && len(op.Args) == 1:
		e.x = c.real(op.Args[0])
	default:
		return place{}, false
	}
	return c.compute(e, want), true
}

// exponent is that of a whole power which is defined everywhere: a literal that is not negative.
func exponent(op *core.Prim) (n int64, ok bool) {
	if op.Prim.ID != prim.PowInt {
		return 0, false
	}
	l, ok := op.Args[1].(*core.Lit)
	if !ok || l.Int < 0 {
		return 0, false
	}
	return l.Int, true
}

// isNumber tells whether an atom is a literal of a number.
func (c *compiler) isNumber(a core.Atom, n int64) bool {
	l, ok := a.(*core.Lit)
	return ok && l.Ty == types.Real && l.Real.IsInt() && l.Real.Num().IsInt64() && l.Real.Num().Int64() == n
}

// compute is where the value of an expression lies, which is computed unless that is done already.
func (c *compiler) compute(e expression, want *place) place {
	if at, ok := c.folded[e]; ok {
		return at
	}
	if at, ok := c.computed[e]; ok {
		return at
	}
	m, x, y := c.m, e.x, e.y
	unary, binary := m.Unary(e.row), m.Binary(e.row)
	if e.row == prim.PowInt {
		unary = func(x jet.Jet) jet.Jet { return m.PowInt(x, e.n) }
	}
	if c.filled[x] && (unary != nil || c.filled[y]) {
		c.folded[e] = c.constR(func() jet.Jet {
			if unary != nil {
				return unary(m.consts.r[x.n])
			}
			return binary(m.consts.r[x.n], m.consts.r[y.n])
		})
		return c.folded[e]
	}
	into := c.into(want, shape{r: 1})
	c.computed[e] = into
	c.order = append(c.order, e)
	d := into.r[0].n
	if unary != nil {
		c.emit(func(f *regs) error {
			f.r[local][d] = unary(f.r[x.part][x.n])
			return nil
		})
	} else {
		c.emit(func(f *regs) error {
			f.r[local][d] = binary(f.r[x.part][x.n], f.r[y.part][y.n])
			return nil
		})
	}
	return into
}

// forget drops the expressions of a block, of which the first were those around it.
func (c *compiler) forget(first int) {
	for _, e := range c.order[first:] {
		delete(c.computed, e)
	}
	c.order = c.order[:first]
}
