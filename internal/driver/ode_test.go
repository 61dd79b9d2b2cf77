package driver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// equation is a differential equation of which something depends on x, and a real of its solution
// in closed form. In both texts T is a time and Y a number.
type equation struct {
	field, from, to, start string
	part                   string // the real of the state s
	closed                 string
	low, high              float64 // x lies between
}

var equations = []equation{
	{"fun _ y => -Y * y", "0", "T", "x", "s", "x * exp (-(Y * T))", -1, 1},
	{"fun _ y => -x * y", "0", "T", "Y", "s", "Y * exp (-(x * T))", -1, 2},
	{"fun _ y => -y * (1 + y)", "0", "T", "x", "s", "(fun w => w / (1 - w)) (x / (1 + x) * exp (-T))", -0.3, 1},
	{"fun _ y => y * (1 - y)", "0", "T", "1 + x", "s", "(fun w => w / (w - x)) ((1 + x) * exp T) * (1 - 0 * x)", 0, 0},
	{"fun _ (p, v) => (v, -4 * p)", "0", "T", "(x, 0)", "fst s", "x * cos (2 * T)", -1, 1},
	{"fun _ (p, v) => (v, -(2 + x)^2 * p)", "0", "T", "(Y, 0)", "fst s", "Y * cos ((2 + x) * T)", -1, 1},
	{"fun t y => x * sin (5 * t) - y", "0", "T", "0", "s", "x * (sin (5 * T) - 5 * cos (5 * T) + 5 * exp (-T)) / 26", -1, 1},
	{"fun _ (p, v) => (v, p)", "0", "T", "(x, 0)", "snd s", "x * sinh T", -1, 1},
	{"fun _ y => -2 * y", "0", "T + x", "Y", "s", "Y * exp (-2 * (T + x))", -0.5, 1},
	{"fun _ y => -2 * y", "x", "T", "Y", "s", "Y * exp (2 * (x - T))", -1, 0.5},
	{"fun t y => x * t * y", "0", "T", "Y", "s", "Y * exp (x * T^2 / 2)", -1, 0.5},
	// jumps in time and in the state, pulses
	{"fun t y => if t < x then 0 else 2", "0", "T", "Y", "s", "Y + 2 * (T - x)", 0.01, 0.4},
	{"fun _ y => if y > x then 2 else 1", "0", "T", "0", "s", "x + 2 * (T - x)", 0.01, 0.4},
	{"fun _ y => if y < 0.5 then -3 * y else -y", "0", "T", "4 + x", "s", "(fun w => if w < 0.5 then 0.5 * (w / 0.5) ** 3 else w) ((4 + x) * exp (-T))", -0.5, 0.5},
	{"fun t y => if abs (t - T / 3) < 0.001 + x^2 then 10 else 0", "0", "T", "Y", "s", "Y + 20 * (0.001 + x^2)", 0.01, 0.1},
	{"fun t y => if t > x && t < x + 0.01 then 50 * y else 0", "0", "T", "Y", "s", "Y * exp 0.5 + 0 * x", 0.01, 0.4},
	{"fun _ (p, v) => (v, if p < 0 then -1 else 1)", "0", "T", "(-x, 1 + x)", "snd s", "(1 + x) - (fun u => u - (T - u)) ((1 + x) - sqrt ((1 + x)^2 - 2 * x))", 0.01, 0.3},
	// narrow features of smooth functions, in time and in the state
	{"fun t _ => x * exp (-((t - T / 3) / 0.01)^2)", "0", "T", "Y", "s", "Y + x * sqrt pi * 0.01", -1, 1},
	{"fun t _ => 1 / (0.01 + ((t - T / 3) / 0.01)^2)", "0", "T", "x", "s", "x + 0.1 * (atan (T / 0.0015) + atan (T / 0.003))", -1, 1},
	{"fun t y => y * (1 - tanh ((t - T / 3) / 0.001)^2)", "0", "T", "x", "s", "x * exp 0.002", -1, 1},
	{"fun _ (p, q) => (1, q * exp (-((p - T / 2) / 1e-3)^2))", "0", "T", "(x, 1 + x)", "snd s", "(1 + x) * exp (sqrt pi * 1e-3)", -0.2, 0.2},
	{"fun t _ => sigmoid ((x - t) / 1e-3)", "0", "T", "Y", "s", "Y + x", 0.02, 0.4},
	{"fun t _ => if t < 0.001 then 0 else x * exp (-((t - T / 3) / 0.01)^2)", "0", "T", "Y", "s", "Y + x * sqrt pi * 0.01", -1, 1},
	// kinks and roundings
	{"fun t y => abs (t - x) - y", "0", "T", "Y", "s", "(fun i => (Y - x - 1) * exp (-T) + 2 * exp (x - T) + T - x - 1 + 0 * i) 0", 0.01, 0.4},
	{"fun t _ => max 0 (t - x)", "0", "T", "Y", "s", "Y + (T - x)^2 / 2", 0.01, 0.4},
	{"fun _ y => min 1 (2 * y)", "0", "T", "x", "s", "0.5 + T - log (0.5 / x) / 2 + 0 * T", 0.25, 0.45},
	{"fun t _ => real (floor (t + x))", "0", "0.9", "Y", "s", "Y + x - 0.1", 0.15, 0.4},
	{"fun t y => sign (x - t) * y", "0", "T", "Y", "s", "Y * exp (2 * x - T)", 0.01, 0.4},
	{"fun t _ => real (round (2 * t - x))", "0", "1", "Y", "s", "Y + (1 - (0.5 + x) / 2) + (1 - (1.5 + x) / 2)", 0.01, 0.4},
	{"fun _ ys => [-(ys[0]), ys[0] - ys[1] + x]", "0", "T", "[x, 0]", "s[1]", "x * (T * exp (-T) + 1 - exp (-T))", -1, 1},
}

