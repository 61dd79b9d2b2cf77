package kernel

import "math"

// Abs is |x|.
func Abs(x float64) float64 { return math.Abs(x) }

// Cbrt is the cube root.
func Cbrt(x float64) float64 { return math.Cbrt(x) }

// Hypot is √(x² + y²) without overflow or underflow on the way.
func Hypot(x, y float64) float64 { return math.Hypot(x, y) }

// Pow is x^y with the special cases of IEEE 754's pow.
func Pow(x, y float64) float64 {
	if x == 0 || y == 0 || x == 1 || x-x != 0 || y-y != 0 {
		return math.Pow(x, y) // the cases without any arithmetic
	}
	sign := 1.0
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		if math.Abs(y) < 0x1p53 && math.Mod(y, 2) != 0 {
			sign = -1
		}
		x = -x
	}
	return sign * expOfProduct(logdd(x), dd{y, 0})
}

// expOfProduct is e^(a·b).
func expOfProduct(a, b dd) float64 {
	switch p := a.h * b.h; {
	case p > 710:
		return math.Inf(1)
	case p < -746:
		return 0
	}
	m, k := expdd(a.mul(b))
	return m.ldexp(k)
}

// PowInt is x^n; x^0 is 1 even for NaN, as in Pow.
func PowInt(x float64, n int64) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return x
	case 2:
		return x * x
	case -1:
		return 1 / x
	}
	if x == 0 || x-x != 0 {
		return powIntSpecial(x, n)
	}
	if -512 <= n && n <= 512 {
		// With the exponent split off, no power of the mantissa leaves the
		// range of doubles.
		m, e := math.Frexp(x)
		p := dd{m, 0}.powi(max(n, -n))
		if n < 0 {
			p = dd{1, 0}.div(p)
		}
		return p.ldexp(e * int(n))
	}
	sign := 1.0
	if x < 0 && n&1 != 0 {
		sign = -1
	}
	// n may need more than the 53 bits of a double.
	hi := float64(n &^ 0x7ff)
	return sign * expOfProduct(logdd(math.Abs(x)), fastTwoSum(hi, float64(n&0x7ff)))
}

// powIntSpecial is x^n for x zero, infinite or NaN and n not 0.
func powIntSpecial(x float64, n int64) float64 {
	if n < 0 {
		x = 1 / x
	}
	if n&1 == 0 {
		return math.Abs(x)
	}
	return x
}
