package prim_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// TestPolygammaRange checks large orders: quick, and infinite or 0 only where
// they must be.
func TestPolygammaRange(t *testing.T) {
	polygamma := prim.Lookup("polygamma").Float.(prim.IntReal)
	cases := []struct {
		n       int64
		x, want float64
	}{
		{170, 1, -7.257415615307999e306}, {171, 1, math.Inf(1)}, {171, 2, 2.0730933141653131e257}, {1000, 400, -9.546328660228909352e-38}, {400, 150, -0.0001679616369354401198},
		{25, -30.25, 6.985627977123840592e40}, {3, -1000.5, 194.81818206601086349}, {150, 200, -3.794215219975905e-85},
		{1 << 60, 2, math.Inf(-1)}, {1<<60 + 1, 1e30, 0}, {1000, 1e10, math.Copysign(0, -1)}, {math.MaxInt64, 1e-300, math.Inf(1)}, {1 << 60, -2.5, math.Inf(-1)},
		{1001, -2.4, math.Inf(1)}, {1002, -2.4, math.Inf(1)}, {1002, -2.6, math.Inf(-1)}, {1002, -400.5, -1.4020155051605648e-38}, {1002, -3, math.NaN()}, {1001, -3, math.Inf(1)}, {1002, math.Inf(1), math.Copysign(0, -1)},
	}
	for _, c := range cases {
		got := polygamma(c.n, c.x)
		if close := math.Abs(got-c.want) <= 4e-16*math.Abs(c.want); !close && !same(got, c.want) {
			t.Errorf("polygamma %d %v is %v, want %v", c.n, c.x, got, c.want)
		}
	}
}
