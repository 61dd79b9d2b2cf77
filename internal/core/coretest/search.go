package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var maxFun = prim.Lookup("max").Interval.(tier.Fun2)

// grid lists points of a range in ascending order, its ends among them. Their
// number depends on the working precision, so that no two evaluations of Denote
// look at the same points, and those inside are not round numbers, at which
// programs have their special values.
func (d *denotation) grid(a, b *ball.Ball) []*ball.Ball {
	n := int64(20 + d.tier.Prec/8%13)
	width := d.tier.Sub(b, a)
	list := []*ball.Ball{a}
	for i := range n {
		share := d.tier.Quo(ball.FromInt64(1_000_003*i+414_214), ball.FromInt64(1_000_003*n))
		x := d.tier.Add(a, d.tier.Mul(share, width))
		list = append(list, x.Mid(x))
	}
	return append(list, b)
}

// bracket is a range at whose ends a function has different signs.
type bracket struct {
	lower, upper *ball.Ball
	sign         int // at the lower end
}

// crossings lists where f changes its sign on the grid of a range. A sign that is
// not decided at an end leaves the question open.
func (d *denotation) crossings(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) ([]bracket, *diag.Diagnostic) {
	defer func(choices uint64) { d.path.hash = choices }(d.path.hash)
	var list []bracket
	var last *ball.Ball
	sign := 0
	for _, x := range d.grid(new(ball.Ball).Mid(a), new(ball.Ball).Mid(b)) {
		y, failure := call(e, let, f, x)
		if failure != nil {
			return nil, failure
		}
		s := y.Sign()
		if s == 0 {
			return nil, diag.Errorf(diag.Undecided, let.At, "a sign is not decided")
		}
		if last != nil && s != sign {
			list = append(list, bracket{last, x, sign})
		}
		last, sign = x, s
	}
	return list, nil
}

// bisect narrows a bracket down to a root.
func (d *denotation) bisect(e *evaluator, let *core.Let, f Value, at bracket) (Value, *diag.Diagnostic) {
	defer func(choices uint64) { d.path.hash = choices }(d.path.hash)
	lower, upper := at.lower, at.upper
	for range d.tier.Prec + 8 {
		m := new(ball.Ball).Add(lower, upper, 4*d.tier.Prec)
		m.Mid(m.Mul2(m, -1))
		y, failure := call(e, let, f, m)
		if failure != nil {
			return nil, failure
		}
		switch s := y.Sign(); {
		case s == at.sign:
			lower = m
		case s == -at.sign:
			upper = m
		case y.IsExact():
			return m, nil
		default:
			return d.tier.Hull(lower, upper), nil
		}
	}
	return d.tier.Hull(lower, upper), nil
}

