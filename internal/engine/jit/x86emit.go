package jit

import "encoding/binary"

// x86 emits code for amd64.
type x86 struct{ *emitter }

func newX86(e *emitter, calls bool) target {
	e.frame, e.origin = contextReg, ctxFrame
	if calls {
		e.frame, e.origin = x86Frame, 0
	}
	return &x86{e}
}

const (
	contextReg = rbx // holds the address of the context block
	x86Frame   = r15 // and that of the frame, if the program has calls
)

func (e *x86) put(in *inst) {
	if e.list != nil {
		e.list.add(&e.assembler, in.x86())
	}
	x86asm{&e.assembler}.encode(in)
}

// plain emits an instruction without operands.
func (e *x86) plain(op opcode) {
	in := none(op)
	e.put(&in)
}

func (e *x86) align(n int) { x86asm{&e.assembler}.align(n) }

// finish fills in the displacements, of 32 bits.
func (e *x86) finish(pool int) error {
	for _, f := range e.jumps {
		binary.LittleEndian.PutUint32(e.buf[f.at:], uint32(e.labels[f.to]-f.end))
	}
	for _, f := range e.consts {
		binary.LittleEndian.PutUint32(e.buf[f.at:], uint32(int32(pool)+f.to-f.end))
	}
	return nil
}

// ctx addresses the context block.
func (e *x86) ctx(at int32) mem { return mem{base: contextReg, index: noReg, scale: 1, disp: at} }

// memory is where a spilled register lies, as an operand of a vector instruction of width w.
func (e *x86) memory(r reg, w uint8) mem {
	v := e.f.reg(r)
	p := &e.al.places[r-firstVirtual]
	switch {
	case p.slot >= 0:
		return e.frameMem(p.slot)
	case v.home == homeParam:
		return e.frameMem(int32(v.word))
	case v.class == vec && w > 8 && !e.m.avx512:
		return mem{base: poolBase, index: noReg, scale: 1, disp: e.pool.offset(v.word, w/8)}
	}
	return mem{base: poolBase, index: noReg, scale: 1, disp: e.pool.offset(v.word, 1), bcast: w > 8}
}

// scratch is a register that is set aside.
func (e *x86) scratch(c class, n int) reg {
	if c == gpr {
		return [...]reg{rax, rdx}[n]
	}
	file := e.m.files[c]
	return file[len(file)-1-n]
}

// fetch gives a machine register that holds r: its own, or a scratch one that it is loaded into.
func (e *x86) fetch(r reg, n int) reg {
	if p := e.at(r); p != noReg {
		return p
	}
	to := e.scratch(e.f.reg(r).class, n)
	e.load(to, r)
	return to
}

// load reads a spilled register.
func (e *x86) load(to, r reg) {
	v := e.f.reg(r)
	in := none(opLoad)
	in.d, in.isMem, in.m = to, true, e.memory(r, v.w)
	switch v.class {
	case gpr:
		if v.home == homeConst && e.al.places[r-firstVirtual].slot < 0 {
			in.op, in.isMem, in.imm = opMovImm, false, v.word
		}
	case vec:
		in.op, in.w = opVLoad, v.w
		if in.m.bcast {
			in.op, in.m.bcast = opVBroadcast, false
		}
	case mask:
		in.op = opKLoad
	}
	e.put(&in)
}

// result gives the register that an instruction writes for d, and done stores it if d was spilled.
func (e *x86) result(d reg, n int) reg {
	if p := e.at(d); p != noReg {
		return p
	}
	return e.scratch(e.f.reg(d).class, n)
}

func (e *x86) done(d, from reg) {
	if e.at(d) == noReg {
		e.store(d, from)
	}
}

func (e *x86) store(d, from reg) {
	v := e.f.reg(d)
	in := none(opStore)
	in.a, in.isMem, in.m = from, true, e.frameMem(e.al.places[d-firstVirtual].slot)
	switch v.class {
	case vec:
		in.op, in.w = opVStore, v.w
	case mask:
		in.op = opKStore
	}
	e.put(&in)
}

