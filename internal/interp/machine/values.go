package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Conversions and visits of values that the machine pays for.

// ToValue takes the slots of a value and gives its tree.
func (m *Machine) ToValue(t types.Type, from *object.Slots) (value.Value, *diag.Diagnostic) {
	return object.ToValue(m.layouts, m, m.tape, t, from)
}

// LeavesOf collects the reals of a value.
func (m *Machine) LeavesOf(t types.Type, in object.Slots) (object.Leaves, *diag.Diagnostic) {
	return object.LeavesOf(m.layouts, m, t, in)
}

// WithLeaves is a value with its reals replaced, from left to right.
func (m *Machine) WithLeaves(t types.Type, in object.Slots, xs []float64) (object.Slots, *diag.Diagnostic) {
	return object.WithLeaves(m.layouts, m, t, in, xs)
}

// MapLeaves is a value with its reals replaced: one is given a real, many a column of them.
func (m *Machine) MapLeaves(t types.Type, in object.Slots, one func(x float64) float64, many func(xs []float64) []float64) (object.Slots, *diag.Diagnostic) {
	return object.MapLeaves(m.layouts, m, t, in, one, many)
}
