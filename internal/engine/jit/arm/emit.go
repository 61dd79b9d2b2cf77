package arm

import (
	"encoding/binary"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/emit"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
)

// arm emits code for arm64. An instruction that the machine does not have is made of several, which
// may use the three scratch registers and armVector.
type arm struct {
	*emit.Emitter
	sum ir.Mem // the base and index whose sum armAddress holds, if base is not noReg
}

func NewEmitter(e *emit.Emitter, calls bool) emit.BackEnd {
	e.Frame, e.Origin = armContext, ir.CtxFrame
	if calls {
		e.Frame, e.Origin = armFrame, 0
	}
	return &arm{Emitter: e, sum: ir.Mem{Base: ir.NoReg}}
}

func (e *arm) add(in armInst) {
	if e.Listing != nil {
		e.Listing.Add(&e.Assembler, in.String())
	}
	e.Buf = binary.LittleEndian.AppendUint32(e.Buf, in.encode())
}

// put emits an instruction on registers.
func (e *arm) put(op armOp, d, n, m ir.Reg) {
	e.add(armInst{op: op, d: d, n: n, m: m, to: ir.NoLabel})
}

// imm emits one with an immediate operand.
func (e *arm) imm(op armOp, d, n ir.Reg, imm int64) {
	e.add(armInst{op: op, d: d, n: n, imm: imm, to: ir.NoLabel})
}

// jump emits one that names a label.
func (e *arm) jump(op armOp, d ir.Reg, cc ir.Cond, to ir.Label) {
	e.Jumps = append(reuse.Roomier(e.Jumps, 1), emit.Fixup{At: int32(len(e.Buf)), To: int32(to)})
	e.add(armInst{op: op, d: d, cc: cc, to: to})
}

func (e *arm) Align(n int) {
	for len(e.Buf)&(n-1) != 0 {
		e.Buf = binary.LittleEndian.AppendUint32(e.Buf, armOps[armNop].bits)
	}
}

func (e *arm) Finish(pool int) error {
	for _, f := range e.Jumps {
		if err := patch(e.Buf, int(f.At), int(e.Labels[f.To])); err != nil {
			return err
		}
	}
	for _, f := range e.Consts {
		if err := patch(e.Buf, int(f.At), pool+int(f.To)); err != nil {
			return err
		}
	}
	return nil
}

// constant puts a word into a general register: its parts of 16 bits, less those that are zero, or
// those that are ones if there are more of them.
func (e *arm) constant(d ir.Reg, word int64) {
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
		e.add(armInst{op: op, d: d, imm: int64(part), sh: uint8(sh), to: ir.NoLabel})
		op = armMovk
	}
}

// fits12 tells whether additions have an immediate operand.
func fits12(n int64) bool { return n >= 0 && n < 1<<24 && (n < 1<<12 || n&(1<<12-1) == 0) }

