package prim_test

import (
	"math"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// enclosure returns a row's interval column at a point, in one tier.
func enclosure[T any](t tier.Tier[T], row *prim.Prim, at []float64) []T {
	args := make([]T, len(at))
	for i, x := range at {
		args[i] = t.Float(x)
	}
	switch f := row.Interval.(type) {
	case tier.Fun0:
		return []T{t.Apply0(f)}
	case tier.Fun1:
		return []T{t.Apply1(f, args[0])}
	case tier.Fun2:
		return []T{t.Apply2(f, args[0], args[1])}
	case tier.FunInt:
		if params, _ := types.Splay(row.Scheme.Type, 2); params[0] == types.Int {
			return []T{t.ApplyInt(f, args[1], int64(at[0]))}
		}
		return []T{t.ApplyInt(f, args[0], int64(at[1]))}
	case tier.FunFamily:
		ints := make([]int64, len(at)-len(row.Partials))
		for i := range ints {
			ints[i] = int64(at[i])
		}
		return []T{t.ApplyFamily(f, ints, args[len(ints):])}
	case tier.FunFold:
		switch t := any(t).(type) {
		case tier.Double:
			return any([]interval.Interval{f.Double(any(args).([]interval.Interval))}).([]T)
		case tier.Multi:
			return any([]*ball.Ball{f.Multi(any(args).([]*ball.Ball), t.Prec)}).([]T)
		}
	case tier.FunMap:
		switch t := any(t).(type) {
		case tier.Double:
			return any(f.Double(any(args).([]interval.Interval))).([]T)
		case tier.Multi:
			return any(f.Multi(any(args).([]*ball.Ball), t.Prec)).([]T)
		}
	}
	return nil
}

// floats returns the row's float column at a point.
func floats(row *prim.Prim, at []float64) []float64 {
	switch f := row.Float.(type) {
	case prim.Constant:
		return []float64{f}
	case prim.MapArray:
		into := make([]float64, len(at))
		f(into, at)
		return into
	}
	return []float64{apply(row, at)}
}

// TestIntervalColumn holds the columns of a row against one another, at the samples and at
// random points: the doubles must enclose what 300 bits say, and the float lie within an ulp or
// so of the enclosure.
func TestIntervalColumn(t *testing.T) {
	for _, row := range prim.All() {
		switch row.Float.(type) {
		case prim.Constant, prim.Real1, prim.Real2, prim.IntReal, prim.RealInt, prim.Family, prim.Fold, prim.MapArray:
		default:
			continue // not on reals, or to Int
		}
		if row.Interval == nil {
			if row.Name != "zero" && row.Name != "zeroLike" {
				t.Errorf("%s has no interval column", row.Name)
			}
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			for _, at := range arguments(row, checks[row.Name]) {
				double := enclosure(tier.Double{}, row, at)
				multi := enclosure(tier.Multi{Prec: 300}, row, at)
				for i, x := range floats(row, at) {
					if multi[i].IsWhole() {
						continue // beyond the exponents of balls, whose half-lines are whole
					}
					lo, hi := multi[i].Float64s()
					if double[i].IsEmpty() || lo < double[i].Lo || hi > double[i].Hi {
						// An outward double on either side of a narrow ball may be one
						// further out than the tightest interval.
						if lo < math.Nextafter(double[i].Lo, math.Inf(-1)) || hi > math.Nextafter(double[i].Hi, math.Inf(1)) {
							t.Fatalf("%v: %v does not enclose %v", at, double[i], multi[i])
						}
					}
					slack := 4*math.Max(math.Abs(lo), math.Abs(hi))*0x1p-52 + 1e-15
					if math.IsInf(x, 0) || math.IsNaN(x) {
						continue // beyond the doubles
					}
					if x < lo-slack || x > hi+slack {
						t.Fatalf("%v: the float is %v, the enclosure %v", at, x, multi[i])
					}
				}
			}
		})
	}
}
