package lower_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// reference runs loop form by its executable semantics, which panics where a program is not well
// formed.
type reference struct {
	t     *testing.T
	entry *loop.Func
	used  *regions
	runs  *int
}

// maxRuns is how often a region runs by the semantics, which are slow.
const maxRuns = 3

// regions counts the regions that ran as compiled code, and those that gave up.
type regions struct {
	mu        sync.Mutex
	ran, left int
}

func (r reference) RunInto(into, args []loop.Arg, opts loop.RunOptions) error {
	results, err := r.Run(args, opts)
	for i, result := range results {
		into[i].Put(result, true)
	}
	return err
}

func (r reference) Run(args []loop.Arg, opts loop.RunOptions) (out []loop.Arg, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.t.Errorf("%s: %v", r.entry.Name, p)
			err = loop.ErrCheck
		}
		r.used.mu.Lock()
		defer r.used.mu.Unlock()
		if err == nil {
			r.used.ran++
		} else {
			r.used.left++
		}
	}()
	if *r.runs++; *r.runs > maxRuns {
		return nil, loop.ErrCheck
	}
	values := make([]loop.Value, len(args))
	for i, p := range r.entry.Params {
		switch p.Kind {
		case loop.F64s:
			values[i] = loop.RealsValue(args[i].F)
		case loop.I64s:
			values[i] = loop.IntsValue(args[i].I)
		default:
			values[i] = loop.Value{Word: args[i].Word}
		}
	}
	results, err := loop.Eval(r.entry, values...)
	if err != nil {
		return nil, err
	}
	for i, a := range r.entry.Body.Yield {
		v := results[i]
		switch a.AtomKind() {
		case loop.F64s:
			out = append(out, loop.Arg{F: v.Reals()})
		case loop.I64s:
			xs := make([]int64, len(v.Buf))
			for k, w := range v.Buf {
				xs[k] = int64(w)
			}
			out = append(out, loop.Arg{I: xs})
		default:
			out = append(out, loop.Arg{Word: v.Word})
		}
	}
	return out, nil
}

// referenceEngine verifies programs and runs them by their semantics.
func referenceEngine(t *testing.T, used *regions) interp.Engine {
	return func(p *loop.Program) (loop.Code, error) {
		if err := loop.Verify(p); err != nil {
			t.Errorf("%v\n%s", err, loop.Print(p))
			return nil, err
		}
		return reference{t, p.Funcs[0], used, new(int)}, nil
	}
}

// agree tells whether two results are equal but for rounding.
func agree(a, b value.Value) bool {
	x, y := value.Show(a), value.Show(b)
	if x == y {
		return true
	}
	xs, ys := value.RealsOf(a), value.RealsOf(b)
	if len(xs) != len(ys) {
		return false
	}
	scale := 0.0
	for _, x := range xs {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale = max(scale, math.Abs(x))
		}
	}
	for i, x := range xs {
		y := ys[i]
		same := x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-8*(math.Abs(x)+1e-3*scale)
		if !same {
			return false
		}
	}
	return true
}

// loader loads a program.
type loader func(sink *diag.List) *driver.Unit

// compare runs a program by the interpreter alone and with engines, and compares.
func compare(t *testing.T, name string, with map[string]driver.Settings, load loader) {
	t.Helper()
	var list diag.List
	unit := load(&list)
	if unit == nil || list.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	limits := interp.Limits{Memory: 1 << 30, Depth: 100_000}
	want, d := driver.Run(ctx, unit, driver.Settings{Limits: limits})
	for engine, s := range with {
		s.Limits, s.Compile.Eager = limits, true
		got, e := driver.Run(ctx, unit, s)
		switch {
		case d != nil && e == nil, d == nil && e != nil, d != nil && (d.Code != e.Code || d.Message != e.Message || d.Span != e.Span):
			t.Errorf("%s: by the interpreter: %v, by %s: %v", name, d, engine, e)
		case d == nil && !agree(want.Value, got.Value):
			t.Errorf("%s: by the interpreter %s, by %s %s", name, value.ShowAtMost(want.Value, 20), engine, value.ShowAtMost(got.Value, 20))
		}
	}
}

// everyEngine are settings for the engines of this machine, and for the semantics of the loop form.
func everyEngine(t *testing.T, used *regions) map[string]driver.Settings {
	with := map[string]driver.Settings{"the semantics": {Compile: interp.Options{Engine: referenceEngine(t, used)}}}
	for _, name := range driver.Engines() {
		if name != "interp" {
			with[name] = driver.Settings{Engine: name}
		}
	}
	return with
}

// TestEnginesAgree: programs give the same with compiled code as without, errors and their places
// included.
func TestEnginesAgree(t *testing.T) {
	used := &regions{}
	with := everyEngine(t, used)
	files, _ := filepath.Glob("../../testdata/run/*.txtar")
	for k, file := range files {
		base := filepath.Base(file)
		if k%3 != 0 && !property.Long() {
			continue // the tests of driver run all of them
		}
		if slices.ContainsFunc([]string{"err-memory", "timeout", "err-depth", "searches", "integrals-oscillating"}, func(s string) bool { return strings.Contains(base, s) }) {
			continue // about the limits of the interpreter, or slow without engines
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".flx") {
				compare(t, base, with, func(sink *diag.List) *driver.Unit {
					return driver.NewWorld(nil).LoadText("main", string(f.Data), nil, sink)
				})
			}
		}
	}
	if used.ran < 40 {
		t.Errorf("only %d regions ran as compiled code", used.ran)
	}
}

