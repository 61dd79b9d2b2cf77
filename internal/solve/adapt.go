package solve

import (
	"container/heap"
	"math"
	"slices"
)

// integrator does globally adaptive quadrature. It improves the cell, or tail, with the worst
// error until the sum of the errors is tolerable.
type integrator struct {
	f      Func
	o      Options
	lo, hi float64 // f is evaluated strictly between
	least  float64 // width of the smallest cells in a range of x
	evals  int
	buffer samples

	cells cellHeap // the cells that may be improved
	given []*cell  // the cells that may not be improved
	tails []*tail

	total sums // recomputed when due counts down to 0
	due   int
}

func newIntegrator(f Func, lo, hi float64, o Options) *integrator {
	return &integrator{f: f, o: o.withDefaults(), lo: lo, hi: hi}
}

const (
	// acceptable is the greatest uncertainty, relative to ∫|f|, of a result that cannot be
	// improved and is still returned without an error.
	acceptable = 1e-8
	// smallest is how many doubles wide a cell must be to be halved.
	smallest = 64
	// spike is how far the mean of |f| over a cell that cannot be halved may exceed the mean over
	// the whole range before it counts as a singularity.
	spike = 10
	// endRun is the number of halvings towards the same place after which a cell becomes a tail.
	endRun = 4
)

// addRange adds the cells of a range of x. It always measures the halves too, because a single
// rule is too easily deceived.
func (g *integrator) addRange(lo, hi float64) error {
	g.least = (hi - lo) * 0x1p-60
	c := &cell{lo: lo, hi: hi, atLo: math.NaN(), atHi: math.NaN()}
	if err := g.measure(c); err != nil {
		return err
	}
	g.total.abs += c.abs // a first estimate of what is tolerable
	g.rate(c)
	if g.tooSmall(c) {
		g.cells = append(g.cells, c)
		return nil
	}
	if err := g.halve(c); err != nil {
		g.cells = append(g.cells, c)
		return err
	}
	return nil
}

// run improves until the result is good, or cannot be improved.
func (g *integrator) run() (Estimate, error) {
	for {
		if g.due <= 0 {
			g.sum()
			if g.settled() && g.confirmed() {
				return g.finish()
			}
		}
		g.due--
		var next *tail
		worst := 0.0
		if len(g.cells) > 0 {
			worst = g.cells[0].key
		}
		for _, t := range g.tails {
			if t.restKey > worst {
				next, worst = t, t.restKey
			}
		}
		var err error
		switch {
		case worst == 0:
			g.sum()
			if g.confirmed() {
				return g.finish()
			}
		case next != nil:
			err = g.extend(next)
			g.due = 0
		default:
			c := heap.Pop(&g.cells).(*cell)
			if err = g.improve(c); err != nil {
				heap.Push(&g.cells, c) // the result known so far is still good
			}
		}
		if err != nil {
			return g.fail(err)
		}
	}
}

// measure evaluates f over a cell.
func (g *integrator) measure(c *cell) error {
	for i := range nodes {
		x, weight := c.node(i)
		y, err := g.at(g.inside(x))
		if err != nil {
			return err
		}
		g.buffer[i] = y * weight
	}
	lo, hi := c.ends()
	c.displacement = ulp(math.Max(math.Abs(lo), math.Abs(hi))) / math.Abs(hi-lo)
	g.buffer.apply(c)
	return nil
}

// inside moves a point off an end of the range, if rounding put it there.
func (g *integrator) inside(x float64) float64 {
	if x <= g.lo {
		x = math.Nextafter(g.lo, g.hi)
	}
	if x >= g.hi {
		x = math.Nextafter(g.hi, g.lo)
	}
	return x
}

// at evaluates f and checks its value.
func (g *integrator) at(x float64) (float64, error) {
	if g.evals >= g.o.MaxEvals {
		return 0, errBudget
	}
	g.evals++
	y, err := g.f(x)
	if err == nil && (math.IsNaN(y) || math.IsInf(y, 0)) {
		err = &BadValue{X: x, Value: y}
	}
	return y, err
}

// improve replaces a cell by something better: its halves, or a tail.
func (g *integrator) improve(c *cell) error {
	if c.tail == nil {
		// Only at an end of the range. At the ends of other cells f is known and finite, so an
		// apparent singularity is in truth somewhere nearby.
		if c.runLo >= endRun && c.lo == g.lo {
			return g.toTail(c, endTail(c.lo, +1, c.width()))
		}
		if c.runHi >= endRun && c.hi == g.hi {
			return g.toTail(c, endTail(c.hi, -1, c.width()))
		}
	}
	if g.tooSmall(c) {
		return g.giveUp(c)
	}
	return g.halve(c)
}

// tooSmall reports whether a cell must not be halved: it has too few doubles, or it is so small a
// part of the whole that only a singularity can still matter.
func (g *integrator) tooSmall(c *cell) bool {
	lo, hi := c.ends()
	return math.Abs(hi-lo) < smallest*ulp(math.Max(math.Abs(lo), math.Abs(hi))) ||
		c.tail == nil && c.width() < g.least || c.tail != nil && c.width() < 0x1p-40
}

