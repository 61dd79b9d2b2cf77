package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// maximum is the largest value, with its derivatives.
func (d *domain) maximum(at diag.Span) (jet.Jet, error) {
	c := d.c
	s, err := d.search(c.order() > 0)
	if err != nil || s == nil {
		return c.Unknown(), err
	}
	y, ok := s.value()
	if !ok {
		c.report(s.trouble)
		c.report(trouble{code: diag.NoOptimum, at: at, what: mayJump})
		return c.Unknown(), nil
	}
	if c.order() == 0 {
		return c.Const(y), nil
	}
	if err := s.contend(at); err != nil {
		return c.Unknown(), err
	}
	saved := c.tol
	defer func() { c.tol = saved }()
	return s.derivatives(at, y)
}

// argmax is where f is largest, with its derivatives.
func (d *domain) argmax(at diag.Span) (jet.Jet, error) {
	c := d.c
	s, err := d.search(true)
	if err != nil || s == nil {
		return c.Unknown(), err
	}
	if _, ok := s.value(); !ok {
		c.report(s.trouble)
		c.report(trouble{code: diag.NoOptimum, at: at, what: mayJump})
		return c.Unknown(), nil
	}
	if err := s.contend(at); err != nil {
		return c.Unknown(), err
	}
	saved := c.tol
	defer func() { c.tol = saved }()
	if end, ok := s.onlyEnd(); ok {
		return d.ends[end], nil
	}
	if top := s.onlySummit(); top != nil {
		c.tol = top.lifting
		t, err := top.place.lift(top.x)
		return d.place(t), err
	}
	c.report(trouble{code: diag.NoOptimum, at: at, what: "the optimum may be reached at several places"})
	if err := s.tie(at); err != nil {
		return c.Unknown(), err
	}
	hull := d.place(c.Const(s.hull()))
	v, err := c.expand(d.f, c.Const(s.hull()), 0)
	return c.withoutDerivatives(hull, 1, v.y), err
}

// Note [Envelope]. The derivatives of the maximum M, by what is known of the maximisers:
//
//   - Only an end of the range is left, and everything else was dropped by strict
//     inequalities, which hold for all neighbours of what is captured too: M is f at
//     that end there, to every order.
//   - There is one cluster, and it has a summit: its place t is a differentiable function of
//     what is captured (Note [Lifting]), and M = f(t), to every order.
//   - Otherwise M is the largest of the maxima over the clusters and of the values at the ends
//     that are candidates, and its first derivatives lie in the hull of theirs. Of the higher
//     ones nothing is known. A cluster with a summit has the derivatives that the summit has.
//     Over any other the maximum is one of f over x of a compact set, and by Danskin's theorem
//     (Clarke 2.8.2 for Lipschitz f) its first derivatives lie in the hull of those of f at the
//     maximisers, hence in the hull over the cells.
//
// Where f is smooth at the summit Danskin's hull is right too, and does not contain the
// product of the slope of f at t with the derivatives of t, which is 0 but has a width.

// derivatives is the maximum, whose value lies in y.
func (s *maximiserSearch) derivatives(at diag.Span, y jet.Set) (jet.Jet, error) {
	c := s.c
	if end, ok := s.onlyEnd(); ok {
		return s.valued(y, s.of, s.ends[end])
	}
	if top := s.onlySummit(); top != nil {
		return s.atSummit(top, y, c.order())
	}
	if c.lean != 0 {
		if m, ok, err := s.leaned(y); ok || err != nil {
			return m, err
		}
	}
	m, sharp, err := s.danskin()
	if err != nil || !m.Known() {
		return c.withoutDerivatives(c.Const(y), 1, m), err
	}
	if c.varies(m) {
		if c.kink(at); sharp {
			err = s.tie(at)
		}
	}
	return c.withoutDerivatives(m.WithVal(y), 2, m), err
}

// onlySummit is the summit of the only cluster, or nil.
func (s *maximiserSearch) onlySummit() *summit {
	if len(s.clusters) != 1 || s.alone[0] || s.alone[1] {
		return nil
	}
	return s.clusters[0].top
}

// atSummit is f at a summit, where its value lies in y, with derivatives up to an order.
func (s *maximiserSearch) atSummit(top *summit, y jet.Set, order int) (jet.Jet, error) {
	c := s.c
	tol := c.tol
	defer func() { c.tol = tol }()
	c.tol = top.lifting
	var first jet.Jet
	if top.flat {
		m, err := s.valued(y, top.f, c.Const(top.x))
		if err != nil || order == 1 || !c.varies(m) {
			return m, err
		}
		first = m
	}
	t, err := top.place.lift(top.x)
	if err != nil {
		return c.Unknown(), err
	}
	m, err := s.valued(y, top.f, t)
	if err == nil && top.flat {
		first, _ = c.Split(first, c.reverse)
		m, forms := c.Split(m, c.reverse)
		return c.Add(c.Add(c.degreesOf(first, 0, 1), c.degreesOf(m, 2, c.order())), forms), nil
	}
	return m, err
}

// valued is f at x, where its value is known to lie in y too. What the frame of f
// recorded is handed on.
func (s *maximiserSearch) valued(y jet.Set, f function, x jet.Jet) (jet.Jet, error) {
	c := s.c
	v, err := c.expand(f, x, 0)
	if err != nil {
		return v.y, err
	}
	c.inherit(v.seen)
	if !v.y.Known() {
		return c.withoutDerivatives(c.Const(y), 1, v.y), nil
	}
	if both := c.N.Intersect(y, v.y.Val()); !c.N.IsEmpty(both) {
		y = both
	}
	return v.y.WithVal(y), nil
}

