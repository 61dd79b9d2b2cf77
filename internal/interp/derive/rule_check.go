package derive

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// A rule is compared with the derivative of its function the first, the second, the fourth, the
// eighth time and so on that a derivative uses it, and whenever its argument has a number of reals
// that it has not had before, or reals far from all those compared: at the point, and at two points
// beside it, along a generic direction each. So the cost is small in the long run. The function is
// differentiated there on plain numbers, as if it had no rule. Where that fails, or meets a kink,
// nothing can be said of the rule: to give a function a derivative there is what rules are for.

func lambdaOf(fun object.Ref) *core.Lambda {
	if p, ok := fun.(*machine.Partial); ok {
		fun = p.Fun
	}
	return fun.(*machine.Closure).Fn.Source.Lambda
}

// ruleTolerance is how far, relative to the largest component, a rule may be from the derivative of
// its function: iterations that have converged may differ from the limit's derivative by that much.
const ruleTolerance = 1e-6

// besideBy is how far from the point, relative to it, the other two points are.
const besideBy = 0x1p-10

// checkRule compares the rule with the derivative of its function, unless that has been done.
func checkRule(m *machine.Machine, n *ruleNode) *diag.Diagnostic {
	key := core.Rule{Fun: lambdaOf(n.fun), By: lambdaOf(n.by)}
	at := m.Tape().Plain(n.reals)
	if !m.DueFor(key, at) {
		return nil
	}
	m.Compared()[key] = true
	defer m.Comparing()()
	defer m.Tape().Freeze()()
	for salt, by := range []float64{0, besideBy, -besideBy} {
		xs := make([]float64, len(at))
		for k, x := range at {
			xs[k] = x + by*generic(k, salt)*math.Max(math.Abs(x), 1)
		}
		x, d := m.WithLeaves(n.from, n.x, xs)
		if d == nil {
			d = compareRule(m, n, x, salt)
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
	x := 1 + math.Floor(256*(tape.Direction(3*k+salt)-1))/256 // few digits, to be read
	if (tape.Direction(k+1<<20) < 1.5) != (salt%2 == 1) {
		return -x
	}
	return x
}

// compareRule compares the rule with the derivative of its function at a point.
func compareRule(m *machine.Machine, n *ruleNode, x object.Slots, salt int) *diag.Diagnostic {
	t := n.transpose
	j := &differentiation{m: m, t: m.Tape(), fun: n.fun, point: x,
		derivation: &derivation{row: prim.Forward, from: n.from, to: n.to, args: n.args, result: n.result, call: n.call}}
	defer j.end(false)
	like := x
	if !n.forward {
		var d *diag.Diagnostic
		if like, d = m.Callback(n.fun, n.call, x, n.result); d != nil {
			return unlessMeant(d)
		}
	}
	weights, d := m.LeavesOf(t.from, like)
	if d != nil {
		return d
	}
	for k := range weights.Reals {
		weights.Reals[k] = generic(k, salt)
	}
	w, d := m.WithLeaves(t.from, like, weights.Reals)
	if d != nil {
		return d
	}
	rule, d := n.linear(m, x, w, true)
	if d != nil {
		return unlessMeant(d)
	}
	j.weights = w
	differentiate := j.forward
	if !n.forward {
		differentiate = j.reverse
	}
	both, d := differentiate()
	if d != nil {
		return unlessMeant(d)
	}
	if j.tied {
		return nil
	}
	own := both
	primal, d := m.LeavesOf(n.to, own.Take(n.result))
	if d != nil {
		return d
	}
	derivative, d := m.LeavesOf(t.to, own)
	if d != nil || !rule.SameShape(derivative) {
		return d // the shape is compared where the rule is used
	}
	a, b := m.Tape().Plain(rule.Reals), m.Tape().Plain(derivative.Reals)
	size := math.Max(largest(a), largest(b))
	if tolerance := ruleTolerance*size + 1e-3*ruleTolerance*largest(m.Tape().Plain(primal.Reals)); !(size <= math.MaxFloat64) || close(a, b, tolerance) {
		if told := m.Options().RuleCompared; told != nil {
			told(ruleAt(m, n.by))
		}
		return nil
	}
	name, of := "dx", "x"
	if !n.forward {
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
	point, _ := m.LeavesOf(n.from, x)
	failure := diag.Errorf(diag.WrongRule, ruleAt(m, n.by), "this rule is not the derivative of its function")
	failure.WithRelated(ruleAt(m, n.fun), "the function")
	return failure.WithHint("at %s = %s and %s = %s\nthe rule gives            %s\nits function's derivative %s", of,
		show(n.from, x, point.Reals), name, show(t.from, like, weights.Reals),
		show(t.to, own, a), show(t.to, own, b)).
		WithHint("to replace a derivative on purpose, write `stopGradient`, or trust all rules by --trust-rules")
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

func close(a, b []float64, tolerance float64) bool {
	for k := range a {
		if !(math.Abs(a[k]-b[k]) <= tolerance) {
			return false
		}
	}
	return true
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
