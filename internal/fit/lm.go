package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// levenberg is the method of Levenberg and Marquardt for sums of squares, with Moré's scaling and
// Nielsen's rule for the damping. A step s minimises ‖A s + b‖² + λ ‖D s‖², where b are the
// residuals and A is their Jacobian by the coordinates; a robust loss weights the rows of both.
//
// The geodesic acceleration of Transtrum and Sethna (2012) corrects the step. With c the second
// derivative of the residuals along s, a minimises ‖A a + c‖² + λ ‖D a‖², and the step becomes s
// + a/2. If a is not small compared with s, the model is too curved for the step, and the step is
// refused. This keeps the method from leaping into regions where the model is flat.
type levenberg struct {
	U               []float64
	F               float64
	Damping, Growth float64
	Scale           []float64
	Gradient        float64
	Modelled        bool // whether the model at U was computed and counted

	model *squares `saved:"no"` // the model at U; nil if it must be computed
}

// squares is a sum of squares near a point. It holds the triangular factor R of A = Q R, Qᵀ b,
// the norm of the rest of b, and the gradient Aᵀ b.
type squares struct {
	r        *mat.TriDense
	a        *mat.Dense
	weights  []float64 // square roots of the weights
	qb       []float64
	rest     float64
	gradient []float64
	rows     int
}

func (m *levenberg) where() ([]float64, float64, float64) { return m.U, m.F, m.Gradient }
func (m *levenberg) best() ([]float64, float64)           { return m.U, m.F }

func (m *levenberg) step(ctx context.Context, s *space) (reason, error) {
	if m.model == nil {
		count := s.p.count
		model, f, err := s.squares(ctx, m.U)
		if err != nil {
			return goOn, err
		}
		if m.Modelled { // it was already counted, before the run was continued
			s.p.count = count
		}
		m.model, m.F, m.Gradient, m.Modelled = model, f, norm(model.gradient), true
	}
	n := len(m.U)
	if m.Scale = slices.Clone(m.Scale); m.Scale == nil {
		m.Scale = make([]float64, n)
	}
	for j := range n {
		length := 0.0
		for i := 0; i <= j; i++ {
			length = math.Hypot(length, m.model.r.At(i, j))
		}
		if m.Scale[j] = max(m.Scale[j], length); m.Scale[j] == 0 {
			m.Scale[j] = 1
		}
	}
	if m.model.offset() <= 1e-10 {
		return smallOffset, nil
	}
	step := m.solve(m.model.qb)
	if negligible(step, m.U) {
		return smallStep, nil
	}
	bent, err := m.accelerate(ctx, s, step)
	if err != nil {
		return goOn, err
	}
	if bent == nil {
		return m.refuse(), nil
	}
	before := 0.0
	for _, x := range m.model.qb {
		before += x * x
	}
	predicted := (before - m.remaining(step)) / 2
	trial := along(m.U, 1, bent)
	f, err := s.p.value(ctx, s.natural(trial))
	if fatal(err) != nil {
		return goOn, err
	}
	gain := (m.F - f) / predicted
	switch {
	case err == nil && predicted > 0 && gain > 1e-4:
		m.U, m.F, m.model, m.Modelled = trial, f, nil, false
		m.Damping *= max(1.0/3, 1-math.Pow(2*gain-1, 3))
		m.Growth = 2
		return goOn, nil
	case err == nil && predicted <= 8*epsilon*m.F:
		return smallChange, nil
	}
	return m.refuse(), nil
}

// refuse rejects a step and makes the next one shorter.
func (m *levenberg) refuse() reason {
	m.Damping *= m.Growth
	m.Growth *= 2
	if m.Damping > 1e30 {
		return noProgress
	}
	return goOn
}

// mostBent bounds the length of an acceleration relative to its step.
const mostBent = 0.75

// accelerate returns a step with its acceleration added, or nil if the acceleration is too long.
func (m *levenberg) accelerate(ctx context.Context, s *space, step []float64) ([]float64, error) {
	c, err := s.bend(ctx, m.U, step)
	if fatal(err) != nil || err != nil {
		return nil, fatal(err)
	}
	for i := range c {
		c[i] *= m.model.weights[i]
	}
	// Qᵀ c is R⁻ᵀ Aᵀ c, but R may be singular: the damped equations are solved for Aᵀ c.
	n := len(step)
	right := make([]float64, n)
	for i, x := range c {
		for j := range n {
			right[j] += m.model.a.At(i, j) * x
		}
	}
	a := m.solveFor(right)
	var speed, bend float64
	for j, d := range m.Scale {
		speed, bend = math.Hypot(speed, d*step[j]), math.Hypot(bend, d*a[j])
	}
	if !(bend <= mostBent*speed) {
		return nil, nil
	}
	return along(step, 0.5, a), nil
}

