package exact

import (
	"container/heap"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Branch and bound]. The search keeps a set of candidates, cells and ends of the range,
// such that for every point of what is captured every maximiser lies in one of
// them. A part of the range is dropped when that is proved to hold no maximiser, by one of
// these, each of them for all that is captured at once:
//
//   - f is less on it than the lower bound of f at some point: the best one known;
//   - 0 is no slope of f on it, or f is convex on it: a maximiser inside the range has
//     0 among its slopes (Clarke's, at a kink), and f is not strictly convex around it.
//     The ends of the range are exempt and become candidates by themselves. On the whole range
//     it suffices that f is linear, by its form: then f is largest at an end, and if it is so
//     elsewhere, it is at both;
//   - f is concave on it and Newton's step for its slope leads elsewhere
//     (Note [Interval Newton]). If the step leads away from an end of the range that is in
//     the cell, but not out of it, the slope at that end points inward, for the slope is
//     monotone and 0 or of the other sign before: the end is not a maximiser. If it leads
//     out of the cell the slope has one sign on it, as in the case before.
//
// The bounds of f on a cell are the best of its range and of the Taylor forms around a
// point, whose remainder is a coefficient over the cell (Note [Taylor forms]). The
// maximum lies between the lower bound at the best point and the greatest
// upper bound of a candidate.

const (
	lowestForm  = 2 // degree of a Taylor form, for values, slopes and curvatures
	highestForm = 8
	patience    = 3 // cuts before it is suspected that a cell lies on a plateau
)

// candidate is a cell that may hold maximisers.
type candidate struct {
	lo, hi jet.Set // points
	y      jet.Set // contains f on it, if known
	known  bool
	ends   [2]bool // it contains the lower or upper end of the range
	degree int     // of the Taylor form
	cuts   int     // that led to it
	inside jet.Set // contains f at a point of it, if known

	derived bool
	jet     jet.Jet // contains f on it with its derivatives in outer variables, if derived
}

// maximiserSearch is the state of a branch-and-bound search for the maximisers of a function on a
// range.
type maximiserSearch struct {
	*domain
	cells  []candidate // in order
	alone  [2]bool     // ends of the range that are candidates by themselves
	lost   [2]bool     // ends that are known not to be maximisers: Note [Thresholds]
	nested bool        // f has searches inside
	out    [2]bool     // ends at which the slope of f is known to point outward
	atEnds [2]jet.Set  // contains f there
	best   jet.Set     // contains f at the best point
	left   int         // cells that may still be evaluated

	total, gap jet.Mag // the width of all cells; that of the enclosure of the maximum

	trouble trouble // why f has no value on some cell

	tried    jet.Mag     // clusters whose widths sum to more are not examined for summits
	clusters []*cluster  // of the cells, if they were examined
	peaks    []candidate // the places of summits whose clusters are no longer candidates
}

// start makes the whole range a candidate. It is false if f has no value at an end.
func (d *domain) start() (s *maximiserSearch, ok bool, err error) {
	s = &maximiserSearch{domain: d, left: d.c.effort.cells, tried: jet.InfMag()}
	whole := candidate{lo: d.lo, hi: d.hi, y: d.c.N.Whole(), inside: d.c.N.Whole(), ends: [2]bool{true, true}, degree: lowestForm}
	s.concede(&whole)
	some := false
	for i, end := range d.ends {
		calls := d.c.calls
		v, err := d.c.expand(d.of, end, 0)
		s.nested = s.nested || d.c.calls > calls+1
		if err != nil || !v.y.Known() {
			d.c.report(v.seen.trouble)
			return nil, false, err
		}
		s.atEnds[i] = v.y.Val()
		switch {
		case s.lost[i]:
		case some:
			s.improve(s.atEnds[i])
		default:
			s.best, some = s.atEnds[i], true
		}
	}
	if !some {
		s.best = d.c.N.Whole()
	}
	if !d.c.N.Less(d.lo, d.hi) { // the range is a point
		s.alone[0] = true
		s.measure()
		return s, true, nil
	}
	if s.nested {
		whole.degree = 0
	}
	s.cells = []candidate{whole}
	s.measure()
	return s, true, nil
}

