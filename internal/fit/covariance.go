package fit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Note [Standard errors]. At a minimum of the objective F with Hessian H, the estimates have the
// covariance σ² H⁻¹, where σ² = 1 if F is minus the logarithm of a likelihood (or residuals are
// divided by known standard deviations), and otherwise the residual variance RSS / (n - p). H is
// the Hessian of the language, with the second derivatives of the model. Programs for regression
// often leave these out and use JᵀJ; that is reported beside it, as it is what most tables print.
// With a robust loss the covariance is the sandwich C = H⁻¹ Jᵀ W² R² J H⁻¹, times n / (n - p), and
// σ² is the mean ratio of C to H⁻¹, tr (C H) / p: by that much the objective is more spread than a
// log-likelihood.

// Uncertainty holds standard errors, confidence intervals and the covariance of estimates.
type Uncertainty struct {
	Errors      []float64 // standard errors; NaN for parameters without one
	GaussNewton []float64 // standard errors by JᵀJ, for sums of squares
	Covariance  *mat.SymDense
	Correlation *mat.SymDense // of the parameters listed in Of
	Of          []int
	Lower       []float64
	Upper       []float64
	Variance    float64 // σ²
	Freedom     int     // degrees of freedom of the residuals; 0 if σ² is known
	Condition   float64 // the condition number, in units in which all curvatures are 1
	Warnings    []string
	quantile    float64
}

// determined is the least eigenvalue of a scaled Hessian at which parameters count as determined.
const determined = 1e-13

// uncertainty computes the uncertainty of an estimate.
func (p *Problem) uncertainty(ctx context.Context, q []float64, l *linear) (*Uncertainty, error) {
	u := &Uncertainty{Errors: unknown(len(q)), Lower: unknown(len(q)), Upper: unknown(len(q)),
		Variance: 1}
	for _, k := range p.free() {
		if side := p.coordinates[k].atBound(q[k]); side != "" {
			u.warnf("`%s` is at its %s bound; the others are estimated as if it were held there",
				p.Names[k], side)
		} else {
			u.Of = append(u.Of, k)
		}
	}
	if p.sumOfSquares() && p.Sigma == "" {
		u.Freedom = len(p.counts(l.r)) - len(u.Of)
		u.Variance = l.squares / float64(max(u.Freedom, 1))
	}
	_, _, h, err := p.curvature(ctx, q)
	if err != nil {
		return nil, err
	}
	n := len(u.Of)
	if n == 0 {
		return u, nil
	}
	own := mat.NewSymDense(n, nil)
	for i, k := range u.Of {
		for j := i; j < n; j++ {
			own.SetSym(i, j, h.At(k, u.Of[j]))
		}
	}
	inverse, bad := u.invert(p, own, l)
	if p.sumOfSquares() && p.Sigma == "" && u.Freedom <= 0 {
		u.warnf("%s and %s leave nothing to estimate the variance of the response from: there "+
			"are no standard errors (--sigma gives the variance)",
			plural(len(u.Of), "parameter"), plural(len(p.counts(l.r)), "observation"))
		u.Freedom, u.Variance = 0, math.NaN()
		return u, nil
	}
	if bad {
		return u, nil
	}
	unscaled := make([]float64, n)
	for i := range unscaled {
		unscaled[i] = inverse.At(i, i)
	}
	u.Covariance = inverse
	if p.Robust != "" && p.sumOfSquares() {
		u.sandwich(l, own)
	} else {
		u.Covariance.ScaleSym(u.Variance, inverse)
	}
	for i, k := range u.Of {
		u.Errors[k] = math.Sqrt(u.Variance) * math.Sqrt(unscaled[i])
		if p.Robust != "" && p.sumOfSquares() {
			u.Errors[k] = math.Sqrt(u.Covariance.At(i, i))
		}
		if u.Variance > 0 && !(u.Errors[k] > 0 && u.Errors[k] <= math.MaxFloat64) {
			u.warnf("the standard error of `%s` is out of the range of doubles: measure it in "+
				"another unit", p.Names[k])
			u.Errors[k] = math.NaN()
		}
	}
	u.correlate()
	if p.sumOfSquares() {
		u.gaussNewton(p, l)
	}
	u.intervals(p, q)
	return u, nil
}

func unknown(n int) []float64 {
	xs := make([]float64, n)
	for k := range xs {
		xs[k] = math.NaN()
	}
	return xs
}

func (u *Uncertainty) warnf(format string, args ...any) {
	u.Warnings = append(u.Warnings, fmt.Sprintf(format, args...))
}

