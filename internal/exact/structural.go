package exact

import (
	"sort"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// structural compiles the rows on values of any type.
func (c *compiler) structural(s *core.Let, op *core.Prim, want *place) place {
	m, at := c.m, s.At
	into := c.into(want, shapeOf(s.Var.Ty))
	integer := func(eval func(f *regs) (int64, error)) place {
		d := into.i[0].n
		c.emit(func(f *regs) (err error) {
			f.i[local][d], err = eval(f)
			return err
		})
		return into
	}
	reference := func(eval func(f *regs) (any, error)) place {
		d := into.p[0].n
		c.emit(func(f *regs) (err error) {
			f.p[local][d], err = eval(f)
			return err
		})
		return into
	}
	arg := func(n int) operand { return c.ref(op.Args[n]) }
	if op.Prim.Text != nil {
		return c.textRow(s, op, into)
	}
	switch op.Prim.Kind {
	case prim.Derivation:
		return c.derivative(s, op, into)
	case prim.Leaves:
		return c.onLeaves(s, op, into)
	case prim.Search:
		return c.search(s, op, into)
	case prim.Trajectory:
		switch op.Prim.ID {
		case prim.Jumps, prim.Narrow:
			return integer(func(*regs) (int64, error) { return 0, nil })
		case prim.Sided: // which is not reached
			c.emit(func(*regs) error { return errUndecided })
			return into
		}
		return c.flow(s, op, into)
	case prim.Update:
		xs, where, ys := arg(0), arg(1), arg(2)
		elem := types.Resolve(op.Args[0].Type()).(*types.Array).Elem
		return reference(func(f *regs) (any, error) {
			return m.scatter(at, f.arrayAt(xs), f.arrayAt(where).i, f.arrayAt(ys), elem, op.Prim.ID == prim.Accumulate)
		})
	}
	switch op.Prim.ID {
	case prim.Length:
		xs := arg(0)
		return integer(func(f *regs) (int64, error) { return int64(f.arrayAt(xs).n), nil })
	case prim.RowSize:
		rows := arg(0)
		return integer(func(f *regs) (int64, error) { return rowSize(at, f.arrayAt(rows)) })
	case prim.StringLength:
		text := arg(0)
		return integer(func(f *regs) (int64, error) {
			return int64(utf8.RuneCountInString(f.p[text.part][text.n].(string))), nil
		})
	case prim.StringAppend:
		x, y := arg(0), arg(1)
		return reference(func(f *regs) (any, error) {
			a, b := f.p[x.part][x.n].(string), f.p[y.part][y.n].(string)
			if err := m.room(at, int64(len(a)+len(b)), shape{i: 1}); err != nil {
				return nil, err
			}
			return a + b, nil
		})
	case prim.File:
		return c.file(s, op, into)
	case prim.Show:
		return c.show(s, op, into)
	case prim.Fail:
		message := arg(0)
		c.emit(func(f *regs) error {
			return diag.Errorf(diag.Failure, at, "%s", f.p[message.part][message.n].(string))
		})
		return into
	case prim.Inspect:
		return c.inspect(s, op, into)
	case prim.Note:
		return into // what a run has to say while it works is for the float evaluator
	case prim.Append:
		xs, ys := arg(0), arg(1)
		elem := elemShape(op.Args[0].Type())
		return reference(func(f *regs) (any, error) { return concat(m, at, elem, f.arrayAt(xs), f.arrayAt(ys)) })
	case prim.Flatten:
		rows := arg(0)
		elem := elemShape(types.Resolve(op.Args[0].Type()).(*types.Array).Elem)
		return reference(func(f *regs) (any, error) {
			all := f.arrayAt(rows)
			parts := make([]*array, all.n)
			for k := range parts {
				parts[k] = all.p[k].(*array)
			}
			return concat(m, at, elem, parts...)
		})
	case prim.SortIndices:
		xs := arg(0)
		elem := types.Resolve(op.Args[0].Type()).(*types.Array).Elem
		return reference(func(f *regs) (any, error) { return m.sortIndices(at, f.arrayAt(xs), elem) })
	}
	panic("exact: no evaluator of the row " + op.Prim.Name)
}

func rowSize(at diag.Span, rows *array) (int64, error) {
	size := -1
	for k := range rows.n {
		n := rows.p[k].(*array).n
		if k > 0 && n != size {
			return 0, diag.Errorf(diag.SizesDiffer, at, "the rows should have one length, but row 0 has %d and row %d has %d", size, k, n)
		}
		size = n
	}
	return int64(size), nil
}

func concat(m *machine, at diag.Span, elem shape, parts ...*array) (any, error) {
	n := int64(0)
	for _, xs := range parts {
		n += int64(xs.n)
	}
	if err := m.room(at, n, elem); err != nil {
		return nil, err
	}
	all := makeArray(int(n), elem)
	k := 0
	for _, xs := range parts {
		copy(all.r[k*elem.r:], xs.r)
		copy(all.i[k*elem.i:], xs.i)
		copy(all.p[k*elem.p:], xs.p)
		k += xs.n
	}
	return all, nil
}

// scatter replaces elements of a copy, or adds to them.
func (m *machine) scatter(at diag.Span, xs *array, where []int64, ys *array, elem types.Type, add bool) (any, error) {
	if ys.n != len(where) {
		return nil, sizesDiffer(at, len(where), ys.n)
	}
	size := shapeOf(elem)
	zs := makeArray(xs.n, size)
	xs.copyTo(zs.slots)
	for k, i := range where {
		if uint64(i) >= uint64(xs.n) {
			return nil, outOfRange(at, i, xs.n)
		}
		to, y := zs.at(int(i), size), ys.at(k, size)
		if !add {
			y.copyTo(to)
			continue
		}
		sum, err := m.add(at, elem, to, y)
		if err != nil {
			return nil, err
		}
		sum.copyTo(to)
	}
	return zs, nil
}

// add is the sum of two values of a type of class Add, componentwise.
func (m *machine) add(at diag.Span, t types.Type, x, y slots) (slots, error) {
	z := slots{}
	for k := range x.r {
		z.r = append(z.r, m.Add(x.r[k], y.r[k]))
	}
	plus := prim.Add.Row().Int.(prim.Int2)
	for k := range x.i {
		n, code := plus(x.i[k], y.i[k])
		if code != "" {
			return z, prim.Add.Row().Failure(at, code, x.i[k], y.i[k])
		}
		z.i = append(z.i, n)
	}
	err := eachRef(t, func(k int, t types.Type) error {
		elem := t.(*types.Array).Elem // the only references that can be added
		size := shapeOf(elem)
		a, b := x.p[k].(*array), y.p[k].(*array)
		if a.n != b.n {
			return sizesDiffer(at, a.n, b.n)
		}
		sum := makeArray(a.n, size)
		for j := range a.n {
			s, err := m.add(at, elem, a.at(j, size), b.at(j, size))
			if err != nil {
				return err
			}
			s.copyTo(sum.at(j, size))
		}
		z.p = append(z.p, sum)
		return nil
	})
	return z, err
}

// sortIndices sorts stably. Reals are compared as `<` does: a tie is undecided.
func (m *machine) sortIndices(at diag.Span, xs *array, elem types.Type) (any, error) {
	order := makeArray(xs.n, shape{i: 1})
	for k := range order.i {
		order.i[k] = int64(k)
	}
	size := shapeOf(elem)
	var failed error
	sort.SliceStable(order.i, func(a, b int) bool {
		if failed != nil {
			return false
		}
		c, err := m.compare(at, elem, xs.at(int(order.i[a]), size), xs.at(int(order.i[b]), size))
		failed = err
		return c < 0
	})
	return order, failed
}

// compare orders two values of a type of class Cmp.
func (m *machine) compare(at diag.Span, t types.Type, x, y slots) (int, error) {
	switch t := types.Resolve(t).(type) {
	case *types.Basic:
		switch t {
		case types.Real:
			v, w := x.r[0], y.r[0]
			if element := (operand{part: local}); m.settled(element, v) && m.settled(element, w) && m.same(v, w) {
				m.frame.sites++
				return 0, nil
			}
			side := m.side(at, v, w, true)
			if side == 0 {
				return 0, errUndecided
			}
			return side, nil
		case types.String:
			return order(x.p[0].(string), y.p[0].(string)), nil
		}
		return order(x.i[0], y.i[0]), nil
	case *types.Tuple:
		return m.compareAll(at, t.Elems, x, y)
	case *types.Record:
		fields := make([]types.Type, len(t.Fields))
		for k, f := range t.Fields {
			fields[k] = f.Type
		}
		return m.compareAll(at, fields, x, y)
	case *types.Array:
		a, b := x.p[0].(*array), y.p[0].(*array)
		size := shapeOf(t.Elem)
		if a.n != b.n {
			return order(a.n, b.n), nil
		}
		for k := range a.n {
			if c, err := m.compare(at, t.Elem, a.at(k, size), b.at(k, size)); c != 0 || err != nil {
				return c, err
			}
		}
		return 0, nil
	case *types.Data:
		a, b := x.p[0].(*data), y.p[0].(*data)
		if a.con != b.con {
			return order(a.con, b.con), nil
		}
		return m.compareAll(at, t.Decl.Cons[a.con].FieldTypes(t), a.slots, b.slots)
	}
	panic("exact: values of this type have no order: " + types.Show(t))
}

func (m *machine) compareAll(at diag.Span, ts []types.Type, x, y slots) (int, error) {
	var before shape
	for _, t := range ts {
		size := shapeOf(t)
		if c, err := m.compare(at, t, x.part(before, size), y.part(before, size)); c != 0 || err != nil {
			return c, err
		}
		before = before.plus(size)
	}
	return 0, nil
}

func order[E int | int64 | string](a, b E) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// show is a value as text, which a real has not: its digits are not known.
func (c *compiler) show(s *core.Let, op *core.Prim, into place) place {
	m, at, t := c.m, s.At, op.Args[0].Type()
	from, d := c.atom(op.Args[0]), into.p[0].n
	size := from.shape()
	c.emit(func(f *regs) error {
		v := makeSlots(size)
		f.gather(from, v)
		hasReal := false
		tree := m.export(t, v, func(jet.Jet) value.Value {
			hasReal = true
			return value.Int(0)
		})
		if hasReal {
			return diag.Errorf(diag.NoText, at, "a real has no text in exact evaluation").
				WithHint("round it to an integer first")
		}
		var err error
		more := func() bool { err = m.check(at); return err == nil }
		n, ok := value.Length(tree, more)
		if !ok {
			return err
		}
		if err := m.room(at, n, shape{i: 1}); err != nil {
			return err
		}
		f.p[local][d], ok = value.ShowIn(n, tree, more)
		if !ok {
			return err
		}
		return nil
	})
	return into
}
