package driver

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Exactly holds the options of an exact run.
type Exactly struct {
	Eps *big.Rat // the width of every real in the result

	// Watch, if not nil, receives the progress after each step. With Stream there are more steps.
	Watch  func(exact.Progress)
	Stream bool

	// Boxes and Patient are about searches in boxes: see exact.Options.
	Boxes   *exact.BoxWatch
	Patient bool
}

// MaxDigits bounds the digits that may be asked for. More would take hours for any program.
const MaxDigits = 100_000

// ParseEps parses a tolerance, such as 0.001 or 1e-10.
func ParseEps(text string) (*big.Rat, error) {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	// a longer exponent would take longer to read than to use
	if len(strings.TrimLeft(exponent, "+-")) <= 6 {
		if eps, ok := new(big.Rat).SetString(text); ok && eps.Sign() > 0 && eps.Denom().BitLen() <
			4*MaxDigits {
			return eps, nil
		}
	}
	return nil, fmt.Errorf("`%s` is not a tolerance; write 0.001 or 1e-10", text)
}

// ParseDigits parses a number of digits after the point. It returns the tolerance 1e-digits.
func ParseDigits(text string) (*big.Rat, error) {
	if n, err := strconv.Atoi(text); err == nil && 0 < n && n <= MaxDigits {
		return ParseEps("1e-" + strconv.Itoa(n))
	}
	return nil, fmt.Errorf("`%s` is not a number of digits from 1 to %d", text, MaxDigits)
}

// RunExact evaluates a unit's final expression, or its `main`, and encloses the reals of the
// result to within a tolerance. If that fails it returns a diagnostic, and a result with the best
// enclosures that were reached, or without a value.
func RunExact(ctx context.Context, u *Unit, s Settings, e Exactly) (Result, *diag.Diagnostic) {
	linked, d := Link(u)
	if d != nil {
		return Result{}, d
	}
	warnings := approximations(u, linked)
	v, d := runExact(ctx, u, linked, s, e)
	ty := typeOf(u)
	if _, isFunction := v.(value.Func); isFunction {
		v = value.Func{Type: ty}
	}
	return Result{Value: v, Type: ty, Of: resultType(u), Warnings: warnings}, d
}

// runExact evaluates the Main of a linked program.
func runExact(ctx context.Context, u *Unit, linked *core.Program, s Settings, e Exactly) (
	value.Value, *diag.Diagnostic) {
	program, d := opt.Prepare(linked, opt.Options{Exact: true, Verify: s.Verify,
		Watch: stop.Of(ctx)})
	if d != nil {
		return nil, d
	}
	options := exact.Options{Eps: e.Eps, Limits: ExactLimits(u.limits(s.Limits)), Watch: e.Watch,
		Stream: e.Stream, Boxes: e.Boxes, Patient: e.Patient,
		TrustRules: s.Compile.TrustRules, RuleCompared: s.Compile.RuleCompared}
	if s.Debug != nil {
		options.Inspect = s.inspector()
	}
	return exact.Run(ctx, program, options)
}

// ExactLimits converts the limits of a run to limits of an exact run.
func ExactLimits(l interp.Limits) exact.Limits {
	return exact.Limits{Memory: l.Bytes(), Depth: l.Depth, Reached: l.Reached}
}

// ExactFunction prepares a unit for evaluation on boxes. The unit's final expression is the pair
// of a function and of a value like its arguments: see exact.Function. The enclosures can serve
// in proofs, because the evaluation uses no claims of the program itself. The warnings say what
// is not promised.
func ExactFunction(
	ctx context.Context, u *Unit, s Settings,
) (f *exact.Function, warnings []*diag.Diagnostic, d *diag.Diagnostic) {
	linked, d := Link(u)
	if d != nil {
		return nil, nil, d
	}
	warnings = approximations(u, linked)
	program, d := opt.Prepare(linked, opt.Options{Exact: true, Verify: s.Verify,
		Watch: stop.Of(ctx)})
	if d != nil {
		return nil, nil, d
	}
	options := exact.Options{Eps: big.NewRat(1, 1e15), Limits: ExactLimits(u.limits(s.Limits)),
		Proof: true}
	f, d = exact.NewFunction(ctx, program, options)
	return f, warnings, d
}
