// Package task starts goroutines that have an owner. The owner is the call, the request or the
// command that started them. It waits for them, and a panic in one of them becomes a panic of the
// owner.
package task

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Bug is a panic of a goroutine. The owner panics with it. It holds the stack of the goroutine,
// which shows where the bug is; the stack of the owner does not.
type Bug struct {
	Value any
	Stack []byte
}

func (b *Bug) Error() string { return fmt.Sprintf("%v\n\nit arose in\n%s", b.Value, b.Stack) }

// Thrown returns what the owner of a goroutine panics with, if the goroutine recovered r. An end by
// package stop is not a bug. Thrown is called by the deferred function that recovered r.
func Thrown(r any) any {
	switch r.(type) {
	case nil, *stop.Reached, *Bug:
		return r
	}
	return &Bug{r, debug.Stack()}
}

// Group is a set of goroutines with one owner. The zero Group is empty.
type Group struct {
	wait   sync.WaitGroup
	mu     sync.Mutex
	thrown any // the first panic
}

// Go runs f in a goroutine. An end by package stop is not a failure.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		defer func() {
			r := Thrown(recover())
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

// Wait waits for all goroutines of the group. If one of them panicked, Wait panics too.
func (g *Group) Wait() {
	g.wait.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.thrown; r != nil {
		g.thrown = nil
		panic(r)
	}
}
