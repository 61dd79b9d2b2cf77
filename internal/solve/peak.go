package solve

import (
	"math"
	"slices"
)

// peak climbs the triple of a local maximum. l and r are its sides.
func (s *summit) peak(t triple, l, r sample) (Optimum, error) {
	t, err := s.f.climb(t, indistinct*s.scale, func(t triple) bool { return t.reach() < s.top })
	if err != nil {
		return Optimum{}, err
	}
	if t.reach() < s.top {
		return s.optimum(t.m, t.fm, t.r-t.l), nil
	}
	if l.slope > 0 && r.slope < 0 {
		x, xError, err := s.stationary(l.x, r.x, l.slope, r.slope)
		if err != nil {
			return Optimum{}, err
		}
		y, err := s.value(x)
		if err != nil {
			return Optimum{}, err
		}
		if y >= t.fm-indistinct*s.scale {
			return s.optimum(x, math.Max(y, t.fm), xError), nil
		}
	}
	// Without a derivative the place is where f cannot be told from its
	// maximum.
	flat := &Tie{X: t.m, Other: t.m, Value: t.fm}
	if err := s.extent(flat); err != nil {
		return Optimum{}, err
	}
	o := s.optimum(flat.X+(flat.Other-flat.X)/2, t.fm, (flat.Other-flat.X)/2+ulp(t.m))
	if s.df == nil && o.End == 0 && o.XError > wide*(s.b-s.a) {
		o.XError = flat.Other - flat.X // highest calls it a plateau
	}
	return o, nil
}

// stationary finds where the derivative, positive at l and negative at r,
// changes its sign, and how uncertain that place is: as far as the signs on
// either side of it are not yet what they should be. A jump of the derivative
// is as good as a zero; a stretch of zeros is all uncertain.
func (s *summit) stationary(l, r, slopeL, slopeR float64) (x, xError float64, err error) {
	finder := &rootFinder{f: s.df}
	x, err = finder.between(l, slopeL, r, slopeR)
	switch e := err.(type) {
	case nil:
	case *Jump:
		return x, ulp(x), nil
	case *FlatZero:
		return middle(e.Lo, e.Hi, false), e.Hi - e.Lo, nil
	case *OutOfEvals:
		return 0, 0, errBudget
	default:
		return 0, 0, err
	}
	xError = 2 * ulp(x)
	for good := 0; good < 2 && xError < r-l; xError *= 4 {
		before, err := s.slopeWithin(x-xError, l, r)
		if err != nil {
			return 0, 0, err
		}
		after, err := s.slopeWithin(x+xError, l, r)
		if err != nil {
			return 0, 0, err
		}
		if good++; !(before > 0 && after < 0) {
			good = 0
		}
	}
	return x, xError / 4, nil
}

func (s *summit) slopeWithin(x, l, r float64) (float64, error) {
	return s.df.at(math.Max(l, math.Min(x, r)))
}

// plateau tells whether the samples that are as high as the top, as nearly as
// can be told, go on for more than a cell of the grid, with no slope to say
// otherwise.
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

// extent widens a stretch of places where f is as high as its Value, as nearly
// as can be told, to all of it.
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

// highest chooses the best of the peaks, if it is unique.
func (s *summit) highest(peaks []Optimum) (Optimum, error) {
	best := slices.MaxFunc(peaks, func(p, q Optimum) int { return byValue(sample{y: p.Value}, sample{y: q.Value}) })
	scale := math.Max(s.scale, math.Abs(best.Value))
	// Of the same peak found twice, the one with the more certain place.
	for _, p := range peaks {
		if p.Value >= best.Value-indistinct*scale && p.XError < best.XError && math.Abs(p.X-best.X) <= best.XError+p.XError {
			value := best.Value
			best = p
			best.Value = value
		}
	}
	if best.XError > wide*(s.b-s.a) {
		return best, &Tie{X: best.X - best.XError/2, Other: best.X + best.XError/2, Value: best.Value, OtherValue: best.Value, Plateau: true}
	}
	for _, p := range peaks {
		apart := same*(s.b-s.a) + best.XError + p.XError
		if math.Abs(p.X-best.X) > apart && p.Value >= best.Value-s.f.o.Tie*scale {
			return best, &Tie{X: best.X, Other: p.X, Value: best.Value, OtherValue: p.Value}
		}
	}
	return best, nil
}
