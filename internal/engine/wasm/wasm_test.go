//go:build js

package wasm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/engine/portable"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

func compiled(t *testing.T, p *loop.Program) *Code {
	t.Helper()
	code, err := Compile(p, true)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func parsed(t *testing.T, text string) *loop.Program {
	t.Helper()
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func argsOf(f *loop.Func, values []loop.Value) []loop.Arg {
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

// TestAgainstEval: random functions give the bits of the executable semantics, or fail where it
// does.
func TestAgainstEval(t *testing.T) {
	for seed := range uint64(24) {
		options := looptest.Options{Updates: true, Whiles: true, Checks: seed%2 == 0}
		f, values := looptest.Random(rand.New(rand.NewPCG(seed, 11)), options)
		want, wantErr := loop.Eval(vmath.Inline(f), values...)
		code := compiled(t, &loop.Program{Funcs: []*loop.Func{f}})
		got, err := code.Run(argsOf(f, values), loop.RunOptions{})
		if !errors.Is(err, wantErr) {
			t.Fatalf("function %d: the error is %v, not %v\n%s", seed, err, wantErr, f)
		}
		for i, a := range got {
			words := append(append([]uint64{}, asWords(a.F)...), asWords(a.I)...)
			expected, kind := want[i].Buf, f.Body.Yield[i].AtomKind()
			if !kind.IsBuffer() {
				words, expected = []uint64{a.Word}, []uint64{want[i].Word}
			}
			if len(words) != len(expected) {
				t.Fatalf("function %d: result %d has %d elements, not %d",
					seed, i, len(words), len(expected))
			}
			real := kind == loop.F64 || kind == loop.F64s
			for j, w := range words {
				nan := math.IsNaN(math.Float64frombits(w)) &&
					math.IsNaN(math.Float64frombits(expected[j]))
				if w != expected[j] && !(real && nan) {
					t.Fatalf("function %d: result %d is %x, not %x\n%s",
						seed, i, words, expected, f)
				}
			}
		}
	}
}

// turns runs n turns of m turns each.
const turns = `
func turns(n : i64, m : i64) {
  for i < n, s : f64 = 0.0 {
    for j < m, r : f64 = s {
      q = add.f r 1.0
      yield q
    } gives next : f64
    yield next
  } gives end : f64
  yield end
}
`

// TestPoll: a run that would take years stops soon after Poll says so, whatever the shape of its
// loops, and what runs while it polls does not disturb it.
func TestPoll(t *testing.T) {
	code := compiled(t, parsed(t, turns))
	for _, shape := range [][2]uint64{{1 << 40, 1 << 20}, {1 << 60, 1}, {1, 1 << 60}, {1 << 60, 0}, {1 << 50, 700}} {
		stop, start := errors.New("stop"), time.Now()
		_, err := code.Run(
			[]loop.Arg{{Word: shape[0]}, {Word: shape[1]}},
			loop.RunOptions{Poll: func() error {
				inner, err := code.Run([]loop.Arg{{Word: 3}, {Word: 5}}, loop.RunOptions{})
				if err != nil || inner[0].Real() != 15 {
					t.Fatalf("a run within a run gives %v, %v", inner, err)
				}
				if time.Since(start) > 30*time.Millisecond {
					return stop
				}
				return nil
			}},
		)
		if !errors.Is(err, stop) {
			t.Errorf("%v: %v", shape, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%v: stopped after %v", shape, took)
		}
	}
	polls := 0
	code.fuel = firstFuel
	out, err := code.Run(
		[]loop.Arg{{Word: 1000}, {Word: 1000}},
		loop.RunOptions{Poll: func() error {
			polls++
			_, err := code.Run([]loop.Arg{{Word: 3}, {Word: 5}}, loop.RunOptions{})
			return err
		}},
	)
	if err != nil || out[0].Real() != 1e6 || polls == 0 {
		t.Errorf("a run that polls %d times gives %v, %v", polls, out, err)
	}
}

// growing makes a buffer that is twice as long in each of n turns.
const growing = `
func growing(n : i64) {
  start = alloc f64s 1 zero
  for i < n, xs : f64s = start {
    k = length xs
    m = mul.i k 2
    next = alloc f64s m zero
    yield next
  } gives end : f64s
  yield end
}
`

func TestMemory(t *testing.T) {
	code := compiled(t, parsed(t, growing))
	limited := loop.RunOptions{MaxBytes: 1 << 20}
	if _, err := code.Run([]loop.Arg{{Word: 40}}, limited); !errors.Is(err, loop.ErrMemory) {
		t.Errorf("the error is %v", err)
	}
	if out, err := code.Run([]loop.Arg{{Word: 12}}, limited); err != nil || len(out[0].F) != 4096 {
		t.Errorf("%v", err)
	}
	large := loop.RunOptions{MaxBytes: 2 * keptBytes}
	if _, err := code.Run([]loop.Arg{{Word: 60}}, large); !errors.Is(err, loop.ErrMemory) {
		t.Errorf("with a large bound, the error is %v", err)
	}
	if spaces[0].size > keptBytes {
		t.Errorf("%d bytes are kept", spaces[0].size)
	}
}

// rows has a function that calls itself twice and gives a buffer.
const rows = `
func main(n : i64) {
  one = alloc f64s 1 zero
  call row n one gives a : f64s, b : f64s
  yield a b
}

func row(n : i64, xs : f64s) {
  small = lt.i n 1
  if small {
    yield xs xs
  } else {
    m = sub.i n 1
    call row m xs gives a : f64s, b : f64s
    call row m a gives c : f64s, d : f64s
    k = length c
    l = add.i k 1
    ys = alloc f64s l
    for i < k parallel {
      x = c[i]
      y = add.f x 1.0
      ys[i] = y
    }
    ys[k] = 0.5
    yield ys b
  } gives r : f64s, s : f64s
  yield r s
}
`

func TestCalls(t *testing.T) {
	p := parsed(t, rows)
	code := compiled(t, p)
	for n := range int64(8) {
		want, err := loop.Eval(p.Funcs[0], loop.IntValue(n))
		if err != nil {
			t.Fatal(err)
		}
		got, err := code.Run([]loop.Arg{{Word: uint64(n)}}, loop.RunOptions{MaxBytes: 1 << 14})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			for j, x := range w.Reals() {
				if len(got[i].F) != len(w.Buf) || got[i].F[j] != x {
					t.Fatalf("for %d, result %d is %v, not %v", n, i, got[i].F, w.Reals())
				}
			}
		}
	}
	for _, depth := range []int{0, 100} {
		_, err := code.Run([]loop.Arg{{Word: 1 << 40}}, loop.RunOptions{MaxDepth: depth})
		if !errors.Is(err, loop.ErrCheck) {
			t.Errorf("a recursion without end: %v", err)
		}
	}
}

// BenchmarkMixture is the gradient of a Gaussian mixture of 25 components over 200 points, beside
// the time of package portable.
func BenchmarkMixture(b *testing.B) {
	f := looptest.Mixture()
	pass.Optimize(f, pass.Options{})
	g, err := grad.Reverse(
		&loop.Program{},
		f,
		[]bool{true, true, true, true, false, false, false, false},
		looptest.Rules,
	)
	if err != nil {
		b.Fatal(err)
	}
	pass.Optimize(g, pass.Options{Schedule: true})
	values := looptest.MixtureArgs(rand.New(rand.NewPCG(1, 1)), 200, 25, 10)
	args := argsOf(g, append(values, loop.RealValue(1)))
	start := time.Now()
	module, err := Compile(&loop.Program{Funcs: []*loop.Func{g}}, false)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("compiled in %v", time.Since(start))
	for name, code := range map[string]loop.Code{"module": module, "portable": portable.Compile(g)} {
		b.Run(name, func(b *testing.B) {
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				if _, err := code.Run(args, loop.RunOptions{Poll: func() error { return nil }}); err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best.Microseconds()), "best-µs")
		})
	}
}
