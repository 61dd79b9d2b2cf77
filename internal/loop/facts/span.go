// Package facts holds what is known of values of the loop form: enclosures of integers, polynomials
// in variables, and numbers that equal values have. It is given operations and what is known of
// their arguments, and hands on what is known of their results. Those who make the loop form
// (package lower), differentiate it (grad) and improve it (pass) reason with the same rules. It
// must not know where facts come from, nor what they are used for.
package facts

import (
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Span is an enclosure of an integer: the integer is from Lo to Hi.
type Span struct{ Lo, Hi int64 }

// Anywhere encloses every integer.
var Anywhere = Span{math.MinInt64, math.MaxInt64}

// Hull returns the smallest span that contains two.
func (s Span) Hull(t Span) Span { return Span{min(s.Lo, t.Lo), max(s.Hi, t.Hi)} }

// Exact returns an enclosure of a sum, difference or product, and reports whether none of them can
// wrap around. If one can, it may be anywhere.
func Exact(op *loop.Op, x, y Span) (Span, bool) {
	switch op {
	case loop.AddI:
		lo, hi := x.Lo+y.Lo, x.Hi+y.Hi
		if (y.Lo < 0) != (lo < x.Lo) || (y.Hi < 0) != (hi < x.Hi) {
			return Anywhere, false
		}
		return Span{lo, hi}, true
	case loop.SubI:
		lo, hi := x.Lo-y.Hi, x.Hi-y.Lo
		if (y.Hi > 0) != (lo < x.Lo) || (y.Lo > 0) != (hi < x.Hi) {
			return Anywhere, false
		}
		return Span{lo, hi}, true
	case loop.MulI:
		s := Span{math.MaxInt64, math.MinInt64}
		for _, a := range [...]int64{x.Lo, x.Hi} {
			for _, b := range [...]int64{y.Lo, y.Hi} {
				if a == math.MinInt64 || b == math.MinInt64 {
					return Anywhere, false
				}
				high, low := bits.Mul64(uint64(Abs(a)), uint64(Abs(b)))
				if high != 0 || low > math.MaxInt64 {
					return Anywhere, false
				}
				s = s.Hull(Span{a * b, a * b})
			}
		}
		return s, true
	}
	return Anywhere, false
}

// Result returns an enclosure of what an operation gives for arguments x and y, the last two that
// it has. For an operation of one argument, x encloses that and y is not used.
func Result(op *loop.Op, x, y Span) Span {
	switch op {
	case loop.AddI, loop.SubI, loop.MulI:
		s, _ := Exact(op, x, y)
		return s
	case loop.MaxI:
		return Span{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}
	case loop.MinI:
		return Span{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}
	case loop.SelI:
		return x.Hull(y)
	case loop.DivI:
		if y.Lo > 0 { // monotone in x, and in y on either side of 0
			s := Span{loop.FloorDiv(x.Lo, y.Lo), loop.FloorDiv(x.Hi, y.Lo)}
			return s.Hull(Span{loop.FloorDiv(x.Lo, y.Hi), loop.FloorDiv(x.Hi, y.Hi)})
		}
	case loop.ModI:
		switch {
		case y.Lo > 0:
			return Span{0, y.Hi - 1}
		case y.Lo == 0: // by 0 it is x
			return x.Hull(Span{0, max(y.Hi-1, 0)})
		}
	case loop.AndI: // has no bits that either argument lacks
		switch {
		case x.Lo >= 0 && y.Lo >= 0:
			return Span{0, min(x.Hi, y.Hi)}
		case x.Lo >= 0:
			return Span{0, x.Hi}
		case y.Lo >= 0:
			return Span{0, y.Hi}
		}
	case loop.ShrI:
		if y.Lo == y.Hi {
			return Span{x.Lo >> (uint64(y.Lo) & 63), x.Hi >> (uint64(y.Lo) & 63)}
		}
	case loop.ToWord:
		return Span{0, 1}
	}
	return Anywhere
}

// Decided reports whether spans of two integers decide a comparison of them, and what it gives
// then.
func Decided(op *loop.Op, x, y Span) (known, truth bool) {
	switch op {
	case loop.LtI:
		return x.Hi < y.Lo || x.Lo >= y.Hi, x.Hi < y.Lo
	case loop.LeI:
		return x.Hi <= y.Lo || x.Lo > y.Hi, x.Hi <= y.Lo
	case loop.EqI, loop.NeI:
		if x == y && x.Lo == x.Hi {
			return true, op == loop.EqI
		}
		return x.Hi < y.Lo || y.Hi < x.Lo, op == loop.NeI
	}
	return false, false
}

// Abs returns the absolute value of an integer, the largest integer for the smallest.
func Abs(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	return max(n, -n)
}
