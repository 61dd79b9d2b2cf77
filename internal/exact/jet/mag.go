package jet

import (
	"fmt"
	"math"
)

// Mag is a magnitude: a real at or above 0, or +Inf, with an exponent that
// neither overflows nor underflows. Widths, tolerances and remainders are
// magnitudes. Sums and products are rounded up, so that a bound stays one.
type Mag struct {
	m float64 // in [1/2, 1), or 0 or +Inf
	e int64   // the value is m 2^e; 0 if m is 0 or +Inf
}

// maxMagExp confines exponents, so that the sum of two fits an int64.
const maxMagExp = 1 << 61

// MagOf is |x|, exactly; a NaN is infinite.
func MagOf(x float64) Mag {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return InfMag()
	}
	m, e := math.Frexp(math.Abs(x))
	return Mag{m, int64(e)}
}

// InfMag is the infinite magnitude.
func InfMag() Mag { return Mag{m: math.Inf(1)} }

// Exp2 is 2^e.
func Exp2(e int64) Mag { return Mag{0.5, 0}.shift(e + 1) }

// IsInf tells whether a is infinite.
func (a Mag) IsInf() bool { return math.IsInf(a.m, 1) }

// IsZero tells whether a is 0.
func (a Mag) IsZero() bool { return a.m == 0 }

// Less tells whether a < b.
func (a Mag) Less(b Mag) bool {
	switch {
	case a.m == 0 || b.m == 0 || a.IsInf() || b.IsInf():
		return a.m < b.m
	case a.e != b.e:
		return a.e < b.e
	}
	return a.m < b.m
}

// Max is the larger one.
func (a Mag) Max(b Mag) Mag {
	if a.Less(b) {
		return b
	}
	return a
}

// Add is a + b, rounded up.
func (a Mag) Add(b Mag) Mag {
	if a.Less(b) {
		a, b = b, a
	}
	if b.m == 0 || a.IsInf() {
		return a
	}
	d := a.e - b.e
	if d > 60 {
		return Mag{math.Nextafter(a.m, 2), a.e}.normal()
	}
	return Mag{math.Nextafter(a.m+math.Ldexp(b.m, -int(d)), 4), a.e}.normal()
}

// Mul is a b, rounded up; 0 times infinity is infinite.
func (a Mag) Mul(b Mag) Mag {
	switch {
	case a.IsInf() || b.IsInf():
		return InfMag()
	case a.m == 0 || b.m == 0:
		return Mag{}
	}
	return Mag{math.Nextafter(a.m*b.m, 2), a.e + b.e}.normal()
}

// MulFloat is a |x|, rounded up.
func (a Mag) MulFloat(x float64) Mag { return a.Mul(MagOf(x)) }

// Exp is an e with a <= 2^e, the least one or one more; of 0 it is very small,
// of infinity very large.
func (a Mag) Exp() int64 {
	switch {
	case a.m == 0:
		return -maxMagExp
	case a.IsInf():
		return maxMagExp
	}
	return a.e
}

// Float is a as a double, rounded up.
func (a Mag) Float() float64 {
	switch {
	case a.m == 0 || a.IsInf():
		return a.m
	case a.e > 1024:
		return math.Inf(1)
	case a.e < -1073:
		return math.SmallestNonzeroFloat64
	}
	f := math.Ldexp(a.m, int(a.e))
	if a.e <= -1022 { // it may have been rounded, and down
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// String is a in decimal, roughly.
func (a Mag) String() string {
	if a.m == 0 || a.IsInf() {
		return fmt.Sprint(a.m)
	}
	digits := (math.Log2(a.m) + float64(a.e)) * math.Ln2 / math.Ln10
	whole := math.Floor(digits)
	return fmt.Sprintf("%.1fe%+03d", math.Pow(10, digits-whole), int64(whole))
}

func (a Mag) shift(k int64) Mag {
	a.e += k
	return a.normal()
}

// normal restores the invariant.
func (a Mag) normal() Mag {
	if a.m == 0 || a.IsInf() {
		a.e = 0
		return a
	}
	m, e := math.Frexp(a.m)
	a = Mag{m, a.e + int64(e)}
	switch {
	case a.e > maxMagExp:
		return InfMag()
	case a.e < -maxMagExp:
		return Mag{0.5, -maxMagExp}
	}
	return a
}
