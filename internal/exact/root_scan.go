package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Sign changes]. A scan goes through a range from the left and cuts it into cells until
// of each it is certain, for every point of what is captured, that
//
//   - f has one sign on it: its range, or the mean value form from an end, does not
//     contain 0; or f has the same sign at both ends and keeps it, by the form from the lower end,
//     up to some place, and from there by the form from the upper end; or f is strictly monotone
//     and has the same sign at both ends; or
//   - f crosses zero exactly once in it: f is strictly monotone and has strictly opposite
//     signs at its ends;
//
// or the cell is left open: it may hold zeros or none. A cell is open when it
// is as narrow as asked, when the cells are spent, or when cutting it cannot
// help: the value at a point inside contains 0 and is half as wide as the range
// over the cell, so that what is captured, or rounding, makes the width.
//
// Every zero, and every place where the sign changes, lies in an open or crossed cell. The
// signs at ends of cells are those of f at points, and prove changes of sign. If f is exactly zero
// at an end of the range and strictly monotone over the cell there, that end is the only zero.

// node is a point with the values of f there.
type node struct {
	x    jet.Set
	y    jet.Set // the line if nothing is known
	sign int
	pins bool // the range ends there, and f is exactly zero
}

// stretch is a cell in which f crosses zero once, or one left open.
type stretch struct {
	lo, hi  node
	crossed bool
	pinned  bool    // lo and hi are an end of the range, at which f is zero, and not elsewhere around
	defined bool    // f has a value all over it
	y       jet.Set // the range of f, if defined
	slope   jet.Set // the slopes of f, if crossed
}

// scan goes through a range.
type scan struct {
	c     *ctx
	f     function
	least jet.Mag // the width of cells that are not cut
	cells int     // that may still be evaluated

	trouble trouble // why f has no value somewhere

	found []stretch // in order
	sign  int       // the last that is certain, or 0
	turns bool      // certain signs differ

	edges [2]decision // f at 0 and 1, of a firstRoot
	signs [2]int      // of them, as the frame knows them

	fromZero                 bool // f is exactly zero at the lower end
	notNegative, notPositive bool // f is so at some node
}

// node evaluates f at a point.
func (s *scan) node(x jet.Set) (node, error) {
	return s.nodeOver(x, x)
}

// nodeOver is a point of a set, with the values of f all over it.
func (s *scan) nodeOver(x, set jet.Set) (node, error) {
	v, err := s.c.expand(s.f, s.c.Const(set), 0)
	n := node{x: x, y: s.c.N.Whole()}
	if err != nil {
		return n, err
	}
	if v.y.Known() {
		n.y, n.sign = v.y.Val(), s.c.N.Sign(v.y.Val())
	} else {
		s.learn(v.seen.trouble)
	}
	return n, nil
}

// learn keeps the first reason why f has no value.
func (s *scan) learn(why trouble) {
	if s.trouble.code == "" {
		s.trouble = why
	}
}

// run scans from lo to hi, whose values are given. If first is set it ends with the first change
// of sign.
func (s *scan) run(lo, hi node, first bool) error {
	type cell struct{ lo, hi node }
	s.fromZero = lo.pins
	s.certain(lo.sign)
	s.visit(lo)
	s.visit(hi)
	for todo := []cell{{lo, hi}}; len(todo) > 0 && !(first && s.turns); {
		top := len(todo) - 1
		x := todo[top]
		todo = todo[:top]
		st, sign, err := s.judge(x.lo, x.hi)
		switch {
		case err != nil:
			return err
		case sign != 0:
			s.certain(sign)
			continue
		case st.crossed:
			s.certain(x.lo.sign)
			s.found = append(s.found, st)
			s.certain(x.hi.sign)
			continue
		case st.pinned: // f has a sign over the rest of the cell
			s.found = append(s.found, st)
			sign = s.c.N.Sign(st.slope)
			if x.hi.pins {
				sign = -sign
			}
			s.certain(sign)
			continue
		}
		mid, whole, err := s.cut(st)
		if err != nil {
			return err
		}
		if whole {
			s.found = append(s.found, st)
			s.certain(x.lo.sign)
			s.certain(x.hi.sign)
			continue
		}
		todo = append(todo, cell{mid, x.hi}, cell{x.lo, mid})
	}
	return nil
}

// certain takes note of a sign, to the right of those before.
func (s *scan) certain(sign int) {
	if sign != 0 {
		s.turns = s.turns || s.sign == -sign || s.sign == 0 && s.fromZero
		s.sign = sign
	}
}

