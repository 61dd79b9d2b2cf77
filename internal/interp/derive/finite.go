package derive

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// A derivative that is not finite is reported with the operation that made it.

const finiteHint = "`--check-finite=false` gives infinities and NaNs as results"

// checkFinite reports a component that is not finite, or all of them if they
// are the derivative of what has no value, with the operation that made it so:
// again sweeps for the derivative, on plain numbers.
func (j *differentiation) checkFinite(list []float64, undefined bool, again func(s *tape.Sweep) bool) *diag.Diagnostic {
	if j.m.Options().AllowInfinite {
		return nil
	}
	if undefined {
		return j.explain(math.NaN(), again)
	}
	for _, x := range list {
		if v := j.t.Value(tape.Present(x)); tape.NotFinite(v) {
			return j.explain(v, again)
		}
	}
	return nil
}

// undefined tells whether a real of the function's value is not a number
// although it depends on the point: 1 / x is no slope of log at -1. What the
// value is made of need not be looked at, if it has a value nevertheless.
func (j *differentiation) undefined(k int) bool {
	v, mask := j.t.Look(j.out.Reals[k])
	return v != v && mask&j.region.SelfMask != 0
}

// anyUndefined is the same of those reals of the value that take part.
func (j *differentiation) anyUndefined(takesPart func(k int) bool) bool {
	for k := range j.out.Reals {
		if takesPart(k) && j.undefined(k) {
			return true
		}
	}
	return false
}

// explain finds the operation whose derivative is not finite while what it was
// given is, by running the function once more, operation by operation, and then
// the place of it, by running it again.
func (j *differentiation) explain(v float64, again func(s *tape.Sweep) bool) *diag.Diagnostic {
	t := j.t
	what := "infinite"
	if math.IsNaN(v) {
		what = "not a number"
	}
	d := diag.Errorf(diag.NotFinite, diag.Span{}, "the derivative is %s", what)
	mode := t.Mode
	mode.Apart, mode.Full = true, true
	t.Within(mode, func() { j.locate(d, v, again) })
	return d.WithHint(finiteHint)
}

// locate says of a derivative that is not finite, and that is v, what it comes from.
func (j *differentiation) locate(d *diag.Diagnostic, v float64, again func(s *tape.Sweep) bool) {
	t := j.t
	j.end(false)
	if j.run() != nil {
		return
	}
	var at tape.Handle
	var operation string
	var infinite bool
	j.resolutions(func() bool {
		s, ok := t.NewSweep(j.region, false)
		if ok = ok && again(s); ok && at == 0 {
			if at, operation = s.Birth(); at == 0 {
				at, operation, infinite = s.Culprit(j.row == prim.Forward)
			}
		}
		return ok
	})
	if at == 0 {
		if j.anyUndefined(func(int) bool { return true }) {
			d.WithHint("nor is the value of the function")
		}
		return
	}
	d.WithHint("it comes from %s", operation)
	if math.IsNaN(v) && infinite {
		d.WithHint("an infinite slope times 0, or less another, has no value: only the limit could tell")
	}
	j.end(false)
	t.Watch = at
	failure := j.run()
	t.Watch = 0
	if failure == nil && t.Watched.Known() {
		d.Span = t.Watched
	}
}
