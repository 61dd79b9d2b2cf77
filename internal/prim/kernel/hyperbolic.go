package kernel

import "math"

// The forms for Sinh and Cosh are those of FreeBSD's msun. Beyond 709, where
// e^x overflows before its half does, the exponent is kept apart.

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	var s float64
	switch {
	case a < 0x1p-28:
		return x
	case a < 1:
		t := math.Expm1(a)
		s = t - 0.5*t*t/(t+1)
	case a < 22:
		t := math.Expm1(a)
		s = 0.5 * (t + t/(t+1))
	default:
		s = halfExp(a)
	}
	return math.Copysign(s, x)
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 0.35:
		t := math.Expm1(a)
		return 1 + t*t/(2*(1+t))
	case a < 22:
		t := math.Exp(a)
		return 0.5*t + 0.5/t
	}
	return halfExp(a)
}

// halfExp is e^x / 2 for x ≥ 22 or NaN.
func halfExp(x float64) float64 {
	switch {
	case x < 700 || x != x:
		return 0.5 * math.Exp(x)
	case x > 711:
		return math.Inf(1)
	}
	m, k := expdd(dd{x, 0})
	return m.ldexp(k - 1)
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 { return math.Tanh(x) }

// Asinh is the inverse of Sinh.
func Asinh(x float64) float64 { return math.Asinh(x) }

// Acosh is the inverse of Cosh on [0, ∞).
func Acosh(x float64) float64 { return math.Acosh(x) }

// Atanh is the inverse of Tanh.
func Atanh(x float64) float64 { return math.Atanh(x) }
