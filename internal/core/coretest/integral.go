package coretest

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Integrals are sums by the double exponential formulas of Takahasi and Mori:
// a substitution x = x(t), after which the integrand falls so fast at both ends
// that the trapezoidal rule on all of ℝ converges exponentially in the number
// of its points, whatever integrable singularities the integrand has at the
// ends.
//
// They want a smooth integrand inside. All points of a sum must therefore have
// the same path of discrete choices. If two do not, the range is cut where the
// choice changes, which bisection finds, and both parts are integrated. So
// jumps and kinks need no special rule, and nor do those that move with a
// captured variable.

// The two substitutions.
const (
	toFinite   = iota // (0, 1): x = 1 / (1 + exp (-π sinh t))
	toInfinite        // (0, ∞): x = exp (π/2 sinh t)
)

// nodes holds the lists of nodes that were needed so far: []node by nodeKey.
var nodes sync.Map

type nodeKey struct {
	substitution int
	level        int
	bits         uint
}

// node is a point of a sum at the step 2^-level: the distance x from the lower end of the range
// (or the upper one), and dx/dt.
type node struct {
	fromUpper bool
	x, weight *ball.Ball
}

// The levels of the first and the last sum, and how often a range is cut.
const (
	firstLevel = 2
	lastLevel  = 8
	maxCuts    = 12
)

// nodesAt lists the points of a level that are not on an earlier level, from the middle outwards.
func (d *denotation) nodesAt(substitution, level int) []node {
	bits := 2*d.tier.Prec + 32
	key := nodeKey{substitution, level, bits}
	if list, ok := nodes.Load(key); ok {
		return list.([]node)
	}
	var list []node
	for i := int64(0); ; i++ {
		if level > firstLevel && i%2 == 0 {
			continue
		}
		t := new(ball.Ball).Mul2(ball.FromInt64(i), -int64(level))
		pair := doubleExponential(substitution, t, bits)
		if exponent(pair[0].x) < -int64(bits) {
			break
		}
		if i == 0 {
			pair = pair[:1]
		}
		list = append(list, pair...)
	}
	nodes.Store(key, list)
	return list
}

// doubleExponential returns the nodes of -t and t.
func doubleExponential(substitution int, t *ball.Ball, bits uint) []node {
	ball1 := ball.FromInt64(1)
	s, c := new(ball.Ball).Sinh(t, bits), new(ball.Ball).Cosh(t, bits)
	pi := new(ball.Ball).Pi(bits)
	s.Mul(s, pi, bits)
	c.Mul(c, pi, bits)
	if substitution == toInfinite {
		s.Mul2(s, -1)
		c.Mul2(c, -1)
		near := new(ball.Ball).Exp(new(ball.Ball).Neg(s), bits)
		far := new(ball.Ball).Exp(s, bits)
		weigh := func(x *ball.Ball) node {
			return node{x: new(ball.Ball).Mid(x), weight: new(ball.Ball).Mul(x, c, bits)}
		}
		return []node{weigh(near), weigh(far)}
	}
	small := new(ball.Ball).Exp(s.Neg(s), bits) // exp (-π sinh |t|)
	sum := new(ball.Ball).Add(ball1, small, bits)
	x := new(ball.Ball).Quo(small, sum, bits)
	weight := new(ball.Ball).Quo(x, sum, bits)
	weight.Mul(weight, c, bits)
	x = x.Mid(x)
	return []node{{x: x, weight: weight}, {fromUpper: true, x: x, weight: weight}}
}

// quadrature integrates one function.
type quadrature struct {
	*denotation
	e       *evaluator
	let     *core.Let
	f       Value
	sliver  *ball.Ball // the width of ranges that only count for the error
	largest *ball.Ball // absolute value of f so far
	pieces  int
}

// sample is the integrand at a point, and the path of its choices.
type sample struct {
	y    *ball.Ball // nil where a choice is not decided
	path []choice
}

