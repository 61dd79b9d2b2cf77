package lower

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// let lowers a scalar operation, on vectors if an argument varies from lane to lane.
func (l *lowering) let(s *loop.Let) {
	l.defs.Set(s.Var, s)
	if l.lane != nil {
		for _, a := range s.Args {
			if l.lane.is(a) {
				l.lane.let(l, s)
				return
			}
		}
	}
	if r, ok := l.contract(s, 8, 0, false); ok {
		l.bind(s.Var, r)
		return
	}
	args := l.room.regs.take(len(s.Args))
	for i, a := range s.Args {
		args[i] = l.atom(a)
	}
	l.bind(s.Var, l.scalarOp(s.Op, args, s.Args))
}

func (l *lowering) fma(op ir.Opcode, w uint8, a, b, c ir.Reg) ir.Reg {
	in := ir.Bare(op)
	in.W, in.D, in.A, in.B, in.C = w, l.newReg(ir.Vec, w), a, b, c
	l.emit(in)
	return in.D
}

// vop emits d = a op b of vectors, or of doubles if w is 8.
func (l *lowering) vop(op ir.Opcode, w uint8, a, b ir.Reg) ir.Reg {
	in := ir.Bare(op)
	in.W, in.D, in.A, in.B = w, l.newReg(ir.Vec, w), a, b
	l.emit(in)
	return in.D
}

// vone emits d = op b.
func (l *lowering) vone(op ir.Opcode, w uint8, b ir.Reg) ir.Reg { return l.vop(op, w, ir.NoReg, b) }

func (l *lowering) vimm(op ir.Opcode, w uint8, a, b ir.Reg, n int64) ir.Reg {
	in := ir.Bare(op)
	in.W, in.D, in.A, in.B, in.Imm = w, l.newReg(ir.Vec, w), a, b, n
	l.emit(in)
	return in.D
}

// blend is c ? then : other, for a mask c.
func (l *lowering) blend(w uint8, c, then, other ir.Reg) ir.Reg {
	in := ir.Bare(ir.OpVBlend)
	in.W, in.D, in.A, in.B, in.C = w, l.newReg(ir.Vec, w), other, then, c
	l.emit(in)
	return in.D
}

func (l *lowering) newMask(w uint8) ir.Reg {
	if l.m.Masks {
		return l.newReg(ir.Mask, 8)
	}
	return l.newReg(ir.Vec, w)
}

// compareReals gives the mask of a comparison, by the machine's predicate.
func (l *lowering) compareReals(w uint8, a, b ir.Reg, predicate int64) ir.Reg {
	in := ir.Bare(ir.OpVCmp)
	if l.m.Masks {
		in.Op = ir.OpVCmpK
	}
	in.W, in.D, in.A, in.B, in.Imm = w, l.newMask(w), a, b, predicate
	l.emit(in)
	return in.D
}

// The predicates of comparisons of reals and of integers.
var (
	realPredicates = byOp(map[*loop.Op]int64{loop.EqF: 0, loop.NeF: 4, loop.LtF: 17, loop.LeF: 18})
	intPredicates  = byOp(map[*loop.Op]int64{loop.EqI: 0, loop.NeI: 4, loop.LtI: 1, loop.LeI: 2})
	rounds         = byOp(map[*loop.Op]int64{loop.RoundF: 8, loop.FloorF: 9, loop.CeilF: 10, loop.TruncF: 11})
	realOps        = byOp(map[*loop.Op]ir.Opcode{loop.AddF: ir.OpVAdd, loop.SubF: ir.OpVSub, loop.MulF: ir.OpVMul, loop.DivF: ir.OpVDiv})
	intOps         = byOp(map[*loop.Op]ir.Opcode{loop.AddI: ir.OpAdd, loop.SubI: ir.OpSub, loop.MulI: ir.OpMul, loop.AndI: ir.OpAnd, loop.OrI: ir.OpOr,
		loop.XorI: ir.OpXor, loop.And: ir.OpAnd, loop.Or: ir.OpOr, loop.ShlI: ir.OpShl, loop.ShrI: ir.OpSar, loop.ShrU: ir.OpShr})
)

