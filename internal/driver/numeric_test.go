package driver

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// The tests of the numerical modules of the library compare with closed forms
// and with problems whose solutions are known.

// rosenbrock and its kin, by their names in a program, with the points where
// they are least.
var problems = []struct {
	name, fun, start string
	minimum          []float64
	tolerance        float64
}{
	{"rosenbrock", "fun (x, y) => 100 * (y - x^2)^2 + (1 - x)^2", "(-1.2, 1)", []float64{1, 1}, 1e-6},
	{"beale", "fun (x, y) => (1.5 - x + x * y)^2 + (2.25 - x + x * y^2)^2 + (2.625 - x + x * y^3)^2", "(1, 1)", []float64{3, 0.5}, 1e-6},
	// a minimum whose Hessian is singular
	{"powell", "fun (a, b, c, d) => (a + 10 * b)^2 + 5 * (c - d)^2 + (b - 2 * c)^4 + 10 * (a - d)^4", "(3, -1, 0, 1)", []float64{0, 0, 0, 0}, 2e-2},
	// a record with what is not real, and an array
	{"record", "fun p => sum [(x - real (i + 1))^2 for (i, x) in zip (iota 3) p.xs] + cosh (p.y - 4) + (if p.use then 0 else p.y)", "{xs = [0, 0, 0], y = 0, use = true}", []float64{1, 2, 3, 4}, 1e-6},
	// beyond 3 it is not a number: a line search must come back
	{"barrier", "fun x => -(log (3 - x)) - 2 * log x", "1e-3", []float64{2}, 1e-6},
	// not convex between the start and the minimum
	{"wave", "fun (x, y) => (x - 2)^2 / 20 + sin x + y^2", "(4, 3)", nil, 0},
}

func TestMinimisers(t *testing.T) {
	for _, method := range []string{"optim.lbfgs", "optim.newton"} {
		for _, p := range problems {
			t.Run(method+"/"+p.name, func(t *testing.T) {
				run := fmt.Sprintf("(fun r => (flatten r.point, r.converged, r.gradientNorm)) (%s optim.standard (%s) %s)", method, p.fun, p.start)
				found := valueOf(t, run).(value.Tuple)
				if !bool(found[1].(value.Bool)) || found[2].(value.Real) > 1e-8 {
					t.Errorf("did not converge: %s", value.Show(found))
				}
				for i, x := range found[0].(value.Reals) {
					if p.minimum != nil && !(math.Abs(x-p.minimum[i]) <= p.tolerance) {
						t.Errorf("found %s, the minimum is at %v", value.Show(found[0]), p.minimum)
						break
					}
				}
			})
		}
	}
}

// TestDescents checks the methods that follow a gradient where their behaviour
// is known: on a quadratic, gradient descent multiplies the distance by
// 1 - rate * curvature in every step, and momentum is a linear recurrence.
func TestDescents(t *testing.T) {
	steps := "(optim.descend {tolerance = 0, iterations = 10} (%s) (fun x => 2 * x^2) 1).point"
	near(t, fmt.Sprintf(steps, "optim.gradientDescent 0.1"), math.Pow(0.6, 10), 1e-12)
	x, v := 1.0, 0.0
	for range 10 {
		v = 0.5*v - 0.1*4*x
		x += v
	}
	near(t, fmt.Sprintf(steps, "optim.momentum 0.1 0.5"), x, 1e-12)
	// Adam, as its paper writes it
	x, m, s := 1.0, 0.0, 0.0
	for k := 1; k <= 10; k++ {
		g := 4 * x
		m, s = 0.9*m+0.1*g, 0.999*s+0.001*g*g
		x -= 0.1 * m / (1 - math.Pow(0.9, float64(k))) / (math.Sqrt(s/(1-math.Pow(0.999, float64(k)))) + 1e-8)
	}
	near(t, fmt.Sprintf(steps, "optim.adam 0.1"), x, 1e-6)
}

// TestLeastSquares fits a curve with known parameters, and the standard problem
// of Kowalik and Osborne, whose residual at the minimum is known.
func TestLeastSquares(t *testing.T) {
	kowalik := `let ys = [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
let us = [4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625]
let residuals (a, b, c, d) = [y - a * (u^2 + u * b) / (u^2 + u * c + d) for (y, u) in zip ys us]
2 * (optim.%s optim.standard residuals (0.25, 0.39, 0.415, 0.39)).value`
	for _, method := range []string{"leastSquares", "gaussNewton"} {
		near(t, fmt.Sprintf(kowalik, method), 3.0750560385e-4, 1e-12)
		decay := fmt.Sprintf("(optim.%s optim.standard (fun p => [p.a * exp (-(p.k * t)) - 3 * exp (-(0.7 * t)) for t in array.linspace 0 5 20]) {a = 1, k = 1}).point", method)
		near(t, "("+decay+").a", 3, 1e-7)
		near(t, "("+decay+").k", 0.7, 1e-7)
	}
}