// functions are those whose derivatives of orders 0 to 3 are compared.
var functions = []struct{ fun, at string }{
	{"fun x => sin x * exp (-x) + x^3", "0.7"},
	{"fun x => if x > 0.5 then log x else x^2", "0.7"},
	{"fun x => loop y = x for i < 5 do sin (y * real (i + 1)) + x", "0.3"},
	{"fun x => loop y = x while y < 10 do y * y + 1.5", "0.3"},
	{"fun x => sum [tanh (x * real i) * y for (i, y) in zip (iota 6) [0.5, 1, 2, 3, 4, 5]]", "0.2"},
	{"fun x => maximum [x * real i - real (i * i) for i < 7]", "3.3"},
	{"fun x => logsumexp [x, 2 * x, x * x, 0.3]", "0.4"},
	{"fun x => sum [w * v for (w, v) in zip (softmax [x, sin x, 1.5]) [1, 2, 4]]", "0.4"},
	{"fun x => norm [x, x * x, 3]", "1.2"},
	{"fun x => sum (fold (fun acc r => map tanh (acc + r)) [x, 1, 2] [[x, 0.1, 0.2], [0.3, x * x, 0.1]])", "0.6"},
	{"fun x => let m = [[x, 1], [2, x * x]] in sum (flatten (linalg.matMul m m))", "0.8"},
	{"fun x => sum (array.set [x, 2, x^2] 1 (x^3))", "1.1"},
	{"fun x => sum [(loop s = 0 for j < i do s + x^j) for i < 6]", "0.9"},
	{"fun x => let (a, b) = loop (a, b) = (x, 1) for _ < 4 do (a * b, b + sin a) in a + b", "0.5"},
	{"fun x => sum (scan (fun s y => s * y + x) 1 [0.5, 0.7, x])", "0.4"},
	{"fun x => deriv (fun y => y^3 * x + sin (x * y)) x", "0.6"},
	{"fun x => slope (fun y => y * slope (fun z => sin (y * z) * x) y) x", "0.6"},
	{"fun x => sum (grad (fun v => sum [u^3 * x for u in v]) [x, 2, x * x])", "0.6"},
	{"fun x => sum [lgamma (x + real i) * digamma (x * real (i + 1)) for i < 5]", "0.6"},
	{"fun x => sum [polygamma 1 (x * real (i + 1)) + polygamma 2 x - polygamma 3 (x + 20) for i < 5]", "0.6"},
	{"fun x => polygamma 1 (x - 2) + lgamma (-x)", "0.6"},
	{"fun x => real (floor (3 * x)) + x", "0.77"},
	{"fun x => abs (x - 1) * x", "0.5"},
	{"fun x => sum [real i * y for (i, y) in zip (iota 5) (array.sort [x, 2 * x^2, sin x, 0.1, x^3])]", "0.7"},
	{"fun x => let m = array.reshape 2 [x, 1, x * x, 3, sin x, 2] in m[0, 1] * m[2, 0] + m[1, 0] * m[1, 1]", "0.7"},
	{"fun x => sum [w[0] * w[2] for w in array.windows 3 [x, x^2, 2, exp x, x]]", "0.7"},
	{`fun x =>
  let f (v : [6]Real) =
    let rows = [[sin v[b] * x, real b + v[b] * (if b > 2 then v[b - 1] else 1), 2] for b < 6]
    [sum [real (i * b + 1) * sum [rows[b, j] * real j for j < 3] for b < 6] for i < 5]
  sum [d^2 * real (i + 1) for row in jacobian f [x, 1, x * x, 2, 3, 0.5] for (i, d) in zip (iota 6) row]`, "0.7"},
	{`fun x =>
  let f (v : [6]Real) =
    let rows = [[sin (v[b] * x), cos v[b]] for b < 6]
    let down b =
      let (a, _) = loop (a, up) = (rows[b], b - 1) while up >= 0 do ([a[0] * rows[up, 1], a[1] + rows[up, 0]], up - 2)
      a
    let all = [down b for b < 6]
    [sum [real (i - b) * (all[b, 0] + all[b, 1]) for b < 6] for i < 7]
  sum [sin d for row in jacobian f [x, 1, x * x, 2, 3, 0.5] for d in row]`, "0.4"},
	{`fun x =>
  let f (ks : []Int) (v : [4]Real) =
    let rows = [[v[b]^2, v[b] * x, 1 / (2 + v[b])] for b < 4]
    [rows[k, 0] * rows[k, 2] + max rows[k, 1] 0.3 for k in ks]
  sum [d * d for ks in [[3, 0, 1, 1], [2]] for row in jacobian (f ks) [x, 1, x * x, 2] for d in row]`, "0.6"},
}

