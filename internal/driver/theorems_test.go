package driver_test

import (
	"context"
	"flag"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var programs = flag.Int64("programs", 120, "how many random programs to look at")

// TestRandomConformance: on random well-typed programs, as functions of all
// their real literals, every strategy that covers a program gives its value
// and its derivative: A–P Thms 6.1 and 6.2 (1) and Cor. 6.3, Delta Prop. 2 and
// Theorem 3. The derivative is that of the reference where the program is
// smooth and well-conditioned, which the reference itself tells: it hardly
// changes nearby.
func TestRandomConformance(t *testing.T) {
	t.Parallel()
	n := *programs
	var functions, smooth int
	answers := map[string]int{}
	for seed := range n {
		p := paperstest.Random(seed)
		if p == nil {
			continue
		}
		functions++
		settings := driver.Settings{Limits: interp.Limits{Memory: 1 << 28, Depth: 10_000}}
		p.Evaluate, p.Compiled = lab.Evaluator(settings), lab.Compiler(settings)
		y, ok := valueOf(t, p)
		if !ok {
			continue
		}
		p.Cotangent = value.MapReals(y, func(float64) float64 { return 1 })
		want, known := stable(p)
		if known {
			smooth++
		}
		for _, s := range lab.Strategies() {
			answer, d := lab.Solve(context.Background(), s, p)
			if d != nil {
				switch d.Code {
				case diag.StrategyLimits, diag.StrategyBudget, diag.TiedComparison, diag.TiedJump, diag.TiedKink, diag.NotFinite:
					continue
				}
				t.Fatalf("seed %d: %s: %v\n%s", seed, s.Name, d, core.Print(p.Program))
			}
			answers[s.Name]++
			exact := answer.Enclosed != nil // the others round as the interpreter does
			if got := value.Show(answer.Value); got != value.Show(y) && !(exact && closeReals(answer.Value, y, 1e-9)) {
				t.Errorf("seed %d: %s gives the value %s, want %s", seed, s.Name, got, value.Show(y))
			}
			got := value.RealsOf(answer.Gradient)
			for i := range want {
				if math.IsNaN(got[i]) && s.Name != "compiled" {
					continue // the papers have no structural zeros, and multiply 0 by infinity
				}
				if known && !(math.Abs(got[i]-want[i]) <= 1e-7*(1+math.Abs(want[i]))) {
					t.Errorf("seed %d: %s gives component %d as %v, the reference is %v\n%s", seed, s.Name, i, got[i], want[i], core.Print(p.Program))
					break
				}
			}
		}
	}
	t.Logf("of %d functions %d are smooth; %v", functions, smooth, answers)
	if smooth < int(n)/8 {
		t.Errorf("only %d functions are smooth", smooth)
	}
}

// valueOf evaluates a problem's function, if its values are moderate.
func valueOf(t *testing.T, p *papers.Problem) (value.Value, bool) {
	t.Helper()
	code, d := interp.Compile(p.Program)
	if d != nil {
		t.Fatal(d)
	}
	y, d := code.Call(context.Background(), interp.Limits{Memory: 1 << 28, Depth: 10_000}, p.Fun.Name, p.At)
	if d != nil {
		return nil, false
	}
	for _, x := range value.RealsOf(y) {
		if math.IsNaN(x) || math.Abs(x) > 1e6 {
			return nil, false
		}
	}
	return y, true
}

// stable returns the reference's gradient, if it is nearly the same a little beside
// the point: then no kink and no pole is near.
func stable(p *papers.Problem) ([]float64, bool) {
	first, d := paperstest.Reference(p)
	if d != nil {
		return nil, false
	}
	want := value.RealsOf(first)
	for _, h := range []float64{1e-7, -1e-7} {
		beside := *p
		beside.At = value.MapReals(p.At, func(x float64) float64 { return x*(1+h) + h })
		near, d := paperstest.Reference(&beside)
		if d != nil {
			return nil, false
		}
		for i, x := range value.RealsOf(near) {
			if !(math.Abs(x-want[i]) <= 1e-4*(1+math.Abs(want[i]))) || math.Abs(want[i]) > 1e6 {
				return nil, false
			}
		}
	}
	return want, true
}
