package derive

import (
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rules]
//
// `withDerivative f df` and `withPullback f bf` are f with a derivative of the program's own. A
// call of one runs f on plain numbers and is one entry of the tape. A sweep calls the rule there:
// in the direction that it is for, with the tangents of the argument or the cotangents of the
// value. In the other direction it transposes the rule, which is linear in its second argument: it
// differentiates `df x`, or `bf x`, at 0 in reverse. A recording sweep gives the rule the boxes of
// the argument, so that the rule is itself on the tape and is differentiated in its turn.
//
// The rule says nothing of what f captures. If the value depends on something captured that a
// derivative in progress varies, that is an error: the rule's derivative would lack a part.
//
// In the function of a search f is evaluated as if it had no rule, as it is in exact mode: there
// the derivative of the value itself is needed.

// ruleSite is an application of withDerivative or withPullback.
type ruleSite struct {
	from, to  types.Type
	forward   bool              // the rule is of tangents
	args      layout.Shape      // of the argument
	result    layout.Shape      // of the function
	call      *machine.CallInfo // of the function, and of the rule at a point
	rule      *machine.CallInfo // both arguments of the rule
	transpose *derivation       // of the rule at a point
	pair      types.Type        // of what the rule gives and of the derivative of the function
}

// WithRule makes the operation of withDerivative or withPullback.
func WithRule(ls *layout.Layouts, op *core.Prim) machine.Operation {
	fun := types.Resolve(op.Args[0].Type()).(*types.Fun)
	at := &ruleSite{from: fun.Param, to: fun.Result, forward: op.Prim.ID == prim.WithDerivative}
	at.args, at.result = ls.Of(at.from).Shape(), ls.Of(at.to).Shape()
	second, out := at.from, at.to
	if !at.forward {
		second, out = out, second
	}
	two := ls.Of(second).Shape()
	at.call, at.rule = machine.NewCall(at.args), machine.NewCall(at.args, two)
	at.transpose = &derivation{row: prim.Reverse, from: second, to: out, args: two, result: ls.Of(out).Shape(), call: machine.NewCall(two)}
	at.pair = &types.Tuple{Elems: []types.Type{out, out}}
	return at
}

func (site *ruleSite) String() string {
	if site.forward {
		return prim.WithDerivative.String()
	}
	return prim.WithPullback.String()
}

func (site *ruleSite) Within() string { return "" }

func (site *ruleSite) Run(m *machine.Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	n := &ruleNode{ruleSite: site, fun: args.P[0], by: args.P[1]}
	args.P = args.P[2:]
	return ruled(m, n, args)
}

// ruled calls a function with a rule.
func ruled(m *machine.Machine, n *ruleNode, x object.Slots) (object.Slots, *diag.Diagnostic) {
	t := m.Tape()
	if t == nil || t.Live == 0 || t.Mode.Slope != 0 {
		out, d := m.Callback(n.fun, n.call, x, n.result)
		return out, d
	}
	arg, d := m.LeavesOf(n.from, x)
	if d != nil {
		return object.Slots{}, d
	}
	n.x, n.reals = x, arg.Reals
	for _, r := range arg.Reals {
		n.mask |= t.Mask(r)
	}
	value, d := m.Callback(n.fun, n.call, n.argument(m, false), n.result)
	if d != nil {
		return object.Slots{}, d
	}
	out, d := m.LeavesOf(n.to, value)
	if d != nil {
		return object.Slots{}, d
	}
	for _, r := range out.Reals {
		if t.Mask(r)&t.Live != 0 {
			return object.Slots{}, n.varies(m)
		}
	}
	if n.mask&t.Live == 0 || len(out.Reals) == 0 {
		return value, nil
	}
	object.ShareAll(x.P)
	n.value = value
	var boxes []float64
	var ok bool
	if n.out, boxes, ok = t.AddWhole(t.Plain(out.Reals), n.mask); !ok {
		return object.Slots{}, t.Failed()
	}
	t.AddNode(tape.WholeNode, n, n.mask)
	boxed, d := m.WithLeaves(n.to, value, boxes)
	if d == nil {
		d = t.Failed()
	}
	return boxed, d
}

// ruleNode is a call of a function with a rule on the tape.
type ruleNode struct {
	*ruleSite
	fun, by object.Ref   // the function and its rule
	x       object.Slots // the argument
	reals   []float64    // its reals
	mask    tape.Levels  // what they depend on
	value   object.Slots // of plain reals
	out     *tape.Whole  // the value's reals
}

func (n *ruleNode) Parents(func(float64)) {}

// argument is the argument, boxed if it is for a sweep that records.
func (n *ruleNode) argument(m *machine.Machine, record bool) object.Slots {
	if record {
		return n.x
	}
	plain, _ := m.WithLeaves(n.from, n.x, m.Tape().Plain(n.reals)) // it has been visited
	return plain
}

func (n *ruleNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	if !s.Own(n.mask) {
		return // a rule that calls the function which it is for would be transposed without end
	}
	by, some := s.CotangentsOf(n.out)
	if !some {
		return
	}
	for k, d := range n.apply(s, n.to, n.value, by, n.from, n.x, !n.forward) {
		s.To(n.reals[k], d)
	}
}