// improve learns the values of f at a point.
func (s *maximiserSearch) improve(y jet.Set) {
	if n := s.c.N; n.Less(s.best, y) || n.Bounded(y) && (!n.Bounded(s.best) || n.Less(n.Lower(s.best), n.Lower(y))) {
		s.best = y
	}
}

// pass refines every cell that is due once: it is dropped, narrowed or cut.
func (s *maximiserSearch) pass(due func(x candidate) bool) error {
	todo := s.cells
	s.cells, s.clusters = nil, nil
	for _, x := range todo {
		if s.left <= 0 || !due(x) {
			s.cells = append(s.cells, x)
			continue
		}
		s.left--
		if err := s.refine(x); err != nil {
			return err
		}
	}
	s.prune()
	return nil
}

// prune drops the candidates that are lower than the best point.
func (s *maximiserSearch) prune() {
	s.cells = slices.DeleteFunc(s.cells, func(x candidate) bool { return x.known && s.c.N.Less(x.y, s.best) })
	for i := range s.alone {
		s.alone[i] = s.alone[i] && !s.c.N.Less(s.atEnds[i], s.best)
	}
	s.measure()
}

// Note [Highest first]. The maximum is narrow when no cell has an upper bound much above the best
// point. So the cell with the greatest bound is refined next, and of equal ones the newest, which
// are the narrowest: `sin (1000 * x)` has 159 summits of one height, and the first of them that is
// found ends the search. A cell is left alone if most of its excess is there at a point of it
// too: then what is captured, or searches inside f, make it wide, and no cut helps.

// climb refines cells until the maximum is known to within tol, or as well as it gets.
func (s *maximiserSearch) climb(tol jet.Mag) error {
	if s.gap.IsInf() || len(s.cells) == 0 {
		return nil
	}
	order := highestFirst{n: s.c.N, cells: s.cells}
	var aside []candidate
	heap.Init(&order)
	for s.left > 0 && len(order.cells) > 0 {
		x := order.cells[0]
		excess := s.excess(x.y)
		if !tol.Add(s.c.N.Width(s.best).MulFloat(2)).Less(excess) {
			break
		}
		heap.Pop(&order)
		if n := s.c.N; n.Bounded(x.inside) && !tol.Add(s.excess(x.inside).MulFloat(2)).Less(excess) {
			aside = append(aside, x)
			continue
		}
		s.left--
		s.cells = nil
		if err := s.refine(x); err != nil {
			return err
		}
		for _, x := range s.cells {
			heap.Push(&order, x)
		}
	}
	s.cells = append(order.cells, aside...)
	slices.SortFunc(s.cells, s.c.fromLeft)
	s.prune()
	return nil
}

// fromLeft orders cells that do not overlap.
func (c *ctx) fromLeft(x, y candidate) int {
	if c.N.Less(x.lo, y.lo) {
		return -1
	}
	return 1
}

// highestFirst is a heap of cells: Note [Highest first].
type highestFirst struct {
	n     jet.Number
	cells []candidate
}

func (h *highestFirst) Len() int { return len(h.cells) }

func (h *highestFirst) Less(i, j int) bool {
	x, y := &h.cells[i], &h.cells[j]
	if a, b := h.n.Upper(x.y), h.n.Upper(y.y); h.n.Less(a, b) || h.n.Less(b, a) {
		return h.n.Less(b, a)
	}
	return x.cuts > y.cuts
}

func (h *highestFirst) Swap(i, j int) { h.cells[i], h.cells[j] = h.cells[j], h.cells[i] }

func (h *highestFirst) Push(x any) { h.cells = append(h.cells, x.(candidate)) }

func (h *highestFirst) Pop() any {
	last := len(h.cells) - 1
	x := h.cells[last]
	h.cells = h.cells[:last]
	return x
}

