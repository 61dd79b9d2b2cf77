package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// search compiles the primitives that search, along a line: the function is
// their last argument.
func (c *compiler) search(s *core.Let, op *core.Prim, into place) place {
	if op.Prim.Over != 0 {
		return c.boxSearch(s, op, into)
	}
	m, at, row := c.m, s.At, op.Prim.ID
	last := len(op.Args) - 1
	fun := c.ref(op.Args[last])
	from := c.atoms(op.Args[:last]).r
	captured := func(f *regs) *closure { return f.p[fun.part][fun.n].(*closure) }
	if row == prim.Crosses {
		d := into.i[0].n
		c.emit(func(f *regs) error {
			yes, err := m.decideCrossing(at, captured(f))
			f.i[local][d] = truth(yes)
			return err
		})
		return into
	}
	d := into.r[0].n
	c.emit(func(f *regs) error {
		var bounds [2]jet.Jet
		for k, o := range from {
			bounds[k] = f.r[o.part][o.n]
		}
		y, err := m.search(row, at, bounds[0], bounds[1], captured(f))
		f.r[local][d] = y
		return err
	})
	return into
}

// search runs a primitive that searches for a real; some have no use for a or b.
func (m *machine) search(row prim.ID, at diag.Span, a, b jet.Jet, fun *closure) (y jet.Jet, err error) {
	if row != prim.Integral && m.refuses() {
		return m.Unknown(), nil
	}
	defer m.searches()()
	f := m.function(fun)
	hidden := m.unwatched(f)
	touched, err := m.watching(m.watch, func() (err error) {
		switch row {
		case prim.Integral:
			y, err = m.integral(at, a, b, hidden)
		case prim.IntegralFrom:
			y, err = m.integralFrom(at, a, hidden)
		case prim.Root:
			y, err = m.root(at, a, b, hidden)
		case prim.CutRoot:
			y, err = m.cutRoot(at, hidden)
		case prim.FirstRoot:
			y, err = m.firstRoot(at, hidden, fun)
		case prim.MaxOver:
			y, err = m.maxOver(at, a, b, hidden)
		case prim.ArgmaxOver:
			y, err = m.argmaxOver(at, a, b, hidden)
		}
		return err
	})
	if err == nil && touched && y.Known() {
		switch row {
		case prim.Integral, prim.IntegralFrom:
			m.integrated(at, y)
		case prim.Root, prim.MaxOver, prim.ArgmaxOver:
			y, err = m.steady(at, y, a, b, f)
		case prim.FirstRoot: // f does not matter beyond it
			y, err = m.steady(at, y, m.Float(0), m.Const(m.N.Upper(y.Val())), f)
		}
	}
	integrates := row == prim.Integral || row == prim.IntegralFrom
	if !integrates && y.Known() && m.fragile() {
		y = m.withoutDerivatives(y, 1, m.Unknown())
	}
	return y, err
}

// decideCrossing tells whether a function has a first root.
func (m *machine) decideCrossing(at diag.Span, fun *closure) (yes bool, err error) {
	if m.refuses() {
		return false, errUndecided
	}
	defer m.searches()()
	f := m.function(fun)
	var reach jet.Set
	touched, err := m.watching(m.watch, func() (err error) {
		yes, reach, err = m.crosses(at, m.unwatched(f), fun)
		return err
	})
	if err == nil && touched {
		var moves map[jet.Tag]bool
		moves, err = m.movingEdges(at, m.Float(0), m.Const(reach), f)
		if err == nil && len(moves) > 0 {
			err = errUndecided
		}
	}
	if err == nil && m.fragile() {
		err = errUndecided
	}
	return yes, err
}

// fragile tells whether what a root or an optimum concludes from signs may hold here and for no
// neighbour of what is captured: on germs of which a constant vanished (Note [Germs]). x - c is
// positive next to the end c, until c moves; and the maximiser of (x - c) y, or the root that a
// comparison of x and c chooses, does not show that it depends on c.
func (c *ctx) fragile() bool {
	g, ok := germinal(c.N)
	return ok && *g.vanished
}
