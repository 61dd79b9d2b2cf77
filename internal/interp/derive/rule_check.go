package derive

import (
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Comparing rules]
//
// A rule is compared with the derivative of its function the first, the second, the fourth, the
// eighth time and so on that a derivative uses it, and whenever its argument has a number of reals
// that it has not had before, or reals far from all those compared: at the point, and at two points
// beside it, along a generic direction each. So the cost is small in the long run. The function is
// differentiated there on plain numbers, as if it had no rule. Where that fails, or meets a kink,
// nothing can be said of the rule: to give a function a derivative there is what rules are for.
//
// A rule that is right at every point may have a wrong derivative: `3 * stopGradient (x^2) * dx` has
// none, and a table of slopes has steps. So where derivatives around this one differentiate the
// rule, it is compared at each order k up to theirs: the rule and the derivative of its function are
// two functions of the point, and their derivatives of order k-1 along a generic direction must
// agree. Each order has a schedule of its own.

func lambdaOf(fun object.Ref) *core.Lambda {
	if p, ok := fun.(*machine.Partial); ok {
		fun = p.Fun
	}
	return fun.(*machine.Closure).Fn.Source.Lambda
}

// A rule may be as far from the derivative of its function as ruleTolerance, relative to the largest
// component: the derivative of an iteration that has converged may differ from the limit's by that
// much. Each order more makes the difference orderTolerance times as large.
const (
	ruleTolerance  = 1e-6
	orderTolerance = 100
)

// besideBy is how far from the point, relative to it, the other two points are.
const besideBy = 0x1p-10

// checkRule compares the rule with the derivative of its function at the orders that are used, as
// far as that is due.
func checkRule(m *machine.Machine, n *ruleNode, orders int) *diag.Diagnostic {
	key := core.Rule{Fun: lambdaOf(n.fun), By: lambdaOf(n.by)}
	at := m.Tape().Plain(n.reals)
	for order := 1; order <= orders; order++ {
		if !m.DueFor(key, order, at) {
			continue
		}
		m.Compared()[key] = true
		if d := checkOrder(m, n, at, order); d != nil {
			return d
		}
	}
	return nil
}

// checkOrder compares at the point and at two points beside it.
func checkOrder(m *machine.Machine, n *ruleNode, at []float64, order int) *diag.Diagnostic {
	defer m.Comparing()()
	defer m.Tape().Freeze()()
	for salt, by := range []float64{0, besideBy, -besideBy} {
		xs := make([]float64, len(at))
		for k, x := range at {
			xs[k] = x + by*generic(k, salt)*math.Max(math.Abs(x), 1)
		}
		x, d := m.WithLeaves(n.from, n.x, xs)
		if d == nil {
			c := &comparison{m: m, ruleNode: n, salt: salt}
			d = c.compare(x, order)
		}
		if d != nil {
			return d
		}
	}
	return nil
}

// generic is the k-th component of a direction: of size 1 to 2, and of either sign, the other one
// in the next direction.
func generic(k, salt int) float64 {
	x := 1 + math.Floor(256*(rules.Direction(3*k+salt)-1))/256 // few digits, to be read
	if (rules.Direction(k+1<<20) < 1.5) != (salt%2 == 1) {
		return -x
	}
	return x
}

// comparison is the comparison of a rule at a point, and along one direction.
type comparison struct {
	m *machine.Machine
	*ruleNode
	salt    int
	weights object.Slots // the tangent or cotangent
	own     object.Slots // what the function's derivative is like
	below   float64      // the largest component of the value, and of the derivatives of lower orders
	tied    bool         // the function was at a kink
}

// compare compares the derivatives of an order.
func (c *comparison) compare(x object.Slots, order int) *diag.Diagnostic {
	m, t := c.m, c.transpose
	like := x
	if !c.forward {
		var d *diag.Diagnostic
		if like, d = m.Callback(c.fun, c.call, x, c.result); d != nil {
			return unlessMeant(d)
		}
	}
	weights, d := c.generic(t.from, like, c.salt)
	if d != nil {
		return d
	}
	c.weights = weights
	both, d := c.derivatives(x, order)
	if d != nil {
		return unlessMeant(d)
	}
	if c.tied || !both.comparable {
		return nil // the shape is compared where the rule is used
	}
	size := math.Max(largest(both.rule), largest(both.derivative))
	if !(size <= math.MaxFloat64) {
		return nil
	}
	scale, off := size+1e-3*c.below, 0.0
	for k, x := range both.rule {
		off = math.Max(off, math.Abs(x-both.derivative[k]))
	}
	if off <= ruleTolerance*math.Pow(orderTolerance, float64(order-1))*scale {
		if told := m.Options().RuleCompared; told != nil {
			told(core.Agreement{At: ruleAt(m, c.by), Order: order, Reals: c.leaves(c.from, x), Off: off / math.Max(scale, math.SmallestNonzeroFloat64)})
		}
		return nil
	}
	return c.differs(x, like, both, order)
}

