package rules

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Kinks]
//
// At its kink a row is one of several functions, by the direction in which its operands move. Each
// has a derivative:
//
//	            at the kink    in a direction           it is     with the slopes
//	max x y     x = y          dx >= dy, else           x, y      (1, 0), (0, 1)
//	min x y     x = y          dx <= dy, else           x, y      (1, 0), (0, 1)
//	abs x       x = 0          dx has no sign, else     x, -x     1, -1
//	hypot x y   x = y = 0      with the unit vector u   x·u       u; 0 if nothing moves
//
// and norm is as hypot. The derivative of a program at kinks is the mean of what it is along one
// direction and along its opposite: Note [The direction at a tie]. The tape and compiled code read
// this file, so that they choose alike.

// Reals computes with reals and conditions: in Go, or as statements of the loop form.
type Reals[R, B any] interface {
	Equal(x, y R) B
	AtMost(x, y R) B // x <= y
	Unsigned(x R) B  // the sign bit of x is 0
	Both(a, b B) B
	Zero() R
	Quotients[R]
}

// Quotients are the part of Reals that slopes are made of.
type Quotients[R any] interface {
	Quotient(x, y R) R
	IfPositive(c, x, y R) R // x if c > 0, else y
}

// AtKink says whether a row is at its kink. y is left out for abs.
func AtKink[R, B any](kind prim.KinkKind, x, y R, on Reals[R, B]) B {
	switch kind {
	case prim.AbsKink:
		return on.Equal(x, on.Zero())
	case prim.NormKink:
		return on.Both(on.Equal(x, on.Zero()), on.Equal(y, on.Zero()))
	}
	return on.Equal(x, y)
}

// MayKink says whether some row may be at its kink, which AtKink says exactly: a quick test.
func MayKink(x, y float64) bool { return x == y || x == 0 }

// First says whether max, min or abs is the first of its functions, in a direction. dy is left out
// for abs.
func First[R, B any](kind prim.KinkKind, dx, dy R, on Reals[R, B]) B {
	switch kind {
	case prim.AbsKink:
		return on.Unsigned(dx)
	case prim.MinKink:
		return on.AtMost(dx, dy)
	}
	return on.AtMost(dy, dx)
}

// Unit is a slope of a norm: a component of the unit vector of a direction of some length. It is
// still if nothing moves.
func Unit[R any](dx, length, still R, on Quotients[R]) R {
	return on.IfPositive(length, on.Quotient(dx, length), still)
}

// Doubles are Reals in Go.
type Doubles struct{}

func (Doubles) Equal(x, y float64) bool  { return x == y }
func (Doubles) AtMost(x, y float64) bool { return x <= y }
func (Doubles) Unsigned(x float64) bool  { return !math.Signbit(x) }
func (Doubles) Both(a, b bool) bool      { return a && b }
func (Doubles) Zero() float64            { return 0 }

func (Doubles) Quotient(x, y float64) float64 { return x / y }

func (Doubles) IfPositive(c, x, y float64) float64 {
	if c > 0 {
		return x
	}
	return y
}