func (q *quadrature) at(x *ball.Ball) (s sample, failure *diag.Diagnostic) {
	s.path = q.path.along(func() { s.y, failure = call(q.e, q.let, q.f, x) })
	if failure != nil && (failure.Code == diag.TiedComparison || failure.Code == diag.Undecided) {
		return sample{}, nil
	}
	if failure == nil {
		q.largest = q.tier.Apply2(maxFun, q.largest, new(ball.Ball).Abs(new(ball.Ball).Mid(s.y)))
	}
	return s, failure
}

func (q *quadrature) same(s, t sample) bool {
	return s.y != nil && t.y != nil && samePath(s.path, t.path)
}

func (d *denotation) quadrature(e *evaluator, let *core.Let, f Value,
	width *ball.Ball) *quadrature {
	sliver := new(ball.Ball).Mul2(width, 12-int64(d.tier.Prec))
	return &quadrature{denotation: d, e: e, let: let, f: f, sliver: sliver, largest: ball.New()}
}

// integral returns the integral of f from a to b.
func (d *denotation) integral(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (
	Value, *diag.Diagnostic) {
	a, b = new(ball.Ball).Mid(a), new(ball.Ball).Mid(b)
	if a.Equal(b) {
		return ball.New(), nil
	}
	lower, upper := a, b
	if b.Less(a) {
		lower, upper = b, a
	}
	q := d.quadrature(e, let, f, d.tier.Sub(upper, lower))
	sum, failure := q.over(lower, upper, 0)
	if failure != nil {
		return nil, failure
	}
	d.path.note(q.pieces)
	if b.Less(a) {
		sum.Neg(sum)
	}
	return widen(sum, d.tier.Prec-4), nil
}

// integralFrom returns the integral of f from a to infinity. The last piece has no upper end.
func (d *denotation) integralFrom(e *evaluator, let *core.Let, a *ball.Ball, f Value) (
	Value, *diag.Diagnostic) {
	q := d.quadrature(e, let, f, ball.FromInt64(1))
	sum, failure := q.over(new(ball.Ball).Mid(a), nil, 0)
	if failure != nil {
		return nil, failure
	}
	d.path.note(q.pieces)
	return widen(sum, d.tier.Prec-4), nil
}

// place returns a node's point in a range; upper is nil for infinity.
func (q *quadrature) place(n node, lower, upper *ball.Ball) *ball.Ball {
	bits := 4 * q.tier.Prec
	if upper == nil {
		return new(ball.Ball).Add(lower, n.x, bits)
	}
	away := new(ball.Ball).Mul(n.x, new(ball.Ball).Sub(upper, lower, bits), bits)
	if n.fromUpper {
		away.Sub(upper, away, bits)
	} else {
		away.Add(lower, away, bits)
	}
	return away.Mid(away)
}

// over integrates over a range, cutting it as often as needed.
func (q *quadrature) over(lower, upper *ball.Ball, cuts int) (*ball.Ball, *diag.Diagnostic) {
	substitution, width := toInfinite, ball.FromInt64(1)
	if upper != nil {
		substitution, width = toFinite, q.tier.Sub(upper, lower)
		if width.LessEq(q.sliver) {
			return q.gap(width), nil
		}
	}
	var middle sample
	var before *ball.Ball
	sum, total := ball.New(), ball.New()
	for level := firstLevel; level <= lastLevel; level++ {
		for i, n := range q.nodesAt(substitution, level) {
			x := q.place(n, lower, upper)
			s, failure := q.at(x)
			if failure != nil {
				return nil, failure
			}
			if level == firstLevel && i == 0 {
				middle = s
			}
			if !q.same(s, middle) {
				return q.cut(lower, upper, q.place(q.nodesAt(substitution, firstLevel)[0], lower,
					upper), x, cuts)
			}
			term := q.tier.Mul(s.y, n.weight)
			sum = q.tier.Add(sum, term)
			total = q.tier.Add(total, new(ball.Ball).Abs(new(ball.Ball).Mid(term)))
		}
		now := q.tier.Mul(sum, width)
		now.Mul2(now, -int64(level))
		if before != nil {
			// Each level doubles the digits. So if two sums have two thirds of the
			// digits in common, the second has all, within rounding.
			third := int64(q.tier.Prec) / 3
			scale := q.tier.Mul(total, width)
			scale.Mul2(scale, 8-2*third-int64(level))
			change := q.tier.Sub(now, before)
			if new(ball.Ball).Abs(change).LessEq(scale) || change.ContainsZero() {
				q.pieces++
				return now.AddRad(now, change.Mul2(change.Mid(change), -third)), nil
			}
		}
		before = now
	}
	return nil, diag.Errorf(diag.Undecided, q.let.At, "the integral does not converge")
}

// gap bounds the integral over a range so narrow that its choices may not be decided.
func (q *quadrature) gap(width *ball.Ball) *ball.Ball {
	return new(ball.Ball).AddRad(ball.New(), q.tier.Mul(width, q.largest))
}

// cut divides a range at the point where the choices made at x, inside of it, begin to differ
// from those at y.
func (q *quadrature) cut(lower, upper, x, y *ball.Ball, cuts int) (*ball.Ball, *diag.Diagnostic) {
	if cuts == maxCuts {
		return nil, diag.Errorf(diag.Undecided, q.let.At, "the integrand jumps too often")
	}
	here, failure := q.at(x)
	if failure != nil {
		return nil, failure
	}
	x, y = q.approach(x, y, here)
	bits := 4 * q.tier.Prec
	end := new(ball.Ball).Mul2(q.sliver, -16)
	for !new(ball.Ball).Abs(new(ball.Ball).Sub(y, x, bits)).LessEq(end) {
		m := new(ball.Ball).Add(x, y, bits)
		m.Mid(m.Mul2(m, -1))
		s, failure := q.at(m)
		if failure != nil {
			return nil, failure
		}
		if here.y == nil && s.y == nil || q.same(here, s) {
			x = m
		} else {
			y = m
		}
	}
	if y.Less(x) {
		x, y = y, x
	}
	sum, failure := q.over(lower, x, cuts+1)
	if failure != nil {
		return nil, failure
	}
	rest, failure := q.over(y, upper, cuts+1)
	if failure != nil {
		return nil, failure
	}
	between := q.gap(q.tier.Sub(y, x))
	return q.tier.Add(q.tier.Add(sum, rest), between), nil
}

// approach moves x and y closer to the first choice in which they differ. If that choice compares
// two reals, these are equal there: their difference has a root between x and y, which is found
// faster than by bisection. The result is checked: x makes the choices that are made here, and y
// others.
func (q *quadrature) approach(x, y *ball.Ball, here sample) (*ball.Ball, *ball.Ball) {
	there, failure := q.at(y)
	if failure != nil || here.y == nil || there.y == nil {
		return x, y
	}
	n := common(here.path, there.path)
	difference := func(x *ball.Ball) (*ball.Ball, *diag.Diagnostic) {
		s, failure := q.at(x)
		if failure != nil {
			return nil, failure
		}
		if s.y == nil || len(s.path) <= n || common(s.path, here.path) < n || s.path[n].x == nil {
			return ball.New().SetWhole(), nil // no sign is known
		}
		return q.tier.Sub(s.path[n].x, s.path[n].y), nil
	}
	b := bracket{lower: x, upper: y}
	if y.Less(x) {
		b = bracket{lower: y, upper: x}
	}
	b.atLower, failure = difference(b.lower)
	if failure != nil || b.atLower.Sign() == 0 {
		return x, y
	}
	b.atUpper, failure = difference(b.upper)
	if failure != nil || b.atUpper.Sign() != -b.atLower.Sign() {
		return x, y
	}
	root, failure := q.narrow(difference, b)
	if failure != nil {
		return x, y
	}
	near, far := new(ball.Ball).Lower(root), new(ball.Ball).Upper(root)
	if y.Less(x) {
		near, far = far, near
	}
	if s, failure := q.at(near); failure == nil && q.same(s, here) {
		x = near
	}
	if s, failure := q.at(far); failure == nil && s.y != nil && !q.same(s, here) {
		y = far
	}
	return x, y
}
