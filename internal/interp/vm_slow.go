package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// slow executes the operations that do enough for a second dispatch not to
// matter. The diagnostics are without a place.
func (m *Machine) slow(in *instr, fn *function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	lib := m.lib
	switch in.op {
	case opFamily:
		f[in.a] = m.family(lib.families[in.k], fn.lists[in.b], f, i)
	case opIntReal:
		f[in.a] = lib.intReal[in.k](i[in.b], f[in.c])
	case opRound:
		r, code := lib.rounds[in.k](f[in.b])
		if code != "" {
			return noInt(code, f[in.b])
		}
		i[in.a] = r
	case opCmpF:
		i[in.a] = object.Truth(lib.compareF[in.k](f[in.b], f[in.c]))
	case opFoldF:
		xs := p[in.b].(*object.Reals).V
		m.elements(len(xs))
		f[in.a] = lib.folds[in.k](xs)
	case opMapF:
		xs := p[in.b].(*object.Reals).V
		out, d := m.allocArray(layout.Shape{F: 1}, int64(len(xs)))
		if d != nil {
			return d
		}
		m.elements(len(xs))
		lib.maps[in.k](out.(*object.Reals).V, xs)
		p[in.a] = out
	case opNegI:
		if i[in.b] == math.MinInt64 {
			return overflow(prim.Neg, i[in.b])
		}
		i[in.a] = -i[in.b]
	case opInt1:
		r, code := lib.int1[in.k](i[in.b])
		if code != "" {
			return lib.int1Rows[in.k].Failure(diag.Span{}, code, i[in.b])
		}
		i[in.a] = r
	case opInt2:
		r, code := lib.int2[in.k](i[in.b], i[in.c])
		if code != "" {
			return lib.int2Rows[in.k].Failure(diag.Span{}, code, i[in.b], i[in.c])
		}
		i[in.a] = r
	case opCmpI:
		i[in.a] = object.Truth(lib.compareI[in.k](i[in.b], i[in.c]))
	case opClosure:
		return m.newClosure(lib.funs[in.k], fn.lists[in.b], &p[in.a], f, i, p)
	case opCapture:
		p[in.a].(*closure).SetRef(int(in.k), p[in.b])
	case opNewCell:
		if d := m.charge(object.CellBytes); d != nil {
			return d
		}
		c := &object.Cell{Tag: int(in.k)}
		for _, o := range fn.lists[in.b] {
			switch o.kind {
			case layout.F:
				c.W = math.Float64bits(f[o.reg])
			case layout.I:
				c.W = uint64(i[o.reg])
			case layout.P:
				c.P = p[o.reg]
			}
		}
		p[in.a] = c
	case opNewNode:
		return m.newNode(in, fn, f, i, p)
	case opRow1T, opRow2T, opRowIT, opRoundT, opFoldT, opMapT:
		return m.rowTaped(in, f, i, p)
	case opVector:
		return m.vector(lib.kernels[in.k], f, i, p)
	case opWholeF, opWholeP:
		return m.wholeRow(in, fn, f, i, p)
	case opShare:
		object.Share(p[in.a])
	case opKeepRows:
		object.KeepRows(p[in.a])
	case opNest:
		return m.nestOp(lib.nests[in.k], f, i, p)
	default:
		return m.arrayOp(in, fn, f, i, p)
	}
	return nil
}

func (m *Machine) newNode(in *instr, fn *function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	list := fn.lists[in.b]
	words, ptrs := countOperands(list)
	if d := m.charge(object.NodeBytes + object.PayloadBytes(words, ptrs)); d != nil {
		return d
	}
	n := &object.Node{Tag: int(in.k)}
	n.Grow(words, ptrs)
	fillPayload(&n.Payload, list, f, i, p)
	p[in.a] = n
	return nil
}

func (m *Machine) newClosure(callee *function, list []operand, to *object.Ref, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	if d := m.charge(closureBytes + object.PayloadBytes(callee.words, callee.ptrs)); d != nil {
		return d
	}
	c := &closure{fn: callee}
	c.Grow(callee.words, callee.ptrs)
	fillPayload(&c.Payload, list, f, i, p)
	*to = c
	return nil
}

func countOperands(list []operand) (words, ptrs int) {
	for _, o := range list {
		if o.kind == layout.P {
			ptrs++
		}
	}
	return len(list) - ptrs, ptrs
}

// fillPayload sets the slots of a payload from registers.
func fillPayload(o *object.Payload, list []operand, f *windowF, i *windowI, p []object.Ref) {
	words, ptrs := 0, 0
	for _, r := range list {
		switch r.kind {
		case layout.F:
			o.SetWord(words, math.Float64bits(f[r.reg]))
			words++
		case layout.I:
			o.SetWord(words, uint64(i[r.reg]))
			words++
		case layout.P:
			o.SetRef(ptrs, p[r.reg])
			ptrs++
		}
	}
}
