package task

import (
	"context"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/stop"
)

// Note [Work left behind]
//
// A call waits for the goroutines that it starts. Some operations cannot be interrupted: the
// eigenvalues of a large matrix, a product of numbers with very many digits. They run beside their
// call, so that it can end in time. Then the operation is left behind: it runs to its end, and
// nobody reads its result. If calls went on like this, a service whose requests all time out would
// fill its processors and its memory with work that nobody waits for. So at most MostLeft
// operations are left behind at once. While there are so many, an operation that would run beside
// its call waits until one of them ends. If the call must end before that, it fails, and says why.
//
// The processors and the memory belong to the process, and so does the limit: there may be many
// worlds and many programs in it.

// MostLeft is the number of operations that may be left behind at once.
const MostLeft = 4

// behind counts the operations that are left behind.
var behind struct {
	mu    sync.Mutex
	count int
	ended chan struct{} // is closed when one of them ends; nil if nobody waits for that
}

// Aside is an operation that cannot be interrupted and runs beside its call.
type Aside[T any] struct {
	finished chan struct{}
	result   T
	thrown   any // by a panic

	left, done bool // guarded by the mutex of behind
}

// Timed returns a context that ends when ctx does, and at its deadline even if ctx has no timer.
func Timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if at, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, at)
	}
	return ctx, func() {}
}

// Begin runs f beside the caller, who calls Wait, or Finished and then Result or Leave. If too many
// operations are left behind, Begin waits until one of them ends. If ctx ends before that, Begin
// returns why, and f does not run.
func Begin[T any](ctx context.Context, f func() T) (*Aside[T], *diag.Diagnostic) {
	for {
		behind.mu.Lock()
		if behind.count < MostLeft {
			behind.mu.Unlock()
			break
		}
		if behind.ended == nil {
			behind.ended = make(chan struct{})
		}
		ended := behind.ended
		behind.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, stop.Why(ctx).WithHint("it waited for an operation of an earlier call to "+
				"end: %d operations that cannot be interrupted still run", MostLeft)
		}
	}
	a := &Aside[T]{finished: make(chan struct{})}
	go func() {
		defer func() {
			a.thrown = Thrown(recover())
			a.end()
			close(a.finished)
		}()
		a.result = f()
	}()
	return a, nil
}

// end notes that the operation has ended.
func (a *Aside[T]) end() {
	behind.mu.Lock()
	defer behind.mu.Unlock()
	if a.done = true; !a.left {
		return
	}
	behind.count--
	if behind.ended != nil {
		close(behind.ended)
		behind.ended = nil
	}
}

// Finished is closed when the operation has ended.
func (a *Aside[T]) Finished() <-chan struct{} { return a.finished }

// Result returns the result of an operation that has ended. If it panicked, Result panics too.
func (a *Aside[T]) Result() T {
	if a.thrown != nil {
		panic(a.thrown)
	}
	return a.result
}

// Leave leaves the operation behind: Note [Work left behind].
func (a *Aside[T]) Leave() {
	behind.mu.Lock()
	defer behind.mu.Unlock()
	if !a.done && !a.left {
		a.left = true
		behind.count++
	}
}

// Wait waits until the operation has ended and returns its result. If ctx ends before, Wait leaves
// the operation behind, and ok is false.
func (a *Aside[T]) Wait(ctx context.Context) (result T, ok bool) {
	select {
	case <-a.finished:
		return a.Result(), true
	case <-ctx.Done():
		a.Leave()
		return result, false
	}
}
