package jet

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// intervals are the intervals of sets of doubles.
func intervals(xs []Set) []interval.Interval {
	all := make([]interval.Interval, len(xs))
	for i, x := range xs {
		all[i] = x.Interval
	}
	return all
}

// Rat is the tightest enclosure of a rational.
func (Double) Rat(q *big.Rat) Set { return OfInterval(interval.FromRat(q)) }

// Float is the point x.
func (Double) Float(x float64) Set { return OfInterval(interval.Point(x)) }

// Int encloses an integer.
func (Double) Int(n int64) Set {
	if -1<<53 <= n && n <= 1<<53 {
		return OfInterval(interval.Point(float64(n)))
	}
	return OfInterval(interval.FromInt(big.NewInt(n)))
}

// Add is x + y.
func (Double) Add(x, y Set) Set { return OfInterval(interval.Add(x.Interval, y.Interval)) }

// Sub is x - y.
func (Double) Sub(x, y Set) Set { return OfInterval(interval.Sub(x.Interval, y.Interval)) }

// Mul is x y.
func (Double) Mul(x, y Set) Set { return OfInterval(interval.Mul(x.Interval, y.Interval)) }

// Quo is x / y.
func (Double) Quo(x, y Set) Set { return OfInterval(interval.Div(x.Interval, y.Interval)) }

// Neg is -x.
func (Double) Neg(x Set) Set { return OfInterval(interval.Neg(x.Interval)) }

// Apply0 is the constant f.
func (Double) Apply0(f tier.Fun0) Set { return OfInterval(f.Double()) }

// Apply1 is f x.
func (Double) Apply1(f tier.Fun1, x Set) Set { return OfInterval(f.Double(x.Interval)) }

// Apply2 is f x y.
func (Double) Apply2(f tier.Fun2, x, y Set) Set {
	return OfInterval(f.Double(x.Interval, y.Interval))
}

// ApplyInt is f x n.
func (Double) ApplyInt(f tier.FunInt, x Set, n int64) Set {
	return OfInterval(f.Double(x.Interval, n))
}

// ApplyFamily is f at the integers and the reals.
func (Double) ApplyFamily(f tier.FunFamily, ints []int64, xs []Set) Set {
	return OfInterval(f.Double(ints, intervals(xs)))
}

// ApplyFold is f of an array.
func (Double) ApplyFold(f tier.FunFold, xs []Set) Set { return OfInterval(f.Double(intervals(xs))) }

// Hull is the smallest interval that contains both.
func (Double) Hull(x, y Set) Set { return OfInterval(interval.Hull(x.Interval, y.Interval)) }

// Intersect is what both contain.
func (Double) Intersect(x, y Set) Set {
	return OfInterval(interval.Intersect(x.Interval, y.Interval))
}

// IsEmpty tells whether x has no point.
func (Double) IsEmpty(x Set) bool { return x.Interval.IsEmpty() }

// Less tells whether x is certainly less than y.
func (Double) Less(x, y Set) bool { return x.Interval.CertainlyLess(y.Interval) }

// Ends are the ends of x.
func (Double) Ends(x Set) (lo, hi float64) { return x.Interval.Inf(), x.Interval.Sup() }

// String is [lo, hi] in decimal.
func (Double) String(x Set) string { return x.Interval.String() }

// Whole is the line.
func (Double) Whole() Set { return OfInterval(interval.Entire()) }

// Sign is the certain sign of x.
func (Double) Sign(x Set) int {
	switch {
	case x.Interval.Inf() > 0:
		return 1
	case x.Interval.Sup() < 0:
		return -1
	}
	return 0
}

// IsPoint tells whether x is one real.
func (Double) IsPoint(x Set) bool { return x.Interval.IsPoint() }

// Bounded tells whether x has two ends.
func (Double) Bounded(x Set) bool { return x.Interval.IsBounded() && !x.Interval.IsEmpty() }

// Within tells whether x is a part of y.
func (Double) Within(x, y Set) bool { return x.Interval.Subset(y.Interval) }

// Mid is the midpoint.
func (Double) Mid(x Set) Set { return OfInterval(interval.Point(x.Interval.Mid())) }

// Lower is the lower end.
func (Double) Lower(x Set) Set { return OfInterval(interval.Point(x.Interval.Inf())) }

// Upper is the upper end.
func (Double) Upper(x Set) Set { return OfInterval(interval.Point(x.Interval.Sup())) }

// Span reaches from a to b.
func (Double) Span(a, b Set) Set {
	x, _ := interval.New(a.Interval.Inf(), b.Interval.Sup())
	return OfInterval(x)
}

// Widen is x ± by.
func (Double) Widen(x Set, by Mag) Set {
	r := by.Float()
	if math.IsInf(r, 1) {
		return OfInterval(interval.Entire())
	}
	e, _ := interval.New(-r, r)
	return OfInterval(interval.Add(x.Interval, e))
}

// Symbol is x.
func (Double) Symbol(x Set) Set { return x }

// Float64 is the midpoint.
func (Double) Float64(x Set) float64 { return x.Interval.Mid() }

// Width is the width.
func (Double) Width(x Set) Mag { return MagOf(x.Interval.Width()) }

// Mag is the largest absolute value.
func (Double) Mag(x Set) Mag { return MagOf(x.Interval.Mag()) }

// Mig is the smallest absolute value.
func (Double) Mig(x Set) Mag { return MagOf(x.Interval.Mig()) }

// Bits is the precision of doubles.
func (Double) Bits() uint { return 53 }
