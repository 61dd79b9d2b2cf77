package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Result is the result of a fit.
type Result struct {
	*Problem
	Method  string
	Q       []float64 // the estimates; with draws, their means
	Loss    float64
	Reason  reason
	Ends    []End
	History []Record
	*Uncertainty
	Profiles    []Profile
	Draws       *Draws       // draws of the posterior, or nil
	Certificate *Certificate // the proof of the minimum, or nil if none was asked for
	Global      *Global      // what is proved of the least minimum, or nil
	Residuals   *Residuals   // the analysis of residuals, for predictions
	linear      *linear
}

// Converged reports whether the method ended at a minimum.
func (r *Result) Converged() bool {
	if r.Draws != nil {
		return r.Reason == stepsAreDone && r.Draws.converged()
	}
	return r.Reason.converged()
}

// Ended reports whether the method did everything it was asked for.
func (r *Result) Ended() bool {
	return (r.Converged() || r.Reason == stepsAreDone) && r.halted() == goOn
}

// halted returns why the last start was stopped before its end, or goOn.
func (r *Result) halted() reason {
	if len(r.Ends) == 0 {
		return goOn
	}
	if last := r.Ends[len(r.Ends)-1].Reason; last == interrupted || last == outOfTime {
		return last
	}
	return goOn
}

// Fit fits a model. If something is wrong it reports that to sink and returns nil.
func Fit(ctx context.Context, w *driver.World, u *driver.Unit, o Options, s driver.Settings,
	c Control, sink *diag.List) *Result {
	r, d := fit(ctx, w, u, o, s, c, sink)
	sink.Add(d)
	if sink.Failed() {
		return nil
	}
	return r
}

func fit(ctx context.Context, w *driver.World, u *driver.Unit, o Options, s driver.Settings,
	c Control, sink *diag.List) (*Result, *diag.Diagnostic) {
	if o.Robust != "" && o.Kind != Prediction {
		return nil, refuse(option("--robust", o.Robust),
			"a %s is used as it is; only a prediction has residuals for --robust", kindName[o.Kind])
	}
	if o.Robust != "" && o.Scale == 0 {
		scale, d := residualScale(ctx, w, u, o, s, c, sink)
		if d != nil || sink.Failed() {
			return nil, d
		}
		o.Scale = scale
	}
	// Sampling a posterior requires the standard deviation of the response.
	noise := o.Kind == Prediction && o.Sigma == "" && (o.Method == "nuts" || len(o.Priors) > 0)
	p := New(ctx, w, u, o, noise, s, sink)
	if p == nil {
		return nil, nil
	}
	p.evaluates = c.evaluates
	if o.Kind == Prediction {
		e, err := p.errors(ctx, p.Start)
		if err != nil {
			return nil, p.atStart(err)
		}
		if d := p.outOfRange("start", e); d != nil {
			return nil, d
		}
		if noise {
			p.startNoise(p.counts(e))
		}
	}
	name := o.Method
	switch {
	case name != "":
	case o.Batch > 0 || o.Rate != 0: // only descents have these options
		name = "adam"
	default:
		name = p.suits()
	}
	if d := p.fits(name); d != nil {
		return nil, d
	}
	if o.Batch > 0 && !p.Batched() {
		return nil, refuse(p.text.at,
			"`%s` takes all rows at once, so there are no batches of them", o.Function)
	}
	st := &state{Method: name}
	if c.Checkpoint != nil {
		key, d := p.key(name)
		if d != nil {
			return nil, d
		}
		saved, d := c.Checkpoint.load(key)
		if d != nil {
			return nil, d
		}
		if st.Key = key; saved != nil {
			st, p.count = saved, saved.Evaluations
		}
	}
	if name == "nuts" {
		return p.posterior(ctx, st, c)
	}
	if d := p.minimise(ctx, name, st, c); d != nil {
		return nil, d
	}
	r, d := p.result(ctx, name, st)
	if d == nil && len(o.Profile) > 0 {
		d = r.profile(ctx)
	}
	return r, d
}

// fits refuses options that the named method does not have.
func (p *Problem) fits(name string) *diag.Diagnostic {
	descends := name == "adam" || name == "sgd"
	switch {
	case name == "lm" && !p.sumOfSquares():
		return refuse(option("--method", name),
			"the method of Levenberg and Marquardt is for predictions without priors").
			WithHint("newton and lbfgs minimise anything")
	case p.Batch > 0 && !descends:
		return refuse(option("--batch", strconv.Itoa(p.Batch)),
			"%s takes all rows in each step; adam and sgd take batches", name)
	case p.Rate != 0 && !descends:
		return refuse(option("--rate", fmt.Sprint(p.Rate)),
			"%s finds the size of its steps; adam and sgd are given one", name)
	case name == "nuts" && len(p.Profile) > 0:
		return refuse(option("--profile", strings.Join(p.Profile, ",")),
			"nuts draws from the posterior, whose quantiles serve as intervals; profiles are of "+
				"a minimum")
	case name == "nuts" && p.Starts > 1:
		return refuse(option("--starts", strconv.Itoa(p.Starts)),
			"nuts has --chains, which start at random points")
	}
	return nil
}

