package jit

import (
	"math"

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

func (l *lowering) fma(op opcode, w uint8, a, b, c reg) reg {
	in := none(op)
	in.w, in.d, in.a, in.b, in.c = w, l.newReg(vec, w), a, b, c
	l.emit(in)
	return in.d
}

// vop emits d = a op b of vectors, or of doubles if w is 8.
func (l *lowering) vop(op opcode, w uint8, a, b reg) reg {
	in := none(op)
	in.w, in.d, in.a, in.b = w, l.newReg(vec, w), a, b
	l.emit(in)
	return in.d
}

// vone emits d = op b.
func (l *lowering) vone(op opcode, w uint8, b reg) reg { return l.vop(op, w, noReg, b) }

func (l *lowering) vimm(op opcode, w uint8, a, b reg, n int64) reg {
	in := none(op)
	in.w, in.d, in.a, in.b, in.imm = w, l.newReg(vec, w), a, b, n
	l.emit(in)
	return in.d
}

// blend is c ? then : other, for a mask c.
func (l *lowering) blend(w uint8, c, then, other reg) reg {
	in := none(opVBlend)
	in.w, in.d, in.a, in.b, in.c = w, l.newReg(vec, w), other, then, c
	l.emit(in)
	return in.d
}

func (l *lowering) newMask(w uint8) reg {
	if l.m.avx512 {
		return l.newReg(mask, 8)
	}
	return l.newReg(vec, w)
}

// compareReals gives the mask of a comparison, by the machine's predicate.
func (l *lowering) compareReals(w uint8, a, b reg, predicate int64) reg {
	in := none(opVCmp)
	if l.m.avx512 {
		in.op = opVCmpK
	}
	in.w, in.d, in.a, in.b, in.imm = w, l.newMask(w), a, b, predicate
	l.emit(in)
	return in.d
}

// The predicates of comparisons of reals and of integers.
var (
	realPredicates = byOp(map[*loop.Op]int64{loop.EqF: 0, loop.NeF: 4, loop.LtF: 17, loop.LeF: 18})
	intPredicates  = byOp(map[*loop.Op]int64{loop.EqI: 0, loop.NeI: 4, loop.LtI: 1, loop.LeI: 2})
	rounds         = byOp(map[*loop.Op]int64{loop.RoundF: 8, loop.FloorF: 9, loop.CeilF: 10, loop.TruncF: 11})
	realOps        = byOp(map[*loop.Op]opcode{loop.AddF: opVAdd, loop.SubF: opVSub, loop.MulF: opVMul, loop.DivF: opVDiv})
	intOps         = byOp(map[*loop.Op]opcode{loop.AddI: opAdd, loop.SubI: opSub, loop.MulI: opMul, loop.AndI: opAnd, loop.OrI: opOr,
		loop.XorI: opXor, loop.And: opAnd, loop.Or: opOr, loop.ShlI: opShl, loop.ShrI: opSar, loop.ShrU: opShr})
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
func (l *lowering) realOp(op *loop.Op, w uint8, args []reg) (reg, bool) {
	if code, ok := realOps.get(op); ok {
		return l.vop(code, w, args[0], args[1]), true
	}
	if mode, ok := rounds.get(op); ok {
		return l.vimm(opVRound, w, noReg, args[0], mode), true
	}
	switch op {
	case loop.NegF:
		return l.vop(opVXor, w, args[0], l.constant(vec, w, math.MinInt64)), true
	case loop.AbsF:
		return l.vop(opVAnd, w, args[0], l.constant(vec, w, math.MaxInt64)), true
	case loop.Sqrt:
		return l.vone(opVSqrt, w, args[0]), true
	case loop.Fma:
		return l.fma(opVFma, w, args[0], args[1], args[2]), true
	case loop.MaxF, loop.MinF:
		return l.extreme(op, w, args[0], args[1]), true
	case loop.Ldexp:
		return l.vop(opVScale, w, args[0], args[1]), true
	}
	return noReg, false
}

// extreme is the maximum or minimum, NaN if an argument is, with -0 below 0. That of amd64 gives
// its second operand if one is NaN or both are zeros.
func (l *lowering) extreme(op *loop.Op, w uint8, a, b reg) reg {
	code := opVMax
	if op == loop.MinF {
		code = opVMin
	}
	if l.m.neon { // just so
		return l.vop(code, w, a, b)
	}
	for range 2 {
		if v := l.f.reg(b); v.home == homeConst {
			if x := math.Float64frombits(uint64(v.word)); x == x && x != 0 {
				return l.vop(code, w, b, a)
			}
		}
		a, b = b, a
	}
	x, y := l.vop(code, w, a, b), l.vop(code, w, b, a)
	if op == loop.MinF { // one is NaN if an argument is, and so are its bits with others added
		return l.vop(opVOr, w, x, y)
	}
	const unordered = 3
	return l.blend(w, l.compareReals(w, a, b, unordered), l.vop(opVAdd, w, a, b), l.vop(opVAnd, w, x, y))
}

// scalarOp lowers an operation on scalars. atoms, if given, are the arguments, some perhaps
// literals.
func (l *lowering) scalarOp(op *loop.Op, args []reg, atoms []loop.Atom) reg {
	if r, ok := l.realOp(op, 8, args); ok {
		return r
	}
	if code, ok := intOps.get(op); ok {
		if atoms != nil {
			if n, ok := small(atoms[1]); ok {
				if code == opShl || code == opSar || code == opShr {
					if n &= 63; n == 0 {
						return l.move(noReg, args[0])
					}
				}
				return l.imm(code, args[0], n)
			}
		}
		return l.two(code, args[0], args[1])
	}
	switch op {
	case loop.NegI:
		return l.two(opNeg, args[0], noReg)
	case loop.Not:
		return l.imm(opXor, args[0], 1)
	case loop.ToWord:
		return l.move(noReg, args[0])
	case loop.MaxI, loop.MinI:
		cc := ccL
		if op == loop.MinI {
			cc = ccG
		}
		l.cmp(args[0], args[1])
		return l.cmov(cc, args[1], args[0])
	case loop.AddOver:
		sum := l.two(opAdd, args[0], args[1])
		return l.imm(opShr, l.two(opAnd, l.two(opXor, args[0], sum), l.two(opXor, args[1], sum)), 63)
	case loop.SubOver:
		diff := l.two(opSub, args[0], args[1])
		return l.imm(opShr, l.two(opAnd, l.two(opXor, args[0], args[1]), l.two(opXor, args[0], diff)), 63)
	case loop.MulOver:
		l.two(opMulFlags, args[0], args[1])
		return l.set(ccO)
	case loop.DivI:
		return l.divide(args[0], args[1], false)
	case loop.ModI:
		return l.divide(args[0], args[1], true)
	case loop.ToReal:
		return l.vone(opVRealG, 8, args[0])
	case loop.ToInt:
		in := none(opVIntG)
		in.d, in.b = l.newReg(gpr, 8), args[0]
		l.emit(in)
		return in.d
	case loop.Bits:
		return l.toWord(args[0])
	case loop.FromBits:
		return l.vone(opVFromG, 8, args[0])
	case loop.EqI, loop.NeI, loop.LtI, loop.LeI, loop.LtF, loop.LeF:
		return l.set(l.flags(op, args))
	case loop.EqF, loop.NeF:
		p, _ := realPredicates.get(op)
		m := l.compareReals(8, args[0], args[1], p)
		return l.imm(opAnd, l.maskWord(m), 1)
	case loop.SelI, loop.SelB:
		cc := ccNE
		if def := l.definition(atoms, 0); def != nil && oneFlag(def.Op) {
			cc = l.flags(def.Op, []reg{l.atom(def.Args[0]), l.atom(def.Args[1])})
		} else {
			in := none(opTest)
			in.a = args[0]
			l.emit(in)
		}
		return l.cmov(cc, args[1], args[2])
	case loop.SelF:
		return l.blend(8, l.scalarMask(args[0], l.definition(atoms, 0)), args[1], args[2])
	}
	l.fail("jit: there is no machine code for %s", op)
	return l.constant(gpr, 8, 0)
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
func (l *lowering) flags(op *loop.Op, args []reg) cond {
	switch op {
	case loop.LtF:
		l.ucomi(args[1], args[0])
		return ccAboveF
	case loop.LeF:
		l.ucomi(args[1], args[0])
		return ccAtLeastF
	}
	l.cmp(args[0], args[1])
	return map[*loop.Op]cond{loop.EqI: ccE, loop.NeI: ccNE, loop.LtI: ccL, loop.LeI: ccLE}[op]
}

func (l *lowering) set(cc cond) reg {
	in := none(opSet)
	in.cc, in.d = cc, l.newReg(gpr, 8)
	l.emit(in)
	return in.d
}

// cmov is cc ? then : other.
func (l *lowering) cmov(cc cond, then, other reg) reg {
	in := none(opCmov)
	in.cc, in.d, in.a, in.b = cc, l.newReg(gpr, 8), other, then
	l.emit(in)
	return in.d
}

// toWord is the bits of a double, or of the lowest one of a vector.
func (l *lowering) toWord(r reg) reg {
	in := none(opVToG)
	in.d, in.a = l.newReg(gpr, 8), r
	l.emit(in)
	return in.d
}

// maskWord is a mask as a word; its lowest bit is that of the first lane.
func (l *lowering) maskWord(m reg) reg {
	if !l.m.avx512 {
		return l.toWord(m)
	}
	in := none(opKToG)
	in.d, in.a = l.newReg(gpr, 8), m
	l.emit(in)
	return in.d
}

// scalarMask is the mask of a Boolean for one double.
func (l *lowering) scalarMask(b reg, def *loop.Let) reg {
	if def != nil {
		if p, ok := realPredicates.get(def.Op); ok {
			return l.compareReals(8, l.atom(def.Args[0]), l.atom(def.Args[1]), p)
		}
	}
	if l.m.avx512 {
		in := none(opKFromG)
		in.d, in.a = l.newReg(mask, 8), b
		l.emit(in)
		return in.d
	}
	return l.vone(opVFromG, 8, l.two(opNeg, b, noReg))
}

// divide is the floored quotient or remainder; by 0 they are 0 and the dividend.
func (l *lowering) divide(a, b reg, remainder bool) reg {
	result := l.newReg(gpr, 8)
	zero, minus, end, done := l.label(), l.label(), l.label(), l.label()
	if v := l.f.reg(b); v.home == homeConst && v.word > 0 {
		if v.word&(v.word-1) == 0 {
			if remainder {
				if fits32(v.word - 1) {
					return l.imm(opAnd, a, v.word-1)
				}
			} else {
				log := int64(0)
				for n := v.word; n > 1; n >>= 1 {
					log++
				}
				if log == 0 {
					return l.move(noReg, a)
				}
				return l.imm(opSar, a, log)
			}
		}
	} else {
		l.cmpImm(b, 0)
		l.jcc(ccE, zero)
		l.cmpImm(b, -1)
		l.jcc(ccE, minus)
	}
	var quotient, rest reg
	if remainder {
		rest = l.two(opRem, a, b)
		l.move(result, rest)
	} else {
		quotient = l.two(opQuo, a, b)
		rest = l.two(opSub, a, l.two(opMul, quotient, b))
		l.move(result, quotient)
	}
	l.cmpImm(rest, 0)
	l.jcc(ccE, done)
	l.cmpImm(l.two(opXor, rest, b), 0)
	l.jcc(ccGE, done)
	if remainder {
		l.move(result, l.two(opAdd, rest, b))
	} else {
		l.move(result, l.imm(opSub, quotient, 1))
	}
	l.jump(end)
	l.mark(zero)
	if remainder {
		l.move(result, a)
	} else {
		l.move(result, l.constant(gpr, 8, 0))
	}
	l.jump(end)
	l.mark(minus)
	if remainder {
		l.move(result, l.constant(gpr, 8, 0))
	} else {
		l.move(result, l.two(opNeg, a, noReg))
	}
	l.mark(end)
	l.mark(done)
	return result
}
