package driver

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Subject is a function at a point, with its gradient there, ready to be run again and again. It is
// what measurements are made on.
type Subject struct {
	functions *Functions
	at        interp.Operand
}

// The definitions of a Subject.
const (
	SubjectValue    = "_fn"
	SubjectGradient = "_gradient"

	subjectPoint = "_at"
	subjectUse   = "_use" // which uses the gradient, at the type of the point
)

// Subject prepares the function of an experiment, for one engine and its settings. Errors in the
// experiment go to sink, and the subject is nil then.
func (w *World) Subject(ctx context.Context, e Experiment, gradient bool, sink *diag.List) *Subject {
	global := e.Unit.Info.Interface.Values[e.Fun]
	if global == nil {
		sink.Add(e.Unit.undefined(e.Fun))
		return nil
	}
	params, result := types.Splay(global.Scheme.Type, math.MaxInt)
	if len(params) == 0 {
		sink.Add(diag.Errorf(diag.NotAFunction, global.At, "`%s` is not a function", e.Fun))
		return nil
	}
	cotangent := ""
	if gradient {
		var d *diag.Diagnostic
		if cotangent, d = cotangentOf(e, global.At, result); d != nil {
			sink.Add(d)
			return nil
		}
	}
	names, more := []string{SubjectValue, subjectPoint}, ""
	if gradient {
		names = append(names, SubjectGradient)
		more = "let _gradient p = vjp _fn p _ct\nlet _use = _gradient _at\n"
	}
	text := newExperimentText(e, len(params), cotangent, more, global.At)
	var own diag.List
	unit := w.LoadText(experimentName, text.text, append(slices.Clone(e.Sees), e.Unit), &own)
	subject := &Subject{}
	var d *diag.Diagnostic
	if !own.Failed() {
		if subject.functions, d = unit.instances(e.Settings, names...); d == nil {
			subject.at, d = subject.functions.Apply(ctx, subjectPoint)
		}
		if d != nil {
			own.Add(d)
		}
	}
	if own.Failed() {
		sink.Append(text.explain(&own))
		return nil
	}
	return subject
}

// Run runs one of the definitions at the point.
func (s *Subject) Run(ctx context.Context, name string) (interp.Operand, *diag.Diagnostic) {
	return s.functions.Apply(ctx, name, s.at)
}

// Stats says what the last run has done.
func (s *Subject) Stats() interp.Stats { return s.functions.Stats() }

// instances prepares definitions of a unit at the types at which the unit uses them.
func (u *Unit) instances(s Settings, names ...string) (*Functions, *diag.Diagnostic) {
	program, d := Link(u)
	if d != nil {
		return nil, d
	}
	program.Main = u.Core.Main
	options := opt.Options{Verify: s.Verify}
	if _, d := u.definition(subjectUse); d == nil {
		options.Roots = []string{u.Info.Name + "." + subjectUse}
	}
	mono, d := opt.Mono(program, options)
	if d != nil {
		return nil, d
	}
	options.Roots = nil
	defs := map[string]*core.Def{}
	for _, name := range names {
		full := u.Info.Name + "." + name
		for _, def := range mono.Defs {
			if def.Name == full || strings.HasPrefix(def.Name, full+"<") {
				defs[name] = def
				options.Roots = append(options.Roots, def.Name)
			}
		}
	}
	mono.Main = nil
	return u.compiled(opt.Simplify(mono, options), defs, s)
}
