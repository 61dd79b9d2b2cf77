package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// target says what becomes of a block's result: it goes to registers, which
// are pinned, or it is the function's.
type target struct {
	tail bool
	regs []machine.Slot
	ends []*core.Var // variables that the statement around the block uses for the last time
}

// block generates the code of a block. What it references afterwards is
// garbage: callers save and restore the registers' state around it.
func (c *funCompiler) block(b *core.Block, t target) {
	if !t.tail {
		c.hint(b, t.regs)
	}
	for n := 0; n < len(b.Stmts); n++ {
		c.watch.Step()
		switch s := b.Stmts[n].(type) {
		case *core.LetRec:
			c.letRec(s)
		case *core.Let:
			if t.tail && n == len(b.Stmts)-1 && b.Result == core.Atom(s.Var) && c.tailLet(s) {
				return
			}
			if c.partOfPath(s) {
				continue
			}
			if n+1 < len(b.Stmts) && c.fused(s, b.Stmts[n+1], b, t) {
				n++
				if t.tail && n == len(b.Stmts)-1 {
					if next, ok := b.Stmts[n].(*core.Let); ok && b.Result == core.Atom(next.Var) && isChoice(next.Op) {
						return
					}
				}
				continue
			}
			c.let(s)
		}
	}
	result := c.atom(b.Result)
	if t.tail {
		c.ret(result)
	} else {
		c.shareKept(t.regs, result, append(local(b), t.ends...))
		c.moves(t.regs, result)
	}
	c.endTemps(0, 0)
}

// local is the result of a block if the block binds it.
func local(b *core.Block) []*core.Var {
	for _, s := range b.Stmts {
		if let, ok := s.(*core.Let); ok && core.Atom(let.Var) == b.Result {
			return []*core.Var{let.Var}
		}
	}
	return nil
}

func isChoice(op core.Op) bool {
	switch op.(type) {
	case *core.If, *core.Case:
		return true
	}
	return false
}

// hint notes in which registers a block's result had best be computed, and
// so, if it is a tuple, its components.
func (c *funCompiler) hint(b *core.Block, regs []machine.Slot) {
	v, ok := b.Result.(*core.Var)
	if !ok || len(regs) == 0 {
		return
	}
	last := len(b.Stmts) - 1
	if last >= 0 {
		if let, ok := b.Stmts[last].(*core.Let); ok && let.Var == v {
			c.hintOp(let, regs)
			return
		}
	}
	c.hints[v] = regs
}

func (c *funCompiler) hintOp(let *core.Let, regs []machine.Slot) {
	c.hints[let.Var] = regs
	var elems []core.Atom
	switch op := let.Op.(type) {
	case *core.Tuple:
		elems = op.Elems
	case *core.Record:
		elems = op.Elems
	case *core.Construct:
		if c.Form(op.Ty) == layout.Flat {
			elems = op.Args
		}
	}
	for _, e := range elems {
		n := len(c.Of(e.Type()))
		if v, ok := e.(*core.Var); ok {
			if _, bound := c.env[v]; !bound {
				c.hints[v] = regs[:n]
			}
		}
		regs = regs[n:]
	}
}

// let generates the code of one binding.
func (c *funCompiler) let(s *core.Let) {
	temps, pins := len(c.temps), len(c.pins)
	if s.At.Known() {
		c.at = s.At
	}
	b := c.op(s)
	c.bind(s.Var, b)
	c.end(s, temps, pins)
	c.dropUnused(s.Var)
}

// end gives back what a statement needed.
func (c *funCompiler) end(s core.Stmt, temps, pins int) {
	if c.freed != s {
		c.releaseDying(s)
	}
	c.endTemps(temps, pins)
}

func (c *funCompiler) endTemps(temps, pins int) {
	c.regs.release(c.temps[temps:])
	c.temps = c.temps[:temps]
	c.regs.unpin(c.pins[pins:])
	c.pins = c.pins[:pins]
}

func (c *funCompiler) releaseDying(s core.Stmt) {
	for _, v := range c.live.Dies[s] {
		c.regs.release(c.env[v].Slots)
	}
}

// early gives back the registers of variables that die at a statement before
// its result gets one: for operations of one instruction, which reads all of
// its operands before it writes.
func (c *funCompiler) early(s core.Stmt) {
	if c.freed != s {
		c.freed = s
		c.releaseDying(s)
	}
}

// targets gives pinned registers for a statement's result, the ones that a
// hint asks for where no live variable is in them. If late, they are written
// only when all of the statement's operands have been read.
func (c *funCompiler) targets(s *core.Let, l layout.Layout, late bool) []machine.Slot {
	hints := c.hints[s.Var]
	if len(hints) != len(l) {
		hints = nil
	}
	late = late && c.freed != s
	regs := make([]machine.Slot, len(l))
	for n, k := range l {
		if hints != nil {
			if late {
				c.releaseDying(s)
			}
			ok := c.regs.unreferenced(hints[n])
			if late {
				for _, v := range c.live.Dies[s] {
					c.regs.hold(c.env[v].Slots)
				}
			}
			if ok {
				regs[n] = hints[n]
				continue
			}
		}
		regs[n] = c.pinned(k)
	}
	return regs
}

