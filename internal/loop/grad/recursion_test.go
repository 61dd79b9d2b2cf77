package grad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestRandomCalls: derivatives of random functions that call others, which call themselves and each
// other.
func TestRandomCalls(t *testing.T) {
	agreeOnRandom(t, 40, 5, looptest.Options{Calls: true}, func(uint64, *loop.Func) {})
}

// TestRandomCallsTwice: the forward derivative of the reverse derivative is the reverse derivative
// of the forward one.
func TestRandomCallsTwice(t *testing.T) {
	checked := 0
	for seed := range looptest.Checks(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f, args := looptest.Random(rng, looptest.Options{Size: 3, Depth: 2, Whiles: true, Updates: true, Smooth: true, Calls: true})
		if hessiansAgree(t, rng, fmt.Sprintf("seed %d", seed), f, args) {
			checked++
		}
	}
	if checked < 5 {
		t.Errorf("%d functions are checked", checked)
	}
}

// TestRandomCallsReversedTwice: reverse derivatives of reverse derivatives of such functions.
func TestRandomCallsReversedTwice(t *testing.T) {
	checked := 0
	for seed := range looptest.Checks(12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f, args := looptest.Random(rng, looptest.Options{Size: 3, Depth: 2, Whiles: true, Updates: true, Smooth: true, Calls: true})
		rev := reverse(t, f)
		if rev == nil {
			continue
		}
		args = slices.Concat(args, like(rng, kinds(f.Body.Yield), run(t, f, args...)))
		if agree(t, rng, fmt.Sprintf("seed %d", seed), rev, args, false) {
			checked++
		}
	}
	if checked < 3 {
		t.Errorf("%d functions are checked", checked)
	}
}

// hessiansAgree compares products with the Hessian of a combination of a function's results, if
// none is tied or not finite.
func hessiansAgree(t *testing.T, rng *rand.Rand, name string, f *loop.Func, args []loop.Value) bool {
	t.Helper()
	rev, fwd := reverse(t, f), forward(t, f)
	if rev == nil {
		return false
	}
	twice, other := forward(t, rev), reverse(t, fwd)
	if other == nil {
		return false
	}
	value := run(t, f, args...)
	results, params := kinds(f.Body.Yield), paramKinds(f.Params)
	cot, tangent := like(rng, results, value), like(rng, params, args)
	zeros := func(vs []loop.Value) []loop.Value {
		var out []loop.Value
		for _, v := range vs {
			if v.Buf != nil {
				out = append(out, loop.RealsValue(make([]float64, len(v.Buf))))
			} else {
				out = append(out, loop.RealValue(0))
			}
		}
		return out
	}
	join := func(parts ...[]loop.Value) (out []loop.Value) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	a := run(t, twice, join(args, cot, tangent, zeros(cot))...)
	b := run(t, other, join(args, tangent, zeros(cot), cot)...)
	if tied(a) || tied(b) {
		return false
	}
	ks, n := onlyReals(params), len(onlyReals(results))
	x := reals(ks, a[len(rev.Body.Yield)+n:])
	y := reals(ks, b[len(fwd.Body.Yield):])
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) || math.Abs(x[i]) > 1e6 {
			return false
		}
		if math.Abs(x[i]-y[i]) > 1e-8*(1+math.Abs(y[i])) {
			t.Fatalf("%s: element %d is %v forward over reverse, %v in the other order\n%s", name, i, x[i], y[i], loop.Print(loop.Reached(f)))
		}
	}
	return true
}

// recursive is a program whose reverse derivative needs the results of calls first, and its
// arguments.
type recursive struct {
	name, text string
	args       []loop.Value
}

