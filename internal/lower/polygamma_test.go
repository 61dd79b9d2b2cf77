package lower_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestPolygamma: polygamma of positive numbers is compiled, and right to a few digits of the last
// place, as are the derivatives of digamma, which are made of it.
func TestPolygamma(t *testing.T) {
	for _, f := range []string{"polygamma 1 x", "polygamma 2 x", "polygamma 3 x", "deriv digamma x", "deriv (deriv digamma) x", "deriv (deriv lgamma) x"} {
		text := fmt.Sprintf("let f (x : Real) : Real = %s\n[f (exp (real i / 40 - 12)) for i < 1200]\n", f)
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("main", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		used := &regions{}
		run := func(s driver.Settings) []float64 {
			s.Limits, s.Compile.Eager = interp.DefaultLimits(), true
			result, d := driver.Run(context.Background(), unit, s)
			if d != nil {
				t.Fatal(d)
			}
			return value.RealsOf(result.Value)
		}
		want := run(driver.Settings{})
		for engine, s := range everyEngine(t, used) {
			worst := 0.0
			for i, x := range run(s) {
				worst = max(worst, math.Abs(x-want[i])/math.Abs(want[i]))
			}
			if worst > 2e-15 || math.IsNaN(worst) {
				t.Errorf("%s by %s: a relative error of %g", f, engine, worst)
			}
		}
		if used.ran == 0 {
			t.Errorf("%s is not compiled", f)
		}
	}
}
