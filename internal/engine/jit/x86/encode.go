package x86

import (
	"encoding/binary"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
)

// x86asm turns instructions of amd64 on machine registers into bytes.
type x86asm struct{ *emit.Assembler }

func (as x86asm) byte(b ...byte) { as.Buf = append(as.Buf, b...) }
func (as x86asm) int32(n int32)  { as.Buf = binary.LittleEndian.AppendUint32(as.Buf, uint32(n)) }

// encode appends one instruction.
func (as x86asm) encode(in *ir.Inst) {
	info := &x86Ops[in.Op]
	switch {
	case in.Op == ir.OpVZeroUpper:
		as.byte(0xc5, 0xf8, 0x77)
	case info.form == formG:
		as.general(in)
	case info.form == formK:
		as.maskOp(in, info)
	case info.form == formNone:
		panic("jit: " + strconv.Itoa(int(in.Op)) + " cannot be encoded")
	default:
		as.vector(in, info)
	}
}

var nops = [...][]byte{{}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00}, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0, 0, 0, 0}, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}

func (as x86asm) align(n int) {
	for gap := -len(as.Buf) & (n - 1); gap > 0; {
		k := min(gap, len(nops)-1)
		as.byte(nops[k]...)
		gap -= k
	}
}

func bit(r ir.Reg, n uint) byte {
	if r < 0 {
		return 0
	}
	return byte(r>>n) & 1
}

func fits8(n int64) bool { return n == int64(int8(n)) }

// modRM appends the operand byte and what follows it for the register field r and the operand rm
// or, if isMem, m. A displacement that is a multiple of n within 127 n is one byte. tail is the
// number of bytes that follow the operand.
func (as x86asm) modRM(r ir.Reg, in *ir.Inst, rm ir.Reg, n int32, tail int) {
	field := byte(r&7) << 3
	if !in.IsMem {
		as.byte(0xc0 | field | byte(rm&7))
		return
	}
	m := &in.M
	if m.Base == ir.PoolBase {
		as.byte(0x05 | field)
		at := int32(len(as.Buf))
		as.Consts = append(reuse.Roomier(as.Consts, 1),
			emit.Fixup{At: at, End: at + 4 + int32(tail), To: m.Disp})
		as.int32(0)
		return
	}
	var mod byte
	short := m.Disp%n == 0 && fits8(int64(m.Disp/n))
	switch {
	case m.Base == ir.NoReg:
		short = false
	case m.Disp == 0 && m.Base&7 != rbp:
	case short:
		mod = 0x40
	default:
		mod = 0x80
	}
	if m.Index != ir.NoReg || m.Base&7 == rsp || m.Base == ir.NoReg {
		index, base := byte(4), byte(5)
		if m.Index != ir.NoReg {
			index = byte(m.Index & 7)
		}
		if m.Base != ir.NoReg {
			base = byte(m.Base & 7)
		}
		var log byte
		for s := m.Scale; s > 1; s >>= 1 {
			log++
		}
		as.byte(mod|field|4, log<<6|index<<3|base)
	} else {
		as.byte(mod | field | byte(m.Base&7))
	}
	switch {
	case m.Base == ir.NoReg || mod == 0x80:
		as.int32(m.Disp)
	case mod == 0x40:
		as.byte(byte(m.Disp / n))
	}
}

// high gives bit 3 of the operand's index and of its base or register.
func high(in *ir.Inst, rm ir.Reg) (x, b byte) {
	if in.IsMem {
		return bit(in.M.Index, 3), bit(in.M.Base, 3)
	}
	return 0, bit(rm, 3)
}

// rex appends a REX.W prefix and opcode bytes for a general instruction.
func (as x86asm) rex(r ir.Reg, in *ir.Inst, rm ir.Reg, code ...byte) {
	x, b := high(in, rm)
	as.byte(0x48 | bit(r, 3)<<2 | x<<1 | b)
	as.byte(code...)
}

