package portable

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

func arguments(f *loop.Func, values []loop.Value) []loop.Arg {
	args := make([]loop.Arg, len(values))
	for i, v := range values {
		switch f.Params[i].Kind {
		case loop.F64s:
			args[i].F = v.Reals()
		case loop.I64s:
			for _, w := range v.Buf {
				args[i].I = append(args[i].I, int64(w))
			}
		default:
			args[i].Word = v.Word
		}
	}
	return args
}

func near(x, y float64) bool {
	return x == y || x != x && y != y || math.Abs(x-y) <= 1e-9*(math.Abs(x)+math.Abs(y)+1)
}

// TestAgainstEval: random functions give what their semantics says, in strips and without.
func TestAgainstEval(t *testing.T) {
	for seed := range looptest.Checks(400) {
		o := looptest.Options{Updates: true, Whiles: true, Copies: seed%2 == 0}
		if seed%3 == 0 { // small enough to have nests without branches, which run in strips
			o = looptest.Options{Size: 3, Depth: 2, Copies: true}
		}
		f, values := looptest.Random(rand.New(rand.NewPCG(seed, 3)), o)
		if seed%4 == 0 {
			pass.InPlace(f)
		}
		agrees(t, seed, f, values)
	}
}

// TestRecursive: so do reverse derivatives of random functions that call themselves.
func TestRecursive(t *testing.T) {
	for seed := range looptest.Checks(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		f, values := looptest.Random(rng, looptest.Options{Size: 4, Depth: 2, Whiles: true, Smooth: true, Calls: true})
		out, err := loop.Eval(f, values...)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range f.Body.Yield {
			switch a.AtomKind() {
			case loop.F64:
				values = append(values, loop.RealValue(rng.Float64()))
			case loop.F64s:
				xs := make([]float64, len(out[i].Buf))
				for j := range xs {
					xs[j] = rng.Float64()
				}
				values = append(values, loop.RealsValue(xs))
			}
		}
		g, err := grad.Reverse(&loop.Program{}, f, []bool{true, true, false, true, false}, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			for _, h := range loop.Reached(g).Funcs {
				pass.Optimize(h, pass.Options{Schedule: true})
			}
		}
		agrees(t, seed, g, values)
	}
}

// agrees checks that a function gives what its semantics says, in strips and without.
func agrees(t *testing.T, seed uint64, f *loop.Func, values []loop.Value) {
	t.Helper()
	want, wantErr := loop.Eval(vmath.Inline(f), values...)
	for _, few := range []int64{1, 1 << 62} {
		code := compile(f, few, false)
		for range 2 { // the second run uses what the first has left
			got, err := code.Run(arguments(f, values), loop.RunOptions{})
			if err != wantErr {
				t.Fatalf("seed %d: %v, not %v", seed, err, wantErr)
			}
			if err != nil {
				continue
			}
			for i, a := range f.Body.Yield {
				same := true
				switch k := a.AtomKind(); k {
				case loop.F64:
					same = near(got[i].Real(), want[i].Real())
				case loop.F64s:
					same = len(got[i].F) == len(want[i].Buf)
					for j, x := range want[i].Reals() {
						same = same && near(got[i].F[j], x)
					}
				case loop.I64s:
					same = len(got[i].I) == len(want[i].Buf)
					for j, w := range want[i].Buf {
						same = same && got[i].I[j] == int64(w)
					}
				default:
					same = got[i].Word == want[i].Word
				}
				if !same {
					t.Fatalf("seed %d, few %d, result %d: %v, not %v\n%s", seed, few, i, got[i], want[i], f)
				}
			}
		}
	}
}

// TestMath: the functions of math.go are the definitions.
func TestMath(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for name, f := range math1 {
		def := vmath.Inline(vmath.Define(loop.Lookup(name)))
		for range 50 {
			x := math.Float64frombits(rnd.Uint64())
			if rnd.IntN(2) == 0 {
				x = rnd.NormFloat64()
			}
			out, err := loop.Eval(def, loop.RealValue(x))
			if err == nil && math.Float64bits(f(x)) != out[0].Word && f(x) == f(x) {
				t.Errorf("%s %v = %v, not %v", name, x, f(x), out[0].Real())
			}
		}
	}
}

func program(t testing.TB, text string) *loop.Func {
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.Funcs[0]
}

