package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Iterations enclosed]
//
// An iteration that looks for the x with g c x = 0 is enclosed as the formula that it is: x is what
// its steps give. The derivatives of the steps are not those of the solution, which are meant: an
// iteration that starts at the solution takes no step, and its derivatives would be 0. Nor would
// those of the solution be enclosed by the implicit function theorem, at an x that is near the
// solution and not the solution. So they are unknown, in all variables that move x or g c x. Where the
// iteration did not converge, `again` gives its steps, whose derivatives are meant.

// converging compiles an application of the row: `find x`, and, where variables are open, what
// `again` makes of it.
func (c *compiler) converging(s *core.Let, op *core.Prim, want *place) place {
	m, t, at := c.m, s.Var.Ty, s.At
	from, to := shapeOf(op.Args[2].Type()), shapeOf(t)
	into := c.into(want, to)
	find, again, arg := c.ref(op.Args[0]), c.ref(op.Args[1]), c.atom(op.Args[2])
	c.emit(func(f *regs) error {
		x, y := makeSlots(from), makeSlots(to)
		f.gather(arg, x)
		m.used += searchBytes
		defer func() { m.used -= searchBytes }()
		err := m.call(f.p[find.part][find.n].(*closure), x, []shape{from}, y)
		if n := m.order(); err == nil && n > 0 {
			y, err = m.leaves(at, t, []slots{y}, func(xs []jet.Jet) jet.Jet {
				return m.withoutDerivatives(m.Plain(xs[0]).Value(), 1, xs[0])
			})
			if err != nil {
				return err
			}
			args, result := join(slots{i: []int64{int64(n)}}, y), makeSlots(to)
			err = m.call(f.p[again.part][again.n].(*closure), args, []shape{{i: 1}, to}, result)
			y = result
		}
		if err != nil {
			return err
		}
		f.scatter(into, y)
		return nil
	})
	return into
}

// correction compiles an application of the row: zeros, whose derivatives are unknown in the
// variables that move the second argument.
func (c *compiler) correction(s *core.Let, op *core.Prim, want *place) place {
	m, into, from := c.m, c.into(want, shapeOf(s.Var.Ty)), c.ref(op.Args[1])
	c.emit(func(f *regs) error {
		xs := f.p[from.part][from.n].(*array)
		zero := m.withoutDerivatives(m.Float(0), 1, xs.slots.r...)
		zeros := make([]jet.Jet, xs.n)
		for k := range zeros {
			zeros[k] = zero
		}
		f.scatter(into, slots{p: []any{&array{xs.n, slots{r: zeros}}}})
		return nil
	})
	return into
}
