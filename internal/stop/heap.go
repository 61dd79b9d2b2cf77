package stop

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Note [Whose heap]
//
// Go tells how large the heap of the process is, but not which work has filled it. A command is
// alone in its process, so the heap grows by what the command holds. In a service, other requests
// grow it too, and in a Go program the program itself does. A request that holds little must not
// fail because others hold much. So work that is not alone must also have allocated a good part of
// the limit itself. Its polls tell how much that is: on average over a program, the stages allocate
// 1 to 4 KiB between two polls, and at most about perPollAlone. A request that fills the memory
// still ends, at the latest when it has allocated a few times its limit. A request that allocates
// less than a quarter of its limit never ends because of others.

// heap limits how much the heap of the process may grow while work goes on.
type heap struct {
	most    int64
	before  int64 // the size of the heap when the work began
	perPoll int64 // bytes that the work is taken to have allocated for each poll
	polls   atomic.Int64
}

// The bytes that work is taken to have allocated for each of its polls: see Note [Whose heap].
const (
	perPollAlone  = 64 << 10
	perPollShared = 4 << 10
)

// heapKey is the key of the *heap in a context.
type heapKey struct{}

// Holding returns a context whose work ends when the heap grows by more than the given number of
// bytes. If the context already has a lower limit, or bytes is 0, Holding returns the context
// unchanged. Alone says that nothing but the work grows the heap of the process.
func Holding(ctx context.Context, bytes int64, alone bool) context.Context {
	if old, _ := ctx.Value(heapKey{}).(*heap); bytes <= 0 || old != nil && old.most <= bytes {
		return ctx
	}
	h := &heap{most: bytes, before: Baseline(bytes), perPoll: perPollShared}
	if alone {
		h.perPoll = perPollAlone
	}
	return context.WithValue(ctx, heapKey{}, h)
}

// Baseline returns how much of the heap is not held by work that begins: what the last collection
// found alive. If that is a good part of the limit, some of it may be what work before held, and is
// garbage now. Counted here, it would let each heavy run hold its limit more than the one before.
// Then Baseline collects, unless the last collection was already made for this.
func Baseline(limit int64) int64 {
	live := metric("/gc/heap/live:bytes")
	if live > max(limit/4, collectedFrom) && metric(cycles) != collectedAt.Load() {
		runtime.GC()
		collectedAt.Store(metric(cycles))
		live = metric("/gc/heap/live:bytes")
	}
	return min(metric("/memory/classes/heap/objects:bytes"), max(live, 1<<20))
}

// collectedFrom is the size of the heap below which Baseline does not collect.
const collectedFrom = 64 << 20

// cycles is the metric that counts the collections.
const cycles = "/gc/cycles/total:gc-cycles"

// collectedAt is the number of collections when Baseline last made one.
var collectedAt atomic.Int64

// err counts polls, and returns a diagnostic if the limit is reached. Before that it collects
// garbage. The limit also counts as reached if less than a sixteenth of it is free after a
// collection, because the work would then collect all the time.
func (h *heap) err(polls int64) *diag.Diagnostic {
	if h.polls.Add(polls) < h.most/h.perPoll || h.held() <= h.most {
		return nil
	}
	if runtime.GC(); h.held() <= h.most-h.most/16 {
		return nil
	}
	return diag.Errorf(diag.MemoryLimit, diag.Span{},
		"compiling the program needs more memory than the limit of %s", ByteSize(h.most)).
		WithHint(RaiseMemory)
}

// Filled returns a function for a goroutine that watches work which does not poll. It returns a
// diagnostic when the work has filled the heap up to the limit of the context. The work is taken to
// have allocated what the process allocates from now on.
func Filled(ctx context.Context) func() *diag.Diagnostic {
	h, _ := ctx.Value(heapKey{}).(*heap)
	if h == nil {
		return func() *diag.Diagnostic { return nil }
	}
	counted := metric("/gc/heap/allocs:bytes")
	return func() *diag.Diagnostic {
		polls := (metric("/gc/heap/allocs:bytes") - counted) / h.perPoll
		counted += polls * h.perPoll
		return h.err(polls)
	}
}

// ByteSize formats a number of bytes for people.
func ByteSize(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	x, u := float64(n), 0
	for x >= 1024 && u < len(units)-1 {
		x /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.4g %s", x, units[u])
}

// held returns by how much the heap, including garbage, has grown since the work began.
func (h *heap) held() int64 { return metric("/memory/classes/heap/objects:bytes") - h.before }

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
