package trace_test

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var bg = context.Background()

var bench = paperstest.NewLab()

// problem makes a problem of a program, with ones for the cotangent, and the
// program compiled.
func problem(t testing.TB, p paperstest.Program) (*papers.Problem, *interp.Code) {
	t.Helper()
	prob := bench.Problem(t, p, 1_000_000)
	code, d := interp.Compile(prob.Program)
	if d != nil {
		t.Fatal(d)
	}
	prob.Cotangent = value.MapReals(prob.Cotangent, func(float64) float64 { return 1 })
	return prob, code
}

func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*(1+math.Abs(a)+math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

func allNear(as, bs []float64, tolerance float64) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !near(as[i], bs[i], tolerance) {
			return false
		}
	}
	return true
}

func inner(xs, ys []float64) (sum float64) {
	for i := range xs {
		sum += xs[i] * ys[i]
	}
	return sum
}

// TestPrograms: the strategy gives the values of the interpreter and the
// gradients of the reference, as published and pruned. What it refuses is
// higher-order, or a comparison of equals.
func TestPrograms(t *testing.T) {
	var covered, refused int
	published := trace.Strategies()[0]
	programs := paperstest.Programs(t)
	for _, program := range programs {
		p, code := problem(t, program)
		p.MaxOps = 50_000 // what is exponential shows it
		answer, d := trace.Pruned().Run(bg, p)
		if d != nil {
			if d.Code == diag.StrategyLimits {
				refused++
			} else if d.Code != diag.StrategyBudget {
				t.Errorf("%s: %v", program.Name, d)
			}
			continue
		}
		y, d := code.Call(bg, interp.Limits{}, p.Fun.Name, p.At)
		if d != nil || !allNear(value.RealsOf(y), value.RealsOf(answer.Value), 1e-14) || value.Show(value.MapReals(y, zero)) != value.Show(value.MapReals(answer.Value, zero)) {
			t.Errorf("%s: value %s, want %s", program.Name, value.Show(answer.Value), value.Show(y))
		}
		if value.Show(value.MapReals(answer.Gradient, zero)) != value.Show(value.MapReals(p.At, zero)) {
			t.Errorf("%s: the gradient %s is not like the point %s", program.Name, value.Show(answer.Gradient), value.Show(p.At))
		}
		reference, d := paperstest.Reference(p)
		if d != nil {
			t.Fatal(d)
		}
		if want := value.RealsOf(reference); !allNear(value.RealsOf(answer.Gradient), want, 1e-11) {
			t.Errorf("%s: gradient %s, the reference is %v", program.Name, value.Show(answer.Gradient), want)
		}
		literal, d := published.Run(bg, p)
		switch {
		case d != nil && d.Code != diag.StrategyBudget:
			t.Errorf("%s: %v", program.Name, d)
		case d == nil && !allNear(value.RealsOf(literal.Gradient), value.RealsOf(answer.Gradient), 1e-12):
			t.Errorf("%s: gradient %s, pruned %s", program.Name, value.Show(literal.Gradient), value.Show(answer.Gradient))
		case d == nil:
			covered++
		}
	}
	t.Logf("of %d programs %d are refused and %d within budget", len(programs), refused, covered)
	if refused > 12 || covered < len(programs)*3/4 {
		t.Errorf("too few")
	}
}

func zero(float64) float64 { return 0 }
