package value_test

import (
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestRealLeaves lists the real leaves of a value and replaces them, and leaves the others.
func TestRealLeaves(t *testing.T) {
	v := value.Tuple{value.Real(1), value.Int(7), value.Reals{2, 3},
		value.Record{{Name: "x", Value: value.Array{value.Con{Name: "Some",
			Args: []value.Value{value.Real(4)}}}}}}
	if got := value.RealsOf(v); !slices.Equal(got, []float64{1, 2, 3, 4}) {
		t.Errorf("the reals of %s are %v", value.Show(v), got)
	}
	w := value.WithReals(v, []float64{5, 6, 7, 8})
	if got, want := value.Show(w), "(5, 7, [6, 7], {x = [Some 8]})"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := value.RealsOf(v); !slices.Equal(got, []float64{1, 2, 3, 4}) {
		t.Errorf("WithReals changed its argument: %v", got)
	}
}
