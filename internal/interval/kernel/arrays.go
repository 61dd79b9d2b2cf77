package kernel

import "math"

// LogSumExp returns log (Σ e^x). For no numbers it returns -∞.
func LogSumExp(xs []float64) float64 {
	largest, at := math.Inf(-1), -1
	for i, x := range xs {
		if x > largest || x != x {
			largest, at = x, i
		}
		if x != x {
			return x
		}
	}
	if math.IsInf(largest, 0) {
		return largest
	}
	// The largest contributes exactly 1, which log1p adds without rounding.
	var sum dd
	for i, x := range xs {
		if i != at {
			sum = sum.addF(expDifference(x, largest))
		}
	}
	return largest + Log1p.Nearest(sum.nearest())
}

// Softmax stores e^x / Σ e^x of each x; into may be xs.
func Softmax(into, xs []float64) {
	largest := math.Inf(-1)
	for _, x := range xs {
		largest = max(largest, x)
	}
	var sum dd
	for i, x := range xs {
		t := expDifference(x, largest)
		sum = sum.addF(t)
		into[i] = t
	}
	total := sum.nearest()
	for i := range into[:len(xs)] {
		into[i] /= total
	}
}

// expDifference returns e^(x - m) for x ≤ m. The rounding error of the difference
// is a relative error of the result, so it is put back.
func expDifference(x, m float64) float64 {
	d := twoSum(x, -m)
	if d.h < -746 || d.h != d.h {
		return Exp.Nearest(d.h)
	}
	t := Exp.Nearest(d.h)
	return t + t*d.l
}

// Norm returns the Euclidean length. The elements are scaled by a power of two, so
// that no square overflows or underflows, and the squares are summed in twice
// the precision.
func Norm(xs []float64) float64 {
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 || largest-largest != 0 {
		return normSpecial(xs, largest)
	}
	_, e := math.Frexp(largest)
	down := math.Ldexp(1, -e/2)
	rest := math.Ldexp(1, -e-(-e/2)) // 2^-e itself may overflow
	var sum dd
	for _, x := range xs {
		x = x * down * rest
		p := float64(x * x)
		s := twoSum(sum.h, p)
		sum = dd{s.h, sum.l + s.l + math.FMA(x, x, -p)}
	}
	return math.Ldexp(math.Sqrt(sum.nearest()), e)
}

// normSpecial returns the length of a zero, infinite or NaN vector; an infinite
// element makes it infinite even beside a NaN, as for hypot.
func normSpecial(xs []float64, largest float64) float64 {
	for _, x := range xs {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
	}
	return largest
}
