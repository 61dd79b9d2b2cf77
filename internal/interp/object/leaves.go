package object

import (
	"slices"

	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// The reals of a value of any type without functions are its leaves: this
// file visits them, from left to right, and makes a value with others in
// their places.

// leafVisitor does something to the reals of a value. one gets a real, many a
// column of them: an array of nothing but reals. Both give what stands in
// their place. shape, unless nil, is told the lengths of arrays and the tags
// of data on the way.
type leafVisitor struct {
	layouts *layout.Layouts
	by      Meter
	one     func(x float64) float64
	many    func(xs []float64) []float64
	shape   func(n int)

	depth   int
	failure *diag.Diagnostic
}

// maxNesting bounds the recursion on data that nests other than at its end.
const maxNesting = 1_000_000

// visit replaces the reals of a value.
func (v *leafVisitor) visit(t types.Type, in Slots) (out Slots, failure *diag.Diagnostic) {
	out = v.slots(v.layouts.SlotTypes(t), &in)
	return out, v.failure
}

func (v *leafVisitor) slots(list []layout.SlotType, in *Slots) (out Slots) {
	for _, s := range list {
		switch s.Kind {
		case layout.F:
			out.F = append(out.F, v.one(in.Real()))
		case layout.I:
			out.I = append(out.I, in.Int())
		case layout.P:
			out.P = append(out.P, v.ref(s.Type, in.Ref()))
		}
	}
	return out
}

func (v *leafVisitor) ref(t types.Type, r Ref) Ref {
	if v.failure != nil {
		return r
	}
	if v.depth++; v.depth > maxNesting {
		v.failure = diag.Errorf(diag.DepthLimit, diag.Span{}, "the value nests more than %d deep",
			maxNesting)
		return r
	}
	defer func() { v.depth-- }()
	switch t := t.(type) {
	case *types.Array:
		return v.array(t, r)
	case *types.Data:
		return v.data(t, r)
	}
	return r
}

func (v *leafVisitor) pay(bytes int64, work int) bool {
	if v.failure == nil {
		v.failure = v.by.Spend(bytes, work)
	}
	return v.failure == nil
}

func (v *leafVisitor) array(t *types.Array, r Ref) Ref {
	n := Len(r)
	if v.shape != nil {
		v.shape(n)
	}
	if !v.hasReals(t.Elem) {
		return r
	}
	list := v.layouts.SlotTypes(t.Elem)
	if len(list) == 1 && list[0].Kind == layout.F {
		return &Reals{V: v.many(r.(*Reals).V)}
	}
	s := ShapeOf(r)
	if !v.pay(int64(n)*s.Bytes()+TableBytes, n*s.Slots()) {
		return r
	}
	out := NewArray(s, n)
	for at := range n {
		var col layout.Shape
		for _, slot := range list {
			switch c := col.Next(slot.Kind); slot.Kind {
			case layout.F:
				ColumnF(out, c)[at] = v.one(ColumnF(r, c)[at])
			case layout.I:
				ColumnI(out, c)[at] = ColumnI(r, c)[at]
			case layout.P:
				ColumnP(out, c)[at] = v.ref(slot.Type, ColumnP(r, c)[at])
			}
		}
		if v.failure != nil {
			return r
		}
	}
	return out
}

// data replaces the reals of a data value. The last slot of a constructor,
// where lists nest, is done by the loop.
func (v *leafVisitor) data(t *types.Data, r Ref) Ref {
	var first Ref
	set := func(made Ref) { first = made }
	for {
		if !v.pay(NodeBytes, 4) {
			return r
		}
		var con *types.Con
		switch r := r.(type) {
		case *Cell:
			con = t.Decl.Cons[r.Tag]
		case *Node:
			con = t.Decl.Cons[r.Tag]
		}
		if v.shape != nil {
			v.shape(con.Tag)
		}
		list := v.layouts.FieldSlots(con, t)
		var next *types.Data
		if last := len(list) - 1; last >= 0 {
			next, _ = list[last].Type.(*types.Data)
			if next != nil && list[last].Kind == layout.P {
				list = list[:last]
			} else {
				next = nil
			}
		}
		switch from := r.(type) {
		case *Cell:
			made := &Cell{Tag: from.Tag, W: from.W, P: from.P}
			for _, s := range list {
				switch s.Kind {
				case layout.F:
					made.W = math.Float64bits(v.one(math.Float64frombits(from.W)))
				case layout.P:
					made.P = v.ref(s.Type, from.P)
				}
			}
			set(made)
			r, set = from.P, func(rest Ref) { made.P = rest }
		case *Node:
			made := &Node{Tag: from.Tag}
			words, ptrs := 0, 0
			for _, s := range v.layouts.FieldSlots(con, t) {
				if s.Kind == layout.P {
					ptrs++
				} else {
					words++
				}
			}
			made.Grow(words, ptrs)
			w, p := 0, 0
			for _, s := range list {
				switch s.Kind {
				case layout.F:
					made.SetWord(w, math.Float64bits(v.one(from.Real(w))))
					w++
				case layout.I:
					made.SetWord(w, uint64(from.Word(w)))
					w++
				case layout.P:
					made.SetRef(p, v.ref(s.Type, from.Ref(p)))
					p++
				}
			}
			set(made)
			if next != nil {
				r, set = from.Ref(p), func(rest Ref) { made.SetRef(p, rest) }
			}
		}
		if next == nil || v.failure != nil {
			return first
		}
		t = next
	}
}

// hasReals tells whether a type has a real in it.
func (v *leafVisitor) hasReals(t types.Type) bool {
	return v.layouts.HasReals(t)
}

// MapLeaves is a value with its reals replaced: one is given a real, many a column of them.
func MapLeaves(ls *layout.Layouts, by Meter, t types.Type, in Slots, one func(x float64) float64,
	many func(xs []float64) []float64) (Slots, *diag.Diagnostic) {
	v := leafVisitor{layouts: ls, by: by, one: one, many: many}
	return v.visit(t, in)
}

// Leaves is the reals of a value in their order, and what its shape is.
type Leaves struct {
	Reals []float64
	Shape []int
}

// LeavesOf collects the reals of a value.
func LeavesOf(ls *layout.Layouts, by Meter, t types.Type, in Slots) (Leaves, *diag.Diagnostic) {
	if s := ls.Of(t).Shape(); s.P == 0 {
		return Leaves{Reals: slices.Clone(in.F[:s.F])}, nil
	}
	var list Leaves
	v := leafVisitor{layouts: ls, by: by,
		one: func(x float64) float64 {
			list.Reals = append(list.Reals, x)
			return x
		},
		many: func(xs []float64) []float64 {
			list.Reals = append(list.Reals, xs...)
			return xs
		},
		shape: func(n int) { list.Shape = append(list.Shape, n) },
	}
	_, d := v.visit(t, in)
	return list, d
}

// WithLeaves is a value with its reals replaced, from left to right.
func WithLeaves(ls *layout.Layouts, by Meter, t types.Type, in Slots, xs []float64) (
	Slots, *diag.Diagnostic) {
	if s := ls.Of(t).Shape(); s.P == 0 {
		return Slots{F: xs, I: in.I[:s.I]}, nil
	}
	v := leafVisitor{layouts: ls, by: by,
		one: func(float64) float64 {
			x := xs[0]
			xs = xs[1:]
			return x
		},
		many: func(old []float64) []float64 {
			column := xs[:len(old):len(old)]
			xs = xs[len(old):]
			return column
		},
	}
	return v.visit(t, in)
}

// SameShape tells whether two values differ in their reals at most.
func (u Leaves) SameShape(v Leaves) bool {
	if len(u.Shape) != len(v.Shape) || len(u.Reals) != len(v.Reals) {
		return false
	}
	for k, n := range u.Shape {
		if v.Shape[k] != n {
			return false
		}
	}
	return true
}
