package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
)

// file generates the contents of a data file: constants.
func (c *funCompiler) file(s *core.Let, op *core.Prim) []slot {
	lit, ok := op.Args[0].(*core.Lit)
	if !ok || lit.Data == nil {
		panic("interp: a data file that was not read")
	}
	var from slotSink
	if err := c.fromValue(s.Var.Ty, *lit.Data, &from); err != nil {
		panic("interp: data that does not have its type: " + err.Error())
	}
	var slots []slot
	var at shape
	for _, k := range c.of(s.Var.Ty) {
		switch n := at.next(k); k {
		case kF:
			slots = append(slots, constF(from.f[n]))
		case kI:
			slots = append(slots, constI(from.i[n]))
		case kP:
			slots = append(slots, constP(from.p[n]))
		}
	}
	return slots
}
