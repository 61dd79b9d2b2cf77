package pass_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestGuards: no access moves over a check that may guard it, neither a read nor a write, whether
// the check stands before it or in a loop before it.
func TestGuards(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		// The loop over 3 elements is joined with the one that reads what was added; what is
		// between them stays behind it.
		{"fuse, in a loop", `func f(n : i64, ks : i64s) {
  xs = alloc f64s 3
  for i < 3 parallel {
    x = real i
    xs[i] = x
  }
  for j < n parallel, add.f from 0.0 {
    k = ks[j]
    high = lt.i k 3
    check high
    y = xs[k]
    yield y
  } gives total : f64
  d = alloc f64s 3 zero
  for l < n parallel {
    k.1 = ks[l]
    d[k.1] += 1.0
  }
  for m < 3 parallel, add.f from 0.0 {
    z = d[m]
    yield z
  } gives sum : f64
  yield total sum
}
`},
		{"fuse, a write", `func f(n : i64, ks : i64s) {
  xs = alloc f64s 3
  k = ks[0]
  for i < 3 parallel, add.i from 0 {
    x = real i
    xs[i] = x
    yield k
  } gives total : i64
  high = lt.i total 7
  check high
  d = alloc f64s 3 zero
  d[k] += 1.0
  for m < 3 parallel, add.f from 0.0 {
    y = real m
    yield y
  } gives sum : f64
  yield sum d xs
}
`},
		// The first loop has the guards itself.
		{"fuse, over the first", `func f(n : i64, ks : i64s) {
  for j < 2 parallel, add.i from 0 {
    k = ks[j]
    high = lt.i k 3
    check high
    yield k
  } gives total : i64
  d = alloc f64s 3 zero
  for l < n parallel {
    k.1 = ks[l]
    d[k.1] += 1.0
  }
  for m < 2 parallel, add.f from 0.0 {
    z = d[m]
    yield z
  } gives sum : f64
  yield total sum
}
`},
		{"hoist, in a loop", `func f(n : i64, ks : i64s) {
  xs = alloc f64s 3
  for i < 3 parallel {
    x = real i
    xs[i] = x
  }
  k = ks[0]
  for i.1 < 4 parallel, add.f from 0.0 {
    for j < 2 parallel {
      l = ks[j]
      high = lt.i l 3
      check high
    }
    y = xs[k]
    yield y
  } gives total : f64
  yield total
}
`},
		{"hoist, writes", `func f(n : i64, ks : i64s) {
  k = ks[0]
  for i < 4 parallel, add.f from 0.0 {
    high = lt.i k 3
    check high
    d = alloc f64s 3 zero
    for j < 2 parallel {
      d[k] += 1.0
    }
    y = d[0]
    yield y
  } gives total : f64
  yield total
}
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range passes {
				parsed, err := loop.Parse(c.text)
				if err != nil {
					t.Fatal(err)
				}
				f := parsed.Funcs[0]
				p.run(f)
				for k := int64(2); k < 4; k++ {
					args := []loop.Value{loop.IntValue(2), loop.IntsValue([]int64{k, k})}
					if _, fails := outcome(t, p.name, c.text, f, args); fails != (k == 3) {
						t.Errorf("%s: at %d it fails: %v\n%s", p.name, k, fails, f)
					}
				}
			}
		})
	}
}

// TestGuardedDerivatives: the derivative of a function with checks relies on those of the function,
// which stand in other loops. What they guard is not done in front of them.
func TestGuardedDerivatives(t *testing.T) {
	failed := 0
	for seed := range looptest.Checks(300) {
		rng := rand.New(rand.NewPCG(seed, 8))
		f, args := looptest.Random(rng, looptest.Options{Size: 4, Checks: true, Whiles: true, Smooth: true})
		f.Body.Yield = f.Body.Yield[:2] // reals, whose cotangents are there even if a check fails
		if seed%3 > 0 {
			pass.Optimize(f, pass.Options{})
		}
		r, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, loop.RealValue(rng.Float64()), loop.RealValue(rng.Float64()))
		want, fails := outcome(t, "before", "", r, args)
		if fails {
			failed++
		}
		before := r.String()
		if p := passes[seed%uint64(len(passes))]; seed%2 == 0 {
			p.run(r)
		} else {
			pass.Optimize(r, pass.Options{Schedule: true})
		}
		got, now := outcome(t, "after", before, r, args)
		if now != fails || !fails && !close(r, want, got) {
			t.Fatalf("seed %d: failed before: %v, after: %v\n%s\nto\n%s", seed, fails, now, before, r)
		}
	}
	t.Logf("%d fail", failed)
}
