// Package opt rewrites core into better core, one file a pass. It is given a
// linked program at the polymorphic level and hands on a monomorphic one in
// which calls of known functions, intermediate tuples and arrays, and dead
// code are gone as far as that is cheap to see. It must not change what a
// program computes, which error it stops with or whether it stops; and it must
// not know how core is run.
package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Options direct the passes. The zero Options are the usual ones.
type Options struct {
	// Roots names the definitions to keep besides Main and what it reaches;
	// they must not be polymorphic.
	Roots []string

	// MaxDefs bounds the copies that monomorphisation makes of definitions, beyond
	// the one of each that the program has anyway; 0 stands for the usual bound.
	MaxDefs int

	// Exact keeps the operations that mean more over the reals than what approximates them on
	// doubles: `flow`.
	Exact bool

	// Stop is asked before each definition; what it says ends Prepare. It may be nil.
	Stop func() *diag.Diagnostic

	// Verify runs core's verifier after each pass; a finding is a bug in the
	// pass, and a panic.
	Verify bool
}

// The bounds on copies of definitions and on operations in all: a program that
// reaches them would take minutes to run through any back end.
const (
	usualDefs = 50_000
	maxSize   = 4_000_000
)

// Prepare makes a linked program ready to run: Mono and then Simplify. The
// diagnostic's code is diag.ProgramTooLarge, or diag.Ambiguous for a zero of
// unknown shape, or that of what Stop says. The program given is not changed.
func Prepare(p *core.Program, opts Options) (*core.Program, *diag.Diagnostic) {
	out, order, err := specialised(p, opts)
	if err != nil {
		return nil, err
	}
	simplify(out, order, opts)
	return out, opts.stopped()
}

func (o Options) stopped() *diag.Diagnostic {
	if o.Stop == nil {
		return nil
	}
	return o.Stop()
}

func verify(pass string, p *core.Program, opts Options) {
	if !opts.Verify {
		return
	}
	if err := core.Verify(p, core.Mono); err != nil {
		panic("opt: " + pass + " broke the program: " + err.Error())
	}
}