// invert returns the inverse of a Hessian, which it scales to a unit diagonal first. bad reports
// that there is no inverse.
func (u *Uncertainty) invert(p *Problem, h *mat.SymDense, l *linear) (inverse *mat.SymDense,
	bad bool) {
	n := h.SymmetricDim()
	scale := make([]float64, n)
	for i := range n {
		if curved := math.Abs(h.At(i, i)); u.moves(l, i) &&
			!(smallest*smallest < curved && curved < 1/smallest/smallest) {
			u.warnf("the curvature of the objective by `%s` is out of the range of doubles, so "+
				"there are no standard errors: measure it in another unit", p.Names[u.Of[i]])
			bad = true
		} else if scale[i] = math.Sqrt(h.At(i, i)); !(scale[i] > 0) || math.IsInf(scale[i], 1) {
			u.warnf("the data does not determine `%s`: the objective is not curved in its "+
				"direction", p.Names[u.Of[i]])
			bad = true
		}
	}
	if bad {
		return nil, true
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			scaled.SetSym(i, j, h.At(i, j)/scale[i]/scale[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		u.warnf("the Hessian has no eigenvalues, so there are no standard errors")
		return nil, true
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	u.Condition = math.Sqrt(values[n-1] / values[0])
	for k, v := range values {
		if v >= determined {
			continue
		}
		bad = true
		var names []string
		for i := range n {
			if math.Abs(vectors.At(i, k)) > 0.2 {
				names = append(names, "`"+p.Names[u.Of[i]]+"`")
			}
		}
		if names = firstFew(names); v < -determined*float64(n) {
			u.warnf("the estimate is not a minimum: the objective falls in a direction of %s",
				strings.Join(names, ", "))
		} else {
			u.warnf("the data does not determine %s: the objective does not change as %s together",
				strings.Join(names, ", "), "they change")
		}
	}
	if bad {
		u.Condition = math.Inf(1)
		return nil, true
	}
	if u.Condition > 1e6 {
		u.warnf("the parameters are hardly determined: the condition number is %.2g", u.Condition)
	}
	inverse = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k, v := range values {
				sum += vectors.At(i, k) * vectors.At(j, k) / v
			}
			inverse.SetSym(i, j, sum/scale[i]/scale[j])
		}
	}
	return inverse, false
}

// moves reports whether some residual is known to depend on the i-th parameter that has an error.
func (u *Uncertainty) moves(l *linear, i int) bool {
	if l == nil {
		return false
	}
	for k := range l.r {
		if l.j[k][u.Of[i]] != 0 && l.w[k] != 0 {
			return true
		}
	}
	return false
}

// sandwich replaces the covariance, which is the inverse of h, by the sandwich covariance of a
// robust loss.
func (u *Uncertainty) sandwich(l *linear, h *mat.SymDense) {
	n, m := len(u.Of), u.Freedom+len(u.Of)
	if u.Freedom == 0 { // the variance is known
		m = len(l.r)
	}
	meat := mat.NewSymDense(n, nil)
	row := make([]float64, n)
	for i := range l.r {
		for j, k := range u.Of {
			row[j] = l.w[i] * l.r[i] * l.j[i][k]
		}
		meat.SymRankOne(meat, 1, mat.NewVecDense(n, row))
	}
	var left, both mat.Dense
	left.Mul(u.Covariance, meat)
	both.Mul(&left, u.Covariance)
	scale, trace := float64(m)/float64(max(1, m-n)), 0.0
	for i := range n {
		for j := range n {
			trace += scale * both.At(i, j) * h.At(i, j)
			u.Covariance.SetSym(i, j, scale*both.At(i, j))
		}
	}
	u.Variance = trace / float64(n)
}

func (u *Uncertainty) correlate() {
	n := len(u.Of)
	u.Correlation = mat.NewSymDense(n, nil)
	for i := range n {
		u.Correlation.SetSym(i, i, 1)
		for j := i + 1; j < n; j++ {
			u.Correlation.SetSym(i, j, u.Covariance.At(i, j)/u.Errors[u.Of[i]]/u.Errors[u.Of[j]])
		}
	}
}

// gaussNewton computes the standard errors without the second derivatives of the model.
func (u *Uncertainty) gaussNewton(p *Problem, l *linear) {
	m, n := len(l.r), len(u.Of)
	if m < n || p.Robust != "" {
		return
	}
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j, k := range u.Of {
			a.Set(i, j, l.j[i][k])
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var inverse mat.Dense
	var r mat.Dense
	qr.RTo(&r)
	if err := inverse.Inverse(r.Slice(0, n, 0, n)); err != nil {
		if _, poor := err.(mat.Condition); !poor {
			return
		}
	}
	u.GaussNewton = unknown(len(u.Errors))
	for i, k := range u.Of {
		sum := 0.0
		for j := range n {
			sum = math.Hypot(sum, inverse.At(i, j))
		}
		u.GaussNewton[k] = sum * math.Sqrt(u.Variance)
	}
}

// intervals computes confidence intervals. They are symmetric in the coordinate, and so within
// the bounds. For a parameter without bounds the coordinate is the parameter itself.
func (u *Uncertainty) intervals(p *Problem, q []float64) {
	half := (1 + p.Level) / 2
	if u.Freedom > 0 {
		u.quantile = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(u.Freedom)}.Quantile(half)
	} else {
		u.quantile = distuv.UnitNormal.Quantile(half)
	}
	for _, k := range u.Of {
		c := p.coordinates[k]
		at := c.inverse(q[k])
		_, slope, _ := c.natural(at)
		by := u.quantile * u.Errors[k] / math.Abs(slope)
		lo, _, _ := c.natural(at - by)
		hi, _, _ := c.natural(at + by)
		u.Lower[k], u.Upper[k] = min(lo, hi, q[k]), max(lo, hi, q[k])
	}
}
