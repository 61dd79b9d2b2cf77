package fluxion_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion"
)

const shapes = `
data Shape = Circle Real | Box Real Real | Group Shape Shape

let rec area (s : Shape) : Real = match s with
  | Circle r -> pi * r^2
  | Box w h -> w * h
  | Group a b -> area a + area b

let grown (s : Shape) (by : Real) : Shape = match s with
  | Circle r -> Circle (r * by)
  | Box w h -> Box (w * by) (h * by)
  | Group a b -> s

let growth (p : {rate : Real, cap : Real}) (t : Real) : Real =
  p.cap / (1 + exp (-(p.rate * t)))

let mean (rows : []{x : Real, n : Int, ok : Bool}) : Real =
  sum [if r.ok then r.x * real r.n else 0 for r in rows]

let scaled (m : [][]Real) (c : Real) : [][]Real = [[c * x for x in row] for row in m]
let polar (x y : Real) : (Real, Real) = (sqrt (x^2 + y^2), atan2 y x)
let half (x : Option Real) : Option Real = match x with
  | None -> None
  | Some y -> Some (y / 2)
let describe (name : String) (n : Int) : String = string.join " " [name, "x", show n]
let weighted xs w = sum [w * x for x in xs]
let cross (a b : Real^3) : Real^3 =
  (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
let first (xs : []Real) : Real = xs[0]
let kink (xs : []Real) : Real = sum [max x 0 + min x 0 for x in xs]
let answer = 42.0
`

type (
	Shape  interface{ isShape() }
	Circle struct{ Radius float64 }
	Box    struct{ Width, Height float64 }
	Group  struct{ First, Second Shape }
)

func (Circle) isShape() {}
func (Box) isShape()    {}
func (Group) isShape()  {}

func shapesProgram(t testing.TB) *fluxion.Program {
	return parse(t, "import string\n"+shapes, fluxion.Variants(Circle{}, Box{}, Group{}))
}

func TestTypes(t *testing.T) {
	p := shapesProgram(t)

	area := must(fluxion.Bind[func(Shape) float64](p, "area"))
	close(t, "the area", area(Group{Circle{1}, Group{Box{2, 3}, Circle{0}}}), math.Pi+6)
	grown := must(fluxion.Bind[func(Shape, float64) Shape](p, "grown"))
	if got := grown(Box{2, 3}, 2); got != Shape(Box{4, 6}) {
		t.Errorf("grown: %v", got)
	}
	areaGrad := must(fluxion.Grad[func(Shape) Shape](p, "area"))
	if got := areaGrad(Box{2, 3}); got != Shape(Box{3, 2}) {
		t.Errorf("the gradient of the area: %v", got)
	}

	type Params struct {
		Capacity float64 `flx:"cap"`
		Rate     float64
		Note     string `flx:"-"`
	}
	growth := must(fluxion.Bind[func(Params, float64) float64](p, "growth"))
	close(t, "growth", growth(Params{Capacity: 10, Rate: 0.5}, 2), 10/(1+math.Exp(-1)))
	growthGrad := must(fluxion.ValueAndGrad[func(Params, float64) (float64, Params)](p, "growth"))
	v, g := growthGrad(Params{Capacity: 10, Rate: 0.5}, 2)
	s := 1 / (1 + math.Exp(-1))
	close(t, "growth with its gradient", v, 10*s)
	close(t, "by cap", g.Capacity, s)
	close(t, "by rate", g.Rate, 10*2*s*(1-s))
	into := must(fluxion.Grad[func(*Params, Params, float64)](p, "growth"))
	var dst Params
	into(&dst, Params{Capacity: 10, Rate: 0.5}, 2)
	if dst != g {
		t.Errorf("into a struct: %v, want %v", dst, g)
	}
	byTime := must(fluxion.Grad[func(Params, float64) float64](p, "growth", fluxion.Wrt("t")))
	close(t, "by t", byTime(Params{Capacity: 10, Rate: 0.5}, 2), 10*0.5*s*(1-s))

	type Row struct {
		X  float64
		N  int
		OK bool
	}
	mean := must(fluxion.Bind[func([]Row) float64](p, "mean"))
	close(t, "mean", mean([]Row{{1.5, 2, true}, {7, 1, false}, {2, 3, true}}), 9)

	scaled := must(fluxion.Bind[func([][]float64, float64) [][]float64](p, "scaled"))
	if got := fmt.Sprint(scaled([][]float64{{1, 2}, {3, 4}}, 2)); got != "[[2 4] [6 8]]" {
		t.Errorf("scaled: %s", got)
	}
	if got := fmt.Sprint(scaled([][]float64{{1, 2}, {3}}, 2)); got != "[[2 4] [6]]" {
		t.Errorf("scaled with rows of different lengths: %s", got)
	}
	dense := must(fluxion.Bind[func(*mat.Dense, *mat.Dense, float64)](p, "scaled"))
	var out mat.Dense
	whole := mat.NewDense(3, 3, []float64{1, 2, 0, 3, 4, 0, 0, 0, 0})
	dense(&out, whole.Slice(0, 2, 0, 2).(*mat.Dense), 3)
	if !mat.Equal(&out, mat.NewDense(2, 2, []float64{3, 6, 9, 12})) {
		t.Errorf("scaled by mat: %v", mat.Formatted(&out))
	}

	polar := must(fluxion.Bind[func(x, y float64) (r, phi float64)](p, "polar"))
	r, phi := polar(0, 2)
	close(t, "r", r, 2)
	close(t, "phi", phi, math.Pi/2)
	cross := must(fluxion.Bind[func(a, b [3]float64) [3]float64](p, "cross"))
	if got := cross([3]float64{1, 0, 0}, [3]float64{0, 1, 0}); got != [3]float64{0, 0, 1} {
		t.Errorf("cross: %v", got)
	}
	half := must(fluxion.Bind[func(*float64) *float64](p, "half"))
	x := 3.0
	if got := half(&x); got == nil || *got != 1.5 || half(nil) != nil {
		t.Errorf("half: %v", got)
	}
	describe := must(fluxion.Bind[func(string, int64) string](p, "describe"))
	if got := describe("tests", 3); got != "tests x 3" {
		t.Errorf("describe: %q", got)
	}
	weighted := must(fluxion.Bind[func([]float64, float64) float64](p, "weighted"))
	close(t, "weighted", weighted([]float64{1, 2}, 3), 9)
	close(t, "answer", must(fluxion.Bind[func() float64](p, "answer"))(), 42)
	type named func(xs []float64) float64
	close(t, "first", must(fluxion.Bind[named](p, "first"))([]float64{5}), 5)
}

