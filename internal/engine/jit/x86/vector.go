package x86

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// moveVector copies w bytes of a vector, which has a register or is in memory.
func (e *x86) moveVector(w uint8, to, from ir.Reg) {
	d, b := e.At(to), e.At(from)
	switch {
	case d != ir.NoReg && b != ir.NoReg:
		e.move(ir.Vec, w, d, b)
	case d != ir.NoReg:
		e.load(d, from)
	default:
		e.store(to, e.fetch(from, 0))
	}
}

func (e *x86) maskOp(in *ir.Inst) {
	if in.Op == ir.OpVZeroUpper {
		e.put(in)
		return
	}
	d := e.result(in.D, 0)
	out := *in
	out.A, out.D = e.fetch(in.A, 0), d
	if in.B != ir.NoReg {
		out.B = e.fetch(in.B, 1)
	}
	if in.Op != ir.OpKMov || out.A != d {
		e.put(&out)
	}
	e.done(in.D, d)
}

// fma emits d = ±a·b ± c: the machine's forms overwrite a factor or the summand.
func (e *x86) fma(in *ir.Inst) {
	step := in.Op - ir.OpVFma
	d := e.result(in.D, 0)
	first, second := in.A, in.B // the factors
	a, b, c := e.At(first), e.At(second), e.At(in.C)
	if a == ir.NoReg || b == d && a != d {
		first, second, a, b = second, first, b, a
	}
	out := ir.Bare(ir.OpVFma231 + step)
	out.W, out.D = in.W, d
	if a == d && c != d { // d = d·b + c
		out.Op = ir.OpVFma213 + step
		switch {
		case b != ir.NoReg:
			out.A, out.B = b, in.C
			e.operand(&out, 0)
		case c != ir.NoReg:
			// The product commutes with what is in memory only through a register.
			out.A, out.B = e.fetch(second, 1), c
		default:
			out.A, out.B = e.fetch(second, 1), in.C
			e.operand(&out, 0)
		}
		e.put(&out)
		e.done(in.D, d)
		return
	}
	// d = c, then d = a·b + d. Neither factor lies in d unless c does.
	if a == ir.NoReg {
		a = e.fetch(first, 1)
	}
	if c != ir.NoReg {
		e.move(ir.Vec, in.W, d, c)
	} else {
		e.load(d, in.C)
	}
	out.A, out.B = a, second
	e.operand(&out, 0)
	e.put(&out)
	e.done(in.D, d)
}

// over emits an instruction that writes its result over c.
func (e *x86) over(in *ir.Inst) {
	d, c := e.result(in.D, 0), e.At(in.C)
	out := *in
	out.A, out.C, out.D = e.fetch(in.A, 1), d, d
	if in.K != ir.NoReg {
		out.K = e.fetch(in.K, 0)
	}
	if c != ir.NoReg {
		e.move(ir.Vec, in.W, d, c)
	} else {
		e.load(d, in.C)
	}
	e.operand(&out, 0)
	e.put(&out)
	e.done(in.D, d)
}

func (e *x86) vector(in *ir.Inst) {
	out := *in
	switch in.Op {
	case ir.OpVMov:
		e.moveVector(in.W, in.D, in.B)
		return
	case ir.OpVLoad, ir.OpVMaskLoad, ir.OpVBroadcast:
		if in.Op == ir.OpVBroadcast && !in.IsMem {
			out.B = e.fetch(in.B, 0)
		} else {
			out.M = e.address(in.M, false, false)
		}
		if in.A != ir.NoReg {
			out.A = e.fetch(in.A, 1)
		}
	case ir.OpVStore, ir.OpVMaskStore:
		out.M = e.address(in.M, false, false)
		out.A = e.fetch(in.A, 0)
		if in.C != ir.NoReg {
			out.C = e.fetch(in.C, 1)
		}
	case ir.OpVGather:
		out.M = e.address(in.M, false, true)
		d := e.result(in.D, 1)
		clear := ir.Bare(ir.OpVXor)
		clear.D, clear.A, clear.B = d, d, d
		if in.A != ir.NoReg {
			out.A = e.fetch(in.A, 2)
		}
		if in.K != ir.NoReg {
			out.K = e.fetch(in.K, 0)
		}
		e.put(&clear)
		out.D = d
		e.put(&out)
		e.done(in.D, d)
		return
	case ir.OpVScatter:
		out.M = e.address(in.M, false, true)
		out.A = e.fetch(in.A, 1)
		out.K = e.fetch(in.K, 0)
		e.put(&out)
		return
	case ir.OpVFromG:
		out.B = e.fetch(in.B, 0)
	case ir.OpVToG:
		out.A = e.fetch(in.A, 0)
	case ir.OpVRealG:
		d := e.result(in.D, 0)
		clear := ir.Bare(ir.OpVXor)
		clear.D, clear.A, clear.B = d, d, d
		e.put(&clear)
		out.A, out.B = d, e.fetch(in.B, 0)
	case ir.OpVIntG, ir.OpVMoveMask:
		out.B = e.fetch(in.B, 0)
	case ir.OpVUcomi:
		out.D = e.fetch(in.A, 0)
		out.A = ir.NoReg
		e.operand(&out, 1)
		e.put(&out)
		return
	case ir.OpVSqrt, ir.OpVRound, ir.OpVToReal, ir.OpVToInt:
		out.B = e.fetch(in.B, 0)
	case ir.OpVShlImm, ir.OpVShrImm, ir.OpVSarImm, ir.OpVHigh:
		out.A = e.fetch(in.A, 0)
	default: // formRVM
		if in.Op.Is(ir.Commutes) && e.At(in.A) == ir.NoReg && e.At(in.B) != ir.NoReg {
			out.A, out.B = in.B, in.A
		}
		out.A = e.fetch(out.A, 0)
		if in.Op == ir.OpVBlend && e.Target.Masks {
			out.K, out.C = e.fetch(in.C, 0), ir.NoReg
		} else if in.C != ir.NoReg {
			out.C = e.fetch(in.C, 1)
		}
		e.operand(&out, 1)
	}
	if in.K != ir.NoReg {
		out.K = e.fetch(in.K, 0)
	}
	if in.D != ir.NoReg {
		out.D = e.result(in.D, 0)
		e.put(&out)
		e.done(in.D, out.D)
		return
	}
	e.put(&out)
}