// move copies between machine registers.
func (e *x86) move(c class, w uint8, d, a reg) {
	if d == a {
		return
	}
	in := none(opMov)
	in.d, in.a, in.w = d, a, w
	switch c {
	case vec:
		in.op, in.b, in.a = opVMov, a, noReg
	case mask:
		in.op = opKMov
	}
	e.put(&in)
}

// address gives a memory operand on machine registers, using both general scratch registers at
// most; if one is to be kept, it uses rax alone.
func (e *x86) address(m mem, keep bool, vsib bool) mem {
	switch m.base {
	case poolBase, noReg:
	case frameBase:
		m.base, m.disp = e.frame, m.disp+e.origin
	case contextBase:
		m.base = contextReg
	case calleeBase:
		m.base, m.disp = e.frame, m.disp+e.origin+e.al.frame
	case routineBase:
		m.base, m.disp = contextReg, m.disp+e.routines
	default:
		m.base = e.fetch(m.base, 0)
	}
	if m.index == noReg {
		return m
	}
	if vsib {
		m.index = e.fetch(m.index, 0)
		return m
	}
	m.index = e.fetch(m.index, 1)
	if keep && m.index == rdx {
		lea := none(opLea)
		lea.d, lea.isMem, lea.m = rax, true, m
		e.put(&lea)
		return mem{base: rax, index: noReg, scale: 1}
	}
	return m
}

// function emits all of a function.
func (e *x86) function() {
	i := 0
	for _, piece := range e.f.code {
		for k := range piece {
			e.emit(i, &piece[k])
			i++
		}
	}
	e.slowPaths()
}

func (e *x86) emit(i int, in *inst) {
	switch in.op {
	case opLabel:
		e.mark(in.to)
		return
	case opAlign:
		e.align(int(in.imm))
		return
	case opJump, opJcc:
		e.put(in)
		return
	case opQuo, opRem:
		e.divide(in)
		return
	case opLoopStart, opLoopEnd:
		return
	case opStmt:
		if e.list != nil {
			e.list.stmt(&e.assembler, int(in.imm))
		}
		return
	case opPoll:
		e.poll()
		return
	case opHome:
		if e.at(in.d) != noReg {
			e.home(in.d)
		}
		return
	case opCopy, opCarry:
		switch v := e.f.reg(in.d); v.class {
		case gpr:
			e.moveGeneral(in.d, in.a)
		case vec:
			e.moveVector(v.w, in.d, in.a)
		case mask:
			copied := *in
			copied.op = opKMov
			e.maskOp(&copied)
		}
		return
	case opCall:
		e.call(i, int(in.imm))
		return
	case opReturn:
		jump := none(opJumpMem)
		jump.isMem, jump.m = true, e.frameMem(0)
		e.put(&jump)
		return
	case opVFma, opVFms, opVFnma:
		e.fma(in)
		return
	}
	if in.overwrites() {
		e.over(in)
		return
	}
	switch x86Ops[in.op].form {
	case formG:
		e.general(in)
	case formK:
		e.maskOp(in)
	default:
		e.vector(in)
	}
}

// home loads a constant or a parameter into its register.
func (e *x86) home(r reg) {
	v := e.f.reg(r)
	to := e.at(r)
	slot := e.al.places[r-firstVirtual].slot
	e.al.places[r-firstVirtual].slot = -1 // not the one it is saved in during calls
	if v.class == vec && v.home == homeConst && v.word == 0 {
		in := none(opVXor)
		in.w, in.d, in.a, in.b = 8, to, to, to // writes the whole register
		e.put(&in)
	} else {
		e.load(to, r)
	}
	e.al.places[r-firstVirtual].slot = slot
}

