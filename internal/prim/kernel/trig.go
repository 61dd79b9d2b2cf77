package kernel

import (
	"math"
	"math/bits"
)

// reduce writes a finite x as q·π/2 + r with |r| ≤ π/4 (a little more near the
// ends), q modulo 4. The error of r is below 2^-100 of r: no double comes
// closer than 2^-62 to a multiple of π/2, and both branches carry 160 bits.
func reduce(x float64) (q int, r dd) {
	if math.Abs(x) > 0x1p20 {
		return reduceHuge(x)
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	if n == 0 {
		return 0, dd{x, 0}
	}
	p := twoProd(n, halfPi3[0])
	r = twoSum(x-p.h, -p.l) // x - p.h is exact: the two are within a factor 2
	return int(n) & 3, r.add(twoProd(-n, halfPi3[1])).addf(-n * halfPi3[2])
}

// reduceHuge is the reduction of Payne and Hanek: of the digits of 2/π, those
// that contribute multiples of 4 to x · 2/π are not needed, and 256 of the
// others are enough.
func reduceHuge(x float64) (q int, r dd) {
	fraction, exponent := math.Frexp(math.Abs(x))
	mantissa, exponent := uint64(fraction*(1<<53)), exponent-53
	// Digit i of 2/π has the weight 2^-(i+1). Digits before exponent - 2 give
	// multiples of 4 when multiplied by 2^exponent.
	start := exponent - 2
	var product [4]uint64 // mantissa · digits modulo 2^256, low word first
	carry := uint64(0)
	for i := range product {
		hi, lo := bits.Mul64(mantissa, digits(start+64*(3-i)))
		var c uint64
		product[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	// The unit is 2^-254: the top two bits are the quadrant.
	q = int(product[3] >> 62)
	product[3] &= 1<<62 - 1
	negative := product[3]>>61 != 0 // a fraction above ½ rounds up
	if negative {
		q++
		var borrow uint64
		for i := range product {
			product[i], borrow = bits.Sub64(0, product[i], borrow)
		}
		product[3] &= 1<<62 - 1
	}
	// Sum from the small end, in pieces of 32 bits, which are exact.
	for i, word := range product {
		weight := math.Ldexp(1, 64*i-254)
		r = twoSum(float64(word>>32)*0x1p32*weight, float64(word&(1<<32-1))*weight).add(r)
	}
	r = r.mul(halfPi)
	if negative != (x < 0) {
		r = r.neg()
	}
	if x < 0 {
		q = -q
	}
	return q & 3, r
}

// digits gives 64 binary digits of 2/π from position i, which may be negative:
// there the digits are 0.
func digits(i int) uint64 {
	word := func(j int) uint64 {
		if j < 0 || j >= len(twoOverPi) {
			return 0
		}
		return twoOverPi[j]
	}
	j, shift := i>>6, uint(i&63) // rounding down, also for negative i
	return word(j)<<shift | word(j+1)>>(64-shift)
}

// kernelSin and kernelCos are the polynomials of FreeBSD's msun on [-π/4, π/4],
// with the first-order effect of the low part.
func kernelSin(r dd) float64 {
	const (
		s1 = -1.66666666666666324348e-01
		s2 = 8.33333333332248946124e-03
		s3 = -1.98412698298579493134e-04
		s4 = 2.75573137070700676789e-06
		s5 = -2.50507602534068634195e-08
		s6 = 1.58969099521155010221e-10
	)
	x, y := r.h, r.l
	z := x * x
	v := z * x
	p := s2 + z*(s3+z*(s4+z*(s5+z*s6)))
	return x - ((z*(0.5*y-v*p) - y) - v*s1)
}

func kernelCos(r dd) float64 {
	const (
		c1 = 4.16666666666666019037e-02
		c2 = -1.38888888888741095749e-03
		c3 = 2.48015872894767294178e-05
		c4 = -2.75573143513906633035e-07
		c5 = 2.08757232129817482790e-09
		c6 = -1.13596475577881948265e-11
	)
	x, y := r.h, r.l
	z := x * x
	p := z * (c1 + z*(c2+z*(c3+z*(c4+z*(c5+z*c6)))))
	half := 0.5 * z
	w := 1 - half
	return w + (((1 - w) - half) + (z*p - x*y))
}

// Sin is the sine of an angle of any size, within 1 ulp.
func Sin(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	if x == 0 {
		return x
	}
	return sinQuadrant(reduce(x))
}

// Cos is the cosine of an angle of any size, within 1 ulp.
func Cos(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	q, r := reduce(x)
	return sinQuadrant((q+1)&3, r)
}

func sinQuadrant(q int, r dd) float64 {
	switch q {
	case 0:
		return kernelSin(r)
	case 1:
		return kernelCos(r)
	case 2:
		return -kernelSin(r)
	}
	return -kernelCos(r)
}

// Tan is the tangent of an angle of any size, within 3 ulp.
func Tan(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	if x == 0 {
		return x
	}
	q, r := reduce(x)
	if q&1 == 0 {
		return kernelSin(r) / kernelCos(r)
	}
	return -kernelCos(r) / kernelSin(r)
}

// sincosdd is the sine and cosine of |r| ≤ π/2 by the Taylor series, for those
// who go on with all the digits.
func sincosdd(r dd) (sin, cos dd) {
	z := r.mul(r).neg()
	for k := 28; k >= 0; k -= 2 {
		sin = sin.mul(z).add(invFactorial[k+1])
		cos = cos.mul(z).add(invFactorial[k])
	}
	return sin.mul(r), cos
}

// Asin is the arc sine.
func Asin(x float64) float64 {
	return math.Atan2(x, math.Sqrt((1-x)*(1+x)))
}

// Acos is the arc cosine. Near 1, where π/2 - asin x would cancel, 1 - x is
// exact.
func Acos(x float64) float64 {
	return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x))
}

// Atan is the arc tangent.
func Atan(x float64) float64 { return math.Atan(x) }

// Atan2 is the angle of the point (x, y), with the special cases of IEEE 754.
func Atan2(y, x float64) float64 { return math.Atan2(y, x) }
