package fluxion_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/fluxion-lang/fluxion"
)

func Example() {
	program, err := fluxion.Parse("model.flx", `
let model (theta : []Real) (x : Real) : Real = theta[0] * exp (-theta[1] * x)
`)
	if err != nil {
		log.Fatal(err)
	}
	model, err := fluxion.Bind[func(theta []float64, x float64) float64](program, "model")
	if err != nil {
		log.Fatal(err)
	}
	grad, err := fluxion.Grad[func(dst, theta []float64, x float64)](program, "model")
	if err != nil {
		log.Fatal(err)
	}
	theta, dst := []float64{2, 0.5}, make([]float64, 2)
	grad(dst, theta, 1)
	fmt.Printf("%.4f %.4f\n", model(theta, 1), dst)
	// Output: 1.2131 [0.6065 -1.2131]
}

func ExampleBind_records() {
	program, err := fluxion.Parse("growth.flx", `
let growth (p : {rate : Real, cap : Real}) (t : Real) : Real = p.cap / (1 + exp (-p.rate * t))
`)
	if err != nil {
		log.Fatal(err)
	}
	type Params struct {
		Rate     float64
		Capacity float64 `flx:"cap"`
	}
	growth, err := fluxion.ValueAndGrad[func(Params, float64) (float64, Params, error)](program,
		"growth")
	if err != nil {
		log.Fatal(err)
	}
	value, grad, err := growth(Params{Rate: 0.5, Capacity: 10}, 2)
	fmt.Printf("%.3f %.3f %v\n", value, grad, err)
	// Output: 7.311 {3.932 0.731} <nil>
}

func ExampleProgram_Exact() {
	program, err := fluxion.Parse("area.flx", `
let area (r : Real) : Real = integral 0 r (fun x => 2 * pi * x)
`)
	if err != nil {
		log.Fatal(err)
	}
	value, err := program.Exact(context.Background(), "(area 3, deriv area 3)", 1e-15)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(value)
	var enclosed struct{ Area, Slope fluxion.Interval }
	if err := value.Decode(&enclosed); err != nil {
		log.Fatal(err)
	}
	fmt.Println(enclosed.Slope.Lo.Text('g', 15), enclosed.Slope.Hi.Text('g', 15))
	// Output:
	// ([28.274333882308139, 28.27433388230814], [18.849555921538759, 18.84955592153876])
	// 18.8495559215388 18.8495559215388
}

