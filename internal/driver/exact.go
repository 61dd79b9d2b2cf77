package driver

import (
	"context"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Exactly says what is asked of an exact run.
type Exactly struct {
	Eps *big.Rat // the width of every real in the result

	// Watch, if it is there, is told what is known after each step.
	Watch func(exact.Progress)
}

// RunExact evaluates a unit's final expression, or its `main`, with reals that
// are enclosed to within a tolerance. Where that fails there is a diagnostic, and
// the result has the best enclosures that were reached, or no value.
func RunExact(ctx context.Context, u *Unit, s Settings, e Exactly) (Result, *diag.Diagnostic) {
	program, d := Prepare(u, s.Verify)
	if d != nil {
		return Result{}, d
	}
	limits := exact.Limits{Timeout: s.Limits.Timeout, Memory: s.Limits.Memory, Depth: s.Limits.Depth}
	v, d := exact.Run(ctx, program, exact.Options{Eps: e.Eps, Limits: limits, Watch: e.Watch})
	ty := typeOf(u)
	if _, isFunction := v.(value.Func); isFunction {
		v = value.Func{Type: ty}
	}
	return Result{Value: v, Type: ty}, d
}
