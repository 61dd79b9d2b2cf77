package lower_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestScale: derivatives do not lose terms where the numbers of a program are near the ends of the
// range of doubles, in any mode, at orders 1 to 4. Each function is one of c x that varies as the
// other one does; second derivatives of its operations at c x are not doubles.
func TestScale(t *testing.T) {
	ends, inner := []string{"1e306", "1e-306"}, []string{"1e200", "1e-200"}
	functions := []struct {
		fun, like string
		scales    []string
	}{
		{"c / (c * x)", "1 / x", ends},
		{"1 / (c * x) * c", "1 / x", ends},
		{"log (c * x)", "log x", ends},
		{"log2 (c * x)", "log2 x", ends},
		{"norm [c * x, c] / c", "sqrt (x * x + 1)", ends},
		{"hypot c (c * x) / c", "sqrt (x * x + 1)", ends},
		{"atan2 (c * x) c", "atan x", ends},
		{"(c * x)^(-1) * c", "1 / x", ends},
		{"(c * x) ** (-1) * c", "1 / x", ends},
		{"(c * x) ** (-1.5) * c ** 1.5", "x ** (-1.5)", inner},
		{"sqrt (c * x) / sqrt c", "sqrt x", inner},
		{"atan (c * x) * c", "-1 / x", inner[:1]},
		{"asinh (c * x)", "log x", inner[:1]},
		{"acosh (c * x)", "log x", inner[:1]},
		{"cbrt (c * x) / cbrt c", "cbrt x", inner},
	}
	modes := []string{"deriv f x", "jvp f x 1"}
	nestings := []string{"0000", "1111", "0101"} // by numbers of modes
	var text strings.Builder
	for m, mode := range modes {
		fmt.Fprintf(&text, "let d%d (f : Real -> Real) (x : Real) = %s\n", m, mode)
	}
	var towers []string
	tower := func(fun string) {
		for _, by := range nestings {
			f := "(fun (x : Real) => " + fun + ")"
			var ds []string
			for _, mode := range by {
				f = fmt.Sprintf("(d%c %s)", mode, f)
				ds = append(ds, f+" 0.9")
			}
			towers = append(towers, "["+strings.Join(ds, ", ")+"]")
		}
	}
	for _, f := range functions {
		for _, c := range f.scales {
			tower("let c = " + c + " in " + f.fun)
			tower(f.like)
		}
	}
	text.WriteString("[" + strings.Join(towers, ",\n ") + "]\n")
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("main", text.String(), nil, &list)
	if unit == nil || list.Failed() {
		t.Fatal(list.Sorted()[0].Message)
	}
	for _, engine := range driver.Engines() {
		s := driver.Settings{Engine: engine, Limits: interp.DefaultLimits(), Compile: interp.Options{Eager: true}}
		result, d := driver.Run(context.Background(), unit, s)
		if d != nil {
			t.Fatalf("%s: %s", engine, d.Message)
		}
		rows := result.Value.(value.Array)
		for k := 0; k < len(rows); k += 2 * len(nestings) {
			for n := range nestings {
				got, want := rows[k+n].(value.Reals), rows[k+n+len(nestings)].(value.Reals)
				for order, x := range want {
					if !(math.Abs(got[order]-x) <= 1e-13*math.Abs(x)) {
						t.Errorf("%s: derivative %d of %s is %v, want %v", engine, order+1, towers[k+n], got[order], x)
						break
					}
				}
			}
		}
	}
}
