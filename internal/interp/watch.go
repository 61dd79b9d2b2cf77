package interp

import "context"

type watcherKey struct{}

// Watched makes a context whose runs tell watch how far they are: it gets the
// texts of `progress`, in their order, on the goroutine of the run. Programs
// learn nothing from it.
func Watched(ctx context.Context, watch func(text string)) context.Context {
	return context.WithValue(ctx, watcherKey{}, watch)
}

// note passes a text on to the watcher, if there is one.
func (m *Machine) note(text string) {
	if watch, ok := m.ctx.Value(watcherKey{}).(func(text string)); ok {
		watch(text)
	}
}
