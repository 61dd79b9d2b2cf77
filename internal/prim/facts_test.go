package prim_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// ordinates are samples of one real.
var ordinates = [][]float64{{1e-9}, {1e9}, {-1e9}, {600}}

// TestSingular: the value or the slope of a row is infinite where its singular argument is 0.
func TestSingular(t *testing.T) {
	for _, row := range prim.All() {
		k := slices.Index(row.Params, row.Singular)
		if k < 0 {
			continue
		}
		args := make([]float64, len(row.Params))
		for i := range args {
			args[i] = -1 // an exponent, if it is not the argument
		}
		args[k] = 0x1p-1000
		if k > 0 {
			args[0] = 1
		}
		args2 := slices.Clone(args)
		args2[k] *= 2
		if slope := math.Abs(apply(row, args2)-apply(row, args)) / args[k]; !(slope > 1e100) {
			t.Errorf("%s has the slope %v near its singularity", row.Name, slope)
		}
	}
}

// TestFacts compares what rows say to engines with their evaluators.
func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		if row.ID.Row() != row || row.ID.String() != row.Name {
			t.Error("the identity is another row's")
		}
		if (row.KinkKind == prim.Smooth) != (row.Kink == "") {
			t.Error("a kink without a kind, or the reverse")
		}
		evaluators := row.Float != nil || row.Int != nil || row.Text != nil
		if row.Kind == prim.Ordinary != evaluators {
			t.Error("a kind of structural rows for a row with an evaluator, or the reverse")
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
		if row.Singular != "" && !slices.Contains(row.Params, row.Singular) {
			t.Errorf("singular at the zero of %s, which is not an argument", row.Singular)
		}
		for _, x := range append(row.Samples[:len(row.Samples):len(row.Samples)], ordinates...) {
			if row.Germ == "" || row.Domain != "" && !inDomain(row, x) {
				continue
			}
			v, err := evaluate(row.Germ, bind(row, x))
			if err != nil {
				t.Fatal(err)
			}
			// 0 / 0 says nothing, differences cancel near 0, and the exponential overflows
			got, want := v.(float64), apply(row, x)
			if !math.IsNaN(got) && !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) && !math.IsInf(got, 0) {
				t.Errorf("the germ at %v is %v, the row %v", x, got, want)
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

// TestNeutral: a neutral number leaves the other argument as it is, of reals and of integers.
func TestNeutral(t *testing.T) {
	found := 0
	for _, row := range prim.All() {
		n := row.Neutral
		apply := func(x, y float64) float64 {
			switch f := row.Float.(type) {
			case prim.Real2:
				return f(x, y)
			case prim.RealInt:
				return f(x, int64(y))
			}
			t.Fatalf("%s has a neutral number, and is not a row of two", row.Name)
			return 0
		}
		applyInt := func(x, y int64) int64 {
			if f, ok := row.Int.(prim.Int2); ok {
				r, code := f(x, y)
				if code != "" {
					t.Fatal(row.Name, code)
				}
				return r
			}
			return max(x, y)
		}
		for _, x := range []float64{7, -0.5, 1e300, 5e-324, math.Inf(-1)} {
			if n.Left && apply(float64(n.Number), x) != x || n.Right && apply(x, float64(n.Number)) != x {
				t.Errorf("%d is not neutral for %s at %v", n.Number, row.Name, x)
			}
		}
		if n.Left && applyInt(n.Number, 7) != 7 || n.Right && applyInt(7, n.Number) != 7 {
			t.Errorf("%d is not neutral for %s at 7", n.Number, row.Name)
		}
		if n.Left || n.Right {
			found++
		}
	}
	if found < 5 {
		t.Errorf("only %d rows have a neutral number", found)
	}
}
