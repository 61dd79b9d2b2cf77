package lab

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// Subject is a function at a point, and its gradient there, prepared for repeated runs.
// Measurements are made on subjects.
type Subject struct {
	functions *driver.Functions
	at        interp.Operand
}

// The definitions of a Subject.
const (
	SubjectValue    = experimentFunction
	SubjectGradient = "_gradient"

	subjectUse = "_use" // uses the gradient at the type of the point
)

// NewSubject prepares the function of an experiment for one engine and its settings. Errors in
// the experiment go to sink, and then the subject is nil.
func NewSubject(ctx context.Context, w *driver.World, e Experiment, gradient bool,
	sink *diag.List) *Subject {
	names, more := []string{SubjectValue, experimentPoint}, ""
	if gradient {
		names = append(names, SubjectGradient)
		more = "let _gradient p = vjp _fn p _ct\nlet _use = _gradient _at\n"
	}
	text, unit := load(w, e, gradient, more, sink)
	if unit == nil {
		return nil
	}
	subject := &Subject{}
	var d *diag.Diagnostic
	if subject.functions, d = unit.Instances(ctx, e.Settings, subjectUse, names...); d == nil {
		subject.at, d = subject.functions.Apply(ctx, experimentPoint)
	}
	if d != nil {
		var own diag.List
		own.Add(d)
		sink.Append(text.explain(&own))
		return nil
	}
	return subject
}

// Run runs one of the definitions at the point.
func (s *Subject) Run(ctx context.Context, name string) (interp.Operand, *diag.Diagnostic) {
	return s.functions.Apply(ctx, name, s.at)
}

// Stats returns the statistics of the last run.
func (s *Subject) Stats() interp.Stats { return s.functions.Stats() }
