package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// product is a product of reals that is added to another real.
type product struct {
	x, y     ir.Reg
	negative bool // the product has the opposite sign
}

// product gives the factors of an atom that is a product and is read only once, unless contraction
// is forbidden. u is the vector that is meant, if the atom is to be one.
func (l *lowering) product(a loop.Atom, u int, isVec bool) (p product, ok bool) {
	v, isVar := a.(*loop.Var)
	if !isVar || l.opts.Deterministic || l.opts.RoundAll || l.count.Get(v) != 1 || l.defs.Get(v) == nil || l.defs.Get(v).Op != loop.MulF ||
		isVec && !l.lane.is(v) {
		return p, false
	}
	factor := func(i int) ir.Reg {
		a := l.defs.Get(v).Args[i]
		if neg := l.definition(l.defs.Get(v).Args, i); neg != nil && neg.Op == loop.NegF {
			a, p.negative = neg.Args[0], !p.negative
		}
		if isVec {
			return l.lane.vectors(l, a)[u]
		}
		return l.atom(a)
	}
	p.x, p.y = factor(0), factor(1)
	return p, true
}

// plus emits c + xy.
func (l *lowering) plus(w uint8, c ir.Reg, p product) ir.Reg {
	op := ir.OpVFma
	if p.negative {
		op = ir.OpVFnma
	}
	return l.fma(op, w, p.x, p.y, c)
}

// contract lowers operations that one instruction does together: a sum with a product, a product
// that is subtracted, the choice of the smaller or the larger.
func (l *lowering) contract(s *loop.Let, w uint8, u int, isVec bool) (ir.Reg, bool) {
	get := func(a loop.Atom) ir.Reg {
		if isVec {
			return l.lane.vectors(l, a)[u]
		}
		return l.atom(a)
	}
	switch s.Op {
	case loop.AddF, loop.SubF:
	case loop.Fma:
		if neg := l.definition(s.Args, 0); neg != nil && neg.Op == loop.NegF {
			return l.fma(ir.OpVFnma, w, get(neg.Args[0]), get(s.Args[1]), get(s.Args[2])), true
		}
		if neg := l.definition(s.Args, 2); neg != nil && neg.Op == loop.NegF {
			return l.fma(ir.OpVFms, w, get(s.Args[0]), get(s.Args[1]), get(neg.Args[0])), true
		}
		return ir.NoReg, false
	case loop.AndI, loop.OrI, loop.XorI:
		return l.logic(s, w, u, isVec)
	case loop.SelF:
		if r, ok := l.merge(s, w, u, isVec); ok {
			return r, true
		}
		// Some machines give the second operand unless the first is smaller or larger.
		less := l.definition(s.Args, 0)
		if l.m.ExactExtremes || less == nil || less.Op != loop.LtF {
			return ir.NoReg, false
		}
		switch a, b := less.Args[0], less.Args[1]; {
		case alike(s.Args[1], a) && alike(s.Args[2], b):
			return l.vop(ir.OpVMin, w, get(a), get(b)), true
		case alike(s.Args[1], b) && alike(s.Args[2], a):
			return l.vop(ir.OpVMax, w, get(b), get(a)), true
		}
		return ir.NoReg, false
	default:
		return ir.NoReg, false
	}
	// The second summand first: in a chain of additions it is the newer one.
	if p, ok := l.product(s.Args[1], u, isVec); ok {
		p.negative = p.negative != (s.Op == loop.SubF)
		return l.plus(w, get(s.Args[0]), p), true
	}
	if p, ok := l.product(s.Args[0], u, isVec); ok && s.Op == loop.AddF {
		return l.plus(w, get(s.Args[1]), p), true
	} else if ok && !p.negative {
		return l.fma(ir.OpVFms, w, p.x, p.y, get(s.Args[1])), true
	}
	return ir.NoReg, false
}

// once is the operation on vectors that an argument is the result of, if nothing else reads it and
// the machine has registers for masks.
func (l *lowering) once(s *loop.Let, i int, isVec bool) *loop.Let {
	def := l.definition(s.Args, i)
	if !isVec || !l.m.Masks || def == nil || l.count.Get(def.Var) != 1 || !l.lane.is(def.Var) {
		return nil
	}
	return def
}

// merge lowers a choice between the result of an operation and something else: the operation writes
// over that, under a mask.
func (l *lowering) merge(s *loop.Let, w uint8, u int, isVec bool) (ir.Reg, bool) {
	def := l.once(s, 1, isVec)
	if def == nil {
		return ir.NoReg, false
	}
	op, ok := realOps.get(def.Op)
	if !ok || def.Op == loop.AddF || def.Op == loop.SubF { // sums are contracted with products
		return ir.NoReg, false
	}
	in := ir.Bare(op)
	in.W, in.D, in.K, in.C = w, l.newReg(ir.Vec, w), l.lane.vectors(l, s.Args[0])[u], l.lane.vectors(l, s.Args[2])[u]
	in.A, in.B = l.lane.vectors(l, def.Args[0])[u], l.lane.vectors(l, def.Args[1])[u]
	l.emit(in)
	return in.D, true
}

// bitOps has the operations on bits.
var bitOps = byOp(map[*loop.Op]func(x, y int64) int64{
	loop.AndI: func(x, y int64) int64 { return x & y },
	loop.OrI:  func(x, y int64) int64 { return x | y },
	loop.XorI: func(x, y int64) int64 { return x ^ y },
})

// logic lowers an operation on bits whose second argument is the result of another.
func (l *lowering) logic(s *loop.Let, w uint8, u int, isVec bool) (ir.Reg, bool) {
	def := l.once(s, 1, isVec)
	if def == nil {
		return ir.NoReg, false
	}
	inner, ok := bitOps.get(def.Op)
	if !ok {
		return ir.NoReg, false
	}
	outer, _ := bitOps.get(s.Op)
	in := ir.Bare(ir.OpVLogic)
	in.W, in.D, in.Imm = w, l.newReg(ir.Vec, w), outer(0xf0, inner(0xcc, 0xaa))
	in.C, in.A, in.B = l.lane.vectors(l, s.Args[0])[u], l.lane.vectors(l, def.Args[0])[u], l.lane.vectors(l, def.Args[1])[u]
	l.emit(in)
	return in.D, true
}

// alike tells whether two atoms are one variable, or literals with the same bits.
func alike(a, b loop.Atom) bool {
	x, ok := a.(*loop.Const)
	y, ok2 := b.(*loop.Const)
	return a == b || ok && ok2 && x.Kind == y.Kind && x.Word() == y.Word()
}
