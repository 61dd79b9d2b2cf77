package exact

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// maximum is the largest value, with its derivatives.
func (d *domain[T]) maximum(at diag.Span) (jet.Jet[T], error) {
	c := d.c
	h, err := d.hunt(c.order() > 0)
	if err != nil || h == nil {
		return c.Unknown(), err
	}
	y, ok := h.value()
	if !ok {
		c.blame(trouble{code: diag.NoOptimum, at: at, what: "the function may be undefined, or jump, in the range"})
		return c.Unknown(), nil
	}
	if c.order() == 0 {
		return c.Const(y), nil
	}
	saved := c.tol
	defer func() { c.tol = saved }()
	return h.derivatives(at, y)
}

// argmax is where f is largest, with its derivatives.
func (d *domain[T]) argmax(at diag.Span) (jet.Jet[T], error) {
	c := d.c
	h, err := d.hunt(true)
	if err != nil || h == nil {
		return c.Unknown(), err
	}
	if _, ok := h.value(); !ok {
		c.blame(trouble{code: diag.NoOptimum, at: at, what: "the function may be undefined, or jump, in the range"})
		return c.Unknown(), nil
	}
	saved := c.tol
	defer func() { c.tol = saved }()
	if end, ok := h.onlyEnd(); ok {
		return d.ends[end], nil
	}
	if h.peaked {
		c.tol = h.lifting
		s, err := equation[T]{c: c, f: d.f, of: 1}.lift(h.peak)
		return d.place(s), err
	}
	c.blame(trouble{code: diag.NoOptimum, at: at, what: "the function may be largest at several places"})
	h.tie(at)
	hull := d.place(c.Const(h.hull()))
	v, err := c.look(d.f, c.Const(h.hull()), 0)
	return c.withoutDerivatives(hull, 1, v.y), err
}

// hunt searches until the maximum is known to within c.tol, or for its maximisers
// until they are as narrow as they get. It is nil if f has no value at an end.
func (d *domain[T]) hunt(places bool) (*hunt[T], error) {
	c := d.c
	tol := c.tol
	defer c.restore(c.ignoreOuter())
	defer func() { c.tol = tol }()
	c.tol = tol.MulFloat(0.25)
	h, ok, err := d.start()
	if !ok {
		return nil, err
	}
	// First the value: only cells that may exceed the best point by more than what is
	// asked, or can be reached at that point, are looked at. Then the places.
	enough := func() jet.Mag { return tol.Add(c.N.Width(h.best).MulFloat(2)) }
	exceeds := func(x candidate[T]) bool { return !x.known || enough().Less(h.excess(x.y)) }
	for stalled := 0; enough().Less(h.gap) && h.more(stalled); stalled++ {
		total, gap := h.total, h.gap
		if err = h.pass(exceeds); err != nil {
			return h, err
		}
		if c.shrank(total, h.total) || c.shrank(gap, h.gap) {
			stalled = -1
		}
	}
	for stalled := 0; places && h.more(stalled); stalled++ {
		if err = h.settle(); err != nil || h.peaked {
			return h, err
		}
		total := h.total
		if err = h.pass(func(candidate[T]) bool { return true }); err != nil {
			return h, err
		}
		if c.shrank(total, h.total) {
			stalled = -1
		}
	}
	return h, nil
}

// more tells whether the search should go on: not if two passes in a row have changed little, or
// some more while f has no value on a cell, because such cells may be too wide
// for a long time.
func (h *hunt[T]) more(stalled int) bool {
	patience := 2
	if h.gap.IsInf() {
		patience = 5 + h.c.effort.rung
	}
	return len(h.cells) > 0 && h.left > 0 && stalled < patience
}

// onlyEnd is the end of the range that is the only candidate, if one is.
func (h *hunt[T]) onlyEnd() (int, bool) {
	if len(h.cells) > 0 || h.alone[0] == h.alone[1] {
		return 0, false
	}
	if h.alone[0] {
		return 0, true
	}
	return 1, true
}

// hull contains all candidates.
func (h *hunt[T]) hull() T {
	lo, hi := h.hi, h.lo
	if len(h.cells) > 0 {
		lo, hi = h.cells[0].lo, h.cells[len(h.cells)-1].hi
	}
	if h.alone[0] {
		lo = h.lo
	}
	if h.alone[1] {
		hi = h.hi
	}
	return h.c.N.Span(lo, hi)
}

// settle finds out whether for each point of what is captured there is exactly one
// maximiser, inside the range, where f is concave: a peak. It is so if all candidates are
// inside and f is strictly concave over their hull. Newton's method then narrows
// the hull as far as possible.
func (h *hunt[T]) settle() error {
	if len(h.cells) == 0 || h.alone[0] || h.alone[1] || h.cells[0].ends[0] || h.cells[len(h.cells)-1].ends[1] {
		return nil
	}
	c, n := h.c, h.c.N
	x := h.hull()
	if h.tried.Less(n.Width(x)) {
		return nil
	}
	h.tried = n.Width(x).MulFloat(0.5) // it is not worth while to try again before
	e := equation[T]{c: c, f: h.f, of: 1}
	slope, err := e.slope(c.Const(x))
	if err != nil || !slope.Known() || n.Sign(slope.Val()) >= 0 {
		return err
	}
	tol := c.tol
	c.need(slope.Val())
	h.lifting = c.tol
	h.peak, err = e.newton(x, slope.Val())
	c.tol = tol
	h.peaked = true
	return err
}

