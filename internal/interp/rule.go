package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Rules]
//
// `withDerivative f df` and `withPullback f bf` are f with a derivative of the program's own. A call of
// one runs f on plain numbers and is one entry of the tape. A sweep calls the rule there: in the
// direction that it is for, with the tangents of the argument or the cotangents of the value. In the
// other direction it transposes the rule, which is linear in its second argument: it differentiates
// `df x`, or `bf x`, at 0 in reverse. A recording sweep gives the rule the boxes of the argument, so
// that the rule is itself on the tape and is differentiated in its turn.
//
// The rule says nothing of what f captures. If the value depends on something captured that a
// derivative in progress varies, that is an error: the rule's derivative would lack a part.
//
// In the function of a search f is evaluated as if it had no rule, as it is in exact mode: there the
// derivative of the value itself is needed.

// ruleSite is an application of withDerivative or withPullback.
type ruleSite struct {
	from, to  types.Type
	forward   bool         // the rule is of tangents
	args      layout.Shape // of the argument
	result    layout.Shape // of the function
	call      *callInfo
	rule      *callInfo   // both arguments of the rule
	first     *callInfo   // its first argument
	transpose *derivation // of the rule at a point
}

func (site *ruleSite) String() string {
	if site.forward {
		return prim.WithDerivative.String()
	}
	return prim.WithPullback.String()
}

func (site *ruleSite) within() string { return "" }

func (site *ruleSite) run(m *Machine, args object.Slots) (object.Slots, *diag.Diagnostic) {
	n := &ruleNode{ruleSite: site, fun: args.P[0], by: args.P[1]}
	args.P = args.P[2:]
	return m.ruled(n, args)
}

// ruled calls a function with a rule.
func (m *Machine) ruled(n *ruleNode, x object.Slots) (object.Slots, *diag.Diagnostic) {
	t := m.tape
	if t == nil || t.Live == 0 || t.Mode.Slope != 0 {
		out, d := m.callback(n.fun, n.call, x, n.result)
		return out, d
	}
	arg, d := m.leavesOf(n.from, x)
	if d != nil {
		return object.Slots{}, d
	}
	n.x, n.reals = x, arg.Reals
	for _, r := range arg.Reals {
		n.mask |= t.Mask(r)
	}
	value, d := m.callback(n.fun, n.call, n.argument(m, false), n.result)
	if d != nil {
		return object.Slots{}, d
	}
	out, d := m.leavesOf(n.to, value)
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
	boxed, d := m.withLeaves(n.to, value, boxes)
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
func (n *ruleNode) argument(m *Machine, record bool) object.Slots {
	if record {
		return n.x
	}
	plain, _ := m.withLeaves(n.from, n.x, m.tape.Plain(n.reals)) // it has been visited
	return plain
}

func (n *ruleNode) Pull(s *tape.Sweep, _ tape.Handle, _ float64) {
	by, some, _ := s.CotangentsOf(n.out)
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
	m := machineOf(s.Tape)
	weights, d := m.withLeaves(from, like, w)
	if d == nil && !m.code.opts.TrustRules {
		d = m.checkRule(n)
	}
	var out object.Leaves
	if d == nil {
		out, d = n.linear(m, n.argument(m, s.Record), weights, direct)
	}
	if d == nil {
		var want object.Leaves
		if want, d = m.leavesOf(to, shaped); d == nil && !out.SameShape(want) {
			d = diag.Errorf(diag.ShapesDiffer, m.ruleAt(n.by), "the result of the rule has another shape than its function's %s",
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
func (n *ruleNode) linear(m *Machine, x, w object.Slots, direct bool) (object.Leaves, *diag.Diagnostic) {
	t := n.transpose
	if direct {
		out, d := m.callback(n.by, n.rule, x.With(w), t.result)
		if d != nil {
			return object.Leaves{}, d
		}
		return m.leavesOf(t.to, out)
	}
	at, d := m.callback(n.by, n.first, x, layout.Shape{P: 1})
	if d != nil {
		return object.Leaves{}, d
	}
	j := &differentiation{m: m, t: m.tape, derivation: t, fun: at.P[0], weights: w}
	defer j.end(false) // after a failure
	like := n.x
	if !n.forward {
		like = n.value
	}
	zero, d := m.leavesOf(t.from, like)
	if d != nil {
		return object.Leaves{}, d
	}
	clear(zero.Reals)
	point, d := m.withLeaves(t.from, like, zero.Reals)
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
	return m.leavesOf(t.from, result)
}

// ruleAt is the place of a function of the program.
func (m *Machine) ruleAt(fun object.Ref) diag.Span {
	switch f := fun.(type) {
	case *closure:
		return f.fn.source.at
	case *partial:
		return f.fun.fn.source.at
	}
	return diag.Span{}
}

// varies says that the function or its rule captures what a derivative in progress varies.
func (n *ruleNode) varies(m *Machine) *diag.Diagnostic {
	what := "something"
	for _, fun := range []object.Ref{n.fun, n.by} {
		if name := m.varying(fun, map[object.Ref]bool{}); name != "" {
			what = "`" + name + "`"
			break
		}
	}
	d := diag.Errorf(diag.CapturedByRule, m.ruleAt(n.by), "this rule says nothing of %s, which its function captures and which is differentiated here", what).
		WithHint("make %s a part of the function's argument, or a constant by `stopGradient`", what)
	return d
}

// varying names a variable that a function captures, or a function that it captures does, of which a
// real depends on a derivative in progress.
func (m *Machine) varying(fun object.Ref, seen map[object.Ref]bool) string {
	if p, ok := fun.(*partial); ok {
		fun = p.fun
	}
	c, ok := fun.(*closure)
	if !ok || seen[c] {
		return ""
	}
	seen[c] = true
	for _, v := range c.fn.source.captured {
		held := c.captured(v)
		if types.Member(v.v.Ty, types.Diff) != nil {
			for _, r := range held.P {
				if name := m.varying(r, seen); name != "" {
					return name
				}
			}
			continue
		}
		list, d := m.leavesOf(v.v.Ty, held)
		if d != nil {
			continue
		}
		for _, x := range list.Reals {
			if m.tape.Mask(x)&m.tape.Live != 0 {
				return v.v.Name
			}
		}
	}
	return ""
}
