package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The reals in a value of any type without functions are its leaves. A tangent
// or a cotangent of a value is a value of the same shape, and its reals are the
// components (Delta §11).

// eachRef calls f with the position and the type of each reference slot of a
// type.
func eachRef(t types.Type, f func(k int, t types.Type) error) error {
	k := 0
	var walk func(types.Type) error
	walk = func(t types.Type) error {
		switch t := types.Resolve(t).(type) {
		case *types.Basic:
			if t == types.String {
				k++
			}
			return nil
		case *types.Tuple:
			for _, e := range t.Elems {
				if err := walk(e); err != nil {
					return err
				}
			}
			return nil
		case *types.Record:
			for _, field := range t.Fields {
				if err := walk(field.Type); err != nil {
					return err
				}
			}
			return nil
		default:
			k++
			return f(k-1, t)
		}
	}
	return walk(t)
}

// leaves rebuilds a value with each real replaced by what f gives for the reals at
// that place in all of the values (which have the shape of the first one, or
// an error says that they have not).
func (m *machine) leaves(at diag.Span, t types.Type, vs []slots, f func(xs []jet.Jet) jet.Jet) (slots, error) {
	w := walker{m: m, at: at, f: f, xs: make([]jet.Jet, len(vs))}
	return w.value(t, vs)
}

// walker walks through several values of one type at once, from left to right.
type walker struct {
	m  *machine
	at diag.Span
	f  func(xs []jet.Jet) jet.Jet
	xs []jet.Jet
}

func (w *walker) value(t types.Type, vs []slots) (slots, error) {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		if t != types.Real {
			return vs[0], nil
		}
		for k, v := range vs {
			w.xs[k] = v.r[0]
		}
		return slots{r: []jet.Jet{w.f(w.xs)}}, nil
	case *types.Tuple:
		return w.parts(t.Elems, vs)
	case *types.Record:
		ts := make([]types.Type, len(t.Fields))
		for k, f := range t.Fields {
			ts[k] = f.Type
		}
		return w.parts(ts, vs)
	case *types.Array:
		return w.array(t, vs)
	case *types.Data:
		first := vs[0].p[0].(*data)
		inner := make([]slots, len(vs))
		for k, v := range vs {
			d := v.p[0].(*data)
			if d.con != first.con {
				cons := t.Decl.Cons
				return slots{}, w.mismatch("the constructors " + cons[first.con].Name + " and " + cons[d.con].Name)
			}
			inner[k] = d.slots
		}
		fields, err := w.parts(t.Decl.Cons[first.con].FieldTypes(t), inner)
		return slots{p: []any{&data{first.con, fields}}}, err
	}
	return vs[0], nil // a function, which derivatives do not reach
}

func (w *walker) parts(ts []types.Type, vs []slots) (slots, error) {
	var all slots
	var before shape
	inner := make([]slots, len(vs))
	for _, t := range ts {
		size := shapeOf(t)
		for k, v := range vs {
			inner[k] = v.part(before, size)
		}
		part, err := w.value(t, inner)
		if err != nil {
			return all, err
		}
		all.r, all.i, all.p = append(all.r, part.r...), append(all.i, part.i...), append(all.p, part.p...)
		before = before.plus(size)
	}
	return all, nil
}

func (w *walker) array(t *types.Array, vs []slots) (slots, error) {
	size := shapeOf(t.Elem)
	xs := make([]*array, len(vs))
	for k, v := range vs {
		if xs[k] = v.p[0].(*array); xs[k].n != xs[0].n {
			return slots{}, w.mismatch("arrays of different lengths")
		}
	}
	ys := makeArray(xs[0].n, size)
	inner := make([]slots, len(vs))
	for k := range ys.n {
		for j, x := range xs {
			inner[j] = x.at(k, size)
		}
		y, err := w.value(t.Elem, inner)
		if err != nil {
			return slots{}, err
		}
		y.copyTo(ys.at(k, size))
	}
	return slots{p: []any{ys}}, nil
}

func (w *walker) mismatch(what string) error {
	return diag.Errorf(diag.ShapesDiffer, w.at, "two values that should have one shape have not: %s", what)
}

