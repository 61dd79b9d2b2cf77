package driver_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// limited runs a program within limits and gives its value or the code of its
// error.
func limited(ctx context.Context, t *testing.T, text string, limits interp.Limits, opts interp.Options) string {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	result, d := driver.Run(ctx, unit, driver.Settings{Limits: limits, Compile: opts})
	if d != nil {
		if !d.Span.Known() {
			t.Errorf("%s\n%v has no place", text, d)
		}
		return string(d.Code)
	}
	return value.Show(result.Value)
}

// TestDerivativeOptions: at ties the branch taken can be asked for, and at infinite slopes the
// infinities.
func TestDerivativeOptions(t *testing.T) {
	for _, c := range []struct{ text, strict, loose string }{
		{"deriv (fun x => if x < 0 then -x else x) 0", "E0803", "1"},
		{"deriv (fun x => if x <= 0 then -x else x) 0", "E0803", "-1"},
		{"grad (fun (x, y) => if x < y then x else y) (1, 1)", "E0803", "(0, 1)"},
		{"sum (grad (fun v => sum [if x < 0 then -x else x for x in v]) [0 for _ < 40])", "E0803", "40"},
		{"deriv (fun x => real (floor x) * x) 2", "E0804", "2"},
		{"deriv (fun x => real (round x) * x) 2.5", "E0804", "2"},
		{"deriv (fun x => sign x + x) 0", "E0804", "1"},
		{"grad (fun v => (array.sort v)[0]) [2, 1, 1]", "E0803", "[0, 1, 0]"},
		{"deriv relu 0", "0.5", "0.5"},
		{"deriv sqrt 0", "E0806", "inf"},
		{"deriv (fun x => (cbrt x)^3) 0", "E0806", "nan"},
		{"grad (fun (x, y) => sqrt x + y) (0, 1)", "E0806", "(inf, 1)"},
		{"deriv (fun x => max (sqrt x) 1e-9) 0", "0", "0"},
		{"(grad (fun v => sum (map sqrt v)) [real i for i < 30])[0]", "E0806", "inf"},
		{"jacobian (fun v => [sqrt v[0], v[1]]) [0, 1]", "E0806", "[[inf, 0], [0, 1]]"},
	} {
		if got := limited(context.Background(), t, c.text, interp.DefaultLimits(), interp.Options{}); got != c.strict {
			t.Errorf("%s: got %s, want %s", c.text, got, c.strict)
		}
		if got := limited(context.Background(), t, c.text, interp.DefaultLimits(), interp.Options{IEEETies: true, AllowInfinite: true}); got != c.loose {
			t.Errorf("%s, loosely: got %s, want %s", c.text, got, c.loose)
		}
	}
}

// TestInterruptedBeforehand: a run that ends before it begins ends at a place too.
func TestInterruptedBeforehand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := limited(ctx, t, "1 + 1", interp.DefaultLimits(), interp.Options{}); got != "E0604" {
		t.Errorf("got %s", got)
	}
}

const orders = "let rec d (n : Int) (f : Real -> Real) : Real -> Real = if n == 0 then f else deriv (fun x => x * d (n - 1) f x)\n"

