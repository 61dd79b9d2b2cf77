package solve

import "math"

// Doubles are numbered by the integers in order, 0 by 0 (and -0 by 0). Numbers of finite doubles
// differ by less than 2^64, so a difference is right when it is taken as a uint64.

// index returns the number of a double.
func index(x float64) int64 {
	if x < 0 {
		return -int64(math.Float64bits(-x))
	}
	return int64(math.Float64bits(math.Abs(x)))
}

// fromIndex returns the double with a number.
func fromIndex(i int64) float64 {
	if i < 0 {
		return -math.Float64frombits(uint64(-i))
	}
	return math.Float64frombits(uint64(i))
}

// ulp returns the distance from |x| to the next double.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// middle returns the double halfway from lo to hi, by number or else by value.
func middle(lo, hi float64, inNumber bool) float64 {
	if inNumber {
		return fromIndex(index(lo) + int64(uint64(index(hi)-index(lo))/2))
	}
	if m := lo/2 + hi/2; m > lo && m < hi {
		return m
	}
	return middle(lo, hi, true) // neighbours, or so small that a half underflows
}

// distance returns the distance from lo to hi, in number of doubles or else in value.
func distance(lo, hi float64, inNumber bool) float64 {
	if inNumber {
		return float64(uint64(index(hi) - index(lo)))
	}
	return hi - lo
}
