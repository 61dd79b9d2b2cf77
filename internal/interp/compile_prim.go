package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/derive"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// prim generates the application of a primitive: an instruction of its own
// for the common ones, a call of the row's evaluator for the rest.
func (c *funCompiler) prim(s *core.Let, op *core.Prim) []machine.Slot {
	c.counted(1)
	row := op.Prim
	if len(op.Args) == 0 {
		if x, ok := row.Float.(prim.Constant); ok {
			return []machine.Slot{machine.ConstF(x)}
		}
	}
	if slots, ok := c.structural(s, op); ok {
		return slots
	}
	args := c.atoms(op.Args)
	if _, ok := row.Float.(prim.Whole); ok {
		return c.wholeRow(s, op, args)
	}
	at := types.Resolve(op.Args[0].Type())
	if at == types.String {
		return c.single(s, layout.I, machine.Instr{Op: machine.OpCmpS, B: c.reg(args[0]), C: c.reg(args[1]), K: int64(row.Order)}).Slots
	}
	isInt := args[0].Kind == layout.I && row.Int != nil
	var slots []machine.Slot
	var ok bool
	if isInt {
		slots, ok = c.intPrim(s, row, args)
	} else {
		slots, ok = c.realPrim(s, row, args)
	}
	if ok {
		return slots
	}
	evaluator := row.Float
	if isInt {
		evaluator = row.Int
	}
	return c.callRow(s, row, evaluator, isInt, args)
}

// callRow applies a row's evaluator.
func (c *funCompiler) callRow(s *core.Let, row *prim.Prim, evaluator any, isInt bool, args []machine.Slot) []machine.Slot {
	if not, ok := evaluator.(func(bool) bool); ok {
		if not(false) && !not(true) {
			return c.single(s, layout.I, machine.Instr{Op: machine.OpNot, B: c.reg(args[0])}).Slots
		}
		panic("interp: no instruction for the primitive " + row.Name)
	}
	k := c.lib.Row(row, evaluator, isInt)
	in := machine.Instr{K: k}
	if _, ok := evaluator.(prim.Family); ok {
		in.Op, in.B = machine.OpFamily, c.list(args)
		return c.single(s, layout.F, in).Slots
	}
	in.B = c.reg(args[0])
	if len(args) > 1 {
		in.C = c.reg(args[1])
	}
	result := layout.F
	switch evaluator.(type) {
	case prim.Real1:
		in.Op = machine.OpReal1
	case prim.Real2:
		in.Op = machine.OpReal2
	case prim.IntReal:
		in.Op = machine.OpIntReal
	case prim.RealInt:
		in.Op = machine.OpRealInt
	case prim.FromInt:
		in.Op = machine.OpFromInt
	case prim.ToInt:
		in.Op, result = machine.OpRound, layout.I
	case prim.Int1:
		in.Op, result = machine.OpInt1, layout.I
	case prim.Int2:
		in.Op, result = machine.OpInt2, layout.I
	case prim.Compare:
		in.Op, result = machine.OpCmpF, layout.I
	case prim.IntCompare:
		in.Op, result = machine.OpCmpI, layout.I
	case prim.Fold:
		in.Op = machine.OpFoldF
	case prim.MapArray:
		in.Op, result = machine.OpMapF, layout.P
	}
	return c.single(s, result, in).Slots
}

// binary emits a = b op c.
func (c *funCompiler) binary(s *core.Let, k layout.Kind, op machine.Opcode, x, y machine.Slot) []machine.Slot {
	return c.single(s, k, machine.Instr{Op: op, B: c.reg(x), C: c.reg(y)}).Slots
}

// immediate emits a = b op k.
func (c *funCompiler) immediate(s *core.Let, result layout.Kind, op machine.Opcode, x machine.Slot, k int64) []machine.Slot {
	return c.single(s, result, machine.Instr{Op: op, B: c.reg(x), K: k}).Slots
}

// realOps are the instructions of arithmetic on reals: plain ones, and those on
// reals that may be boxed.
type realOps struct {
	add, sub, mul, div, neg        machine.Opcode
	addK, rsubK, mulK, divK, rdivK machine.Opcode // with a constant
	less, lessEq                   machine.Opcode
}

