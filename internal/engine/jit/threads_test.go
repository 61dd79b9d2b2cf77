package jit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// TestThreads: a gradient in parts is that of the function as a whole, up to rounding, and the same
// bits for any number of goroutines.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	f := mixture(t)
	code, err := Compile(program(f), Options{parts: 5})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	whole, err := compile(program(f), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 100, 3000} {
		args := toArgs(f, append(looptest.MixtureArgs(r, n, 3, 4), loop.RealValue(1)))
		whole, err := whole.Run(args, loop.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var one []loop.Arg
		for _, threads := range []int{0, 1, 2, 3, 8} {
			out, err := code.Run(args, loop.RunOptions{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if one == nil {
				one = out
			}
			for k := range out {
				for i, x := range out[k].F {
					if y := whole[k].F[i]; !near(y, x) {
						t.Errorf("%d points: element %d of result %d is %v in parts and %v as a whole",
							n, i, k, x, y)
					}
					if math.Float64bits(x) != math.Float64bits(one[k].F[i]) {
						t.Fatalf("%d points: element %d of result %d depends on the number of goroutines",
							n, i, k)
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
		code, err := Compile(program(f), Options{parts: 5})
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

// Steps down the slope of a sum of squares, with a parallel loop over the data in each of them.
const descent = `func descent(n : i64, d : i64, steps : i64, x : f64s, y : f64s) {
  w = alloc f64s d
  for j < d parallel lanes {
    w[j] = 0.0
  }
  some = lt.i 0 n
  if some {
    seen = alloc f64s steps
    for k < steps, now : f64s = w, add.f from 0.0 {
      g = alloc f64s d zero
      for i < n parallel lanes, add.f from 0.0 {
        at = mul.i i d
        for j.1 < d parallel, add.f from 0.0 {
          a = add.i at j.1
          u = x[a]
          v = now[j.1]
          p = mul.f u v
          yield p
        } gives s : f64
        t = y[i]
        e = sub.f s t
        for j.2 < d parallel {
          a.1 = add.i at j.2
          u.1 = x[a.1]
          q = mul.f u.1 e
          g[j.2] += q
        }
        ee = mul.f e e
        yield ee
      } gives loss : f64
      seen[k] = loss
      next = alloc f64s d
      for j.3 < d parallel lanes {
        old = now[j.3]
        slope = g[j.3]
        step = mul.f slope 0.0001
        new = sub.f old step
        next[j.3] = new
      }
      yield next loss
    } gives last : f64s, total : f64
    yield last seen total
  } else {
    none = alloc f64s 0
    yield w none 0.0
  } gives result : f64s, losses : f64s, sum : f64
  yield result losses sum
}`

// TestNestedThreads: a loop inside of a sequential one and of a branch gives the same bits for any
// number of goroutines, one included.
func TestNestedThreads(t *testing.T) {
	p, err := loop.Parse(descent)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Funcs[0]
	const d, steps = 6, 5
	for _, n := range []int{0, 200, 40_000} {
		code, err := Compile(p, Options{})
		if errors.Is(err, ErrUnsupported) {
			t.Skip(err)
		}
		args := toArgs(f, []loop.Value{loop.IntValue(int64(n)), loop.IntValue(d), loop.IntValue(steps), reals(n * d), reals(n)})
		var outs [][]loop.Arg
		for _, threads := range []int{1, 2, 3, 8} {
			out, err := code.Run(args, loop.RunOptions{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			outs = append(outs, out)
		}
		cut, err := code.cut()
		if _, ok := cut.middle.(*choice); !ok || err != nil {
			t.Fatalf("the branch is not cut: %v", err)
		}
		few := false
		for i := range code.few {
			few = few || code.few[i].Load() != 0
		}
		if few != (n == 200) {
			t.Errorf("%d points are too few: %v", n, few)
		}
		for k := range outs[0] {
			for i, x := range append(outs[0][k].F, outs[0][k].Real()) {
				for m, out := range outs[1:] {
					y := append(out[k].F, out[k].Real())[i]
					if math.Float64bits(x) != math.Float64bits(y) {
						t.Fatalf("%d points: element %d of result %d is %v by %d goroutines and %v by one",
							n, i, k, y, m+2, x)
					}
				}
			}
		}
	}
	code, err := Compile(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop, polls := errors.New("stop"), 0
	args := toArgs(f, []loop.Value{loop.IntValue(40_000), loop.IntValue(d), loop.IntValue(100_000), reals(40_000 * d), reals(40_000)})
	_, err = code.Run(args, loop.RunOptions{Threads: 2, Poll: func() error {
		if polls++; polls > 20 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
}

// What comes after the loop adds to a buffer, and then needs more memory than there is at first.
const addsThenMakes = `func f(n : i64, m : i64) {
  g = alloc f64s n zero
  for i < n parallel lanes, add.f from 0.0 {
    x = real i
    y = sqrt x
    yield y
  } gives s : f64
  for i.1 < n parallel {
    g[i.1] += 1.0
  }
  out = alloc f64s m
  for j < m parallel lanes {
    out[j] = s
  }
  yield g out
}`

// TestThreadMemory: what a piece of the function adds to is added to once, also if it had too
// little memory at first.
func TestThreadMemory(t *testing.T) {
	p, err := loop.Parse(addsThenMakes)
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(p, Options{parts: 2})
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	for _, m := range []uint64{10, 1 << 12, 1 << 18} {
		out, err := code.Run([]loop.Arg{{Word: 5000}, {Word: m}}, loop.RunOptions{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range out[0].F {
			if x != 1 {
				t.Fatalf("%d elements of memory: element %d is %v", m, i, x)
			}
		}
	}
}

// BenchmarkThreads is the gradient of a mixture over 1,000 points in 10, 32 and 64 dimensions, by
// one and by two goroutines: the best of runs one after the other, as an optimiser makes them. On a
// machine that does other work too, two may wait for each other; "ideal" is what they would need if
// they did not: what comes before the loop, half of its turns, and what comes after. "cold" is a
// run by two after a pause, when the second one has to be woken up.
func BenchmarkThreads(b *testing.B) {
	f := mixture(b)
	code, err := Compile(program(f), Options{Flush: true})
	if err != nil {
		b.Fatal(err)
	}
	t, err := code.cut()
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range []int{10, 32, 64} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			args := toArgs(f, append(looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 1000, 25, d), loop.RealValue(1)))
			best := map[string]time.Duration{}
			measure := func(what string, run func() error) {
				start := time.Now()
				err := run()
				took := time.Since(start)
				if err != nil {
					b.Fatal(err)
				}
				if old, ok := best[what]; !ok || took < old {
					best[what] = took
				}
			}
			into := make([]loop.Arg, len(t.yield))
			for b.Loop() {
				for _, what := range []string{"cold", "one", "one", "two", "two", "two", "two"} {
					threads := 2
					if what == "one" {
						threads = 1
					}
					measure(what, func() error { return code.RunInto(into, args, loop.RunOptions{Threads: threads}) })
				}
				env, inner, opts := environment{}, &innerBuffers{make([]loop.Arg, len(t.made)), make([][]float64, len(t.rooms))}, loop.RunOptions{}
				env.bind(t.params, args)
				measure("before", func() error {
					if err := t.makeBefore(env, inner, into, args, opts); err != nil {
						return err
					}
					return t.makeRoom(env, inner, into, &opts)
				})
				middle := t.middle.(*parts)
				half := append([]loop.Arg{{Word: 0}, {Word: 512}}, env.all(middle.captured)...)
				totals := make([]loop.Arg, len(middle.loop.Reds))
				measure("half", func() (err error) {
					for err = errAgain; err == errAgain; { // it has little memory after a collection of garbage
						err = middle.part.RunInto(totals, half, opts)
					}
					return err
				})
				for k, r := range middle.loop.Reds {
					env[r.Result] = totals[k]
				}
				late := make([]loop.Arg, len(t.late))
				measure("after", func() error { return t.after.RunInto(late, env.all(t.rest), opts) })
				time.Sleep(time.Millisecond)
			}
			best["ideal"] = best["before"] + best["half"] + best["after"]
			for _, what := range []string{"one", "two", "cold", "ideal"} {
				b.ReportMetric(float64(best[what].Microseconds()), what+"-µs")
			}
		})
	}
}