// result returns the result of a run that has ended.
func (p *Problem) result(ctx context.Context, name string, st *state) (*Result, *diag.Diagnostic) {
	best := st.Fit.best()
	r := &Result{Problem: p, Method: name, Q: best.At, Loss: best.Loss, Reason: best.Reason,
		Ends: st.Fit.Ends, History: st.Fit.History}
	return r, r.describe(ctx)
}

// describe computes the uncertainty and everything else that is reported about the estimate.
func (r *Result) describe(ctx context.Context) *diag.Diagnostic {
	p, n := r.Problem, len(r.Q)
	unsure := &Uncertainty{Errors: unknown(n), Lower: unknown(n), Upper: unknown(n)}
	if !r.Reason.converged() && r.Reason != stepsAreDone {
		unsure.warnf("the fit has not converged: %s", r.Reason)
	}
	if why := r.halted(); why != goOn && r.Reason != why {
		unsure.warnf("only %d of %d starts have ended: %s", len(r.Ends)-1, p.Starts, why)
	}
	over := func(why reason) *diag.Diagnostic {
		r.Uncertainty = unsure
		r.warnf("there are no standard errors: %s", why)
		return nil
	}
	if stopped(ctx) == outOfTime { // there is no time for further evaluations
		return over(outOfTime)
	}
	// After Ctrl-C, what is known so far is reported as usual.
	ctx, done := stop.After(ctx, lastWords)
	defer done()
	if p.Kind == Prediction {
		l, err := p.linear(ctx, r.Q)
		if why := halted(ctx, err); why != goOn {
			return over(why)
		} else if err != nil {
			return p.atStart(err)
		}
		if d := p.outOfRange("estimate", l.r); d != nil {
			return d
		}
		r.linear = l
	}
	var err error
	if r.Uncertainty, err = p.uncertainty(ctx, r.Q, r.linear); halted(ctx, err) != goOn {
		_ = over(halted(ctx, err))
	} else if err != nil {
		r.Uncertainty = unsure
		r.warnf("there are no standard errors: %v", err)
	} else {
		r.Warnings = append(r.Warnings, unsure.Warnings...)
	}
	if p.Kind == Prediction {
		if r.Residuals, err = p.residuals(ctx, r.Q, r.linear, r.Uncertainty); err != nil {
			r.warnf("the residuals are not analysed: %v", err)
		}
	}
	return nil
}

// startNoise starts the standard deviation of the response at the standard deviation of the
// residuals.
func (p *Problem) startNoise(residuals []float64) {
	sigma := norm(residuals) / math.Sqrt(float64(len(residuals)))
	if c := p.coordinates[len(p.Start)-1]; c.lo < sigma && sigma < c.hi {
		p.Start[len(p.Start)-1] = sigma
	}
}

// residualScale estimates the residual from which on a robust loss treats residuals as outliers.
// It is a multiple of the standard deviation, which is estimated by the median of the absolute
// residuals of the least-squares fit.
func residualScale(ctx context.Context, w *driver.World, u *driver.Unit, o Options,
	s driver.Settings, c Control, sink *diag.List) (float64, *diag.Diagnostic) {
	kind := robust[o.Robust]
	plain := o
	plain.Robust, plain.Method, plain.Priors, plain.Starts, plain.Profile = "", "", nil, 0, nil
	plain.Batch, plain.Rate = 0, 0
	r, d := fit(ctx, w, u, plain, s, Control{evaluates: c.evaluates}, sink)
	if d != nil || r == nil {
		return 0, d
	}
	if ctx.Err() != nil { // a fit that was cut short gives a wrong scale
		return 0, stop.Why(ctx).WithHint(
			"it was estimating the scale of the residuals; --scale S gives it")
	}
	sizes := slices.Clone(r.counts(r.linear.r))
	for k, e := range sizes {
		sizes[k] = math.Abs(e)
	}
	slices.Sort(sizes)
	scale := kind.scale * sizes[len(sizes)/2] / 0.6745
	if scale == 0 {
		return 0, refuse(option("--robust", o.Robust),
			"at least half of the residuals are 0, so their scale cannot be estimated").
			WithHint("give it: --scale S")
	}
	return scale, nil
}
