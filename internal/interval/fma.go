package interval

import "math"

// FMA returns the tightest enclosure of {a·b+c}.
func FMA(x, y, z Interval) Interval {
	if x.IsEmpty() || y.IsEmpty() || z.IsEmpty() {
		return Empty()
	}
	// a·b+c is monotone in each of a, b, c, so its extremes lie at corners.
	r := Interval{math.Inf(1), math.Inf(-1)}
	for _, a := range [2]float64{x.Lo, x.Hi} {
		for _, b := range [2]float64{y.Lo, y.Hi} {
			r.Lo = math.Min(r.Lo, -fmaUp(-a, b, -z.Lo))
			r.Hi = math.Max(r.Hi, fmaUp(a, b, z.Hi))
		}
	}
	return r
}

// fmaUp returns the least double ≥ a·b+c, where a·b is 0 if either factor is, and
// c = +Inf outweighs a·b = -Inf (an end at infinity stays there).
func fmaUp(a, b, c float64) float64 {
	switch {
	case a == 0 || b == 0 || math.IsInf(c, 0):
		return c
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return float64(a * b)
	}
	r := math.FMA(a, b, c)
	if math.IsInf(r, 1) {
		return r
	}
	if math.IsInf(r, -1) {
		return -math.MaxFloat64
	}
	if fmaErr(a, b, c, r) > 0 {
		if r == 0 {
			return math.SmallestNonzeroFloat64
		}
		return nextUp(r)
	}
	return r
}

// Note [The error of fma]
//
// For r = RN(a·b+c) the error a·b+c-r is the sum of two doubles, which
// Boldo and Muller's ErrFma finds with one more product and a few exact sums
// ("Exact and approximated error of the FMA", 2011); its sign is that of the
// leading one. The algorithm needs a·b, c and the low part of a·b to stay
// clear of underflow and overflow, so exponents are normalised first: a and b
// are scaled to [1,2), and c and r by the same total power of two. When c is
// so much smaller than a·b that the scaled c would underflow, or so much larger
// that the scaled c would overflow, the smaller of the two is replaced by a
// value of its sign and 2^±200 times the other: a·b-r (respectively c-r) is a
// multiple of 2^-106 (respectively 2^-53, or 2^-1074 unscaled) times the
// larger one, so either it decides the sign by itself or it is zero and the
// sign of the smaller one decides; both survive the replacement.

// fmaErr returns a value with the sign of a·b+c-r for finite a, b ≠ 0, c and
// r = RN(a·b+c).
func fmaErr(a, b, c, r float64) float64 {
	if p := math.Abs(float64(a * b)); p > 0x1p-900 && p < 0x1p1000 {
		if q := math.Abs(c); q > 0x1p-900 && q < 0x1p1000 {
			return errFMA(a, b, c, r)
		}
	}
	ma, ea := math.Frexp(a)
	mb, eb := math.Frexp(b)
	e := ea + eb
	if c == 0 {
		// r is RN(a·b): nonzero means it scales without overflow.
		return math.FMA(ma, mb, -math.Ldexp(r, -e))
	}
	mc, ec := math.Frexp(c)
	switch d := ec - e; {
	case d < -200: // c is negligible beside the product
		c, r = math.Ldexp(mc, -200), math.Ldexp(r, -e)
	case d > 200: // the product is negligible beside c
		s := float64(ma * mb)
		ma, mb = math.Copysign(1, s), 0x1p-200
		c, r = mc, math.Ldexp(r, -ec)
	default:
		c, r = math.Ldexp(mc, d), math.Ldexp(r, -e)
	}
	return errFMA(ma, mb, c, r)
}

// errFMA returns the leading part of a·b+c-r; see Note [The error of fma].
func errFMA(a, b, c, r float64) float64 {
	u1 := float64(a * b)
	u2 := math.FMA(a, b, -u1)
	a1, a2 := twoSum(c, u2)
	b1, b2 := twoSum(u1, a1)
	g := (b1 - r) + b2
	return g + a2
}

// twoSum returns the rounded sum of a and b and its exact error.
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}
