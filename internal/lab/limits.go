package lab

import (
	"context"
	"errors"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Default limits of an algorithm. Usually the bound on operations is reached first. The time
// limit is for work that executes no operations, such as translating a program.
const (
	DefaultOps  = 10_000_000
	DefaultTime = 20 * time.Second
)

// limited runs an algorithm under limits of time and memory of its own. The algorithm sees a
// limit as the end of its context, and reports where it noticed; limited reports which limit it
// was.
func limited(ctx context.Context, limit time.Duration, memory int64, alone bool,
	run func(context.Context) *diag.Diagnostic) *diag.Diagnostic {
	timed, done := stop.Within(stop.Holding(ctx, memory, alone), limit)
	defer done()
	inner, cancel := context.WithCancelCause(timed)
	var watcher task.Group
	watcher.Go(func() { watch(inner, cancel) })
	defer watcher.Wait()
	defer cancel(nil)
	d := run(inner)
	full := context.Cause(inner) == errFull
	if d == nil || d.Code != diag.Interrupted && d.Code != diag.TimeLimit {
		return d
	}
	switch {
	case full:
		return diag.Errorf(diag.MemoryLimit, d.Span,
			"the algorithm needs more memory than the limit").
			WithHint(stop.RaiseMemory)
	case timed.Err() != nil && ctx.Err() == nil:
		return diag.Errorf(diag.TimeLimit, d.Span, "the algorithm took longer than the limit of %s",
			limit.Round(time.Millisecond)).
			WithHint(stop.RaiseTime)
	case timed.Err() != nil:
		why := stop.Why(timed)
		why.Span = d.Span
		return why
	}
	return d
}

// errFull says that a context ended at the memory limit.
var errFull = errors.New("the memory is full")

// watch ends a context at its memory limit, since algorithms see only its end.
func watch(ctx context.Context, end context.CancelCauseFunc) {
	filled := stop.Filled(ctx)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if filled() != nil {
				end(errFull)
				return
			}
		}
	}
}
