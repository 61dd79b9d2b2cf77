package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// realVops and the others are the rows that are one instruction, at Real and at Int; those
// that may fail, as all arithmetic on integers may, are not for branches.
var (
	realVops   = map[prim.ID]vector.Op{prim.Add: vector.AddF, prim.Sub: vector.SubF, prim.Mul: vector.MulF, prim.Quo: vector.DivF, prim.Max: vector.MaxF, prim.Min: vector.MinF}
	intVops    = map[prim.ID]vector.Op{prim.Add: vector.AddI, prim.Sub: vector.SubI, prim.Mul: vector.MulI}
	realVtests = [...]vector.Op{prim.Less: vector.LtF, prim.Less | prim.Equal: vector.LeF}
	intVtests  = [...]vector.Op{prim.Less: vector.LtI, prim.Less | prim.Equal: vector.LeI, prim.Equal: vector.EqI, prim.Less | prim.Greater: vector.NeI}
	unaryVops  = map[prim.ID]vector.Op{prim.Neg: vector.NegF, prim.Abs: vector.AbsF, prim.Sqrt: vector.SqrtF}
	foldVops   = map[prim.ID]bool{prim.Add: true, prim.Mul: true, prim.Max: true, prim.Min: true}
)

func (v *vectorizer) prim(op *core.Prim) vvalue {
	row := op.Prim
	if x, ok := row.Float.(prim.Constant); ok && len(op.Args) == 0 {
		return vvalue{kind: layout.F, state: invariant, slot: machine.ConstF(x)}
	}
	if row.Float == nil && row.Int == nil {
		panic(notVector{}) // a structural one
	}
	args := v.atoms(op.Args)
	if folded, ok := v.foldedPrim(row, args); ok {
		return folded
	}
	for _, a := range args {
		if a.kind == layout.P || a.state == accumulator || a.state == folded {
			panic(notVector{})
		}
	}
	if args[0].kind == layout.I && row.Int != nil {
		return v.intPrim(row, args)
	}
	return v.realPrim(row, args)
}

// foldedPrim recognises acc ⊕ e.
func (v *vectorizer) foldedPrim(row *prim.Prim, args []vvalue) (vvalue, bool) {
	if v.branch > 0 || len(args) != 2 || args[0].kind != args[1].kind {
		return vvalue{}, false
	}
	acc, e := args[0], args[1]
	if foldVops[row.ID] && e.state == accumulator {
		acc, e = e, acc
	}
	if acc.state != accumulator || e.state == accumulator || e.state == folded {
		return vvalue{}, false
	}
	op, ok := realVops[row.ID]
	if acc.kind == layout.I {
		op, ok = intVops[row.ID]
	}
	if !ok || op == vector.DivF {
		return vvalue{}, false
	}
	return vvalue{kind: acc.kind, state: folded, acc: acc.acc, op: op, reg: v.vector(e)}, true
}

func (v *vectorizer) realPrim(row *prim.Prim, args []vvalue) vvalue {
	out := func(k layout.Kind, in vector.Instr) vvalue { return vvalue{kind: k, reg: v.emit(in)} }
	if _, ok := row.Float.(prim.FromInt); ok && args[0].state == varying && args[0].reg == v.index {
		return v.realIndex()
	}
	x := v.vector(args[0])
	if len(args) == 1 {
		if op, ok := unaryVops[row.ID]; ok && args[0].kind == layout.F {
			return out(layout.F, vector.Instr{Op: op, B: x})
		}
		switch f := row.Float.(type) {
		case prim.FromInt:
			return out(layout.F, vector.Instr{Op: vector.FromInt, B: x})
		case prim.Real1:
			v.outsideBranches()
			return out(layout.F, vector.Instr{Op: vector.Real1, B: x, Row: row, Fun: f})
		case prim.ToInt:
			v.outsideBranches()
			return out(layout.I, vector.Instr{Op: vector.Round, B: x, Row: row, Fun: f})
		case func(bool) bool:
			return out(layout.I, vector.Instr{Op: vector.Not, B: x})
		}
		panic(notVector{})
	}
	if len(args) != 2 {
		panic(notVector{})
	}
	y := v.vector(args[1])
	if args[0].kind == layout.F && args[1].kind == layout.F {
		if order := row.Order; order != 0 {
			if descends(order) {
				order, x, y = order.Mirrored(), y, x
			}
			return out(layout.I, vector.Instr{Op: realVtests[order], B: x, C: y})
		}
		if op, ok := realVops[row.ID]; ok {
			if r, ok := v.mulAdd(op, x, y); ok {
				return r
			}
			return out(layout.F, vector.Instr{Op: op, B: x, C: y})
		}
		if f, ok := row.Float.(prim.Real2); ok {
			v.outsideBranches()
			return out(layout.F, vector.Instr{Op: vector.Real2, B: x, C: y, Row: row, Fun: f})
		}
	}
	if f, ok := row.Float.(prim.RealInt); ok && args[0].kind == layout.F && args[1].kind == layout.I {
		if n := args[1]; n.state == invariant && n.slot.IsConst && n.slot.I == 2 && squares(f) {
			return out(layout.F, vector.Instr{Op: vector.MulF, B: x, C: x})
		}
		v.outsideBranches()
		return out(layout.F, vector.Instr{Op: vector.RealInt, B: x, C: y, Row: row, Fun: f})
	}
	panic(notVector{})
}