// root is where f crosses zero between a and b. It must do so once.
func (d *denotation) root(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (Value, *diag.Diagnostic) {
	list, failure := d.crossings(e, let, a, b, f)
	if failure != nil {
		return nil, failure
	}
	if len(list) != 1 {
		return nil, diag.Errorf(diag.Undecided, let.At, "%d crossings", len(list))
	}
	return d.bisect(e, let, f, list[0])
}

// cutRoot is where f, positive to the left and negative to the right, crosses
// zero.
func (d *denotation) cutRoot(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	end := ball.FromInt64(1)
	for range 60 {
		list, failure := d.crossings(e, let, new(ball.Ball).Neg(end), end, f)
		if failure != nil {
			return nil, failure
		}
		if len(list) == 1 && list[0].sign > 0 {
			return d.bisect(e, let, f, list[0])
		}
		end.Mul2(end, 1)
	}
	return nil, diag.Errorf(diag.Undecided, let.At, "no crossing")
}

// firstRoot is the first place between 0 and 1 at which f changes its sign.
func (d *denotation) firstRoot(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	list, failure := d.crossings(e, let, ball.New(), ball.FromInt64(1), f)
	if failure != nil {
		return nil, failure
	}
	if len(list) == 0 {
		return nil, diag.Errorf(diag.NoRoot, let.At, "no crossing")
	}
	d.path.note(len(list))
	return d.bisect(e, let, f, list[0])
}

// crosses tells whether f changes its sign between 0 and 1.
func (d *denotation) crosses(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	list, failure := d.crossings(e, let, ball.New(), ball.FromInt64(1), f)
	if failure != nil {
		return nil, failure
	}
	d.path.note(bit(len(list) > 0))
	return len(list) > 0, nil
}

// summit is a local maximum: its place and its value.
type summit struct{ x, y *ball.Ball }

// maximum is the largest value of f between a and b, and the summits that it
// was found among, in ascending order of their places.
//
// A place is known to half as many bits as the values that it is found by, so
// that f is evaluated with twice as many.
func (d *denotation) maximum(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) ([]summit, *ball.Ball, *diag.Diagnostic) {
	choices := d.path.hash
	inner := d.closely(e, 2*d.tier.Prec+16)
	f = points(f)
	at := func(x *ball.Ball) (*ball.Ball, *diag.Diagnostic) { return call(inner, let, f, x) }
	xs := d.grid(new(ball.Ball).Mid(a), new(ball.Ball).Mid(b))
	ys := make([]*ball.Ball, len(xs))
	for i, x := range xs {
		var failure *diag.Diagnostic
		if ys[i], failure = at(x); failure != nil {
			return nil, nil, failure
		}
	}
	var list []summit
	last := len(xs) - 1
	for i := range xs {
		if i > 0 && ys[i].Less(ys[i-1]) || i < last && ys[i].Less(ys[i+1]) {
			continue
		}
		s, failure := d.climb(at, xs[max(i-1, 0)], xs[min(i+1, last)])
		if failure != nil {
			return nil, nil, failure
		}
		if i == 0 || i == last { // unless it is at the end itself
			if !ys[i].Less(s.y) {
				s = summit{xs[i], ys[i]}
			}
		}
		list = append(list, s)
	}
	highest, best := list[0].y, 0
	for i, s := range list {
		if highest.Less(s.y) {
			best = i
		}
		highest = new(ball.Ball).Max(highest, s.y, d.tier.Prec)
	}
	d.path.hash = choices
	d.path.note(len(list))
	d.path.note(best)
	return list, widen(highest, d.tier.Prec-4), nil
}

// climb narrows a range that contains one summit by golden sections, until the
// values do not tell sides apart.
func (d *denotation) climb(at func(x *ball.Ball) (*ball.Ball, *diag.Diagnostic), lower, upper *ball.Ball) (summit, *diag.Diagnostic) {
	bits := 2*d.tier.Prec + 16
	golden := new(ball.Ball).Sqrt(ball.FromInt64(5), bits)
	golden.Sub(golden, ball.FromInt64(1), bits)
	golden.Mid(golden.Mul2(golden, -1)) // 0.618…
	inside := func(from, to *ball.Ball) *ball.Ball {
		x := new(ball.Ball).Sub(to, from, bits)
		x.Add(from, x.Mul(x, golden, bits), bits)
		return x.Mid(x)
	}
	left, right := inside(upper, lower), inside(lower, upper)
	leftValue, failure := at(left)
	if failure != nil {
		return summit{}, failure
	}
	rightValue, failure := at(right)
	if failure != nil {
		return summit{}, failure
	}
	for range 3 * d.tier.Prec / 2 {
		switch {
		case leftValue.Less(rightValue):
			lower, left, leftValue = left, right, rightValue
			right = inside(lower, upper)
			rightValue, failure = at(right)
		case rightValue.Less(leftValue):
			upper, right, rightValue = right, left, leftValue
			left = inside(upper, lower)
			leftValue, failure = at(left)
		default:
			return summit{d.tier.Hull(lower, upper), new(ball.Ball).Hull(leftValue, rightValue, bits)}, nil
		}
		if failure != nil {
			return summit{}, failure
		}
	}
	return summit{d.tier.Hull(lower, upper), new(ball.Ball).Hull(leftValue, rightValue, bits)}, nil
}

// argmax is the place of the one summit that is higher than all others.
func (d *denotation) argmax(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (Value, *diag.Diagnostic) {
	list, _, failure := d.maximum(e, let, a, b, f)
	if failure != nil {
		return nil, failure
	}
	for i, s := range list {
		higher := true
		for j, t := range list {
			higher = higher && (i == j || t.y.Less(s.y) || t.x.Overlaps(s.x))
		}
		if higher {
			return widen(s.x, d.tier.Prec-4), nil
		}
	}
	return nil, diag.Errorf(diag.Undecided, let.At, "no summit is higher than all others")
}
