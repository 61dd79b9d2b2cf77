package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Residuals holds the analysis of the residuals of a prediction.
type Residuals struct {
	Observed, Predicted []float64
	// internally studentised residuals: divided by their standard deviations
	Standard []float64
	Leverage []float64
	Band     []float64 // standard errors of the predictions; nil if there are none

	RSquared     float64
	DurbinWatson float64 // near 2 if neighbours are not correlated
	// the probability of a number of runs of one sign at least as extreme, if signs are
	// independent
	Runs float64
	// the probability of a skewness and kurtosis at least as far from normal (Jarque and Bera)
	Normality float64
	Outliers  []int // rows, from 1, with an improbable standardised residual
}

// residuals analyses the residuals of an estimate.
func (p *Problem) residuals(ctx context.Context, q []float64, l *linear,
	u *Uncertainty) (*Residuals, error) {
	predicted, slopes, err := p.predictions(ctx, q)
	if err != nil {
		return nil, err
	}
	observed, err := p.observations(ctx)
	if err != nil {
		return nil, err
	}
	r := &Residuals{Observed: observed, Predicted: predicted, DurbinWatson: math.NaN()}
	n := len(l.r)
	mean, total, rest := 0.0, 0.0, 0.0
	off := slices.Clone(observed)
	for k, y := range predicted {
		off[k] -= y
	}
	seen := p.counts(observed)
	for _, y := range seen {
		mean += y / float64(len(seen))
	}
	for _, y := range seen {
		total += (y - mean) * (y - mean)
	}
	for _, e := range p.counts(off) {
		rest += e * e
	}
	// the response is constant, so there is no variance to explain
	if r.RSquared = 1 - rest/total; !(total > 0) {
		r.RSquared = math.NaN()
	}
	used := p.counts(l.r)
	r.standardise(l, u, len(used))
	r.Band = u.band(slopes)
	responses := max(1, n/p.Rows)
	r.neighbours(byResponse(used, responses))
	r.normality(used)
	limit := distuv.UnitNormal.Quantile(1 - 0.005/float64(n))
	for k, s := range r.Standard {
		row := k/responses + 1
		if math.Abs(s) > limit && !slices.Contains(r.Outliers, row) {
			r.Outliers = append(r.Outliers, row)
		}
	}
	return r, nil
}

// band returns the standard errors of predictions, given their Jacobian, or nil if there are
// none.
func (u *Uncertainty) band(slopes [][]float64) (errors []float64) {
	if u.Covariance == nil {
		return nil
	}
	for _, row := range slopes {
		errors = append(errors, math.Sqrt(u.variance(row)))
	}
	return errors
}

// variance returns the variance of a linear function of the estimates.
func (u *Uncertainty) variance(slope []float64) float64 {
	own := mat.NewVecDense(len(u.Of), nil)
	for i, k := range u.Of {
		own.SetVec(i, slope[k])
	}
	return mat.Inner(own, u.Covariance, own)
}

func (r *Residuals) standardise(l *linear, u *Uncertainty, used int) {
	deviation := math.Sqrt(l.squares / float64(max(1, used-len(u.Of))))
	r.Standard, r.Leverage = make([]float64, len(l.r)), make([]float64, len(l.r))
	var hat mat.Dense
	if m, n := len(l.r), len(u.Of); n > 0 && m >= n {
		a := mat.NewDense(m, n, nil)
		for i := range m {
			for j, k := range u.Of {
				a.Set(i, j, l.j[i][k])
			}
		}
		var svd mat.SVD
		if svd.Factorize(a, mat.SVDThin) {
			svd.UTo(&hat)
		}
	}
	for i, e := range l.r {
		if !hat.IsEmpty() {
			for j := range len(u.Of) {
				r.Leverage[i] += hat.At(i, j) * hat.At(i, j)
			}
		}
		if r.Standard[i] = e / deviation / math.Sqrt(max(1e-12, 1-r.Leverage[i])); deviation == 0 {
			r.Standard[i] = 0
		}
	}
}

// byResponse reorders the residuals of several responses: first all those of the first response,
// then those of the next.
func byResponse(e []float64, responses int) (sorted []float64) {
	for k := range responses {
		for i := k; i < len(e); i += responses {
			sorted = append(sorted, e[i])
		}
	}
	return sorted
}

// neighbours tests for correlation between neighbouring residuals.
func (r *Residuals) neighbours(e []float64) {
	steps, squares := 0.0, e[0]*e[0]
	runs, up, down := 1.0, 0.0, 0.0
	for k, x := range e {
		if x > 0 {
			up++
		} else {
			down++
		}
		if k > 0 {
			steps += (x - e[k-1]) * (x - e[k-1])
			squares += x * x
			if (x > 0) != (e[k-1] > 0) {
				runs++
			}
		}
	}
	r.DurbinWatson = steps / squares
	n := up + down
	expected := 2*up*down/n + 1
	variance := (expected - 1) * (expected - 2) / (n - 1)
	if r.Runs = 1; variance > 0 {
		r.Runs = math.Erfc(math.Abs(runs-expected) / math.Sqrt(2*variance))
	}
}

func (r *Residuals) normality(e []float64) {
	n := float64(len(e))
	mean := 0.0
	for _, x := range e {
		mean += x / n
	}
	var m2, m3, m4 float64
	for _, x := range e {
		d := x - mean
		m2, m3, m4 = m2+d*d/n, m3+d*d*d/n, m4+d*d*d*d/n
	}
	skew, excess := m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
	r.Normality = math.Exp(-n / 12 * (skew*skew + excess*excess/4))
}
