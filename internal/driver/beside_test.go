package driver

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestConcurrentCompilation: what a program computes, and what of it is compiled, does not depend
// on whether other cores compile while it runs.
func TestConcurrentCompilation(t *testing.T) {
	engine := BestEngine()
	const text = `
let wave (k : Int) (n : Int) : []Real = [sin (real (i * k)) + sum [cos (real (i + j)) for j < 30] for i < n]
let points = wave 3 400
let other = wave 5 300
let descend (target : []Real) (start : []Real) : []Real =
  loop x = start for _ < 20 do x - 0.01 .* grad (fun p => sum [(a - b) ^ 2 for (a, b) in zip p target]) x
let fitted = descend points (map (fun x => x / 2) points)
let seldom = if sum points > 1000000 then descend other other else other
(sum fitted, sum seldom, sum (map (fun x => x * x) fitted))
`
	run := func(cores int) (result string, compiled []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var mu sync.Mutex
		var list diag.List
		settings := Settings{Limits: interp.DefaultLimits(), Engine: engine, Deterministic: true}
		inner := settings.Options().Engine
		settings.Compile.Engine = func(p *loop.Program) (loop.Code, error) {
			mu.Lock()
			compiled = append(compiled, p.Funcs[0].Name)
			mu.Unlock()
			return inner(p)
		}
		unit := NewWorld(nil).LoadText("program.flx", text, nil, &list)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
		r, d := Run(context.Background(), unit, settings)
		if d != nil {
			t.Fatal(d)
		}
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(compiled)
		return value.Show(r.Value), compiled
	}
	want, names := run(1)
	if len(names) < 3 {
		t.Errorf("only %v are compiled", names)
	}
	for range 10 {
		if got, compiled := run(4); got != want || !slices.Equal(compiled, names) {
			t.Errorf("%s by %v, not %s by %v", got, compiled, want, names)
		}
	}
}
