package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Thresholds]
//
// Problem: an integrand contains a search, and what that does depends on the argument of the
// integral. There the integrand has a kink or a jump, but no comparison of the integrand shows it,
// and so the integral has nothing to locate (Note [Crossings]). In
//
//	integral 0 1 (fun y => integral 0 1 (fun x => abs (x - y + 1/2)))
//
// the kink is at x = y - 1/2. It is inside the inner range only where y > 1/2:
//
//	x
//	1 ┌─────────────────┐
//	  │                 │
//	  │                ╱│ 1/2
//	  │              ╱  │         the kink x = y - 1/2
//	0 └────────────●────┘
//	  0           1/2   1   y
//	        threshold: the kink enters at the end x = 0
//
// On a cell around y = 1/2 the inner integral can prove neither that there is a crossing in its
// range nor that there is none.
//
// Principle: what a search does changes only where some difference is 0, which is a function of
// what its function captures, and so of the outer argument. The search reports this difference to
// the frame around it as a site, a threshold. The integral does with it what it does with every
// site: it locates the zero, cuts its cell there, and forces the sign on each side, on which the
// search then relies. If the zero leaves the range of the integral too, the next integral is told
// in the same way. On each side everything is smooth again. The differences are:
//
//	integral         a crossing of d enters at an end of the range       d at that end
//	optimum          the maximiser moves from a part L of the range      max over L - max over R
//	                 to a part R
//	                 a summit leaves the range at an end, next to        the slope of f there
//	                 which f is concave
//	root, firstRoot  a root leaves the range at an end                   f there
//	crosses          two roots are born inside the range                 the least value of f, times
//	                                                                     its sign at 0
//
// What must hold: a threshold means the same in all evaluations of a frame, whatever cells the
// search chose. So it is named by the number of the search in its frame, the site in the frame of
// its function and the end of the range, which is a point that does not move; and L and R, if they
// are parts of a range, belong to the name. Then max over L - max over R is a function of what is
// captured whether or not a maximiser lies in the gap between them. `hit f` asks whether there is
// a root and then for the root: the second search of the closure has the sites of the first, for
// otherwise two differences would be 0 at the same place.
//
// The enclosures hold for all points of the proved side up to the threshold, where coefficients
// are those of a smooth extension beyond it: cells and strips of the outer integral use no other
// points. A crossing may come arbitrarily near to an end of the inner range. Its enclosure is then
// not inside that, and the part of the cell between the two is a strip (Note [Strips]). The
// extension of a maximum is the one over the part that won, so that what is left out has no part
// in the best point either.
//
// A threshold that a variable of a derivative moves is a crossing that moves, with all that
// follows. In the integral of firstRoot (fun t => c x - t) over x from 0 on, the integral finds
// out that c x is positive on its cell whatever c is. Of x - c, at c = 0, it does not: for x < c
// there is no root.

// threshold is where a crossing may leave a range, or where an optimum moves to another place.
type threshold struct {
	search int    // its number in its frame
	site   int    // in the frame of the integrand
	end    int    // 0 or 1
	rivals rivals // of an optimum
}

// thresholds numbers them, as sites.
type thresholds struct {
	numbers map[threshold]int
	of      []threshold
}

// firstThreshold is larger than the number of any other site.
const firstThreshold = 1 << 30

// number is that of a threshold.
func (p *thresholds) number(at threshold) int {
	n, ok := p.numbers[at]
	if !ok {
		if p.numbers == nil {
			p.numbers = map[threshold]int{}
		}
		n = firstThreshold + len(p.of)
		p.numbers[at] = n
		p.of = append(p.of, at)
	}
	return n
}

// asked is the threshold of a search that the frame watches, if it watches one.
func (c *ctx) asked(search int) (of threshold, ok bool) {
	if c.frame.watch < firstThreshold {
		return of, false
	}
	of = c.thresholds.of[c.frame.watch-firstThreshold]
	return of, of.search == search
}

// answer records the difference at the threshold that the frame watches.
func (c *ctx) answer(at diag.Span, diff jet.Jet) {
	c.frame.watched = decision{met: true, site: c.frame.watch, at: at, diff: diff}
}

// enter begins the integral with the given number in its frame, from a to b. If the frame
// watches one of its thresholds that difference is recorded, and nothing else matters.
func (q *quadrature) enter(number int, a, b jet.Jet) (watched bool, err error) {
	c := q.c
	q.number = number
	q.ends = [2]jet.Set{a.Val(), b.Val()}
	for i, end := range []jet.Jet{a, b} {
		q.fixed[i] = !c.Moves(end) && c.N.IsPoint(end.Val())
	}
	of, ok := c.asked(number)
	if !ok || of.rivals.met || !q.fixed[of.end] {
		return false, nil
	}
	d, err := q.difference(nil, of.site)(c.Const(q.ends[of.end]))
	c.answer(q.at, d)
	return true, err
}

// entry is the sign of a difference at an end of a cell, from the frame around the
// integral, or 0 if that is not forced. Then it is told.
func (q *quadrature) entry(of decision, end int, x jet.Set, diff jet.Jet) int {
	c := q.c
	if q.pivoted != nil || !q.fixed[0] || !q.fixed[1] || !c.Moves(diff) {
		return 0
	}
	if c.N.Less(q.ends[1], q.ends[0]) {
		end = 1 - end
	}
	if !c.N.IsPoint(c.N.Sub(x, q.ends[end])) || !c.N.Mag(c.N.Sub(x, q.ends[end])).IsZero() {
		return 0 // of the cell, but not of the range
	}
	site := c.thresholds.number(threshold{search: q.number, site: of.site, end: end})
	if side := c.frame.sideOf(site); side != 0 {
		return side
	}
	c.meet(decision{met: true, site: site, at: of.at, diff: diff})
	return 0
}
