package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// elemShape is the shape of the elements of an array type.
func elemShape(t types.Type) shape { return shapeOf(types.Resolve(t).(*types.Array).Elem) }

// arrayAt reads a reference slot that holds an array.
func (f *regs) arrayAt(o operand) *array { return f.p[o.part][o.n].(*array) }

func (c *compiler) array(op *core.Array, want *place) place {
	from := c.atoms(op.Elems)
	into := c.into(want, shape{p: 1})
	n, size, d := len(op.Elems), from.shape(), into.p[0].n
	c.emit(func(f *regs) error {
		xs := &array{n, makeSlots(size)}
		f.gather(from, xs.slots)
		f.p[local][d] = xs
		return nil
	})
	return into
}

func (c *compiler) build(s *core.Let, op *core.Build, want *place) place {
	m, at := c.m, s.At
	size := c.int(op.Size)
	index := c.fresh(shape{i: 1})
	c.env[op.Index] = index
	elem := shapeOf(op.Body.Result.Type())
	result := c.fresh(elem)
	body := c.block(iterationBytes, op.Body, result, false)
	into := c.into(want, shape{p: 1})
	d, i := into.p[0].n, index.i[0].n
	c.emit(func(f *regs) error {
		n := f.i[size.part][size.n]
		if n < 0 {
			return negativeSize(at, n)
		}
		if err := m.room(at, n, elem); err != nil {
			return err
		}
		xs := makeArray(int(n), elem)
		for k := range xs.n {
			if err := m.tick(at); err != nil {
				return err
			}
			f.i[local][i] = int64(k)
			if err := run(body, f); err != nil {
				return err
			}
			f.gather(result, xs.at(k, elem))
		}
		f.p[local][d] = xs
		return nil
	})
	return into
}

func (c *compiler) mapArrays(s *core.Let, op *core.Map, want *place) place {
	m, at := c.m, s.At
	sources := make([]operand, len(op.Arrays))
	shapes := make([]shape, len(op.Arrays))
	params := make([]place, len(op.Arrays))
	for k, a := range op.Arrays {
		sources[k], shapes[k] = c.ref(a), elemShape(a.Type())
		params[k] = c.fresh(shapes[k])
		c.env[op.Params[k]] = params[k]
	}
	elem := shapeOf(op.Body.Result.Type())
	result := c.fresh(elem)
	body := c.block(iterationBytes, op.Body, result, false)
	into := c.into(want, shape{p: 1})
	d := into.p[0].n
	c.emit(func(f *regs) error {
		n := f.arrayAt(sources[0]).n
		for _, o := range sources[1:] {
			if l := f.arrayAt(o).n; l != n {
				return sizesDiffer(at, n, l)
			}
		}
		if err := m.room(at, int64(n), elem); err != nil {
			return err
		}
		xs := makeArray(n, elem)
		for k := range n {
			if err := m.tick(at); err != nil {
				return err
			}
			for j, o := range sources {
				f.scatter(params[j], f.arrayAt(o).at(k, shapes[j]))
			}
			if err := run(body, f); err != nil {
				return err
			}
			f.gather(result, xs.at(k, elem))
		}
		f.p[local][d] = xs
		return nil
	})
	return into
}

func (c *compiler) index(s *core.Let, op *core.Index, want *place) place {
	at, of, where := s.At, c.ref(op.Of), c.int(op.At)
	elem := elemShape(op.Of.Type())
	into := c.into(want, elem)
	c.emit(func(f *regs) error {
		xs, k := f.arrayAt(of), f.i[where.part][where.n]
		if uint64(k) >= uint64(xs.n) {
			return outOfRange(at, k, xs.n)
		}
		f.scatter(into, xs.at(int(k), elem))
		return nil
	})
	return into
}

func (c *compiler) slice(s *core.Let, op *core.Slice, want *place) place {
	at, of, lo, hi := s.At, c.ref(op.Of), c.int(op.Lo), c.int(op.Hi)
	elem := elemShape(op.Of.Type())
	into := c.into(want, shape{p: 1})
	d := into.p[0].n
	c.emit(func(f *regs) error {
		xs, a, b := f.arrayAt(of), f.i[lo.part][lo.n], f.i[hi.part][hi.n]
		if a < 0 || b < a || b > int64(xs.n) {
			return badSlice(at, a, b, xs.n)
		}
		i, j := int(a), int(b)
		f.p[local][d] = &array{j - i, slots{
			xs.r[i*elem.r : j*elem.r : j*elem.r], xs.i[i*elem.i : j*elem.i : j*elem.i], xs.p[i*elem.p : j*elem.p : j*elem.p]}}
		return nil
	})
	return into
}

