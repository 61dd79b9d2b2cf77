package jit

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// The product of two matrices and its gradient by both, which Note [Tiles] of package pass is
// about.
const products = `func products(p : i64, q : i64, r : i64, a : f64s, b : f64s) {
  n = mul.i p q
  c = alloc f64s n
  for i < p parallel lanes {
    u = mul.i i r
    v = mul.i i q
    for j < q parallel {
      for k < r parallel, add.f from 0.0 {
        a1 = add.i u k
        x = a[a1]
        b0 = mul.i k q
        b1 = add.i b0 j
        y = b[b1]
        xy = mul.f x y
        yield xy
      } gives t : f64
      c1 = add.i v j
      c[c1] = t
    }
  }
  na = length a
  da = alloc f64s na zero
  nb = length b
  db = alloc f64s nb zero
  for i.1 < p parallel lanes {
    u.1 = mul.i i.1 r
    v.1 = mul.i i.1 q
    for j.1 < q parallel {
      c2 = add.i v.1 j.1
      d = c[c2]
      for k.1 < r parallel {
        a2 = add.i u.1 k.1
        x.1 = a[a2]
        b2 = mul.i k.1 q
        b3 = add.i b2 j.1
        y.1 = b[b3]
        dx = mul.f d y.1
        dy = mul.f d x.1
        da[a2] += dx
        db[b3] += dy
      }
    }
  }
  yield c da db
}`

func TestTiles(t *testing.T) {
	program, err := loop.Parse(products)
	if err != nil {
		t.Fatal(err)
	}
	f := program.Funcs[0]
	rng := rand.New(rand.NewPCG(3, 4))
	reals := func(n int) loop.Value {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.Float64()*2 - 1
		}
		return loop.RealsValue(xs)
	}
	for name, opts := range variants() {
		code, err := Compile(program, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range [][3]int{{0, 5, 5}, {9, 0, 9}, {8, 8, 8}, {13, 40, 9}, {9, 33, 70}, {70, 9, 33}, {7, 64, 64}} {
			args := []loop.Value{loop.IntValue(int64(n[0])), loop.IntValue(int64(n[1])), loop.IntValue(int64(n[2])),
				reals(n[0] * n[2]), reals(n[2] * n[1])}
			want, err := loop.Eval(f, clone(args)...)
			if err != nil {
				t.Fatal(err)
			}
			if err := agree(f, code, opts.Deterministic, want, nil, args); err != nil {
				t.Errorf("%s, %v: %v", name, n, err)
			}
		}
	}
}
