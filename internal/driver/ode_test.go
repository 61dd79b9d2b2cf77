package driver_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// equation is a differential equation of which something depends on x, and a real of its solution
// in closed form. In both texts T is a time, Y a number, D a dyadic part of T, where steps may end,
// and W a small power of 2. If there is an event, the real is its time, or -1.
type equation struct {
	field, from, to, start string
	part                   string // the real of the state s
	closed                 string
	low, high              float64 // x lies between
	event                  string
}

var equations = []equation{
	{"fun _ y => -Y * y", "0", "T", "x", "s", "x * exp (-(Y * T))", -1, 1, ""},
	{"fun _ y => -x * y", "0", "T", "Y", "s", "Y * exp (-(x * T))", -1, 2, ""},
	{"fun _ y => -y * (1 + y)", "0", "T", "x", "s", "(fun w => w / (1 - w)) (x / (1 + x) * exp (-T))", -0.3, 1, ""},
	{"fun _ y => y * (1 - y)", "0", "T", "1 + x", "s", "(fun w => w / (w - x)) ((1 + x) * exp T) * (1 - 0 * x)", 0, 0, ""},
	{"fun _ (p, v) => (v, -4 * p)", "0", "T", "(x, 0)", "fst s", "x * cos (2 * T)", -1, 1, ""},
	{"fun _ (p, v) => (v, -(2 + x)^2 * p)", "0", "T", "(Y, 0)", "fst s", "Y * cos ((2 + x) * T)", -1, 1, ""},
	{"fun t y => x * sin (5 * t) - y", "0", "T", "0", "s", "x * (sin (5 * T) - 5 * cos (5 * T) + 5 * exp (-T)) / 26", -1, 1, ""},
	{"fun _ (p, v) => (v, p)", "0", "T", "(x, 0)", "snd s", "x * sinh T", -1, 1, ""},
	{"fun _ y => -2 * y", "0", "T + x", "Y", "s", "Y * exp (-2 * (T + x))", -0.5, 1, ""},
	{"fun _ y => -2 * y", "x", "T", "Y", "s", "Y * exp (2 * (x - T))", -1, 0.5, ""},
	{"fun t y => x * t * y", "0", "T", "Y", "s", "Y * exp (x * T^2 / 2)", -1, 0.5, ""},
	// jumps in time and in the state, pulses
	{"fun t y => if t < x then 0 else 2", "0", "T", "Y", "s", "Y + 2 * (T - x)", 0.01, 0.4, ""},
	{"fun _ y => if y > x then 2 else 1", "0", "T", "0", "s", "x + 2 * (T - x)", 0.01, 0.4, ""},
	{"fun _ y => if y < 0.5 then -3 * y else -y", "0", "T", "4 + x", "s", "(fun w => if w < 0.5 then 0.5 * (w / 0.5) ** 3 else w) ((4 + x) * exp (-T))", -0.5, 0.5, ""},
	{"fun t y => if abs (t - T / 3) < 0.001 + x^2 then 10 else 0", "0", "T", "Y", "s", "Y + 20 * (0.001 + x^2)", 0.01, 0.1, ""},
	{"fun t y => if t > x && t < x + 0.01 then 50 * y else 0", "0", "T", "Y", "s", "Y * exp 0.5 + 0 * x", 0.01, 0.4, ""},
	{"fun _ (p, v) => (v, if p < 0 then -1 else 1)", "0", "T", "(-x, 1 + x)", "snd s", "(1 + x) - (fun u => u - (T - u)) ((1 + x) - sqrt ((1 + x)^2 - 2 * x))", 0.01, 0.3, ""},
	// narrow features of smooth functions, in time and in the state
	{"fun t _ => x * exp (-((t - T / 3) / 0.01)^2)", "0", "T", "Y", "s", "Y + x * sqrt pi * 0.01", -1, 1, ""},
	{"fun t _ => 1 / (0.01 + ((t - T / 3) / 0.01)^2)", "0", "T", "x", "s", "x + 0.1 * (atan (T / 0.0015) + atan (T / 0.003))", -1, 1, ""},
	{"fun t y => y * (1 - tanh ((t - T / 3) / 0.001)^2)", "0", "T", "x", "s", "x * exp 0.002", -1, 1, ""},
	{"fun _ (p, q) => (1, q * exp (-((p - T / 2) / 1e-3)^2))", "0", "T", "(x, 1 + x)", "snd s", "(1 + x) * exp (sqrt pi * 1e-3)", -0.2, 0.2, ""},
	{"fun t _ => sigmoid ((x - t) / 1e-3)", "0", "T", "Y", "s", "Y + 1e-3 * (log1p (exp (1e3 * x)) - log1p (exp (1e3 * (x - T))))", 0.02, 0.4, ""},
	{"fun t _ => if t < 0.001 then 0 else x * exp (-((t - T / 3) / 0.01)^2)", "0", "T", "Y", "s", "Y + x * sqrt pi * 0.01", -1, 1, ""},
	// kinks and roundings
	{"fun t y => abs (t - x) - y", "0", "T", "Y", "s", "(fun i => (Y - x - 1) * exp (-T) + 2 * exp (x - T) + T - x - 1 + 0 * i) 0", 0.01, 0.4, ""},
	{"fun t _ => max 0 (t - x)", "0", "T", "Y", "s", "Y + (T - x)^2 / 2", 0.01, 0.4, ""},
	{"fun _ y => min 1 (2 * y)", "0", "T", "x", "s", "0.5 + T - log (0.5 / x) / 2 + 0 * T", 0.25, 0.45, ""},
	{"fun t _ => real (floor (t + x))", "0", "0.9", "Y", "s", "Y + x - 0.1", 0.15, 0.4, ""},
	{"fun t y => sign (x - t) * y", "0", "T", "Y", "s", "Y * exp (2 * x - T)", 0.01, 0.4, ""},
	{"fun t _ => real (round (2 * t - x))", "0", "1", "Y", "s", "Y + (1 - (0.5 + x) / 2) + (1 - (1.5 + x) / 2)", 0.01, 0.4, ""},
	{"fun _ ys => [-(ys[0]), ys[0] - ys[1] + x]", "0", "T", "[x, 0]", "s[1]", "x * (T * exp (-T) + 1 - exp (-T))", -1, 1, ""},
	// narrow features that are made of kinks
	{"fun t _ => 100 * x * max 0 (1 - abs ((t - T / 3) / 0.01))", "0", "T", "Y", "s", "Y + x", -1, 1, ""},
	{"fun t _ => x * max 0 (1 - ((t - T / 3) / 0.001)^2)", "0", "T", "Y", "s", "Y + x / 750", -1, 1, ""},
	{"fun t _ => 1e9 * max 0 (t - x) * max 0 (x + 0.001 - t)", "0", "T", "Y", "s", "Y + 1 / 6 + 0 * x", 0.01, 0.4, ""},
	{"fun _ (p, _) => (1, 1000 * max 0 (1 - abs ((p - T / 2) / 0.001)))", "0", "T", "(x, Y)", "snd s", "Y + 1 + 0 * x", -0.2, 0.2, ""},
	{"fun t y => y * min 1 (max 0 (1000 * (t - x)))", "0", "T", "Y", "s", "Y * exp (T - x - 0.0005)", 0.01, 0.4, ""},
	// pulses of dyadic widths at dyadic places, jumps where steps end, differences that touch 0
	{"fun t _ => x * max 0 (1 - ((t - D) / W)^2)", "0", "T", "Y", "s", "Y + x * W * 4 / 3", -1, 1, ""},
	{"fun t _ => if abs (t - D) < W then 10 + x else 0", "0", "T", "Y", "s", "Y + 2 * (10 + x) * W", -1, 1, ""},
	{"fun t _ => if (t - D)^2 < ((1 + x) * W)^2 then 10 else 0", "0", "T", "Y", "s", "Y + 20 * (1 + x) * W", -0.5, 0.5, ""},
	{"fun t y => if t > D && t < D + W then x - y / W else 0", "0", "T", "Y", "s", "(Y - x * W) / e + x * W", -1, 1, ""},
	{"fun t y => if t < D then x else -y", "0", "T", "Y", "s", "(Y + x * D) * exp (D - T)", -1, 1, ""},
	{"fun t y => x * real (floor (t / D))", "0", "T", "Y", "s", "(fun n => Y + x * (D * n * (n - 1) / 2 + n * (T - n * D))) (real (floor (T / D)))", -1, 1, ""},
	{"fun t _ => if (t - D)^2 > 0 then x else 5", "0", "T", "Y", "s", "Y + x * T", -1, 1, ""},
	{"fun t _ => x * abs ((t - D)^2)", "0", "T", "Y", "s", "Y + x * ((T - D)^3 + D^3) / 3", -1, 1, ""},
	{"fun _ (p, _) => (1, (1 + x) * max 0 (1 - ((p - D) / W)^2))", "0", "T", "(0, Y)", "snd s", "Y + (1 + x) * W * 4 / 3", -0.5, 1, ""},
	{"fun t _ => if cos (pi * t / (2 * W)) > 0.5 then x else 0", "0", "T", "Y", "s", "Y + x * T / 3", -1, 1, ""},
	// events: at the end of some motion, at its start, two of them within a step, none, behind a jump
	{"fun _ (_, v) => (v, -10)", "0", "9", "(5 + x, 0)", "", "sqrt ((5 + x) / 5)", -1, 1, "fun _ (p, _) => p"},
	{"fun _ (p, v) => (v, -p)", "0", "9", "(0, 1 + x)", "", "pi + 0 * x", -0.5, 1, "fun _ (p, _) => p"},
	{"fun _ (p, v) => (v, -(1 + x)^2 * p)", "0", "9", "(1, 0)", "", "pi / (2 * (1 + x))", -0.5, 1, "fun _ (p, _) => p"},
	{"fun _ _ => 1", "0", "9", "x", "", "2.999 - x", -1, 1, "fun _ y => abs (y - 3) - 0.001"},
	{"fun _ _ => 1", "0", "9", "0", "", "3.99 - x", 0.01, 0.4, "fun t _ => (t - 4)^2 - (0.01 + x)^2"},
	{"fun _ y => -y", "0", "9", "1 + x", "", "log (2 * (1 + x))", -0.4, 1, "fun _ y => y - 0.5"},
	{"fun t _ => cos t", "0", "9", "0", "", "1 + x", -0.7, 0.2, "fun _ y => y - sin (1 + x)"}, // beyond 0.2 they nearly touch
	{"fun t _ => if t < 1 then 0 else 2", "0", "9", "0", "", "1.5 + x / 2", -0.7, 1, "fun _ y => y - 1 - x"},
	{"fun _ _ => 1", "0", "9", "x", "", "-1 + 0 * x", -1, 1, "fun _ y => (y - 3)^2 + 1e-4"},
	{"fun _ _ => 1", "0", "T", "0", "", "D - (1 + x) * W", -0.5, 0.5, "fun t _ => (t - D)^2 - ((1 + x) * W)^2"},
	{"fun _ _ => 1", "0", "T", "0", "", "D + W - W * sqrt (1 - x)", -0.5, 0.5, "fun t _ => (1 - x) * W^2 - (t - D - W)^2"},
}

