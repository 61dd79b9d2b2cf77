package exact

import (
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Pivots]
//
// Problem: the integrand may be unbounded at a crossing r, or have unbounded derivatives, and r may
// move. Then the strips of Note [Strips] around r are unknown. An example is
//
//	deriv (fun c => integral 0 1 (fun x => 1 / sqrt (abs (x - c)))) 0.3
//
// where r = c and the value is 2 √c + 2 √(1 - c).
//
// Idea: substitute s = |x - r|, the distance from the crossing. Near r the integral is a sum of
// two integrals, one on each side, of
//
//	g(s) = f(r ± s),   0 < s < m
//
// where r is the jet of the crossing and m is the distance to a fixed point inside the cell:
//
//	          m                m
//	   |──────────────|──────────────|       x: r moves, the outer points are fixed
//	              s ◄─ r ─► s
//	   g(s) = 1/√s on both sides             s: the singularity stays at 0, m moves
//
// In the coordinate s the singularity stays at 0 whatever the open variables do, so the
// derivatives of the integral are integrals of the derivatives of g, and moving ends m, where g
// is smooth. In the example g does not depend on c at all, and the derivative comes from m
// alone.
//
// What must be shown: the difference d at the site vanishes at s = 0, together with all its
// coefficients in the open variables, since d(r) = 0 defines r. Arithmetic does not show this,
// because r is known only as an enclosure. So next to the singularity, where f is evaluated as a
// germ (Note [Germs]), the constants of the difference and of its coefficients are taken to be 0.
// Quantities that are computed from the difference follow.
//
// Elsewhere d lies in s times its slopes between 0 and s. This matters where s is not larger
// than the enclosure of r, which is as wide as what is captured.
//
// An end of the range is a pivot too if the strip there is unknown, as that of
//
//	deriv (fun b => integral b 1 (fun x => 1 / sqrt (x - b))) 0.5
//
// is. Here nothing defines r but the program. That x - b is s at x = b + s, for all b, follows from
// the expressions of numbers, in which b is a symbol.
//
// If the crossing touches an end of the range, as y = x does at x = 0 in the integral of log |x -
// y| over the unit square, a sliver is left between the two, whose width may be 0. Its value is
// bounded, and its derivatives are unknown. The integral around it needs no more: it cuts its cells
// towards x = 0.

// pivot is the crossing or the end of the range from which a quadrature goes, and in which
// direction.
type pivot struct {
	outer  *quadrature
	at     jet.Jet // in its coordinate
	sign   float64
	site   int // -1 if it is an end of the range
	forced []forced

	length jet.Set // of the range
	slopes []slope // of the difference, over all of the range and then over less and less
}

// slope encloses the slopes of a difference from 0 to a distance.
type slope struct{ reach, of jet.Set }

// from is the argument at a distance from the pivot.
func (p *pivot) from(s jet.Jet) jet.Jet {
	c := p.outer.c
	return c.Add(p.at, c.Mul(c.Float(p.sign), s))
}

// differences is the difference over distances from lo to hi, and w times its slopes there.
func (p *pivot) differences(lo, hi, w jet.Set) (jet.Jet, error) {
	c := p.outer.c
	tag := c.open(1)
	s := c.Var(tag, 1, c.Const(c.N.Span(lo, hi)), c.Const(w))
	d, err := p.outer.difference(p.forced, p.site)(p.from(s))
	c.close(tag)
	return c.Coeff(d, tag, 1), err
}

// bound encloses the difference at a distance, if arithmetic may not do it well enough.
func (p *pivot) bound(s jet.Set) (d jet.Set, ok bool, err error) {
	n := p.outer.c.N
	if _, plain := balls(n); !plain || n.Width(p.at.Val()).Less(n.Mig(s).MulFloat(0x1p-20)) {
		return d, false, nil
	}
	defer p.outer.c.restore(p.outer.c.ignoreOuter())
	near := n.Mul(n.Upper(s), n.Float(2))
	for len(p.slopes) == 0 || n.Less(n.Mul(near, n.Float(4)), p.slopes[len(p.slopes)-1].reach) {
		reach := p.length
		if len(p.slopes) > 0 {
			reach = n.Upper(near)
		}
		slopes, err := p.differences(n.Float(0), reach, n.Float(1))
		if err != nil || !slopes.Known() {
			return d, false, err
		}
		p.slopes = append(p.slopes, slope{reach, slopes.Val()})
	}
	i := len(p.slopes) - 1
	for i > 0 && n.Less(p.slopes[i].reach, n.Upper(s)) {
		i--
	}
	return n.Mul(s, p.slopes[i].of), true, nil
}

