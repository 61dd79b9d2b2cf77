package jit

import "encoding/binary"

// arm emits code for arm64. An instruction that the machine does not have is made of several, which
// may use the three scratch registers and armVector.
type arm struct {
	*emitter
	sum mem // the base and index whose sum armAddress holds, if base is not noReg
}

func newArm(e *emitter, calls bool) target {
	e.frame, e.origin = armContext, ctxFrame
	if calls {
		e.frame, e.origin = armFrame, 0
	}
	return &arm{emitter: e, sum: mem{base: noReg}}
}

func (e *arm) add(in armInst) {
	if e.list != nil {
		e.list.add(&e.assembler, in.String())
	}
	e.buf = binary.LittleEndian.AppendUint32(e.buf, in.encode())
}

// put emits an instruction on registers.
func (e *arm) put(op armOp, d, n, m reg) { e.add(armInst{op: op, d: d, n: n, m: m, to: noLabel}) }

// imm emits one with an immediate operand.
func (e *arm) imm(op armOp, d, n reg, imm int64) {
	e.add(armInst{op: op, d: d, n: n, imm: imm, to: noLabel})
}

// jump emits one that names a label.
func (e *arm) jump(op armOp, d reg, cc cond, to label) {
	e.jumps = append(roomier(e.jumps, 1), fixup{at: int32(len(e.buf)), to: int32(to)})
	e.add(armInst{op: op, d: d, cc: cc, to: to})
}

func (e *arm) align(n int) {
	for len(e.buf)&(n-1) != 0 {
		e.buf = binary.LittleEndian.AppendUint32(e.buf, armOps[armNop].bits)
	}
}

func (e *arm) finish(pool int) error {
	for _, f := range e.jumps {
		if err := patch(e.buf, int(f.at), int(e.labels[f.to])); err != nil {
			return err
		}
	}
	for _, f := range e.consts {
		if err := patch(e.buf, int(f.at), pool+int(f.to)); err != nil {
			return err
		}
	}
	return nil
}

// constant puts a word into a general register: its parts of 16 bits, less those that are zero, or
// those that are ones if there are more of them.
func (e *arm) constant(d reg, word int64) {
	if _, ok := bitPattern(uint64(word)); ok {
		e.imm(armOrrImm, d, xzr, word)
		return
	}
	switch word {
	case 0:
		e.imm(armMovz, d, 0, 0)
		return
	case -1:
		e.imm(armMovn, d, 0, 0)
		return
	}
	var zeros, ones int
	for sh := range 4 {
		switch uint16(word >> (16 * sh)) {
		case 0:
			zeros++
		case 0xffff:
			ones++
		}
	}
	op, common := armMovz, uint16(0)
	if ones > zeros {
		op, common = armMovn, 0xffff
	}
	for sh := range 4 {
		part := uint16(word >> (16 * sh))
		if part == common {
			continue
		}
		if op == armMovn {
			part = ^part
		}
		e.add(armInst{op: op, d: d, imm: int64(part), sh: uint8(sh), to: noLabel})
		op = armMovk
	}
}

// fits12 tells whether additions have an immediate operand.
func fits12(n int64) bool { return n >= 0 && n < 1<<24 && (n < 1<<12 || n&(1<<12-1) == 0) }

// offset emits d = n + imm; if imm is large, through the last scratch register.
func (e *arm) offset(d, n reg, imm int64) {
	switch {
	case imm == 0:
		e.move(gpr, d, n)
	case fits12(imm):
		e.imm(armAddImm, d, n, imm)
	case fits12(-imm):
		e.imm(armSubImm, d, n, -imm)
	default:
		e.constant(armScratch2, imm)
		e.put(armAdd, d, n, armScratch2)
	}
}

// move copies between machine registers.
func (e *arm) move(c class, d, n reg) {
	switch {
	case d == n:
	case c == vec:
		e.put(armVMov, d, n, 0)
	default:
		e.put(armMov, d, 0, n)
	}
}