// opTable says what some operations become, by their numbers.
type opTable[T any] []struct {
	is T
	ok bool
}

func byOp[T any](of map[*loop.Op]T) (t opTable[T]) {
	for op, is := range of {
		for len(t) <= op.Number {
			t = append(t, opTable[T]{{}}...)
		}
		t[op.Number].is, t[op.Number].ok = is, true
	}
	return t
}

// get is what an operation becomes, if it is in the table.
func (t opTable[T]) get(op *loop.Op) (is T, ok bool) {
	if op.Number < len(t) {
		return t[op.Number].is, t[op.Number].ok
	}
	return is, false
}

// realOp lowers an operation from reals to a real, on doubles or vectors.
func (l *lowering) realOp(op *loop.Op, w uint8, args []ir.Reg) (ir.Reg, bool) {
	if code, ok := realOps.get(op); ok {
		return l.vop(code, w, args[0], args[1]), true
	}
	if mode, ok := rounds.get(op); ok {
		return l.vimm(ir.OpVRound, w, ir.NoReg, args[0], mode), true
	}
	switch op {
	case loop.NegF:
		return l.vop(ir.OpVXor, w, args[0], l.constant(ir.Vec, w, math.MinInt64)), true
	case loop.AbsF:
		return l.vop(ir.OpVAnd, w, args[0], l.constant(ir.Vec, w, math.MaxInt64)), true
	case loop.Sqrt:
		return l.vone(ir.OpVSqrt, w, args[0]), true
	case loop.Fma:
		return l.fma(ir.OpVFma, w, args[0], args[1], args[2]), true
	case loop.MaxF, loop.MinF:
		return l.extreme(op, w, args[0], args[1]), true
	case loop.Ldexp:
		return l.vop(ir.OpVScale, w, args[0], args[1]), true
	}
	return ir.NoReg, false
}

// extreme is the maximum or minimum, NaN if an argument is, with -0 below 0. Without
// exactExtremes, the instruction gives its second operand if one is NaN or both are zeros.
func (l *lowering) extreme(op *loop.Op, w uint8, a, b ir.Reg) ir.Reg {
	code := ir.OpVMax
	if op == loop.MinF {
		code = ir.OpVMin
	}
	if l.m.ExactExtremes {
		return l.vop(code, w, a, b)
	}
	for range 2 {
		if v := l.f.Reg(b); v.Home == ir.HomeConst {
			if x := math.Float64frombits(uint64(v.Word)); x == x && x != 0 {
				return l.vop(code, w, b, a)
			}
		}
		a, b = b, a
	}
	x, y := l.vop(code, w, a, b), l.vop(code, w, b, a)
	if op == loop.MinF { // one is NaN if an argument is, and so are its bits with others added
		return l.vop(ir.OpVOr, w, x, y)
	}
	const unordered = 3
	return l.blend(w, l.compareReals(w, a, b, unordered), l.vop(ir.OpVAdd, w, a, b), l.vop(ir.OpVAnd, w, x, y))
}

