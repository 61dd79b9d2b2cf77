package lab_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// experiment differentiates f of a text by some strategies, or by all, as the
// command does.
func experiment(t *testing.T, source, at string, ops int64, each time.Duration, limits interp.Limits, names ...string) map[string]lab.Outcome {
	t.Helper()
	var list diag.List
	w := driver.NewWorld(nil)
	unit := w.LoadText("program.flx", source+"\n", nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", source, list.Sorted()[0])
	}
	e := lab.Experiment{Unit: unit, Fun: "f", At: at, Each: each, MaxOps: ops, Settings: driver.Settings{Limits: limits}}
	strategies := lab.Strategies()
	if names != nil {
		strategies = slices.DeleteFunc(lab.NamedStrategies(), func(s papers.Strategy) bool { return !slices.Contains(names, s.Name) })
	}
	outcomes := map[string]lab.Outcome{}
	for _, o := range lab.Differentiate(context.Background(), w, e, strategies, &list) {
		if o.Failure != nil && !o.Failure.Span.Known() {
			t.Errorf("%s: %s fails without a place: %v", source, o.Strategy.Name, o.Failure)
		}
		outcomes[o.Strategy.Name] = o
	}
	if list.Failed() {
		t.Fatalf("%s: %v", source, list.Sorted()[0])
	}
	return outcomes
}

// TestDerivativesInside: derivatives inside programs: functions that are captured, partially
// applied, returned or kept in data, and the orders that come of nesting. Every algorithm answers
// them all as the language does.
func TestDerivativesInside(t *testing.T) {
	for _, source := range []string{
		"let f (x : Real) : Real = deriv (deriv sin) x",
		"let g (x y : Real) : Real = x * y\nlet f (x : Real) : Real = let h = g x in deriv h x",
		"let f (x : Real) : Real = let rec h (n : Int) (y : Real) : Real = if n == 0 then y * x else h (n - 1) (y * y) in deriv (h 2) x",
		"let twice (d : (Real -> Real) -> Real -> Real) (g : Real -> Real) : Real -> Real = d (d g)\n" +
			"let f (x : Real) : Real = let (p, q) = (sin, cos) in twice deriv p x * q x",
		"let f (x : Real) : Real = let hs = [sin, fun y => x * y * y] in deriv hs[1] x",
		"let f (x : Real) : Real = vjp (fun y => vjp (fun z => vjp sin z 1) y 1) x 1", // -sin, and its slope
		"let f (x : Real) : Real = x * vjp (fun y => x + y) 1 1",                      // A–P §3
		"let g (x : Real) : Real = vjp (fun y => x + y) 1 1\nlet f (x : Real) : Real = x + g x",
		"let rec g (n : Int) (x : Real) : Real = if n == 0 then x^5 else deriv (fun y => g (n - 1) y) x\nlet f (x : Real) : Real = g 2 x",
		"let f (x : Real) : Real = let j = jacobian (fun v => [v[0] * v[1], v[0] + x]) [x, 2] in j[0][0] * j[1][0]",
		"let f (x : Real) : Real = let h = hessian (fun v => v[0] * v[1]) [x, 2] in x * h[0][1]",
		"let f (x : Real) : Real = let (y, d) = valueAndGrad (fun z => z * x) x in y * d",
		"let newton (g : Real -> Real) (x : Real) : Real = x - g x / deriv g x\nlet f (a : Real) : Real = newton (fun y => y^2 - a) 1",
	} {
		outcomes := experiment(t, source, "1.5", lab.DefaultOps, 0, interp.DefaultLimits())
		compiled := outcomes["compiled"]
		for name, o := range outcomes {
			if o.Failure != nil {
				t.Errorf("%s: %s: %v", source, name, o.Failure)
				continue
			}
			if compiled.Answer != nil && !lab.Agree([]lab.Outcome{compiled, o}) {
				t.Errorf("%s: %s gives %v, compiled %v", source, name, o.Answer.Gradient, compiled.Answer.Gradient)
			}
		}
	}
}

