package driver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestStrategiesInside: A–P Cor. 6.3 and Thm 6.7 (2), Delta Theorem 3, on random
// programs with derivatives inside, as functions of all their real literals.
// Where the reverse derivative of such a function has a denotation, each
// strategy that covers the program ends with it.
func TestStrategiesInside(t *testing.T) {
	answers, known := map[string]int{}, 0
	for seed := range *programs / 10 {
		p := paperstest.RandomDerivatives(seed)
		if p == nil {
			continue
		}
		settings := driver.Settings{Limits: interp.Limits{Memory: 1 << 28, Depth: 10_000}}
		p.Evaluate, p.Compiled = lab.Evaluator(settings), lab.Compiler(settings)
		y, ok := valueOf(t, p)
		if !ok {
			continue
		}
		p.Cotangent = value.MapReals(y, func(float64) float64 { return 1 })
		fun := types.Resolve(p.Fun.Type).(*types.Fun)
		real := func(x float64) coretest.Value { return ball.FromFloat64(x) }
		at, bt := coretest.Import(p.At, fun.Param, real), coretest.Import(p.Cotangent, fun.Result, real)
		want, d := coretest.DenoteReverse(p.Program, p.Fun, at, bt, *denoteSteps)
		if d != nil {
			continue
		}
		known++
		for _, s := range lab.Strategies() {
			answer, d := lab.Solve(context.Background(), s, p)
			switch {
			case d == nil:
				if err := agree(answer.Gradient, want.(coretest.Tuple)[1]); err != nil {
					t.Errorf("seed %d: %s: %v\n%s", seed, s.Name, err, core.Print(p.Program))
				}
				answers[s.Name]++
			case d.Code != diag.StrategyLimits && d.Code != diag.StrategyBudget && !slices.Contains(declines, d.Code):
				t.Errorf("seed %d: %s: %v\n%s", seed, s.Name, d, core.Print(p.Program))
			}
		}
	}
	t.Logf("of %d derivatives: %v", known, answers)
	for _, s := range lab.Strategies() {
		if answers[s.Name] == 0 {
			t.Errorf("%s has no answer", s.Name)
		}
	}
}