// tie records that maximisers may be equally high which are certain to lie apart: there is a
// stretch between them without any.
func (s *maximiserSearch) tie(at diag.Span) error {
	c, n := s.c, s.c.N
	if c.frame.tie.met {
		return nil
	}
	places := slices.Concat(s.cells, s.peaks)
	slices.SortFunc(places, c.fromLeft)
	if s.alone[0] {
		places = append([]candidate{{lo: s.lo, hi: s.lo, degree: lowestForm}}, places...)
	}
	if s.alone[1] {
		places = append(places[:len(places):len(places)], candidate{lo: s.hi, hi: s.hi, degree: lowestForm})
	}
	for i := 1; i < len(places); i++ {
		if !n.Less(places[i-1].hi, places[i].lo) {
			continue
		}
		floor := c.ignoreOuter()
		x, y := places[i-1], places[i]
		err := s.differentiate(&x)
		if err == nil {
			err = s.differentiate(&y)
		}
		c.restore(floor)
		if err == nil {
			c.frame.tie = decision{met: true, site: -1, at: at, diff: c.Sub(x.jet.Value(), y.jet.Value())}
		}
		return err
	}
	return nil
}

// danskin is the hull of f over the candidates, in every coefficient of the first order. Cells
// over which the first derivatives are wide are refined, unless what is captured is so wide that
// this cannot help; sharp tells that they are narrow over each candidate by itself.
func (s *maximiserSearch) danskin() (m jet.Jet, sharp bool, err error) {
	c := s.c
	settled, err := s.summits()
	if err != nil {
		return c.Unknown(), false, err
	}
	half := c.tol.MulFloat(0.5)
	sharp = !slices.ContainsFunc(settled, func(y jet.Jet) bool { return half.Less(c.Width(c.degreesOf(y, 0, 1))) })
	wide := func(x candidate) bool { return x.derived && half.Less(c.Width(c.degreesOf(x.jet, 0, 1))) }
	before := jet.InfMag()
	for stalled := 0; ; stalled++ {
		sum, some := jet.Mag{}, false
		for i := range s.cells {
			x := &s.cells[i]
			if !x.derived {
				if err := s.differentiate(x); err != nil {
					return c.Unknown(), false, err
				}
			}
			if wide(*x) {
				some = true
				sum = sum.Add(c.Width(c.degreesOf(x.jet, 0, 1)))
			}
		}
		if c.shrank(before, sum) {
			stalled = 0
		}
		if !some || stalled == 2 || s.left <= 0 || c.tol.Less(c.N.Width(s.best)) {
			m, err = s.joined(settled)
			return m, sharp && !some, err
		}
		before = sum
		floor := c.ignoreOuter()
		err := s.pass(wide)
		c.restore(floor)
		if err != nil {
			return c.Unknown(), false, err
		}
	}
}

// summits is f at the summits, each with its first derivatives. Their clusters are no
// candidates any more, nor are those whose summit turns out to be too low.
func (s *maximiserSearch) summits() (all []jet.Jet, err error) {
	c := s.c
	var rest []candidate
	for _, k := range s.clusters {
		if k.top == nil {
			rest = append(rest, k.cells...)
			continue
		}
		y, err := s.atSummit(k.top, c.N.Whole(), 1)
		if err != nil {
			return nil, err
		}
		if y.Known() && c.N.Less(y.Val(), s.best) {
			continue
		}
		all = append(all, y)
		s.peaks = append(s.peaks, candidate{lo: c.N.Lower(k.top.x), hi: c.N.Upper(k.top.x), degree: lowestForm})
	}
	if s.clusters != nil {
		s.cells = rest
	}
	return all, nil
}

// differentiate encloses f over a cell, outer variables included.
func (s *maximiserSearch) differentiate(x *candidate) error {
	c, n := s.c, s.c.N
	cell := n.Span(x.lo, x.hi)
	over, err := c.expand(s.f, c.Const(cell), x.degree)
	if err != nil {
		return err
	}
	m := c.aside(x.lo, x.hi)
	at, err := c.expand(s.f, c.Const(m), x.degree-1)
	if err != nil {
		return err
	}
	c.inherit(over.seen)
	x.jet, x.derived = c.taylor(at, over, x.degree, n.Sub(cell, m)), true
	return nil
}

// joined is the hull of f at the summits, over the cells and at the ends that are candidates.
func (s *maximiserSearch) joined(summits []jet.Jet) (jet.Jet, error) {
	c := s.c
	var hull jet.Jet
	some := false
	join := func(y jet.Jet) {
		if some {
			y = c.Hull(hull, y)
		}
		hull, some = y, true
	}
	for _, y := range summits {
		join(y)
	}
	for i, alone := range s.alone {
		if alone {
			v, err := c.expand(s.of, s.ends[i], 0)
			if err != nil {
				return v.y, err
			}
			c.inherit(v.seen)
			join(v.y)
		}
	}
	for _, x := range s.cells {
		join(x.jet)
	}
	if !some {
		hull = c.Unknown()
	}
	return hull, nil
}