// TestThroughMinimisers differentiates what a minimiser finds; the reference is
// the implicit function theorem: x = argmin (x - a)^4 + x^2.
func TestThroughMinimisers(t *testing.T) {
	x := float64(valueOf(t, "root 0 1.5 (fun x => 4 * (x - 1.5)^3 + 2 * x)").(value.Real))
	want := 12 * (x - 1.5) * (x - 1.5) / (12*(x-1.5)*(x-1.5) + 2)
	for _, method := range []string{"optim.lbfgs", "optim.newton"} {
		near(t, fmt.Sprintf("deriv (fun a => (%s optim.standard (fun x => (x - a)^4 + x^2) 0).point) 1.5", method), want, 1e-6)
	}
}

// TestEquations compares solutions, and their derivatives, with closed forms.
func TestEquations(t *testing.T) {
	const accuracy = 3e-7
	near(t, "ode.solve (fun _ y => y) 0 1 1", math.E, accuracy)
	near(t, "ode.solve (fun t y => t * y) 1 0 (sqrt e)", 1, accuracy) // backwards
	near(t, "fst (ode.solve (fun _ (x, v) => (v, -x)) 0 20 (1, 0))", math.Cos(20), accuracy)
	near(t, "(ode.solve (fun t s => {a = cos t, b = [s.a]}) 0 2 {a = 0, b = [1]}).b[0]", 2-math.Cos(2), accuracy)
	// a boundary layer: the steps must adapt
	near(t, "ode.solve (fun t y => -100 * (y - sin t) + cos t) 0 1 1", math.Sin(1)+math.Exp(-100), accuracy)
	// with respect to a parameter, the state at the start, both ends, twice
	near(t, "deriv (fun a => ode.solve (fun _ y => a * y) 0 1 1) 0.5", math.Exp(0.5), accuracy)
	near(t, "deriv (fun y => ode.solve (fun _ y => -(y^2)) 0 1 y) 1", 0.25, accuracy)
	near(t, "deriv (fun b => ode.solve (fun _ y => -(y^2)) 0 b 1) 1", -0.25, accuracy)
	near(t, "deriv (fun a => ode.solve (fun _ y => -(y^2)) a 1 1) 0", 0.25, accuracy)
	near(t, "deriv (deriv (fun a => ode.solve (fun _ y => a * y) 0 1 1)) 0.5", math.Exp(0.5), 1e-6)
	near(t, "(grad (fun p => fst (ode.solve (fun _ (x, v) => (v, -(p.k * x))) 0 1 (p.x, 0))) {k = 4, x = 3}).k", -3*math.Sin(2)/4, accuracy)
	// at equilibria, where every step is exact
	near(t, "deriv (fun z => ode.solve (fun _ y => -y) 0 10 z) 0", math.Exp(-10), accuracy)
	near(t, "(grad (fun (x, v) => fst (ode.solve (fun _ (x, v) => (v, -9.81 * sin x)) 0 10 (x, v))) (0, 0))[0]", math.Cos(10*math.Sqrt(9.81)), 1e-6)
	const lotka = "(jacobian (fun s => flatten (ode.solve (fun _ (x, y) => (1.5 * x - x * y, x * y - 3 * y)) 0 10 (s[0], s[1]))) [3, 1.5])"
	near(t, lotka+"[0, 0]", math.Cos(10*math.Sqrt(4.5)), 1e-6)
	near(t, lotka+"[0, 1]", -math.Sqrt2*math.Sin(10*math.Sqrt(4.5)), 1e-6)
	near(t, "nthDeriv 3 (fun z => ode.solve (fun _ y => -y * (1 + y)) 0 3 z) 0", 6*math.Exp(-3)*math.Pow(1-math.Exp(-3), 2), 1e-6)
	// between the steps
	near(t, "let s = ode.trajectory ode.standard (fun _ (x, v) => (v, -x)) 0 6 (0, 1) in maximum [abs (fst (ode.at s t) - sin t) for t in array.linspace 0 6 100]", 0, accuracy)
	near(t, "maximum [abs (y - exp t) for (t, y) in zip [0, 0.5, 2, 2, 1] (ode.samples (fun _ y => y) [0, 0.5, 2, 2, 1] 1)]", 0, accuracy)
	refuses(t, "ode.solve (fun _ y => y^2) 0 2 1", diag.Failure) // it explodes at 1
}

