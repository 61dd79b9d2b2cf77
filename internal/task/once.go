package task

import (
	"sync"
	"sync/atomic"
)

// Once is a sync.Once whose work is done again by the next one who asks, if a panic has ended it.
type Once struct {
	mu   sync.Mutex
	done atomic.Bool
}

// Do runs f, unless f has run to its end before. Others that ask meanwhile wait.
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
