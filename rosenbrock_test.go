package fluxion_test

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/optimize"

	"github.com/fluxion-lang/fluxion"
)

// rosenbrockByHand returns the value and the gradient as one writes them by hand.
func rosenbrockByHand(grad, x []float64) float64 {
	clear(grad)
	sum := 0.0
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		sum += 100*a*a + b*b
		grad[i] += -400*x[i]*a - 2*b
		grad[i+1] += 200 * a
	}
	return sum
}

// lbfgs runs some steps of gonum's L-BFGS, and gives the value that it ends with.
func lbfgs(t testing.TB, problem optimize.Problem, n, steps int) float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = -1.2 + 2.2*float64(i%2)
	}
	settings := &optimize.Settings{MajorIterations: steps, Converger: optimize.NeverTerminate{}}
	result, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{})
	if err != nil && result == nil {
		t.Fatal(err)
	}
	return result.F
}

// BenchmarkRosenbrock is L-BFGS in a million dimensions, with the gradient of a program and with
// one that is written by hand, in turn. The ratio is of the best times.
func BenchmarkRosenbrock(b *testing.B) {
	const n, steps = 1_000_000, 10
	p := parse(b, rosenbrock)
	f := must(fluxion.Bind[func([]float64) float64](p, "rosenbrock"))
	g := must(fluxion.Grad[func(grad, x []float64)](p, "rosenbrock"))
	problems := []optimize.Problem{{Func: f, Grad: g}, {
		Func: func(x []float64) float64 {
			sum := 0.0
			for i := range len(x) - 1 {
				a, b := x[i+1]-x[i]*x[i], 1-x[i]
				sum += 100*a*a + b*b
			}
			return sum
		},
		Grad: func(grad, x []float64) { rosenbrockByHand(grad, x) },
	}}
	best := []time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for k, problem := range problems {
			start := time.Now()
			lbfgs(b, problem, n, steps)
			best[k] = min(best[k], time.Since(start))
		}
	}
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "ratio")
	x, g1 := make([]float64, n), make([]float64, n)
	for k, call := range []func(){func() { f(x) }, func() { g(g1, x) },
		func() { problems[1].Func(x) }, func() { problems[1].Grad(g1, x) }} {
		shortest := time.Duration(math.MaxInt64)
		for range 10 {
			start := time.Now()
			call()
			shortest = min(shortest, time.Since(start))
		}
		b.ReportMetric(float64(shortest.Microseconds()),
			[]string{"f-µs", "grad-µs", "hand-f-µs", "hand-grad-µs"}[k])
	}
}
