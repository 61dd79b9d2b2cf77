package jit

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxion-lang/fluxion/internal/task"
)

// Note [Teams]
//
// To wake up a sleeping thread takes 50 µs or more, which is much of a loop that is worth two
// threads. So goroutines that help with a loop are started before it is known what it is, while
// what comes before the loop runs. A member of a team that has nothing to do looks for work for a
// while before it sleeps, and a team that is dismissed looks for another team before its members
// end: the next step of an optimiser finds them awake. When nothing runs, there are none.

// awake is how long a goroutine without work looks for some.
const awake = 50 * time.Microsecond

// until waits for a condition for a while, and tells whether it came to hold.
func until(holds func() bool) bool {
	for start := time.Now(); ; runtime.Gosched() {
		for range 100 {
			if holds() {
				return true
			}
		}
		if time.Since(start) > awake {
			return false
		}
	}
}

// team is goroutines that do jobs together, one after the other. A job is done when the one who has
// gathered the team has done it, and so have all that have begun: it does not wait for a member
// that is not awake yet.
type team struct {
	size   int // without the one that has gathered it
	job    func(member int)
	number atomic.Int32 // of the jobs so far; -1 when there are no more
	busy   atomic.Int32 // members that do the job, and closed if no more may begin
	mu     sync.Mutex
	change sync.Cond // of number or busy
	thrown any       // the first panic of a member in the job, guarded by mu
}

const closed = 1 << 30

// helper is a goroutine that is a member of teams, one after the other.
type helper struct {
	next   atomic.Pointer[team]
	member int
}

// helpers are those without a team that are awake.
var helpers struct {
	sync.Mutex
	free []*helper
}

// gather makes a team of n goroutines, and the one that calls it.
func gather(n int) *team {
	t := &team{size: max(n, 0)}
	t.busy.Store(closed)
	t.change.L = &t.mu
	helpers.Lock()
	some := helpers.free[max(len(helpers.free)-t.size, 0):]
	for i, h := range some {
		h.member = i + 1
		h.next.Store(t)
	}
	helpers.free = helpers.free[:len(helpers.free)-len(some)]
	helpers.Unlock()
	for i := len(some); i < t.size; i++ {
		h := &helper{member: i + 1}
		h.next.Store(t)
		go h.work()
	}
	return t
}

// run has the members do a job, and the caller too, as member 0. A panic of a member is one of the
// caller's, when all have ended.
func (t *team) run(job func(member int)) {
	t.job = job
	t.busy.Store(0)
	t.number.Add(1)
	t.tell()
	defer func() {
		t.busy.Add(closed)
		t.wait(func() bool { return t.busy.Load() == closed })
		t.job = nil
		if thrown := t.thrown; thrown != nil {
			t.thrown = nil
			panic(thrown)
		}
	}()
	job(0)
}

// do has a member do the job, and keeps its panic for the caller of run.
func (t *team) do(member int) {
	defer func() {
		if r := task.Thrown(recover()); r != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.thrown == nil {
				t.thrown = r
			}
		}
	}()
	t.job(member)
}

// begin tells whether a member may do the job.
func (t *team) begin() bool {
	for {
		n := t.busy.Load()
		if n >= closed {
			return false
		}
		if t.busy.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// dismiss ends the team. There may be none.
func (t *team) dismiss() {
	if t != nil {
		t.number.Store(-1)
		t.tell()
	}
}

// tell wakes those up that wait for a change.
func (t *team) tell() {
	t.mu.Lock() // one that has looked and not found what it waits for sleeps now
	defer t.mu.Unlock()
	t.change.Broadcast()
}

// wait waits until a condition holds.
func (t *team) wait(holds func() bool) {
	if until(holds) {
		return
	}
	t.mu.Lock()
	for !holds() {
		t.change.Wait()
	}
	t.mu.Unlock()
}

// work does the jobs of teams until there is none.
func (h *helper) work() {
	for t := h.next.Load(); t != nil; t = h.team() {
		h.next.Store(nil)
		for done := int32(0); done >= 0; {
			t.wait(func() bool { return t.number.Load() != done })
			done = t.number.Load()
			if t.begin() {
				t.do(h.member)
				if t.busy.Add(-1) == closed {
					t.tell()
				}
			}
		}
	}
}

// team waits for another team for a while; nil if there is none.
func (h *helper) team() *team {
	helpers.Lock()
	helpers.free = append(helpers.free, h)
	helpers.Unlock()
	if until(func() bool { return h.next.Load() != nil }) {
		return h.next.Load()
	}
	helpers.Lock()
	defer helpers.Unlock()
	if i := slices.Index(helpers.free, h); i >= 0 {
		helpers.free = slices.Delete(helpers.free, i, i+1)
	}
	return h.next.Load()
}