// excess is how much f may be larger on a candidate than at the best point.
func (s *maximiserSearch) excess(y jet.Set) jet.Mag {
	n := s.c.N
	switch {
	case !n.Bounded(y) || !n.Bounded(s.best):
		return jet.InfMag()
	case n.Less(y, s.best):
		return jet.Mag{}
	}
	return n.Mag(n.Sub(n.Upper(y), n.Lower(s.best)))
}

// measure computes how much is left.
func (s *maximiserSearch) measure() {
	n := s.c.N
	s.total, s.gap = jet.Mag{}, jet.Mag{}
	for _, x := range s.cells {
		s.total = s.total.Add(n.Mag(n.Sub(x.hi, x.lo)))
	}
	if y, ok := s.value(); ok {
		s.gap = n.Width(y)
	} else {
		s.gap = jet.InfMag()
	}
}

// value encloses the maximum; ok is false if f has no value on some candidate. The upper bounds are
// compared as points: the hull of wide balls is rounded to their width.
func (s *maximiserSearch) value() (y jet.Set, ok bool) {
	n := s.c.N
	all := []jet.Set{s.best}
	for _, x := range s.cells {
		if !x.known {
			return s.best, false
		}
		all = append(all, x.y)
	}
	for i, alone := range s.alone {
		if alone {
			all = append(all, s.atEnds[i])
		}
	}
	if slices.ContainsFunc(all, func(y jet.Set) bool { return !n.Bounded(y) }) {
		y = s.best
		for _, x := range all {
			y = n.Hull(y, x)
		}
		return y, true
	}
	most := n.Upper(s.best)
	for _, x := range all {
		if upper := n.Upper(x); n.Less(most, upper) {
			most = upper
		}
	}
	return n.Span(n.Lower(s.best), most), true
}

// refine evaluates f over a cell and at a point of it, and keeps what it cannot drop.
func (s *maximiserSearch) refine(x candidate) error {
	c, n := s.c, s.c.N
	tol := c.tol
	if x.known { // more precision than a part of the cell can use is wasted
		c.tol = tol.Max(n.Width(x.y).Mul(jet.Exp2(-5)))
	}
	defer func() { c.tol = tol }()

	x.derived = false
	cell := n.Span(x.lo, x.hi)
	over, low, err := s.over(x, cell)
	if err != nil || low {
		return err
	}
	m := c.aside(x.lo, x.hi)
	at, err := c.expand(s.f, c.Const(m), x.degree-1)
	if err != nil {
		return err
	}
	x.inside = n.Whole()
	if at.y.Known() {
		x.inside = at.y.Val()
		s.improve(x.inside)
	}
	slope, curve := c.Unknown(), c.Unknown()
	if x.degree >= 1 {
		slope = c.coeff(over, 1)
	}
	if x.degree >= 2 {
		curve = c.coeff(over, 2)
	}
	if !over.y.Known() && s.trouble.code == "" {
		s.trouble = over.seen.trouble
	}
	if over.y.Known() {
		y := c.taylor(at, over, x.degree, n.Sub(cell, m)).Val()
		if x.known {
			y = n.Intersect(y, x.y)
		}
		x.y, x.known = y, true
		switch {
		case n.Less(y, s.best):
			return nil
		case slope.Known() && n.Sign(slope.Val()) != 0, curve.Known() && n.Sign(curve.Val()) > 0,
			curve.IsZero() && !slope.IsZero() && x.ends[0] && x.ends[1]:
			s.endsOnly(x.ends)
			return nil
		}
	}
	for end := range s.out {
		if x.ends[end] && s.out[end] && curve.Known() && n.Sign(curve.Val()) < 0 {
			s.endsOnly([2]bool{end == 0, end == 1})
			return nil
		}
	}
	if r := c.coeff(at, 1); curve.Known() && n.Sign(curve.Val()) < 0 && r.Known() && at.y.Known() {
		step := n.Sub(m, n.Quo(r.Val(), n.Mul(n.Float(2), curve.Val())))
		next := n.Intersect(cell, step)
		switch {
		case n.IsEmpty(next):
			s.endsOnly(x.ends)
			return nil
		case c.shrunk(next, cell):
			s.keep(s.narrowed(x, next))
			return nil
		}
	}
	if !n.Less(x.lo, m) || !n.Less(m, x.hi) {
		s.keep(x)
		return nil
	}
	x.cuts++
	x.degree = s.nextDegree(x, over)
	left, right := x, x
	left.hi, left.ends[1] = m, false
	right.lo, right.ends[0] = m, false
	s.keep(left)
	s.keep(right)
	return nil
}

