package machine

import (
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
)

// An array operation that is on the tape as a whole, swept element by element:
// so that zeros by structure are never multiplied, where an infinite slope
// makes that matter, and where package diff has no rule for the whole.

// recordEach records the operation element by element, on the given arguments.
func (c *wholeNode) recordEach(s *tape.Sweep, args object.Slots) (out [][]float64, ok bool) {
	t := s.Tape
	code, err := c.op.eachCode(Of(t).code.opts)
	if err != nil {
		panic("machine: a whole that does not compile: " + err.Error())
	}
	result := runInSweep(s, code, args, Of(t).layouts.Of(c.op.Result).Shape())
	return realColumns(result), t.Failure == nil
}

// realColumns are the columns of reals in a value that are not empty, in the
// order of mapColumns.
func realColumns(s object.Slots) (list [][]float64) {
	mapColumns(s, func(xs []float64) []float64 {
		if len(xs) > 0 {
			list = append(list, xs)
		}
		return xs
	})
	return list
}

// pullEach is pull by elements.
func (c *wholeNode) pullEach(s *tape.Sweep) {
	t := s.Tape
	r, keep := t.Begin(), false
	defer func() { t.End(r, keep) }()
	var args object.Slots
	for _, a := range c.args {
		args.Add(a)
	}
	out, ok := c.recordEach(s, args)
	if !ok {
		return
	}
	sub, ok := t.NewSweep(r, s.Record)
	if !ok {
		return
	}
	sub.Escape = func(h tape.Handle, x float64) { s.Contribute(h, t.Leave(r, x)) }
	for k, w := range c.outs {
		for n, x := range out[k] {
			if b := s.Get(tape.Box(tape.ElementBit | (w.Base + tape.Handle(n)))); !tape.IsAbsent(b) {
				sub.To(x, b)
			}
		}
	}
	sub.Backward()
	keep = s.Record
}

// pushEach is push by elements. Fresh variables stand for the operands, since a
// sweep reads no tangents of what lies before its part of the tape.
func (c *wholeNode) pushEach(s *tape.Sweep) {
	t := s.Tape
	r, keep := t.Begin(), false
	defer func() { t.End(r, keep) }()
	var leaves []tape.Handle
	var tangents []float64
	variable := func(x float64) float64 {
		dx := s.Get(x)
		if tape.IsAbsent(dx) {
			return x
		}
		leaf := t.Leaf(x, r.SelfMask)
		leaves, tangents = append(leaves, tape.Unbox(leaf)), append(tangents, dx)
		return leaf
	}
	var args object.Slots
	for _, a := range c.args {
		a = mapReals(a, variable)
		args.Add(a)
	}
	out, ok := c.recordEach(s, args)
	if !ok {
		return
	}
	sub, ok := t.NewSweep(r, s.Record)
	if !ok {
		return
	}
	for k, h := range leaves {
		*sub.Place(h) = tangents[k]
	}
	if !sub.Forward() {
		return
	}
	for k, w := range c.outs {
		for n, x := range out[k] {
			if dx := sub.Get(x); !tape.IsAbsent(dx) {
				s.Contribute(tape.ElementBit|(w.Base+tape.Handle(n)), t.Leave(r, dx))
			}
		}
	}
	keep = s.Record
}

// mapReals is a value of numbers and arrays with others in place of its reals.
func mapReals(s object.Slots, f func(x float64) float64) object.Slots {
	return mapColumns(s, func(xs []float64) []float64 {
		ys := make([]float64, len(xs))
		for k, x := range xs {
			ys[k] = f(x)
		}
		return ys
	})
}

// mapColumns is a value of numbers and arrays with other columns of reals: the
// reals that are in no array are one, and come first.
func mapColumns(s object.Slots, f func(xs []float64) []float64) object.Slots {
	out := object.Slots{F: s.F, I: s.I, P: make([]object.Ref, len(s.P))}
	if len(s.F) > 0 {
		out.F = f(s.F)
	}
	for k, r := range s.P {
		fs, is, ps := object.Columns(r)
		reals, rows := make([][]float64, len(fs)), make([][]object.Ref, len(ps))
		for c, col := range fs {
			reals[c] = f(col)
		}
		for c, col := range ps {
			rows[c] = mapColumns(object.Slots{P: col}, f).P
		}
		out.P[k] = object.FromColumns(object.Len(r), reals, is, rows)
	}
	return out
}
