package prim_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// TestArraySpecial checks the rows over arrays at empty arrays, infinities,
// NaN and the ends of the range.
func TestArraySpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	const tiny, largest = math.SmallestNonzeroFloat64, math.MaxFloat64
	cases := []struct {
		name string
		xs   []float64
		want []float64
	}{
		{"logsumexp", nil, []float64{-inf}},
		{"logsumexp", []float64{-inf, -inf}, []float64{-inf}},
		{"logsumexp", []float64{-inf, 3}, []float64{3}},
		{"logsumexp", []float64{inf, 3, inf}, []float64{inf}},
		{"logsumexp", []float64{1, nan, inf}, []float64{nan}},
		{"logsumexp", []float64{largest, largest}, []float64{largest}},
		{"logsumexp", []float64{-largest, largest}, []float64{largest}},
		{"softmax", nil, nil},
		{"softmax", []float64{7}, []float64{1}},
		{"softmax", []float64{-inf, 3}, []float64{0, 1}},
		{"softmax", []float64{-largest, largest}, []float64{0, 1}},
		{"softmax", []float64{nan, 0}, []float64{nan, nan}},
		{"softmax", []float64{-inf, -inf}, []float64{nan, nan}},
		{"norm", nil, []float64{0}},
		{"norm", []float64{0, math.Copysign(0, -1)}, []float64{0}},
		{"norm", []float64{3 * tiny, 4 * tiny}, []float64{5 * tiny}},
		{"norm", []float64{-largest}, []float64{largest}},
		{"norm", []float64{largest, largest}, []float64{inf}},
		{"norm", []float64{nan, -inf}, []float64{inf}},
		{"norm", []float64{1, nan}, []float64{nan}},
	}
	for _, c := range cases {
		got := components(callLeaf(prim.Lookup(c.name), []any{boxed(c.xs)}))
		if len(got) != len(c.want) {
			t.Fatalf("%s %v is %v", c.name, c.xs, got)
		}
		for i := range got {
			if !same(got[i], c.want[i]) {
				t.Errorf("%s %v is %v, want %v", c.name, c.xs, got, c.want)
			}
		}
	}
}

// TestSoftmaxInPlace checks that the result may replace the argument.
func TestSoftmaxInPlace(t *testing.T) {
	softmax := prim.Lookup("softmax").Float.(prim.MapArray)
	xs, into := []float64{1, 2, 3}, make([]float64, 3)
	softmax(into, xs)
	softmax(xs, xs)
	for i := range xs {
		if xs[i] != into[i] {
			t.Fatalf("%v in place, %v apart", xs, into)
		}
	}
}
