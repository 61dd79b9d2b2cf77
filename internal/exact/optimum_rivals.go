package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Rivals]
//
// Problem: the place of an optimum jumps where two summits are equally high. In
//
//	integral01 (fun x => argmax01 (fun y => (x - c) * y))
//
// the integrand is 0 for x < c and 1 for x > c. On a cell around x = c both ends of the range of y
// are candidates. The optimum decides between them, but that is not a decision of the frame of the
// integrand, so that the integral cannot locate it (Note [Crossings]). A maximum does not jump
// there, but has a kink.
//
// Idea: as in Note [Entries] the search reports a difference as a site of the frame around it. If
// no maximiser lies in the gap between p and q, let L be the range up to p and R the range from q
// on, and
//
//	h(x) = max over L of f(x, ·) - max over R of f(x, ·)
//
// This is a function of what f captures whether or not maximisers lie in the gap, and it means the
// same in all evaluations of the frame, for p and q are a part of the threshold. The integral
// locates its zero and forces its sign. Where h > 0 no maximiser lies in R, and the search leaves R
// out; where h < 0 it leaves out L. If only an end of the range is a candidate on one side, L or R
// is that point.
//
// The cells next to the zero of h, and the strips around it, need the smooth extension of f beyond
// it. This is the maximum over the rest of the range, and so what is left out has no part in the
// best point either.
//
// A summit may also leave the range at an end, as that of -(y - x)^2 does at x = 0. If f is concave
// next to that end the end and the summit are rivals, and the slope of f at the end decides: it is
// the difference. Where it points outward the end is the only maximiser around, and where it points
// inward the summit is.

// rivals are two parts of a range, each of which may hold the maximisers.
type rivals struct {
	met   bool    // otherwise the rest means nothing
	p, q  float64 // L is up to p, R is from q on; -∞ and ∞: L and R are the ends of the range only
	slope bool    // they are an end and a summit next to it instead, which
	end   int     // is the lower or the upper one
}

// watched records the difference of rivals, if that is what the frame asks for.
func (d *domain[T]) watched(at diag.Span) (bool, error) {
	c := d.c
	if c.frame.watch < firstThreshold {
		return false, nil
	}
	of := c.thresholds.of[c.frame.watch-firstThreshold]
	if of.search != d.number || !of.rivals.met {
		return false, nil
	}
	h, err := d.lead(at, of.rivals)
	c.frame.watched = decision[T]{met: true, site: c.frame.watch, at: at, diff: h}
	return true, err
}

// lead is the maximum over L less that over R.
func (d *domain[T]) lead(at diag.Span, r rivals) (jet.Jet[T], error) {
	c := d.c
	if r.slope {
		at := []T{d.lo, d.hi}[r.end]
		v, err := c.expand(d.f, c.Const(at), 1)
		return c.coeff(v, 1), err
	}
	max := func(end int, bound float64) (jet.Jet[T], error) {
		part := domain[T]{c: c, lo: d.lo, hi: d.hi, f: d.f, of: d.f, number: -1}
		part.ends = [2]jet.Jet[T]{c.Const(d.lo), c.Const(d.hi)}
		if math.IsInf(bound, 0) {
			v, err := c.expand(d.of, d.ends[end], 0)
			return v.y, err
		}
		if end == 0 {
			part.hi, part.ends[1] = c.N.Float(bound), c.Float(bound)
		} else {
			part.lo, part.ends[0] = c.N.Float(bound), c.Float(bound)
		}
		y, _, err := c.observe(func(jet.Jet[T]) (jet.Jet[T], error) { return part.maximum(at) }, c.Zero(), nil, -1)
		return y, err
	}
	left, err := max(0, r.p)
	if err != nil || !left.Known() {
		return c.Unknown(), err
	}
	right, err := max(1, r.q)
	if err != nil || !right.Known() {
		return c.Unknown(), err
	}
	return c.Sub(left, right), nil
}

// concede leaves out the parts of the range that the frame knows to have lost.
func (s *maximiserSearch[T]) concede(whole *candidate[T]) {
	c := s.c
	for _, known := range c.frame.forced {
		if known.site < firstThreshold || s.number < 0 {
			continue
		}
		of := c.thresholds.of[known.site-firstThreshold]
		if of.search != s.number || !of.rivals.met {
			continue
		}
		if r := of.rivals; r.slope {
			outward := 2*r.end - 1
			s.out[r.end], s.lost[r.end] = known.side == outward, known.side != outward
			continue
		}
		if known.side > 0 {
			s.lost[1] = true
			if hi := c.N.Float(of.rivals.q); !math.IsInf(of.rivals.q, 0) && c.N.Less(hi, whole.hi) {
				whole.hi, whole.ends[1] = hi, false
			}
		} else {
			s.lost[0] = true
			if lo := c.N.Float(of.rivals.p); !math.IsInf(of.rivals.p, 0) && c.N.Less(whole.lo, lo) {
				whole.lo, whole.ends[0] = lo, false
			}
		}
	}
}

// contend reports the first two rivals to the frame around the search, if that is of an integral.
func (s *maximiserSearch[T]) contend(at diag.Span) error {
	c, n := s.c, s.c.N
	last := len(c.ranging) - 1
	if s.number < 0 || last < 0 || !c.ranging[last] || jet.Tag(last+1) < c.Floor || c.frame.edge.met {
		return nil
	}
	r := rivals{p: math.Inf(-1), q: math.Inf(1)}
	clusters := s.gather()
	if s.alone[0] {
		r.met = len(clusters) > 0 || s.alone[1]
	} else if len(clusters) > 0 {
		_, r.p = n.Ends(n.Upper(clusters[0].x))
		clusters = clusters[1:]
		r.met = len(clusters) > 0 || s.alone[1]
	}
	if len(clusters) > 0 {
		r.q, _ = n.Ends(n.Lower(clusters[0].x))
	}
	if !r.met {
		if r = s.leaving(); !r.met {
			return nil
		}
	} else if len(clusters) > mostSummits || !(r.p <= r.q) {
		return nil
	}
	h, err := s.lead(at, r)
	if err == nil && h.Known() {
		site := c.thresholds.number(threshold{search: s.number, rivals: r})
		c.meet(decision[T]{met: true, site: site, at: at, diff: h})
	}
	return err
}

// leaving is an end of the range and the summit next to it, if the only cluster is there.
func (s *maximiserSearch[T]) leaving() (r rivals) {
	for end := range s.ends {
		if len(s.cells) > 0 && s.cells[(len(s.cells)-1)*end].ends[end] && !s.lost[end] {
			return rivals{met: true, slope: true, end: end}
		}
	}
	return r
}
