package fit

import (
	"context"
	"math"
	"slices"
)

// Note [NUTS]. The no-U-turn sampler (Hoffman and Gelman 2014) with multinomial choice along the
// trajectory (Betancourt 2017), as in Stan. A trajectory of leapfrog steps is doubled, forwards
// or backwards, until its ends approach each other. The next draw is chosen among its points,
// with probabilities proportional to their densities. The first part of a chain is warm-up and is
// thrown away. During it, dual averaging adapts the step size to a mean acceptance of 0.8, and
// the metric, which is diagonal, becomes the inverse of the variances of the draws, in windows of
// doubling length.
//
// The sampled density is that of the coordinates: exp (-F) times the derivatives of the
// parameters by their coordinates.

// chain is a Markov chain. Its exported fields are its whole state.
type chain struct {
	Random     *generator
	U          []float64
	Step       float64 // the step size of the leapfrog
	Metric     []float64
	Average    dualAverage
	Window     window
	Iteration  int
	Draws      [][]float64 // natural parameters of the draws after warm-up
	Densities  []float64   // logarithms of their densities
	Divergent  int
	Deep       int // how many trajectories reached the greatest length
	Leaps      int
	Acceptance float64 // the sum of the mean acceptances of all draws
	// evaluations of the model, including Leaps
	Evaluations int

	space *space `saved:"no"`
}

const (
	mostDoublings = 10
	target        = 0.8  // the mean acceptance to adapt to
	divergence    = 1000 // the energy error from which on a trajectory diverges
)

// dualAverage is the state of Nesterov's dual averaging of the logarithm of the step size.
type dualAverage struct {
	Center, Error, Mean float64
	Count               int
}

func (a *dualAverage) restart(step float64) { *a = dualAverage{Center: math.Log(10 * step)} }

func (a *dualAverage) update(accepted float64) (step float64) {
	a.Count++
	n := float64(a.Count)
	a.Error += (target - accepted - a.Error) / (n + 10)
	x := a.Center - a.Error*math.Sqrt(n)/0.05
	a.Mean += math.Pow(n, -0.75) * (x - a.Mean)
	return math.Exp(x)
}

// window accumulates the variances of draws.
type window struct {
	Count         float64
	Mean, Squares []float64
	End, Size     int // its last iteration, and its length
}

// add counts one more draw. It writes to new slices, so that the caller can undo it.
func (w *window) add(u []float64) {
	if w.Mean, w.Squares = slices.Clone(w.Mean), slices.Clone(w.Squares); w.Mean == nil {
		w.Mean, w.Squares = make([]float64, len(u)), make([]float64, len(u))
	}
	w.Count++
	for k, x := range u {
		d := x - w.Mean[k]
		w.Mean[k] += d / w.Count
		w.Squares[k] += d * (x - w.Mean[k])
	}
}

// metric returns the variances, regularised a little towards a small constant, because a few
// draws estimate them poorly.
func (w *window) metric() []float64 {
	m := make([]float64, len(w.Mean))
	n := w.Count
	for k := range m {
		m[k] = (n*w.Squares[k]/(n-1) + 5*1e-3) / (n + 5)
	}
	return m
}

// phase is a point of a trajectory in phase space.
type phase struct {
	u, momentum, gradient []float64 // the gradient is that of the logarithm of the density
	density               float64   // the logarithm of the density
}

// logDensity returns the logarithm of the density at coordinates u, with its gradient. It returns
// -Inf where the model has no value.
func (c *chain) logDensity(ctx context.Context, u []float64) (float64, []float64, error) {
	q, d, _ := c.space.at(u)
	c.Evaluations++
	f, g, err := c.space.p.gradient(ctx, q)
	if err != nil {
		return math.Inf(-1), make([]float64, len(u)), fatal(err)
	}
	gradient := c.space.pull(g, d)
	density := -f
	for i, k := range c.space.free {
		l, dl := c.space.p.coordinates[k].logSlope(u[i])
		density += l
		gradient[i] = dl - gradient[i]
	}
	return density, gradient, nil
}

