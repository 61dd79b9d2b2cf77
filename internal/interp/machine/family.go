package machine

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// family applies a family (Note [Families] of package prim) to the integers and the
// reals of a list; the reals may be boxed.
func (m *Machine) family(eval prim.Family, args []Register, f *windowF, i *windowI) (float64, *diag.Diagnostic) {
	var ints []int64
	var xs []float64
	for _, a := range args {
		if a.Kind == layout.I {
			ints = append(ints, i[a.Reg])
		} else {
			xs = append(xs, f[a.Reg])
		}
	}
	if m.tape == nil {
		return m.familyAt(eval, ints, xs)
	}
	return m.tape.Family(eval, ints, xs), m.tape.Failed()
}

// fewTerms bounds the numbers at which the value of a family, not differentiated, takes
// microseconds.
const fewTerms = 1000

// familyAt applies a family to plain numbers. One application may take longer than many
// instructions, so that each looks at the clock. A derivative, or a value at large numbers, takes
// up to seconds and cannot be interrupted: Note [Work left behind] of package task.
func (m *Machine) familyAt(eval prim.Family, ints []int64, xs []float64) (float64, *diag.Diagnostic) {
	if d := m.Tick(); d != nil {
		return 0, d
	}
	short := true
	for k, x := range xs {
		short = short && ints[k] == 0 && !(math.Abs(x) > fewTerms)
	}
	if short {
		return eval(ints, xs), nil
	}
	ctx, done := task.Timed(m.ctx)
	defer done()
	beside, d := task.Begin(ctx, func() float64 { return eval(ints, xs) })
	if d != nil {
		return 0, d
	}
	y, ok := beside.Wait(ctx)
	if !ok {
		return 0, stop.Why(m.ctx)
	}
	return y, nil
}
