package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Ascent]. A high point early lets the search drop most pieces. From a point that is better
// than all others f is climbed on points: by steps of Newton's method where f is concave, and
// otherwise along the slopes, with a length that grows and shrinks. A coordinate at an end of the
// range that f rises towards stays there. Where the ascent ends a peak is tried to be proved. Nothing
// that must hold is concluded from the way.

const (
	climbSteps  = 60
	climbFinest = 0x1p-40 // the least length of a step, as a part of the range
)

// climb looks for a better point from m, and proves the peak where it ends.
func (p *peaksSearch) climb(m cuboid) error { return p.ascend(m, climbSteps) }

// ascend is climb with so many steps.
func (p *peaksSearch) ascend(m cuboid, steps int) error {
	c := p.c
	here, err := p.valueAt(m)
	if err != nil || math.IsNaN(here) {
		return err
	}
	length := 0x1p-3
	for range steps {
		_, g, err := c.gradient(p.f, c.consts(m))
		if err != nil {
			return err
		}
		if g == nil || !allKnown(g) {
			return nil
		}
		states := p.leans(m, g)
		some := free(states)
		if len(some) == 0 {
			return p.add(&peak{zone: zone{m, m}, states: states})
		}
		e := p.stationary(some)
		if near, err := e.approach(m); err != nil {
			return err
		} else if near != nil {
			y, err := p.valueAt(near)
			if err != nil {
				return err
			}
			if y >= here-0x1p-40*math.Abs(here) {
				return p.top(e, near, states)
			}
		}
		next, y, better := m, here, false
		for ; length > climbFinest && !better; length /= 4 {
			next = p.uphill(m, g, some, length)
			if y, err = p.valueAt(next); err != nil {
				return err
			}
			better = y > here
		}
		if !better {
			return nil
		}
		m, here = next, y
		length = min(16*length, 0x1p-2)
	}
	return nil
}

// valueAt is f at a point, near its middle; NaN if it is not known. It may be the best.
func (p *peaksSearch) valueAt(m cuboid) (float64, error) {
	ys, _, err := p.c.over(p.f, p.c.consts(m), 1)
	if err != nil || !ys[0].Known() {
		return math.NaN(), unlessUndecided(err)
	}
	p.improve(m, ys[0].Val())
	return p.c.N.Float64(ys[0].Val()), nil
}

// leans says which coordinates of a point are at ends that f rises towards.
func (p *peaksSearch) leans(m cuboid, g []jet.Jet) []coordinate {
	n := p.c.N
	states := make([]coordinate, len(m))
	for i := range m {
		slope := n.Float64(g[i].Val())
		switch low, high := p.touches(m, i); {
		case low && (slope < 0 || !n.Less(p.lo[i], p.hi[i])):
			states[i] = atLow
		case high && slope > 0:
			states[i] = atHigh
		default:
			states[i] = inner
		}
	}
	return states
}

// uphill is the point that a step along the slopes leads to, in units of the range.
func (p *peaksSearch) uphill(m cuboid, g []jet.Jet, some []int, length float64) cuboid {
	n := p.c.N
	steep := 0.0
	rise := make([]float64, len(m))
	for _, i := range some {
		width := n.Float64(p.hi[i]) - n.Float64(p.lo[i])
		rise[i] = n.Float64(g[i].Val()) * width
		steep = max(steep, math.Abs(rise[i]))
	}
	next := slices.Clone(m)
	for _, i := range some {
		width := n.Float64(p.hi[i]) - n.Float64(p.lo[i])
		step := length * width * rise[i] / steep
		if step == step && !math.IsInf(step, 0) {
			next[i] = p.clip(n.Mid(n.Add(m[i], n.Float(step))), i)
		}
	}
	return next
}

// top proves a peak around a point without slopes along the free coordinates.
func (p *peaksSearch) top(e *equations, m cuboid, states []coordinate) error {
	for _, k := range p.peaks {
		if slices.Equal(k.states, states) && p.c.withinBox(m, k.all) {
			return nil
		}
	}
	z, err := e.prove(m)
	if err != nil || z == nil {
		return err
	}
	return p.add(&peak{zone: *z, states: states, e: e})
}
