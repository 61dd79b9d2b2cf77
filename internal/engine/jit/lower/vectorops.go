package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// vectorInts are the operations of integers that vectors have on all machines.
var vectorInts = byOp(map[*loop.Op]ir.Opcode{loop.AddI: ir.OpVAddI, loop.SubI: ir.OpVSubI, loop.AndI: ir.OpVAnd, loop.OrI: ir.OpVOr, loop.XorI: ir.OpVXor})

// vectorOp lowers an operation on vectors. One that vectors do not have is done lane by lane.
func (l *lowering) vectorOp(op *loop.Op, w uint8, args []ir.Reg) ir.Reg {
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
	wide := l.m.Integers
	switch op {
	case loop.NegI:
		return l.vop(ir.OpVSubI, w, l.constant(ir.Vec, w, 0), args[0])
	case loop.Bits, loop.FromBits:
		return args[0]
	case loop.SelF, loop.SelI:
		return l.blend(w, args[0], args[1], args[2])
	case loop.SelB:
		return l.selectMask(args[0], args[1], args[2])
	case loop.And, loop.Or, loop.Not:
		return l.maskOp(op, w, args)
	case loop.ToWord:
		return l.blend(w, args[0], l.constant(ir.Vec, w, 1), l.constant(ir.Vec, w, 0))
	case loop.ShlI, loop.ShrU:
		count := l.vop(ir.OpVAnd, w, args[1], l.constant(ir.Vec, w, 63))
		if op == loop.ShlI {
			return l.vop(ir.OpVShl, w, args[0], count)
		}
		return l.vop(ir.OpVShr, w, args[0], count)
	case loop.MaxI, loop.MinI:
		if wide {
			return l.vop(map[*loop.Op]ir.Opcode{loop.MaxI: ir.OpVMaxI, loop.MinI: ir.OpVMinI}[op], w, args[0], args[1])
		}
		a, b := args[0], args[1]
		if op == loop.MinI {
			a, b = b, a
		}
		return l.blend(w, l.compareInts(loop.LtI, w, args[0], args[1]), b, a)
	case loop.ShrI:
		if wide {
			return l.vop(ir.OpVSar, w, args[0], l.vop(ir.OpVAnd, w, args[1], l.constant(ir.Vec, w, 63)))
		}
	case loop.MulI:
		if wide {
			return l.vop(ir.OpVMulI, w, args[0], args[1])
		}
		return l.multiply(w, args[0], args[1])
	case loop.ToReal:
		if wide {
			return l.vone(ir.OpVToReal, w, args[0])
		}
	case loop.ToInt:
		if wide {
			return l.vone(ir.OpVToInt, w, args[0])
		}
	case loop.DivI, loop.ModI:
		if l.m.Masks && wide {
			return l.divideVector(op, w, args[0], args[1])
		}
	case loop.AddOver, loop.SubOver:
		code, b := ir.OpVAddI, args[1]
		if op == loop.SubOver {
			code = ir.OpVSubI
		}
		r := l.vop(code, w, args[0], b)
		other := l.vop(ir.OpVXor, w, b, r)
		if op == loop.SubOver {
			other = l.vop(ir.OpVXor, w, args[0], b)
		}
		return l.compareInts(loop.LtI, w, l.vop(ir.OpVAnd, w, l.vop(ir.OpVXor, w, args[0], r), other), l.constant(ir.Vec, w, 0))
	}
	return l.byLane(op, w, args)
}

// divideVector divides by way of doubles, if all dividends are within 2^51 and all divisors from 1
// to 2^51: then the quotient of the doubles, rounded down, is off by one at most, and the remainder
// tells.
func (l *lowering) divideVector(op *loop.Op, w uint8, a, b ir.Reg) ir.Reg {
	slow, end := l.label(), l.label()
	result := l.newReg(ir.Vec, w)
	high := func(r ir.Reg, bits int64) ir.Reg { return l.vimm(ir.OpVShrImm, w, r, ir.NoReg, bits) }
	large := l.vop(ir.OpVOr, w, high(l.vop(ir.OpVAddI, w, a, l.constant(ir.Vec, w, 1<<51)), 52),
		high(l.vop(ir.OpVAddI, w, b, l.constant(ir.Vec, w, -1)), 51))
	zero, one := l.constant(ir.Vec, w, 0), l.constant(ir.Vec, w, 1)
	l.cmpImm(l.imm(ir.OpAnd, l.maskWord(l.compareInts(loop.NeI, w, large, zero)), 0xff), 0)
	l.jcc(ir.CCNE, slow)
	floor, _ := l.realOp(loop.FloorF, w, []ir.Reg{l.vop(ir.OpVDiv, w, l.vone(ir.OpVToReal, w, a), l.vone(ir.OpVToReal, w, b))})
	q := l.vone(ir.OpVToInt, w, floor)
	r := l.vop(ir.OpVSubI, w, a, l.vop(ir.OpVMulI, w, q, b))
	low, many := l.compareInts(loop.LtI, w, r, zero), l.compareInts(loop.LeI, w, b, r)
	if op == loop.DivI {
		q = l.blend(w, low, l.vop(ir.OpVSubI, w, q, one), q)
		l.move(result, l.blend(w, many, l.vop(ir.OpVAddI, w, q, one), q))
	} else {
		r = l.blend(w, low, l.vop(ir.OpVAddI, w, r, b), r)
		l.move(result, l.blend(w, many, l.vop(ir.OpVSubI, w, r, b), r))
	}
	l.jump(end)
	l.mark(slow)
	l.move(result, l.byLane(op, w, []ir.Reg{a, b}))
	l.mark(end)
	return result
}

