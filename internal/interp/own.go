package interp

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Updates in place]
//
// Values do not change, so `array.set xs i x` is a copy of xs. In
//
//	loop xs = zeros for i < n do array.set xs i (f i)
//
// nothing needs the array that xs was once the next one is there, and the
// update is done in place. Two things must hold for that.
//
//   - The variable is used for the last time: no other variable is in its
//     register then. The compiler knows this.
//   - The array is *owned* by the register: nothing else refers to it. The
//     machine knows this, from a mark on the array. Only an update makes an
//     array that has it. The mark is removed (opShare) before the reference is
//     copied to where it lives on beside the register: into another variable
//     while this one is still needed, a closure, a data value, an array, a
//     slice or a zip, a constant of the program, an entry of the tape, a
//     function that a primitive calls. Where a register is read for the last
//     time, the reference moves, and the mark with it: from turn to turn of a
//     loop, into a call, and out of it.
//
// So the first update of a loop makes a copy, and those after it none. A
// program without updates has no marks, and no instructions that remove them.

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

// own marks an array as owned by the register that it goes to.
func own(r ref) {
	switch a := r.(type) {
	case *reals:
		a.own = true
	case *ints:
		a.own = true
	case *refs:
		a.own = true
	case *table:
		a.own = true
	}
}

func owned(r ref) bool {
	switch a := r.(type) {
	case *reals:
		return a.own
	case *ints:
		return a.own
	case *refs:
		return a.own
	case *table:
		return a.own
	}
	return false
}

// share removes the mark. An array of the program's code has none, and is not
// written to: other machines read it.
func share(r ref) {
	if !owned(r) {
		return
	}
	switch a := r.(type) {
	case *reals:
		a.own = false
	case *ints:
		a.own = false
	case *refs:
		a.own = false
	case *table:
		a.own = false
	}
}

func shareAll(list []ref) {
	for _, r := range list {
		share(r)
	}
}

// share removes the marks of what is in registers.
func (c *funCompiler) share(slots ...slot) {
	if !c.updates {
		return
	}
	for _, s := range slots {
		if s.kind == kP && !s.isConst {
			c.emit(instr{op: opShare, a: s.reg})
		}
	}
}

// shareKept does so where moving sources to targets leaves a second reference:
// to what a variable keeps that is not among those that die with the move, and
// to what is moved to several targets.
func (c *funCompiler) shareKept(targets, sources []slot, dying []*core.Var) {
	if !c.updates {
		return
	}
	moved := map[slot]int32{}
	for _, s := range sources {
		if s.kind == kP && !s.isConst {
			moved[s]++
		}
	}
	for n, s := range sources {
		if moved[s] == 0 || moved[s] == 1 && targets[n].reg == s.reg {
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
func (c *funCompiler) shareTwice(sources []slot) {
	seen := map[slot]bool{}
	for _, s := range sources {
		if s.kind == kP && !s.isConst {
			if seen[s] {
				c.share(s)
			}
			seen[s] = true
		}
	}
}

// holders is how many variables are in a register, but for the given ones.
func (c *funCompiler) holders(s slot, without []*core.Var) int32 {
	if s.reg >= maxRegs {
		return 1 // an outgoing register: nobody counts
	}
	n := c.regs[kP].refs[s.reg]
	for _, v := range without {
		for _, other := range c.env[v].slots {
			if !other.isConst && other.kind == kP && other.reg == s.reg {
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

// dyingInit is dying for the initial state of a loop: what the loop also runs over, or uses in its turns, does not die when
// the state begins.
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
func (c *funCompiler) update(s *core.Let, row *prim.Prim, args []slot) []slot {
	in := instr{op: opScatter, b: c.list(args)}
	if row.ID == prim.Accumulate {
		in.op = opAccumulate
	}
	xs := args[0]
	if !xs.isConst && !slices.Contains(args[1:], xs) && c.holders(xs, c.dying(s)) == 0 {
		in.k = 1
	}
	return c.single(s, kP, in).slots
}
