// Package derive has the operations of the machine that call functions of the program: derivatives,
// functions with derivatives of their own, checkpoints, and searches. It is given the application
// of a primitive in core, and hands back a machine.Operation, which package interp puts in the
// code.
//
//	derive.go     derivatives by the tape; matrix.go jacobians, finite.go what is not finite
//	checkpoint.go calls that are run again when they are swept
//	rule*.go      functions with derivatives of the program's own
//	sides.go      right-hand sides of differential equations, on one side of their jumps; narrow.go
//	              what steps may not see of them
//	leaf_ops.go   primitives on the reals of values of any type
//	search.go     integrals, roots and optima: what package search asks of the machine, and gets;
//	              translate.go makes values of package exact of the machine's
package derive

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// derivation is what an instruction that differentiates a function needs to know.
type derivation struct {
	row      prim.ID // the primitive
	from, to types.Type
	call     *machine.CallInfo
	args     layout.Shape // of the point
	weights  layout.Shape // of the tangent or cotangent
	result   layout.Shape // of the function
}

// Derivative makes the operation of an application of reverse, forward, jacobian or checkpoint.
func Derivative(ls *layout.Layouts, op *core.Prim) machine.Operation {
	ty := types.Resolve(op.Args[0].Type()).(*types.Fun)
	d := &derivation{row: op.Prim.ID, from: ty.Param, to: ty.Result, args: ls.Of(ty.Param).Shape(), result: ls.Of(ty.Result).Shape()}
	d.call = machine.NewCall(d.args)
	if len(op.Args) > 2 {
		d.weights = ls.Of(op.Args[2].Type()).Shape()
	}
	return d
}

func (d *derivation) String() string { return d.row.String() }

func (d *derivation) Within() string { return "while differentiating here" }

func (d *derivation) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	t := m.Tape() // nil if the program has no reals to differentiate by
	out, failure := d.run(m, args)
	if failure == nil || t == nil || t.Depth > 0 {
		return out, failure
	}
	// What a region gives depends on a variable where one of its arguments does: whether a tie is one
	// of elements that do not is seen operation by operation.
	if t.Again || tape.IsTie(failure.Code) && !t.Mode.Apart {
		t.Again = false
		mode := t.Mode
		mode.Apart = true
		t.Within(mode, func() { out, failure = d.run(m, args) })
	}
	return out, failure
}

// run computes the derivative for a function, the point and the weights.
func (d *derivation) run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	j := &differentiation{m: m, t: m.Tape(), derivation: d, fun: args.P[0]}
	args.P = args.P[1:]
	j.point, j.weights = args.Take(d.args), args.Take(d.weights)
	defer j.end(false) // after a failure
	switch d.row {
	case prim.Forward:
		return j.forward()
	case prim.Jacobian:
		return j.jacobian()
	case prim.Checkpoint:
		return j.checkpoint()
	}
	return j.reverse()
}

// differentiation is a derivative being computed.
type differentiation struct {
	m *machine.Machine
	t *tape.Tape
	*derivation
	fun     object.Ref
	body    func(point object.Slots) (object.Slots, *diag.Diagnostic) // in place of fun, if it is not nil
	point   object.Slots
	weights object.Slots

	region tape.Region
	open   bool // the region has not ended
	leaves []leafRange
	count  int // of the reals of the point
	value  object.Slots
	out    object.Leaves // the reals of the value
	record bool
	tied   bool // the function was at a kink
}

// leafRange is a variable of the derivative, or an array of them.
type leafRange struct {
	first tape.Handle
	n     int // elements of an array; -1 for a node
}

func (j *differentiation) begin() { j.region, j.open = j.t.Begin(), true }

// end closes the region, if it is open.
func (j *differentiation) end(keep bool) {
	if j.open {
		j.open = false
		j.t.End(j.region, keep)
	}
}

// run evaluates the function on fresh leaves.
func (j *differentiation) run() *diag.Diagnostic {
	t := j.t
	j.begin()
	j.leaves, j.count = j.leaves[:0], 0
	arg, d := j.m.MapLeaves(j.from, j.point,
		func(x float64) float64 {
			boxed := t.Leaf(x, j.region.SelfMask)
			j.leaves = append(j.leaves, leafRange{tape.Unbox(boxed), -1})
			j.count++
			return boxed
		},
		func(xs []float64) []float64 {
			w, boxes, ok := t.LeafColumn(xs, j.region.SelfMask)
			if ok {
				j.leaves = append(j.leaves, leafRange{tape.ElementBit | w.Base, len(xs)})
				j.count += len(xs)
			}
			return boxes
		})
	if d != nil {
		return d
	}
	if d := t.Failed(); d != nil {
		return d
	}
	t.Variables(j.eachLeaf)
	if j.body != nil {
		j.value, d = j.body(arg)
	} else {
		j.value, d = j.m.Callback(j.fun, j.call, arg, j.result)
	}
	if d != nil {
		return d
	}
	j.out, d = j.m.LeavesOf(j.to, j.value)
	return d
}

