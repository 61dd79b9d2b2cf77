package exact

import (
	"errors"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivative compiles reverse, forward and jacobian. All of them run the function on jets in a new
// variable: along a tangent in forward mode, once. The others run it along each real of the
// argument if those are few, and else once on forms (jet's Note [Forms]), from which the
// derivatives by all reals follow.
func (c *compiler) derivative(s *core.Let, op *core.Prim, into place) place {
	d := &derivation{m: c.m, at: s.At, from: types.Resolve(op.Args[1].Type())}
	d.shapes = []shape{shapeOf(d.from)}
	d.to = types.Resolve(op.Args[0].Type()).(*types.Fun).Result
	fun, rest := c.ref(op.Args[0]), c.atoms(op.Args[1:])
	size := rest.shape()
	mode := map[prim.ID]func(*derivation, slots) (slots, error){
		prim.Reverse:  (*derivation).reverse,
		prim.Forward:  (*derivation).forward,
		prim.Jacobian: (*derivation).jacobian,
	}[op.Prim.ID]
	c.emit(func(f *regs) error {
		run := *d
		run.fun = f.p[fun.part][fun.n].(*closure)
		args := makeSlots(size)
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
type derivation struct {
	m        *machine
	at       diag.Span
	from, to types.Type
	shapes   []shape
	fun      *closure
}

// run evaluates the function at x, whose k-th real moves by slope(k) times tag, the newest variable
// and of degree 1: it gives the value, and the coefficients of tag. The caller has opened
// the variable and closes it.
func (d *derivation) run(
	x slots, tag jet.Tag, slope func(k int) jet.Jet,
) (value, slopes slots, err error) {
	m := d.m
	if m.nested() > maxNested {
		return value, slopes, m.tooNested(d.at)
	}
	k := -1
	moving, err := m.leaves(d.at, d.from, []slots{x}, func(xs []jet.Jet) jet.Jet {
		k++
		return m.Var(tag, 1, xs[0], slope(k))
	})
	result := makeSlots(shapeOf(d.to))
	if err == nil {
		m.used += searchBytes
		err = m.call(d.fun, moving, d.shapes, result)
		m.used -= searchBytes
	}
	if err != nil {
		return value, slopes, err
	}
	value = d.mapped(result, func(y jet.Jet) jet.Jet { return m.Plain(m.Coeff(y, tag, 0)) })
	slopes = d.mapped(result, func(y jet.Jet) jet.Jet { return m.Coeff(y, tag, 1) })
	return value, slopes, nil
}

// mapped is a result with its reals replaced.
func (d *derivation) mapped(result slots, f func(jet.Jet) jet.Jet) slots {
	mapped, _ := d.m.leaves(d.at, d.to, []slots{result}, func(xs []jet.Jet) jet.Jet {
		return f(xs[0]) // one value has one shape
	})
	return mapped
}

// along evaluates the function at x along a direction, one component for each real
// of x: its value, and its tangent.
func (d *derivation) along(
	x slots, direction []jet.Jet,
) (value, tangent slots, err error) {
	m := d.m
	if d.repeats(x, direction) {
		return d.anew(x)
	}
	tag := m.openDerivative(1)
	defer m.close(tag)
	if len(direction) > 1 {
		m.joint++
		defer func() { m.joint-- }()
	}
	value, tangent, err = d.run(x, tag, func(k int) jet.Jet { return direction[k] })
	if err != nil {
		return value, tangent, err
	}
	return value, d.mapped(tangent, m.Plain), nil
}

// onForms evaluates the function at x with each real as an input: its value, and the forms of its
// reals.
func (d *derivation) onForms(x slots) (value, forms slots, err error) {
	m := d.m
	layer, tag := m.openForms()
	defer m.close(layer)
	defer m.close(tag)
	return d.run(x, tag, func(k int) jet.Jet { return m.Input(layer, k) })
}

// gradient is that of Σ weights_k results_k by n reals; nil if the forms of the results are not
// known. If a result has no value, nothing is known of its gradient.
func (d *derivation) gradient(n int, results, forms, weights []jet.Jet) []jet.Jet {
	m := d.m
	for _, y := range results {
		if !y.Known() {
			return slices.Repeat([]jet.Jet{y}, n)
		}
	}
	if m.term != nil && len(m.degrees) == 0 {
		for _, form := range forms {
			m.term(form)
		}
	}
	gradient, ok := m.Pullback(n, forms, weights)
	if !ok {
		return nil
	}
	return gradient
}

// fewInputs is up to how many reals forward mode costs less than forms do. Up to manyInputs it is
// used as well where forms leave a component wide, because of several kinks or a jump that some of
// the reals do not move.
const fewInputs, manyInputs = 4, 8

// few is up to how many reals forward mode is used.
func (m *machine) few() int {
	return [...]int{Cheapest: fewInputs, Forward: math.MaxInt, Reverse: 0}[m.mode]
}

// nodes is a term with the numbers as enclosures.
func nodes(term []jet.Term, enclosure func(jet.Jet) Enclosure) []Node {
	nodes := make([]Node, len(term))
	for k, t := range term {
		nodes[k] = Node{Input: t.Input, A: t.A, B: t.B, Sum: t.Sum, Kink: t.Kink}
		nodes[k].Adjoint = enclosure(t.Adjoint)
		if t.Input < 0 && !t.Sum {
			nodes[k].By = enclosure(t.By)
		}
	}
	return nodes
}

// partials evaluates the function along each real of x in turn.
func (d *derivation) partials(
	x slots, each func(tangent slots) error,
) (value slots, err error) {
	m := d.m
	direction := slices.Repeat([]jet.Jet{m.Zero()}, len(m.collect(d.from, x)))
	if len(direction) == 0 {
		value, _, err = d.along(x, nil)
		return value, err
	}
	for k := range direction {
		direction[k] = m.One()
		var tangent slots
		if value, tangent, err = d.along(x, direction); err != nil {
			return value, err
		}
		direction[k] = m.Zero()
		if err := each(tangent); err != nil {
			return value, err
		}
	}
	return value, nil
}

// forward is the value and the tangent; args are x and dx.
func (d *derivation) forward(args slots) (slots, error) {
	m, size := d.m, d.shapes[0]
	x, dx := args.part(shape{}, size), args.part(size, size)
	var direction []jet.Jet
	_, err := m.leaves(d.at, d.from, []slots{x, dx}, func(xs []jet.Jet) jet.Jet {
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
func (d *derivation) reverse(args slots) (slots, error) {
	m, size := d.m, d.shapes[0]
	x, bt := args.part(shape{}, size), args.part(size, shapeOf(d.to))
	n := len(m.collect(d.from, x))
	if n <= m.few() {
		value, cotangent, err := d.pushed(x, bt)
		return d.paired(x, value, cotangent, err)
	}
	value, cotangent, err := d.pulled(n, x, bt)
	wide := func(y jet.Jet) bool { return !m.narrow(y, m.tol) }
	more := n <= manyInputs && m.mode != Reverse && slices.ContainsFunc(cotangent, wide)
	if err != nil || cotangent != nil && !more {
		return d.paired(x, value, cotangent, err)
	}
	forward := slices.Repeat([]jet.Jet{m.Unknown()}, n)
	err = d.again(func() error {
		_, all, err := d.pushed(x, bt)
		if err == nil {
			forward = all
		}
		return err
	})
	for k, y := range cotangent {
		if both, ok := m.Intersect(forward[k], y); ok {
			forward[k] = both
		}
	}
	return d.paired(x, value, forward, err)
}

// again evaluates once more what the frame has recorded, in a frame of its own: whether it does
// must not change the numbers of the sites. Nothing is forced there, so that it may be undecided.
func (d *derivation) again(evaluate func() error) error {
	m := d.m
	outer := m.frame
	inner := frame{watch: -1, fixed: outer.fixed, text: outer.text}
	m.frame = &inner
	err := evaluate()
	m.frame = outer
	m.inherit(inner)
	if err != nil && !fatal(err) {
		return nil
	}
	return err
}

// paired is the value and the cotangent of x, given by its reals, unless there is an error.
func (d *derivation) paired(
	x, value slots, cotangent []jet.Jet, err error,
) (slots, error) {
	if err != nil || len(cotangent) == 0 {
		return join(value, x), err
	}
	return join(value, d.m.replace(d.from, x, cotangent)), nil
}

// pulled is the value and the cotangent of x, with n reals, by forms. If these are not known there
// is no cotangent.
func (d *derivation) pulled(
	n int, x, bt slots,
) (value slots, cotangent []jet.Jet, err error) {
	value, forms, err := d.onForms(x)
	if err != nil {
		return value, nil, err
	}
	var results, slopes, weights []jet.Jet
	all := []slots{value, forms, bt}
	_, err = d.m.leaves(d.at, d.to, all, func(xs []jet.Jet) jet.Jet {
		results, slopes = append(results, xs[0]), append(slopes, xs[1])
		weights = append(weights, xs[2])
		return xs[0]
	})
	if err != nil {
		return value, nil, err
	}
	return value, d.gradient(n, results, slopes, weights), nil
}

// pushed is the value and the cotangent of x by forward mode.
func (d *derivation) pushed(x, bt slots) (value slots, cotangent []jet.Jet, err error) {
	m := d.m
	value, err = d.partials(x, func(tangent slots) error {
		sum := m.Float(0)
		_, err := m.leaves(d.at, d.to, []slots{tangent, bt}, func(xs []jet.Jet) jet.Jet {
			sum = m.Add(sum, m.Mul(xs[0], xs[1]))
			return sum
		})
		cotangent = append(cotangent, sum)
		return err
	})
	return value, cotangent, err
}

// jacobian is the matrix of partial derivatives, a row for each result. Forward mode gives its
// columns and forms its rows; which are fewer is known with the first column.
func (d *derivation) jacobian(args slots) (slots, error) {
	m := d.m
	n := len(m.collect(d.from, args))
	rows, err := d.columns(args, func(results int) bool { return n <= m.few() || results > n })
	if err != errFewRows {
		return m.matrix(rows), err
	}
	value, forms, err := d.onForms(args)
	if err != nil {
		return args, err
	}
	results, slopes := m.collect(d.to, value), m.collect(d.to, forms)
	rows = nil
	for k := range results {
		row := d.gradient(n, results[k:k+1], slopes[k:k+1], []jet.Jet{m.One()})
		if row == nil {
			nothing := slices.Repeat([]jet.Jet{m.Unknown()}, n)
			rows = slices.Repeat([][]jet.Jet{nothing}, len(results))
			err = d.again(func() error {
				all, err := d.columns(args, func(int) bool { return true })
				if err == nil {
					rows = all
				}
				return err
			})
			break
		}
		rows = append(rows, row)
	}
	return m.matrix(rows), err
}

// errFewRows says that a matrix has fewer rows than columns.
var errFewRows = errors.New("few rows")

// columns is the rows of the matrix by forward mode, or errFewRows if there are not enough results.
func (d *derivation) columns(
	x slots, enough func(results int) bool,
) (rows [][]jet.Jet, err error) {
	m := d.m
	value, err := d.partials(x, func(tangent slots) error {
		column := m.collect(d.to, tangent)
		if rows == nil {
			if !enough(len(column)) {
				return errFewRows
			}
			rows = make([][]jet.Jet, len(column))
		}
		for k, slope := range column {
			rows[k] = append(rows[k], slope)
		}
		return nil
	})
	if err == nil && rows == nil {
		rows = make([][]jet.Jet, value.p[0].(*array).n)
	}
	return rows, err
}

// matrix is an array of rows.
func (m *machine) matrix(rows [][]jet.Jet) slots {
	matrix := makeArray(len(rows), shape{p: 1})
	for k, row := range rows {
		matrix.p[k] = &array{len(row), slots{r: row}}
	}
	return slots{p: []any{matrix}}
}

// join is a pair of values.
func join(x, y slots) slots {
	return slots{append(x.r[:len(x.r):len(x.r)], y.r...), append(x.i[:len(x.i):len(x.i)], y.i...), append(x.p[:len(x.p):len(x.p)], y.p...)}
}
