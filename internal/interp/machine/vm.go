package machine

import (
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// WindowSize is how many registers of a kind an instruction can name. The
// windows of doubles and integers are pointers to arrays of that size, so that
// indexing them by 16 bits needs no check; the stacks always have as much room
// above the top.
const WindowSize = 1 << 16

type (
	windowF = [WindowSize]float64
	windowI = [WindowSize]int64
)

// exec runs from m.fn at m.pc until the frame of the outermost call is
// reached.
//
// The switch holds the operations that loops of numbers are made of, calls
// included; everything else is in slow. Operands are read before results are
// written.
//
// Note [No spills]. Go's compiler stores a variable to the stack right after
// it is set if any path needs it after a call. An instruction takes a few
// cycles, so that in and pc must not be needed after a call anywhere in the
// switch: cases that call a function pass what it needs, let it write results,
// and read pc back from the machine.
func (m *Machine) exec() *diag.Diagnostic {
	for {
		// Here after every change of function.
		fn := m.fn
		code := fn.Code
		f := (*windowF)(m.f[m.fb:])
		i := (*windowI)(m.i[m.ib:])
		p := m.p[m.pb:]
		pc := m.pc
	run:
		for {
			in := &code[pc]
			pc++
			switch in.Op {
			case OpNop: // so that the cases start at 0
			case OpMovF:
				f[in.A] = f[in.B]
			case OpLoadF:
				f[in.A] = math.Float64frombits(uint64(in.K))
			case OpAddF:
				f[in.A] = f[in.B] + f[in.C]
			case OpSubF:
				f[in.A] = f[in.B] - f[in.C]
			case OpMulF:
				f[in.A] = f[in.B] * f[in.C]
			case OpDivF:
				f[in.A] = f[in.B] / f[in.C]
			case OpNegF:
				f[in.A] = -f[in.B]
			case OpAddKF:
				f[in.A] = f[in.B] + math.Float64frombits(uint64(in.K))
			case OpRSubKF:
				f[in.A] = math.Float64frombits(uint64(in.K)) - f[in.B]
			case OpMulKF:
				f[in.A] = f[in.B] * math.Float64frombits(uint64(in.K))
			case OpDivKF:
				f[in.A] = f[in.B] / math.Float64frombits(uint64(in.K))
			case OpRDivKF:
				f[in.A] = math.Float64frombits(uint64(in.K)) / f[in.B]
			// The conversions keep Go from fusing the product with the sum, which
			// would round once instead of twice.
			case OpMulAddF:
				f[in.A] = float64(f[in.B]*f[in.C]) + f[uint16(in.K)]
			case OpMulSubF:
				f[in.A] = float64(f[in.B]*f[in.C]) - f[uint16(in.K)]
			case OpSubMulF:
				f[in.A] = f[uint16(in.K)] - float64(f[in.B]*f[in.C])
			case OpMulMulF:
				f[in.A] = f[in.B] * f[in.C] * f[uint16(in.K)]
			case OpAffineF:
				k1, k2 := float64(math.Float32frombits(uint32(in.K))), immediateF(in.K)
				f[in.A] = float64(f[in.B]*k1) + k2
			case OpMulKAddF:
				f[in.A] = float64(f[in.B]*math.Float64frombits(uint64(in.K))) + f[in.C]
			case OpMulKSubF:
				f[in.A] = float64(f[in.B]*math.Float64frombits(uint64(in.K))) - f[in.C]
			case OpSubMulKF:
				f[in.A] = f[in.C] - float64(f[in.B]*math.Float64frombits(uint64(in.K)))
			case OpMulKMulF:
				f[in.A] = f[in.B] * math.Float64frombits(uint64(in.K)) * f[in.C]
			case OpMulAddKF:
				f[in.A] = float64(f[in.B]*f[in.C]) + math.Float64frombits(uint64(in.K))
			case OpRSubMulF:
				f[in.A] = math.Float64frombits(uint64(in.K)) - float64(f[in.B]*f[in.C])
			case OpMulMulKF:
				f[in.A] = f[in.B] * f[in.C] * math.Float64frombits(uint64(in.K))
			case OpAddMulF:
				f[in.A] = (f[in.B] + f[in.C]) * f[uint16(in.K)]
			case OpRSubKMulF:
				f[in.A] = (math.Float64frombits(uint64(in.K)) - f[in.B]) * f[in.C]
			case OpDiffMulF:
				f[in.A] = (f[in.B] - f[in.C]) * f[uint16(in.K)]
			case OpSqrtF:
				f[in.A] = math.Sqrt(f[in.B])
			case OpAbsF:
				f[in.A] = math.Abs(f[in.B])
			case OpMaxF:
				f[in.A] = max(f[in.B], f[in.C])
			case OpMinF:
				f[in.A] = min(f[in.B], f[in.C])
			case OpReal1:
				m.pc = pc
				fn.Lib.applyReal1(in, f)
				pc = m.pc
			case OpReal2:
				m.pc = pc
				fn.Lib.applyReal2(in, f)
				pc = m.pc
			case OpRealInt:
				m.pc = pc
				fn.Lib.applyRealInt(in, f, i)
				pc = m.pc
			case OpFromInt:
				f[in.A] = float64(i[in.B])
			case OpLtF:
				i[in.A] = object.Truth(f[in.B] < f[in.C])
			case OpLeF:
				i[in.A] = object.Truth(f[in.B] <= f[in.C])

			case OpMovI:
				i[in.A] = i[in.B]
			case OpLoadI:
				i[in.A] = in.K
			case OpAddI:
				x, y := i[in.B], i[in.C]
				s := x + y
				if (s^x)&(s^y) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.A] = s
			case OpSubI:
				x, y := i[in.B], i[in.C]
				d := x - y
				if (x^y)&(d^x) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.A] = d
			case OpMulI:
				x, y := i[in.B], i[in.C]
				if uint64(x+1<<31)|uint64(y+1<<31) < 1<<32 {
					i[in.A] = x * y
					continue
				}
				m.pc = pc
				if !mulInto(i, in.A, x, y) {
					return m.overflowAt(fn, m.pc, i)
				}
				pc = m.pc
			case OpAddKI:
				x, y := i[in.B], in.K
				s := x + y
				if (s^x)&(s^y) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.A] = s
			case OpRSubKI:
				x, y := in.K, i[in.B]
				d := x - y
				if (x^y)&(d^x) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.A] = d
			case OpMulKI:
				x, y := i[in.B], in.K
				if uint64(x+1<<31)|uint64(y+1<<31) < 1<<32 {
					i[in.A] = x * y
					continue
				}
				m.pc = pc
				if !mulInto(i, in.A, x, y) {
					return m.overflowAt(fn, m.pc, i)
				}
				pc = m.pc
			case OpNot:
				i[in.A] = 1 - i[in.B]
			case OpLtI:
				i[in.A] = object.Truth(i[in.B] < i[in.C])
			case OpLeI:
				i[in.A] = object.Truth(i[in.B] <= i[in.C])
			case OpEqI:
				i[in.A] = object.Truth(i[in.B] == i[in.C])
			case OpNeI:
				i[in.A] = object.Truth(i[in.B] != i[in.C])
			case OpLtKI:
				i[in.A] = object.Truth(i[in.B] < in.K)
			case OpGtKI:
				i[in.A] = object.Truth(i[in.B] > in.K)
			case OpEqKI:
				i[in.A] = object.Truth(i[in.B] == in.K)
			case OpNeKI:
				i[in.A] = object.Truth(i[in.B] != in.K)

			case OpMovP:
				p[in.A] = p[in.B]
			case OpLoadP:
				p[in.A] = fn.Consts[in.K]

			case OpJump:
				pc = int(in.K)
			case OpJFalse:
				if i[in.A] == 0 {
					pc = int(in.K)
				}
			case OpJNLtF:
				if !(f[in.A] < f[in.B]) {
					pc = int(in.K)
				}
			case OpJNLeF:
				if !(f[in.A] <= f[in.B]) {
					pc = int(in.K)
				}
			case OpJNLtKF:
				if !(f[in.A] < immediateF(in.K)) {
					pc = int(uint32(in.K))
				}
			case OpJNLeKF:
				if !(f[in.A] <= immediateF(in.K)) {
					pc = int(uint32(in.K))
				}
			case OpJNGtKF:
				if !(f[in.A] > immediateF(in.K)) {
					pc = int(uint32(in.K))
				}
			case OpJNGeKF:
				if !(f[in.A] >= immediateF(in.K)) {
					pc = int(uint32(in.K))
				}
			case OpJLtI:
				if i[in.A] < i[in.B] {
					pc = int(in.K)
				}
			case OpJLeI:
				if i[in.A] <= i[in.B] {
					pc = int(in.K)
				}
			case OpJEqI:
				if i[in.A] == i[in.B] {
					pc = int(in.K)
				}
			case OpJNeI:
				if i[in.A] != i[in.B] {
					pc = int(in.K)
				}
			case OpJLtKI:
				if i[in.A] < in.K>>32 {
					pc = int(uint32(in.K))
				}
			case OpJGtKI:
				if i[in.A] > in.K>>32 {
					pc = int(uint32(in.K))
				}
			case OpJEqKI:
				if i[in.A] == in.K>>32 {
					pc = int(uint32(in.K))
				}
			case OpJNeKI:
				if i[in.A] != in.K>>32 {
					pc = int(uint32(in.K))
				}
			case OpBack:
				m.pc = int(in.K)
				if m.fuel -= toll(pc - m.pc); m.fuel < 0 {
					if d := m.tickAt(fn, pc); d != nil {
						return d
					}
				}
				pc = m.pc
			case OpLoop:
				next := i[in.A] + 1
				i[in.A] = next
				if next < i[in.B] {
					target := int(in.K)
					if m.fuel -= toll(pc - target); m.fuel >= 0 {
						pc = target
						continue
					}
					m.pc = target
					if d := m.tickAt(fn, pc); d != nil {
						return d
					}
					pc = m.pc
				}
			case OpSwitchI:
				pc = int(fn.Jumps[in.K][i[in.A]])
			case OpSwitchCell:
				pc = int(fn.Jumps[in.K][p[in.A].(*object.Cell).Tag])
			case OpSwitchNode:
				pc = int(fn.Jumps[in.K][p[in.A].(*object.Node).Tag])

			case OpCall:
				callee, n := fn.Lib.funs[in.K].Load(), len(m.frames.now)
				m.fb += fn.Frame.F
				m.ib += fn.Frame.I
				m.pb += fn.Frame.P
				m.fn, m.pc = callee, 0
				m.fuel -= toll(len(callee.Code))
				if n == cap(m.frames.now) || m.fuel < 0 || m.full(callee) {
					if d := m.callSlow(fn, pc); d != nil {
						return d
					}
					break run
				}
				m.frames.now = m.frames.now[:n+1]
				m.frames.now[n] = frame{fn, pc}
				break run
			case OpTailCall:
				callee := fn.Lib.funs[in.K].Load()
				m.fn, m.pc = callee, 0
				m.fuel -= toll(len(callee.Code))
				if m.fuel < 0 || m.full(callee) {
					if d := m.enterAt(fn, pc); d != nil {
						return d
					}
				}
				break run
			case OpCallClosure:
				m.pc = pc
				if d := m.callClosure(fn.Lib.calls[in.K], in.A); d != nil {
					return m.place(d, fn, m.pc)
				}
				break run
			case OpTailClosure:
				m.pc = pc
				if d := m.tailClosure(fn.Lib.calls[in.K]); d != nil {
					return m.place(d, fn, m.pc)
				}
				break run
			case OpRetF:
				x := f[in.A]
				m.leave()
				m.f[m.fb+int(m.fn.Code[m.pc-1].A)] = x
				break run
			case OpRetI:
				x := i[in.A]
				m.leave()
				m.i[m.ib+int(m.fn.Code[m.pc-1].A)] = x
				break run
			case OpRetP:
				x := p[in.A]
				m.leave()
				m.p[m.pb+int(m.fn.Code[m.pc-1].A)] = x
				break run
			case OpRet:
				m.leave()
				break run

			case OpEnvF:
				f[in.A] = p[in.B].(*Closure).Real(int(in.K))
			case OpEnvI:
				i[in.A] = p[in.B].(*Closure).Word(int(in.K))
			case OpEnvP:
				p[in.A] = p[in.B].(*Closure).Ref(int(in.K))
			case OpCellF:
				f[in.A] = math.Float64frombits(p[in.B].(*object.Cell).W)
			case OpCellI:
				i[in.A] = int64(p[in.B].(*object.Cell).W)
			case OpCellP:
				p[in.A] = p[in.B].(*object.Cell).P
			case OpNodeF:
				f[in.A] = p[in.B].(*object.Node).Real(int(in.K))
			case OpNodeI:
				i[in.A] = p[in.B].(*object.Node).Word(int(in.K))
			case OpNodeP:
				p[in.A] = p[in.B].(*object.Node).Ref(int(in.K))

			case OpAtF:
				v, at := p[in.B].(*object.Reals).V, i[in.C]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				f[in.A] = v[at]
			case OpAtI:
				v, at := p[in.B].(*object.Ints).V, i[in.C]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				i[in.A] = v[at]
			case OpAtP:
				v, at := p[in.B].(*object.Refs).V, i[in.C]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				p[in.A] = v[at]
			case OpColF:
				f[in.A] = p[in.B].(*object.Table).F[in.K][i[in.C]]
			case OpColI:
				i[in.A] = p[in.B].(*object.Table).I[in.K][i[in.C]]
			case OpColP:
				p[in.A] = p[in.B].(*object.Table).P[in.K][i[in.C]]
			case OpSetF:
				p[in.A].(*object.Reals).V[i[in.B]] = f[in.C]
			case OpSetI:
				p[in.A].(*object.Ints).V[i[in.B]] = i[in.C]
			case OpSetP:
				p[in.A].(*object.Refs).V[i[in.B]] = p[in.C]
			case OpSetColF:
				p[in.A].(*object.Table).F[in.K][i[in.B]] = f[in.C]
			case OpSetColI:
				p[in.A].(*object.Table).I[in.K][i[in.B]] = i[in.C]
			case OpSetColP:
				p[in.A].(*object.Table).P[in.K][i[in.B]] = p[in.C]

			case OpAddT:
				if r := f[in.B] + f[in.C]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpSubT:
				if r := f[in.B] - f[in.C]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpMulT:
				if r := f[in.B] * f[in.C]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpDivT:
				if r := f[in.B] / f[in.C]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpNegT:
				if r := -f[in.B]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpAddKT:
				if r := f[in.B] + math.Float64frombits(uint64(in.K)); r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpRSubKT:
				if r := math.Float64frombits(uint64(in.K)) - f[in.B]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpMulKT:
				if r := f[in.B] * math.Float64frombits(uint64(in.K)); r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpDivKT:
				if r := f[in.B] / math.Float64frombits(uint64(in.K)); r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpRDivKT:
				if r := math.Float64frombits(uint64(in.K)) / f[in.B]; r == r {
					f[in.A] = r
					continue
				}
				goto taped
			case OpLtT:
				if x, y := f[in.B], f[in.C]; x < y || x > y {
					i[in.A] = object.Truth(x < y)
					continue
				}
				goto taped
			case OpLeT:
				if x, y := f[in.B], f[in.C]; x < y || x > y {
					i[in.A] = object.Truth(x < y)
					continue
				}
				goto taped
			case OpOperate:
				// Functions that the instruction calls may move the stacks.
				m.pc = pc
				if d := m.operate(in, fn); d != nil {
					return d
				}
				break run

			case OpLoops:
				// Constants that it needs may move the stacks.
				m.pc = pc
				if d := m.loopsOp(in, fn); d != nil {
					return m.place(d, fn, pc)
				}
				break run

			case OpCount:
				m.stats.Calls += int64(in.A)
				m.stats.Prims += in.K
			case OpGlobal:
				m.pc = pc
				if g := &m.globals[in.K]; g.done {
					g.copyTo(fn.Lists[in.B], f, i, p)
					pc = m.pc
					continue
				}
				if d := m.evaluate(m.code.Globals[in.K].Fun); d != nil {
					return d
				}
				break run
			case OpRetGlobal:
				m.globals[in.K].set(fn.Result, f, i, p)
				m.leave()
				break run
			case OpApplyPending:
				if d := m.applyPending(); d != nil {
					return m.place(d, fn, 2)
				}
				break run
			case OpHalt:
				return nil
			default:
				m.pc = pc
				if d := m.slow(in, fn, f, i, p); d != nil {
					return m.place(d, fn, m.pc)
				}
				pc = m.pc
			}
			continue
		taped:
			// A real that is a NaN, and so maybe a box.
			m.pc = pc
			m.tapedScalar(in, f, i)
			pc = m.pc
			if m.tape.Failure != nil {
				return m.place(m.tape.Failed(), fn, pc)
			}
		}
	}
}

func immediateF(k int64) float64 { return float64(math.Float32frombits(uint32(k >> 32))) }

// mulInto is the product of large numbers: see Note [No spills].
//
//go:noinline
func mulInto(i *windowI, to uint16, x, y int64) bool {
	r, ok := mulInt(x, y)
	if ok {
		i[to] = r
	}
	return ok
}

// mulInt multiplies; ok tells whether the product is an integer of 64 bits.
func mulInt(x, y int64) (r int64, ok bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	// Of the unsigned product to the signed one.
	hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	return int64(lo), int64(hi) == int64(lo)>>63
}
