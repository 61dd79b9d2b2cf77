package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivative compiles reverse, forward and jacobian. All of them run the
// function on jets in a new variable, once for each direction: a tangent in
// forward mode, and each real of the argument otherwise.
func (c *compiler[T]) derivative(s *core.Let, op *core.Prim, into place) place {
	d := &derivation[T]{m: c.m, at: s.At, from: types.Resolve(op.Args[1].Type())}
	d.shapes = []shape{shapeOf(d.from)}
	d.to = types.Resolve(op.Args[0].Type()).(*types.Fun).Result
	fun, rest := c.ref(op.Args[0]), c.atoms(op.Args[1:])
	size := rest.shape()
	mode := map[string]func(*derivation[T], slots[T]) (slots[T], error){
		"reverse": (*derivation[T]).reverse, "forward": (*derivation[T]).forward, "jacobian": (*derivation[T]).jacobian,
	}[op.Prim.Name]
	c.emit(func(f *regs[T]) error {
		run := *d
		run.fun = f.p[fun.part][fun.n].(*closure[T])
		args := makeSlots[T](size)
		f.gather(rest, args)
		result, err := mode(&run, args)
		if err != nil {
			return err
		}
		f.scatter(into, result)
		return nil
	})
	return into
}

// derivation is one evaluation of a derivative.
type derivation[T any] struct {
	m        *machine[T]
	at       diag.Span
	from, to types.Type
	shapes   []shape
	fun      *closure[T]
}

// along evaluates the function at x along a direction, one component for each real
// of x: its value, and its tangent.
func (d *derivation[T]) along(x slots[T], direction []jet.Jet[T]) (value, tangent slots[T], err error) {
	m := d.m
	if len(m.degrees) > maxNested {
		return value, tangent, m.tooNested(d.at)
	}
	tag := m.open(1)
	k := -1
	moving, err := m.leaves(d.at, d.from, []slots[T]{x}, func(xs []jet.Jet[T]) jet.Jet[T] {
		k++
		if direction[k].IsZero() {
			return xs[0]
		}
		return m.Var(tag, 1, xs[0], direction[k])
	})
	result := makeSlots[T](shapeOf(d.to))
	if err == nil {
		m.used += searchBytes
		err = m.call(d.fun, moving, d.shapes, result)
		m.used -= searchBytes
	}
	m.close(tag)
	if err != nil {
		return value, tangent, err
	}
	take := func(n int) (slots[T], error) {
		return m.leaves(d.at, d.to, []slots[T]{result}, func(xs []jet.Jet[T]) jet.Jet[T] { return m.Plain(m.Coeff(xs[0], tag, n)) })
	}
	if value, err = take(0); err == nil {
		tangent, err = take(1)
	}
	return value, tangent, err
}

// partials evaluates the function along each real of x in turn.
func (d *derivation[T]) partials(x slots[T], each func(k int, tangent slots[T]) error) (value slots[T], reals []jet.Jet[T], err error) {
	m := d.m
	reals = m.collect(d.from, x)
	direction := make([]jet.Jet[T], len(reals))
	for k := range direction {
		direction[k] = m.Zero()
	}
	if len(reals) == 0 {
		value, _, err = d.along(x, nil)
		return value, nil, err
	}
	for k := range reals {
		direction[k] = m.One()
		var tangent slots[T]
		if value, tangent, err = d.along(x, direction); err != nil {
			return value, reals, err
		}
		direction[k] = m.Zero()
		if err := each(k, tangent); err != nil {
			return value, reals, err
		}
	}
	return value, reals, nil
}

// forward is the value and the tangent; args are x and dx.
func (d *derivation[T]) forward(args slots[T]) (slots[T], error) {
	m, size := d.m, d.shapes[0]
	x, dx := args.part(shape{}, size), args.part(size, size)
	var direction []jet.Jet[T]
	_, err := m.leaves(d.at, d.from, []slots[T]{x, dx}, func(xs []jet.Jet[T]) jet.Jet[T] {
		direction = append(direction, xs[1])
		return xs[1]
	})
	if err != nil {
		return args, err
	}
	value, tangent, err := d.along(x, direction)
	return join(value, tangent), err
}

// reverse is the value and the cotangent of x; args are x and a cotangent of the
// value.
func (d *derivation[T]) reverse(args slots[T]) (slots[T], error) {
	m, size := d.m, d.shapes[0]
	x, bt := args.part(shape{}, size), args.part(size, shapeOf(d.to))
	var cotangent []jet.Jet[T]
	value, reals, err := d.partials(x, func(_ int, tangent slots[T]) error {
		sum := m.Float(0)
		_, err := m.leaves(d.at, d.to, []slots[T]{tangent, bt}, func(xs []jet.Jet[T]) jet.Jet[T] {
			sum = m.Add(sum, m.Mul(xs[0], xs[1]))
			return sum
		})
		cotangent = append(cotangent, sum)
		return err
	})
	if err != nil {
		return args, err
	}
	if len(reals) == 0 {
		return join(value, x), nil
	}
	return join(value, m.replace(d.from, x, cotangent)), nil
}

// jacobian is the matrix of partial derivatives, a row for each result.
func (d *derivation[T]) jacobian(args slots[T]) (slots[T], error) {
	m := d.m
	var columns [][]jet.Jet[T]
	value, _, err := d.partials(args, func(_ int, tangent slots[T]) error {
		columns = append(columns, m.collect(d.to, tangent))
		return nil
	})
	if err != nil {
		return args, err
	}
	matrix := makeArray[T](value.p[0].(*array[T]).n, shape{p: 1})
	for k := range matrix.n {
		row := makeArray[T](len(columns), shape{r: 1})
		for j, column := range columns {
			row.r[j] = column[k]
		}
		matrix.p[k] = row
	}
	return slots[T]{p: []any{matrix}}, nil
}

// join is a pair of values.
func join[T any](x, y slots[T]) slots[T] {
	return slots[T]{append(x.r[:len(x.r):len(x.r)], y.r...), append(x.i[:len(x.i):len(x.i)], y.i...), append(x.p[:len(x.p):len(x.p)], y.p...)}
}
