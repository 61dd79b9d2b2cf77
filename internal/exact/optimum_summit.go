package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// search refines until the maximum is known to within c.tol, and if places is set until its
// maximisers are as narrow as they get. It is nil if f has no value at an end.
func (d *domain) search(places bool) (*maximiserSearch, error) {
	c := d.c
	tol := c.tol
	defer c.restore(c.ignoreOuter())
	defer func() { c.tol = tol }()
	c.tol = tol.MulFloat(0.25)
	s, ok, err := d.start()
	if !ok {
		return nil, err
	}
	// First f must have a value on all cells, then the maximum must be narrow, then the places.
	for stalled := 0; s.gap.IsInf() && s.more(stalled, 4); stalled++ {
		total := s.total
		if err = s.pass(func(x candidate) bool { return !x.known && s.divisible(x) }); err != nil {
			return s, err
		}
		if c.shrank(total, s.total) || !s.gap.IsInf() {
			stalled = -1
		}
	}
	if err = s.climb(tol); err != nil {
		return s, err
	}
	for stalled := 0; places && s.more(stalled, 2); stalled++ {
		if settled, err := s.settle(); err != nil || settled {
			return s, err
		}
		total := s.total
		if err = s.pass(s.divisible); err != nil {
			return s, err
		}
		if c.shrank(total, s.total) {
			stalled = -1
		}
	}
	if places && s.clusters == nil { // some may have summits
		s.tried = jet.InfMag()
		_, err = s.settle()
	}
	return s, err
}

// more tells whether the search should go on: not if some passes in a row have changed little, or
// more of them while f has no value on a cell, because such cells may be too wide
// for a long time.
func (s *maximiserSearch) more(stalled, patience int) bool {
	if s.gap.IsInf() {
		patience = 5 + s.c.effort.rung
	}
	return len(s.cells) > 0 && s.left > 0 && stalled < patience
}

// divisible tells whether a cell is wide enough to be cut, as far as places
// and undefined values are concerned.
func (s *maximiserSearch) divisible(x candidate) bool {
	return s.c.tol.Mul(jet.Exp2(-finest)).Less(s.c.N.Mag(s.c.N.Sub(x.hi, x.lo)))
}

// finest is the binary logarithm of how much narrower than the tolerance cells become at
// most: maximisers with derivatives are found, or not, long before.
const finest = 24

// onlyEnd is the end of the range that is the only candidate, if one is.
func (s *maximiserSearch) onlyEnd() (int, bool) {
	if len(s.cells) > 0 || s.alone[0] == s.alone[1] {
		return 0, false
	}
	if s.alone[0] {
		return 0, true
	}
	return 1, true
}

// hull contains all candidates.
func (s *maximiserSearch) hull() jet.Set {
	lo, hi := s.hi, s.lo
	if len(s.cells) > 0 {
		lo, hi = s.cells[0].lo, s.cells[len(s.cells)-1].hi
	}
	if s.alone[0] {
		lo = s.lo
	}
	if s.alone[1] {
		hi = s.hi
	}
	return s.c.N.Span(lo, hi)
}

// cluster is a run of candidate cells without a gap.
type cluster struct {
	cells []candidate
	x     jet.Set // their hull
	top   *summit // the one maximiser in x, nil if it is not known that there is at most one
	empty bool    // no maximiser of the range lies in x
}

// summit is a single maximiser inside a cluster, for every point of what is captured.
type summit struct {
	place   equation // whose zero it is
	x       jet.Set  // where it lies
	f       function // is f there, and differentiable
	flat    bool     // its slope there is 0
	lifting jet.Mag  // the tolerance that derivatives of the place need
}

// gather finds the clusters.
func (s *maximiserSearch) gather() (all []*cluster) {
	n := s.c.N
	start := 0
	for i := range s.cells {
		if i+1 == len(s.cells) || n.Less(s.cells[i].hi, s.cells[i+1].lo) {
			run := s.cells[start : i+1 : i+1]
			all = append(all, &cluster{cells: run, x: n.Span(run[0].lo, s.cells[i].hi)})
			start = i + 1
		}
	}
	return all
}

// settle finds the summits of the clusters, and tells whether each cluster has one.
func (s *maximiserSearch) settle() (bool, error) {
	if len(s.cells) == 0 || s.tried.Less(s.total) {
		return false, nil
	}
	s.tried = s.total.MulFloat(0.5) // it is not worth while to try again before
	s.clusters = s.gather()
	if len(s.clusters) > mostSummits {
		return false, nil
	}
	all := true
	for _, k := range s.clusters {
		if err := s.ascend(k); err != nil {
			return false, err
		}
		all = all && (k.top != nil || k.empty)
	}
	s.clusters = slices.DeleteFunc(s.clusters, func(k *cluster) bool { return k.empty })
	s.cells = nil
	for _, k := range s.clusters {
		s.cells = append(s.cells, k.cells...)
	}
	s.measure()
	return all, nil
}

// mostSummits is how many clusters may be examined: more are a plateau, as a rule.
const mostSummits = 8

