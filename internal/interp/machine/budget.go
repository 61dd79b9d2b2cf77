package machine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// budget is what a run may still use.
//
// Time is checked whenever fuel has run out. Every call and every turn of a loop takes a unit, and
// one more for every so many instructions of the function or the loop, since code without calls
// may be long. Work on arrays takes units in proportion.
//
// Note [Memory]. Every object, array and stack is charged before it is made,
// so that `iota 10^15` fails before it allocates. The sum of all charges
// bounds what the run holds from above, and as long as it is below the limit
// nothing more is done. When it gets there, most of it may be garbage: the run
// asks the Go runtime for the size of the heap, less what was alive at the
// start, and goes on from that figure, after a forced collection if need be.
// So the heap of a run, garbage included, never exceeds its limit (up to the
// rounding of allocation sizes), and a run fails only if after a collection
// less than a sixteenth of the limit is free: then it would collect all the
// time. Several runs in one process see one another's garbage in the figure;
// each takes the smaller of it and its own sum, so that a run never fails
// because of the others before it has itself allocated its limit.
type budget struct {
	fuel  int64
	units int64 // of fuel, from one look at the clock to the next
	burnt int64 // before the last refuelling

	regions  RegionWork
	done     <-chan struct{}
	ctx      context.Context
	deadline time.Time
	timed    bool
	limits   Limits
	depth    int

	memory   int64 // the limit
	used     int64 // at most what the run holds
	baseline int64 // of the heap, when the run started

	setback setback // what the interpreter is looking into; without a cause if nothing
}

// fuelUnits is how much is done between two looks at the clock: some tens of
// microseconds.
const fuelUnits = 8192

func (m *Machine) startBudget(ctx context.Context, lim Limits) {
	b := budget{fuel: fuelUnits, units: fuelUnits, ctx: ctx, done: ctx.Done(), limits: lim, memory: lim.Bytes(), depth: lim.Depth}
	b.deadline, b.timed = ctx.Deadline()
	if b.depth <= 0 {
		b.depth = math.MaxInt
	}
	if b.memory < math.MaxInt64 {
		b.baseline = stop.Baseline(b.memory)
	}
	if lim.Reached != nil { // it is asked at every step
		b.fuel, b.units, b.memory, b.depth = 0, 0, -1, -1
	}
	m.budget = b
	m.stats = Stats{}
}

// Tick looks at the clock and at the context, and refuels.
func (m *Machine) Tick() *diag.Diagnostic {
	m.burnt = m.Work()
	m.fuel = m.units
	if m.limits.Reached != nil && m.limits.Reached(diag.TimeLimit) {
		return stop.Late()
	}
	select {
	case <-m.done:
		return stop.Why(m.ctx)
	default:
	}
	if m.timed && !time.Now().Before(m.deadline) {
		return stop.Why(m.ctx)
	}
	if most := m.limits.Prims; most > 0 && m.stats.Prims+m.stats.Swept > most {
		return diag.Errorf(diag.StrategyBudget, diag.Span{}, "the run needs more than %d operations", most)
	}
	return nil
}

// setback is a failure of compiled code, and where the code is that the interpreter runs in its
// place.
type setback struct {
	cause     error
	frames    int       // the depth of the function that has the code
	fn        *Function // that function; nil if the code is all that is left of it
	from, end int       // the code
}

// GaveUp records why compiled code gave up a region, which the interpreter runs now to find out
// what failed. Turns says that the region is the turns of a loop that are left. A region inside of
// one that the interpreter runs for the same reason changes nothing.
func (m *Machine) GaveUp(cause error, turns bool) {
	if m.looksInto(m.fn, m.pc) {
		return
	}
	s := setback{cause: cause, frames: m.frames.count(), fn: m.fn, from: m.pc, end: m.pc}
	if code := m.fn.Code; code[m.pc-1].Op == OpLoops {
		// After a jump to the interpreter's code comes what is done with the results.
		switch done := &code[m.pc+1]; {
		case done.Op != OpJump || m.fn.Otherwise != nil:
			s.fn = nil // it returns them, or goes on elsewhere until it does
		case turns:
			s.from, s.end = 0, int(done.K)
		default:
			s.end = int(done.K)
		}
	}
	m.setback = s
}

