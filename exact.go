package fluxion

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"strconv"

	"github.com/fluxion-lang/fluxion/internal/bind"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Interval is an enclosure of a real number, which lies between Lo and Hi. A bound that is not
// known is infinite.
type Interval struct{ Lo, Hi *big.Float }

// String returns [lo, hi] in decimal. The ends are rounded outward, and have enough digits to
// tell them apart.
func (i Interval) String() string {
	if i.Lo == nil || i.Hi == nil {
		return "[?, ?]"
	}
	return exact.Enclosure{Lo: i.Lo, Hi: i.Hi, Eps: finest}.Fluxion()
}

// finest is the smallest positive double, so no two doubles are closer than it.
var finest = new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64)

// Value is the result of an expression. The zero Value, which comes with an error, holds nothing.
type Value struct {
	v       value.Value
	ty      types.Type
	written string
	exact   bool
	types   bind.Types
}

// String returns the value as Fluxion writes it.
func (v Value) String() string {
	if v.ty == nil {
		return "<no value>"
	}
	return value.Show(v.v)
}

// Type returns the type of the value as Fluxion writes it.
func (v Value) Type() string { return v.written }

// MarshalJSON returns the value as JSON. An enclosed real becomes a pair of strings.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(value.JSON(v.v)) }

// Decode stores the value where the pointer `into` points. The Go type must fit the type of the
// value, by the rules of the package comment. The reals of an exact value are Intervals.
func (v Value) Decode(into any) error {
	if v.ty == nil {
		return failure(context.Background(), diag.Errorf(diag.CannotBind, diag.Span{},
			"the zero Value holds nothing to decode").WithHint(
			"was there an error of Eval or Exact?"))
	}
	if d := bind.Decode(v.v, v.ty, into, v.types, v.exact); d != nil {
		return failure(context.Background(), d)
	}
	return nil
}

// Eval evaluates an expression on doubles. The expression sees the definitions of the program and
// the library. The program caches the most recent expressions, checked and compiled, for the next
// call.
func (p *Program) Eval(ctx context.Context, expr string, options ...Option) (v Value, err error) {
	defer catch(&err)
	if err := p.check(); err != nil {
		return Value{}, err
	}
	s, err := p.settings.bound(options)
	if err != nil {
		return Value{}, err
	}
	ctx, done := s.run.Within(ctx)
	defer done()
	key := strconv.Itoa(s.threads) + " " + expr
	e := p.evaluations.Find(key)
	if e == nil {
		unit, err := p.expression(ctx, expr)
		if err != nil {
			return Value{}, err
		}
		var d *diag.Diagnostic
		if e, d = unit.Evaluation(ctx, s.run); d != nil {
			return Value{}, failure(ctx, d)
		}
		p.evaluations.Keep(key, e)
	}
	result, d := e.Run(ctx, s.run)
	return s.value(ctx, result, false, d)
}

// Exact evaluates an expression over the reals: every real in the result is an Interval that
// contains the true value and is at most eps wide. The expression sees the definitions of the
// program, and the library.
func (p *Program) Exact(ctx context.Context, expr string, eps float64, options ...Option) (v Value,
	err error) {
	defer catch(&err)
	width, err := tolerance(eps)
	if err != nil {
		return Value{}, err
	}
	if err := p.check(); err != nil {
		return Value{}, err
	}
	s, err := p.settings.bound(options)
	if err != nil {
		return Value{}, err
	}
	ctx, done := s.run.Within(ctx)
	defer done()
	unit, err := p.expression(ctx, expr)
	if err != nil {
		return Value{}, err
	}
	result, d := driver.RunExact(ctx, unit, s.run, driver.Exactly{Eps: width})
	return s.value(ctx, result, true, d)
}

// catch is deferred. It turns the panic with which a primitive ended an evaluation into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *stop.Reached:
		*err = failure(context.Background(), r.Why)
	default:
		panic(r)
	}
}

// expression loads the text of an expression, until ctx ends. The program does not keep the
// loaded unit.
func (p *Program) expression(ctx context.Context, text string) (*driver.Unit, error) {
	var list diag.List
	unit := p.world.Until(ctx).LoadText("<expression>", text, []*driver.Unit{p.unit}, &list)
	p.world.Discard(unit)
	if list.Failed() {
		return nil, failures(&list)
	}
	return unit, nil
}

// value returns the result of an expression as a Value, or the error that the evaluation ended
// with.
func (s settings) value(ctx context.Context, result driver.Result, exact bool,
	d *diag.Diagnostic) (Value, error) {
	if d != nil {
		return Value{}, failure(ctx, d)
	}
	return Value{result.Value, result.Of, result.Type, exact, s.types()}, nil
}

// tolerance returns eps as a rational, or an error if eps is not a positive, finite number.
func tolerance(eps float64) (*big.Rat, error) {
	if !(eps > 0) || math.IsInf(eps, 0) {
		return nil, failure(context.Background(),
			diag.Errorf(diag.CannotBind, diag.Span{}, "the tolerance %v is not a positive number",
				eps))
	}
	return new(big.Rat).SetFloat64(eps), nil
}
