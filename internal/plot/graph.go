package plot

import (
	"errors"
	"math"
	"slices"
)

// Sampled is a function of a real, sampled for drawing: its values and slopes at points from left
// to right, NaN where there are none. The points are closer where the curve bends, breaks off or
// jumps.
type Sampled struct {
	xs, ys, slopes []float64
	even           [2][]float64 // values and slopes at equal distances, which decide the view
}

// Numbers of points. A function is first sampled at equal distances. Where the curve is not
// straight, the distances are then halved, up to a bound on the number of rounds and of points.
const (
	evenPoints  = 401
	mostHalving = 10
	mostPoints  = 6000
	// the deviation from a straight line that counts as straight, relative to the height
	straight = 1. / 1000
)

// Sample samples a function. eval returns its values and slopes at points; slopes may be nil.
func Sample(from, to float64, eval func(xs []float64) (ys, slopes []float64)) *Sampled {
	s := &Sampled{xs: make([]float64, evenPoints)}
	for k := range s.xs {
		part := float64(k) / (evenPoints - 1)
		s.xs[k] = from*(1-part) + to*part
	}
	s.ys, s.slopes = eval(s.xs)
	s.even = [2][]float64{s.ys, s.slopes}
	if lo, hi, ok := ends(s.ys); ok {
		s.refine(eval, lo, hi)
		if low, high, _ := view(s.even[0], s.ys); low > lo || high < hi { // there is a pole
			s.refine(eval, low, high)
		}
	}
	return s
}

// refine adds points where the curve bends visibly in the view from lo to hi.
func (s *Sampled) refine(eval func(xs []float64) (ys, slopes []float64), lo, hi float64) {
	bends := make([]bool, len(s.xs)) // whether the curve may bend after each point
	for k := range bends {
		bends[k] = k+1 < len(bends)
	}
	for range mostHalving {
		var middles []float64
		for k, bend := range bends {
			if bend && len(s.xs)+len(middles) < mostPoints {
				middles = append(middles, s.xs[k]/2+s.xs[k+1]/2)
			}
		}
		if len(middles) == 0 {
			break
		}
		bends = s.insert(bends, middles, eval, lo, hi)
	}
}

// insert evaluates the function at the given middles, which follow the points after which the
// curve may bend. It returns after which points the curve really bends.
func (s *Sampled) insert(
	bends []bool, middles []float64, eval func([]float64) (ys, slopes []float64), lo, hi float64,
) []bool {
	ys, slopes := eval(middles)
	inside := func(y float64) bool { return lo <= y && y <= hi }
	old := *s
	s.xs, s.ys, s.slopes = nil, nil, nil
	var still []bool
	n := 0
	put := func(x, y float64, slope func() float64, bend bool) {
		s.xs, s.ys, still = append(s.xs, x), append(s.ys, y), append(still, bend)
		if old.slopes != nil {
			s.slopes = append(s.slopes, slope())
		}
	}
	for k, x := range old.xs {
		halved := bends[k] && n < len(middles)
		bend := false
		if halved {
			a, m, b := old.ys[k], ys[n], old.ys[k+1]
			off := math.Abs(m - (a/2 + b/2))
			seen := inside(a) || inside(m) || inside(b)
			ends := finite(a) != finite(m) || finite(m) != finite(b)
			bend = ends || seen && off > straight*(hi-lo)
			if slopes != nil && old.slopes != nil && seen &&
				!bend { // a kink may be straight on both sides
				bend = math.Abs(old.slopes[k]-old.slopes[k+1]) > 0.05*(1+math.Abs(slopes[n])) &&
					math.Abs(b-a) > straight*(hi-lo)/64
			}
		}
		put(x, old.ys[k], func() float64 { return old.slopes[k] }, bend)
		if halved {
			j := n
			put(middles[j], ys[j], func() float64 { return slopes[j] }, bend)
			n++
		}
	}
	return still
}

