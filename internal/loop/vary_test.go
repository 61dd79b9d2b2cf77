package loop_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
)

// TestVaryingIsComplete: walking through a loop once more finds nothing else that varies, however
// late its parts were found to.
func TestVaryingIsComplete(t *testing.T) {
	for seed := range looptest.Checks(300) {
		f, _ := looptest.Random(rand.New(rand.NewPCG(seed, 11)), looptest.Options{Updates: seed%2 == 0, Whiles: true, Size: 6})
		loop.Walk(f.Body, func(s loop.Stmt) {
			if x, ok := s.(*loop.For); ok {
				if more := loop.VaryingAfter(x, loop.Varying(x)); more > 0 {
					t.Errorf("seed %d: %d more vary\n%s", seed, more, f)
				}
			}
		})
	}
	text := `func f(n : i64) {
  for i < n parallel {
    a = alloc f64s 2
    b = copy a
    for j < 3, s : f64s = b, k : i64 = 0 {
      x = s[0]
      t = s with [k] = x
      m = add.i k i
      yield t m
    } gives c : f64s, d : i64
    y = c[0]
    z = real i
    a[0] = z
  }
}
`
	p, err := loop.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x := p.Funcs[0].Body.Stmts[0].(*loop.For)
	if more := loop.VaryingAfter(x, loop.Varying(x)); more > 0 {
		t.Errorf("%d more vary", more)
	}
}
