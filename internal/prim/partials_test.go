package prim_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/prim/reference"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// A rule evaluated over doubles may be off by this much: the texts are a few
// operations each, of which some (x² in an exponent) amplify rounding.
const slopeTolerance = 1e-12

// TestPartials compares each rule with the slope of the exact function.
func TestPartials(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		if err := checkPartials(row, row.Partials); err != nil {
			t.Error(err)
		}
	})
}

// TestPartialsReject checks the checker: it refuses every rule of the table
// that is a little wrong.
func TestPartialsReject(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		for i, rule := range row.Partials {
			for _, wrong := range []string{"(%s) * 1.000001", "(%s) + 0.000001", "-(%s)"} {
				if rule == "0" && !strings.Contains(wrong, "+") {
					continue // still 0
				}
				partials := append([]string(nil), row.Partials...)
				partials[i] = fmt.Sprintf(wrong, rule)
				if checkPartials(row, partials) == nil {
					t.Errorf("the rule %s passes", partials[i])
				}
			}
		}
	})
}

// checkPartials compares rules for the real arguments of a row with slopes at
// the samples.
func checkPartials(row *prim.Prim, partials []string) error {
	if len(partials) == 0 {
		return nil
	}
	params, _ := types.Splay(row.Scheme.Type, len(row.Params))
	rule := 0
	for i := range row.Params {
		if params[i] == types.Int {
			continue
		}
		for _, x := range row.Samples {
			want, _ := slope(checks[row.Name].exact, x, i).Float64()
			env := bind(row, x)
			env["r"] = apply(row, x)
			got, err := evaluate(partials[rule], env)
			if err != nil {
				return err
			}
			bound := slopeTolerance * math.Abs(want)
			if d := math.Abs(got.(float64) - want); !(d <= bound) && got != want { // equal infinities
				return fmt.Errorf("by %s at %v: %s is %v, want %v", row.Params[i], x, partials[rule], got, want)
			}
		}
		rule++
	}
	return nil
}

// slope returns the partial derivative with respect to argument i: the central
// difference of the exact function, extrapolated once. At 400 bits and with a
// relative step of 2^-150, truncation and rounding are both below 2^-150, even
// for the sine of 1e22.
func slope(f func([]*big.Float) *big.Float, x []float64, i int) *big.Float {
	direction := make([]float64, len(x))
	direction[i] = 1
	if x[i] != 0 {
		direction[i] = math.Abs(x[i])
	}
	return newFloat().Quo(along(f, x, direction), reference.New(direction[i]))
}

// along returns the directional derivative.
func along(f func([]*big.Float) *big.Float, x, direction []float64) *big.Float {
	difference := func(k int) *big.Float { // (f (x + h d) - f (x - h d)) / 2h
		at := func(sign float64) *big.Float {
			y := exactly(x)
			for j := range y {
				step := newFloat().SetMantExp(reference.New(sign*direction[j]), k)
				y[j] = newFloat().Add(y[j], step)
			}
			return f(y)
		}
		d := newFloat().Sub(at(1), at(-1))
		return d.SetMantExp(d, -k-1)
	}
	coarse, fine := difference(-150), difference(-151)
	// The error of the difference is even in h: (4 fine - coarse) / 3.
	four := newFloat().SetMantExp(fine, 2)
	return newFloat().Quo(four.Sub(four, coarse), reference.New(3))
}

// TestArrayRules checks Pushforward against directional derivatives, and that
// Pullback is its transpose; and that slightly wrong rules fail.
func TestArrayRules(t *testing.T) {
	each(t, func(t *testing.T, row *prim.Prim) {
		if !overArray(row) {
			return
		}
		if err := checkArrayRules(row, row.Pushforward[0], row.Pullback[0]); err != nil {
			t.Error(err)
		}
		const wrong = "scale 1.000001 (%s)"
		if checkArrayRules(row, fmt.Sprintf(wrong, row.Pushforward[0]), row.Pullback[0]) == nil {
			t.Error("a wrong Pushforward passes")
		}
		if checkArrayRules(row, row.Pushforward[0], fmt.Sprintf(wrong, row.Pullback[0])) == nil {
			t.Error("a wrong Pullback passes")
		}
	})
}

