package exact

import (
	"container/heap"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Improper integrals]. Where f, or one of its derivatives, has no bounds over a cell
// the singularity may sit at an end of it. Then f as a germ (Note [Germs]) next to that end, at
// x = a ± w u, is a sum of terms c u^p (log u)^k and a remainder u^q R for 0 < u <= 1. If all
// exponents are above -1 the integral over the cell is absolutely convergent: w times the sum of
// the integrals of the terms, and w R / (q + 1). If p <= -1 in the first term, and f has a sign,
// the integral certainly diverges, for every point of what is captured, and that is an error.
// Cutting the cell shrinks the remainder like w^(q+1), and leaves ordinary cells.
//
// Towards infinity x = L / u and dx = -L du / u², so that exponents must be above 1. Cutting
// the tail in two means an ordinary cell from L to 2 L and a tail from 2 L on.
//
// An end that moves, or is known as an enclosure only, as π/2 is, is a pivot (Note [Pivots]). The
// integrand is then known to exist up to the end if the expressions of numbers say that what
// would be singular is 0 there (package ball, Note [Expressions]): cos (π/2 - s) begins with s, and
// is positive for small s > 0. Without that log (cos t) is refused.
//
// Germs exist in the second tier only: in doubles the result is unknown, and
// the ladder climbs.

// integralFrom is the integral of f from a to infinity.
func (c *ctx) integralFrom(at diag.Span, a jet.Jet, f function) (jet.Jet, error) {
	if !a.Known() {
		return c.Unknown(), nil
	}
	if _, plain := balls(c.N); !plain || !c.N.Bounded(a.Val()) {
		c.report(trouble{code: diag.NoIntegral, at: at, what: "the integral to infinity cannot be bounded with this effort"})
		return c.Unknown(), nil
	}
	q := newQuadrature(c, at, f)
	lo := c.N.Upper(a.Val())
	tail, err := q.findTail(lo, nil)
	if err != nil {
		return c.Unknown(), err
	}
	near := &cell{lo: lo, hi: tail.lo, part: 0.5}
	left, err := q.side(near, a, 1)
	if err != nil {
		return left, err
	}
	y, err := q.run(tail, near)
	return c.Add(left, y), err
}

// improper bounds the integral over a cell on which f is not bounded, if it can.
func (q *quadrature) improper(k *cell) error {
	if !k.unknown || k.undecided || k.cut != nil || q.c.exchanges > 0 {
		return nil
	}
	for _, end := range []float64{1, -1} {
		from := k.lo
		if end < 0 {
			from = k.hi
		}
		y, ok, err := q.germ(k, from, q.beside(k, end), grain, false)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		bounds := q.c.Scale(y, k.w)
		if both, ok := q.c.Intersect(k.bounds, bounds); ok {
			bounds = both
		}
		if width, unknown := q.spread(bounds); !unknown || !k.bounds.Known() {
			k.bounds, k.n, k.err, k.unknown = bounds, 0, width, unknown
		}
		if !k.unknown {
			return nil
		}
	}
	return nil
}

// beside is the argument next to the lower end of a cell, if sign is 1, or the upper one, if it is
// -1.
func (q *quadrature) beside(k *cell, sign float64) func(germs) *ball.Ball {
	return func(g germs) *ball.Ball {
		from := k.lo.Ball
		if sign < 0 {
			from = k.hi.Ball
		}
		w := g.Multi.Mul(k.w.Ball, g.Float(sign))
		return g.Add(new(ball.Ball).Set(from).Named(ball.Point(from)), g.line(symbol(w), grain))
	}
}

// farthest is how many doublings a tail may begin away from 1.
const farthest = 256

