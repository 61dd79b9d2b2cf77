package exact

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Exchange]
//
// Problem: two crossings of an inner integral may be born in the middle of its range. In
//
//	integral (-2) 2 (fun x => integral (-2) 2 (fun y => if x^2 + y^2 < r^2 then 1 else 0))
//
// there are two crossings y = ±sqrt (r^2 - x^2) for x > -r and none for x < -r. On a cell around
// x = -r the difference d = x^2 + y^2 - r^2 is not monotone along y, and neither case of Note
// [Crossings] holds however small the cell is; and the derivative of the inner integral by r has
// no bound there.
//
//	y
//	  ┌───────┐
//	  │    ╭──│      in the box, each line along y has two crossings or none,
//	  │   (   │      each line along x has one, or it leaves at the right (Note [Thresholds])
//	  │    ╰──│
//	  └───────┘ x
//
// Idea: along x the same d is monotone on the box, for its slope there has a sign. So the integral
// over the box is taken in the other order: first along x, then along y. Then every crossing is
// simple, and those that leave the box do so at an end of its x-range. (This is the choice of a
// height direction in Saye, High-order quadrature methods for implicitly defined surfaces and
// volumes in hyperrectangles, 2015; the thresholds are his restrictions to the faces.)
//
// What is exchanged: let F(x) be the integrand of the outer integral over a cell X, and let it
// call inner integrals of g from a to b, which all may depend on x. With the inner integrals
// replaced by W + Wη, where W is the line, the coefficient of η² in F must be a structural zero:
// then F is an affine function of them. Let P(x, s) be F(x) with each of them replaced by
// (b - a) g(a + (b - a) s). The inner integral is the mean of that over s in [0, 1], and an
// affine function of means is the mean of the function. Hence
//
//	∫_X F(x) dx = ∫_X ∫_0^1 P(x, s) ds dx = ∫_0^1 ∫_X P(x, s) dx ds
//
// by Fubini's theorem, for P is bounded: the cells of the right-hand side cover the box, and on
// each of them the range of P is known, because no rule for unbounded integrands is used. The
// identity holds for each point of what is captured and its neighbours, and so for derivatives of
// every order. If F is not affine in all of its integrals, as their product is not, the one
// with the fold may still be exchanged alone.

// fold is what an integral leaves undecided over a cell: for the integral around it to exchange.
type fold struct {
	diffs    []jet.Jet // the differences that are undecided over some cell; none, if there is no fold
	integral int       // its number in its frame
	several  bool      // there are other integrals that leave something undecided
}

// stand takes the place of integrals of a frame.
type stand struct {
	from, to int // their numbers, without the last
	as       func(a, b jet.Jet, f function) (jet.Jet, error)
}

// standIn evaluates what takes the place of an integral, if something does.
func (c *ctx) standIn(number int, a, b jet.Jet, f function) (y jet.Jet, ok bool, err error) {
	for _, s := range c.frame.stands {
		if s.from <= number && number < s.to {
			y, err = s.as(a, b, f)
			return y, true, err
		}
	}
	return y, false, nil
}

// standing is f with integrals replaced. A function may itself stand in a frame, whose sites and
// integrals have been counted before: the numbers of f's own are relative to those.
func (c *ctx) standing(f function, s stand) function {
	return func(x jet.Jet) (jet.Jet, error) {
		in := c.frame
		before := in.stands
		defer func() { in.stands = before }()
		s := s
		s.from, s.to = s.from+in.ranges, s.to+in.ranges
		in.stands = append(in.stands[:len(in.stands):len(in.stands)], s)
		return f(x)
	}
}

// deciding is f with decisions forced.
func (c *ctx) deciding(f function, decisions []forced) function {
	return func(x jet.Jet) (jet.Jet, error) {
		in := c.frame
		before := in.forced
		defer func() { in.forced = before }()
		for _, d := range decisions {
			switch {
			case d.site < firstThreshold:
				in.forced = with(in.forced, d.site+in.sites, d.side)
			case in.ranges == 0: // a threshold contains the number of its integral
				in.forced = with(in.forced, d.site, d.side)
			}
		}
		return f(x)
	}
}

const (
	// exchangeSites is how many sites and integrals a function may have that stands in a frame.
	exchangeSites = 1 << 20
	// mostExchanges is how many exchanges may be inside one another.
	mostExchanges = 4
)

// met counts what a frame has met.
type met struct {
	sites  int // decisions
	ranges int // integrals
}

