package coretest

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

var (
	maxFun  = prim.Max.Row().Interval.(tier.Fun2)
	sqrtFun = prim.Sqrt.Row().Interval.(tier.Fun1)
)

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

// bracket is a range at whose ends a function has different signs: the ends, and the values
// there.
type bracket struct{ lower, upper, atLower, atUpper *ball.Ball }

// real is a function of a real.
type real = func(x *ball.Ball) (*ball.Ball, *diag.Diagnostic)

// closeUp returns a function of a program, evaluated with twice as many bits as the places that
// are searched for shall have. It leaves no choices on the path.
func (d *denotation) closeUp(e *evaluator, let *core.Let, f Value) real {
	inner := d.closely(e, 2*d.tier.Prec+64)
	f = points(f)
	return func(x *ball.Ball) (y *ball.Ball, failure *diag.Diagnostic) {
		d.path.aside(func() { y, failure = call(inner, let, f, x) })
		return y, failure
	}
}

// crossings lists where f changes its sign on the grid of a range. A sign that is not decided
// leaves the question open.
func (d *denotation) crossings(let *core.Let, f real, a, b *ball.Ball) (
	[]bracket, *diag.Diagnostic) {
	var list []bracket
	var x, y *ball.Ball
	for i, next := range d.grid(new(ball.Ball).Mid(a), new(ball.Ball).Mid(b)) {
		value, failure := f(next)
		if failure != nil {
			return nil, failure
		}
		if value.Sign() == 0 {
			return nil, diag.Errorf(diag.Undecided, let.At, "a sign is not decided")
		}
		if i > 0 && value.Sign() != y.Sign() {
			list = append(list, bracket{x, next, y, value})
		}
		x, y = next, value
	}
	return list, nil
}

// narrow shrinks a bracket until it is as narrow as the working precision, or until a sign is not
// decided.
//
// Where f is smooth, the secant through the ends meets zero near the root, so a much narrower
// bracket around that point is tried first. If the attempt is not a bracket, the bracket is about
// halved.
func (d *denotation) narrow(f real, b bracket) (*ball.Ball, *diag.Diagnostic) {
	bits := 4 * d.tier.Prec
	sign := b.atLower.Sign()
	whole := new(ball.Ball).Sub(b.upper, b.lower, bits)
	end := new(ball.Ball).Mul2(whole, -4-int64(d.tier.Prec))
	for {
		from, width := b.lower, new(ball.Ball).Sub(b.upper, b.lower, bits)
		if width.LessEq(end) {
			return d.tier.Hull(b.lower, b.upper), nil
		}
		secant := d.tier.Quo(b.atLower, d.tier.Sub(b.atLower, b.atUpper))
		around := d.tier.Mul(width, d.tier.Apply1(sqrtFun, d.tier.Quo(width, whole)))
		around = d.tier.Apply2(maxFun, around, new(ball.Ball).Mul2(end, -1))
		shares := []*ball.Ball{
			d.tier.Sub(secant, d.tier.Quo(around, width)),
			d.tier.Add(secant, d.tier.Quo(around, width)),
			// not the middle, which is the root if the bracket was made around it
			ball.FromFloat64(0.4375),
		}
		for i, share := range shares {
			if !share.IsFinite() || share.Sign() <= 0 || !share.Less(ball.FromInt64(1)) {
				continue
			}
			if left := new(ball.Ball).Sub(b.upper, b.lower, bits); i == 2 &&
				left.Mul2(left, 1).LessEq(width) {
				break // the attempt succeeded
			}
			x := new(ball.Ball).Add(from, new(ball.Ball).Mul(share, width, bits), bits)
			x.Mid(x)
			if !b.lower.Less(x) || !x.Less(b.upper) {
				continue
			}
			y, failure := f(x)
			if failure != nil {
				return nil, failure
			}
			switch s := y.Sign(); {
			case s == sign:
				b.lower, b.atLower = x, y
			case s == -sign:
				b.upper, b.atUpper = x, y
			case y.IsExact():
				return x, nil
			case i == 2:
				return d.tier.Hull(b.lower, b.upper), nil
			}
		}
	}
}

// place returns the result of a search.
func (d *denotation) place(x *ball.Ball, failure *diag.Diagnostic) (Value, *diag.Diagnostic) {
	if failure != nil {
		return nil, failure
	}
	return widen(x, d.tier.Prec-4), nil
}

