package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// search compiles the primitives that look for something along a line: the function is
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
	c.emit(func(f *regs[T]) (err error) {
		f.r[local][d], err = eval(f)
		return err
	})
	return into
}
