// Package opt rewrites core into better core, with one file per pass. It is given a linked
// program at the polymorphic level and returns a monomorphic one. Calls of known functions,
// intermediate tuples and arrays, and dead code are removed as far as that is cheap to see. It
// must not change what a program computes, which error it stops with, or whether it stops. It
// must not know how core is run.
package opt

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Options directs the passes. The zero Options is the default.
type Options struct {
	// Roots names definitions to keep besides Main and what it reaches. They must not be
	// polymorphic.
	Roots []string

	// MaxDefs bounds the copies of definitions that monomorphisation makes, beyond one for each
	// definition of the program. 0 means the default bound.
	MaxDefs int

	// Exact keeps operations that mean more over the reals than their approximation on doubles:
	// `flow`.
	Exact bool

	// Watch ends the passes. Prepare and Mono then return a diagnostic; Simplify panics as Poll
	// does.
	Watch *stop.Watch

	// Verify runs core's verifier after each pass. A finding is a bug in the pass, and causes a
	// panic.
	Verify bool
}

// The default bounds on copies of definitions and on the total number of operations. A program
// that reaches them would take minutes in any back end.
const (
	usualDefs = 50_000
	maxSize   = 4_000_000
)

// Prepare makes a linked program ready to run, by Mono and then Simplify. The code of its
// diagnostic is diag.ProgramTooLarge, or diag.Ambiguous for a zero of unknown shape, or the one
// that Watch gives. The given program is not changed.
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

// placed is deferred. If a diagnostic has no place, it gives it the place of the program's entry.
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
