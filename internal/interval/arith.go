package interval

import "math"

// Add returns the tightest enclosure of {a+b}.
//
// The empty set propagates by itself: NaN ends give NaN ends, and no other
// interval has one (Lo is never +Inf, so no sum is ∞-∞).
func Add(x, y Interval) Interval {
	return Interval{addDn(x.Lo, y.Lo), addUp(x.Hi, y.Hi)}
}

// Sub returns the tightest enclosure of {a-b}.
func Sub(x, y Interval) Interval {
	return Interval{addDn(x.Lo, -y.Hi), addUp(x.Hi, -y.Lo)}
}

// Neg returns {-a}.
func Neg(x Interval) Interval { return Interval{-x.Hi, -x.Lo} }

// Mul returns the tightest enclosure of {a·b}.
//
// The common case has the ends' products well inside the range of doubles; the
// rest, told by a result that is NaN or below tiny, is computed again with
// more care. Zero ends are among them.
func Mul(x, y Interval) Interval {
	var r Interval
	switch {
	case x.Lo >= 0:
		switch {
		case y.Lo >= 0:
			r = Interval{mulDnNormal(x.Lo, y.Lo), mulUpNormal(x.Hi, y.Hi)}
		case y.Hi <= 0:
			r = Interval{mulDnNormal(x.Hi, y.Lo), mulUpNormal(x.Lo, y.Hi)}
		default:
			r = Interval{mulDnNormal(x.Hi, y.Lo), mulUpNormal(x.Hi, y.Hi)}
		}
	case x.Hi <= 0:
		switch {
		case y.Lo >= 0:
			r = Interval{mulDnNormal(x.Lo, y.Hi), mulUpNormal(x.Hi, y.Lo)}
		case y.Hi <= 0:
			r = Interval{mulDnNormal(x.Hi, y.Hi), mulUpNormal(x.Lo, y.Lo)}
		default:
			r = Interval{mulDnNormal(x.Lo, y.Hi), mulUpNormal(x.Lo, y.Lo)}
		}
	default:
		return mulCareful(x, y)
	}
	if math.Abs(r.Lo) >= tiny && math.Abs(r.Hi) >= tiny {
		return r
	}
	return mulCareful(x, y)
}

// mulCareful multiplies any two intervals.
func mulCareful(x, y Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() {
		return Empty()
	}
	a, b := mulEnd(x.Lo, y.Lo), mulEnd(x.Lo, y.Hi)
	c, d := mulEnd(x.Hi, y.Lo), mulEnd(x.Hi, y.Hi)
	return Interval{
		min(a.Lo, b.Lo, c.Lo, d.Lo),
		max(a.Hi, b.Hi, c.Hi, d.Hi),
	}
}

// mulEnd encloses the product of two ends. 0·∞ is 0: the infinite end is no
// member, and 0 times every member is 0.
func mulEnd(a, b float64) Interval {
	if a == 0 || b == 0 {
		return Interval{}
	}
	return Interval{mulDn(a, b), mulUp(a, b)}
}

// Sqr returns the tightest enclosure of {a²}.
func Sqr(x Interval) Interval {
	x = Abs(x)
	return Interval{mulDn(x.Lo, x.Lo), mulUp(x.Hi, x.Hi)}
}

// Div returns the tightest enclosure of {a/b : b ≠ 0}.
func Div(x, y Interval) Interval {
	if y.Lo > 0 || y.Hi < 0 {
		if x.IsEmpty() {
			return Empty()
		}
		if y.Hi < 0 {
			x, y = Neg(x), Neg(y)
		}
		// y > 0. A zero end of x stays zero over an infinite end of y.
		r := Interval{}
		if x.Lo >= 0 {
			r.Lo = divDn(x.Lo, y.Hi)
		} else {
			r.Lo = divDn(x.Lo, y.Lo)
		}
		if x.Hi >= 0 {
			r.Hi = divUp(x.Hi, y.Lo)
		} else {
			r.Hi = divUp(x.Hi, y.Hi)
		}
		// ±∞/∞ becomes the limit of a/b as both grow: the end nearer to zero.
		if r.Lo != r.Lo {
			r.Lo = 0
		}
		if r.Hi != r.Hi {
			r.Hi = 0
		}
		return r
	}
	return divZero(x, y)
}

// divZero divides by an interval that is empty or contains zero.
func divZero(x, y Interval) Interval {
	switch {
	case x.IsEmpty() || y.IsEmpty() || (y.Lo == 0 && y.Hi == 0):
		return Empty()
	case x.Lo == 0 && x.Hi == 0:
		return Interval{}
	case (x.Lo < 0 && x.Hi > 0) || (y.Lo < 0 && y.Hi > 0):
		return Entire()
	case y.Lo < 0: // y = [y.Lo, 0]
		x, y = Neg(x), Neg(y)
	}
	// y = [0, y.Hi] and x is on one side of zero.
	if x.Lo >= 0 {
		lo := divDn(x.Lo, y.Hi)
		if lo != lo {
			lo = 0
		}
		return Interval{lo, math.Inf(1)}
	}
	hi := divUp(x.Hi, y.Hi)
	if hi != hi {
		hi = 0
	}
	return Interval{math.Inf(-1), hi}
}

// Recip returns the tightest enclosure of {1/a : a ≠ 0}.
func Recip(x Interval) Interval { return Div(Interval{1, 1}, x) }

// Sqrt returns the tightest enclosure of {√a : a ≥ 0}.
func Sqrt(x Interval) Interval {
	if !(x.Hi >= 0) {
		return Empty()
	}
	lo := 0.0
	if x.Lo > 0 {
		lo = sqrtDn(x.Lo)
	}
	return Interval{lo, sqrtUp(x.Hi)}
}

// Abs returns {|a|}.
func Abs(x Interval) Interval {
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return Interval{-x.Hi, -x.Lo}
	case x.IsEmpty():
		return x
	}
	return Interval{0, math.Max(-x.Lo, x.Hi)}
}

// Min returns {min(a,b)}.
func Min(x, y Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() { // math.Min prefers -Inf to NaN
		return Empty()
	}
	return Interval{math.Min(x.Lo, y.Lo), math.Min(x.Hi, y.Hi)}
}

// Max returns {max(a,b)}.
func Max(x, y Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() {
		return Empty()
	}
	return Interval{math.Max(x.Lo, y.Lo), math.Max(x.Hi, y.Hi)}
}