// TestUnusedTie: A–P's comparison has no value at a tie, whether its result is used or not: the
// program is run as it is written.
func TestUnusedTie(t *testing.T) {
	const source = "let f (x : Real) : Real = let b = if x < 2 then 1 else 2 in x * x"
	if o := experiment(t, source, "2", lab.DefaultOps, 0, interp.DefaultLimits())["trace"]; o.Failure == nil ||
		!strings.Contains(o.Failure.Message, "the comparison `<` is undefined here: both sides are 2") {
		t.Errorf("at the tie: %v, %v", o.Answer, o.Failure)
	}
	if o := experiment(t, source, "3", lab.DefaultOps, 0, interp.DefaultLimits())["trace"]; o.Failure != nil {
		t.Errorf("elsewhere: %v", o.Failure)
	}
}

// TestStrategyLimits: every strategy is bounded by itself: the operations by default, and time,
// memory and depth too.
func TestStrategyLimits(t *testing.T) {
	const forever = "let f (x : Real) : Real = loop y = x while y < 10 do y"
	const deep = "let rec g (n : Int) (x : Real) : Real = if n == 0 then x else sin (g (n - 1) x)\nlet f (x : Real) : Real = g 200 x"
	const large = "let f (x : Real) : Real = sum [loop y = x for i < 40 do y * sin y for j < 20000]"
	for _, test := range []struct {
		name, source string
		ops          int64
		limits       interp.Limits
		each         time.Duration
		code         diag.Code
		only         []string
	}{
		{"operations", "let f (x : Real) : Real = loop y = x while y < 10 do y * 1", 10_000, interp.DefaultLimits(), 0, diag.StrategyBudget, nil},
		{"depth", deep, 1 << 50, interp.Limits{Depth: 100}, 0, diag.DepthLimit,
			[]string{"trace", "forward", "reverse1", "reverse2", "delta", "tower", "certified", "compiled"}},
		{"time", forever, 1 << 50, interp.Limits{Memory: 1 << 31}, 50 * time.Millisecond, diag.TimeLimit, nil},
		{"memory", large, 1 << 50, interp.Limits{Memory: 8 << 20}, 0, diag.MemoryLimit, []string{"trace", "curry-list"}},
	} {
		for name, o := range experiment(t, test.source, "0.5", test.ops, test.each, test.limits, test.only...) {
			if o.Failure == nil || o.Failure.Code != test.code {
				t.Errorf("%s: %s: %v, %v", test.name, name, o.Answer, o.Failure)
			}
		}
	}
}

// TestOneGivesUp: what one strategy gives up, or runs out of time on, hides no other's answer.
func TestOneGivesUp(t *testing.T) {
	source := "let g (x : Real) : Real = x^3 - 2 * x\nlet f (x : Real) : Real = x - deriv g x / deriv (deriv g) x"
	outcomes := experiment(t, source, "2", lab.DefaultOps, 0, interp.DefaultLimits())
	if o := outcomes["trace"]; o.Failure == nil || o.Failure.Code != diag.StrategyBudget || o.Time > 20*time.Second {
		t.Errorf("trace: %v, %v", o.Answer, o.Failure)
	}
	if o := experiment(t, source, "2", lab.DefaultOps, 0, interp.DefaultLimits(), "trace-pruned")["trace-pruned"]; o.Failure != nil ||
		math.Abs(value.RealsOf(o.Answer.Gradient)[0]-5./12) > 1e-11 {
		t.Errorf("trace-pruned: %v, %v", o.Answer, o.Failure)
	}
	if o := outcomes["compiled"]; o.Failure != nil || math.Abs(value.RealsOf(o.Answer.Gradient)[0]-5./12) > 1e-11 {
		t.Errorf("compiled: %v, %v", o.Answer, o.Failure)
	}
}
