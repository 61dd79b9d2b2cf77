package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// rivals are two parts of a range, each of which may hold the maximisers, with none in between:
// Note [Thresholds]. In
//
//	integral01 (fun x => argmax01 (fun y => (x - c) * y))
//
// they are the ends of the range of y, and the integral locates x = c, where the maximiser jumps.
type rivals struct {
	met   bool    // otherwise the rest means nothing
	p, q  float64 // L is up to p, R is from q on; -∞ and ∞: L and R are the ends of the range only
	slope bool    // they are an end and a summit next to it instead, which
	end   int     // is the lower or the upper one
}

// watched records the difference of rivals, if that is what the frame asks for.
func (d *domain) watched(at diag.Span) (bool, error) {
	of, ok := d.c.asked(d.number)
	if !ok || !of.rivals.met {
		return false, nil
	}
	h, err := d.lead(at, of.rivals)
	d.c.answer(at, h)
	return true, err
}

// lead is the maximum over L less that over R.
func (d *domain) lead(at diag.Span, r rivals) (jet.Jet, error) {
	c := d.c
	if r.slope {
		at := []jet.Set{d.lo, d.hi}[r.end]
		v, err := c.expand(d.f, c.Const(at), 1)
		return c.coeff(v, 1), err
	}
	max := func(end int, bound float64) (jet.Jet, error) {
		part := domain{c: c, lo: d.lo, hi: d.hi, f: d.f, of: d.f, number: -1}
		part.ends = [2]jet.Jet{c.Const(d.lo), c.Const(d.hi)}
		if math.IsInf(bound, 0) {
			v, err := c.expand(d.of, d.ends[end], 0)
			return v.y, err
		}
		if end == 0 {
			part.hi, part.ends[1] = c.N.Float(bound), c.Float(bound)
		} else {
			part.lo, part.ends[0] = c.N.Float(bound), c.Float(bound)
		}
		y, _, err := c.observe(func(jet.Jet) (jet.Jet, error) { return part.maximum(at) }, c.Zero(), nil, -1)
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
func (s *maximiserSearch) concede(whole *candidate) {
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
func (s *maximiserSearch) contend(at diag.Span) error {
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
		c.meet(decision{met: true, site: site, at: at, diff: h})
	}
	return err
}

// leaving is an end of the range and the summit next to it, if the only cluster is there.
func (s *maximiserSearch) leaving() (r rivals) {
	for end := range s.ends {
		if len(s.cells) > 0 && s.cells[(len(s.cells)-1)*end].ends[end] && !s.lost[end] {
			return rivals{met: true, slope: true, end: end}
		}
	}
	return r
}
