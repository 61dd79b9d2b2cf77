package solve

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// candidate is a local maximum, or a plateau if flat is not nil.
type candidate struct {
	Optimum
	flat *Tie
}

// peak climbs the triple of a local maximum. l and r are its sides.
func (s *summit) peak(t triple, l, r sample) (candidate, error) {
	t, err := s.f.climb(t, func(t triple) bool { return t.reach() < s.top })
	if err != nil {
		return candidate{}, err
	}
	if t.reach() < s.top {
		return candidate{Optimum: s.optimum(t.m, t.fm, t.r-t.l)}, nil
	}
	if l.slope > 0 && r.slope < 0 {
		c, err := s.stationary(l, r)
		if err != nil || c.Value >= t.fm-indistinct*s.scale {
			c.Value = math.Max(c.Value, t.fm)
			return c, err
		}
	}
	return s.summitAround(t.m, t.fm)
}

// summitAround describes a maximum known only by values. Its place is the range where f cannot be
// distinguished from its maximum. The middle of that is the best guess, unless x stands out.
func (s *summit) summitAround(x, y float64) (candidate, error) {
	flat := &Tie{X: x, Other: x, Value: y, OtherValue: y, Plateau: true}
	if err := s.extent(flat); err != nil {
		return candidate{}, err
	}
	if m := flat.X + (flat.Other-flat.X)/2; m != x {
		ym, err := s.value(m)
		if err != nil {
			return candidate{}, err
		}
		if ym >= y-indistinct*math.Abs(y) {
			x, y = m, math.Max(y, ym)
		}
	}
	c := candidate{Optimum: s.optimum(x, y, math.Max(flat.Other-x, x-flat.X)+ulp(x))}
	if flat.Other-flat.X > wide*(s.b-s.a) {
		c.flat = flat
	}
	return c, nil
}

// stationary finds where the derivative, positive at l and negative at r, changes its sign. The
// place is uncertain as far as the signs on either side of it are not yet what they should be. A
// jump of the derivative counts as a zero; a stretch of zeros is a plateau.
func (s *summit) stationary(l, r sample) (candidate, error) {
	finder := &rootFinder{f: s.df}
	x, err := finder.between(l.x, l.slope, r.x, r.slope)
	var flat *FlatZero
	var jump *Jump
	switch {
	case errors.As(err, &flat):
		x = middle(flat.Lo, flat.Hi, false)
		y, err := s.value(x)
		tie := &Tie{X: flat.Lo, Other: flat.Hi, Value: y, OtherValue: y, Plateau: true}
		return candidate{s.optimum(x, y, (flat.Hi-flat.Lo)/2), tie}, err
	case errors.As(err, &jump):
		lo, err := s.value(jump.Lo)
		if err != nil {
			return candidate{}, err
		}
		hi, err := s.value(jump.Hi)
		x, y := jump.Lo, lo
		if hi > lo {
			x, y = jump.Hi, hi
		}
		return candidate{Optimum: s.optimum(x, y, ulp(x))}, err
	case errors.As(err, new(*OutOfEvals)):
		return candidate{}, errBudget
	case err != nil:
		return candidate{}, err
	}
	y, err := s.value(x)
	if err != nil {
		return candidate{}, err
	}
	xError := 2 * ulp(x)
	for good := 0; good < 2 && xError < r.x-l.x; xError *= 4 {
		before, err := s.slopeWithin(x-xError, l.x, r.x)
		if err != nil {
			return candidate{}, err
		}
		after, err := s.slopeWithin(x+xError, l.x, r.x)
		if err != nil {
			return candidate{}, err
		}
		if good++; !(before > 0 && after < 0) {
			good = 0
		}
	}
	return candidate{Optimum: s.optimum(x, y, xError/4)}, nil
}

func (s *summit) slopeWithin(x, l, r float64) (float64, error) {
	return s.df.at(math.Max(l, math.Min(x, r)))
}

// plateau returns a plateau if the samples that are as high as the top, as nearly as can be told,
// extend over more than a cell of the grid, and no slope contradicts. Otherwise it returns nil.
func (s *summit) plateau() *Tie {
	high := func(p sample) bool { return p.y >= s.top-indistinct*s.scale }
	for i := 0; i < len(s.seen); i++ {
		first := i
		for i < len(s.seen) && high(s.seen[i]) {
			i++
		}
		if i-first < 2 {
			continue
		}
		l, r := s.seen[first], s.seen[i-1]
		if r.x-l.x > 1.5*(s.b-s.a)/grid && !(l.slope > 0 || r.slope < 0) {
			return &Tie{X: l.x, Other: r.x, Value: s.top, OtherValue: s.top, Plateau: true}
		}
	}
	return nil
}

// extent widens a stretch of places where f is as high as its Value, as nearly as can be told, to
// the whole stretch.
func (s *summit) extent(flat *Tie) error {
	high := func(x float64) (bool, error) {
		y, err := s.value(x)
		return y >= flat.Value-indistinct*s.scale, err
	}
	widen := func(from, end float64) (float64, error) {
		in, step := from, (end-from)*0x1p-30
		out := math.NaN()
		for in != end && math.IsNaN(out) { // gallop
			x := in + step
			if step *= 2; math.Abs(x-from) >= math.Abs(end-from) {
				x = end
			}
			if x == in {
				continue
			}
			ok, err := high(x)
			if err != nil {
				return in, err
			}
			if ok {
				in = x
			} else {
				out = x
			}
		}
		for !math.IsNaN(out) && math.Abs(out-in) > 1e-3*math.Abs(out-from) { // bisect
			x := middle(math.Min(in, out), math.Max(in, out), false)
			if x == in || x == out {
				break
			}
			ok, err := high(x)
			if err != nil {
				return in, err
			}
			if ok {
				in = x
			} else {
				out = x
			}
		}
		return in, nil
	}
	var err error
	if flat.X, err = widen(flat.X, s.a); err != nil {
		return err
	}
	flat.Other, err = widen(flat.Other, s.b)
	return err
}

// highest returns the best of the peaks, if it is unique.
func (s *summit) highest(peaks []candidate) (Optimum, error) {
	best := slices.MaxFunc(peaks, func(p, q candidate) int { return cmp.Compare(p.Value, q.Value) })
	scale := math.Max(s.scale, math.Abs(best.Value))
	// If the same peak was found twice, take the one with the more certain place.
	for _, p := range peaks {
		if p.Value >= best.Value-indistinct*scale && p.XError < best.XError &&
			math.Abs(p.X-best.X) <= best.XError+p.XError {
			p.Value = best.Value
			best = p
		}
	}
	if best.flat != nil {
		return best.Optimum, best.flat
	}
	apart := func(p, q Optimum) bool { return math.Abs(p.X-q.X) > same*(s.b-s.a)+p.XError+q.XError }
	for _, p := range peaks {
		if apart(p.Optimum, best.Optimum) && p.Value >= best.Value-s.f.o.Tie*scale {
			return best.Optimum, &Tie{X: best.X, Other: p.X, Value: best.Value, OtherValue: p.Value}
		}
	}
	return best.Optimum, nil
}