// offset emits d = n + imm; if imm is large, through the last scratch register.
func (e *arm) offset(d, n ir.Reg, imm int64) {
	switch {
	case imm == 0:
		e.move(ir.GPR, d, n)
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
func (e *arm) move(c ir.Class, d, n ir.Reg) {
	switch {
	case d == n:
	case c == ir.Vec:
		e.put(armVMov, d, n, 0)
	default:
		e.put(armMov, d, 0, n)
	}
}

// address gives the base, index and displacement of a memory operand on machine registers. It uses
// the first two scratch registers.
func (e *arm) address(m ir.Mem) ir.Mem {
	switch m.Base {
	case ir.ContextBase:
		m.Base = armContext
	case ir.FrameBase:
		m.Base, m.Disp = e.Frame, m.Disp+e.Origin
	case ir.CalleeBase:
		m.Base, m.Disp = e.Frame, m.Disp+e.Origin+e.Alloc.Frame
	case ir.RoutineBase:
		m.Base, m.Disp = armContext, m.Disp+e.Routines
	default:
		m.Base = e.fetch(m.Base, 0)
	}
	if m.Index != ir.NoReg {
		m.Index = e.fetch(m.Index, 1)
	}
	return m
}

// lea computes an address.
func (e *arm) lea(d ir.Reg, m ir.Mem) {
	m = e.address(m)
	if m.Index != ir.NoReg {
		e.indexed(d, m)
		m.Base = d
	}
	e.offset(d, m.Base, int64(m.Disp))
}

// indexed emits d = base + index·scale.
func (e *arm) indexed(d ir.Reg, m ir.Mem) {
	log := int64(0)
	for s := m.Scale; s > 1; s >>= 1 {
		log++
	}
	e.add(armInst{op: armAdd, d: d, n: m.Base, m: m.Index, imm: log, to: ir.NoLabel})
}

// access emits a load or store of 8 or 16 bytes, in the form that fits the operand. It uses the
// first two scratch registers for operands whose registers were spilled, and the second one for a
// large offset, unless the load itself has a register for it.
func (e *arm) access(op armOp, r ir.Reg, m ir.Mem) {
	size := int64(8)
	if op == armLoadQ || op == armStoreQ {
		size = 16
	}
	m = e.address(m)
	disp := int64(m.Disp)
	if m.Index != ir.NoReg {
		if disp == 0 && (m.Scale == 1 || int64(m.Scale) == size) && !e.holds(m) {
			op += 2
			if m.Scale > 1 {
				op++
			}
			e.put(op, r, m.Base, m.Index)
			return
		}
		m.Base = e.near(m)
	}
	switch {
	case disp >= 0 && disp%size == 0 && disp/size < 1<<12:
		e.imm(op, r, m.Base, disp)
	case disp >= -256 && disp < 256:
		e.imm(op+1, r, m.Base, disp)
	default:
		index := armScratch1
		if op == armLoadX && r != m.Base {
			index = r
		}
		e.constant(index, disp)
		e.put(op+2, r, m.Base, index)
	}
}

// holds tells whether armAddress holds the sum of an operand's base and index.
func (e *arm) holds(m ir.Mem) bool {
	return e.sum.Base == m.Base && e.sum.Index == m.Index && e.sum.Scale == m.Scale
}

// near gives a register with the sum of an operand's base and index, which lasts until one of them
// changes.
func (e *arm) near(m ir.Mem) ir.Reg {
	if m.Base == armScratch0 || m.Index == armScratch1 {
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
func (e *arm) scratch(c ir.Class, n int) ir.Reg {
	if c == ir.GPR {
		return [...]ir.Reg{armScratch0, armScratch1, armScratch2}[n]
	}
	file := e.Target.Files[c]
	return file[len(file)-1-n]
}

// fetch gives a machine register that holds r: its own, or a scratch one that it is loaded into.
func (e *arm) fetch(r ir.Reg, n int) ir.Reg {
	if p := e.At(r); p != ir.NoReg {
		return p
	}
	to := e.scratch(e.Code.Reg(r).Class, n)
	e.load(to, r)
	return to
}

// into puts r into a machine register.
func (e *arm) into(to, r ir.Reg) {
	if p := e.At(r); p != ir.NoReg {
		e.move(e.Code.Reg(r).Class, to, p)
		return
	}
	e.load(to, r)
}

// load reads a spilled register.
func (e *arm) load(to, r ir.Reg) {
	if slot := e.Alloc.Places[r-ir.FirstVirtual].Slot; slot >= 0 {
		e.access(e.forms(r, armLoadX), to, e.slot(slot))
		return
	}
	e.home(to, r)
}

func (e *arm) slot(at int32) ir.Mem {
	return ir.Mem{Base: ir.FrameBase, Index: ir.NoReg, Scale: 1, Disp: at}
}

// forms is the load or store for a virtual register, from that for words.
func (e *arm) forms(r ir.Reg, op armOp) armOp {
	switch v := e.Code.Reg(r); {
	case v.Class == ir.GPR:
		return op
	case v.W == 8:
		return op - armLoadX + armLoadD
	}
	return op - armLoadX + armLoadQ
}

// home puts a constant or a parameter into a machine register.
func (e *arm) home(to, r ir.Reg) {
	v := e.Code.Reg(r)
	switch {
	case v.Home == ir.HomeParam:
		e.access(e.forms(r, armLoadX), to, e.slot(int32(v.Word)))
	case v.Class == ir.GPR:
		e.constant(to, v.Word)
	case v.Word == 0:
		e.put(armVZero, to, 0, 0)
	case v.Word == -1:
		e.put(armVOnes, to, 0, 0)
	default:
		op := armLiteralD
		if v.W > 8 {
			op = armLiteralQ
		}
		at := e.Pool.Offset(v.Word, v.W/8)
		e.Consts = append(reuse.Roomier(e.Consts, 1), emit.Fixup{At: int32(len(e.Buf)), To: at})
		e.add(armInst{op: op, d: to, imm: int64(at), to: ir.PoolLabel})
	}
}

// result gives the register that an instruction writes for d, and done stores it if d was spilled.
func (e *arm) result(d ir.Reg) ir.Reg {
	if p := e.At(d); p != ir.NoReg {
		return p
	}
	return e.scratch(e.Code.Reg(d).Class, 0)
}

func (e *arm) done(d, from ir.Reg) {
	if e.At(d) == ir.NoReg {
		e.store(d, from)
	}
}

func (e *arm) store(d, from ir.Reg) {
	e.access(e.forms(d, armStoreX), from, e.slot(e.Alloc.Places[d-ir.FirstVirtual].Slot))
}

// Function emits all of a function.
func (e *arm) Function() {
	i := 0
	for _, piece := range e.Code.Code {
		for k := range piece {
			in := &piece[k]
			if in.Op == ir.OpLabel || in.Op == ir.OpCall {
				e.sum.Base = ir.NoReg
			}
			e.emit(i, in)
			i++
			if in.D >= ir.FirstVirtual && e.Code.Reg(in.D).Class == ir.GPR {
				if d := e.At(in.D); d == e.sum.Base || d == e.sum.Index {
					e.sum.Base = ir.NoReg
				}
			}
		}
	}
	for _, p := range e.Slow {
		e.Mark(p.From)
		e.jump(armAdr, armScratch0, 0, p.Back)
		e.access(armStoreX, armScratch0, ir.CtxMem(ir.CtxResume))
		e.jump(armB, 0, 0, e.Save)
	}
	e.Slow = nil
}

// emit emits an instruction that is not one of arithmetic.
func (e *arm) emit(i int, in *ir.Inst) {
	switch in.Op {
	case ir.OpLabel:
		e.Mark(in.To)
	case ir.OpAlign:
		e.Align(int(in.Imm))
	case ir.OpJump:
		e.jump(armB, 0, 0, in.To)
	case ir.OpJcc:
		e.jump(armBcc, 0, in.CC, in.To)
	case ir.OpLoopStart, ir.OpLoopEnd:
	case ir.OpStmt:
		if e.Listing != nil {
			e.Listing.Stmt(&e.Assembler, int(in.Imm))
		}
	case ir.OpPoll:
		e.poll()
	case ir.OpHome:
		if p := e.At(in.D); p != ir.NoReg {
			e.home(p, in.D)
		}
	case ir.OpCopy, ir.OpCarry, ir.OpMov:
		e.copy(in.D, in.A)
	case ir.OpVMov:
		e.copy(in.D, in.B)
	case ir.OpCall:
		e.call(i, int(in.Imm))
	case ir.OpReturn:
		e.access(armLoadX, armScratch0, e.slot(0))
		e.put(armBr, 0, armScratch0, 0)
	case ir.OpStore:
		r := xzr
		switch {
		case !in.IsImm:
			if r = e.At(in.A); r == ir.NoReg {
				r = armScratch2
				m := e.apart(in.M)
				e.load(r, in.A)
				e.access(armStoreX, r, m)
				return
			}
		case in.Imm != 0:
			r = armScratch2
			m := e.apart(in.M)
			e.constant(r, in.Imm)
			e.access(armStoreX, r, m)
			return
		}
		e.access(armStoreX, r, in.M)
	case ir.OpVStore:
		e.access(e.sized(armStoreD, in.W), e.fetch(in.A, 0), in.M)
	default:
		if in.D == ir.NoReg {
			e.compare(in)
			return
		}
		d := e.result(in.D)
		if e.Code.Reg(in.D).Class == ir.Vec {
			e.vector(in, d)
		} else {
			e.general(in, d)
		}
		e.done(in.D, d)
	}
}

// apart is an operand that leaves the second and third scratch register alone: if its registers
// were spilled, it is at the address in the first one.
func (e *arm) apart(m ir.Mem) ir.Mem {
	if m.Base < ir.FirstVirtual && m.Index == ir.NoReg {
		return m
	}
	if m.Base >= ir.FirstVirtual && e.At(m.Base) != ir.NoReg &&
		(m.Index == ir.NoReg || e.At(m.Index) != ir.NoReg) {
		return m
	}
	e.lea(armScratch0, m)
	return ir.Mem{Base: armScratch0, Index: ir.NoReg, Scale: 1}
}

// sized is the load or store of a double or vector, from that of a double.
func (e *arm) sized(op armOp, w uint8) armOp {
	if w > 8 {
		return op - armLoadD + armLoadQ
	}
	return op
}

func (e *arm) copy(d, a ir.Reg) {
	if p := e.At(d); p != ir.NoReg {
		e.into(p, a)
		return
	}
	e.store(d, e.fetch(a, 0))
}

// poll counts down, and leaves the code when the count is used up.
func (e *arm) poll() {
	p := emit.SlowPath{From: e.NewLabel(), Back: e.NewLabel()}
	e.access(armLoadX, armScratch0, ir.CtxMem(ir.CtxFuel))
	e.imm(armSubsImm, armScratch0, armScratch0, 1)
	e.access(armStoreX, armScratch0, ir.CtxMem(ir.CtxFuel))
	e.jump(armBcc, 0, ir.CCS, p.From)
	e.Mark(p.Back)
	e.Slow = append(e.Slow, p)
}

// call enters a function of the program: the frame moves on, and what the caller has in registers
// is saved in its own frame.
func (e *arm) call(i, callee int) {
	routine := callee >= e.Funcs
	for _, r := range e.Alloc.Across[i] {
		if e.Code.Reg(r).Home == ir.Homeless {
			e.store(r, e.At(r))
		}
	}
	back := e.NewLabel()
	e.jump(armAdr, armScratch0, 0, back)
	if routine {
		e.access(armStoreX, armScratch0, ir.CtxMem(e.Routines))
	} else {
		e.offset(e.Frame, e.Frame, int64(e.Alloc.Frame))
		e.access(armStoreX, armScratch0, e.slot(0))
	}
	e.jump(armB, 0, 0, e.Entry[callee])
	e.Mark(back)
	if !routine {
		e.offset(e.Frame, e.Frame, -int64(e.Alloc.Frame))
	}
	for _, r := range e.Alloc.Across[i] {
		if e.Code.Reg(r).Home == ir.Homeless {
			e.load(e.At(r), r)
		} else {
			e.home(e.At(r), r)
		}
	}
}

// registers emits a load or store of each register that outlives a poll.
func (e *arm) registers(words, vectors armOp) {
	for r := ir.Reg(0); r <= armFrame; r++ { // armAddress is one of them
		if r < 16 || r > 18 {
			e.access(words, r, ir.CtxMem(ir.CtxGPR+8*int32(r)))
		}
	}
	for r := ir.Reg(0); r < armVector; r++ {
		e.access(vectors, r, ir.CtxMem(ir.CtxVecs+64*int32(r)))
	}
}

func (e *arm) Prologue() {
	fresh := e.NewLabel()
	e.access(armLoadX, armScratch0, ir.CtxMem(ir.CtxResume))
	e.jump(armCbz, armScratch0, 0, fresh)
	e.registers(armLoadX, armLoadQ)
	e.put(armBr, 0, armScratch0, 0)

	e.Mark(e.Save)
	e.registers(armStoreX, armStoreQ)
	e.Leave(ir.StatusPoll)

	e.Mark(fresh)
	if e.Frame != armContext {
		// Go has put the start of the stack there
		e.access(armLoadX, e.Frame, ir.CtxMem(ir.CtxNeed))
	}
	done := e.NewLabel()
	e.jump(armAdr, armScratch0, 0, done)
	e.access(armStoreX, armScratch0, e.slot(0))
	e.jump(armB, 0, 0, e.Entry[0])
	e.Mark(done)
	e.Leave(ir.StatusDone)
}

func (e *arm) Leave(status int64) {
	e.constant(armScratch0, status)
	e.access(armStoreX, armScratch0, ir.CtxMem(ir.CtxStatus))
	e.put(armRet, 0, 0, 0)
}
