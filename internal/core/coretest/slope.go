package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// The derivative of a function f at a point x along dx is the limit of
//
//	(f (x + t dx) - f x) / t    and    (f x - f (x - t dx)) / t
//
// as t falls to 0. slopes takes t = 2^-W relative to x, where W is the working
// precision, evaluates f with as many bits more, and gives the hull of both
// quotients. Where f is smooth their distance is about t f″, which is below
// what W bits show. At a kink the hull stays as wide as the jump of the slope,
// and Denote does not settle on it.
//
// Derivatives nest: the inner one is evaluated at each of the three points of
// the outer one, with twice the bits. No variable of one can be taken for that
// of another, since there are no such variables.

// forward returns the value of f at x and its derivative along a tangent.
func (d *denotation) forward(e *evaluator, let *core.Let, f, x, dx Value) (
	Value, *diag.Diagnostic) {
	if !sameShape(x, dx) {
		return nil, diag.Errorf(diag.ShapesDiffer, let.At, "the tangent")
	}
	y, failure := e.apply(f, []Value{x}, let.At)
	if failure != nil {
		return nil, failure
	}
	along, failure := d.slopes(e, let, f, x, [][]Value{Reals(points(dx))})
	if failure != nil {
		return nil, failure
	}
	return Tuple{y, withLeaves(y, along[0])}, nil
}

// reverse implements Fig. 7's clause for rd: the value of f at x, and the transpose of the
// derivative there, applied to a cotangent of the value. It does so by definition: the component
// of the result along each real of x is the inner product of the cotangent with the derivative
// along that real.
func (d *denotation) reverse(e *evaluator, let *core.Let, f, x, bt Value) (
	Value, *diag.Diagnostic) {
	y, failure := e.apply(f, []Value{x}, let.At)
	if failure != nil {
		return nil, failure
	}
	if !sameShape(y, bt) {
		return nil, diag.Errorf(diag.ShapesDiffer, let.At, "the cotangent")
	}
	columns, failure := d.slopes(e, let, f, x, basis(x))
	if failure != nil {
		return nil, failure
	}
	weights := Reals(bt)
	gradient := make([]Value, len(columns))
	for i, column := range columns {
		sum := ball.New()
		for j, slope := range column {
			sum = d.tier.Add(sum, d.tier.Mul(weights[j].(*ball.Ball), slope.(*ball.Ball)))
		}
		gradient[i] = sum
	}
	return Tuple{y, withLeaves(x, gradient)}, nil
}

// jacobian returns the matrix of partial derivatives, one row per result.
func (d *denotation) jacobian(e *evaluator, let *core.Let, f, x Value) (Value, *diag.Diagnostic) {
	y, failure := e.apply(f, []Value{x}, let.At)
	if failure != nil {
		return nil, failure
	}
	columns, failure := d.slopes(e, let, f, x, basis(x))
	if failure != nil {
		return nil, failure
	}
	rows := make(Array, len(Reals(y)))
	for j := range rows {
		row := make(Array, len(columns))
		for i := range row {
			row[i] = columns[i][j]
		}
		rows[j] = row
	}
	return rows, nil
}

// basis lists the unit vectors of the space of a value's reals.
func basis(x Value) [][]Value {
	vectors := make([][]Value, len(Reals(x)))
	for i := range vectors {
		vectors[i] = make([]Value, len(vectors))
		for j := range vectors[i] {
			vectors[i][j] = ball.FromInt64(int64(bit(i == j)))
		}
	}
	return vectors
}

// slopes returns the derivatives of the reals of f x along each of some
// directions, which have one entry for each real of x. It makes no choices of its
// own: those at x are those of f x.
func (d *denotation) slopes(e *evaluator, let *core.Let, f, x Value, directions [][]Value) (
	all [][]Value, failure *diag.Diagnostic) {
	d.path.aside(func() { all, failure = d.quotients(e, let, points(f), points(x), directions) })
	return all, failure
}

func (d *denotation) quotients(e *evaluator, let *core.Let, f, x Value, directions [][]Value) (
	[][]Value, *diag.Diagnostic) {
	xs := Reals(x)
	bits := int64(d.tier.Prec)
	k := bits // t is 2^-k
	for _, dx := range directions {
		for i, v := range dx {
			if v := v.(*ball.Ball); v.Sign() != 0 {
				k = max(k, bits+exponent(v)-exponent(xs[i].(*ball.Ball)))
			}
		}
	}
	inner := d.closely(e, uint(bits+k+16))
	at := func(t int64, dx []Value) (Value, *diag.Diagnostic) {
		moved := make([]Value, len(xs))
		for i, v := range xs {
			step := new(ball.Ball).Mul(dx[i].(*ball.Ball), ball.FromInt64(t), uint(bits))
			moved[i] = new(ball.Ball).Add(v.(*ball.Ball), step.Mul2(step, -k), uint(4*(bits+k)))
		}
		return inner.apply(f, []Value{withLeaves(x, moved)}, let.At)
	}
	y, failure := inner.apply(f, []Value{x}, let.At)
	if failure != nil {
		return nil, failure
	}
	quotient := func(from, to Value) *ball.Ball {
		rise := d.tier.Sub(to.(*ball.Ball), from.(*ball.Ball))
		return rise.Mul2(rise, k)
	}
	all := make([][]Value, len(directions))
	for n, dx := range directions {
		up, failure := at(1, dx)
		if failure != nil {
			return nil, failure
		}
		down, failure := at(-1, dx)
		if failure != nil {
			return nil, failure
		}
		if !sameShape(y, up) || !sameShape(y, down) {
			return nil, diag.Errorf(diag.Undefined, let.At, "the shape of the value changes")
		}
		ys, ups, downs := Reals(y), Reals(up), Reals(down)
		all[n] = make([]Value, len(ys))
		for i := range ys {
			both := d.tier.Hull(quotient(ys[i], ups[i]), quotient(downs[i], ys[i]))
			all[n][i] = widen(both, d.tier.Prec-4) // f captured what is known to that many bits
		}
	}
	return all, nil
}