func (c *compiler) reduce(s *core.Let, op *core.Reduce, want *place) place {
	m := c.m
	source, elem := c.ref(op.Array), elemShape(op.Array.Type())
	state, item := c.fresh(shapeOf(op.Acc.Ty)), c.fresh(elem)
	c.move(state, c.atom(op.Init))
	c.env[op.Acc], c.env[op.Elem] = state, item
	next := c.fresh(state.shape())
	body := c.block(iterationBytes, op.Body, next, false)
	c.emit(func(f *regs) error {
		xs := f.arrayAt(source)
		for k := range xs.n {
			if err := m.tick(s.At); err != nil {
				return err
			}
			f.scatter(item, xs.at(k, elem))
			if err := run(body, f); err != nil {
				return err
			}
			f.ownAt(next).copyTo(f.ownAt(state))
		}
		return nil
	})
	return state
}

func (c *compiler) scan(s *core.Let, op *core.Scan, want *place) place {
	m, at := c.m, s.At
	source, elem := c.ref(op.Array), elemShape(op.Array.Type())
	result := shapeOf(op.Acc.Ty)
	state, item := c.fresh(result), c.fresh(elem)
	c.move(state, c.atom(op.Init))
	c.env[op.Acc], c.env[op.Elem] = state, item
	next := c.fresh(result)
	body := c.block(iterationBytes, op.Body, next, false)
	into := c.into(want, shape{p: 1})
	d := into.p[0].n
	c.emit(func(f *regs) error {
		xs := f.arrayAt(source)
		if err := m.room(at, int64(xs.n), result); err != nil {
			return err
		}
		ys := makeArray(xs.n, result)
		for k := range xs.n {
			if err := m.tick(at); err != nil {
				return err
			}
			f.scatter(item, xs.at(k, elem))
			if err := run(body, f); err != nil {
				return err
			}
			f.ownAt(next).copyTo(f.ownAt(state))
			f.gather(state, ys.at(k, result))
		}
		f.p[local][d] = ys
		return nil
	})
	return into
}

func (c *compiler) loop(s *core.Let, op *core.Loop, want *place) place {
	m := c.m
	state := c.fresh(shapeOf(op.State.Ty))
	c.move(state, c.atom(op.Init))
	c.env[op.State] = state
	next := c.fresh(state.shape())
	turn := func(body []step, f *regs) error {
		if err := m.tick(s.At); err != nil {
			return err
		}
		if err := run(body, f); err != nil {
			return err
		}
		f.ownAt(next).copyTo(f.ownAt(state))
		return nil
	}
	switch head := op.Head.(type) {
	case *core.Range:
		index, bound := c.fresh(shape{i: 1}), c.int(head.Bound)
		c.env[head.Index] = index
		body, i := c.block(iterationBytes, op.Body, next, false), index.i[0].n
		c.emit(func(f *regs) error {
			for k := int64(0); k < f.i[bound.part][bound.n]; k++ {
				f.i[local][i] = k
				if err := turn(body, f); err != nil {
					return err
				}
			}
			return nil
		})
	case *core.Each:
		source, elem := c.ref(head.Array), elemShape(head.Array.Type())
		item := c.fresh(elem)
		c.env[head.Elem] = item
		body := c.block(iterationBytes, op.Body, next, false)
		c.emit(func(f *regs) error {
			xs := f.arrayAt(source)
			for k := range xs.n {
				f.scatter(item, xs.at(k, elem))
				if err := turn(body, f); err != nil {
					return err
				}
			}
			return nil
		})
	case *core.While:
		goOn := c.fresh(shape{i: 1})
		cond, body, g := c.block(iterationBytes, head.Cond, goOn, false), c.block(iterationBytes, op.Body, next, false), goOn.i[0].n
		c.emit(func(f *regs) error {
			for {
				if err := run(cond, f); err != nil {
					return err
				}
				if f.i[local][g] == 0 {
					return nil
				}
				if err := turn(body, f); err != nil {
					return err
				}
			}
		})
	}
	return state
}

func (c *compiler) checkSize(s *core.Let, op *core.CheckSize) place {
	got, want := c.int(op.Got), c.int(op.Want)
	at := s.At
	c.emit(func(f *regs) error {
		if d := op.Failure(at, f.i[got.part][got.n], f.i[want.part][want.n]); d != nil {
			return d
		}
		return nil
	})
	return place{}
}

// ---- diagnostics

func negativeSize(at diag.Span, n int64) error {
	return diag.Errorf(diag.NegativeSize, at, "an array cannot have the size %d", n)
}

func sizesDiffer(at diag.Span, a, b int) error {
	return diag.Errorf(diag.SizesDiffer, at, "arrays of lengths %d and %d are combined element by element", a, b)
}

func outOfRange(at diag.Span, k int64, n int) error {
	d := diag.Errorf(diag.IndexOutOfRange, at, "index %d is outside an array of length %d", k, n)
	if n > 0 {
		d.WithHint("indices run from 0 to %d, which is `length xs - 1`", n-1)
	}
	return d
}

func badSlice(at diag.Span, lo, hi int64, n int) error {
	return diag.Errorf(diag.BadSlice, at, "the slice [%d:%d] is not within an array of length %d", lo, hi, n)
}
