package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The optima. What they may assume and must do is what root.go says, and:
//
//   - the maximum's first derivatives are Danskin's hull over the maximisers; where
//     there may be several, c.kink says so;
//   - the argmax at ties is the hull of the maximisers (λS §5.2.3), its derivatives then
//     unknown.

// maxOver is the largest value of f between a and b.
func (c *ctx) maxOver(at diag.Span, a, b jet.Jet, f function) (jet.Jet, error) {
	return c.optimum(at, a, b, f, (*domain).maximum)
}

// argmaxOver is where f is largest between a and b.
func (c *ctx) argmaxOver(at diag.Span, a, b jet.Jet, f function) (jet.Jet, error) {
	return c.optimum(at, a, b, f, (*domain).argmax)
}

// optimum is a search of the frame, unless that watches one of its thresholds: Note [Thresholds].
func (c *ctx) optimum(at diag.Span, a, b jet.Jet, f function, find func(*domain, diag.Span) (jet.Jet, error)) (jet.Jet, error) {
	number := c.frame.ranges
	c.frame.ranges++
	d, err := c.domainOf(at, a, b, f)
	if d == nil || err != nil {
		return c.Unknown(), err
	}
	d.number = number
	if watched, err := d.watched(at); watched || err != nil {
		return c.Unknown(), err
	}
	return find(d, at)
}

// Note [The range of an optimum]. If the bounds are points without derivatives the
// search goes from a to b. Otherwise the range is a + (b - a) s with s from 0 to
// 1: what depends on the bounds then becomes something that the function of s
// captures, and its derivatives follow as for everything else that is captured. Roundings
// may carry a + (b - a) s beyond a bound, where f need not be defined: they are
// cut off.

// domain is a range with a function on it.
type domain struct {
	c      *ctx
	lo, hi jet.Set  // points: the range of the argument that is searched
	f      function // of it
	ends   [2]jet.Jet
	affine bool // lo and hi are 0 and 1, and stand for the ends
	of     function
	number int // among the searches of the frame; -1 if it is not one of them
}

// domainOf is nil, with the reason reported, if it is not certain that the range is one.
func (c *ctx) domainOf(at diag.Span, a, b jet.Jet, f function) (*domain, error) {
	n := c.N
	if !a.Known() || !b.Known() {
		return nil, nil
	}
	x, y := a.Val(), b.Val()
	points := n.IsPoint(x) && n.IsPoint(y) && !c.varies(a) && !c.varies(b)
	switch {
	case n.Less(y, x):
		return nil, diag.Errorf(diag.NoOptimum, at, "the upper bound of the range is below the lower one").
			WithHint("they are %s and %s", n.String(x), n.String(y))
	case !n.Bounded(x) || !n.Bounded(y) || !n.Less(x, y) && !points:
		c.report(trouble{code: diag.NoOptimum, at: at, what: "it is not known whether the bounds are in order"})
		return nil, nil
	case points:
		return &domain{c: c, lo: x, hi: y, f: f, of: f, ends: [2]jet.Jet{a, b}}, nil
	}
	d := &domain{c: c, lo: n.Float(0), hi: n.Float(1), of: f, ends: [2]jet.Jet{a, b}, affine: true}
	d.f = func(s jet.Jet) (jet.Jet, error) { return f(d.place(s)) }
	return d, nil
}

// varies tells whether x depends on a variable that is not ignored.
func (c *ctx) varies(x jet.Jet) bool { return x.Newest() > 0 && x.Newest() >= c.Floor }

// place is where an argument of the search lies between the bounds.
func (d *domain) place(s jet.Jet) jet.Jet {
	if !d.affine {
		return s
	}
	c := d.c
	x := c.Add(d.ends[0], c.Mul(c.Sub(d.ends[1], d.ends[0]), s))
	if all := c.N.Span(d.ends[0].Val(), d.ends[1].Val()); x.Known() && !c.N.Within(x.Val(), all) {
		if part := c.N.Intersect(x.Val(), all); !c.N.IsEmpty(part) {
			x = x.WithVal(part)
		}
	}
	return x
}