// TestKinks: at a kink compiled code gives up, and the interpreter gives a derivative that is
// right.
func TestKinks(t *testing.T) {
	grad := must(fluxion.Grad[func(dst, xs []float64)](shapesProgram(t), "kink"))
	xs, dst := []float64{0, 1, -2}, make([]float64, 3)
	grad(dst, xs)
	if fmt.Sprint(dst) != "[1 1 1]" {
		t.Errorf("max x 0 + min x 0 has the derivative %v", dst)
	}
}

// TestConstants: constants of the program are evaluated by the first call that is not cancelled,
// and one that fails is reported by each call.
func TestConstants(t *testing.T) {
	p := parse(t, `
let table = [real i for i < 1000]
let sumOf (x : Real) : Real = x * sum table
let broken = [1.0, 2.0][7]
let uses (x : Real) : Real = x * broken
`)
	sumOf := must(fluxion.Bind[func(context.Context, float64) (float64, error)](p, "sumOf"))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := sumOf(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	y, err := sumOf(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "the sum", y, 999000)
	uses := must(fluxion.Bind[func(float64) (float64, error)](p, "uses"))
	for range 2 {
		if _, err := uses(1); err == nil || !strings.Contains(err.Error(), "E0501") {
			t.Errorf("a constant that fails: %v", err)
		}
	}
}

// TestFreshResults: results that are returned do not share memory.
func TestFreshResults(t *testing.T) {
	grad := must(fluxion.Grad[func(x []float64) []float64](parse(t, rosenbrock), "rosenbrock"))
	a := grad([]float64{1, 2, 3})
	before := fmt.Sprint(a)
	if grad([]float64{3, 2, 1}); fmt.Sprint(a) != before {
		t.Error("a second call has changed the first one's result")
	}
	var dst *float64
	slope := must(fluxion.Grad[func(dst *float64, x float64) error](parse(t,
		"let f (x : Real) : Real = x^2\n"), "f"))
	if err := slope(dst, 1); err == nil || !strings.Contains(err.Error(), "is nil") {
		t.Errorf("a destination that is nil: %v", err)
	}
}

func TestMisfits(t *testing.T) {
	p := shapesProgram(t)
	bindings := map[string]func() error{
		"float32 does not stand for Real": func() error {
			_,
				err := fluxion.Bind[func([]float32) float64](p, "first")
			return err
		},
		"has no field for rate": func() error {
			_, err := fluxion.Bind[func(struct{ Cap float64 }, float64) float64](p, "growth")
			return err
		},
		"defines no `frist`": func() error {
			_,
				err := fluxion.Bind[func([]float64) float64](p, "frist")
			return err
		},
		"does not fit `first`": func() error {
			_,
				err := fluxion.Bind[func() float64](p, "first")
			return err
		},
		"not the type of a function": func() error {
			_,
				err := fluxion.Bind[float64](p, "first")
			return err
		},
		"only a Real has a gradient": func() error {
			_,
				err := fluxion.Grad[func(x, y float64) (float64, float64)](p, "polar")
			return err
		},
		"has no parameter `time`": func() error {
			_, err := fluxion.Grad[func(struct{ Cap, Rate float64 }, float64) float64](p, "growth",
				fluxion.Wrt("time"))
			return err
		},
		"no Go type stands for the constructor": func() error {
			other := must(fluxion.Parse("s.flx", "import string\n"+shapes))
			_, err := fluxion.Bind[func(Shape) float64](other, "area")
			return err
		},
		"cannot be written to": func() error {
			_,
				err := fluxion.Grad[func(g float64, xs []float64)](p, "first")
			return err
		},
		"the tolerance": func() error {
			_,
				err := p.Exact(context.Background(), "1", -1)
			return err
		},
		"Interval, which encloses": func() error {
			_, err := fluxion.BindExact[func(x, y float64) (a, b float64)](p, "polar", 1e-3)
			return err
		},
		"not a pointer": func() error {
			v,
				_ := p.Eval(context.Background(), "1")
			return v.Decode(3)
		},
		"there is no such file": func() error {
			_,
				err := fluxion.LoadFile("nowhere.flx")
			return err
		},
		"equality of reals": func() error {
			_,
				err := p.Eval(context.Background(), "1.0 == 2.0")
			return err
		},
	}
	for want, binding := range bindings {
		err := binding()
		var e *fluxion.Error
		if !errors.As(err, &e) || len(e.Diagnostics) == 0 || e.Diagnostics[0].Code == "" {
			t.Errorf("%q: %v is not an Error with a code", want, err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}

func TestFailures(t *testing.T) {
	p := shapesProgram(t)
	first := must(fluxion.Bind[func([]float64) (float64, error)](p, "first"))
	_, err := first(nil)
	var e *fluxion.Error
	if !errors.As(err, &e) || e.Diagnostics[0].Code != "E0501" || e.Diagnostics[0].Place.Line == 0 {
		t.Errorf("an index out of range: %#v", err)
	}
	grad := must(fluxion.Grad[func(dst, xs []float64) error](p, "kink"))
	if err := grad(make([]float64, 2), make([]float64, 3)); err == nil ||
		!strings.Contains(err.Error(), "2 elements") {
		t.Errorf("a destination that is too short: %v", err)
	}
	defer func() {
		if _, ok := recover().(*fluxion.Error); !ok {
			t.Error("a function without an error result does not panic with an Error")
		}
	}()
	must(fluxion.Bind[func([]float64) float64](p, "first"))(nil)
}

func TestFS(t *testing.T) {
	files := fstest.MapFS{
		"models/main.flx":  {Data: []byte("import \"./part.flx\" as part\nlet twice (x : Real) : Real = part.half x * 4\nlet rows : []{x : Real} = file \"rows.csv\"\nlet total () : Real = sum [r.x for r in rows]\n")},
		"models/part.flx":  {Data: []byte("let half (x : Real) : Real = x / 2\n")},
		"models/rows.csv":  {Data: []byte("x\n1\n2.5\n")},
		"models/wrong.flx": {Data: []byte("let f (x : Real) : Real = x + true\nlet g = y\n")},
	}
	p := must(fluxion.LoadFS(files, "models/main.flx"))
	close(t, "twice", must(fluxion.Bind[func(float64) float64](p, "twice"))(3), 6)
	_, err := fluxion.LoadFS(files, "models/wrong.flx")
	var e *fluxion.Error
	if !errors.As(err, &e) || len(e.Diagnostics) != 2 ||
		e.Diagnostics[0].Place.File != "models/wrong.flx" {
		t.Errorf("a wrong program: %v", err)
	}
}

// TestConcurrent calls functions from many goroutines, while others bind and evaluate.
func TestConcurrent(t *testing.T) {
	p := parse(t, rosenbrock+shapes[strings.Index(shapes, "let kink"):])
	grad := must(fluxion.Grad[func(grad, x []float64)](p, "rosenbrock"))
	kink := must(fluxion.Grad[func(grad, x []float64)](p, "kink"))
	exactly := must(fluxion.BindExact[func([]float64) fluxion.Interval](p, "kink", 1e-10))
	before := runtime.NumGoroutine()
	var wait sync.WaitGroup
	for k := range 8 {
		wait.Go(func() {
			x, g, want := make([]float64, 5+k), make([]float64, 5+k), make([]float64, 5+k)
			for n := range 50 {
				for i := range x {
					x[i] = float64((i*7+n*3+k)%5) - 2
				}
				rosenbrockByHand(want, x)
				grad(g, x)
				for i := range g {
					if math.Abs(g[i]-want[i]) > 1e-9 {
						t.Errorf("goroutine %d: %v, want %v", k, g, want)
						return
					}
				}
				kink(g, x)
			}
		})
		wait.Go(func() {
			exactly([]float64{float64(k)})
			if _, err := p.Eval(context.Background(),
				fmt.Sprintf("rosenbrock [1, %d]", k)); err != nil {
				t.Error(err)
			}
			if _, err := p.Exact(context.Background(),
				fmt.Sprintf("rosenbrock [1, %d]", k), 1e-6); err != nil {
				t.Error(err)
			}
			same := must(fluxion.ValueAndGrad[func(grad, x []float64) float64](p, "rosenbrock"))
			x, g, want := []float64{1, float64(k), -1}, make([]float64, 3), make([]float64, 3)
			rosenbrockByHand(want, x)
			if same(g, x); !slices.Equal(g, want) {
				t.Errorf("bound by goroutine %d: %v, want %v", k, g, want)
			}
			must(fluxion.Hessian[func([]float64) *mat.SymDense](p, "rosenbrock"))(x)
		})
	}
	wait.Wait()
	// The goroutines of the test itself have done their work, and may still be about to end.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}

// TestSmall: the package has fewer than 40 exported names, methods included.
func TestSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names = append(names, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
	if len(names) < 20 || len(names) >= 40 {
		t.Errorf("%d exported names: %v", len(names), names)
	}
}

func TestExact(t *testing.T) {
	p := shapesProgram(t)
	ctx := context.Background()
	v := must(p.Exact(ctx, "{root = sqrt 2, list = [exp 1, pi], n = length [1, 2, 3]}", 1e-30))
	var out struct {
		Root fluxion.Interval
		List []fluxion.Interval
		N    int
	}
	if err := v.Decode(&out); err != nil {
		t.Fatal(err)
	}
	two := new(big.Float).SetPrec(300).SetInt64(2)
	square := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(300).Mul(x, x) }
	if square(out.Root.Lo).Cmp(two) > 0 || square(out.Root.Hi).Cmp(two) < 0 || out.N != 3 ||
		len(out.List) != 2 {
		t.Errorf("%v", v)
	}
	if width := new(big.Float).Sub(out.Root.Hi, out.Root.Lo); width.Cmp(big.NewFloat(1e-30)) > 0 {
		t.Errorf("the width is %v", width)
	}
	polar := must(fluxion.BindExact[func(ctx context.Context, x, y *big.Rat) (r,
		phi fluxion.Interval, err error)](p, "polar", 1e-20))
	r, _, err := polar(ctx, big.NewRat(3, 10), big.NewRat(4, 10))
	if half := big.NewRat(1, 2); err != nil || !contains(r, half) {
		t.Errorf("polar: %v, %v", r, err)
	}
	area := must(fluxion.BindExact[func(Shape) fluxion.Interval](p, "area", 1e-10))
	tenth := new(big.Rat).SetFloat64(0.1) // the double, not 1/10
	if got := area(Box{0.1, 10}); !contains(got, tenth.Mul(tenth, big.NewRat(10, 1))) {
		t.Errorf("area: %v", got)
	}
	var e *fluxion.Error
	if _, err := p.Exact(ctx, "if sqrt 2 * sqrt 2 < 2 then 1 else 0", 1e-10); !errors.As(err, &e) ||
		e.Diagnostics[0].Code != "E0902" {
		t.Errorf("an undecided comparison: %v", err)
	}
}

func contains(i fluxion.Interval, q *big.Rat) bool {
	lo, _ := i.Lo.Rat(nil)
	hi, _ := i.Hi.Rat(nil)
	return lo.Cmp(q) <= 0 && q.Cmp(hi) <= 0
}
