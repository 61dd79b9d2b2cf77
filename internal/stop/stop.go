// Package stop says when work must end. A deadline is made once, at the top of a command, a request
// or a call, by Within. The context carries it from there, and nothing below makes another one of
// the same limit: who is given a context asks it.
//
// Work that runs polls a Watch of its context: the parser, the checker, the compiler, the
// machine. A poll looks at the clock itself, since a timer may fire late, and fires never where
// one thread does all the work. A stage that is many functions deep ends by a panic, Reached,
// which Catch turns into the diagnostic where the stage was entered.
//
// Holding gives a context a limit of memory too, for the stages that do not count what they
// allocate: all that come before a program runs.
package stop

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Within returns a context with a deadline that is a limit from now, unless it has an earlier one
// or the limit is 0.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	at := time.Now().Add(limit)
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(at) {
		return ctx, func() {}
	}
	inner, cancel := context.WithDeadline(ctx, at)
	return &Timed{inner, at, limit}, cancel
}

// Timed is a context with a deadline and the limit that it was made of. Begin makes one without a
// timer, whose Done is that of the context given: work that polls a Watch of it ends in time.
type Timed struct {
	context.Context
	at    time.Time // zero if there is no deadline but that of Context
	limit time.Duration
}

// Begin makes t the context of a call that begins now and may take as long as the limit; 0 stands
// for no limit.
func (t *Timed) Begin(ctx context.Context, limit time.Duration) {
	*t = Timed{Context: ctx}
	if limit > 0 {
		t.at, t.limit = time.Now().Add(limit), limit
	}
}

// Deadline returns the earlier one of both.
func (t *Timed) Deadline() (time.Time, bool) {
	at, ok := t.Context.Deadline()
	if t.at.IsZero() || ok && at.Before(t.at) {
		return at, ok
	}
	return t.at, true
}

// Err is not nil from the deadline on.
func (t *Timed) Err() error {
	if err := t.Context.Err(); err != nil || t.at.IsZero() || time.Now().Before(t.at) {
		return err
	}
	return context.DeadlineExceeded
}

// Value finds t itself besides the values of the context.
func (t *Timed) Value(key any) any {
	if key == (timedKey{}) && !t.at.IsZero() {
		return t
	}
	return t.Context.Value(key)
}

// timedKey is the key of a *Timed in itself.
type timedKey struct{}

// Why says why work has ended that belongs to a context: at its deadline, or by an interrupt.
func Why(ctx context.Context) *diag.Diagnostic {
	at, timed := ctx.Deadline()
	if errors.Is(ctx.Err(), context.Canceled) || ctx.Err() == nil && (!timed || time.Now().Before(at)) {
		return diag.Errorf(diag.Interrupted, diag.Span{}, "the run was interrupted")
	}
	if t, ok := ctx.Value(timedKey{}).(*Timed); ok && t.at.Equal(at) {
		return diag.Errorf(diag.TimeLimit, diag.Span{}, "the run took longer than the limit of %s", t.limit).
			WithHint("raise it with --timeout")
	}
	return Late()
}

// Late says that work has ended at a deadline.
func Late() *diag.Diagnostic {
	return diag.Errorf(diag.TimeLimit, diag.Span{}, "the run reached its deadline").
		WithHint("raise it with --timeout")
}

// Watch tells work when it must end. A nil Watch never does. It may be used by several goroutines.
type Watch struct {
	ctx   context.Context
	done  <-chan struct{}
	at    time.Time
	timed bool
	heap  *heap
	left  atomic.Int32 // polls before the clock is looked at
	steps atomic.Int32 // calls of Step before one polls
}

// between is how many polls there are from one look at the clock to the next.
const between = 32

// Of returns a Watch of a context, nil if nothing ever ends its work.
func Of(ctx context.Context) *Watch {
	w := &Watch{ctx: ctx, done: ctx.Done()}
	w.heap, _ = ctx.Value(heapKey{}).(*heap)
	if w.at, w.timed = ctx.Deadline(); !w.timed && w.done == nil && w.heap == nil {
		return nil
	}
	return w
}

// Err says why the work must end; nil if it may go on.
func (w *Watch) Err() *diag.Diagnostic {
	if w == nil {
		return nil
	}
	select {
	case <-w.done:
		return Why(w.ctx)
	default:
	}
	if w.left.Add(-1) >= 0 {
		return nil
	}
	w.left.Store(between)
	switch {
	case w.timed && !time.Now().Before(w.at):
		return Why(w.ctx)
	case w.heap != nil:
		return w.heap.err(between)
	}
	return nil
}

// Poll ends the work by a panic, if it must end.
func (w *Watch) Poll() {
	if d := w.Err(); d != nil {
		panic(&Reached{d})
	}
}

// Step is Poll for work on something small, such as a token: most of its calls only count.
func (w *Watch) Step() {
	if w != nil && w.steps.Add(-1) < 0 {
		w.steps.Store(between)
		w.Poll()
	}
}

// Reached is what Poll panics with.
type Reached struct{ Why *diag.Diagnostic }

// Error says why.
func (r *Reached) Error() string { return r.Why.Message }

// Catch is deferred where work is entered that polls: if Poll has ended it, Catch sets d.
func Catch(d **diag.Diagnostic) {
	switch r := recover().(type) {
	case nil:
	case *Reached:
		*d = r.Why
	default:
		panic(r)
	}
}
