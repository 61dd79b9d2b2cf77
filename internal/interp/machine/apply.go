package machine

import (
	"context"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/lower"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Operand is a value as a machine computes with it: converted once, used in any number of
// applications. It belongs to the machine that made it, and nothing changes it.
type Operand struct {
	ty types.Type
	object.Slots
	made []loop.Arg // the results of compiled code that it is, whose memory is nobody else's
}

// Type is the type of the operand.
func (o Operand) Type() types.Type { return o.ty }

// Operand converts a value of a type.
func (m *Machine) Operand(t types.Type, v value.Value) (Operand, error) {
	var at object.Slots
	if err := object.FromValue(m.layouts, t, v, &at); err != nil {
		return Operand{}, err
	}
	return Operand{ty: t, Slots: at}, nil
}

// Value converts an operand back.
func (m *Machine) Value(o Operand) (value.Value, *diag.Diagnostic) {
	from := o.Slots
	return m.ToValue(o.ty, &from)
}

// Apply applies a definition to operands of the types of its parameters. Constants are evaluated
// when they are needed.
func (m *Machine) Apply(ctx context.Context, lim Limits, name string, args ...Operand) (Operand, *diag.Diagnostic) {
	g := m.code.Defs[name]
	if g == nil {
		return Operand{}, diag.Errorf(diag.UnknownName, diag.Span{}, "there is no definition %s", name)
	}
	m.start(ctx, lim)
	if d := m.Tick(); d != nil { // a context that is over before the run
		return Operand{}, d
	}
	fun, d := m.definition(g)
	if d != nil {
		return Operand{}, d
	}
	if len(args) == 0 {
		return Operand{ty: g.Type, Slots: *fun}, nil
	}
	// Arguments go where the outermost call expects them.
	info := &CallInfo{args: len(args), params: make([]layout.Shape, 1, len(args)+1)}
	ty, end := types.Resolve(g.Type), layout.Shape{}
	for n, arg := range args {
		f, ok := ty.(*types.Fun)
		if !ok {
			return Operand{}, diag.Errorf(diag.TooManyArguments, diag.Span{}, "%s takes %d arguments, not %d", name, n, len(args))
		}
		end = layout.Shape{F: end.F + len(arg.F), I: end.I + len(arg.I), P: end.P + len(arg.P)}
		info.params = append(info.params, end)
		ty = types.Resolve(f.Result)
	}
	if max(end.F, end.I, end.P) >= MaxRegs {
		return Operand{}, diag.Errorf(diag.ProgramTooLarge, diag.Span{}, "the arguments of %s are too large", name)
	}
	if d := m.room(end); d != nil {
		d.Span = g.At
		return Operand{}, d
	}
	for n, arg := range args {
		at := info.params[n]
		copy(m.f[at.F:], arg.F)
		copy(m.i[at.I:], arg.I)
		copy(m.p[at.P:], arg.P)
	}
	m.p[end.P] = fun.P[0]
	if g.Index < 0 && len(args) >= g.Fun.Arity { // a partial application might get into a derivative
		m.p[end.P] = m.code.Called(g).Static
	}
	m.outermost.Made = nil
	d = m.callClosure(info, 0)
	if d == nil {
		m.outermost.frames = m.frames.count()
		d = m.exec()
	}
	m.outermost.Into, m.outermost.Old = nil, nil
	if d != nil {
		if !d.Span.Known() { // it was not entered
			d.Span = g.At
		}
		return Operand{}, d
	}
	s := m.layouts.Of(ty).Shape()
	result := object.Slots{F: slices.Clone(m.f[:s.F]), I: slices.Clone(m.i[:s.I]), P: slices.Clone(m.p[:s.P])}
	object.ShareAll(result.P)
	return Operand{ty, result, m.outermost.Made}, nil
}

// ApplyAgain is Apply with an earlier result that the caller does not use any more: compiled code
// may put the new one in the same memory.
func (m *Machine) ApplyAgain(ctx context.Context, lim Limits, old Operand, name string, args ...Operand) (Operand, *diag.Diagnostic) {
	if old.made != nil {
		m.outermost.Into, m.outermost.Old = slices.Clone(old.made), old.P
	}
	return m.Apply(ctx, lim, name, args...)
}

// Call applies a definition to arguments; see Code.Call.
func (m *Machine) Call(ctx context.Context, lim Limits, name string, args ...value.Value) (value.Value, *diag.Diagnostic) {
	g := m.code.Defs[name]
	if g == nil {
		return nil, diag.Errorf(diag.UnknownName, diag.Span{}, "there is no definition %s", name)
	}
	operands := make([]Operand, len(args))
	ty := types.Resolve(g.Type)
	for n, arg := range args {
		f, ok := ty.(*types.Fun)
		if !ok {
			return nil, diag.Errorf(diag.TooManyArguments, diag.Span{}, "%s takes %d arguments, not %d", name, n, len(args))
		}
		var err error
		if operands[n], err = m.Operand(f.Param, arg); err != nil {
			return nil, diag.Errorf(diag.Mismatch, diag.Span{}, "argument %d of %s: %v", n+1, name, err)
		}
		ty = types.Resolve(f.Result)
	}
	result, d := m.Apply(ctx, lim, name, operands...)
	if d != nil {
		return nil, d
	}
	v, d := m.Value(result)
	if d != nil {
		d.Span = g.At
	}
	return v, d
}

// Args is an operand as arguments of the loop form; false if loop form does not have it.
func (o Operand) Args() ([]loop.Arg, bool) {
	s := lower.ShapeOf(o.ty)
	if s == nil {
		return nil, false
	}
	m := marshal.Writer{From: o.Slots}
	ok := m.Value(s)
	return m.Args, ok
}