// scalarOp lowers an operation on scalars. atoms, if given, are the arguments, some perhaps
// literals.
func (l *lowering) scalarOp(op *loop.Op, args []ir.Reg, atoms []loop.Atom) ir.Reg {
	if r, ok := l.realOp(op, 8, args); ok {
		return r
	}
	if code, ok := intOps.get(op); ok {
		if atoms != nil {
			if n, ok := small(atoms[1]); ok {
				if code == ir.OpShl || code == ir.OpSar || code == ir.OpShr {
					if n &= 63; n == 0 {
						return l.move(ir.NoReg, args[0])
					}
				}
				return l.imm(code, args[0], n)
			}
		}
		return l.two(code, args[0], args[1])
	}
	switch op {
	case loop.NegI:
		return l.two(ir.OpNeg, args[0], ir.NoReg)
	case loop.Not:
		return l.imm(ir.OpXor, args[0], 1)
	case loop.ToWord:
		return l.move(ir.NoReg, args[0])
	case loop.MaxI, loop.MinI:
		cc := ir.CCL
		if op == loop.MinI {
			cc = ir.CCG
		}
		l.cmp(args[0], args[1])
		return l.cmov(cc, args[1], args[0])
	case loop.AddOver:
		sum := l.two(ir.OpAdd, args[0], args[1])
		return l.imm(ir.OpShr, l.two(ir.OpAnd, l.two(ir.OpXor, args[0], sum), l.two(ir.OpXor, args[1], sum)), 63)
	case loop.SubOver:
		diff := l.two(ir.OpSub, args[0], args[1])
		return l.imm(ir.OpShr, l.two(ir.OpAnd, l.two(ir.OpXor, args[0], args[1]), l.two(ir.OpXor, args[0], diff)), 63)
	case loop.MulOver:
		l.two(ir.OpMulFlags, args[0], args[1])
		return l.set(ir.CCO)
	case loop.DivI:
		return l.divide(args[0], args[1], false)
	case loop.ModI:
		return l.divide(args[0], args[1], true)
	case loop.ToReal:
		return l.vone(ir.OpVRealG, 8, args[0])
	case loop.ToInt:
		in := ir.Bare(ir.OpVIntG)
		in.D, in.B = l.newReg(ir.GPR, 8), args[0]
		l.emit(in)
		return in.D
	case loop.Bits:
		return l.toWord(args[0])
	case loop.FromBits:
		return l.vone(ir.OpVFromG, 8, args[0])
	case loop.EqI, loop.NeI, loop.LtI, loop.LeI, loop.LtF, loop.LeF:
		return l.set(l.flags(op, args))
	case loop.EqF, loop.NeF:
		p, _ := realPredicates.get(op)
		m := l.compareReals(8, args[0], args[1], p)
		return l.imm(ir.OpAnd, l.maskWord(m), 1)
	case loop.SelI, loop.SelB:
		cc := ir.CCNE
		if def := l.definition(atoms, 0); def != nil && oneFlag(def.Op) {
			cc = l.flags(def.Op, []ir.Reg{l.atom(def.Args[0]), l.atom(def.Args[1])})
		} else {
			in := ir.Bare(ir.OpTest)
			in.A = args[0]
			l.emit(in)
		}
		return l.cmov(cc, args[1], args[2])
	case loop.SelF:
		return l.blend(8, l.scalarMask(args[0], l.definition(atoms, 0)), args[1], args[2])
	}
	l.fail("jit: there is no machine code for %s", op)
	return l.constant(ir.GPR, 8, 0)
}

// oneFlag tells whether an operation is a comparison that one condition code can tell.
func oneFlag(op *loop.Op) bool {
	_, ok := intPredicates.get(op)
	return ok || op == loop.LtF || op == loop.LeF
}

// definition is the operation that an argument is the result of, or nil.
func (l *lowering) definition(atoms []loop.Atom, i int) *loop.Let {
	if atoms == nil {
		return nil
	}
	v, ok := atoms[i].(*loop.Var)
	if !ok {
		return nil
	}
	return l.defs.Get(v)
}

// flags compares and gives the condition code.
func (l *lowering) flags(op *loop.Op, args []ir.Reg) ir.Cond {
	switch op {
	case loop.LtF:
		l.ucomi(args[1], args[0])
		return ir.CCAboveF
	case loop.LeF:
		l.ucomi(args[1], args[0])
		return ir.CCAtLeastF
	}
	l.cmp(args[0], args[1])
	return map[*loop.Op]ir.Cond{loop.EqI: ir.CCE, loop.NeI: ir.CCNE, loop.LtI: ir.CCL, loop.LeI: ir.CCLE}[op]
}

