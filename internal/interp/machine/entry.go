package machine

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// Entry is an operation on the tape whose derivatives compiled code gives: Note [Regions on the
// tape] of package region.
type Entry struct {
	Args []object.Slots // what it is differentiated by
	Mask tape.Levels    // what they depend on

	// Gradient is that of a result that is a real, by all the arguments, as numbers. Pull gives the
	// cotangents of the arguments that belong to that of the result, and Push the tangent of the
	// result, boxed if the sweep records. They tell whether they could.
	Gradient   object.Slots
	Pull, Push EntrySweep
}

// EntrySweep gives the cotangents of an entry's arguments for that of its result, or the tangent of
// its result for those of its arguments.
type EntrySweep func(d object.Slots, record bool) (object.Slots, bool, *diag.Diagnostic)

// entryNode is an entry with its result.
type entryNode struct {
	*Entry
	value object.Slots
	outs  []*tape.Whole // the columns of the result
}

// Record puts an operation on the tape and gives its result as boxes.
func (m *Machine) Record(e *Entry, value object.Slots) (object.Slots, *diag.Diagnostic) {
	t := m.tape
	for _, a := range e.Args {
		object.ShareAll(a.P)
	}
	boxed, outs, ok := addColumns(t, value, e.Mask)
	if !ok {
		return boxed, t.Failed()
	}
	t.AddNode(tape.WholeNode, &entryNode{e, value, outs}, e.Mask)
	return boxed, nil
}

func (c *entryNode) Parents(visit func(float64)) {
	for _, a := range c.Args {
		eachReal(a, visit)
	}
}

func (c *entryNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	bt, some := cotangentsOf(s, c.value, c.outs)
	if !some {
		return
	}
	var cotangents object.Slots
	given := true
	if c.hasGradient() && !s.Record {
		w := bt.F[0]
		cotangents = mapReals(c.Gradient, func(g float64) float64 { return w * g })
	} else {
		var d *diag.Diagnostic
		if cotangents, given, d = c.Entry.Pull(bt, s.Record); d != nil {
			s.Tape.Fail(d)
			return
		}
	}
	if !given || !isFinite(s.Tape, cotangents) {
		c.giveUp(s)
		return
	}
	for _, a := range c.Args {
		contributeSlots(s, a, cotangents.Take(shapeOf(a)))
	}
}

func (c *entryNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	some := false
	var dx, dy object.Slots
	for _, a := range c.Args {
		d, any := tangentSlots(s, a)
		some = some || any
		dx.Add(d)
	}
	if !some {
		return tape.Absent
	}
	given := true
	if c.hasGradient() && !s.Record {
		dy.F = []float64{product(dx, c.Gradient)}
	} else {
		var d *diag.Diagnostic
		if dy, given, d = c.Entry.Push(dx, s.Record); d != nil {
			s.Tape.Fail(d)
			return tape.Absent
		}
	}
	if !given || !isFinite(s.Tape, dy) {
		c.giveUp(s)
		return tape.Absent
	}
	setTangent(s, c.outs, dy)
	return tape.Absent
}

func (c *entryNode) hasGradient() bool { return len(c.Gradient.F)+len(c.Gradient.P) > 0 }

// giveUp ends the sweep, and makes the derivative run again without entries of this kind.
func (c *entryNode) giveUp(s *tape.Sweep) {
	s.Tape.Again = true
	s.Tape.Fail(diag.Errorf(diag.NotFinite, diag.Span{}, "the derivative is not finite"))
}

// product is the inner product of values of the same shape.
func product(x, y object.Slots) float64 {
	ys := realColumns(y)
	sum := 0.0
	for c, column := range realColumns(x) {
		for k, v := range column {
			sum += v * ys[c][k]
		}
	}
	return sum
}

// isFinite tells whether all reals of a value are.
func isFinite(t *tape.Tape, s object.Slots) bool {
	for _, column := range realColumns(s) {
		for _, x := range t.Plain(column) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}