// Graph returns a figure of the function, with its slopes if asked. A jump or a pole is a gap. A
// dot marks a kink. A line at the bottom marks where the function has no value. Values far beyond
// the rest are cut off.
func (s *Sampled) Graph(withSlopes bool) (*Figure, error) {
	lo, hi, ok := view(s.even[0], s.ys)
	if !ok {
		return nil, errors.New("the function has no value in this range")
	}
	f := &Figure{X: "x"}
	name := ""
	if withSlopes {
		name = "f"
	}
	curve, jumps := cut(s.xs, s.ys, s.slopes, lo, hi)
	f.Layers = append(f.Layers, Layer{Kind: "Line", Name: name, Xs: curve[0], Ys: curve[1]})
	if withSlopes {
		if low, high, ok := view(s.even[1], s.slopes); ok {
			if slices.ContainsFunc(s.ys, func(y float64) bool { return y < lo || y > hi }) {
				// near a pole slopes grow faster than values, and the values should stay visible
				low, high = math.Max(low, lo-(hi-lo)/2), math.Min(high, hi+(hi-lo)/2)
			}
			broken, _ := cut(s.xs, s.slopes, nil, low, high)
			f.Layers = append(
				f.Layers,
				Layer{Kind: "Line", Name: "f'", Xs: broken[0], Ys: broken[1]},
			)
		}
	}
	isKink := func(k int) bool { return !jumps[k] && lo <= s.ys[k] && s.ys[k] <= hi }
	if at := kinks(s.xs, s.ys, s.slopes, isKink, s.even[1]); len(at[0]) > 0 {
		f.Layers = append(f.Layers, Layer{Kind: "Scatter", Name: "kink", Xs: at[0], Ys: at[1]})
	}
	if missing := s.missing(lo); len(missing[0]) > 0 {
		f.Layers = append(
			f.Layers,
			Layer{Kind: "Line", Name: "no value", Xs: missing[0], Ys: missing[1]},
		)
	}
	return f, f.check()
}

// Slopes returns the figure of the slopes alone.
func (s *Sampled) Slopes() (*Figure, error) {
	of := &Sampled{xs: s.xs, ys: s.slopes, even: [2][]float64{s.even[1], nil}}
	return of.Graph(false)
}

// missing returns lines at a height below the ranges without values.
func (s *Sampled) missing(height float64) (at [2][]float64) {
	for k, y := range s.ys {
		if finite(y) {
			if k > 0 && !finite(s.ys[k-1]) {
				at[0], at[1] = append(at[0], s.xs[k]), append(at[1], math.NaN())
			}
			continue
		}
		at[0], at[1] = append(at[0], s.xs[k]), append(at[1], height)
	}
	return at
}

// ends returns the least and the largest finite value.
func ends(ys []float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, y := range ys {
		if finite(y) {
			lo, hi = math.Min(lo, y), math.Max(hi, y)
		}
	}
	return lo, hi, lo <= hi
}

// view returns the range of values in view, given the values at equal distances and all values.
// Between the points beside a pole values grow without bound; values far from the others are then
// out of view.
func view(even, all []float64) (lo, hi float64, ok bool) {
	lo, hi, ok = ends(even)
	least, most, some := ends(all)
	if !ok || !some {
		return least, most, some
	}
	if height := hi - lo; least < lo-height || most > hi+height {
		return extent(even)
	}
	return least, most, true
}

// extent returns the range of the values, without a few that are far away from the others.
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

// cut returns a curve with gaps where it is out of view, and where it jumps by more than the
// slopes beside the jump explain. It also returns the points after which it jumps.
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
		} else if k > 0 && k+2 < len(ys) { // judged by the steps beside it
			explained = 8 * math.Min(math.Abs(ys[k]-ys[k-1]), math.Abs(ys[k+2]-ys[k+1]))
		}
		if step > (hi-lo)/200 && step > explained {
			jumps[k] = true
			put((xs[k]+xs[k+1])/2, math.NaN())
		}
	}
	return curve, jumps
}

// kinks returns where slopes jump and values do not. A kink is where a change of slope is many
// times the changes beside it. even holds slopes at equal distances, and may reports after which
// points there can be a kink.
func kinks(xs, ys, slopes []float64, may func(k int) bool, even []float64) (at [2][]float64) {
	lo, hi, ok := extent(even)
	if !ok || !(hi > lo) {
		return at
	}
	change := func(k int) float64 { return math.Abs(slopes[k+1] - slopes[k]) }
	for k := 1; k+2 < len(slopes); k++ {
		if !may(k) || !may(k-1) || !may(k+1) || !finite(change(k)) {
			continue
		}
		if c := change(k); c > (hi-lo)/50 && c > 12*math.Min(change(k-1), change(k+1)) &&
			len(at[0]) < 100 {
			at[0], at[1] = append(at[0], (xs[k]+xs[k+1])/2), append(at[1], (ys[k]+ys[k+1])/2)
			k++ // a kink at a point changes the slopes on both sides of it
		}
	}
	return at
}
