// Package rectangle computes with rectangles of complex numbers whose sides are intervals of
// doubles.
//
// A function here is given a rectangle. If the function is proved to be analytic on the
// rectangle, the result is a rectangle that contains the function's values at all of its points.
// These values are those of the analytic continuation of the real function, from the reals in the
// rectangle. Otherwise the result is None. So a composition that is not None is an analytic
// function on the rectangle that it was given, and its result bounds the function there.
//
// On the intersection of two rectangles a function has the same values for both. So a composition
// that is not None on any of several rectangles is analytic on their union, if that is connected,
// and equals the continuation from the reals in it.
//
// The package must not know about programs. Enclosures are as wide as interval arithmetic makes
// them. They serve to bound a function on a neighbourhood of the line, not to evaluate it.
package rectangle

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
)

// Rect is the set of the complex numbers with real part in Re and imaginary part in Im.
type Rect struct{ Re, Im interval.Interval }

// None returns the result for a function that is not known to be analytic.
func None() Rect { return Rect{interval.Empty(), interval.Empty()} }

// Nowhere is for a function such as floor, whose values follow from decisions even where it is
// analytic. Such a function is never continued itself.
func Nowhere(Rect) Rect { return None() }

// Neither is Nowhere for functions of two arguments.
func Neither(_, _ Rect) Rect { return None() }

// Real returns a part of the real line.
func Real(x interval.Interval) Rect { return Rect{x, interval.Point(0)} }

// IsNone reports whether nothing is known.
func (z Rect) IsNone() bool { return z.Re.IsEmpty() || z.Im.IsEmpty() }

// Mag returns a bound of the absolute value of every point. It is infinite for None.
func (z Rect) Mag() float64 {
	if z.IsNone() {
		return math.Inf(1)
	}
	return interval.Hypot(z.Re, z.Im).Sup()
}

func (z Rect) mig2() interval.Interval {
	return interval.Add(interval.Sqr(z.Re), interval.Sqr(z.Im))
}

// timesI returns i z.
func (z Rect) timesI() Rect { return Rect{interval.Neg(z.Im), z.Re} }

// scale returns x z for a real x.
func (z Rect) scale(x interval.Interval) Rect {
	return Rect{interval.Mul(z.Re, x), interval.Mul(z.Im, x)}
}

var (
	zero = interval.Point(0)
	one  = interval.Point(1)
	half = interval.Point(0.5)
)

// Add returns x + y.
func Add(x, y Rect) Rect { return Rect{interval.Add(x.Re, y.Re), interval.Add(x.Im, y.Im)} }

// Sub returns x - y.
func Sub(x, y Rect) Rect { return Rect{interval.Sub(x.Re, y.Re), interval.Sub(x.Im, y.Im)} }

// Neg returns -x.
func Neg(x Rect) Rect { return Rect{interval.Neg(x.Re), interval.Neg(x.Im)} }

// Mul returns x y.
func Mul(x, y Rect) Rect {
	if y.Im == zero {
		return x.scale(y.Re)
	}
	if x.Im == zero {
		return y.scale(x.Re)
	}
	return Rect{
		interval.Sub(interval.Mul(x.Re, y.Re), interval.Mul(x.Im, y.Im)),
		interval.Add(interval.Mul(x.Re, y.Im), interval.Mul(x.Im, y.Re)),
	}
}

// Sqr returns x².
func Sqr(x Rect) Rect {
	b := interval.Mul(x.Re, x.Im)
	return Rect{interval.Sub(interval.Sqr(x.Re), interval.Sqr(x.Im)), interval.Add(b, b)}
}

// Recip returns 1 / x, for x away from 0.
func Recip(x Rect) Rect {
	square := x.mig2()
	if !(square.Lo > 0) {
		return None()
	}
	// Both parts are at most 1 / |x|; and c / (c² + d²) is 1 / (c + d²/c).
	most := interval.Recip(interval.Sqrt(square)).Hi
	within := func(c, d interval.Interval) interval.Interval {
		y := interval.Div(c, square)
		if !c.Contains(0) {
			y = interval.Recip(interval.Add(c, interval.Div(interval.Sqr(d), c)))
		}
		return interval.Intersect(y, interval.Interval{Lo: -most, Hi: most})
	}
	return Rect{within(x.Re, x.Im), within(interval.Neg(x.Im), x.Re)}
}

// Quo returns x / y, for y away from 0.
func Quo(x, y Rect) Rect {
	if y.Im == zero && !y.Re.Contains(0) {
		return Rect{interval.Div(x.Re, y.Re), interval.Div(x.Im, y.Re)}
	}
	return Mul(x, Recip(y))
}

// PowInt returns x^n.
func PowInt(x Rect, n int64) Rect {
	if n < 0 {
		if n == math.MinInt64 {
			return None()
		}
		return PowInt(Recip(x), -n)
	}
	y := Real(one)
	for {
		if n&1 == 1 {
			y = Mul(y, x)
		}
		if n >>= 1; n == 0 {
			return y
		}
		x = Sqr(x)
	}
}
