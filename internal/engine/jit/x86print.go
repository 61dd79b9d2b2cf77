package jit

import (
	"fmt"
	"strconv"
	"strings"
)

var gprNames = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
var vecNames = map[uint8]string{8: "xmm", 16: "xmm", 32: "ymm", 64: "zmm"}

func gname(r reg) string {
	if r >= 0 && r < 16 {
		return gprNames[r]
	}
	return "g" + strconv.Itoa(int(r))
}

func vname(r reg, w uint8) string { return vecNames[w] + strconv.Itoa(int(r)) }
func kname(r reg) string          { return "k" + strconv.Itoa(int(r)) }

func (m *mem) text(w uint8, vsib bool) string {
	var b strings.Builder
	switch {
	case w == 8 || vsib:
		b.WriteString("qword ptr ")
	case w == 2:
		b.WriteString("word ptr ")
	default:
		b.WriteString(vecNames[w] + "word ptr ")
	}
	b.WriteByte('[')
	switch m.base {
	case poolBase:
		b.WriteString("rip+pool")
	case noReg:
	default:
		b.WriteString(gname(m.base))
	}
	if m.index != noReg {
		name := gname(m.index)
		if vsib {
			name = vname(m.index, w)
		}
		fmt.Fprintf(&b, "+%s*%d", name, m.scale)
	}
	if m.disp != 0 || m.base == noReg {
		fmt.Fprintf(&b, "%+d", m.disp)
	}
	b.WriteByte(']')
	return b.String()
}

var gprName8 = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}

var x86Conds = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// x86 is the instruction in Intel's syntax, as GNU as reads it.
func (in *inst) x86() string {
	info := &x86Ops[in.op]
	rm := func() string {
		if in.isMem {
			return in.m.text(8, false)
		}
		if in.isImm {
			return strconv.FormatInt(in.imm, 10)
		}
		return gname(in.b)
	}
	switch in.op {
	case opMov:
		return "mov " + gname(in.d) + ", " + gname(in.a)
	case opMovImm:
		if in.imm == int64(uint32(in.imm)) {
			return fmt.Sprintf("mov %s, %d", gname32(in.d), in.imm)
		}
		return fmt.Sprintf("mov %s, %d", gname(in.d), in.imm)
	case opLoad:
		return "mov " + gname(in.d) + ", " + in.m.text(8, false)
	case opStore:
		if in.isImm {
			return fmt.Sprintf("mov %s, %d", in.m.text(8, false), in.imm)
		}
		return "mov " + in.m.text(8, false) + ", " + gname(in.a)
	case opLea:
		return "lea " + gname(in.d) + ", " + strings.TrimPrefix(in.m.text(8, false), "qword ptr ")
	case opAdd, opSub, opAnd, opOr, opXor:
		return info.name + " " + gname(in.d) + ", " + rm()
	case opMul, opMulFlags:
		if in.isImm {
			return fmt.Sprintf("imul %s, %s, %d", gname(in.d), gname(in.a), in.imm)
		}
		return "imul " + gname(in.d) + ", " + rm()
	case opCmp:
		return "cmp " + gname(in.a) + ", " + rm()
	case opSubMem:
		return fmt.Sprintf("sub %s, %d", in.m.text(8, false), in.imm)
	case opTest:
		return "test " + gname(in.a) + ", " + gname(in.b)
	case opNeg:
		return "neg " + gname(in.d)
	case opShl, opSar, opShr:
		if in.isImm {
			return fmt.Sprintf("%s %s, %d", info.name, gname(in.d), in.imm)
		}
		return fmt.Sprintf("%sx %s, %s, %s", info.name, gname(in.d), gname(in.a), gname(in.b))
	case opDivRem:
		return "idiv " + gname(in.a)
	case opSet:
		return fmt.Sprintf("set%s %s; movzx %s, %[2]s", x86Conds[in.cc.x86()], gprName8[in.d&15], gname32(in.d))
	case opCmov:
		return "cmov" + x86Conds[in.cc.x86()] + " " + gname(in.d) + ", " + rm()
	case opJump:
		return fmt.Sprintf("jmp %s", in.to)
	case opJcc:
		return fmt.Sprintf("j%s %s", x86Conds[in.cc.x86()], in.to)
	case opJumpMem:
		return "jmp " + in.m.text(8, false)
	case opLeaLabel:
		return fmt.Sprintf("lea %s, [rip+%s]", gname(in.d), in.to)
	case opSignRdx, opRet, opVZeroUpper:
		return info.name
	}
	if info.form == formK {
		return in.maskText(info)
	}
	return in.vectorText(info)
}

func gname32(r reg) string {
	if r >= 8 {
		return gname(r) + "d"
	}
	return "e" + gname(r)[1:]
}

