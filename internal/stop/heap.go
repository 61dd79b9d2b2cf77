package stop

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// heap is a limit of what the heap of the process may grow by. Parallel work of the process grows
// it too. So the limit is reached only if the polls of the work itself could have allocated as
// much: work that is short never fails because of others.
type heap struct {
	most   int64
	before int64 // the size of the heap when the work began
	polls  atomic.Int64
}

// perPoll is how many bytes the work between two polls allocates at most, roughly.
const perPoll = 64 << 10

// heapKey is the key of the *heap in a context.
type heapKey struct{}

// Holding returns a context whose work ends when the heap grows by more than so many bytes,
// unless it has a lower limit already; 0 stands for no limit.
func Holding(ctx context.Context, bytes int64) context.Context {
	if old, _ := ctx.Value(heapKey{}).(*heap); bytes <= 0 || old != nil && old.most <= bytes {
		return ctx
	}
	before := min(metric("/memory/classes/heap/objects:bytes"), max(metric("/gc/heap/live:bytes"), 1<<20))
	return context.WithValue(ctx, heapKey{}, &heap{most: bytes, before: before})
}

// err says that the limit is reached, after so many polls more; nil if it is not. What is garbage
// is collected first. The work fails if less than a sixteenth of the limit is free then: it would
// collect all the time.
func (h *heap) err(polls int64) *diag.Diagnostic {
	if h.polls.Add(polls) < h.most/perPoll || h.held() <= h.most {
		return nil
	}
	if runtime.GC(); h.held() <= h.most-h.most/16 {
		return nil
	}
	return diag.Errorf(diag.MemoryLimit, diag.Span{}, "compiling the program needs more memory than the limit").
		WithHint("raise it with --memory")
}

// held returns how much larger the heap is than when the work began, garbage included.
func (h *heap) held() int64 { return metric("/memory/classes/heap/objects:bytes") - h.before }

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
