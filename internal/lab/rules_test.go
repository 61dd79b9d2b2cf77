package lab_test

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// strategic has functions whose rules are not their derivatives, so that a strategy that does not
// carry the rule gives another number.
const strategic = `
let cubeJ = withDerivative (fun x => x^3) (fun x dx => 5 * x * dx)
let cubeP = withPullback (fun x => x^3) (fun x by => 5 * x * by)
let first x = cubeJ x + cubeP (2 * x)
let second x = deriv cubeJ x + grad cubeP x
let tower x = fromDerivatives [sin, fun x => x^2, fun x => 4 * x] x
let tower2 x = deriv tower (x * x)
let pairs = withDerivative (fun p => {re = p.r, im = [p.r, p.t]}) (fun p d => {re = p.t * d.r, im = [d.t, d.r + p.r * d.t]})
let pairsB = withPullback (fun p => {re = p.r, im = [p.r, p.t]})
    (fun p b => {r = p.t * b.re + b.im[1], t = b.im[0] + p.r * b.im[1]})
let shaped x = let z = pairs {r = x, t = 2 * x} in z.re + z.im[0] + z.im[1]
let shapedB x = let z = pairsB {r = x, t = 2 * x} in z.re + z.im[0] + z.im[1]
let option x = withDerivative (fun o => match o with | Some y -> y | None -> 0)
    (fun _ d => match d with | Some dy -> 7 * dy | None -> 0) (Some x)
let captured x = withPullback (fun y => x * y) (fun _ by => x * by) (2 * x)
let marked x = checkpoint (withEnclosure square (fun (lo, hi) => (min (lo^2) (hi^2), max (lo^2) (hi^2)))) x
`

// TestRulesInStrategies: every strategy carries rules of the program's own, at every type, in
// either form and inside of derivatives; but the compiled one, which finds that they are wrong.
func TestRulesInStrategies(t *testing.T) {
	w := driver.NewWorld(nil)
	var list diag.List
	unit := w.LoadText("test", strategic, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted())
	}
	settings := driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{TrustRules: true}}
	for _, c := range []struct {
		fun  string
		want float64 // of the derivative at 3
	}{
		{"first", 75}, {"second", 10}, {"tower", 9}, {"tower2", 4 * 9 * 6},
		{"shaped", 6 + 2 + 1 + 6}, {"shapedB", 6 + 1 + 2 + 6}, {"option", 7}, {"captured", 12}, {"marked", 6},
	} {
		e := lab.Experiment{Unit: unit, Fun: c.fun, At: "3", MaxOps: 1e6, Settings: settings}
		outcomes := lab.Differentiate(context.Background(), w, e, lab.NamedStrategies(), &list)
		if list.Failed() {
			t.Fatal(list.Sorted())
		}
		for _, o := range outcomes {
			if o.Strategy.Name == "compiled" && c.fun == "captured" {
				if o.Failure == nil || o.Failure.Code != diag.CapturedByRule {
					t.Errorf("%s by %s: %v", c.fun, o.Strategy.Name, o.Failure)
				}
				continue
			}
			if o.Failure != nil {
				t.Errorf("%s by %s: %s", c.fun, o.Strategy.Name, o.Failure.Message)
				continue
			}
			if got, ok := o.Answer.Gradient.(value.Real); !ok || math.Abs(float64(got)-c.want) > 1e-9 {
				t.Errorf("%s by %s is %s, want %v", c.fun, o.Strategy.Name, value.Show(o.Answer.Gradient), c.want)
			}
		}
	}
}
