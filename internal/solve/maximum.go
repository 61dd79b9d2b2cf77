package solve

// Optimum is the maximum of a function over a range.
type Optimum struct {
	X      float64
	XError float64 // uncertainty of X
	Value  float64
	End    int // -1: X is the lower bound; +1: the upper; 0: inside
	Evals  int // of f and of df together
}

// Maximum gives the largest value of f over [a, b], and where it is. df, the
// derivative of f, may be nil; with it X is precise, without it only Value is,
// and X within XError. f may be -Inf at some points. A maximum reached at two
// places, or all along a plateau, is a *Tie, returned together with the optimum:
// the value is good, the place is not unique. Other errors: *BadValue,
// *BadRange, *OutOfEvals, and those of f, df and Stop. a = b is a maximum at
// the lower end.
func Maximum(f, df Func, a, b float64, o Options) (Optimum, error) {
	panic("contract")
}