// weightLeaves are the reals of the tangent or cotangent, which must have the
// shape of what it belongs to.
func (j *differentiation) weightLeaves(t types.Type, like object.Leaves, what, of string) ([]float64, *diag.Diagnostic) {
	w, d := j.m.LeavesOf(t, j.weights)
	if d != nil {
		return nil, d
	}
	for k := 0; k < max(len(w.Shape), len(like.Shape)); k++ {
		if len(w.Shape) != len(like.Shape) || w.Shape[k] != like.Shape[k] {
			return nil, diag.Errorf(diag.ShapesDiffer, diag.Span{}, "the %s has another shape than the %s that it belongs to", what, of).
				WithHint("it must have the same constructors and the same lengths of arrays")
		}
	}
	return w.Reals, nil
}

// needsRecord tells whether the sweep must itself be on the tape: if what it
// computes depends on a variable of a derivative around it.
func (j *differentiation) needsRecord(weights []float64) bool {
	mask := j.t.Seen
	for _, w := range weights {
		mask |= j.t.Mask(w)
	}
	return mask&j.region.Outside != 0
}

// seed is a given tangent or cotangent: a plain zero is no direction at all.
func seed(x float64) float64 {
	if x == 0 {
		return tape.Absent
	}
	return x
}

// resolutions calls f once, or, if there are kinks, once for each of the two
// resolutions of them, and gives how often.
func (j *differentiation) resolutions(f func() bool) (times int, ok bool) {
	if len(j.t.Ties) == j.region.Ties {
		return 1, f()
	}
	j.tied = true
	for _, sign := range []float64{1, -1} {
		s, ok := j.t.NewSweep(j.region, false)
		if !ok {
			return 0, false
		}
		s.Resolve = true
		k := 0
		j.eachLeaf(func(h tape.Handle) {
			*s.Place(h) = sign * rules.Direction(k)
			k++
		})
		if !s.Forward() || !f() {
			return 0, false
		}
	}
	return 2, true
}

func (j *differentiation) eachLeaf(f func(h tape.Handle)) {
	for _, l := range j.leaves {
		if l.n < 0 {
			f(l.first)
		}
		for k := range l.n {
			f(l.first + tape.Handle(k))
		}
	}
}

// average divides by the number of resolutions.
func (j *differentiation) average(xs []float64, times int) {
	if times == 1 {
		return
	}
	s := &tape.Sweep{Tape: j.t, Record: j.record}
	for k, x := range xs {
		if !tape.IsAbsent(x) {
			xs[k] = s.Product(x, 0.5)
		}
	}
}

// reverse gives the value and the cotangent of the point.
func (j *differentiation) reverse() (object.Slots, *diag.Diagnostic) {
	if d := j.run(); d != nil {
		return object.Slots{}, d
	}
	weights, d := j.weightLeaves(j.to, j.out, "cotangent", "value")
	if d != nil {
		return object.Slots{}, d
	}
	j.record = j.needsRecord(weights)
	var gradient []float64
	times, ok := j.resolutions(func() bool { return j.pullBack(j.out.Reals, weights, &gradient) })
	if !ok {
		return object.Slots{}, j.t.Failed()
	}
	j.average(gradient, times)
	if d := j.checkFinite(gradient, j.anyUndefined(func(k int) bool { return !tape.IsAbsent(seed(weights[k])) }), func(s *tape.Sweep) bool {
		for k, x := range j.out.Reals {
			if w := seed(weights[k]); !tape.IsAbsent(w) {
				s.To(x, j.t.Value(w))
			}
		}
		return s.Backward()
	}); d != nil {
		return object.Slots{}, d
	}
	return j.results(gradient, nil)
}

// pullBack sweeps backwards from the given cotangents of reals, and adds to
// the gradient.
func (j *differentiation) pullBack(reals, weights []float64, gradient *[]float64) bool {
	s, ok := j.t.NewSweep(j.region, j.record)
	if !ok {
		return false
	}
	for k, x := range reals {
		if w := seed(weights[k]); !tape.IsAbsent(w) {
			s.To(x, w)
		}
	}
	if !s.Backward() {
		return false
	}
	if *gradient == nil {
		*gradient = j.collect(s)
		return true
	}
	at := 0
	j.eachLeaf(func(h tape.Handle) {
		if x := *s.Place(h); !tape.IsAbsent(x) {
			(*gradient)[at] = s.Sum(tape.Present((*gradient)[at]), x)
		}
		at++
	})
	return true
}

