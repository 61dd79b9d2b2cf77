package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// allocArray is newArray within the budget.
func (m *Machine) allocArray(s layout.Shape, n int64) (object.Ref, *diag.Diagnostic) {
	if n < 0 {
		return nil, negativeSize(n)
	}
	each := s.Bytes()
	if each > 0 && n > (math.MaxInt64>>1)/each || n > math.MaxInt64>>8 {
		return nil, m.outOfMemory(math.MaxInt64)
	}
	// Beyond that, Go itself could not address it, whatever the limit is.
	if n*each > 1<<46 {
		return nil, m.outOfMemory(n * each)
	}
	header := int64(object.HeaderBytes)
	if s.Slots() != 1 {
		header = object.TableBytes + 24*int64(s.Slots())
	}
	if d := m.Spend(n*each+header, int(n)*s.Slots()); d != nil {
		return nil, d
	}
	return object.NewArray(s, int(n)), nil
}

// arrayOp executes the operations on whole arrays and on strings.
func (m *Machine) arrayOp(in *instr, fn *function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	switch in.op {
	case opLen:
		i[in.a] = int64(object.Len(p[in.b]))
	case opCheckAt:
		if n, at := object.Len(p[in.a]), i[in.b]; uint64(at) >= uint64(n) {
			return outOfRange(at, n)
		}
	case opNew:
		r, d := m.allocArray(m.lib.shapes[in.k], i[in.b])
		if d != nil {
			return d
		}
		p[in.a] = r
	case opArray:
		return m.literalArray(in, fn, f, i, p)
	case opSlice:
		lo, hi, n := i[in.c], i[uint16(in.k)], object.Len(p[in.b])
		if lo < 0 || hi < lo || hi > int64(n) {
			return badSlice(lo, hi, n)
		}
		if d := m.charge(object.HeaderBytes); d != nil {
			return d
		}
		p[in.a] = object.Slice(p[in.b], int(lo), int(hi))
	case opSameLen:
		if n := object.Len(p[in.a]); int64(n) != i[in.b] {
			return sizesDiffer(int(i[in.b]), n)
		}
	case opCheckSize:
		if got, want := i[in.a], i[in.b]; got != want {
			return m.lib.checks[in.k].Failure(diag.Span{}, got, want)
		}
	default:
		return m.structural(in, fn, f, i, p)
	}
	return nil
}

// literalArray builds an array from registers.
func (m *Machine) literalArray(in *instr, fn *function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	list, width := fn.lists[in.b], int(in.c)
	s := m.lib.shapes[in.k]
	n := len(list) / width // an array of elements without slots is a constant
	r, d := m.allocArray(s, int64(n))
	if d != nil {
		return d
	}
	for at := range n {
		var col layout.Shape
		for _, o := range list[at*width : (at+1)*width] {
			switch k := col.Next(o.kind); o.kind {
			case layout.F:
				object.ColumnF(r, k)[at] = f[o.reg]
			case layout.I:
				object.ColumnI(r, k)[at] = i[o.reg]
			case layout.P:
				object.ColumnP(r, k)[at] = p[o.reg]
			}
		}
	}
	p[in.a] = r
	return nil
}