var inTime, inSize = regexp.MustCompile(`\bT\b`), regexp.MustCompile(`\bY\b`)

// flowSolvers give the state at the time TO of an equation.
var flowSolvers = []string{
	"ode.solve (FIELD) (FROM) (TO) (START)",
	"ode.solveWith ode.standard (FIELD) (FROM) (TO) (START)",
	"ode.stiff ode.standard (FIELD) (FROM) (TO) (START)",
	"ode.adjoint ode.standard (FIELD) (FROM) (TO) (START)",
	"(ode.samples (FIELD) [FROM, (FROM + TO) / 2, TO] (START))[2]",
	"ode.at (ode.trajectory ode.standard (FIELD) (FROM) (TO) (START)) (TO)",
	"ode.at (ode.stiffTrajectory ode.standard (FIELD) (FROM) (TO) (START)) (TO)",
}

// flowOrders are derivatives of `f` at a point AT, in one mode after another.
var flowOrders = [][]string{
	{"f AT"},
	{"deriv f AT", "jvp f AT 1", "(grad (fun (x, u) => f x + u) (AT, 0))[0]", "(jacobian (fun v => [f v[0]]) [AT])[0, 0]"},
	{"nthDeriv 2 f AT", "deriv (deriv f) AT", "jvp (deriv f) AT 1", "deriv (fun x => jvp f x 1) AT", "(hessian (fun v => f v[0]) [AT])[0, 0]"},
}

// evaluated returns a real, or why there is none.
func evaluated(t *testing.T, text, engine string) (float64, *diag.Diagnostic) {
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", "import ode\n"+text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	s := driver.Settings{Limits: interp.DefaultLimits(), Engine: engine, Compile: interp.Options{Eager: true}}
	r, d := driver.Run(context.Background(), unit, s)
	if d != nil {
		return 0, d
	}
	return float64(r.Value.(value.Real)), nil
}

func oneOf[T any](r *rand.Rand, xs ...T) T { return xs[r.IntN(len(xs))] }

// TestSolutions: solutions of random equations with closed forms, and their derivatives, by every
// solver and engine, at and near equilibria. What is not an error is close to the closed form.
func TestSolutions(t *testing.T) {
	t.Parallel()
	failed, cases := 0, 0
	for n := range property.Rounds(8) {
		r := rand.New(rand.NewPCG(29, uint64(n)))
		e := equations[r.IntN(len(equations))]
		x := oneOf(r, 0, 0, 1e-300, 1e-12, 1e-9, -1e-6, 0.01, 0.5, -0.7)
		if e.low > 0 {
			x = oneOf(r, 0.013, 0.07, 0.2)
		}
		x = math.Max(e.low, math.Min(e.high, x))
		time := oneOf(r, 0.5, 3, 10)
		y := oneOf(r, 0, 1e-10, 0.3, 1)
		if strings.Contains(e.closed, "sinh") || strings.Contains(e.closed, "T^2") {
			time = math.Min(time, 3)
		}
		how := oneOf(r, flowOrders[r.IntN(len(flowOrders))]...)
		text := func(body string) string {
			body = inTime.ReplaceAllString(body, fmt.Sprintf("%g", time))
			body = inSize.ReplaceAllString(body, fmt.Sprintf("(%g)", y))
			return "let f x = " + body + "\n" + strings.ReplaceAll(how, "AT", fmt.Sprintf("(%g)", x))
		}
		solver := oneOf(r, flowSolvers...)
		if strings.Contains(solver, "stiff") { // its steps are dear
			time = math.Min(time, 0.5)
		}
		solved := strings.NewReplacer("FIELD", e.field, "FROM", e.from, "TO", e.to, "START", e.start).Replace(solver)
		want, d := evaluated(t, text(e.closed), "interp")
		if d != nil {
			t.Fatalf("%s: %v", text(e.closed), d)
		}
		for _, engine := range driver.Engines() {
			cases++
			program := text("(fun s => " + e.part + ") (" + solved + ")")
			got, d := evaluated(t, program, engine)
			if d != nil {
				failed++
				t.Logf("%s\nby %s: %v", program, engine, d)
			} else if !(math.Abs(got-want) <= 3e-6*(1+math.Abs(want))) {
				t.Errorf("%s\nby %s: %v, want %v", program, engine, got, want)
			}
		}
	}
	if 8*failed > cases {
		t.Errorf("%d of %d are errors", failed, cases)
	}
}
