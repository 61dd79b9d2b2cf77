package driver

import (
	"context"
	"fmt"
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Sampler evaluates a function of a real and its derivative at many points.
type Sampler struct {
	Failure *diag.Diagnostic // the error at the first point where the function has no value
	Stopped *diag.Diagnostic // what ended the whole evaluation, or nil

	ctx       context.Context
	functions *Functions
}

// Sampler returns a sampler of the function that an expression of type Real -> Real denotes, in
// the scope of the given units. If the expression has errors, they go to sink, and the result is
// nil.
func (w *World) Sampler(
	ctx context.Context, function string, open []*Unit, s Settings, sink *diag.List,
) *Sampler {
	const text = "let values (xs : []Real) : []Real = [%s x for x in xs]\n" +
		"let slopes (xs : []Real) : []Real = [deriv %[1]s x for x in xs]\n"
	var own diag.List
	unit := w.LoadText("<plot>", fmt.Sprintf(text, function), open, &own)
	if own.Failed() {
		for _, u := range open {
			if g := u.Info.Interface.Value(function); g != nil {
				sink.Add(diag.Errorf(diag.Mismatch,
					diag.Span{File: g.At.File, End: int32(len(g.At.File.Text))},
					"a function Real -> Real can be drawn, and this is %s", u.Info.Printer().Scheme(
						g.Scheme)))
				return nil
			}
		}
		sink.Append(&own)
		return nil
	}
	s.Compile.AllowInfinite, s.Compile.IEEETies = true, true
	functions, d := unit.Functions(ctx, s, "values", "slopes")
	if d != nil {
		sink.Add(d)
		return nil
	}
	return &Sampler{ctx: ctx, functions: functions}
}

// At returns the values and the slopes at points, with NaN where there are none.
func (p *Sampler) At(xs []float64) (ys, slopes []float64) {
	ys, slopes = make([]float64, len(xs)), make([]float64, len(xs))
	p.fill("values", xs, ys, &p.Failure)
	var none *diag.Diagnostic
	p.fill("slopes", xs, slopes, &none)
	return ys, slopes
}

// fill evaluates all points at once. If that fails, it evaluates each half by itself.
func (p *Sampler) fill(name string, xs, ys []float64, failure **diag.Diagnostic) {
	if len(xs) == 0 {
		return
	}
	var v value.Value
	d := p.Stopped
	if d == nil {
		v, d = p.functions.Call(p.ctx, name, value.Reals(xs))
	}
	if d == nil {
		copy(ys, v.(value.Reals))
		return
	}
	switch d.Code {
	case diag.TimeLimit, diag.MemoryLimit, diag.Interrupted:
		p.Stopped = d
	}
	if len(xs) > 1 && p.Stopped == nil {
		half := len(xs) / 2
		p.fill(name, xs[:half], ys[:half], failure)
		p.fill(name, xs[half:], ys[half:], failure)
		return
	}
	if *failure == nil {
		*failure = d
	}
	for k := range ys {
		ys[k] = math.NaN()
	}
}
