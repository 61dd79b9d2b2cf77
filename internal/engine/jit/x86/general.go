package x86

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// moveGeneral copies a general register that has a register or is in memory.
func (e *x86) moveGeneral(to, from ir.Reg) {
	d, a := e.At(to), e.At(from)
	switch {
	case d != ir.NoReg && a != ir.NoReg:
		e.move(ir.GPR, 8, d, a)
	case d != ir.NoReg:
		e.load(d, from)
	default:
		e.store(to, e.fetch(from, 0))
	}
}

func (e *x86) general(in *ir.Inst) {
	out := *in
	switch in.Op {
	case ir.OpMov:
		e.moveGeneral(in.D, in.A)
		return
	case ir.OpMovImm, ir.OpSet:
	case ir.OpLoad, ir.OpLea:
		out.M = e.address(in.M, false, false)
	case ir.OpStore:
		out.M = e.address(in.M, !in.IsImm && e.At(in.A) == ir.NoReg, false)
		if !in.IsImm {
			out.A = e.fetch(in.A, 1)
		}
		e.put(&out)
		return
	case ir.OpCmp:
		if in.IsMem {
			out.M = e.address(in.M, false, false)
		}
		out.A = e.fetch(in.A, 0)
		e.operand(&out, 1)
		e.put(&out)
		return
	case ir.OpTest:
		out.A = e.fetch(in.A, 0)
		out.B = out.A
		e.put(&out)
		return
	case ir.OpCmov:
		e.cmov(&out)
		return
	case ir.OpShl, ir.OpSar, ir.OpShr:
		if in.IsImm {
			e.unary(&out)
			return
		}
		out.A, out.B = e.fetch(in.A, 0), e.fetch(in.B, 1)
	case ir.OpNeg:
		e.unary(&out)
		return
	case ir.OpMul:
		if !in.IsImm {
			e.binary(&out)
			return
		}
		out.A = e.fetch(in.A, 0)
	default:
		e.binary(&out)
		return
	}
	out.D = e.result(in.D, 0)
	e.put(&out)
	e.done(in.D, out.D)
}

// operand puts b into an instruction: its register, or memory.
func (e *x86) operand(in *ir.Inst, n int) {
	if in.IsImm || in.IsMem {
		return
	}
	if p := e.At(in.B); p != ir.NoReg {
		in.B = p
		return
	}
	if v := e.Code.Reg(in.B); v.Class == ir.GPR && v.Home == ir.HomeConst {
		in.B = e.fetch(in.B, n)
		return
	}
	in.IsMem, in.M, in.B = true, e.memory(in.B, in.W), ir.NoReg
}

// unary emits d = op a where the machine has d = op d. It changes the instruction, as binary and
// cmov do.
func (e *x86) unary(in *ir.Inst) {
	to := in.D
	in.D = e.result(to, 0)
	if a := e.At(in.A); a != ir.NoReg {
		e.move(ir.GPR, 8, in.D, a)
	} else {
		e.load(in.D, in.A)
	}
	e.put(in)
	e.done(to, in.D)
}

// binary emits d = a op b where the machine has d op= b.
func (e *x86) binary(in *ir.Inst) {
	d, a := e.At(in.D), e.At(in.A)
	if !in.IsImm && in.Op.Is(ir.Commutes) && (a == ir.NoReg || d != ir.NoReg && d == e.At(in.B)) {
		in.A, in.B = in.B, in.A
		a = e.At(in.A)
	}
	if in.Op == ir.OpAdd && d != ir.NoReg && a != ir.NoReg && d != a { // lea d, [a+b]
		lea := ir.Bare(ir.OpLea)
		lea.D, lea.IsMem, lea.M = d, true, ir.Mem{Base: a, Index: ir.NoReg, Scale: 1}
		switch {
		case in.IsImm:
			lea.M.Disp = int32(in.Imm)
			e.put(&lea)
			return
		case e.At(in.B) != ir.NoReg:
			lea.M.Index = e.At(in.B)
			e.put(&lea)
			return
		}
	}
	to := d
	if d == ir.NoReg || !in.IsImm && d == e.At(in.B) && d != a {
		to = rax
	}
	if a != ir.NoReg {
		e.move(ir.GPR, 8, to, a)
	} else {
		e.load(to, in.A)
	}
	result := in.D
	in.D = to
	e.operand(in, 1)
	e.put(in)
	switch {
	case d == ir.NoReg:
		e.store(result, to)
	case to != d:
		e.move(ir.GPR, 8, d, to)
	}
}

// divide emits d = a / b or its remainder.
func (e *x86) divide(in *ir.Inst) {
	if a := e.At(in.A); a != ir.NoReg {
		e.move(ir.GPR, 8, rax, a)
	} else {
		e.load(rax, in.A)
	}
	e.plain(ir.OpSignRdx)
	div := ir.Bare(ir.OpDivRem)
	if div.A = e.At(in.B); div.A == ir.NoReg {
		div.IsMem, div.M = true, e.memory(in.B, 8)
	}
	e.put(&div)
	result := rax
	if in.Op == ir.OpRem {
		result = rdx
	}
	if d := e.At(in.D); d != ir.NoReg {
		e.move(ir.GPR, 8, d, result)
	} else {
		e.store(in.D, result)
	}
}

// cmov emits d = cc ? b : a. What it loads leaves the flags alone.
func (e *x86) cmov(in *ir.Inst) {
	to, d := in.D, e.result(in.D, 0)
	if d == e.At(in.B) && d != e.At(in.A) {
		in.A, in.B, in.CC = in.B, in.A, in.CC^1
	}
	if a := e.At(in.A); a != ir.NoReg {
		e.move(ir.GPR, 8, d, a)
	} else {
		e.load(d, in.A)
	}
	in.D = d
	e.operand(in, 1)
	e.put(in)
	e.done(to, d)
}
