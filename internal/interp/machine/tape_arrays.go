package machine

import (
	"cmp"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// Operations on arrays that look at the reals in them, and are not rows of the
// table: adding to elements, and sorting.

// tapedAccumulate adds ys, in order, to the elements of a copy of xs at the
// given indices, where one of the reals may be boxed: one entry of the tape.
func (m *Machine) tapedAccumulate(xs []float64, at []int64, ys []float64) (object.Ref, *diag.Diagnostic) {
	t := m.tape
	values := append([]float64(nil), t.Plain(xs)...)
	addReals(values, at, t.Plain(ys))
	mask := t.ColumnMask(xs) | t.ColumnMask(ys)
	if mask&t.Live == 0 {
		return &object.Reals{V: values}, nil
	}
	w, boxes, ok := t.AddWhole(values, mask)
	if !ok {
		return nil, t.Failed()
	}
	t.AddNode(tape.WholeNode, &accumulateNode{xs: xs, at: at, ys: ys, w: w}, mask)
	return &object.Reals{V: boxes}, t.Failed()
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
	w  *tape.Whole
}

func (c *accumulateNode) Parents(visit func(float64)) {
	each(c.xs, visit)
	each(c.ys, visit)
}

func (c *accumulateNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	bs := s.ColumnOf(c.w)
	if bs == nil {
		return
	}
	for j, k := range c.at {
		if b := bs[k]; !tape.IsAbsent(b) {
			s.To(c.ys[j], b)
		}
	}
	for k, b := range bs {
		if !tape.IsAbsent(b) {
			s.To(c.xs[k], b)
		}
	}
}

func (c *accumulateNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	for k, x := range c.xs {
		if dx := s.Get(x); !tape.IsAbsent(dx) {
			s.Contribute(tape.ElementBit|(c.w.Base+tape.Handle(k)), dx)
		}
	}
	for j, k := range c.at {
		if dy := s.Get(c.ys[j]); !tape.IsAbsent(dy) {
			s.Contribute(tape.ElementBit|(c.w.Base+tape.Handle(k)), dy)
		}
	}
	return tape.Absent
}

// tapedSort sorts indices by reals of which some are boxed. Each comparison is
// one of the program's: a tie is an error, and an integrand logs it.
func (m *Machine) tapedSort(index []int64, xs []float64) *diag.Diagnostic {
	t := m.tape
	d := m.sortStable(index, func(a, b int64) int {
		x, y := xs[a], xs[b]
		if vx, vy := t.Value(x), t.Value(y); vx != vx || vy != vy {
			return compareReals(vx, vy)
		}
		switch {
		case t.Less(x, y, false):
			return -1
		case t.Less(y, x, false):
			return 1
		}
		return 0
	})
	return cmp.Or(t.Failed(), d)
}