// root returns where f crosses zero between a and b. It must cross exactly once.
func (d *denotation) root(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (
	Value, *diag.Diagnostic) {
	near := d.closeUp(e, let, f)
	list, failure := d.crossings(let, near, a, b)
	if failure != nil {
		return nil, failure
	}
	if len(list) != 1 {
		return nil, diag.Errorf(diag.Undecided, let.At, "%d crossings", len(list))
	}
	return d.place(d.narrow(near, list[0]))
}

// cutRoot returns where f, positive to the left and negative to the right, crosses
// zero.
func (d *denotation) cutRoot(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	near := d.closeUp(e, let, f)
	end := ball.FromFloat64(1.375) // not a round number, at which programs have their roots
	for range 60 {
		list, failure := d.crossings(let, near, new(ball.Ball).Neg(end), end)
		if failure != nil {
			return nil, failure
		}
		if len(list) == 1 && list[0].atLower.Sign() > 0 {
			return d.place(d.narrow(near, list[0]))
		}
		end.Mul2(end, 1)
	}
	return nil, diag.Errorf(diag.Undecided, let.At, "no crossing")
}

// firstRoot returns the first place between 0 and 1 at which f changes its sign.
func (d *denotation) firstRoot(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	near := d.closeUp(e, let, f)
	list, failure := d.crossings(let, near, ball.New(), ball.FromInt64(1))
	if failure != nil {
		return nil, failure
	}
	if len(list) == 0 {
		return nil, diag.Errorf(diag.NoRoot, let.At, "no crossing")
	}
	d.path.note(len(list))
	return d.place(d.narrow(near, list[0]))
}

// crosses reports whether f changes its sign between 0 and 1.
func (d *denotation) crosses(e *evaluator, let *core.Let, f Value) (Value, *diag.Diagnostic) {
	list, failure := d.crossings(let, d.closeUp(e, let, f), ball.New(), ball.FromInt64(1))
	if failure != nil {
		return nil, failure
	}
	d.path.note(bit(len(list) > 0))
	return len(list) > 0, nil
}

// summit is a local maximum: its place and its value.
type summit struct{ x, y *ball.Ball }

// maximum returns the largest value of f between a and b, and the candidate summits, in ascending
// order of their places.
func (d *denotation) maximum(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (
	[]summit, *ball.Ball, *diag.Diagnostic) {
	at := d.closeUp(e, let, f)
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
		list = append(list, s)
	}
	highest, best := list[0].y, 0
	for i, s := range list {
		if highest.Less(s.y) {
			best = i
		}
		highest = new(ball.Ball).Max(highest, s.y, d.tier.Prec)
	}
	d.path.note(len(list))
	d.path.note(best)
	return list, widen(highest, d.tier.Prec-4), nil
}

// climb finds the summit of a function on a range that has one: the end that the function rises
// to, or the point where its rise over a step changes its sign.
func (d *denotation) climb(at real, lower, upper *ball.Ball) (summit, *diag.Diagnostic) {
	bits := 4 * d.tier.Prec
	step := new(ball.Ball).Sub(upper, lower, bits)
	step.Mul2(step, -16-int64(d.tier.Prec))
	rise := func(x *ball.Ball) (*ball.Ball, *diag.Diagnostic) {
		before, failure := at(new(ball.Ball).Sub(x, step, bits))
		if failure != nil {
			return nil, failure
		}
		after, failure := at(new(ball.Ball).Add(x, step, bits))
		if failure != nil {
			return nil, failure
		}
		return new(ball.Ball).Sub(after, before, bits), nil
	}
	b := bracket{lower: new(ball.Ball).Add(lower, step, bits), upper: new(ball.Ball).Sub(
		upper, step, bits)}
	var failure *diag.Diagnostic
	if b.atLower, failure = rise(b.lower); failure != nil {
		return summit{}, failure
	}
	if b.atUpper, failure = rise(b.upper); failure != nil {
		return summit{}, failure
	}
	x := d.tier.Hull(lower, upper)
	switch left, right := b.atLower.Sign(), b.atUpper.Sign(); {
	case left < 0 && right < 0:
		x = lower
	case left > 0 && right > 0:
		x = upper
	case left > 0 && right < 0:
		if x, failure = d.narrow(rise, b); failure != nil {
			return summit{}, failure
		}
	}
	y, failure := at(new(ball.Ball).Mid(x))
	return summit{x, y}, failure
}

// argmax returns the place of the one summit that is higher than all others.
func (d *denotation) argmax(e *evaluator, let *core.Let, a, b *ball.Ball, f Value) (
	Value, *diag.Diagnostic) {
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
			return d.place(s.x, nil)
		}
	}
	return nil, diag.Errorf(diag.Undecided, let.At, "no summit is higher than all others")
}
