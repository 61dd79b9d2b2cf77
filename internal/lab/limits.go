package lab

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
)

// What an algorithm may use if nobody says otherwise. The bound of operations
// usually comes first; that of time is for what executes none, such as
// translating a program.
const (
	DefaultOps  = 10_000_000
	DefaultTime = 20 * time.Second
)

// limited runs an algorithm under limits of time and memory, which hold for
// this algorithm alone. The algorithm sees them as the end of its context, and
// says where that found it; limited says which limit it was.
func limited(ctx context.Context, limits interp.Limits, run func(context.Context) *diag.Diagnostic) *diag.Diagnostic {
	if limits.Timeout <= 0 {
		limits.Timeout = DefaultTime
	}
	inner, cancel := context.WithCancelCause(ctx)
	watcher := make(chan struct{})
	go func() {
		defer close(watcher)
		watch(inner, limits, cancel)
	}()
	d := run(inner)
	reached, _ := context.Cause(inner).(limitReached)
	cancel(nil)
	<-watcher
	if d == nil || d.Code != diag.Interrupted || reached.message == "" {
		return d
	}
	return diag.Errorf(reached.code, d.Span, "%s", reached.message).WithHint("%s", reached.hint)
}

// limitReached is why a context ended.
type limitReached struct {
	code          diag.Code
	message, hint string
}

func (l limitReached) Error() string { return l.message }

// watch ends a context at a limit.
func watch(ctx context.Context, limits interp.Limits, end context.CancelCauseFunc) {
	start, before := time.Now(), heapObjects()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if now.Sub(start) > limits.Timeout {
				end(limitReached{diag.TimeLimit, "the algorithm took longer than the limit of " + limits.Timeout.String(),
					"raise it with --timeout"})
				return
			}
			full := func() bool { return limits.Memory > 0 && heapObjects()-before > limits.Memory }
			if !full() {
				continue
			}
			if runtime.GC(); full() { // without garbage
				end(limitReached{diag.MemoryLimit, "the algorithm needs more memory than the limit",
					"raise it with --memory"})
				return
			}
		}
	}
}

// heapObjects is the memory that objects take, in bytes.
func heapObjects() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
