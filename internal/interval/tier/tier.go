// Package tier is the common interface of both precisions of interval arithmetic. Code written
// once against Tier runs on doubles (package interval) and on balls of any precision (package
// ball). T is a type parameter, so a double interval is passed as the two words it is and never
// boxed.
//
// The functions of the table of primitives are given as pairs, with one implementation per tier;
// package prim holds one in each row. Beside them is the function's analytic continuation to
// rectangles, or nil if there is none.
package tier

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
)

// Tier is arithmetic on sets of reals. Every result contains the result of the
// operation at every point of its arguments at which the operation is defined.
type Tier[T any] interface {
	Rat(q *big.Rat) T
	Float(x float64) T

	Add(x, y T) T
	Sub(x, y T) T
	Mul(x, y T) T
	Quo(x, y T) T
	Neg(x T) T

	Apply0(f Fun0) T
	Apply1(f Fun1, x T) T
	Apply2(f Fun2, x, y T) T
	ApplyInt(f FunInt, x T, n int64) T
	ApplyFamily(f FunFamily, ints []int64, xs []T) T

	Hull(x, y T) T
	Intersect(x, y T) T
	IsEmpty(x T) bool
	Less(x, y T) bool          // whether every point of x is less than every one of y
	Ends(x T) (lo, hi float64) // rounded outward
	String(x T) string         // [lo, hi], rounded outward
}

// The kinds of functions. Row is the identity of the row of the table of primitives that has the
// function, or 0.
type (
	// Fun0 is a constant.
	Fun0 struct {
		Double func() interval.Interval
		Multi  func(z *ball.Ball, prec uint) *ball.Ball
	}
	// Fun1 is a function of one real.
	Fun1 struct {
		Double  func(x interval.Interval) interval.Interval
		Multi   func(z, x *ball.Ball, prec uint) *ball.Ball
		Complex func(x rectangle.Rect) rectangle.Rect
		Row     int
	}
	// Fun2 is a function of two reals.
	Fun2 struct {
		Double  func(x, y interval.Interval) interval.Interval
		Multi   func(z, x, y *ball.Ball, prec uint) *ball.Ball
		Complex func(x, y rectangle.Rect) rectangle.Rect
		Row     int
	}
	// FunInt is a function of a real and an integer.
	FunInt struct {
		Double  func(x interval.Interval, n int64) interval.Interval
		Multi   func(z, x *ball.Ball, n int64, prec uint) *ball.Ball
		Complex func(x rectangle.Rect, n int64) rectangle.Rect
		Row     int
	}
	// FunFamily is a function of reals with its partial derivatives, by their orders: see
	// Note [Families] of package prim.
	FunFamily struct {
		Double func(ints []int64, xs []interval.Interval) interval.Interval
		Multi  func(ints []int64, xs []*ball.Ball, prec uint) *ball.Ball
		Row    int
	}
	// FunFold is a function of an array to a real.
	FunFold struct {
		Double func(xs []interval.Interval) interval.Interval
		Multi  func(xs []*ball.Ball, prec uint) *ball.Ball
	}
	// FunMap is a function of an array to one of the same length.
	FunMap struct {
		Double func(xs []interval.Interval) []interval.Interval
		Multi  func(xs []*ball.Ball, prec uint) []*ball.Ball
	}
)

// Double is the tier of doubles.
type Double struct{}

var _ Tier[interval.Interval] = Double{}

// Rat returns the tightest enclosure of a rational.
func (Double) Rat(q *big.Rat) interval.Interval { return interval.FromRat(q) }

// Float returns the point x.
func (Double) Float(x float64) interval.Interval { return interval.Point(x) }

// Add returns x + y.
func (Double) Add(x, y interval.Interval) interval.Interval { return interval.Add(x, y) }

// Sub returns x - y.
func (Double) Sub(x, y interval.Interval) interval.Interval { return interval.Sub(x, y) }

// Mul returns x y.
func (Double) Mul(x, y interval.Interval) interval.Interval { return interval.Mul(x, y) }

// Quo returns x / y.
func (Double) Quo(x, y interval.Interval) interval.Interval { return interval.Div(x, y) }

// Neg returns -x.
func (Double) Neg(x interval.Interval) interval.Interval { return interval.Neg(x) }

// Apply0 returns the constant f.
func (Double) Apply0(f Fun0) interval.Interval { return f.Double() }

// Apply1 returns f x.
func (Double) Apply1(f Fun1, x interval.Interval) interval.Interval { return f.Double(x) }

