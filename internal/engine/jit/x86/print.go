package x86

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

var gprNames = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9",
	"r10", "r11", "r12", "r13", "r14", "r15"}
var vecNames = map[uint8]string{8: "xmm", 16: "xmm", 32: "ymm", 64: "zmm"}

func gname(r ir.Reg) string {
	if r >= 0 && r < 16 {
		return gprNames[r]
	}
	return "g" + strconv.Itoa(int(r))
}

func vname(r ir.Reg, w uint8) string { return vecNames[w] + strconv.Itoa(int(r)) }
func kname(r ir.Reg) string          { return "k" + strconv.Itoa(int(r)) }

// memText is a memory operand of w bytes; vsib says that its index is a vector.
func memText(m *ir.Mem, w uint8, vsib bool) string {
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
	switch m.Base {
	case ir.PoolBase:
		b.WriteString("rip+pool")
	case ir.NoReg:
	default:
		b.WriteString(gname(m.Base))
	}
	if m.Index != ir.NoReg {
		name := gname(m.Index)
		if vsib {
			name = vname(m.Index, w)
		}
		fmt.Fprintf(&b, "+%s*%d", name, m.Scale)
	}
	if m.Disp != 0 || m.Base == ir.NoReg {
		fmt.Fprintf(&b, "%+d", m.Disp)
	}
	b.WriteByte(']')
	return b.String()
}

var gprName8 = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b",
	"r11b", "r12b", "r13b", "r14b", "r15b"}

var x86Conds = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l",
	"ge", "le", "g"}

// intel gives an instruction in Intel's syntax, as GNU as reads it.
func intel(in *ir.Inst) string {
	info := &x86Ops[in.Op]
	rm := func() string {
		if in.IsMem {
			return memText(&in.M, 8, false)
		}
		if in.IsImm {
			return strconv.FormatInt(in.Imm, 10)
		}
		return gname(in.B)
	}
	switch in.Op {
	case ir.OpMov:
		return "mov " + gname(in.D) + ", " + gname(in.A)
	case ir.OpMovImm:
		if in.Imm == int64(uint32(in.Imm)) {
			return fmt.Sprintf("mov %s, %d", gname32(in.D), in.Imm)
		}
		return fmt.Sprintf("mov %s, %d", gname(in.D), in.Imm)
	case ir.OpLoad:
		return "mov " + gname(in.D) + ", " + memText(&in.M, 8, false)
	case ir.OpStore:
		if in.IsImm {
			return fmt.Sprintf("mov %s, %d", memText(&in.M, 8, false), in.Imm)
		}
		return "mov " + memText(&in.M, 8, false) + ", " + gname(in.A)
	case ir.OpLea:
		return "lea " + gname(in.D) + ", " +
			strings.TrimPrefix(memText(&in.M, 8, false), "qword ptr ")
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor:
		return info.name + " " + gname(in.D) + ", " + rm()
	case ir.OpMul, ir.OpMulFlags:
		if in.IsImm {
			return fmt.Sprintf("imul %s, %s, %d", gname(in.D), gname(in.A), in.Imm)
		}
		return "imul " + gname(in.D) + ", " + rm()
	case ir.OpCmp:
		return "cmp " + gname(in.A) + ", " + rm()
	case ir.OpSubMem:
		return fmt.Sprintf("sub %s, %d", memText(&in.M, 8, false), in.Imm)
	case ir.OpTest:
		return "test " + gname(in.A) + ", " + gname(in.B)
	case ir.OpNeg:
		return "neg " + gname(in.D)
	case ir.OpShl, ir.OpSar, ir.OpShr:
		if in.IsImm {
			return fmt.Sprintf("%s %s, %d", info.name, gname(in.D), in.Imm)
		}
		return fmt.Sprintf("%sx %s, %s, %s", info.name, gname(in.D), gname(in.A), gname(in.B))
	case ir.OpDivRem:
		return "idiv " + gname(in.A)
	case ir.OpSet:
		return fmt.Sprintf("set%s %s; movzx %s, %[2]s", x86Conds[condition(in.CC)],
			gprName8[in.D&15], gname32(in.D))
	case ir.OpCmov:
		return "cmov" + x86Conds[condition(in.CC)] + " " + gname(in.D) + ", " + rm()
	case ir.OpJump:
		return fmt.Sprintf("jmp %s", in.To)
	case ir.OpJcc:
		return fmt.Sprintf("j%s %s", x86Conds[condition(in.CC)], in.To)
	case ir.OpJumpMem:
		return "jmp " + memText(&in.M, 8, false)
	case ir.OpLeaLabel:
		return fmt.Sprintf("lea %s, [rip+%s]", gname(in.D), in.To)
	case ir.OpSignRdx, ir.OpRet, ir.OpVZeroUpper:
		return info.name
	}
	if info.form == formK {
		return maskText(in, info)
	}
	return vectorText(in, info)
}

func gname32(r ir.Reg) string {
	if r >= 8 {
		return gname(r) + "d"
	}
	return "e" + gname(r)[1:]
}

