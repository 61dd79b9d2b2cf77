package coretest

import (
	"math"
	"testing"
)

// TestNaNComesLast: where reals are sorted, as in the interpreter.
func TestNaNComesLast(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x, y float64
		want int
	}{{nan, math.Inf(1), 1}, {-1, nan, -1}, {nan, nan, 0}, {1, 2, -1}} {
		if got := compareBasic(c.x, c.y); got != c.want {
			t.Errorf("comparing %v and %v gives %d, not %d", c.x, c.y, got, c.want)
		}
	}
}
