package machine

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// slow executes the operations that do enough for a second dispatch not to
// matter. The diagnostics are without a place.
func (m *Machine) slow(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	lib := fn.Lib
	switch in.Op {
	case OpFamily:
		y, d := m.family(lib.families[in.K], fn.Lists[in.B], f, i)
		if d != nil {
			return d
		}
		f[in.A] = y
	case OpIntReal:
		f[in.A] = lib.intReal[in.K](i[in.B], f[in.C])
	case OpRound:
		r, code := lib.rounds[in.K](f[in.B])
		if code != "" {
			return noInt(code, f[in.B])
		}
		i[in.A] = r
	case OpCmpF:
		i[in.A] = object.Truth(lib.compareF[in.K](f[in.B], f[in.C]))
	case OpFoldF:
		xs := p[in.B].(*object.Reals).V
		m.elements(len(xs))
		f[in.A] = lib.folds[in.K](xs)
	case OpMapF:
		xs := p[in.B].(*object.Reals).V
		out, d := m.allocArray(layout.Shape{F: 1}, int64(len(xs)))
		if d != nil {
			return d
		}
		m.elements(len(xs))
		lib.maps[in.K](out.(*object.Reals).V, xs)
		p[in.A] = out
	case OpNegI:
		if i[in.B] == math.MinInt64 {
			return overflow(prim.Neg, i[in.B])
		}
		i[in.A] = -i[in.B]
	case OpInt1:
		r, code := lib.int1[in.K](i[in.B])
		if code != "" {
			return lib.int1Rows[in.K].Failure(diag.Span{}, code, i[in.B])
		}
		i[in.A] = r
	case OpInt2:
		r, code := lib.int2[in.K](i[in.B], i[in.C])
		if code != "" {
			return lib.int2Rows[in.K].Failure(diag.Span{}, code, i[in.B], i[in.C])
		}
		i[in.A] = r
	case OpCmpI:
		i[in.A] = object.Truth(lib.compareI[in.K](i[in.B], i[in.C]))
	case OpClosure:
		return m.newClosure(lib.funs[in.K].Load(), fn.Lists[in.B], &p[in.A], f, i, p)
	case OpCapture:
		p[in.A].(*Closure).SetRef(int(in.K), p[in.B])
	case OpNewCell:
		if d := m.Charge(object.CellBytes); d != nil {
			return d
		}
		c := &object.Cell{Tag: int(in.K)}
		for _, o := range fn.Lists[in.B] {
			switch o.Kind {
			case layout.F:
				c.W = math.Float64bits(f[o.Reg])
			case layout.I:
				c.W = uint64(i[o.Reg])
			case layout.P:
				c.P = p[o.Reg]
			}
		}
		p[in.A] = c
	case OpNewNode:
		return m.newNode(in, fn, f, i, p)
	case OpRow1T, OpRow2T, OpRowIT, OpRoundT, OpFoldT, OpMapT:
		return m.rowTaped(in, f, i, p)
	case OpWholeF, OpWholeP:
		return m.wholeRow(in, fn, f, p)
	case OpShare:
		object.Share(p[in.A])
	case OpKeepRows:
		object.KeepRows(p[in.A])
	case OpRefuse:
		d := *lib.refusal
		return &d
	default:
		return m.arrayOp(in, fn, f, i, p)
	}
	return nil
}

func (m *Machine) newNode(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	list := fn.Lists[in.B]
	words, ptrs := countOperands(list)
	if d := m.Charge(object.NodeBytes + object.PayloadBytes(words, ptrs)); d != nil {
		return d
	}
	n := &object.Node{Tag: int(in.K)}
	n.Grow(words, ptrs)
	fillPayload(&n.Payload, list, f, i, p)
	p[in.A] = n
	return nil
}

func (m *Machine) newClosure(callee *Function, list []Register, to *object.Ref, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	if d := m.Charge(closureBytes + object.PayloadBytes(callee.Words, callee.Refs)); d != nil {
		return d
	}
	c := &Closure{Fn: callee}
	c.Grow(callee.Words, callee.Refs)
	fillPayload(&c.Payload, list, f, i, p)
	*to = c
	return nil
}

func countOperands(list []Register) (words, ptrs int) {
	for _, o := range list {
		if o.Kind == layout.P {
			ptrs++
		}
	}
	return len(list) - ptrs, ptrs
}

// fillPayload sets the slots of a payload from registers.
func fillPayload(o *object.Payload, list []Register, f *windowF, i *windowI, p []object.Ref) {
	words, ptrs := 0, 0
	for _, r := range list {
		switch r.Kind {
		case layout.F:
			o.SetWord(words, math.Float64bits(f[r.Reg]))
			words++
		case layout.I:
			o.SetWord(words, uint64(i[r.Reg]))
			words++
		case layout.P:
			o.SetRef(ptrs, p[r.Reg])
			ptrs++
		}
	}
}
