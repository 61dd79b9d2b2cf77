package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Leaning optima]. Where several places are equally high and the variables lean (Note
// [Leaning]), the maximum for small steps along the direction is that of the places which rise most
// steeply along it: Danskin's theorem says that the slope of the maximum is the largest slope over
// the maximisers. Its first derivatives are those of f at the maximisers whose slope is largest. So
//
//	maxOver (-1) 1 (fun x => c * x)
//
// is c beside c = 0 where c grows, and -c where it falls. A place is known to be a maximiser if the
// value there is at least the upper bound of the maximum. Candidates that rise less than such a place
// are dropped, and the others halved, until the hull of their derivatives is narrow.

// mostLeaning and leaningTurns bound the candidates, and how often they are halved.
const (
	mostLeaning  = 64
	leaningTurns = 64
)

// leaned is the maximum, whose value lies in y, with its first derivatives on the side to which the
// variables lean; false if they are not found. The candidates are the cells, the ends and
// the summits.
func (s *maximiserSearch) leaned(y jet.Set) (m jet.Jet, ok bool, err error) {
	c, n := s.c, s.c.N
	_, top := n.Ends(y)
	rise := func(x jet.Jet) (lo, hi float64, known bool) {
		if !x.Known() {
			return 0, 0, false
		}
		along := c.Coeff(c.Upto(x, 1), 1, 1)
		if !along.Known() {
			return 0, 0, false
		}
		if lo, hi = n.Ends(along.Val()); c.lean < 0 {
			lo, hi = -hi, -lo
		}
		return lo, hi, true
	}
	narrow := func(x jet.Jet) bool {
		return x.Known() && !c.tol.Less(c.Width(c.degreesOf(x, 0, 1)))
	}
	var fixed []jet.Jet
	cells := slices.Clone(s.cells)
	if s.clusters != nil {
		cells = nil
	}
	for _, k := range s.clusters {
		if k.top != nil {
			x, err := s.atSummit(k.top, n.Whole(), 1)
			if err != nil {
				return m, false, err
			}
			if narrow(x) {
				fixed = append(fixed, x)
				continue
			}
		}
		cells = append(cells, k.cells...)
	}
	for end, alone := range s.alone {
		if alone {
			v, err := c.expand(s.of, s.ends[end], 0)
			if err != nil {
				return m, false, err
			}
			fixed = append(fixed, v.y)
		}
	}
	steepest, some := 0.0, false // the slope of some maximiser, at least
	prove := func(x jet.Jet) {
		if lo, _, known := rise(x); known {
			if low, _ := n.Ends(x.Val()); low >= top && (!some || lo > steepest) {
				steepest, some = lo, true
			}
		}
	}
	loses := func(x jet.Jet) bool {
		_, hi, known := rise(x)
		return known && (some && hi < steepest || n.Less(x.Val(), s.best))
	}
	for range leaningTurns {
		for i := range cells {
			if err := s.differentiate(&cells[i]); err != nil {
				return m, false, err
			}
			for _, at := range []jet.Set{cells[i].lo, cells[i].hi} {
				v, err := c.expand(s.f, c.Const(at), 0)
				if err != nil {
					return m, false, err
				}
				prove(v.y)
			}
		}
		for _, x := range fixed {
			prove(x)
		}
		fixed = slices.DeleteFunc(fixed, loses)
		cells = slices.DeleteFunc(cells, func(x candidate) bool { return loses(x.jet) })
		all := slices.Clone(fixed)
		for _, x := range cells {
			all = append(all, x.jet)
		}
		if len(all) == 0 || !some || len(cells) > mostLeaning {
			return m, false, nil
		}
		m = all[0]
		for _, x := range all[1:] {
			m = c.Hull(m, x)
		}
		if narrow(m) {
			return m.WithVal(y), true, nil
		}
		var halves []candidate
		for _, x := range cells {
			middle := n.Mid(n.Span(x.lo, x.hi))
			if !n.Less(x.lo, middle) || !n.Less(middle, x.hi) {
				return m, false, nil
			}
			halves = append(halves, candidate{lo: x.lo, hi: middle, degree: x.degree},
				candidate{lo: middle, hi: x.hi, degree: x.degree})
		}
		cells = halves
	}
	return m, false, nil
}
