package jit

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// TestThreads: a gradient by several goroutines is that by one, up to rounding, and the same bits for any
// number of them.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	f := mixture(t)
	code, err := Compile(program(f), Options{})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	for _, n := range []int{0, 1, 100, 3000} {
		args := toArgs(f, append(looptest.MixtureArgs(r, n, 3, 4), loop.RealValue(1)))
		var outs [][]loop.Arg
		for _, threads := range []int{0, 2, 3, 8} {
			out, err := code.Run(args, loop.RunOptions{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			outs = append(outs, out)
		}
		for k := range outs[0] {
			for i, x := range outs[0][k].F {
				if y := outs[1][k].F[i]; !near(x, y) {
					t.Errorf("%d points: element %d of result %d is %v by two and %v by one", n, i, k, y, x)
				}
				for _, out := range outs[2:] {
					if math.Float64bits(out[k].F[i]) != math.Float64bits(outs[1][k].F[i]) {
						t.Fatalf("%d points: element %d of result %d depends on the number of goroutines", n, i, k)
					}
				}
			}
		}
	}
	stop := errors.New("stop")
	args := toArgs(f, append(looptest.MixtureArgs(r, 100000, 10, 4), loop.RealValue(1)))
	if _, err := code.Run(args, loop.RunOptions{Threads: 2, Poll: func() error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
}

// TestThreadStores: goroutines fill one buffer.
func TestThreadStores(t *testing.T) {
	for name, f := range kernels() {
		code, err := Compile(program(f), Options{})
		if errors.Is(err, ErrUnsupported) {
			t.Skip(err)
		}
		for _, n := range []int{0, 1, 77, 5000} {
			args := []loop.Value{reals(n), reals(n), loop.IntValue(int64(n))}
			one, err := code.Run(toArgs(f, args), loop.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			two, err := code.Run(toArgs(f, args), loop.RunOptions{Threads: 2})
			if err != nil || len(one[0].F) != len(two[0].F) || !near(one[0].Real(), two[0].Real()) {
				t.Fatalf("%s of %d: %v, %v", name, n, two, err)
			}
			for i, x := range one[0].F {
				if two[0].F[i] != x {
					t.Fatalf("%s of %d: element %d is %v and not %v", name, n, i, two[0].F[i], x)
				}
			}
		}
	}
}

// BenchmarkThreads is the gradient of a mixture over 1,000 points in 32 dimensions, by one and by two goroutines. On a
// machine that does other work too, two may wait for each other; "ideal" is what they would need if they did not: what
// comes before the loop, half of its turns, and what comes after.
func BenchmarkThreads(b *testing.B) {
	f := mixture(b)
	code, err := Compile(program(f), Options{Flush: true})
	if err != nil {
		b.Fatal(err)
	}
	cut, err := code.cut()
	if err != nil {
		b.Fatal(err)
	}
	args := toArgs(f, append(looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 1000, 25, 32), loop.RealValue(1)))
	best := map[string]time.Duration{}
	measure := func(what string, run func() ([]loop.Arg, error)) []loop.Arg {
		start := time.Now()
		out, err := run()
		took := time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		if old, ok := best[what]; !ok || took < old {
			best[what] = took
		}
		return out
	}
	for b.Loop() {
		for n, what := range []string{"one", "two"} {
			measure(what, func() ([]loop.Arg, error) { return code.Run(args, loop.RunOptions{Threads: n + 1}) })
		}
		env := map[*loop.Var]loop.Arg{}
		bind := func(vs []*loop.Var, args []loop.Arg) {
			for i, v := range vs {
				env[v] = args[i]
			}
		}
		all := func(vs []*loop.Var) (out []loop.Arg) {
			for _, v := range vs {
				out = append(out, env[v])
			}
			return out
		}
		bind(f.Params, args)
		bind(cut.made, measure("before", func() ([]loop.Arg, error) { return cut.before.Run(args, loop.RunOptions{}) }))
		half := append([]loop.Arg{{Word: 0}, {Word: 512}}, all(cut.captured)...)
		totals := measure("half", func() ([]loop.Arg, error) { return cut.part.Run(half, loop.RunOptions{}) })
		for k, r := range cut.loop.Reds {
			env[r.Result] = totals[k]
		}
		measure("after", func() ([]loop.Arg, error) { return cut.after.Run(all(cut.rest), loop.RunOptions{}) })
	}
	best["ideal"] = best["before"] + best["half"] + best["after"]
	for _, what := range []string{"one", "two", "ideal"} {
		b.ReportMetric(float64(best[what].Microseconds()), what+"-µs")
	}
}
