package interval

import "math"

// Mid returns a finite double inside x close to its middle: the nearest one
// to (Lo+Hi)/2 for a bounded x, 0 for the whole line, ±MaxFloat64 for a half
// line, NaN for the empty set.
func (x Interval) Mid() float64 {
	switch {
	case x.IsEmpty():
		return math.NaN()
	case x.IsEntire() || x.Lo == -x.Hi:
		return 0
	case math.IsInf(x.Lo, 0):
		return -math.MaxFloat64
	case math.IsInf(x.Hi, 0):
		return math.MaxFloat64
	}
	m := (x.Lo + x.Hi) / 2
	if math.IsInf(m, 0) {
		m = x.Lo/2 + x.Hi/2
	}
	if m == 0 {
		m = 0 // not -0
	}
	return m
}

// Rad returns the least double r with x ⊆ [m-r, m+r] for m = x.Mid(), NaN for
// the empty set.
func (x Interval) Rad() float64 {
	if x.IsEmpty() {
		return math.NaN()
	}
	m := x.Mid()
	return math.Max(subUp(m, x.Lo), subUp(x.Hi, m))
}

// Width returns the least double ≥ Hi-Lo, NaN for the empty set.
func (x Interval) Width() float64 { return subUp(x.Hi, x.Lo) }

// Mag returns max |a|, NaN for the empty set.
func (x Interval) Mag() float64 { return math.Max(math.Abs(x.Lo), math.Abs(x.Hi)) }

// Mig returns min |a|, NaN for the empty set.
func (x Interval) Mig() float64 {
	switch {
	case x.Lo > 0:
		return x.Lo
	case x.Hi < 0:
		return -x.Hi
	case x.IsEmpty():
		return math.NaN()
	}
	return 0
}

// The step functions below are monotone and exact.

// monotone applies an increasing function whose values are doubles.
func monotone(f func(float64) float64, x Interval) Interval { return Interval{f(x.Lo), f(x.Hi)} }

// Floor returns the hull of {⌊a⌋}.
func Floor(x Interval) Interval { return monotone(math.Floor, x) }

// Ceil returns the hull of {⌈a⌉}.
func Ceil(x Interval) Interval { return monotone(math.Ceil, x) }

// Trunc returns the hull of {a rounded to an integer towards zero}.
func Trunc(x Interval) Interval { return monotone(math.Trunc, x) }

// Round returns the hull of {a rounded to the nearest integer, ties away from
// zero}.
func Round(x Interval) Interval { return monotone(math.Round, x) }

// RoundToEven returns the hull of {a rounded to the nearest integer, ties to
// even}.
func RoundToEven(x Interval) Interval { return monotone(math.RoundToEven, x) }

// Sign returns the hull of {sign a}, where sign 0 = 0.
func Sign(x Interval) Interval { return monotone(sign, x) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // ±0 and NaN
}
