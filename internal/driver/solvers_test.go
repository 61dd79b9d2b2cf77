package driver

import (
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestStiffSolver: Robertson's chemical reaction, whose solution Hairer and Wanner give, a problem
// with a known solution and its derivative, the order of the method, and events.
func TestStiffSolver(t *testing.T) {
	t.Parallel()
	const robertson = "ode.stiff ode.standard (fun _ (a, b, c) => (-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b^2, 3e7 * b^2)) 0 40 (1, 0, 0)"
	const fall = "match ode.event (ode.trajectory ode.standard (fun _ (_, v) => (v, -g)) 0 9 (10, 0)) (fun _ (x, _) => x) with | Some e -> e.time | None -> 0"
	facts := []fact{
		{"(" + robertson + ")[0]", 0.7158270688, 1e-8},
		{"(" + robertson + ")[1]", 9.185534765e-6, 1e-13},
		{"ode.stiff ode.standard (fun t y => cos t * y) 0 1 1", math.Exp(math.Sin(1)), 1e-8},
		{"deriv (fun c => ode.stiff ode.standard (fun t y => c * cos t * y) 0 1 1) 1", math.Sin(1) * math.Exp(math.Sin(1)), 3e-8},
		// backwards in time
		{"ode.stiff ode.standard (fun t y => cos t * y) 1 0 (exp (sin 1))", 1, 1e-8},
		{"ode.at (ode.stiffTrajectory ode.standard (fun t y => cos t * y) 0 2 1) 0.77", math.Exp(math.Sin(0.77)), 1e-6},
		{"(fun g => " + fall + ") 9.81", math.Sqrt(20 / 9.81), 1e-9},
		{"deriv (fun g => " + fall + ") 9.81", -0.5 * math.Sqrt(20/9.81) / 9.81, 1e-9},
		{"match ode.event (ode.trajectory ode.standard (fun _ y => y) 0 1 1) (fun _ y => y) with | Some _ -> 1 | None -> 0", 0, 0},
	}
	holds(t, facts)
}

// fact is a real that is known.
type fact struct {
	expr            string
	want, tolerance float64
}

func holds(t *testing.T, facts []fact) {
	t.Helper()
	var exprs []string
	for _, f := range facts {
		exprs = append(exprs, "("+f.expr+")")
	}
	for k, got := range realsOf(t, exprs) {
		if !(math.Abs(got-facts[k].want) <= facts[k].tolerance) {
			t.Errorf("%s is %v, want %v", exprs[k], got, facts[k].want)
		}
	}
}

// TestKinksInSteps: what lies between two kinks is not stepped over, by any solver; many kinks are not too
// many; and first derivatives do not mind a kink at an end.
func TestKinksInSteps(t *testing.T) {
	t.Parallel()
	const hat = "(fun t _ => 1000 * c * max 0 (1 - abs ((t - 7.3) / 0.001)))"
	var facts []fact
	for _, solver := range []string{"ode.solve F 0 10 0", "ode.stiff ode.standard F 0 10 0", "ode.adjoint ode.standard F 0 10 0",
		"(ode.samples F [0, 10] 0)[1]", "ode.at (ode.trajectory ode.standard F 0 10 0) 10",
		"ode.at (ode.stiffTrajectory ode.standard F 0 10 0) 10"} {
		f := "(fun c => " + strings.ReplaceAll(solver, "F", hat) + ")"
		facts = append(facts, fact{f + " 2", 2, 1e-9}, fact{"deriv " + f + " 2", 1, 1e-9})
	}
	facts = append(facts,
		fact{"ode.solve (fun t _ => max 0 (1 - 1000 * (t - 7.3)) * max 0 (1000 * (t - 7.2995))) 0 10 0", 5.625e-4, 1e-12},
		fact{"ode.solve (fun t _ => abs (sin (100 * t))) 0 (1.1 * pi) 0", 2.2, 1e-5},
		fact{"deriv (fun b => ode.solve (fun t _ => abs (t - 1)) 0 b 0) 1", 0, 1e-12},
		fact{"deriv (fun z => ode.solve (fun _ y => abs (y - 1) - y) 0 1 z) 1", math.Exp(-2), 1e-7})
	// as many evaluations on one side of a pulse as on the other, in places that mirror each other
	const pulse = "(fun t _ => c * max 0 (1 - ((t - 1) / 0.001)^2))"
	for _, solver := range []string{"ode.solve F 0 4 0", "ode.stiff ode.standard F 0 4 0", "ode.adjoint ode.standard F 0 4 0",
		"ode.at (ode.trajectory ode.standard F 0 4 0) 3", "ode.at (ode.stiffTrajectory ode.standard F 0 4 0) 3"} {
		f := "(fun c => " + strings.ReplaceAll(solver, "F", pulse) + ")"
		facts = append(facts, fact{f + " 1", 0.004 / 3, 1e-11}, fact{"deriv " + f + " 1", 0.004 / 3, 1e-11})
	}
	facts = append(facts,
		fact{"ode.solve (fun t _ => if (t - 1)^2 < 1e-6 then 1 else 0) 0 4 0", 0.002, 1e-12},
		fact{"ode.solve (fun t _ => if sin (100 * t) > 0.99 then 1 else 0) 0 10 0", 159 * math.Acos(0.99) / 50, 1e-9},
		fact{"ode.solve (fun t _ => if (t - 1)^2 > 0 then 1 else 5) 0 4 0", 4, 1e-9})
	holds(t, facts)
	refuses(t, "deriv (fun z => ode.solve (fun _ y => abs y - abs (-y)) 0 1 z) 0", diag.TiedKink)
	refuses(t, "ode.solve (fun _ y => if y < 1 then 1 else -1) 0 2 0", diag.Failure)
}

// TestEvents: two changes of sign within a step, an event that is 0 at the start, the end of the solution.
func TestEvents(t *testing.T) {
	t.Parallel()
	time := func(field, until, start, g string) string {
		return "match ode.event (ode.trajectory ode.standard (" + field + ") 0 (" + until + ") (" + start + ")) (" + g + ") with | Some e -> e.time | None -> -1"
	}
	holds(t, []fact{
		{time("fun _ _ => 1", "10", "0", "fun _ y => abs (y - 3) - 0.001"), 2.999, 1e-9},
		{time("fun _ _ => 1", "10", "0", "fun _ y => (y - 3)^2 - 1e-6"), 2.999, 1e-9},
		{time("fun _ _ => 1", "10", "0", "fun _ y => (y - 3)^2 + 1e-6"), -1, 0},
		{time("fun _ _ => 1", "3", "0", "fun _ y => y - 3.0000001"), -1, 0},
		{time("fun _ (x, v) => (v, -x)", "9", "0, 1", "fun _ (x, _) => x"), math.Pi, 1e-7},
		{time("fun _ (x, v) => (v, -x)", "3", "0, 1", "fun _ (x, _) => x"), -1, 0},
		{"deriv (fun c => " + time("fun _ _ => c", "10", "0", "fun _ y => abs (y - 3) - 0.001") + ") 1", -2.999, 1e-8},
		{"deriv (deriv (fun c => " + time("fun _ _ => c", "10", "0", "fun _ y => (y - 3)^2 - 1e-6") + ")) 1", 2 * 2.999, 1e-6},
	})
	refuses(t, time("fun _ y => y", "1", "0", "fun _ y => y"), diag.Failure)
}

// TestBoundedMinima: minima on a bound, inside, and in a corner; and why minimisers stopped.
func TestBoundedMinima(t *testing.T) {
	t.Parallel()
	const rosenbrock = "(fun (x, y) => 100 * (y - x^2)^2 + (1 - x)^2)"
	facts := []struct {
		expr string
		want float64
	}{
		{"(optim.bounded optim.standard (-2, -2) (0.5, 2) " + rosenbrock + " (-1.2, 1)).point[0]", 0.5},
		{"(optim.bounded optim.standard (-2, -2) (0.5, 2) " + rosenbrock + " (-1.2, 1)).point[1]", 0.25},
		{"(optim.bounded optim.standard (-2, -2) (2, 2) " + rosenbrock + " (-1.2, 1)).point[0]", 1},
		{"(optim.bounded optim.standard [0, 0, 0] [1, 1, 1] (fun x => sum [(v - 2)^2 for v in x]) [0, 0.5, 1]).value", 3},
		{"(optim.bounded optim.standard 0 1 (fun x => x) 0.5).gradientNorm", 0},
		{"match (optim.minimize (fun x => x^2) 1).reason with | optim.SmallStep -> 1 | _ -> 0", 1},
		{"match (optim.lbfgs {tolerance = 1e-8, iterations = 2} " + rosenbrock + " (-1.2, 1)).reason with | optim.TooManyIterations -> 1 | _ -> 0", 1},
	}
	var exprs []string
	for _, f := range facts {
		exprs = append(exprs, "("+f.expr+")")
	}
	for k, got := range realsOf(t, exprs) {
		if !(math.Abs(got-facts[k].want) <= 1e-7) {
			t.Errorf("%s is %v, want %v", exprs[k], got, facts[k].want)
		}
	}
}