// moveGeneral copies a general register, and moveVector w bytes of a vector, each of them in a
// register or in memory.
func (e *x86) moveGeneral(to, from reg) {
	d, a := e.at(to), e.at(from)
	switch {
	case d != noReg && a != noReg:
		e.move(gpr, 8, d, a)
	case d != noReg:
		e.load(d, from)
	default:
		e.store(to, e.fetch(from, 0))
	}
}

func (e *x86) moveVector(w uint8, to, from reg) {
	d, b := e.at(to), e.at(from)
	switch {
	case d != noReg && b != noReg:
		e.move(vec, w, d, b)
	case d != noReg:
		e.load(d, from)
	default:
		e.store(to, e.fetch(from, 0))
	}
}

func (e *x86) general(in *inst) {
	out := *in
	switch in.op {
	case opMov:
		e.moveGeneral(in.d, in.a)
		return
	case opMovImm, opSet:
	case opLoad, opLea:
		out.m = e.address(in.m, false, false)
	case opStore:
		out.m = e.address(in.m, !in.isImm && e.at(in.a) == noReg, false)
		if !in.isImm {
			out.a = e.fetch(in.a, 1)
		}
		e.put(&out)
		return
	case opCmp:
		if in.isMem {
			out.m = e.address(in.m, false, false)
		}
		out.a = e.fetch(in.a, 0)
		e.operand(&out, 1)
		e.put(&out)
		return
	case opTest:
		out.a = e.fetch(in.a, 0)
		out.b = out.a
		e.put(&out)
		return
	case opCmov:
		e.cmov(&out)
		return
	case opShl, opSar, opShr:
		if in.isImm {
			e.unary(&out)
			return
		}
		out.a, out.b = e.fetch(in.a, 0), e.fetch(in.b, 1)
	case opNeg:
		e.unary(&out)
		return
	case opMul:
		if !in.isImm {
			e.binary(&out)
			return
		}
		out.a = e.fetch(in.a, 0)
	default:
		e.binary(&out)
		return
	}
	out.d = e.result(in.d, 0)
	e.put(&out)
	e.done(in.d, out.d)
}

// operand puts b into an instruction: its register, or memory.
func (e *x86) operand(in *inst, n int) {
	if in.isImm || in.isMem {
		return
	}
	if p := e.at(in.b); p != noReg {
		in.b = p
		return
	}
	if v := e.f.reg(in.b); v.class == gpr && v.home == homeConst {
		in.b = e.fetch(in.b, n)
		return
	}
	in.isMem, in.m, in.b = true, e.memory(in.b, in.w), noReg
}

// unary emits d = op a where the machine has d = op d. It changes the instruction, as binary and
// cmov do.
func (e *x86) unary(in *inst) {
	to := in.d
	in.d = e.result(to, 0)
	if a := e.at(in.a); a != noReg {
		e.move(gpr, 8, in.d, a)
	} else {
		e.load(in.d, in.a)
	}
	e.put(in)
	e.done(to, in.d)
}

// binary emits d = a op b where the machine has d op= b.
func (e *x86) binary(in *inst) {
	d, a := e.at(in.d), e.at(in.a)
	if !in.isImm && in.op.is(commutes) && (a == noReg || d != noReg && d == e.at(in.b)) {
		in.a, in.b = in.b, in.a
		a = e.at(in.a)
	}
	if in.op == opAdd && d != noReg && a != noReg && d != a { // lea d, [a+b]
		lea := none(opLea)
		lea.d, lea.isMem, lea.m = d, true, mem{base: a, index: noReg, scale: 1}
		switch {
		case in.isImm:
			lea.m.disp = int32(in.imm)
			e.put(&lea)
			return
		case e.at(in.b) != noReg:
			lea.m.index = e.at(in.b)
			e.put(&lea)
			return
		}
	}
	to := d
	if d == noReg || !in.isImm && d == e.at(in.b) && d != a {
		to = rax
	}
	if a != noReg {
		e.move(gpr, 8, to, a)
	} else {
		e.load(to, in.a)
	}
	result := in.d
	in.d = to
	e.operand(in, 1)
	e.put(in)
	switch {
	case d == noReg:
		e.store(result, to)
	case to != d:
		e.move(gpr, 8, d, to)
	}
}

