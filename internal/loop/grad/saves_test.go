package grad_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestSlopesKept: a slope that does not change from turn to turn is not on the tape; one that does
// is. Both give the same gradients as forward mode.
func TestSlopesKept(t *testing.T) {
	for _, c := range []struct {
		by   string
		kept int // of the slopes of the quotient; that by c is the quotient over c, which changes
	}{{"1.01", 0}, {"c", 1}, {"d", 1}, {"s", 2}, {"k", 2}} {
		f := parsed(t, `func f(v : f64s, c : f64, n : i64) {
  d = add.f c 1.0
  m = length v
  for i < n, v.1 : f64s = v {
    w = alloc f64s m
    for j < m parallel {
      x = v.1[j]
      k = add.f x 3.0
      s = add.f k c
      q = div.f x `+c.by+`
      y = sin q
      w[j] = y
    }
    yield w
  } gives v.2 : f64s
  yield v.2
}
`, "")
		args := []loop.Value{loop.RealsValue([]float64{0.3, -1, 2, 0.7}), loop.RealValue(1.5), loop.IntValue(4)}
		if !agree(t, rand.New(rand.NewPCG(1, 2)), c.by, f, args, true) {
			t.Errorf("division by %s: the derivatives were not compared", c.by)
		}
		kept := 0
		loop.Walk(reverse(t, f).Body, func(s loop.Stmt) {
			if a, ok := s.(*loop.Alloc); ok && strings.HasPrefix(a.Var.Name, "slope") {
				kept++
			}
		})
		if kept--; kept != c.kept { // the slope of the sine is there too
			t.Errorf("division by %s: %d slopes are on the tape, not %d", c.by, kept, c.kept)
		}
	}
}