func (n *ruleNode) Push(s *tape.Sweep, _ tape.Handle) float64 {
	dx, some := s.Tangents(n.reals)
	if !some {
		return tape.Absent
	}
	if dy := n.apply(s, n.from, n.x, dx, n.to, n.value, n.forward); dy != nil {
		s.SetElements(n.out, dy)
	}
	return tape.Absent
}

// apply is the rule, or its transpose unless it is direct, at the argument: a linear map from the
// reals of one value to those of another, which is like the given one. After a failure it is nil.
func (n *ruleNode) apply(s *tape.Sweep, from types.Type, like object.Slots, w []float64, to types.Type, shaped object.Slots, direct bool) []float64 {
	m := machine.Of(s.Tape)
	weights, d := m.WithLeaves(from, like, w)
	if d == nil && !m.Options().TrustRules {
		orders := 1
		if s.Record {
			orders += bits.OnesCount16(uint16(n.mask & s.Outside))
		}
		d = checkRule(m, n, orders)
	}
	var out object.Leaves
	if d == nil {
		out, d = n.linear(m, n.argument(m, s.Record), weights, direct)
	}
	if d == nil {
		var want object.Leaves
		if want, d = m.LeavesOf(to, shaped); d == nil && !out.SameShape(want) {
			d = diag.Errorf(diag.ShapesDiffer, ruleAt(m, n.by), "the result of the rule has another shape than its function's %s",
				map[bool]string{true: "value", false: "argument"}[n.forward == direct]).
				WithHint("it must have the same constructors and the same lengths of arrays")
		}
	}
	if d != nil {
		s.Tape.Fail(d)
		return nil
	}
	for k, x := range out.Reals {
		if s.Record {
			continue
		}
		if s.Tape.Mask(x)&s.Outside != 0 {
			s.Tape.Fail(n.varies(m))
			return nil
		}
		out.Reals[k] = s.Tape.Value(x)
	}
	return out.Reals
}

// linear applies the rule, or its transpose, to reals that may be boxed.
func (n *ruleNode) linear(m *machine.Machine, x, w object.Slots, direct bool) (object.Leaves, *diag.Diagnostic) {
	t := n.transpose
	if direct {
		out, d := m.Callback(n.by, n.rule, x.With(w), t.result)
		if d != nil {
			return object.Leaves{}, d
		}
		return m.LeavesOf(t.to, out)
	}
	at, d := m.Callback(n.by, n.call, x, layout.Shape{P: 1})
	if d != nil {
		return object.Leaves{}, d
	}
	j := &differentiation{m: m, t: m.Tape(), derivation: t, fun: at.P[0], weights: w}
	defer j.end(false) // after a failure
	like := n.x
	if !n.forward {
		like = n.value
	}
	zero, d := m.LeavesOf(t.from, like)
	if d != nil {
		return object.Leaves{}, d
	}
	clear(zero.Reals)
	point, d := m.WithLeaves(t.from, like, zero.Reals)
	if d != nil {
		return object.Leaves{}, d
	}
	j.point = point
	both, d := j.reverse()
	if d != nil {
		return object.Leaves{}, d
	}
	result := both
	result.Take(t.result)
	return m.LeavesOf(t.from, result)
}

// ruleAt is the place of a function of the program.
func ruleAt(m *machine.Machine, fun object.Ref) diag.Span {
	switch f := fun.(type) {
	case *machine.Closure:
		return f.Fn.Source.At
	case *machine.Partial:
		return f.Fun.Fn.Source.At
	}
	return diag.Span{}
}

// varies says that the function or its rule captures what a derivative in progress varies.
func (n *ruleNode) varies(m *machine.Machine) *diag.Diagnostic {
	what := "something"
	for _, fun := range []object.Ref{n.fun, n.by} {
		if name := variable(m, fun, map[object.Ref]bool{}); name != "" {
			what = "`" + name + "`"
			break
		}
	}
	d := diag.Errorf(diag.CapturedByRule, ruleAt(m, n.by), "this rule says nothing of %s, which its function captures and which is differentiated here", what).
		WithHint("make %s a part of the function's argument, or a constant by `stopGradient`", what)
	return d
}

// variable names a variable that a function captures, or a function that it captures does, of which
// a real depends on a derivative in progress.
func variable(m *machine.Machine, fun object.Ref, seen map[object.Ref]bool) string {
	if p, ok := fun.(*machine.Partial); ok {
		fun = p.Fun
	}
	c, ok := fun.(*machine.Closure)
	if !ok || seen[c] {
		return ""
	}
	seen[c] = true
	for _, v := range c.Fn.Source.Captured {
		held := c.Captured(v)
		if types.Member(v.Var.Ty, types.Diff) != nil {
			for _, r := range held.P {
				if name := variable(m, r, seen); name != "" {
					return name
				}
			}
			continue
		}
		list, d := m.LeavesOf(v.Var.Ty, held)
		if d != nil {
			continue
		}
		for _, x := range list.Reals {
			if m.Tape().Mask(x)&m.Tape().Live != 0 {
				return v.Var.Name
			}
		}
	}
	return ""
}
