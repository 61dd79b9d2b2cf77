package search

import (
	"errors"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/solve"
)

// estimate is a number that was found by looking at points.
type estimate struct {
	value float64
	size  float64 // of what the value is made of, 0 if that is not known
}

// guess finds a real by the heuristics of package solve.
func (r *run) guess() (e estimate, d *diag.Diagnostic) {
	p := r.problem
	bounds := p.Bounds()
	e.size = r.reach()
	var err error
	switch p.Row() {
	case prim.Integral, prim.IntegralFrom:
		return r.quadrature()
	case prim.Root:
		a, b := bounds[0], bounds[1]
		e.value, err = solve.Root(r.value, r.slope, min(a, b), max(a, b), solve.Options{})
		return e, rootFailure(err)
	case prim.CutRoot:
		e.value, err = solve.Cut(r.value, r.slope, solve.Options{})
		return e, rootFailure(err)
	case prim.FirstRoot:
		e.value, err = solve.FirstRoot(r.value, r.slope, solve.Options{})
		return e, rootFailure(err)
	}
	best, err := solve.Maximum(r.value, r.slope, bounds[0], bounds[1], solve.Options{})
	if p.Row() == prim.ArgmaxOver {
		e.value = best.X
		return e, optimumFailure(err)
	}
	if errors.As(err, new(*solve.Tie)) {
		err = nil // the value is good
	}
	return estimate{best.Value, r.scale()}, optimumFailure(err)
}

// guessCrossing tells whether there seems to be a first root.
func (r *run) guessCrossing() (bool, *diag.Diagnostic) {
	yes, err := solve.Crosses(r.value, r.slope, solve.Options{})
	return yes, rootFailure(err)
}

// innerPoints is how many points an integral inside of an integrand looks at for an estimate that
// is to be certified: the certificate is as good without it, but for the last digits.
const innerPoints = 1 << 11

// quadrature is an integral by sums: the best there is if they do not converge.
func (r *run) quadrature() (estimate, *diag.Diagnostic) {
	bounds := r.problem.Bounds()
	o := solve.Options{}
	if !r.unguarded {
		if o.MaxEvals = innerPoints; r.depth == 1 {
			o.MaxEvals = mostCalls
		}
	}
	var e solve.Estimate
	var err error
	if len(bounds) > 1 {
		e, err = solve.Integrate(r.value, bounds[0], bounds[1], o)
	} else {
		e, err = solve.IntegrateFrom(r.value, bounds[0], o)
	}
	if no := new(solve.NoConvergence); !r.unguarded && errors.As(err, &no) &&
		no.Reason == solve.Budget {
		err = nil // it is an estimate
	}
	if e.Size == 0 && len(bounds) > 1 { // zero wherever it was looked at: some unit must do
		e.Size = math.Abs(bounds[1]-bounds[0]) * 0x1p-20
	}
	return estimate{e.Value, e.Size}, integralFailure(err)
}

// scale is how large the function is at the ends and in the middle of its range, 0 if that is not
// known.
func (r *run) scale() (size float64) {
	bounds := r.problem.Bounds()
	a, b := bounds[0], bounds[1]
	for _, x := range []float64{a, a + (b-a)/2, b} {
		if y, err := r.value(x); err == nil && !math.IsNaN(y) && !math.IsInf(y, 0) {
			size = max(size, math.Abs(y))
		}
	}
	return size
}

// reach is how large the numbers of the range are, 0 if that is not known.
func (r *run) reach() (size float64) {
	for _, bound := range r.problem.Bounds() {
		size = max(size, math.Abs(bound))
	}
	return size
}
