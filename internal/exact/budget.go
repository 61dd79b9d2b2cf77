package exact

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"runtime/metrics"
	"time"
	"unsafe"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Limits bounds a run besides the deadline of its context. A zero field means no bound.
type Limits struct {
	Memory int64 // in bytes: Note [Memory]
	Depth  int   // of calls that are active at once; Go's stack bounds it too

	// Reached, unless nil, decides in place of the clock and the memory whether the run has reached
	// the limit that a code names. It is asked at every step, for tests that stop a run everywhere.
	Reached func(limit diag.Code) bool
}

// What evaluation takes of Go's stack, in bytes and at least: Note [Depth].
const (
	callBytes      = 320     // a call
	branchBytes    = 160     // a block of an `if` or a `match`
	iterationBytes = 1 << 10 // the body of a loop, a comprehension, a reduction or a scan
	applyBytes     = 3 << 10 // what a call takes besides, where arguments and parameters differ in number
	searchBytes    = 1 << 14 // an integral, a root, an optimum, a derivative
)

// What evaluation may take of Go's stacks, in all and of one of them: Note [Depth].
const (
	wide     = bits.UintSize/32 - 1 // whether addresses have 64 bits
	maxStack = 200 << 20 << (2 * wide)
	oneStack = 8 << 20
)

// maxNested bounds how many derivatives, integrals and searches may be inside
// one another: the cost doubles with each, or worse.
const maxNested = 100

// budget is what a run may still use. Time, memory and cancellation are looked at
// every fuelUnits calls and turns of loops.
//
// Note [Memory]. What a run holds is the heap of the process and twice what evaluation takes of
// Go's stacks, which may be half empty. If that is more
// than the limit, most of it may be garbage: after a collection there must be some room, or the
// run would collect all the time.
type budget struct {
	depth, maxDepth int
	used, maxUsed   int // of Go's stacks
	changeAt        int // where evaluation changes to a fresh stack
	fuel            int
	ctx             context.Context
	deadline        time.Time
	limits          Limits
	heap            []metrics.Sample
	stop            func() error // asked in place of the clock, unless nil: Note [Certifier]
}

const fuelUnits = 1024

func newBudget(ctx context.Context, lim Limits) budget {
	b := budget{ctx: ctx, limits: lim, maxDepth: math.MaxInt, maxUsed: maxStack,
		changeAt: oneStack, fuel: fuelUnits}
	if lim.Depth > 0 {
		b.maxDepth = lim.Depth
	}
	b.deadline, _ = ctx.Deadline()
	if lim.Reached != nil {
		b.fuel = 0
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
	if b.limits.Reached != nil {
		b.fuel = 0
		switch {
		case b.limits.Reached(diag.TimeLimit):
			return diag.Errorf(diag.TimeLimit, at, "the run took longer than the limit")
		case b.limits.Reached(diag.MemoryLimit):
			return b.outOfMemory(at)
		}
	}
	if b.stop != nil {
		return b.stop()
	}
	if b.ctx.Err() != nil || !b.deadline.IsZero() && !time.Now().Before(b.deadline) {
		d := stop.Why(b.ctx)
		d.Span = at
		return d
	}
	return b.fits(at, 0)
}

// fits checks that there is memory for more bytes.
func (b *budget) fits(at diag.Span, more int64) error {
	if b.held()+more <= b.limits.Memory {
		return nil
	}
	runtime.GC()
	if b.held()+more > b.limits.Memory-b.limits.Memory/16 {
		return b.outOfMemory(at)
	}
	return nil
}

// held is the memory that the run holds: Note [Memory].
func (b *budget) held() int64 {
	metrics.Read(b.heap)
	return int64(b.heap[0].Value.Uint64()) + 2*int64(b.used)
}

// realBytes is what a real takes in a slot.
const realBytes = int(unsafe.Sizeof(jet.Jet{}))

// room fails if n more elements of an array do not fit.
func (b *budget) room(at diag.Span, n int64, elem shape) error {
	bytes := float64(n) * float64(realBytes*elem.r+8*elem.i+16*elem.p)
	if bytes > float64(b.limits.Memory) || n > 1<<40 {
		return b.outOfMemory(at)
	}
	if b.fuel -= int(min(n, fuelUnits)); b.fuel > 0 {
		return nil
	}
	if err := b.check(at); err != nil {
		return err
	}
	return b.fits(at, int64(bytes))
}

func (b *budget) outOfMemory(at diag.Span) error {
	d := diag.Errorf(diag.MemoryLimit, at, "the run needs more memory than the limit").WithHint(stop.RaiseMemory)
	if int64(b.used) > b.limits.Memory/4 {
		d = d.WithHint("%d calls are active at once: make the recursive call the last thing that the function does", b.depth)
	}
	return d
}

func (b *budget) tooDeep(at diag.Span) error {
	return diag.Errorf(diag.DepthLimit, at, "%d calls are active at once, and another one would be too many", b.depth).
		WithHint("make the recursive call the last thing that the function does")
}

func (b *budget) tooNested(at diag.Span) error {
	return diag.Errorf(diag.DepthLimit, at, "more than %d derivatives, integrals and searches are nested", maxNested)
}
