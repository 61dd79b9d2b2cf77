package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/uses"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// mentionsKind tells whether a program has a primitive of one of some kinds.
func mentionsKind(p *core.Program, kinds ...prim.Kind) bool {
	found := false
	p.EachDef(func(d *core.Def) {
		core.Walk(d.Body, func(s core.Stmt) {
			if let, ok := s.(*core.Let); ok {
				op, ok := let.Op.(*core.Prim)
				found = found || ok && slices.Contains(kinds, op.Prim.Kind)
			}
		})
	})
	return found
}

// share removes the marks of what is in registers.
func (c *funCompiler) share(slots ...machine.Slot) {
	if !c.updates {
		return
	}
	for _, s := range slots {
		if s.Kind == layout.P && !s.IsConst {
			c.emit(machine.Instr{Op: machine.OpShare, A: s.Reg})
		}
	}
}

// shareKept does so where moving sources to targets leaves a second reference:
// to what a variable keeps that is not among those that die with the move, and
// to what is moved to several targets.
func (c *funCompiler) shareKept(targets, sources []machine.Slot, dying []*core.Var) {
	if !c.updates {
		return
	}
	moved := map[machine.Slot]int32{}
	for _, s := range sources {
		if s.Kind == layout.P && !s.IsConst {
			moved[s]++
		}
	}
	for n, s := range sources {
		if moved[s] == 0 || moved[s] == 1 && targets[n].Reg == s.Reg {
			continue
		}
		if moved[s] > 1 || c.holders(s, dying) > 0 {
			c.share(s)
		}
		delete(moved, s)
	}
}

// shareTwice does so for what is moved to several targets, when nothing else is
// needed afterwards.
func (c *funCompiler) shareTwice(sources []machine.Slot) {
	seen := map[machine.Slot]bool{}
	for _, s := range sources {
		if s.Kind == layout.P && !s.IsConst {
			if seen[s] {
				c.share(s)
			}
			seen[s] = true
		}
	}
}

// holders is how many variables are in a register, but for the given ones.
func (c *funCompiler) holders(s machine.Slot, without []*core.Var) int32 {
	if s.Reg >= machine.MaxRegs {
		return 1 // an outgoing register: nobody counts
	}
	n := c.regs[layout.P].refs[s.Reg]
	for _, v := range without {
		for _, other := range c.env[v].Slots {
			if !other.IsConst && other.Kind == layout.P && other.Reg == s.Reg {
				n--
			}
		}
	}
	return n
}

// dying are the variables that a statement uses for the last time, as long as
// they are held.
func (c *funCompiler) dying(s core.Stmt) []*core.Var {
	if c.freed == s {
		return nil
	}
	return c.live.Dies[s]
}

// dyingInit is dying for the initial state of a loop: what the loop also runs over, or uses in its
// turns, does not die when the state begins.
func (c *funCompiler) dyingInit(s *core.Let) []*core.Var {
	if !c.updates {
		return nil
	}
	uses := map[*core.Var]int{}
	parts := core.Parts{
		Atom: func(a core.Atom) {
			if v, ok := a.(*core.Var); ok {
				uses[v]++
			}
		},
		Block: func(b *core.Block) {
			for _, v := range core.FreeVars(b) {
				uses[v] += 2
			}
		},
	}
	parts.Visit(s.Op)
	return slices.DeleteFunc(slices.Clone(c.dying(s)), func(v *core.Var) bool { return uses[v] > 1 })
}

// update generates a primitive that changes elements of an array.
func (c *funCompiler) update(s *core.Let, row *prim.Prim, args []machine.Slot) []machine.Slot {
	in := machine.Instr{Op: machine.OpScatter, B: c.list(args)}
	if row.ID == prim.Accumulate {
		in.Op = machine.OpAccumulate
	}
	xs := args[0]
	if !xs.IsConst && !slices.Contains(args[1:], xs) && c.holders(xs, c.dying(s)) == 0 {
		in.K = 1
	}
	return c.single(s, layout.P, in).Slots
}

// keepRows removes the marks of the rows that a statement may keep.
func (c *funCompiler) keepRows(s *core.Let) {
	if c.rows == nil {
		return
	}
	for _, a := range c.rows.Keeps[s] {
		for _, slot := range c.atom(a) {
			if slot.Kind == layout.P && !slot.IsConst {
				c.emit(machine.Instr{Op: machine.OpKeepRows, A: slot.Reg})
			}
		}
	}
}

// partOfPath tells whether a statement is part of an update of a row that a later one does. What
// dies with it dies with that one.
func (c *funCompiler) partOfPath(s *core.Let) bool {
	if c.rows == nil || c.rows.Part[s] == nil {
		return false
	}
	last := c.rows.Part[s]
	c.live.Dies[last] = append(c.live.Dies[last], c.live.Dies[s]...)
	c.live.Dies[s] = nil
	return true
}

// updatePath generates an update of a row.
func (c *funCompiler) updatePath(s *core.Let, u *uses.PathUpdate) []machine.Slot {
	args := c.atoms([]core.Atom{u.Root, u.Js, u.Vs})
	for _, step := range u.Path {
		args = append(args, c.atom(step.At)[0], machine.ConstI(c.columnOf(step)))
	}
	in := machine.Instr{Op: machine.OpScatterPath, B: c.list(args)}
	root := args[0]
	if !root.IsConst && !slices.Contains(args[1:], root) && c.holders(root, c.dying(s)) == 0 {
		in.K = 1
	}
	return c.single(s, layout.P, in).Slots
}

// columnOf is which of the references of an element a step leads to.
func (c *funCompiler) columnOf(step uses.PathStep) int64 {
	column, t := 0, step.Elem
	for _, k := range step.Fields {
		parts := types.Parts(t)
		for _, before := range parts[:k] {
			column += c.Of(before).Shape().P
		}
		t = parts[k]
	}
	return int64(column)
}
