package main

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/replace"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Work that does not poll]
//
// What runs a program polls its context, and ends soon after that does. What reads and writes for
// it does not always: printing ten million numbers as JSON, or the source of a large function,
// takes seconds, most of them in libraries. Nothing is left to be saved by then. So when the
// context of a command ends, by its time or by an interrupt, the command has a moment to end by
// itself. Then the process ends, with the error that a poll would have reported.
//
// Some commands know a part of the answer by then, such as an enclosure, or the best estimates so
// far, and print it. They say so before they run the program (partial), and have more time. Once
// the program has ended with a part of the answer, they write it without a limit (whole), and so
// does a command that writes several files which belong together.
//
// Only main can end the process, since tests call commands as functions. It puts what does so in
// the context.

// exitKey is the key in a context of the function that ends the process.
type exitKey struct{}

// withExit returns the context of a process, which may end before its command does.
func withExit(ctx context.Context) context.Context {
	return context.WithValue(ctx, exitKey{}, os.Exit)
}

// cutOff ends the process if its command goes on after the context of the command has ended: Note
// [Work that does not poll].
type cutOff struct {
	fail  func(*diag.Diagnostic) // reports and ends the process
	grace atomic.Int64           // how long the process lasts after its context: a time.Duration
}

// The times from the end of the context of a command to the end of its process: usually, for a
// command that has a part of the answer, and for one that must not be cut off.
const (
	usualGrace   = 40 * time.Millisecond
	partialGrace = 2 * time.Second
	noEnd        = -1
)

// cutOffKey is the key in a context of the *cutOff of its command.
type cutOffKey struct{}

// endBy returns a context that is ctx for the command of a process, which is cut off when the
// context has ended. release is called when the command has ended by itself.
func endBy(ctx context.Context) (inner context.Context, release func()) {
	c, ok := ctx.Value(cutOffKey{}).(*cutOff)
	if !ok {
		return ctx, func() {}
	}
	released := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() {
		began := time.Now()
		for {
			grace := time.Duration(c.grace.Load())
			if grace == noEnd {
				return
			}
			left := grace - time.Since(began)
			if left <= 0 {
				c.fail(stop.Why(ctx))
			}
			select {
			case <-released:
				return
			case <-time.After(min(left, usualGrace/4)):
			}
		}
	})
	return ctx, func() {
		stopped()
		close(released)
	}
}

// withCutOff returns the context of a command of a process: Note [Work that does not poll].
func (c *call) withCutOff(ctx context.Context) context.Context {
	exit, ok := ctx.Value(exitKey{}).(func(int))
	if !ok {
		return ctx
	}
	out := &written{to: c.out}
	c.out = out
	cut := &cutOff{fail: func(d *diag.Diagnostic) {
		last := *c
		last.json = c.json && !out.begun.Load() // half an object cannot be made whole
		last.fail(d)
		replace.Abandon()
		exit(exitFailed)
	}}
	cut.grace.Store(int64(usualGrace))
	return context.WithValue(ctx, cutOffKey{}, cut)
}

// written is a writer that tells whether something was written.
type written struct {
	to    io.Writer
	begun atomic.Bool
}

// Write writes.
func (w *written) Write(p []byte) (int, error) {
	w.begun.Store(true)
	return w.to.Write(p)
}

// partial says that the command will have a part of the answer to print when the context ends.
func partial(ctx context.Context) {
	if c, ok := ctx.Value(cutOffKey{}).(*cutOff); ok {
		c.grace.Store(int64(partialGrace))
	}
}

// whole says that what the command writes from now on is written whole, if the context has ended
// already. If it has not, there is a whole answer, and the command has its usual time.
func whole(ctx context.Context) {
	if c, ok := ctx.Value(cutOffKey{}).(*cutOff); !ok {
		return
	} else if ctx.Err() != nil {
		c.grace.Store(noEnd)
	} else {
		c.grace.Store(int64(usualGrace))
	}
}
