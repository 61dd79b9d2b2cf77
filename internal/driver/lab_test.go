package driver

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/papers/paperstest"
)

// TestConformance differentiates every program by every published algorithm:
// all that cover it agree, and at least two do.
func TestConformance(t *testing.T) {
	covered := map[string]int{}
	for _, p := range paperstest.Programs {
		t.Run(p.Name, func(t *testing.T) {
			outcomes := differentiate(t, p)
			answers := 0
			for _, o := range outcomes {
				switch {
				case o.Failure == nil:
					answers++
					covered[o.Strategy.Name]++
				case o.Failure.Code != diag.StrategyLimits && o.Failure.Code != diag.StrategyBudget:
					t.Errorf("%s: %v", o.Strategy.Name, o.Failure)
				}
			}
			if answers < 2 {
				t.Errorf("%d strategies answer", answers)
			}
			if worst := Agreement(outcomes); !(worst <= 1e-11) {
				for _, o := range outcomes {
					if o.Answer != nil {
						t.Logf("%s: %v", o.Strategy.Name, o.Answer.Gradient)
					}
				}
				t.Errorf("they disagree by %g", worst)
			}
		})
	}
	for _, s := range Strategies() {
		t.Logf("%-12s covers %d of %d", s.Name, covered[s.Name], len(paperstest.Programs))
		if covered[s.Name] < len(paperstest.Programs)/2 {
			t.Errorf("%s covers only %d programs", s.Name, covered[s.Name])
		}
	}
}

func differentiate(t *testing.T, p paperstest.Program) []Outcome {
	t.Helper()
	w := NewWorld(func(string) (string, error) { return p.Source, nil })
	var list diag.List
	unit := w.LoadFile("program.flx", &list)
	experiment := Experiment{
		Unit: unit, Fun: p.Fn, At: p.At, MaxOps: 1_000_000,
		Settings: Settings{Limits: interp.DefaultLimits(), Verify: true},
	}
	outcomes := w.Differentiate(context.Background(), experiment, Strategies(), &list)
	if list.Failed() {
		if list.Sorted()[0].Code == diag.Mismatch { // a result that is no Real
			experiment.Cotangent = p.Fn + " (" + p.At + ")"
			list = diag.List{}
			outcomes = w.Differentiate(context.Background(), experiment, Strategies(), &list)
		}
		if list.Failed() {
			t.Fatal(rendered(&list))
		}
	}
	return outcomes
}