func checkArrayRules(row *prim.Prim, pushforward, pullback string) error {
	for _, xs := range row.Samples {
		env := bind(row, xs)
		result := callLeaf(row, []any{boxed(xs)})
		env["r"] = result
		tangent := make([]float64, len(xs))
		for i := range tangent {
			tangent[i] = math.Cos(float64(3*i + 1))
		}
		env["dxs"] = boxed(tangent)
		pushed, err := evaluate(pushforward, env)
		if err != nil {
			return err
		}
		// The size of the derivative bounds what cancellation may cost.
		size := 0.0
		for i := range components(result) {
			f := checks[row.Name].exact
			if row.Name == "softmax" {
				f = func(xs []*big.Float) *big.Float { return softmax(xs, i) }
			}
			scaled := make([]float64, len(xs)) // steps in proportion to tiny elements
			unit := smallest(xs)
			for j := range scaled {
				scaled[j] = tangent[j] * unit
			}
			want, _ := newFloat().Quo(along(f, xs, scaled), reference.New(unit)).Float64()
			got := components(pushed)[i]
			size += math.Abs(want)
			if d := math.Abs(got - want); !(d <= slopeTolerance*math.Abs(want)) {
				return fmt.Errorf("at %v: %s is %v, want %v", xs, pushforward, got, want)
			}
		}
		cotangent := make([]float64, len(components(result)))
		for i := range cotangent {
			cotangent[i] = math.Sin(float64(2*i + 1))
		}
		env["br"] = boxed(cotangent)
		if _, scalar := result.(float64); scalar {
			env["br"] = cotangent[0]
		}
		pulled, err := evaluate(pullback, env)
		if err != nil {
			return err
		}
		left, right := dot(components(pushed), cotangent), dot(tangent, components(pulled))
		if d := math.Abs(left - right); !(d <= slopeTolerance*max(size, 1e-3)) {
			return fmt.Errorf("at %v: %s is not the transpose: %v and %v", xs, pullback, left, right)
		}
	}
	return nil
}

// smallest returns the least nonzero absolute value.
func smallest(xs []float64) float64 {
	least := math.Inf(1)
	for _, x := range xs {
		if x != 0 {
			least = min(least, math.Abs(x))
		}
	}
	return least
}

func components(v any) []float64 {
	if x, ok := v.(float64); ok {
		return []float64{x}
	}
	return vector(v)
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// TestKinks checks that a kink's equation holds at kinks and not at samples,
// and that the rules give the centre of the Clarke derivative there.
func TestKinks(t *testing.T) {
	kinks := map[string]struct {
		at     []float64
		centre []float64
	}{
		"abs": {[]float64{0}, []float64{0}}, "sign": {[]float64{0}, []float64{0}},
		"max": {[]float64{3, 3}, []float64{0.5, 0.5}}, "min": {[]float64{-1, -1}, []float64{0.5, 0.5}},
		"hypot": {[]float64{0, 0}, []float64{0, 0}}, "norm": {[]float64{0, 0}, nil},
		"<": {[]float64{1, 1}, nil}, "<=": {[]float64{1, 1}, nil}, ">": {[]float64{1, 1}, nil}, ">=": {[]float64{1, 1}, nil},
		"floor": {[]float64{-2}, nil}, "ceil": {[]float64{3}, nil}, "trunc": {[]float64{-4}, nil}, "round": {[]float64{2.5}, nil},
	}
	each(t, func(t *testing.T, row *prim.Prim) {
		kink, ok := kinks[row.Name]
		if ok != (row.Kink != "") {
			t.Fatal("a kink without a test, or the reverse")
		}
		if !ok {
			return
		}
		if !atKink(t, row, kink.at) {
			t.Errorf("%s does not hold at %v", row.Kink, kink.at)
		}
		for _, x := range row.Samples {
			if atKink(t, row, x) {
				t.Errorf("%s holds at the sample %v", row.Kink, x)
			}
		}
		for i, want := range kink.centre {
			env := bind(row, kink.at)
			env["r"] = apply(row, kink.at)
			if got, err := evaluate(row.Partials[i], env); err != nil || got != want {
				t.Errorf("%s is %v at %v, want %v (%v)", row.Partials[i], got, kink.at, want, err)
			}
		}
	})
	// The whole cotangent vanishes at the kink of norm.
	env := environment{"xs": boxed([]float64{0, 0}), "r": 0.0, "br": 1.0}
	if v, err := evaluate(prim.Lookup("norm").Pullback[0], env); err != nil || show(v) != "[0, 0]" {
		t.Errorf("the Pullback of norm at 0 is %v (%v)", v, err)
	}
}

func atKink(t *testing.T, row *prim.Prim, x []float64) bool {
	t.Helper()
	l, r, _ := strings.Cut(row.Kink, " = ")
	left, err := evaluate(l, bind(row, x))
	if err != nil {
		t.Fatal(err)
	}
	right, err := evaluate(r, bind(row, x))
	if err != nil {
		t.Fatal(err)
	}
	return left == right
}
