//go:build !page

package plot

import (
	"math"
	"strconv"
)

// tick is a mark on an axis. It has a number or, if that is empty, is a small one.
type tick struct {
	value float64
	label string
}

// ticks returns about five round numbers in a range, 1, 2 or 5 times a power of ten apart.
func ticks(lo, hi float64) (list []tick) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, by := range []float64{5, 2} {
		if (hi-lo)/(step*by) >= 3.5 {
			step *= by
			break
		}
	}
	if !(step > 0) {
		return []tick{{lo, short(lo)}}
	}
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	for k := first; k <= last && len(list) < 50; k++ {
		list = append(list, tick{k * step, label(k * step)})
	}
	return list
}

// logTicks returns ticks at powers of ten in a range of positive numbers, at most about seven of
// them with a number. A range with fewer than two powers also has numbers at 2 and 5 times a power.
// A range with fewer than two of those has the ticks of a linear axis.
func logTicks(lo, hi float64) (list []tick) {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := math.Max(1, math.Ceil((last-first)/7))
	narrow := math.Floor(math.Log10(hi)) <= math.Ceil(math.Log10(lo))
	numbers := 0
	for k := first; k <= last; k++ {
		power := math.Pow(10, k)
		for m := range 9 {
			v := float64(m+1) * power
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || m > 0 && every > 1 {
				continue
			}
			mark := tick{value: v}
			if m == 0 && (math.Mod(k, every) == 0 || last-first < 2) ||
				narrow && (m == 0 || m == 1 || m == 4) {
				mark.label = label(v)
				numbers++
			}
			list = append(list, mark)
		}
	}
	if numbers < 2 {
		return ticks(lo, hi)
	}
	return list
}

// label returns a tick's number without rounding noise.
func label(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 10, 64), 64)
	return strconv.FormatFloat(x+0, 'g', -1, 64) // turns -0 into 0
}
