package exact

import (
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
//     The ends of the range are exempt and become candidates by themselves;
//   - f is concave on it and Newton's step for its slope leads elsewhere
//     (Note [Interval Newton]). If the step leads away from an end of the range that is in
//     the cell, but not out of it, the slope at that end points inward, for the slope is
//     monotone and 0 or of the other sign before: the end is no maximiser. If it leads
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
type candidate[T any] struct {
	lo, hi T // points
	y      T // contains f on it, if known
	known  bool
	ends   [2]bool // it contains the lower or upper end of the range
	degree int     // of the Taylor form
	cuts   int     // that led to it

	looked bool
	jet    jet.Jet[T] // contains f on it with its derivatives in outer variables, if looked
}

// hunt is a search for the maximisers of a function on a range.
type hunt[T any] struct {
	*domain[T]
	cells  []candidate[T] // in order
	alone  [2]bool        // ends of the range that are candidates by themselves
	atEnds [2]T           // contains f there
	best   T              // contains f at the best point
	left   int            // cells that may still be looked at

	total, gap jet.Mag // the width of all cells; that of the enclosure of the maximum

	trouble trouble // why f has no value on some cell

	tried  jet.Mag    // no hull wider than this is tried for a summit
	summit *summit[T] // nil if none was found
}

// start makes the whole range a candidate. It is false if f has no value at an end.
func (d *domain[T]) start() (h *hunt[T], ok bool, err error) {
	h = &hunt[T]{domain: d, left: d.c.effort.cells, tried: jet.InfMag()}
	for i, end := range d.ends {
		v, err := d.c.look(d.of, end, 0)
		if err != nil || !v.y.Known() {
			d.c.blame(v.seen.trouble)
			return nil, false, err
		}
		h.atEnds[i] = v.y.Val()
		if i == 0 {
			h.best = h.atEnds[0]
		}
		h.improve(h.atEnds[i])
	}
	if !d.c.N.Less(d.lo, d.hi) { // the range is a point
		h.alone[0] = true
		h.measure()
		return h, true, nil
	}
	whole := candidate[T]{lo: d.lo, hi: d.hi, y: d.c.N.Whole(), ends: [2]bool{true, true}, degree: lowestForm}
	h.cells = []candidate[T]{whole}
	h.measure()
	return h, true, nil
}

// improve learns the values of f at a point.
func (h *hunt[T]) improve(y T) {
	if n := h.c.N; n.Less(h.best, y) || n.Bounded(y) && (!n.Bounded(h.best) || n.Less(n.Lower(h.best), n.Lower(y))) {
		h.best = y
	}
}

// pass looks once at every cell that is due: it is dropped, narrowed or cut.
func (h *hunt[T]) pass(due func(x candidate[T]) bool) error {
	todo := h.cells
	h.cells = nil
	for _, x := range todo {
		if h.left <= 0 || !due(x) {
			h.cells = append(h.cells, x)
			continue
		}
		h.left--
		if err := h.refine(x); err != nil {
			return err
		}
	}
	h.cells = slices.DeleteFunc(h.cells, func(x candidate[T]) bool { return x.known && h.c.N.Less(x.y, h.best) })
	for i := range h.alone {
		h.alone[i] = h.alone[i] && !h.c.N.Less(h.atEnds[i], h.best)
	}
	h.measure()
	return nil
}

// excess is how much f may be larger on a candidate than at the best point.
func (h *hunt[T]) excess(y T) jet.Mag {
	n := h.c.N
	if !n.Bounded(y) || !n.Bounded(h.best) {
		return jet.InfMag()
	}
	return n.Mag(n.Sub(n.Upper(y), n.Lower(h.best)))
}

// measure computes how much is left.
func (h *hunt[T]) measure() {
	n := h.c.N
	h.total, h.gap = jet.Mag{}, jet.Mag{}
	for _, x := range h.cells {
		h.total = h.total.Add(n.Mag(n.Sub(x.hi, x.lo)))
	}
	if y, ok := h.value(); ok {
		h.gap = n.Width(y)
	} else {
		h.gap = jet.InfMag()
	}
}

// value encloses the maximum; ok is false if f has no value on some candidate.
func (h *hunt[T]) value() (y T, ok bool) {
	n := h.c.N
	y = h.best
	for _, x := range h.cells {
		if !x.known {
			return y, false
		}
		y = n.Hull(y, x.y)
	}
	for i, alone := range h.alone {
		if alone {
			y = n.Hull(y, h.atEnds[i])
		}
	}
	if n.Bounded(y) && n.Bounded(h.best) {
		y = n.Span(n.Lower(h.best), y)
	}
	return y, true
}

// refine looks at a cell, and keeps what it cannot drop.
func (h *hunt[T]) refine(x candidate[T]) error {
	c, n := h.c, h.c.N
	tol := c.tol
	if x.known { // more precision than a part of the cell can use is wasted
		c.tol = tol.Max(n.Width(x.y).Mul(jet.Exp2(-5)))
	}
	defer func() { c.tol = tol }()

	x.looked = false
	cell := n.Span(x.lo, x.hi)
	over, err := c.look(h.f, c.Const(cell), x.degree)
	if err != nil {
		return err
	}
	m := c.aside(x.lo, x.hi)
	at, err := c.look(h.f, c.Const(m), x.degree-1)
	if err != nil {
		return err
	}
	if at.y.Known() {
		h.improve(at.y.Val())
	}
	slope, curve := c.coeff(over, 1), c.coeff(over, 2)
	if !over.y.Known() && h.trouble.code == "" {
		h.trouble = over.seen.trouble
	}
	if over.y.Known() {
		y := c.taylor(at, over, x.degree, n.Sub(cell, m)).Val()
		if x.known {
			y = n.Intersect(y, x.y)
		}
		x.y, x.known = y, true
		switch {
		case n.Less(y, h.best):
			return nil
		case slope.Known() && n.Sign(slope.Val()) != 0, curve.Known() && n.Sign(curve.Val()) > 0:
			h.endsOnly(x.ends)
			return nil
		}
	}
	if s := c.coeff(at, 1); curve.Known() && n.Sign(curve.Val()) < 0 && s.Known() && at.y.Known() {
		step := n.Sub(m, n.Quo(s.Val(), n.Mul(n.Float(2), curve.Val())))
		next := n.Intersect(cell, step)
		switch {
		case n.IsEmpty(next):
			h.endsOnly(x.ends)
			return nil
		case c.shrunk(next, cell):
			h.keep(h.narrowed(x, next))
			return nil
		}
	}
	if !n.Less(x.lo, m) || !n.Less(m, x.hi) {
		h.keep(x)
		return nil
	}
	if x.cuts++; !c.coeff(over, x.degree).Known() {
		x.degree = lowestForm
	} else if x.cuts > patience {
		x.degree = min(x.degree+2, highestForm)
	}
	left, right := x, x
	left.hi, left.ends[1] = m, false
	right.lo, right.ends[0] = m, false
	h.keep(left)
	h.keep(right)
	return nil
}

func (h *hunt[T]) keep(x candidate[T]) { h.cells = append(h.cells, x) }

// endsOnly makes ends of the range candidates by themselves.
func (h *hunt[T]) endsOnly(ends [2]bool) {
	for i := range ends {
		h.alone[i] = h.alone[i] || ends[i]
	}
}

// narrowed is the part of a cell that Newton's step leaves.
func (h *hunt[T]) narrowed(x candidate[T], part T) candidate[T] {
	if lo := h.c.N.Lower(part); h.c.N.Less(x.lo, lo) {
		x.lo, x.ends[0] = lo, false
	}
	if hi := h.c.N.Upper(part); h.c.N.Less(hi, x.hi) {
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
func (c *ctx[T]) taylor(at, over view[T], degree int, h T) jet.Jet[T] {
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
