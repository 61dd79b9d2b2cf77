// Package marshal hands values to compiled code and takes results from it: slots and objects
// become arguments of the loop form, in the shapes that package lower gives to types, and back.
package marshal

import (
	"math"
	"slices"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
)

// Note [Flat arrays]
//
// The loop form has a nested array as one buffer. The rows of an array of the interpreter lie
// apart, and are copied to it one after the other when the array becomes an argument. What a region
// makes lies together, and the rows of the result are parts of the buffer.
//
// Since arrays do not change, the array keeps its flat form for the next time, unless it is owned
// (Note [Updates in place]) or large. That none of its reals is boxed is kept as well. If a result
// comes to lie where an earlier one lay, of which nothing else is left, the earlier array is the
// result: its rows need not be made again.

// mostFlat is how many elements an array may have for its flat form to be kept besides its rows.
const mostFlat = 1 << 22

// Writer makes arguments of the loop form from slots: Note [Flat arrays].
type Writer struct {
	From  object.Slots
	Args  []loop.Arg
	Taped bool // reals may be boxed

	Left  int        // how many nodes may be numbered: Note [Tables of nodes]
	inner *numbering // of the table whose rows are being added
	Kept  *Tables    // tables that were made before, or nil
}

// Value adds the parts of a value. It is false for a boxed real, and for arrays that loop form
// does not have: with rows of different lengths, or too long.
func (m *Writer) Value(s *lower.Shape) bool {
	switch s.Kind {
	case lower.RealShape:
		x := m.From.Real()
		m.Args = append(m.Args, loop.ScalarArg(x))
		return !m.Taped || !tape.IsBox(x)
	case lower.IntShape, lower.BoolShape:
		m.Args = append(m.Args, loop.Arg{Word: uint64(m.From.Int())})
	case lower.ProductShape:
		return m.Values(s.Parts)
	case lower.ArrayShape:
		return m.array(s.Parts[0], m.From.Ref())
	case lower.VariantShape:
		return m.variant(s, m.From.Ref())
	case lower.NodeShape:
		return m.node(s, m.From.Ref())
	}
	return true
}

// Values adds the parts of several values.
func (m *Writer) Values(all []*lower.Shape) bool {
	for _, s := range all {
		if !m.Value(s) {
			return false
		}
	}
	return true
}

// array adds an array, in the form that it has kept if there is one.
func (m *Writer) array(elem *lower.Shape, r object.Ref) bool {
	if r == nil {
		return m.arrays(elem, []object.Ref{nil})
	}
	cache := object.FlatCacheOf(r)
	if cache != nil {
		if flat := cache.Load(); flat != nil && (flat.Plain || !m.Taped) {
			m.Args = append(m.Args, flat.Args...)
			return true
		}
	}
	first := len(m.Args)
	if !m.arrays(elem, []object.Ref{r}) {
		return false
	}
	if _, column := r.(*object.Reals); cache != nil &&
		(column || elements(m.Args[first:]) <= mostFlat) {
		cache.Store(&object.FlatArray{Args: slices.Clone(m.Args[first:]), Plain: m.Taped})
	}
	return true
}

// elements is how many the buffers of arguments have.
func elements(args []loop.Arg) int {
	n := 0
	for _, a := range args {
		n += len(a.F) + len(a.I)
	}
	return n
}

// arrays adds arrays of one length, one after the other.
func (m *Writer) arrays(elem *lower.Shape, all []object.Ref) bool {
	n := 0
	if k := slices.IndexFunc(all, func(r object.Ref) bool { return r != nil }); k >= 0 {
		n = object.Len(all[k])
	}
	var none object.Ref // for fields that a variant does not have
	for k, a := range all {
		if a == nil {
			if none == nil {
				none, all = blank(slotCount(elem), n), slices.Clone(all)
			}
			all[k] = none
		} else if object.Len(a) != n {
			return false
		}
	}
	if n > lower.Most || len(all)*n > math.MaxInt32*64 {
		return false
	}
	m.Args = append(m.Args, loop.Arg{Word: uint64(n)})
	var at layout.Shape
	return m.columns(elem, all, &at)
}