// collect gives what a sweep has for the leaves, in order. An array that is
// the only variable is not copied: it may be large.
func (j *differentiation) collect(s *tape.Sweep) []float64 {
	if len(j.leaves) == 1 && j.leaves[0].n > 0 {
		w := j.t.WholeOf(j.leaves[0].first)
		k, _ := j.t.Find(j.leaves[0].first)
		if c := s.Columns[k-s.Wholes]; c.Shared && !s.Record {
			return c.V // numbers, none of which is absent: nothing will change them
		}
		return s.Column(k-s.Wholes, w)
	}
	list := make([]float64, 0, j.count)
	j.eachLeaf(func(h tape.Handle) { list = append(list, *s.Place(h)) })
	return list
}

// results leaves the derivative with its value and either the cotangent of
// the point or the tangent of the value.
func (j *differentiation) results(gradient, tangent []float64) (object.Slots, *diag.Diagnostic) {
	t := j.t
	keep := false
	leave := func(x float64) float64 {
		x = t.Leave(j.region, tape.Present(x))
		keep = keep || x != x && tape.IsBox(x)
		return x
	}
	out, d := j.m.MapLeaves(j.to, j.value, leave, func(xs []float64) []float64 {
		out := make([]float64, len(xs))
		for k, x := range xs {
			out[k] = leave(x)
		}
		return out
	})
	if d != nil {
		return object.Slots{}, d
	}
	ty, like, leaves := j.from, j.point, gradient
	if gradient == nil {
		ty, like, leaves = j.to, j.value, tangent
	}
	for k, x := range leaves {
		if x != x {
			leaves[k] = leave(x)
		}
	}
	part, d := j.m.WithLeaves(ty, like, leaves)
	if d == nil {
		d = t.Failed()
	}
	if d != nil {
		return object.Slots{}, d
	}
	j.end(keep)
	out.F, out.I, out.P = append(out.F, part.F...), append(out.I, part.I...), append(out.P, part.P...)
	return out, nil
}

// forward gives the value and its tangent.
func (j *differentiation) forward() (object.Slots, *diag.Diagnostic) {
	like, d := j.m.LeavesOf(j.from, j.point)
	if d != nil {
		return object.Slots{}, d
	}
	weights, d := j.weightLeaves(j.from, like, "tangent", "point")
	if d != nil {
		return object.Slots{}, d
	}
	if d := j.run(); d != nil {
		return object.Slots{}, d
	}
	j.record = j.needsRecord(weights)
	tangent := absent(len(j.out.Reals))
	times, ok := j.resolutions(func() bool { return j.pushForward(weights, tangent) })
	if !ok {
		return object.Slots{}, j.t.Failed()
	}
	j.average(tangent, times)
	still := slices.ContainsFunc(weights, func(w float64) bool { return tape.IsAbsent(seed(w)) })
	takesPart := func(k int) bool { return !still || !tape.IsAbsent(tangent[k]) }
	if d := j.checkFinite(tangent, j.anyUndefined(takesPart), func(s *tape.Sweep) bool {
		j.setTangents(s, weights)
		return s.Forward()
	}); d != nil {
		return object.Slots{}, d
	}
	return j.results(nil, tangent)
}

func (j *differentiation) setTangents(s *tape.Sweep, weights []float64) {
	k := 0
	j.eachLeaf(func(h tape.Handle) {
		w := weights[k]
		if !s.Record {
			w = s.Tape.Value(w)
		}
		*s.Place(h) = seed(w)
		k++
	})
}

// pushForward sweeps forwards and adds the tangents of the value's reals.
func (j *differentiation) pushForward(weights, tangent []float64) bool {
	s, ok := j.t.NewSweep(j.region, j.record)
	if !ok {
		return false
	}
	j.setTangents(s, weights)
	s.Asked = j.out.Reals
	if !s.Forward() {
		return false
	}
	for k, x := range j.out.Reals {
		if dx := s.Get(x); !tape.IsAbsent(dx) {
			if tape.IsAbsent(tangent[k]) {
				tangent[k] = dx
			} else {
				tangent[k] = s.Sum(tangent[k], dx)
			}
		}
	}
	return true
}

// absent are n contributions of nothing.
func absent(n int) []float64 { return slices.Repeat([]float64{tape.Absent}, n) }