// TestDeepDerivatives: depth is no obstacle: of calls, of data, of derivatives.
func TestDeepDerivatives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"calls", "let rec f (n : Int) (x : Real) : Real = if n == 0 then x else 0.5 * f (n - 1) x + 0.5 * x\ngrad (f 200000) 1\n", "1"},
		{"list", "let rec up (n : Int) (l : List Real) : List Real = if n == 0 then l else up (n - 1) (Cons 1 l)\n" +
			"let rec add (l : List Real) (s : Real) : Real = match l with | Nil -> s | Cons x r -> add r (s + x * x)\n" +
			"let rec last (l : List Real) (y : Real) : Real = match l with | Nil -> y | Cons x r -> last r x\n" +
			"last (grad (fun l => add l 0) (up 200000 Nil)) 0\n", "2"},
		{"tree to the left", "data T = Leaf Real | Node T Real\nlet rec up (n : Int) (t : T) : T = if n == 0 then t else up (n - 1) (Node t 1)\n" +
			"let rec add (t : T) (s : Real) : Real = match t with | Leaf x -> s + x | Node l x -> add l (s + x * x)\n" +
			"match grad (fun t => add t 0) (up 100000 (Leaf 2)) with | Leaf x -> x | Node _ x -> x\n", "2"},
		{"array", "let v = [0.5 for _ < 1000000]\n(grad (fun v => sum [x * x * x for x in v]) v)[77777]\n", "0.75"},
		// More derivatives at once than a node has bits for.
		{"derivatives", orders + "d 18 (fun x => x) 0.5\n", "131072"},
		{"constants", "let rec d (n : Int) (f : Real -> Real) : Real -> Real = if n == 0 then f else deriv (d (n - 1) f)\nd 2000 (fun _ => 1) 0.5\n", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := limited(context.Background(), t, c.text, interp.DefaultLimits(), interp.Options{}); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestDerivativesWithinLimits: whatever a derivative or a search is doing when a limit is
// reached, it ends with the limit's error, at a place.
func TestDerivativesWithinLimits(t *testing.T) {
	time100 := interp.Limits{Memory: 2 << 30, Depth: 1 << 20}
	memory := interp.Limits{Memory: 20 << 20, Depth: 10_000_000}
	endless := "let rec f (n : Int) (x : Real) : Real = if n == 0 then x else f (n - 1) (sin x)\n"
	for _, c := range []struct {
		name, text string
		limits     interp.Limits
		want       diag.Code
	}{
		{"time in the function", endless + "grad (f 1000000000) 1\n", time100, diag.TimeLimit},
		{"time in an endless loop", "deriv (fun x => loop y = x while y < 2 do y * 1.0 + 0) 1\n", time100, diag.TimeLimit},
		{"time in an integrand", "integral01 (fun x => loop y = x while y < 2 do y * 1.0 + 0)\n", time100, diag.TimeLimit},
		{"time in nested searches", "sum [integral01 (fun x => integral01 (fun y => sin (x * y * real i))) for i < 100000]\n", time100, diag.TimeLimit},
		{"time in orders", "let rec d (n : Int) (f : Real -> Real) : Real -> Real = if n == 0 then f else deriv (d (n - 1) f)\nd 40 sin 0.5\n", time100, diag.TimeLimit},
		{"time in a Hessian", "let v = [0.5 for _ < 3000]\nsum (hessian (fun v => loop s = 0.0 for x in v do s + sin (x + s)) v)[0]\n", time100, diag.TimeLimit},
		{"memory of the tape", endless + "grad (f 1000000000) 1\n", memory, diag.MemoryLimit},
		{"memory of an array", "sum (grad (fun v => sum (map sin v)) [0.5 for _ < 2000000])\n", memory, diag.MemoryLimit},
		{"memory of a Jacobian", "(jacobian (fun v => v) [0.5 for _ < 3000])[0][0]\n", memory, diag.MemoryLimit},
		{"depth of derivatives", "let rec d (n : Int) (f : Real -> Real) : Real -> Real = if n == 0 then f else deriv (d (n - 1) f)\nd 20000 (fun _ => 1) 0.5\n",
			interp.DefaultLimits(), diag.DepthLimit},
		{"depth of calls", "let rec f (n : Int) (x : Real) : Real = if n == 0 then x else sin (f (n - 1) x)\ngrad (f 100000) 1\n",
			interp.Limits{Memory: 2 << 30, Depth: 1000}, diag.DepthLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			runtime.GC() // what other tests have left does not count for this one
			start, ctx := time.Now(), context.Background()
			if c.want == diag.TimeLimit {
				var done context.CancelFunc
				ctx, done = stop.Within(ctx, 100*time.Millisecond)
				defer done()
			}
			if got := limited(ctx, t, c.text, c.limits, interp.Options{}); got != string(c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestDepthOfCalls: a depth of n lets n calls be active, whatever room the stack has, and one
// more is an error at the same place on every engine.
func TestDepthOfCalls(t *testing.T) {
	for _, depth := range []int{1, 2, 63, 64, 65, 128} {
		for _, engine := range []string{"", "interp", "portable"} {
			for calls := depth; calls <= depth+1; calls++ {
				text := fmt.Sprintf("let rec f (n : Int) : Int = if n == 1 then 1 else 1 + f (n - 1)\nf %d\n", calls)
				var list diag.List
				unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
				s := driver.Settings{Engine: engine, Deterministic: engine == "interp", Limits: interp.Limits{Memory: 1 << 28, Depth: depth}}
				_, d := driver.Run(context.Background(), unit, s)
				if (d != nil) != (calls > depth) || d != nil && (d.Code != diag.DepthLimit || int(d.Span.Start) != strings.Index(text, "f (n - 1)")) {
					t.Errorf("%d calls to a depth of %d by %q: %v", calls, depth, engine, d)
				}
			}
		}
	}
}

// TestInterruptedDerivative: an interrupted sweep ends at once.
func TestInterruptedDerivative(t *testing.T) {
	for _, text := range []string{
		"let rec d (n : Int) (f : Real -> Real) : Real -> Real = if n == 0 then f else grad (d (n - 1) f)\nd 40 (fun x => sin (x * x)) 0.5\n",
		"sum [integral01 (fun x => integral01 (fun y => sin (x * y * real i))) for i < 100000]\n",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if got := limited(ctx, t, text, interp.DefaultLimits(), interp.Options{}); !strings.HasPrefix(got, "E060") {
			t.Errorf("%s\ngave %s", text, got)
		}
	}
}
