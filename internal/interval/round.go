package interval

import "math"

// Note [Directed rounding]
//
// Go cannot change the rounding mode, so every end is first rounded to
// nearest and then moved by one double when the rounding went the wrong way.
// Which way it went is decided exactly:
//
//   - sum: s = RN(a+b). Rounding is monotone, so s-a < b (computed) implies
//     s < a+b (exactly) up to the rounding of s-a; and of s-a and s-b at least
//     one is exact, namely the one that takes the operand of larger magnitude
//     away (Sterbenz or Dekker). Hence "s-a < b or s-b < a" holds exactly
//     when s < a+b. An overflowed s = ±Inf compares the right way round by
//     itself, and an infinite operand gives NaN or equality, so no step.
//     The familiar TwoSum residual is unsound here: with an operand of
//     ±MaxFloat64 one of its intermediate values overflows.
//   - product: a·b - p is a double (so FMA returns it exactly, sign included)
//     unless it underflows. p = ±Inf gives a residual of the opposite
//     infinity, which steps back to ±MaxFloat64; infinite operands give NaN,
//     which steps nowhere. |p| < 2^-969 is tested again with both factors
//     scaled by 2^600 and p by 2^1200: then either the product is so small
//     that p is 0 or subnormal, and the scaled residual is far from underflow.
//   - quotient: the error of q has the sign of (a - q·b)·b, and a - q·b is a
//     double unless it underflows, which needs |a| < 2^-969.
//   - square root: the error of s has the sign of x - s·s.
//
// All four were compared with C's fesetround on adversarial operands before
// being written here, and are compared with math/big by the tests.

// tiny is the magnitude below which the residual of a product, quotient or
// root may underflow and is computed again on scaled operands.
const tiny = 0x1p-969

// stepUp returns the next double above s if cond holds, and otherwise s. The two cases differ
// only in the last instruction, which compiles to a conditional move, because a branch would be
// mispredicted half of the time. s must not be -0 or +Inf if cond holds.
func stepUp(s float64, cond bool) float64 {
	t := int64(math.Float64bits(s))
	u := t + (t>>63 | 1)
	if cond {
		t = u
	}
	return math.Float64frombits(uint64(t))
}

// stepDn returns the next double below s when cond holds, else s.
// s must not be +0 or -Inf when cond holds.
func stepDn(s float64, cond bool) float64 {
	t := int64(math.Float64bits(s))
	u := t - (t>>63 | 1)
	if cond {
		t = u
	}
	return math.Float64frombits(uint64(t))
}

// addUp returns the least double ≥ a+b; see Note [Directed rounding]. It inlines stepUp with two
// conditions, because joining them by || would branch on the first.
func addUp(a, b float64) float64 {
	s := a + b
	t := int64(math.Float64bits(s))
	u := t + (t>>63 | 1)
	if s-a < b {
		t = u
	}
	if s-b < a {
		t = u
	}
	return math.Float64frombits(uint64(t))
}

// addDn returns the greatest double ≤ a+b; see Note [Directed rounding].
func addDn(a, b float64) float64 {
	s := a + b
	t := int64(math.Float64bits(s))
	u := t - (t>>63 | 1)
	if s-a > b {
		t = u
	}
	if s-b > a {
		t = u
	}
	return math.Float64frombits(uint64(t))
}

// subUp returns the least double ≥ a-b.
func subUp(a, b float64) float64 { return addUp(a, -b) }

// mulUp returns the least double ≥ a·b, NaN for 0·∞.
func mulUp(a, b float64) float64 {
	p := float64(a * b)
	e := math.FMA(a, b, -p)
	if p < tiny && p > -tiny {
		e = math.FMA(float64(a*0x1p600), float64(b*0x1p600), float64(-p*0x1p600)*0x1p600)
	}
	return stepUp(p, e > 0)
}

// mulDn returns the greatest double ≤ a·b, NaN for 0·∞.
func mulDn(a, b float64) float64 {
	p := float64(a * b)
	e := math.FMA(a, b, -p)
	if p < tiny && p > -tiny {
		e = math.FMA(float64(a*0x1p600), float64(b*0x1p600), float64(-p*0x1p600)*0x1p600)
	}
	return stepDn(p, e < 0)
}

// mulUpNormal is mulUp for results of at least tiny in magnitude, and mulDnNormal is mulDn for
// them. A smaller result may be wrong. (A product just below tiny that was stepped up to it was
// stepped for a residual that did not vanish.)
func mulUpNormal(a, b float64) float64 {
	p := float64(a * b)
	return stepUp(p, math.FMA(a, b, -p) > 0)
}

func mulDnNormal(a, b float64) float64 {
	p := float64(a * b)
	return stepDn(p, math.FMA(a, b, -p) < 0)
}

// divErr returns a value with the sign of a/b - q, where q = RN(a/b).
func divErr(a, b, q float64) float64 {
	r := math.FMA(-q, b, a)
	if a < tiny && a > -tiny {
		r = math.FMA(float64(-q*0x1p110), b, float64(a*0x1p110))
	}
	if b < 0 {
		r = -r
	}
	return r
}

// divUp returns the least double ≥ a/b, for b ≠ 0.
func divUp(a, b float64) float64 {
	q := a / b
	return stepUp(q, divErr(a, b, q) > 0)
}

// divDn returns the greatest double ≤ a/b, for b ≠ 0.
func divDn(a, b float64) float64 {
	q := a / b
	return stepDn(q, divErr(a, b, q) < 0)
}

// sqrtErr returns a value with the sign of √x - s, where s = RN(√x).
func sqrtErr(x, s float64) float64 {
	if x < tiny {
		x *= 0x1p108
		s *= 0x1p54
	}
	return math.FMA(-s, s, x)
}

// sqrtUp returns the least double ≥ √x, for x ≥ 0.
func sqrtUp(x float64) float64 {
	s := math.Sqrt(x)
	return stepUp(s, sqrtErr(x, s) > 0)
}

// sqrtDn returns the greatest double ≤ √x, for x ≥ 0.
func sqrtDn(x float64) float64 {
	s := math.Sqrt(x)
	return stepDn(s, sqrtErr(x, s) < 0)
}

// nextUp returns the next double above x, and nextDn the one below. Infinities stay.
func nextUp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
func nextDn(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// scaleDn returns the greatest double ≤ x·2^k, and scaleUp the least one ≥ x·2^k.
//
// The power is applied in two exact halves so that it is itself a double, and the rounding
// happens once: the first half cannot leave the range unless the result does.
func scaleDn(x float64, k int) float64 {
	s := math.Ldexp(x, k)
	if math.Ldexp(s, -k) == x || math.IsInf(x, 0) || x != x {
		return s
	}
	// Inexact: overflow or a subnormal result. Compare with x exactly.
	if math.IsInf(s, 1) || math.Ldexp(s, -k) > x {
		return nextDn(s)
	}
	return s
}

func scaleUp(x float64, k int) float64 { return -scaleDn(-x, k) }