// mulAdd joins a sum with the product before it, if that was just computed for
// it: a value that later instructions use is computed again by nobody.
func (v *vectorizer) mulAdd(op vector.Op, x, y int) (vvalue, bool) {
	last := len(v.k.Instrs) - 1
	if last < 0 || v.k.Instrs[last].Op != vector.MulF || op != vector.AddF && op != vector.SubF || x == y {
		return vvalue{}, false
	}
	product := v.k.Instrs[last]
	if product.A != x && product.A != y || !v.onlyNow(product.A) {
		return vvalue{}, false
	}
	in := vector.Instr{Op: vector.MulAddF, B: product.B, C: product.C, D: y}
	switch {
	case op == vector.SubF && product.A == x:
		in.Op = vector.MulSubF
	case op == vector.SubF:
		in.Op, in.D = vector.SubMulF, x
	case product.A == y:
		in.D = x
	}
	v.k.Instrs = v.k.Instrs[:last]
	delete(v.made[layout.F], product.A)
	return vvalue{kind: layout.F, reg: v.emit(in)}, true
}

// onlyNow tells whether a variable with a single use is all that a value is
// bound to: the use at hand.
func (v *vectorizer) onlyNow(value int) bool {
	for x, slots := range v.env {
		for _, s := range slots {
			if s.kind == layout.F && (s.state == varying || s.state == folded) && s.reg == value && (v.uses.Get(x) != 1 || len(slots) != 1) {
				return false
			}
		}
	}
	return true
}

func (v *vectorizer) intPrim(row *prim.Prim, args []vvalue) vvalue {
	x := v.vector(args[0])
	if len(args) == 1 {
		f, ok := row.Int.(prim.Int1)
		if !ok {
			panic(notVector{})
		}
		v.outsideBranches()
		return vvalue{kind: layout.I, reg: v.emit(vector.Instr{Op: vector.Int1, B: x, Row: row, Fun: f})}
	}
	y := v.vector(args[1])
	if order := row.Order; order != 0 {
		if descends(order) {
			order, x, y = order.Mirrored(), y, x
		}
		return vvalue{kind: layout.I, reg: v.emit(vector.Instr{Op: intVtests[order], B: x, C: y})}
	}
	v.outsideBranches()
	op, ok := intVops[row.ID]
	if !ok {
		f, ok := row.Int.(prim.Int2)
		if !ok || args[1].kind != layout.I {
			panic(notVector{})
		}
		return vvalue{kind: layout.I, reg: v.emit(vector.Instr{Op: vector.Int2, B: x, C: y, Row: row, Fun: f})}
	}
	return vvalue{kind: layout.I, reg: v.emit(vector.Instr{Op: op, B: x, C: y})}
}

// outsideBranches keeps operations that may fail, or that cost much, out of
// branches: a vector runs both sides of one.
func (v *vectorizer) outsideBranches() {
	if v.branch > 0 {
		panic(notVector{})
	}
}

// squares tells whether a power with the exponent 2 is the rounded product,
// which it should be: then a multiplication does.
func squares(power prim.RealInt) bool {
	for _, x := range []float64{0, math.Copysign(0, -1), 1.1, -3.3, 1e200, 1e-200, 0x1p-537, math.Pi, math.Inf(-1)} {
		if power(x, 2) != x*x {
			return false
		}
	}
	return true
}