// Note [Searches in searches]. The derivatives of a function that has searches inside cost many
// times what its values do: they need the places of inner optima. So a cell is evaluated for its
// values first, and often dropped by them; and the first few cuts use nothing else.

// over evaluates f over a cell. low tells that it is less there than at the best point.
func (s *maximiserSearch) over(x candidate, cell jet.Set) (v view, low bool, err error) {
	c := s.c
	if s.nested {
		v, err = c.expand(s.f, c.Const(cell), 0)
		low = err == nil && v.y.Known() && c.N.Less(v.y.Val(), s.best)
	}
	if x.degree > 0 && !low && err == nil {
		v, err = c.expand(s.f, c.Const(cell), x.degree)
	}
	return v, low, err
}

// nextDegree is the degree of the Taylor forms on the parts of a cell over which f was evaluated.
func (s *maximiserSearch) nextDegree(x candidate, over view) int {
	switch {
	case s.nested && x.cuts <= patience:
		return 0
	case x.degree == 0:
		return 1
	case x.degree < lowestForm, !s.c.coeff(over, x.degree).Known():
		return lowestForm
	case x.cuts > patience:
		return min(x.degree+2, highestForm)
	}
	return x.degree
}

func (s *maximiserSearch) keep(x candidate) { s.cells = append(s.cells, x) }

// endsOnly makes ends of the range candidates by themselves.
func (s *maximiserSearch) endsOnly(ends [2]bool) {
	for i := range ends {
		s.alone[i] = s.alone[i] || ends[i] && !s.lost[i]
	}
}

// narrowed is the part of a cell that Newton's step leaves.
func (s *maximiserSearch) narrowed(x candidate, part jet.Set) candidate {
	if lo := s.c.N.Lower(part); s.c.N.Less(x.lo, lo) {
		x.lo, x.ends[0] = lo, false
	}
	if hi := s.c.N.Upper(part); s.c.N.Less(hi, x.hi) {
		x.hi, x.ends[1] = hi, false
	}
	return x
}

// Note [Taylor forms]. Let a_i be the coefficients of f at a point m of the cell X, and
// c_i those over X. For each x in X and each k for which they are known, f(x) lies in
//
//	Σ_{i<k} a_i (x - m)^i + c_k (x - m)^k
//
// (Lagrange's remainder; for k = 1 f need only have slopes, by Lebourg's theorem). The same
// holds for the coefficient of each monomial in the outer variables by itself: it is a
// function of x, whose coefficients along x are there too. With k = 1 or 2 the
// width beyond the true range is of the order of that power of the cell's width. That is not
// enough on a plateau, where no cell can be dropped: there k is raised.

// taylor encloses f over a cell from its series at a point and over the cell: it
// is what the range and the forms of all degrees have in common. h is the cell minus the point.
func (c *ctx) taylor(at, over view, degree int, h jet.Set) jet.Jet {
	y := c.coeff(over, 0)
	if !at.y.Known() {
		return y
	}
	sum := c.coeff(at, 0)
	for k := 1; k <= degree; k++ {
		power := c.PowInt(c.Const(h), int64(k))
		if form := c.Add(sum, c.Mul(c.coeff(over, k), power)); form.Known() {
			if both, ok := c.Intersect(y, form); ok {
				y = both
			}
		}
		if sum = c.Add(sum, c.Mul(c.coeff(at, k), power)); !sum.Known() {
			break
		}
	}
	return y
}
