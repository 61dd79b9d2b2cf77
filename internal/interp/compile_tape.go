package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// tapedRow generates a row, other than arithmetic, whose reals may be boxed.
func (c *funCompiler) tapedRow(s *core.Let, row *prim.Prim, args []machine.Slot) ([]machine.Slot, bool) {
	in := machine.Instr{B: c.reg(args[0])}
	switch row.Float.(type) {
	case prim.Real1:
		in.Op, in.K = machine.OpRow1T, int64(tape.RowOf(row.ID).Number)
	case prim.Real2:
		in.Op, in.C, in.K = machine.OpRow2T, c.reg(args[1]), int64(tape.RowOf(row.ID).Number)
	case prim.RealInt:
		in.Op, in.C, in.K = machine.OpRowIT, c.reg(args[1]), int64(tape.RowOf(row.ID).Number)
	case prim.IntReal:
		in.Op, in.B, in.C, in.K = machine.OpRowIT, c.reg(args[1]), c.reg(args[0]), int64(tape.RowOf(row.ID).Number)
	case prim.ToInt:
		in.Op, in.K = machine.OpRoundT, c.lib.Round(row)
		return c.single(s, layout.I, in).Slots, true
	case prim.Fold:
		in.Op, in.K = machine.OpFoldT, c.lib.ArrayRow(row)
	case prim.MapArray:
		in.Op, in.K = machine.OpMapT, c.lib.ArrayRow(row)
		return c.single(s, layout.P, in).Slots, true
	default:
		return nil, false
	}
	return c.single(s, layout.F, in).Slots, true
}

// jumpUnlessTaped is jumpUnlessReal where the reals may be boxed.
func (c *funCompiler) jumpUnlessTaped(order prim.Order, x, y machine.Slot, to *label) {
	if descends(order) {
		x, y, order = y, x, order.Mirrored()
	}
	in := machine.Instr{Op: machine.OpLtT, B: c.reg(x), C: c.reg(y)}
	if order&prim.Equal != 0 {
		in.Op = machine.OpLeT
	}
	t := c.temp(layout.I)
	in.A = t.Reg
	c.emit(in)
	c.jump(to, machine.Instr{Op: machine.OpJFalse, A: t.Reg})
}
