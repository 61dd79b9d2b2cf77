package machine

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// WholeRow is an application of a row over arrays, such as the product of two matrices. It runs on
// plain reals and is one entry of the tape, whatever the lengths of its arrays.
type WholeRow struct {
	eval  prim.Whole
	rules *arrayRow // nil where nothing is on the tape
}

// WholeRow adds an application of a row over arrays, whose arguments may be on the tape or not.
func (l *Library) WholeRow(row *prim.Prim, taped bool) int64 {
	r := &WholeRow{eval: row.Float.(prim.Whole)}
	if taped {
		r.rules = l.rulesOf(row)
	}
	return int64(add(&l.wholeRows, r))
}

// wholeRow executes the application of a row over arrays.
func (m *Machine) wholeRow(in *Instr, fn *Function, f *windowF, p []object.Ref) *diag.Diagnostic {
	row, t, list := m.fn.Lib.wholeRows[in.K], m.tape, fn.Lists[in.B]
	var node *rowNode
	if t != nil && row.rules != nil {
		node = newRowNode(t, row.rules, list, f, p)
	}
	args := make([]linalg.Array, len(list))
	for k, o := range list {
		switch {
		case o.Kind == layout.F && node != nil:
			args[k] = linalg.Real(t.Value(f[o.Reg]))
		case o.Kind == layout.F:
			args[k] = linalg.Real(f[o.Reg])
		case node != nil:
			args[k] = arrayOf(plainArray(t, p[o.Reg]))
		default:
			args[k] = arrayOf(p[o.Reg])
		}
		m.elements(args[k].Len())
	}
	if d := linalg.Regular(args); d != nil {
		return d
	}
	r, d := m.wholeOf(row.eval, args)
	if d != nil {
		return d
	}
	if d := m.Charge(int64(len(r.Rows)) * (layout.RefBytes + object.HeaderBytes)); d != nil {
		return d
	}
	value := slotsOf(r)
	if node != nil && node.mask&t.Live != 0 {
		value, _ = node.put(t, value)
	}
	if in.Op == OpWholeF {
		f[in.A] = value.Real()
	} else {
		p[in.A] = value.P[0]
	}
	if t != nil {
		return t.Failed()
	}
	return nil
}

// rowNode is an application of a row over arrays on the tape.
type rowNode struct {
	row    *arrayRow
	args   []object.Slots
	mask   tape.Levels // what they depend on
	wanted []bool      // the arguments that a derivative in progress depends on
	value  object.Slots
	outs   []*tape.Whole // its columns
	at     diag.Span
}

// newRowNode reads the arguments of an application; it is nil if none of their reals is boxed.
func newRowNode(t *tape.Tape, row *arrayRow, list []Register, f *windowF, p []object.Ref) *rowNode {
	c := &rowNode{row: row, args: make([]object.Slots, len(list)), wanted: make([]bool, len(list)), at: t.Here()}
	for k, o := range list {
		if o.Kind == layout.F {
			c.args[k].F = []float64{f[o.Reg]}
		} else {
			c.args[k].P = []object.Ref{p[o.Reg]}
		}
		mask := SlotsMask(t, c.args[k])
		c.wanted[k] = mask&t.Live != 0
		c.mask |= mask
	}
	if c.mask == 0 {
		return nil
	}
	return c
}

// put puts the application on the tape and gives its value as boxes.
func (c *rowNode) put(t *tape.Tape, value object.Slots) (boxed object.Slots, ok bool) {
	c.value = value
	for _, a := range c.args {
		object.ShareAll(a.P)
	}
	if boxed, c.outs, ok = addColumns(t, value, c.mask); ok {
		t.AddNode(tape.WholeNode, c, c.mask)
	}
	return boxed, ok
}

func (c *rowNode) Parents(visit func(float64)) {
	for _, a := range c.args {
		eachReal(a, visit)
	}
}

// given are what a rule is given first: the arguments of the row, and its result.
func (c *rowNode) given(s *tape.Sweep) (args object.Slots) {
	for _, a := range c.args {
		if !s.Record {
			a = PlainSlots(s.Tape, a)
		}
		args.Add(a)
	}
	args.Add(ofColumns(c.value, c.outs, s.Elements))
	return args
}

func shapeOf(s object.Slots) layout.Shape {
	return layout.Shape{F: len(s.F), I: len(s.I), P: len(s.P)}
}

