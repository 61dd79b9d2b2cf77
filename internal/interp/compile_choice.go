package interp

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// choice generates If and Case.
func (c *funCompiler) choice(s *core.Let, t target) {
	switch op := s.Op.(type) {
	case *core.If:
		if r := c.regions.Of(op); r != nil {
			c.compiledChoice(op, r, t)
			return
		}
		if c.regions.EndsFront(op) {
			c.endFront()
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
		c.jump(&end, machine.Instr{Op: machine.OpJump})
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
func (c *funCompiler) jumpUnless(cond machine.Slot, to *label) {
	if cond.IsConst {
		if cond.I == 0 {
			c.jump(to, machine.Instr{Op: machine.OpJump})
		}
		return
	}
	c.jump(to, machine.Instr{Op: machine.OpJFalse, A: cond.Reg})
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
	of := machine.Slot{Kind: slots[0].Kind, Reg: c.reg(slots[0])}
	table := make([]int32, len(data.Decl.Cons))
	if len(op.Arms) > 1 || op.Default != nil {
		kind := map[layout.Form]machine.Opcode{layout.Enum: machine.OpSwitchI, layout.Cell: machine.OpSwitchCell, layout.Node: machine.OpSwitchNode}[form]
		c.emit(machine.Instr{Op: kind, A: of.Reg, K: int64(len(c.fn.Jumps))})
		c.fn.Jumps = append(c.fn.Jumps, table)
	}
	state := c.regs.save()
	covered := make([]bool, len(table))
	arm := func(body *core.Block, last bool) {
		c.arm(body, t)
		if !t.tail && !last {
			c.jump(&end, machine.Instr{Op: machine.OpJump})
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
func (c *funCompiler) bindFlat(vars []*core.Var, slots []machine.Slot) {
	for _, v := range vars {
		n := len(c.Of(v.Ty))
		c.bind(v, machine.Binding{Slots: slots[:n]})
		c.dropUnused(v)
		slots = slots[n:]
	}
}

// bindFields loads the fields of a data value that the arm uses.
func (c *funCompiler) bindFields(arm core.Arm, form layout.Form, of machine.Slot) {
	loads := [...]machine.Opcode{machine.OpCellF, machine.OpCellI, machine.OpCellP}
	if form == layout.Node {
		loads = [...]machine.Opcode{machine.OpNodeF, machine.OpNodeI, machine.OpNodeP}
	}
	var words, ptrs int64
	for _, v := range arm.Vars {
		used := c.live.Uses.Get(v) > 0
		var slots []machine.Slot
		for _, k := range c.Of(v.Ty) {
			at := &words
			if k == layout.P {
				at = &ptrs
			}
			if used {
				to := c.regs.fresh(k)
				c.regs.hold([]machine.Slot{to})
				c.emit(machine.Instr{Op: loads[k], A: to.Reg, B: of.Reg, K: *at})
				slots = append(slots, to)
			}
			*at++
		}
		c.env[v] = machine.Binding{Slots: slots} // held above
	}
}

// construct builds a data value.
func (c *funCompiler) construct(s *core.Let, op *core.Construct) []machine.Slot {
	args := c.atoms(op.Args)
	tag := op.Con.Tag
	switch form := c.Form(op.Ty); form {
	case layout.Flat:
		return args
	case layout.Enum:
		return []machine.Slot{machine.ConstI(int64(tag))}
	default:
		constructor := machine.OpNewNode
		if form == layout.Cell {
			constructor = machine.OpNewCell
		}
		if len(args) == 0 {
			return []machine.Slot{machine.ConstP(c.lib.Nullary(form, tag))}
		}
		c.share(args...)
		return c.single(s, layout.P, machine.Instr{Op: constructor, B: c.list(args), K: int64(tag)}).Slots
	}
}

// ---- tests fused with the branch that follows

// fused generates a statement together with the next one, where the machine
// has an instruction for both; it tells whether it did.
func (c *funCompiler) fused(s *core.Let, next core.Stmt, b *core.Block, t target) bool {
	let, ok := next.(*core.Let)
	if !ok || c.live.Uses.Get(s.Var) != 1 {
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
	c.env[s.Var] = machine.Binding{} // nothing else uses it
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
		c.bind(let.Var, machine.Binding{Slots: inner.regs})
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
	if x.Kind == layout.F {
		if c.taped {
			c.jumpUnlessTaped(order, x, y, to)
			return
		}
		c.jumpUnlessReal(order, x, y, to)
		return
	}
	order = order.Opposite()
	if x.IsConst && !y.IsConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.IsConst && !x.IsConst && math.MinInt32 < y.I && y.I < math.MaxInt32 {
		n := y.I
		var test machine.Opcode
		switch order {
		case prim.Equal:
			test = machine.OpJEqKI
		case prim.Less | prim.Greater:
			test = machine.OpJNeKI
		case prim.Less:
			test = machine.OpJLtKI
		case prim.Less | prim.Equal:
			test, n = machine.OpJLtKI, n+1
		case prim.Greater:
			test = machine.OpJGtKI
		case prim.Greater | prim.Equal:
			test, n = machine.OpJGtKI, n-1
		}
		c.jump(to, machine.Instr{Op: test, A: x.Reg, K: n << 32})
		return
	}
	a, b := c.reg(x), c.reg(y)
	if descends(order) {
		a, b, order = b, a, order.Mirrored()
	}
	c.jump(to, machine.Instr{Op: intJumps[order], A: a, B: b})
}

// descends tells whether a comparison has its instruction with the sides exchanged.
func descends(order prim.Order) bool { return order&(prim.Less|prim.Greater) == prim.Greater }

// The jumps where a comparison of two integers holds, where one of two reals does not, and where
// one of a real with a constant does not.
var (
	intJumps   = [...]machine.Opcode{prim.Equal: machine.OpJEqI, prim.Less | prim.Greater: machine.OpJNeI, prim.Less: machine.OpJLtI, prim.Less | prim.Equal: machine.OpJLeI}
	realJumps  = [...]machine.Opcode{prim.Less: machine.OpJNLtF, prim.Less | prim.Equal: machine.OpJNLeF}
	constJumps = [...]machine.Opcode{prim.Less: machine.OpJNLtKF, prim.Less | prim.Equal: machine.OpJNLeKF, prim.Greater: machine.OpJNGtKF, prim.Greater | prim.Equal: machine.OpJNGeKF}
)

func (c *funCompiler) jumpUnlessReal(order prim.Order, x, y machine.Slot, to *label) {
	if x.IsConst && !y.IsConst {
		x, y, order = y, x, order.Mirrored()
	}
	if y.IsConst && !x.IsConst && float64(float32(y.F)) == y.F {
		c.jump(to, machine.Instr{Op: constJumps[order], A: x.Reg, K: int64(math.Float32bits(float32(y.F))) << 32})
		return
	}
	a, b := c.reg(x), c.reg(y)
	if descends(order) {
		a, b, order = b, a, order.Mirrored()
	}
	c.jump(to, machine.Instr{Op: realJumps[order], A: a, B: b})
}
