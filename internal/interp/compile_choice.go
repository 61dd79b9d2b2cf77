package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// choice generates If and Case.
func (c *funCompiler) choice(s *core.Let, t target) {
	switch op := s.Op.(type) {
	case *core.If:
		if r := c.regionOf[op]; r != nil {
			c.compiledChoice(op, r, t)
			return
		}
		var otherwise label
		c.jumpUnless(c.scalar(op.Cond), &otherwise)
		c.branches(op, &otherwise, t)
	case *core.Case:
		c.caseOp(op, t)
	}
}

// branches generates the two sides of an If whose test has been emitted.
func (c *funCompiler) branches(op *core.If, otherwise *label, t target) {
	var end label
	state := c.regs.save()
	c.arm(op.Then, t)
	if !t.tail {
		c.jump(&end, instr{op: opJump})
	}
	c.here(otherwise)
	c.regs.restore(state)
	c.arm(op.Else, t)
	c.here(&end)
	c.regs.restore(state)
}

// arm generates one of several blocks; the temporaries of the statement that
// it belongs to stay.
func (c *funCompiler) arm(b *core.Block, t target) {
	temps, pins := c.temps, c.pins
	c.temps, c.pins = nil, nil
	at := c.at
	c.block(b, t)
	c.temps, c.pins, c.at = temps, pins, at
}

// jumpUnless jumps where a truth value is false.
func (c *funCompiler) jumpUnless(cond slot, to *label) {
	if cond.isConst {
		if cond.i == 0 {
			c.jump(to, instr{op: opJump})
		}
		return
	}
	c.jump(to, instr{op: opJFalse, a: cond.reg})
}

// caseOp generates a Case.
func (c *funCompiler) caseOp(op *core.Case, t target) {
	data := types.Resolve(op.Of.Type()).(*types.Data)
	slots := c.atom(op.Of)
	form := c.Form(data)
	if form == layout.Flat {
		if len(op.Arms) == 0 {
			c.arm(op.Default, t)
			return
		}
		state := c.regs.save()
		arm := op.Arms[0]
		c.bindFlat(arm.Vars, slots)
		c.arm(arm.Body, t)
		c.regs.restore(state)
		return
	}
	var end label
	of := slot{kind: slots[0].kind, reg: c.reg(slots[0])}
	table := make([]int32, len(data.Decl.Cons))
	if len(op.Arms) > 1 || op.Default != nil {
		kind := map[layout.Form]opcode{layout.Enum: opSwitchI, layout.Cell: opSwitchCell, layout.Node: opSwitchNode}[form]
		c.emit(instr{op: kind, a: of.reg, k: int64(len(c.fn.jumps))})
		c.fn.jumps = append(c.fn.jumps, table)
	}
	state := c.regs.save()
	covered := make([]bool, len(table))
	arm := func(body *core.Block, last bool) {
		c.arm(body, t)
		if !t.tail && !last {
			c.jump(&end, instr{op: opJump})
		}
		c.regs.restore(state)
	}
	for n, a := range op.Arms {
		table[a.Con.Tag], covered[a.Con.Tag] = int32(c.mark()), true
		if form != layout.Enum {
			c.bindFields(a, form, of)
		}
		arm(a.Body, n == len(op.Arms)-1 && op.Default == nil)
	}
	if op.Default != nil {
		here := int32(c.mark())
		for tag, ok := range covered {
			if !ok {
				table[tag] = here
			}
		}
		arm(op.Default, true)
	}
	c.here(&end)
}

// bindFlat binds the fields of a flat data value to its slots.
func (c *funCompiler) bindFlat(vars []*core.Var, slots []slot) {
	for _, v := range vars {
		n := len(c.Of(v.Ty))
		c.bind(v, binding{slots: slots[:n]})
		c.dropUnused(v)
		slots = slots[n:]
	}
}

// bindFields loads the fields of a data value that the arm uses.
func (c *funCompiler) bindFields(arm core.Arm, form layout.Form, of slot) {
	loads := [...]opcode{opCellF, opCellI, opCellP}
	if form == layout.Node {
		loads = [...]opcode{opNodeF, opNodeI, opNodeP}
	}
	var words, ptrs int64
	for _, v := range arm.Vars {
		used := c.live.Uses[v] > 0
		var slots []slot
		for _, k := range c.Of(v.Ty) {
			at := &words
			if k == layout.P {
				at = &ptrs
			}
			if used {
				to := c.regs.fresh(k)
				c.regs.hold([]slot{to})
				c.emit(instr{op: loads[k], a: to.reg, b: of.reg, k: *at})
				slots = append(slots, to)
			}
			*at++
		}
		c.env[v] = binding{slots: slots} // held above
	}
}

// construct builds a data value.
func (c *funCompiler) construct(s *core.Let, op *core.Construct) []slot {
	args := c.atoms(op.Args)
	tag := op.Con.Tag
	switch form := c.Form(op.Ty); form {
	case layout.Flat:
		return args
	case layout.Enum:
		return []slot{constI(int64(tag))}
	default:
		constructor := opNewNode
		if form == layout.Cell {
			constructor = opNewCell
		}
		if len(args) == 0 {
			return []slot{constP(c.lib.nullary(form, tag))}
		}
		c.share(args...)
		return c.single(s, layout.P, instr{op: constructor, b: c.list(args), k: int64(tag)}).slots
	}
}

