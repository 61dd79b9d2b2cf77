package jit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/task"
)

// TestTeam: jobs are done one after the other, by the one who gathers the team and by those who are
// awake; no member does one after it is done, and when there is no work, there are no goroutines.
func TestTeam(t *testing.T) {
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				team := gather(3)
				for job := range 5 {
					var now, callers, begun atomic.Int32
					team.run(func(member int) {
						now.Add(1)
						if member == 0 {
							callers.Add(1)
						}
						begun.Add(1)
						runtime.Gosched()
						now.Add(-1)
					})
					if now.Load() != 0 || callers.Load() != 1 || begun.Load() > 8 {
						t.Errorf("job %d: %d members have not done it, %d have begun", job, now.Load(), begun.Load())
					}
				}
				team.dismiss()
			}
		})
	}
	all.Wait()
	for range 200 {
		helpers.Lock()
		free := len(helpers.free)
		helpers.Unlock()
		if runtime.NumGoroutine() <= before && free == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines wait for work, where there were %d", runtime.NumGoroutine(), before)
}

// TestTeamPanics: a panic of a member, or of the caller itself, is one of who runs the job, after all
// have ended; the team does other jobs after it.
func TestTeamPanics(t *testing.T) {
	team := gather(2)
	defer team.dismiss()
	for _, bad := range []int{0, 1, 2} {
		var now atomic.Int32
		func() {
			defer func() {
				r := recover()
				if b, ok := r.(*task.Bug); ok { // not the caller's own
					r = b.Value
				}
				if r != "a bug" || now.Load() != 0 {
					t.Errorf("member %d: run panics with %v while %d do the job", bad, r, now.Load())
				}
			}()
			var begun sync.WaitGroup
			begun.Add(3) // all take part
			team.run(func(member int) {
				now.Add(1)
				defer now.Add(-1)
				begun.Done()
				begun.Wait()
				if member == bad {
					panic("a bug")
				}
			})
			t.Errorf("member %d: run does not panic", bad)
		}()
	}
	ran := false
	team.run(func(member int) {
		if member == 0 {
			ran = true
		}
	})
	if !ran {
		t.Error("no job is done after a panic")
	}
}