// address gives the base, index and displacement of a memory operand on machine registers. It uses
// the first two scratch registers.
func (e *arm) address(m mem) mem {
	switch m.base {
	case contextBase:
		m.base = armContext
	case frameBase:
		m.base, m.disp = e.frame, m.disp+e.origin
	case calleeBase:
		m.base, m.disp = e.frame, m.disp+e.origin+e.al.frame
	case routineBase:
		m.base, m.disp = armContext, m.disp+e.routines
	default:
		m.base = e.fetch(m.base, 0)
	}
	if m.index != noReg {
		m.index = e.fetch(m.index, 1)
	}
	return m
}

// lea computes an address.
func (e *arm) lea(d reg, m mem) {
	m = e.address(m)
	if m.index != noReg {
		e.indexed(d, m)
		m.base = d
	}
	e.offset(d, m.base, int64(m.disp))
}

// indexed emits d = base + index·scale.
func (e *arm) indexed(d reg, m mem) {
	log := int64(0)
	for s := m.scale; s > 1; s >>= 1 {
		log++
	}
	e.add(armInst{op: armAdd, d: d, n: m.base, m: m.index, imm: log, to: noLabel})
}

// access emits a load or store of 8 or 16 bytes, in the form that fits the operand. It uses the
// first two scratch registers for operands whose registers were spilled, and the second one for a
// large offset, unless the load itself has a register for it.
func (e *arm) access(op armOp, r reg, m mem) {
	size := int64(8)
	if op == armLoadQ || op == armStoreQ {
		size = 16
	}
	m = e.address(m)
	disp := int64(m.disp)
	if m.index != noReg {
		if disp == 0 && (m.scale == 1 || int64(m.scale) == size) && !e.holds(m) {
			op += 2
			if m.scale > 1 {
				op++
			}
			e.put(op, r, m.base, m.index)
			return
		}
		m.base = e.near(m)
	}
	switch {
	case disp >= 0 && disp%size == 0 && disp/size < 1<<12:
		e.imm(op, r, m.base, disp)
	case disp >= -256 && disp < 256:
		e.imm(op+1, r, m.base, disp)
	default:
		index := armScratch1
		if op == armLoadX && r != m.base {
			index = r
		}
		e.constant(index, disp)
		e.put(op+2, r, m.base, index)
	}
}

// holds tells whether armAddress holds the sum of an operand's base and index.
func (e *arm) holds(m mem) bool {
	return e.sum.base == m.base && e.sum.index == m.index && e.sum.scale == m.scale
}

// near gives a register with the sum of an operand's base and index, which lasts until one of them
// changes.
func (e *arm) near(m mem) reg {
	if m.base == armScratch0 || m.index == armScratch1 {
		e.indexed(armScratch0, m)
		return armScratch0
	}
	if !e.holds(m) {
		e.indexed(armAddress, m)
		e.sum = m
	}
	return armAddress
}

// scratch is a register that is set aside.
func (e *arm) scratch(c class, n int) reg {
	if c == gpr {
		return [...]reg{armScratch0, armScratch1, armScratch2}[n]
	}
	file := e.m.files[c]
	return file[len(file)-1-n]
}

// fetch gives a machine register that holds r: its own, or a scratch one that it is loaded into.
func (e *arm) fetch(r reg, n int) reg {
	if p := e.at(r); p != noReg {
		return p
	}
	to := e.scratch(e.f.reg(r).class, n)
	e.load(to, r)
	return to
}

// into puts r into a machine register.
func (e *arm) into(to, r reg) {
	if p := e.at(r); p != noReg {
		e.move(e.f.reg(r).class, to, p)
		return
	}
	e.load(to, r)
}

// load reads a spilled register.
func (e *arm) load(to, r reg) {
	if slot := e.al.places[r-firstVirtual].slot; slot >= 0 {
		e.access(e.forms(r, armLoadX), to, e.slot(slot))
		return
	}
	e.home(to, r)
}

func (e *arm) slot(at int32) mem { return mem{base: frameBase, index: noReg, scale: 1, disp: at} }

