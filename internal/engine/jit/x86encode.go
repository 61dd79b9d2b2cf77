package jit

import (
	"encoding/binary"
	"strconv"
)

// x86asm turns instructions of amd64 on machine registers into bytes.
type x86asm struct{ *assembler }

func (as x86asm) byte(b ...byte) { as.buf = append(as.buf, b...) }
func (as x86asm) int32(n int32)  { as.buf = binary.LittleEndian.AppendUint32(as.buf, uint32(n)) }

// encode appends one instruction.
func (as x86asm) encode(in *inst) {
	info := &x86Ops[in.op]
	switch {
	case in.op == opVZeroUpper:
		as.byte(0xc5, 0xf8, 0x77)
	case info.form == formG:
		as.general(in)
	case info.form == formK:
		as.maskOp(in, info)
	case info.form == formNone:
		panic("jit: " + strconv.Itoa(int(in.op)) + " cannot be encoded")
	default:
		as.vector(in, info)
	}
}

var nops = [...][]byte{{}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0x00}, {0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}

func (as x86asm) align(n int) {
	for gap := -len(as.buf) & (n - 1); gap > 0; {
		k := min(gap, len(nops)-1)
		as.byte(nops[k]...)
		gap -= k
	}
}

func bit(r reg, n uint) byte {
	if r < 0 {
		return 0
	}
	return byte(r>>n) & 1
}

func fits8(n int64) bool  { return n == int64(int8(n)) }
func fits32(n int64) bool { return n == int64(int32(n)) }

// modRM appends the operand byte and what follows it for the register field r and the operand rm
// or, if isMem, m. A displacement that is a multiple of n within 127 n is one byte. tail is the
// number of bytes that follow the operand.
func (as x86asm) modRM(r reg, in *inst, rm reg, n int32, tail int) {
	field := byte(r&7) << 3
	if !in.isMem {
		as.byte(0xc0 | field | byte(rm&7))
		return
	}
	m := &in.m
	if m.base == poolBase {
		as.byte(0x05 | field)
		at := int32(len(as.buf))
		as.consts = append(roomier(as.consts, 1), fixup{at, at + 4 + int32(tail), m.disp})
		as.int32(0)
		return
	}
	var mod byte
	short := m.disp%n == 0 && fits8(int64(m.disp/n))
	switch {
	case m.base == noReg:
		short = false
	case m.disp == 0 && m.base&7 != rbp:
	case short:
		mod = 0x40
	default:
		mod = 0x80
	}
	if m.index != noReg || m.base&7 == rsp || m.base == noReg {
		index, base := byte(4), byte(5)
		if m.index != noReg {
			index = byte(m.index & 7)
		}
		if m.base != noReg {
			base = byte(m.base & 7)
		}
		var log byte
		for s := m.scale; s > 1; s >>= 1 {
			log++
		}
		as.byte(mod|field|4, log<<6|index<<3|base)
	} else {
		as.byte(mod | field | byte(m.base&7))
	}
	switch {
	case m.base == noReg || mod == 0x80:
		as.int32(m.disp)
	case mod == 0x40:
		as.byte(byte(m.disp / n))
	}
}

// high gives bit 3 of the operand's index and of its base or register.
func high(in *inst, rm reg) (x, b byte) {
	if in.isMem {
		return bit(in.m.index, 3), bit(in.m.base, 3)
	}
	return 0, bit(rm, 3)
}

// rex appends a REX.W prefix and opcode bytes for a general instruction.
func (as x86asm) rex(r reg, in *inst, rm reg, code ...byte) {
	x, b := high(in, rm)
	as.byte(0x48 | bit(r, 3)<<2 | x<<1 | b)
	as.byte(code...)
}