// Pull contributes to the arguments. The rule of one is given the cotangents of those after it.
func (c *rowNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	bt, some := cotangentsOf(s, c.value, c.outs)
	if !some {
		return
	}
	given := c.given(s).With(bt)
	cotangents := make([]object.Slots, len(c.args))
	for k := len(c.args) - 1; k >= slices.Index(c.wanted, true); k-- {
		args := given
		for _, later := range cotangents[k+1:] {
			args = args.With(later)
		}
		rule := c.row.pullCode(Of(s.Tape).code.opts, k)
		var ok bool
		if cotangents[k], ok = c.call(s, rule, args, shapeOf(c.args[k])); !ok {
			return
		}
	}
	for k, a := range c.args {
		if c.wanted[k] {
			contributeSlots(s, a, cotangents[k])
		}
	}
}

// Push adds up what the tangents of the arguments contribute.
func (c *rowNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	given := c.given(s)
	first := true
	for k, a := range c.args {
		dx, some := tangentSlots(s, a)
		if !some {
			continue
		}
		out, ok := c.call(s, c.row.pushCode(Of(s.Tape).code.opts, k), given.With(dx), shapeOf(c.value))
		if !ok {
			return tape.Absent
		}
		if first {
			setTangent(s, c.outs, out)
			first = false
			continue
		}
		for n, column := range realColumns(out) {
			for j, dy := range column {
				s.Contribute(tape.ElementBit|(c.outs[n].Base+tape.Handle(j)), dy)
			}
		}
	}
	return tape.Absent
}

// call runs a rule of the row. If that fails, the place of the failure is that of the application.
func (c *rowNode) call(s *tape.Sweep, rule *Derived, args object.Slots, result layout.Shape) (object.Slots, bool) {
	out := callDerived(s, rule, args, result)
	d := s.Tape.Failure
	if d == nil {
		return out, true
	}
	located := *d
	located.Span = c.at
	s.Tape.Failure = &located
	return out, false
}

// longWhole is the number of reals from which on an operation is evaluated beside the run. The
// eigenvalues of that many take some 30 ms.
const longWhole = 1 << 15

// wholeOf evaluates an operation over arrays. Those of gonum cannot be interrupted: Note [Work left
// behind] of package task. What is left behind takes no more memory.
func (m *Machine) wholeOf(eval prim.Whole, args []linalg.Array) (linalg.Array, *diag.Diagnostic) {
	room := func(reals int) *diag.Diagnostic { return m.Charge(int64(reals) * 8) }
	total := 0
	for _, a := range args {
		total += a.Len()
	}
	if total < longWhole {
		return eval(room, args)
	}
	type result struct {
		array  linalg.Array
		failed *diag.Diagnostic
	}
	ctx, done := task.Timed(m.ctx)
	defer done()
	asked, answered := make(chan int), make(chan *diag.Diagnostic, 1)
	left := make(chan struct{})
	defer close(left)
	beside, d := task.Begin(ctx, func() (r result) {
		r.array, r.failed = eval(func(reals int) *diag.Diagnostic {
			select {
			case asked <- reals:
				return <-answered
			case <-left:
				return diag.Errorf(diag.Interrupted, diag.Span{}, "nobody waits for it")
			}
		}, args)
		return r
	})
	if d != nil {
		return linalg.Array{}, d
	}
	for {
		select {
		case reals := <-asked:
			answered <- room(reals)
		case <-beside.Finished():
			r := beside.Result()
			return r.array, r.failed
		case <-ctx.Done():
			beside.Leave()
			return linalg.Array{}, stop.Why(m.ctx)
		}
	}
}

// arrayOf is an array of reals, or of arrays of them.
func arrayOf(r object.Ref) linalg.Array {
	if xs, ok := r.(*object.Reals); ok {
		return linalg.Vector(xs.V)
	}
	table := r.(*object.Refs).V
	rows := make([][]float64, len(table))
	for k, row := range table {
		rows[k] = row.(*object.Reals).V
	}
	return linalg.Array{Rank: 2, Rows: rows}
}

// slotsOf is the value that an array is.
func slotsOf(a linalg.Array) object.Slots {
	switch a.Rank {
	case 0:
		return object.Slots{F: a.Rows[0]}
	case 1:
		return object.Slots{P: []object.Ref{&object.Reals{V: a.Rows[0]}}}
	}
	rows := make([]object.Ref, len(a.Rows))
	for k, row := range a.Rows {
		rows[k] = &object.Reals{V: row}
	}
	return object.Slots{P: []object.Ref{&object.Refs{V: rows}}}
}
