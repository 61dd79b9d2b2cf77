package pass_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// long are functions of x, n and a buffer that repeat something k times.
var long = map[string]func(k int) *loop.Func{
	"operations": func(k int) *loop.Func {
		return repeated(k, func(b *loop.Builder, x loop.Atom, _, _ *loop.Var) loop.Atom {
			return b.Let("t", loop.Lookup("sin"), b.Let("t", loop.MulF, x, x))
		})
	},
	"sums": func(k int) *loop.Func {
		return repeated(k, func(b *loop.Builder, x loop.Atom, n, xs *loop.Var) loop.Atom {
			return b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom {
				return b.Let("t", loop.MulF, x, b.Load("x", xs, i))
			})
		})
	},
	"branches": func(k int) *loop.Func {
		return repeated(k, func(b *loop.Builder, x loop.Atom, _, _ *loop.Var) loop.Atom {
			y := loop.NewVar("y", loop.F64)
			var then, otherwise loop.Builder
			b.Add(&loop.If{Results: []*loop.Var{y}, Cond: b.Let("c", loop.LtF, x, loop.Real(1)),
				Then: then.Block(then.Let("t", loop.Lookup("exp"), x)), Else: otherwise.Block(otherwise.Let("t", loop.MulF, x, x))})
			return y
		})
	},
	"buffers": func(k int) *loop.Func {
		return repeated(k, func(b *loop.Builder, x loop.Atom, n, xs *loop.Var) loop.Atom {
			ys := b.Alloc("ys", loop.F64s, n, false)
			b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
				b.Store(ys, i, b.Let("t", loop.MulF, x, b.Load("x", xs, i)))
			})
			return b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom { return b.Load("y", ys, i) })
		})
	},
}

func repeated(k int, step func(b *loop.Builder, x loop.Atom, n, xs *loop.Var) loop.Atom) *loop.Func {
	x, n, xs := loop.NewVar("x", loop.F64), loop.NewVar("n", loop.I64), loop.NewVar("xs", loop.F64s)
	var b loop.Builder
	y := loop.Atom(x)
	for range k {
		y = step(&b, y, n, xs)
	}
	return &loop.Func{Name: "long", Params: []*loop.Var{x, n, xs}, Body: b.Block(y)}
}

// TestWork: the passes and the derivative take time that is linear in the program. Time is measured
// in bytes that are allocated.
func TestWork(t *testing.T) {
	for name, family := range long {
		var work [2]uint64
		for i, k := range []int{100, 400} {
			start := time.Now()
			work[i] = allocated(func() {
				f := family(k)
				pass.Optimize(f, pass.Options{})
				g, err := grad.Reverse(&loop.Program{}, f, []bool{true, false, true}, looptest.Rules)
				if err != nil {
					t.Fatal(err)
				}
				pass.Optimize(g, pass.Options{Schedule: true})
			})
			t.Logf("%d %s: %d KB, %v", k, name, work[i]>>10, time.Since(start))
		}
		if work[1] > 6*work[0] {
			t.Errorf("%s: four times the program take %.1f times the work", name, float64(work[1])/float64(work[0]))
		}
	}
}

// allocated is how many bytes a function allocates if it finds every pool empty. The first two
// collections empty them (a pool keeps between collections what it held), and none may do so while
// f runs.
func allocated(f func()) uint64 {
	for range 2 {
		runtime.GC()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
