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
	"fmt"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

// ErrNotCovered says that a function is not of the kind that can be
// differentiated as a whole (for Pullback: a while loop, a call, a data type, a
// function value). The error that wraps it says what stands in the way. Its
// users have a general, slower way: to record the operations as they run.
var ErrNotCovered = errors.New("not covered by differentiation as a whole")

// Pullback differentiates fun, a closed function of first-order arguments
// whose body is made of scalar primitives, choices and whole-array operations:
// Map, Build, Reduce, Scan, Loop over a range or an array, Index, Slice, and
// the structural and array rows of the table. The result takes fun's arguments
// and then a cotangent of its result, and gives the tuple of the cotangents of
// fun's arguments, unit for an argument without reals; for one argument it
// gives its cotangent alone.
//
// A cotangent of a value has the type of the value; its leaves that are not
// real are 0 or false, or arbitrary where it is an argument. What the result
// gives is specified where fun has a value. At a kink it follows the table,
// but for a fold by max or min, which goes to the first of equals. The cost is
// that of fun times a constant, for a given depth of nested loops: Note [Loops
// in reverse].
func Pullback(fun *core.Lambda) (*core.Lambda, error) { return PullbackFor(fun, nil) }

// PullbackFor is Pullback for those arguments of fun that are wanted, all if
// it is nil; the cotangents of the others are unit too.
func PullbackFor(fun *core.Lambda, wanted []bool) (pullback *core.Lambda, err error) {
	defer recoverNotCovered(&err)
	fun = core.NewCopier(nil).Lambda(fun)
	varied := &activity{has: map[*core.Var]bool{}}
	r := newReverser(&emitter{defs: map[*core.Var]core.Op{}}, varied)
	for i, p := range fun.Params {
		r.home[p] = true
		if wanted == nil || wanted[i] {
			varied.mark(p)
		}
	}
	body := r.e.forward(fun.Body, varied)
	br := core.NewVar("br", body.Result.Type())
	r.reverse(body, whole(br))
	results := make([]core.Atom, len(fun.Params))
	for i, p := range fun.Params {
		results[i] = core.UnitLit()
		if varied.has[p] {
			results[i] = r.e.value(r.take(p), p)
		}
	}
	result := r.e.tuple(results)
	params := append(fun.Params[:len(fun.Params):len(fun.Params)], br)
	return clean(&core.Lambda{Params: params, Body: r.e.Block(result)}), nil
}

// Pushforward is the transpose of Pullback: the result takes fun's arguments
// and then their tangents, unit for an argument without reals, and gives the
// tangent of fun's result, unit if that has no reals. It is what Forward
// computes for the tangent, without the value and the flag: where that would say that the
// tangent is not to be used, leaves of it are infinite or NaN, or it is that of the branch taken.
func Pushforward(fun *core.Lambda) (*core.Lambda, error) {
	dual, err := Forward(&core.Program{}, core.NewCopier(nil).Lambda(fun))
	if err != nil {
		return nil, err
	}
	if len(dual.Defs) != 1 {
		return nil, fmt.Errorf("%w: calls", ErrNotCovered)
	}
	both := dual.Defs[0].Function()
	var b core.Builder
	b.Add(both.Body.Stmts...)
	tangent := b.Emit("d", &core.Proj{Of: both.Body.Result, Index: 1}, diag.Span{})
	return clean(&core.Lambda{Params: both.Params, Body: b.Block(tangent)}), nil
}

// ForwardName is the definition that Forward makes of its function.
const ForwardName = "forward"

// Forward translates fun, a closed first-order function that may call the
// definitions of p, to dual numbers: each real is computed together with its
// tangent, in one pass and with the memory of the function. Loops, recursive
// definitions and data types are translated; function values, and data types
// with reals in an argument or the result, are not covered.
//
// The definition ForwardName of the program that it gives takes fun's
// arguments and then their tangents (unit for one without reals). It gives
// fun's value, its tangent (unit if it has no reals), and whether a
// comparison or a rounding of reals that may vary was met at a tie. Where a
// max, min or abs was at a kink that matters, or a slope was infinite or
// multiplied to NaN, leaves of the tangent are infinite or NaN. In all these
// cases the tangent is not to be used.
func Forward(p *core.Program, fun *core.Lambda) (*core.Program, error) {
	return ForwardFor(p, fun, nil)
}

// ForwardFor is Forward for those arguments of fun that vary, all if it is
// nil; the tangents of the others are unit too. What does not vary has no
// tangents to compute and meets no ties.
func ForwardFor(p *core.Program, fun *core.Lambda, varying []bool) (dual *core.Program, err error) {
	defer recoverNotCovered(&err)
	return newDualizer(p).program(fun, varying), nil
}

// notCovered is what the transformations panic with, and recoverNotCovered
// turns into an error.
type notCovered struct {
	at   diag.Span
	what string
}

func recoverNotCovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case notCovered:
		*err = fmt.Errorf("%w: %s at %s", ErrNotCovered, r.what, r.at)
	default:
		panic(r)
	}
}

// clean simplifies a derivative: what nothing needs is dropped, tuples that
// are taken apart where they are made are gone, arrays made for one operation
// are fused with it.
func clean(fun *core.Lambda) *core.Lambda {
	fun.Body.Stmts = live(fun.Body.Stmts, fun.Body.Result)
	const name = "derivative"
	p := &core.Program{Defs: []*core.Def{core.FunDef(name, nil, fun, diag.Span{})}}
	p = opt.Simplify(p, opt.Options{Roots: []string{name}})
	fun = p.Defs[0].Function()
	fun.Body.Stmts = live(fun.Body.Stmts, fun.Body.Result)
	return fun
}
