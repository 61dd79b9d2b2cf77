package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivative compiles reverse, forward and jacobian. All of them run the function on jets in a new
// variable: along a tangent in forward mode, once. The others run it along each real of the
// argument if those are few, and else once on forms (jet's Note [Forms]), from which the
// derivatives by all reals follow.
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

// run evaluates the function at x, whose k-th real moves by slope(k) times tag, the newest variable
// and of degree 1: it gives the value, and the coefficients of tag. The caller has opened
// the variable and closes it.
func (d *derivation[T]) run(x slots[T], tag jet.Tag, slope func(k int) jet.Jet[T]) (value, slopes slots[T], err error) {
	m := d.m
	if len(m.degrees) > maxNested {
		return value, slopes, m.tooNested(d.at)
	}
	k := -1
	moving, err := m.leaves(d.at, d.from, []slots[T]{x}, func(xs []jet.Jet[T]) jet.Jet[T] {
		k++
		return m.Var(tag, 1, xs[0], slope(k))
	})
	result := makeSlots[T](shapeOf(d.to))
	if err == nil {
		m.used += searchBytes
		err = m.call(d.fun, moving, d.shapes, result)
		m.used -= searchBytes
	}
	if err != nil {
		return value, slopes, err
	}
	value, err = m.leaves(d.at, d.to, []slots[T]{result}, func(xs []jet.Jet[T]) jet.Jet[T] {
		return m.Plain(m.Coeff(xs[0], tag, 0))
	})
	if err != nil {
		return value, slopes, err
	}
	slopes, err = m.leaves(d.at, d.to, []slots[T]{result}, func(xs []jet.Jet[T]) jet.Jet[T] { return m.Coeff(xs[0], tag, 1) })
	return value, slopes, err
}

// along evaluates the function at x along a direction, one component for each real
// of x: its value, and its tangent.
func (d *derivation[T]) along(x slots[T], direction []jet.Jet[T]) (value, tangent slots[T], err error) {
	m := d.m
	tag := m.open(1)
	defer m.close(tag)
	if len(direction) > 1 {
		m.joint++
		defer func() { m.joint-- }()
	}
	value, tangent, err = d.run(x, tag, func(k int) jet.Jet[T] { return direction[k] })
	if err != nil {
		return value, tangent, err
	}
	tangent, err = m.leaves(d.at, d.to, []slots[T]{tangent}, func(xs []jet.Jet[T]) jet.Jet[T] { return m.Plain(xs[0]) })
	return value, tangent, err
}

// onForms evaluates the function at x with each real as an input: its value, and the forms of its
// reals.
func (d *derivation[T]) onForms(x slots[T]) (value, forms slots[T], err error) {
	m := d.m
	layer := m.open(0)
	defer m.close(layer)
	tag := m.open(1)
	defer m.close(tag)
	return d.run(x, tag, func(k int) jet.Jet[T] { return m.Input(layer, k) })
}

// gradient is that of Σ weights_k results_k by n reals; nil if the forms of the results are not
// known. If a result has no value, nothing is known of its gradient.
func (d *derivation[T]) gradient(n int, results, forms, weights []jet.Jet[T]) []jet.Jet[T] {
	m := d.m
	for _, y := range results {
		if !y.Known() {
			return slices.Repeat([]jet.Jet[T]{y}, n)
		}
	}
	gradient, ok := m.Pullback(n, forms, weights)
	if !ok {
		return nil
	}
	return gradient
}

// fewInputs is up to how many reals forward mode costs less than forms do.
var fewInputs = 4

// partials evaluates the function along each real of x in turn.
func (d *derivation[T]) partials(x slots[T], each func(k int, tangent slots[T]) error) (value slots[T], err error) {
	m := d.m
	direction := slices.Repeat([]jet.Jet[T]{m.Zero()}, len(m.collect(d.from, x)))
	if len(direction) == 0 {
		value, _, err = d.along(x, nil)
		return value, err
	}
	for k := range direction {
		direction[k] = m.One()
		var tangent slots[T]
		if value, tangent, err = d.along(x, direction); err != nil {
			return value, err
		}
		direction[k] = m.Zero()
		if err := each(k, tangent); err != nil {
			return value, err
		}
	}
	return value, nil
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
	n := len(m.collect(d.from, x))
	var value slots[T]
	var cotangent []jet.Jet[T]
	if n > fewInputs {
		var forms slots[T]
		var err error
		if value, forms, err = d.onForms(x); err != nil {
			return args, err
		}
		var results, slopes, weights []jet.Jet[T]
		_, err = m.leaves(d.at, d.to, []slots[T]{value, forms, bt}, func(xs []jet.Jet[T]) jet.Jet[T] {
			results, slopes, weights = append(results, xs[0]), append(slopes, xs[1]), append(weights, xs[2])
			return xs[0]
		})
		if err != nil {
			return args, err
		}
		cotangent = d.gradient(n, results, slopes, weights)
	}
	if cotangent == nil {
		var err error
		value, err = d.partials(x, func(_ int, tangent slots[T]) error {
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
	}
	if n == 0 {
		return join(value, x), nil
	}
	return join(value, m.replace(d.from, x, cotangent)), nil
}

// jacobian is the matrix of partial derivatives, a row for each result. Of the rows and the columns
// it computes those that are fewer.
func (d *derivation[T]) jacobian(args slots[T]) (slots[T], error) {
	m := d.m
	var rows [][]jet.Jet[T]
	if n := len(m.collect(d.from, args)); n > fewInputs {
		value, forms, err := d.onForms(args)
		if err != nil {
			return args, err
		}
		results, slopes := m.collect(d.to, value), m.collect(d.to, forms)
		for k := 0; k < len(results) && len(results) <= n; k++ {
			row := d.gradient(n, results[k:k+1], slopes[k:k+1], []jet.Jet[T]{m.One()})
			if row == nil {
				break
			}
			rows = append(rows, row)
		}
		if len(rows) == len(results) {
			return m.matrix(rows), nil
		}
	}
	rows = nil
	value, err := d.partials(args, func(_ int, tangent slots[T]) error {
		for k, slope := range m.collect(d.to, tangent) {
			if k == len(rows) {
				rows = append(rows, nil)
			}
			rows[k] = append(rows[k], slope)
		}
		return nil
	})
	if err != nil {
		return args, err
	}
	if rows == nil {
		rows = make([][]jet.Jet[T], value.p[0].(*array[T]).n)
	}
	return m.matrix(rows), nil
}

// matrix is an array of rows.
func (m *machine[T]) matrix(rows [][]jet.Jet[T]) slots[T] {
	matrix := makeArray[T](len(rows), shape{p: 1})
	for k, row := range rows {
		matrix.p[k] = &array[T]{len(row), slots[T]{r: row}}
	}
	return slots[T]{p: []any{matrix}}
}

// join is a pair of values.
func join[T any](x, y slots[T]) slots[T] {
	return slots[T]{append(x.r[:len(x.r):len(x.r)], y.r...), append(x.i[:len(x.i):len(x.i)], y.i...), append(x.p[:len(x.p):len(x.p)], y.p...)}
}
