package grad_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// steps is a recurrence of a vector and a scalar; THRIFTY stands for nothing or for the mark.
const steps = `
func steps(n : i64, c : f64, v : f64s) {
  m = length v
  for i < n THRIFTY, s : f64 = c, u : f64s = v, j : i64 = 0 {
    x = real i
    y = mul.f s c
    z = add.f y x
    w = sin z
    h = mul.f 0.5 w
    r = alloc f64s m
    for k < m parallel {
      a = u[k]
      b = mul.f a h
      d = add.f b c
      r[k] = d
    }
    e = r[0]
    t = add.f h e
    l = add.i j i
    yield t r l
  } gives s.1 : f64, u.1 : f64s, j.1 : i64
  yield s.1 u.1 j.1
}
`

// nested is a loop of blocks of turns, the count of which is known.
const nested = `
func nested(n : i64, c : f64) {
  for j < n, s : f64 = c {
    for i < n THRIFTY, t : f64 = s {
      y = mul.f t c
      w = sin y
      h = add.f w t
      yield h
    } gives t.1 : f64
    yield t.1
  } gives s.1 : f64
  yield s.1
}
`

func parsed(t *testing.T, text, mark string) *loop.Func {
	t.Helper()
	p, err := loop.Parse(strings.ReplaceAll(text, " THRIFTY", mark))
	if err != nil {
		t.Fatal(err)
	}
	return p.Funcs[0]
}

// equal holds the values and the derivatives of a thrifty loop to those of the loop. The first
// results are values, which have the same bits.
func equal(t *testing.T, what string, values int, got, want []loop.Value) {
	t.Helper()
	for i := range want {
		if i < values && want[i].Word != got[i].Word || !near(got[i].Real(), want[i].Real()) {
			t.Errorf("%s: result %d is %v, not %v", what, i, got[i].Real(), want[i].Real())
		}
		for k, x := range want[i].Reals() {
			if y := got[i].Reals()[k]; i < values && x != y || !near(y, x) {
				t.Errorf("%s: element %d of result %d is %v, not %v", what, k, i, y, x)
			}
		}
	}
}

// TestThriftyLoops: the derivative of a thrifty loop is that of the loop, for every number of
// turns, and takes buffers of √n states at most.
func TestThriftyLoops(t *testing.T) {
	plain, thrifty := reverse(t, parsed(t, steps, "")), reverse(t, parsed(t, steps, " thrifty"))
	v := []float64{0.3, -0.4, 0.5}
	args := func(n int64) []loop.Value {
		return []loop.Value{loop.IntValue(n), loop.RealValue(0.7), loop.RealsValue(v), loop.RealValue(1), loop.RealsValue([]float64{2, 3, 4})}
	}
	for _, n := range []int64{-1, 0, 1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 99, 100, 101} {
		equal(t, fmt.Sprint(n, " turns"), 3, run(t, thrifty, args(n)...), run(t, plain, args(n)...))
	}
	for _, n := range []int64{100, 400, 1600} {
		root := 10
		for int64(root*root) < n {
			root *= 2
		}
		if most := loop.Measure(thrifty, args(n)...).Longest; most > 3*root {
			t.Errorf("%d turns take a buffer of %d elements", n, most)
		}
		if most := loop.Measure(plain, args(n)...).Longest; most < 3*int(n) {
			t.Errorf("%d turns take a buffer of %d elements only", n, most)
		}
	}
}

// TestThriftyInside: a thrifty loop in a loop keeps nothing on the tape of that.
func TestThriftyInside(t *testing.T) {
	plain, thrifty := reverse(t, parsed(t, nested, "")), reverse(t, parsed(t, nested, " thrifty"))
	for _, n := range []int64{0, 1, 2, 7, 30} {
		args := []loop.Value{loop.IntValue(n), loop.RealValue(0.7), loop.RealValue(1)}
		equal(t, fmt.Sprint(n, " blocks"), 1, run(t, thrifty, args...), run(t, plain, args...))
		if most := loop.Measure(thrifty, args...).Longest; most > int(n) {
			t.Errorf("%d times %d turns take a buffer of %d elements", n, n, most)
		}
	}
}
