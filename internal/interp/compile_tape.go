package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/tape"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// tapedRow generates a row, other than arithmetic, whose reals may be boxed.
func (c *funCompiler) tapedRow(s *core.Let, row *prim.Prim, args []slot) ([]slot, bool) {
	in := instr{b: c.reg(args[0])}
	switch row.Float.(type) {
	case prim.Real1:
		in.op, in.k = opRow1T, int64(tape.RowOf(row.ID).Number)
	case prim.Real2:
		in.op, in.c, in.k = opRow2T, c.reg(args[1]), int64(tape.RowOf(row.ID).Number)
	case prim.RealInt:
		in.op, in.c, in.k = opRowIT, c.reg(args[1]), int64(tape.RowOf(row.ID).Number)
	case prim.IntReal:
		in.op, in.b, in.c, in.k = opRowIT, c.reg(args[1]), c.reg(args[0]), int64(tape.RowOf(row.ID).Number)
	case prim.ToInt:
		in.op, in.k = opRoundT, c.lib.round(row)
		return c.single(s, layout.I, in).slots, true
	case prim.Fold:
		in.op, in.k = opFoldT, c.lib.arrayRow(row)
	case prim.MapArray:
		in.op, in.k = opMapT, c.lib.arrayRow(row)
		return c.single(s, layout.P, in).slots, true
	default:
		return nil, false
	}
	return c.single(s, layout.F, in).slots, true
}

// jumpUnlessTaped is jumpUnlessReal where the reals may be boxed.
func (c *funCompiler) jumpUnlessTaped(order prim.Order, x, y slot, to *label) {
	if descends(order) {
		x, y, order = y, x, order.Mirrored()
	}
	in := instr{op: opLtT, b: c.reg(x), c: c.reg(y)}
	if order&prim.Equal != 0 {
		in.op = opLeT
	}
	t := c.temp(layout.I)
	in.a = t.reg
	c.emit(in)
	c.jump(to, instr{op: opJFalse, a: t.reg})
}
