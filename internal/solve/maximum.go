package solve

import (
	"cmp"
	"math"
	"slices"
)

// Optimum is the maximum of a function over a range.
type Optimum struct {
	X      float64
	XError float64 // uncertainty of X
	Value  float64
	End    int // -1: X is the lower bound; +1: the upper; 0: inside
	Evals  int // of f and of df together
}

// Maximum returns the largest value of f over [a, b], and where it is. df, the derivative of f,
// may be nil. With it X is precise; without it only Value is, and X is within XError. f may be
// -Inf at some points. If a maximum is reached at two places, or all along a plateau, Maximum
// returns the optimum together with a *Tie: the value is good, but the place is not unique. Other
// errors: *BadValue, *BadRange, *OutOfEvals, and those of f and df. a = b is a maximum at the
// lower end.
//
// The first look is at 129 points, or, where the slopes at 65 explain the values, at these. A
// peak narrower than (b-a)/128, or there (b-a)/64, may be missed unless it shows in its
// neighbourhood.
func Maximum(f, df Func, a, b float64, o Options) (Optimum, error) {
	if !(a <= b) || math.IsInf(b-a, 0) {
		return Optimum{}, &BadRange{a, b}
	}
	s := newSummit(f, df, a, b, o)
	best, err := s.run()
	best.Evals = s.f.evals
	if s.df != nil {
		best.Evals += s.df.evals
	}
	if err == errBudget {
		if len(s.seen) > 0 {
			top := slices.MaxFunc(s.seen, byValue)
			best.X, best.Value, best.XError = top.x, top.y, b-a
		}
		err = &OutOfEvals{Evals: best.Evals, X: best.X, FX: best.Value, Lo: a, Hi: b}
	}
	return best, err
}

func byValue(p, q sample) int { return cmp.Compare(p.y, q.y) }

// summit is a search for one maximum.
type summit struct {
	f, df *meter
	a, b  float64
	seen  []sample // in order of x
	scale float64  // the size of f
	top   float64  // the largest value in seen
}

func newSummit(f, df Func, a, b float64, o Options) *summit {
	o = o.withDefaults()
	s := &summit{a: a, b: b, f: newMeter(f, Function, o), top: math.Inf(-1)}
	if df != nil {
		s.df = newMeter(df, Derivative, o)
	}
	return s
}

const (
	// refinements is how often the grid is refined, and refined bounds the number of its cells
	// that are refined.
	refinements = 3
	// explained is how far f may be from what the values and slopes at neighbours suggest and
	// still count as smooth there, relative to the range of its values.
	explained = 1e-4
	refined   = 32
	// same is how far apart two peaks must be to count as two, relative to the range.
	same = 1e-6
	// wide is how wide a summit known only by values must be to count as a plateau, relative to
	// the range.
	wide = 1e-3
	// indistinct is the difference, relative to the size of f, that roundoff
	// makes meaningless.
	indistinct = 4 * epsilon
)

func (s *summit) run() (Optimum, error) {
	if s.a == s.b {
		y, err := s.value(s.a)
		return Optimum{X: s.a, Value: y, End: -1}, err
	}
	if err := s.survey(); err != nil {
		return Optimum{}, err
	}
	if tie := s.plateau(); tie != nil {
		if err := s.extent(tie); err != nil {
			return Optimum{}, err
		}
		return s.optimum(tie.X, tie.Value, tie.Other-tie.X), tie
	}
	var peaks []candidate
	for i := range s.seen {
		found, err := s.around(i)
		if err != nil {
			return Optimum{}, err
		}
		peaks = append(peaks, found...)
	}
	top := slices.MaxFunc(s.seen, byValue)
	if !slices.ContainsFunc(peaks, func(p candidate) bool {
		return p.Value >= top.y-indistinct*s.scale
	}) {
		// The slopes contradict the values.
		peak, err := s.summitAround(top.x, top.y)
		if err != nil {
			return Optimum{}, err
		}
		peaks = append(peaks, peak)
	}
	return s.highest(peaks)
}

