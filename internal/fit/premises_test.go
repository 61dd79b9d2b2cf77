package fit_test

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/fit"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// falsePremises are losses of one number that are not what their derivatives say, by the row that
// makes them so. A proof that believed it would find a minimum where the loss has none.
var falsePremises = map[prim.ID]string{
	prim.StopGradient: "(let s = stopGradient a in 0 - s^2) + a^2 / 2",
	prim.WithDerivative: "a^2 / 4 + withDerivative (withEnclosure (fun x => 0 - x^3 / 3 - x) (fun (l, h) => (0 - h^3 / 3 - h, 0 - l^3 / 3 - l)))" +
		" (fun x dx => 2 * x * dx) a",
	prim.WithPullback: "a^2 / 4 + withPullback (withEnclosure (fun x => 0 - x^3 / 3 - x) (fun (l, h) => (0 - h^3 / 3 - h, 0 - l^3 / 3 - l)))" +
		" (fun x by => 2 * x * by) a",
	prim.WithEnclosure: "(a - 1 + withEnclosure (fun x => 0 * x) (fun _ => (1, 1)) a)^2",
}

// TestPremises walks over the table: a loss with a row whose derivative, or value, is not proved is
// never proved to have a minimum that it does not have, whatever the options.
func TestPremises(t *testing.T) {
	settings := map[string]interp.Options{
		"plain": {}, "--trust-rules": {TrustRules: true}, "--ties=ieee": {IEEETies: true},
		"--unguarded": {Unguarded: true, TrustRules: true, IEEETies: true, AllowInfinite: true},
	}
	for _, row := range prim.All() {
		loss, ok := falsePremises[row.ID]
		if !ok {
			if row.Slope != prim.OfValue {
				t.Errorf("%s is not tested", row.Name)
			}
			continue
		}
		file := write(t, t.TempDir(), "loss.flx", "let loss (p : {a : Real}) : Real = let a = p.a in "+loss+"\n")
		for name, compile := range settings {
			var list diag.List
			w := driver.NewWorld(nil)
			u := w.LoadFile(file, &list)
			if u == nil || list.Failed() {
				t.Fatal(list.Sorted())
			}
			s := driver.Settings{Engine: driver.BestEngine(), Limits: interp.DefaultLimits(), Compile: compile}
			r := fit.Fit(context.Background(), w, u, fit.Options{Function: "loss", Kind: fit.Loss, Start: "{a = 0}",
				Level: 0.95, Method: "adam", Iterations: 1, Rate: 1e-300}, s, fit.Control{}, &list)
			if r == nil {
				continue // the rule is found to be wrong
			}
			d := r.Certify(context.Background())
			if row.ID != prim.WithEnclosure {
				if d == nil || d.Code != diag.Unproved {
					t.Errorf("%s, %s: %v", row.Name, name, d)
				}
				continue
			}
			if d != nil || r.Certificate.Parameters[0].Lo.Cmp(big.NewFloat(0.99)) < 0 {
				t.Errorf("%s, %s: %v, at %v", row.Name, name, d, r.Q)
			}
			var b strings.Builder
			if r.Write(&b); strings.Contains(b.String(), "onverged") && !r.Converged() || strings.Contains(b.String(), "not converged") {
				t.Errorf("%s, %s: what is proved is said not to be found:\n%s", row.Name, name, b.String())
			}
		}
	}
}
