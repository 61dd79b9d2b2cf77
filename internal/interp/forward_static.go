package interp

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
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

// knownFunction is a function whose closure holds its free variables in known
// places.
type knownFunction struct {
	lambda   *core.Lambda
	captured []capturedVar
}

// staticForward is the derivative of a known function.
type staticForward struct {
	knownFunction
	program *core.Program
	code    derivedCode
}

// dual is the code of the derivative, as a function of the free variables, the
// argument, and the argument's tangent.
func (s *staticForward) dual(opts Options) (*Code, error) {
	return s.code.getProgram(opts, func() (*core.Program, error) {
		params := make([]*core.Var, 0, len(s.captured)+1)
		for _, v := range s.captured {
			params = append(params, v.v)
		}
		fun := &core.Lambda{Params: append(params, s.lambda.Params...), Body: s.lambda.Body}
		varying := make([]bool, len(fun.Params))
		varying[len(s.captured)] = true
		p, err := diff.ForwardFor(s.program, core.NewCopier(nil).Lambda(fun), varying)
		if err != nil {
			return nil, err
		}
		return opt.Simplify(p, opt.Options{Roots: []string{diff.ForwardName}}), nil
	})
}

// slots are what a closure holds for a free variable.
func (v *capturedVar) slots(c *closure) object.Slots {
	var s object.Slots
	for n, at := range v.binding.slots {
		switch {
		case at.isConst && at.kind == layout.F:
			s.F = append(s.F, at.f)
		case at.isConst && at.kind == layout.I:
			s.I = append(s.I, at.i)
		case at.isConst:
			s.P = append(s.P, at.p)
		case at.kind == layout.F:
			s.F = append(s.F, c.Real(v.env[n]))
		case at.kind == layout.I:
			s.I = append(s.I, c.Word(v.env[n]))
		default:
			s.P = append(s.P, c.Ref(v.env[n]))
		}
	}
	return s
}

// forwardStatic computes the derivative by the program on dual numbers; it
// tells whether that was possible.
func (j *differentiation) forwardStatic() (object.Slots, bool) {
	s, t := j.known, j.t
	if s == nil || t.Live != 0 {
		return object.Slots{}, false
	}
	code, err := s.dual(j.m.code.opts)
	if err != nil {
		return object.Slots{}, false
	}
	fun, ok := j.fun.(*closure)
	if !ok {
		return object.Slots{}, false
	}
	var args object.Slots
	for k := range s.captured {
		args.Add(plainSlots(t, s.captured[k].slots(fun)))
	}
	args.Add(plainSlots(t, j.point))
	if j.m.layouts.HasReals(j.from) {
		args.Add(plainSlots(t, j.weights))
	}
	result := j.result
	hasReals := j.m.layouts.HasReals(j.to)
	if hasReals {
		result = result.Plus(result)
	}
	result.I++
	out, d := j.m.runDerived(code, diff.ForwardName, args, result)
	if d != nil || out.I[result.I-1] != 0 {
		return object.Slots{}, false // the tape says what is wrong, with its place
	}
	value := out.Take(j.result)
	if !hasReals {
		return value.With(value), true
	}
	tangent, d := j.m.leavesOf(j.to, out.Take(j.result))
	if d != nil || slices.ContainsFunc(tangent.Reals, tape.NotFinite) {
		return object.Slots{}, false
	}
	if primal, d := j.m.leavesOf(j.to, value); d != nil || slices.ContainsFunc(primal.Reals, math.IsNaN) {
		return object.Slots{}, false
	}
	part, d := j.m.withLeaves(j.to, value, tangent.Reals)
	if d != nil {
		return object.Slots{}, false
	}
	return value.With(part), true
}
