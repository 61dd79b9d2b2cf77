package paperstest_test

import (
	"context"
	"flag"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var gradients = flag.Bool("gradients", false, "write the gradients of the reference into testdata/lab")

// TestConformance differentiates every program by every strategy. All that
// cover it agree with the reference, component by component, to 1e-11; or, in
// a component whose paths cancel, to 1e-12 of the sum of their contributions.
// One that does not cover it says where and why.
func TestConformance(t *testing.T) {
	t.Parallel()
	bench := paperstest.NewLab()
	programs := paperstest.Programs(t)
	covered := map[string]int{}
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			problem := bench.Problem(t, p, 1_000_000)
			reference, d := paperstest.Reference(problem)
			if d != nil {
				t.Fatal(d)
			}
			if shown := value.Show(reference); *gradients {
				paperstest.Rewrite(t, p, shown)
			} else if shown != p.Gradient {
				t.Errorf("the gradient is %s, the comment says %s", shown, p.Gradient)
			}
			want, paths := value.RealsOf(reference), value.RealsOf(bench.Value(t, p, p.Paths))
			for _, s := range lab.Strategies() {
				answer, d := lab.Solve(context.Background(), s, problem)
				if d != nil {
					if d.Code != diag.StrategyLimits && d.Code != diag.StrategyBudget || !d.Span.Known() {
						t.Errorf("%s: %v", s.Name, d)
					}
					t.Logf("%s: %v", s.Name, d)
					continue
				}
				covered[s.Name]++
				agree := agrees(value.RealsOf(answer.Gradient), want, paths)
				if answer.Enclosed != nil { // sets must contain the reference, but for its rounding
					both := []lab.Outcome{{Answer: answer}, {Answer: &papers.Answer{Gradient: reference}}}
					agree = lab.Agreement(both) <= 1e-15
				}
				if !agree || !sameShape(answer.Gradient, problem.At) {
					t.Errorf("%s gives %s, the reference is %s", s.Name, value.Show(answer.Gradient), value.Show(reference))
				}
			}
		})
	}
	for _, s := range lab.Strategies() {
		t.Logf("%-12s covers %d of %d", s.Name, covered[s.Name], len(programs))
		if covered[s.Name] < len(programs)*4/5 {
			t.Errorf("%s covers only %d programs", s.Name, covered[s.Name])
		}
	}
}

// agrees compares gradients; paths may be empty.
func agrees(got, want, paths []float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i, w := range want {
		tolerance := 1e-11 * math.Abs(w)
		if len(paths) > 0 {
			tolerance = max(tolerance, 1e-12*paths[i])
		}
		if !(math.Abs(got[i]-w) <= tolerance) {
			return false
		}
	}
	return true
}

// sameShape reports whether two values differ in their reals at most.
func sameShape(v, w value.Value) bool {
	zero := func(float64) float64 { return 0 }
	return value.Show(value.MapReals(v, zero)) == value.Show(value.MapReals(w, zero))
}
