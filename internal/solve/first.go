package solve

// FirstRoot gives the first zero of f in [0, 1] at which f changes its sign,
// in either direction; a zero at 0, and one at 1 if there is none before, count
// too. df may be nil. Errors: those of Root, and *Touch. Two crossings closer
// than 1/128 are found where f, or df, shows between them that f turns.
func FirstRoot(f, df Func, o Options) (float64, error) {
	panic("contract")
}

// Crosses tells whether FirstRoot has an answer. The errors are those of
// FirstRoot but for *NoSignChange; *Jump counts as crossing.
func Crosses(f, df Func, o Options) (bool, error) {
	panic("contract")
}
