package exact

import (
	"slices"

	"errors"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// equation says that a derivative of f along its argument is zero: f itself for
// a root (of is 0), its slope for a stationary point (of is 1).
type equation struct {
	c  *ctx
	f  function
	of int
}

// view is f evaluated around a set: a power series along the argument, and
// what its frame recorded. An undecided comparison leaves the series unknown.
type view struct {
	y    jet.Jet
	tag  jet.Tag
	seen frame
}

// expand evaluates f at x plus a variable of the given degree: a Taylor expansion.
func (c *ctx) expand(f function, x jet.Jet, degree int) (v view, err error) {
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
func (c *ctx) inherit(seen frame) {
	c.frame.kinked = c.frame.kinked || seen.kinked
	c.report(seen.trouble)
}

// coeff is the coefficient of the i-th power of the argument.
func (c *ctx) coeff(v view, i int) jet.Jet { return c.Coeff(v.y, v.tag, i) }

// residual is what should be zero.
func (e equation) residual(x jet.Jet) (jet.Jet, error) {
	v, err := e.c.expand(e.f, x, e.of)
	return e.c.coeff(v, e.of), err
}

// slope is the derivative of the residual along the argument.
func (e equation) slope(x jet.Jet) (jet.Jet, error) {
	_, slope, _, err := e.both(x)
	return slope, err
}

func (e equation) both(x jet.Jet) (residual, slope jet.Jet, v view, err error) {
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
func (c *ctx) shrunk(x, y jet.Set) bool { return c.shrank(c.N.Width(y), c.N.Width(x)) }

// shrank tells whether a magnitude has become smaller by three tenths at least.
func (c *ctx) shrank(from, to jet.Mag) bool { return to.Less(from.MulFloat(0.7)) }

// newton narrows the cell x, which holds a zero of the residual, with the given slope over x,
// which has a sign.
func (e equation) newton(x, slope jet.Set) (jet.Set, error) {
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
//
// Forms have no parts by degree. But a reverse variable has degree 1: where r(T) = 0 in all other
// variables, its term of δ is that of -r(T)/r'(T), whatever the degrees of the others. So reverse
// variables come last, the older first.

// lift is the zero of the residual as a power series in the open variables. Its value lies in
// x, over which the slope of the residual is known to have a sign.
func (e equation) lift(x jet.Set) (jet.Jet, error) {
	c := e.c
	t := c.Const(x)
	order, forms := c.liftedBy()
	for done := 0; done < order; done = 2*done + 1 {
		r, slope, known, err := e.step(&t, done+1, c.reverse)
		if err != nil || !known {
			return t, err
		}
		rest := c.degreesOf(r, done+1, order)
		if rest.IsZero() {
			break
		}
		t = c.Sub(t, c.degreesOf(c.Quo(rest, slope), done+1, min(2*done+1, order)))
	}
	for _, tag := range forms {
		newer := func(other jet.Tag) bool { return c.reverse(other) && other > tag }
		r, slope, known, err := e.step(&t, 1, newer)
		if err != nil || !known {
			return t, err
		}
		_, r = c.Split(r, func(other jet.Tag) bool { return other == tag })
		t = c.Sub(t, c.Quo(r, slope))
	}
	return t, nil
}

// liftedBy is the sum of the degrees of the variables that a zero is a power series in, and the
// reverse variables, which come last.
func (c *ctx) liftedBy() (order int, forms []jet.Tag) {
	for i, degree := range c.degrees {
		if tag := jet.Tag(i + 1); c.reverse(tag) {
			forms = append(forms, tag)
		} else if tag >= c.Floor {
			order += degree
		}
	}
	return order, forms
}

// step is the residual at t and its slope, without the terms in some variables. If one of them is
// not known, the terms of t of total degree from lo on are unknown.
func (e equation) step(
	t *jet.Jet, lo int, without func(jet.Tag) bool,
) (r, slope jet.Jet, known bool, err error) {
	c := e.c
	r, slope, v, err := e.both(*t)
	if err != nil {
		return r, slope, false, err
	}
	if !r.Known() || !slope.Known() || c.N.Sign(slope.Val()) == 0 {
		*t = c.withoutDerivatives(*t, lo, r)
		return r, slope, false, nil
	}
	if c.Moves(r) {
		c.inherit(v.seen)
	}
	r, _ = c.Split(r, without)
	slope, _ = c.Split(slope, without)
	return r, slope, true, nil
}

// degreesOf is the sum of the terms whose total degree is from lo to hi.
func (c *ctx) degreesOf(x jet.Jet, lo, hi int) jet.Jet {
	sum := c.Zero()
	for d := lo; d <= hi; d++ {
		sum = c.Add(sum, c.Part(x, d))
	}
	return sum
}

// withoutDerivatives is x with unknown terms of total degree from lo on, in the open
// variables that one of ys depends on, or in all of them if one is unknown.
func (c *ctx) withoutDerivatives(x jet.Jet, lo int, ys ...jet.Jet) jet.Jet {
	return c.Add(x, c.unknowns(len(c.degrees), lo, ys))
}

// unknowns is the sum of all terms of total degree from lo on in the first n open variables, as far
// as ys depend on them: each has an unknown coefficient.
func (c *ctx) unknowns(n, lo int, ys []jet.Jet) jet.Jet {
	tag := jet.Tag(n)
	switch {
	case lo <= 0:
		return c.Unknown()
	case n == 0 || tag < c.Floor:
		return c.Zero()
	}
	series := []jet.Jet{c.unknowns(n-1, lo, ys)}
	moves := func(y jet.Jet) bool { return !y.Known() || y.Has(tag) }
	if slices.ContainsFunc(ys, moves) {
		for k := range c.degrees[n-1] {
			series = append(series, c.unknowns(n-1, lo-k-1, ys))
		}
		if c.reverse(tag) {
			series[1] = c.Mul(c.Slopes(tag, ys...), series[1])
		}
	}
	return c.Series(tag, c.degrees[n-1], series)
}
