package grad_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// TestConstantsInArrays: comparisons and roundings of constants in an array that varies are
// decided; those of what varies are not.
func TestConstantsInArrays(t *testing.T) {
	for _, c := range []struct {
		decide string // b, of an element x
		array  string // the second element: 0, or something that varies and is 0 there
		tied   bool
	}{
		{"b = lt.f 0.0 x", "0.0", false},
		{"y = mul.f x 2.0\n    b = le.f y 0.0", "0.0", false},
		{"y = add.f x s\n    b = le.f y s", "0.0", true},
		{"y = floor.f x\n    b = lt.f 0.0 y", "0.0", false},
		{"b = lt.f 0.0 x", "none", true},
		{"y = floor.f x\n    b = lt.f 0.0 y", "none", true},
	} {
		f := parsed(t, `func f(s : f64) {
  minus = neg.f s
  none = add.f s minus
  xs = alloc f64s 3
  xs[0] = s
  xs[1] = `+c.array+`
  xs[2] = minus
  for i < 3 parallel, add.f from 0.0 {
    x = xs[i]
    `+c.decide+`
    square = mul.f x x
    z = select.f b square x
    yield z
  } gives total : f64
  yield total
}
`, "")
		x := loop.RealValue(0.7)
		for mode, g := range map[string]*loop.Func{"reverse": reverse(t, f), "forward": forward(t, f)} {
			out := run(t, g, x, loop.RealValue(1))
			if tied(out) != c.tied {
				t.Errorf("%s, second element %s, %s: tied is %v", c.decide, c.array, mode, tied(out))
			}
			const h = 1. / 1024 // the function is a parabola here, whose differences are its slopes
			up, down := run(t, f, loop.RealValue(0.7+h)), run(t, f, loop.RealValue(0.7-h))
			want := (math.Float64frombits(up[0].Word) - math.Float64frombits(down[0].Word)) / (2 * h)
			if got := math.Float64frombits(out[1].Word); !c.tied && math.Abs(got-want) > 1e-12 {
				t.Errorf("%s, %s: the slope is %v, by differences %v", c.decide, mode, got, want)
			}
		}
	}
}