func ExamplePrimitives() {
	program, err := fluxion.Parse("dose.flx", `
let response (top : Real) (dose : Real) : Real = top * hill dose 2
`, fluxion.Primitives(fluxion.Primitive{
		Name: "hill", Params: []string{"x", "n"},
		Func: func(x []float64) float64 { p := math.Pow(x[0], x[1]); return p / (1 + p) },
		Grad: func(grad, x []float64) {
			p := math.Pow(x[0], x[1])
			d := p / ((1 + p) * (1 + p))
			grad[0], grad[1] = d*x[1]/x[0], d*math.Log(x[0])
		},
		Samples: [][]float64{{0.5, 2}, {3, 1.5}},
	}))
	if err != nil {
		log.Fatal(err)
	}
	slope, err := fluxion.Grad[func(top, dose float64) float64](program, "response",
		fluxion.Wrt("dose"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", slope(10, 1))
	// Output: 5.0000
}

// The Go types of gradients and Hessians are those of optimize.Problem.
func ExampleHessian_optimize() {
	program, err := fluxion.Parse("rosenbrock.flx", `
let rosenbrock (x : []Real) : Real =
  sum [100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i < length x - 1]
`)
	if err != nil {
		log.Fatal(err)
	}
	f := must(fluxion.Bind[func(x []float64) float64](program, "rosenbrock"))
	grad := must(fluxion.Grad[func(grad, x []float64)](program, "rosenbrock"))
	hess := must(fluxion.Hessian[func(hess *mat.SymDense, x []float64)](program, "rosenbrock"))
	problem := optimize.Problem{Func: f, Grad: grad, Hess: hess}
	result, err := optimize.Minimize(problem, []float64{-1.2, 1, 0.5}, nil, &optimize.Newton{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", result.X)
	// Output: [1.000000 1.000000 1.000000]
}

// A step of Newton's method for a system of equations, with the Jacobian in a mat.Dense.
func ExampleJacobian_mat() {
	program, err := fluxion.Parse("system.flx", `
let system (v : []Real) : []Real = [v[0]^2 + v[1]^2 - 4, v[0] * v[1] - 1]
`)
	if err != nil {
		log.Fatal(err)
	}
	system := must(fluxion.Bind[func(dst, v *mat.VecDense)](program, "system"))
	jacobian := must(fluxion.Jacobian[func(dst *mat.Dense, v *mat.VecDense)](program, "system"))
	v, value, step := mat.NewVecDense(2, []float64{2, 0.3}), mat.NewVecDense(2,
		nil), mat.NewVecDense(2, nil)
	var j mat.Dense
	for range 6 {
		system(value, v)
		jacobian(&j, v)
		if err := step.SolveVec(&j, value); err != nil {
			log.Fatal(err)
		}
		v.SubVec(v, step)
	}
	fmt.Printf("%.8f\n", v.RawVector().Data)
	// Output: [1.93185165 0.51763809]
}

// A program and gonum/stat compute the same regression; the program has its gradient too.
func ExampleGrad_stat() {
	program, err := fluxion.Parse("line.flx", `
let loss (line : []Real) (xs : []Real) (ys : []Real) : Real =
  sum [(line[0] + line[1] * x - y)^2 for (x, y) in zip xs ys]
`)
	if err != nil {
		log.Fatal(err)
	}
	grad := must(fluxion.Grad[func(grad, line, xs, ys []float64)](program, "loss"))
	xs, ys := []float64{1, 2, 3, 4}, []float64{2.1, 3.9, 6.2, 7.8}
	alpha, beta := stat.LinearRegression(xs, ys, nil, false)
	g := make([]float64, 2)
	grad(g, []float64{alpha, beta}, xs, ys)
	fmt.Printf("%.3f + %.3f x, gradient below 1e-9: %v\n", alpha, beta,
		math.Hypot(g[0], g[1]) < 1e-9)
	// Output: 0.150 + 1.940 x, gradient below 1e-9: true
}

// Laplace's approximation: the normal distribution whose precision is the Hessian at the mode.
func ExampleHessian_distmv() {
	program, err := fluxion.Parse("posterior.flx", `
let energy (w : []Real) : Real =
  let rows = [(1.0, 1.2), (2.0, 1.9), (3.0, 3.2)]
  sum [(w[0] + w[1] * x - y)^2 / 0.08 for (x, y) in rows] + (w[0]^2 + w[1]^2) / 2
`)
	if err != nil {
		log.Fatal(err)
	}
	problem := optimize.Problem{
		Func: must(fluxion.Bind[func([]float64) float64](program, "energy")),
		Grad: must(fluxion.Grad[func(grad, w []float64)](program, "energy")),
		Hess: must(fluxion.Hessian[func(hess *mat.SymDense, w []float64)](program, "energy")),
	}
	mode, err := optimize.Minimize(problem, []float64{0, 0}, nil, &optimize.Newton{})
	if err != nil {
		log.Fatal(err)
	}
	hessian := must(fluxion.Hessian[func([]float64) *mat.SymDense](program, "energy"))
	normal, ok := distmv.NewNormalPrecision(mode.X, hessian(mode.X), nil)
	if !ok {
		log.Fatal("the Hessian is not positive definite")
	}
	var covariance mat.SymDense
	normal.CovarianceMatrix(&covariance)
	fmt.Printf("mean %.3f, deviations %.3f %.3f\n", normal.Mean(nil),
		math.Sqrt(covariance.At(0, 0)), math.Sqrt(covariance.At(1, 1)))
	// Output: mean [0.128 0.985], deviations 0.290 0.135
}
