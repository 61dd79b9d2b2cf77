package region

import (
	"errors"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// pollError is what ends a run that the machine wants to end.
type pollError struct{ d *diag.Diagnostic }

func (e pollError) Error() string { return e.d.Message }

// outcome is how the run of a region ended.
type outcome int

const (
	left outcome = iota // the interpreter is to run it
	// it was given reals that are boxed, or arrays that the loop form does not have
	boxed
	done
)

// Run runs the region, if that pays.
func (r *Region) Run(m *machine.Machine, args, results []machine.Register) (
	ran bool, d *diag.Diagnostic,
) {
	defer stop.Catch(&d)
	if r.demand.tired() || r.steps && m.Tape() != nil && m.Tape().KeepsErrors() {
		return false, nil
	}
	n := 0
	if !m.Options().Eager {
		n = r.extent.elements(m, args)
		if !r.isDue(m, n) {
			return false, nil
		}
	}
	given := m.Slots(args)
	out, how, d := r.run(m, given)
	if how == boxed && r.taped && r.role != rest {
		out, how, d = r.record(m, m.Slots(args), n)
	}
	if how == done {
		m.SetSlots(results, out)
	}
	return how == done, d
}

// run runs the region on slots.
func (r *Region) run(m *machine.Machine, given object.Slots) (
	made object.Slots, how outcome, d *diag.Diagnostic,
) {
	bytes, _ := m.Left()
	nodes := marshal.NodesLeft(m.Work()*fuelWork, m.RegionWork().Numbered, bytes)
	in := marshal.Writer{From: given, Taped: r.taped, Left: nodes, Kept: m.Tables()}
	if first := r.first(); first != nil {
		in.Args = make([]loop.Arg, 0, len(first.low.Func.Params))
	}
	defer func() { m.RegionWork().Numbered += int64(nodes - in.Left) }()
	if !in.Values(r.params) {
		return made, boxed, nil
	}
	f := r.runnable(m, r.takenBy(m), in.Args)
	if f == nil {
		return made, left, nil
	}
	for i, def := range f.low.Constants {
		var known bool
		if in.From, known = m.Constant(def.Name); !known || !in.Value(f.constants[i]) {
			return made, left, nil
		}
	}
	parts := len(f.low.Func.Body.Yield)
	out := make([]loop.Arg, parts)
	var outer *machine.Outermost
	if r.role == whole {
		outer = m.AtOutermost()
	}
	var old []object.Ref
	if outer != nil && len(outer.Into) == len(out) {
		out, old = outer.Into, outer.Old
		outer.Into, outer.Old = nil, nil
	}
	// A short run does not poll, and what runs it again and again may do little else.
	if d := m.Tick(); d != nil {
		return made, left, d
	}
	err := f.code.RunInto(out, in.Args, runOptions(m))
	var polled pollError
	switch {
	case errors.As(err, &polled):
		return made, left, polled.d
	case err != nil && f.kind == comparing:
		m.GaveUp(err, r.role == rest)
		r.compared(m, f, nil) // but by the interpreter
		return made, left, nil
	case err != nil && f.kind == plain && f.low.Tied && r.settle(resolved, m.Watch()) != nil:
		return r.run(m, given)
	case err != nil:
		r.demand.gaveUp(err)
		m.GaveUp(err, r.role == rest)
		return made, left, nil
	}
	if f.kind == comparing {
		parts--
		r.compared(m, f, out[parts].F)
	}
	r.demand.gaveUp(nil)
	if outer != nil {
		outer.Made = out[:parts]
	}
	to := marshal.Reader{From: out[:parts], Old: old}
	to.Value(r.value)
	if d := m.Charge(to.Bytes); d != nil {
		return made, left, d
	}
	return to.Into, done, nil
}

// runOptions are those of compiled code that a machine runs.
func runOptions(m *machine.Machine) loop.RunOptions {
	bytes, depth := m.Left()
	poll := func() error {
		if d := m.Tick(); d != nil {
			return pollError{d}
		}
		return nil
	}
	return loop.RunOptions{MaxBytes: bytes, MaxDepth: depth, Threads: m.Options().Threads,
		Often: m.Stepping(), Poll: poll}
}
