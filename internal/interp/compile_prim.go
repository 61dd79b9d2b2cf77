package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// prim generates the application of a primitive: an instruction of its own
// for the common ones, a call of the row's evaluator for the rest.
func (c *funCompiler) prim(s *core.Let, op *core.Prim) []slot {
	c.counted(1)
	row := op.Prim
	if len(op.Args) == 0 {
		if x, ok := row.Float.(prim.Constant); ok {
			return []slot{constF(x)}
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
		return c.single(s, layout.I, instr{op: opCmpS, b: c.reg(args[0]), c: c.reg(args[1]), k: int64(row.Order)}).slots
	}
	isInt := args[0].kind == layout.I && row.Int != nil
	var slots []slot
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
func (c *funCompiler) callRow(s *core.Let, row *prim.Prim, evaluator any, isInt bool, args []slot) []slot {
	if not, ok := evaluator.(func(bool) bool); ok {
		if not(false) && !not(true) {
			return c.single(s, layout.I, instr{op: opNot, b: c.reg(args[0])}).slots
		}
		panic("interp: no instruction for the primitive " + row.Name)
	}
	k := c.lib.row(row, evaluator, isInt)
	in := instr{k: k}
	if _, ok := evaluator.(prim.Family); ok {
		in.op, in.b = opFamily, c.list(args)
		return c.single(s, layout.F, in).slots
	}
	in.b = c.reg(args[0])
	if len(args) > 1 {
		in.c = c.reg(args[1])
	}
	result := layout.F
	switch evaluator.(type) {
	case prim.Real1:
		in.op = opReal1
	case prim.Real2:
		in.op = opReal2
	case prim.IntReal:
		in.op = opIntReal
	case prim.RealInt:
		in.op = opRealInt
	case prim.FromInt:
		in.op = opFromInt
	case prim.ToInt:
		in.op, result = opRound, layout.I
	case prim.Int1:
		in.op, result = opInt1, layout.I
	case prim.Int2:
		in.op, result = opInt2, layout.I
	case prim.Compare:
		in.op, result = opCmpF, layout.I
	case prim.IntCompare:
		in.op, result = opCmpI, layout.I
	case prim.Fold:
		in.op = opFoldF
	case prim.MapArray:
		in.op, result = opMapF, layout.P
	}
	return c.single(s, result, in).slots
}

// binary emits a = b op c.
func (c *funCompiler) binary(s *core.Let, k layout.Kind, op opcode, x, y slot) []slot {
	return c.single(s, k, instr{op: op, b: c.reg(x), c: c.reg(y)}).slots
}

// immediate emits a = b op k.
func (c *funCompiler) immediate(s *core.Let, result layout.Kind, op opcode, x slot, k int64) []slot {
	return c.single(s, result, instr{op: op, b: c.reg(x), k: k}).slots
}

// realOps are the instructions of arithmetic on reals: plain ones, and those on
// reals that may be boxed.
type realOps struct {
	add, sub, mul, div, neg        opcode
	addK, rsubK, mulK, divK, rdivK opcode // with a constant
	less, lessEq                   opcode
}

var (
	plainOps = realOps{opAddF, opSubF, opMulF, opDivF, opNegF, opAddKF, opRSubKF, opMulKF, opDivKF, opRDivKF, opLtF, opLeF}
	tapedOps = realOps{opAddT, opSubT, opMulT, opDivT, opNegT, opAddKT, opRSubKT, opMulKT, opDivKT, opRDivKT, opLtT, opLeT}
)

// realPrim generates the rows at Real that have instructions. Where the
// instruction inlines the row's evaluator, a test compares the two.
func (c *funCompiler) realPrim(s *core.Let, row *prim.Prim, args []slot) ([]slot, bool) {
	ops := &plainOps
	if c.taped {
		ops = &tapedOps
	}
	if _, ok := row.Float.(prim.FromInt); ok && row.ID == prim.Real {
		if args[0].isConst {
			return []slot{constF(float64(args[0].i))}, true
		}
		return c.single(s, layout.F, instr{op: opFromInt, b: args[0].reg}).slots, true
	}
	if len(args) == 1 && args[0].kind == layout.F && row.ID == prim.Neg {
		if x := args[0]; x.isConst {
			return []slot{constF(-x.f)}, true
		}
		return c.single(s, layout.F, instr{op: ops.neg, b: args[0].reg}).slots, true
	}
	if len(args) == 2 && args[0].kind == layout.F && args[1].kind == layout.F {
		if slots, ok := c.arithmetic(s, row, ops, args[0], args[1]); ok {
			return slots, true
		}
	}
	if c.taped {
		return c.tapedRow(s, row, args)
	}
	switch row.ID {
	case prim.Sqrt:
		return c.single(s, layout.F, instr{op: opSqrtF, b: c.reg(args[0])}).slots, true
	case prim.Abs:
		return c.single(s, layout.F, instr{op: opAbsF, b: c.reg(args[0])}).slots, true
	case prim.Max:
		return c.binary(s, layout.F, opMaxF, args[0], args[1]), true
	case prim.Min:
		return c.binary(s, layout.F, opMinF, args[0], args[1]), true
	}
	return nil, false
}

// arithmetic generates the four operations and the comparisons.
func (c *funCompiler) arithmetic(s *core.Let, row *prim.Prim, ops *realOps, x, y slot) ([]slot, bool) {
	commuting := func(op, withK opcode) []slot {
		if x.isConst {
			x, y = y, x
		}
		if y.isConst {
			return c.immediate(s, layout.F, withK, x, bitsOf(y.f))
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
		case y.isConst:
			return c.immediate(s, layout.F, ops.addK, x, bitsOf(-y.f)), true
		case x.isConst:
			return c.immediate(s, layout.F, ops.rsubK, y, bitsOf(x.f)), true
		}
		return c.binary(s, layout.F, ops.sub, x, y), true
	case prim.Quo:
		switch {
		case y.isConst:
			return c.immediate(s, layout.F, ops.divK, x, bitsOf(y.f)), true
		case x.isConst:
			return c.immediate(s, layout.F, ops.rdivK, y, bitsOf(x.f)), true
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
func (c *funCompiler) intPrim(s *core.Let, row *prim.Prim, args []slot) ([]slot, bool) {
	if len(args) == 1 && row.ID == prim.Neg {
		if x := args[0]; x.isConst && x.i != math.MinInt64 {
			return []slot{constI(-x.i)}, true
		}
		return c.single(s, layout.I, instr{op: opNegI, b: c.reg(args[0])}).slots, true
	}
	if len(args) != 2 || args[1].kind != layout.I {
		return nil, false
	}
	x, y := args[0], args[1]
	switch row.ID {
	case prim.Add:
		switch {
		case y.isConst:
			return c.immediate(s, layout.I, opAddKI, x, y.i), true
		case x.isConst:
			return c.immediate(s, layout.I, opAddKI, y, x.i), true
		}
		return c.binary(s, layout.I, opAddI, x, y), true
	case prim.Sub:
		switch {
		case y.isConst && y.i != math.MinInt64:
			return c.immediate(s, layout.I, opAddKI, x, -y.i), true
		case x.isConst:
			return c.immediate(s, layout.I, opRSubKI, y, x.i), true
		}
		return c.binary(s, layout.I, opSubI, x, y), true
	case prim.Mul:
		switch {
		case y.isConst:
			return c.immediate(s, layout.I, opMulKI, x, y.i), true
		case x.isConst:
			return c.immediate(s, layout.I, opMulKI, y, x.i), true
		}
		return c.binary(s, layout.I, opMulI, x, y), true
	}
	return c.intTest(s, row.Order, x, y)
}

// intTest generates a comparison of integers as a value.
func (c *funCompiler) intTest(s *core.Let, order prim.Order, x, y slot) ([]slot, bool) {
	if order == 0 {
		return nil, false
	}
	if x.isConst && !y.isConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.isConst {
		switch n := y.i; {
		case order == prim.Equal:
			return c.immediate(s, layout.I, opEqKI, x, n), true
		case order == prim.Less|prim.Greater:
			return c.immediate(s, layout.I, opNeKI, x, n), true
		case order == prim.Less:
			return c.immediate(s, layout.I, opLtKI, x, n), true
		case order == prim.Greater:
			return c.immediate(s, layout.I, opGtKI, x, n), true
		case order == prim.Less|prim.Equal && n < math.MaxInt64:
			return c.immediate(s, layout.I, opLtKI, x, n+1), true
		case order == prim.Greater|prim.Equal && n > math.MinInt64:
			return c.immediate(s, layout.I, opGtKI, x, n-1), true
		}
	}
	if descends(order) {
		x, y, order = y, x, order.Mirrored()
	}
	return c.binary(s, layout.I, intTests[order], x, y), true
}

// intTests are the comparisons of two integers.
var intTests = [...]opcode{prim.Equal: opEqI, prim.Less | prim.Greater: opNeI, prim.Less: opLtI, prim.Less | prim.Equal: opLeI}

// textRow generates a row on texts.
func (c *funCompiler) textRow(s *core.Let, op *core.Prim) []slot {
	var args []slot
	for _, a := range op.Args {
		args = append(args, c.scalar(a))
	}
	in := instr{op: opTextP, b: c.list(args), k: int64(add(&c.lib.texts, op.Prim))}
	k := layout.P
	switch types.Resolve(s.Var.Ty) {
	case types.Real:
		in.op, k = opTextF, layout.F
	case types.Int, types.Bool:
		in.op, k = opTextI, layout.I
	}
	return c.single(s, k, in).slots
}

// structural generates the rows on values of any type.
func (c *funCompiler) structural(s *core.Let, op *core.Prim) ([]slot, bool) {
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
		return c.operate(s, op, searching(op.Prim.ID)), true
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
	case prim.WithEnclosure:
		return c.apply(s, core.Unruled(op).(*core.Apply)), true
	case prim.Length:
		return c.single(s, layout.I, instr{op: opLen, b: arg(0)}).slots, true
	case prim.Show:
		return c.single(s, layout.P, instr{op: opShow, b: c.list(c.atom(op.Args[0])), k: c.lib.typ(op.Args[0].Type())}).slots, true
	case prim.File:
		return c.file(s, op), true
	case prim.Fail:
		c.emit(instr{op: opFail, a: arg(0)})
		// What follows never runs; its registers only have to exist.
		return c.targets(s, c.Of(s.Var.Ty), true), true
	case prim.Note:
		c.emit(instr{op: opNote, a: arg(0)})
		return nil, true
	case prim.Inspect:
		k := add(&c.lib.inspects, inspection{op.Args[1].Type(), s.At})
		c.emit(instr{op: opInspect, a: arg(0), b: c.list(c.atom(op.Args[1])), k: int64(k)})
		return nil, true
	case prim.Append:
		in := instr{op: opAppend, b: arg(0), c: arg(1)}
		return c.single(s, layout.P, in).slots, true
	case prim.Flatten:
		rows := elem(op.Args[0].Type())
		in := instr{op: opFlatten, b: arg(0), k: c.lib.shape(c.Of(elem(rows)).Shape())}
		return c.single(s, layout.P, in).slots, true
	case prim.SortIndices:
		in := instr{op: opSortIndices, b: arg(0), k: c.lib.typ(elem(op.Args[0].Type()))}
		return c.single(s, layout.P, in).slots, true
	case prim.RowSize:
		return c.single(s, layout.I, instr{op: opRowSize, b: arg(0)}).slots, true
	case prim.StringAppend:
		in := instr{op: opAppendS, b: arg(0), c: arg(1)}
		return c.single(s, layout.P, in).slots, true
	case prim.StringLength:
		return c.single(s, layout.I, instr{op: opLengthS, b: arg(0)}).slots, true
	}
	panic("interp: no instruction for the primitive " + op.Prim.Name)
}
