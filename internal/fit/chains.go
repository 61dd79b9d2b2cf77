package fit

import (
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Draws holds posterior draws and their diagnostics.
type Draws struct {
	Chains    [][][]float64 // natural parameters, by chain and draw
	Warmup    int
	RHat, ESS []float64 // of each parameter
	// effective sample sizes of the tails: the lesser of those of the 5 % and 95 % quantiles
	Tail       []float64
	Divergent  int
	Deep       int
	Leaps      int
	Acceptance float64
	Seconds    float64 // of the sampling, warm-up included
}

// converged reports whether the chains agree.
func (d *Draws) converged() bool {
	for k, r := range d.RHat {
		if !math.IsNaN(r) && !(r < 1.01) || d.ESS[k] < 100*float64(len(d.Chains)) &&
			!math.IsNaN(d.ESS[k]) {
			return false
		}
	}
	return true
}

// warmup returns how many draws adapt a chain before draws are kept.
func (p *Problem) warmup() int {
	if p.Warmup > 0 {
		return p.Warmup
	}
	return max(20, p.draws())
}

func (p *Problem) draws() int {
	if p.Draws > 0 {
		return p.Draws
	}
	return 1000
}

// posterior samples the posterior density.
func (p *Problem) posterior(ctx context.Context, st *state, c Control) (*Result, *diag.Diagnostic) {
	if st.Chains == nil {
		var d *diag.Diagnostic
		if st.Chains, d = p.startChains(ctx); d != nil {
			return nil, d
		}
		for _, chain := range st.Chains { // their evaluations were counted with the problem
			chain.Evaluations = 0
		}
		st.Evaluations = p.count
	}
	problems := make([]*Problem, len(st.Chains))
	for k, chain := range st.Chains {
		problems[k] = p
		if k > 0 {
			clone, d := p.Clone(ctx)
			if d != nil {
				return nil, d
			}
			problems[k] = clone
		}
		chain.space = problems[k].space(p.Start)
	}
	sampling := time.Now()
	end, d := p.advance(ctx, st, c)
	if d != nil {
		return nil, d
	}
	if d := c.save(true, st); d != nil {
		return nil, d
	}
	r := &Result{Problem: p, Method: "nuts", Reason: end}
	r.summarise(st.Chains)
	r.Draws.Seconds = time.Since(sampling).Seconds()
	p.count = st.Evaluations
	for _, chain := range st.Chains {
		p.count += chain.Evaluations
	}
	return r, nil
}

// advance extends all chains to their ends, a few draws at a time, each chain in its own
// goroutine. A checkpoint is written between these rounds, when no chain is running.
func (p *Problem) advance(ctx context.Context, st *state, c Control) (reason, *diag.Diagnostic) {
	last := p.warmup() + p.draws()
	began, done := time.Now(), 0
	const together = 50
	for {
		left := 0
		for _, chain := range st.Chains {
			left = max(left, last-chain.Iteration)
		}
		if left == 0 {
			return stepsAreDone, nil
		}
		if end := stopped(ctx); end != goOn {
			return end, nil
		}
		errs := make([]error, len(st.Chains))
		var wait task.Group
		for k, chain := range st.Chains {
			wait.Go(func() {
				for range together {
					if chain.Iteration >= last {
						return
					}
					if errs[k] = chain.advance(ctx); errs[k] != nil {
						return
					}
				}
			})
		}
		wait.Wait()
		for _, err := range errs {
			if end := halted(ctx, err); end != goOn {
				return end, nil
			} else if err != nil {
				return goOn, stops(err)
			}
		}
		if done += together; c.Watch != nil {
			// a copy, because what is computed only for display must not be counted
			first := *st.Chains[0]
			density, slope, _ := first.logDensity(ctx, first.U)
			c.Watch(Progress{1, 1, Record{first.Iteration, -density, norm(slope)}, last,
				float64(done*len(st.Chains)) / time.Since(began).Seconds()})
		}
		if d := c.save(false, st); d != nil {
			return goOn, d
		}
	}
}

// startChains chooses where the chains begin. If Newton's method finds a mode with a curvature,
// they begin around it, drawn from the normal distribution of that curvature but twice as wide.
// Otherwise they begin around the start.
func (p *Problem) startChains(ctx context.Context) ([]*chain, *diag.Diagnostic) {
	s := p.space(p.Start)
	at := s.point(p.Start)
	if _, err := p.value(ctx, p.Start); err != nil {
		return nil, p.atStart(err)
	}
	spread, metric, factor := make([]float64, len(at)), make([]float64,
		len(at)), (*mat.TriDense)(nil)
	for k := range spread {
		spread[k], metric[k] = 1, 1
	}
	m := &newton{U: at, Radius: 1}
	for range 100 {
		end, err := m.step(ctx, s)
		if fatal(err) != nil {
			return nil, stops(err)
		}
		if err != nil || end != goOn {
			if err == nil && end.converged() {
				factor = s.laplace(ctx, m.U, metric)
			}
			break
		}
	}
	if factor != nil {
		at = m.U
	}
	chains := make([]*chain, max(1, p.Chains))
	for k := range chains {
		random := newGenerator(p.Seed, uint64(k)+1)
		c := &chain{Random: random, Metric: slices.Clone(metric), Step: 0.1, space: s}
		for try := 0; ; try++ {
			c.U = slices.Clone(at)
			z := make([]float64, len(at))
			for i := range z {
				z[i] = random.NormFloat64()
			}
			for i := range at {
				if factor == nil {
					c.U[i] += spread[i] * (2*random.Float64() - 1)
					continue
				}
				for j := 0; j <= i; j++ {
					c.U[i] += 2 * factor.At(i, j) * z[j]
				}
			}
			density, _, err := c.logDensity(ctx, c.U)
			if err != nil {
				return nil, stops(err)
			}
			if !math.IsInf(density, -1) {
				break
			}
			if try == 100 {
				return nil, refuse(p.text.at,
					"the model has no value at 100 random points around the start").
					WithHint("choose another --start, or bounds for the parameters")
			}
		}
		chains[k] = c
	}
	return chains, nil
}

// laplace returns the lower factor of the covariance at a mode, and stores its diagonal in
// metric. It returns nil if there is no covariance.
func (s *space) laplace(ctx context.Context, u []float64, metric []float64) *mat.TriDense {
	q, d, dd := s.at(u)
	_, g, h, err := s.p.curvature(ctx, q)
	if err != nil {
		return nil
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(s.pullHessian(g, h, d, dd)) || cholesky.Cond() > 1e12 {
		return nil
	}
	var inverse mat.SymDense
	if cholesky.InverseTo(&inverse) != nil {
		return nil
	}
	var again mat.Cholesky
	if !again.Factorize(&inverse) {
		return nil
	}
	for k := range metric {
		metric[k] = inverse.At(k, k)
	}
	var lower mat.TriDense
	again.LTo(&lower)
	return &lower
}

// summarise computes means, deviations, quantiles and diagnostics of the draws.
func (r *Result) summarise(chains []*chain) {
	n := len(r.Start)
	d := &Draws{Warmup: r.warmup(), RHat: unknown(n), ESS: unknown(n), Tail: unknown(n)}
	count := 0
	for _, c := range chains {
		d.Chains = append(d.Chains, c.Draws)
		d.Divergent, d.Deep, d.Leaps = d.Divergent+c.Divergent, d.Deep+c.Deep, d.Leaps+c.Leaps
		d.Acceptance += c.Acceptance
		count += len(c.Draws)
	}
	d.Acceptance /= float64(max(1, count))
	// diagnostics take equally many draws of each chain, which differ in length after an
	// interruption
	shortest := count
	for _, c := range chains {
		shortest = min(shortest, len(c.Draws))
	}
	r.Draws = d
	r.Uncertainty = &Uncertainty{Errors: unknown(n), Lower: unknown(n), Upper: unknown(n)}
	r.Q = slices.Clone(r.Start)
	for k := range n {
		var all []float64
		parts := make([][]float64, len(chains))
		for i, c := range chains {
			for _, draw := range c.Draws {
				parts[i] = append(parts[i], draw[k])
			}
			all = append(all, parts[i]...)
			parts[i] = parts[i][:shortest]
		}
		if len(all) < 4 || r.coordinates[k].held {
			continue
		}
		mean, variance := moments(all)
		r.Q[k], r.Errors[k] = mean, math.Sqrt(variance)
		slices.Sort(all)
		r.Lower[k], r.Upper[k] = quantile(all, (1-r.Level)/2), quantile(all, (1+r.Level)/2)
		if shortest < 4 {
			continue
		}
		d.RHat[k], d.ESS[k] = rHat(parts), effective(rankNormal(split(parts)))
		d.Tail[k] = min(effective(split(below(parts, quantile(all, 0.05)))),
			effective(split(below(parts, quantile(all, 0.95)))))
	}
	r.judge()
}

// judge warns if the diagnostics say that the chains are not reliable.
func (r *Result) judge() {
	d := r.Draws
	if d.Divergent > 0 {
		r.warnf("%s diverged: the posterior is too curved somewhere for the steps, and what is "+
			"drawn may be biased; another parameterisation helps",
			plural(d.Divergent, "trajectory"))
	}
	if d.Deep > 0 {
		r.warnf("%d trajectories reached the greatest length", d.Deep)
	}
	for k, name := range r.Names {
		if d.RHat[k] > 1.01 {
			r.warnf("the chains disagree about `%s`: R-hat is %.3f, and should be below 1.01", name,
				d.RHat[k])
		}
		if d.ESS[k] < 100*float64(len(d.Chains)) {
			r.warnf("there are few effective draws of `%s`: %.0f", name, d.ESS[k])
		}
	}
	if r.Reason != stepsAreDone {
		r.warnf("the sampling has not ended: %s", r.Reason)
	}
}

func moments(xs []float64) (mean, variance float64) {
	n := float64(len(xs))
	for _, x := range xs {
		mean += x / n
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / (n - 1)
	}
	return mean, variance
}

// quantile returns a quantile of sorted numbers.
func quantile(xs []float64, p float64) float64 {
	at := p * float64(len(xs)-1)
	k := int(at)
	if k+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[k] + (at-float64(k))*(xs[k+1]-xs[k])
}
