package task

import (
	"sync"
	"sync/atomic"
)

// Once is a sync.Once that a panic does not use up: if the work ends by a panic, the next caller
// does it again.
type Once struct {
	mu   sync.Mutex
	done atomic.Bool
}

// Do runs f, unless f has already completed. Concurrent callers wait.
func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		f()
		o.done.Store(true)
	}
}
