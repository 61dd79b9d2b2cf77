package driver

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// shown returns the result of a file of testdata/optim with lines after it, by an engine.
func shown(t *testing.T, file, query, engine string) string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/optim/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	unit := NewWorld(nil).LoadText(file, string(text)+query, nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	settings := Settings{Engine: engine, Limits: interp.DefaultLimits()}
	result, d := Run(context.Background(), unit, settings)
	if d != nil {
		t.Fatalf("%s by %s: %v", query, engine, d)
	}
	return value.Show(result.Value)
}

// TestStandardStarts: from the standard starts of Moré, Garbow and Hillstrom, the methods for local
// minima end at published minima, and say so.
func TestStandardStarts(t *testing.T) {
	t.Parallel()
	const query = `
let far : optim.Stop = {optim.standard with iterations = 20000}
(length problems, missed (fun p => `
	all := Engines()
	some, others := all[:1], all[1:2] // of each method, unless there is time for all
	if property.Long() {
		some, others = all, all
	}
	for method, engines := range map[string][]string{
		"optim.leastSquares optim.standard p.residuals p.start":  some,
		"optim.newton optim.standard (half p.residuals) p.start": others,
		"optim.lbfgs far (half p.residuals) p.start":             {""},
	} {
		for _, engine := range engines {
			if got := shown(t, "mgh.flx", query+method+"))", engine); got != "(41, [])" {
				t.Errorf("%s by %s: of so many problems, not solved: %s", method, engine, got)
			}
		}
	}
}

// TestConstrainedMinima: problems of Hock and Schittkowski.
func TestConstrainedMinima(t *testing.T) {
	t.Parallel()
	for _, engine := range Engines() {
		if got := shown(t, "hs.flx", "\n(length problems, missed)", engine); got != "(34, [])" {
			t.Errorf("by %s: of so many problems, not solved: %s", engine, got)
		}
	}
}