func (as x86asm) general(in *ir.Inst) {
	info := &x86Ops[in.Op]
	switch in.Op {
	case ir.OpMov:
		as.rex(in.A, in, in.D, 0x89)
		as.modRM(in.A, in, in.D, 1, 0)
	case ir.OpMovImm:
		switch {
		case in.Imm == int64(uint32(in.Imm)):
			if in.D >= 8 {
				as.byte(0x41)
			}
			as.byte(0xb8 | byte(in.D&7))
			as.int32(int32(in.Imm))
		case ir.Fits32(in.Imm):
			as.rex(0, in, in.D, 0xc7)
			as.modRM(0, in, in.D, 1, 4)
			as.int32(int32(in.Imm))
		default:
			as.byte(0x48|bit(in.D, 3), 0xb8|byte(in.D&7))
			as.Buf = binary.LittleEndian.AppendUint64(as.Buf, uint64(in.Imm))
		}
	case ir.OpLoad:
		as.rex(in.D, in, 0, 0x8b)
		as.modRM(in.D, in, 0, 1, 0)
	case ir.OpStore:
		if in.IsImm {
			as.rex(0, in, 0, 0xc7)
			as.modRM(0, in, 0, 1, 4)
			as.int32(int32(in.Imm))
			return
		}
		as.rex(in.A, in, 0, 0x89)
		as.modRM(in.A, in, 0, 1, 0)
	case ir.OpLea:
		as.rex(in.D, in, 0, 0x8d)
		as.modRM(in.D, in, 0, 1, 0)
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpCmp:
		r := in.D // the destination, which is the first source
		if in.Op == ir.OpCmp {
			r = in.A
		}
		switch {
		case in.IsImm:
			as.immediate(in, r, info.ext)
		case !in.IsMem:
			as.rex(in.B, in, r, info.code-2)
			as.modRM(in.B, in, r, 1, 0)
		default:
			as.rex(r, in, in.B, info.code)
			as.modRM(r, in, in.B, 1, 0)
		}
	case ir.OpSubMem:
		as.immediate(in, 0, 5)
	case ir.OpTest:
		as.rex(in.B, in, in.A, 0x85)
		as.modRM(in.B, in, in.A, 1, 0)
	case ir.OpMul, ir.OpMulFlags:
		if in.IsImm {
			rm := in.A
			code, tail := byte(0x69), 4
			if fits8(in.Imm) {
				code, tail = 0x6b, 1
			}
			as.rex(in.D, in, rm, code)
			as.modRM(in.D, in, rm, 1, tail)
			if tail == 1 {
				as.byte(byte(in.Imm))
			} else {
				as.int32(int32(in.Imm))
			}
			return
		}
		as.rex(in.D, in, in.B, 0x0f, 0xaf)
		as.modRM(in.D, in, in.B, 1, 0)
	case ir.OpNeg:
		as.rex(0, in, in.D, 0xf7)
		as.modRM(3, in, in.D, 1, 0)
	case ir.OpShl, ir.OpSar, ir.OpShr:
		if in.IsImm {
			if in.Imm == 1 {
				as.rex(0, in, in.D, 0xd1)
				as.modRM(ir.Reg(info.ext), in, in.D, 1, 0)
				return
			}
			as.rex(0, in, in.D, 0xc1)
			as.modRM(ir.Reg(info.ext), in, in.D, 1, 1)
			as.byte(byte(in.Imm))
			return
		}
		// shlx, sarx, shrx d, a, b
		as.vex(in.D, in, in.A, in.B, info.pp, 2, 1, 0)
		as.byte(0xf7)
		as.modRM(in.D, in, in.A, 1, 0)
	case ir.OpDivRem:
		as.rex(0, in, in.A, 0xf7)
		as.modRM(7, in, in.A, 1, 0)
	case ir.OpSignRdx:
		as.byte(0x48, 0x99)
	case ir.OpSet:
		if in.D >= 4 {
			as.byte(0x40 | bit(in.D, 3))
		}
		as.byte(0x0f, 0x90|condition(in.CC), 0xc0|byte(in.D&7))
		// movzx d, d8
		if in.D >= 4 {
			as.byte(0x40 | bit(in.D, 3)<<2 | bit(in.D, 3))
		}
		as.byte(0x0f, 0xb6, 0xc0|byte(in.D&7)<<3|byte(in.D&7))
	case ir.OpCmov:
		as.rex(in.D, in, in.B, 0x0f, 0x40|condition(in.CC))
		as.modRM(in.D, in, in.B, 1, 0)
	case ir.OpJump:
		as.byte(0xe9)
		as.jump(in.To)
	case ir.OpJcc:
		as.byte(0x0f, 0x80|condition(in.CC))
		as.jump(in.To)
	case ir.OpJumpMem:
		if x, b := high(in, 0); x|b != 0 {
			as.byte(0x40 | x<<1 | b)
		}
		as.byte(0xff)
		as.modRM(4, in, 0, 1, 0)
	case ir.OpLeaLabel:
		as.byte(0x48|bit(in.D, 3)<<2, 0x8d, 0x05|byte(in.D&7)<<3)
		as.jump(in.To)
	case ir.OpRet:
		as.byte(0xc3)
	}
}

