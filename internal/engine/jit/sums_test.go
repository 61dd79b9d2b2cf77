package jit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Rows of a triangle to which all points add, some elements of them twice: Note [Sums of lanes].
const triangles = `func triangles(n : i64, d : i64, x : f64s) {
  size = mul.i d d
  c = alloc f64s size zero
  s = alloc f64s d zero
  for p < n parallel lanes {
    at = mul.i p d
    y = alloc f64s d
    for i < d parallel {
      a = add.i at i
      v = x[a]
      y[i] = v
    }
    for i.1 < d parallel {
      row = mul.i i.1 d
      last = add.i row d
      v.1 = y[i.1]
      m = add.i i.1 1
      for j < m parallel {
        w = y[j]
        vw = mul.f v.1 w
        b = add.i row j
        c[b] += vw
        e = sub.i j 1
        e.1 = add.i e 1
        s[e.1] += w
      }
      e.2 = sub.i last 1
      c[e.2] += v.1
    }
  }
  yield c s
}`

func TestSumsOfLanes(t *testing.T) {
	program, err := loop.Parse(triangles)
	if err != nil {
		t.Fatal(err)
	}
	f := program.Funcs[0]
	rng := rand.New(rand.NewPCG(5, 6))
	for name, opts := range variants() {
		code, err := Compile(program, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 32, 71} {
			for _, d := range []int{0, 1, 4, 7, 8, 13, 21} {
				xs := make([]float64, n*d)
				for i := range xs {
					xs[i] = rng.Float64()*2 - 1
				}
				args := []loop.Value{loop.IntValue(int64(n)), loop.IntValue(int64(d)), loop.RealsValue(xs)}
				want, err := loop.Eval(f, clone(args)...)
				if err != nil {
					t.Fatal(err)
				}
				if err := agree(f, code, opts.Deterministic, want, nil, args); err != nil {
					t.Errorf("%s, %d points of %d: %v", name, n, d, err)
				}
			}
		}
	}
}

// TestTruths: totals of truths in lanes tell whether all elements, or any, are so, wherever one is
// that is not.
func TestTruths(t *testing.T) {
	p, err := loop.Parse(`func f(xs : f64s, n : i64) {
  for i < n parallel lanes, and from true, or from false, and from true {
    x = xs[i]
    size = abs.f x
    finite = lt.f size inf
    below = lt.f x 0.0
    twice = not below
    yield finite below twice
  } gives all : bool, some : bool, none : bool
  yield all some none
}
`)
	if err != nil {
		t.Fatal(err)
	}
	var argss [][]loop.Value
	for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 33, 70} {
		for at := -1; at < n; at++ {
			for _, x := range []float64{math.NaN(), math.Inf(-1), -1} {
				xs := make([]float64, n)
				if at >= 0 {
					xs[at] = x
				}
				argss = append(argss, []loop.Value{loop.RealsValue(xs), loop.IntValue(int64(n))})
			}
		}
	}
	check(t, p, argss...)
}
