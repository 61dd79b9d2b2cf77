package fluxion_test

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion"
)

// TestOptionsWithoutSense: an option that makes no sense is an error of what it is given to, with a
// message that names it.
func TestOptionsWithoutSense(t *testing.T) {
	const text = "let square (x : Real) : Real = x^2\n"
	p := parse(t, text)
	prim := fluxion.Primitive{Name: "half", Params: []string{"x"}, Samples: [][]float64{{1}},
		Func: func(x []float64) float64 { return x[0] / 2 }}
	for _, c := range []struct {
		option fluxion.Option
		says   string
	}{
		{fluxion.Timeout(-time.Second), "a timeout of -1s is negative"},
		{fluxion.Memory(-1), "a memory limit of -1 bytes is negative"},
		{fluxion.Depth(-5), "a recursion depth of -5 is negative"},
		{fluxion.Threads(-1), "-1 threads"},
		{fluxion.Threads(1 << 20), "1048576 threads"},
		{fluxion.Variants(nil), "not a struct with a name"},
		{fluxion.Variants(&Circle{}), "not a struct with a name"},
		{fluxion.Variants(3.5), "not a struct with a name"},
		{nil, "an option is nil"},
	} {
		ctx := context.Background()
		for at, err := range map[string]error{
			"Parse": second(fluxion.Parse("test.flx", text, c.option)),
			"Bind":  second(fluxion.Bind[func(float64) float64](p, "square", c.option)),
			"Hessian": second(fluxion.Hessian[func(float64) float64](p, "square",
				c.option)),
			"BindExact": second(fluxion.BindExact[func(float64) fluxion.Interval](p, "square",
				1e-3, c.option)),
			"Eval":  second(p.Eval(ctx, "1", c.option)),
			"Exact": second(p.Exact(ctx, "1", 1e-3, c.option)),
		} {
			var e *fluxion.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: want an error with %q, have %v", at, c.says, err)
			}
		}
	}
	for _, eps := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := p.Exact(context.Background(), "1", eps)
		if err == nil || !strings.Contains(err.Error(), "is not a positive number") {
			t.Errorf("the tolerance %v: %v", eps, err)
		}
		_, err = fluxion.BindExact[func(float64) fluxion.Interval](p, "square", eps)
		if err == nil || !strings.Contains(err.Error(), "is not a positive number") {
			t.Errorf("the tolerance %v of a bound function: %v", eps, err)
		}
	}
	if _, err := fluxion.Bind[func(float64) float64](p, "square",
		fluxion.Primitives(prim)); err == nil || !strings.Contains(err.Error(), "when a program is loaded") {
		t.Errorf("primitives that are given too late: %v", err)
	}
	if _, err := fluxion.Bind[func(float64) float64](p, "square", fluxion.Wrt("x")); err == nil {
		t.Error("a value is by a parameter")
	}
	// The parameters that derivatives of a program are by do not matter to values.
	wrt := parse(t, text, fluxion.Wrt("x"))
	close(t, "a value", must(fluxion.Bind[func(float64) float64](wrt, "square"))(3), 9)
	close(t, "a slope", must(fluxion.Grad[func(float64) float64](wrt, "square"))(3), 6)
}

