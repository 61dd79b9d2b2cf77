package prim_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// TestFacts compares what rows say to engines with their evaluators.
func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		if row.ID.Row() != row || row.ID.String() != row.Name {
			t.Error("the identity is another row's")
		}
		if (row.KinkKind == prim.Smooth) != (row.Kink == "") {
			t.Error("a kink without a kind, or the reverse")
		}
		if row.Kind != prim.Ordinary && row.Float != nil {
			t.Error("a kind of structural rows for a row with an evaluator")
		}
		if row.Cost < 1 {
			t.Error("no cost")
		}
		holds, ok := row.Int.(prim.IntCompare)
		if ok != (row.Order != 0) {
			t.Error("an order and no comparison, or the reverse")
		}
		for _, x := range []int64{-1, 0, 1} {
			c := cmp.Compare(x, 0)
			o := row.Order
			if ok && (o.Holds(c) != holds(x, 0) || o.Opposite().Holds(c) == holds(x, 0) || o.Mirrored().Holds(c) != holds(0, x)) {
				t.Errorf("%d compared with 0", x)
			}
		}
		for _, x := range row.Samples {
			if row.SignRule != prim.AnySign && !(apply(row, x) >= 0) && (row.SignRule == prim.NeverNegative || slices.Min(x) >= 0) {
				t.Errorf("%v at %v, where it should not be negative", apply(row, x), x)
			}
		}
		round, ok := row.Float.(prim.ToInt)
		if ok != (row.Early != nil) {
			t.Fatal("places of jumps and no rounding, or the reverse")
		}
		for x := -3.0; ok && x <= 3; x += 0.25 {
			before, _ := round(math.Nextafter(x, -4))
			after, _ := round(math.Nextafter(x, 4))
			if row.JumpsAt(x) != (before != after) {
				t.Errorf("a jump at %v: %v", x, row.JumpsAt(x))
			}
		}
	})
}
