package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// full tells whether a callee, whose windows start at the current bases,
// needs more room or may be one call too deep: reserve knows.
func (m *Machine) full(callee *Function) bool {
	return m.fb+WindowSize > len(m.f) || m.ib+WindowSize > len(m.i) ||
		m.pb+callee.Frame.P+callee.Out.P+1 > len(m.p) || m.frames.count() > m.depth
}

// enter begins to run a function whose windows start at the current bases. If it fails, m.fn and
// m.pc are still those of the instruction that calls.
func (m *Machine) enter(callee *Function) *diag.Diagnostic {
	if callee.later != nil {
		var d *diag.Diagnostic
		if callee, d = m.compiled(callee); d != nil {
			return d
		}
	}
	if d := m.reserve(callee.Frame.P + callee.Out.P); d != nil {
		return d
	}
	m.fn, m.pc = callee, 0
	return nil
}

// compiled is what a stub stands for.
func (m *Machine) compiled(stub *Function) (made *Function, d *diag.Diagnostic) {
	if made = stub.now(); made.later != nil {
		defer stop.Catch(&d)
		made = m.code.Compiled(stub, m.Watch())
	}
	return made, nil
}

// reserve does what calls leave: it pays with time, checks the depth, and grows the stacks for
// windows at the current bases, with so many references.
func (m *Machine) reserve(refs int) *diag.Diagnostic {
	if m.fuel < 0 {
		if d := m.Tick(); d != nil {
			return d
		}
	}
	if m.frames.count()-1 > m.depth { // one frame is that of the program
		if reached := m.limits.Reached; reached == nil || reached(diag.DepthLimit) {
			return m.tooDeep()
		}
	}
	if d := grow(m, &m.f, m.fb+WindowSize, 8); d != nil {
		return d
	}
	if d := grow(m, &m.i, m.ib+WindowSize, 8); d != nil {
		return d
	}
	return grow(m, &m.p, m.pb+refs+1, layout.RefBytes)
}