// TestMistakes: what a Go program does by mistake is an error that says so, and no crash.
func TestMistakes(t *testing.T) {
	p := parse(t, `
let area (r : Real) : Real = pi * r^2
let fixed (x : [3]Real) : Real = x[0] * x[1] * x[2]
let spin (x : Real) : Real = loop y = x while y > 0 do y + 1
`, fluxion.Timeout(20*time.Millisecond))
	ctx := context.Background()
	var none *fluxion.Program
	var x float64
	spin := must(fluxion.Bind[func(float64) (float64, error)](p, "spin"))
	certified := must(fluxion.BindExact[func(float64) (fluxion.Interval, error)](p, "area", 1e-9))
	for want, err := range map[string]error{
		"the zero Value holds nothing":          fluxion.Value{}.Decode(&x),
		"there is no program":                   second(none.Eval(ctx, "1")),
		"an error of Parse":                     second(new(fluxion.Program).Exact(ctx, "1", 1e-3)),
		"E0715]: there is no program":           second(fluxion.Grad[func(float64) float64](none, "area")),
		"an array of 3 elements, or a slice":    second(fluxion.Bind[func([2]float64) float64](p, "fixed")),
		"has 1 parameter and no results":        second(fluxion.Bind[func(float64)](p, "area")),
		"the first parameter of the Go type is": second(fluxion.Bind[func(a, b float64) float64](p, "area")),
		"with the option Timeout":               second(spin(1)),
		"has the number NaN":                    second(certified(math.NaN())),
		"has the number +Inf":                   second(certified(math.Inf(1))),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if s := (fluxion.Value{}).String(); s != "<no value>" {
		t.Errorf("the zero Value is %s", s)
	}
}

func second[T any](_ T, err error) error { return err }

// TestEvalKeeps: an expression that was evaluated is neither checked nor compiled again, whichever
// goroutine asks, and the other options hold.
func TestEvalKeeps(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector pools forget at random")
	}
	p := parse(t, "let area (r : Real) : Real = pi * r^2\nlet f (x : []Real) : Real = sum [y^2 for y in x]\n")
	ctx := context.Background()
	for _, expr := range []string{"1 + 1", "area 2", "grad f [1, 2, 3]", "(area, 3)"} {
		evaluate := func() {
			if _, err := p.Eval(ctx, expr); err != nil {
				t.Fatal(err)
			}
		}
		evaluate()
		if n := bytesPerRun(50, evaluate); n > 20_000 {
			t.Errorf("evaluating `%s` again takes %d bytes", expr, n)
		}
	}
	// A small expression takes no stacks of its own, even if it is new.
	k := 0
	if n := bytesPerRun(50, func() {
		k++
		if _, err := p.Eval(ctx, "area "+strings.Repeat("1", k)); err != nil {
			t.Fatal(err)
		}
	}); n > 100_000 {
		t.Errorf("evaluating small new expressions takes %d bytes each", n)
	}
	if _, err := p.Eval(ctx, "sum [real i for i < 100000]", fluxion.Depth(100)); err != nil {
		t.Error(err)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	if _, err := p.Eval(over, "area 2"); !errors.Is(err, context.Canceled) {
		t.Errorf("an expression that is kept, with a context that is over: %v", err)
	}
	if _, err := p.Eval(ctx, "nobody 2"); err == nil {
		t.Error("an expression with an error has a value")
	}
}

// bytesPerRun returns how many bytes a call allocates, on average.
func bytesPerRun(runs int, call func()) int {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what one processor has kept it finds again
	call()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		call()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / runs
}

// TestEvalReadsAgain: an expression that names a data file reads it each time.
func TestEvalReadsAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	p := parse(t, "")
	for _, want := range []string{"[1.5]", "[2.5, 3.5]"} {
		if err := os.WriteFile("numbers.json", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := p.Eval(context.Background(), `(file "numbers.json" : []Real)`)
		if err != nil || v.String() != want {
			t.Errorf("the numbers are %v, want %s (%v)", v, want, err)
		}
	}
}

// TestThreads: a sum and its gradient have the same bits for any number of threads, the default
// included, where the sum is long enough to be cut.
func TestThreads(t *testing.T) {
	p := parse(t, `let cost (w : Real) (xs : []Real) : Real = sum [exp (w * x) / (1 + x^2) for x in xs]`)
	xs := make([]float64, 300_000)
	for i := range xs {
		xs[i] = math.Sin(float64(i))
	}
	type cost = func(float64, []float64) (float64, float64)
	want, slope := must(fluxion.ValueAndGrad[cost](p, "cost", fluxion.Wrt("w")))(0.3, xs)
	for _, n := range []int{1, 2, 3, 7} {
		f := must(fluxion.ValueAndGrad[cost](p, "cost", fluxion.Wrt("w"), fluxion.Threads(n)))
		if got, by := f(0.3, xs); got != want || by != slope {
			t.Errorf("%d threads: %v, %v and not %v, %v", n, got, by, want, slope)
		}
	}
}
