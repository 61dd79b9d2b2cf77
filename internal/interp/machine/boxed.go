package machine

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Values made of numbers and arrays whose reals may be on the tape: what they depend on, their plain
// values, and their cotangents and tangents in a sweep.

// Numeric tells whether a type is made of numbers, truth values and arrays.
func Numeric(t types.Type) bool {
	t = types.Resolve(t)
	switch t.(type) {
	case *types.Fun, *types.Data:
		return false
	}
	if t == types.String {
		return false
	}
	ok := true
	types.Map(t, func(part types.Type) types.Type {
		ok = ok && Numeric(part)
		return part
	})
	return ok
}

// SlotsMask is what the reals in slots depend on.
func SlotsMask(t *tape.Tape, s object.Slots) tape.Levels {
	mask := t.ColumnMask(s.F)
	for _, r := range s.P {
		if !object.IsArray(r) {
			continue
		}
		f, _, p := object.Columns(r)
		for _, c := range f {
			mask |= t.ColumnMask(c)
		}
		for _, c := range p {
			mask |= SlotsMask(t, object.Slots{P: c})
		}
	}
	return mask
}

// PlainSlots is a value without boxes; arrays without any are shared. Texts,
// data and functions are kept: the caller knows that they have no boxes in them.
func PlainSlots(t *tape.Tape, s object.Slots) object.Slots {
	out := object.Slots{F: t.Plain(s.F), I: s.I, P: make([]object.Ref, len(s.P))}
	for k, r := range s.P {
		out.P[k] = r
		if object.IsArray(r) {
			out.P[k] = plainArray(t, r)
		}
	}
	return out
}

func plainArray(t *tape.Tape, r object.Ref) object.Ref {
	f, i, p := object.Columns(r)
	changed := false
	plain := make([][]float64, len(f))
	for c, col := range f {
		plain[c] = t.Plain(col)
		changed = changed || len(col) > 0 && &plain[c][0] != &col[0]
	}
	rows := make([][]object.Ref, len(p))
	for c, col := range p {
		rows[c] = PlainSlots(t, object.Slots{P: col}).P
		changed = changed || !slices.Equal(rows[c], col)
	}
	if !changed {
		return r
	}
	return object.FromColumns(object.Len(r), plain, i, rows)
}

// realColumns are the columns of reals in a value that are not empty, in the
// order of mapColumns.
func realColumns(s object.Slots) (list [][]float64) {
	mapColumns(s, func(xs []float64) []float64 {
		if len(xs) > 0 {
			list = append(list, xs)
		}
		return xs
	})
	return list
}

// mapReals is a value of numbers and arrays with others in place of its reals.
func mapReals(s object.Slots, f func(x float64) float64) object.Slots {
	return mapColumns(s, func(xs []float64) []float64 {
		ys := make([]float64, len(xs))
		for k, x := range xs {
			ys[k] = f(x)
		}
		return ys
	})
}

// mapColumns is a value of numbers and arrays with other columns of reals: the
// reals that are in no array are one, and come first.
func mapColumns(s object.Slots, f func(xs []float64) []float64) object.Slots {
	out := object.Slots{F: s.F, I: s.I, P: make([]object.Ref, len(s.P))}
	if len(s.F) > 0 {
		out.F = f(s.F)
	}
	for k, r := range s.P {
		fs, is, ps := object.Columns(r)
		reals, rows := make([][]float64, len(fs)), make([][]object.Ref, len(ps))
		for c, col := range fs {
			reals[c] = f(col)
		}
		for c, col := range ps {
			rows[c] = mapColumns(object.Slots{P: col}, f).P
		}
		out.P[k] = object.FromColumns(object.Len(r), reals, is, rows)
	}
	return out
}

// eachReal visits the reals of a value of numbers and arrays.
func eachReal(s object.Slots, visit func(x float64)) {
	for _, column := range realColumns(s) {
		each(column, visit)
	}
}

// addColumns makes wholes of the columns of a value, in the order of mapColumns, and gives it as
// boxes.
func addColumns(t *tape.Tape, value object.Slots, mask tape.Levels) (boxed object.Slots, outs []*tape.Whole, ok bool) {
	ok = true
	boxed = mapColumns(value, func(values []float64) []float64 {
		if !ok || len(values) == 0 {
			return values
		}
		var w *tape.Whole
		var boxes []float64
		if w, boxes, ok = t.AddWhole(values, mask); !ok {
			return values
		}
		outs = append(outs, w)
		return boxes
	})
	return boxed, outs, ok
}

// ofColumns is a value with what of gives for the wholes of its columns in place of these.
func ofColumns(value object.Slots, outs []*tape.Whole, of func(w *tape.Whole) []float64) object.Slots {
	return mapColumns(value, func(values []float64) []float64 {
		if len(values) == 0 {
			return values
		}
		w := outs[0]
		outs = outs[1:]
		return of(w)
	})
}

// cotangentsOf are those of the columns of a value, 0 where there is none; some tells whether there
// are any.
func cotangentsOf(s *tape.Sweep, value object.Slots, outs []*tape.Whole) (bt object.Slots, some bool) {
	bt = ofColumns(value, outs, func(w *tape.Whole) []float64 {
		column, any := s.CotangentsOf(w)
		some = some || any
		return column
	})
	return bt, some
}

// setTangent sets the tangent of the columns of a result.
func setTangent(s *tape.Sweep, columns []*tape.Whole, tangent object.Slots) {
	reals := realColumns(tangent)
	for k, w := range columns {
		s.SetElements(w, reals[k])
	}
}

// contributeSlots adds contributions to the reals of a value.
func contributeSlots(s *tape.Sweep, to, from object.Slots) {
	s.ContributeColumn(to.F, from.F)
	for k, r := range to.P {
		tf, _, tp := object.Columns(r)
		ff, _, fp := object.Columns(from.P[k])
		for c := range tf {
			s.ContributeColumn(tf[c], ff[c])
		}
		for c := range tp {
			contributeSlots(s, object.Slots{P: tp[c]}, object.Slots{P: fp[c]})
		}
	}
}

// tangentSlots is the tangent of a value, 0 where there is none.
func tangentSlots(s *tape.Sweep, a object.Slots) (d object.Slots, some bool) {
	d.F, some = s.Tangents(a.F)
	d.I = a.I
	for _, r := range a.P {
		f, i, p := object.Columns(r)
		fs := make([][]float64, len(f))
		for c, col := range f {
			var any bool
			fs[c], any = s.Tangents(col)
			some = some || any
		}
		ps := make([][]object.Ref, len(p))
		for c, col := range p {
			rows, any := tangentSlots(s, object.Slots{P: col})
			ps[c], some = rows.P, some || any
		}
		d.P = append(d.P, object.FromColumns(object.Len(r), fs, i, ps))
	}
	return d, some
}
