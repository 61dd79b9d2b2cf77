package derive

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Sides]
//
// A solver of differential equations follows the jumps of a right-hand side f: in each of its
// steps the comparisons that f makes have the outcomes that they had in the beginning, so that f is
// smooth there, and the step ends where the difference of what is compared changes its sign. Kinks
// and roundings are comparisons too: a step that looks at max 0 (1 - abs (t / 0.001)) in a few places
// may miss where it is not 0. So f
// runs with its argument on the tape, as if it were differentiated: then every comparison of what
// depends on the argument comes to the tape (tape.Sides).

// jumping is builtin.jumps.
type jumping struct{}

// sided is builtin.sided.
type sided struct {
	derivation
}

// Trajectory makes the operation of an application of jumps, sided or narrow.
func Trajectory(ls *layout.Layouts, op *core.Prim) machine.Operation {
	if op.Prim.ID == prim.Jumps {
		return jumping{}
	}
	state := op.Args[len(op.Args)-1].Type()
	d := derivation{row: op.Prim.ID, from: &types.Tuple{Elems: []types.Type{types.Real, state}}, to: state}
	d.args, d.result = ls.Of(d.from).Shape(), ls.Of(state).Shape()
	d.call = machine.NewCall(ls.Of(types.Real).Shape(), d.result)
	if d.row == prim.Narrow {
		return &narrow{d}
	}
	return &sided{d}
}

func (jumping) String() string { return prim.Jumps.String() }

func (jumping) Within() string { return "" }

func (jumping) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	return object.Slots{I: []int64{object.Truth(mentions(m, kinks, args.P[0]))}}, nil
}

// The kinds of rows that are looked for in right-hand sides.
const (
	kinks = iota
	features
)

// mentions tells whether a function, or one that it captures, may apply rows of a kind.
func mentions(m *machine.Machine, kind int, f object.Ref) bool {
	j := &stateOf(m).mentions[kind]
	if *j == nil {
		defs := map[string]*core.Def{}
		m.Program().EachDef(func(d *core.Def) { defs[d.Name] = d })
		are := [...]func(*core.Prim) bool{core.AreKinks, core.AreNarrow}[kind]
		*j = &core.Mentions{Defs: func(name string) *core.Def { return defs[name] }, Are: are}
	}
	return mayApply(*j, f, map[object.Ref]bool{})
}

func mayApply(j *core.Mentions, r object.Ref, seen map[object.Ref]bool) bool {
	among := func(rs []object.Ref) bool {
		for _, r := range rs {
			if mayApply(j, r, seen) {
				return true
			}
		}
		return false
	}
	switch f := r.(type) {
	case *machine.Partial:
		return among(f.P) || mayApply(j, f.Fun, seen)
	case *machine.Closure:
		if seen[r] {
			return false
		}
		seen[r] = true
		if f.Fn.Source == nil || j.In(f.Fn.Source.Lambda.Body) {
			return true
		}
		for _, v := range f.Fn.Source.Captured {
			if among(f.Captured(v).P) {
				return true
			}
		}
	}
	return false
}

func (op *sided) Run(m *machine.Machine, args object.Slots) (out object.Slots, d *diag.Diagnostic) {
	t := m.Tape()
	j := &differentiation{m: m, t: t, derivation: &op.derivation, fun: args.P[0]}
	given := t.Plain(args.P[1].(*object.Reals).V)
	args.P = args.P[2:]
	j.point = args
	defer j.end(false) // after a failure
	around := t.Sides
	t.Sides = &tape.Sides{Depth: t.Depth + 1, Outer: t.Live, Given: given}
	sides := t.Sides
	mode := t.Mode
	mode.Apart = true
	t.Within(mode, func() { d = j.run() })
	t.Sides = around
	if d != nil {
		return out, d
	}
	keep := false
	leave := func(x float64) float64 {
		x = t.Leave(j.region, tape.Present(x))
		keep = keep || x != x && tape.IsBox(x)
		return x
	}
	all := func(xs []float64) []float64 {
		list := make([]float64, len(xs))
		for k, x := range xs {
			list[k] = leave(x)
		}
		return list
	}
	if out, d = m.MapLeaves(op.to, j.value, leave, all); d == nil {
		out.P = append(out.P, &object.Reals{V: all(sides.Differ)}, &object.Reals{V: sides.Taken})
		d = t.Failed()
	}
	if d != nil {
		return object.Slots{}, d
	}
	j.end(keep)
	return out, nil
}
