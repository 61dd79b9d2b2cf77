package arm

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// general emits d = a op b of general registers, d being a machine register.
func (e *arm) general(in *ir.Inst, d ir.Reg) {
	two := func(op armOp) { e.put(op, d, e.fetch(in.A, 0), e.second(in)) }
	logical := func(op, immediate armOp) {
		if _, ok := bitPattern(uint64(in.Imm)); in.IsImm && ok {
			e.imm(immediate, d, e.fetch(in.A, 0), in.Imm)
			return
		}
		two(op)
	}
	shift := func(op, field armOp) {
		switch {
		case !in.IsImm:
			two(op)
		case op == armLsl:
			e.add(armInst{op: field, d: d, n: e.fetch(in.A, 0), sh: uint8(-in.Imm & 63),
				imm: 63 - in.Imm, to: ir.NoLabel})
		default:
			e.add(armInst{op: field, d: d, n: e.fetch(in.A, 0), sh: uint8(in.Imm), imm: 63,
				to: ir.NoLabel})
		}
	}
	switch in.Op {
	case ir.OpMovImm:
		e.constant(d, in.Imm)
	case ir.OpLoad:
		e.access(armLoadX, d, in.M)
	case ir.OpLea:
		e.lea(d, in.M)
	case ir.OpAdd, ir.OpSub:
		switch {
		case in.IsImm && in.Op == ir.OpAdd:
			e.offset(d, e.fetch(in.A, 0), in.Imm)
		case in.IsImm:
			e.offset(d, e.fetch(in.A, 0), -in.Imm)
		case in.Op == ir.OpAdd:
			two(armAdd)
		default:
			two(armSub)
		}
	case ir.OpAnd:
		logical(armAnd, armAndImm)
	case ir.OpOr:
		logical(armOrr, armOrrImm)
	case ir.OpXor:
		logical(armEor, armEorImm)
	case ir.OpMul:
		e.add(armInst{op: armMadd, d: d, n: e.fetch(in.A, 0), m: e.second(in), a: xzr,
			to: ir.NoLabel})
	case ir.OpMulFlags: // the high word is not made of the low one's sign
		a, b := e.fetch(in.A, 0), e.second(in)
		e.put(armSmulh, armScratch2, a, b)
		e.add(armInst{op: armMadd, d: d, n: a, m: b, a: xzr, to: ir.NoLabel})
		e.put(armCmpSigns, 0, armScratch2, d)
	case ir.OpNeg:
		e.put(armSub, d, xzr, e.fetch(in.A, 1))
	case ir.OpShl:
		shift(armLsl, armUbfm)
	case ir.OpShr:
		shift(armLsr, armUbfm)
	case ir.OpSar:
		shift(armAsr, armSbfm)
	case ir.OpQuo:
		two(armSdiv)
	case ir.OpRem:
		a, b := e.fetch(in.A, 0), e.fetch(in.B, 1)
		e.put(armSdiv, armScratch2, a, b)
		e.add(armInst{op: armMsub, d: d, n: armScratch2, m: b, a: a, to: ir.NoLabel})
	case ir.OpSet:
		e.add(armInst{op: armCsinc, d: d, n: xzr, m: xzr, cc: in.CC ^ 1, to: ir.NoLabel})
	case ir.OpCmov:
		a, b := e.fetch(in.A, 0), e.fetch(in.B, 1)
		e.add(armInst{op: armCsel, d: d, n: b, m: a, cc: in.CC, to: ir.NoLabel})
	case ir.OpVToG:
		e.put(armFmovXD, d, e.fetch(in.A, 0), 0)
	case ir.OpVIntG:
		e.put(armFcvtzs, d, e.fetch(in.B, 0), 0)
	case ir.OpVMoveMask:
		e.imm(armVUshr, armVector, e.fetch(in.B, 0), 63)
		e.put(armFmovXD, armScratch0, armVector, 0)
		e.put(armVHigh, armScratch1, armVector, 0)
		e.add(armInst{op: armAdd, d: d, n: armScratch0, m: armScratch1, imm: 1, to: ir.NoLabel})
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// second is the register of b, or of the constant in its place.
func (e *arm) second(in *ir.Inst) ir.Reg {
	if in.IsImm {
		e.constant(armScratch1, in.Imm)
		return armScratch1
	}
	return e.fetch(in.B, 1)
}

// compare emits an instruction that sets the flags.
func (e *arm) compare(in *ir.Inst) {
	switch in.Op {
	case ir.OpCmp:
		var b ir.Reg
		switch {
		case in.IsMem:
			b = armScratch2
			e.access(armLoadX, b, in.M)
		case in.IsImm && fits12(in.Imm):
			e.imm(armCmpImm, 0, e.fetch(in.A, 0), in.Imm)
			return
		case in.IsImm && fits12(-in.Imm):
			e.imm(armCmnImm, 0, e.fetch(in.A, 0), -in.Imm)
			return
		default:
			b = e.second(in)
		}
		e.put(armCmp, 0, e.fetch(in.A, 0), b)
	case ir.OpTest:
		e.imm(armCmpImm, 0, e.fetch(in.A, 0), 0)
	case ir.OpVUcomi:
		e.put(armFcmp, 0, e.fetch(in.A, 0), e.fetch(in.B, 1))
	case ir.OpVMaskStore:
		e.maskedStore(in)
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// armReals has the instructions on one double and on vectors.
var armReals = map[ir.Opcode][2]armOp{
	ir.OpVAdd: {armFadd, armVFadd}, ir.OpVSub: {armFsub, armVFsub}, ir.OpVMul: {armFmul, armVFmul},
	ir.OpVDiv: {armFdiv, armVFdiv},
	ir.OpVMax: {armFmax, armVFmax}, ir.OpVMin: {armFmin, armVFmin},
	ir.OpVSqrt: {armFsqrt, armVFsqrt},
}

// armRounds has those that round, by the number of the way.
var armRounds = [4][2]armOp{{armFrintn, armVFrintn}, {armFrintm, armVFrintm},
	{armFrintp, armVFrintp}, {armFrintz, armVFrintz}}

// armVectors has those on vectors that one double is done with, too.
var armVectors = map[ir.Opcode]armOp{
	ir.OpVAnd: armVAnd, ir.OpVOr: armVOrr, ir.OpVXor: armVEor, ir.OpVAddI: armVAdd,
	ir.OpVSubI: armVSub, ir.OpVShl: armVUshl, ir.OpVEqI: armVCmeq,
	ir.OpVGtI: armVCmgt, ir.OpVUnpack: armVZip2,
}

// vector emits d = a op b of vectors, d being a machine register.
func (e *arm) vector(in *ir.Inst, d ir.Reg) {
	wide := 0
	if in.W > 8 {
		wide = 1
	}
	if op, ok := armReals[in.Op]; ok {
		if in.Op == ir.OpVSqrt {
			e.put(op[wide], d, e.fetch(in.B, 0), 0)
			return
		}
		e.put(op[wide], d, e.fetch(in.A, 0), e.fetch(in.B, 1))
		return
	}
	if op, ok := armVectors[in.Op]; ok {
		e.put(op, d, e.fetch(in.A, 0), e.fetch(in.B, 1))
		return
	}
	switch in.Op {
	case ir.OpVRound:
		e.put(armRounds[in.Imm&3][wide], d, e.fetch(in.B, 0), 0)
	case ir.OpVCmp:
		e.compareReals(in, d)
	case ir.OpVFma, ir.OpVFms, ir.OpVFnma:
		e.fma(in, d)
	case ir.OpVBlend:
		e.blend(d, e.fetch(in.C, 2), e.fetch(in.B, 1), e.fetch(in.A, 0))
	case ir.OpVMulI:
		a, b := e.fetch(in.A, 0), e.fetch(in.B, 1)
		product := func(to, other ir.Reg, half func(to, of ir.Reg)) {
			half(to, a)
			half(other, b)
			e.add(armInst{op: armMadd, d: to, n: to, m: other, a: xzr, to: ir.NoLabel})
		}
		product(armScratch0, armScratch1, func(to, of ir.Reg) { e.put(armFmovXD, to, of, 0) })
		product(armScratch1, armScratch2, func(to, of ir.Reg) { e.put(armVHigh, to, of, 0) })
		e.put(armFmovDX, d, armScratch0, 0)
		e.put(armVSetHigh, d, armScratch1, 0)
	case ir.OpVMaxI, ir.OpVMinI:
		a, b := e.fetch(in.A, 0), e.fetch(in.B, 1)
		e.put(armVCmgt, armVector, a, b)
		if in.Op == ir.OpVMinI {
			a, b = b, a
		}
		e.put(armVBsl, armVector, a, b)
		e.move(ir.Vec, d, armVector)
	case ir.OpVShr, ir.OpVSar: // to the left by what is below zero
		op := armVUshl
		if in.Op == ir.OpVSar {
			op = armVSshl
		}
		e.put(armVNeg, armVector, e.fetch(in.B, 1), 0)
		e.put(op, d, e.fetch(in.A, 0), armVector)
	case ir.OpVShlImm:
		e.imm(armVShl, d, e.fetch(in.A, 0), in.Imm)
	case ir.OpVShrImm, ir.OpVSarImm:
		op := armVUshr
		if in.Op == ir.OpVSarImm {
			op = armVSshr
		}
		if a := e.fetch(in.A, 0); in.Imm == 0 {
			e.move(ir.Vec, d, a)
		} else {
			e.imm(op, d, a, in.Imm)
		}
	case ir.OpVToReal:
		e.put(armVScvtf, d, e.fetch(in.B, 0), 0)
	case ir.OpVToInt:
		e.put(armVFcvtzs, d, e.fetch(in.B, 0), 0)
	case ir.OpVLoad:
		e.access(e.sized(armLoadD, in.W), d, in.M)
	case ir.OpVBroadcast:
		if !in.IsMem {
			e.put(armVDup, d, e.fetch(in.B, 0), 0)
			return
		}
		m := e.address(in.M)
		if m.Index != ir.NoReg || m.Disp != 0 {
			e.lea(armScratch0, m)
			m.Base = armScratch0
		}
		e.put(armLoadAll, d, m.Base, 0)
	case ir.OpVFromG:
		e.put(armFmovDX, d, e.fetch(in.B, 0), 0)
	case ir.OpVRealG:
		e.put(armScvtf, d, e.fetch(in.B, 0), 0)
	case ir.OpVGather:
		e.gather(in, d)
	case ir.OpVMaskLoad:
		e.lea(armScratch0, in.M)
		m := e.fetch(in.A, 1)
		e.put(armVZero, armVector, 0, 0)
		e.under(m, func(first bool) {
			if first {
				e.imm(armLoadD, armVector, armScratch0, 0)
				return
			}
			e.imm(armAddImm, armScratch0, armScratch0, 8)
			e.put(armLoadHigh, armVector, armScratch0, 0)
		})
		e.move(ir.Vec, d, armVector)
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// compareReals emits a comparison by the number of its predicate.
func (e *arm) compareReals(in *ir.Inst, d ir.Reg) {
	a, b := e.fetch(in.A, 0), e.fetch(in.B, 1)
	switch in.Imm {
	case 0, 4: // equal, not equal
		e.put(armVFcmeq, d, a, b)
		if in.Imm == 4 {
			e.put(armVNot, d, d, 0)
		}
	case 17: // below
		e.put(armVFcmgt, d, b, a)
	case 18: // at most
		e.put(armVFcmge, d, b, a)
	default:
		panic("jit: a comparison that arm64 does not have")
	}
}

// fma emits d = ±a·b ± c. The instructions on vectors overwrite the summand.
func (e *arm) fma(in *ir.Inst, d ir.Reg) {
	a, b := e.fetch(in.A, 1), e.fetch(in.B, 2)
	if in.W == 8 {
		op := map[ir.Opcode]armOp{ir.OpVFma: armFmadd, ir.OpVFms: armFnmsub,
			ir.OpVFnma: armFmsub}[in.Op]
		e.add(armInst{op: op, d: d, n: a, m: b, a: e.fetch(in.C, 0), to: ir.NoLabel})
		return
	}
	to := d
	if (a == d || b == d) && (in.Op == ir.OpVFms || e.At(in.C) != d) {
		to = armVector
	}
	op := armVFmla
	switch in.Op {
	case ir.OpVFms:
		e.put(armVFneg, to, e.fetch(in.C, 0), 0)
	case ir.OpVFnma:
		op = armVFmls
		fallthrough
	default:
		e.into(to, in.C)
	}
	e.put(op, to, a, b)
	e.move(ir.Vec, d, to)
}

// blend emits d = mask ? then : other.
func (e *arm) blend(d, mask, then, other ir.Reg) {
	switch d {
	case mask:
		e.put(armVBsl, d, then, other)
	case then:
		e.put(armVBif, d, other, mask)
	default:
		e.move(ir.Vec, d, other)
		e.put(armVBit, d, then, mask)
	}
}

// gather emits the loads of the elements at base + 8·index, of those lanes that the mask has, if
// there is one.
func (e *arm) gather(in *ir.Inst, d ir.Reg) {
	m := in.M
	index := e.fetch(m.Index, 1)
	m.Index = ir.NoReg
	m = e.address(m)
	if m.Disp != 0 {
		e.offset(armScratch0, m.Base, int64(m.Disp))
		m.Base = armScratch0
	}
	load := func(first bool) {
		if first {
			e.put(armFmovXD, armScratch1, index, 0)
			e.put(armLoadD+3, d, m.Base, armScratch1)
			return
		}
		e.put(armVHigh, armScratch1, index, 0)
		e.add(armInst{op: armAdd, d: armScratch1, n: m.Base, m: armScratch1, imm: 3,
			to: ir.NoLabel})
		e.put(armLoadHigh, d, armScratch1, 0)
	}
	if in.A == ir.NoReg {
		load(true)
		load(false)
		return
	}
	run := e.fetch(in.A, 2)
	e.put(armVZero, d, 0, 0)
	e.under(run, load)
}

// under emits code for the first lane and for the second, each jumped over unless the mask has it.
// The code leaves the last scratch register alone, which the mask's elements go through.
func (e *arm) under(mask ir.Reg, lane func(first bool)) {
	for i, op := range []armOp{armFmovXD, armVHigh} {
		past := e.NewLabel()
		e.put(op, armScratch2, mask, 0)
		e.jump(armCbz, armScratch2, 0, past)
		lane(i == 0)
		e.Mark(past)
	}
}

// maskedStore emits a store of the lanes that the mask has.
func (e *arm) maskedStore(in *ir.Inst) {
	e.lea(armScratch0, in.M)
	x := e.fetch(in.A, 0)
	e.under(e.fetch(in.C, 1), func(first bool) {
		if first {
			e.imm(armStoreD, x, armScratch0, 0)
			return
		}
		e.imm(armAddImm, armScratch0, armScratch0, 8)
		e.put(armStoreHigh, x, armScratch0, 0)
	})
}