// target is targets for a result of one slot.
func (c *funCompiler) target(s *core.Let, k layout.Kind) machine.Slot {
	if hints := c.hints[s.Var]; len(hints) == 1 && c.regs.unreferenced(hints[0]) {
		return hints[0]
	}
	return c.pinned(k)
}

// pinned gives a register that stays reserved, though unreferenced, until the
// statement ends.
func (c *funCompiler) pinned(k layout.Kind) machine.Slot {
	r := c.regs.fresh(k)
	c.regs.pin([]machine.Slot{r})
	c.pins = append(c.pins, r)
	return r
}

// op generates the code of an operation and says where its result is.
func (c *funCompiler) op(s *core.Let) machine.Binding {
	c.keepRows(s)
	switch op := s.Op.(type) {
	case *core.Prim:
		return machine.Binding{Slots: c.prim(s, op)}
	case *core.Lambda:
		return c.lambda(s, op)
	case *core.Apply:
		return machine.Binding{Slots: c.apply(s, op)}
	case *core.Tuple:
		return machine.Binding{Slots: c.atoms(op.Elems)}
	case *core.Record:
		return machine.Binding{Slots: c.atoms(op.Elems)}
	case *core.Proj:
		tuple := types.Resolve(op.Of.Type()).(*types.Tuple)
		slots := c.atom(op.Of)
		for _, e := range tuple.Elems[:op.Index] {
			slots = slots[len(c.Of(e)):]
		}
		return machine.Binding{Slots: slots[:len(c.Of(tuple.Elems[op.Index]))]}
	case *core.Field:
		record := types.Resolve(op.Of.Type()).(*types.Record)
		slots := c.atom(op.Of)
		for _, f := range record.Fields[:op.Index] {
			slots = slots[len(c.Of(f.Type)):]
		}
		return machine.Binding{Slots: slots[:len(c.Of(record.Fields[op.Index].Type))]}
	case *core.Construct:
		return machine.Binding{Slots: c.construct(s, op)}
	case *core.If, *core.Case:
		regs := c.targets(s, c.Of(s.Var.Ty), true)
		c.choice(s, target{regs: regs, ends: c.dying(s)})
		return machine.Binding{Slots: regs}
	case *core.Array:
		return machine.Binding{Slots: c.array(s, op)}
	case *core.Build:
		return machine.Binding{Slots: c.build(s, op)}
	case *core.Map:
		return machine.Binding{Slots: c.mapOp(s, op)}
	case *core.Index:
		return machine.Binding{Slots: c.index(s, op)}
	case *core.Slice:
		of, lo, hi := c.scalar(op.Of), c.scalar(op.Lo), c.scalar(op.Hi)
		c.share(of)
		in := machine.Instr{Op: machine.OpSlice, B: c.reg(of), C: c.reg(lo), K: int64(c.reg(hi))}
		return c.single(s, layout.P, in)
	case *core.Reduce:
		return machine.Binding{Slots: c.reduce(s, op)}
	case *core.Scan:
		return machine.Binding{Slots: c.scan(s, op)}
	case *core.Loop:
		return machine.Binding{Slots: c.loop(s, op)}
	case *core.CheckSize:
		got, want := c.scalar(op.Got), c.scalar(op.Want)
		c.emit(machine.Instr{Op: machine.OpCheckSize, A: c.reg(got), B: c.reg(want), K: c.lib.Check(op)})
		return machine.Binding{}
	}
	panic("interp: unknown operation")
}

// single emits an instruction that writes its result, of one slot, to a.
func (c *funCompiler) single(s *core.Let, k layout.Kind, in machine.Instr) machine.Binding {
	c.early(s)
	to := c.target(s, k)
	in.A = to.Reg
	c.emit(in)
	return machine.Binding{Slots: []machine.Slot{to}}
}

// tailLet generates a function's last operation if that is different from
// computing a value and returning it.
func (c *funCompiler) tailLet(s *core.Let) bool {
	if s.At.Known() {
		c.at = s.At
	}
	switch op := s.Op.(type) {
	case *core.Apply:
		c.tailApply(s, op)
	case *core.If, *core.Case:
		c.choice(s, target{tail: true})
	default:
		return false
	}
	c.endTemps(0, 0)
	return true
}

// ret returns slots.
func (c *funCompiler) ret(result []machine.Slot) {
	if len(result) == 1 {
		op := [...]machine.Opcode{machine.OpRetF, machine.OpRetI, machine.OpRetP}[result[0].Kind]
		c.emit(machine.Instr{Op: op, A: c.reg(result[0])})
		return
	}
	l := make(layout.Layout, len(result))
	for n, s := range result {
		l[n] = s.Kind
	}
	to := place(l, layout.Shape{})
	c.shareTwice(result)
	c.moves(to, result)
	c.emit(machine.Instr{Op: machine.OpRet})
}
