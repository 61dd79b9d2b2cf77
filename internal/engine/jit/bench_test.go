package jit

import (
	"fmt"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// kernels are the loops that are measured against C, on xs, ys and a number n of elements.
func kernels() map[string]*loop.Func {
	make := func(name string, body func(b *loop.Builder, xs, ys, n *loop.Var) loop.Atom) *loop.Func {
		xs, ys, n := loop.NewVar("xs", loop.F64s), loop.NewVar("ys", loop.F64s), loop.NewVar("n", loop.I64)
		var b loop.Builder
		result := body(&b, xs, ys, n)
		f := &loop.Func{Name: name, Params: []*loop.Var{xs, ys, n}, Body: b.Block(result)}
		setLanes(f.Body)
		return f
	}
	sum := func(name string, term func(b *loop.Builder, x loop.Atom) loop.Atom) *loop.Func {
		return make(name, func(b *loop.Builder, xs, ys, n *loop.Var) loop.Atom {
			return b.Sum("i", n, func(b *loop.Builder, i *loop.Var) loop.Atom { return term(b, b.Load("x", xs, i)) })
		})
	}
	return map[string]*loop.Func{
		"dot": dot(true),
		"sum": sum("sum", func(b *loop.Builder, x loop.Atom) loop.Atom { return x }),
		"exp": sum("exp", func(b *loop.Builder, x loop.Atom) loop.Atom { return b.Let("e", loop.Lookup("exp"), x) }),
		"log": sum("log", func(b *loop.Builder, x loop.Atom) loop.Atom {
			return b.Let("e", loop.Lookup("log"), b.Let("a", loop.AbsF, x))
		}),
		"axpy": make("axpy", func(b *loop.Builder, xs, ys, n *loop.Var) loop.Atom {
			out := b.Alloc("out", loop.F64s, n, false)
			b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
				b.Store(out, i, b.Let("s", loop.AddF, b.Let("p", loop.MulF, loop.Real(3), b.Load("x", xs, i)), b.Load("y", ys, i)))
			})
			return out
		}),
	}
}

func TestKernels(t *testing.T) {
	for _, f := range kernels() {
		for _, n := range []int{0, 5, 8, 100, 1001} {
			check(t, program(f), []loop.Value{reals(n), reals(n), loop.IntValue(int64(n))})
		}
	}
}

// BenchmarkKernels gives the time of each kernel; testdata/kernels.c has them in C.
func BenchmarkKernels(b *testing.B) {
	for name, f := range kernels() {
		for _, n := range []int{1000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				code, err := Compile(program(f), Options{})
				if err != nil {
					b.Fatal(err)
				}
				args := toArgs(f, []loop.Value{reals(n), reals(n), loop.IntValue(int64(n))})
				best := time.Hour
				for b.Loop() {
					start := time.Now()
					if _, err := code.Run(args, loop.RunOptions{}); err != nil {
						b.Fatal(err)
					}
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(best.Nanoseconds()), "best-ns")
			})
		}
	}
}
