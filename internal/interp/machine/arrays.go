package machine

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
func (m *Machine) arrayOp(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	switch in.Op {
	case OpLen:
		i[in.A] = int64(object.Len(p[in.B]))
	case OpCheckAt:
		if n, at := object.Len(p[in.A]), i[in.B]; uint64(at) >= uint64(n) {
			return outOfRange(at, n)
		}
	case OpNew:
		r, d := m.allocArray(m.fn.Lib.shapes[in.K], i[in.B])
		if d != nil {
			return d
		}
		p[in.A] = r
	case OpArray:
		return m.literalArray(in, fn, f, i, p)
	case OpSlice:
		lo, hi, n := i[in.C], i[uint16(in.K)], object.Len(p[in.B])
		if lo < 0 || hi < lo || hi > int64(n) {
			return badSlice(lo, hi, n)
		}
		if d := m.Charge(object.HeaderBytes); d != nil {
			return d
		}
		p[in.A] = object.Slice(p[in.B], int(lo), int(hi))
	case OpSameLen:
		if n := object.Len(p[in.A]); int64(n) != i[in.B] {
			return sizesDiffer(int(i[in.B]), n)
		}
	case OpCheckSize:
		if got, want := i[in.A], i[in.B]; got != want {
			return m.fn.Lib.checks[in.K].Failure(diag.Span{}, got, want)
		}
	default:
		return m.structural(in, fn, f, i, p)
	}
	return nil
}

// literalArray builds an array from registers.
func (m *Machine) literalArray(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	list, width := fn.Lists[in.B], int(in.C)
	s := m.fn.Lib.shapes[in.K]
	n := len(list) / width // an array of elements without slots is a constant
	r, d := m.allocArray(s, int64(n))
	if d != nil {
		return d
	}
	for at := range n {
		var col layout.Shape
		for _, o := range list[at*width : (at+1)*width] {
			switch k := col.Next(o.Kind); o.Kind {
			case layout.F:
				object.ColumnF(r, k)[at] = f[o.Reg]
			case layout.I:
				object.ColumnI(r, k)[at] = i[o.Reg]
			case layout.P:
				object.ColumnP(r, k)[at] = p[o.Reg]
			}
		}
	}
	p[in.A] = r
	return nil
}
