package jit

// general emits d = a op b of general registers, d being a machine register.
func (e *arm) general(in *inst, d reg) {
	two := func(op armOp) { e.put(op, d, e.fetch(in.a, 0), e.second(in)) }
	logical := func(op, immediate armOp) {
		if _, ok := bitPattern(uint64(in.imm)); in.isImm && ok {
			e.imm(immediate, d, e.fetch(in.a, 0), in.imm)
			return
		}
		two(op)
	}
	shift := func(op, field armOp) {
		switch {
		case !in.isImm:
			two(op)
		case op == armLsl:
			e.add(armInst{op: field, d: d, n: e.fetch(in.a, 0), sh: uint8(-in.imm & 63), imm: 63 - in.imm, to: noLabel})
		default:
			e.add(armInst{op: field, d: d, n: e.fetch(in.a, 0), sh: uint8(in.imm), imm: 63, to: noLabel})
		}
	}
	switch in.op {
	case opMovImm:
		e.constant(d, in.imm)
	case opLoad:
		e.access(armLoadX, d, in.m)
	case opLea:
		e.lea(d, in.m)
	case opAdd, opSub:
		switch {
		case in.isImm && in.op == opAdd:
			e.offset(d, e.fetch(in.a, 0), in.imm)
		case in.isImm:
			e.offset(d, e.fetch(in.a, 0), -in.imm)
		case in.op == opAdd:
			two(armAdd)
		default:
			two(armSub)
		}
	case opAnd:
		logical(armAnd, armAndImm)
	case opOr:
		logical(armOrr, armOrrImm)
	case opXor:
		logical(armEor, armEorImm)
	case opMul:
		e.add(armInst{op: armMadd, d: d, n: e.fetch(in.a, 0), m: e.second(in), a: xzr, to: noLabel})
	case opMulFlags: // the high word is not made of the low one's sign
		a, b := e.fetch(in.a, 0), e.second(in)
		e.put(armSmulh, armScratch2, a, b)
		e.add(armInst{op: armMadd, d: d, n: a, m: b, a: xzr, to: noLabel})
		e.put(armCmpSigns, 0, armScratch2, d)
	case opNeg:
		e.put(armSub, d, xzr, e.fetch(in.a, 1))
	case opShl:
		shift(armLsl, armUbfm)
	case opShr:
		shift(armLsr, armUbfm)
	case opSar:
		shift(armAsr, armSbfm)
	case opQuo:
		two(armSdiv)
	case opRem:
		a, b := e.fetch(in.a, 0), e.fetch(in.b, 1)
		e.put(armSdiv, armScratch2, a, b)
		e.add(armInst{op: armMsub, d: d, n: armScratch2, m: b, a: a, to: noLabel})
	case opSet:
		e.add(armInst{op: armCsinc, d: d, n: xzr, m: xzr, cc: in.cc ^ 1, to: noLabel})
	case opCmov:
		a, b := e.fetch(in.a, 0), e.fetch(in.b, 1)
		e.add(armInst{op: armCsel, d: d, n: b, m: a, cc: in.cc, to: noLabel})
	case opVToG:
		e.put(armFmovXD, d, e.fetch(in.a, 0), 0)
	case opVIntG:
		e.put(armFcvtzs, d, e.fetch(in.b, 0), 0)
	case opVMoveMask:
		e.imm(armVUshr, armVector, e.fetch(in.b, 0), 63)
		e.put(armFmovXD, armScratch0, armVector, 0)
		e.put(armVHigh, armScratch1, armVector, 0)
		e.add(armInst{op: armAdd, d: d, n: armScratch0, m: armScratch1, imm: 1, to: noLabel})
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// second is the register of b, or of the constant in its place.
func (e *arm) second(in *inst) reg {
	if in.isImm {
		e.constant(armScratch1, in.imm)
		return armScratch1
	}
	return e.fetch(in.b, 1)
}

// compare emits an instruction that sets the flags.
func (e *arm) compare(in *inst) {
	switch in.op {
	case opCmp:
		var b reg
		switch {
		case in.isMem:
			b = armScratch2
			e.access(armLoadX, b, in.m)
		case in.isImm && fits12(in.imm):
			e.imm(armCmpImm, 0, e.fetch(in.a, 0), in.imm)
			return
		case in.isImm && fits12(-in.imm):
			e.imm(armCmnImm, 0, e.fetch(in.a, 0), -in.imm)
			return
		default:
			b = e.second(in)
		}
		e.put(armCmp, 0, e.fetch(in.a, 0), b)
	case opTest:
		e.imm(armCmpImm, 0, e.fetch(in.a, 0), 0)
	case opVUcomi:
		e.put(armFcmp, 0, e.fetch(in.a, 0), e.fetch(in.b, 1))
	case opVMaskStore:
		e.maskedStore(in)
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// armReals has the instructions on one double and on vectors.
var armReals = map[opcode][2]armOp{
	opVAdd: {armFadd, armVFadd}, opVSub: {armFsub, armVFsub}, opVMul: {armFmul, armVFmul}, opVDiv: {armFdiv, armVFdiv},
	opVMax: {armFmax, armVFmax}, opVMin: {armFmin, armVFmin}, opVSqrt: {armFsqrt, armVFsqrt},
}

// armRounds has those that round, by the number of the way.
var armRounds = [4][2]armOp{{armFrintn, armVFrintn}, {armFrintm, armVFrintm}, {armFrintp, armVFrintp}, {armFrintz, armVFrintz}}

// armVectors has those on vectors that one double is done with, too.
var armVectors = map[opcode]armOp{
	opVAnd: armVAnd, opVOr: armVOrr, opVXor: armVEor, opVAddI: armVAdd, opVSubI: armVSub, opVShl: armVUshl, opVEqI: armVCmeq,
	opVGtI: armVCmgt, opVUnpack: armVZip2,
}

// vector emits d = a op b of vectors, d being a machine register.
func (e *arm) vector(in *inst, d reg) {
	wide := 0
	if in.w > 8 {
		wide = 1
	}
	if op, ok := armReals[in.op]; ok {
		if in.op == opVSqrt {
			e.put(op[wide], d, e.fetch(in.b, 0), 0)
			return
		}
		e.put(op[wide], d, e.fetch(in.a, 0), e.fetch(in.b, 1))
		return
	}
	if op, ok := armVectors[in.op]; ok {
		e.put(op, d, e.fetch(in.a, 0), e.fetch(in.b, 1))
		return
	}
	switch in.op {
	case opVRound:
		e.put(armRounds[in.imm&3][wide], d, e.fetch(in.b, 0), 0)
	case opVCmp:
		e.compareReals(in, d)
	case opVFma, opVFms, opVFnma:
		e.fma(in, d)
	case opVBlend:
		e.blend(d, e.fetch(in.c, 2), e.fetch(in.b, 1), e.fetch(in.a, 0))
	case opVMulI:
		a, b := e.fetch(in.a, 0), e.fetch(in.b, 1)
		product := func(to, other reg, half func(to, of reg)) {
			half(to, a)
			half(other, b)
			e.add(armInst{op: armMadd, d: to, n: to, m: other, a: xzr, to: noLabel})
		}
		product(armScratch0, armScratch1, func(to, of reg) { e.put(armFmovXD, to, of, 0) })
		product(armScratch1, armScratch2, func(to, of reg) { e.put(armVHigh, to, of, 0) })
		e.put(armFmovDX, d, armScratch0, 0)
		e.put(armVSetHigh, d, armScratch1, 0)
	case opVMaxI, opVMinI:
		a, b := e.fetch(in.a, 0), e.fetch(in.b, 1)
		e.put(armVCmgt, armVector, a, b)
		if in.op == opVMinI {
			a, b = b, a
		}
		e.put(armVBsl, armVector, a, b)
		e.move(vec, d, armVector)
	case opVShr, opVSar: // to the left by what is below zero
		op := armVUshl
		if in.op == opVSar {
			op = armVSshl
		}
		e.put(armVNeg, armVector, e.fetch(in.b, 1), 0)
		e.put(op, d, e.fetch(in.a, 0), armVector)
	case opVShlImm:
		e.imm(armVShl, d, e.fetch(in.a, 0), in.imm)
	case opVShrImm, opVSarImm:
		op := armVUshr
		if in.op == opVSarImm {
			op = armVSshr
		}
		if a := e.fetch(in.a, 0); in.imm == 0 {
			e.move(vec, d, a)
		} else {
			e.imm(op, d, a, in.imm)
		}
	case opVToReal:
		e.put(armVScvtf, d, e.fetch(in.b, 0), 0)
	case opVToInt:
		e.put(armVFcvtzs, d, e.fetch(in.b, 0), 0)
	case opVLoad:
		e.access(e.sized(armLoadD, in.w), d, in.m)
	case opVBroadcast:
		if !in.isMem {
			e.put(armVDup, d, e.fetch(in.b, 0), 0)
			return
		}
		m := e.address(in.m)
		if m.index != noReg || m.disp != 0 {
			e.lea(armScratch0, m)
			m.base = armScratch0
		}
		e.put(armLoadAll, d, m.base, 0)
	case opVFromG:
		e.put(armFmovDX, d, e.fetch(in.b, 0), 0)
	case opVRealG:
		e.put(armScvtf, d, e.fetch(in.b, 0), 0)
	case opVGather:
		e.gather(in, d)
	case opVMaskLoad:
		e.lea(armScratch0, in.m)
		m := e.fetch(in.a, 1)
		e.put(armVZero, armVector, 0, 0)
		e.under(m, func(first bool) {
			if first {
				e.imm(armLoadD, armVector, armScratch0, 0)
				return
			}
			e.imm(armAddImm, armScratch0, armScratch0, 8)
			e.put(armLoadHigh, armVector, armScratch0, 0)
		})
		e.move(vec, d, armVector)
	default:
		panic("jit: an instruction that arm64 does not have")
	}
}

// compareReals emits a comparison by the number of its predicate.
func (e *arm) compareReals(in *inst, d reg) {
	a, b := e.fetch(in.a, 0), e.fetch(in.b, 1)
	switch in.imm {
	case 0, 4: // equal, not equal
		e.put(armVFcmeq, d, a, b)
		if in.imm == 4 {
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
func (e *arm) fma(in *inst, d reg) {
	a, b := e.fetch(in.a, 1), e.fetch(in.b, 2)
	if in.w == 8 {
		op := map[opcode]armOp{opVFma: armFmadd, opVFms: armFnmsub, opVFnma: armFmsub}[in.op]
		e.add(armInst{op: op, d: d, n: a, m: b, a: e.fetch(in.c, 0), to: noLabel})
		return
	}
	to := d
	if (a == d || b == d) && (in.op == opVFms || e.at(in.c) != d) {
		to = armVector
	}
	op := armVFmla
	switch in.op {
	case opVFms:
		e.put(armVFneg, to, e.fetch(in.c, 0), 0)
	case opVFnma:
		op = armVFmls
		fallthrough
	default:
		e.into(to, in.c)
	}
	e.put(op, to, a, b)
	e.move(vec, d, to)
}

// blend emits d = mask ? then : other.
func (e *arm) blend(d, mask, then, other reg) {
	switch d {
	case mask:
		e.put(armVBsl, d, then, other)
	case then:
		e.put(armVBif, d, other, mask)
	default:
		e.move(vec, d, other)
		e.put(armVBit, d, then, mask)
	}
}

// gather emits the loads of the elements at base + 8·index, of those lanes that the mask has, if
// there is one.
func (e *arm) gather(in *inst, d reg) {
	m := in.m
	index := e.fetch(m.index, 1)
	m.index = noReg
	m = e.address(m)
	if m.disp != 0 {
		e.offset(armScratch0, m.base, int64(m.disp))
		m.base = armScratch0
	}
	load := func(first bool) {
		if first {
			e.put(armFmovXD, armScratch1, index, 0)
			e.put(armLoadD+3, d, m.base, armScratch1)
			return
		}
		e.put(armVHigh, armScratch1, index, 0)
		e.add(armInst{op: armAdd, d: armScratch1, n: m.base, m: armScratch1, imm: 3, to: noLabel})
		e.put(armLoadHigh, d, armScratch1, 0)
	}
	if in.a == noReg {
		load(true)
		load(false)
		return
	}
	run := e.fetch(in.a, 2)
	e.put(armVZero, d, 0, 0)
	e.under(run, load)
}

// under emits code for the first lane and for the second, each jumped over unless the mask has it.
// The code leaves the last scratch register alone, which the mask's elements go through.
func (e *arm) under(mask reg, lane func(first bool)) {
	for i, op := range []armOp{armFmovXD, armVHigh} {
		past := e.newLabel()
		e.put(op, armScratch2, mask, 0)
		e.jump(armCbz, armScratch2, 0, past)
		lane(i == 0)
		e.mark(past)
	}
}

// maskedStore emits a store of the lanes that the mask has.
func (e *arm) maskedStore(in *inst) {
	e.lea(armScratch0, in.m)
	x := e.fetch(in.a, 0)
	e.under(e.fetch(in.c, 1), func(first bool) {
		if first {
			e.imm(armStoreD, x, armScratch0, 0)
			return
		}
		e.imm(armAddImm, armScratch0, armScratch0, 8)
		e.put(armStoreHigh, x, armScratch0, 0)
	})
}