var recursives = []recursive{
	{"chain", `
func f(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    yield x
  } else {
    m = sub.i n 1
    call f x m gives y : f64
    z = sin y
    w = add.f z x
    yield w
  } gives r : f64
  yield r
}`, []loop.Value{loop.RealValue(0.7), loop.IntValue(9)}},
	{"binary", `
func f(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    leaf = sin x
    yield leaf
  } else {
    m = sub.i n 1
    a = mul.f x 0.9
    call f a m gives y : f64
    b = mul.f y 1.1
    call f b m gives z : f64
    p = mul.f y z
    yield p
  } gives r : f64
  yield r
}`, []loop.Value{loop.RealValue(0.7), loop.IntValue(4)}},
	{"mutual", `
func f(x : f64, n : i64) {
  call even x n gives k : i64, y : f64
  d = real k
  z = mul.f y d
  yield z
}
func even(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    yield 1 x
  } else {
    m = sub.i n 1
    call odd x m gives up : bool, y : f64
    z = sin y
    l = add.i n 0
    if up {
      yield z
    } else {
      w = mul.f z x
      yield w
    } gives r : f64
    yield l r
  } gives k : i64, q : f64
  yield k q
}
func odd(x : f64, n : i64) {
  a = mul.f x x
  m = sub.i n 1
  call even a m gives k : i64, y : f64
  up = lt.i k 3
  z = mul.f y y
  yield up z
}`, []loop.Value{loop.RealValue(0.9), loop.IntValue(6)}},
	// The length of the result is known after the call only: it is odd numbers of elements, in both
	// kinds of buffers.
	{"buffers", `
func f(xs : f64s, n : i64) {
  call g xs n gives ys : f64s, ks : i64s
  m = length ys
  for i < m parallel, add.f from 0.0 {
    y = ys[i]
    k = ks[i]
    d = real k
    p = mul.f y d
    yield p
  } gives s : f64
  yield s
}
func g(xs : f64s, n : i64) {
  stop = le.i n 0
  if stop {
    l = length xs
    start = alloc i64s l
    for j < l parallel {
      one = add.i j 1
      start[j] = one
    }
    yield xs start
  } else {
    m = sub.i n 1
    call g xs m gives ys : f64s, ks : i64s
    a = length ys
    size = add.i a 1
    out = alloc f64s size
    outs = alloc i64s size
    for i < a parallel {
      y = ys[i]
      z = sin y
      out[i] = z
      k = ks[i]
      outs[i] = k
    }
    first = ys[0]
    x = xs[0]
    e = mul.f first x
    out[a] = e
    outs[a] = n
    yield out outs
  } gives rs : f64s, ls : i64s
  yield rs ls
}`, []loop.Value{loop.RealsValue([]float64{0.3, 0.8, -0.4}), loop.IntValue(4)}},
	// Calls in a loop whose turns are independent, in one with states, and in the condition and the
	// body of a while.
	{"loops", `
func f(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    leaf = sin x
    yield leaf
  } else {
    m = sub.i n 1
    for i < 2 parallel, add.f from 0.0 {
      d = real i
      a = add.f x d
      call f a m gives y : f64
      z = mul.f y y
      yield z
    } gives s : f64
    for j < 2, p : f64 = s {
      call f p m gives c : f64
      q = mul.f c x
      yield q
    } gives e : f64
    while, u : f64 = e, k : i64 = 0 {
      call f u m gives v : f64
      big = lt.f -5.0 v
      few = lt.i k 2
      more = and big few
      yield more
    } do {
      call f u m gives w : f64
      u2 = add.f w u
      k2 = add.i k 1
      yield u2 k2
    } gives g : f64, h : i64
    hr = real h
    t = mul.f g hr
    yield t
  } gives r : f64
  yield r
}`, []loop.Value{loop.RealValue(0.4), loop.IntValue(2)}},
	// Calls are given buffers that their callers make, in a loop and in a branch too, and one that
	// all are given.
	{"arguments", `
func f(xs : f64s, n : i64) {
  call g xs xs n gives r : f64
  yield r
}
func g(all : f64s, xs : f64s, n : i64) {
  stop = le.i n 0
  l = length xs
  if stop {
    for i < l parallel, add.f from 0.0 {
      x = xs[i]
      y = all[i]
      p = mul.f x y
      s = sin p
      yield s
    } gives leaf : f64
    yield leaf
  } else {
    m = sub.i n 1
    first = xs[0]
    ys = alloc f64s l
    for i2 < l parallel {
      x2 = xs[i2]
      p2 = mul.f x2 1.1
      s2 = sin first
      y2 = add.f p2 s2
      ys[i2] = y2
    }
    call g all ys m gives a : f64
    odd = mod.i n 2
    is = eq.i odd 1
    if is {
      zs = alloc f64s l
      for i3 < l parallel {
        x3 = ys[i3]
        z3 = mul.f x3 a
        zs[i3] = z3
      }
      call g zs ys m gives b3 : f64
      yield b3
    } else {
      for k < 2, c : f64 = a {
        us = alloc f64s l
        for i4 < l parallel {
          x4 = xs[i4]
          z4 = add.f x4 c
          us[i4] = z4
        }
        call g all us m gives b4 : f64
        d4 = mul.f b4 c
        yield d4
      } gives e : f64
      yield e
    } gives b : f64
    pr = mul.f a b
    q = add.f pr first
    yield q
  } gives r : f64
  yield r
}`, []loop.Value{loop.RealsValue([]float64{0.3, 0.8, -0.4}), loop.IntValue(2)}},
	// A recursive function that calls another one before and after it calls itself.
	{"nested", `
func f(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    yield x
  } else {
    m = sub.i n 1
    call g x 2 gives a : f64
    call f a m gives b : f64
    s = sin b
    p = mul.f a s
    call g p 2 gives c : f64
    d = add.f c x
    yield d
  } gives r : f64
  yield r
}
func g(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    yield x
  } else {
    m = sub.i n 1
    call g x m gives a : f64
    b = mul.f a a
    s = sin b
    yield s
  } gives r : f64
  yield r
}`, []loop.Value{loop.RealValue(0.8), loop.IntValue(2)}},
}

