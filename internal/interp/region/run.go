package region

import (
	"errors"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/marshal"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// pollError is what ends a run that the machine wants to end.
type pollError struct{ d *diag.Diagnostic }

func (e pollError) Error() string { return e.d.Message }

// Run runs the region, if that pays.
func (r *Region) Run(m *machine.Machine, args, results []machine.Register) (done bool, d *diag.Diagnostic) {
	if r.tired() {
		return false, nil
	}
	if !m.Options().Eager {
		n, ready := r.extent.elements(m, args), r.ready.Load()
		deep := r.weight.deep || ready && r.nested
		if !deep && n < fewElements || !ready && (!r.pays(m.Work()-m.RegionWork().CompiledAt, n) || r.waits(m.Work())) {
			return false, nil
		}
	}
	bytes, _ := m.Left()
	left := marshal.NodesLeft(m.Work()*fuelWork, m.RegionWork().Numbered, bytes)
	in := marshal.Writer{From: m.Slots(args), Taped: r.taped, Left: left, Kept: m.Tables()}
	if r.ready.Load() && r.low != nil {
		in.Args = make([]loop.Arg, 0, len(r.low.Func.Params))
	}
	defer func() { m.RegionWork().Numbered += int64(left - in.Left) }()
	if !in.Values(r.params) {
		return false, nil
	}
	r.once.Do(func() {
		r.prepare()
		m.RegionWork().CompiledAt = m.Work()
	})
	form := r.runnable(m)
	if form == nil {
		return false, nil
	}
	for i, def := range form.low.Constants {
		var known bool
		if in.From, known = m.Constant(def.Name); !known || !in.Value(form.constants[i]) {
			return false, nil
		}
	}
	bytes, depth := m.Left()
	opts := loop.RunOptions{MaxBytes: bytes, MaxDepth: depth, Threads: m.Options().Threads, Poll: func() error {
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
		return false, d
	}
	err := form.code.RunInto(out, in.Args, opts)
	var stop pollError
	switch {
	case errors.As(err, &stop):
		return false, stop.d
	case err != nil && form == r.comparing:
		r.compared(m, nil) // but by the interpreter
		return false, nil
	case err != nil && r.resolve(form):
		return r.Run(m, args, results)
	case err != nil:
		r.gaveUp(true)
		return false, nil
	}
	if form == r.comparing {
		parts--
		r.compared(m, out[parts].F)
	}
	r.gaveUp(false)
	if outer != nil {
		outer.Made = out[:parts]
	}
	to := marshal.Reader{From: out[:parts], Old: old}
	to.Value(r.value)
	if d := m.Charge(to.Bytes); d != nil {
		return false, d
	}
	m.SetSlots(results, to.Into)
	return true, nil
}
