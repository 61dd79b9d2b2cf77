package kernel

import (
	"math"
	"math/bits"
)

// Note [Trigonometric reduction]
//
// x = n·π/128 + r with |r| ≤ π/256·(1+2^-20), r a normalised double-double.
//
// |x| < 2^14: |n| < 2^20, the first three parts of π/128 have 33 bits, so the
// products with n are exact; x - n·sinStep0 is exact (a multiple of 2^-61 or of
// ulp(x) below 2^-5.3). The second and third products are subtracted by exact
// twoSums, the fourth (below 2^-84) rounded at 2^-137. No double is nearer to a
// nonzero multiple of π/128 than 2^-68 (from the continued fractions of
// 2^-e·π/128 for all e: testdata/gen/distance.py), so the relative error of
// r is below 2^-68; multiples with n = 0 are exact. Where |r| > 2^-24, as nearly
// always, the third and fourth product may as well be one, rounded: sinRest is
// below 2^-71 with 53 bits, so the error is below 2^-103, 2^-79 of r.
//
// |x| ≥ 2^14: Payne and Hanek. x = m·2^e, m an integer below 2^53. Bits of 2/π
// worth 4 or more after the multiplication by m·2^e do not matter modulo 4, so
// 256 bits are taken from the one worth 2·m on, and the product modulo 2^256 is
// x·2/π modulo 4 in units of 2^-254, short by at most m units: 2^-201 absolute.
// The distance from a multiple of π/128 being above 2^-68, 130 bits after the
// leading one are valid; r is rounded to 2^-104 relative and multiplied by π/2.

// angle is an argument modulo 2π: n·π/128 + r, n modulo 256.
type angle struct {
	n int
	r dd
}

func reduce(x float64) angle {
	if math.Abs(x) < 0x1p14 {
		t := float64(x*sinInvStep) + 0x1.8p52
		n := t - 0x1.8p52
		a := math.FMA(-n, sinStep0, x)
		b := twoSum(a, -float64(n*sinStep1))
		if math.Abs(b.h) > 0x1p-24 {
			return angle{int(math.Float64bits(t)) & 255,
				fastTwoSum(b.h, math.FMA(-n, sinRest, b.l))}
		}
		c := twoSum(b.h, -float64(n*sinStep2))
		l := math.FMA(-n, sinStep3, b.l+c.l)
		return angle{int(math.Float64bits(t)) & 255, fastTwoSum(c.h, l)}
	}
	return payneHanek(x)
}

