package solve

// Root gives the zero of f between a <= b, where f has opposite signs (or is
// zero at one of them, which then is the root; a before b). df, the derivative
// of f, may be nil. Of the doubles around the crossing it is the one where |f|
// is smallest. f may be infinite at some points, since only its sign counts
// there. Errors: *NoSignChange, *Jump, *FlatZero, *BadValue, *BadRange,
// *OutOfEvals, and those of f, df and Stop.
func Root(f, df Func, a, b float64, o Options) (float64, error) {
	panic("contract")
}

// Cut gives the zero of a function on the whole line that is positive to the
// left of it and negative to the right. The errors are those of Root and
// *WrongSigns.
func Cut(f, df Func, o Options) (float64, error) {
	panic("contract")
}
