// Package grad differentiates functions of the loop form: Reverse makes the
// function that pulls cotangents back, Forward the one that pushes tangents
// forward. Both give functions of the loop form again, so that derivatives
// nest.
//
// It is given functions that verify, and the derivatives of the scalar
// operations as Rules. It emits derivatives that are right and of the right
// order of cost; to make them lean is left to package pass, which the caller
// runs before and after.
//
//	derivatives.go what is made of a function and of those that it calls; component.go recursive ones
//	reverser.go   the state of reverse mode; reverse.go its statements, loops.go loops
//	pusher.go     the state of forward mode; forward.go its statements, directions.go several
//	              directions at once
//	activity.go   which variables have derivatives; rule.go those of operations
//	ordered.go    functions in a form that is easier to reverse: replaced.go, summed.go and
//	              flatten.go too
//	same.go       comparisons that are decided although their sides are equal; literals.go those of constants
//	tape.go       loops with states, whose tapes saves.go and segments.go make smaller; pushed.go such
//	              loops with tangents instead
//	again.go      what a reversal runs again; idle.go what it need not
//	inplace.go    buffers that loops update; steady.go and measured.go their lengths, bounds.go and
//	              rowforms.go the rows that indices are in
//	calls.go      calls; ruled.go those of functions with derivatives of their own; written.go those that
//	              write to buffers; recursion.go, threading.go and counted.go those whose results are on a tape
//	masks.go      directions that do not matter; rows.go those of rows, uncleared.go memory of theirs
//	resolve.go    kinks; watch.go errors of approximations; narrow.go what they may not see
//
// A derivative has one more result, of kind Bool: Note [Ties].
package grad

import (
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Ties]
//
// Where a comparison of reals that vary is undecided, where max, min or abs has
// its kink and where a rounding jumps, the derivative depends on a choice
// that compiled code does not make. The last result of a derivative, tied,
// tells that it met such a point and that the choice matters: then its other results
// mean nothing, and the caller computes the derivative in another way. A slope that is not
// finite needs no flag: zero cotangents and tangents are multiplied like others, so
// that 0 · ∞ reaches the result as NaN.

// Reverse is the reverse derivative of f, a function of p, by the parameters that are wanted,
// which hold doubles. It is a function of the parameters of f and of the cotangents of those
// of f's results that hold doubles. Its results are those of f, the cotangents of the
// wanted parameters, and tied. If f calls functions, their derivatives are added to p.
func Reverse(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	all := make([]bool, len(f.Body.Yield))
	for i, a := range f.Body.Yield {
		all[i] = isReal(a.AtomKind())
	}
	return d.reverse(f, calling{wanted: wanted, results: all}, false), nil
}

// Forward is the forward derivative of f, a function of p, by the parameters that are wanted,
// which hold doubles. It is a function of the parameters of f and of the tangents of the wanted
// ones. Its results are those of f, the tangents of those that hold doubles, and tied. If f calls
// functions, their derivatives are added to p.
func Forward(p *loop.Program, f *loop.Func, wanted []bool, rules Rules) (out *loop.Func, err error) {
	return Along(p, f, wanted, make([]bool, len(wanted)), rules)
}

// Along is Forward in directions in which the tangents of some wanted parameters, which are
// scalars, are zero: they are left out of the arithmetic, and are parameters that nothing reads.
func Along(p *loop.Program, f *loop.Func, wanted, zero []bool, rules Rules) (out *loop.Func, err error) {
	if err := wantable(f, wanted); err != nil {
		return nil, err
	}
	defer caught(f, &err)
	d := newDerivatives(p, rules)
	return d.forward(f, wanted, nil, zero), nil
}

func wantable(f *loop.Func, wanted []bool) error {
	if len(wanted) != len(f.Params) {
		return fmt.Errorf("grad: %d choices for the %d parameters of %s", len(wanted), len(f.Params), f.Name)
	}
	for i, p := range f.Params {
		if wanted[i] && !isReal(p.Kind) {
			return fmt.Errorf("grad: the parameter %s of %s holds no doubles", p.Name, f.Name)
		}
	}
	return nil
}
