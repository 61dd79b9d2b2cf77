package derive

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

// narrow is builtin.narrow.
type narrow struct {
	derivation
}

func (op *narrow) Run(m *machine.Machine, args object.Slots) (out object.Slots, d *diag.Diagnostic) {
	if !mentions(m, features, args.P[0]) {
		return object.Slots{I: []int64{object.Truth(false)}}, nil
	}
	t := m.Tape()
	defer t.Freeze()()
	j := &differentiation{m: m, t: t, derivation: &op.derivation, fun: args.P[0]}
	args.P = args.P[1:]
	j.point, j.weights = args.Take(op.args), args.Take(op.args)
	defer j.end(false)
	like, d := m.LeavesOf(op.from, j.point)
	if d != nil {
		return out, d
	}
	weights, d := j.weightLeaves(op.from, like, "change", "state")
	if d != nil {
		return out, d
	}
	sides, mode := t.Sides, t.Mode
	mode.Full, mode.Apart, mode.Derived = true, true, true // a place at a tie is as good as one beside it
	t.Sides = nil
	t.Within(mode, func() { d = j.run() })
	t.Sides = sides
	if d != nil {
		return out, d
	}
	s, ok := t.NewSweep(j.region, false)
	if ok {
		s.Resolve = true
		j.setTangents(s, weights)
		ok = s.Forward()
	}
	if !ok {
		return out, t.Failed()
	}
	return object.Slots{I: []int64{object.Truth(s.Narrow())}}, nil
}