func (in *inst) maskText(info *x86Info) string {
	switch in.op {
	case opKLoad:
		return "kmovw " + kname(in.d) + ", " + in.m.text(2, false)
	case opKStore:
		return "kmovw " + in.m.text(2, false) + ", " + kname(in.a)
	case opKFromG:
		return "kmovw " + kname(in.d) + ", " + gname32(in.a)
	case opKToG:
		return "kmovw " + gname32(in.d) + ", " + kname(in.a)
	case opKMov, opKNot:
		return info.name + " " + kname(in.d) + ", " + kname(in.a)
	}
	return info.name + " " + kname(in.d) + ", " + kname(in.a) + ", " + kname(in.b)
}

func (in *inst) vectorText(info *x86Info) string {
	name, w := info.name, in.w
	scalar := w == 8
	masked := in.k != noReg
	switch {
	case info.flags&(scalarF2|scalarInc) != 0 || in.op == opVRound || in.op == opVUcomi:
		if scalar || in.op == opVUcomi {
			name += "sd"
		} else {
			name += "pd"
		}
	case info.flags&packed != 0 && info.mmm == 1 && info.code >= 0x54 && info.code <= 0x57:
		name += "pd"
	}
	evex := in.w == 64 || masked || in.isMem && in.m.bcast || in.d >= 16 || in.a >= 16 || in.b >= 16
	switch in.op {
	case opVLoad, opVStore:
		if scalar {
			name = "vmovsd"
		} else {
			name = "vmovupd"
		}
	case opVRound:
		if evex {
			name = strings.Replace(name, "vround", "vrndscale", 1)
		}
	case opVBlend:
		name = "vblendvpd"
		if masked {
			name = "vblendmpd"
		}
	case opVHigh:
		switch {
		case w == 64:
			name = "vextractf64x4"
		case evex:
			name = "vextractf64x2"
		default:
			name = "vextractf128"
		}
	}
	if scalar && info.flags&packed != 0 {
		w = 16
	}
	v := func(r reg) string { return vname(r, w) }
	memory := func() string {
		mw := w
		if in.m.bcast || in.op == opVBroadcast || in.op == opVUcomi {
			mw = 8
		}
		s := in.m.text(mw, false)
		if in.m.bcast {
			s += map[uint8]string{16: "{1to2}", 32: "{1to4}", 64: "{1to8}"}[w]
		}
		return s
	}
	b := ""
	if in.isMem {
		b = memory()
	} else if in.b >= 0 {
		b = v(in.b)
	}
	under := ""
	if masked {
		under = "{" + kname(in.k) + "}"
	}
	imm := ""
	if info.flags&hasImm != 0 {
		imm = fmt.Sprintf(", %d", in.imm)
	}
	switch in.op {
	case opVSqrt, opVRound:
		if scalar {
			return name + " " + v(in.d) + ", " + v(in.b) + ", " + b + imm
		}
	case opVUcomi:
		return name + " " + vname(in.d, 8) + ", " + b
	case opVCmpK, opVCmpI:
		return name + " " + kname(in.d) + under + ", " + v(in.a) + ", " + b + imm
	case opVBlend:
		if !masked {
			return name + " " + v(in.d) + ", " + v(in.a) + ", " + b + ", " + v(in.c)
		}
		return name + " " + v(in.d) + under + ", " + v(in.a) + ", " + b
	case opVFromG:
		return name + " " + vname(in.d, 16) + ", " + gname(in.b)
	case opVToG:
		return name + " " + gname(in.d) + ", " + vname(in.a, 16)
	case opVRealG:
		return name + " " + vname(in.d, 16) + ", " + vname(in.a, 16) + ", " + gname(in.b)
	case opVIntG:
		return name + " " + gname(in.d) + ", " + vname(in.b, 16)
	case opVMoveMask:
		return name + " " + gname32(in.d) + ", " + v(in.b)
	case opVBroadcast:
		if !in.isMem {
			b = vname(in.b, 16)
		}
		return name + " " + v(in.d) + ", " + b
	case opVGather:
		if masked {
			return name + " " + v(in.d) + under + ", " + in.m.text(w, true)
		}
		return name + " " + v(in.d) + ", " + in.m.text(w, true) + ", " + v(in.a)
	case opVScatter:
		return name + " " + in.m.text(w, true) + under + ", " + v(in.a)
	case opVMaskStore:
		return name + " " + in.m.text(w, false) + ", " + v(in.c) + ", " + v(in.a)
	case opVHigh:
		return name + " " + vname(in.d, w/2) + ", " + v(in.a) + imm
	}
	zero := ""
	if masked && in.c == noReg {
		zero = "{z}"
	}
	switch info.form {
	case formRM:
		return name + " " + v(in.d) + under + zero + ", " + b + imm
	case formMR:
		return name + " " + in.m.text(w, false) + under + ", " + v(in.a)
	case formVMI:
		return name + " " + v(in.d) + ", " + v(in.a) + imm
	}
	return name + " " + v(in.d) + under + zero + ", " + v(in.a) + ", " + b + imm
}
