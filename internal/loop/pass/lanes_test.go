package pass

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// branching has branches that vary and one that does not, and buffers and states that depend on
// them.
const branching = `func f(n : i64, p : bool, xs : f64s, ys : f64s) {
  for i < n parallel {
    x = xs[i]
    y = xs[0]
    own = alloc f64s 3 zero
    c = lt.f x y
    check c
    if p {
      if c {
        a1 = add.f y 1.0
        yield a1 y
      } else {
        yield y y
      } gives a2 : f64, a3 : f64
      yield a2
    } else {
      yield y
    } gives a : f64
    own[0] = a
    k = add.f y 2.0
    for j < 3, s : f64 = y {
      m = own[j]
      d = lt.f s m
      check d
      if d {
        yield s
      } else {
        t = mul.f k y
        yield t
      } gives u : f64
      yield u
    } gives r : f64
    ys[i] = r
  }
}
`

// TestSelectionsVaryAlike: what varies in a loop varies when its branches have become selections
// and its checks have left, and nothing else does. So Lanes finds it once.
func TestSelectionsVaryAlike(t *testing.T) {
	p, err := loop.Parse(branching)
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Funcs[0]; varyAlike(t, f) != 2 {
		t.Errorf("not all branches that vary have become selections\n%s", f)
	}
	for seed := range looptest.Checks(300) {
		f, _ := looptest.Random(rand.New(rand.NewPCG(seed, 13)), looptest.Options{Updates: seed%2 == 0, Whiles: true, Size: 8})
		Optimize(f, Options{})
		varyAlike(t, f)
	}
}

// varyAlike compares what varies in the parallel loops of a function, and gives the number of
// branches that become selections.
func varyAlike(t *testing.T, f *loop.Func) (changed int) {
	loop.Walk(f.Body, func(s loop.Stmt) {
		x, ok := s.(*loop.For)
		if !ok || !x.Parallel {
			return
		}
		before, y := loop.Varying(x), *x
		y.Body = selections(x.Body, func(s *loop.If) bool {
			if !before.HasAtom(s.Cond) {
				return false
			}
			changed++
			return true
		})
		y.Body = unchecked(y.Body)
		after := loop.Varying(&y)
		same := func(v *loop.Var) {
			if before.Has(v) != after.Has(v) {
				t.Errorf("whether %s varies was %v, and is not any more\n%s", v.Name, before.Has(v), f)
			}
		}
		loop.Walk(y.Body, func(s loop.Stmt) {
			loop.Defs(s, same)
			loop.Params(s, same)
		})
	})
	return changed
}
