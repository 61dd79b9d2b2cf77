package fit

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// newton is Newton's method with a trust region. Each step minimises the quadratic model of the
// objective, with its Hessian, in a ball of coordinates scaled by the curvatures.
type newton struct {
	U        []float64
	F        float64
	Radius   float64
	Gradient float64
	Modelled bool // whether the model at U was computed and counted

	model *quadratic `saved:"no"` // the model at U; nil if it must be computed
}

// quadratic is the second-order model of the objective, in coordinates multiplied by Scale.
type quadratic struct {
	gradient []float64
	scale    []float64
	values   []float64 // eigenvalues of the scaled Hessian
	vectors  mat.Dense
	rotated  []float64 // the scaled gradient along the eigenvectors
}

func (m *newton) where() ([]float64, float64, float64) { return m.U, m.F, m.Gradient }
func (m *newton) best() ([]float64, float64)           { return m.U, m.F }

// quadratic computes the model at a point.
func (s *space) quadratic(ctx context.Context, u []float64) (*quadratic, float64, error) {
	q, d, dd := s.at(u)
	f, g, h, err := s.p.curvature(ctx, q)
	if err != nil {
		return nil, f, err
	}
	g, h = s.pull(g, d), s.pullHessian(g, h, d, dd)
	n := len(u)
	m := &quadratic{gradient: g, scale: make([]float64, n), rotated: make([]float64, n)}
	for i := range n {
		if m.scale[i] = math.Sqrt(math.Abs(h.At(i, i))); m.scale[i] == 0 {
			m.scale[i] = 1
		}
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			scaled.SetSym(i, j, h.At(i, j)/m.scale[i]/m.scale[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return nil, f, errNoValue{refuse(s.p.text.at, "the Hessian has no eigenvalues")}
	}
	m.values = eigen.Values(nil)
	eigen.VectorsTo(&m.vectors)
	for k := range n {
		for i := range n {
			m.rotated[k] += m.vectors.At(i, k) * g[i] / m.scale[i]
		}
	}
	return m, f, nil
}

// step returns the minimiser in a ball of the given radius, its length, and the decrease that the
// model promises.
func (m *quadratic) step(radius float64) (s []float64, length, promised float64) {
	n := len(m.values)
	at := func(shift float64) ([]float64, float64) {
		z := make([]float64, n)
		for k := range z {
			if m.rotated[k] != 0 {
				z[k] = -m.rotated[k] / (m.values[k] + shift)
			}
		}
		return z, norm(z)
	}
	beyond := func(shift float64) bool {
		_, length := at(shift)
		return length > radius || math.IsNaN(length)
	}
	lowest := m.values[0]
	lo := max(0, -lowest)
	z, length := at(lo)
	if lowest <= 0 || length > radius || math.IsNaN(length) {
		hi := lo + 1
		for beyond(hi) && hi < math.MaxFloat64/4 {
			hi = lo + 2*(hi-lo)
		}
		for range 60 {
			middle := lo + (hi-lo)/2
			if beyond(middle) {
				lo = middle
			} else {
				hi = middle
			}
		}
		z, length = at(hi)
		// the hard case: go along the lowest curvature to the edge of the ball
		if lowest < 0 && length < 0.9*radius {
			z[0] += math.Sqrt(radius*radius - length*length)
			length = radius
		}
	}
	s = make([]float64, n)
	for k, x := range z {
		promised -= x * (m.rotated[k] + m.values[k]*x/2)
		for i := range s {
			s[i] += m.vectors.At(i, k) * x / m.scale[i]
		}
	}
	return s, length, promised
}

// decrement returns Newton's decrement: the length of the step in units of the curvature. It is
// infinite if the curvature is not positive.
func (m *quadratic) decrement() float64 {
	sum := 0.0
	for k, v := range m.values {
		if v <= 0 {
			return math.Inf(1)
		}
		sum += m.rotated[k] * m.rotated[k] / v
	}
	return math.Sqrt(sum)
}

func (m *newton) step(ctx context.Context, s *space) (reason, error) {
	if m.model == nil {
		count := s.p.count
		model, f, err := s.quadratic(ctx, m.U)
		if err != nil {
			return goOn, err
		}
		if m.Modelled { // it was already counted, before the run was continued
			s.p.count = count
		}
		m.model, m.F, m.Gradient, m.Modelled = model, f, norm(model.gradient), true
	}
	if d := m.model.decrement(); d*d <= 1e-20*s.unit(m.F) {
		return smallOffset, nil
	}
	step, length, promised := m.model.step(m.Radius)
	if negligible(step, m.U) {
		return smallStep, nil
	}
	trial := along(m.U, 1, step)
	f, err := s.p.value(ctx, s.natural(trial))
	if fatal(err) != nil {
		return goOn, err
	}
	gain := (m.F - f) / promised
	switch {
	case err == nil && gain > 1e-4:
		if m.U, m.F, m.model, m.Modelled = trial, f, nil, false; gain > 0.75 {
			m.Radius = max(m.Radius, 2.5*length)
		} else if gain < 0.25 {
			m.Radius = length / 2
		}
		return goOn, nil
	case err == nil && promised <= 16*epsilon*math.Abs(m.F):
		return smallChange, nil
	}
	if m.Radius = min(m.Radius, length) / 4; m.Radius < 1e-14 {
		return noProgress, nil
	}
	return goOn, nil
}

// unit returns the scale of a change of the objective. It is the variance of a residual if that
// is estimated from the objective itself, and otherwise 1, one unit of the log-likelihood.
func (s *space) unit(f float64) float64 {
	if s.p.sumOfSquares() && s.p.Sigma == "" {
		return 2 * f / float64(max(1, s.p.Used-len(s.free)))
	}
	return 1
}

// polish takes Newton steps as long as they reduce the gradient. Near a minimum the objective is
// too coarse to show this progress. The error is that of an evaluation that ends the fit.
func (s *space) polish(ctx context.Context, u []float64) ([]float64, error) {
	model, _, err := s.quadratic(ctx, u)
	if err != nil {
		return u, fatal(err)
	}
	for range 20 {
		now := model.decrement()
		if math.IsInf(now, 1) || now == 0 {
			return u, nil
		}
		step, _, _ := model.step(math.Inf(1))
		trial := along(u, 1, step)
		next, _, err := s.quadratic(ctx, trial)
		if err != nil || !(next.decrement() < 0.5*now) {
			return u, fatal(err)
		}
		u, model = trial, next
	}
	return u, nil
}
