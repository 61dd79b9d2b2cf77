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
	function := func(f *regs[T]) function[T] { return m.function(f.p[fun.part][fun.n].(*closure[T])) }

	if op.Prim.Name == "crosses" {
		d := into.i[0].n
		c.emit(func(f *regs[T]) error {
			yes, err := m.crosses(at, function(f))
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
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.integral(at, bound(f, 0), bound(f, 1), function(f)) }
	case "integralFrom":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.integralFrom(at, bound(f, 0), function(f)) }
	case "root":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.root(at, bound(f, 0), bound(f, 1), function(f)) }
	case "cutRoot":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.cutRoot(at, function(f)) }
	case "firstRoot":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.firstRoot(at, function(f)) }
	case "maxOver":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.maxOver(at, bound(f, 0), bound(f, 1), function(f)) }
	case "argmaxOver":
		eval = func(f *regs[T]) (jet.Jet[T], error) { return m.argmaxOver(at, bound(f, 0), bound(f, 1), function(f)) }
	}
	d := into.r[0].n
	integrates := op.Prim.Name == "integral" || op.Prim.Name == "integralFrom"
	c.emit(func(f *regs[T]) error {
		y, err := eval(f)
		if !integrates && y.Known() && m.fragile() {
			y = m.withoutDerivatives(y, 1, m.Unknown())
		}
		f.r[local][d] = y
		return err
	})
	return into
}

// fragile tells whether what a root or an optimum concludes from signs may hold here and for no neighbour
// of what is captured: on germs of which a constant vanished (Note [Germs]). x - c is positive
// next to the end c, until c moves; and the maximiser of (x - c) y, or the root that a
// comparison of x and c chooses, does not show that it depends on c.
func (c *ctx[T]) fragile() bool {
	g, ok := any(c.N).(germs)
	return ok && *g.vanished
}
