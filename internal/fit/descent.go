package fit

import (
	"context"
	"math"
	"slices"
)

// descent is a stochastic gradient method on batches of rows: Adam (Kingma and Ba 2015), or
// stochastic gradient descent with Nesterov's momentum. The rows of an epoch are a random
// permutation determined by the seed. The rate decreases to 0 like a cosine over the allowed
// iterations.
type descent struct {
	U []float64
	// the average over the last epoch; without batches, the objective on all rows
	F             float64
	Iteration     int
	First, Second []float64 // running means of the gradients, and of their squares
	Adaptive      bool
	Rate          float64
	Batch         int
	Last          int
	Seed          uint64
	Gradient      float64
	Sum           float64 // the sum of the objective over the batches of this epoch
	// where the objective was least; nil with batches, which cannot tell
	Best  []float64
	Least float64 // the objective there

	order []int `saved:"no"` // the rows of this epoch; nil if they are to be drawn
}

func newDescent(o Options, u []float64, adaptive bool) *descent {
	m := &descent{U: u, Adaptive: adaptive, Rate: o.Rate, Batch: o.Batch, Last: o.Iterations,
		Seed:  o.Seed,
		First: make([]float64, len(u)), Second: make([]float64, len(u))}
	if m.Rate == 0 {
		if m.Rate = 0.01; adaptive {
			m.Rate = 0.05
		}
	}
	return m
}

func (m *descent) where() ([]float64, float64, float64) { return m.U, m.F, m.Gradient }

// best returns the best point seen on all rows. With batches it returns the last point, because
// the objective on one batch is too noisy to compare points by.
func (m *descent) best() ([]float64, float64) {
	if m.Best != nil {
		return m.Best, m.Least
	}
	return m.U, m.F
}

func (m *descent) step(ctx context.Context, s *space) (reason, error) {
	f, g, err := m.estimate(ctx, s)
	if err != nil {
		return goOn, err
	}
	m.Gradient = norm(g)
	if m.full(s.p) && (m.Best == nil || f < m.Least) {
		m.Best, m.Least = m.U, f
	}
	m.Iteration++
	rate := m.Rate * (1 + math.Cos(math.Pi*float64(m.Iteration-1)/float64(m.Last))) / 2
	const inertia, memory = 0.9, 0.999
	n := float64(m.Iteration)
	m.U = slices.Clone(m.U)
	for k := range m.U {
		if m.Adaptive {
			m.First[k] = inertia*m.First[k] + (1-inertia)*g[k]
			m.Second[k] = memory*m.Second[k] + (1-memory)*g[k]*g[k]
			mean, square := m.First[k]/(1-math.Pow(inertia, n)), m.Second[k]/(1-math.Pow(memory, n))
			m.U[k] -= rate * mean / (math.Sqrt(square) + 1e-8)
		} else {
			m.First[k] = inertia*m.First[k] + g[k]
			m.U[k] -= rate * (g[k] + inertia*m.First[k]) / float64(s.p.Rows)
		}
	}
	m.F = f
	if m.Iteration >= m.Last {
		return stepsAreDone, nil
	}
	return goOn, nil
}

// full reports whether each step uses all rows.
func (m *descent) full(p *Problem) bool {
	return m.Batch == 0 || m.Batch >= p.Rows || !p.Batched()
}

// estimate returns the objective and its gradient, estimated on a batch if there are batches.
func (m *descent) estimate(ctx context.Context, s *space) (float64, []float64, error) {
	if m.full(s.p) {
		return s.gradient(ctx, m.U)
	}
	batches := s.p.Rows / m.Batch // in an epoch; the remaining rows wait for the next permutation
	epoch, k := m.Iteration/batches, m.Iteration%batches
	if m.order == nil || k == 0 {
		m.order = newGenerator(m.Seed, uint64(epoch)).Perm(s.p.Rows)
	}
	rows := make([]int64, m.Batch)
	for i := range rows {
		rows[i] = int64(m.order[k*m.Batch+i])
	}
	q, d, _ := s.at(m.U)
	f, g, err := s.p.sample(ctx, rows, q)
	if err != nil {
		return f, nil, err
	}
	if k == 0 {
		m.Sum = 0
	}
	m.Sum += f
	return m.Sum / float64(k+1), s.pull(g, d), nil
}
