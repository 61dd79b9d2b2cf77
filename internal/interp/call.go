package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// full tells whether a callee, whose windows start at the current bases,
// needs more room or is one call too deep.
func (m *Machine) full(callee *function) bool {
	return m.fb+windowSize > len(m.f) || m.ib+windowSize > len(m.i) ||
		m.pb+callee.frame.P+callee.out.P+1 > len(m.p) || len(m.frames) > m.depth
}

// enter does what opCall leaves: pays with time, grows the stacks, checks the
// depth.
func (m *Machine) enter(callee *function) *diag.Diagnostic {
	if m.fuel < 0 {
		if d := m.tick(); d != nil {
			return d
		}
	}
	if len(m.frames) > m.depth {
		return m.tooDeep()
	}
	if d := grow(m, &m.f, m.fb+windowSize, 8); d != nil {
		return d
	}
	if d := grow(m, &m.i, m.ib+windowSize, 8); d != nil {
		return d
	}
	return grow(m, &m.p, m.pb+callee.frame.P+callee.out.P+1, layout.RefBytes)
}

// enterAt is enter for an instruction of the caller.
func (m *Machine) enterAt(callee, caller *function, pc int) *diag.Diagnostic {
	if d := m.enter(callee); d != nil {
		return m.place(d, caller, pc)
	}
	return nil
}

// grow makes a stack at least n long, charged before it is allocated.
func grow[T any](m *Machine, stack *[]T, n, size int) *diag.Diagnostic {
	if n <= len(*stack) {
		return nil
	}
	n = max(n, 2*len(*stack))
	if d := m.charge(int64(n) * int64(size)); d != nil {
		return d
	}
	bigger := make([]T, n)
	copy(bigger, *stack)
	*stack = bigger
	return nil
}

// push adds a frame to the list, which is charged before it grows.
func (m *Machine) push(fn *function, pc int) *diag.Diagnostic {
	if n := len(m.frames); n == cap(m.frames) {
		n = max(2*n, 64)
		if d := m.charge(int64(n) * frameBytes); d != nil {
			return d
		}
		m.frames = append(make([]frame, 0, n), m.frames...)
	}
	m.frames = append(m.frames, frame{fn, pc})
	return nil
}

// callSlow is opCall where its short way does not do: m.fn is the callee, its
// windows are set.
func (m *Machine) callSlow(caller *function, pc int) *diag.Diagnostic {
	d := m.push(caller, pc)
	if d == nil {
		d = m.enter(m.fn)
	}
	if d != nil {
		return m.place(d, caller, pc)
	}
	return nil
}

// evaluate starts the evaluation of a constant, after which the current
// instruction, which asked for it, is executed again.
func (m *Machine) evaluate(constant *function) *diag.Diagnostic {
	fn, pc := m.fn, m.pc
	m.fb += fn.frame.F
	m.ib += fn.frame.I
	m.pb += fn.frame.P
	m.fn, m.pc = constant, 0
	d := m.push(fn, pc-1)
	if d == nil {
		d = m.enter(constant)
	}
	if d != nil {
		return m.place(d, fn, pc)
	}
	return nil
}

// leave goes back to the caller.
func (m *Machine) leave() {
	top := len(m.frames) - 1
	caller := m.frames[top]
	m.frames = m.frames[:top]
	m.fn, m.pc = caller.fn, caller.pc
	m.fb -= caller.fn.frame.F
	m.ib -= caller.fn.frame.I
	m.pb -= caller.fn.frame.P
}

// callClosure calls the closure that lies after its arguments in the outgoing
// registers. A single result goes to register a.
func (m *Machine) callClosure(info *callInfo, a uint16) *diag.Diagnostic {
	caller := m.fn
	out := m.pb + caller.frame.P
	if c, ok := m.p[out+info.params[info.args].P].(*closure); ok && c.fn.arity > info.args {
		partial, d := m.newPartial(c, info.args, info.params[info.args], m.fb+caller.frame.F, m.ib+caller.frame.I, out)
		if d == nil {
			m.p[m.pb+int(a)] = partial
		}
		return d
	}
	if d := m.push(caller, m.pc); d != nil {
		return d
	}
	m.fb += caller.frame.F
	m.ib += caller.frame.I
	m.pb = out
	return m.tailClosure(info)
}

