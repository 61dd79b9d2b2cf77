package machine

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// wholeNode is an array operation on the tape.
type wholeNode struct {
	op     *Whole
	args   []object.Slots
	mask   tape.Levels   // what they depend on
	wanted []bool        // the arguments that a derivative in progress depends on
	value  object.Slots  // the result, of plain reals
	outs   []*tape.Whole // its columns
}

// newWholeNode reads the arguments of an operation.
func newWholeNode(w *Whole, f *windowF, i *windowI, p []object.Ref) *wholeNode {
	c := &wholeNode{op: w, args: make([]object.Slots, len(w.Params))}
	for n := range w.Params {
		c.args[n] = w.Params[n].read(f, i, p)
	}
	return c
}

// look finds what the arguments depend on; it tells whether one is boxed.
func (c *wholeNode) look(t *tape.Tape) bool {
	c.wanted = make([]bool, len(c.args))
	for n, a := range c.args {
		here := SlotsMask(t, a)
		c.wanted[n] = here&t.Live != 0
		c.mask |= here
	}
	return c.mask != 0
}

// record tells whether the operation belongs on the tape: everything boxed may
// belong to derivatives that a search has frozen.
func (c *wholeNode) record(t *tape.Tape) bool { return c.mask&t.Live != 0 && c.op.Reals }

// countReals is how many reals there are in a value, or at least limit.
func countReals(s object.Slots, limit int64) int64 {
	n := int64(len(s.F))
	for _, r := range s.P {
		f, _, p := object.Columns(r)
		for _, col := range f {
			n += int64(len(col))
		}
		for _, col := range p {
			for k := 0; k < len(col) && n < limit; k++ {
				n += countReals(object.Slots{P: col[k : k+1]}, limit-n)
			}
		}
	}
	return n
}

// putWhole puts an operation on the tape and gives its result as boxes.
func putWhole(t *tape.Tape, c *wholeNode, value object.Slots) (boxed object.Slots, ok bool) {
	c.value = value
	for _, a := range c.args {
		object.ShareAll(a.P)
	}
	if boxed, c.outs, ok = addColumns(t, value, c.mask); ok {
		t.AddNode(tape.WholeNode, c, c.mask)
	}
	return boxed, ok
}

// addColumns makes wholes of the columns of a value, in the order of mapColumns, and gives it as
// boxes.
func addColumns(t *tape.Tape, value object.Slots, mask tape.Levels) (boxed object.Slots, outs []*tape.Whole, ok bool) {
	ok = true
	boxed = mapColumns(value, func(values []float64) []float64 {
		if !ok || len(values) == 0 {
			return values
		}
		var w *tape.Whole
		var boxes []float64
		if w, boxes, ok = t.AddWhole(values, mask); !ok {
			return values
		}
		outs = append(outs, w)
		return boxes
	})
	return boxed, outs, ok
}

// cotangentsOf are those of the columns of a value, 0 where there is none; some and all tell
// whether there are any, and whether none is missing.
func cotangentsOf(s *tape.Sweep, value object.Slots, outs []*tape.Whole) (bt object.Slots, some, all bool) {
	all = true
	bt = mapColumns(value, func(values []float64) []float64 {
		if len(values) == 0 {
			return values
		}
		column, any, every := s.CotangentsOf(outs[0])
		outs = outs[1:]
		some, all = some || any, all && every
		return column
	})
	return bt, some, all
}

func (c *wholeNode) Parents(func(float64)) {}

// arguments are what derived code is given for the operation's arguments.
func (c *wholeNode) arguments(s *tape.Sweep) (args object.Slots) {
	for _, a := range c.args {
		if !s.Record {
			a = PlainSlots(s.Tape, a)
		}
		args.Add(a)
	}
	return args
}

