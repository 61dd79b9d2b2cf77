package fluxion

import (
	"context"
	"encoding/json"
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/bind"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Interval is a real that has been enclosed: it lies between Lo and Hi, which are infinite where
// there is no bound.
type Interval struct{ Lo, Hi *big.Float }

// String is [lo, hi] in decimal, with enough digits to tell the ends apart, rounded outward.
func (i Interval) String() string {
	if i.Lo == nil || i.Hi == nil {
		return "[?, ?]"
	}
	return exact.Enclosure{Lo: i.Lo, Hi: i.Hi, Eps: finest}.Fluxion()
}

// finest is smaller than any difference of doubles.
var finest = new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64)

// Value is the result of an expression.
type Value struct {
	v       value.Value
	ty      types.Type
	written string
	exact   bool
	types   bind.Types
}

// String is the value as Fluxion writes it.
func (v Value) String() string { return value.Show(v.v) }

// Type is the type of the value as Fluxion writes it.
func (v Value) Type() string { return v.written }

// MarshalJSON is the value as JSON. An enclosed real is a pair of strings.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(value.JSON(v.v)) }

// Decode stores the value in what a pointer points to, whose Go type must fit: see the types of the
// package. The reals of an exact value are Intervals.
func (v Value) Decode(into any) error {
	if d := bind.Decode(v.v, v.ty, into, v.types, v.exact); d != nil {
		return failure(context.Background(), d)
	}
	return nil
}

// Eval evaluates an expression on doubles. It sees the definitions of the program, and the library.
func (p *Program) Eval(ctx context.Context, expr string, options ...Option) (Value, error) {
	return p.evaluate(ctx, expr, nil, options)
}

// Exact evaluates an expression over the reals: every real in the result is an Interval that
// contains the true value and is at most eps wide. The expression sees the definitions of the
// program, and the library.
func (p *Program) Exact(ctx context.Context, expr string, eps float64, options ...Option) (Value,
	error) {
	width, err := tolerance(eps)
	if err != nil {
		return Value{}, err
	}
	return p.evaluate(ctx, expr, width, options)
}

// evaluate evaluates an expression, on doubles if eps is nil.
func (p *Program) evaluate(ctx context.Context, expr string, eps *big.Rat, options []Option) (Value,
	error) {
	s := p.settings.with(options)
	ctx, done := s.run.Within(ctx)
	defer done()
	var list diag.List
	p.mu.Lock()
	p.world.Until(ctx)
	unit := p.world.LoadText("<expression>", expr, []*driver.Unit{p.unit}, &list)
	p.mu.Unlock()
	defer p.drop(unit)
	if list.Failed() {
		return Value{}, failures(&list)
	}
	var result driver.Result
	var d *diag.Diagnostic
	if eps == nil {
		result, d = driver.Run(ctx, unit, s.run)
	} else {
		result, d = driver.RunExact(ctx, unit, s.run, driver.Exactly{Eps: eps})
	}
	if d != nil {
		return Value{}, failure(ctx, d)
	}
	return Value{result.Value, result.Of, result.Type, eps != nil, s.types()}, nil
}

// drop forgets the unit of an expression.
func (p *Program) drop(unit *driver.Unit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.world.Discard(unit)
}

// tolerance is a width that can be asked for.
func tolerance(eps float64) (*big.Rat, error) {
	if !(eps > 0) || math.IsInf(eps, 0) {
		return nil, failure(context.Background(),
			diag.Errorf(diag.CannotBind, diag.Span{}, "the tolerance %v is not a positive number",
				eps))
	}
	return new(big.Rat).SetFloat64(eps), nil
}
