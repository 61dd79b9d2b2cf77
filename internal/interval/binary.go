package interval

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Pow encloses {a^b : a > 0, or a = 0 and b > 0}.
//
// a^b = exp(b·log a) and a product takes its extremes at corners, so the range
// is the hull of the corners, with the product's rule 0·∞ = 0.
func Pow(x, y Interval) Interval {
	x = Intersect(x, halfLine)
	switch {
	case x.IsEmpty() || y.IsEmpty():
		return Empty()
	case x.Hi == 0:
		if y.Hi > 0 {
			return Interval{}
		}
		return Empty()
	}
	r := Interval{infinity, 0}
	for _, a := range [2]float64{x.Lo, x.Hi} {
		for _, b := range [2]float64{y.Lo, y.Hi} {
			c := powCorner(a, b)
			r.Lo, r.Hi = math.Min(r.Lo, c.Lo), math.Max(r.Hi, c.Hi)
		}
	}
	return r
}

// powCorner encloses a^b, or its limit, for a in [0, ∞].
func powCorner(a, b float64) Interval {
	switch {
	case a == 1 || b == 0:
		return Interval{1, 1}
	case a == 0 || math.IsInf(a, 1) || math.IsInf(b, 0):
		if (a > 1) == (b > 0) {
			return Interval{infinity, infinity}
		}
		return Interval{}
	case b == math.Floor(b) && math.Abs(b) < 1<<20:
		return Interval{pownDn(a, int(b)), pownUp(a, int(b))}
	}
	// x^(i/2^j) can be exact only when taking j square roots is.
	n, d := math.Ldexp(b, 10), a
	if n == math.Floor(n) && math.Abs(n) < 1<<20 {
		for n, j := b, 0; j <= 10; j++ {
			if n == math.Floor(n) {
				return Interval{pownDn(d, int(n)), pownUp(d, int(n))}
			}
			s := math.Sqrt(d)
			if sqrtErr(d, s) != 0 {
				break
			}
			n, d = 2*n, s
		}
	}
	return enclose(kernel.PowVal(a, b))
}

// Hypot encloses {√(a²+b²)}.
func Hypot(x, y Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() {
		return Empty()
	}
	x, y = Abs(x), Abs(y)
	// Never below either argument: the kernel's margin may say otherwise.
	r := Interval{math.Max(lower(kernel.HypotVal(x.Lo, y.Lo)), math.Max(x.Lo, y.Lo)), infinity}
	if x.IsBounded() && y.IsBounded() {
		r.Hi = upper(kernel.HypotVal(x.Hi, y.Hi))
	}
	return r
}

// LogAddExp encloses {log(exp a + exp b)}, increasing in both.
func LogAddExp(x, y Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() {
		return Empty()
	}
	end := func(a, b float64) Interval {
		switch {
		case a == infinity || b == infinity:
			return Interval{infinity, infinity}
		case a == -infinity:
			return Interval{b, b}
		case b == -infinity:
			return Interval{a, a}
		}
		r := enclose(kernel.LogAddExpVal(a, b))
		r.Lo = math.Max(r.Lo, math.Max(a, b)) // the value exceeds both
		return r
	}
	return Interval{end(x.Lo, y.Lo).Lo, end(x.Hi, y.Hi).Hi}
}

// Atan2 encloses the angles of the points (b, a) other than the origin, a in y
// and b in x, in (-π, π]: [-π, π] when y reaches below and up to the negative
// half of the x axis, where the angle jumps.
func Atan2(y, x Interval) Interval {
	switch {
	case x.IsEmpty() || y.IsEmpty() || (x == Interval{} && y == Interval{}):
		return Empty()
	case y.Lo >= 0:
		return upperHalf(y, x)
	case x.Lo < 0 && y.Hi >= 0:
		return Interval{-pi.Hi, pi.Hi}
	case y.Hi <= 0:
		return Neg(upperHalf(Neg(y), x))
	}
	// x ≥ 0 and y on both sides: the steepest points are leftmost.
	return Interval{-angleOf(-y.Lo, x.Lo).Hi, angleOf(y.Hi, x.Lo).Hi}
}

// upperHalf encloses the angles for y ≥ 0. There the angle falls as b grows; it rises with a if b
// > 0, and falls with a if b < 0.
func upperHalf(y, x Interval) Interval {
	if y.Hi == 0 && x.Hi <= 0 {
		return pi
	}
	var r Interval
	if x.Hi > 0 {
		r.Lo = angleOf(y.Lo, x.Hi).Lo
	} else {
		r.Lo = angleOf(y.Hi, x.Hi).Lo
	}
	if x.Lo < 0 {
		r.Hi = angleOf(y.Lo, x.Lo).Hi
	} else {
		r.Hi = angleOf(y.Hi, x.Lo).Hi
	}
	return r
}

// angleOf encloses the angle of (b, a) for a ≥ 0, including limits at infinity. At the origin it
// returns 0, because only y = {0} with x ≥ 0 asks for it.
func angleOf(a, b float64) Interval {
	switch {
	case a == infinity:
		return halfPi
	case a == 0 && b >= 0, b == infinity:
		return Interval{}
	case b == -infinity:
		return pi
	}
	return enclose(kernel.Atan2Val(a, b))
}