func (r recursive) parse(t *testing.T) *loop.Func {
	t.Helper()
	p, err := loop.Parse(strings.TrimPrefix(r.text, "\n") + "\n")
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	return p.Funcs[0]
}

// TestRecursive: the derivatives of recursive functions that need results first agree, at the first
// and at the second order, and they keep a tape.
func TestRecursive(t *testing.T) {
	for _, r := range recursives {
		f, rng := r.parse(t), rand.New(rand.NewPCG(1, 1))
		if !agree(t, rng, r.name, f, r.args, true) || !hessiansAgree(t, rng, r.name, f, r.args) {
			t.Errorf("%s is tied, or its derivatives are not finite", r.name)
		}
		if !strings.Contains(loop.Print(loop.Reached(reverse(t, f))), "record") {
			t.Errorf("%s is reversed without a tape", r.name)
		}
	}
}

// TestRecursiveReverses: reverse derivatives of reverse derivatives of such functions, and of
// these, agree with forward derivatives of what they reverse.
func TestRecursiveReverses(t *testing.T) {
	for _, r := range recursives {
		f, args, rng := r.parse(t), r.args, rand.New(rand.NewPCG(1, 2))
		for order := range 2 {
			args = slices.Concat(args, like(rng, kinds(f.Body.Yield), run(t, f, args...)))
			f = reverse(t, f)
			pass.Optimize(f, pass.Options{})
			if name := fmt.Sprintf("%s, order %d", r.name, order+2); !agree(t, rng, name, f, args, false) && r.name != "loops" {
				t.Errorf("%s: it is tied, or its derivatives are not finite or too large", name)
			}
		}
	}
}

// TestRecursiveCost: the cost of a derivative with a tape is a multiple of that of the function,
// however deep and whatever number of calls, and so is the length of its buffers. So it is for the
// derivatives of that, and if all calls are given one buffer.
func TestRecursiveCost(t *testing.T) {
	halves := recursive{"halves", `
func f(xs : f64s) {
  n = length xs
  call g xs 0 n gives r : f64
  yield r
}
func g(xs : f64s, lo : i64, hi : i64) {
  n = sub.i hi lo
  one = le.i n 1
  if one {
    x = xs[lo]
    yield x
  } else {
    sum = add.i lo hi
    m = div.i sum 2
    call g xs lo m gives a : f64
    call g xs m hi gives b : f64
    s = sin b
    p = mul.f a s
    yield p
  } gives r : f64
  yield r
}`, nil}
	for _, c := range []struct {
		r         recursive
		few, many int64
	}{{recursives[0], 20, 200}, {recursives[1], 4, 8}, {recursives[2], 6, 60}, {recursives[4], 2, 3}, {halves, 16, 128}} {
		f := c.r.parse(t)
		rev := reverse(t, f)
		ratio := func(n int64, g *loop.Func) (work, room float64) {
			var args []loop.Value
			for _, p := range g.Params {
				switch p.Kind {
				case loop.I64:
					args = append(args, loop.IntValue(n))
				case loop.F64s:
					args = append(args, loop.RealsValue(slices.Repeat([]float64{1}, int(n))))
				default:
					args = append(args, loop.RealValue(0.7))
				}
			}
			primal := float64(loop.Measure(f, args[:len(f.Params)]...).Work)
			cost := loop.Measure(g, args...)
			return float64(cost.Work) / primal, float64(cost.Made) / primal
		}
		for name, g := range map[string]*loop.Func{"reverse": rev, "forward of it": forward(t, rev), "reverse of it": reverse(t, rev)} {
			few, room := ratio(c.few, g)
			many, more := ratio(c.many, g)
			if many > 1.2*few || more > 1.2*room {
				t.Errorf("%s, %s: %.1f times the work of the function and %.2f elements for each operation at %d; %.1f and %.2f at %d",
					c.r.name, name, few, room, c.few, many, more, c.many)
			}
		}
	}
}