// forms is the load or store for a virtual register, from that for words.
func (e *arm) forms(r reg, op armOp) armOp {
	switch v := e.f.reg(r); {
	case v.class == gpr:
		return op
	case v.w == 8:
		return op - armLoadX + armLoadD
	}
	return op - armLoadX + armLoadQ
}

// home puts a constant or a parameter into a machine register.
func (e *arm) home(to, r reg) {
	v := e.f.reg(r)
	switch {
	case v.home == homeParam:
		e.access(e.forms(r, armLoadX), to, e.slot(int32(v.word)))
	case v.class == gpr:
		e.constant(to, v.word)
	case v.word == 0:
		e.put(armVZero, to, 0, 0)
	case v.word == -1:
		e.put(armVOnes, to, 0, 0)
	default:
		op := armLiteralD
		if v.w > 8 {
			op = armLiteralQ
		}
		at := e.pool.offset(v.word, v.w/8)
		e.consts = append(roomier(e.consts, 1), fixup{at: int32(len(e.buf)), to: at})
		e.add(armInst{op: op, d: to, imm: int64(at), to: poolLabel})
	}
}

// result gives the register that an instruction writes for d, and done stores it if d was spilled.
func (e *arm) result(d reg) reg {
	if p := e.at(d); p != noReg {
		return p
	}
	return e.scratch(e.f.reg(d).class, 0)
}

func (e *arm) done(d, from reg) {
	if e.at(d) == noReg {
		e.store(d, from)
	}
}

func (e *arm) store(d, from reg) {
	e.access(e.forms(d, armStoreX), from, e.slot(e.al.places[d-firstVirtual].slot))
}

// function emits all of a function.
func (e *arm) function() {
	i := 0
	for _, piece := range e.f.code {
		for k := range piece {
			in := &piece[k]
			if in.op == opLabel || in.op == opCall {
				e.sum.base = noReg
			}
			e.emit(i, in)
			i++
			if in.d >= firstVirtual && e.f.reg(in.d).class == gpr {
				if d := e.at(in.d); d == e.sum.base || d == e.sum.index {
					e.sum.base = noReg
				}
			}
		}
	}
	for _, p := range e.slow {
		e.mark(p.from)
		e.jump(armAdr, armScratch0, 0, p.back)
		e.access(armStoreX, armScratch0, ctxMem(ctxResume))
		e.jump(armB, 0, 0, e.save)
	}
	e.slow = nil
}

// emit emits an instruction that is not one of arithmetic.
func (e *arm) emit(i int, in *inst) {
	switch in.op {
	case opLabel:
		e.mark(in.to)
	case opAlign:
		e.align(int(in.imm))
	case opJump:
		e.jump(armB, 0, 0, in.to)
	case opJcc:
		e.jump(armBcc, 0, in.cc, in.to)
	case opLoopStart, opLoopEnd:
	case opStmt:
		if e.list != nil {
			e.list.stmt(&e.assembler, int(in.imm))
		}
	case opPoll:
		e.poll()
	case opHome:
		if p := e.at(in.d); p != noReg {
			e.home(p, in.d)
		}
	case opCopy, opCarry, opMov:
		e.copy(in.d, in.a)
	case opVMov:
		e.copy(in.d, in.b)
	case opCall:
		e.call(i, int(in.imm))
	case opReturn:
		e.access(armLoadX, armScratch0, e.slot(0))
		e.put(armBr, 0, armScratch0, 0)
	case opStore:
		r := xzr
		switch {
		case !in.isImm:
			if r = e.at(in.a); r == noReg {
				r = armScratch2
				m := e.apart(in.m)
				e.load(r, in.a)
				e.access(armStoreX, r, m)
				return
			}
		case in.imm != 0:
			r = armScratch2
			m := e.apart(in.m)
			e.constant(r, in.imm)
			e.access(armStoreX, r, m)
			return
		}
		e.access(armStoreX, r, in.m)
	case opVStore:
		e.access(e.sized(armStoreD, in.w), e.fetch(in.a, 0), in.m)
	default:
		if in.d == noReg {
			e.compare(in)
			return
		}
		d := e.result(in.d)
		if e.f.reg(in.d).class == vec {
			e.vector(in, d)
		} else {
			e.general(in, d)
		}
		e.done(in.d, d)
	}
}

