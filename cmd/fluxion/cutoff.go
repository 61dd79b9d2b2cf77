package main

import (
	"context"
	"os"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Work that does not poll]
//
// What runs a program polls its context, and ends soon after that does. What writes the result
// does not: printing ten million numbers as JSON, or the source of a large function, takes
// seconds, most of them in libraries. Nothing is left to be saved by then. So when the time is up,
// or at an interrupt, the process ends with the error that a poll would have reported.
//
// Only main can end the process, since tests call commands as functions. It puts what does so in
// the context.

// cutOffKey is the key in a context of the function that ends the process.
type cutOffKey struct{}

// withCutOff returns the context of a process: cutOff ends the process when it is to end.
func withCutOff(ctx context.Context) context.Context {
	return context.WithValue(ctx, cutOffKey{}, func(d *diag.Diagnostic) {
		var list diag.List
		list.Add(d)
		diag.RenderAll(os.Stderr, &list, diag.Options{})
		os.Exit(exitFailed)
	})
}

// cutOff ends the process if the context ends before release is called: Note [Work that does not
// poll]. Where the context has ended already, what is known so far is still written.
func cutOff(ctx context.Context) (release func()) {
	end, ok := ctx.Value(cutOffKey{}).(func(*diag.Diagnostic))
	if !ok || ctx.Err() != nil {
		return func() {}
	}
	stopped := context.AfterFunc(ctx, func() { end(stop.Why(ctx)) })
	return func() { stopped() }
}
