package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// search compiles the primitives that search along a line: the function is
// their last argument.
func (c *compiler[T]) search(s *core.Let, op *core.Prim, into place) place {
	m, at := c.m, s.At
	last := len(op.Args) - 1
	fun := c.ref(op.Args[last])
	bounds := c.atoms(op.Args[:last]).r
	bound := func(f *regs[T], k int) jet.Jet[T] { return f.r[bounds[k].part][bounds[k].n] }
	captured := func(f *regs[T]) *closure[T] { return f.p[fun.part][fun.n].(*closure[T]) }
	hidden := func(f *regs[T]) function[T] { return m.unwatched(m.function(captured(f))) }
	function := func(f *regs[T]) function[T] { return m.function(captured(f)) }

	if op.Prim.Name == "crosses" {
		d := into.i[0].n
		c.emit(func(f *regs[T]) error {
			var yes bool
			var reach T
			touched, err := m.watching(m.watch, func() (err error) {
				yes, reach, err = m.crosses(at, hidden(f))
				return err
			})
			if err == nil && touched {
				var moves map[jet.Tag]bool
				moves, err = m.movingEdges(at, m.Float(0), m.Const(reach), function(f))
				if err == nil && len(moves) > 0 {
					err = errUndecided
				}
			}
			if err == nil && m.fragile() {
				err = errUndecided
			}
			f.i[local][d] = truth(yes)
			return err
		})
		return into
	}
	var eval func(f *regs[T]) (jet.Jet[T], error)
	switch op.Prim.Name {
	case "integral":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.integral(at, bound(f, 0), bound(f, 1), hidden(f)) }
	case "integralFrom":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.integralFrom(at, bound(f, 0), hidden(f)) }
	case "root":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.root(at, bound(f, 0), bound(f, 1), hidden(f)) }
	case "cutRoot":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.cutRoot(at, hidden(f)) }
	case "firstRoot":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.firstRoot(at, hidden(f)) }
	case "maxOver":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.maxOver(at, bound(f, 0), bound(f, 1), hidden(f)) }
	case "argmaxOver":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.argmaxOver(at, bound(f, 0), bound(f, 1), hidden(f)) }
	}
	d := into.r[0].n
	integrates := op.Prim.Name == "integral" || op.Prim.Name == "integralFrom"
	c.emit(func(f *regs[T]) error {
		var y jet.Jet[T]
		touched, err := m.watching(m.watch, func() (err error) {
			y, err = eval(f)
			return err
		})
		if err == nil && touched && y.Known() {
			switch op.Prim.Name {
			case "integral", "integralFrom":
				m.integrated(at, y)
			case "root", "maxOver", "argmaxOver":
				y, err = m.steady(at, y, bound(f, 0), bound(f, 1), function(f))
			case "firstRoot": // f does not matter beyond it
				y, err = m.steady(at, y, m.Float(0), m.Const(m.N.Upper(y.Val())), function(f))
			}
		}
		if !integrates && y.Known() && m.fragile() {
			y = m.withoutDerivatives(y, 1, m.Unknown())
		}
		f.r[local][d] = y
		return err
	})
	return into
}

// fragile tells whether what a root or an optimum concludes from signs may hold here and for no
// neighbour of what is captured: on germs of which a constant vanished (Note [Germs]). x - c is
// positive next to the end c, until c moves; and the maximiser of (x - c) y, or the root that a
// comparison of x and c chooses, does not show that it depends on c.
func (c *ctx[T]) fragile() bool {
	g, ok := any(c.N).(germs)
	return ok && *g.vanished
}