// apart is an operand that leaves the second and third scratch register alone: if its registers
// were spilled, it is at the address in the first one.
func (e *arm) apart(m mem) mem {
	if m.base < firstVirtual && m.index == noReg {
		return m
	}
	if m.base >= firstVirtual && e.at(m.base) != noReg && (m.index == noReg || e.at(m.index) != noReg) {
		return m
	}
	e.lea(armScratch0, m)
	return mem{base: armScratch0, index: noReg, scale: 1}
}

// sized is the load or store of a double or vector, from that of a double.
func (e *arm) sized(op armOp, w uint8) armOp {
	if w > 8 {
		return op - armLoadD + armLoadQ
	}
	return op
}

func (e *arm) copy(d, a reg) {
	if p := e.at(d); p != noReg {
		e.into(p, a)
		return
	}
	e.store(d, e.fetch(a, 0))
}

// poll counts down, and leaves the code when the count is used up.
func (e *arm) poll() {
	p := slowPath{e.newLabel(), e.newLabel()}
	e.access(armLoadX, armScratch0, ctxMem(ctxFuel))
	e.imm(armSubsImm, armScratch0, armScratch0, 1)
	e.access(armStoreX, armScratch0, ctxMem(ctxFuel))
	e.jump(armBcc, 0, ccS, p.from)
	e.mark(p.back)
	e.slow = append(e.slow, p)
}

// call enters a function of the program: the frame moves on, and what the caller has in registers
// is saved in its own frame.
func (e *arm) call(i, callee int) {
	routine := callee >= e.funcs
	for _, r := range e.al.across[i] {
		if e.f.reg(r).home == homeless {
			e.store(r, e.at(r))
		}
	}
	back := e.newLabel()
	e.jump(armAdr, armScratch0, 0, back)
	if routine {
		e.access(armStoreX, armScratch0, ctxMem(e.routines))
	} else {
		e.offset(e.frame, e.frame, int64(e.al.frame))
		e.access(armStoreX, armScratch0, e.slot(0))
	}
	e.jump(armB, 0, 0, e.entry[callee])
	e.mark(back)
	if !routine {
		e.offset(e.frame, e.frame, -int64(e.al.frame))
	}
	for _, r := range e.al.across[i] {
		if e.f.reg(r).home == homeless {
			e.load(e.at(r), r)
		} else {
			e.home(e.at(r), r)
		}
	}
}

// registers emits a load or store of each register that outlives a poll.
func (e *arm) registers(words, vectors armOp) {
	for r := reg(0); r <= armFrame; r++ { // armAddress is one of them
		if r < 16 || r > 18 {
			e.access(words, r, ctxMem(ctxGPR+8*int32(r)))
		}
	}
	for r := reg(0); r < armVector; r++ {
		e.access(vectors, r, ctxMem(ctxVecs+64*int32(r)))
	}
}

func (e *arm) prologue() {
	fresh := e.newLabel()
	e.access(armLoadX, armScratch0, ctxMem(ctxResume))
	e.jump(armCbz, armScratch0, 0, fresh)
	e.registers(armLoadX, armLoadQ)
	e.put(armBr, 0, armScratch0, 0)

	e.mark(e.save)
	e.registers(armStoreX, armStoreQ)
	e.leave(statusPoll)

	e.mark(fresh)
	if e.frame != armContext {
		e.access(armLoadX, e.frame, ctxMem(ctxNeed)) // Go has put the start of the stack there
	}
	done := e.newLabel()
	e.jump(armAdr, armScratch0, 0, done)
	e.access(armStoreX, armScratch0, e.slot(0))
	e.jump(armB, 0, 0, e.entry[0])
	e.mark(done)
	e.leave(statusDone)
}

func (e *arm) leave(status int64) {
	e.constant(armScratch0, status)
	e.access(armStoreX, armScratch0, ctxMem(ctxStatus))
	e.put(armRet, 0, 0, 0)
}