// TestOrders halves the steps of the formulas with steps of one size: the error
// falls by two to the order.
func TestOrders(t *testing.T) {
	for formula, order := range map[string]float64{
		"ode.rk4 (fun _ (x, v) => (v, -x)) 0 1 %d (1, 0)":               4,
		"(fun n => ode.verlet (fun x => -x) (1 / real n) n (1, 0)) %d":  2,
		"(fun n => ode.yoshida (fun x => -x) (1 / real n) n (1, 0)) %d": 4,
	} {
		err := func(n int) float64 {
			end := valueOf(t, fmt.Sprintf(formula, n)).(value.Tuple)
			return math.Hypot(float64(end[0].(value.Real))-math.Cos(1), float64(end[1].(value.Real))+math.Sin(1))
		}
		if got := math.Log2(err(20) / err(40)); math.Abs(got-order) > 0.1 {
			t.Errorf("%s has the order %.2f, not %v", formula, got, order)
		}
	}
	// the energy of a symplectic method does not drift
	near(t, "let energy (x, v) = (x^2 + v^2) / 2 in energy (ode.verlet (fun x => -x) 0.1 100000 (1, 0))", 0.5, 2e-3)
}

// TestDistributions compares moments and their derivatives with closed forms.
func TestDistributions(t *testing.T) {
	for expr, want := range map[string]float64{
		"prob.variance (prob.normal 1 3)":                                                             9,
		"prob.expectation (prob.normal 0 1) cos":                                                      math.Exp(-0.5),
		"prob.variance (prob.exponential 2)":                                                          0.25,
		"prob.variance (prob.gamma 3 2)":                                                              12,
		"prob.variance (prob.beta 2 3)":                                                               0.04,
		"prob.variance (prob.between 2 5)":                                                            0.75,
		"prob.covariance (prob.map (fun x => (x, 2 * x)) prob.uniform)":                               1. / 6,
		"prob.mean (prob.bind prob.uniform (fun m => prob.normal m 1))":                               0.5,
		"prob.variance (prob.bind prob.uniform (fun m => prob.normal m 1))":                           1 + 1./12,
		"prob.mean (prob.posterior prob.uniform (fun p => p^7 * (1 - p)^3))":                          8. / 12, // beta 8 4
		"prob.variance (prob.mixture 0.5 (prob.normal (-1) 1) (prob.normal 1 1))":                     2,
		"prob.probability (prob.normal 0 1) (fun x => x < 1)":                                         0.8413447460685429,
		"prob.mean (prob.given (prob.normal 0 1) (fun x => x > 0))":                                   math.Sqrt(2 / math.Pi),
		"deriv (fun s => prob.variance (prob.normal 1 s)) 3":                                          6,
		"deriv (fun r => prob.mean (prob.exponential r)) 2":                                           -0.25,
		"deriv (fun a => prob.mean (prob.beta a 3)) 2":                                                3. / 25,
		"deriv (fun m => prob.expectation (prob.normal m 1) (fun x => x^3)) 2":                        15,
		"deriv (deriv (fun s => prob.expectation (prob.normal 0 s) (fun x => x^4))) 1":                36,
		"deriv (fun c => prob.probability (prob.normal 0 1) (fun x => x < c)) 1":                      math.Exp(-0.5) / math.Sqrt(2*math.Pi),
		"prob.der prob.variance prob.uniform (fun f => integral01 (fun x => (x - 1 / 2) * f x))":      0,
		"prob.der prob.mean prob.uniform (fun f => integral01 (fun x => (x - 1 / 2) * f x))":          1. / 12,
		"prob.totalMass (prob.bind (prob.bernoulli 0.3) (fun b => prob.factor (if b then 2 else 1)))": 1.3,
	} {
		near(t, expr, want, 1e-9)
	}
}

// TestRoundoff: integrals of what is 0 but for roundoff are as good as 0, those of
// functions that are merely rough are refused.
func TestRoundoff(t *testing.T) {
	t.Parallel()
	for _, zero := range []string{
		"deriv (fun c => prob.variance (prob.bind prob.uniform (fun x => prob.between c (x + c)))) 0.5",
		"deriv (fun c => prob.variance (prob.bind (prob.between c (c + 1)) (fun x => prob.between x (x + 1)))) 0.5",
		"deriv (deriv (fun c => prob.variance (prob.bind prob.uniform (fun x => prob.between c (x + c))))) 0.5",
		"deriv (fun c => prob.variance (prob.bind (prob.exponential c) (fun x => prob.dirac (c * x)))) 0.7",
		"snd (grad (fun (a, b) => prob.variance (prob.bind (prob.between a (a + 1)) (fun x => prob.between (x + b) (x + b + a)))) (0.5, 0.1))",
		"integral01 (fun t => (sin t)^2 + (cos t)^2 - 1)",
		"integral01 (fun x => integral01 (fun y => (x + y)^2 - x^2 - 2 * x * y - y^2))",
	} {
		near(t, zero, 0, 1e-14)
	}
	for rough, code := range map[string]diag.Code{
		"integral01 (fun t => 1e-20 * sin (1e17 * t + 0.1))":                                                    diag.NotCertified,
		"integral01 (fun t => loop x = t for i < 80 do 4 * x * (1 - x))":                                        diag.NotCertified,
		"deriv (fun c => integral01 (fun t => t + 1e-20 * (loop x = t * c for i < 64 do 4 * x * (1 - x)))) 0.9": diag.NotCertified,
		"deriv (fun c => integral01 (fun t => 1e-17 * sin (1e17 * t * c) + t)) 0.9":                             diag.NotCertified,
	} {
		if property.Long() || !strings.Contains(rough, "loop") || !strings.Contains(rough, "deriv") {
			refuses(t, rough, code)
		}
	}
}

