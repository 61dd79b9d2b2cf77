package exact_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Balls hold numbers that no decimal can, and that big.Float makes 0 or infinite.
func TestHugeAndTiny(t *testing.T) {
	for text, want := range map[string]string{
		"exp (-3e9)":                  "[0, 1e-30]",
		"exp (-1e30)":                 "[0, 1e-30]",
		"-(0.5 ^ 4000000000)":         "[-1e-30, 0]",
		"exp 1e6":                     "[6.741140125e315652, inf]",
		"-(2.0 ^ 4000000000)":         "[-inf, -6.741140125e315652]",
		"2.0 ^ 1000000 / 2.0^1000000": "[1, 1]",
		"1e400":                       "[1e400, 1e400]",
	} {
		if v, _ := evaluate(t, text, "1e-30"); value.Show(v) != want {
			t.Errorf("%s is %s, not %s", text, value.Show(v), want)
		}
	}
}

// Soon there is something to hand out if the run is interrupted.
func TestInterrupted(t *testing.T) {
	var list diag.List
	unit := library.LoadText("test.flx", "integral01 (fun x => integral01 (fun y => abs (sin (5 * x) - y^2)))", nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	for _, stream := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		result, d := driver.RunExact(ctx, unit, driver.Settings{}, driver.Exactly{
			Eps:    new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 200)),
			Stream: stream,
			Watch: func(p exact.Progress) {
				if p.Value != nil {
					cancel()
				}
			},
		})
		if d == nil || d.Code != diag.Interrupted || result.Value == nil || exact.Enclosures(result.Value)[0].Width() == nil || !d.Span.Known() {
			t.Errorf("%v, %v", result.Value, d)
		}
	}
}
