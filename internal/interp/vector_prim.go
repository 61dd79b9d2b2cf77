package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// binaryVops are the rows that are one instruction, at Real and at Int; those
// that may fail, as all arithmetic on integers may, are not for branches.
var (
	realVops = map[prim.ID]vop{prim.Add: vAddF, prim.Sub: vSubF, prim.Mul: vMulF, prim.Quo: vDivF, prim.Max: vMaxF, prim.Min: vMinF,
		prim.Scale: vMulF, prim.Inner: vMulF}
	intVops    = map[prim.ID]vop{prim.Add: vAddI, prim.Sub: vSubI, prim.Mul: vMulI}
	realVtests = [...]vop{prim.Less: vLtF, prim.Less | prim.Equal: vLeF}
	intVtests  = [...]vop{prim.Less: vLtI, prim.Less | prim.Equal: vLeI, prim.Equal: vEqI, prim.Less | prim.Greater: vNeI}
	unaryVops  = map[prim.ID]vop{prim.Neg: vNegF, prim.Abs: vAbsF, prim.Sqrt: vSqrtF}
	foldVops   = map[prim.ID]bool{prim.Add: true, prim.Mul: true, prim.Max: true, prim.Min: true}
)

func (v *vectorizer) prim(op *core.Prim) vvalue {
	row := op.Prim
	if x, ok := row.Float.(prim.Constant); ok && len(op.Args) == 0 {
		return vvalue{kind: kF, state: invariant, slot: constF(x)}
	}
	if row.Float == nil && row.Int == nil {
		panic(notVector{}) // a structural one
	}
	args := v.atoms(op.Args)
	if folded, ok := v.foldedPrim(row, args); ok {
		return folded
	}
	for _, a := range args {
		if a.kind == kP || a.state == accumulator || a.state == folded {
			panic(notVector{})
		}
	}
	if args[0].kind == kI && row.Int != nil {
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
	if acc.kind == kI {
		op, ok = intVops[row.ID]
	}
	if !ok || op == vDivF {
		return vvalue{}, false
	}
	return vvalue{kind: acc.kind, state: folded, acc: acc.acc, op: op, reg: v.vector(e)}, true
}

func (v *vectorizer) realPrim(row *prim.Prim, args []vvalue) vvalue {
	out := func(k kind, in vinstr) vvalue { return vvalue{kind: k, reg: v.emit(in)} }
	if _, ok := row.Float.(prim.FromInt); ok && args[0].state == varying && args[0].reg == v.index {
		return v.realIndex()
	}
	x := v.vector(args[0])
	if len(args) == 1 {
		if op, ok := unaryVops[row.ID]; ok && args[0].kind == kF {
			return out(kF, vinstr{op: op, b: x})
		}
		switch f := row.Float.(type) {
		case prim.FromInt:
			return out(kF, vinstr{op: vFromInt, b: x})
		case prim.Real1:
			v.dear()
			return out(kF, vinstr{op: vReal1, b: x, k: v.c.lib.row(row, f, false), kinked: row.Kink != ""})
		case prim.ToInt:
			v.mayFail()
			return out(kI, vinstr{op: vRound, b: x, k: v.c.lib.row(row, f, false), kinked: true})
		case func(bool) bool:
			return out(kI, vinstr{op: vNot, b: x})
		}
		panic(notVector{})
	}
	if len(args) != 2 {
		panic(notVector{})
	}
	y := v.vector(args[1])
	if args[0].kind == kF && args[1].kind == kF {
		if order := row.Order; order != 0 {
			if descends(order) {
				order, x, y = order.Mirrored(), y, x
			}
			return out(kI, vinstr{op: realVtests[order], b: x, c: y})
		}
		if op, ok := realVops[row.ID]; ok {
			if r, ok := v.mulAdd(op, x, y); ok {
				return r
			}
			return out(kF, vinstr{op: op, b: x, c: y})
		}
		if f, ok := row.Float.(prim.Real2); ok {
			v.dear()
			return out(kF, vinstr{op: vReal2, b: x, c: y, k: v.c.lib.row(row, f, false), kinked: row.Kink != ""})
		}
	}
	if f, ok := row.Float.(prim.RealInt); ok && args[0].kind == kF && args[1].kind == kI {
		if n := args[1]; n.state == invariant && n.slot.isConst && n.slot.i == 2 && squares(f) {
			return out(kF, vinstr{op: vMulF, b: x, c: x})
		}
		v.dear()
		return out(kF, vinstr{op: vRealInt, b: x, c: y, k: v.c.lib.row(row, f, false)})
	}
	panic(notVector{})
}

// mulAdd joins a sum with the product before it, if that was just computed for
// it: a value that later instructions use is computed again by nobody.
func (v *vectorizer) mulAdd(op vop, x, y int) (vvalue, bool) {
	last := len(v.k.code) - 1
	if last < 0 || v.k.code[last].op != vMulF || op != vAddF && op != vSubF || x == y {
		return vvalue{}, false
	}
	product := v.k.code[last]
	if product.a != x && product.a != y || !v.onlyNow(product.a) {
		return vvalue{}, false
	}
	in := vinstr{op: vMulAddF, b: product.b, c: product.c, d: y}
	switch {
	case op == vSubF && product.a == x:
		in.op = vMulSubF
	case op == vSubF:
		in.op, in.d = vSubMulF, x
	case product.a == y:
		in.d = x
	}
	v.k.code = v.k.code[:last]
	delete(v.made[kF], product.a)
	return vvalue{kind: kF, reg: v.emit(in)}, true
}

// onlyNow tells whether a variable with a single use is all that a value is
// bound to: the use at hand.
func (v *vectorizer) onlyNow(value int) bool {
	for x, slots := range v.env {
		for _, s := range slots {
			if s.kind == kF && (s.state == varying || s.state == folded) && s.reg == value && (v.uses[x] != 1 || len(slots) != 1) {
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
		v.mayFail()
		return vvalue{kind: kI, reg: v.emit(vinstr{op: vInt1, b: x, k: v.c.lib.row(row, f, true)})}
	}
	y := v.vector(args[1])
	if order := row.Order; order != 0 {
		if descends(order) {
			order, x, y = order.Mirrored(), y, x
		}
		return vvalue{kind: kI, reg: v.emit(vinstr{op: intVtests[order], b: x, c: y})}
	}
	v.mayFail()
	op, ok := intVops[row.ID]
	if !ok {
		f, ok := row.Int.(prim.Int2)
		if !ok || args[1].kind != kI {
			panic(notVector{})
		}
		return vvalue{kind: kI, reg: v.emit(vinstr{op: vInt2, b: x, c: y, k: v.c.lib.row(row, f, true)})}
	}
	return vvalue{kind: kI, reg: v.emit(vinstr{op: op, b: x, c: y})}
}

// mayFail and dear keep operations out of branches, which a vector runs both
// of.
func (v *vectorizer) mayFail() {
	if v.branch > 0 {
		panic(notVector{})
	}
}

func (v *vectorizer) dear() { v.mayFail() }

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