// sampled replaces integrals by their integrands at a + (b - a) s, times b - a.
func (c *ctx) sampled(from, to int, s jet.Jet, depth int) stand {
	return c.replaced(from, to, depth, func(f function) (jet.Jet, error) { return f(s) })
}

// replaced replaces integrals by what takes the place of the mean of a function over [0, 1]. What
// that meets is counted on a level of its own, so that what comes after it is numbered as ever, and
// each evaluation of the function has the same numbers.
func (c *ctx) replaced(
	from, to, depth int, mean func(function) (jet.Jet, error),
) stand {
	return stand{from, to, func(a, b jet.Jet, f function) (jet.Jet, error) {
		in := c.frame
		outer := in.met
		level := outer.sites&^(exchangeSites-1) | exchangeSites<<depth
		if in.levels == nil {
			in.levels = map[int]met{}
		}
		begin, ok := in.levels[level]
		if !ok {
			begin = met{level, level}
		}
		defer func() { in.levels[level], in.met = in.met, outer }()
		line := domain{c: c, ends: [2]jet.Jet{a, b}, affine: true}
		deeper := maps.Clone(in.levels)
		y, err := mean(func(s jet.Jet) (jet.Jet, error) {
			in.met = begin
			maps.DeleteFunc(in.levels, func(of int, _ met) bool { return deeper[of] == (met{}) })
			maps.Copy(in.levels, deeper)
			return f(line.place(s))
		})
		return c.Mul(c.Sub(b, a), y), err
	}}
}

// exchange integrates over a cell, on which f leaves an inner integral undecided, in the other
// order. ok is false if that cannot be done or does not help.
func (q *quadrature) exchange(k *cell, tag jet.Tag, of fold) (ok bool, err error) {
	c := q.c
	if len(of.diffs) == 0 || q.pivoted != nil || c.exchanges >= mostExchanges {
		return false, nil
	}
	for _, d := range of.diffs {
		if slope := c.Coeff(d, tag, 1); !slope.Known() || c.N.Sign(slope.Val()) == 0 {
			return false, nil
		}
	}
	from, to := 0, exchangeSites
	affine, err := q.affine(k, from, to)
	if err == nil && !affine && !of.several {
		from, to = of.integral, of.integral+1
		affine, err = q.affine(k, from, to)
	}
	if err != nil || !affine {
		return false, err
	}
	y, err := q.exchanged(k, from, to)
	if err != nil || !c.Complete(y) {
		return false, err
	}
	if err, _ := q.spread(y); !k.unknown && k.err.Less(err) {
		return false, nil
	}
	q.sum = c.Add(q.sum, y)
	return true, nil
}

// exchanged is the integral over a cell in the other order. It may take a part of the calls that
// are left, and is unknown if they do not suffice.
func (q *quadrature) exchanged(k *cell, from, to int) (jet.Jet, error) {
	c := q.c
	most := c.effort.calls
	c.effort.calls = c.calls + (most-c.calls)/4
	c.exchanges++
	defer q.asking(q.share(k))()
	defer func() {
		c.effort.calls = most
		c.exchanges--
	}()
	depth := c.exchanges
	along := func(s jet.Jet) (jet.Jet, error) {
		f := c.deciding(c.standing(q.f, c.sampled(from, to, s, depth)), k.forced)
		return c.integral(q.at, c.Const(k.lo), c.Const(k.hi), f)
	}
	y, seen, err := c.observe(func(jet.Jet) (jet.Jet, error) {
		return c.integral(q.at, c.Float(0), c.Float(1), along)
	}, c.Zero(), nil, -1)
	q.learn(seen)
	if err != nil && (!fatal(err) || err == errBudget) {
		return c.Unknown(), nil
	}
	return y, err
}

// affine tells whether f over a cell is an affine function of inner integrals.
func (q *quadrature) affine(k *cell, from, to int) (bool, error) {
	c := q.c
	tag := c.open(2)
	defer c.close(tag)
	line := c.Const(c.N.Whole())
	free := stand{from, to, func(a, b jet.Jet, f function) (jet.Jet, error) {
		return c.Var(tag, 2, line, line), nil
	}}
	y, _, err := c.observe(c.standing(q.f, free), c.Const(c.N.Span(k.lo, k.hi)), k.forced, -1)
	if err != nil && !fatal(err) {
		return false, nil
	}
	return y.Known() && c.Coeff(y, tag, 1).Known() && c.Coeff(y, tag, 2).IsZero(), err
}