func maskText(in *ir.Inst, info *x86Info) string {
	switch in.Op {
	case ir.OpKLoad:
		return "kmovw " + kname(in.D) + ", " + memText(&in.M, 2, false)
	case ir.OpKStore:
		return "kmovw " + memText(&in.M, 2, false) + ", " + kname(in.A)
	case ir.OpKFromG:
		return "kmovw " + kname(in.D) + ", " + gname32(in.A)
	case ir.OpKToG:
		return "kmovw " + gname32(in.D) + ", " + kname(in.A)
	case ir.OpKMov, ir.OpKNot:
		return info.name + " " + kname(in.D) + ", " + kname(in.A)
	}
	return info.name + " " + kname(in.D) + ", " + kname(in.A) + ", " + kname(in.B)
}

func vectorText(in *ir.Inst, info *x86Info) string {
	name, w := info.name, in.W
	scalar := w == 8
	masked := in.K != ir.NoReg
	switch {
	case info.flags&(scalarF2|scalarInc) != 0 || in.Op == ir.OpVRound || in.Op == ir.OpVUcomi:
		if scalar || in.Op == ir.OpVUcomi {
			name += "sd"
		} else {
			name += "pd"
		}
	case info.flags&packed != 0 && info.mmm == 1 && info.code >= 0x54 && info.code <= 0x57:
		name += "pd"
	}
	evex := in.W == 64 || masked || in.IsMem && in.M.Broadcast || in.D >= 16 || in.A >= 16 ||
		in.B >= 16
	switch in.Op {
	case ir.OpVLoad, ir.OpVStore:
		if scalar {
			name = "vmovsd"
		} else {
			name = "vmovupd"
		}
	case ir.OpVRound:
		if evex {
			name = strings.Replace(name, "vround", "vrndscale", 1)
		}
	case ir.OpVBlend:
		name = "vblendvpd"
		if masked {
			name = "vblendmpd"
		}
	case ir.OpVHigh:
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
	v := func(r ir.Reg) string { return vname(r, w) }
	memory := func() string {
		mw := w
		if in.M.Broadcast || in.Op == ir.OpVBroadcast || in.Op == ir.OpVUcomi {
			mw = 8
		}
		s := memText(&in.M, mw, false)
		if in.M.Broadcast {
			s += map[uint8]string{16: "{1to2}", 32: "{1to4}", 64: "{1to8}"}[w]
		}
		return s
	}
	b := ""
	if in.IsMem {
		b = memory()
	} else if in.B >= 0 {
		b = v(in.B)
	}
	under := ""
	if masked {
		under = "{" + kname(in.K) + "}"
	}
	imm := ""
	if info.flags&hasImm != 0 {
		imm = fmt.Sprintf(", %d", in.Imm)
	}
	switch in.Op {
	case ir.OpVSqrt, ir.OpVRound:
		if scalar {
			return name + " " + v(in.D) + ", " + v(in.B) + ", " + b + imm
		}
	case ir.OpVUcomi:
		return name + " " + vname(in.D, 8) + ", " + b
	case ir.OpVCmpK, ir.OpVCmpI:
		return name + " " + kname(in.D) + under + ", " + v(in.A) + ", " + b + imm
	case ir.OpVBlend:
		if !masked {
			return name + " " + v(in.D) + ", " + v(in.A) + ", " + b + ", " + v(in.C)
		}
		return name + " " + v(in.D) + under + ", " + v(in.A) + ", " + b
	case ir.OpVFromG:
		return name + " " + vname(in.D, 16) + ", " + gname(in.B)
	case ir.OpVToG:
		return name + " " + gname(in.D) + ", " + vname(in.A, 16)
	case ir.OpVRealG:
		return name + " " + vname(in.D, 16) + ", " + vname(in.A, 16) + ", " + gname(in.B)
	case ir.OpVIntG:
		return name + " " + gname(in.D) + ", " + vname(in.B, 16)
	case ir.OpVMoveMask:
		return name + " " + gname32(in.D) + ", " + v(in.B)
	case ir.OpVBroadcast:
		if !in.IsMem {
			b = vname(in.B, 16)
		}
		return name + " " + v(in.D) + ", " + b
	case ir.OpVGather:
		if masked {
			return name + " " + v(in.D) + under + ", " + memText(&in.M, w, true)
		}
		return name + " " + v(in.D) + ", " + memText(&in.M, w, true) + ", " + v(in.A)
	case ir.OpVScatter:
		return name + " " + memText(&in.M, w, true) + under + ", " + v(in.A)
	case ir.OpVMaskStore:
		return name + " " + memText(&in.M, w, false) + ", " + v(in.C) + ", " + v(in.A)
	case ir.OpVHigh:
		return name + " " + vname(in.D, w/2) + ", " + v(in.A) + imm
	}
	zero := ""
	if masked && in.C == ir.NoReg {
		zero = "{z}"
	}
	switch info.form {
	case formRM:
		return name + " " + v(in.D) + under + zero + ", " + b + imm
	case formMR:
		return name + " " + memText(&in.M, w, false) + under + ", " + v(in.A)
	case formVMI:
		return name + " " + v(in.D) + ", " + v(in.A) + imm
	}
	return name + " " + v(in.D) + under + zero + ", " + v(in.A) + ", " + b + imm
}
