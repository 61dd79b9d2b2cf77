package driver

import (
	"math"
	"testing"
)

// TestStiffSolver: Robertson's chemical reaction, whose solution Hairer and Wanner give, a problem
// with a known solution and its derivative, the order of the method, and events.
func TestStiffSolver(t *testing.T) {
	t.Parallel()
	const robertson = "ode.stiff ode.standard (fun _ (a, b, c) => (-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b^2, 3e7 * b^2)) 0 40 (1, 0, 0)"
	const fall = "match ode.event (ode.trajectory ode.standard (fun _ (_, v) => (v, -g)) 0 9 (10, 0)) (fun _ (x, _) => x) with | Some e -> e.time | None -> 0"
	facts := []struct {
		expr            string
		want, tolerance float64
	}{
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
		{"match (optim.minimize (fun x => x^2) 1).reason with | optim.SmallGradient -> 1 | _ -> 0", 1},
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
