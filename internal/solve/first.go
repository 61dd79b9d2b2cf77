package solve

import "math"

// FirstRoot returns the first zero of f in [0, 1] at which f changes its sign, in either
// direction. A zero at 0 counts too, and so does one at 1 if there is none before. df may be nil.
// The errors are those of Root, and *Touch if f touches zero before it crosses: then the first
// root is the interval from the touch to the crossing (or to 1), and no double is its value. Two
// crossings closer than 1/128 are found where f, or df, shows between them that f turns.
func FirstRoot(f, df Func, o Options) (float64, error) {
	s := &scan{r: newRootFinder(f, df, o)}
	x, err := s.run()
	return x, s.r.failure(err)
}

// Crosses reports whether f changes its sign in [0, 1]; see FirstRoot. The errors are those of
// FirstRoot, except for *NoSignChange and those about where the crossing is, rather than whether
// there is one.
func Crosses(f, df Func, o Options) (bool, error) {
	_, err := FirstRoot(f, df, o)
	switch e := err.(type) {
	case nil, *Jump, *FlatZero:
		return true, nil
	case *NoSignChange:
		return false, nil
	case *Touch:
		if !math.IsNaN(e.Crossing) {
			return true, nil
		}
	}
	return false, err
}

const (
	// grid is the number of cells that FirstRoot and Maximum look at first.
	grid = 128
	// subgrid is the number of parts into which a cell with a crossing is divided, in case it has
	// several.
	subgrid = 8
	// touching is how near to zero, relative to the size of f, f must come to count as touching
	// zero.
	touching = 1e-13
)

// scan evaluates f from 0 to 1. Values are multiplied by the sign at 0, so that it begins
// positive and the first crossing is downwards.
type scan struct {
	r     *rootFinder
	sign  float64
	seen  []sample
	scale float64 // the size of f so far
	touch *Touch  // the first, if any
}

// sample is a place, with the value and the slope there (NaN if unknown).
type sample struct{ x, y, slope float64 }

// look evaluates f, and its derivative if slope is set and there is one.
func (s *scan) look(x float64, slope bool) (sample, error) {
	y, err := s.r.f.at(x)
	if err != nil {
		return sample{}, err
	}
	p := sample{x: x, y: s.sign * y, slope: math.NaN()}
	if !math.IsInf(y, 0) {
		s.scale = math.Max(s.scale, math.Abs(y))
	}
	if slope && s.r.df != nil {
		d, err := s.r.slope(x)
		if err != nil {
			return sample{}, err
		}
		p.slope = s.sign * d
	}
	return p, nil
}

func (s *scan) run() (float64, error) {
	s.sign = 1
	start, err := s.look(0, true)
	if err != nil {
		return math.NaN(), err
	}
	if start.y == 0 {
		return s.fromZero()
	}
	if start.y < 0 {
		s.sign, start.y, start.slope = -1, -start.y, -start.slope
	}
	s.seen = append(s.seen, start)
	for i := 1; i <= grid; i++ {
		p, err := s.look(float64(i)/grid, true)
		if err != nil {
			return math.NaN(), err
		}
		s.seen = append(s.seen, p)
		crossing, err := s.newest()
		if err != nil {
			return math.NaN(), err
		}
		if crossing != nil {
			return s.answer(crossing.l, crossing.r)
		}
	}
	return s.noCrossing()
}

// fromZero handles f being zero at 0: that is the root, unless f stays zero.
func (s *scan) fromZero() (float64, error) {
	flat := 0.0
	for i := 1; i <= grid; i++ {
		p, err := s.look(float64(i)/grid, false)
		if err != nil || p.y != 0 { // what is beyond the root does not matter
			break
		}
		flat = p.x
	}
	if flat > 0 {
		return math.NaN(), &FlatZero{0, flat}
	}
	return 0, nil
}

// bracket holds two places between which f crosses zero.
type bracket struct{ l, r sample }

