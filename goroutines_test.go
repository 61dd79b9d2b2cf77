package fluxion_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion"
	"github.com/fluxion-lang/fluxion/internal/task/tasktest"
)

// TestNothingOutlivesCalls: when calls end, by themselves or with their context, in whatever they do
// then, the goroutines that they started have ended.
func TestNothingOutlivesCalls(t *testing.T) {
	const text = `
let rec spin (n : Int) : Int = if n < 0 then n else spin (n + 1)
let long (x : Real) : Real = loop s = x for i < 2000000000 do sin s
let wide (n : Int) : Real = sum [sum [sin (real (i * j)) for i < n] for j < n]
let search (x : Real) : Real = integral 0 x (fun t => integral 0 1 (fun s => abs (sin (7 * s * t))))
let loss (x : []Real) : Real = sum [loop s = y for i < 1000000 do sin (s * y) for y in x]
`
	for _, after := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond} {
		p := parse(t, text)
		spin := must(fluxion.Bind[func(context.Context, int) (int, error)](p, "spin"))
		long := must(fluxion.Bind[func(context.Context, float64) (float64, error)](p, "long"))
		wide := must(fluxion.Bind[func(context.Context, int) (float64, error)](p, "wide"))
		search := must(fluxion.Bind[func(context.Context, float64) (float64, error)](p, "search"))
		grad := must(fluxion.Grad[func(ctx context.Context, grad, x []float64) error](p, "loss"))
		for name, call := range map[string]func(context.Context){
			"interpreted": func(ctx context.Context) { _, _ = spin(ctx, 1) },
			"compiled":    func(ctx context.Context) { _, _ = long(ctx, 1) },
			"parallel":    func(ctx context.Context) { _, _ = wide(ctx, 100_000) },
			"search":      func(ctx context.Context) { _, _ = search(ctx, 100) },
			"gradient": func(ctx context.Context) {
				_ = grad(ctx, make([]float64, 1000), make([]float64, 1000))
			},
			"expression": func(ctx context.Context) { _, _ = p.Eval(ctx, "spin 1 + floor (wide 100000)") },
			"exact":      func(ctx context.Context) { _, _ = p.Exact(ctx, "search 100", 1e-9) },
			"nested derivatives": func(ctx context.Context) {
				_, _ = p.Eval(ctx, strings.Repeat("deriv (", 7)+"fun x => sin (x * x)"+
					strings.Repeat(")", 7)+" 1")
			},
		} {
			before := len(tasktest.Goroutines())
			ctx, stop := context.WithTimeout(context.Background(), after)
			call(ctx)
			stop()
			t.Log(name, after)
			tasktest.Ended(t, before)
		}
	}
}
