package jet

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Balls is the number type of the second tier: an arithmetic on balls, as one on sets.
type Balls struct{ Of Arithmetic[*ball.Ball] }

// NewBalls is the number of the second tier at a precision.
func NewBalls(bits uint) Number { return Balls{NewMulti(bits)} }

// ballsOf are the balls of sets.
func ballsOf(xs []Set) []*ball.Ball {
	all := make([]*ball.Ball, len(xs))
	for i, x := range xs {
		all[i] = x.Ball
	}
	return all
}

// Rat encloses a rational.
func (b Balls) Rat(q *big.Rat) Set { return OfBall(b.Of.Rat(q)) }

// Float is the point x.
func (b Balls) Float(x float64) Set { return OfBall(b.Of.Float(x)) }

// Int encloses an integer.
func (b Balls) Int(n int64) Set { return OfBall(b.Of.Int(n)) }

// Add is x + y.
func (b Balls) Add(x, y Set) Set { return OfBall(b.Of.Add(x.Ball, y.Ball)) }

// Sub is x - y.
func (b Balls) Sub(x, y Set) Set { return OfBall(b.Of.Sub(x.Ball, y.Ball)) }

// Mul is x y.
func (b Balls) Mul(x, y Set) Set { return OfBall(b.Of.Mul(x.Ball, y.Ball)) }

// Quo is x / y.
func (b Balls) Quo(x, y Set) Set { return OfBall(b.Of.Quo(x.Ball, y.Ball)) }

// Neg is -x.
func (b Balls) Neg(x Set) Set { return OfBall(b.Of.Neg(x.Ball)) }

// Apply0 is the constant f.
func (b Balls) Apply0(f tier.Fun0) Set { return OfBall(b.Of.Apply0(f)) }

// Apply1 is f x.
func (b Balls) Apply1(f tier.Fun1, x Set) Set { return OfBall(b.Of.Apply1(f, x.Ball)) }

// Apply2 is f x y.
func (b Balls) Apply2(f tier.Fun2, x, y Set) Set { return OfBall(b.Of.Apply2(f, x.Ball, y.Ball)) }

// ApplyInt is f x n.
func (b Balls) ApplyInt(f tier.FunInt, x Set, n int64) Set {
	return OfBall(b.Of.ApplyInt(f, x.Ball, n))
}

// ApplyFamily is f at the integers and the reals.
func (b Balls) ApplyFamily(f tier.FunFamily, ints []int64, xs []Set) Set {
	return OfBall(b.Of.ApplyFamily(f, ints, ballsOf(xs)))
}

// ApplyFold is f of an array.
func (b Balls) ApplyFold(f tier.FunFold, xs []Set) Set {
	return OfBall(b.Of.ApplyFold(f, ballsOf(xs)))
}

// Hull contains both.
func (b Balls) Hull(x, y Set) Set { return OfBall(b.Of.Hull(x.Ball, y.Ball)) }

// Intersect contains what both contain.
func (b Balls) Intersect(x, y Set) Set { return OfBall(b.Of.Intersect(x.Ball, y.Ball)) }

// IsEmpty tells whether x has no point.
func (b Balls) IsEmpty(x Set) bool { return b.Of.IsEmpty(x.Ball) }

// Less tells whether x is certainly less than y.
func (b Balls) Less(x, y Set) bool { return b.Of.Less(x.Ball, y.Ball) }

// Ends are doubles on either side of x.
func (b Balls) Ends(x Set) (lo, hi float64) { return b.Of.Ends(x.Ball) }

// String is [lo, hi] in decimal.
func (b Balls) String(x Set) string { return b.Of.String(x.Ball) }

// Whole is the line.
func (b Balls) Whole() Set { return OfBall(b.Of.Whole()) }

// Sign is the certain sign of x.
func (b Balls) Sign(x Set) int { return b.Of.Sign(x.Ball) }

// IsPoint tells whether x is one real.
func (b Balls) IsPoint(x Set) bool { return b.Of.IsPoint(x.Ball) }

// Bounded tells whether x is bounded.
func (b Balls) Bounded(x Set) bool { return b.Of.Bounded(x.Ball) }

// Within tells whether x is certainly a part of y.
func (b Balls) Within(x, y Set) bool { return b.Of.Within(x.Ball, y.Ball) }

// Mid is a point near the middle.
func (b Balls) Mid(x Set) Set { return OfBall(b.Of.Mid(x.Ball)) }

// Lower is the lower end.
func (b Balls) Lower(x Set) Set { return OfBall(b.Of.Lower(x.Ball)) }

// Upper is the upper end.
func (b Balls) Upper(x Set) Set { return OfBall(b.Of.Upper(x.Ball)) }

// Span reaches from x to y.
func (b Balls) Span(x, y Set) Set { return OfBall(b.Of.Span(x.Ball, y.Ball)) }

// Widen is x ± by.
func (b Balls) Widen(x Set, by Mag) Set { return OfBall(b.Of.Widen(x.Ball, by)) }

// Symbol is x, which begins to vary.
func (b Balls) Symbol(x Set) Set { return OfBall(b.Of.Symbol(x.Ball)) }

// Float64 is a double near the middle.
func (b Balls) Float64(x Set) float64 { return b.Of.Float64(x.Ball) }

// Width is at least the width.
func (b Balls) Width(x Set) Mag { return b.Of.Width(x.Ball) }

// Mag is at least every absolute value.
func (b Balls) Mag(x Set) Mag { return b.Of.Mag(x.Ball) }

// Mig is at most every absolute value.
func (b Balls) Mig(x Set) Mag { return b.Of.Mig(x.Ball) }

// Bits is the working precision.
func (b Balls) Bits() uint { return b.Of.Bits() }
