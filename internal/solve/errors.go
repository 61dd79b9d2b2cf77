package solve

import (
	"errors"
	"fmt"
	"math"
)

// Source says which function an error is about.
type Source int

const (
	// Function is the function that is searched.
	Function Source = iota
	// Derivative is its given derivative.
	Derivative
)

func (s Source) String() string {
	if s == Derivative {
		return "derivative"
	}
	return "function"
}

// BadValue reports a NaN, or an infinity where a number is needed.
type BadValue struct {
	X     float64 // where
	Value float64 // NaN or an infinity
	Of    Source
}

func (e *BadValue) Error() string {
	if math.IsInf(e.Value, 0) {
		// no sign, because it may be that of a reflection
		return fmt.Sprintf("the %s is infinite at %v", e.Of, e.X)
	}
	return fmt.Sprintf("the %s is %v at %v", e.Of, e.Value, e.X)
}

// Reason says why an integral did not settle.
type Reason int

const (
	// Budget: the evaluations allowed are used up.
	Budget Reason = iota
	// Singular: the integrand has a singularity near At that is not integrable,
	// or too strong for doubles.
	Singular
	// SlowTail: the integrand decays too slowly towards At (an end or infinity)
	// for the integral to exist, or for its value to be found.
	SlowTail
	// Noisy: the values of the integrand near At are too noisy.
	Noisy
	// Overflow: a sum is beyond the range of doubles.
	Overflow
)

func (r Reason) String() string {
	return [...]string{"out of evaluations", "singularity", "slow decay", "noisy values",
		"overflow"}[r]
}

// NoConvergence reports an integral that did not settle.
type NoConvergence struct {
	Best   Estimate // the best known estimate; its Error may be +Inf
	Reason Reason
	At     float64 // where the trouble is; may be an infinity
}

func (e *NoConvergence) Error() string {
	return fmt.Sprintf("the integral does not converge (%s near %v): %v ± %v", e.Reason, e.At,
		e.Best.Value, e.Best.Error)
}

// NoSignChange reports a function that has the same sign wherever it was evaluated.
type NoSignChange struct {
	A, B     float64 // where it was looked at
	FA, FB   float64 // the values there
	X, FX    float64 // the place where it was nearest to zero, and its value there
	Searched int     // how many places were evaluated
}

func (e *NoSignChange) Error() string {
	return fmt.Sprintf("no sign change between %v and %v, where the function is %v and %v", e.A,
		e.B, e.FA, e.FB)
}

// Jump reports a sign change between neighbouring doubles Lo and Hi that is not a zero: the
// function jumps over zero, or has a pole there.
type Jump struct {
	Lo, Hi   float64
	FLo, FHi float64
	Pole     bool
}

func (e *Jump) Error() string {
	how := "jumps"
	if e.Pole {
		how = "has a pole"
	}
	return fmt.Sprintf("the function changes sign at %v without a zero: it %s from %v to %v", e.Lo,
		how, e.FLo, e.FHi)
}

// FlatZero reports a function that is zero all the way from Lo to Hi, so that there is no single
// root.
type FlatZero struct{ Lo, Hi float64 }

func (e *FlatZero) Error() string {
	return fmt.Sprintf("the function is zero from %v to %v", e.Lo, e.Hi)
}

// WrongSigns reports a function given to Cut that is not positive to the left and negative to the
// right. The signs found are -1, 0 or 1.
type WrongSigns struct {
	Left, Right         float64 // the places looked at
	LeftSign, RightSign int
}

func (e *WrongSigns) Error() string {
	name := map[int]string{-1: "negative", 0: "zero", 1: "positive"}
	return fmt.Sprintf("the function is %s at %v and %s at %v; it must be positive to the left "+
		"and negative to the right",
		name[e.LeftSign], e.Left, name[e.RightSign], e.Right)
}

// Touch reports a function that comes as near to zero as roundoff lets one tell, at X, before it
// crosses zero at Crossing (NaN if it never crosses).
type Touch struct {
	X, FX    float64
	Crossing float64
}

func (e *Touch) Error() string {
	if math.IsNaN(e.Crossing) {
		return fmt.Sprintf("the function touches zero at %v (it is %v there) and does not cross it",
			e.X, e.FX)
	}
	return fmt.Sprintf("the function touches zero at %v (it is %v there) before it crosses zero "+
		"at %v", e.X, e.FX, e.Crossing)
}

// Tie reports a maximum that is reached at two distant places X and Other, as nearly as can be
// told, or, if Plateau, all the way between them.
type Tie struct {
	X, Other          float64
	Value, OtherValue float64 // the larger one first; X is its place
	Plateau           bool
}

// Error gives no values, because it also serves minima, which are maxima of the reflected
// function.
func (e *Tie) Error() string {
	if e.Plateau {
		return fmt.Sprintf("the optimum is reached all the way from %v to %v", e.X, e.Other)
	}
	return fmt.Sprintf("the optimum is reached at %v and, as nearly as doubles can tell, at %v",
		e.X, e.Other)
}

// OutOfEvals reports a search for a root or a maximum that used up its evaluations. The best
// known place is X. The result is between Lo and Hi if these are not NaN.
type OutOfEvals struct {
	Evals  int
	X, FX  float64
	Lo, Hi float64
}

func (e *OutOfEvals) Error() string {
	return fmt.Sprintf("no result after %d evaluations; the best so far is %v, where the "+
		"function is %v", e.Evals, e.X, e.FX)
}

// BadRange reports an invalid range: a bound that is NaN or infinite, or a lower bound above the
// upper one.
type BadRange struct{ A, B float64 }

func (e *BadRange) Error() string {
	return fmt.Sprintf("there is no range from %v to %v", e.A, e.B)
}

// errBudget says that a meter has used up its evaluations. It does not leave the package.
var errBudget = errors.New("out of evaluations")
