package interp

import (
	"cmp"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Operations on arrays that look at the reals in them, and are not rows of the
// table: adding to elements, and sorting.

// tapedAccumulate adds ys, in order, to the elements of a copy of xs at the
// given indices, where one of the reals may be boxed: one entry of the tape.
func (m *Machine) tapedAccumulate(xs []float64, at []int64, ys []float64) (ref, *diag.Diagnostic) {
	t := m.tape
	values := append([]float64(nil), t.plain(xs)...)
	addReals(values, at, t.plain(ys))
	mask := t.columnMask(xs) | t.columnMask(ys)
	if mask&t.live == 0 {
		return &reals{v: values}, nil
	}
	w, boxes, ok := t.addWhole(values, mask)
	if !ok {
		return nil, t.failed()
	}
	t.addNode(nodeWhole, &accumulateNode{xs: xs, at: at, ys: ys, w: w}, mask)
	return &reals{v: boxes}, t.failed()
}

func addReals(to []float64, at []int64, ys []float64) {
	for j, y := range ys {
		to[at[j]] += y
	}
}

// accumulateNode is an array with others added to some of its elements.
type accumulateNode struct {
	xs []float64
	at []int64
	ys []float64
	w  *whole
}

func (c *accumulateNode) parents(visit func(float64)) {
	each(c.xs, visit)
	each(c.ys, visit)
}

func (c *accumulateNode) pull(s *sweep, _ handle, _ float64) {
	bs := s.columnOf(c.w)
	if bs == nil {
		return
	}
	for j, k := range c.at {
		if b := bs[k]; !isAbsent(b) {
			s.to(c.ys[j], b)
		}
	}
	for k, b := range bs {
		if !isAbsent(b) {
			s.to(c.xs[k], b)
		}
	}
}

func (c *accumulateNode) push(s *sweep, _ handle) float64 {
	for k, x := range c.xs {
		if dx := s.get(x); !isAbsent(dx) {
			s.contribute(elementBit|(c.w.base+handle(k)), dx)
		}
	}
	for j, k := range c.at {
		if dy := s.get(c.ys[j]); !isAbsent(dy) {
			s.contribute(elementBit|(c.w.base+handle(k)), dy)
		}
	}
	return absent
}

// tapedSort sorts indices by reals of which some are boxed. Each comparison is
// one of the program's: a tie is an error, and an integrand logs it.
func (m *Machine) tapedSort(index []int64, xs []float64) *diag.Diagnostic {
	t := m.tape
	d := m.sortStable(index, func(a, b int64) int {
		x, y := xs[a], xs[b]
		if vx, vy := t.value(x), t.value(y); vx != vx || vy != vy {
			return compareReals(vx, vy)
		}
		switch {
		case t.less(x, y, false):
			return -1
		case t.less(y, x, false):
			return 1
		}
		return 0
	})
	return cmp.Or(t.failed(), d)
}