// visit takes note of the values at a node.
func (s *scan) visit(x node) {
	lo, hi := s.c.N.Ends(x.y)
	s.notNegative = s.notNegative || lo >= 0
	s.notPositive = s.notPositive || hi <= 0
}

// certainRoot tells whether f is certain to change its sign, or to be zero somewhere.
func (s *scan) certainRoot() bool { return s.turns || s.notNegative && s.notPositive }

// judge evaluates f over a cell: sign is that of f all over it, if certain.
func (s *scan) judge(lo, hi node) (st stretch, sign int, err error) {
	n := s.c.N
	s.cells--
	x := n.Span(lo.x, hi.x)
	st = stretch{lo: lo, hi: hi}
	v, err := s.c.expand(s.f, s.c.Const(x), 1)
	if err != nil || !v.y.Known() {
		s.learn(v.seen.trouble)
		return st, 0, err
	}
	st.defined, st.y = true, v.y.Val()
	if sign = n.Sign(v.y.Val()); sign != 0 {
		return st, sign, nil
	}
	slope := s.c.coeff(v, 1)
	if !slope.Known() {
		return st, 0, nil
	}
	st.slope = slope.Val()
	for _, end := range []node{lo, hi} {
		if sign = n.Sign(n.Add(end.y, n.Mul(st.slope, n.Sub(x, end.x)))); sign != 0 {
			return st, sign, nil
		}
	}
	switch {
	case n.Sign(st.slope) == 0:
		if s.keeps(lo, hi, st.slope) {
			sign = lo.sign
		}
		return st, sign, nil
	case lo.pins:
		st.hi, st.pinned = lo, true
		return st, 0, nil
	case hi.pins:
		st.lo, st.pinned = hi, true
		return st, 0, nil
	case lo.sign == 0 || hi.sign == 0:
		return st, 0, nil
	}
	st.crossed = lo.sign != hi.sign
	if !st.crossed {
		sign = lo.sign
	}
	return st, sign, nil
}

// keeps tells whether f has the same sign at both ends of a cell and keeps it in between. From each
// end on it falls towards zero by the steepest slope at most, so that it is nearest to zero, if at
// all, where the lines from both ends meet. That place is computed on doubles: the proof holds for
// any.
func (s *scan) keeps(lo, hi node, slope jet.Set) bool {
	n := s.c.N
	if lo.sign == 0 || lo.sign != hi.sign {
		return false
	}
	fall, rise := n.Ends(slope)
	if lo.sign < 0 {
		fall, rise = rise, fall
	}
	a, b := n.Float64(lo.x), n.Float64(hi.x)
	m := a + (n.Float64(hi.y)-n.Float64(lo.y)-rise*(b-a))/(fall-rise)
	if !(a < m && m < b) {
		return false
	}
	at := n.Float(m)
	left := n.Add(lo.y, n.Mul(slope, n.Sub(n.Span(lo.x, at), lo.x)))
	right := n.Add(hi.y, n.Mul(slope, n.Sub(n.Span(at, hi.x), hi.x)))
	return n.Sign(left) == lo.sign && n.Sign(right) == lo.sign
}

// cut chooses where to cut a cell, or finds that it stays open. The place is beside the
// middle, where zeros of programs written by people rarely are.
func (s *scan) cut(st stretch) (mid node, open bool, err error) {
	n := s.c.N
	if s.cells <= 0 || !s.least.Less(n.Mag(n.Sub(st.hi.x, st.lo.x))) {
		return mid, true, nil
	}
	x := s.c.aside(st.lo.x, st.hi.x)
	if !n.Less(st.lo.x, x) || !n.Less(x, st.hi.x) {
		return mid, true, nil
	}
	if mid, err = s.node(x); err != nil || mid.sign != 0 || !st.defined {
		return mid, false, err
	}
	s.visit(mid)
	return mid, !n.Width(mid.y).MulFloat(2).Less(n.Width(st.y)), nil
}

// aside is a point near the middle of two others, but not quite there. Its distance from lo
// has few bits, so that cells that start at a round number, which often is the edge of
// the domain of f, are balls without rounding.
func (c *ctx) aside(lo, hi jet.Set) jet.Set {
	n := c.N
	width := n.Sub(hi, lo)
	step := n.Mul(width, n.Float(63.0/128))
	if w := n.Float64(step); w > 0x1p-1000 && w < 0x1p1000 {
		m, e := math.Frexp(w)
		step = n.Float(math.Ldexp(math.Trunc(m*0x1p12), e-12))
	}
	x := n.Mid(n.Add(lo, step))
	if n.Less(x, lo) || n.Less(hi, x) { // the two are too close for the precision
		return lo
	}
	return x
}
