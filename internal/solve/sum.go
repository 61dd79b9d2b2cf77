package solve

import (
	"container/heap"
	"math"
)

// sums holds integrals over several cells. The error has two parts: what may be improved, and
// what may not.
type sums struct {
	value, lost float64 // value+lost is the sum; lost is the roundoff in value
	abs         float64
	err, stuck  float64
}

func (s *sums) add(c *cell) {
	add(&s.value, &s.lost, c.value)
	s.abs += c.abs
	if c.improvable() {
		s.err += c.err
	} else {
		s.stuck += c.err
	}
}

// addAll adds other sums.
func (s *sums) addAll(other *sums) {
	add(&s.value, &s.lost, other.value)
	s.lost += other.lost
	s.abs += other.abs
	s.err += other.err
	s.stuck += other.stuck
}

// add adds y to *sum, and the roundoff of doing so to *lost (Neumaier).
func add(sum, lost *float64, y float64) {
	s := *sum + y
	if math.Abs(*sum) >= math.Abs(y) {
		*lost += *sum - s + y
	} else {
		*lost += y - s + *sum
	}
	*sum = s
}

func (s *sums) uncertainty() float64 { return s.err + s.stuck }

// tolerable returns the uncertainty aimed at. Errors as small as the smallest
// doubles are always tolerable.
func (g *integrator) tolerable() float64 { return g.o.Tolerance*g.total.abs + 0x1p-1070 }

// rate computes the key of a cell.
func (g *integrator) rate(c *cell) {
	c.key, c.relative = 0, 0
	if key := c.err / g.tolerable(); key > 0 && c.improvable() {
		c.key, c.relative = key, c.err/c.abs
	}
}

// sum recomputes the sums, and what depends on them. Running sums would keep the roundoff of
// large errors that were removed long ago.
func (g *integrator) sum() {
	g.total = sums{}
	for _, t := range g.tails {
		clear(t.panels)
	}
	for _, cells := range [][]*cell{g.cells, g.given} {
		for _, c := range cells {
			if c.tail != nil {
				c.tail.panels[c.panel].add(c)
			} else {
				g.total.add(c)
			}
		}
	}
	tolerable := g.tolerable()
	for _, t := range g.tails {
		for _, p := range t.panels {
			tolerable += g.o.Tolerance * p.abs
		}
	}
	for _, t := range g.tails {
		t.settle(tolerable)
		g.total.addAll(&t.total)
	}
	for _, c := range g.cells {
		g.rate(c)
		if c.tail != nil && c.tail.ended && c.panel >= c.tail.used {
			c.key = 0
		}
	}
	heap.Init(&g.cells)
	g.due = len(g.cells) / 8
}

// settled reports whether the sums are as good as required, or as possible.
func (g *integrator) settled() bool {
	return g.total.err <= math.Max(g.tolerable(), g.total.stuck/10)
}

// estimate returns the sums. Error estimates are now and then a little too small (one in some
// thousand, by a fifth, with singularities inside), so the uncertainty is stated with a margin.
func (g *integrator) estimate() Estimate {
	t := &g.total
	return Estimate{t.value + t.lost, 2 * t.uncertainty(), t.abs, g.evals}
}

// finish returns the sums, or an error if they are not good enough.
func (g *integrator) finish() (Estimate, error) {
	abs, err := g.total.abs, g.total.uncertainty()
	if math.IsInf(abs, 0) {
		return g.noConvergence(Overflow, g.lo)
	}
	if err <= g.tolerable() || err <= acceptable*abs && !g.spiky() {
		return g.estimate(), nil
	}
	return g.noConvergence(g.blame())
}

func (g *integrator) noConvergence(reason Reason, place float64) (Estimate, error) {
	best := g.estimate()
	return best, &NoConvergence{Best: best, Reason: reason, At: place}
}

// fail ends the integration because an evaluation failed. It returns what is known so far.
func (g *integrator) fail(err error) (Estimate, error) {
	g.sum()
	if err != errBudget {
		return g.estimate(), err
	}
	if e, err := g.finish(); err == nil && len(g.tails) == 0 {
		return e, nil // not as good as aimed at, but good
	}
	_, place := g.blame()
	return g.noConvergence(Budget, place)
}

// spiky reports whether f is so large in some cell that could not be
// halved that it looks like a singularity there, not like a jump.
func (g *integrator) spiky() bool {
	for _, c := range g.given {
		if c.err > g.tolerable() && g.singular(c) {
			return true
		}
	}
	return false
}

// singular reports whether one cell looks like a singularity.
func (g *integrator) singular(c *cell) bool {
	if c.stuck > 0 && c.displacement < fewDoubles {
		return false
	}
	lo, hi := c.ends()
	whole, length := g.total.abs, math.Min(g.hi-g.lo, math.Max(1, math.Abs(lo)))
	if c.tail != nil { // towards its end f may be large
		l, _ := c.tail.place(c.panel, 0)
		r, _ := c.tail.place(c.panel, 1)
		whole, length = c.tail.panels[c.panel].abs, math.Abs(r-l)
	}
	return c.abs/math.Abs(hi-lo) > spike*whole/length
}

// blame returns what contributes most to the error, and where it is.
func (g *integrator) blame() (Reason, float64) {
	reason, place, worst := Budget, g.lo, 0.0
	for _, cells := range [][]*cell{g.given, g.cells} {
		for _, c := range cells {
			if c.err <= worst || c.tail != nil && c.panel >= c.tail.used {
				continue
			}
			worst, reason = c.err, Singular
			if c.stuck > 0 {
				reason = Noisy
			}
			place = c.lo + c.width()/2
			if c.tail != nil {
				place, _ = c.tail.place(c.panel, place)
			}
		}
	}
	for _, t := range g.tails {
		if t.restErr > worst {
			worst, reason, place = t.restErr, SlowTail, t.limit()
			if !t.outward {
				reason = Singular
			}
		}
	}
	return reason, place
}
