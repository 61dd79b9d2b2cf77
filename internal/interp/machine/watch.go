package machine

import (
	"context"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

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

// Unwatched does something of which nothing is shown.
func (m *Machine) Unwatched(do func()) {
	defer func(shown context.Context) { m.ctx = shown }(m.ctx)
	m.ctx = context.WithValue(context.WithValue(m.ctx, watcherKey{}, nil), inspectorKey{}, nil)
	do()
}

// inspection is a use of `debug`: the type of what it shows, and its place.
type inspection struct {
	ty types.Type
	at diag.Span
}

type inspectorKey struct{}

// Inspected makes a context whose runs show what `debug` is given, in its order, on the goroutine
// of the run.
func Inspected(ctx context.Context, show func(at diag.Span, label string, v value.Value)) context.Context {
	return context.WithValue(ctx, inspectorKey{}, show)
}

// inspect passes a value on to whoever wants to see it.
func (m *Machine) inspect(label string, list []Register, of inspection, f *windowF, i *windowI, p []object.Ref) *diag.Diagnostic {
	show, ok := m.ctx.Value(inspectorKey{}).(func(at diag.Span, label string, v value.Value))
	if !ok {
		return nil
	}
	v, d := m.valueIn(list, of.ty, f, i, p)
	if d == nil {
		show(of.at, label, v)
	}
	return d
}
