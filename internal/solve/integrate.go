package solve

// Estimate is the value of an integral, component by component.
type Estimate struct {
	Values []float64
	Errors []float64 // the uncertainty of each, absolute
	Evals  int
}

// Integrate gives the integral of f from a to b, all components at once. The
// bounds are finite; reversed bounds negate. f is never evaluated at a or b,
// nor outside; it may have integrable singularities there (x^-1/2, log x) and
// kinks and jumps anywhere. Errors: *NoConvergence, *BadValue, *BadRange, and
// those of f and of Stop.
//
// The first look is at 63 points, no two neighbours further apart than
// (b-a)/25. What is narrower may be missed.
func Integrate(f VectorFunc, a, b float64, o Options) (Estimate, error) {
	panic("contract")
}

// IntegrateFrom gives the integral of f from a (finite) to infinity; see
// Integrate. The first look is fine around a and grows with the distance from
// it: from a+1e-4 to a+4096 it sees what is wider than 1/10 of that distance.
func IntegrateFrom(f VectorFunc, a float64, o Options) (Estimate, error) {
	panic("contract")
}
