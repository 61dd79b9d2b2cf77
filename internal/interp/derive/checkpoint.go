package derive

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// Note [Checkpoints]
//
// `checkpoint f x` is `f x`, of which the tape keeps the argument and the result only. The call
// runs as usual; then what it has put on the tape is taken off, and the reals of the result become
// variables, with one entry behind them. A sweep that comes to that entry runs f again, at the end
// of the tape, and goes over what that puts there with a sweep of its own. What f got from
// outside, by its argument or by its closure, are the same boxes in both runs, so that the inner
// sweep reads and writes them where the outer one keeps them: nothing has to be known of what f
// captures. Afterwards the part is taken off again, unless the sweep records: then what it has
// computed depends on the part.
//
// A loop of n steps in √n checkpoints of √n steps thus holds the entries of one block and a
// variable for each real of the states between the blocks; it costs one more run of the loop.
//
// If f meets a kink, its part stays on the tape: kinks are resolved together (Note [Ties]), and
// the second run would not know how. So it does where the operation is sought that made a
// derivative infinite.

// checkpoint calls the function at the point.
func (j *differentiation) checkpoint() (object.Slots, *diag.Diagnostic) {
	m, t := j.m, j.t
	if t == nil || t.Live == 0 || t.Mode.Full || t.Sides != nil {
		value, d := m.Callback(j.fun, j.call, j.point, j.derivation.result)
		return value, d
	}
	n := &checkpointNode{derivation: j.derivation, fun: j.fun, x: j.point}
	r := t.Mark()
	var value object.Slots
	var reals []float64
	var d *diag.Diagnostic
	n.errors = t.KeepErrors(func() { value, reals, d = n.run(m) })
	if d != nil || len(t.Ties) > r.Ties {
		return value, d
	}
	values, masks := make([]float64, len(reals)), make([]tape.Levels, len(reals))
	var mask tape.Levels
	for k, x := range reals {
		values[k], masks[k] = t.Look(x)
		mask |= masks[k]
	}
	t.Truncate(r)
	if mask&t.Live == 0 {
		return value, nil
	}
	if d := m.Charge(int64(len(reals))*8 + object.NodeBytes); d != nil {
		return object.Slots{}, d
	}
	n.out = make([]float64, 0, len(reals))
	boxed, d := m.MapLeaves(n.to, value,
		func(x float64) float64 {
			k := len(n.out)
			if masks[k]&t.Live == 0 {
				n.out = append(n.out, tape.Absent)
				return x
			}
			n.out = append(n.out, t.Leaf(values[k], masks[k]))
			return n.out[k]
		},
		func(xs []float64) []float64 {
			k := len(n.out)
			var mask tape.Levels
			for _, x := range masks[k : k+len(xs)] {
				mask |= x
			}
			if mask&t.Live != 0 {
				if _, boxes, ok := t.AddWhole(values[k:k+len(xs):k+len(xs)], mask); ok {
					n.out = append(n.out, boxes...)
					return boxes
				}
			}
			for range xs {
				n.out = append(n.out, tape.Absent)
			}
			return xs
		})
	t.AddNode(tape.WholeNode, n, mask)
	if d == nil {
		d = t.Failed()
	}
	return boxed, d
}

// checkpointNode is a call that is run again when it is differentiated.
type checkpointNode struct {
	*derivation
	fun object.Ref
	x   object.Slots // its argument
	out []float64    // the boxes of the result's reals; absent for constants

	errors []float64 // that it looked at: tape, Note [Watched errors]
}

// run calls the function and gives the reals of its result too.
func (n *checkpointNode) run(m *machine.Machine) (object.Slots, []float64, *diag.Diagnostic) {
	value, d := m.Callback(n.fun, n.call, n.x, n.result)
	if d != nil {
		return object.Slots{}, nil, d
	}
	list, d := m.LeavesOf(n.to, value)
	return value, list.Reals, d
}

// again runs the function a second time. over gets a sweep of what that puts on the tape, and the
// reals of the result. Nothing is shown of what the program has shown before.
func (n *checkpointNode) again(s *tape.Sweep, over func(part *tape.Sweep, reals []float64)) {
	t := s.Tape
	r := t.Mark()
	if !s.Record {
		defer t.Truncate(r)
	}
	machine.Of(t).Unwatched(func() {
		var reals []float64
		var d *diag.Diagnostic
		t.WithErrors(n.errors, func() { _, reals, d = n.run(machine.Of(t)) })
		if d != nil {
			t.Fail(d)
			return
		}
		if part, ok := t.NewSweep(r, s.Record); ok {
			part.Around, part.Outside, part.Escape = s, s.Outside, s.Escape
			over(part, reals)
		}
	})
}

func (n *checkpointNode) Parents(func(float64)) {}

func (n *checkpointNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	some := false
	for _, y := range n.out {
		some = some || !tape.IsAbsent(s.Get(y))
	}
	if !some {
		return
	}
	n.again(s, func(part *tape.Sweep, reals []float64) {
		for k, x := range reals {
			if w := s.Get(n.out[k]); !tape.IsAbsent(w) {
				part.To(x, w)
			}
		}
		part.Backward()
	})
}

func (n *checkpointNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	n.again(s, func(part *tape.Sweep, reals []float64) {
		if !part.Forward() {
			return
		}
		for k, x := range reals {
			if dx := part.Get(x); !tape.IsAbsent(dx) {
				s.To(n.out[k], dx)
			}
		}
	})
	return tape.Absent
}
