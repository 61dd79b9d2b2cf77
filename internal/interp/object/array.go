package object

import "github.com/fluxion-lang/fluxion/internal/interp/layout"

// NewArray makes an array of n elements with columns of the given shape.
func NewArray(s layout.Shape, n int) Ref {
	switch s {
	case layout.Shape{F: 1}:
		return &Reals{V: make([]float64, n)}
	case layout.Shape{I: 1}:
		return &Ints{V: make([]int64, n)}
	case layout.Shape{P: 1}:
		return &Refs{V: make([]Ref, n)}
	}
	t := &Table{N: n, F: make([][]float64, s.F), I: make([][]int64, s.I), P: make([][]Ref, s.P)}
	for k := range t.F {
		t.F[k] = make([]float64, n)
	}
	for k := range t.I {
		t.I[k] = make([]int64, n)
	}
	for k := range t.P {
		t.P[k] = make([]Ref, n)
	}
	return t
}

// ColumnF is a column of doubles of an array, numbered among those of its kind.
func ColumnF(r Ref, k int) []float64 {
	if a, ok := r.(*Reals); ok {
		return a.V
	}
	return r.(*Table).F[k]
}

// ColumnI is ColumnF for integers.
func ColumnI(r Ref, k int) []int64 {
	if a, ok := r.(*Ints); ok {
		return a.V
	}
	return r.(*Table).I[k]
}

// ColumnP is ColumnF for references.
func ColumnP(r Ref, k int) []Ref {
	if a, ok := r.(*Refs); ok {
		return a.V
	}
	return r.(*Table).P[k]
}

// Len is the number of elements of an array.
func Len(r Ref) int {
	switch a := r.(type) {
	case *Reals:
		return len(a.V)
	case *Ints:
		return len(a.V)
	case *Refs:
		return len(a.V)
	}
	return r.(*Table).N
}

// ShapeOf is the shape of an array's elements.
func ShapeOf(r Ref) layout.Shape {
	switch a := r.(type) {
	case *Reals:
		return layout.Shape{F: 1}
	case *Ints:
		return layout.Shape{I: 1}
	case *Refs:
		return layout.Shape{P: 1}
	case *Table:
		return layout.Shape{F: len(a.F), I: len(a.I), P: len(a.P)}
	}
	panic("object: an array is expected")
}

// IsArray tells arrays from other objects.
func IsArray(r Ref) bool {
	switch r.(type) {
	case *Reals, *Ints, *Refs, *Table:
		return true
	}
	return false
}

// Columns collects the columns of an array, shared.
func Columns(r Ref) (f [][]float64, i [][]int64, p [][]Ref) {
	switch a := r.(type) {
	case *Reals:
		return [][]float64{a.V}, nil, nil
	case *Ints:
		return nil, [][]int64{a.V}, nil
	case *Refs:
		return nil, nil, [][]Ref{a.V}
	}
	t := r.(*Table)
	return t.F, t.I, t.P
}

// FromColumns is an array of the given columns, shared.
func FromColumns(n int, f [][]float64, i [][]int64, p [][]Ref) Ref {
	if len(f)+len(i)+len(p) == 1 {
		switch {
		case len(f) == 1:
			return &Reals{V: f[0]}
		case len(i) == 1:
			return &Ints{V: i[0]}
		}
		return &Refs{V: p[0]}
	}
	return &Table{N: n, F: f, I: i, P: p}
}

// Slice shares the elements from lo up to hi.
func Slice(r Ref, lo, hi int) Ref {
	f, i, p := Columns(r)
	return FromColumns(hi-lo, cut(f, lo, hi), cut(i, lo, hi), cut(p, lo, hi))
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

// CopyInto copies all elements of an array into another from an index on.
func CopyInto(to Ref, at int, from Ref) {
	tf, ti, tp := Columns(to)
	ff, fi, fp := Columns(from)
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
