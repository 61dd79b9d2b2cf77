package stop

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// heap limits how much the heap of the process may grow. Other work of the process in parallel
// grows the heap too. So the limit counts as reached only if the work itself has polled often
// enough to have allocated as much. Short work therefore never fails because of others.
type heap struct {
	most   int64
	before int64 // the size of the heap when the work began
	polls  atomic.Int64
}

// perPoll is a rough bound on the bytes that work allocates between two polls.
const perPoll = 64 << 10

// heapKey is the key of the *heap in a context.
type heapKey struct{}

// Holding returns a context whose work ends when the heap grows by more than the given number of
// bytes. If the context already has a lower limit, or bytes is 0, Holding returns the context
// unchanged.
func Holding(ctx context.Context, bytes int64) context.Context {
	if old, _ := ctx.Value(heapKey{}).(*heap); bytes <= 0 || old != nil && old.most <= bytes {
		return ctx
	}
	before := min(metric("/memory/classes/heap/objects:bytes"),
		max(metric("/gc/heap/live:bytes"), 1<<20))
	return context.WithValue(ctx, heapKey{}, &heap{most: bytes, before: before})
}

// err counts polls, and returns a diagnostic if the limit is reached. Before that it collects
// garbage. The limit also counts as reached if less than a sixteenth of it is free after a
// collection, because the work would then collect all the time.
func (h *heap) err(polls int64) *diag.Diagnostic {
	if h.polls.Add(polls) < h.most/perPoll || h.held() <= h.most {
		return nil
	}
	if runtime.GC(); h.held() <= h.most-h.most/16 {
		return nil
	}
	return diag.Errorf(diag.MemoryLimit, diag.Span{},
		"compiling the program needs more memory than the limit").
		WithHint("raise it with --memory")
}

// held returns by how much the heap, including garbage, has grown since the work began.
func (h *heap) held() int64 { return metric("/memory/classes/heap/objects:bytes") - h.before }

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