var (
	plainOps = realOps{machine.OpAddF, machine.OpSubF, machine.OpMulF, machine.OpDivF, machine.OpNegF, machine.OpAddKF, machine.OpRSubKF, machine.OpMulKF, machine.OpDivKF, machine.OpRDivKF, machine.OpLtF, machine.OpLeF}
	tapedOps = realOps{machine.OpAddT, machine.OpSubT, machine.OpMulT, machine.OpDivT, machine.OpNegT, machine.OpAddKT, machine.OpRSubKT, machine.OpMulKT, machine.OpDivKT, machine.OpRDivKT, machine.OpLtT, machine.OpLeT}
)

// realPrim generates the rows at Real that have instructions. Where the
// instruction inlines the row's evaluator, a test compares the two.
func (c *funCompiler) realPrim(s *core.Let, row *prim.Prim, args []machine.Slot) ([]machine.Slot, bool) {
	ops := &plainOps
	if c.taped {
		ops = &tapedOps
	}
	if _, ok := row.Float.(prim.FromInt); ok && row.ID == prim.Real {
		if args[0].IsConst {
			return []machine.Slot{machine.ConstF(float64(args[0].I))}, true
		}
		return c.single(s, layout.F, machine.Instr{Op: machine.OpFromInt, B: args[0].Reg}).Slots, true
	}
	if len(args) == 1 && args[0].Kind == layout.F && row.ID == prim.Neg {
		if x := args[0]; x.IsConst {
			return []machine.Slot{machine.ConstF(-x.F)}, true
		}
		return c.single(s, layout.F, machine.Instr{Op: ops.neg, B: args[0].Reg}).Slots, true
	}
	if len(args) == 2 && args[0].Kind == layout.F && args[1].Kind == layout.F {
		if slots, ok := c.arithmetic(s, row, ops, args[0], args[1]); ok {
			return slots, true
		}
	}
	if c.taped {
		return c.tapedRow(s, row, args)
	}
	switch row.ID {
	case prim.Sqrt:
		return c.single(s, layout.F, machine.Instr{Op: machine.OpSqrtF, B: c.reg(args[0])}).Slots, true
	case prim.Abs:
		return c.single(s, layout.F, machine.Instr{Op: machine.OpAbsF, B: c.reg(args[0])}).Slots, true
	case prim.Max:
		return c.binary(s, layout.F, machine.OpMaxF, args[0], args[1]), true
	case prim.Min:
		return c.binary(s, layout.F, machine.OpMinF, args[0], args[1]), true
	}
	return nil, false
}

// arithmetic generates the four operations and the comparisons.
func (c *funCompiler) arithmetic(s *core.Let, row *prim.Prim, ops *realOps, x, y machine.Slot) ([]machine.Slot, bool) {
	commuting := func(op, withK machine.Opcode) []machine.Slot {
		if x.IsConst {
			x, y = y, x
		}
		if y.IsConst {
			return c.immediate(s, layout.F, withK, x, bitsOf(y.F))
		}
		return c.binary(s, layout.F, op, x, y)
	}
	switch row.ID {
	case prim.Add:
		return commuting(ops.add, ops.addK), true
	case prim.Mul:
		return commuting(ops.mul, ops.mulK), true
	case prim.Sub:
		switch {
		case y.IsConst:
			return c.immediate(s, layout.F, ops.addK, x, bitsOf(-y.F)), true
		case x.IsConst:
			return c.immediate(s, layout.F, ops.rsubK, y, bitsOf(x.F)), true
		}
		return c.binary(s, layout.F, ops.sub, x, y), true
	case prim.Quo:
		switch {
		case y.IsConst:
			return c.immediate(s, layout.F, ops.divK, x, bitsOf(y.F)), true
		case x.IsConst:
			return c.immediate(s, layout.F, ops.rdivK, y, bitsOf(x.F)), true
		}
		return c.binary(s, layout.F, ops.div, x, y), true
	case prim.Lt:
		return c.binary(s, layout.I, ops.less, x, y), true
	case prim.Le:
		return c.binary(s, layout.I, ops.lessEq, x, y), true
	case prim.Gt:
		return c.binary(s, layout.I, ops.less, y, x), true
	case prim.Ge:
		return c.binary(s, layout.I, ops.lessEq, y, x), true
	}
	return nil, false
}