// columns adds the columns of arrays; at counts those of the parts before.
func (m *Writer) columns(s *lower.Shape, all []object.Ref, at *layout.Shape) bool {
	switch s.Kind {
	case lower.RealShape:
		k := at.Next(layout.F)
		xs := joined(all, func(r object.Ref) []float64 { return object.ColumnF(r, k) })
		m.Args = append(m.Args, loop.Arg{F: xs})
		return !m.Taped || !tape.AnyBox(xs)
	case lower.IntShape, lower.BoolShape:
		k := at.Next(layout.I)
		m.Args = append(m.Args, loop.Arg{I: joined(all,
			func(r object.Ref) []int64 { return object.ColumnI(r, k) })})
	case lower.ProductShape:
		for _, part := range s.Parts {
			if !m.columns(part, all, at) {
				return false
			}
		}
	case lower.ArrayShape:
		k := at.Next(layout.P)
		return m.arrays(s.Parts[0], joined(all,
			func(r object.Ref) []object.Ref { return object.ColumnP(r, k) }))
	case lower.VariantShape:
		k := at.Next(layout.P)
		t := []object.Ref{variants(s, joined(all,
			func(r object.Ref) []object.Ref { return object.ColumnP(r, k) }))}
		var inner layout.Shape
		for _, part := range s.Parts {
			if !m.columns(part, t, &inner) {
				return false
			}
		}
	case lower.NodeShape:
		k := at.Next(layout.P)
		return m.nodeColumn(s, joined(all,
			func(r object.Ref) []object.Ref { return object.ColumnP(r, k) }))
	case lower.InnerNodeShape:
		k := at.Next(layout.P)
		m.Args = append(m.Args, loop.Arg{I: m.inner.numbers(joined(all,
			func(r object.Ref) []object.Ref { return object.ColumnP(r, k) }))})
	}
	return true
}

// joined is the columns one after the other.
func joined[T any](all []object.Ref, column func(object.Ref) []T) []T {
	if len(all) == 1 {
		return column(all[0])
	}
	n := 0
	for _, r := range all {
		n += len(column(r))
	}
	out := make([]T, 0, n)
	for _, r := range all {
		out = append(out, column(r)...)
	}
	return out
}

// Reader makes slots from results of the loop form.
type Reader struct {
	From  []loop.Arg
	Into  object.Slots
	Old   []object.Ref // slots of an earlier value, in whose memory this one may lie
	Bytes int64
}

// again is the array of the earlier value that the next arguments are the flat form of, or nil.
func (u *Reader) again() object.Ref {
	at := len(u.Into.P)
	if at >= len(u.Old) {
		return nil
	}
	cache := object.FlatCacheOf(u.Old[at])
	if cache == nil {
		return nil
	}
	flat := cache.Load()
	if flat == nil || !flat.Plain || len(flat.Args) > len(u.From) || !slices.EqualFunc(flat.Args,
		u.From[:len(flat.Args)], sameArg) {
		return nil
	}
	u.From = u.From[len(flat.Args):]
	return u.Old[at]
}

// sameArg tells whether two arguments are the same scalar or lie in the same memory.
func sameArg(a, b loop.Arg) bool {
	return a.Word == b.Word && len(a.F) == len(b.F) &&
		unsafe.SliceData(a.F) == unsafe.SliceData(b.F) &&
		len(a.I) == len(b.I) && unsafe.SliceData(a.I) == unsafe.SliceData(b.I)
}

func (u *Reader) next() loop.Arg {
	a := u.From[0]
	u.From = u.From[1:]
	return a
}

