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
	left  outcome = iota // the interpreter is to run it
	boxed                // it was given reals that are boxed, or arrays that the loop form does not have
	done
)

// Run runs the region, if that pays.
func (r *Region) Run(m *machine.Machine, args, results []machine.Register) (ran bool, d *diag.Diagnostic) {
	defer stop.Catch(&d)
	if r.tired() || r.steps && m.Tape() != nil && m.Tape().KeepsErrors() {
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
	if how == boxed && r.taped && !r.Rest {
		out, how, d = r.record(m, m.Slots(args), n)
	}
	if how == done {
		m.SetSlots(results, out)
	}
	return how == done, d
}

// isDue tells whether to run the region, with arrays of n elements, and so to compile it if it is
// not.
func (r *Region) isDue(m *machine.Machine, n int) bool {
	ready := r.ready.Load()
	deep := r.weight.deep || ready && r.nested
	if !deep && n < fewElements {
		return false
	}
	return ready || r.pays(m.Work()-m.RegionWork().CompiledAt, n) && !r.waits(m.Work())
}

// run runs the region on slots.
func (r *Region) run(m *machine.Machine, given object.Slots) (made object.Slots, how outcome, d *diag.Diagnostic) {
	bytes, _ := m.Left()
	nodes := marshal.NodesLeft(m.Work()*fuelWork, m.RegionWork().Numbered, bytes)
	in := marshal.Writer{From: given, Taped: r.taped, Left: nodes, Kept: m.Tables()}
	if r.ready.Load() && r.low != nil {
		in.Args = make([]loop.Arg, 0, len(r.low.Func.Params))
	}
	defer func() { m.RegionWork().Numbered += int64(nodes - in.Left) }()
	if !in.Values(r.params) {
		return made, boxed, nil
	}
	r.once.Do(func() {
		r.prepare(m.Watch())
		m.RegionWork().CompiledAt = m.Work()
	})
	form := r.runnable(m, in.Args)
	if form == nil {
		return made, left, nil
	}
	for i, def := range form.low.Constants {
		var known bool
		if in.From, known = m.Constant(def.Name); !known || !in.Value(form.constants[i]) {
			return made, left, nil
		}
	}
	bytes, depth := m.Left()
	opts := loop.RunOptions{MaxBytes: bytes, MaxDepth: depth, Threads: m.Options().Threads, Often: m.Stepping(), Poll: func() error {
		if d := m.Tick(); d != nil {
			return pollError{d}
		}
		return nil
	}}
	parts := len(form.low.Func.Body.Yield)
	out := make([]loop.Arg, parts)
	var outer *machine.Outermost
	if r.whole {
		outer = m.AtOutermost()
	}
	var old []object.Ref
	if outer != nil && len(outer.Into) == len(out) {
		out, old = outer.Into, outer.Old
		outer.Into, outer.Old = nil, nil
	}
	if d := m.Tick(); d != nil { // a short run does not poll, and what runs it again and again may do little else
		return made, left, d
	}
	err := form.code.RunInto(out, in.Args, opts)
	var polled pollError
	switch {
	case errors.As(err, &polled):
		return made, left, polled.d
	case err != nil && form == r.comparing:
		r.compared(m, nil) // but by the interpreter
		return made, left, nil
	case err != nil && r.resolve(form, m.Watch()):
		return r.run(m, given)
	case err != nil:
		r.gaveUp(true)
		m.GaveUp(err)
		return made, left, nil
	}
	if form == r.comparing {
		parts--
		r.compared(m, out[parts].F)
	}
	r.gaveUp(false)
	m.GaveUp(nil)
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
