// Package solve finds integrals, roots and maxima of functions of one real variable in double
// precision: the numerical algorithms behind integral, root, cutRoot, firstRoot, maxOver and
// argmaxOver in float mode.
//
// It is given functions that compute a value at a point, which may fail and may be expensive. It
// returns numbers with their uncertainty, or an error value that carries the best that is known.
// It must not know what the functions are: neither programs, nor derivatives, nor diagnostics.
//
// A search that sees a function only at points can be deceived by what lies between them, so
// uncertainties are estimates, not bounds. Each function documents how fine its first look is.
// Within that limit the uncertainties hold (the tests count the exceptions: fewer than one in a
// thousand, of integrals with several singularities), and whatever does not settle is an error.
package solve

import "math"

// Func computes a value at a point. An error ends the search, which returns it unchanged.
type Func = func(x float64) (float64, error)

// Options bound and tune a search. The zero value is the default.
type Options struct {
	// MaxEvals bounds the evaluations of the function (and, separately, of its derivative). 0
	// means DefaultMaxEvals.
	MaxEvals int
	// Tolerance is the uncertainty that integrals aim at, relative to the integral of the
	// absolute value. 0 means DefaultTolerance.
	Tolerance float64
	// Tie is the difference, relative to the size of the function, below which two maxima count
	// as equal. 0 means DefaultTie.
	Tie float64
}

// The defaults of Options.
const (
	DefaultMaxEvals  = 200_000
	DefaultTolerance = 1e-13
	DefaultTie       = 1e-11
)

func (o Options) withDefaults() Options {
	if o.MaxEvals <= 0 {
		o.MaxEvals = DefaultMaxEvals
	}
	if o.Tolerance <= 0 {
		o.Tolerance = DefaultTolerance
	}
	if o.Tie <= 0 {
		o.Tie = DefaultTie
	}
	return o
}

// meter counts the evaluations of one function and checks its values.
type meter struct {
	f     Func
	o     Options // with defaults
	what  Source
	evals int
}

func newMeter(f Func, what Source, o Options) *meter {
	return &meter{f: f, o: o, what: what}
}

// at evaluates the function. NaN is an error; the caller judges infinities.
func (m *meter) at(x float64) (float64, error) {
	if m.evals >= m.o.MaxEvals {
		return 0, errBudget
	}
	m.evals++
	y, err := m.f(x)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(y) {
		return 0, &BadValue{X: x, Value: y, Of: m.what}
	}
	return y, nil
}
