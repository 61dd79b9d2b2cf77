// Package task starts goroutines that somebody owns: the call, the request or the command that
// started them waits for them, and a panic in one of them is a panic of the owner's.
package task

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Group is goroutines with one owner. The zero Group has none.
type Group struct {
	wait   sync.WaitGroup
	mu     sync.Mutex
	thrown any // the first panic
}

// Go runs f in a goroutine. What package stop ends is not a failure.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		defer func() {
			r := recover()
			if _, stopped := r.(*stop.Reached); r == nil || stopped {
				return
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.thrown == nil {
				g.thrown = r
			}
		}()
		f()
	})
}

// Wait waits for all goroutines of the group. If one of them has panicked, so does Wait.
func (g *Group) Wait() {
	g.wait.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.thrown; r != nil {
		g.thrown = nil
		panic(r)
	}
}
