package machine

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/task"
)

// Beside is what is compiled beside a run, which owns it: it ends with the run.
type Beside struct {
	watch  *stop.Watch
	cancel context.CancelFunc
	group  task.Group
}

// NewBeside makes what is compiled beside a run with a context.
func NewBeside(ctx context.Context) *Beside {
	ctx, cancel := context.WithCancel(ctx)
	return &Beside{watch: stop.Of(ctx), cancel: cancel}
}

// Go does some of it in a goroutine, as long as the watch allows.
func (b *Beside) Go(f func(w *stop.Watch)) { b.group.Go(func() { f(b.watch) }) }

// End ends it, and waits until it has. A bug that was met there is a panic here.
func (b *Beside) End() {
	b.cancel()
	b.group.Wait()
}

// Watch is what ends the run, for what is compiled in it.
func (m *Machine) Watch() *stop.Watch { return stop.Of(m.ctx) }