// ---- tests fused with the branch that follows

// fused generates a statement together with the next one, where the machine
// has an instruction for both; it tells whether it did.
func (c *funCompiler) fused(s *core.Let, next core.Stmt, b *core.Block, t target) bool {
	let, ok := next.(*core.Let)
	if !ok || c.live.Uses[s.Var] != 1 {
		return false
	}
	op, ok := s.Op.(*core.Prim)
	if !ok {
		return false
	}
	if choice, ok := let.Op.(*core.If); ok && choice.Cond == core.Atom(s.Var) {
		if !isTest(op) {
			return false
		}
		c.fusedIf(s, op, let, choice, b, t)
		return true
	}
	if second, ok := let.Op.(*core.Prim); ok {
		return c.fusedArithmetic(s, op, let, second)
	}
	return false
}

func (c *funCompiler) fusedIf(s *core.Let, test *core.Prim, let *core.Let, choice *core.If, b *core.Block, t target) {
	temps, pins := len(c.temps), len(c.pins)
	if s.At.Known() {
		c.at = s.At
	}
	var otherwise label
	c.counted(1)
	c.jumpUnlessTest(test, &otherwise)
	c.releaseDying(s)
	c.env[s.Var] = binding{} // nothing else uses it
	if let.At.Known() {
		c.at = let.At
	}
	inner := t
	tail := t.tail && b.Result == core.Atom(let.Var) && b.Stmts[len(b.Stmts)-1] == core.Stmt(let)
	if !tail {
		inner = target{regs: c.targets(let, c.Of(let.Var.Ty), true)}
	} else {
		inner = target{tail: true}
	}
	c.branches(choice, &otherwise, inner)
	if !tail {
		c.bind(let.Var, binding{slots: inner.regs})
	}
	c.end(let, temps, pins)
	if !tail {
		c.dropUnused(let.Var)
	}
}

// isTest tells whether jumpUnlessTest can do a comparison: one of numbers.
func isTest(op *core.Prim) bool {
	if op.Prim.Order == 0 {
		return false
	}
	t := types.Resolve(op.Args[0].Type())
	return t == types.Real || t == types.Int || t == types.Bool
}

// jumpUnlessTest jumps where a comparison is false. Of integers the opposite
// comparison serves; of reals, with NaN, it does not.
func (c *funCompiler) jumpUnlessTest(op *core.Prim, to *label) {
	order, x, y := op.Prim.Order, c.scalar(op.Args[0]), c.scalar(op.Args[1])
	if x.kind == layout.F {
		if c.taped {
			c.jumpUnlessTaped(order, x, y, to)
			return
		}
		c.jumpUnlessReal(order, x, y, to)
		return
	}
	order = order.Opposite()
	if x.isConst && !y.isConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.isConst && !x.isConst && math.MinInt32 < y.i && y.i < math.MaxInt32 {
		n := y.i
		var test opcode
		switch order {
		case prim.Equal:
			test = opJEqKI
		case prim.Less | prim.Greater:
			test = opJNeKI
		case prim.Less:
			test = opJLtKI
		case prim.Less | prim.Equal:
			test, n = opJLtKI, n+1
		case prim.Greater:
			test = opJGtKI
		case prim.Greater | prim.Equal:
			test, n = opJGtKI, n-1
		}
		c.jump(to, instr{op: test, a: x.reg, k: n << 32})
		return
	}
	a, b := c.reg(x), c.reg(y)
	if descends(order) {
		a, b, order = b, a, order.Mirrored()
	}
	c.jump(to, instr{op: intJumps[order], a: a, b: b})
}

// descends tells whether a comparison has its instruction with the sides exchanged.
func descends(order prim.Order) bool { return order&(prim.Less|prim.Greater) == prim.Greater }

// The jumps where a comparison of two integers holds, where one of two reals does not, and where
// one of a real with a constant does not.
var (
	intJumps   = [...]opcode{prim.Equal: opJEqI, prim.Less | prim.Greater: opJNeI, prim.Less: opJLtI, prim.Less | prim.Equal: opJLeI}
	realJumps  = [...]opcode{prim.Less: opJNLtF, prim.Less | prim.Equal: opJNLeF}
	constJumps = [...]opcode{prim.Less: opJNLtKF, prim.Less | prim.Equal: opJNLeKF, prim.Greater: opJNGtKF, prim.Greater | prim.Equal: opJNGeKF}
)

func (c *funCompiler) jumpUnlessReal(order prim.Order, x, y slot, to *label) {
	if x.isConst && !y.isConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.isConst && !x.isConst && float64(float32(y.f)) == y.f {
		c.jump(to, instr{op: constJumps[order], a: x.reg, k: int64(math.Float32bits(float32(y.f))) << 32})
		return
	}
	a, b := c.reg(x), c.reg(y)
	if descends(order) {
		a, b, order = b, a, order.Mirrored()
	}
	c.jump(to, instr{op: realJumps[order], a: a, b: b})
}