var inTime, inSize = regexp.MustCompile(`\bT\b`), regexp.MustCompile(`\bY\b`)
var inPlace, inWidth = regexp.MustCompile(`\bD\b`), regexp.MustCompile(`\bW\b`)

// flowSolvers give the state at the time TO of an equation.
var flowSolvers = []string{
	"ode.solve (FIELD) (FROM) (TO) (START)",
	"ode.solveWith ode.standard (FIELD) (FROM) (TO) (START)",
	"ode.stiff ode.standard (FIELD) (FROM) (TO) (START)",
	"ode.adjoint ode.standard (FIELD) (FROM) (TO) (START)",
	"(ode.samples (FIELD) [FROM, (FROM + TO) / 2, TO] (START))[2]",
	"ode.at (ode.trajectory ode.standard (FIELD) (FROM) (TO) (START)) (TO)",
	"ode.at (ode.stiffTrajectory ode.standard (FIELD) (FROM) (TO) (START)) (TO)",
	"ode.at (ode.trajectory ode.standard (FIELD) (FROM) (TO + 1) (START)) (TO)",
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

// trajectories are those whose events are looked for.
var trajectories = []string{"trajectory", "stiffTrajectory"}

// drawSolution is a program that solves an equation and differentiates the solution, and one that does the
// same with the closed form.
func drawSolution(r *rand.Rand) (program, closed string) {
	e := equations[r.IntN(len(equations))]
	x := oneOf(r, 0, 0, 1e-300, 1e-12, 1e-9, -1e-6, 0.01, 0.5, -0.7, math.Round(2e6*r.Float64()-1e6)/1e6)
	if e.low > 0 {
		x = oneOf(r, 0.013, 0.07, 0.2, 0.013+math.Round(2e5*r.Float64())/1e6)
	}
	x = math.Max(e.low, math.Min(e.high, x))
	until := oneOf(r, 0.5, 3, 10)
	y := oneOf(r, 0, 1e-10, 0.3, 1)
	if strings.Contains(e.closed, "sinh") || strings.Contains(e.closed, "T^2") || strings.Contains(e.closed, "exp (T") {
		until = math.Min(until, 3)
	}
	// the first steps may end after 1, 5 and 21 of 64 parts
	part := oneOf(r, 1./64, 5./64, 21./64, 0.125, 0.25, 0.375, 0.5, 0.625, 0.6875, 0.75, 0.875)
	width := math.Ldexp(1, -8-r.IntN(8))
	if strings.Contains(e.field, "2 * W") { // halves of periods, not too many
		until, width = 0.5, math.Ldexp(width, 6)
	}
	how := oneOf(r, flowOrders[r.IntN(len(flowOrders))]...)
	text := func(body string) string {
		body = inTime.ReplaceAllString(body, fmt.Sprintf("%g", until))
		body = inSize.ReplaceAllString(body, fmt.Sprintf("(%g)", y))
		body = inPlace.ReplaceAllString(body, fmt.Sprintf("%g", part*until))
		body = inWidth.ReplaceAllString(body, fmt.Sprintf("(%g)", width))
		return "let f x = " + body + "\n" + strings.ReplaceAll(how, "AT", fmt.Sprintf("(%g)", x))
	}
	parts := strings.NewReplacer("FIELD", e.field, "FROM", e.from, "TO", e.to, "START", e.start)
	if e.event != "" {
		solved := parts.Replace("(ode." + oneOf(r, trajectories...) + " ode.standard (FIELD) (FROM) (TO) (START))")
		return text("match ode.event " + solved + " (" + e.event + ") with | Some e -> e.time | None -> -1"), text(e.closed)
	}
	solver := oneOf(r, flowSolvers...)
	if strings.Contains(solver, "stiff") { // its steps are dear
		until = math.Min(until, 0.5)
	}
	return text("(fun s => " + e.part + ") (" + parts.Replace(solver) + ")"), text(e.closed)
}

// TestSolutions: solutions of random equations with closed forms, their events, and the derivatives of
// both, by every solver and engine, at and near equilibria. What is not an error is close to the
// closed form. More of them:
//
//	RAPID_CHECKS=10000 RAPID_SEED=2 go test -v -run TestSolutions -timeout 2h ./internal/driver
func TestSolutions(t *testing.T) {
	t.Parallel()
	failed, cases := 0, 0
	for n := range property.Rounds(8) {
		program, closed := drawSolution(rand.New(rand.NewPCG(29, property.First()+uint64(n))))
		want, d := evaluated(t, closed, "interp")
		if d != nil {
			t.Fatalf("%s: %v", closed, d)
		}
		for _, engine := range driver.Engines() {
			cases++
			got, d := evaluated(t, program, engine)
			if d != nil {
				failed++
				t.Logf("%s\nby %s: %v", program, engine, d)
			} else if !(math.Abs(got-want) <= 3e-6*(1+math.Abs(want))) {
				t.Errorf("%s\nby %s: %v, want %v", program, engine, got, want)
			}
		}
	}
	t.Logf("%d cases, %d refused", cases, failed)
	if 8*failed > cases {
		t.Errorf("%d of %d are errors", failed, cases)
	}
}

// TestStepsThatMeet: where one step ends and another begins, at a time that moves, the state has
// the derivatives of the solution. With the kink at 0.2, the last step begins at 0.5.
func TestStepsThatMeet(t *testing.T) {
	t.Parallel()
	text := "let s x = ode.stiffTrajectory ode.standard (fun t y => abs (t - x) - y) 0 0.5 1\n" +
		"nthDeriv 2 (fun x => ode.at (s x) (x + 0.3)) 0.2"
	want := 1.8 * math.Exp(-0.5)
	engines := []string{""}
	if property.Long() {
		engines = driver.Engines()
	}
	for _, engine := range engines {
		if got, d := evaluated(t, text, engine); d != nil || !(math.Abs(got-want) < 1e-6) {
			t.Errorf("by %s: %v, want %v: %v", engine, got, want, d)
		}
	}
}

// TestSolutionsExact: enclosures of the same solutions meet those of the closed forms.
func TestSolutionsExact(t *testing.T) {
	t.Parallel()
	failed, cases := 0, 0
	for n := range property.Rounds(4) {
		program, closed := drawSolution(rand.New(rand.NewPCG(30, property.First()+uint64(n))))
		want, d := bounded(t, closed)
		if d != nil {
			t.Fatalf("%s: %v", closed, d)
		}
		cases++
		got, d := bounded(t, program)
		if d != nil {
			failed++
			t.Logf("%s\n%v", program, d)
		}
		if got.Lo != nil && (got.Lo.Cmp(want.Hi) > 0 || want.Lo.Cmp(got.Hi) > 0) {
			t.Errorf("%s: %s, want %s", program, got.Fluxion(), want.Fluxion())
		}
	}
	t.Logf("%d cases, %d refused", cases, failed)
}

// bounded is what is known of a real, perhaps nothing, and why it is not known well.
func bounded(t *testing.T, text string) (exact.Enclosure, *diag.Diagnostic) {
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", "import ode\n"+text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	ctx, done := stop.Within(context.Background(), 2*time.Second)
	defer done()
	eps := new(big.Rat).SetFrac64(1, 1e9)
	r, d := driver.RunExact(ctx, unit, driver.Settings{Limits: interp.DefaultLimits()}, driver.Exactly{Eps: eps})
	e, _ := r.Value.(exact.Enclosure)
	return e, d
}
