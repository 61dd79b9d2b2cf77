package driver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestLongCode: the interpreter pays for the instructions that it executes, not only for calls and
// turns of loops. Otherwise it would look at the clock too rarely where functions and the bodies
// of loops are long.
func TestLongCode(t *testing.T) {
	const lets, calls = 3000, 50
	var body strings.Builder
	for k := range lets {
		fmt.Fprintf(&body, "  let v%d = sin (v%d * x + %d) in\n", k+1, k, k)
	}
	for name, text := range map[string]string{
		"function": fmt.Sprintf("let f (x : Real) : Real =\n  let v0 = x in\n%s  v%d\nlet run (n : Int) : Real = sum [f (real i) for i < n]\n", body.String(), lets),
		"closure":  fmt.Sprintf("let f = fun x =>\n  let v0 = x in\n%s  v%d\nlet run (n : Int) : Real = sum (map f [real i for i < n])\n", body.String(), lets),
		"loop":     fmt.Sprintf("let run (n : Int) : Real = loop x = 1 for i < n do\n  let v0 = x in\n%s  v%d\n", body.String(), lets),
	} {
		w := driver.NewWorld(func(string) (string, error) { return text, nil })
		var list diag.List
		unit := w.LoadFile("long.flx", &list)
		if unit == nil || list.Failed() {
			t.Fatal(list.Sorted())
		}
		functions, d := unit.Functions(context.Background(), driver.Settings{Engine: "interp"}, "run")
		if d != nil {
			t.Fatal(d)
		}
		if _, d = functions.Call(context.Background(), "run", value.Int(calls)); d != nil {
			t.Fatal(d)
		}
		if work := functions.Stats().Work; work < lets*calls/32 {
			t.Errorf("%s: %d units for %d sines", name, work, lets*calls)
		}
	}
}
