package prim

import "math"

// Note [Features]
//
// A program that looks at a function in a few places, as a solver of differential equations does,
// may miss what lies between them. In
//
//	exp (-((t - 5) / 0.01)^2)
//
// a step from 3 to 8 sees 0 at all of its places. What gives it away is the argument of exp, which
// is a polynomial and moves by tens of thousands in the step. In general: sums, products and few
// powers of what is seen well are seen well. So are exp, tanh and their kind if their argument
// moves by a few units, or stays where they are 0, infinite or constant; quotients and negative
// powers, if the divisor moves by a few times its size; and the rest, such as sin, log and sqrt,
// which have no narrow bumps. So it is enough to look at the arguments of a few rows, and at
// their tangents along the step. Features that are narrow for other reasons, such as long
// products, are not found.

// Feature bounds how far an argument of a row may move.
type Feature struct {
	Arg       int
	Within    float64 // how far: absolutely, or as a part of the argument
	Low, High float64 // between which the row is neither constant nor infinite
	Size      Unit    // what Within is relative to
}

// Unit is what the distance that an argument moves is relative to.
type Unit uint8

// The units.
const (
	Absolute Unit = iota
	OfItself      // the argument
	OfPower       // the argument, divided by the exponent
)

// Widest is how far the argument of an exponential may move, and the logarithm of a power.
const Widest = 8

func between(within, low, high float64) *Feature {
	return &Feature{Within: within, Low: low, High: high}
}

// Narrow reports whether an argument x that moves by dx, for an exponent n if there is one, moves
// too far.
func (f *Feature) Narrow(x, dx, n float64) bool {
	move := math.Abs(dx)
	switch f.Size {
	case OfItself:
		return move > f.Within*math.Abs(x)
	case OfPower:
		move *= math.Abs(n)
		return n < 0 && move > f.Within*math.Abs(x) || move > Widest*(math.Abs(x)+math.Abs(dx))
	}
	return move > f.Within && x+move > f.Low && x-move < f.High
}