// TestRecursiveCounts: what counts computes only what the number of calls depends on.
func TestRecursiveCounts(t *testing.T) {
	for _, c := range []struct {
		r     recursive
		plain bool // whether that does not depend on reals
	}{{recursives[0], true}, {recursives[1], true}, {recursives[4], false}} {
		rev := reverse(t, c.r.parse(t))
		found := false
		for _, f := range loop.Reached(rev).Funcs {
			if strings.HasSuffix(f.Name, ".count") {
				pass.Optimize(f, pass.Options{})
				if found = true; strings.Contains(f.String(), "sin") == c.plain {
					t.Errorf("%s is counted by\n%s", c.r.name, f)
				}
			}
		}
		if !found {
			t.Errorf("%s is not counted", c.r.name)
		}
	}
}

// TestRecursiveTies: a comparison that is undecided in a call on the tape ties the derivative.
func TestRecursiveTies(t *testing.T) {
	r := recursive{"ties", `
func f(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    c = lt.f x 1.0
    if c {
      yield x
    } else {
      d = mul.f x 2.0
      yield d
    } gives e : f64
    yield e
  } else {
    m = sub.i n 1
    call f x m gives y : f64
    z = sin y
    yield z
  } gives r : f64
  yield r
}`, nil}
	rev := reverse(t, r.parse(t))
	for x, want := range map[float64]bool{0.5: false, 1: true, 1.5: false} {
		if out := run(t, rev, loop.RealValue(x), loop.IntValue(3), loop.RealValue(1)); tied(out) != want {
			t.Errorf("at %v it is %v that the derivative is tied", x, tied(out))
		}
	}
}

// TestCallsDecide: a comparison that is undecided in a call ties a derivative if it decides what
// the call gives, an integer or a Boolean too, and if that matters.
func TestCallsDecide(t *testing.T) {
	r := recursive{"decides", `
func f(x : f64, n : i64) {
  call less x n gives is : bool, k : i64
  if is {
    yield x
  } else {
    d = mul.f x 2.0
    yield d
  } gives e : f64
  yield e
}
func less(x : f64, n : i64) {
  stop = le.i n 0
  if stop {
    c = lt.f x 1.0
    b = lt.f x 2.0
    i = word b
    yield c i
  } else {
    m = sub.i n 1
    call less x m gives y : bool, j : i64
    z = not y
    l = add.i j 1
    yield z l
  } gives r : bool, k : i64
  yield r k
}`, nil}
	f := r.parse(t)
	rev, fwd := reverse(t, f), forward(t, f)
	for x, want := range map[float64]bool{0.5: false, 1: true, 1.5: false, 2: false} {
		args := []loop.Value{loop.RealValue(x), loop.IntValue(3), loop.RealValue(1)}
		if back, on := tied(run(t, rev, args...)), tied(run(t, fwd, args...)); back != want || on != want {
			t.Errorf("at %v: tied is %v in reverse, %v forwards", x, back, on)
		}
	}
}

// TestRecursiveSettles: where the reversal need not run calls first, there is no tape.
func TestRecursiveSettles(t *testing.T) {
	p, f := power()
	rev, err := grad.Reverse(p, f, []bool{true, false}, looptest.Rules)
	if err != nil {
		t.Fatal(err)
	}
	if text := loop.Print(loop.Reached(rev)); strings.Contains(text, "record") {
		t.Errorf("a tape is kept\n%s", text)
	}
}