// solveFor solves (RᵀR + λ D²) x = -right.
func (m *levenberg) solveFor(right []float64) []float64 {
	n := len(right)
	h := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := 0; k <= i; k++ {
				sum += m.model.r.At(k, i) * m.model.r.At(k, j)
			}
			if i == j {
				sum += m.Damping * m.Scale[i] * m.Scale[i]
			}
			h.SetSym(i, j, sum)
		}
	}
	x := mat.NewVecDense(n, nil)
	var cholesky mat.Cholesky
	if !cholesky.Factorize(h) {
		// there is no solution if rounding hides that the matrix is positive
		return x.RawVector().Data
	}
	b := mat.NewVecDense(n, nil)
	for i, r := range right {
		b.SetVec(i, -r)
	}
	_ = cholesky.SolveVecTo(x, b) // a poor solution is refused later
	return x.RawVector().Data
}

// solve returns the step for the current damping.
func (m *levenberg) solve(right []float64) []float64 {
	n := len(m.U)
	a, b := mat.NewDense(2*n, n, nil), mat.NewVecDense(2*n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.Set(i, j, m.model.r.At(i, j))
		}
		a.Set(n+i, i, math.Sqrt(m.Damping)*m.Scale[i])
		b.SetVec(i, -right[i])
	}
	var qr mat.QR
	qr.Factorize(a)
	step := mat.NewVecDense(n, nil)
	// damping makes the matrix regular; a poor step is refused later
	_ = qr.SolveVecTo(step, false, b)
	return step.RawVector().Data
}

// remaining returns ‖R s + Qᵀ b‖².
func (m *levenberg) remaining(step []float64) float64 {
	sum := 0.0
	for i, x := range m.model.qb {
		for j := i; j < len(step); j++ {
			x += m.model.r.At(i, j) * step[j]
		}
		sum += x * x
	}
	return sum
}

// offset returns the relative offset of Bates and Watts: the distance of the point from the
// minimum, relative to the size of the confidence region.
func (q *squares) offset() float64 {
	n := len(q.qb)
	if q.rest == 0 {
		return math.Inf(1)
	}
	return norm(q.qb) / q.rest * math.Sqrt(float64(max(1, q.rows-n))/float64(n))
}

// squares computes the sum of squares of a problem near a point.
func (s *space) squares(ctx context.Context, u []float64) (*squares, float64, error) {
	q, d, _ := s.at(u)
	l, err := s.p.linear(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	a, b := s.design(l, d)
	model := triangular(a, b)
	model.a, model.weights = a, l.w
	model.rows = max(len(s.p.counts(l.r)), 1)
	for i, w := range l.w {
		model.weights[i] = math.Sqrt(max(w, 0))
	}
	return model, l.f, nil
}

// bend returns the second derivative of the residuals along a step in the coordinates.
func (s *space) bend(ctx context.Context, u, step []float64) ([]float64, error) {
	q, d, dd := s.at(u)
	v, a := make([]float64, len(q)), make([]float64, len(q))
	for i, k := range s.free {
		v[k], a[k] = d[i]*step[i], dd[i]*step[i]*step[i]
	}
	t, err := s.p.call(ctx, "bend'", value.Reals(q), value.Reals(v), value.Reals(a))
	if err != nil {
		return nil, err
	}
	return reals(t[0]), nil
}

// design returns the weighted Jacobian by the coordinates, and the weighted residuals.
func (s *space) design(l *linear, d []float64) (*mat.Dense, []float64) {
	m, n := len(l.r), len(d)
	a, b := mat.NewDense(max(m, n), n, nil), make([]float64, max(m, n))
	for i, r := range l.r {
		w := math.Sqrt(max(l.w[i], 0))
		b[i] = w * r
		for j, k := range s.free {
			a.Set(i, j, w*l.j[i][k]*d[j])
		}
	}
	return a, b
}

// triangular factors [A b] = Q R. The last column of R is Qᵀ b, followed by the norm of the rest
// of b.
func triangular(a *mat.Dense, b []float64) *squares {
	m, n := a.Dims()
	both := mat.NewDense(m+1, n+1, nil)
	both.Slice(0, m, 0, n).(*mat.Dense).Copy(a)
	both.SetCol(n, append(b[:m:m], 0))
	var qr mat.QR
	qr.Factorize(both)
	var r mat.Dense
	qr.RTo(&r)
	q := &squares{r: mat.NewTriDense(n, mat.Upper, nil), gradient: make([]float64, n), rows: m,
		rest: math.Abs(r.At(n, n))}
	for i := range n {
		q.qb = append(q.qb, r.At(i, n))
		for j := i; j < n; j++ {
			q.r.SetTri(i, j, r.At(i, j))
			q.gradient[j] += r.At(i, j) * r.At(i, n)
		}
	}
	return q
}