func payneHanek(x float64) angle {
	b := math.Float64bits(x)
	e := int(b>>52)&2047 - 1075
	m := b&(1<<52-1) | 1<<52
	// The bit of 2/π worth 2^-i stands at position i+63; start at i = e-1.
	pos := e + 62
	w, s := pos>>6, uint(pos&63)
	var p [4]uint64 // x·2/π modulo 4, most significant word first
	var carry uint64
	for i := 3; i >= 0; i-- {
		v := twoOverPi[w+i]<<s | twoOverPi[w+i+1]>>(64-s)
		hi, lo := bits.Mul64(v, m)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	// n = x·128/π to the nearest integer: the top 8 bits, rounded by the next.
	n := int(p[0] >> 56)
	up := p[0]>>55&1 == 1
	f := [4]uint64{p[0] << 8 >> 8, p[1], p[2], p[3]} // fraction of n, 248 bits
	if up {
		n++
		var c uint64 // f = f - 2^248, as a magnitude
		f[3], c = bits.Sub64(0, f[3], 0)
		f[2], c = bits.Sub64(0, f[2], c)
		f[1], c = bits.Sub64(0, f[1], c)
		f[0], _ = bits.Sub64(1<<56, f[0], c)
	}
	// Normalise and take two doubles: h from the leading 53 bits, l from the
	// next 53; units are 2^-254 of π/2.
	exp := -254 + 192
	for f[0] == 0 && exp > -254-64 {
		f = [4]uint64{f[1], f[2], f[3], 0}
		exp -= 64
	}
	z := uint(bits.LeadingZeros64(f[0]))
	g0 := f[0]<<z | f[1]>>(64-z)
	g1 := f[1]<<z | f[2]>>(64-z)
	exp -= int(z)
	h := math.Ldexp(float64(g0>>11), exp+11)
	l := math.Ldexp(float64(g0<<53>>11|g1>>22), exp-42)
	r := halfPi.mul(fastTwoSum(h, l))
	if up {
		r = r.neg()
	}
	if x < 0 {
		n, r = -n, r.neg()
	}
	return angle{n & 255, r}
}

// Note [sin]
//
// sin(a+r) = sin a + (cos a·sin r + sin a·(cos r - 1)) with a = nπ/128 from the
// table (relative error 2^-106) and |r| < 2^-6.3.
//
// n a multiple of 128: the result is ±sin r = ±(rh + (rl + rh³·S(rh²))), S up to
// rh^10 (left out: 2^-13 factorial terms, below 2^-100). The bracket is below
// 2^-15.2·|rh|, rounded within 2^-66.5.
//
// Otherwise |sin a| ≥ sin(π/128) > 2^-5.4. cos a·rh is an exact product added
// exactly to sin a (|sin a| > 2·|rh|). The rest, sin a·(cos r - 1) < 2^-13.6·|sin a|,
// cos a·(sin r - r) < 2^-21.5, and the low words, rounds within 2^-65 relative
// (three roundings at 2^-66.6·|sin a| for the first; 2^-74.5/2^-5.4 for the second).
// The result is at least 0.49·|sin a|, so the relative error is below 2^-63.6
// there; near n = ±1 only, and 2^-64.4 on average. The budget is 2^-63.

const sinBudget = 0x1p-62

// sinAngle returns sin of an angle, unnormalised; |l| < 2^-12·|h|.
func sinAngle(a angle) dd {
	r := a.r
	r2 := float64(r.h * r.h)
	ps := math.FMA(r2, 1.0/362880, -1.0/5040)
	ps = math.FMA(r2, ps, 1.0/120)
	ps = math.FMA(r2, ps, -1.0/6)
	s3 := math.FMA(float64(r.h*r2), ps, r.l) // sin r - rh
	if a.n&127 == 0 {
		if a.n == 0 {
			return fastTwoSum(r.h, s3)
		}
		return fastTwoSum(-r.h, -s3)
	}
	sa, ca := sinAt(a.n), sinAt(a.n+64)
	pc := math.FMA(r2, 1.0/40320, -1.0/720)
	pc = math.FMA(r2, pc, 1.0/24)
	c2 := float64(r2 * math.FMA(r2, pc, -0.5)) // cos r - 1, but for rh·rl
	p := float64(ca.h * r.h)
	pl := math.FMA(ca.h, r.h, -p)
	f := fastTwoSum(sa.h, p)
	c2 = math.FMA(-r.h, r.l, c2)
	l := math.FMA(ca.h, s3, math.FMA(ca.l, r.h, pl+sa.l))
	l = math.FMA(sa.h, c2, l)
	return dd{f.h, f.l + l}
}

// sinAt returns sin(nπ/128).
func sinAt(n int) dd { return sinTable[n&255] }

// SinVal encloses sin x for finite x.
func SinVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, false)
	}
	return sinAngle(reduce(x)).budget(sinBudget)
}

// CosVal encloses cos x for finite x.
func CosVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		if x == 0 {
			return exactly(1)
		}
		return aboveOrBelow(1, -1) // 0 < 1 - cos x ≤ x²/2 < 2^-56
	}
	a := reduce(x)
	a.n = (a.n + 64) & 255
	return sinAngle(a).budget(sinBudget)
}

// TanVal encloses tan x for finite x: the quotient of sin and cos, of relative
// error below 2^-63.6 + 2^-63.6 + 2^-101.
func TanVal(x float64) Val {
	if math.Abs(x) < tinyOdd {
		return nearIdentity(x, true)
	}
	a := reduce(x)
	s := sinAngle(a)
	a.n = (a.n + 64) & 255
	c := sinAngle(a)
	return fastTwoSum(s.h, s.l).div(fastTwoSum(c.h, c.l)).budget(2 * sinBudget)
}

// Wave encloses sin(x + shift·π/2), sin or cos, for shift 0 or 1 and finite x,
// and returns ⌊x/(π/2)⌋ + shift modulo 4, for the price of one reduction.
func Wave(x float64, shift int) (Val, int) {
	if math.Abs(x) < tinyOdd {
		q := shift
		if x < 0 {
			q = (shift - 1) & 3
		}
		if shift == 0 {
			return SinVal(x), q
		}
		return CosVal(x), q
	}
	a := reduce(x)
	a.n = (a.n + 64*shift) & 255
	return sinAngle(a).budget(sinBudget), a.quadrant()
}

// quadrant returns the multiple of π/2 at or below the angle: the sign of the
// reduced argument decides at multiples of π/128, and is never in doubt because
// its relative error is small.
func (a angle) quadrant() int {
	n := a.n
	if a.r.h < 0 {
		n += 255
	}
	return n >> 6 & 3
}

// Quadrant returns ⌊x/(π/2)⌋ modulo 4, exactly.
func Quadrant(x float64) int { return reduce(x).quadrant() }