func (g *integrator) giveUp(c *cell) error {
	c.given, c.key = true, 0
	c.err *= 2 // nothing will confirm it
	if g.singular(c) {
		c.err = math.Max(c.err, 2*c.abs) // the rules cannot see what is in it
	}
	g.given = append(g.given, c)
	return nil
}

// toTail replaces a cell by a tail, unless doubles are too sparse there.
func (g *integrator) toTail(c *cell, t *tail) error {
	if t.most < t.fewest {
		c.runLo, c.runHi = 0, 0
		heap.Push(&g.cells, c)
		return nil
	}
	for len(t.panels) < t.fewest {
		if err := g.extend(t); err != nil {
			g.drop(t, 0)
			return err
		}
	}
	g.tails = append(g.tails, t)
	g.due = 0
	return nil
}

// extend adds a panel to a tail.
func (g *integrator) extend(t *tail) error {
	n := len(t.panels)
	var p sums
	atLo, err := g.end(t, n, 0)
	for i := 0; i < t.parts && err == nil; i++ {
		c := &cell{tail: t, panel: n, lo: float64(i) / float64(t.parts), hi: float64(i+1) / float64(
			t.parts), atLo: atLo}
		if c.atHi, err = g.end(t, n, c.hi); err != nil {
			break
		}
		if err = g.measure(c); err != nil {
			break
		}
		atLo = c.atHi
		g.rate(c)
		heap.Push(&g.cells, c)
		p.add(c)
	}
	if err != nil {
		g.drop(t, n)
		return err
	}
	t.panels = append(t.panels, p)
	t.watch()
	return nil
}

// end evaluates f at an end of a cell of a tail.
func (g *integrator) end(t *tail, panel int, w float64) (float64, error) {
	x, weight := t.place(panel, w)
	y, err := g.at(g.inside(x))
	return y * weight, err
}

// drop removes the cells of the panels of a tail, from the given one on.
func (g *integrator) drop(t *tail, panel int) {
	g.cells = slices.DeleteFunc(g.cells, func(c *cell) bool {
		return c.tail == t && c.panel >= panel
	})
	heap.Init(&g.cells)
}

// halve replaces a cell by its halves, and compares them with the whole.
func (g *integrator) halve(c *cell) error {
	middle := c.lo + c.width()/2
	left, right := *c, *c
	left.hi, right.lo = middle, middle
	left.atHi, right.atLo = c.middle, c.middle
	left.runHi, right.runLo = 0, 0
	for _, half := range []*cell{&left, &right} {
		if err := g.measure(half); err != nil {
			return err
		}
	}
	doubt(c, &left, &right)
	g.rate(&left)
	g.rate(&right)
	g.compare(c, &left, &right)
	for _, half := range []*cell{&left, &right} {
		if half.stuck >= hopeless || half.stuck >= hopelessNearRoundoff &&
			half.relative <= roundoff(half) {
			g.giveUp(half)
		} else {
			heap.Push(&g.cells, half)
		}
	}
	return nil
}

// doubt raises the error of the worse half (of both, if they are alike) by the difference between
// the sum of the halves and the whole. If f is singular, this difference shows how wrong the
// halves still are, while the two rules may agree on one half by accident. Halving divides the
// error by 2^(p+1) near |x-k|^p, so the remaining error is the change divided by 2^(p+1) - 1, and
// eight times the change is ample down to p = -0.67. (If f is smooth, the change is far less than
// the error.)
func doubt(c, left, right *cell) {
	change := math.Abs(c.value - left.value - right.value)
	l, r := left.err, right.err
	if l >= r/8 {
		left.err = math.Max(l, 8*change)
	}
	if r >= l/8 {
		right.err = math.Max(r, 8*change)
	}
}

// Note [Noise]: if the error is just roundoff in the values of f, halving does not help, and both
// halves are equally bad. A singularity or a jump is in only one half. An oscillation that is not
// resolved yet also looks like noise for some generations. But its error is large compared with
// ∫|f|, unless the oscillation is small. So errors much larger than roundoff need more
// generations before they count as noise.
const (
	noise                = 1e-7 // relative to ∫|f| over the cell, at most
	hopeless             = 5    // generations
	hopelessNearRoundoff = 2
)

// roundoff returns the error, relative to ∫|f| over the cell, that roundoff in f or in the place
// of the nodes easily explains.
func roundoff(c *cell) float64 { return math.Max(1e-11, 64*c.displacement) }

// compare records what the halves of a cell show about where the trouble is.
func (g *integrator) compare(c, left, right *cell) {
	stuck := 0
	if left.key+right.key >= c.key/8 && math.Min(left.key, right.key) >= c.key/64 &&
		math.Max(left.relative, right.relative) <= math.Max(noise, roundoff(left)) {
		stuck = c.stuck + 1
	}
	left.stuck, right.stuck = stuck, stuck
	left.runLo++
	right.runHi++
	if left.key < 8*right.key {
		left.runLo = 0
	}
	if right.key < 8*left.key {
		right.runHi = 0
	}
}

// cellHeap has the cell with the largest key on top.
type cellHeap []*cell

func (h cellHeap) Len() int           { return len(h) }
func (h cellHeap) Less(i, j int) bool { return h[i].key > h[j].key }
func (h cellHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *cellHeap) Push(c any)        { *h = append(*h, c.(*cell)) }
func (h *cellHeap) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return c
}