func (as x86asm) general(in *inst) {
	info := &x86Ops[in.op]
	switch in.op {
	case opMov:
		as.rex(in.a, in, in.d, 0x89)
		as.modRM(in.a, in, in.d, 1, 0)
	case opMovImm:
		switch {
		case in.imm == int64(uint32(in.imm)):
			if in.d >= 8 {
				as.byte(0x41)
			}
			as.byte(0xb8 | byte(in.d&7))
			as.int32(int32(in.imm))
		case fits32(in.imm):
			as.rex(0, in, in.d, 0xc7)
			as.modRM(0, in, in.d, 1, 4)
			as.int32(int32(in.imm))
		default:
			as.byte(0x48|bit(in.d, 3), 0xb8|byte(in.d&7))
			as.buf = binary.LittleEndian.AppendUint64(as.buf, uint64(in.imm))
		}
	case opLoad:
		as.rex(in.d, in, 0, 0x8b)
		as.modRM(in.d, in, 0, 1, 0)
	case opStore:
		if in.isImm {
			as.rex(0, in, 0, 0xc7)
			as.modRM(0, in, 0, 1, 4)
			as.int32(int32(in.imm))
			return
		}
		as.rex(in.a, in, 0, 0x89)
		as.modRM(in.a, in, 0, 1, 0)
	case opLea:
		as.rex(in.d, in, 0, 0x8d)
		as.modRM(in.d, in, 0, 1, 0)
	case opAdd, opSub, opAnd, opOr, opXor, opCmp:
		r := in.d // the destination, which is the first source
		if in.op == opCmp {
			r = in.a
		}
		switch {
		case in.isImm:
			as.immediate(in, r, info.ext)
		case !in.isMem:
			as.rex(in.b, in, r, info.code-2)
			as.modRM(in.b, in, r, 1, 0)
		default:
			as.rex(r, in, in.b, info.code)
			as.modRM(r, in, in.b, 1, 0)
		}
	case opSubMem:
		as.immediate(in, 0, 5)
	case opTest:
		as.rex(in.b, in, in.a, 0x85)
		as.modRM(in.b, in, in.a, 1, 0)
	case opMul, opMulFlags:
		if in.isImm {
			rm := in.a
			code, tail := byte(0x69), 4
			if fits8(in.imm) {
				code, tail = 0x6b, 1
			}
			as.rex(in.d, in, rm, code)
			as.modRM(in.d, in, rm, 1, tail)
			if tail == 1 {
				as.byte(byte(in.imm))
			} else {
				as.int32(int32(in.imm))
			}
			return
		}
		as.rex(in.d, in, in.b, 0x0f, 0xaf)
		as.modRM(in.d, in, in.b, 1, 0)
	case opNeg:
		as.rex(0, in, in.d, 0xf7)
		as.modRM(3, in, in.d, 1, 0)
	case opShl, opSar, opShr:
		if in.isImm {
			if in.imm == 1 {
				as.rex(0, in, in.d, 0xd1)
				as.modRM(reg(info.ext), in, in.d, 1, 0)
				return
			}
			as.rex(0, in, in.d, 0xc1)
			as.modRM(reg(info.ext), in, in.d, 1, 1)
			as.byte(byte(in.imm))
			return
		}
		// shlx, sarx, shrx d, a, b
		as.vex(in.d, in, in.a, in.b, info.pp, 2, 1, 0)
		as.byte(0xf7)
		as.modRM(in.d, in, in.a, 1, 0)
	case opDivRem:
		as.rex(0, in, in.a, 0xf7)
		as.modRM(7, in, in.a, 1, 0)
	case opSignRdx:
		as.byte(0x48, 0x99)
	case opSet:
		if in.d >= 4 {
			as.byte(0x40 | bit(in.d, 3))
		}
		as.byte(0x0f, 0x90|in.cc.x86(), 0xc0|byte(in.d&7))
		// movzx d, d8
		if in.d >= 4 {
			as.byte(0x40 | bit(in.d, 3)<<2 | bit(in.d, 3))
		}
		as.byte(0x0f, 0xb6, 0xc0|byte(in.d&7)<<3|byte(in.d&7))
	case opCmov:
		as.rex(in.d, in, in.b, 0x0f, 0x40|in.cc.x86())
		as.modRM(in.d, in, in.b, 1, 0)
	case opJump:
		as.byte(0xe9)
		as.jump(in.to)
	case opJcc:
		as.byte(0x0f, 0x80|in.cc.x86())
		as.jump(in.to)
	case opJumpMem:
		if x, b := high(in, 0); x|b != 0 {
			as.byte(0x40 | x<<1 | b)
		}
		as.byte(0xff)
		as.modRM(4, in, 0, 1, 0)
	case opLeaLabel:
		as.byte(0x48|bit(in.d, 3)<<2, 0x8d, 0x05|byte(in.d&7)<<3)
		as.jump(in.to)
	case opRet:
		as.byte(0xc3)
	}
}

// immediate appends an arithmetic instruction with an immediate.
func (as x86asm) immediate(in *inst, r reg, ext uint8) {
	switch {
	case fits8(in.imm):
		as.rex(0, in, r, 0x83)
		as.modRM(reg(ext), in, r, 1, 1)
		as.byte(byte(in.imm))
	case r == rax && !in.isMem:
		as.byte(0x48, ext<<3|5)
		as.int32(int32(in.imm))
	default:
		as.rex(0, in, r, 0x81)
		as.modRM(reg(ext), in, r, 1, 4)
		as.int32(int32(in.imm))
	}
}

func (as x86asm) jump(to label) {
	at := int32(len(as.buf))
	as.jumps = append(roomier(as.jumps, 1), fixup{at, at + 4, int32(to)})
	as.int32(0)
}

// vex appends a VEX prefix: register field r, operand rm or memory, second source v.
func (as x86asm) vex(r reg, in *inst, rm, v reg, pp, mmm, w, l byte) {
	x, b := high(in, rm)
	vvvv := byte(0xf)
	if v >= 0 {
		vvvv = ^byte(v) & 0xf
	}
	rr := bit(r, 3)
	if x == 0 && b == 0 && mmm == 1 && w == 0 {
		as.byte(0xc5, (rr^1)<<7|vvvv<<3|l<<2|pp)
		return
	}
	as.byte(0xc4, (rr^1)<<7|(x^1)<<6|(b^1)<<5|mmm, w<<7|vvvv<<3|l<<2|pp)
}

