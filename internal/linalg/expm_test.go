package linalg

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// TestExpm compares the exponentials of turns, of diagonals and of a nilpotent matrix with what
// they are, at norms that take each approximant and that need to be scaled.
func TestExpm(t *testing.T) {
	room := func(int) *diag.Diagnostic { return nil }
	check := func(a, want []float64, n int) {
		t.Helper()
		e, d := Expm(room, []Array{Matrix(n, a)})
		if d != nil {
			t.Fatal(d)
		}
		scale := 0.0
		for _, x := range want {
			scale = max(scale, math.Abs(x))
		}
		for i, x := range e.Copy() {
			if !(math.Abs(x-want[i]) <= 1e-14*scale*max(1, math.Abs(a[1]), math.Abs(a[0]))) {
				t.Errorf("e^%v: %v at %d instead of %v", a, x, i, want[i])
			}
		}
	}
	for _, x := range []float64{0, 1e-300, 0.01, 0.1, 0.7, 1.5, 4, 5.4, 30, 500} {
		s, c := math.Sincos(x)
		check([]float64{0, -x, x, 0}, []float64{c, -s, s, c}, 2)
		check([]float64{-x, 0, 0, x / 2}, []float64{math.Exp(-x), 0, 0, math.Exp(x / 2)}, 2)
		check([]float64{0, x, x, 0, 0, x, 0, 0, 0}, []float64{1, x, x + x*x/2, 0, 1, x, 0, 0, 1}, 3)
	}
}