// optimFacts are known numbers about what `optim` finds.
var optimFacts = []fact{
	// linear least squares take one step to all digits
	{"real (optim.leastSquares optim.standard (fun (a, b) => [a + b / 3 - 1e6, a - b - 1, 2 * a - 7]) (0, 0)).iterations", 1, 0},
	{"(optim.leastSquares optim.standard (fun a => [a * x - 2 * x for x in [1e-9, 1e-8, 3e-8]]) 1e5).point", 2, 1e-15},
	// residuals that cannot vanish, in any unit
	{"let r = optim.leastSquares optim.standard (fun a => [1e12 * (a - 1), 1e12 * (a - 2)]) 0 in if r.converged then r.point else 0", 1.5, 1e-15},
	// no unit matters
	{units("newton", 1e-30, 1e9), 1, 1e-12},
	{units("newton", 1e30, 1e-9), 1, 1e-12},
	{units("lbfgs", 1e-30, 1e9), 1, 1e-7},
	{units("lbfgs", 1e30, 1e-9), 1, 1e-7},
	{units("bounded", 1e-30, 1e9), 1, 1e-7},
	{units("bounded", 1e30, 1e-9), 1, 1e-7},
	// a saddle is not a minimum
	{"abs (snd (optim.newton optim.standard (fun (x, y) => x^2 - y^2 + y^4 / 2) (1, 0)).point)", 1, 1e-9},
	{"abs (snd (optim.lbfgs optim.standard (fun (x, y) => x^2 - y^2 + y^4 / 2) (1, 0)).point)", 1, 1e-7},
	// beside a kink steps are small, but not the slopes
	{"if (optim.lbfgs optim.standard (fun x => abs (x - 0.3) + abs (x - 0.7) / 7 + x^2 / 9) 1.1).converged then 1 else 0", 0, 0},
	{"if (optim.bounded optim.standard (-9, -9) (9, 9) (fun (x, y) => abs (x - y - 0.1) + (x + y - 1.1)^2 + (x - 1.1 * y)^2 / 9) (0.1, 0.5)).converged then 1 else 0", 0, 0},
	{"(optim.bounded optim.standard (-1) 5 (fun x => abs (x - 0.3) + abs (x - 0.7) / 7 + x^2 / 9) 1.1).point", 0.3, 1e-9},
	// many controls
	{"if (optim.bounded optim.standard (replicate 60 (-4)) (replicate 60 4) " + swing + " (replicate 60 0.1)).converged then 1 else 0", 1, 0},
	// equations
	{"(optim.solve optim.standard (fun (x, y) => (x + y - 3, x * y - 2)) (0, 5)).point[0]", 1, 1e-13},
	{"if (optim.solve optim.standard (fun x => x^2 + 1) 3).converged then 1 else 0", 0, 0},
	{"if (optim.solve optim.standard (fun x => x^2) 3).converged then 1 else 0", 1, 0},
	{"deriv (deriv (fun c => (optim.solve optim.standard (fun x => x^2 - c) 1).point)) 4", -1. / 32, 1e-12},
	{"grad (fun (c, d) => (optim.solve optim.standard (fun {x, y} => [exp x * y - d, x - c]) {x = 0, y = 1}).point.y) (1, 2) |> fst", -2 / math.E, 1e-12},
	// constraints: (c/5)^½ (-1, -2)
	{disc("fst r.point", 0), -math.Sqrt(0.4), 1e-13},
	{disc("fst r.point", 1), -0.5 / math.Sqrt(10), 1e-12},
	{disc("fst r.point", 2), 0.25 / math.Sqrt(40), 1e-12},
	{disc("r.value", 1), -0.5 * math.Sqrt(2.5), 1e-12},
	{disc("r.multipliers.inequalities[0]", 0), 0.5 * math.Sqrt(2.5), 1e-12},
	{disc("r.multipliers.inequalities[0]", 1), -0.125 * math.Sqrt(2.5), 1e-12},
	{strings.ReplaceAll(disc("r.multipliers.inequalities[0]", 1), "deriv", "grad"), -0.125 * math.Sqrt(2.5), 1e-12},
	{"(optim.constrained optim.standard (fun _ => []) (fun (x, y) => 2 - x^2 - y^2) (fun (x, y) => 100 * (y - x^2)^2 + (1 - x)^2) (-1.2, 1)).point[0]", 1, 1e-8},
	{"(optim.constrained optim.standard (fun _ => []) (fun (x, y) => 1.5 - x^2 - y^2) (fun (x, y) => 100 * (y - x^2)^2 + (1 - x)^2) (-1.2, 1)).point[0]", 0.907233, 1e-6},
	{"let r = optim.constrained optim.standard (fun _ => []) (fun x => [x - 1, -x - 1]) (fun x => x^2) 0.3 in if r.converged then 0 else r.infeasibility", 1, 0.5},
	{"deriv (fun c => (optim.constrained optim.standard (fun _ => []) (fun x => x - c) (fun x => x^2) 1).point) 0.1", 1, 1e-12},
	{"deriv (fun c => (optim.constrained optim.standard (fun _ => []) (fun x => x - c) (fun x => x^2) 1).point) (-0.1)", 0, 1e-12},
	// anywhere
	{"norm (optim.global optim.standard (replicate 4 (-5.12)) (replicate 4 4) (fun x => sum [v^2 + 10 - 10 * cos (2 * pi * v) for v in x]) (random.key 1)).point", 0, 1e-9},
	{"(optim.global optim.standard (replicate 5 (-500)) (replicate 5 500) (fun x => sum [-v * sin (sqrt (abs v)) for v in x]) (random.key 1)).value", -2094.91443636216, 1e-9},
	{"deriv (fun c => (optim.global optim.standard (-3) 4 (fun x => x^4 / 4 - 2 * x^2 + c * x) (random.key 1)).point) 0.5", -0.1149, 1e-3},
}

