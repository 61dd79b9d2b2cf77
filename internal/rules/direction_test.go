package rules

import (
	"math"
	"testing"
)

// The generic direction vanishes on no combination of a few variables with
// small coefficients.
func TestDirectionIsGeneric(t *testing.T) {
	const variables, most, terms = 12, 3, 3
	var combine func(k, left int, sum float64)
	combine = func(k, left int, sum float64) {
		if left == 0 || k == variables {
			if left < terms && math.Abs(sum) < 1e-9 {
				t.Fatalf("a combination gives %g", sum)
			}
			return
		}
		combine(k+1, left, sum)
		for c := -most; c <= most; c++ {
			if c != 0 {
				combine(k+1, left-1, sum+float64(c)*Direction(k))
			}
		}
	}
	combine(0, terms, 0)
	seen := map[float64]bool{}
	for k := range 100_000 {
		d := Direction(k)
		if d < 1 || d >= 2 || seen[d] {
			t.Fatalf("component %d is %v", k, d)
		}
		seen[d] = true
	}
}
