package machine

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Constants keeps the values of constants from one run to the next, for a session
// whose programs share definitions. They are known by their names, so that what is
// defined anew needs a name of its own, and all runs must have the same options.
// The zero Constants is empty; it is not safe for concurrent use.
//
// Values are immutable and refer to nothing of the program that made them, except
// functions: what may contain one is not kept. Kept ones are copies, because a
// slice of an array would keep all of that alive.
type Constants struct {
	values map[string]keptValue
	bytes  int64 // of all of them
}

type keptValue struct {
	value object.Slots
	bytes int64
}

// keptShare is the part of a run's limit of memory that kept values may take.
const keptShare = 16

// Has tells whether the value of a constant is kept.
func (k *Constants) Has(name string) bool {
	if k == nil {
		return false
	}
	_, known := k.values[name]
	return known
}

// recall gives the machine a constant that was kept, and tells whether there is
// one. The run pays for its memory, as it would if it made it.
func (k *Constants) recall(m *Machine, g *Global) (known bool, d *diag.Diagnostic) {
	if k == nil {
		return false, nil
	}
	kept, known := k.values[g.Name]
	if known {
		m.globals[g.Index] = globalValue{true, kept.value}
		d = m.Charge(kept.bytes)
	}
	return known, d
}

// keep notes a constant that the machine has evaluated. If there is no room for it,
// all others give way.
func (k *Constants) keep(m *Machine, g *Global) {
	if k == nil || types.Member(g.Type, types.Diff) != nil {
		return
	}
	room := m.memory / keptShare
	value, bytes := object.CopySlots(m.globals[g.Index].Slots, room)
	if bytes > room {
		return
	}
	if k.values == nil || k.bytes+bytes > room {
		k.values, k.bytes = map[string]keptValue{}, 0
	}
	k.values[g.Name] = keptValue{value, bytes}
	k.bytes += bytes
}