// Note [Envelope]. The derivatives of the maximum M, by what is known of the maximisers:
//
//   - Only an end of the range is left, and everything else was dropped by strict
//     inequalities, which hold for all neighbours of what is captured too: M is f at
//     that end there, to every order.
//   - The candidates are a peak: its place t is a differentiable function of what is captured
//     (Note [Lifting]), and M = f(t), to every order.
//   - Otherwise M is a maximum of f over x of some compact set, and by Danskin's
//     theorem (Clarke 2.8.2 for Lipschitz f) its first derivatives lie in the hull of
//     those of f at the maximisers, hence in the hull over the candidates. Of the
//     higher ones nothing is known.
//
// In the second case the hull is right too and does not contain the
// product of the slope of f at t with the derivatives of t, which is 0 but has a width.

// derivatives is the maximum, whose value lies in y.
func (h *hunt[T]) derivatives(at diag.Span, y T) (jet.Jet[T], error) {
	c := h.c
	if end, ok := h.onlyEnd(); ok {
		return h.valued(y, h.of, h.ends[end])
	}
	if !h.peaked {
		m, err := h.danskin()
		if c.varies(m) {
			c.kink(at)
			h.tie(at)
		}
		return c.withoutDerivatives(m.WithVal(y), 2, m), err
	}
	c.tol = h.lifting
	m, err := h.valued(y, h.f, c.Const(h.peak))
	if err != nil || c.order() == 1 || !c.varies(m) {
		return m, err
	}
	t, err := equation[T]{c: c, f: h.f, of: 1}.lift(h.peak)
	if err != nil {
		return c.Unknown(), err
	}
	v, err := h.valued(y, h.f, t)
	if err != nil {
		return v, err
	}
	return c.Add(c.degreesOf(m, 0, 1), c.degreesOf(v, 2, c.order())), nil
}

// valued is f at x, where its value is known to lie in y too. What the frame of f
// recorded is handed on.
func (h *hunt[T]) valued(y T, f function[T], x jet.Jet[T]) (jet.Jet[T], error) {
	c := h.c
	v, err := c.look(f, x, 0)
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

// tie records that the first and the last candidate, if they lie apart, may be equally high.
func (h *hunt[T]) tie(at diag.Span) {
	first, last := h.atEnds[0], h.atEnds[1]
	if !h.alone[0] && len(h.cells) > 0 {
		first = h.cells[0].y
	}
	if !h.alone[1] && len(h.cells) > 0 {
		last = h.cells[len(h.cells)-1].y
	}
	if !h.c.frame.tie.met && (h.alone[0] || h.alone[1] || len(h.cells) > 1) {
		h.c.frame.tie = decision[T]{met: true, site: -1, at: at, diff: h.c.Const(h.c.N.Sub(first, last))}
	}
}

// danskin is the hull of f over the candidates, in every coefficient. Cells over which
// the first derivatives are wide are refined, unless what is captured is so wide that this
// cannot help.
func (h *hunt[T]) danskin() (jet.Jet[T], error) {
	c := h.c
	half := c.tol.MulFloat(0.5)
	wide := func(x candidate[T]) bool { return half.Less(c.Width(c.degreesOf(x.jet, 0, 1))) }
	before := jet.InfMag()
	for stalled := 0; ; stalled++ {
		sum, some := jet.Mag{}, false
		for i := range h.cells {
			x := &h.cells[i]
			if !x.looked {
				if err := h.differentiate(x); err != nil {
					return c.Unknown(), err
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
		if !some || stalled == 2 || h.left <= 0 || c.tol.Less(c.N.Width(h.best)) {
			return h.joined()
		}
		before = sum
		floor := c.ignoreOuter()
		err := h.pass(wide)
		c.restore(floor)
		if err != nil {
			return c.Unknown(), err
		}
	}
}

// differentiate encloses f over a cell, outer variables included.
func (h *hunt[T]) differentiate(x *candidate[T]) error {
	c, n := h.c, h.c.N
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
	c.inherit(over.seen)
	x.jet, x.looked = c.taylor(at, over, x.degree, n.Sub(cell, m)), true
	return nil
}

// joined is the hull of f over the cells and the ends that are candidates.
func (h *hunt[T]) joined() (jet.Jet[T], error) {
	c := h.c
	var hull jet.Jet[T]
	some := false
	join := func(y jet.Jet[T]) {
		if some {
			y = c.Hull(hull, y)
		}
		hull, some = y, true
	}
	for i, alone := range h.alone {
		if alone {
			v, err := c.look(h.of, h.ends[i], 0)
			if err != nil {
				return v.y, err
			}
			c.inherit(v.seen)
			join(v.y)
		}
	}
	for _, x := range h.cells {
		join(x.jet)
	}
	return hull, nil
}
