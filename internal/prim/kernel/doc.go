// Package kernel evaluates the elementary and special functions over doubles.
// Go's package math does so on its own for some of them; for the others it has
// holes (results that are wrong by many digits, or infinite too early), which
// are filled here, mostly by computing in double-double. Every function is
// within 4 ulp of the true value, or within 1e-15 where that is larger near a
// zero of the special functions, and follows IEEE 754 at special arguments.
//
// The package knows nothing of the language. It is the one place to replace
// when better kernels come along.
package kernel
