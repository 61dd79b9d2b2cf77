// Package interp runs core on doubles: any program, with closures, data,
// arrays, loops and recursion of any depth. It is given a monomorphic,
// verified program (package opt makes one), compiles it to register bytecode
// and hands back the tree of results of package value, or a diagnostic. It
// knows nothing of syntax, of modules or of the command line.
//
// What it is made of, each package above those that it uses:
//
//	layout    what a type is made of at run time: slots of three kinds
//	object    what slots hold, and conversions to values and back
//	tape      the record of the derivatives in progress; uses: what the compiler asks
//	marshal   values as arguments of compiled code
//	machine   the instructions, and what runs them
//	derive    the operations that differentiate and search
//	region    parts that run as compiled code
//	interp    core to instructions (compile*.go): the compiler, and the face of all of it
package interp

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/region"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// What a program is compiled with and to, and how it is run.
type (
	Beside    = machine.Beside
	Code      = machine.Code
	Constants = machine.Constants
	Engine    = machine.Engine
	Limits    = machine.Limits
	Machine   = machine.Machine
	Operand   = machine.Operand
	Options   = machine.Options
	Part      = machine.Part
	Stacks    = machine.Stacks
	Stats     = machine.Stats
)

// DefaultLimits are what a run gets that asks for nothing else: no limit of
// time, memory and depth that no sensible program reaches by intention.
func DefaultLimits() Limits { return machine.DefaultLimits() }

// FirstCause returns the diagnostic of a failed run, with the cause for which compiled code gave it
// up before.
func FirstCause(gaveUp error, d *diag.Diagnostic) *diag.Diagnostic {
	return machine.FirstCause(gaveUp, d)
}

// Watched makes a context whose runs tell watch how far they are: it gets the
// texts of `progress`, in their order, on the goroutine of the run. Programs
// learn nothing from it.
func Watched(ctx context.Context, watch func(text string)) context.Context {
	return machine.Watched(ctx, watch)
}

// Inspected makes a context whose runs show what `debug` is given, in its order, on the goroutine
// of the run.
func Inspected(ctx context.Context, show func(at diag.Span, label string, v value.Value)) context.Context {
	return machine.Inspected(ctx, show)
}

// Warm compiles definitions ahead of their first use, several at once and the largest first: of
// each the regions that are the whole of it, or where there are none that are covered, the first
// region that is. Without an engine there is nothing to do.
func Warm(ctx context.Context, c *Code, names ...string) (d *diag.Diagnostic) {
	defer stop.Catch(&d)
	region.Warm(stop.Of(ctx), c, names...)
	return nil
}

// Expect says that definitions are going to be called: what Warm would compile of them as a whole
// is compiled as soon as a call reaches it.
func Expect(ctx context.Context, c *Code, names ...string) (d *diag.Diagnostic) {
	defer stop.Catch(&d)
	region.Expect(stop.Of(ctx), c, names...)
	return nil
}