// intPrim generates the rows at Int (and comparisons at Bool) that have
// instructions.
func (c *funCompiler) intPrim(s *core.Let, row *prim.Prim, args []machine.Slot) ([]machine.Slot, bool) {
	if len(args) == 1 && row.ID == prim.Neg {
		if x := args[0]; x.IsConst && x.I != math.MinInt64 {
			return []machine.Slot{machine.ConstI(-x.I)}, true
		}
		return c.single(s, layout.I, machine.Instr{Op: machine.OpNegI, B: c.reg(args[0])}).Slots, true
	}
	if len(args) != 2 || args[1].Kind != layout.I {
		return nil, false
	}
	x, y := args[0], args[1]
	switch row.ID {
	case prim.Add:
		switch {
		case y.IsConst:
			return c.immediate(s, layout.I, machine.OpAddKI, x, y.I), true
		case x.IsConst:
			return c.immediate(s, layout.I, machine.OpAddKI, y, x.I), true
		}
		return c.binary(s, layout.I, machine.OpAddI, x, y), true
	case prim.Sub:
		switch {
		case y.IsConst && y.I != math.MinInt64:
			return c.immediate(s, layout.I, machine.OpAddKI, x, -y.I), true
		case x.IsConst:
			return c.immediate(s, layout.I, machine.OpRSubKI, y, x.I), true
		}
		return c.binary(s, layout.I, machine.OpSubI, x, y), true
	case prim.Mul:
		switch {
		case y.IsConst:
			return c.immediate(s, layout.I, machine.OpMulKI, x, y.I), true
		case x.IsConst:
			return c.immediate(s, layout.I, machine.OpMulKI, y, x.I), true
		}
		return c.binary(s, layout.I, machine.OpMulI, x, y), true
	}
	return c.intTest(s, row.Order, x, y)
}

// intTest generates a comparison of integers as a value.
func (c *funCompiler) intTest(s *core.Let, order prim.Order, x, y machine.Slot) ([]machine.Slot, bool) {
	if order == 0 {
		return nil, false
	}
	if x.IsConst && !y.IsConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.IsConst {
		switch n := y.I; {
		case order == prim.Equal:
			return c.immediate(s, layout.I, machine.OpEqKI, x, n), true
		case order == prim.Less|prim.Greater:
			return c.immediate(s, layout.I, machine.OpNeKI, x, n), true
		case order == prim.Less:
			return c.immediate(s, layout.I, machine.OpLtKI, x, n), true
		case order == prim.Greater:
			return c.immediate(s, layout.I, machine.OpGtKI, x, n), true
		case order == prim.Less|prim.Equal && n < math.MaxInt64:
			return c.immediate(s, layout.I, machine.OpLtKI, x, n+1), true
		case order == prim.Greater|prim.Equal && n > math.MinInt64:
			return c.immediate(s, layout.I, machine.OpGtKI, x, n-1), true
		}
	}
	if descends(order) {
		x, y, order = y, x, order.Mirrored()
	}
	return c.binary(s, layout.I, intTests[order], x, y), true
}

// intTests are the comparisons of two integers.
var intTests = [...]machine.Opcode{prim.Equal: machine.OpEqI, prim.Less | prim.Greater: machine.OpNeI, prim.Less: machine.OpLtI, prim.Less | prim.Equal: machine.OpLeI}

// textRow generates a row on texts.
func (c *funCompiler) textRow(s *core.Let, op *core.Prim) []machine.Slot {
	var args []machine.Slot
	for _, a := range op.Args {
		args = append(args, c.scalar(a))
	}
	in := machine.Instr{Op: machine.OpTextP, B: c.list(args), K: c.lib.Text(op.Prim)}
	k := layout.P
	switch types.Resolve(s.Var.Ty) {
	case types.Real:
		in.Op, k = machine.OpTextF, layout.F
	case types.Int, types.Bool:
		in.Op, k = machine.OpTextI, layout.I
	}
	return c.single(s, k, in).Slots
}

