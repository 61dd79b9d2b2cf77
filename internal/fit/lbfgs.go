package fit

import (
	"context"
	"math"
	"slices"
)

// lbfgs is the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal 1980).
type lbfgs struct {
	U     []float64
	F     float64
	G     []float64 // the gradient; nil before the first step
	S, Y  [][]float64
	Still int // consecutive steps that changed the objective only within rounding
}

// remembered is the number of past steps that approximate the curvature.
const remembered = 20

func (m *lbfgs) where() ([]float64, float64, float64) { return m.U, m.F, norm(m.G) }
func (m *lbfgs) best() ([]float64, float64)           { return m.U, m.F }

func (s *space) gradient(ctx context.Context, u []float64) (float64, []float64, error) {
	q, d, _ := s.at(u)
	f, g, err := s.p.gradient(ctx, q)
	if err != nil {
		return f, nil, err
	}
	return f, s.pull(g, d), nil
}

func (m *lbfgs) step(ctx context.Context, s *space) (reason, error) {
	if m.G == nil {
		f, g, err := s.gradient(ctx, m.U)
		if err != nil {
			return goOn, err
		}
		m.F, m.G = f, g
	}
	if norm(m.G) == 0 {
		return smallOffset, nil
	}
	direction := m.direction()
	slope := dot(direction, m.G)
	if !(slope < 0) {
		m.S, m.Y = nil, nil
		direction = m.direction()
		slope = dot(direction, m.G)
	}
	t, f, g, err := m.search(ctx, s, direction, slope)
	if err != nil {
		return goOn, err
	}
	if t == 0 {
		if m.S == nil {
			if m.Still > 0 || -slope <= 64*epsilon*math.Abs(m.F) {
				return smallChange, nil
			}
			return noProgress, nil
		}
		m.S, m.Y = nil, nil // try once more, along the gradient
		m.Still++
		return goOn, nil
	}
	next := along(m.U, t, direction)
	ds, dg := along(next, -1, m.U), along(g, -1, m.G)
	if dot(ds, dg) > 1e-10*dot(dg, dg)*epsilon && dot(ds, dg) > 0 {
		m.S, m.Y = append(m.S, ds), append(m.Y, dg)
		if len(m.S) > remembered {
			m.S, m.Y = slices.Clone(m.S[1:]), slices.Clone(m.Y[1:])
		}
	}
	if m.F-f <= 4*epsilon*math.Abs(f) {
		m.Still++
	} else {
		m.Still = 0
	}
	small := negligible(ds, m.U)
	m.U, m.F, m.G = next, f, g
	switch {
	case small:
		return smallStep, nil
	case m.Still >= 5:
		return smallChange, nil
	}
	return goOn, nil
}

// direction returns the search direction, by the two-loop recursion.
func (m *lbfgs) direction() []float64 {
	d := make([]float64, len(m.G))
	for k, g := range m.G {
		d[k] = -g
	}
	n := len(m.S)
	if n == 0 { // the first step has length at most 1
		return along(make([]float64, len(d)), min(1, 1/norm(m.G)), d)
	}
	alpha := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		alpha[i] = dot(m.S[i], d) / dot(m.S[i], m.Y[i])
		d = along(d, -alpha[i], m.Y[i])
	}
	d = along(make([]float64, len(d)), dot(m.S[n-1], m.Y[n-1])/dot(m.Y[n-1], m.Y[n-1]), d)
	for i := range n {
		beta := dot(m.Y[i], d) / dot(m.S[i], m.Y[i])
		d = along(d, alpha[i]-beta, m.S[i])
	}
	return d
}

// search finds, by bisection, a step that satisfies the strong Wolfe conditions. It returns 0 if
// no step decreases the function.
func (m *lbfgs) search(ctx context.Context, s *space, direction []float64, slope float64) (t,
	f float64, g []float64, err error) {
	lo, hi := 0.0, math.Inf(1)
	var best struct {
		t, f float64
		g    []float64
	}
	best.f = m.F
	t = 1
	for range 50 {
		f, g, err := s.gradient(ctx, along(m.U, t, direction))
		if fatal(err) != nil {
			return 0, 0, nil, err
		}
		if err == nil && f < best.f {
			best.t, best.f, best.g = t, f, g
		}
		switch {
		case err != nil || f > m.F+1e-4*t*slope:
			hi = t
		case dot(g, direction) < 0.9*slope:
			lo = t
		default:
			return t, f, g, nil
		}
		if math.IsInf(hi, 1) {
			t *= 2
		} else {
			t = lo + (hi-lo)/2
		}
		if t == lo || t == hi {
			break
		}
	}
	return best.t, best.f, best.g, nil
}