// enterAt is enter for the instruction of the caller before pc, where m.fn is the callee.
func (m *Machine) enterAt(caller *Function, pc int) *diag.Diagnostic {
	callee := m.fn
	d := m.enter(callee)
	if m.fn != callee { // it was a stub
		caller.Lib.funs[caller.Code[pc-1].K].Store(m.fn)
	}
	if d != nil {
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
	if d := m.Charge(int64(n) * int64(size)); d != nil {
		return d
	}
	bigger := make([]T, n)
	for done := 0; done < len(*stack); done += pieceOfStack {
		// While the garbage collector marks, a million references take a tenth of a second.
		if d := m.Tick(); d != nil {
			return d
		}
		copy(bigger[done:], (*stack)[done:min(done+pieceOfStack, len(*stack))])
	}
	*stack = bigger
	return nil
}

// pieceOfStack is how much of a stack is copied between two looks at the clock.
const pieceOfStack = 1 << 16

// callSlow is OpCall where its short way does not do: m.fn is the callee, its
// windows are set.
func (m *Machine) callSlow(caller *Function, pc int) *diag.Diagnostic {
	if d := m.push(caller, pc); d != nil {
		return m.place(d, caller, pc)
	}
	return m.enterAt(caller, pc)
}

// evaluate starts the evaluation of a constant, after which the current
// instruction, which asked for it, is executed again.
func (m *Machine) evaluate(constant *Function) *diag.Diagnostic {
	fn, pc := m.fn, m.pc
	m.fb += fn.Frame.F
	m.ib += fn.Frame.I
	m.pb += fn.Frame.P
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
	caller := m.frames.pop()
	m.fn, m.pc = caller.fn, caller.pc
	m.fb -= caller.fn.Frame.F
	m.ib -= caller.fn.Frame.I
	m.pb -= caller.fn.Frame.P
}

// callClosure calls the closure that lies after its arguments in the outgoing
// registers. A single result goes to register a.
func (m *Machine) callClosure(info *CallInfo, a uint16) *diag.Diagnostic {
	caller := m.fn
	out := m.pb + caller.Frame.P
	if c, ok := m.p[out+info.params[info.args].P].(*Closure); ok && c.Fn.Arity > info.args {
		partial, d := m.newPartial(c, info.args, info.params[info.args], m.fb+caller.Frame.F, m.ib+caller.Frame.I, out)
		if d == nil {
			m.p[m.pb+int(a)] = partial
		}
		return d
	}
	if d := m.push(caller, m.pc); d != nil {
		return d
	}
	m.fb += caller.Frame.F
	m.ib += caller.Frame.I
	m.pb = out
	return m.tailClosure(info)
}

// tailClosure calls the closure that lies after its arguments in the first
// registers, in place of the current function.
func (m *Machine) tailClosure(info *CallInfo) *diag.Diagnostic {
	for {
		args := info.params[info.args]
		m.args = args.P + 1
		switch callee := m.p[m.pb+args.P].(type) {
		case *Closure:
			fn := callee.Fn.now()
			m.fuel--
			switch {
			case fn.Arity == info.args:
				m.fuel -= toll(len(fn.Code)) - 1
				if m.fuel < 0 || m.full(fn) {
					return m.enter(fn)
				}
				m.fn, m.pc = fn, 0
				return nil
			case fn.Arity > info.args:
				result, d := m.newPartial(callee, info.args, args, m.fb, m.ib, m.pb)
				if d != nil {
					return d
				}
				m.leave()
				m.p[m.pb+int(m.fn.Code[m.pc-1].A)] = result
				return nil
			}
			return m.overApply(callee, info)
		case *Partial:
			// Its arguments come first.
			have := callee.Fun.Fn.Params[callee.Args]
			m.args += have.P
			if d := m.room(have.Plus(args)); d != nil {
				return d
			}
			insert(m.f[m.fb:], callee.F, args.F)
			insert(m.i[m.ib:], callee.I, args.I)
			insert(m.p[m.pb:], callee.P, args.P)
			m.p[m.pb+have.P+args.P] = callee.Fun
			info = &CallInfo{args: callee.Args + info.args, params: joinParams(callee.Fun.Fn.Params[:callee.Args+1], info.params)}
		default:
			panic("machine: a call of what is no function")
		}
	}
}

// room makes sure that the stacks have place for arguments and a closure at
// the current bases.
func (m *Machine) room(args layout.Shape) *diag.Diagnostic {
	return m.reserve(args.P + 2)
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
func (m *Machine) newPartial(fun *Closure, args int, s layout.Shape, f, i, p int) (*Partial, *diag.Diagnostic) {
	if d := m.Charge(96 + s.Bytes()); d != nil {
		return nil, d
	}
	object.ShareAll(m.p[p : p+s.P])
	return &Partial{Fun: fun, Args: args, Slots: object.Slots{
		F: append([]float64(nil), m.f[f:f+s.F]...),
		I: append([]int64(nil), m.i[i:i+s.I]...),
		P: append([]object.Ref(nil), m.p[p:p+s.P]...),
	}}, nil
}

// pending is the rest of the arguments of a call with more arguments than the
// function has parameters: the result is applied to them.
type pending struct {
	info *CallInfo
	args *Partial
}

// overApply calls a closure with the first of its arguments and leaves a frame
// that applies the result to the others.
func (m *Machine) overApply(callee *Closure, info *CallInfo) *diag.Diagnostic {
	fn := callee.Fn
	now, all := info.params[fn.Arity], info.params[info.args]
	rest := all.Minus(now)
	args, d := m.newPartial(nil, info.args-fn.Arity, rest, m.fb+now.F, m.ib+now.I, m.pb+now.P)
	if d != nil {
		return d
	}
	params := make([]layout.Shape, 0, args.Args+1)
	for _, s := range info.params[fn.Arity:] {
		params = append(params, s.Minus(now))
	}
	if d := m.room(all); d != nil {
		return d
	}
	insert(m.p[m.pb:], make([]object.Ref, 2), now.P)
	m.p[m.pb+1] = &pending{&CallInfo{args: args.Args, params: params}, args}
	m.p[m.pb+2+now.P] = callee
	if d := m.push(m.code.pending, 1); d != nil {
		return d
	}
	m.pb += m.code.pending.Frame.P
	return m.enter(fn)
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