// Value reads a value.
func (u *Reader) Value(s *lower.Shape) {
	switch s.Kind {
	case lower.RealShape:
		u.Into.F = append(u.Into.F, u.next().Real())
	case lower.IntShape, lower.BoolShape:
		u.Into.I = append(u.Into.I, int64(u.next().Word))
	case lower.ProductShape:
		for _, part := range s.Parts {
			u.Value(part)
		}
	case lower.VariantShape:
		u.Into.P = append(u.Into.P, u.variant(s))
	case lower.ArrayShape:
		if r := u.again(); r != nil {
			u.Into.P = append(u.Into.P, r)
			return
		}
		from := u.From
		r := u.arrays(s.Parts[0], 1)[0]
		if cache := object.FlatCacheOf(r); cache != nil {
			cache.Store(&object.FlatArray{Args: from[:len(from)-len(u.From)], Plain: true})
		}
		u.Into.P = append(u.Into.P, r)
	}
}

// arrays are so many arrays of one length. Those of one column, the rows of a matrix above all, are
// made at once.
func (u *Reader) arrays(elem *lower.Shape, count int) []object.Ref {
	n := int(u.next().Word)
	out := make([]object.Ref, count)
	charge := func(s layout.Shape) {
		u.Bytes += int64(count) * (object.HeaderBytes +
			int64(n)*s.Bytes())
	}
	switch elem.Kind {
	case lower.RealShape:
		v, rows := u.next().F, make([]object.Reals, count)
		for k := range rows {
			rows[k].V, out[k] = v[k*n:(k+1)*n:(k+1)*n], &rows[k]
		}
		charge(layout.Shape{F: 1})
	case lower.IntShape, lower.BoolShape:
		v, rows := u.next().I, make([]object.Ints, count)
		for k := range rows {
			rows[k].V, out[k] = v[k*n:(k+1)*n:(k+1)*n], &rows[k]
		}
		charge(layout.Shape{I: 1})
	case lower.ArrayShape:
		v, rows := u.arrays(elem.Parts[0], count*n), make([]object.Refs, count)
		for k := range rows {
			rows[k].V, out[k] = v[k*n:(k+1)*n:(k+1)*n], &rows[k]
		}
		charge(layout.Shape{P: 1})
	default:
		u.tables(elem, out, n)
	}
	return out
}

// tables makes arrays of n elements that have several columns, or none.
func (u *Reader) tables(elem *lower.Shape, out []object.Ref, n int) {
	tables := make([]object.Table, len(out))
	u.columns(elem, tables, n)
	for k := range tables {
		t := &tables[k]
		t.N = n
		s := layout.Shape{F: len(t.F), I: len(t.I), P: len(t.P)}
		u.Bytes += object.HeaderBytes + int64(n)*s.Bytes()
		switch s {
		case layout.Shape{F: 1}:
			out[k] = &object.Reals{V: t.F[0]}
		case layout.Shape{I: 1}:
			out[k] = &object.Ints{V: t.I[0]}
		case layout.Shape{P: 1}:
			out[k] = &object.Refs{V: t.P[0]}
		default:
			out[k] = t
		}
	}
}

// columns adds columns to arrays of n elements.
func (u *Reader) columns(s *lower.Shape, tables []object.Table, n int) {
	switch s.Kind {
	case lower.RealShape:
		v := u.next().F
		for k := range tables {
			tables[k].F = append(tables[k].F, v[k*n:(k+1)*n:(k+1)*n])
		}
	case lower.IntShape, lower.BoolShape:
		v := u.next().I
		for k := range tables {
			tables[k].I = append(tables[k].I, v[k*n:(k+1)*n:(k+1)*n])
		}
	case lower.ProductShape:
		for _, part := range s.Parts {
			u.columns(part, tables, n)
		}
	case lower.VariantShape:
		u.variants(s, tables, n)
	case lower.ArrayShape:
		v := u.arrays(s.Parts[0], len(tables)*n)
		for k := range tables {
			tables[k].P = append(tables[k].P, v[k*n:(k+1)*n:(k+1)*n])
		}
	}
}