// value evaluates f. +Inf is an error like NaN.
func (s *summit) value(x float64) (float64, error) {
	y, err := s.f.at(x)
	if err == nil && math.IsInf(y, 1) {
		err = &BadValue{X: x, Value: y}
	}
	return y, err
}

// look evaluates f, and its derivative if there is one. The derivative comes first, since the
// value is often a part of it.
func (s *summit) look(x float64) (p sample, err error) {
	p = sample{x: x, slope: math.NaN()}
	if s.df != nil {
		p.slope, err = s.df.at(x)
		if _, bad := err.(*BadValue); bad {
			p.slope, err = math.NaN(), nil
		}
		if err != nil {
			return p, err
		}
	}
	if p.y, err = s.value(x); math.IsInf(p.y, 0) {
		p.slope = math.NaN()
	}
	return p, err
}

// optimum describes a maximum at x.
func (s *summit) optimum(x, y, xError float64) Optimum {
	o := Optimum{X: x, Value: y, XError: xError}
	switch x {
	case s.a:
		o.End = -1
	case s.b:
		o.End = 1
	}
	return o
}

// survey evaluates the grid, and refines it where f may be higher than the highest sample: where
// its slopes, if they continued, would lead above the top.
func (s *summit) survey() error {
	var places []float64
	for i := range grid/2 + 1 {
		x := s.a + (s.b-s.a)*(float64(2*i)/grid)
		if i == grid/2 {
			x = s.b
		}
		if n := len(places); n > 0 && x <= places[n-1] {
			continue // a range of few doubles
		}
		places = append(places, x)
	}
	if err := s.lookAt(places); err != nil {
		return err
	}
	if err := s.lookAt(s.unexplained()); err != nil {
		return err
	}
	for range refinements {
		type promise struct{ x, y float64 }
		var promising []promise
		for i := range len(s.seen) - 1 {
			l, r := s.seen[i], s.seen[i+1]
			y := math.Max(l.y, r.y) + s.steepest(i)*(r.x-l.x)
			if m := middle(l.x, r.x, false); y > s.top && m > l.x && m < r.x {
				promising = append(promising, promise{m, y})
			}
		}
		slices.SortFunc(promising, func(p, q promise) int { return cmp.Compare(q.y, p.y) })
		places = places[:0]
		for _, m := range promising[:min(len(promising), refined)] {
			places = append(places, m.x)
		}
		if err := s.lookAt(places); err != nil {
			return err
		}
	}
	s.measure()
	return nil
}

// lookAt adds samples at places.
func (s *summit) lookAt(places []float64) error {
	for _, x := range places {
		p, err := s.look(x)
		if err != nil {
			return err
		}
		s.seen = append(s.seen, p)
		s.top = math.Max(s.top, p.y)
	}
	slices.SortFunc(s.seen, func(p, q sample) int { return cmp.Compare(p.x, q.x) })
	return nil
}

// unexplained returns the middles of the cells beside samples that do not lie on the cubic
// through their neighbours, with their slopes.
func (s *summit) unexplained() (places []float64) {
	low := math.Inf(1)
	for _, p := range s.seen {
		low = math.Min(low, p.y)
	}
	last := len(s.seen) - 1
	rough := make([]bool, last) // by cell
	for i := range last {
		l, m, r := s.seen[max(i-1, 0)], s.seen[i], s.seen[i+1]
		expected := (l.y+r.y)/2 + (r.x-l.x)*(l.slope-r.slope)/8
		if i > 0 && !(math.Abs(m.y-expected) <= explained*(s.top-low)) {
			rough[i-1], rough[i] = true, true
		}
	}
	for i, yes := range rough {
		l, r := s.seen[i].x, s.seen[i+1].x
		if m := middle(l, r, false); yes && m > l && m < r {
			places = append(places, m)
		}
	}
	return places
}

