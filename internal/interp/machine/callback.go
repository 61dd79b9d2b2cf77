package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// Operation is what an instruction does that calls functions of the program: a derivative, a search
// or a rule of the program's own. The machine does not know more of it.
type Operation interface {
	// Run gives the results for arguments.
	Run(m *Machine, args object.Slots) (object.Slots, *diag.Diagnostic)
	// Within is what a message says of the place of the operation if a function that it calls
	// fails; "" for nothing.
	Within() string
	// String is how listings call it.
	String() string
}

// OperationState is what operations keep on the machine from one to the next.
type OperationState interface {
	// Start begins a run.
	Start()
}

// operate executes an operation.
func (m *Machine) operate(in *Instr, fn *Function) *diag.Diagnostic {
	m.looksInto(fn, m.pc)
	out, d := fn.Lib.operations[in.K].Run(m, m.Slots(fn.Lists[in.B]))
	switch {
	case d == nil:
		m.SetSlots(fn.Lists[in.C], out)
	case !d.Span.Known(): // what arose in a function that was called has its place already
		return m.place(d, fn, m.pc)
	}
	return d
}

// Slots are the slots of registers, held outside of them.
func (m *Machine) Slots(list []Register) object.Slots {
	var n layout.Shape
	for _, o := range list {
		n.Next(o.Kind)
	}
	s := object.Slots{F: make([]float64, 0, n.F), I: make([]int64, 0, n.I), P: make([]object.Ref, 0, n.P)}
	for _, o := range list {
		switch o.Kind {
		case layout.F:
			s.F = append(s.F, m.f[m.fb+int(o.Reg)])
		case layout.I:
			s.I = append(s.I, m.i[m.ib+int(o.Reg)])
		case layout.P:
			s.P = append(s.P, m.p[m.pb+int(o.Reg)])
		}
	}
	return s
}

// SetSlots writes results to registers.
func (m *Machine) SetSlots(list []Register, s object.Slots) {
	var at layout.Shape
	for _, o := range list {
		switch k := at.Next(o.Kind); o.Kind {
		case layout.F:
			m.f[m.fb+int(o.Reg)] = s.F[k]
		case layout.I:
			m.i[m.ib+int(o.Reg)] = s.I[k]
		case layout.P:
			m.p[m.pb+int(o.Reg)] = s.P[k]
		}
	}
}

// maxCallbacks bounds how deeply functions that primitives call may nest,
// each of which takes a part of the Go stack.
const maxCallbacks = 10_000

// Callback calls a function in the middle of an instruction of the current
// one and gives the slots of its result. The stacks may have moved when it
// returns.
func (m *Machine) Callback(fun object.Ref, info *CallInfo, arg object.Slots, result layout.Shape) (object.Slots, *diag.Diagnostic) {
	caller, d := m.startCallback(info.params[info.args])
	if d != nil {
		return object.Slots{}, d
	}
	copy(m.f[m.fb:], arg.F)
	copy(m.i[m.ib:], arg.I)
	object.ShareAll(arg.P)
	copy(m.p[m.pb:], arg.P)
	m.p[m.pb+len(arg.P)] = fun
	if d := m.finishCallback(info); d != nil {
		m.endCallback(caller)
		return object.Slots{}, d
	}
	out := object.Slots{
		F: append([]float64(nil), m.f[m.fb:m.fb+result.F]...),
		I: append([]int64(nil), m.i[m.ib:m.ib+result.I]...),
		P: append([]object.Ref(nil), m.p[m.pb:m.pb+result.P]...),
	}
	object.ShareAll(out.P)
	m.endCallback(caller)
	return out, nil
}

// caller is where a function stands that calls another in the middle of an
// instruction.
type caller struct {
	fn         *Function
	pc         int
	fb, ib, pb int
	frames     int
}

// startCallback makes room above the current function for the arguments of a
// call, which go to the start of the windows, and the closure after them. If it
// fails, nothing has changed.
func (m *Machine) startCallback(args layout.Shape) (caller, *diag.Diagnostic) {
	from := caller{m.fn, m.pc, m.fb, m.ib, m.pb, m.frames.count()}
	if m.callbacks >= maxCallbacks {
		return from, diag.Errorf(diag.DepthLimit, diag.Span{},
			"derivatives, integrals, roots and optima are nested more than %d deep", maxCallbacks)
	}
	fn := m.fn
	if d := m.push(fn, m.pc); d != nil { // for the places of errors
		return from, d
	}
	m.callbacks++
	m.fb += fn.Frame.F + fn.Out.F
	m.ib += fn.Frame.I + fn.Out.I
	m.pb += fn.Frame.P + fn.Out.P + 1
	m.fn, m.pc = m.code.halt, 1
	d := m.room(args)
	if d != nil {
		m.endCallback(from)
	}
	return from, d
}

// finishCallback runs the call; its results are at the start of the windows.
func (m *Machine) finishCallback(info *CallInfo) *diag.Diagnostic {
	if d := m.callClosure(info, 0); d != nil {
		return d
	}
	return m.exec()
}

// endCallback goes back to where the call came from, also after a failure.
func (m *Machine) endCallback(to caller) {
	m.fn, m.pc, m.fb, m.ib, m.pb = to.fn, to.pc, to.fb, to.ib, to.pb
	m.frames.cut(to.frames)
	m.callbacks--
}

// CallReal is callback for a function of one real, which is given its argument as it is.
func (m *Machine) CallReal(fun object.Ref, x float64) (float64, *diag.Diagnostic) {
	caller, d := m.startCallback(realCall.params[1])
	if d != nil {
		return 0, d
	}
	m.f[m.fb], m.p[m.pb] = x, fun
	d = m.finishCallback(realCall)
	y := m.f[m.fb]
	m.endCallback(caller)
	return y, d
}

// realCall is a call of a function of one real.
var realCall = NewCall(layout.Shape{F: 1})
