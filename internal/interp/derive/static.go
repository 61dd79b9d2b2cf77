package derive

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

// Note [Forward without a tape]
//
// A forward derivative of a function that is known where it is taken, and is
// of first order, is a program on dual numbers: package diff makes it, when it
// is first needed. It runs in the memory of the function, where a tape grows
// with its time. Where it meets a tie, a slope that is not finite or a value
// that is not a number, its result is not used, and the tape decides what is to
// be done; and so inside another derivative, whose variables are on the tape.

// staticForward is the derivative of a known function.
type staticForward struct {
	*machine.Source
	program *core.Program
	code    machine.Derived
}

// dual is the code of the derivative, as a function of the free variables, the
// argument, and the argument's tangent.
func (s *staticForward) dual(opts machine.Options) (*machine.Code, error) {
	return s.code.Program(opts, func() (*core.Program, error) {
		params := make([]*core.Var, 0, len(s.Captured)+1)
		for _, v := range s.Captured {
			params = append(params, v.Var)
		}
		fun := &core.Lambda{Params: append(params, s.Lambda.Params...), Body: s.Lambda.Body}
		varying := make([]bool, len(fun.Params))
		varying[len(s.Captured)] = true
		p, err := diff.ForwardFor(s.program, core.NewCopier(nil).Lambda(fun), varying)
		if err != nil {
			return nil, err
		}
		return opt.Simplify(p, opt.Options{Roots: []string{diff.ForwardName}}), nil
	})
}

// forwardStatic computes the derivative by the program on dual numbers; it
// tells whether that was possible.
func (j *differentiation) forwardStatic() (object.Slots, bool) {
	s, t := j.known, j.t
	if s == nil || t.Live != 0 {
		return object.Slots{}, false
	}
	code, err := s.dual(*j.m.Options())
	if err != nil {
		return object.Slots{}, false
	}
	fun, ok := j.fun.(*machine.Closure)
	if !ok {
		return object.Slots{}, false
	}
	var args object.Slots
	for k := range s.Captured {
		args.Add(machine.PlainSlots(t, fun.Captured(s.Captured[k])))
	}
	args.Add(machine.PlainSlots(t, j.point))
	if j.m.Layouts().HasReals(j.from) {
		args.Add(machine.PlainSlots(t, j.weights))
	}
	result := j.result
	hasReals := j.m.Layouts().HasReals(j.to)
	if hasReals {
		result = result.Plus(result)
	}
	result.I++
	out, d := j.m.RunDerived(code, diff.ForwardName, args, result)
	if d != nil || out.I[result.I-1] != 0 {
		return object.Slots{}, false // the tape says what is wrong, with its place
	}
	value := out.Take(j.result)
	if !hasReals {
		return value.With(value), true
	}
	tangent, d := j.m.LeavesOf(j.to, out.Take(j.result))
	if d != nil || slices.ContainsFunc(tangent.Reals, tape.NotFinite) {
		return object.Slots{}, false
	}
	if primal, d := j.m.LeavesOf(j.to, value); d != nil || slices.ContainsFunc(primal.Reals, math.IsNaN) {
		return object.Slots{}, false
	}
	part, d := j.m.WithLeaves(j.to, value, tangent.Reals)
	if d != nil {
		return object.Slots{}, false
	}
	return value.With(part), true
}
