package jet

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Set is a set of reals in one of the two precisions: an interval of doubles, or a ball of any
// precision if there is one. Which of them it is, the Number that made it knows. One type holds
// both, so that nothing above depends on the precision: programs are compiled once, and so is this
// one. A set of doubles carries a nil pointer for that, and allocates nothing.
type Set struct {
	Interval interval.Interval
	Ball     *ball.Ball
}

// OfInterval is an interval of doubles as a set.
func OfInterval(x interval.Interval) Set { return Set{Interval: x} }

// OfBall is a ball as a set.
func OfBall(x *ball.Ball) Set { return Set{Ball: x} }

// Number is what coefficients are: sets of reals in one of the two precisions,
// with what a search needs beyond arithmetic. The arithmetic operations give,
// as everywhere, a set that contains every result at points where the operation
// is defined; that it is defined everywhere is for the caller to know.
type Number = Arithmetic[Set]

// Arithmetic is arithmetic on sets that are represented by T: as Set, or on balls only.
type Arithmetic[T any] interface {
	tier.Tier[T]

	ApplyFold(f tier.FunFold, xs []T) T

	Int(n int64) T // the integer, enclosed
	Whole() T      // all reals

	Sign(x T) int // 1 or -1 if all of x is positive or negative, else 0
	IsPoint(x T) bool
	Bounded(x T) bool   // neither half-line nor line; not empty
	Within(x, y T) bool // whether x is certainly a part of y

	Mid(x T) T           // a point near the middle; x is bounded
	Lower(x T) T         // the lower end as a point; x is bounded
	Upper(x T) T         // the upper end as a point; x is bounded
	Span(a, b T) T       // from the least point of a to the greatest of b
	Widen(x T, by Mag) T // x ± by
	Symbol(x T) T        // x, which begins to vary: Note [Expressions] of package ball
	Float64(x T) float64 // a double near the middle, for choosing where to look

	Width(x T) Mag // at least the width
	Mag(x T) Mag   // at least the absolute value of every point
	Mig(x T) Mag   // at most the absolute value of every point

	Bits() uint // of precision: 53, or what is asked of balls
}

// Double is the number type of the first tier.
type Double struct{}

// Multi is arithmetic on balls that are named by expressions, at a precision.
type Multi struct{ tier.Multi }

var (
	_ Number                 = Double{}
	_ Number                 = Balls{}
	_ Arithmetic[*ball.Ball] = Multi{}
)

// NewMulti is the arithmetic of the second tier at a precision.
func NewMulti(bits uint) Multi { return Multi{tier.Multi{Prec: bits}} }

// ---- balls

// ApplyFold is f of an array.
func (m Multi) ApplyFold(f tier.FunFold, xs []*ball.Ball) *ball.Ball { return f.Multi(xs, m.Prec) }

// Whole is the line.
func (Multi) Whole() *ball.Ball { return new(ball.Ball).SetWhole() }

// Sign is the certain sign of x.
func (Multi) Sign(x *ball.Ball) int { return x.Sign() }

// IsPoint tells whether x is one real.
func (Multi) IsPoint(x *ball.Ball) bool { return x.IsExact() }

// Bounded tells whether x has two ends.
func (Multi) Bounded(x *ball.Ball) bool { return x.IsFinite() }

// Within tells whether x is certainly a part of y.
func (Multi) Within(x, y *ball.Ball) bool { return y.Contains(x) }

// Mid is the midpoint.
func (Multi) Mid(x *ball.Ball) *ball.Ball { return new(ball.Ball).Mid(x) }

// Lower is the lower end.
func (Multi) Lower(x *ball.Ball) *ball.Ball { return new(ball.Ball).Lower(x) }

// Upper is the upper end.
func (Multi) Upper(x *ball.Ball) *ball.Ball { return new(ball.Ball).Upper(x) }

// Span reaches from a to b.
func (m Multi) Span(a, b *ball.Ball) *ball.Ball { return new(ball.Ball).SetEnds(a, b, m.Prec) }

// Widen is x ± by.
func (Multi) Widen(x *ball.Ball, by Mag) *ball.Ball {
	switch {
	case by.IsInf():
		return new(ball.Ball).SetWhole()
	case by.IsZero():
		return x
	}
	e := ball.FromFloat64(by.m)
	return new(ball.Ball).AddRad(x, e.Mul2(e, by.e))
}

// Float64 is a double near the midpoint.
func (Multi) Float64(x *ball.Ball) float64 { return x.Float64() }

// Width is at least the width.
func (Multi) Width(x *ball.Ball) Mag {
	if !x.IsFinite() {
		return InfMag()
	}
	return magOfPoint(new(ball.Ball).Rad(x), true).shift(1)
}

// Mag is at least every absolute value.
func (m Multi) Mag(x *ball.Ball) Mag {
	if !x.IsFinite() {
		return InfMag()
	}
	return magOfPoint(new(ball.Ball).Mid(x), true).Add(m.Width(x).shift(-1))
}

// Mig is at most every absolute value.
func (m Multi) Mig(x *ball.Ball) Mag {
	if !x.IsFinite() || x.Sign() == 0 {
		return Mag{}
	}
	end := new(ball.Ball)
	if x.Sign() > 0 {
		end.Lower(x)
	} else {
		end.Upper(x)
	}
	return magOfPoint(end, false)
}

// Bits is the working precision.
func (m Multi) Bits() uint { return m.Prec }

// magOfPoint is the absolute value of an exact ball, rounded up or down.
func magOfPoint(x *ball.Ball, up bool) Mag {
	man, exp := x.Dyadic()
	man.Abs(man)
	if man.Sign() == 0 {
		return Mag{}
	}
	if excess := man.BitLen() - 52; excess > 0 {
		man.Rsh(man, uint(excess))
		exp += int64(excess)
		if up {
			man.Add(man, big.NewInt(1))
		}
	}
	f, _ := new(big.Float).SetInt(man).Float64()
	return Mag{f, exp}.normal()
}