// measure computes the scale: the size of the top, or its height above half of the samples.
func (s *summit) measure() {
	var values []float64
	for _, p := range s.seen {
		if !math.IsInf(p.y, 0) {
			values = append(values, p.y)
		}
	}
	if len(values) > 0 {
		slices.Sort(values)
		s.scale = math.Max(math.Abs(s.top), s.top-values[len(values)/2])
	}
}

// steepest returns the steepest finite slope seen at cell i and its neighbours.
func (s *summit) steepest(i int) float64 {
	steepest := 0.0
	for k := max(0, i-1); k <= min(i+1, len(s.seen)-2); k++ {
		l, r := s.seen[k], s.seen[k+1]
		if slope := math.Abs((r.y - l.y) / (r.x - l.x)); slope > steepest && !math.IsInf(slope, 0) {
			steepest = slope
		}
	}
	return steepest
}

// around finds the maxima near sample i: at an end, around a sample higher
// than its neighbours, and in the cell to the right of it if the slopes say
// that f turns there.
func (s *summit) around(i int) ([]candidate, error) {
	p := s.seen[i]
	last := len(s.seen) - 1
	var found []candidate
	var err error
	switch {
	case i == 0:
		found, err = s.atEnd(p, s.seen[1], p.slope)
	case i == last:
		found, err = s.atEnd(p, s.seen[i-1], -p.slope)
	case p.y >= s.seen[i-1].y && p.y > s.seen[i+1].y && !s.turns(i-1) && !s.turns(i):
		l, r := s.seen[i-1], s.seen[i+1]
		t := triple{l.x, l.y, p.x, p.y, r.x, r.y}
		// If the slopes contradict it, a little hump is roundoff.
		hump := (l.slope < 0 || r.slope > 0) && p.y-math.Max(l.y, r.y) <= indistinct*s.scale
		if !hump && !(t.reach() < s.top) {
			var c candidate
			c, err = s.peak(t, l, r)
			found = append(found, c)
		}
	}
	if err != nil || i == last {
		return found, err
	}
	if q := s.seen[i+1]; s.turns(i) && !s.hopeless(p, q) {
		// The peak is within the cell; a triple may not show it.
		c, err := s.stationary(p, q)
		if err != nil {
			return found, err
		}
		found = append(found, c)
	}
	return found, nil
}

// turns reports whether the slopes say that cell i has a peak.
func (s *summit) turns(i int) bool { return s.seen[i].slope > 0 && s.seen[i+1].slope < 0 }

// hopeless reports whether f, between two samples, cannot reach the top.
func (s *summit) hopeless(p, q sample) bool {
	slope := math.Abs((q.y - p.y) / (q.x - p.x))
	for _, d := range []float64{p.slope, q.slope} {
		if !math.IsNaN(d) {
			slope = math.Max(slope, math.Abs(d))
		}
	}
	return math.Max(p.y, q.y)+4*slope*math.Abs(q.x-p.x) < s.top
}

// atEnd returns the maximum at an end of the range, if it is one, or near it: the
// slope inwards tells, or else some looks between it and its neighbour.
func (s *summit) atEnd(end, next sample, inwards float64) ([]candidate, error) {
	here := []candidate{{Optimum: s.optimum(end.x, end.y, 0)}}
	switch {
	case end.y < next.y || inwards > 0:
		return nil, nil
	case inwards <= 0 || s.hopeless(end, next):
		return here, nil
	}
	for range 12 {
		x := end.x + (next.x-end.x)/4
		if x == end.x || x == next.x {
			break
		}
		y, err := s.value(x)
		if err != nil {
			return nil, err
		}
		if y > end.y && y >= next.y {
			l, r := end, next
			if l.x > r.x {
				l, r = r, l
			}
			o, err := s.peak(triple{l.x, l.y, x, y, r.x, r.y}, l, r)
			return []candidate{o}, err
		}
		next = sample{x: x, y: y, slope: math.NaN()}
		here[0].XError = math.Abs(x - end.x)
	}
	return here, nil
}
