package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/vector"
)

// windowSize is how many registers of a kind an instruction can name. The
// windows of doubles and integers are pointers to arrays of that size, so that
// indexing them by 16 bits needs no check; the stacks always have as much room
// above the top.
const windowSize = 1 << 16

type (
	windowF = [windowSize]float64
	windowI = [windowSize]int64
)

// frame is a call that waits for another: where it goes on. Its windows lie
// directly below those of the function that it called.
type frame struct {
	fn *function
	pc int
}

const frameBytes = 16

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
		code := fn.code
		f := (*windowF)(m.f[m.fb:])
		i := (*windowI)(m.i[m.ib:])
		p := m.p[m.pb:]
		pc := m.pc
	run:
		for {
			in := &code[pc]
			pc++
			switch in.op {
			case opNop: // so that the cases start at 0
			case opMovF:
				f[in.a] = f[in.b]
			case opLoadF:
				f[in.a] = math.Float64frombits(uint64(in.k))
			case opAddF:
				f[in.a] = f[in.b] + f[in.c]
			case opSubF:
				f[in.a] = f[in.b] - f[in.c]
			case opMulF:
				f[in.a] = f[in.b] * f[in.c]
			case opDivF:
				f[in.a] = f[in.b] / f[in.c]
			case opNegF:
				f[in.a] = -f[in.b]
			case opAddKF:
				f[in.a] = f[in.b] + math.Float64frombits(uint64(in.k))
			case opRSubKF:
				f[in.a] = math.Float64frombits(uint64(in.k)) - f[in.b]
			case opMulKF:
				f[in.a] = f[in.b] * math.Float64frombits(uint64(in.k))
			case opDivKF:
				f[in.a] = f[in.b] / math.Float64frombits(uint64(in.k))
			case opRDivKF:
				f[in.a] = math.Float64frombits(uint64(in.k)) / f[in.b]
			// The conversions keep Go from fusing the product with the sum, which
			// would round once instead of twice.
			case opMulAddF:
				f[in.a] = float64(f[in.b]*f[in.c]) + f[uint16(in.k)]
			case opMulSubF:
				f[in.a] = float64(f[in.b]*f[in.c]) - f[uint16(in.k)]
			case opSubMulF:
				f[in.a] = f[uint16(in.k)] - float64(f[in.b]*f[in.c])
			case opMulMulF:
				f[in.a] = f[in.b] * f[in.c] * f[uint16(in.k)]
			case opAffineF:
				k1, k2 := float64(math.Float32frombits(uint32(in.k))), immediateF(in.k)
				f[in.a] = float64(f[in.b]*k1) + k2
			case opMulKAddF:
				f[in.a] = float64(f[in.b]*math.Float64frombits(uint64(in.k))) + f[in.c]
			case opMulKSubF:
				f[in.a] = float64(f[in.b]*math.Float64frombits(uint64(in.k))) - f[in.c]
			case opSubMulKF:
				f[in.a] = f[in.c] - float64(f[in.b]*math.Float64frombits(uint64(in.k)))
			case opMulKMulF:
				f[in.a] = f[in.b] * math.Float64frombits(uint64(in.k)) * f[in.c]
			case opMulAddKF:
				f[in.a] = float64(f[in.b]*f[in.c]) + math.Float64frombits(uint64(in.k))
			case opRSubMulF:
				f[in.a] = math.Float64frombits(uint64(in.k)) - float64(f[in.b]*f[in.c])
			case opMulMulKF:
				f[in.a] = f[in.b] * f[in.c] * math.Float64frombits(uint64(in.k))
			case opAddMulF:
				f[in.a] = (f[in.b] + f[in.c]) * f[uint16(in.k)]
			case opRSubKMulF:
				f[in.a] = (math.Float64frombits(uint64(in.k)) - f[in.b]) * f[in.c]
			case opDiffMulF:
				f[in.a] = (f[in.b] - f[in.c]) * f[uint16(in.k)]
			case opSqrtF:
				f[in.a] = math.Sqrt(f[in.b])
			case opAbsF:
				f[in.a] = math.Abs(f[in.b])
			case opMaxF:
				f[in.a] = max(f[in.b], f[in.c])
			case opMinF:
				f[in.a] = min(f[in.b], f[in.c])
			case opReal1:
				m.pc = pc
				m.lib.applyReal1(in, f)
				pc = m.pc
			case opReal2:
				m.pc = pc
				m.lib.applyReal2(in, f)
				pc = m.pc
			case opRealInt:
				m.pc = pc
				m.lib.applyRealInt(in, f, i)
				pc = m.pc
			case opFromInt:
				f[in.a] = float64(i[in.b])
			case opLtF:
				i[in.a] = object.Truth(f[in.b] < f[in.c])
			case opLeF:
				i[in.a] = object.Truth(f[in.b] <= f[in.c])

			case opMovI:
				i[in.a] = i[in.b]
			case opLoadI:
				i[in.a] = in.k
			case opAddI:
				x, y := i[in.b], i[in.c]
				s := x + y
				if (s^x)&(s^y) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.a] = s
			case opSubI:
				x, y := i[in.b], i[in.c]
				d := x - y
				if (x^y)&(d^x) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.a] = d
			case opMulI:
				x, y := i[in.b], i[in.c]
				if uint64(x+1<<31)|uint64(y+1<<31) < 1<<32 {
					i[in.a] = x * y
					continue
				}
				m.pc = pc
				if !mulInto(i, in.a, x, y) {
					return m.overflowAt(fn, m.pc, i)
				}
				pc = m.pc
			case opAddKI:
				x, y := i[in.b], in.k
				s := x + y
				if (s^x)&(s^y) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.a] = s
			case opRSubKI:
				x, y := in.k, i[in.b]
				d := x - y
				if (x^y)&(d^x) < 0 {
					return m.overflowAt(fn, pc, i)
				}
				i[in.a] = d
			case opMulKI:
				x, y := i[in.b], in.k
				if uint64(x+1<<31)|uint64(y+1<<31) < 1<<32 {
					i[in.a] = x * y
					continue
				}
				m.pc = pc
				if !mulInto(i, in.a, x, y) {
					return m.overflowAt(fn, m.pc, i)
				}
				pc = m.pc
			case opNot:
				i[in.a] = 1 - i[in.b]
			case opLtI:
				i[in.a] = object.Truth(i[in.b] < i[in.c])
			case opLeI:
				i[in.a] = object.Truth(i[in.b] <= i[in.c])
			case opEqI:
				i[in.a] = object.Truth(i[in.b] == i[in.c])
			case opNeI:
				i[in.a] = object.Truth(i[in.b] != i[in.c])
			case opLtKI:
				i[in.a] = object.Truth(i[in.b] < in.k)
			case opGtKI:
				i[in.a] = object.Truth(i[in.b] > in.k)
			case opEqKI:
				i[in.a] = object.Truth(i[in.b] == in.k)
			case opNeKI:
				i[in.a] = object.Truth(i[in.b] != in.k)

			case opMovP:
				p[in.a] = p[in.b]
			case opLoadP:
				p[in.a] = fn.consts[in.k]

			case opJump:
				pc = int(in.k)
			case opJFalse:
				if i[in.a] == 0 {
					pc = int(in.k)
				}
			case opJNLtF:
				if !(f[in.a] < f[in.b]) {
					pc = int(in.k)
				}
			case opJNLeF:
				if !(f[in.a] <= f[in.b]) {
					pc = int(in.k)
				}
			case opJNLtKF:
				if !(f[in.a] < immediateF(in.k)) {
					pc = int(uint32(in.k))
				}
			case opJNLeKF:
				if !(f[in.a] <= immediateF(in.k)) {
					pc = int(uint32(in.k))
				}
			case opJNGtKF:
				if !(f[in.a] > immediateF(in.k)) {
					pc = int(uint32(in.k))
				}
			case opJNGeKF:
				if !(f[in.a] >= immediateF(in.k)) {
					pc = int(uint32(in.k))
				}
			case opJLtI:
				if i[in.a] < i[in.b] {
					pc = int(in.k)
				}
			case opJLeI:
				if i[in.a] <= i[in.b] {
					pc = int(in.k)
				}
			case opJEqI:
				if i[in.a] == i[in.b] {
					pc = int(in.k)
				}
			case opJNeI:
				if i[in.a] != i[in.b] {
					pc = int(in.k)
				}
			case opJLtKI:
				if i[in.a] < in.k>>32 {
					pc = int(uint32(in.k))
				}
			case opJGtKI:
				if i[in.a] > in.k>>32 {
					pc = int(uint32(in.k))
				}
			case opJEqKI:
				if i[in.a] == in.k>>32 {
					pc = int(uint32(in.k))
				}
			case opJNeKI:
				if i[in.a] != in.k>>32 {
					pc = int(uint32(in.k))
				}
			case opBack:
				m.pc = int(in.k)
				if m.fuel--; m.fuel < 0 {
					if d := m.tickAt(fn, pc); d != nil {
						return d
					}
				}
				pc = m.pc
			case opLoop:
				next := i[in.a] + 1
				i[in.a] = next
				if next < i[in.b] {
					target := int(in.k)
					if m.fuel--; m.fuel >= 0 {
						pc = target
						continue
					}
					m.pc = target
					if d := m.tickAt(fn, pc); d != nil {
						return d
					}
					pc = m.pc
				}
			case opSwitchI:
				pc = int(fn.jumps[in.k][i[in.a]])
			case opSwitchCell:
				pc = int(fn.jumps[in.k][p[in.a].(*object.Cell).Tag])
			case opSwitchNode:
				pc = int(fn.jumps[in.k][p[in.a].(*object.Node).Tag])

			case opCall:
				callee, n := m.lib.funs[in.k], len(m.frames)
				m.fb += fn.frame.F
				m.ib += fn.frame.I
				m.pb += fn.frame.P
				m.fn, m.pc = callee, 0
				m.fuel--
				if n == cap(m.frames) || m.fuel < 0 || m.full(callee) {
					if d := m.callSlow(fn, pc); d != nil {
						return d
					}
					break run
				}
				m.frames = m.frames[:n+1]
				m.frames[n] = frame{fn, pc}
				break run
			case opTailCall:
				callee := m.lib.funs[in.k]
				m.fn, m.pc = callee, 0
				m.fuel--
				if m.fuel < 0 || m.full(callee) {
					if d := m.enterAt(callee, fn, pc); d != nil {
						return d
					}
				}
				break run
			case opCallClosure:
				m.pc = pc
				if d := m.callClosure(m.lib.calls[in.k], in.a); d != nil {
					return m.place(d, fn, m.pc)
				}
				break run
			case opTailClosure:
				m.pc = pc
				if d := m.tailClosure(m.lib.calls[in.k]); d != nil {
					return m.place(d, fn, m.pc)
				}
				break run
			case opRetF:
				x := f[in.a]
				m.leave()
				m.f[m.fb+int(m.fn.code[m.pc-1].a)] = x
				break run
			case opRetI:
				x := i[in.a]
				m.leave()
				m.i[m.ib+int(m.fn.code[m.pc-1].a)] = x
				break run
			case opRetP:
				x := p[in.a]
				m.leave()
				m.p[m.pb+int(m.fn.code[m.pc-1].a)] = x
				break run
			case opRet:
				m.leave()
				break run

			case opEnvF:
				f[in.a] = p[in.b].(*closure).Real(int(in.k))
			case opEnvI:
				i[in.a] = p[in.b].(*closure).Word(int(in.k))
			case opEnvP:
				p[in.a] = p[in.b].(*closure).Ref(int(in.k))
			case opCellF:
				f[in.a] = math.Float64frombits(p[in.b].(*object.Cell).W)
			case opCellI:
				i[in.a] = int64(p[in.b].(*object.Cell).W)
			case opCellP:
				p[in.a] = p[in.b].(*object.Cell).P
			case opNodeF:
				f[in.a] = p[in.b].(*object.Node).Real(int(in.k))
			case opNodeI:
				i[in.a] = p[in.b].(*object.Node).Word(int(in.k))
			case opNodeP:
				p[in.a] = p[in.b].(*object.Node).Ref(int(in.k))

			case opAtF:
				v, at := p[in.b].(*object.Reals).V, i[in.c]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				f[in.a] = v[at]
			case opAtI:
				v, at := p[in.b].(*object.Ints).V, i[in.c]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				i[in.a] = v[at]
			case opAtP:
				v, at := p[in.b].(*object.Refs).V, i[in.c]
				if uint64(at) >= uint64(len(v)) {
					return m.outOfRangeAt(fn, pc, at, len(v))
				}
				p[in.a] = v[at]
			case opColF:
				f[in.a] = p[in.b].(*object.Table).F[in.k][i[in.c]]
			case opColI:
				i[in.a] = p[in.b].(*object.Table).I[in.k][i[in.c]]
			case opColP:
				p[in.a] = p[in.b].(*object.Table).P[in.k][i[in.c]]
			case opSetF:
				p[in.a].(*object.Reals).V[i[in.b]] = f[in.c]
			case opSetI:
				p[in.a].(*object.Ints).V[i[in.b]] = i[in.c]
			case opSetP:
				p[in.a].(*object.Refs).V[i[in.b]] = p[in.c]
			case opSetColF:
				p[in.a].(*object.Table).F[in.k][i[in.b]] = f[in.c]
			case opSetColI:
				p[in.a].(*object.Table).I[in.k][i[in.b]] = i[in.c]
			case opSetColP:
				p[in.a].(*object.Table).P[in.k][i[in.b]] = p[in.c]

			case opAddT:
				if r := f[in.b] + f[in.c]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opSubT:
				if r := f[in.b] - f[in.c]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opMulT:
				if r := f[in.b] * f[in.c]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opDivT:
				if r := f[in.b] / f[in.c]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opNegT:
				if r := -f[in.b]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opAddKT:
				if r := f[in.b] + math.Float64frombits(uint64(in.k)); r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opRSubKT:
				if r := math.Float64frombits(uint64(in.k)) - f[in.b]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opMulKT:
				if r := f[in.b] * math.Float64frombits(uint64(in.k)); r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opDivKT:
				if r := f[in.b] / math.Float64frombits(uint64(in.k)); r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opRDivKT:
				if r := math.Float64frombits(uint64(in.k)) / f[in.b]; r == r {
					f[in.a] = r
					continue
				}
				goto taped
			case opLtT:
				if x, y := f[in.b], f[in.c]; x < y || x > y {
					i[in.a] = object.Truth(x < y)
					continue
				}
				goto taped
			case opLeT:
				if x, y := f[in.b], f[in.c]; x < y || x > y {
					i[in.a] = object.Truth(x < y)
					continue
				}
				goto taped
			case opOperate:
				// Functions that the instruction calls may move the stacks.
				m.pc = pc
				if d := m.operate(in, fn); d != nil {
					return d
				}
				break run

			case opLoops:
				// Constants that it needs may move the stacks.
				m.pc = pc
				if d := m.loopsOp(in, fn); d != nil {
					return m.place(d, fn, pc)
				}
				break run

			case opCount:
				m.stats.Calls += int64(in.a)
				m.stats.Prims += in.k
			case opGlobal:
				m.pc = pc
				if g := &m.globals[in.k]; g.done {
					g.copyTo(fn.lists[in.b], f, i, p)
					pc = m.pc
					continue
				}
				if d := m.evaluate(m.code.globals[in.k].fun); d != nil {
					return d
				}
				break run
			case opRetGlobal:
				m.globals[in.k].set(fn.result, f, i, p)
				m.leave()
				break run
			case opApplyPending:
				if d := m.applyPending(); d != nil {
					return m.place(d, fn, 2)
				}
				break run
			case opHalt:
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
	r, ok := vector.MulInt(x, y)
	if ok {
		i[to] = r
	}
	return ok
}