// differs says what the rule and the derivative of its function give.
func (c *comparison) differs(x, like object.Slots, both compared, order int) *diag.Diagnostic {
	m := c.m
	name, of := "dx", "x"
	if !c.forward {
		name = "dy"
	}
	show := func(ty types.Type, like object.Slots, reals []float64) string {
		s, d := m.WithLeaves(ty, like, reals)
		if d != nil {
			return "…"
		}
		src := s
		v, d := m.ToValue(ty, &src)
		if d != nil {
			return "…"
		}
		return value.ShowAtMost(v, 6)
	}
	failure := diag.Errorf(diag.WrongRule, ruleAt(m, c.by), "this rule is not the derivative of its function")
	along := ""
	if order > 1 {
		failure = diag.Errorf(diag.WrongRule, ruleAt(m, c.by), "by this rule the derivative of order %d is not that of its function", order)
		toward, d := c.generic(c.from, x, c.salt+1)
		if d == nil {
			along = fmt.Sprintf(", differentiated %s more along %s", map[bool]string{true: "once", false: fmt.Sprint(order-1, " times")}[order == 2],
				show(c.from, x, c.leaves(c.from, toward)))
		}
	}
	failure.WithRelated(ruleAt(m, c.fun), "the function")
	return failure.WithHint("at %s = %s and %s = %s%s\nthe rule gives            %s\nits function's derivative %s", of,
		show(c.from, x, c.leaves(c.from, x)), name, show(c.transpose.from, like, c.leaves(c.transpose.from, c.weights)), along,
		show(c.transpose.to, c.own, both.rule), show(c.transpose.to, c.own, both.derivative)).
		WithHint("to replace a derivative on purpose, write `stopGradient`, or trust all rules by --trust-rules")
}

// leaves returns the reals of a value that was visited before.
func (c *comparison) leaves(ty types.Type, v object.Slots) []float64 {
	list, _ := c.m.LeavesOf(ty, v)
	return list.Reals
}

// generic returns a value like another, with the components of a generic direction.
func (c *comparison) generic(ty types.Type, like object.Slots, salt int) (object.Slots, *diag.Diagnostic) {
	list, d := c.m.LeavesOf(ty, like)
	if d != nil {
		return object.Slots{}, d
	}
	for k := range list.Reals {
		list.Reals[k] = generic(k, salt)
	}
	return c.m.WithLeaves(ty, like, list.Reals)
}

// compared holds the reals of what a rule gives and of the derivative of its function.
type compared struct {
	rule, derivative []float64
	comparable       bool // they have one shape
}

// derivatives computes the derivatives of an order, as plain numbers.
func (c *comparison) derivatives(x object.Slots, order int) (compared, *diag.Diagnostic) {
	both, d := c.both(x, order)
	if d != nil {
		return compared{}, d
	}
	pair := both
	var lists [2]object.Leaves
	for k := range lists {
		c.own = pair.Take(c.transpose.result)
		if lists[k], d = c.m.LeavesOf(c.transpose.to, c.own); d != nil {
			return compared{}, d
		}
	}
	plain := c.m.Tape().Plain
	return compared{plain(lists[0].Reals), plain(lists[1].Reals), lists[0].SameShape(lists[1])}, nil
}

// both evaluates the rule and the derivative of its function at a point that may be boxed, and
// differentiates the pair along one direction as often as the order says.
func (c *comparison) both(x object.Slots, order int) (object.Slots, *diag.Diagnostic) {
	if order == 1 {
		return c.first(x)
	}
	pair := c.transpose.result
	pair = layout.Shape{F: 2 * pair.F, I: 2 * pair.I, P: 2 * pair.P}
	j := &differentiation{m: c.m, t: c.m.Tape(), point: x, body: func(x object.Slots) (object.Slots, *diag.Diagnostic) { return c.both(x, order-1) },
		derivation: &derivation{row: prim.Forward, from: c.from, to: c.pair, args: c.args, result: pair}}
	defer j.end(false)
	var d *diag.Diagnostic
	if j.weights, d = c.generic(c.from, x, c.salt+1); d != nil {
		return object.Slots{}, d
	}
	out, d := j.forward()
	if d != nil {
		return out, d
	}
	c.tied = c.tied || j.tied
	return out, c.lower(c.pair, out.Take(pair))
}

// first evaluates the rule and the derivative of its function.
func (c *comparison) first(x object.Slots) (object.Slots, *diag.Diagnostic) {
	rule, d := c.m.Callback(c.by, c.rule, x.With(c.weights), c.transpose.result)
	if d != nil {
		return rule, d
	}
	j := &differentiation{m: c.m, t: c.m.Tape(), fun: c.fun, point: x, weights: c.weights,
		derivation: &derivation{row: prim.Forward, from: c.from, to: c.to, args: c.args, result: c.result, call: c.call}}
	defer j.end(false)
	differentiate := j.forward
	if !c.forward {
		differentiate = j.reverse
	}
	own, d := differentiate()
	if d != nil {
		return own, d
	}
	c.tied = c.tied || j.tied
	d = c.lower(c.to, own.Take(c.result))
	return rule.With(own), d
}

// lower notes the size of what is differentiated once more.
func (c *comparison) lower(ty types.Type, v object.Slots) *diag.Diagnostic {
	list, d := c.m.LeavesOf(ty, v)
	if d == nil {
		c.below = math.Max(c.below, largest(c.m.Tape().Plain(list.Reals)))
	}
	return d
}

func largest(xs []float64) float64 {
	size := 0.0
	for _, x := range xs {
		if !(math.Abs(x) <= size) { // NaN too
			size = math.Abs(x)
		}
	}
	return size
}

// unlessMeant drops a failure of a comparison that says nothing of the rule; what ends a run is
// kept.
func unlessMeant(d *diag.Diagnostic) *diag.Diagnostic {
	switch d.Code {
	case diag.TimeLimit, diag.MemoryLimit, diag.DepthLimit, diag.Interrupted, diag.StrategyBudget, diag.WrongRule, diag.CapturedByRule:
		return d
	}
	return nil
}
