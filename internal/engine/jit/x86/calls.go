package x86

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
)

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
