package interp

import "github.com/fluxion-lang/fluxion/internal/interp/layout"

// newArray makes an array of n elements with columns of the given shape.
func newArray(s layout.Shape, n int) ref {
	switch s {
	case layout.Shape{F: 1}:
		return &reals{v: make([]float64, n)}
	case layout.Shape{I: 1}:
		return &ints{v: make([]int64, n)}
	case layout.Shape{P: 1}:
		return &refs{v: make([]ref, n)}
	}
	t := &table{n: n, f: make([][]float64, s.F), i: make([][]int64, s.I), p: make([][]ref, s.P)}
	for k := range t.f {
		t.f[k] = make([]float64, n)
	}
	for k := range t.i {
		t.i[k] = make([]int64, n)
	}
	for k := range t.p {
		t.p[k] = make([]ref, n)
	}
	return t
}

// columnF, columnI and columnP are the columns of an array, numbered among
// those of their kind.
func columnF(r ref, k int) []float64 {
	if a, ok := r.(*reals); ok {
		return a.v
	}
	return r.(*table).f[k]
}

func columnI(r ref, k int) []int64 {
	if a, ok := r.(*ints); ok {
		return a.v
	}
	return r.(*table).i[k]
}

func columnP(r ref, k int) []ref {
	if a, ok := r.(*refs); ok {
		return a.v
	}
	return r.(*table).p[k]
}

// arrayLen is the number of elements of an array.
func arrayLen(r ref) int {
	switch a := r.(type) {
	case *reals:
		return len(a.v)
	case *ints:
		return len(a.v)
	case *refs:
		return len(a.v)
	}
	return r.(*table).n
}

// arrayShape is the shape of an array's elements.
func arrayShape(r ref) layout.Shape {
	switch a := r.(type) {
	case *reals:
		return layout.Shape{F: 1}
	case *ints:
		return layout.Shape{I: 1}
	case *refs:
		return layout.Shape{P: 1}
	case *table:
		return layout.Shape{F: len(a.f), I: len(a.i), P: len(a.p)}
	}
	panic("interp: an array is expected")
}

func isArray(r ref) bool {
	switch r.(type) {
	case *reals, *ints, *refs, *table:
		return true
	}
	return false
}

// columns collects the columns of an array, shared.
func columns(r ref) (f [][]float64, i [][]int64, p [][]ref) {
	switch a := r.(type) {
	case *reals:
		return [][]float64{a.v}, nil, nil
	case *ints:
		return nil, [][]int64{a.v}, nil
	case *refs:
		return nil, nil, [][]ref{a.v}
	}
	t := r.(*table)
	return t.f, t.i, t.p
}

// fromColumns is an array of the given columns, shared.
func fromColumns(n int, f [][]float64, i [][]int64, p [][]ref) ref {
	if len(f)+len(i)+len(p) == 1 {
		switch {
		case len(f) == 1:
			return &reals{v: f[0]}
		case len(i) == 1:
			return &ints{v: i[0]}
		}
		return &refs{v: p[0]}
	}
	return &table{n: n, f: f, i: i, p: p}
}

// slice shares the elements from lo up to hi.
func slice(r ref, lo, hi int) ref {
	f, i, p := columns(r)
	return fromColumns(hi-lo, cut(f, lo, hi), cut(i, lo, hi), cut(p, lo, hi))
}

func cut[T any](cols [][]T, lo, hi int) [][]T {
	if cols == nil {
		return nil
	}
	parts := make([][]T, len(cols))
	for k, c := range cols {
		parts[k] = c[lo:hi:hi]
	}
	return parts
}

// copyInto copies all elements of an array into another from an index on.
func copyInto(to ref, at int, from ref) {
	tf, ti, tp := columns(to)
	ff, fi, fp := columns(from)
	for k, c := range ff {
		copy(tf[k][at:], c)
	}
	for k, c := range fi {
		copy(ti[k][at:], c)
	}
	for k, c := range fp {
		copy(tp[k][at:], c)
	}
}
