package interp

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Conversions and visits of values that the machine pays for.

// toValue takes the slots of a value and gives its tree.
func (m *Machine) toValue(t types.Type, from *Slots) (value.Value, *diag.Diagnostic) {
	return toValue(m.layouts, m, m.tape, t, from)
}

// leavesOf collects the reals of a value.
func (m *Machine) leavesOf(t types.Type, in Slots) (leafList, *diag.Diagnostic) {
	return leavesOf(m.layouts, m, t, in)
}

// withLeaves is a value with its reals replaced, from left to right.
func (m *Machine) withLeaves(t types.Type, in Slots, xs []float64) (Slots, *diag.Diagnostic) {
	return withLeaves(m.layouts, m, t, in, xs)
}

// mapLeaves is a value with its reals replaced: one is given a real, many a column of them.
func (m *Machine) mapLeaves(t types.Type, in Slots, one func(x float64) float64, many func(xs []float64) []float64) (Slots, *diag.Diagnostic) {
	return mapLeaves(m.layouts, m, t, in, one, many)
}