// findTail is a tail to the right of a point on which f is bounded as it must be, if there is one.
func (q *quadrature) findTail(from jet.Set, forced []forced) (*cell, error) {
	n := q.c.N
	k := &cell{lo: n.Float(1), tail: true, part: 0.5, forced: forced}
	for range farthest {
		if n.Less(n.Add(from, from), k.lo) {
			if err := q.boundTail(k); err != nil || k.bounds.Known() {
				return k, err
			}
		}
		k.lo = n.Add(k.lo, k.lo)
	}
	return k, nil
}

// boundTail bounds the integral over a tail.
func (q *quadrature) boundTail(k *cell) error {
	y, _, err := q.germ(k, k.lo, func(g germs) *ball.Ball {
		return g.line(symbol(k.lo.Ball), -grain)
	}, -grain, false)
	k.bounds = q.c.Scale(y, k.lo)
	k.err, k.unknown = q.spread(k.bounds)
	return err
}

// addTail measures a tail.
func (q *quadrature) addTail(k *cell) error {
	k.size = q.c.N.Float64(k.lo)
	if err := q.boundTail(k); err != nil {
		return err
	}
	if !k.bounds.Known() || !k.unknown && !q.share(k).Less(k.err) {
		q.keep(k)
		return nil
	}
	k.resolving = k.unknown
	heap.Push(&q.open, k)
	return nil
}

// halveTail cuts a tail in two.
func (q *quadrature) halveTail(k *cell) error {
	if q.c.N.Mag(k.lo).Exp() > int64(q.c.N.Bits()) {
		q.keep(k)
		return nil
	}
	far := q.c.N.Add(k.lo, k.lo)
	if err := q.add(&cell{lo: k.lo, hi: far, part: k.part / 2, hint: jet.Exp2(-7), forced: k.forced}); err != nil {
		return err
	}
	return q.add(&cell{lo: far, tail: true, part: k.part / 2, forced: k.forced})
}

// symbol is a number that germs tell from all others.
func symbol(x *ball.Ball) *ball.Ball { return new(ball.Ball).Set(x).Named(ball.Symbol()) }

// germ evaluates f as a germ next to an end of a cell, or far out, and integrates over u, where dx
// is u^weight du / u times a constant (in units of 1/grain). part asks for all integrals from 0
// to some u <= 1. ok tells whether the value is enclosed.
func (q *quadrature) germ(
	k *cell, end jet.Set, place func(germs) *ball.Ball, weight int64, part bool,
) (y jet.Jet, ok bool, err error) {
	c := q.c
	full, plain := balls(c.N)
	if !plain {
		return c.Unknown(), false, nil
	}
	g := newGerms(min(full.Prec, 128), nil)
	g.series = c.series(g)
	outer := c.N
	c.N = jet.Balls{Of: g}
	in := frame{forced: k.forced, watch: -1, zeros: q.zeros(g, end)}
	y, seen, err := c.observeIn(in, q.f, c.Const(jet.OfBall(place(g))))
	c.N = outer
	q.learn(seen)
	if err == errUndecided || err == nil && !y.Known() {
		return c.Unknown(), false, nil
	}
	if err != nil {
		return y, false, err
	}
	if g.endless = q.endless; !g.endless {
		if g.diverges(y.Val().Ball, weight) {
			return y, false, q.diverges(k, end)
		}
		if _, converges := g.integral(y.Val().Ball, weight, part); !converges {
			return c.Unknown(), false, nil
		}
	}
	g.formal = true
	y = c.Map(y, func(x jet.Set, known bool) (jet.Set, bool) {
		if known {
			if sum, ok := g.integral(x.Ball, weight, part); ok {
				return jet.OfBall(sum), true
			}
		}
		return c.N.Whole(), false
	})
	if *g.vanished && c.order() > 0 { // and neighbours may take other decisions
		y = c.Add(y.Value(), c.termsOf(c.Unknown(), func(jet.Tag) jet.Jet { return c.Unknown() }))
	}
	return y, y.Known(), nil
}