// divide emits d = a / b or its remainder.
func (e *x86) divide(in *inst) {
	if a := e.at(in.a); a != noReg {
		e.move(gpr, 8, rax, a)
	} else {
		e.load(rax, in.a)
	}
	e.plain(opSignRdx)
	div := none(opDivRem)
	if div.a = e.at(in.b); div.a == noReg {
		div.isMem, div.m = true, e.memory(in.b, 8)
	}
	e.put(&div)
	result := rax
	if in.op == opRem {
		result = rdx
	}
	if d := e.at(in.d); d != noReg {
		e.move(gpr, 8, d, result)
	} else {
		e.store(in.d, result)
	}
}

// cmov emits d = cc ? b : a. What it loads leaves the flags alone.
func (e *x86) cmov(in *inst) {
	to, d := in.d, e.result(in.d, 0)
	if d == e.at(in.b) && d != e.at(in.a) {
		in.a, in.b, in.cc = in.b, in.a, in.cc^1
	}
	if a := e.at(in.a); a != noReg {
		e.move(gpr, 8, d, a)
	} else {
		e.load(d, in.a)
	}
	in.d = d
	e.operand(in, 1)
	e.put(in)
	e.done(to, d)
}

func (e *x86) maskOp(in *inst) {
	if in.op == opVZeroUpper {
		e.put(in)
		return
	}
	d := e.result(in.d, 0)
	out := *in
	out.a, out.d = e.fetch(in.a, 0), d
	if in.b != noReg {
		out.b = e.fetch(in.b, 1)
	}
	if in.op != opKMov || out.a != d {
		e.put(&out)
	}
	e.done(in.d, d)
}

// fma emits d = ±a·b ± c: the machine's forms overwrite a factor or the summand.
func (e *x86) fma(in *inst) {
	step := in.op - opVFma
	d := e.result(in.d, 0)
	first, second := in.a, in.b // the factors
	a, b, c := e.at(first), e.at(second), e.at(in.c)
	if a == noReg || b == d && a != d {
		first, second, a, b = second, first, b, a
	}
	out := none(opVFma231 + step)
	out.w, out.d = in.w, d
	if a == d && c != d { // d = d·b + c
		out.op = opVFma213 + step
		switch {
		case b != noReg:
			out.a, out.b = b, in.c
			e.operand(&out, 0)
		case c != noReg:
			// The product commutes with what is in memory only through a register.
			out.a, out.b = e.fetch(second, 1), c
		default:
			out.a, out.b = e.fetch(second, 1), in.c
			e.operand(&out, 0)
		}
		e.put(&out)
		e.done(in.d, d)
		return
	}
	// d = c, then d = a·b + d. Neither factor lies in d unless c does.
	if a == noReg {
		a = e.fetch(first, 1)
	}
	if c != noReg {
		e.move(vec, in.w, d, c)
	} else {
		e.load(d, in.c)
	}
	out.a, out.b = a, second
	e.operand(&out, 0)
	e.put(&out)
	e.done(in.d, d)
}

// over emits an instruction that writes its result over c.
func (e *x86) over(in *inst) {
	d, c := e.result(in.d, 0), e.at(in.c)
	out := *in
	out.a, out.c, out.d = e.fetch(in.a, 1), d, d
	if in.k != noReg {
		out.k = e.fetch(in.k, 0)
	}
	if c != noReg {
		e.move(vec, in.w, d, c)
	} else {
		e.load(d, in.c)
	}
	e.operand(&out, 0)
	e.put(&out)
	e.done(in.d, d)
}