// ascend finds out whether a cluster has a summit.
func (s *maximiserSearch) ascend(k *cluster) error {
	if k.cells[0].ends[0] && !s.lost[0] || k.cells[len(k.cells)-1].ends[1] && !s.lost[1] {
		return nil
	}
	c, n := s.c, s.c.N
	v, err := c.expand(s.f, c.Const(k.x), 2)
	if err != nil {
		return err
	}
	if curve := c.coeff(v, 2); curve.Known() && n.Sign(curve.Val()) < 0 {
		if k.empty, err = s.slopes(k.x); k.empty || err != nil {
			return err
		}
		top := summit{place: equation{c: c, f: s.f, of: 1}, x: k.x, f: s.f, flat: true}
		return s.stand(k, top, c.MulInt(curve, 2).Val())
	}
	for _, site := range v.seen.kinks { // others than that of the summit may have no influence
		if err := s.ridge(k, site); err != nil || k.top != nil {
			return err
		}
	}
	return nil
}

// slopes tells whether f, which is concave over x, has the slope 0 nowhere in x: it falls from
// the lower end on, or rises up to the upper end.
func (s *maximiserSearch) slopes(x jet.Set) (bool, error) {
	falls, err := s.slopeSign(s.f, s.c.N.Lower(x))
	if err != nil || falls < 0 {
		return err == nil, err
	}
	rises, err := s.slopeSign(s.f, s.c.N.Upper(x))
	return rises > 0, err
}

// stand narrows the summit of a cluster; slope is that of the equation for its place.
func (s *maximiserSearch) stand(k *cluster, top summit, slope jet.Set) (err error) {
	tol := s.c.tol
	s.c.need(slope)
	top.lifting = s.c.tol
	top.x, err = top.place.newton(top.x, slope)
	s.c.tol = tol
	k.top = &top
	return err
}

// Note [Summits]. Let a cluster be inside the range, X be its hull, and M the maximum of f
// over X. Suppose that the cluster holds a maximiser of f over the range, so that M is reached
// inside X.
//
// If f is strictly concave over X its slope is strictly monotone there and has one zero at
// most; the maximisers are such zeros, hence there is exactly one.
//
// If f is undecided at some `max` or `abs` over X, let d be the difference there. If the
// slope of d has a sign over X, and d strictly opposite signs at the ends of X, there
// is exactly one r in X where d is zero, and the decision is known to the left and to the right
// of it. Let L be f with the one decision forced and R with the other, both
// over all of X: f is L on the left and R on the right. If L rises strictly
// over X and R falls strictly, r is the only maximiser. All this holds for neighbours
// of what is captured as well, so that M is L(r), to every order to which L and r
// have derivatives. If X is widened beforehand, nothing of this changes.
//
// Danskin's hull over X would be the derivatives of L and R at r, and all between them: for
// the largest of min (c + x, c - x) it is that of ±1. The summit's derivative is the one of
// them for which the slopes along x cancel.

// ridge finds out whether the kink at a site is the summit of a cluster.
func (s *maximiserSearch) ridge(k *cluster, site int) error {
	c, n := s.c, s.c.N
	x := s.widened(k.x)
	e := equation{c: c, f: s.difference(site)}
	slope, err := e.slope(c.Const(x))
	if err != nil || !slope.Known() || n.Sign(slope.Val()) == 0 {
		return err
	}
	lo, err := e.residual(c.Const(n.Lower(x)))
	if err != nil {
		return err
	}
	hi, err := e.residual(c.Const(n.Upper(x)))
	if err != nil || !lo.Known() || !hi.Known() || n.Sign(lo.Val())*n.Sign(hi.Val()) >= 0 {
		return err
	}
	rising, err := s.slopeSign(s.forced(site, n.Sign(lo.Val())), x)
	if err != nil || rising <= 0 {
		return err
	}
	falling, err := s.slopeSign(s.forced(site, n.Sign(hi.Val())), x)
	if err != nil || falling >= 0 {
		return err
	}
	return s.stand(k, summit{place: e, x: x, f: s.forced(site, n.Sign(lo.Val()))}, slope.Val())
}

// widened is a cell and as much again on both sides, but inside the range.
func (s *maximiserSearch) widened(x jet.Set) jet.Set {
	n := s.c.N
	wide := n.Widen(x, n.Width(x))
	if n.Less(s.lo, wide) && n.Less(wide, s.hi) {
		return wide
	}
	return x
}

// difference is the difference at a site as a function of the argument.
func (s *maximiserSearch) difference(site int) function {
	return func(x jet.Jet) (jet.Jet, error) {
		_, seen, err := s.c.observe(s.f, x, nil, site)
		switch {
		case err != nil && fatal(err):
			return s.c.Unknown(), err
		case seen.watched.met:
			return seen.watched.diff, nil
		}
		return s.c.Unknown(), nil
	}
}

// forced is f with the decision at a site forced.
func (s *maximiserSearch) forced(site, side int) function {
	decisions := []forced{{site, side}}
	return func(x jet.Jet) (jet.Jet, error) {
		y, seen, err := s.c.observe(s.f, x, decisions, -1)
		s.c.inherit(seen)
		return y, err
	}
}

// slopeSign is the sign of the slope of f over a cell, 0 if it is not known.
func (s *maximiserSearch) slopeSign(f function, x jet.Set) (int, error) {
	slope, err := equation{c: s.c, f: f}.slope(s.c.Const(x))
	if err != nil || !slope.Known() {
		return 0, err
	}
	return s.c.N.Sign(slope.Val()), nil
}
