package driver

import (
	"context"
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// near compares reals, relatively where they are large.
func near(t *testing.T, expr string, want, tolerance float64) {
	t.Helper()
	got := float64(valueOf(t, expr).(value.Real))
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", expr, got, want)
	}
}

// refuses checks that a program fails with a code.
func refuses(t *testing.T, expr string, code diag.Code) {
	t.Helper()
	var list diag.List
	unit := NewWorld(nil).LoadText("test", expr, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d == nil {
		t.Errorf("%s is %s, it should fail with %s", expr, value.Show(result.Value), code)
	} else if d.Code != code {
		t.Errorf("%s fails with %s, not %s", expr, d.Error(), code)
	}
}

// TestOptimaAtKinks: where a kink is the optimum, the optimum moves along with
// it; the references are the closed forms.
func TestOptimaAtKinks(t *testing.T) {
	near(t, "deriv (fun c => maxOver 0 1 (fun x => min (c + x) (1 - 2 * x))) 0.17", 2./3, 1e-12)
	near(t, "deriv (fun c => minOver 0 1 (fun x => max (c + x) (1 - 2 * x))) 0.1", 2./3, 1e-12)
	near(t, "deriv (fun c => minOver 0 1 (fun x => abs (x - c))) 0.1", 0, 1e-12)
	// x = (e^d - c)/(2 + sin d), v = c + x sin d
	near(t, "fst (grad (fun (c, d) => maxOver 0 1 (fun x => min (c + x * sin d) (exp d - 2 * x))) (0.17, 0.3))", 2/(2+math.Sin(0.3)), 1e-12)
	near(t, "deriv (deriv (fun c => maxOver 0 1 (fun x => min (c + x) (1 - 2 * x)))) 0.17", 0, 1e-12)
}

// TestOptimaWithTies: the largest value of a function is good even if it is reached twice. Its
// derivative is then the mean of those to both sides, where they are known, also after the value
// has been computed and remembered; the place of the largest value is refused.
func TestOptimaWithTies(t *testing.T) {
	near(t, "maxOver 0 1 (fun x => (x - 0.5)^2)", 0.25, 1e-15)
	near(t, "minOver 0 1 (fun a => maxOver 0 1 (fun x => abs (x - a)))", 0.5, 1e-12)
	near(t, "deriv (fun a => a * maxOver 0 1 (fun x => (x - 0.5)^2)) 2", 0.25, 1e-15)
	near(t, "deriv (fun a => maxOver 0 1 (fun x => (x - a)^2)) 0.5", 0, 1e-12) // the mean of both sides
	near(t, "(fun f => f 0.5 + deriv f 0.5) (fun a => maxOver 0 1 (fun x => (x - a)^2))", 0.25, 1e-12)
	refuses(t, "deriv (fun c => maxOver (-1) 1 (fun x => c * x^2)) 0", diag.NotCertified)
	refuses(t, "deriv (fun b => maxOver (-b) b (fun x => x^2)) 0.5", diag.NotCertified)
	refuses(t, "argmaxOver (-1) 1 (fun x => x^2)", diag.NotCertified)
}

// TestRivals: where two maxima of a function inside an integrand exchange their
// ranks, the highest has a kink, and its place jumps; both may move (exact, Note
// [Thresholds]). The bumps are next to 0.25 and 0.75, as high as x and c.
func TestRivals(t *testing.T) {
	t.Parallel()
	bumps := `let bumps (x c y : Real) : Real = x * exp (-100 * (y - 0.25)^2) + c * exp (-100 * (y - 0.75)^2)
`
	near(t, bumps+"integral01 (fun x => argmax01 (bumps x 0.3))", 0.4, 1e-10)
	near(t, bumps+"deriv (fun c => integral01 (fun x => argmax01 (bumps x c))) 0.3", 0.5, 1e-10)
	near(t, bumps+"deriv (fun c => integral01 (fun x => max01 (bumps x c))) 0.3", 0.3, 1e-10)
	near(t, bumps+"deriv (deriv (fun c => integral01 (fun x => max01 (bumps x c)))) 0.3", 1, 1e-9)
	near(t, bumps+"deriv (deriv (fun c => integral01 (fun x => argmax01 (bumps (x^2) c)))) 0.3", -0.125*math.Pow(0.3, -1.5), 1e-9)
	// at the ends of the range
	near(t, "deriv (fun c => integral01 (fun x => argmax01 (fun y => (y - 0.5)^2 + (x - c) * y / 10))) 0.3", -1, 1e-12)
	// they move, and the place of the highest only depends on x - c
	place := func(slope float64) float64 { // of the maximum of -(cos (4 pi y)) + slope * y on its side
		return falling(func(y float64) float64 { return 4*math.Pi*math.Sin(4*math.Pi*y) + slope }, 0.5+math.Copysign(0.25, slope))
	}
	near(t, "deriv (fun c => integral01 (fun x => argmaxOver 0.1 0.9 (fun y => -(cos (4 * pi * y)) + (x - c) * y))) 0.4", place(-0.4)-place(0.6), 1e-12)
	// a tie all along is still one
	refuses(t, "integral01 (fun x => argmax01 (fun y => (x + 1) * (y - 0.5)^2))", diag.NoOptimum)
	refuses(t, "integral01 (fun x => argmax01 (fun y => -(x + 1) * ((y - 0.5)^2 - 1 / 16)^2))", diag.NoOptimum)
	refuses(t, "deriv (fun c => integral01 (fun x => max01 (fun y => (x + c) * (y - 0.5)^2))) 0.3", diag.NotCertified)
}

// falling bisects for where df falls through zero near x.
func falling(df func(float64) float64, x float64) float64 {
	lo, hi := x-0.1, x+0.1
	for range 60 {
		if m := (lo + hi) / 2; df(m) > 0 {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// TestUnguarded: heuristics miss what lies between the points that they look at; with the guard
// nothing is missed (search, Note [Guard]).
func TestUnguarded(t *testing.T) {
	peak := "integral 0 1 (fun x => exp (-((x - 0.37123) / 0.0001)^2))"
	near(t, peak, 1e-4*math.Sqrt(math.Pi), 1e-16)
	var list diag.List
	unit := NewWorld(nil).LoadText("test", peak, nil, &list)
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Unguarded: true}})
	if d != nil || result.Value != value.Value(value.Real(0)) {
		t.Errorf("without the guard: %v, %v", result.Value, d)
	}
}
