package machine

import (
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/linalg"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// WholeRow is an application of a row over arrays, such as the product of two
// matrices. Like a kernel (Note [Wholes]) it runs on plain reals and is one
// entry of the tape, whatever the lengths of its arrays.
type WholeRow struct {
	Eval  prim.Whole
	Whole *Whole // nil where nothing is on the tape
}

// wholeRow executes the application of a row over arrays.
func (m *Machine) wholeRow(in *Instr, fn *Function, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	row, t := m.fn.Lib.wholeRows[in.K], m.tape
	var node *wholeNode
	if t != nil && row.Whole != nil {
		if node = newWholeNode(row.Whole, f, i, p); !node.look(t) {
			node = nil
		}
	}
	list := fn.Lists[in.B]
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
	r, d := m.wholeOf(row.Eval, args)
	if d != nil {
		return d
	}
	if d := m.Charge(int64(len(r.Rows)) * (layout.RefBytes + object.HeaderBytes)); d != nil {
		return d
	}
	value := slotsOf(r)
	if node != nil && node.record(t) {
		value, _ = putWhole(t, node, value)
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

// longWhole is the number of reals from which on an operation is evaluated beside the run. The
// eigenvalues of that many take some 30 ms.
const longWhole = 1 << 15

// wholeOf evaluates an operation over arrays. Those of gonum cannot be interrupted, so that a run
// waits for a long one beside it and ends when it must. What it leaves behind goes on for a while,
// but takes no more memory.
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
		thrown any // by a panic
	}
	asked, answered := make(chan int), make(chan *diag.Diagnostic, 1)
	finished, left := make(chan result, 1), make(chan struct{})
	defer close(left)
	go func() {
		var r result
		defer func() {
			r.thrown = recover()
			finished <- r
		}()
		r.array, r.failed = eval(func(reals int) *diag.Diagnostic {
			select {
			case asked <- reals:
				return <-answered
			case <-left:
				return diag.Errorf(diag.Interrupted, diag.Span{}, "nobody waits for it")
			}
		}, args)
	}()
	late, free := m.late()
	defer free()
	for {
		select {
		case reals := <-asked:
			answered <- room(reals)
		case r := <-finished:
			if r.thrown != nil {
				panic(r.thrown)
			}
			return r.array, r.failed
		case <-late:
			return linalg.Array{}, m.why()
		case <-m.done:
			return linalg.Array{}, m.why()
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

// late is a channel that has something to receive when the time of the run is up; free gives it back.
func (m *Machine) late() (up <-chan time.Time, free func()) {
	if !m.timed {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(m.deadline))
	return timer.C, func() { timer.Stop() }
}