// Apply2 returns f x y.
func (Double) Apply2(f Fun2, x, y interval.Interval) interval.Interval { return f.Double(x, y) }

// ApplyInt returns f x n.
func (Double) ApplyInt(f FunInt, x interval.Interval, n int64) interval.Interval {
	return f.Double(x, n)
}

// ApplyFamily returns f at the integers and the reals.
func (Double) ApplyFamily(f FunFamily, ints []int64, xs []interval.Interval) interval.Interval {
	return f.Double(ints, xs)
}

// Hull returns the smallest interval that contains both.
func (Double) Hull(x, y interval.Interval) interval.Interval { return interval.Hull(x, y) }

// Intersect returns what both contain.
func (Double) Intersect(x, y interval.Interval) interval.Interval {
	return interval.Intersect(x, y)
}

// IsEmpty reports whether x has no point.
func (Double) IsEmpty(x interval.Interval) bool { return x.IsEmpty() }

// Less reports whether x is certainly less than y.
func (Double) Less(x, y interval.Interval) bool { return x.CertainlyLess(y) }

// Ends returns the ends of x.
func (Double) Ends(x interval.Interval) (lo, hi float64) { return x.Inf(), x.Sup() }

// String returns [lo, hi] in decimal.
func (Double) String(x interval.Interval) string { return x.String() }

// Multi is the tier of balls, at a working precision of Prec bits.
type Multi struct{ Prec uint }

var _ Tier[*ball.Ball] = Multi{}

// Rat encloses a rational.
func (m Multi) Rat(q *big.Rat) *ball.Ball { return new(ball.Ball).SetRat(q, m.Prec) }

// Float returns the point x.
func (Multi) Float(x float64) *ball.Ball { return new(ball.Ball).SetFloat64(x) }

// Add returns x + y.
func (m Multi) Add(x, y *ball.Ball) *ball.Ball { return new(ball.Ball).Add(x, y, m.Prec) }

// Sub returns x - y.
func (m Multi) Sub(x, y *ball.Ball) *ball.Ball { return new(ball.Ball).Sub(x, y, m.Prec) }

// Mul returns x y.
func (m Multi) Mul(x, y *ball.Ball) *ball.Ball { return new(ball.Ball).Mul(x, y, m.Prec) }

// Quo returns x / y.
func (m Multi) Quo(x, y *ball.Ball) *ball.Ball { return new(ball.Ball).Quo(x, y, m.Prec) }

// Neg returns -x.
func (Multi) Neg(x *ball.Ball) *ball.Ball { return new(ball.Ball).Neg(x) }

// Apply0 returns the constant f.
func (m Multi) Apply0(f Fun0) *ball.Ball { return f.Multi(new(ball.Ball), m.Prec) }

// Apply1 returns f x.
func (m Multi) Apply1(f Fun1, x *ball.Ball) *ball.Ball { return f.Multi(new(ball.Ball), x, m.Prec) }

// Apply2 returns f x y.
func (m Multi) Apply2(f Fun2, x, y *ball.Ball) *ball.Ball {
	return f.Multi(new(ball.Ball), x, y, m.Prec)
}

// ApplyInt returns f x n.
func (m Multi) ApplyInt(f FunInt, x *ball.Ball, n int64) *ball.Ball {
	return f.Multi(new(ball.Ball), x, n, m.Prec)
}

// ApplyFamily returns f at the integers and the reals.
func (m Multi) ApplyFamily(f FunFamily, ints []int64, xs []*ball.Ball) *ball.Ball {
	return f.Multi(ints, xs, m.Prec)
}

// Hull returns a ball that contains both.
func (m Multi) Hull(x, y *ball.Ball) *ball.Ball { return new(ball.Ball).Hull(x, y, m.Prec) }

// Intersect returns a ball that contains what both contain.
func (m Multi) Intersect(x, y *ball.Ball) *ball.Ball {
	return new(ball.Ball).Intersect(x, y, m.Prec)
}

// IsEmpty reports whether x has no point.
func (Multi) IsEmpty(x *ball.Ball) bool { return x.IsEmpty() }

// Less reports whether x is certainly less than y.
func (Multi) Less(x, y *ball.Ball) bool { return x.Less(y) }

// Ends returns doubles on either side of x.
func (Multi) Ends(x *ball.Ball) (lo, hi float64) { return x.Float64s() }

// String returns [lo, hi] in decimal.
func (Multi) String(x *ball.Ball) string { return x.String() }
