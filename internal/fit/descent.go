package fit

import (
	"context"
	"math"
	"slices"
)

// descent follows gradients of batches of rows: by Adam (Kingma and Ba 2015), or as stochastic
// gradient descent with Nesterov's momentum. The rows of an epoch are a permutation that the seed
// decides. The rate falls to 0 like a cosine over the iterations that are allowed.
type descent struct {
	U             []float64
	F             float64 // of the last epoch's average; of all rows if there are no batches
	Iteration     int
	First, Second []float64 // running means of the gradients, and of their squares
	Adaptive      bool
	Rate          float64
	Batch         int
	Last          int
	Seed          uint64
	Gradient      float64
	Sum           float64 // of the objective, over the batches of this epoch
	// where the objective was least, if all rows tell what it is; otherwise nil
	Best  []float64
	Least float64 // the objective there

	order []int `saved:"no"` // of this epoch; nil if it is to be drawn
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

// best returns the last point if only batches were seen: what one of them tells of a point is too
// noisy.
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

// full reports whether a step takes all rows.
func (m *descent) full(p *Problem) bool {
	return m.Batch == 0 || m.Batch >= p.Rows || !p.Batched()
}

// estimate returns the objective and its gradient, from a batch if there are any.
func (m *descent) estimate(ctx context.Context, s *space) (float64, []float64, error) {
	if m.full(s.p) {
		return s.gradient(ctx, m.U)
	}
	batches := s.p.Rows / m.Batch // of an epoch: what is left over waits for the next permutation
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