func (e *x86) vector(in *inst) {
	out := *in
	switch in.op {
	case opVMov:
		e.moveVector(in.w, in.d, in.b)
		return
	case opVLoad, opVMaskLoad, opVBroadcast:
		if in.op == opVBroadcast && !in.isMem {
			out.b = e.fetch(in.b, 0)
		} else {
			out.m = e.address(in.m, false, false)
		}
		if in.a != noReg {
			out.a = e.fetch(in.a, 1)
		}
	case opVStore, opVMaskStore:
		out.m = e.address(in.m, false, false)
		out.a = e.fetch(in.a, 0)
		if in.c != noReg {
			out.c = e.fetch(in.c, 1)
		}
	case opVGather:
		out.m = e.address(in.m, false, true)
		d := e.result(in.d, 1)
		clear := none(opVXor)
		clear.d, clear.a, clear.b = d, d, d
		if in.a != noReg {
			out.a = e.fetch(in.a, 2)
		}
		if in.k != noReg {
			out.k = e.fetch(in.k, 0)
		}
		e.put(&clear)
		out.d = d
		e.put(&out)
		e.done(in.d, d)
		return
	case opVScatter:
		out.m = e.address(in.m, false, true)
		out.a = e.fetch(in.a, 1)
		out.k = e.fetch(in.k, 0)
		e.put(&out)
		return
	case opVFromG:
		out.b = e.fetch(in.b, 0)
	case opVToG:
		out.a = e.fetch(in.a, 0)
	case opVRealG:
		d := e.result(in.d, 0)
		clear := none(opVXor)
		clear.d, clear.a, clear.b = d, d, d
		e.put(&clear)
		out.a, out.b = d, e.fetch(in.b, 0)
	case opVIntG, opVMoveMask:
		out.b = e.fetch(in.b, 0)
	case opVUcomi:
		out.d = e.fetch(in.a, 0)
		out.a = noReg
		e.operand(&out, 1)
		e.put(&out)
		return
	case opVSqrt, opVRound, opVToReal, opVToInt:
		out.b = e.fetch(in.b, 0)
	case opVShlImm, opVShrImm, opVSarImm, opVHigh:
		out.a = e.fetch(in.a, 0)
	default: // formRVM
		if in.op.is(commutes) && e.at(in.a) == noReg && e.at(in.b) != noReg {
			out.a, out.b = in.b, in.a
		}
		out.a = e.fetch(out.a, 0)
		if in.op == opVBlend && e.m.avx512 {
			out.k, out.c = e.fetch(in.c, 0), noReg
		} else if in.c != noReg {
			out.c = e.fetch(in.c, 1)
		}
		e.operand(&out, 1)
	}
	if in.k != noReg {
		out.k = e.fetch(in.k, 0)
	}
	if in.d != noReg {
		out.d = e.result(in.d, 0)
		e.put(&out)
		e.done(in.d, out.d)
		return
	}
	e.put(&out)
}

// poll counts down, and leaves the code when the count is used up.
func (e *x86) poll() {
	p := slowPath{e.newLabel(), e.newLabel()}
	in := none(opSubMem)
	in.isMem, in.m, in.imm = true, e.ctx(ctxFuel), 1
	e.put(&in)
	jcc := none(opJcc)
	jcc.cc, jcc.to = ccS, p.from
	e.put(&jcc)
	e.mark(p.back)
	e.slow = append(e.slow, p)
}

// slowPaths emits what polls jump to: it remembers where to go on.
func (e *x86) slowPaths() {
	for _, p := range e.slow {
		e.mark(p.from)
		in := none(opStore)
		in.a, in.isMem, in.m = rax, true, e.ctx(ctxGPR)
		e.put(&in)
		lea := none(opLeaLabel)
		lea.d, lea.to = rax, p.back
		e.put(&lea)
		in.m = e.ctx(ctxResume)
		e.put(&in)
		jump := none(opJump)
		jump.to = e.save
		e.put(&jump)
	}
	e.slow = nil
}