// newest looks for a crossing that the newest sample reveals: between it and the one before, or
// at a dip that ends there.
func (s *scan) newest() (*bracket, error) {
	n := len(s.seen)
	before, last := s.seen[n-2], s.seen[n-1]
	if before.slope < 0 && last.slope > 0 && before.y > 0 {
		crossing, err := s.turn(before, last)
		if crossing != nil || err != nil {
			return crossing, err
		}
	}
	if last.y < 0 {
		for i := n - 2; before.y == 0; i-- { // it began positive
			before = s.seen[i]
		}
		return s.firstOf(before, last)
	}
	if n >= 3 {
		if first := s.seen[n-3]; before.y <= first.y && before.y <= last.y &&
			!(first.y == 0 && before.y == 0) {
			return s.dip(first, before, last)
		}
	}
	return nil, nil
}

// firstOf returns the first crossing of a cell that has one.
func (s *scan) firstOf(l, r sample) (*bracket, error) {
	start := l.x
	for i := 1; i < subgrid; i++ {
		p, err := s.look(start+(r.x-start)*float64(i)/subgrid, false)
		if err != nil {
			return nil, err
		}
		if p.y < 0 {
			return &bracket{l, p}, nil
		}
		if p.y > 0 {
			l = p
		}
	}
	return &bracket{l, r}, nil
}

// dip looks for a crossing around m, where f is lower than at both sides.
func (s *scan) dip(l, m, r sample) (*bracket, error) {
	if m.y == 0 {
		s.touched(m)
		return nil, nil
	}
	f := newMeter(func(x float64) (float64, error) {
		y, err := s.r.f.at(x)
		return -s.sign * y, err
	}, Function, s.r.f.o)
	t, err := f.climb(triple{l.x, -l.y, m.x, -m.y, r.x, -r.y}, func(t triple) bool {
		return t.fm >= 0 || t.reach() < 0
	})
	if err != nil {
		return nil, err
	}
	low := sample{x: t.m, y: -t.fm, slope: math.NaN()}
	if low.y < 0 {
		return s.firstOf(l, low)
	}
	s.touched(low)
	return nil, nil
}

// turn looks for a crossing between two samples by following the slope, which
// is negative at the one and positive at the other.
func (s *scan) turn(l, r sample) (*bracket, error) {
	start := l
	for math.Nextafter(l.x, r.x) < r.x {
		steepest := math.Max(-l.slope, r.slope)
		lowest := math.Min(l.y, r.y)
		if lowest-4*steepest*(r.x-l.x) > 0 {
			return nil, nil
		}
		if lowest <= touching*s.scale && steepest*(r.x-l.x) <= touching*s.scale {
			break
		}
		// Where the slope is zero by the secant, kept off the ends.
		width := r.x - l.x
		x := l.x + width*math.Min(math.Max(l.slope/(l.slope-r.slope), 0.1), 0.9)
		p, err := s.look(x, true)
		if err != nil {
			return nil, err
		}
		if p.y < 0 {
			return s.firstOf(start, p)
		}
		if p.slope < 0 {
			l = p
		} else {
			r = p
		}
	}
	if r.y < l.y {
		l = r
	}
	s.touched(l)
	return nil, nil
}

// touched records a place where f is as near to zero as can be told.
func (s *scan) touched(p sample) {
	if s.touch == nil && math.Abs(p.y) <= touching*s.scale {
		s.touch = &Touch{X: p.x, FX: s.sign * p.y, Crossing: math.NaN()}
	}
}

// answer finds the crossing.
func (s *scan) answer(l, r sample) (float64, error) {
	x, err := s.r.between(l.x, s.sign*l.y, r.x, s.sign*r.y)
	if s.touch == nil || err != nil {
		return x, err
	}
	if s.touch.X >= l.x {
		return x, nil // the touch that was recorded is the crossing itself
	}
	s.touch.Crossing = x
	return x, s.touch
}

// noCrossing returns the error if f keeps its sign.
func (s *scan) noCrossing() (float64, error) {
	first, last := s.seen[0], s.seen[len(s.seen)-1]
	if s.touch != nil && s.touch.X < 1 {
		return math.NaN(), s.touch
	}
	if last.y == 0 {
		return 1, nil
	}
	e := &NoSignChange{A: 0, B: 1, FA: s.sign * first.y, FB: s.sign * last.y, Searched: s.r.f.evals}
	nearest := first
	for _, p := range s.seen {
		if p.y < nearest.y {
			nearest = p
		}
	}
	e.X, e.FX = nearest.x, s.sign*nearest.y
	return math.NaN(), e
}
