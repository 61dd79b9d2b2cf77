package interp

import (
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
	"github.com/fluxion-lang/fluxion/internal/interp/object"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// array builds an array from its elements.
func (c *funCompiler) array(s *core.Let, op *core.Array) []machine.Slot {
	l := c.Of(op.Elem)
	elems := c.atoms(op.Elems)
	c.share(elems...)
	if slots, ok := c.constantArray(l, len(op.Elems), elems); ok {
		return slots
	}
	in := machine.Instr{Op: machine.OpArray, B: c.list(elems), C: uint16(len(l)), K: c.lib.Shape(l.Shape())}
	return c.single(s, layout.P, in).Slots
}

// constantArray is an array of constants, which is made once.
func (c *funCompiler) constantArray(l layout.Layout, n int, elems []machine.Slot) ([]machine.Slot, bool) {
	for _, e := range elems {
		if !e.IsConst {
			return nil, false
		}
	}
	r := object.NewArray(l.Shape(), n)
	for at := range n {
		var col layout.Shape
		for _, e := range elems[at*len(l) : (at+1)*len(l)] {
			switch e.Kind {
			case layout.F:
				object.ColumnF(r, col.F)[at] = e.F
				col.F++
			case layout.I:
				object.ColumnI(r, col.I)[at] = e.I
				col.I++
			case layout.P:
				object.ColumnP(r, col.P)[at] = e.P
				col.P++
			}
		}
	}
	return []machine.Slot{machine.ConstP(r)}, true
}

// index generates xs[i].
func (c *funCompiler) index(s *core.Let, op *core.Index) []machine.Slot {
	l := c.Of(elem(op.Of.Type()))
	of, at := c.reg(c.scalar(op.Of)), c.reg(c.scalar(op.At))
	if len(l) == 1 {
		load := [...]machine.Opcode{machine.OpAtF, machine.OpAtI, machine.OpAtP}[l[0]]
		return c.single(s, l[0], machine.Instr{Op: load, B: of, C: at}).Slots
	}
	c.emit(machine.Instr{Op: machine.OpCheckAt, A: of, B: at})
	regs := c.targets(s, l, false)
	c.loadColumns(regs, of, at)
	return regs
}

// loadColumns loads the slots of an element whose index is in range.
func (c *funCompiler) loadColumns(to []machine.Slot, of, at uint16) {
	var col layout.Shape
	for _, r := range to {
		c.loadColumn(r, of, at, len(to), &col)
	}
}

// loadColumn loads the next slot of an element of a layout of n slots.
func (c *funCompiler) loadColumn(to machine.Slot, of, at uint16, n int, col *layout.Shape) {
	k := col.Next(to.Kind)
	if n == 1 {
		c.emit(machine.Instr{Op: [...]machine.Opcode{machine.OpAtF, machine.OpAtI, machine.OpAtP}[to.Kind], A: to.Reg, B: of, C: at})
		return
	}
	c.emit(machine.Instr{Op: [...]machine.Opcode{machine.OpColF, machine.OpColI, machine.OpColP}[to.Kind], A: to.Reg, B: of, C: at, K: int64(k)})
}

// storeColumns stores the slots of an element of an array being built.
func (c *funCompiler) storeColumns(array, at uint16, elem []machine.Slot) {
	var col layout.Shape
	c.share(elem...)
	for _, e := range elem {
		k := col.Next(e.Kind)
		in := machine.Instr{Op: [...]machine.Opcode{machine.OpSetColF, machine.OpSetColI, machine.OpSetColP}[e.Kind], A: array, B: at, C: c.reg(e), K: int64(k)}
		if len(elem) == 1 {
			in.Op, in.K = [...]machine.Opcode{machine.OpSetF, machine.OpSetI, machine.OpSetP}[e.Kind], 0
		}
		c.emit(in)
	}
}

// element binds a variable to the element at an index, in registers that the
// body may reuse, and loads it.
func (c *funCompiler) element(v *core.Var, array, at uint16) {
	if c.live.Uses.Get(v) == 0 {
		c.env[v] = machine.Binding{}
		return
	}
	slots := c.freshSlots(c.Of(v.Ty))
	c.bind(v, machine.Binding{Slots: slots})
	c.regs.release(slots)
	c.loadColumns(slots, array, at)
}

// freshSlots allocates held registers.
func (c *funCompiler) freshSlots(l layout.Layout) []machine.Slot {
	slots := make([]machine.Slot, len(l))
	for n, k := range l {
		slots[n] = c.regs.fresh(k)
		c.regs.hold(slots[n : n+1])
	}
	return slots
}

// counting is a loop over the indices below a bound.
type counting struct {
	index, bound machine.Slot
	top          int64
	skip         label
	state        snapshot
}

// startCount opens a loop for index = 0 … bound-1; bound is in a register that
// nothing changes.
func (c *funCompiler) startCount(bound machine.Slot) *counting {
	loop := &counting{index: c.pinned(layout.I), bound: machine.Slot{Kind: layout.I, Reg: c.reg(bound)}}
	c.load(loop.index, machine.ConstI(0))
	return loop
}

// enter starts the body, after the code that runs once before it.
func (c *funCompiler) enter(loop *counting) {
	c.jump(&loop.skip, machine.Instr{Op: machine.OpJLeI, A: loop.bound.Reg, B: loop.index.Reg})
	loop.top = c.mark()
	loop.state = c.regs.save()
}

// endCount closes the loop.
func (c *funCompiler) endCount(loop *counting) {
	c.regs.restore(loop.state)
	c.emit(machine.Instr{Op: machine.OpLoop, A: loop.index.Reg, B: loop.bound.Reg, K: loop.top})
	c.here(&loop.skip)
}

// build generates [body for index < size].
func (c *funCompiler) build(s *core.Let, op *core.Build) []machine.Slot {
	size := c.held(c.scalar(op.Size))
	l := c.Of(op.Body.Result.Type())
	array := c.pinned(layout.P)
	c.emit(machine.Instr{Op: machine.OpNew, A: array.Reg, B: size.Reg, K: c.lib.Shape(l.Shape())})
	loop := c.startCount(size)
	c.enter(loop)
	c.bind(op.Index, machine.Binding{Slots: []machine.Slot{loop.index}})
	c.dropUnused(op.Index)
	c.elementBody(op.Body, l, array, loop)
	c.endCount(loop)
	return []machine.Slot{array}
}

// elementBody computes an element and stores it.
func (c *funCompiler) elementBody(body *core.Block, l layout.Layout, array machine.Slot, loop *counting) {
	pins := len(c.pins)
	regs := make([]machine.Slot, len(l))
	for n, k := range l {
		regs[n] = c.pinned(k)
	}
	c.arm(body, target{regs: regs})
	c.storeColumns(array.Reg, loop.index.Reg, regs)
	c.endTemps(len(c.temps), pins)
}

// held makes sure that a slot is in a register that stays as it is until the
// statement ends.
func (c *funCompiler) held(s machine.Slot) machine.Slot {
	if s.IsConst {
		t := c.temp(s.Kind)
		c.load(t, s)
		return t
	}
	return s
}

// mapOp generates [body for params in arrays].
func (c *funCompiler) mapOp(s *core.Let, op *core.Map) []machine.Slot {
	arrays := make([]machine.Slot, len(op.Arrays))
	for n, a := range op.Arrays {
		arrays[n] = c.held(c.scalar(a))
	}
	size := c.pinned(layout.I)
	c.emit(machine.Instr{Op: machine.OpLen, A: size.Reg, B: arrays[0].Reg})
	for _, a := range arrays[1:] {
		c.emit(machine.Instr{Op: machine.OpSameLen, A: a.Reg, B: size.Reg})
	}
	l := c.Of(op.Body.Result.Type())
	array := c.pinned(layout.P)
	c.emit(machine.Instr{Op: machine.OpNew, A: array.Reg, B: size.Reg, K: c.lib.Shape(l.Shape())})
	loop := c.startCount(size)
	c.enter(loop)
	for n, p := range op.Params {
		c.element(p, arrays[n].Reg, loop.index.Reg)
	}
	c.elementBody(op.Body, l, array, loop)
	c.endCount(loop)
	return []machine.Slot{array}
}

// reduce generates a Reduce.
func (c *funCompiler) reduce(s *core.Let, op *core.Reduce) []machine.Slot {
	acc, array, loop := c.startFold(s, op.Init, op.Array)
	c.enter(loop)
	c.foldBody(op.Acc, op.Elem, op.Body, acc, array, loop)
	c.endCount(loop)
	return acc
}

// scan generates a Scan.
func (c *funCompiler) scan(s *core.Let, op *core.Scan) []machine.Slot {
	// The accumulator is not what the statement's hint is about.
	l := c.Of(op.Acc.Ty)
	acc := make([]machine.Slot, len(l))
	for n, k := range l {
		acc[n] = c.pinned(k)
	}
	array, loop := c.startEach(op.Array)
	c.start(s, acc, op.Init)
	out := c.pinned(layout.P)
	c.emit(machine.Instr{Op: machine.OpNew, A: out.Reg, B: loop.bound.Reg, K: c.lib.Shape(l.Shape())})
	c.enter(loop)
	c.foldBody(op.Acc, op.Elem, op.Body, acc, array, loop)
	c.storeColumns(out.Reg, loop.index.Reg, acc)
	c.endCount(loop)
	return []machine.Slot{out}
}

// startFold prepares a loop over an array with an accumulator.
func (c *funCompiler) startFold(s *core.Let, init, of core.Atom) (acc []machine.Slot, array machine.Slot, loop *counting) {
	acc = c.targets(s, c.Of(s.Var.Ty), false)
	array, loop = c.startEach(of)
	c.start(s, acc, init)
	return acc, array, loop
}

// start brings the initial state of a loop to its registers.
func (c *funCompiler) start(s *core.Let, state []machine.Slot, init core.Atom) {
	from := c.atom(init)
	c.shareKept(state, from, c.dyingInit(s))
	c.moves(state, from)
}

func (c *funCompiler) startEach(of core.Atom) (array machine.Slot, loop *counting) {
	array = c.held(c.scalar(of))
	size := c.pinned(layout.I)
	c.emit(machine.Instr{Op: machine.OpLen, A: size.Reg, B: array.Reg})
	return array, c.startCount(size)
}

// foldBody runs a body that takes the accumulator and an element to the next
// accumulator.
func (c *funCompiler) foldBody(accVar, elemVar *core.Var, body *core.Block, acc []machine.Slot, array machine.Slot, loop *counting) {
	c.bind(accVar, machine.Binding{Slots: acc})
	c.dropUnused(accVar)
	c.element(elemVar, array.Reg, loop.index.Reg)
	c.arm(body, target{regs: acc})
}

// loop generates a Loop.
func (c *funCompiler) loop(s *core.Let, op *core.Loop) []machine.Slot {
	switch head := op.Head.(type) {
	case *core.Each:
		acc, array, loop := c.startFold(s, op.Init, head.Array)
		c.enter(loop)
		c.foldBody(op.State, head.Elem, op.Body, acc, array, loop)
		c.endCount(loop)
		return acc
	case *core.Range:
		state := c.targets(s, c.Of(s.Var.Ty), false)
		bound := c.scalar(head.Bound)
		c.start(s, state, op.Init)
		loop := c.startCount(c.held(bound))
		c.enter(loop)
		c.bind(op.State, machine.Binding{Slots: state})
		c.dropUnused(op.State)
		c.bind(head.Index, machine.Binding{Slots: []machine.Slot{loop.index}})
		c.dropUnused(head.Index)
		c.loopBody(op.Body, openLoop{state, &loop.skip})
		c.endCount(loop)
		return state
	case *core.While:
		return c.while(s, op, head)
	}
	panic("interp: unknown loop")
}

// loopBody generates the body of a loop, which gives the next state.
func (c *funCompiler) loopBody(body *core.Block, loop openLoop) {
	c.loops = append(c.loops, loop)
	c.arm(body, target{regs: loop.state})
	c.loops = c.loops[:len(c.loops)-1]
}

// while tests before the first iteration and after each one.
func (c *funCompiler) while(s *core.Let, op *core.Loop, head *core.While) []machine.Slot {
	state := c.targets(s, c.Of(s.Var.Ty), false)
	c.start(s, state, op.Init)
	top := c.mark()
	saved := c.regs.save()
	c.bind(op.State, machine.Binding{Slots: state})
	if c.live.Uses.Get(op.State) == 0 {
		c.dropUnused(op.State)
	}
	var end label
	c.regs.hold(state) // the body needs it too
	c.condition(head.Cond, &end)
	// The condition may have given the state's registers back, which only
	// means that it was the last to use them in its own block.
	c.regs.restore(saved)
	c.bind(op.State, machine.Binding{Slots: state})
	c.dropUnused(op.State)
	c.loopBody(op.Body, openLoop{state, &end})
	c.emit(machine.Instr{Op: machine.OpBack, K: top})
	c.here(&end)
	c.regs.restore(saved)
	return state
}

// condition jumps to unless where a block gives false.
func (c *funCompiler) condition(b *core.Block, unless *label) {
	temps, pins, at := c.temps, c.pins, c.at
	c.temps, c.pins = nil, nil
	c.conditionBlock(b, unless)
	c.endTemps(0, 0)
	c.temps, c.pins, c.at = temps, pins, at
}

func (c *funCompiler) conditionBlock(b *core.Block, unless *label) {
	for n, s := range b.Stmts {
		switch s := s.(type) {
		case *core.LetRec:
			c.letRec(s)
		case *core.Let:
			if n == len(b.Stmts)-1 && b.Result == core.Atom(s.Var) && c.live.Uses.Get(s.Var) == 1 {
				if test, ok := s.Op.(*core.Prim); ok && isTest(test) {
					if s.At.Known() {
						c.at = s.At
					}
					c.counted(1)
					c.jumpUnlessTest(test, unless)
					return
				}
			}
			c.let(s)
		}
	}
	c.jumpUnless(c.scalar(b.Result), unless)
}

// elem is the element type of an array type.
func elem(t types.Type) types.Type { return types.Resolve(t).(*types.Array).Elem }
