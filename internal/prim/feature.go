package prim

import "math"

// Note [Features]
//
// A program that evaluates a function at a few places, as a solver of differential equations
// does, may miss what lies between them. In
//
//	exp (-((t - 5) / 0.01)^2)
//
// a step from 3 to 8 sees 0 at all of its places. The argument of exp reveals the bump: it is a
// polynomial, and moves by tens of thousands within the step. In general, call a function well
// sampled if the places show how it varies. Sums, products and small powers of well-sampled
// functions are well sampled. So are exp, tanh and similar functions, if their argument moves by
// a few units or stays where they are 0, infinite or constant; quotients and negative powers, if
// the divisor moves by a few times its size; and functions without narrow bumps, such as sin, log
// and sqrt. So it is enough to look at the arguments of a few rows, and at their tangents along
// the step. Features that are narrow for other reasons, such as long products, are not found.

// Feature bounds how far an argument of a row may move.
type Feature struct {
	Arg       int
	Within    float64 // the bound: absolute, or relative to the argument
	Low, High float64 // the interval outside of which the row is constant or infinite
	Size      Unit    // what Within is relative to
}

// Unit says what the distance that an argument moves is relative to.
type Unit uint8

// The units.
const (
	Absolute Unit = iota
	OfItself      // the argument
	OfPower       // the argument divided by the exponent
)

// Widest is how far the argument of an exponential, or the logarithm of a power, may move.
const Widest = 8

func between(within, low, high float64) *Feature {
	return &Feature{Within: within, Low: low, High: high}
}

// Narrow reports whether an argument x that moves by dx moves too far. n is the exponent, if
// there is one.
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