// tailClosure calls the closure that lies after its arguments in the first
// registers, in place of the current function.
func (m *Machine) tailClosure(info *callInfo) *diag.Diagnostic {
	m.fuel--
	for {
		args := info.params[info.args]
		m.args = args.P + 1
		switch callee := m.p[m.pb+args.P].(type) {
		case *closure:
			fn := callee.fn
			switch {
			case fn.arity == info.args:
				if m.fuel < 0 || m.full(fn) {
					if d := m.enter(fn); d != nil {
						return d
					}
				}
				m.fn, m.pc = fn, 0
				return nil
			case fn.arity > info.args:
				result, d := m.newPartial(callee, info.args, args, m.fb, m.ib, m.pb)
				if d != nil {
					return d
				}
				m.leave()
				m.p[m.pb+int(m.fn.code[m.pc-1].a)] = result
				return nil
			}
			return m.overApply(callee, info)
		case *partial:
			// Its arguments come first.
			have := callee.fun.fn.params[callee.args]
			m.args += have.P
			if d := m.room(have.Plus(args)); d != nil {
				return d
			}
			insert(m.f[m.fb:], callee.F, args.F)
			insert(m.i[m.ib:], callee.I, args.I)
			insert(m.p[m.pb:], callee.P, args.P)
			m.p[m.pb+have.P+args.P] = callee.fun
			info = &callInfo{args: callee.args + info.args, params: joinParams(callee.fun.fn.params[:callee.args+1], info.params)}
		default:
			panic("interp: a call of what is no function")
		}
	}
}

// room makes sure that the stacks have place for arguments and a closure at
// the current bases.
func (m *Machine) room(args layout.Shape) *diag.Diagnostic {
	return m.enter(&function{frame: layout.Shape{P: args.P + 2}})
}

// insert puts more in front of the first n elements.
func insert[T any](window, more []T, n int) {
	copy(window[len(more):len(more)+n], window[:n])
	copy(window, more)
}

// joinParams counts the slots of arguments that come after others.
func joinParams(first, then []layout.Shape) []layout.Shape {
	joined := append([]layout.Shape(nil), first...)
	base := first[len(first)-1]
	for _, s := range then[1:] {
		joined = append(joined, base.Plus(s))
	}
	return joined
}

// newPartial keeps the arguments at the given places for a later call.
func (m *Machine) newPartial(fun *closure, args int, s layout.Shape, f, i, p int) (*partial, *diag.Diagnostic) {
	if d := m.charge(96 + s.Bytes()); d != nil {
		return nil, d
	}
	object.ShareAll(m.p[p : p+s.P])
	return &partial{fun: fun, args: args, Slots: object.Slots{
		F: append([]float64(nil), m.f[f:f+s.F]...),
		I: append([]int64(nil), m.i[i:i+s.I]...),
		P: append([]object.Ref(nil), m.p[p:p+s.P]...),
	}}, nil
}

// pending is the rest of the arguments of a call with more arguments than the
// function has parameters: the result is applied to them.
type pending struct {
	info *callInfo
	args *partial
}

// overApply calls a closure with the first of its arguments and leaves a frame
// that applies the result to the others.
func (m *Machine) overApply(callee *closure, info *callInfo) *diag.Diagnostic {
	fn := callee.fn
	now, all := info.params[fn.arity], info.params[info.args]
	rest := all.Minus(now)
	args, d := m.newPartial(nil, info.args-fn.arity, rest, m.fb+now.F, m.ib+now.I, m.pb+now.P)
	if d != nil {
		return d
	}
	params := make([]layout.Shape, 0, args.args+1)
	for _, s := range info.params[fn.arity:] {
		params = append(params, s.Minus(now))
	}
	if d := m.room(all); d != nil {
		return d
	}
	insert(m.p[m.pb:], make([]object.Ref, 2), now.P)
	m.p[m.pb+1] = &pending{&callInfo{args: args.args, params: params}, args}
	m.p[m.pb+2+now.P] = callee
	if d := m.push(m.code.pending, 1); d != nil {
		return d
	}
	m.pb += m.code.pending.frame.P
	if d := m.enter(fn); d != nil {
		return d
	}
	m.fn, m.pc = fn, 0
	return nil
}

// applyPending is what Code.pending does.
func (m *Machine) applyPending() *diag.Diagnostic {
	fun, rest := m.p[m.pb], m.p[m.pb+1].(*pending)
	s := rest.info.params[rest.info.args]
	if d := m.room(s); d != nil {
		return d
	}
	copy(m.f[m.fb:], rest.args.F)
	copy(m.i[m.ib:], rest.args.I)
	copy(m.p[m.pb:], rest.args.P)
	m.p[m.pb+s.P] = fun
	return m.tailClosure(rest.info)
}