// evex appends an EVEX prefix.
func (as x86asm) evex(r reg, in *inst, rm, v reg, flags x86Flags, pp, mmm, w, l byte) {
	x, b := high(in, rm)
	v4 := bit(v, 4)
	if !in.isMem {
		x = bit(rm, 4)
	} else if in.m.index != noReg && in.op == opVGather || in.op == opVScatter {
		v4 = bit(in.m.index, 4)
	}
	vvvv := byte(0xf)
	if v >= 0 {
		vvvv = ^byte(v) & 0xf
	}
	var k, z, bc byte
	if in.k != noReg {
		k = byte(in.k)
		if in.op != opVStore && in.op != opVGather && in.op != opVScatter && in.op != opVBlend && flags&giveMask == 0 && in.c == noReg {
			z = 1
		}
	}
	if in.isMem && in.m.bcast {
		bc = 1
	}
	as.byte(0x62, (bit(r, 3)^1)<<7|(x^1)<<6|(b^1)<<5|(bit(r, 4)^1)<<4|mmm,
		w<<7|vvvv<<3|4|pp, z<<7|l<<5|bc<<4|(v4^1)<<3|k)
}

// vector appends a vector instruction, with VEX if it can and EVEX if it must.
func (as x86asm) vector(in *inst, info *x86Info) {
	pp, mmm, code, flags := info.pp, info.mmm, info.code, info.flags
	scalar := in.w == 8
	var w byte
	if flags&wide != 0 {
		w = 1
	}
	long := in.w
	if scalar {
		switch {
		case flags&scalarF2 != 0:
			pp = 3
		case flags&scalarInc != 0:
			code++
		case in.op == opVRound:
			code = 0x0b
		}
		long = 16
	}
	// The operands: r in the register field, rm or memory, v in vvvv.
	r, rm, v := in.d, in.b, noReg
	switch info.form {
	case formRVM:
		v = in.a
	case formRM:
		if scalar && (in.op == opVSqrt || in.op == opVRound) {
			v = in.b // no dependency on an old value
		}
		if in.op == opVGather {
			v = noReg
		}
	case formMR:
		r, rm = in.a, in.d
		if in.op == opVMaskStore {
			v = in.c
		}
	case formVMI:
		r, rm, v = reg(info.ext), in.a, in.d
	}
	masked := in.k != noReg
	needs := in.w == 64 || masked || in.isMem && in.m.bcast || flags&noVEX != 0 || r >= 16 || rm >= 16 && !in.isMem || v >= 16 ||
		in.op == opVBlend && masked
	if in.op == opVGather && !masked {
		needs = false
	}
	tail := 0
	if flags&hasImm != 0 {
		tail = 1
	}
	if needs {
		n := int32(in.w)
		if flags&packed != 0 {
			n = int32(long)
		}
		if in.isMem && in.m.bcast || in.op == opVBroadcast || in.op == opVGather || in.op == opVScatter || in.op == opVFromG || in.op == opVToG {
			n = 8
		}
		switch in.op {
		case opVBlend:
			mmm, code = 2, 0x65
		case opVHigh:
			if in.w == 64 {
				code = 0x1b
			}
		}
		var l byte
		switch long {
		case 32:
			l = 1
		case 64:
			l = 2
		}
		as.evex(r, in, rm, v, info.flags, pp, mmm, 1, l)
		as.byte(code)
		as.modRM(r, in, rm, n, tail)
	} else {
		if in.op == opVBlend {
			mmm, code, tail = 3, 0x4b, 1
		}
		if in.op == opVGather {
			v = in.a // the mask
		}
		if in.op == opVMov && rm >= 8 && r < 8 { // the other direction is a byte shorter
			code, r, rm = 0x29, rm, r
		}
		as.vex(r, in, rm, v, pp, mmm, w, long>>5)
		as.byte(code)
		as.modRM(r, in, rm, 1, tail)
		if in.op == opVBlend {
			as.byte(byte(in.c) << 4)
			return
		}
	}
	if flags&hasImm != 0 {
		as.byte(byte(in.imm))
	}
}

func (as x86asm) maskOp(in *inst, info *x86Info) {
	switch in.op {
	case opKStore:
		as.vex(in.a, in, 0, noReg, 0, 1, 0, 0)
		as.byte(info.code)
		as.modRM(in.a, in, 0, 1, 0)
	case opKAnd, opKOr, opKXor:
		as.vex(in.d, in, in.b, in.a, 0, 1, 0, 1)
		as.byte(info.code)
		as.modRM(in.d, in, in.b, 1, 0)
	default:
		as.vex(in.d, in, in.a, noReg, 0, 1, 0, 0)
		as.byte(info.code)
		as.modRM(in.d, in, in.a, 1, 0)
	}
}

// x86 is the machine's number of a condition.
func (cc cond) x86() byte {
	switch cc &^ 1 {
	case ccAboveF:
		return byte(ccA ^ cc&1)
	case ccAtLeastF:
		return byte(ccAE ^ cc&1)
	}
	return byte(cc)
}