// call enters a function of the program: the frame moves on, and what the caller has in registers
// is saved in its own frame.
func (e *x86) call(i, callee int) {
	routine := callee >= e.funcs
	for _, r := range e.al.across[i] {
		if e.f.reg(r).home == homeless {
			e.store(r, e.at(r))
		}
	}
	back := e.newLabel()
	lea := none(opLeaLabel)
	lea.d, lea.to = rax, back
	e.put(&lea)
	move := none(opAdd) // the frame
	move.d, move.isImm, move.imm = e.frame, true, int64(e.al.frame)
	ret := none(opStore)
	ret.a, ret.isMem, ret.m = rax, true, e.frameMem(0)
	if routine {
		ret.m = e.ctx(e.routines)
	} else {
		e.put(&move)
	}
	e.put(&ret)
	jump := none(opJump)
	jump.to = e.entry[callee]
	e.put(&jump)
	e.mark(back)
	if !routine {
		move.op = opSub
		e.put(&move)
	}
	for _, r := range e.al.across[i] {
		if e.f.reg(r).home == homeless {
			e.load(e.at(r), r)
		} else {
			e.home(r)
		}
	}
}

// registers calls f with each register that is saved when the code returns to Go.
func (e *x86) registers(f func(c class, r reg, at int32)) {
	for r := rax; r <= r15; r++ {
		if r != rsp && r != rbp && r != contextReg {
			f(gpr, r, ctxGPR+8*int32(r))
		}
	}
	vectors := reg(16)
	if e.m.avx512 {
		vectors = 32
		for r := reg(1); r < 8; r++ {
			f(mask, r, ctxMasks+8*int32(r))
		}
	}
	for r := reg(0); r < vectors; r++ {
		f(vec, r, ctxVecs+64*int32(r))
	}
}

// prologue emits the code that Go enters: at the start, or where a poll has left. It also emits the
// ways out.
func (e *x86) prologue() {
	width := uint8(32)
	if e.m.avx512 {
		width = 64
	}
	fresh := e.newLabel()
	// rbx has the context block.
	load := none(opLoad)
	load.d, load.isMem, load.m = rax, true, e.ctx(ctxResume)
	e.put(&load)
	test := none(opTest)
	test.a, test.b = rax, rax
	e.put(&test)
	jcc := none(opJcc)
	jcc.cc, jcc.to = ccE, fresh
	e.put(&jcc)
	e.registers(func(c class, r reg, at int32) {
		in := none(opLoad)
		in.d, in.isMem, in.m = r, true, e.ctx(at)
		switch c {
		case vec:
			in.op, in.w = opVLoad, width
		case mask:
			in.op = opKLoad
		}
		e.put(&in)
	})
	jump := none(opJumpMem)
	jump.isMem, jump.m = true, e.ctx(ctxResume)
	e.put(&jump)

	e.mark(e.save) // rax is saved
	e.registers(func(c class, r reg, at int32) {
		in := none(opStore)
		in.a, in.isMem, in.m = r, true, e.ctx(at)
		switch {
		case c == vec:
			in.op, in.w = opVStore, width
		case c == mask:
			in.op = opKStore
		case r == rax:
			return
		}
		e.put(&in)
	})
	e.leave(statusPoll)

	e.mark(fresh)
	if e.frame != contextReg {
		load.d, load.m = e.frame, e.ctx(ctxNeed) // Go has put the start of the stack there
		e.put(&load)
	}
	done := e.newLabel()
	lea := none(opLeaLabel)
	lea.d, lea.to = rax, done
	e.put(&lea)
	ret := none(opStore)
	ret.a, ret.isMem, ret.m = rax, true, e.frameMem(0)
	e.put(&ret)
	jump = none(opJump)
	jump.to = e.entry[0]
	e.put(&jump)
	e.mark(done)
	e.leave(statusDone)
}

// leave returns to Go.
func (e *x86) leave(status int64) {
	in := none(opStore)
	in.isImm, in.imm, in.isMem, in.m = true, status, true, e.ctx(ctxStatus)
	e.put(&in)
	e.plain(opVZeroUpper)
	e.plain(opRet)
}