// diverges tells whether the integral of u^(weight-1) x from 0 to 1 certainly does: x has a sign,
// and is too large.
func (g germs) diverges(x *ball.Ball, weight int64) bool {
	h := g.get(x)
	switch {
	case h.scale != nil:
		return g.sign(h) != 0 && g.sign(germ{terms: h.scale}) > 0
	case h.least != nil:
		return g.sign(h) != 0 && weight <= 0
	}
	large := func() bool {
		power, _, _, _ := g.bracket(h)
		s := power.plus(grains(weight))
		return s.isZero() || s.sign() < 0
	}
	if !large() {
		return false
	}
	h.terms = g.lead(h.terms)
	return g.sign(h) != 0 && large()
}

// integral is that of u^(weight-1) x from 0 to 1, if it converges absolutely:
//
//	∫ u^(s-1) (log u)^k du = (-1)^k k! / s^(k+1)
//
// If it is to end before 1 it lies between 0 and that, term by term, as a term has one sign.
func (g germs) integral(x *ball.Ball, weight int64, before bool) (sum *ball.Ball, ok bool) {
	h := g.full(x)
	h.scale = g.lead(h.scale)
	if before || h.scale != nil {
		h = g.plain(h)
	}
	if h.null() {
		return new(ball.Ball), true
	}
	if h.scale != nil {
		power, set, ok := g.flat(h)
		if !ok {
			return nil, false
		}
		h = remainder(power, set)
	}
	if h.lost {
		return nil, false
	}
	terms, known := h.terms, len(h.terms)
	if h.rest != nil {
		terms = append(terms[:len(terms):len(terms)], term{power: h.order, c: h.rest})
	}
	sum = new(ball.Ball)
	for i, t := range terms {
		s := t.power.plus(grains(weight))
		if sign := s.sign(); sign <= 0 && !(sign < 0 && g.endless && i < known) {
			if !isNought(t.c) {
				return nil, false
			}
			*g.vanished = true
			continue
		}
		by := s.number()
		part := g.Multi.Quo(t.c, by)
		for i := range int64(t.logs) {
			part = g.Multi.Quo(g.Multi.Mul(part, g.Int(-i-1)), by)
		}
		if before {
			part = g.upToZero(part)
		}
		sum = g.Multi.Add(sum, part)
	}
	for _, w := range h.waves {
		part, ok := g.integrateWave(w, weight)
		if !ok {
			return nil, false
		}
		sum = g.Multi.Add(sum, part)
	}
	return sum, sum.IsFinite()
}

// series gives the coefficients of functions of the table.
func (c *ctx) series(g germs) func(f tier.Fun1, x *ball.Ball, degree int) []*ball.Ball {
	return func(f tier.Fun1, x *ball.Ball, degree int) []*ball.Ball {
		row := prim.ID(f.Row)
		lift := c.lifts[row]
		if lift == nil {
			if unary := c.Unary(row); unary != nil {
				lift = func(x jet.Jet) (jet.Jet, error) { return unary(x), nil }
			}
		}
		if lift == nil || !x.IsFinite() {
			return nil
		}
		germs := c.N
		c.N = jet.Balls{Of: g.Multi}
		tag := c.openRange(degree)
		y, err := lift(c.Series(tag, degree, []jet.Jet{c.Const(jet.OfBall(x)), c.One()}))
		c.close(tag)
		c.N = germs
		if err != nil || !c.Complete(y) {
			return nil
		}
		all := make([]*ball.Ball, degree+1)
		for i := range all {
			all[i] = c.Coeff(y, tag, i).Val().Ball
		}
		return all
	}
}

// diverges says so.
func (q *quadrature) diverges(k *cell, end jet.Set) error {
	if k.tail {
		return diag.Errorf(diag.NoIntegral, q.at, "the integral to infinity does not converge")
	}
	return diag.Errorf(diag.NoIntegral, q.at, "the integral does not converge at %.6g", q.c.N.Float64(q.original(end)))
}
