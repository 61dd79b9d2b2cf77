package exact

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// Note [Debug]
//
// A definition is evaluated again on each rung, so what `debug` shows is not shown at once.
// The runner keeps what the last evaluation of each definition has shown, and hands it out at the
// end of the run, definition by definition in the order of their first evaluation: each value once,
// as narrow as it became.

// inspected is what one evaluation of a `debug` shows.
type inspected struct {
	at    diag.Span
	label string
	v     value.Value
}

// inspections is what the definitions of a run have shown.
type inspections struct {
	order []string
	last  map[string][]inspected
}

// maxInspections bounds what is kept of one definition.
const maxInspections = 1000

func (k *inspections) keep(name string, events []inspected) {
	if k.last == nil {
		k.last = map[string][]inspected{}
	}
	if _, known := k.last[name]; !known && len(events) > 0 {
		k.order = append(k.order, name)
	}
	k.last[name] = events
}

func (k *inspections) tell(show func(at diag.Span, label string, v value.Value)) {
	for _, name := range k.order {
		for _, e := range k.last[name] {
			show(e.at, e.label, e.v)
		}
	}
}

// inspect compiles what `debug` does, for runs whose machine keeps it.
func (c *compiler) inspect(s *core.Let, op *core.Prim, into place) place {
	m, at, t := c.m, s.At, types.Resolve(op.Args[1].Type())
	label, from := c.ref(op.Args[0]), c.atom(op.Args[1])
	size := from.shape()
	c.emit(func(f *regs) error {
		if m.enclose == nil || len(m.shown) >= maxInspections {
			return nil
		}
		v := makeSlots(size)
		f.gather(from, v)
		m.shown = append(m.shown, inspected{at, f.p[label.part][label.n].(string), m.export(t, v, m.enclose)})
		return nil
	})
	return into
}