// TestScenes checks rays against geometry done by hand, and the derivative of
// the paper's scene as corrected (λS §2).
func TestScenes(t *testing.T) {
	near(t, "surface.raytrace (surface.circle (1, -3 / 4) 1) (1, 1) (1, 0)", 1.58183571413877542065, 1e-13)
	near(t, "deriv (fun y => surface.raytrace (surface.circle (1, y) 1) (1, 1) (1, 0)) (-3 / 4)", -4.53501175649235322513, 1e-12)
	// the light is at the eye: a ball at the distance 3 looks as bright as 3^-4
	near(t, "surface.raytrace (surface.sphere (0, 0, 4) 1) (0, 0, 0) (0, 0, 5)", math.Pow(3, -4), 1e-13)
	near(t, "deriv (fun z => surface.raytrace (surface.sphere (0, 0, z) 1) (0, 0, 0) (0, 0, 5)) 4", -4*math.Pow(3, -5), 1e-12)
	near(t, "surface.raytrace (surface.box (-1, -1, 2) (1, 1, 3)) (0, 0, 0) (0, 0, 5)", 1./16, 1e-13)
	// the ring is met first at its near side
	near(t, "firstRoot (fun t => surface.move (0, 0, 5) (surface.torus 2 1) (2, 0, 10 * t))", 0.4, 1e-13)
	for s, inside := range map[string]bool{
		"surface.difference (surface.circle (0, 0) 2) (surface.circle (2, 0) 1)":    true,
		"surface.intersection (surface.circle (0, 0) 2) (surface.circle (9, 0) 1)":  false,
		"surface.complement (surface.box (0, 0) (1, 1))":                            true,
		"surface.enlarge 3 (surface.circle (0, 0) 1)":                               true,
		"surface.smoothUnion 5 (surface.circle (0, 0) 1) (surface.circle (0, 2) 1)": true,
	} {
		if got := valueOf(t, "("+s+") (-0.1, 0.1) > 0").(value.Bool); bool(got) != inside {
			t.Errorf("%s contains the point: %v", s, got)
		}
	}
}

// TestShapes compares distances with geometry done by hand (λS §7.3).
func TestShapes(t *testing.T) {
	t.Parallel()
	paper := `let l = shape.union (shape.segment (0, 1) (1, 1)) (shape.segment (1, 0) (1, 1))
let quarter y = shape.arc (0, y) 1 0 (pi / 2)
`
	near(t, paper+"shape.hausdorffDist shape.dist l (quarter 0)", math.Sqrt2-1, 1e-9)
	near(t, paper+"deriv (fun y => shape.hausdorffDist shape.dist l (quarter y)) 0", -math.Sqrt(0.5), 1e-9)
	near(t, "shape.diameter shape.dist (shape.polygon [(0, 0), (3, 0), (0, 4)])", 5, 1e-9)
	near(t, "shape.distance shape.dist (shape.circle (0, 0) 1) (3, 4)", 4, 1e-9)
	near(t, "shape.enclosingRadius (shape.points [(0, 0), (6, 0), (3, 5)])", 3.4, 1e-9)
	near(t, "deriv (fun y => shape.enclosingRadius (shape.points [(0, 0), (6, 0), (3, y)])) 5", 0.32, 1e-7)
}

// TestForwardThroughData: forward derivatives of functions that the library
// takes apart and puts together, or that say how they fail.
func TestForwardThroughData(t *testing.T) {
	near(t, `deriv (fun x => if x > 5 then fail (show x) else x * x) 1`, 2, 0)
	near(t, `deriv (fun x => sum (flatten (x, x^2))) 3`, 7, 0)
	near(t, `deriv (fun x => fst (unflatten (0, 0) [x^2, x])) 3`, 6, 0)
	near(t, `deriv (fun x => innerReal (x, 1) (x, 1)) 3`, 6, 0)
}