// TestSorting: arrays of all kinds and lengths are sorted in the same way by every engine, with
// equal elements and NaN among them.
func TestSorting(t *testing.T) {
	with := everyEngine(t, &regions{})
	for n := range 20 {
		text := fmt.Sprintf("import array\nimport random\nlet n = %d\n", n*n/2) + `
let few = [random.integers 4 1 (random.child i (random.key 5)) for i < n]
let ints = [k[0] - 2 for k in few]
let dense = random.uniforms n (random.key n)
(array.order ints, array.order [k > 0 for k in ints], array.order [real (k * k) for k in ints], array.order dense,
  array.order [if k == 1 then 0 / 0 else real k for k in ints], array.sort dense, sum [2^(k + 2) * (-1)^(k + 2) for k in ints])
`
		compare(t, text, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
	}
}

// TestNorms: norms of the largest and smallest numbers neither overflow nor underflow, nor do their
// slopes.
func TestNorms(t *testing.T) {
	with := everyEngine(t, &regions{})
	for _, f := range []string{"map (fun y => y * x) [1e-160, 3e-160, 0]", "(x * 1e-310, 2e-310)", "(x * 1e300, (x^2 * 1e302, 3e301))",
		"[x * 1.2e308, 1e308]", "[x * 0, 0]", "[1 / 0, x]", "[0 / 0, x]"} {
		text := fmt.Sprintf("let f (x : Real) : Real = norm (%s)\n([f y for y in [0.9, 1.1]], [deriv f y for y in [0.9, 1.1]])\n", f)
		compare(t, f, with, func(sink *diag.List) *driver.Unit {
			return driver.NewWorld(nil).LoadText("main", text, nil, sink)
		})
	}
}

// TestDerivativesAgree: derivatives of orders 0 to 3 are the same by every engine.
func TestDerivativesAgree(t *testing.T) {
	with := everyEngine(t, &regions{})
	for _, f := range functions {
		text := fmt.Sprintf("import linalg\nimport array\nlet slope (g : Real -> Real) (y : Real) : Real = jvp g y 1\n"+
			"let f (x : Real) : Real = (%s) x\n", f.fun) +
			"let d1 x = deriv f x\nlet d2 x = deriv d1 x\nlet d3 x = deriv d2 x\n" +
			fmt.Sprintf("(f %[1]s, d1 %[1]s, d2 %[1]s, d3 %[1]s, [f y for y in [%[1]s, 0.9]], grad (fun v => f v[0] * f v[1]) [%[1]s, 0.9])\n", f.at)
		compare(t, f.fun, with, func(sink *diag.List) *driver.Unit {
			unit := driver.NewWorld(nil).LoadText("main", text, nil, sink)
			if sink.Failed() {
				t.Fatalf("%s\n%v", text, sink.Sorted()[0])
			}
			return unit
		})
	}
}

// longLoop is the gradient of a loop whose body takes a while to compile.
func longLoop(turns string) string {
	return "let step (c : []Real) (k : Int) (y : Real) : Real = y + 0.001 * sin (c[0] * y + c[1] * c[2] + c[3] * y * c[4] + c[5] * c[6] * c[7] + real k)\n" +
		"let f (c : []Real) : Real = loop y = 1 for k < " + turns + " do step c k y\ngrad f [0.7 + real i / 10 for i < 8]"
}

// TestExtent: a simple loop runs as compiled code where it is long, whatever tells how long it is.
func TestExtent(t *testing.T) {
	for _, c := range []struct {
		text string
		ran  int
	}{
		{"let xs = [sin (real i) for i < 20]\nlet f (w : Real) : Real = sum [exp (w * x) for x in xs]\nf 0.5", 0},
		{"let xs = [sin (real i) for i < 2000]\nlet f (w : Real) : Real = sum [exp (w * x) for x in xs]\nf 0.5", 2},
		{"let f (w : Real) : []Real = [exp (w * real i) for i < 20]\nf 0.5", 0},
		{"let f (w : Real) : []Real = [exp (w * real i) for i < 2000]\nf 0.5", 1},
		{"let f (n : Int) : []Real = [exp (real i) for i < n]\nmap f [20, 30]", 0},
		{"let f (n : Int) : []Real = [exp (real i) for i < n]\nmap f [2000, 30]", 1},
		{longLoop("20"), 0},
		{longLoop("200000"), 1},
	} {
		var list diag.List
		unit := driver.NewWorld(nil).LoadText("in.flx", c.text, nil, &list)
		if list.Failed() {
			t.Fatalf("%s\n%v", c.text, list.Sorted()[0])
		}
		used := &regions{}
		s := driver.Settings{Limits: interp.DefaultLimits(), Compile: interp.Options{Engine: referenceEngine(t, used)}}
		if _, d := driver.Run(context.Background(), unit, s); d != nil {
			t.Fatalf("%s\n%v", c.text, d)
		}
		if used.ran != c.ran {
			t.Errorf("%s\n%d regions ran as compiled code, want %d", c.text, used.ran, c.ran)
		}
	}
}
