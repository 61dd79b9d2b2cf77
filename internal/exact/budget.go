package exact

import (
	"context"
	"errors"
	"math"
	"runtime/metrics"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
)

// Limits bounds a run. A zero field means no bound.
type Limits struct {
	Timeout time.Duration // ends the run with the best enclosure so far
	Memory  int64         // of the heap, in bytes
	Depth   int           // of calls that are active at once; Go's stack bounds it too
}

// What evaluation takes of Go's stack, in bytes and generously: Note [Depth].
const (
	maxStack    = 400 << 20
	callBytes   = 1 << 10 // a call
	blockBytes  = 1 << 9  // a block inside a function
	applyBytes  = 3 << 10 // what a call takes besides, where arguments and parameters differ in number
	searchBytes = 1 << 14 // an integral, a root, an optimum, a derivative
)

// maxNested bounds how many derivatives, integrals and searches may be inside
// one another: the cost doubles with each, or worse.
const maxNested = 100

// budget is what a run may still use. Time, memory and cancellation are checked
// every fuelUnits calls and turns of loops.
type budget struct {
	depth, maxDepth int
	used            int // of Go's stack
	fuel            int
	ctx             context.Context
	deadline        time.Time
	limits          Limits
	heap            []metrics.Sample
}

const fuelUnits = 1024

func newBudget(ctx context.Context, lim Limits) budget {
	b := budget{ctx: ctx, limits: lim, maxDepth: math.MaxInt, fuel: fuelUnits}
	if lim.Depth > 0 {
		b.maxDepth = lim.Depth
	}
	if lim.Timeout > 0 {
		b.deadline = time.Now().Add(lim.Timeout)
	}
	if lim.Memory <= 0 {
		b.limits.Memory = math.MaxInt64
	}
	b.heap = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	return b
}

// tick counts a call or a turn of a loop, at a place of the program.
func (b *budget) tick(at diag.Span) error {
	if b.fuel--; b.fuel > 0 {
		return nil
	}
	return b.check(at)
}

// check fails if the run is out of time or memory, or cancelled.
func (b *budget) check(at diag.Span) error {
	b.fuel = fuelUnits
	if err := b.ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return diag.Errorf(diag.TimeLimit, at, "the run reached its deadline").WithHint("raise it with --timeout")
		}
		return diag.Errorf(diag.Interrupted, at, "the run was interrupted")
	}
	if !b.deadline.IsZero() && time.Now().After(b.deadline) {
		return diag.Errorf(diag.TimeLimit, at, "the run took longer than the limit of %s", b.limits.Timeout).
			WithHint("raise it with --timeout")
	}
	if metrics.Read(b.heap); b.heap[0].Value.Uint64() > uint64(b.limits.Memory) {
		return b.outOfMemory(at)
	}
	return nil
}

// room fails if n more elements of an array certainly do not fit.
func (b *budget) room(at diag.Span, n int64, elem shape) error {
	if bytes := float64(n) * float64(32*elem.r+8*elem.i+16*elem.p); bytes > float64(b.limits.Memory) || n > 1<<40 {
		return b.outOfMemory(at)
	}
	if b.fuel -= int(min(n, fuelUnits)); b.fuel <= 0 {
		return b.check(at)
	}
	return nil
}

func (b *budget) outOfMemory(at diag.Span) error {
	return diag.Errorf(diag.MemoryLimit, at, "the run needs more memory than the limit").WithHint("raise it with --memory")
}

func (b *budget) tooDeep(at diag.Span) error {
	return diag.Errorf(diag.DepthLimit, at, "%d calls are active at once, and another one would be too many", b.depth).
		WithHint("make the recursive call the last thing that the function does")
}

func (b *budget) tooNested(at diag.Span) error {
	return diag.Errorf(diag.DepthLimit, at, "more than %d derivatives, integrals and searches are nested", maxNested)
}
