package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/derive"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
)

func (c *funCompiler) wholeRow(s *core.Let, op *core.Prim, args []machine.Slot) []machine.Slot {
	in := machine.Instr{Op: machine.OpWholeP, B: c.list(args), K: c.lib.WholeRow(op.Prim, c.taped)}
	result := c.Of(s.Var.Ty)[0]
	if result == layout.F {
		in.Op = machine.OpWholeF
	}
	return c.single(s, result, in).Slots
}

// derive compiles an application of reverse, forward, jacobian or checkpoint.
func (c *funCompiler) derive(s *core.Let, op *core.Prim) []machine.Slot {
	return c.operate(s, op, derive.Derivative(c.Layouts, op))
}

// onLeaves compiles addReal, scaleReal, innerReal, reals, withReals, stopGradient and
// deviation.
func (c *funCompiler) onLeaves(s *core.Let, op *core.Prim) []machine.Slot {
	return c.operate(s, op, derive.OnLeaves(c.Layouts, op))
}

// rule compiles an application of a function with a rule.
func (c *funCompiler) rule(s *core.Let, op *core.Prim) []machine.Slot {
	return c.operate(s, op, derive.WithRule(c.Layouts, op))
}

// operate generates an operation that calls functions, with its arguments and results in lists.
func (c *funCompiler) operate(s *core.Let, op *core.Prim, o machine.Operation) []machine.Slot {
	atoms := c.atoms(op.Args)
	c.share(atoms...)
	args := c.list(atoms)
	regs := c.targets(s, c.Of(s.Var.Ty), true)
	c.emit(machine.Instr{Op: machine.OpOperate, B: args, C: c.list(regs), K: c.lib.Operation(o)})
	return regs
}

// file generates the contents of a data file: constants.
func (c *funCompiler) file(s *core.Let, op *core.Prim) []machine.Slot {
	lit, ok := op.Args[0].(*core.Lit)
	if !ok || lit.Data == nil {
		panic("interp: a data file that was not read")
	}
	var from object.Slots
	if err := object.FromValue(c.compiler.Layouts, s.Var.Ty, *lit.Data, &from); err != nil {
		panic("interp: data that does not have its type: " + err.Error())
	}
	var slots []machine.Slot
	var at layout.Shape
	for _, k := range c.Of(s.Var.Ty) {
		switch n := at.Next(k); k {
		case layout.F:
			slots = append(slots, machine.ConstF(from.F[n]))
		case layout.I:
			slots = append(slots, machine.ConstI(from.I[n]))
		case layout.P:
			slots = append(slots, machine.ConstP(from.P[n]))
		}
	}
	return slots
}
