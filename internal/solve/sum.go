package solve

import (
	"container/heap"
	"math"
)

// sums holds integrals over several cells, by component. The error is in two
// parts: what may be improved, and what may not.
type sums struct {
	value, lost []float64 // value+lost is the sum; lost is the roundoff in value
	abs         []float64
	err, stuck  []float64
	noise       []float64 // the part of both that roundoff in f explains
}

func (s *sums) all() [6]*[]float64 {
	return [...]*[]float64{&s.value, &s.lost, &s.abs, &s.err, &s.stuck, &s.noise}
}

// grow makes room for components that have appeared.
func (s *sums) grow(d int) {
	for _, v := range s.all() {
		if d > len(*v) {
			*v = append(*v, make([]float64, d-len(*v))...)
		}
	}
}

// reset makes all d components zero.
func (s *sums) reset(d int) {
	s.grow(d)
	for _, v := range s.all() {
		clear(*v)
	}
}

func (s *sums) add(c *cell) {
	for j, y := range c.value {
		add(&s.value[j], &s.lost[j], y)
		s.abs[j] += c.abs[j]
		s.noise[j] += at(c.noise, j)
		if c.improvable(j) {
			s.err[j] += c.err[j]
		} else {
			s.stuck[j] += c.err[j]
		}
	}
}

// addAll adds other sums.
func (s *sums) addAll(other *sums) {
	for j, y := range other.value {
		add(&s.value[j], &s.lost[j], y)
		s.lost[j] += other.lost[j]
		s.abs[j] += other.abs[j]
		s.err[j] += other.err[j]
		s.stuck[j] += other.stuck[j]
		s.noise[j] += other.noise[j]
	}
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

func (s *sums) uncertainty(j int) float64 { return s.err[j] + s.stuck[j] }

// tolerable is the uncertainty aimed at. Errors as small as the smallest
// doubles are always tolerable.
func (g *integrator) tolerable(j int) float64 {
	return g.o.Tolerance*g.total.abs[j] + 0x1p-1070
}

// rate computes the key of a cell.
func (g *integrator) rate(c *cell) {
	if len(c.value) > len(g.total.abs) {
		g.total.grow(len(c.value))
		g.due = 0
	}
	c.key, c.relative = 0, 0
	for j, err := range c.err {
		if key := err / g.tolerable(j); key > c.key && c.improvable(j) {
			c.key, c.relative = key, err/c.abs[j]
		}
	}
}

// sum recomputes the sums, and what depends on them. Running sums would keep
// the roundoff of large errors long since removed.
func (g *integrator) sum() {
	d := len(g.total.abs)
	g.total.reset(d)
	for _, t := range g.tails {
		for i := range t.panels {
			t.panels[i].reset(d)
		}
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
	tolerable := make([]float64, d)
	for j := range tolerable {
		tolerable[j] = g.tolerable(j)
		for _, t := range g.tails {
			for _, p := range t.panels {
				tolerable[j] += g.o.Tolerance * p.abs[j]
			}
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

// settled tells whether the sums are as good as they need be, or can be.
func (g *integrator) settled() bool {
	for j := range g.total.err {
		if !(g.total.err[j] <= math.Max(g.tolerable(j), g.total.stuck[j]/10)) {
			return false
		}
	}
	return true
}

// estimate hands on the sums. Estimates of errors fall short by a little now and
// then (one in some thousand, by a fifth, with singularities inside), so the
// uncertainty is stated with a margin.
func (g *integrator) estimate() Estimate {
	e := Estimate{Evals: g.evals}
	for j, y := range g.total.value {
		e.Values = append(e.Values, y+g.total.lost[j])
		e.Errors = append(e.Errors, 2*g.total.uncertainty(j))
		e.Sizes = append(e.Sizes, g.total.abs[j])
	}
	return e
}

// finish judges the sums.
func (g *integrator) finish() (Estimate, error) {
	for j, abs := range g.total.abs {
		if math.IsInf(abs, 0) {
			return g.noConvergence(Overflow, g.lo, j)
		}
		err := g.total.uncertainty(j)
		if err <= g.tolerable(j)+g.total.noise[j] || err <= acceptable*abs && !g.spiky(j) {
			continue
		}
		reason, place := g.blame(j)
		return g.noConvergence(reason, place, j)
	}
	return g.estimate(), nil
}

func (g *integrator) noConvergence(reason Reason, place float64, j int) (Estimate, error) {
	best := g.estimate()
	return best, &NoConvergence{Best: best, Reason: reason, At: place, Component: j}
}

// fail ends because of an error of an evaluation, with what is known by then.
func (g *integrator) fail(err error) (Estimate, error) {
	g.sum()
	if err != errBudget {
		return g.estimate(), err
	}
	if e, err := g.finish(); err == nil && len(g.tails) == 0 {
		return e, nil // not what was aimed at, but good
	}
	worst, place := 0, g.lo
	badness := func(j int) float64 { return g.total.uncertainty(j) / g.tolerable(j) }
	for j := range g.total.err {
		if badness(j) > badness(worst) {
			worst = j
		}
	}
	if len(g.total.err) > 0 {
		_, place = g.blame(worst)
	}
	return g.noConvergence(Budget, place, worst)
}

// spiky tells whether component j is so large in some cell that could not be
// halved that it looks like a singularity there, not like a jump.
func (g *integrator) spiky(j int) bool {
	for _, c := range g.given {
		if at(c.err, j) > g.tolerable(j) && g.singular(c, j) {
			return true
		}
	}
	return false
}

// singular tells this of one cell.
func (g *integrator) singular(c *cell, j int) bool {
	if c.stuck > 0 && c.displacement < fewDoubles {
		return false
	}
	lo, hi := c.ends()
	whole, length := g.total.abs[j], math.Min(g.hi-g.lo, math.Max(1, math.Abs(lo)))
	if c.tail != nil { // towards its end f may be large
		l, _ := c.tail.place(c.panel, 0)
		r, _ := c.tail.place(c.panel, 1)
		whole, length = at(c.tail.panels[c.panel].abs, j), math.Abs(r-l)
	}
	return c.abs[j]/math.Abs(hi-lo) > spike*whole/length
}

// blame finds what contributes most to the error of component j.
func (g *integrator) blame(j int) (Reason, float64) {
	reason, place, worst := Budget, g.lo, 0.0
	for _, cells := range [][]*cell{g.given, g.cells} {
		for _, c := range cells {
			if at(c.err, j) <= worst || c.tail != nil && c.panel >= c.tail.used {
				continue
			}
			worst, reason = c.err[j], Singular
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
		if at(t.restErr, j) > worst {
			worst, reason, place = t.restErr[j], SlowTail, t.limit()
			if !t.outward {
				reason = Singular
			}
		}
	}
	return reason, place
}