// pivot integrates over a cell from its crossing to both sides, if it can.
func (q *quadrature) pivot(k *cell) (ok bool, err error) {
	c := q.c
	if _, plain := balls(c.N); !plain {
		return false, nil
	}
	r, err := q.named(k)
	if err != nil {
		return false, err
	}
	left := &cell{lo: k.lo, hi: c.N.Lower(r.Val()), part: k.part / 4, forced: k.cut.left, hint: k.hint}
	right := &cell{lo: c.N.Upper(r.Val()), hi: k.hi, part: k.part / 4, forced: k.cut.right, hint: k.hint}
	near := c.Zero()
	for i, side := range []*cell{left, right} {
		p := &pivot{outer: q, at: r, sign: float64(2*i - 1), site: k.cut.site, forced: side.forced}
		var y jet.Jet
		if end := []jet.Set{k.lo, k.hi}[i]; !c.N.Less(side.lo, side.hi) {
			if y, err = p.sliver(end); err != nil || !y.Known() {
				return false, err
			}
			near = c.Add(near, y)
			continue
		}
		side.w = c.N.Sub(side.hi, side.lo)
		side.size = c.N.Float64(side.w)
		from := q.middle(side)
		if !c.N.Less(side.lo, from) || !c.N.Less(from, side.hi) {
			return false, nil
		}
		if y, err = p.integrate(from, q.share(side)); err != nil || !y.Known() {
			return false, err
		}
		near = c.Add(near, y)
		if i == 0 {
			side.hi = from
		} else {
			side.lo = from
		}
	}
	q.sum = c.Add(q.sum, near)
	for _, side := range []*cell{left, right} {
		if c.N.Less(side.lo, side.hi) {
			if err := q.add(side); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// named is the crossing of a cell with an expression, if the difference is x - e or e - x for an
// expression e without x (package ball, Note [Expressions]): then other parts of the integrand may
// be known to vanish at the crossing, too.
func (q *quadrature) named(k *cell) (jet.Jet, error) {
	c := q.c
	r := k.cut.at
	x := symbol(r.Val().Ball)
	tag := c.openRange(1)
	in := frame{forced: k.forced, watch: k.cut.site}
	_, seen, err := c.observeIn(in, q.f, c.Series(tag, 1, []jet.Jet{c.Const(jet.OfBall(x)), c.One()}))
	c.close(tag)
	if err != nil && fatal(err) {
		return r, err
	}
	if !seen.watched.met || !seen.watched.diff.Known() {
		return r, nil
	}
	d := seen.watched.diff.Val().Ball.Expr()
	for _, e := range []*ball.Expr{x.Expr().Sub(d), x.Expr().Add(d)} {
		if e != nil && !e.Mentions(x.Expr()) {
			return r.WithVal(jet.OfBall(new(ball.Ball).Set(x).Named(e))), nil
		}
	}
	return r, nil
}

// sliver encloses the value of the integral between a pivot and an end that it touches. It is at
// most m away, so that the integral lies between 0 and that of the germ over 0 < s <= m, term by
// term. Its derivatives are unknown.
func (p *pivot) sliver(end jet.Set) (jet.Jet, error) {
	q, n := p.outer, p.outer.c.N
	m := n.Upper(n.Mul(n.Float(p.sign), n.Sub(end, p.at.Val())))
	inner := p.quadrature()
	k := &cell{lo: n.Float(0), hi: m, w: m, forced: p.forced}
	y, ok, err := inner.germ(k, k.lo, inner.beside(k, 1), grain, true)
	if err != nil && fatal(err) {
		return y, err
	}
	if err != nil || !ok { // it need not diverge where there is nothing between the two
		return q.c.Unknown(), nil
	}
	return q.c.dimmed(q.c.Scale(y, m), p.at), nil
}

// quadrature integrates over the distance from a pivot.
func (p *pivot) quadrature() *quadrature {
	q := p.outer
	c := q.c
	inner := newQuadrature(c, q.at, func(s jet.Jet) (jet.Jet, error) {
		if p.site < 0 {
			return q.f(p.from(s))
		}
		if d, ok, err := p.bound(s.Val()); err != nil {
			return s, err
		} else if ok {
			c.frame.zeros = append(c.frame.zeros, zero{site: p.site, bound: d})
		}
		return q.f(p.from(s))
	})
	inner.pivoted = p
	return inner
}

// integrate is the integral between a pivot and a point.
func (p *pivot) integrate(to jet.Set, tol jet.Mag) (jet.Jet, error) {
	q := p.outer
	c := q.c
	inner := p.quadrature()
	inner.tol = tol
	inner.cells, inner.searches = q.cells, q.searches
	end := c.Mul(c.Float(p.sign), c.Sub(c.Const(to), p.at))
	p.length = c.N.Upper(end.Val())
	if p.site < 0 {
		if hope, err := p.tame(inner); !hope || err != nil {
			return c.Unknown(), err
		}
	}
	y, err := inner.between(c.Float(0), end, p.forced)
	q.cells, q.searches = inner.cells, inner.searches
	if q.trouble.code == "" {
		q.trouble = inner.trouble
	}
	return y, err
}

// mostPivots is how many pivots may be integrated from inside of one another: one for each end of
// the range. A further one would be at an end that an earlier one has made.
const mostPivots = 2

// pivots counts the pivots around a quadrature.
func (q *quadrature) pivots() (n int) {
	for p := q.pivoted; p != nil; p = p.outer.pivoted {
		n++
	}
	return n
}

// tame tells whether germs bound the integrand next to the pivot, which is an end of the range, as
// they must.
func (p *pivot) tame(q *quadrature) (bool, error) {
	n := q.c.N
	near := n.Upper(n.Mul(p.length, n.Float(0x1p-20)))
	k := &cell{lo: n.Float(0), hi: near, w: near, forced: p.forced, unknown: true}
	k.bounds = q.c.Unknown()
	err := q.improper(k)
	return !k.unknown, err
}

// zeros tells germs that the difference at the site of the pivot vanishes at the end of a cell, if
// that is the pivot.
func (q *quadrature) zeros(g germs, end jet.Set) []zero {
	n := q.c.N
	p := q.pivoted
	if p == nil || p.site < 0 || !n.IsPoint(end) || !n.Mag(end).IsZero() {
		return nil
	}
	return []zero{{
		site: p.site, newest: jet.Tag(len(q.c.degrees)),
		root: func(x jet.Set) jet.Set { return jet.OfBall(g.withoutConstant(x.Ball)) },
	}}
}

// original is a set of the range in the coordinate of the program.
func (q *quadrature) original(x jet.Set) jet.Set {
	if p := q.pivoted; p != nil {
		return p.outer.original(p.from(q.c.Const(x)).Val())
	}
	return x
}
