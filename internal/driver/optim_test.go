package driver

import (
	"context"
	"os"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestStandardStarts: from the standard starts of Moré, Garbow and Hillstrom, the methods for local
// minima end at published minima, and say so.
func TestStandardStarts(t *testing.T) {
	t.Parallel()
	problems, err := os.ReadFile("../../testdata/optim/mgh.flx")
	if err != nil {
		t.Fatal(err)
	}
	const query = `
let far : optim.Stop = {optim.standard with iterations = 20000}
(length problems, missed (fun p => `
	for method, engines := range map[string][]string{
		"optim.leastSquares optim.standard p.residuals p.start":  Engines(),
		"optim.newton optim.standard (half p.residuals) p.start": Engines(),
		"optim.lbfgs far (half p.residuals) p.start":             {""},
	} {
		for _, engine := range engines {
			var list diag.List
			text := string(problems) + query + method + "))"
			unit := NewWorld(nil).LoadText("mgh", text, nil, &list)
			if list.Failed() {
				t.Fatal(list.Sorted()[0])
			}
			settings := Settings{Engine: engine, Limits: interp.DefaultLimits()}
			result, d := Run(context.Background(), unit, settings)
			if d != nil {
				t.Errorf("%s: %v", method, d)
			} else if got := value.Show(result.Value); got != "(41, [])" {
				t.Errorf("%s by %s: of so many problems, not solved: %s", method, engine, got)
			}
		}
	}
}
