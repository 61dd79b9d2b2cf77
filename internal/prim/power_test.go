package prim_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/prim/reference"
	"github.com/fluxion-lang/fluxion/internal/property"
)

// TestHugeExponents raises numbers near 1 to exponents that no double holds.
func TestHugeExponents(t *testing.T) {
	power := prim.Lookup("^").Float.(prim.RealInt)
	property.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 1<<53 + 1, -1<<53 - 1})).Draw(t, "n")
		x := 1 + float64(rapid.IntRange(-3000, 3000).Draw(t, "ulps"))*0x1p-53
		if rapid.Bool().Draw(t, "negative") {
			x = -x
		}
		if math.Abs(float64(n)*math.Log2(math.Abs(x))) > 1e6 {
			return
		}
		want := reference.PowInt(reference.New(x), n)
		if e := ulps(power(x, n), want); e > 2.5 { // two rounded factors and their product
			t.Fatalf("%v^%d is off by %.3g ulp", x, n, e)
		}
	})
}