func (c *chain) energy(p *phase) float64 {
	sum := 0.0
	for k, m := range p.momentum {
		sum += m * m * c.Metric[k]
	}
	return sum/2 - p.density
}

// leap takes one leapfrog step.
func (c *chain) leap(ctx context.Context, p *phase, step float64) (*phase, error) {
	next := &phase{u: slices.Clone(p.u), momentum: slices.Clone(p.momentum)}
	for k := range next.u {
		next.momentum[k] += step / 2 * p.gradient[k]
		next.u[k] += step * c.Metric[k] * next.momentum[k]
	}
	var err error
	if next.density, next.gradient, err = c.logDensity(ctx, next.u); err != nil {
		return nil, err
	}
	for k := range next.momentum {
		next.momentum[k] += step / 2 * next.gradient[k]
	}
	c.Leaps++
	return next, nil
}

// tree is a trajectory, or one half of a trajectory.
type tree struct {
	left, right *phase
	sum         []float64 // the sum of the momenta
	choice      *phase
	weight      float64 // the logarithm of the sum of the densities
	accepted    float64 // the sum of the probabilities of acceptance
	count       float64
	turned      bool
	diverged    bool
}

// turns reports whether a trajectory with this sum of momenta turns back at either end.
func (c *chain) turns(sum []float64, left, right *phase) bool {
	a, b := 0.0, 0.0
	for k, s := range sum {
		a += s * c.Metric[k] * left.momentum[k]
		b += s * c.Metric[k] * right.momentum[k]
	}
	return a <= 0 || b <= 0
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// grow builds a trajectory of 2^depth steps from a point.
func (c *chain) grow(ctx context.Context, from *phase, depth int, step, energy float64) (*tree,
	error) {
	if depth == 0 {
		p, err := c.leap(ctx, from, step)
		if err != nil {
			return nil, err
		}
		error := c.energy(p) - energy
		if math.IsNaN(error) {
			error = math.Inf(1)
		}
		return &tree{left: p, right: p, sum: slices.Clone(p.momentum), choice: p, weight: -error,
			accepted: math.Min(1, math.Exp(-error)), count: 1, diverged: error > divergence}, nil
	}
	first, err := c.grow(ctx, from, depth-1, step, energy)
	if err != nil || first.turned || first.diverged {
		return first, err
	}
	end := first.right
	if step < 0 {
		end = first.left
	}
	second, err := c.grow(ctx, end, depth-1, step, energy)
	if err != nil {
		return nil, err
	}
	return c.join(first, second, step,
		c.Random.Float64() < math.Exp(second.weight-logAdd(first.weight, second.weight))), nil
}

// join concatenates two trajectories in the direction of the step. If taken, the choice is the
// second's, otherwise the first's.
func (c *chain) join(first, second *tree, step float64, taken bool) *tree {
	t := &tree{sum: along(first.sum, 1, second.sum), choice: first.choice,
		weight:   logAdd(first.weight, second.weight),
		accepted: first.accepted + second.accepted, count: first.count + second.count,
		turned: second.turned, diverged: second.diverged}
	a, b := first, second
	if step < 0 {
		a, b = second, first
	}
	t.left, t.right = a.left, b.right
	if taken && !second.turned && !second.diverged {
		t.choice = second.choice
	}
	// The two trajectories that overlap the join must not turn back either.
	t.turned = t.turned || c.turns(t.sum, t.left, t.right) ||
		c.turns(along(a.sum, 1, b.left.momentum), a.left, b.left) ||
		c.turns(along(b.sum, 1, a.right.momentum), a.right, b.right)
	return t
}

// draw makes the next draw of the chain.
func (c *chain) draw(ctx context.Context) (accepted float64, density float64, err error) {
	start := &phase{u: c.U, momentum: make([]float64, len(c.U))}
	if start.density, start.gradient, err = c.logDensity(ctx, c.U); err != nil {
		return 0, 0, err
	}
	for k := range start.momentum {
		start.momentum[k] = c.Random.NormFloat64() / math.Sqrt(c.Metric[k])
	}
	energy := c.energy(start)
	t := &tree{left: start, right: start, sum: slices.Clone(start.momentum), choice: start}
	var count, total float64
	for depth := range mostDoublings {
		step, from := c.Step, t.right
		if c.Random.Uint64()&1 == 0 {
			step, from = -c.Step, t.left
		}
		next, err := c.grow(ctx, from, depth, step, energy)
		if err != nil {
			return 0, 0, err
		}
		total, count = total+next.accepted, count+next.count
		// The new half is preferred, because its points are farther away.
		taken := c.Random.Float64() < math.Exp(next.weight-t.weight)
		t = c.join(t, next, step, taken)
		if next.diverged {
			c.Divergent += c.kept()
		}
		if t.turned || next.diverged {
			break
		}
		if depth == mostDoublings-1 {
			c.Deep += c.kept()
		}
	}
	c.U = t.choice.u
	return total / count, t.choice.density, nil
}

// kept returns 1 if the current draw is kept, and 0 during warm-up.
func (c *chain) kept() int {
	if c.Iteration >= c.space.p.warmup() {
		return 1
	}
	return 0
}

// begin finds an initial step size, for which the acceptance of one step is about a half.
func (c *chain) begin(ctx context.Context) error {
	start := &phase{u: c.U, momentum: make([]float64, len(c.U))}
	var err error
	if start.density, start.gradient, err = c.logDensity(ctx, c.U); err != nil {
		return err
	}
	for k := range start.momentum {
		start.momentum[k] = c.Random.NormFloat64() / math.Sqrt(c.Metric[k])
	}
	energy := c.energy(start)
	up := 0
	for range 60 {
		next, err := c.leap(ctx, start, c.Step)
		if err != nil {
			return err
		}
		gain := energy - c.energy(next)
		good := gain > math.Log(0.5) // false for NaN
		switch {
		case good && up >= 0:
			c.Step *= 2
			up = 1
		case !good && up <= 0:
			c.Step /= 2
			up = -1
		default:
			return nil
		}
	}
	return nil
}

// advance makes one draw. During warm-up it adapts the chain; afterwards it keeps the draw. If
// there is an error it restores the chain.
func (c *chain) advance(ctx context.Context) error {
	was, random := *c, c.Random.clone()
	err := c.next(ctx)
	if err != nil {
		*c = was
		c.Random = random
	}
	return err
}

// next does the work of advance, but leaves the chain in an intermediate state if there is an
// error.
func (c *chain) next(ctx context.Context) error {
	p := c.space.p
	warmup := p.warmup()
	if c.Iteration == 0 {
		if err := c.begin(ctx); err != nil {
			return err
		}
		c.Average.restart(c.Step)
		c.Window.End, c.Window.Size = warmup*3/20+max(1, warmup/40), max(1, warmup/40)
	}
	accepted, density, err := c.draw(ctx)
	if err != nil {
		return err
	}
	c.Iteration++
	if c.Iteration > warmup {
		c.Acceptance += accepted
		c.Draws = append(c.Draws, c.space.natural(c.U))
		c.Densities = append(c.Densities, density)
		return nil
	}
	c.Step = c.Average.update(accepted)
	first, last := warmup*3/20, warmup-warmup/20 // outside of these only the step is adapted
	if c.Iteration > first && c.Iteration <= last {
		c.Window.add(c.U)
		if c.Iteration >= c.Window.End && c.Window.Count > 5 {
			c.Metric = c.Window.metric()
			size := 2 * c.Window.Size
			end := c.Iteration + size
			if end+2*size > last {
				end = last
			}
			c.Window = window{End: end, Size: size}
			if err := c.begin(ctx); err != nil {
				return err
			}
			c.Average.restart(c.Step)
		}
	}
	if c.Iteration == warmup {
		c.Step = math.Exp(c.Average.Mean)
	}
	return nil
}
