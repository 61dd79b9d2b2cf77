package search

import (
	"errors"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/solve"
)

// failureOf gives the diagnostic of a function that a search called, or of an
// interrupted search; otherwise a new one with the given code.
func failureOf(err error, code diag.Code) *diag.Diagnostic {
	if err == nil {
		return nil
	}
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return d
	}
	return diag.Errorf(code, diag.Span{}, "%s", err)
}

func integralFailure(err error) *diag.Diagnostic {
	d := failureOf(err, diag.NoIntegral)
	var no *solve.NoConvergence
	if !errors.As(err, &no) {
		return d
	}
	d.Message = "the integral does not converge"
	d.WithHint("the best estimate is %v, with an uncertainty of %v", no.Best.Value, no.Best.Error)
	switch no.Reason {
	case solve.Singular:
		d.WithHint("the integrand has a singularity near %v that is not integrable, or too strong "+
			"for doubles", no.At)
	case solve.SlowTail:
		if math.IsInf(no.At, 0) { // of which sign, a reflection of the integrand hides
			d.WithHint("the integrand decays too slowly towards infinity")
		} else {
			d.WithHint("the integrand decays too slowly towards %v", no.At)
		}
	case solve.Noisy:
		d.WithHint("the values of the integrand near %v are too noisy", no.At)
	case solve.Overflow:
		d.WithHint("a sum is beyond the range of doubles")
	}
	return d
}

func rootFailure(err error) *diag.Diagnostic {
	d := failureOf(err, diag.NoRoot)
	var same *solve.NoSignChange
	var signs *solve.WrongSigns
	var touch *solve.Touch
	switch {
	case errors.As(err, &same):
		d.WithHint("nearest to zero it is %v, at %v", same.FX, same.X)
	case errors.As(err, &signs):
		d.WithHint("for a range and any signs there is `root a b f`")
	case errors.As(err, &touch):
		d.WithHint("a touch cannot be told from two crossings or none in doubles")
		d.WithHint("in exact mode the first root is the interval from the touch to the crossing, " +
			"or to 1")
	}
	return d
}

func optimumFailure(err error) *diag.Diagnostic {
	d := failureOf(err, diag.NoOptimum)
	var best *solve.OutOfEvals
	if errors.As(err, new(*solve.Tie)) {
		d.WithHint("an optimum has a place only if one point reaches it; `maxOver` and `minOver` " +
			"give its value")
	}
	if errors.As(err, &best) { // whose value may be that of a reflection
		d.Message = fmt.Sprintf("no optimum after %d evaluations; the best place so far is %v",
			best.Evals, best.X)
	}
	return d
}

// uncertified is the error that a search could not be certified.
func uncertified(why *diag.Diagnostic, what string) *diag.Diagnostic {
	d := diag.Errorf(diag.NotCertified, diag.Span{},
		"this search could not be certified on doubles: %s", what)
	if why != nil {
		d.WithHint("%s", why.Message)
		d.Hints = append(d.Hints, why.Hints...)
	}
	return d.WithHint("exact mode (`--exact`, `--eps 1e-9`) tries harder; `--unguarded` gives " +
		"what heuristics find")
}