// collect is the reals of a value, from left to right.
func (m *machine) collect(t types.Type, v slots) []jet.Jet {
	var xs []jet.Jet
	m.leaves(diag.Span{}, t, []slots{v}, func(x []jet.Jet) jet.Jet { // one value has one shape
		xs = append(xs, x[0])
		return x[0]
	})
	return xs
}

// replace is a value with its reals, from left to right, replaced by as many.
func (m *machine) replace(t types.Type, v slots, xs []jet.Jet) slots {
	k := -1
	w, _ := m.leaves(diag.Span{}, t, []slots{v}, func([]jet.Jet) jet.Jet {
		k++
		return xs[k]
	})
	return w
}

// onLeaves compiles the rows that act on the reals of a value.
func (c *compiler) onLeaves(s *core.Let, op *core.Prim, into place) place {
	m, at, row := c.m, s.At, op.Prim.ID
	m.stops = m.stops || op.Prim.Slope == prim.Stopped
	t := op.Args[len(op.Args)-1].Type() // of the value, but for withReals
	from := make([]place, len(op.Args))
	for k, a := range op.Args {
		from[k] = c.atom(a)
	}
	read := func(f *regs, k int) slots {
		v := makeSlots(from[k].shape())
		f.gather(from[k], v)
		return v
	}
	c.emit(func(f *regs) error {
		var result slots
		var err error
		switch row {
		case prim.AddReal:
			result, err = m.leaves(at, t, []slots{read(f, 0), read(f, 1)}, func(xs []jet.Jet) jet.Jet { return m.Add(xs[0], xs[1]) })
		case prim.ScaleReal:
			by := read(f, 0).r[0]
			result, err = m.leaves(at, t, []slots{read(f, 1)}, func(xs []jet.Jet) jet.Jet { return m.Mul(by, xs[0]) })
		case prim.InnerReal:
			sum := m.Float(0)
			_, err = m.leaves(at, t, []slots{read(f, 0), read(f, 1)}, func(xs []jet.Jet) jet.Jet {
				sum = m.Add(sum, m.Mul(xs[0], xs[1]))
				return sum
			})
			result.r = []jet.Jet{sum}
		case prim.Deviation:
			result.r = []jet.Jet{m.deviation(t, read(f, 0).r[0], read(f, 1).r[0], read(f, 2), read(f, 3), read(f, 4))}
		case prim.StopGradient:
			moves := false
			result, err = m.leaves(at, t, []slots{read(f, 0)}, func(xs []jet.Jet) jet.Jet {
				moves = moves || m.Moves(xs[0])
				return m.stopped(xs[0])
			})
			if m.proof && moves {
				return diag.Errorf(diag.Unproved, at, "the derivative of `%s` is not that of its value", op.Prim.Name)
			}
		case prim.Reals:
			xs := m.collect(t, read(f, 0))
			result.p = []any{&array{len(xs), slots{r: xs}}}
		case prim.WithReals:
			value, xs := read(f, 0), read(f, 1).p[0].(*array)
			have := op.Args[0].Type()
			if n := len(m.collect(have, value)); n != xs.n {
				return diag.Errorf(diag.ShapesDiffer, at, "a value with %d reals cannot take %d", n, xs.n)
			}
			result = m.replace(have, value, xs.r)
		}
		if err != nil {
			return err
		}
		f.scatter(into, result)
		return nil
	})
	return into
}

// deviation is the mean of the squares of errors, of values only: the derivatives of what is
// enclosed are those of the formula.
func (m *machine) deviation(t types.Type, absolute, relative jet.Jet, e, u, v slots) jet.Jet {
	square := func(x jet.Jet) jet.Jet { return m.Mul(x, x) }
	sum, us, vs := m.Zero(), m.collect(t, u), m.collect(t, v)
	errors := m.collect(t, e)
	for k, x := range errors {
		size := m.DivInt(m.Add(square(us[k]), square(vs[k])), 2)
		sum = m.Add(sum, m.Quo(square(x), m.Add(square(absolute), m.Mul(square(relative), size))))
	}
	return m.DivInt(sum, max(1, len(errors)))
}
