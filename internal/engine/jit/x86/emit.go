package x86

import (
	"encoding/binary"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

// x86 emits code for amd64.
type x86 struct{ *emit.Emitter }

func NewEmitter(e *emit.Emitter, calls bool) emit.BackEnd {
	e.Frame, e.Origin = contextReg, ir.CtxFrame
	if calls {
		e.Frame, e.Origin = x86Frame, 0
	}
	return &x86{e}
}

const (
	contextReg = rbx // holds the address of the context block
	x86Frame   = r15 // and that of the frame, if the program has calls
)

func (e *x86) put(in *ir.Inst) {
	if e.Listing != nil {
		e.Listing.Add(&e.Assembler, intel(in))
	}
	x86asm{&e.Assembler}.encode(in)
}

// plain emits an instruction without operands.
func (e *x86) plain(op ir.Opcode) {
	in := ir.Bare(op)
	e.put(&in)
}

func (e *x86) Align(n int) { x86asm{&e.Assembler}.align(n) }

// Finish fills in the displacements, of 32 bits.
func (e *x86) Finish(pool int) error {
	for _, f := range e.Jumps {
		binary.LittleEndian.PutUint32(e.Buf[f.At:], uint32(e.Labels[f.To]-f.End))
	}
	for _, f := range e.Consts {
		binary.LittleEndian.PutUint32(e.Buf[f.At:], uint32(int32(pool)+f.To-f.End))
	}
	return nil
}

// ctx addresses the context block.
func (e *x86) ctx(at int32) ir.Mem {
	return ir.Mem{Base: contextReg, Index: ir.NoReg, Scale: 1, Disp: at}
}

// memory is where a spilled register lies, as an operand of a vector instruction of width w.
func (e *x86) memory(r ir.Reg, w uint8) ir.Mem {
	v := e.Code.Reg(r)
	p := &e.Alloc.Places[r-ir.FirstVirtual]
	switch {
	case p.Slot >= 0:
		return e.FrameMem(p.Slot)
	case v.Home == ir.HomeParam:
		return e.FrameMem(int32(v.Word))
	case v.Class == ir.Vec && w > 8 && !e.Target.Masks:
		return ir.Mem{Base: ir.PoolBase, Index: ir.NoReg, Scale: 1,
			Disp: e.Pool.Offset(v.Word, w/8)}
	}
	return ir.Mem{Base: ir.PoolBase, Index: ir.NoReg, Scale: 1, Disp: e.Pool.Offset(v.Word, 1),
		Broadcast: w > 8}
}

// scratch is a register that is set aside.
func (e *x86) scratch(c ir.Class, n int) ir.Reg {
	if c == ir.GPR {
		return [...]ir.Reg{rax, rdx}[n]
	}
	file := e.Target.Files[c]
	return file[len(file)-1-n]
}

// fetch gives a machine register that holds r: its own, or a scratch one that it is loaded into.
func (e *x86) fetch(r ir.Reg, n int) ir.Reg {
	if p := e.At(r); p != ir.NoReg {
		return p
	}
	to := e.scratch(e.Code.Reg(r).Class, n)
	e.load(to, r)
	return to
}

// load reads a spilled register.
func (e *x86) load(to, r ir.Reg) {
	v := e.Code.Reg(r)
	in := ir.Bare(ir.OpLoad)
	in.D, in.IsMem, in.M = to, true, e.memory(r, v.W)
	switch v.Class {
	case ir.GPR:
		if v.Home == ir.HomeConst && e.Alloc.Places[r-ir.FirstVirtual].Slot < 0 {
			in.Op, in.IsMem, in.Imm = ir.OpMovImm, false, v.Word
		}
	case ir.Vec:
		in.Op, in.W = ir.OpVLoad, v.W
		if in.M.Broadcast {
			in.Op, in.M.Broadcast = ir.OpVBroadcast, false
		}
	case ir.Mask:
		in.Op = ir.OpKLoad
	}
	e.put(&in)
}

// result gives the register that an instruction writes for d, and done stores it if d was spilled.
func (e *x86) result(d ir.Reg, n int) ir.Reg {
	if p := e.At(d); p != ir.NoReg {
		return p
	}
	return e.scratch(e.Code.Reg(d).Class, n)
}

func (e *x86) done(d, from ir.Reg) {
	if e.At(d) == ir.NoReg {
		e.store(d, from)
	}
}

func (e *x86) store(d, from ir.Reg) {
	v := e.Code.Reg(d)
	in := ir.Bare(ir.OpStore)
	in.A, in.IsMem, in.M = from, true, e.FrameMem(e.Alloc.Places[d-ir.FirstVirtual].Slot)
	switch v.Class {
	case ir.Vec:
		in.Op, in.W = ir.OpVStore, v.W
	case ir.Mask:
		in.Op = ir.OpKStore
	}
	e.put(&in)
}

// move copies between machine registers.
func (e *x86) move(c ir.Class, w uint8, d, a ir.Reg) {
	if d == a {
		return
	}
	in := ir.Bare(ir.OpMov)
	in.D, in.A, in.W = d, a, w
	switch c {
	case ir.Vec:
		in.Op, in.B, in.A = ir.OpVMov, a, ir.NoReg
	case ir.Mask:
		in.Op = ir.OpKMov
	}
	e.put(&in)
}

// address gives a memory operand on machine registers, using both general scratch registers at
// most; if one is to be kept, it uses rax alone.
func (e *x86) address(m ir.Mem, keep bool, vsib bool) ir.Mem {
	switch m.Base {
	case ir.PoolBase, ir.NoReg:
	case ir.FrameBase:
		m.Base, m.Disp = e.Frame, m.Disp+e.Origin
	case ir.ContextBase:
		m.Base = contextReg
	case ir.CalleeBase:
		m.Base, m.Disp = e.Frame, m.Disp+e.Origin+e.Alloc.Frame
	case ir.RoutineBase:
		m.Base, m.Disp = contextReg, m.Disp+e.Routines
	default:
		m.Base = e.fetch(m.Base, 0)
	}
	if m.Index == ir.NoReg {
		return m
	}
	if vsib {
		m.Index = e.fetch(m.Index, 0)
		return m
	}
	m.Index = e.fetch(m.Index, 1)
	if keep && m.Index == rdx {
		lea := ir.Bare(ir.OpLea)
		lea.D, lea.IsMem, lea.M = rax, true, m
		e.put(&lea)
		return ir.Mem{Base: rax, Index: ir.NoReg, Scale: 1}
	}
	return m
}

func (e *x86) emit(i int, in *ir.Inst) {
	switch in.Op {
	case ir.OpLabel:
		e.Mark(in.To)
		return
	case ir.OpAlign:
		e.Align(int(in.Imm))
		return
	case ir.OpJump, ir.OpJcc:
		e.put(in)
		return
	case ir.OpQuo, ir.OpRem:
		e.divide(in)
		return
	case ir.OpLoopStart, ir.OpLoopEnd:
		return
	case ir.OpStmt:
		if e.Listing != nil {
			e.Listing.Stmt(&e.Assembler, int(in.Imm))
		}
		return
	case ir.OpPoll:
		e.poll()
		return
	case ir.OpHome:
		if e.At(in.D) != ir.NoReg {
			e.home(in.D)
		}
		return
	case ir.OpCopy, ir.OpCarry:
		switch v := e.Code.Reg(in.D); v.Class {
		case ir.GPR:
			e.moveGeneral(in.D, in.A)
		case ir.Vec:
			e.moveVector(v.W, in.D, in.A)
		case ir.Mask:
			copied := *in
			copied.Op = ir.OpKMov
			e.maskOp(&copied)
		}
		return
	case ir.OpCall:
		e.call(i, int(in.Imm))
		return
	case ir.OpReturn:
		jump := ir.Bare(ir.OpJumpMem)
		jump.IsMem, jump.M = true, e.FrameMem(0)
		e.put(&jump)
		return
	case ir.OpVFma, ir.OpVFms, ir.OpVFnma:
		e.fma(in)
		return
	}
	if in.Overwrites() {
		e.over(in)
		return
	}
	switch x86Ops[in.Op].form {
	case formG:
		e.general(in)
	case formK:
		e.maskOp(in)
	default:
		e.vector(in)
	}
}

// home loads a constant or a parameter into its register.
func (e *x86) home(r ir.Reg) {
	v := e.Code.Reg(r)
	to := e.At(r)
	slot := e.Alloc.Places[r-ir.FirstVirtual].Slot
	e.Alloc.Places[r-ir.FirstVirtual].Slot = -1 // not the one it is saved in during calls
	if v.Class == ir.Vec && v.Home == ir.HomeConst && v.Word == 0 {
		in := ir.Bare(ir.OpVXor)
		in.W, in.D, in.A, in.B = 8, to, to, to // writes the whole register
		e.put(&in)
	} else {
		e.load(to, r)
	}
	e.Alloc.Places[r-ir.FirstVirtual].Slot = slot
}