// axpy is a·x + y, sumExp Σ exp(x[i]), and mixture Σ_i log Σ_k exp(-½ Σ_j ((x[i,j] -
// m[k,j])·s[k,j])²).
const (
	axpy = `func axpy(a : f64, xs : f64s, ys : f64s) {
  n = length xs
  out = alloc f64s n
  for i < n parallel {
    x = xs[i]
    y = ys[i]
    p = mul.f a x
    s = add.f p y
    out[i] = s
  }
  yield out
}
`
	sumExp = `func sumExp(xs : f64s) {
  n = length xs
  for i < n parallel, add.f from 0.0 {
    x = xs[i]
    y = exp x
    yield y
  } gives s : f64
  yield s
}
`
	mixture = `func mixture(xs : f64s, ms : f64s, ss : f64s, n : i64, k : i64, d : i64) {
  for i < n parallel, add.f from 0.0 {
    row = mul.i i d
    es = alloc f64s k
    for c < k parallel {
      base = mul.i c d
      for j < d parallel, add.f from 0.0 {
        at = add.i row j
        bt = add.i base j
        x = xs[at]
        m = ms[bt]
        s = ss[bt]
        u = sub.f x m
        v = mul.f u s
        w = mul.f v v
        yield w
      } gives q : f64
      h = mul.f q -0.5
      es[c] = h
    }
    for e < k parallel, max.f from -inf {
      z = es[e]
      yield z
    } gives top : f64
    for g < k parallel, add.f from 0.0 {
      z1 = es[g]
      z2 = sub.f z1 top
      z3 = exp z2
      yield z3
    } gives total : f64
    l = log total
    r = add.f l top
    yield r
  } gives sum : f64
  yield sum
}
`
)

func numbers(n int) []float64 {
	rnd := rand.New(rand.NewPCG(5, 5))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = rnd.NormFloat64()
	}
	return xs
}

func mixtureArgs(n, k, d int) []loop.Arg {
	return []loop.Arg{{F: numbers(n * d)}, {F: numbers(k * d)}, {F: numbers(k * d)}, {Word: uint64(n)}, {Word: uint64(k)}, {Word: uint64(d)}}
}

// TestStrips: a nest with buffers of each turn's own agrees with its semantics.
func TestStrips(t *testing.T) {
	f := program(t, mixture)
	args := mixtureArgs(300, 3, 4)
	got, err := Compile(f).Run(args, loop.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := loop.Eval(vmath.Inline(f), loop.RealsValue(args[0].F), loop.RealsValue(args[1].F), loop.RealsValue(args[2].F),
		loop.IntValue(300), loop.IntValue(3), loop.IntValue(4))
	if err != nil || !near(got[0].Real(), want[0].Real()) {
		t.Errorf("%v, not %v", got[0].Real(), want[0].Real())
	}
	if !fits(f.Body.Stmts[0].(*loop.For).Body, loop.Varying(f.Body.Stmts[0].(*loop.For))) {
		t.Error("the nest does not run in strips")
	}
}

func TestLimits(t *testing.T) {
	forever := program(t, `func f(x : f64) {
  while, y : f64 = x {
    c = lt.f y 2.0
    yield c
  } do {
    z = mul.f y 1.0
    yield z
  } gives w : f64
  yield w
}
`)
	stop := errors.New("stop")
	polls := 0
	_, err := Compile(forever).Run([]loop.Arg{loop.ScalarArg(1)}, loop.RunOptions{Poll: func() error {
		if polls++; polls > 2 {
			return stop
		}
		return nil
	}})
	if err != stop {
		t.Errorf("an endless loop ends with %v", err)
	}
	f := program(t, axpy)
	args := []loop.Arg{loop.ScalarArg(2), {F: numbers(1000)}, {F: numbers(1000)}}
	if _, err := Compile(f).Run(args, loop.RunOptions{MaxBytes: 1000}); err != loop.ErrMemory {
		t.Errorf("8000 bytes within 1000: %v", err)
	}
	// A state is kept beside what the turn makes.
	state := program(t, `func state(n : i64) {
  first = alloc f64s 1 zero
  for i < 3, s : f64s = first {
    next = alloc f64s n
    for k < n parallel {
      x = s[0]
      next[k] = x
    }
    yield next
  } gives last : f64s
  y = last[0]
  yield y
}
`)
	n := []loop.Arg{{Word: 100_000}}
	if _, err := Compile(state).Run(n, loop.RunOptions{MaxBytes: 1_200_000}); err != loop.ErrMemory {
		t.Errorf("1.6 MB within 1.2: %v", err)
	}
	if _, err := Compile(state).Run(n, loop.RunOptions{MaxBytes: 2_000_000}); err != nil {
		t.Errorf("1.6 MB within 2: %v", err)
	}
}

// TestAllocations: a run allocates its results and little else.
func TestAllocations(t *testing.T) {
	code, args := Compile(program(t, mixture)), mixtureArgs(500, 5, 3)
	n := testing.AllocsPerRun(20, func() {
		if _, err := code.Run(args, loop.RunOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 3 {
		t.Errorf("%v allocations a run", n)
	}
}

func BenchmarkAxpy(b *testing.B) {
	code, args := Compile(program(b, axpy)), []loop.Arg{loop.ScalarArg(2), {F: numbers(100000)}, {F: numbers(100000)}}
	for b.Loop() {
		_, _ = code.Run(args, loop.RunOptions{})
	}
}

func BenchmarkSumExp(b *testing.B) {
	code, args := Compile(program(b, sumExp)), []loop.Arg{{F: numbers(100000)}}
	for b.Loop() {
		_, _ = code.Run(args, loop.RunOptions{})
	}
}

func BenchmarkMixture(b *testing.B) {
	code, args := Compile(program(b, mixture)), mixtureArgs(1000, 25, 10)
	for b.Loop() {
		_, _ = code.Run(args, loop.RunOptions{})
	}
}
