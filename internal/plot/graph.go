package plot

import (
	"errors"
	"math"
	"slices"
)

// Graph is the figure of a function from its values and slopes at equal distances; slopes may be
// nil. A jump or a pole is a gap, a kink is marked by a dot, and what is far beyond the rest is cut off.
func Graph(xs, ys, slopes []float64, withSlopes bool) (*Figure, error) {
	lo, hi, ok := extent(ys)
	if !ok {
		return nil, errors.New("the function has no value in this range")
	}
	f := &Figure{X: "x"}
	name := ""
	if withSlopes {
		name = "f"
	}
	curve, jumps := cut(xs, ys, slopes, lo, hi)
	f.Layers = append(f.Layers, Layer{Kind: "Line", Name: name, Xs: curve[0], Ys: curve[1]})
	if withSlopes {
		if low, high, ok := extent(slopes); ok {
			if slices.ContainsFunc(ys, func(y float64) bool { return y < lo || y > hi }) {
				// at a pole slopes grow faster than values, which are to be seen
				low, high = math.Max(low, lo-(hi-lo)/2), math.Min(high, hi+(hi-lo)/2)
			}
			broken, _ := cut(xs, slopes, nil, low, high)
			f.Layers = append(f.Layers, Layer{Kind: "Line", Name: "f'", Xs: broken[0], Ys: broken[1]})
		}
	}
	if at := kinks(xs, ys, slopes, jumps); len(at[0]) > 0 {
		f.Layers = append(f.Layers, Layer{Kind: "Scatter", Name: "kink", Xs: at[0], Ys: at[1]})
	}
	return f, f.check()
}

// extent is the range of values in view: all, unless a few are far away from the others.
func extent(ys []float64) (lo, hi float64, ok bool) {
	var all []float64
	for _, y := range ys {
		if finite(y) {
			all = append(all, y)
		}
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	slices.Sort(all)
	few := len(all) / 12
	lo, hi = all[0], all[len(all)-1]
	near, far := all[few], all[len(all)-1-few]
	if spread := far - near; spread > 0 && hi-lo > 10*spread {
		lo, hi = math.Max(lo, near-spread), math.Min(hi, far+spread)
	}
	return lo, hi, true
}

// cut is a curve with gaps: outside of the view, and where it jumps by more than the slopes beside the
// jump explain. It also gives after which points those are.
func cut(xs, ys, slopes []float64, lo, hi float64) (curve [2][]float64, jumps map[int]bool) {
	jumps = map[int]bool{}
	put := func(x, y float64) { curve[0], curve[1] = append(curve[0], x), append(curve[1], y) }
	for k, y := range ys {
		if !(lo <= y && y <= hi) {
			y = math.NaN()
		}
		put(xs[k], y)
		if k+1 == len(ys) {
			break
		}
		step := math.Abs(ys[k+1] - ys[k])
		explained := math.Inf(1)
		if slopes != nil {
			explained = 4 * (xs[k+1] - xs[k]) * math.Max(math.Abs(slopes[k]), math.Abs(slopes[k+1]))
		} else if k > 0 && k+2 < len(ys) { // by the steps beside it
			explained = 8 * math.Min(math.Abs(ys[k]-ys[k-1]), math.Abs(ys[k+2]-ys[k+1]))
		}
		if step > (hi-lo)/200 && step > explained {
			jumps[k] = true
			put((xs[k]+xs[k+1])/2, math.NaN())
		}
	}
	return curve, jumps
}

// kinks are where slopes jump and values do not: where a change of slope is many times those beside it.
func kinks(xs, ys, slopes []float64, jumps map[int]bool) (at [2][]float64) {
	lo, hi, ok := extent(slopes)
	if !ok || !(hi > lo) {
		return at
	}
	change := func(k int) float64 { return math.Abs(slopes[k+1] - slopes[k]) }
	for k := 1; k+2 < len(slopes); k++ {
		if jumps[k] || jumps[k-1] || jumps[k+1] || !finite(change(k)) || !finite(ys[k]) {
			continue
		}
		if c := change(k); c > (hi-lo)/50 && c > 12*math.Min(change(k-1), change(k+1)) && len(at[0]) < 100 {
			at[0], at[1] = append(at[0], (xs[k]+xs[k+1])/2), append(at[1], (ys[k]+ys[k+1])/2)
			k++ // a kink at a point changes the slopes on both sides of it
		}
	}
	return at
}
