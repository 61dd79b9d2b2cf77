package fluxion_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion"
	"gonum.org/v1/gonum/mat"
)

const rosenbrock = `
--| The Rosenbrock function in any number of dimensions.
let rosenbrock (x : [n]Real) : Real =
  sum [100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i < length x - 1]
`

func parse(t testing.TB, text string, options ...fluxion.Option) *fluxion.Program {
	t.Helper()
	p, err := fluxion.Parse("test.flx", text, options...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// must is a bound function, or the end of the test.
func must[F any](f F, err error) F {
	if err != nil {
		panic(err)
	}
	return f
}

func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestRosenbrock(t *testing.T) {
	p := parse(t, rosenbrock)
	f := must(fluxion.Bind[func([]float64) float64](p, "rosenbrock"))
	grad := must(fluxion.Grad[func(grad, x []float64)](p, "rosenbrock"))
	both := must(fluxion.ValueAndGrad[func(grad, x []float64) float64](p, "rosenbrock"))
	hess := must(fluxion.Hessian[func(*mat.SymDense, []float64)](p, "rosenbrock"))
	hv := must(fluxion.HessianVector[func(dst, x, v []float64)](p, "rosenbrock"))
	x := []float64{-1.2, 1, 0.5}
	want := func(x []float64) (sum float64) {
		for i := range len(x) - 1 {
			sum += 100*math.Pow(x[i+1]-x[i]*x[i], 2) + math.Pow(1-x[i], 2)
		}
		return sum
	}
	close(t, "the value", f(x), want(x))
	g := make([]float64, 3)
	grad(g, x)
	close(t, "g[0]", g[0], -400*x[0]*(x[1]-x[0]*x[0])-2*(1-x[0]))
	close(t, "g[2]", g[2], 200*(x[2]-x[1]*x[1]))
	g2 := make([]float64, 3)
	close(t, "the value with its gradient", both(g2, x), want(x))
	for i := range g {
		close(t, "the gradient", g2[i], g[i])
	}
	var h mat.SymDense
	hess(&h, x)
	close(t, "h[0, 0]", h.At(0, 0), 1200*x[0]*x[0]-400*x[1]+2)
	close(t, "h[0, 1]", h.At(1, 0), -400*x[0])
	v, product := []float64{1, -2, 0.5}, make([]float64, 3)
	hv(product, x, v)
	for i := range 3 {
		close(t, "the product", product[i], h.At(i, 0)*v[0]+h.At(i, 1)*v[1]+h.At(i, 2)*v[2])
	}
	// The destination may be an argument.
	grad(x, x)
	for i := range g {
		close(t, "the gradient in place", x[i], g[i])
	}
}

func TestNoAllocation(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector pools forget at random")
	}
	p := parse(t, rosenbrock+`
let model (theta : []Real) (x : Real) : Real = theta[0] * exp (-theta[1] * x)
let map2 (x : []Real) : []Real = [x[0] * x[1], x[0] + x[1]]
`)
	x, g, v := []float64{-1.2, 1, 0.5}, make([]float64, 3), make([]float64, 3)
	x2, out := x[:2], make([]float64, 2)
	h, j := mat.NewSymDense(3, nil), mat.NewDense(2, 2, nil)
	f := must(fluxion.Bind[func([]float64) float64](p, "rosenbrock"))
	grad := must(fluxion.Grad[func(grad, x []float64)](p, "rosenbrock"))
	ctxGrad := must(fluxion.Grad[func(ctx context.Context, grad, x []float64) error](p,
		"rosenbrock"))
	both := must(fluxion.ValueAndGrad[func(grad, x []float64) float64](p, "rosenbrock"))
	hess := must(fluxion.Hessian[func(*mat.SymDense, []float64)](p, "rosenbrock"))
	hv := must(fluxion.HessianVector[func(dst, x, v []float64)](p, "rosenbrock"))
	model := must(fluxion.Bind[func([]float64, float64) float64](p, "model"))
	modelGrad := must(fluxion.Grad[func(dst, theta []float64, x float64)](p, "model"))
	vjp := must(fluxion.VJP[func(dst, x, ct []float64)](p, "map2"))
	jvp := must(fluxion.JVP[func(dst, x, dx []float64)](p, "map2"))
	jac := must(fluxion.Jacobian[func(*mat.Dense, []float64)](p, "map2"))
	ctx := context.Background()
	for name, call := range map[string]func(){
		"value":             func() { f(x) },
		"gradient":          func() { grad(g, x) },
		"with a context":    func() { _ = ctxGrad(ctx, g, x) },
		"with the value":    func() { both(g, x) },
		"hessian":           func() { hess(h, x) },
		"hessian vector":    func() { hv(v, x, g) },
		"model":             func() { model(x2, 0.5) },
		"gradient of model": func() { modelGrad(out, x2, 0.5) },
		"vjp":               func() { vjp(out, x2, x2) },
		"jvp":               func() { jvp(out, x2, x2) },
		"jacobian":          func() { jac(j, x2) },
	} {
		if n := testing.AllocsPerRun(200, call); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkGradient(b *testing.B) {
	p := parse(b, rosenbrock)
	grad := must(fluxion.Grad[func(grad, x []float64)](p, "rosenbrock"))
	x, g := []float64{-1.2, 1, 0.5, 0.25}, make([]float64, 4)
	for b.Loop() {
		grad(g, x)
	}
}

func TestCancel(t *testing.T) {
	p := parse(t, `
let rec spin (n : Int) : Int = if n < 0 then n else spin (n + 1)
let long (x : Real) : Real = loop s = x for i < 2000000000 do sin s
`)
	spin := must(fluxion.Bind[func(context.Context, int) (int, error)](p, "spin"))
	long := must(fluxion.Bind[func(context.Context, float64) (float64, error)](p, "long"))
	for name, call := range map[string]func(context.Context) error{
		"interpreted": func(ctx context.Context) error { _, err := spin(ctx, 1); return err },
		"compiled":    func(ctx context.Context) error { _, err := long(ctx, 1); return err },
		"expression": func(ctx context.Context) error {
			_,
				err := p.Eval(ctx, "spin 1")
			return err
		},
		"exact": func(ctx context.Context) error {
			_,
				err := p.Exact(ctx, "spin 1", 1e-3)
			return err
		},
	} {
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Millisecond)
		start := time.Now()
		err := call(ctx)
		stop()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: ended after %v", name, took)
		}
		ctx, stop = context.WithCancel(context.Background())
		stop()
		if err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled before: %v", name, err)
		}
	}
	limited := must(fluxion.Bind[func(float64) (float64, error)](p, "long",
		fluxion.Timeout(20*time.Millisecond)))
	_, err := limited(1)
	var e *fluxion.Error
	if !errors.As(err, &e) || e.Diagnostics[0].Code != "E0601" ||
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a limit of time: %v", err)
	}
}

// TestRules: bound derivatives use the rules of a program, and report wrong ones, in the first call
// and in later ones.
func TestRules(t *testing.T) {
	p := parse(t, `
let cube = withDerivative (fun x => x^3) (fun x dx => 3 * x^2 * dx)
let wrong = withDerivative (fun x => x^3) (fun x dx => 3 * x * dx)
let right (xs : []Real) : Real = sum (map cube xs)
let mixed (xs : []Real) : Real = sum [if x > 1 then wrong x else cube x for x in xs]
`)
	grad := must(fluxion.Grad[func(grad, xs []float64) error](p, "right"))
	g := make([]float64, 2)
	for k := range 5 {
		x := float64(k)
		if err := grad(g, []float64{x, 1}); err != nil {
			t.Fatal(err)
		}
		close(t, "the derivative by a rule", g[0], 3*x*x)
	}
	mixed := must(fluxion.Grad[func(grad, xs []float64) error](p, "mixed"))
	for k := range 3 {
		if err := mixed(g, []float64{0.5, float64(k) / 4}); err != nil {
			t.Error("a rule that is not used is reported")
		}
	}
	if err := mixed(g, []float64{0.5, 2}); err == nil {
		t.Error("a wrong rule is not reported")
	}
}
