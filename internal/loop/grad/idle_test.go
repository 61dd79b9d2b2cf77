package grad_test

import (
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/grad"
	"github.com/fluxion-lang/fluxion/internal/loop/looptest"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// TestIdleLoops: the reversal of a product of matrices does not run the product again, and that of
// its square runs what it needs.
func TestIdleLoops(t *testing.T) {
	for _, c := range []struct {
		use   string
		loops int // in the derivative: those of the first run, and those that run backwards
	}{
		{"c[p] = s", 6},
		{"q = mul.f s s\n      c[p] = q", 7},
	} {
		p, err := loop.Parse(`func f(a : f64s, b : f64s, m : i64, n : i64, l : i64) {
  mn = mul.i m n
  c = alloc f64s mn
  for i < m parallel {
    in = mul.i i n
    il = mul.i i l
    for j < n parallel {
      for k < l parallel, add.f from 0.0 {
        ka = add.i k il
        x = a[ka]
        kn = mul.i k n
        kb = add.i j kn
        y = b[kb]
        z = mul.f x y
        yield z
      } gives s : f64
      p = add.i j in
      ` + c.use + `
    }
  }
  yield c
}
`)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grad.Reverse(p, p.Funcs[0], []bool{true, true, false, false, false}, looptest.Rules)
		if err != nil {
			t.Fatal(err)
		}
		if err := loop.Verify(loop.Reached(g)); err != nil {
			t.Fatal(err)
		}
		for _, when := range []string{"", " without dead code"} {
			loops := 0
			loop.Walk(g.Body, func(s loop.Stmt) {
				if _, ok := s.(*loop.For); ok {
					loops++
				}
			})
			if loops != c.loops {
				t.Errorf("%s: %d loops%s, not %d\n%s", c.use, loops, when, c.loops, g)
			}
			pass.DeadCode(g)
		}
	}
}
