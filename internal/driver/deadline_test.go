package driver

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// nestedDerivs returns a function in so many derivatives of each other: its code grows
// exponentially.
func nestedDerivs(n int, f string) string {
	return strings.Repeat("deriv (", n) + f + strings.Repeat(")", n)
}

// endless are programs that take much longer than any deadline, each in another stage.
var endless = []struct{ stage, text string }{
	{"derivatives in derivatives", nestedDerivs(40, "fun x => sin x") + " 1"},
	{"derivatives of loops", nestedDerivs(12, "fun x => loop y = x for i < 50 do sin (y * x)") + " 1"},
	{"gradients in gradients", "let f (v : []Real) = sum [sin (x * v[0]) for x in v]\n" +
		"let g (v : []Real) = sum (grad f v)\nlet h (v : []Real) = sum (grad g v)\nlet k (v : []Real) = sum (grad h v)\n" +
		"sum (grad (fun v => sum (grad k v)) [0.5 for _ < 100000])"},
	{"a scalar loop", "loop x = 0.5 while x < 2 do x * 1 + 0"},
	{"a recursion", "let rec fib (n : Int) : Int = if n < 2 then n else fib (n - 1) + fib (n - 2)\nfib 70"},
	{"loops over arrays", "sum [sum [sin (real (i * j)) for i < 100000] for j < 100000]"},
	{"the tape", "let rec f (n : Int) (x : Real) : Real = if n == 0 then x else f (n - 1) (sin x)\ngrad (f 1000000000) 1"},
	{"a search", "sum [integral01 (fun x => integral01 (fun y => sin (x * y * real i))) for i < 100000]"},
}

// TestDeadline: wherever a program spends its time, it ends soon after its deadline, says that this
// is why, and leaves no goroutine behind.
func TestDeadline(t *testing.T) {
	for _, engine := range Engines() {
		for _, c := range endless {
			t.Run(engine+" "+c.stage, func(t *testing.T) {
				var list diag.List
				unit := NewWorld(nil).LoadText("test", c.text+"\n", nil, &list)
				if list.Failed() {
					t.Fatal(list.Sorted()[0])
				}
				before := runtime.NumGoroutine()
				ctx, done := stop.Within(context.Background(), 100*time.Millisecond)
				defer done()
				start := time.Now()
				_, d := Run(ctx, unit, Settings{Engine: engine, Limits: interp.DefaultLimits()})
				if d == nil || d.Code != diag.TimeLimit {
					t.Errorf("it ends with %v", d)
				}
				if took := time.Since(start); took > 10*time.Second { // of a busy machine
					t.Errorf("it took %v", took)
				}
				settled(t, before)
			})
		}
	}
}

// TestCancelled: an interrupt ends compilation as a deadline does.
func TestCancelled(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", endless[0].text+"\n", nil, &list)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	_, d := Run(ctx, unit, Settings{Engine: BestEngine(), Limits: interp.DefaultLimits()})
	if d == nil || d.Code != diag.Interrupted {
		t.Errorf("it ends with %v", d)
	}
	settled(t, before)
}

// TestStoppedIsNotLost: what a deadline has kept from being compiled is compiled by the next run.
func TestStoppedIsNotLost(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test", nestedDerivs(3, "fun x => sin (x * x)")+" 1\n", nil, &list)
	settings := Settings{Engine: BestEngine(), Limits: interp.DefaultLimits(), Compile: interp.Options{Eager: true}}
	e, d := unit.Evaluation(context.Background(), settings)
	if d != nil {
		t.Fatal(d)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, d := e.Run(over, settings); d == nil || d.Code != diag.Interrupted {
		t.Errorf("a run whose context is over ends with %v", d)
	}
	if _, d := e.Run(context.Background(), settings); d != nil {
		t.Errorf("the run after it fails: %v", d)
	}
}

// TestLeftBehind: calls that end within an operation that cannot be interrupted end in time, and
// leave few goroutines behind, however many calls there are; in the end none is left.
func TestLeftBehind(t *testing.T) {
	var list diag.List
	unit := NewWorld(nil).LoadText("test",
		"sum (linalg.eigSym [[sin (real (i * j)) for i < 400] for j < 400]).values\n", nil, &list)
	settings := Settings{Engine: "interp", Limits: interp.DefaultLimits()}
	e, d := unit.Evaluation(context.Background(), settings)
	if d != nil {
		t.Fatal(d)
	}
	before := runtime.NumGoroutine()
	if _, d := e.Run(context.Background(), settings); d != nil {
		t.Fatal(d)
	}
	stopped := 0
	for k := range 3 * task.MostLeft {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(40+k)*time.Millisecond)
		if _, d := e.Run(ctx, settings); d != nil {
			stopped++
			if d.Code != diag.TimeLimit {
				t.Errorf("it ends with %v", d)
			}
		}
		cancel()
		settled(t, before+task.MostLeft) // one that has ended may still be about to go
	}
	t.Logf("%d runs were stopped", stopped)
	for wait := time.Now(); runtime.NumGoroutine() > before && time.Since(wait) < time.Minute; {
		time.Sleep(10 * time.Millisecond)
	}
	settled(t, before)
}

// settled waits a moment for goroutines of the runtime, and none of ours, to end.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines more than before\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
}

// TestLoadingEnds: a module whose loading is ended is empty, says why, and can be loaded again. So
// can what imports it.
func TestLoadingEnds(t *testing.T) {
	var wide strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&wide, "let d%d (x : Real) : Real = sin x + %d\n", i, i)
	}
	files := map[string]string{"a.flx": wide.String() + "d1 2\n", "b.flx": "import \"./a.flx\"\na.d1 2\n"}
	w := NewWorld(func(path string) (string, error) { return files[path], nil })
	ended := 0
	for after := time.Duration(1); after < 64*time.Millisecond; after *= 2 {
		ctx, done := stop.Within(context.Background(), after)
		var list diag.List
		unit := w.Until(ctx).LoadFile("b.flx", &list)
		done()
		if list.Failed() {
			ended++
			if d := list.Sorted()[0]; d.Code != diag.TimeLimit || list.Errors() != 1 || unit.Core != nil {
				t.Fatalf("it ends with %v", list.Sorted())
			}
			_ = w.LoadText("session", "1 + 1\n", []*Unit{unit}, &diag.List{})
			continue
		}
		w.Forget()
	}
	if ended == 0 {
		t.Error("no loading was ended")
	}
	var list diag.List
	unit := w.LoadFile("b.flx", &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	if _, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()}); d != nil {
		t.Error(d)
	}
}
