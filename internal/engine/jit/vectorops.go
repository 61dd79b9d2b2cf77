package jit

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// vectorInts are the operations of integers that vectors have on all machines.
var vectorInts = byOp(map[*loop.Op]opcode{loop.AddI: opVAddI, loop.SubI: opVSubI, loop.AndI: opVAnd, loop.OrI: opVOr, loop.XorI: opVXor})

// vectorOp lowers an operation on vectors. One that vectors do not have is done lane by lane.
func (l *lowering) vectorOp(op *loop.Op, w uint8, args []reg) reg {
	if r, ok := l.realOp(op, w, args); ok {
		return r
	}
	if code, ok := vectorInts.get(op); ok {
		return l.vop(code, w, args[0], args[1])
	}
	if p, ok := realPredicates.get(op); ok {
		return l.compareReals(w, args[0], args[1], p)
	}
	if _, ok := intPredicates.get(op); ok {
		return l.compareInts(op, w, args[0], args[1])
	}
	wide := l.m.avx512 || l.m.neon
	switch op {
	case loop.NegI:
		return l.vop(opVSubI, w, l.constant(vec, w, 0), args[0])
	case loop.Bits, loop.FromBits:
		return args[0]
	case loop.SelF, loop.SelI:
		return l.blend(w, args[0], args[1], args[2])
	case loop.SelB:
		return l.selectMask(args[0], args[1], args[2])
	case loop.And, loop.Or, loop.Not:
		return l.maskOp(op, w, args)
	case loop.ToWord:
		return l.blend(w, args[0], l.constant(vec, w, 1), l.constant(vec, w, 0))
	case loop.ShlI, loop.ShrU:
		count := l.vop(opVAnd, w, args[1], l.constant(vec, w, 63))
		if op == loop.ShlI {
			return l.vop(opVShl, w, args[0], count)
		}
		return l.vop(opVShr, w, args[0], count)
	case loop.MaxI, loop.MinI:
		if wide {
			return l.vop(map[*loop.Op]opcode{loop.MaxI: opVMaxI, loop.MinI: opVMinI}[op], w, args[0], args[1])
		}
		a, b := args[0], args[1]
		if op == loop.MinI {
			a, b = b, a
		}
		return l.blend(w, l.compareInts(loop.LtI, w, args[0], args[1]), b, a)
	case loop.ShrI:
		if wide {
			return l.vop(opVSar, w, args[0], l.vop(opVAnd, w, args[1], l.constant(vec, w, 63)))
		}
	case loop.MulI:
		if wide {
			return l.vop(opVMulI, w, args[0], args[1])
		}
		return l.multiply(w, args[0], args[1])
	case loop.ToReal:
		if wide {
			return l.vone(opVToReal, w, args[0])
		}
	case loop.ToInt:
		if wide {
			return l.vone(opVToInt, w, args[0])
		}
	case loop.DivI, loop.ModI:
		if l.m.avx512 {
			return l.divideVector(op, w, args[0], args[1])
		}
	case loop.AddOver, loop.SubOver:
		code, b := opVAddI, args[1]
		if op == loop.SubOver {
			code = opVSubI
		}
		r := l.vop(code, w, args[0], b)
		other := l.vop(opVXor, w, b, r)
		if op == loop.SubOver {
			other = l.vop(opVXor, w, args[0], b)
		}
		return l.compareInts(loop.LtI, w, l.vop(opVAnd, w, l.vop(opVXor, w, args[0], r), other), l.constant(vec, w, 0))
	}
	return l.byLane(op, w, args)
}

// divideVector divides by way of doubles, if all dividends are within 2^51 and all divisors from 1
// to 2^51: then the quotient of the doubles, rounded down, is off by one at most, and the remainder
// tells.
func (l *lowering) divideVector(op *loop.Op, w uint8, a, b reg) reg {
	slow, end := l.label(), l.label()
	result := l.newReg(vec, w)
	high := func(r reg, bits int64) reg { return l.vimm(opVShrImm, w, r, noReg, bits) }
	large := l.vop(opVOr, w, high(l.vop(opVAddI, w, a, l.constant(vec, w, 1<<51)), 52),
		high(l.vop(opVAddI, w, b, l.constant(vec, w, -1)), 51))
	zero, one := l.constant(vec, w, 0), l.constant(vec, w, 1)
	l.cmpImm(l.imm(opAnd, l.maskWord(l.compareInts(loop.NeI, w, large, zero)), 0xff), 0)
	l.jcc(ccNE, slow)
	floor, _ := l.realOp(loop.FloorF, w, []reg{l.vop(opVDiv, w, l.vone(opVToReal, w, a), l.vone(opVToReal, w, b))})
	q := l.vone(opVToInt, w, floor)
	r := l.vop(opVSubI, w, a, l.vop(opVMulI, w, q, b))
	low, many := l.compareInts(loop.LtI, w, r, zero), l.compareInts(loop.LeI, w, b, r)
	if op == loop.DivI {
		q = l.blend(w, low, l.vop(opVSubI, w, q, one), q)
		l.move(result, l.blend(w, many, l.vop(opVAddI, w, q, one), q))
	} else {
		r = l.blend(w, low, l.vop(opVAddI, w, r, b), r)
		l.move(result, l.blend(w, many, l.vop(opVSubI, w, r, b), r))
	}
	l.jump(end)
	l.mark(slow)
	l.move(result, l.byLane(op, w, []reg{a, b}))
	l.mark(end)
	return result
}

