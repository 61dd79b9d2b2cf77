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
	"github.com/fluxion-lang/fluxion/internal/stop"
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

	// Watch ends the passes: Prepare and Mono with a diagnostic, Simplify by a panic as Poll of it
	// does.
	Watch *stop.Watch

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
// unknown shape, or that of what Watch says. The program given is not changed.
func Prepare(p *core.Program, opts Options) (out *core.Program, d *diag.Diagnostic) {
	defer placed(p, &d)
	defer stop.Catch(&d)
	made, order, d := specialised(p, opts)
	if d != nil {
		return nil, d
	}
	simplify(made, order, opts)
	return made, nil
}

// placed is deferred: it gives a diagnostic the place of the program's entry, if it has none.
func placed(p *core.Program, d **diag.Diagnostic) {
	if *d != nil && !(*d).Span.Known() && p.Main != nil {
		(*d).Span = p.Main.At
	}
}

func verify(pass string, p *core.Program, opts Options) {
	if !opts.Verify {
		return
	}
	if err := core.Verify(p, core.Mono); err != nil {
		panic("opt: " + pass + " broke the program: " + err.Error())
	}
}