// units is the minimum of a function of a large or small parameter, on a large or small scale.
func units(method string, value, unit float64) string {
	call := "optim." + method + " optim.standard "
	if method == "bounded" {
		call += "(-u) (9 * u) "
	}
	return "let (k, u) = (" + literal(value) + ", " + literal(unit) + ") in (" + call +
		"(fun x => k * (cosh (x / u - 1) + 3)) (3 * u)).point / u"
}

func literal(x float64) string { return value.Show(value.Real(x)) }

// disc is about the minimum of x + 2y in a disc of area pi c, at c = 2.
func disc(what string, order int) string {
	const r = "optim.constrained optim.standard (fun _ => []) (fun (x, y) => c - x^2 - y^2) (fun (x, y) => x + 2 * y) (0, 0.5)"
	f := "(fun c => let r = " + r + " in " + what + ")"
	return strings.Repeat("deriv (", order) + f + strings.Repeat(")", order) + " 2"
}

// swing is the cost of swinging a pendulum up by bounded forces.
const swing = "(fun us => let (a, w) = fold (fun (a, w) u => let v = w + 0.1 * (9.81 * sin a - 0.1 * w + u) in (a + 0.1 * v, v)) (pi, 0) us in 100 * sin (a / 2)^2 + 10 * w^2 + 0.001 * inner us us)"

// TestOptimFacts: by the engines in turn, or each by all.
func TestOptimFacts(t *testing.T) {
	t.Parallel()
	engines := Engines()
	for e, engine := range engines {
		for k, f := range optimFacts {
			if k%len(engines) != e && !property.Long() {
				continue
			}
			text := f.expr
			if strings.Contains(text, "random.") {
				text = "import random\n" + text
			}
			got, d := numberBy(text, engine)
			if d != nil {
				t.Errorf("%s by %s: %v", f.expr, engine, d)
			} else if !(math.Abs(got-f.want) <= f.tolerance) {
				t.Errorf("%s is %v by %s, want %v", f.expr, got, engine, f.want)
			}
		}
	}
}

// TestDerivativesOfSolutions: in both modes and in the second order, against differences.
func TestDerivativesOfSolutions(t *testing.T) {
	t.Parallel()
	engines := []string{""}
	if property.Long() {
		engines = Engines()
	}
	for _, engine := range engines {
		got := shown(t, "derivatives.flx", "\n(judged system, judged minimum)", engine)
		if want := "((6, []), (12, []))"; got != want {
			t.Errorf("by %s: %s, want %s", engine, got, want)
		}
	}
}

// TestUnknownDerivativesOfSolutions: where a constraint touches a minimum without holding it, where constraints
// depend on each other, and where a solution was not found or is not isolated.
func TestUnknownDerivativesOfSolutions(t *testing.T) {
	t.Parallel()
	for f, want := range map[string]string{
		"(optim.constrained optim.standard (fun _ => []) (fun x => x - c) (fun x => x^2) 1).point":                            "touches",
		"(optim.constrained optim.standard (fun x => [x - c, 2 * x - 2 * c]) (fun _ => []) (fun x => x^2) 1).point":           "depend on each other",
		"(optim.constrained optim.standard (fun x => [x - 1, c - x]) (fun _ => []) (fun x => x^2) 1).point":                   "not found",
		"(optim.solve optim.standard (fun x => x^2 + 1 + c) 3).point":                                                         "not found",
		"(optim.solve optim.standard (fun (x, y) => (x + y - c, 2 * x + 2 * y - 2 * c)) (3, 1)).point[0]":                     "not isolated",
		"(optim.solve optim.standard (fun x => [x - c, x - 2]) 3).point":                                                      "as many equations",
		"(optim.constrained optim.standard (fun _ => []) (fun x => x + 9) (fun (x : Real) => 0 * x + c * (x - 1)^4) 1).point": "not isolated",
	} {
		for mode := range 2 {
			f := nested(f, 1, mode)
			got, d := numberBy(f+" 0", "")
			if d == nil || !strings.Contains(d.Message, want) {
				t.Errorf("%s 0 is %v, and ends with %v", f, got, d)
			}
		}
	}
}