// byLane takes vectors apart.
func (l *lowering) byLane(op *loop.Op, w uint8, args []ir.Reg) ir.Reg {
	for i, a := range args {
		if op.Args[i] == loop.Bool {
			a = l.blend(w, a, l.constant(ir.Vec, w, 1), l.constant(ir.Vec, w, 0))
		}
		in := ir.Bare(ir.OpVStore)
		in.W, in.A, in.IsMem, in.M = w, a, true, l.scratchMem(i)
		l.emit(in)
	}
	for lane := range int32(w / 8) {
		one := make([]ir.Reg, len(args))
		for i := range args {
			m := l.scratchMem(i)
			m.Disp += 8 * lane
			if op.Args[i] == loop.F64 {
				one[i] = l.loadReal(m)
			} else {
				one[i] = l.load(m)
			}
		}
		m := l.scratchMem(3)
		m.Disp += 8 * lane
		in := ir.Bare(ir.OpStore)
		if in.A = l.scalarOp(op, one, nil); op.Result == loop.F64 {
			in.Op = ir.OpVStore
		}
		in.IsMem, in.M = true, m
		l.emit(in)
	}
	in := ir.Bare(ir.OpVLoad)
	in.W, in.D, in.IsMem, in.M = w, l.newReg(ir.Vec, w), true, l.scratchMem(3)
	l.emit(in)
	if op.Result == loop.Bool {
		return l.compareInts(loop.NeI, w, in.D, l.constant(ir.Vec, w, 0))
	}
	return in.D
}

// shiftVector shifts all lanes by a constant.
func (l *lowering) shiftVector(op *loop.Op, w uint8, a ir.Reg, n int64) (ir.Reg, bool) {
	code := ir.OpNone
	switch {
	case op == loop.ShlI:
		code = ir.OpVShlImm
	case op == loop.ShrU:
		code = ir.OpVShrImm
	case op == loop.ShrI && l.m.Integers:
		code = ir.OpVSarImm
	default:
		return ir.NoReg, false
	}
	return l.vimm(code, w, a, ir.NoReg, n), true
}

func (l *lowering) compareInts(op *loop.Op, w uint8, a, b ir.Reg) ir.Reg {
	if l.m.Masks {
		in := ir.Bare(ir.OpVCmpI)
		in.W, in.D, in.A, in.B = w, l.newMask(w), a, b
		in.Imm, _ = intPredicates.get(op)
		l.emit(in)
		return in.D
	}
	ones := func() ir.Reg { return l.constant(ir.Vec, w, -1) }
	switch op {
	case loop.EqI:
		return l.vop(ir.OpVEqI, w, a, b)
	case loop.NeI:
		return l.vop(ir.OpVXor, w, l.vop(ir.OpVEqI, w, a, b), ones())
	case loop.LtI:
		return l.vop(ir.OpVGtI, w, b, a)
	}
	return l.vop(ir.OpVXor, w, l.vop(ir.OpVGtI, w, a, b), ones())
}

// multiply is the product of 64-bit lanes made from those of 32 bits.
func (l *lowering) multiply(w uint8, a, b ir.Reg) ir.Reg {
	high := func(r ir.Reg) ir.Reg { return l.vimm(ir.OpVShrImm, w, r, ir.NoReg, 32) }
	cross := l.vop(ir.OpVAddI, w, l.vop(ir.OpVMulU32, w, high(a), b), l.vop(ir.OpVMulU32, w, a, high(b)))
	return l.vop(ir.OpVAddI, w, l.vop(ir.OpVMulU32, w, a, b), l.vimm(ir.OpVShlImm, w, cross, ir.NoReg, 32))
}

// kop emits d = a op b of mask registers.
func (l *lowering) kop(op ir.Opcode, a, b ir.Reg) ir.Reg {
	in := ir.Bare(op)
	in.D, in.A, in.B = l.newReg(ir.Mask, 8), a, b
	l.emit(in)
	return in.D
}

func (l *lowering) maskOp(op *loop.Op, w uint8, args []ir.Reg) ir.Reg {
	if l.m.Masks {
		switch op {
		case loop.And:
			return l.kop(ir.OpKAnd, args[0], args[1])
		case loop.Or:
			return l.kop(ir.OpKOr, args[0], args[1])
		}
		return l.kop(ir.OpKNot, args[0], ir.NoReg)
	}
	switch op {
	case loop.And:
		return l.vop(ir.OpVAnd, w, args[0], args[1])
	case loop.Or:
		return l.vop(ir.OpVOr, w, args[0], args[1])
	}
	return l.vop(ir.OpVXor, w, args[0], l.constant(ir.Vec, w, -1))
}

// selectMask is c ? then : other, of masks.
func (l *lowering) selectMask(c, then, other ir.Reg) ir.Reg {
	if l.m.Masks {
		return l.kop(ir.OpKXor, other, l.kop(ir.OpKAnd, c, l.kop(ir.OpKXor, then, other)))
	}
	return l.blend(l.m.Width(), c, then, other)
}
