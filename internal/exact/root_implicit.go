package exact

import (
	"slices"

	"errors"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// equation says that a derivative of f along its argument is zero: f itself for
// a root (of is 0), its slope for a stationary point (of is 1).
type equation[T any] struct {
	c  *ctx[T]
	f  function[T]
	of int
}

// view is f evaluated around a set: a power series along the argument, and
// what its frame recorded. An undecided comparison leaves the series unknown.
type view[T any] struct {
	y    jet.Jet[T]
	tag  jet.Tag
	seen frame[T]
}

// expand evaluates f at x plus a variable of the given degree: a Taylor expansion.
func (c *ctx[T]) expand(f function[T], x jet.Jet[T], degree int) (v view[T], err error) {
	if degree > 0 {
		v.tag = c.open(degree)
		x = c.Var(v.tag, degree, x, c.One())
	} else {
		v.tag = jet.Tag(len(c.degrees) + 1)
	}
	v.y, v.seen, err = c.observe(f, x, nil, -1)
	if degree > 0 {
		c.close(v.tag)
	}
	if errors.Is(err, errUndecided) {
		v.y, err = c.Unknown(), nil
	}
	return v, err
}

// inherit hands what a frame recorded on to the one around it, whose result depends on it.
func (c *ctx[T]) inherit(seen frame[T]) {
	c.frame.kinked = c.frame.kinked || seen.kinked
	c.report(seen.trouble)
}

// coeff is the coefficient of the i-th power of the argument.
func (c *ctx[T]) coeff(v view[T], i int) jet.Jet[T] { return c.Coeff(v.y, v.tag, i) }

// residual is what should be zero.
func (e equation[T]) residual(x jet.Jet[T]) (jet.Jet[T], error) {
	v, err := e.c.expand(e.f, x, e.of)
	return e.c.coeff(v, e.of), err
}

// slope is the derivative of the residual along the argument.
func (e equation[T]) slope(x jet.Jet[T]) (jet.Jet[T], error) {
	_, slope, _, err := e.both(x)
	return slope, err
}

func (e equation[T]) both(x jet.Jet[T]) (residual, slope jet.Jet[T], v view[T], err error) {
	v, err = e.c.expand(e.f, x, e.of+1)
	return e.c.coeff(v, e.of), e.c.MulInt(e.c.coeff(v, e.of+1), e.of+1), v, err
}

// Note [Interval Newton]. Let the residual r have a zero t in the cell X for every
// point of what is captured, and let S contain every slope of r over X, without 0. For
// any m of X the mean value theorem (for kinks: Lebourg's) gives r(m) = (m - t) s with s
// in S, so that t lies in m - r(m)/S, which is intersected with X: no zero is
// ever lost. If the sign of r(m) is known m itself is cut off, so that a step at least
// halves the cell, and squares its width where r is smooth. Steps end when they shrink
// it by less than three tenths: then r(m) is as wide as rounding, or what is captured,
// makes it.

// shrunk tells whether x is narrower than y by three tenths at least.
func (c *ctx[T]) shrunk(x, y T) bool { return c.shrank(c.N.Width(y), c.N.Width(x)) }

// shrank tells whether a magnitude has become smaller by three tenths at least.
func (c *ctx[T]) shrank(from, to jet.Mag) bool { return to.Less(from.MulFloat(0.7)) }

// newton narrows the cell x, which holds a zero of the residual, with the given slope over x,
// which has a sign.
func (e equation[T]) newton(x, slope T) (T, error) {
	n := e.c.N
	for {
		m := n.Mid(x)
		r, err := e.residual(e.c.Const(m))
		if err != nil || !r.Known() {
			return x, err
		}
		next := n.Intersect(x, n.Sub(m, n.Quo(r.Val(), slope)))
		if n.IsEmpty(next) || !n.Bounded(next) {
			return x, nil
		}
		if !e.c.shrunk(next, x) {
			if n.Width(next).Less(n.Width(x)) {
				x = next
			}
			return x, nil
		}
		x = next
		s, err := e.slope(e.c.Const(x))
		if err != nil {
			return x, err
		}
		if s.Known() {
			if both := n.Intersect(slope, s.Val()); !n.IsEmpty(both) {
				slope = both
			}
		}
	}
}

// Note [Lifting]. Let t be the power series in the open variables with r(t) = 0 whose
// value lies in T₀, where the slope of r has a sign: it exists and is unique by
// the implicit function theorem, to the order to which r is differentiable.
// Suppose that its terms of total degree up to k are known, and call their sum T. Then
//
//	0 = r(T + δ) = r(T) + r'(T) δ + O(δ²)
//
// where δ begins with degree k + 1 and δ² with 2k + 2. The terms of r(T) up to degree
// k are 0, whatever their enclosures say: they are dropped, and the terms of δ of the
// degrees k + 1 to 2k + 1 are those of -r(T)/r'(T). The first step, k = 0, is
// λS §5.2.2's formula. The terms found are frozen: another step for
// them would add its own roundings and narrow nothing, for T₀ does not change.
// The degrees are doubled, so that a long series needs few evaluations.
//
// At a kink of r the first degree is right too, for Clarke's implicit function theorem has
// the same formula, and the higher ones come out unknown.

// lift is the zero of the residual as a power series in the open variables. Its value lies in
// x, over which the slope of the residual is known to have a sign.
func (e equation[T]) lift(x T) (jet.Jet[T], error) {
	c := e.c
	t := c.Const(x)
	order := c.order()
	for done := 0; done < order; done = 2*done + 1 {
		r, slope, v, err := e.both(t)
		if err != nil {
			return t, err
		}
		if !r.Known() || !slope.Known() || c.N.Sign(slope.Val()) == 0 {
			return c.withoutDerivatives(t, done+1, r), nil
		}
		rest := c.degreesOf(r, done+1, order)
		if rest.IsZero() {
			return t, nil
		}
		c.inherit(v.seen)
		t = c.Sub(t, c.degreesOf(c.Quo(rest, slope), done+1, min(2*done+1, order)))
	}
	return t, nil
}

// degreesOf is the sum of the terms whose total degree is from lo to hi.
func (c *ctx[T]) degreesOf(x jet.Jet[T], lo, hi int) jet.Jet[T] {
	sum := c.Zero()
	for d := lo; d <= hi; d++ {
		sum = c.Add(sum, c.Part(x, d))
	}
	return sum
}

// withoutDerivatives is x with unknown terms of total degree from lo on, in the open
// variables that one of ys depends on, or in all of them if one is unknown.
func (c *ctx[T]) withoutDerivatives(x jet.Jet[T], lo int, ys ...jet.Jet[T]) jet.Jet[T] {
	all := c.One() // every monomial
	for i, degree := range c.degrees {
		tag := jet.Tag(i + 1)
		moves := func(y jet.Jet[T]) bool { return !y.Known() || y.Has(tag) }
		if tag >= c.Floor && slices.ContainsFunc(ys, moves) {
			series := make([]jet.Jet[T], degree+1)
			for k := range series {
				series[k] = all
			}
			all = c.Series(tag, degree, series)
		}
	}
	unknown := func(T, bool) (T, bool) { return c.N.Whole(), false }
	return c.Add(c.degreesOf(x, 0, lo-1), c.Map(c.degreesOf(all, lo, c.order()), unknown))
}
