package pass_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/pass"
)

// twin runs a recurrence twice, the second time with a tape. What stands between uses the first
// result, the second loop may check something else, or use the first's result.
const twin = `func f(n : i64, a : f64, xs : f64s) {
  for i < n, s : f64 = a {
    x = xs[i]
    FIRST
    y = add.f s x
    t = sin y
    yield t
  } gives r : f64
  u = mul.f r 2.0
  tape = alloc f64s n
  for j < n, q : f64 = a {
    tape[j] = START
    z = xs[j]
    p = add.f q z
    o = sin p
    yield o
  } gives r2 : f64
  v = mul.f r2 3.0
  w = add.f u v
  yield w tape
}
`

// TestTwins: of two loops that compute the same the one with the tape is left, unless something is
// lost by it.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		first, start string
		loops        int
	}{
		{"", "q", 1},
		{"", "u", 2}, // the second needs the first
		{"ok = lt.f x 0.5\n    check ok", "q", 2}, // only the first checks
	} {
		text := strings.NewReplacer("FIRST", c.first, "START", c.start).Replace(twin)
		f, err := loop.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := loop.Parse(text)
		pass.CSE(g.Funcs[0])
		if err := loop.Verify(g); err != nil {
			t.Fatalf("%v\n%s", err, loop.Print(g))
		}
		loops := 0
		loop.Walk(g.Funcs[0].Body, func(s loop.Stmt) {
			if _, ok := s.(*loop.For); ok {
				loops++
			}
		})
		if loops != c.loops {
			t.Errorf("%d loops, want %d:\n%s", loops, c.loops, loop.Print(g))
		}
		for _, xs := range [][]float64{{0.1, 0.2, 0.3}, {0.1, 0.7}} {
			args := []loop.Value{{Word: uint64(len(xs))}, {Word: math.Float64bits(0.4)}, loop.RealsValue(xs)}
			want, fails := loop.Eval(f.Funcs[0], args...)
			got, fail := loop.Eval(g.Funcs[0], args...)
			if fails != fail || fail == nil && (want[0].Word != got[0].Word || want[1].Reals()[1] != got[1].Reals()[1]) {
				t.Errorf("%v %v, want %v %v:\n%s", got, fail, want, fails, loop.Print(g))
			}
		}
	}
}