func (c *wholeNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	bt, some, all := cotangentsOf(s, c.value, c.outs)
	if !some {
		return
	}
	opts := Of(s.Tape).code.opts
	code, err := c.op.pullCode(opts, c.wanted)
	if err != nil {
		panic("machine: a whole that cannot be differentiated: " + err.Error())
	}
	args := c.arguments(s)
	args.Add(bt)
	var result layout.Shape
	for n, p := range c.op.Params {
		if c.wanted[n] {
			result = result.Plus(p.Shape)
		}
	}
	out := callDerived(s, code, args, result)
	if s.Tape.Failure != nil {
		return
	}
	if !all && !c.op.Row && hasNaN(s.Tape, out) {
		// Where nothing contributed, a 0 may have met an infinite slope.
		c.pullEach(s)
		return
	}
	for n, p := range c.op.Params {
		if c.wanted[n] {
			contributeSlots(s, c.args[n], out.Take(p.Shape))
		}
	}
}

// hasNaN looks for a real that is not a number, boxed or not.
func hasNaN(t *tape.Tape, s object.Slots) bool {
	for _, x := range t.Plain(s.F) {
		if x != x {
			return true
		}
	}
	for _, r := range s.P {
		f, _, p := object.Columns(r)
		for _, col := range f {
			if hasNaN(t, object.Slots{F: col}) {
				return true
			}
		}
		for _, col := range p {
			if hasNaN(t, object.Slots{P: col}) {
				return true
			}
		}
	}
	return false
}

func (c *wholeNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	code, err := c.op.pushCode(Of(s.Tape).code.opts)
	if err != nil {
		c.pushEach(s) // package diff covers it backwards only
		return tape.Absent
	}
	args := c.arguments(s)
	some := false
	for n, a := range c.args {
		if !Of(s.Tape).layouts.HasReals(c.op.Params[n].Type) {
			continue // its tangent is unit
		}
		d, any := tangentSlots(s, a)
		some = some || any
		args.Add(d)
	}
	if !some {
		return tape.Absent
	}
	out := callDerived(s, code, args, Of(s.Tape).layouts.Of(c.op.Result).Shape())
	if s.Tape.Failure != nil {
		return tape.Absent
	}
	if !c.op.Row && hasNaN(s.Tape, out) {
		// Where there is no tangent, a 0 may have met an infinite slope.
		c.pushEach(s)
		return tape.Absent
	}
	setTangent(s, c.outs, out)
	return tape.Absent
}

// setTangent sets the tangent of the columns of a result.
func setTangent(s *tape.Sweep, columns []*tape.Whole, tangent object.Slots) {
	reals := realColumns(tangent)
	for k, w := range columns {
		s.SetElements(w, reals[k])
	}
}

// contributeSlots adds contributions to the reals of a value.
func contributeSlots(s *tape.Sweep, to, from object.Slots) {
	s.ContributeColumn(to.F, from.F)
	for k, r := range to.P {
		tf, _, tp := object.Columns(r)
		ff, _, fp := object.Columns(from.P[k])
		for c := range tf {
			s.ContributeColumn(tf[c], ff[c])
		}
		for c := range tp {
			contributeSlots(s, object.Slots{P: tp[c]}, object.Slots{P: fp[c]})
		}
	}
}

// tangentSlots is the tangent of a value, 0 where there is none.
func tangentSlots(s *tape.Sweep, a object.Slots) (d object.Slots, some bool) {
	d.F, some = s.Tangents(a.F)
	d.I = a.I
	for _, r := range a.P {
		f, i, p := object.Columns(r)
		fs := make([][]float64, len(f))
		for c, col := range f {
			var any bool
			fs[c], any = s.Tangents(col)
			some = some || any
		}
		ps := make([][]object.Ref, len(p))
		for c, col := range p {
			rows, any := tangentSlots(s, object.Slots{P: col})
			ps[c], some = rows.P, some || any
		}
		d.P = append(d.P, object.FromColumns(object.Len(r), fs, i, ps))
	}
	return d, some
}
