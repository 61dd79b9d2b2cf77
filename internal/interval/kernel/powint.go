package kernel

import "math"

// PowInt returns x^n for any n, within 1 ulp for |n| ≤ 2^53; x^0 is 1 even for NaN, as for **.
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
		return powSpecial(x, n)
	}
	if -512 <= n && n <= 512 {
		// With the exponent split off, no power of the mantissa leaves the
		// range of doubles.
		m, e := math.Frexp(x)
		p := dd{m, 0}.power(max(n, -n))
		if n < 0 {
			p = dd{1, 0}.div(p)
		}
		return math.Ldexp(p.nearest(), e*int(n))
	}
	sign := 1.0
	if x < 0 && n&1 != 0 {
		sign = -1
	}
	x = math.Abs(x)
	if -1<<53 <= n && n <= 1<<53 {
		return sign * Pow(x, float64(n))
	}
	// No double need hold n, but two do. Both have its sign, so that neither
	// power leaves the range unless the product does.
	low := n % (1 << 20)
	return sign * Pow(x, float64(n-low)) * Pow(x, float64(low))
}

// powSpecial returns x^n for x zero, infinite or NaN and n not 0.
func powSpecial(x float64, n int64) float64 {
	if n < 0 {
		x = 1 / x
	}
	if n&1 == 0 {
		return math.Abs(x)
	}
	return x
}
