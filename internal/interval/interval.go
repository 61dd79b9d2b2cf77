// Package interval computes with closed intervals of real numbers whose ends are doubles,
// rounding every result outward.
//
// It is given intervals and numbers, and returns intervals that are proved to contain every value
// the operation takes at points of its arguments, in the set-based flavour of IEEE 1788-2015
// without decorations: an operation is evaluated on the part of its arguments where it is
// defined, and is empty if that part is empty. Arithmetic and integer powers are tightest.
// Elementary functions are at most one unit in the last place wider than tightest at each end,
// special functions at most two, unless their documentation says more.
//
// The package must not know about programs, precision ladders or derivatives. Functions of one
// double with a proved error are in its subpackage kernel, numbers of higher precision in its
// subpackage ball.
package interval

import "math"

// Interval is the set of reals x with Lo ≤ x ≤ Hi. An end may be infinite, and
// is then not a member. The empty set has NaN for both ends. Every interval
// made by this package is one of these; a literal with Lo > Hi, with Lo = +Inf
// or Hi = -Inf, or with one NaN is not an interval, and no contract covers it.
// The sign of a zero end carries no meaning.
//
// The zero value is [0, 0].
type Interval struct{ Lo, Hi float64 }

// Empty returns the empty set.
func Empty() Interval { return Interval{math.NaN(), math.NaN()} }

// Entire returns the whole real line.
func Entire() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

// Point returns [x, x], or the empty set when x is not finite.
func Point(x float64) Interval {
	if x-x != 0 {
		return Empty()
	}
	return Interval{x, x}
}

// New returns [lo, hi] and true, or the empty set and false when these are
// not the ends of a non-empty interval.
func New(lo, hi float64) (Interval, bool) {
	if lo <= hi && lo < math.Inf(1) && hi > math.Inf(-1) {
		return Interval{lo, hi}, true
	}
	return Empty(), false
}

// hullOf returns the interval with the given ends in either order.
func hullOf(a, b float64) Interval {
	if a > b {
		a, b = b, a
	}
	return Interval{a, b}
}

// IsEmpty reports whether x has no member.
func (x Interval) IsEmpty() bool { return x.Lo != x.Lo }

// IsEntire reports whether x is the whole line.
func (x Interval) IsEntire() bool { return x.Lo < -math.MaxFloat64 && x.Hi > math.MaxFloat64 }

// IsBounded reports whether both ends are finite; the empty set is bounded.
func (x Interval) IsBounded() bool {
	return x.IsEmpty() || (x.Lo >= -math.MaxFloat64 && x.Hi <= math.MaxFloat64)
}

// IsPoint reports whether x has exactly one member.
func (x Interval) IsPoint() bool { return x.Lo == x.Hi }

// Contains reports whether the real number v is a member of x. No infinity or
// NaN ever is.
func (x Interval) Contains(v float64) bool {
	return x.Lo <= v && v <= x.Hi && v-v == 0
}

// Inf returns the greatest lower bound of x, +Inf for the empty set; a zero is
// returned as -0, as IEEE 1788 asks.
func (x Interval) Inf() float64 {
	switch {
	case x.IsEmpty():
		return math.Inf(1)
	case x.Lo == 0:
		return math.Copysign(0, -1)
	}
	return x.Lo
}

// Sup returns the least upper bound of x, -Inf for the empty set; a zero is
// returned as +0.
func (x Interval) Sup() float64 {
	switch {
	case x.IsEmpty():
		return math.Inf(-1)
	case x.Hi == 0:
		return 0
	}
	return x.Hi
}