// looksInto reports whether the interpreter, which is before pc, is looking into a setback. If not
// there is none any more.
func (m *Machine) looksInto(fn *Function, pc int) bool {
	s := &m.setback
	if s.cause == nil {
		return false
	}
	if m.frames.count() > s.frames {
		f := m.frames.at(s.frames)
		if fn, pc = f.fn, f.pc; fn == m.code.halt {
			return true // an operation calls a function; it has asked before that
		}
	}
	if m.frames.count() < s.frames || s.fn != nil && (fn != s.fn || pc < s.from || pc > s.end) {
		s.cause = nil
	}
	return s.cause != nil
}

// FirstCause returns the diagnostic of a failed run, with its first cause. When compiled code meets
// an error it is given up with that cause, and the interpreter runs the same again to find out more.
// If the interpreter has no time to get that far, the diagnostic says what the compiled code met.
func FirstCause(gaveUp error, d *diag.Diagnostic) *diag.Diagnostic {
	if gaveUp == nil || d.Code != diag.TimeLimit && d.Code != diag.Interrupted {
		return d
	}
	met, isDiagnostic := gaveUp.(*diag.Diagnostic)
	if errors.Is(gaveUp, loop.ErrMemory) || isDiagnostic && met.Code == diag.MemoryLimit {
		return diag.Errorf(diag.MemoryLimit, d.Span, "the run needs more memory than the limit").
			WithHint(stop.RaiseMemory)
	}
	return d.WithHint("compiled code gave up before that, at a failure such as an index out of range, " +
		"and the interpreter was looking for it")
}

// tickAt is tick at an instruction.
func (m *Machine) tickAt(fn *Function, pc int) *diag.Diagnostic {
	if d := m.Tick(); d != nil {
		return m.place(d, fn, pc)
	}
	return nil
}

// Work is the fuel that the run has taken so far: a measure of time that is the same in every run.
func (m *Machine) Work() int64 { return m.burnt + m.units - m.fuel }

// stretch is the number of instructions that take one more unit of fuel.
const stretch = 32

// toll returns the fuel that code takes in which so many instructions follow each other.
func toll(instructions int) int64 { return 1 + int64(instructions/stretch) }

// pay takes fuel for work on n elements.
func (m *Machine) pay(n int) { m.fuel -= int64(n) >> 4 }

// Spend pays for memory that is about to be allocated, and for work on so many elements.
func (m *Machine) Spend(bytes int64, work int) *diag.Diagnostic {
	if d := m.Charge(bytes); d != nil {
		return d
	}
	if m.pay(work); m.fuel < 0 {
		return m.Tick()
	}
	return nil
}

// elements pays for a primitive on n elements, and counts them.
func (m *Machine) elements(n int) {
	m.pay(n)
	if m.code.opts.Count {
		m.stats.Prims += int64(n)
	}
}

// Charge accounts for an allocation that is about to happen.
func (m *Machine) Charge(n int64) *diag.Diagnostic {
	m.stats.Allocations++
	m.stats.Bytes += n
	m.used += n
	if m.used <= m.memory {
		return nil
	}
	return m.reclaim(n)
}

// reclaim finds out what the run really holds; n bytes are about to be added.
func (m *Machine) reclaim(n int64) *diag.Diagnostic {
	if reached := m.limits.Reached; reached != nil && !reached(diag.MemoryLimit) {
		return nil
	}
	if n > m.memory {
		return m.outOfMemory(n)
	}
	free := m.memory / 16
	m.forgetDead()
	for collected := false; ; collected = true {
		held := min(max(heapBytes()-m.baseline, 0), m.used-n)
		if held+n+free <= m.memory {
			m.used = held + n
			return nil
		}
		if collected {
			return m.outOfMemory(n)
		}
		runtime.GC()
	}
}

// forgetDead clears the reference registers above the current windows, which
// hold what returned functions have left there.
func (m *Machine) forgetDead() {
	top := m.pb + max(m.fn.Frame.P+m.fn.Out.P, m.args) + 1
	clear(m.p[min(top, len(m.p)):])
}

// heapBytes is the size of the Go heap, garbage included.
func heapBytes() int64 { return metric("/memory/classes/heap/objects:bytes") }

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