func (l *lowering) set(cc ir.Cond) ir.Reg {
	in := ir.Bare(ir.OpSet)
	in.CC, in.D = cc, l.newReg(ir.GPR, 8)
	l.emit(in)
	return in.D
}

// cmov is cc ? then : other.
func (l *lowering) cmov(cc ir.Cond, then, other ir.Reg) ir.Reg {
	in := ir.Bare(ir.OpCmov)
	in.CC, in.D, in.A, in.B = cc, l.newReg(ir.GPR, 8), other, then
	l.emit(in)
	return in.D
}

// toWord is the bits of a double, or of the lowest one of a vector.
func (l *lowering) toWord(r ir.Reg) ir.Reg {
	in := ir.Bare(ir.OpVToG)
	in.D, in.A = l.newReg(ir.GPR, 8), r
	l.emit(in)
	return in.D
}

// maskWord is a mask as a word; its lowest bit is that of the first lane.
func (l *lowering) maskWord(m ir.Reg) ir.Reg {
	if !l.m.Masks {
		return l.toWord(m)
	}
	in := ir.Bare(ir.OpKToG)
	in.D, in.A = l.newReg(ir.GPR, 8), m
	l.emit(in)
	return in.D
}

// scalarMask is the mask of a Boolean for one double.
func (l *lowering) scalarMask(b ir.Reg, def *loop.Let) ir.Reg {
	if def != nil {
		if p, ok := realPredicates.get(def.Op); ok {
			return l.compareReals(8, l.atom(def.Args[0]), l.atom(def.Args[1]), p)
		}
	}
	if l.m.Masks {
		in := ir.Bare(ir.OpKFromG)
		in.D, in.A = l.newReg(ir.Mask, 8), b
		l.emit(in)
		return in.D
	}
	return l.vone(ir.OpVFromG, 8, l.two(ir.OpNeg, b, ir.NoReg))
}

// divide is the floored quotient or remainder; by 0 they are 0 and the dividend.
func (l *lowering) divide(a, b ir.Reg, remainder bool) ir.Reg {
	result := l.newReg(ir.GPR, 8)
	zero, minus, end, done := l.label(), l.label(), l.label(), l.label()
	if v := l.f.Reg(b); v.Home == ir.HomeConst && v.Word > 0 {
		if v.Word&(v.Word-1) == 0 {
			if remainder {
				if ir.Fits32(v.Word - 1) {
					return l.imm(ir.OpAnd, a, v.Word-1)
				}
			} else {
				log := int64(0)
				for n := v.Word; n > 1; n >>= 1 {
					log++
				}
				if log == 0 {
					return l.move(ir.NoReg, a)
				}
				return l.imm(ir.OpSar, a, log)
			}
		}
	} else {
		l.cmpImm(b, 0)
		l.jcc(ir.CCE, zero)
		l.cmpImm(b, -1)
		l.jcc(ir.CCE, minus)
	}
	var quotient, rest ir.Reg
	if remainder {
		rest = l.two(ir.OpRem, a, b)
		l.move(result, rest)
	} else {
		quotient = l.two(ir.OpQuo, a, b)
		rest = l.two(ir.OpSub, a, l.two(ir.OpMul, quotient, b))
		l.move(result, quotient)
	}
	l.cmpImm(rest, 0)
	l.jcc(ir.CCE, done)
	l.cmpImm(l.two(ir.OpXor, rest, b), 0)
	l.jcc(ir.CCGE, done)
	if remainder {
		l.move(result, l.two(ir.OpAdd, rest, b))
	} else {
		l.move(result, l.imm(ir.OpSub, quotient, 1))
	}
	l.jump(end)
	l.mark(zero)
	if remainder {
		l.move(result, a)
	} else {
		l.move(result, l.constant(ir.GPR, 8, 0))
	}
	l.jump(end)
	l.mark(minus)
	if remainder {
		l.move(result, l.constant(ir.GPR, 8, 0))
	} else {
		l.move(result, l.two(ir.OpNeg, a, ir.NoReg))
	}
	l.mark(end)
	l.mark(done)
	return result
}