// immediate appends an arithmetic instruction with an immediate.
func (as x86asm) immediate(in *ir.Inst, r ir.Reg, ext uint8) {
	switch {
	case fits8(in.Imm):
		as.rex(0, in, r, 0x83)
		as.modRM(ir.Reg(ext), in, r, 1, 1)
		as.byte(byte(in.Imm))
	case r == rax && !in.IsMem:
		as.byte(0x48, ext<<3|5)
		as.int32(int32(in.Imm))
	default:
		as.rex(0, in, r, 0x81)
		as.modRM(ir.Reg(ext), in, r, 1, 4)
		as.int32(int32(in.Imm))
	}
}

func (as x86asm) jump(to ir.Label) {
	at := int32(len(as.Buf))
	as.Jumps = append(reuse.Roomier(as.Jumps, 1), emit.Fixup{At: at, End: at + 4, To: int32(to)})
	as.int32(0)
}

// vex appends a VEX prefix: register field r, operand rm or memory, second source v.
func (as x86asm) vex(r ir.Reg, in *ir.Inst, rm, v ir.Reg, pp, mmm, w, l byte) {
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
func (as x86asm) evex(r ir.Reg, in *ir.Inst, rm, v ir.Reg, flags x86Flags, pp, mmm, w, l byte) {
	x, b := high(in, rm)
	v4 := bit(v, 4)
	if !in.IsMem {
		x = bit(rm, 4)
	} else if in.M.Index != ir.NoReg && in.Op == ir.OpVGather || in.Op == ir.OpVScatter {
		v4 = bit(in.M.Index, 4)
	}
	vvvv := byte(0xf)
	if v >= 0 {
		vvvv = ^byte(v) & 0xf
	}
	var k, z, bc byte
	if in.K != ir.NoReg {
		k = byte(in.K)
		if in.Op != ir.OpVStore && in.Op != ir.OpVGather && in.Op != ir.OpVScatter &&
			in.Op != ir.OpVBlend && flags&giveMask == 0 && in.C == ir.NoReg {
			z = 1
		}
	}
	if in.IsMem && in.M.Broadcast {
		bc = 1
	}
	as.byte(0x62, (bit(r, 3)^1)<<7|(x^1)<<6|(b^1)<<5|(bit(r, 4)^1)<<4|mmm,
		w<<7|vvvv<<3|4|pp, z<<7|l<<5|bc<<4|(v4^1)<<3|k)
}

// vector appends a vector instruction, with VEX if it can and EVEX if it must.
func (as x86asm) vector(in *ir.Inst, info *x86Info) {
	pp, mmm, code, flags := info.pp, info.mmm, info.code, info.flags
	scalar := in.W == 8
	var w byte
	if flags&wide != 0 {
		w = 1
	}
	long := in.W
	if scalar {
		switch {
		case flags&scalarF2 != 0:
			pp = 3
		case flags&scalarInc != 0:
			code++
		case in.Op == ir.OpVRound:
			code = 0x0b
		}
		long = 16
	}
	// The operands: r in the register field, rm or memory, v in vvvv.
	r, rm, v := in.D, in.B, ir.NoReg
	switch info.form {
	case formRVM:
		v = in.A
	case formRM:
		if scalar && (in.Op == ir.OpVSqrt || in.Op == ir.OpVRound) {
			v = in.B // no dependency on an old value
		}
		if in.Op == ir.OpVGather {
			v = ir.NoReg
		}
	case formMR:
		r, rm = in.A, in.D
		if in.Op == ir.OpVMaskStore {
			v = in.C
		}
	case formVMI:
		r, rm, v = ir.Reg(info.ext), in.A, in.D
	}
	masked := in.K != ir.NoReg
	needs := in.W == 64 || masked || in.IsMem && in.M.Broadcast || flags&noVEX != 0 || r >= 16 ||
		rm >= 16 && !in.IsMem || v >= 16 ||
		in.Op == ir.OpVBlend && masked
	if in.Op == ir.OpVGather && !masked {
		needs = false
	}
	tail := 0
	if flags&hasImm != 0 {
		tail = 1
	}
	if needs {
		n := int32(in.W)
		if flags&packed != 0 {
			n = int32(long)
		}
		if in.IsMem && in.M.Broadcast || in.Op == ir.OpVBroadcast || in.Op == ir.OpVGather ||
			in.Op == ir.OpVScatter || in.Op == ir.OpVFromG || in.Op == ir.OpVToG {
			n = 8
		}
		switch in.Op {
		case ir.OpVBlend:
			mmm, code = 2, 0x65
		case ir.OpVHigh:
			if in.W == 64 {
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
		if in.Op == ir.OpVBlend {
			mmm, code, tail = 3, 0x4b, 1
		}
		if in.Op == ir.OpVGather {
			v = in.A // the mask
		}
		if in.Op == ir.OpVMov && rm >= 8 && r < 8 { // the other direction is a byte shorter
			code, r, rm = 0x29, rm, r
		}
		as.vex(r, in, rm, v, pp, mmm, w, long>>5)
		as.byte(code)
		as.modRM(r, in, rm, 1, tail)
		if in.Op == ir.OpVBlend {
			as.byte(byte(in.C) << 4)
			return
		}
	}
	if flags&hasImm != 0 {
		as.byte(byte(in.Imm))
	}
}

func (as x86asm) maskOp(in *ir.Inst, info *x86Info) {
	switch in.Op {
	case ir.OpKStore:
		as.vex(in.A, in, 0, ir.NoReg, 0, 1, 0, 0)
		as.byte(info.code)
		as.modRM(in.A, in, 0, 1, 0)
	case ir.OpKAnd, ir.OpKOr, ir.OpKXor:
		as.vex(in.D, in, in.B, in.A, 0, 1, 0, 1)
		as.byte(info.code)
		as.modRM(in.D, in, in.B, 1, 0)
	default:
		as.vex(in.D, in, in.A, ir.NoReg, 0, 1, 0, 0)
		as.byte(info.code)
		as.modRM(in.D, in, in.A, 1, 0)
	}
}

// condition is the machine's number of a condition.
func condition(cc ir.Cond) byte {
	switch cc &^ 1 {
	case ir.CCAboveF:
		return byte(ir.CCA ^ cc&1)
	case ir.CCAtLeastF:
		return byte(ir.CCAE ^ cc&1)
	}
	return byte(cc)
}