// byLane takes vectors apart.
func (l *lowering) byLane(op *loop.Op, w uint8, args []reg) reg {
	for i, a := range args {
		if op.Args[i] == loop.Bool {
			a = l.blend(w, a, l.constant(vec, w, 1), l.constant(vec, w, 0))
		}
		in := none(opVStore)
		in.w, in.a, in.isMem, in.m = w, a, true, l.scratchMem(i)
		l.emit(in)
	}
	for lane := range int32(w / 8) {
		one := make([]reg, len(args))
		for i := range args {
			m := l.scratchMem(i)
			m.disp += 8 * lane
			if op.Args[i] == loop.F64 {
				one[i] = l.loadReal(m)
			} else {
				one[i] = l.load(m)
			}
		}
		m := l.scratchMem(3)
		m.disp += 8 * lane
		in := none(opStore)
		if in.a = l.scalarOp(op, one, nil); op.Result == loop.F64 {
			in.op = opVStore
		}
		in.isMem, in.m = true, m
		l.emit(in)
	}
	in := none(opVLoad)
	in.w, in.d, in.isMem, in.m = w, l.newReg(vec, w), true, l.scratchMem(3)
	l.emit(in)
	if op.Result == loop.Bool {
		return l.compareInts(loop.NeI, w, in.d, l.constant(vec, w, 0))
	}
	return in.d
}

// shiftVector shifts all lanes by a constant.
func (l *lowering) shiftVector(op *loop.Op, w uint8, a reg, n int64) (reg, bool) {
	code := opNone
	switch {
	case op == loop.ShlI:
		code = opVShlImm
	case op == loop.ShrU:
		code = opVShrImm
	case op == loop.ShrI && (l.m.avx512 || l.m.neon):
		code = opVSarImm
	default:
		return noReg, false
	}
	return l.vimm(code, w, a, noReg, n), true
}

func (l *lowering) compareInts(op *loop.Op, w uint8, a, b reg) reg {
	if l.m.avx512 {
		in := none(opVCmpI)
		in.w, in.d, in.a, in.b = w, l.newMask(w), a, b
		in.imm, _ = intPredicates.get(op)
		l.emit(in)
		return in.d
	}
	ones := func() reg { return l.constant(vec, w, -1) }
	switch op {
	case loop.EqI:
		return l.vop(opVEqI, w, a, b)
	case loop.NeI:
		return l.vop(opVXor, w, l.vop(opVEqI, w, a, b), ones())
	case loop.LtI:
		return l.vop(opVGtI, w, b, a)
	}
	return l.vop(opVXor, w, l.vop(opVGtI, w, a, b), ones())
}

// multiply is the product of 64-bit lanes made from those of 32 bits.
func (l *lowering) multiply(w uint8, a, b reg) reg {
	high := func(r reg) reg { return l.vimm(opVShrImm, w, r, noReg, 32) }
	cross := l.vop(opVAddI, w, l.vop(opVMulU32, w, high(a), b), l.vop(opVMulU32, w, a, high(b)))
	return l.vop(opVAddI, w, l.vop(opVMulU32, w, a, b), l.vimm(opVShlImm, w, cross, noReg, 32))
}

// kop emits d = a op b of mask registers.
func (l *lowering) kop(op opcode, a, b reg) reg {
	in := none(op)
	in.d, in.a, in.b = l.newReg(mask, 8), a, b
	l.emit(in)
	return in.d
}

func (l *lowering) maskOp(op *loop.Op, w uint8, args []reg) reg {
	if l.m.avx512 {
		switch op {
		case loop.And:
			return l.kop(opKAnd, args[0], args[1])
		case loop.Or:
			return l.kop(opKOr, args[0], args[1])
		}
		return l.kop(opKNot, args[0], noReg)
	}
	switch op {
	case loop.And:
		return l.vop(opVAnd, w, args[0], args[1])
	case loop.Or:
		return l.vop(opVOr, w, args[0], args[1])
	}
	return l.vop(opVXor, w, args[0], l.constant(vec, w, -1))
}

// selectMask is c ? then : other, of masks.
func (l *lowering) selectMask(c, then, other reg) reg {
	if l.m.avx512 {
		return l.kop(opKXor, other, l.kop(opKAnd, c, l.kop(opKXor, then, other)))
	}
	return l.blend(l.m.width(), c, then, other)
}
