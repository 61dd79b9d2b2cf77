package pass_test

import (
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// skinning poses points whose places come from an array, by a small matrix for each of some bones.
const skinning = `func f(n : i64, bones : i64, m : i64, ks : i64s, moves : f64s, weights : f64s, at : f64s) {
  xs = alloc f64s n
  for i < n parallel {
    k = ks[i]
    low = le.i 0 k
    check low
    high = lt.i k m
    check high
    w = mul.i k bones
    p = mul.i k 3
    for b < bones parallel, add.f from 0.0 {
      wb = add.i w b
      weight = weights[wb]
      row = mul.i b 3
      for j < 3 parallel, add.f from 0.0 {
        rj = add.i row j
        a = moves[rj]
        pj = add.i p j
        x = at[pj]
        y = mul.f a x
        yield y
      } gives total : f64
      z = mul.f weight total
      yield z
    } gives sum : f64
    xs[i] = sum
  }
  yield xs
}
`

func optimised(t *testing.T, text string) (*loop.Func, string) {
	t.Helper()
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	pass.Optimize(p.Funcs[0], pass.Options{Schedule: true})
	if err := loop.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p.Funcs[0], loop.Print(p)
}

// TestGather: places that come from an array are checked in a loop of their own, so that the other
// one has lanes; the loop of three turns is unrolled, and the point is read once, and not for each
// bone.
func TestGather(t *testing.T) {
	f, got := optimised(t, skinning)
	if strings.Contains(got, "n parallel {") || !strings.Contains(got, "n parallel lanes, and from true {") {
		t.Fatalf("a check stands in the way of lanes:\n%s", got)
	}
	if strings.Contains(got, "for j") {
		t.Errorf("the loop of three turns is not unrolled:\n%s", got)
	}
	if inner := got[strings.Index(got, "for b"):]; strings.Contains(inner, "= at[") {
		t.Errorf("the point is read for each bone:\n%s", got)
	}
	reals := func(xs ...float64) loop.Value { return loop.RealsValue(xs) }
	args := []loop.Value{loop.IntValue(2), loop.IntValue(2), loop.IntValue(3), loop.IntsValue([]int64{2, 0}),
		reals(1, 2, 3, 4, 5, 6), reals(1, 2, 3, 4, 5, 6), reals(1, 0, 0, 0, 1, 0, 1, 1, 1)}
	out, err := loop.Eval(f, args...)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := out[0].Reals()[0], out[0].Reals()[1]; x != 5*6+6*15 || y != 1*1+2*4 {
		t.Errorf("got %v, %v", x, y)
	}
	args[3] = loop.IntsValue([]int64{2, 3})
	if _, err := loop.Eval(f, args...); err == nil {
		t.Error("a place outside of the array is not found")
	}
	args[1], args[3], args[6] = loop.IntValue(0), loop.IntsValue([]int64{2, 0}), reals()
	if out, err := loop.Eval(f, args...); err != nil || out[0].Reals()[0] != 0 {
		t.Errorf("without bones, a point is read that need not be there: %v, %v", out, err)
	}
}

// TestGuardedRead: a check that protects what another one reads fails before it is read.
func TestGuardedRead(t *testing.T) {
	f, got := optimised(t, `func f(n : i64, m : i64, ks : i64s, js : i64s, at : f64s) {
  xs = alloc f64s n
  for i < n parallel {
    k = ks[i]
    inside = lt.i k m
    check inside
    j = js[k]
    high = lt.i j 2
    check high
    x = at[j]
    y = exp x
    xs[i] = y
  }
  yield xs
}
`)
	if !strings.Contains(got, "parallel lanes {") || strings.Contains(got, "and from true") {
		t.Errorf("the checks are not made first, one after the other:\n%s", got)
	}
	ints := func(xs ...int64) loop.Value { return loop.IntsValue(xs) }
	for _, ks := range [][]int64{{0, 1}, {0, 7}} {
		_, err := loop.Eval(f, loop.IntValue(2), loop.IntValue(2), ints(ks...), ints(1, 0),
			loop.RealsValue([]float64{0, 1}))
		if inside := ks[1] < 2; inside != (err == nil) {
			t.Errorf("%v: %v", ks, err)
		}
	}
}
