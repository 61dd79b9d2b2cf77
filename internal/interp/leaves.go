package interp

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
			out.f = append(out.f, v.one(in.real()))
		case layout.I:
			out.i = append(out.i, in.int())
		case layout.P:
			out.p = append(out.p, v.ref(s.Type, in.ref()))
		}
	}
	return out
}

func (v *leafVisitor) ref(t types.Type, r ref) ref {
	if v.failure != nil {
		return r
	}
	if v.depth++; v.depth > maxNesting {
		v.failure = diag.Errorf(diag.DepthLimit, diag.Span{}, "the value nests more than %d deep", maxNesting)
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

func (v *leafVisitor) array(t *types.Array, r ref) ref {
	n := arrayLen(r)
	if v.shape != nil {
		v.shape(n)
	}
	if !v.hasReals(t.Elem) {
		return r
	}
	list := v.layouts.SlotTypes(t.Elem)
	if len(list) == 1 && list[0].Kind == layout.F {
		return &reals{v: v.many(r.(*reals).v)}
	}
	s := arrayShape(r)
	if !v.pay(int64(n)*s.Bytes()+tableBytes, n*s.Slots()) {
		return r
	}
	out := newArray(s, n)
	for at := range n {
		var col layout.Shape
		for _, slot := range list {
			switch c := col.Next(slot.Kind); slot.Kind {
			case layout.F:
				columnF(out, c)[at] = v.one(columnF(r, c)[at])
			case layout.I:
				columnI(out, c)[at] = columnI(r, c)[at]
			case layout.P:
				columnP(out, c)[at] = v.ref(slot.Type, columnP(r, c)[at])
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
func (v *leafVisitor) data(t *types.Data, r ref) ref {
	var first ref
	set := func(made ref) { first = made }
	for {
		if !v.pay(nodeBytes, 4) {
			return r
		}
		var con *types.Con
		switch r := r.(type) {
		case *cell:
			con = t.Decl.Cons[r.tag]
		case *node:
			con = t.Decl.Cons[r.tag]
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
		case *cell:
			made := &cell{tag: from.tag, w: from.w, p: from.p}
			for _, s := range list {
				switch s.Kind {
				case layout.F:
					made.w = math.Float64bits(v.one(math.Float64frombits(from.w)))
				case layout.P:
					made.p = v.ref(s.Type, from.p)
				}
			}
			set(made)
			r, set = from.p, func(rest ref) { made.p = rest }
		case *node:
			made := &node{tag: from.tag}
			words, ptrs := 0, 0
			for _, s := range v.layouts.FieldSlots(con, t) {
				if s.Kind == layout.P {
					ptrs++
				} else {
					words++
				}
			}
			made.grow(words, ptrs)
			w, p := 0, 0
			for _, s := range list {
				switch s.Kind {
				case layout.F:
					made.setWord(w, math.Float64bits(v.one(from.real(w))))
					w++
				case layout.I:
					made.setWord(w, uint64(from.word(w)))
					w++
				case layout.P:
					made.setRef(p, v.ref(s.Type, from.ref(p)))
					p++
				}
			}
			set(made)
			if next != nil {
				r, set = from.ref(p), func(rest ref) { made.setRef(p, rest) }
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

// mapLeaves is a value with its reals replaced: one is given a real, many a column of them.
func mapLeaves(ls *layout.Layouts, by Meter, t types.Type, in Slots, one func(x float64) float64, many func(xs []float64) []float64) (Slots, *diag.Diagnostic) {
	v := leafVisitor{layouts: ls, by: by, one: one, many: many}
	return v.visit(t, in)
}

// leafList is the reals of a value in their order, and what its shape is.
type leafList struct {
	reals []float64
	shape []int
}

// leavesOf collects the reals of a value.
func leavesOf(ls *layout.Layouts, by Meter, t types.Type, in Slots) (leafList, *diag.Diagnostic) {
	if s := ls.Of(t).Shape(); s.P == 0 {
		return leafList{reals: slices.Clone(in.f[:s.F])}, nil
	}
	var list leafList
	v := leafVisitor{layouts: ls, by: by,
		one: func(x float64) float64 {
			list.reals = append(list.reals, x)
			return x
		},
		many: func(xs []float64) []float64 {
			list.reals = append(list.reals, xs...)
			return xs
		},
		shape: func(n int) { list.shape = append(list.shape, n) },
	}
	_, d := v.visit(t, in)
	return list, d
}

// withLeaves is a value with its reals replaced, from left to right.
func withLeaves(ls *layout.Layouts, by Meter, t types.Type, in Slots, xs []float64) (Slots, *diag.Diagnostic) {
	if s := ls.Of(t).Shape(); s.P == 0 {
		return Slots{f: xs, i: in.i[:s.I]}, nil
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

// sameShape tells whether two values differ in their reals at most.
func (u leafList) sameShape(v leafList) bool {
	if len(u.shape) != len(v.shape) || len(u.reals) != len(v.reals) {
		return false
	}
	for k, n := range u.shape {
		if v.shape[k] != n {
			return false
		}
	}
	return true
}
