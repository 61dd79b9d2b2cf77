package rules_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/rules"
)

// TestKinks: at its kink, and along a direction, a row of the table is what Note [Kinks] says: the
// slope that the row itself has for a small step.
func TestKinks(t *testing.T) {
	on := rules.Doubles{}
	directions := []float64{-2, -1, 1, 3}
	for _, row := range prim.All() {
		var value func(x, y float64) float64
		switch f := row.Float.(type) {
		case prim.Real1:
			value = func(x, _ float64) float64 { return f(x) }
		case prim.Real2:
			value = f
		default:
			continue
		}
		kind := row.KinkKind
		at := []float64{0}
		switch kind {
		case prim.MaxKink, prim.MinKink:
			at = []float64{-1.5, 0, 2}
		case prim.AbsKink, prim.NormKink:
		default:
			continue
		}
		if rules.AtKink(kind, 1.0, 2.0, on) {
			t.Errorf("%s is at a kink at 1, 2", row.Name)
		}
		for _, x := range at {
			if !rules.AtKink(kind, x, x, on) || !rules.MayKink(x, x) {
				t.Errorf("%s is not at a kink at %v", row.Name, x)
			}
			for _, dx := range directions {
				for _, dy := range directions {
					const h = 0x1p-20
					want := (value(x+h*dx, x+h*dy) - value(x, x)) / h
					if got := along(kind, dx, dy); math.Abs(got-want) > 1e-9 {
						t.Errorf("%s at %v along %v, %v: %v, want %v", row.Name, x, dx, dy, got, want)
					}
				}
			}
		}
	}
}

// along is the derivative of a row at its kink along a direction.
func along(kind prim.KinkKind, dx, dy float64) float64 {
	on := rules.Doubles{}
	if kind == prim.NormKink {
		h := math.Hypot(dx, dy)
		return dx*rules.Unit(dx, h, 0, on) + dy*rules.Unit(dy, h, 0, on)
	}
	first := rules.First(kind, dx, dy, on)
	switch {
	case first:
		return dx
	case kind == prim.AbsKink:
		return -dx
	}
	return dy
}
