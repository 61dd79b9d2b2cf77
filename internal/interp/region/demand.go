package region

import (
	"sync"
	"sync/atomic"

	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [When a region is compiled]
//
//	cold ──▶ due ──▶ taken
//
// A region is cold until it is reached often enough for compiling it to pay. It is due, and
// compiled when it is next reached, if a derivative in its loop would have been compiled, or if it
// is expected. Once it is taken, it runs as compiled code wherever it is reached, unless it cannot
// be compiled. A region that is given up several times in a row rests for a while.

// demand is how much a region is asked for.
type demand struct {
	stage atomic.Int32

	mu      sync.Mutex
	reached int64 // how often it was before it was taken
	dueAt   int64 // the work when the loop around became due
	failed  int   // runs given up since the last one that was not
	rest    int   // times that the interpreter takes it before it is tried again
	cause   error // why the last run was given up, or nil
}

// the stages of a demand
const (
	cold int32 = iota
	due
	taken
)

// expect makes a region due that is cold, and reports whether it was.
func (d *demand) expect() bool { return d.stage.CompareAndSwap(cold, due) }

// maxGivenUp is how often in a row a region may be given up before it rests.
const maxGivenUp = 3

// gaveUp notes how a run ended: cause is why it was given up, or nil.
func (d *demand) gaveUp(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cause = cause; cause == nil {
		d.failed = 0
	} else if d.failed++; d.failed >= maxGivenUp {
		d.rest = 1 << min(d.failed, 20)
	}
}

// tired tells whether the interpreter takes the region this time, since it was given up too often
// in a row. The times between attempts double, so that attempts in vain cost little, and a search
// that began at bad points ends in compiled code.
func (d *demand) tired() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rest == 0 {
		return false
	}
	d.rest--
	return true
}

// take decides that the region runs as compiled code from now on, and compiles it. It panics as
// Poll of the watch does; then the region is compiled when it is reached again. It returns the
// first form, and whether this call has made the decision.
func (r *Region) take(w *stop.Watch) (first *compiled, now bool) {
	if r.demand.stage.Load() == taken {
		return r.first(), false
	}
	first = r.compile(w)
	return first, r.demand.stage.Swap(taken) != taken
}

// takenBy is take in the run of a machine.
func (r *Region) takenBy(m *machine.Machine) *compiled {
	first, now := r.take(m.Watch())
	if now {
		m.RegionWork().CompiledAt = m.Work()
	}
	return first
}

// A region that is a simple loop takes as long for fewElements as the interpreter, and is compiled
// at once for manyElements, but only if it is reached often for less.
const (
	fewElements  = 48
	manyElements = 512
)

// isDue tells whether to run the region, with arrays of n elements, and so to compile it if it is
// not.
func (r *Region) isDue(m *machine.Machine, n int) bool {
	ready := r.demand.stage.Load() == taken
	if !r.deep && n < fewElements {
		if first := r.first(); !ready || first == nil || !first.nested {
			return false
		}
	}
	return ready || r.pays(m.Work()-m.RegionWork().CompiledAt, n) && !r.waits(m.Work())
}

// pays tells whether it is time to compile a region that is reached in a run that has done so much
// work since it last compiled one, with arrays of n elements: if the time of both is not more than
// doubled by it. Work is counted and not timed, so that the same program takes the same way in
// every run, and has the same result to the last digit.
func (r *Region) pays(work int64, n int) bool {
	r.demand.mu.Lock()
	defer r.demand.mu.Unlock()
	r.demand.reached++
	return r.demand.stage.Load() == due || r.worth(work, r.demand.reached, n)
}

// worth is pays for a region that was reached so often.
func (r *Region) worth(work, reached int64, n int) bool {
	each := int64(reachWork)
	if r.deep {
		each = deepWork
		for range min(r.nest, mostNested) - 1 {
			each *= turnsWork
		}
	}
	if !r.deep && n < manyElements {
		return reached*each >= r.price()
	}
	if r.role == rest || r.outer != nil {
		work *= manyTurns
	}
	gain := max(work*fuelWork, reached*each, int64(n)*elementWork)
	return r.price() <= cheap || gain >= r.price()
}

// atOnce tells whether the region is compiled as soon as it is reached, whatever its arguments are.
func (r *Region) atOnce() bool {
	return (r.deep || r.extent.fixed >= fewElements) && r.worth(0, 1, r.extent.fixed)
}

// waits tells whether a region that it is time to compile leaves that to the loop around it. It
// does not wait for long: the next turn of the loop may be far.
func (r *Region) waits(work int64) bool {
	if r.outer == nil || r.outer.demand.stage.Load() == taken {
		return false
	}
	r.demand.mu.Lock()
	defer r.demand.mu.Unlock()
	if r.outer.demand.expect() {
		r.demand.dueAt = work
		return true
	}
	return (work-r.demand.dueAt)*fuelWork < r.price()
}

// price is what compiling the region takes.
func (r *Region) price() int64 { return int64(r.size) * compileWork }

// In units of about 5 ns: a unit of fuel, which is an instruction that calls or turns back, with
// those between; what compiling an operation takes, what it may take at once, and what a region is
// taken to cost the interpreter each time it is reached, if it is deep, times what is nested
// further for each loop in a loop, and for each element of its arguments.
const (
	fuelWork    = 60
	compileWork = 4_000
	cheap       = 400_000
	reachWork   = 2_000
	deepWork    = 100_000
	turnsWork   = 10
	mostNested  = 6
	elementWork = 200
)
