package bind

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

func gradient(b *testing.B) *Function {
	world := driver.NewWorld(nil)
	var list diag.List
	unit := world.LoadText("rosen.flx", "let rosenbrock (x : []Real) : Real =\n"+
		"  sum [100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i < length x - 1]\n", nil, &list)
	f, failed := New(context.Background(), Request{World: world, Unit: unit, Name: "rosenbrock", Ask: Gradient,
		Go: reflect.TypeFor[func(grad,
			x []float64)](), Settings: driver.Settings{Limits: interp.DefaultLimits(), Engine: driver.BestEngine()}})
	if failed != nil {
		b.Fatal(failed.Sorted()[0])
	}
	return f
}

// BenchmarkBound measures what binding costs: a bound gradient beside the compiled code that
// computes it, in turn, the best of many short runs each.
func BenchmarkBound(b *testing.B) {
	f := gradient(b)
	x, g := []float64{-1.2, 1, 0.5, 0.25}, make([]float64, 4)
	args := []loop.Arg{{Word: uint64(len(x))}, {F: x}}
	into := []loop.Arg{{}, {F: g[:0:len(g)]}}
	bound := f.As(reflect.TypeFor[func(grad, x []float64)]()).(func(grad, x []float64))
	const calls = 500
	best := func(so *time.Duration, run func()) {
		start := time.Now()
		for range calls {
			run()
		}
		if took := time.Since(start); *so == 0 || took < *so {
			*so = took
		}
	}
	var kernel, whole time.Duration
	for b.Loop() {
		best(&kernel, func() {
			if err := f.kernel.Loops.RunInto(into, args, loop.RunOptions{}); err != nil {
				b.Fatal(err)
			}
		})
		best(&whole, func() { bound(g, x) })
	}
	b.ReportMetric(float64(kernel.Nanoseconds())/calls, "kernel-ns")
	b.ReportMetric(float64(whole.Nanoseconds())/calls, "bound-ns")
}
