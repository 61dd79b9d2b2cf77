// Package stop says when work must end. Within sets a deadline once, at the top of a command, a
// request or a call. The context carries it from there. Code below does not set another deadline
// for the same limit; it asks the context that it is given.
//
// Running work polls a Watch of its context: the parser, the checker, the compiler, the machine.
// A poll looks at the clock itself, because a timer may fire late, and never fires where one
// thread does all the work. A stage that is many functions deep ends by a panic with Reached.
// Catch turns the panic into a diagnostic where the stage was entered.
//
// Holding also gives a context a memory limit. It is for stages that do not count what they
// allocate: all stages before a program runs.
package stop

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Within returns a context whose deadline is limit from now. If the context already has an
// earlier deadline, or limit is 0, the deadline does not change.
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

// After returns a context for what remains to be done when work has ended. After an interrupt it
// ends when the grace is over, or at the deadline of ctx if that is earlier. If there was no
// interrupt, After returns ctx.
func After(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return ctx, func() {}
	}
	at := time.Now().Add(grace)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(at) {
		at = deadline
	}
	return context.WithDeadline(context.WithoutCancel(ctx), at)
}

// Timed is a context with a deadline, and the limit that the deadline was made from. Begin makes
// one without a timer: its Done is that of the given context. Work that polls a Watch of it still
// ends in time.
type Timed struct {
	context.Context
	at    time.Time // zero if there is no deadline besides Context's
	limit time.Duration
}

// Begin makes t the context of a call that begins now and may take up to limit. A limit of 0
// means no limit.
func (t *Timed) Begin(ctx context.Context, limit time.Duration) {
	*t = Timed{Context: ctx}
	if limit > 0 {
		t.at, t.limit = time.Now().Add(limit), limit
	}
}

// Deadline returns the earlier of the two deadlines.
func (t *Timed) Deadline() (time.Time, bool) {
	at, ok := t.Context.Deadline()
	if t.at.IsZero() || ok && at.Before(t.at) {
		return at, ok
	}
	return t.at, true
}

// Err returns an error from the deadline on.
func (t *Timed) Err() error {
	if err := t.Context.Err(); err != nil || t.at.IsZero() || time.Now().Before(t.at) {
		return err
	}
	return context.DeadlineExceeded
}

// Value returns t itself for timedKey, and otherwise the value of the context.
func (t *Timed) Value(key any) any {
	if key == (timedKey{}) && !t.at.IsZero() {
		return t
	}
	return t.Context.Value(key)
}

// timedKey is the key of a *Timed in itself.
type timedKey struct{}

// The hints of diagnostics about limits. They name the flags of commands; a face without flags
// replaces them.
const (
	RaiseTime   = "raise it with --timeout"
	RaiseMemory = "raise it with --memory"
)

// Why returns why the work of a context ended: at its deadline, or by an interrupt.
func Why(ctx context.Context) *diag.Diagnostic {
	at, timed := ctx.Deadline()
	if errors.Is(ctx.Err(), context.Canceled) || ctx.Err() == nil &&
		(!timed || time.Now().Before(at)) {
		return diag.Errorf(diag.Interrupted, diag.Span{}, "the run was interrupted")
	}
	if t, ok := ctx.Value(timedKey{}).(*Timed); ok && t.at.Equal(at) {
		return diag.Errorf(diag.TimeLimit, diag.Span{}, "the run took longer than the limit of %s",
			t.limit).
			WithHint(RaiseTime)
	}
	return Late()
}

// Late returns the diagnostic for work that ended at a deadline.
func Late() *diag.Diagnostic {
	return diag.Errorf(diag.TimeLimit, diag.Span{}, "the run reached its deadline").
		WithHint(RaiseTime)
}

// Watch tells work when it must end. A nil Watch never ends work. A Watch is safe for concurrent
// use.
type Watch struct {
	ctx   context.Context
	done  <-chan struct{}
	at    time.Time
	timed bool
	heap  *heap
	ended func() bool  // of Polled; usually nil
	left  atomic.Int32 // polls before the clock is read again
	steps atomic.Int32 // calls of Step before one polls
}

// between is the number of polls from one look at the clock to the next.
const between = 32

// Of returns a Watch of a context, or nil if nothing can end its work.
func Of(ctx context.Context) *Watch {
	w := &Watch{ctx: ctx, done: ctx.Done()}
	w.heap, _ = ctx.Value(heapKey{}).(*heap)
	w.ended, _ = ctx.Value(polledKey{}).(func() bool)
	w.at, w.timed = ctx.Deadline()
	if !w.timed && w.done == nil && w.heap == nil && w.ended == nil {
		return nil
	}
	return w
}

// polledKey is the key in a context of the function that Polled was given.
type polledKey struct{}

// Polled returns a context whose work calls ended at every poll of a Watch, and ends as if it were
// late when that returns true. It is for tests that count polls, or end work at each of them in
// turn.
func Polled(ctx context.Context, ended func() bool) context.Context {
	return context.WithValue(ctx, polledKey{}, ended)
}

// Err returns why the work must end, or nil if it may go on.
func (w *Watch) Err() *diag.Diagnostic {
	if w == nil {
		return nil
	}
	if w.ended != nil && w.ended() {
		return Late()
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

// Now returns what Err does, and looks at the clock in every call.
func (w *Watch) Now() *diag.Diagnostic {
	if w == nil {
		return nil
	}
	w.left.Store(0)
	return w.Err()
}

// Poll panics if the work must end.
func (w *Watch) Poll() {
	if d := w.Err(); d != nil {
		panic(&Reached{d})
	}
}

// Look is Poll for few and large pieces of work: it looks at the clock in every call.
func (w *Watch) Look() {
	if d := w.Now(); d != nil {
		panic(&Reached{d})
	}
}

// Step is a cheaper Poll, for work on something small such as a token. Most of its calls only
// count.
func (w *Watch) Step() {
	if w != nil && w.steps.Add(-1) < 0 {
		w.steps.Store(between)
		w.Poll()
	}
}

// Reached is the value that Poll panics with.
type Reached struct{ Why *diag.Diagnostic }

// Error returns the reason.
func (r *Reached) Error() string { return r.Why.Message }

// Catch is deferred where polling work is entered. If Poll ended the work, Catch sets d to the
// reason.
func Catch(d **diag.Diagnostic) {
	switch r := recover().(type) {
	case nil:
	case *Reached:
		*d = r.Why
	default:
		panic(r)
	}
}
