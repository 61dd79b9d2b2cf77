package exact_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// asFunctions are the rows that act on whole values or take functions, each as a function of one
// real. What a program may say is said wrongly; where the value is what it should be, it is
// x^3 + x.
var asFunctions = map[prim.ID]string{
	prim.WithDerivative: "withDerivative (withEnclosure (fun x => x^3 + x) (fun (l, h) => (l^3 + l, h^3 + h))) (fun _ dx => 4 * dx) x",
	prim.WithPullback:   "withPullback (withEnclosure (fun x => x^3 + x) (fun (l, h) => (l^3 + l, h^3 + h))) (fun _ by => by / 8) x",
	prim.WithEnclosure:  "withEnclosure (fun x => x^3 + x) (fun (l, h) => (l^3 + l, h^3 + h + 0.1)) x",
	prim.Checkpoint:     "checkpoint (fun x => x^3 + x) x",
	prim.StopGradient:   "x^3 + stopGradient x",
	prim.AddReal:        "addReal (x^3) x",
	prim.ScaleReal:      "scaleReal x (x^2 + 1)",
	prim.InnerReal:      "innerReal (x, x) (x^2, 1)",
	prim.Reals:          "(flatten (x^3 + x, true))[0]",
	prim.WithReals:      "unflatten 1 [x^3 + x]",
}

// exactly is an enclosure, or what a diagnostic says.
func exactly(t *testing.T, text string) (lo, hi float64, said string) {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("<test>", text, nil, &list)
	if unit == nil || list.Failed() {
		t.Fatalf("%s: %v", text, list.Sorted())
	}
	r, d := driver.RunExact(context.Background(), unit, driver.Settings{Limits: interp.DefaultLimits()},
		driver.Exactly{Eps: big.NewRat(1, 1e8)})
	if d != nil {
		return 0, 0, d.Message
	}
	e := exact.Enclosures(r.Value)[0]
	lo, _ = e.Lo.Float64()
	hi, _ = e.Hi.Float64()
	return lo, hi, ""
}

// TestSlopes walks over the table: a row of values or functions has the derivative of its value,
// unless the table says otherwise, and then searches do not conclude from it. A row that is new has
// to be tested here.
func TestSlopes(t *testing.T) {
	const truth = 3*0.3*0.3 + 1 // of the derivative at 0.3
	for _, row := range prim.All() {
		text, ok := asFunctions[row.ID]
		if !ok {
			switch row.ID {
			case prim.Deviation, prim.Converging, prim.Correction:
				continue // only the library calls them: package driver tests what comes of them
			}
			if row.Kind == prim.Leaves || row.Kind == prim.Rule || row.Slope != prim.OfValue {
				t.Errorf("%s is not tested", row.Name)
			}
			continue
		}
		lo, hi, said := exactly(t, fmt.Sprintf("deriv (fun x => %s) 0.3", text))
		if right := said == "" && lo <= truth && truth <= hi; right != (row.Slope == prim.OfValue) && row.ID != prim.WithEnclosure {
			t.Errorf("the derivative of %s is in [%v, %v] (%s), and its slope is said to be %d", row.Name, lo, hi, said, row.Slope)
		}
		if row.ID == prim.WithEnclosure {
			continue // its values are what is told
		}
		for _, search := range []struct {
			text  string
			truth float64
		}{
			{"root (-2) 2 (fun x => g x - 1)", 0.6823278038280193},
			{"cutRoot (fun x => 1 - g x)", 0.6823278038280193},
			{"firstRoot (fun x => g x - 1)", 0.6823278038280193},
			{"maxOver 0 2 (fun x => 3 * x - g x)", 1.0886621079036347},
			{"argmaxOver 0 2 (fun x => 3 * x - g x)", 0.816496580927726},
			{"minOver (-2) 0 (fun x => 3 * x - g x)", -1.0886621079036347},
			{"integral 0 1 (fun x => g x * exp x)", 1.5634363430819095},
			{"integralFrom 0 (fun x => g x * exp (-x))", 7},
			{"ode.solve (fun _ y => -g y) 0 1 1", 0.26940468354},
		} {
			program := fmt.Sprintf("import ode\nlet g (x : Real) : Real = %s\n%s", text, search.text)
			lo, hi, said := exactly(t, program)
			if row.Slope == prim.Told && strings.Contains(said, "not the derivative of its function") {
				continue
			}
			if said == "" && !(lo-1e-9 <= search.truth && search.truth <= hi+1e-9) {
				t.Errorf("%s\nis in [%v, %v], not %v", program, lo, hi, search.truth)
			}
			if said != "" {
				t.Errorf("%s: %s", program, said)
			}
		}
	}
}
