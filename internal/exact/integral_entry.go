package exact

import "github.com/fluxion-lang/fluxion/internal/exact/jet"

// Note [Entries]
//
// Problem: a crossing of an inner integral moves with the argument of the outer one, and may leave
// the inner range. In
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
// On a cell of the outer integral that contains y = 1/2, the sign of the difference d = x - y +
// 1/2 at the end x = 0 is undecided. So neither case of Note [Crossings] is proved there: that
// there is one crossing in the inner range, or none.
//
// Idea: d at that end, here 1/2 - y, is itself a difference, as a function of the outer
// argument. The inner integral reports it to the frame around it as a site of its own, a
// threshold. The outer integral then does with it what it does with every site: it locates the
// zero y = 1/2, cuts its cell there, and forces the sign of d(0) on each side. If that zero
// leaves the outer range, the next integral is told in the same way. On each side everything is
// smooth again.
//
// On the side where the crossing exists it may come arbitrarily near to the end of the inner
// range, and its enclosure is then not inside the range. So the part of the inner cell between
// the crossing and the end is a strip (Note [Strips]). The enclosures hold for all points of
// the proved side, up to its boundary, where the coefficients are those of a smooth extension
// beyond it. Cells and strips of the outer integral use no other points.
//
// A threshold must mean the same in all evaluations of a frame, whatever cells the inner integral
// chose. So there is one for each integral of the frame, each site of the inner frame and each end
// of the inner range, provided that the end is a point and does not move.

// threshold is where a crossing may leave a range, or where the optimum moves to another place
// (Note [Rivals]).
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

// enter begins the integral with the given number in its frame, from a to b. If the frame
// watches one of its thresholds that difference is recorded, and nothing else matters.
func (q *quadrature[T]) enter(number int, a, b jet.Jet[T]) (watched bool, err error) {
	c := q.c
	outer := c.frame
	q.number = number
	q.ends = [2]T{a.Val(), b.Val()}
	for i, end := range []jet.Jet[T]{a, b} {
		q.fixed[i] = !c.Moves(end) && c.N.IsPoint(end.Val())
	}
	if outer.watch < firstThreshold {
		return false, nil
	}
	at := c.thresholds.of[outer.watch-firstThreshold]
	if at.search != q.number || at.rivals.met || !q.fixed[at.end] {
		return false, nil
	}
	d, err := q.difference(nil, at.site)(c.Const(q.ends[at.end]))
	outer.watched = decision[T]{met: true, site: outer.watch, at: q.at, diff: d}
	return true, err
}

// entry is the sign of a difference at an end of a cell, from the frame around the
// integral, or 0 if that is not forced. Then it is told.
func (q *quadrature[T]) entry(of decision[T], end int, x T, diff jet.Jet[T]) int {
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
	if !c.frame.edge.met {
		c.frame.edge = decision[T]{met: true, site: site, at: of.at, diff: diff}
	}
	return 0
}
