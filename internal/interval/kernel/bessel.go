package kernel

import "math"

// Note [Bessel on doubles]
//
// For |x| < besselFar the functions J and I of order n are their power series
//
//	(x/2)^n / n! Σ (∓x²/4)^k / (k! (n+1) … (n+k))
//
// in double-double, which leaves enough of the 100 bits unless J is near a zero. For larger x all
// four are Hankel's expansions in the terms
//
//	t_k = Π_(j≤k) (4n² - (2j-1)²) / (8 j x)
//
// which fall below 2^-68 there unless n is large. J and Y of small x are declined, and so are
// cases for which the precision does not suffice. As in Note [Incomplete gamma and beta], the
// error is measured.

const (
	besselFar  = 26
	mostOrder  = 100
	bearable   = 0x1p-36 // the least size of a sum relative to its largest term
	fromZeros  = 0x1p-5  // the least size of a wave relative to its amplitude
	besselRoom = 0x1p-900
)

// BesselJ returns J_n(x).
func BesselJ(n int64, x float64) (float64, bool) {
	n, x, sign := besselSigns(n, x, true)
	if n > mostOrder {
		return 0, false
	}
	if x < besselFar {
		y, ok := besselSeries(n, x, -1)
		return sign * y.nearest(), ok
	}
	p, _, ok := hankelWaves(n, x)
	return sign * p.nearest(), ok && math.Abs(p.h)*math.Sqrt(x) > fromZeros
}

// BesselY returns Y_n(x) for large x.
func BesselY(n int64, x float64) (float64, bool) {
	n, x, sign := besselSigns(n, x, true)
	if n > mostOrder || x < besselFar {
		return 0, false
	}
	_, q, ok := hankelWaves(n, x)
	return sign * q.nearest(), ok && math.Abs(q.h)*math.Sqrt(x) > fromZeros
}

// BesselI returns I_n(x).
func BesselI(n int64, x float64) (float64, bool) {
	n, x, sign := besselSigns(n, x, false)
	if n > mostOrder {
		return 0, false
	}
	if x < 2*besselFar {
		y, ok := besselSeries(n, x, 1)
		return sign * y.nearest(), ok
	}
	sum, ok := hankelSum(n, x, -1)
	grown, fits := exponential(dd{x, 0})
	return sign * grown.mul(sum).div(piDD.mulF(x).scale(2).sqrt()).nearest(), ok && fits
}

// BesselK returns K_n(x) for large x.
func BesselK(n int64, x float64) (float64, bool) {
	n, x, _ = besselSigns(n, x, false)
	if n > mostOrder || x < besselFar {
		return 0, false
	}
	sum, ok := hankelSum(n, x, 1)
	decayed, fits := exponential(dd{-x, 0})
	return decayed.mul(sum).mul(piDD.div(dd{x, 0}).scale(0.5).sqrt()).nearest(), ok && fits
}

// besselSigns removes the signs from the order and the argument. J_-n is (-1)^n J_n.
func besselSigns(n int64, x float64, turns bool) (int64, float64, float64) {
	sign := 1.0
	odd := n%2 != 0
	if x < 0 {
		x = -x
		if odd {
			sign = -sign
		}
	}
	if n < 0 {
		n = -n
		if odd && turns {
			sign = -sign
		}
	}
	return n, x, sign
}

// besselSeries returns the power series, whose signs alternate or do not.
func besselSeries(n int64, x, sign float64) (dd, bool) {
	term := dd{1, 0}
	for k := range n {
		term = term.mulF(x / 2).div(dd{float64(k + 1), 0})
	}
	if !(term.h > besselRoom) {
		return term, false
	}
	square := twoProd(x/2, x/2).scale(sign)
	sum, most := term, term.h
	for k := int64(1); ; k++ {
		term = term.mul(square).div(dd{float64(k * (n + k)), 0})
		sum = sum.add(term)
		size := math.Abs(term.h)
		most = max(most, size)
		if size < 0x1p-40*converged*most {
			return sum, math.Abs(sum.h) > bearable*most
		}
	}
}

// hankelTerms calls each with the terms t_k until they are negligible. It reports whether they
// become so.
func hankelTerms(n int64, x float64, each func(k int, t dd)) bool {
	term := dd{1, 0}
	for k := 1; k < 2*besselFar; k++ {
		odd := float64(2*k - 1)
		term = term.mulF(float64(4*n*n) - odd*odd).div(twoProd(float64(8*k), x))
		each(k, term)
		if size := math.Abs(term.h); size < converged {
			return true
		} else if size > 8 {
			return false
		}
	}
	return false
}

// hankelSum returns Σ sign^k t_k.
func hankelSum(n int64, x, sign float64) (dd, bool) {
	sum := dd{1, 0}
	ok := hankelTerms(n, x, func(k int, t dd) {
		if k%2 == 1 {
			t = t.scale(sign)
		}
		sum = sum.add(t)
	})
	return sum, ok
}

// hankelWaves returns J_n(x) and Y_n(x).
func hankelWaves(n int64, x float64) (j, y dd, ok bool) {
	even, odd := dd{1, 0}, dd{}
	ok = hankelTerms(n, x, func(k int, t dd) {
		if k&2 != 0 {
			t = t.neg()
		}
		if k%2 == 0 {
			even = even.add(t)
		} else {
			odd = odd.add(t)
		}
	})
	u, v := CosVal(x), SinVal(x)
	if u.K != 0 || v.K != 0 {
		return j, y, false
	}
	// The cosine and the sine of x - π/4, times √2, and then a quarter of a turn for each order.
	c, s := dd{u.H, u.L}.add(dd{v.H, v.L}), dd{v.H, v.L}.sub(dd{u.H, u.L})
	for range n % 4 {
		c, s = s, c.neg()
	}
	amplitude := piDD.mulF(x).sqrt()
	j = even.mul(c).sub(odd.mul(s)).div(amplitude)
	y = even.mul(s).add(odd.mul(c)).div(amplitude)
	return j, y, ok
}
