//go:build !page

package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks places about five ticks at round numbers, 1, 2 or 5 times a power of ten apart.
type ticks struct{}

// Ticks returns the ticks of a range.
func (ticks) Ticks(lo, hi float64) (list []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, by := range []float64{5, 2} {
		if (hi-lo)/(step*by) >= 3.5 {
			step *= by
			break
		}
	}
	if !(step > 0) {
		return []plot.Tick{{Value: lo, Label: short(lo)}}
	}
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	for k := first; k <= last && len(list) < 50; k++ {
		list = append(list, plot.Tick{Value: k * step, Label: label(k * step)})
	}
	return list
}

// logTicks places ticks at powers of ten, at most about seven of them with a number. A range with
// fewer than two powers also has numbers at 2 and 5 times a power. A range with fewer than two of
// those has the ticks of a linear axis.
type logTicks struct{}

// Ticks returns the ticks of a range of positive numbers.
func (logTicks) Ticks(lo, hi float64) (list []plot.Tick) {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := math.Max(1, math.Ceil((last-first)/7))
	narrow := math.Floor(math.Log10(hi)) <= math.Ceil(math.Log10(lo))
	numbers := 0
	for k := first; k <= last; k++ {
		tick := plot.Tick{Value: math.Pow(10, k)}
		if math.Mod(k, every) == 0 || last-first < 2 {
			tick.Label = label(tick.Value)
		}
		for m := range 9 {
			v := float64(m+1) * tick.Value
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) || m > 0 && every > 1 {
				continue
			}
			if m > 0 {
				tick = plot.Tick{Value: v}
			}
			if narrow && (m == 0 || m == 1 || m == 4) {
				tick.Label = label(v)
			}
			if list = append(list, tick); tick.Label != "" {
				numbers++
			}
		}
	}
	if numbers < 2 {
		return ticks{}.Ticks(lo, hi)
	}
	return list
}

// label returns a tick's number without rounding noise.
func label(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 10, 64), 64)
	return strconv.FormatFloat(x+0, 'g', -1, 64) // turns -0 into 0
}