// structural generates the rows on values of any type.
func (c *funCompiler) structural(s *core.Let, op *core.Prim) ([]machine.Slot, bool) {
	if op.Prim.Float != nil || op.Prim.Int != nil {
		return nil, false
	}
	arg := func(n int) uint16 { return c.reg(c.scalar(op.Args[n])) }
	if op.Prim.Text != nil {
		return c.textRow(s, op), true
	}
	switch op.Prim.Kind {
	case prim.Derivation:
		return c.derive(s, op), true
	case prim.Search:
		return c.operate(s, op, derive.Search(op.Prim.ID)), true
	case prim.Trajectory:
		return c.operate(s, op, derive.Trajectory(c.Layouts, op)), true
	case prim.Leaves:
		return c.onLeaves(s, op), true
	case prim.Update:
		if c.rows != nil && c.rows.Paths[s] != nil {
			return c.updatePath(s, c.rows.Paths[s]), true
		}
		return c.update(s, op.Prim, c.atoms(op.Args)), true
	}
	switch op.Prim.ID {
	case prim.Checkpoint:
		return c.derive(s, op), true
	case prim.WithDerivative, prim.WithPullback:
		return c.rule(s, op), true
	case prim.Converging:
		return c.operate(s, op, derive.Converging(c.Layouts, op)), true
	case prim.Correction:
		return c.operate(s, op, derive.Correction()), true
	case prim.WithEnclosure:
		return c.apply(s, core.Unruled(op).(*core.Apply)), true
	case prim.Length:
		return c.single(s, layout.I, machine.Instr{Op: machine.OpLen, B: arg(0)}).Slots, true
	case prim.Show:
		return c.single(s, layout.P, machine.Instr{Op: machine.OpShow, B: c.list(c.atom(op.Args[0])), K: c.lib.Type(op.Args[0].Type())}).Slots, true
	case prim.File:
		return c.file(s, op), true
	case prim.Fail:
		c.emit(machine.Instr{Op: machine.OpFail, A: arg(0)})
		// What follows never runs; its registers only have to exist.
		return c.targets(s, c.Of(s.Var.Ty), true), true
	case prim.Note:
		c.emit(machine.Instr{Op: machine.OpNote, A: arg(0)})
		return nil, true
	case prim.Inspect:
		k := c.lib.Inspect(op.Args[1].Type(), s.At)
		c.emit(machine.Instr{Op: machine.OpInspect, A: arg(0), B: c.list(c.atom(op.Args[1])), K: k})
		return nil, true
	case prim.Append:
		in := machine.Instr{Op: machine.OpAppend, B: arg(0), C: arg(1)}
		return c.single(s, layout.P, in).Slots, true
	case prim.Flatten:
		rows := elem(op.Args[0].Type())
		in := machine.Instr{Op: machine.OpFlatten, B: arg(0), K: c.lib.Shape(c.Of(elem(rows)).Shape())}
		return c.single(s, layout.P, in).Slots, true
	case prim.SortIndices:
		in := machine.Instr{Op: machine.OpSortIndices, B: arg(0), K: c.lib.Type(elem(op.Args[0].Type()))}
		return c.single(s, layout.P, in).Slots, true
	case prim.RowSize:
		return c.single(s, layout.I, machine.Instr{Op: machine.OpRowSize, B: arg(0)}).Slots, true
	case prim.StringAppend:
		in := machine.Instr{Op: machine.OpAppendS, B: arg(0), C: arg(1)}
		return c.single(s, layout.P, in).Slots, true
	case prim.StringLength:
		return c.single(s, layout.I, machine.Instr{Op: machine.OpLengthS, B: arg(0)}).Slots, true
	}
	panic("interp: no instruction for the primitive " + op.Prim.Name)
}
