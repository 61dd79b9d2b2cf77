package derive

import (
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Iterations that converge]
//
// The derivatives of an iteration that looks for the x with g c x = 0 are not those of x: one that
// starts at x takes no step, and depends on nothing. `converging` runs the iteration on plain
// numbers, so that it puts nothing on the tape, and takes the derivatives from a second function,
// which it gives the result x and the number n of the derivatives in progress. That one repeats
//
//	x' = x - solve (g c x)
//
// n times, where `solve` is the inverse of the derivative of g by x, at x and c as numbers. If x has
// the right derivatives up to an order k, g c x has none up to there, and x' has the right ones up
// to k + 1.
//
// The value of `solve (g c x)` is 0 but for rounding, and what `solve` captures does not matter, as
// it has a factor that is 0. So `correction solve` has the value 0, and only its tangents and
// cotangents are computed: `solve` is called by a sweep that comes to it, on plain numbers. In a
// recording sweep the results are a correction again, of the tangents or cotangents and with
// their values, which makes derivatives of every order right.

// converging is an application of the primitive.
type converging struct {
	to     types.Type
	result layout.Shape
	find   *machine.CallInfo
	again  *machine.CallInfo
}

// Converging makes the operation of an application of converging.
func Converging(ls *layout.Layouts, op *core.Prim) machine.Operation {
	ty := types.Resolve(op.Args[0].Type()).(*types.Fun)
	result := ls.Of(ty.Result).Shape()
	return &converging{to: ty.Result, result: result, find: machine.NewCall(ls.Of(ty.Param).Shape()),
		again: machine.NewCall(layout.Shape{I: 1}, result)}
}

func (c *converging) String() string { return "converging" }

func (c *converging) Within() string { return "" }

func (c *converging) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	t, find, again := m.Tape(), args.P[0], args.P[1]
	args.P = args.P[2:]
	if t == nil || t.Live == 0 || t.Mode.Slope != 0 {
		return m.Callback(find, c.find, args, c.result)
	}
	y, d := frozen(m, find, c.find, args, c.to, c.result)
	if d != nil {
		return object.Slots{}, d
	}
	n := t.Depth
	if t.Live&tape.Deepest == 0 {
		n = bits.OnesCount16(uint16(t.Live))
	}
	return m.Callback(again, c.again, object.Slots{I: []int64{int64(n)}}.With(y), c.result)
}

// frozen calls a function on plain numbers, and gives plain numbers.
func frozen(m *machine.Machine, fun object.Ref, call *machine.CallInfo, x object.Slots, to types.Type, result layout.Shape) (object.Slots, *diag.Diagnostic) {
	defer m.Tape().Freeze()()
	y, d := m.Callback(fun, call, x, result)
	if d != nil {
		return object.Slots{}, d
	}
	list, d := m.LeavesOf(to, y)
	if d != nil {
		return object.Slots{}, d
	}
	return m.WithLeaves(to, y, m.Tape().Plain(list.Reals))
}

// correction is an application of the primitive.
type correction struct{}

// Correction makes the operation of an application of correction.
func Correction() machine.Operation { return correction{} }

func (correction) String() string { return "correction" }

func (correction) Within() string { return "" }

func (correction) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	object.ShareAll(args.P)
	r := args.P[1].(*object.Reals).V
	if d := m.Charge(int64(len(r)) * 8); d != nil {
		return object.Slots{}, d
	}
	xs, ok := make([]float64, len(r)), true
	if t := m.Tape(); t != nil && len(r) > 0 {
		xs, ok = (&correctionNode{solve: args.P[0], of: r}).add(t, xs)
	}
	if !ok {
		return object.Slots{}, m.Tape().Failed()
	}
	return object.Slots{P: []object.Ref{&object.Reals{V: xs}}}, nil
}

// correctionNode is a symmetric linear map of reals on the tape.
type correctionNode struct {
	solve object.Ref
	of    []float64
	mask  tape.Levels
	out   *tape.Whole
}

// add puts the node on the tape with its values, and gives the boxes of these.
func (n *correctionNode) add(t *tape.Tape, values []float64) ([]float64, bool) {
	if n.mask = t.ColumnMask(n.of); n.mask&t.Live == 0 {
		return values, true
	}
	var boxes []float64
	var ok bool
	if n.out, boxes, ok = t.AddWhole(values, n.mask); ok {
		t.AddNode(tape.WholeNode, n, n.mask)
	}
	return boxes, ok
}

// vectorCall is a call of a function from arrays of reals to such.
var vectorCall = machine.NewCall(layout.Shape{P: 1})

// apply is the map of tangents or cotangents, nil after a failure. A zero is not solved for.
func (n *correctionNode) apply(s *tape.Sweep, w []float64) []float64 {
	t, m := s.Tape, machine.Of(s.Tape)
	values := make([]float64, len(w))
	if plain := t.Plain(w); largest(plain) != 0 {
		thaw := t.Freeze()
		out, d := m.Callback(n.solve, vectorCall, object.Slots{P: []object.Ref{&object.Reals{V: plain}}}, layout.Shape{P: 1})
		thaw()
		if d != nil {
			t.Fail(d)
			return nil
		}
		values = t.Plain(out.P[0].(*object.Reals).V)
	}
	if s.Record {
		values, _ = (&correctionNode{solve: n.solve, of: w}).add(t, values)
	}
	return values
}

func (n *correctionNode) Parents(func(float64)) {}

func (n *correctionNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	if w, some := s.CotangentsOf(n.out); some && s.Own(n.mask) {
		if out := n.apply(s, w); out != nil {
			s.ContributeColumn(n.of, out)
		}
	}
}

func (n *correctionNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	if w, some := s.Tangents(n.of); some {
		if out := n.apply(s, w); out != nil {
			s.SetElements(n.out, out)
		}
	}
	return tape.Absent
}
