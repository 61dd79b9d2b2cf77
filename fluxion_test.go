package fluxion_test

import (
	"context"
	"errors"
	"math"
	"strings"
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

// must returns a bound function, or the end of the test.
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

// TestNoAllocationOfStructs: calls with structs, pointers to them and slices of them do not
// allocate either, whatever the structs are called, if what they write to is there.
func TestNoAllocationOfStructs(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector pools forget at random")
	}
	p := parse(t, "import string\n"+shapes+`
let fits (p : {rate : Real, cap : Real}) (rows : []{x : Real, y : Real}) : Real =
  sum [(r.y - growth p r.x)^2 for r in rows]
let later (p : {rate : Real, cap : Real}) (rows : []{x : Real, y : Real}) : []{x : Real, y : Real} =
  [{x = r.x, y = growth p r.x} for r in rows]
`)
	type (
		real   float64
		params struct{ Cap, Rate float64 }
		point  struct{ X, Y real }
		row    struct {
			OK bool
			X  float64
			N  int
		}
		call func(*params, []point) (float64, error)
	)
	ctx := context.Background()
	at, rows, points := params{10, 0.5}, []row{{true, 2, 3}, {false, 1, 1}}, []point{{1, 2}, {3, 4}}
	var dst params
	var slope float64
	made := make([]point, 2)
	m, scaled := [][]float64{{1, 2}, {3, 4}}, [][]float64{{0, 0}, {0, 0}}
	value := must(fluxion.Bind[func(params, float64) float64](p, "growth"))
	gradient := must(fluxion.Grad[func(params, float64) params](p, "growth"))
	both := must(fluxion.ValueAndGrad[func(params, float64) (float64, params)](p, "growth"))
	withAll := must(fluxion.ValueAndGrad[func(context.Context, params, float64) (float64, params,
		error)](p, "growth"))
	into := must(fluxion.ValueAndGrad[func(*params, *params, float64) float64](p, "growth"))
	two := must(fluxion.Grad[func(*params, *float64, params, float64)](p, "growth"))
	fits := must(fluxion.ValueAndGrad[func(params, []point) (float64, params)](p, "fits"))
	fitsInto := must(fluxion.ValueAndGrad[func(context.Context, *params, *params, []point) (float64,
		error)](p, "fits"))
	named := must(fluxion.Bind[call](p, "fits"))
	mean := must(fluxion.Bind[func([]row) float64](p, "mean"))
	later := must(fluxion.Bind[func([]point, params, []point) error](p, "later"))
	scale := must(fluxion.Bind[func(dst, m [][]float64, c float64)](p, "scaled"))
	polar := must(fluxion.Bind[func(x, y float64) (float64, float64)](p, "polar"))
	for name, call := range map[string]func(){
		"a struct":                         func() { value(at, 2) },
		"a struct as the result":           func() { dst = gradient(at, 2) },
		"a value and a struct":             func() { _, dst = both(at, 2) },
		"with a context and an error":      func() { _, dst, _ = withAll(ctx, at, 2) },
		"into a struct":                    func() { into(&dst, &at, 2) },
		"into a struct and a number":       func() { two(&dst, &slope, at, 2) },
		"a struct and a slice of structs":  func() { _, dst = fits(at, points) },
		"the same with pointers":           func() { _, _ = fitsInto(ctx, &dst, &at, points) },
		"a type with a name":               func() { _, _ = named(&at, points) },
		"a slice of structs of many kinds": func() { mean(rows) },
		"into a slice of structs":          func() { _ = later(made, at, points) },
		"slices of slices":                 func() { scale(scaled, m, 2) },
		"two results":                      func() { polar(1, 2) },
	} {
		call()
		if n := testing.AllocsPerRun(200, call); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	v, g := both(at, 2)
	close(t, "the value", into(&dst, &at, 2), v)
	if dst != g || gradient(at, 2) != g {
		t.Errorf("gradients by structs are %v, %v and %v", g, dst, gradient(at, 2))
	}
	two(&dst, &slope, at, 2)
	s := 1 / (1 + math.Exp(-1))
	close(t, "the slope by t", slope, 10*0.5*s*(1-s))
	if dst != g {
		t.Errorf("the gradient by the first parameter is %v, want %v", dst, g)
	}
	v, g = fits(at, points)
	if w, err := fitsInto(ctx, &dst, &at, points); err != nil || w != v || dst != g {
		t.Errorf("by pointers %v, %v (%v), by values %v, %v", w, dst, err, v, g)
	}
	close(t, "mean", mean(rows), 6)
	if _ = later(made, at, points); made[1].X != 3 || math.Abs(float64(made[1].Y)-value(at, 3)) > 1e-12 {
		t.Errorf("a slice of structs is %v", made)
	}
}

// TestPointers: a pointer to a struct stands for what the struct does, and is not nil.
func TestPointers(t *testing.T) {
	type Params struct {
		Rate, Cap float64
		Note      string `flx:"-"`
	}
	type Pair struct{ A, B *Params }
	p := parse(t, `
let total (ps : []{rate : Real, cap : Real}) : Real = sum [p.rate * p.cap for p in ps]
let swap (p : ({rate : Real, cap : Real}, {rate : Real, cap : Real})) :
    ({rate : Real, cap : Real}, {rate : Real, cap : Real}) = let (a, b) = p in (b, a)
let turned (p : {rate : Real, cap : Real}) = {rate = p.cap, cap = p.rate}
let stack (p : {rate : Real, cap : Real}) = [p, turned p]
let rec named (n : Int) (p : {rate : Real, cap : Real}) : String = if n < 1 then show p.rate else named (n - 1) p
`)
	one, two := &Params{1, 2, "one"}, &Params{3, 4, "two"}
	total := must(fluxion.ValueAndGrad[func([]*Params) (float64, []*Params, error)](p, "total"))
	v, g, err := total([]*Params{one, two})
	if err != nil || v != 14 || *g[0] != (Params{2, 1, ""}) || *g[1] != (Params{4, 3, ""}) {
		t.Errorf("total: %v, %v, %v", v, g, err)
	}
	if _, _, err := total([]*Params{one, nil}); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("an element that is nil: %v", err)
	}
	swap := must(fluxion.Bind[func(Pair) Pair](p, "swap"))
	if got := swap(Pair{one, two}); got.A.Rate != 3 || got.B.Cap != 2 || got.B == one {
		t.Errorf("swap: %v, %v", got.A, got.B)
	}
	turned := must(fluxion.Bind[func(*Params) (*Params, error)](p, "turned"))
	if got, err := turned(one); err != nil || *got != (Params{2, 1, ""}) || one.Rate != 1 {
		t.Errorf("turned: %v, %v", got, err)
	}
	if _, err := turned(nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("an argument that is nil: %v", err)
	}
	into := must(fluxion.Bind[func(dst, p *Params) error](p, "turned"))
	if err := into(two, one); err != nil || *two != (Params{2, 1, "two"}) {
		t.Errorf("turned into a struct: %v, %v", two, err)
	}
	if err := into(nil, one); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("a destination that is nil: %v", err)
	}
	stack := must(fluxion.Bind[func(dst []*Params, p *Params) error](p, "stack"))
	dst := []*Params{two, nil}
	if err := stack(dst, one); err != nil || dst[0] != two || two.Rate != 1 || dst[1].Rate != 2 {
		t.Errorf("stack: %v, %v", dst, err)
	}
	named := must(fluxion.Bind[func(int, *Params) (string, error)](p, "named")) // interpreted
	if got, err := named(3, one); err != nil || got != "1" {
		t.Errorf("named: %q, %v", got, err)
	}
	if _, err := named(3, nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("an argument of the interpreter that is nil: %v", err)
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
	// Calls whose numbers or lengths are unlike those before are compared whenever they come.
	p = parse(t, `
let far = withDerivative (fun x => x^3) (fun x dx => if x < 10 then 3 * x^2 * dx else dx)
let long = withPullback (fun (xs : []Real) => sum xs) (fun xs b => [if i < 9 then b else 0 for i < length xs])
let fars (xs : []Real) : Real = sum (map far xs)
let longs (xs : []Real) : Real = long xs
`)
	fars := must(fluxion.Grad[func(grad, xs []float64) error](p, "fars"))
	longs := must(fluxion.Grad[func(grad, xs []float64) error](p, "longs"))
	g = make([]float64, 20)
	for k := range 6 {
		if err := errors.Join(fars(g[:2], []float64{1, float64(k % 3)}), longs(g[:3], []float64{1, 2, 1})); err != nil {
			t.Fatal(err)
		}
	}
	if err := fars(g[:2], []float64{1, 12}); err == nil {
		t.Error("a rule that is wrong beyond 10 is not reported")
	}
	if err := longs(g[:10], []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}); err == nil {
		t.Error("a rule that is wrong for long arrays is not reported")
	}
}
