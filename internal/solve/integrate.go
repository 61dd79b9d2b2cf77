package solve

import "math"

// Estimate is the value of an integral.
type Estimate struct {
	Value float64
	Error float64 // the absolute uncertainty
	Size  float64 // roughly the integral of the absolute value
	Evals int
}

// Integrate returns the integral of f from a to b. The bounds are finite; reversed bounds negate.
// f is never evaluated at a or b (if there is a double between them), nor outside. It may have
// integrable singularities there (x^-1/2, log x), and kinks and jumps anywhere. Errors:
// *NoConvergence, *BadValue, *BadRange, and those of f.
//
// The first look is at 63 points, with neighbours at most (b-a)/25 apart. Narrower features may
// be missed.
//
// The uncertainty aimed at is Options.Tolerance, relative to the integral of the absolute value.
// If noise in the values of f, or the spacing of doubles, prevents that, up to 1e-8 is accepted.
// Error says what was reached.
func Integrate(f Func, a, b float64, o Options) (Estimate, error) {
	switch {
	case math.IsNaN(a-b) || math.IsInf(a-b, 0):
		return Estimate{}, &BadRange{a, b}
	case a == b:
		return Estimate{}, nil
	case a > b:
		e, err := Integrate(f, b, a, o)
		e.Value = -e.Value
		if failure, ok := err.(*NoConvergence); ok {
			failure.Best.Value = -failure.Best.Value
		}
		return e, err
	}
	g := newIntegrator(f, a, b, o)
	if err := g.addRange(a, b); err != nil {
		return g.fail(err)
	}
	return g.run()
}

// IntegrateFrom returns the integral of f from a (finite) to infinity; see Integrate. The first
// look is fine around a and grows with the distance from it: from a+1e-4 to a+4096 it sees what
// is wider than 1/10 of that distance. If f is zero at all of these points, it looks from a+1e-18
// to a+1e18.
func IntegrateFrom(f Func, a float64, o Options) (Estimate, error) {
	if math.IsNaN(a) || math.IsInf(a, 0) {
		return Estimate{}, &BadRange{a, math.Inf(1)}
	}
	// Doubles around a must resolve the first cell.
	e, err := integrateFrom(f, a, math.Max(0x1p-6, math.Abs(a)*0x1p-30), 6, o)
	if err != nil || e.Value != 0 || e.Error != 0 {
		return e, err
	}
	wide, err := integrateFrom(f, a, math.Max(0x1p-60, math.Abs(a)*0x1p-40), 40, o)
	wide.Evals += e.Evals
	return wide, err
}

func integrateFrom(f Func, a, scale float64, panels int, o Options) (Estimate, error) {
	g := newIntegrator(f, a, math.Inf(1), o)
	g.tails = append(g.tails, infiniteTail(a, scale, panels))
	if err := g.addRange(a, a+scale); err != nil {
		return g.fail(err)
	}
	return g.run()
}
