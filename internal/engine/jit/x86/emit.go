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
		return ir.Mem{Base: ir.PoolBase, Index: ir.NoReg, Scale: 1, Disp: e.Pool.Offset(v.Word, w/8)}
	}
	return ir.Mem{Base: ir.PoolBase, Index: ir.NoReg, Scale: 1, Disp: e.Pool.Offset(v.Word, 1), Broadcast: w > 8}
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

// Function emits all of a function.
func (e *x86) Function() {
	i := 0
	for _, piece := range e.Code.Code {
		for k := range piece {
			e.emit(i, &piece[k])
			i++
		}
	}
	e.slowPaths()
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

// moveGeneral copies a general register, and moveVector w bytes of a vector, each of them in a
// register or in memory.
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

// poll counts down, and leaves the code when the count is used up.
func (e *x86) poll() {
	p := emit.SlowPath{From: e.NewLabel(), Back: e.NewLabel()}
	in := ir.Bare(ir.OpSubMem)
	in.IsMem, in.M, in.Imm = true, e.ctx(ir.CtxFuel), 1
	e.put(&in)
	jcc := ir.Bare(ir.OpJcc)
	jcc.CC, jcc.To = ir.CCS, p.From
	e.put(&jcc)
	e.Mark(p.Back)
	e.Slow = append(e.Slow, p)
}

// slowPaths emits what polls jump to: it remembers where to go on.
func (e *x86) slowPaths() {
	for _, p := range e.Slow {
		e.Mark(p.From)
		in := ir.Bare(ir.OpStore)
		in.A, in.IsMem, in.M = rax, true, e.ctx(ir.CtxGPR)
		e.put(&in)
		lea := ir.Bare(ir.OpLeaLabel)
		lea.D, lea.To = rax, p.Back
		e.put(&lea)
		in.M = e.ctx(ir.CtxResume)
		e.put(&in)
		jump := ir.Bare(ir.OpJump)
		jump.To = e.Save
		e.put(&jump)
	}
	e.Slow = nil
}

// call enters a function of the program: the frame moves on, and what the caller has in registers
// is saved in its own frame.
func (e *x86) call(i, callee int) {
	routine := callee >= e.Funcs
	for _, r := range e.Alloc.Across[i] {
		if e.Code.Reg(r).Home == ir.Homeless {
			e.store(r, e.At(r))
		}
	}
	back := e.NewLabel()
	lea := ir.Bare(ir.OpLeaLabel)
	lea.D, lea.To = rax, back
	e.put(&lea)
	move := ir.Bare(ir.OpAdd) // the frame
	move.D, move.IsImm, move.Imm = e.Frame, true, int64(e.Alloc.Frame)
	ret := ir.Bare(ir.OpStore)
	ret.A, ret.IsMem, ret.M = rax, true, e.FrameMem(0)
	if routine {
		ret.M = e.ctx(e.Routines)
	} else {
		e.put(&move)
	}
	e.put(&ret)
	jump := ir.Bare(ir.OpJump)
	jump.To = e.Entry[callee]
	e.put(&jump)
	e.Mark(back)
	if !routine {
		move.Op = ir.OpSub
		e.put(&move)
	}
	for _, r := range e.Alloc.Across[i] {
		if e.Code.Reg(r).Home == ir.Homeless {
			e.load(e.At(r), r)
		} else {
			e.home(r)
		}
	}
}

// registers calls f with each register that is saved when the code returns to Go.
func (e *x86) registers(f func(c ir.Class, r ir.Reg, at int32)) {
	for r := rax; r <= r15; r++ {
		if r != rsp && r != rbp && r != contextReg {
			f(ir.GPR, r, ir.CtxGPR+8*int32(r))
		}
	}
	vectors := ir.Reg(16)
	if e.Target.Masks {
		vectors = 32
		for r := ir.Reg(1); r < 8; r++ {
			f(ir.Mask, r, ir.CtxMasks+8*int32(r))
		}
	}
	for r := ir.Reg(0); r < vectors; r++ {
		f(ir.Vec, r, ir.CtxVecs+64*int32(r))
	}
}

// Prologue emits the code that Go enters: at the start, or where a poll has left. It also emits the
// ways out.
func (e *x86) Prologue() {
	width := uint8(32)
	if e.Target.Masks {
		width = 64
	}
	fresh := e.NewLabel()
	// rbx has the context block.
	load := ir.Bare(ir.OpLoad)
	load.D, load.IsMem, load.M = rax, true, e.ctx(ir.CtxResume)
	e.put(&load)
	test := ir.Bare(ir.OpTest)
	test.A, test.B = rax, rax
	e.put(&test)
	jcc := ir.Bare(ir.OpJcc)
	jcc.CC, jcc.To = ir.CCE, fresh
	e.put(&jcc)
	e.registers(func(c ir.Class, r ir.Reg, at int32) {
		in := ir.Bare(ir.OpLoad)
		in.D, in.IsMem, in.M = r, true, e.ctx(at)
		switch c {
		case ir.Vec:
			in.Op, in.W = ir.OpVLoad, width
		case ir.Mask:
			in.Op = ir.OpKLoad
		}
		e.put(&in)
	})
	jump := ir.Bare(ir.OpJumpMem)
	jump.IsMem, jump.M = true, e.ctx(ir.CtxResume)
	e.put(&jump)

	e.Mark(e.Save) // rax is saved
	e.registers(func(c ir.Class, r ir.Reg, at int32) {
		in := ir.Bare(ir.OpStore)
		in.A, in.IsMem, in.M = r, true, e.ctx(at)
		switch {
		case c == ir.Vec:
			in.Op, in.W = ir.OpVStore, width
		case c == ir.Mask:
			in.Op = ir.OpKStore
		case r == rax:
			return
		}
		e.put(&in)
	})
	e.Leave(ir.StatusPoll)

	e.Mark(fresh)
	if e.Frame != contextReg {
		load.D, load.M = e.Frame, e.ctx(ir.CtxNeed) // Go has put the start of the stack there
		e.put(&load)
	}
	done := e.NewLabel()
	lea := ir.Bare(ir.OpLeaLabel)
	lea.D, lea.To = rax, done
	e.put(&lea)
	ret := ir.Bare(ir.OpStore)
	ret.A, ret.IsMem, ret.M = rax, true, e.FrameMem(0)
	e.put(&ret)
	jump = ir.Bare(ir.OpJump)
	jump.To = e.Entry[0]
	e.put(&jump)
	e.Mark(done)
	e.Leave(ir.StatusDone)
}

// Leave returns to Go.
func (e *x86) Leave(status int64) {
	in := ir.Bare(ir.OpStore)
	in.IsImm, in.Imm, in.IsMem, in.M = true, status, true, e.ctx(ir.CtxStatus)
	e.put(&in)
	e.plain(ir.OpVZeroUpper)
	e.plain(ir.OpRet)
}
