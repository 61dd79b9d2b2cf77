package interp

import (
	"github.com/fluxion-lang/fluxion/internal/interp/layout"
	"github.com/fluxion-lang/fluxion/internal/interp/machine"
)

// bank hands out the registers of one kind. A register is free when no
// variable refers to it and nothing has pinned it; it may be pinned and yet
// unreferenced: the target of a block before the result is there.
type bank struct {
	refs   []int32
	pinned []int32
	low    int // nothing below is free
	outs   int // outgoing registers in use at most
}

func (b *bank) alloc() uint16 {
	for b.low < len(b.refs) && (b.refs[b.low] > 0 || b.pinned[b.low] > 0) {
		b.low++
	}
	if b.low == len(b.refs) {
		if b.low >= machine.MaxRegs {
			panic(tooManyRegisters{})
		}
		b.refs = append(b.refs, 0)
		b.pinned = append(b.pinned, 0)
	}
	return uint16(b.low)
}

type tooManyRegisters struct{}

// registers are the three banks of a function.
type registers [3]bank

// fresh gives an unreferenced register; the caller holds or pins it before
// asking for the next one.
func (r *registers) fresh(k layout.Kind) machine.Slot {
	return machine.Slot{Kind: k, Reg: r[k].alloc()}
}

func (r *registers) hold(slots []machine.Slot) {
	for _, s := range slots {
		if !s.IsConst && s.Reg < machine.MaxRegs {
			r[s.Kind].refs[s.Reg]++
		}
	}
}

func (r *registers) release(slots []machine.Slot) {
	for _, s := range slots {
		if !s.IsConst && s.Reg < machine.MaxRegs {
			b := &r[s.Kind]
			b.refs[s.Reg]--
			if b.refs[s.Reg] == 0 && int(s.Reg) < b.low {
				b.low = int(s.Reg)
			}
		}
	}
}

func (r *registers) pin(slots []machine.Slot) {
	for _, s := range slots {
		if s.Reg < machine.MaxRegs {
			r[s.Kind].pinned[s.Reg]++
		}
	}
}

func (r *registers) unpin(slots []machine.Slot) {
	for _, s := range slots {
		if s.Reg < machine.MaxRegs {
			b := &r[s.Kind]
			b.pinned[s.Reg]--
			if b.pinned[s.Reg] == 0 && int(s.Reg) < b.low {
				b.low = int(s.Reg)
			}
		}
	}
}

// reserve makes sure that registers, given by number, exist.
func (r *registers) reserve(slots []machine.Slot) {
	for _, s := range slots {
		b := &r[s.Kind]
		for s.Reg < machine.MaxRegs && int(s.Reg) >= len(b.refs) {
			b.refs = append(b.refs, 0)
			b.pinned = append(b.pinned, 0)
		}
	}
}

// unreferenced tells whether a register can be overwritten: no live variable
// refers to it.
func (r *registers) unreferenced(s machine.Slot) bool {
	return !s.IsConst && (s.Reg >= machine.MaxRegs || r[s.Kind].refs[s.Reg] == 0)
}

// out is the n-th outgoing register of a kind.
func (r *registers) out(k layout.Kind, n int) machine.Slot {
	b := &r[k]
	if n >= 0x10000-machine.MaxRegs {
		panic(tooManyRegisters{})
	}
	b.outs = max(b.outs, n+1)
	return machine.Slot{Kind: k, Reg: uint16(machine.MaxRegs + n)}
}

// snapshot remembers which registers are referenced, to start each branch of
// a choice from the same state.
type snapshot [3][]int32

func (r *registers) save() snapshot {
	var s snapshot
	for k := range r {
		s[k] = append([]int32(nil), r[k].refs...)
	}
	return s
}

func (r *registers) restore(s snapshot) {
	for k := range r {
		copy(r[k].refs, s[k])
		clear(r[k].refs[len(s[k]):])
		r[k].low = 0
	}
}

// moves emits what brings sources into targets as if all moved at once.
// Targets are distinct registers; temporaries break cycles.
func (c *funCompiler) moves(targets, sources []machine.Slot) {
	type move struct{ to, from machine.Slot }
	var pending, constants []move
	// waiting counts, for each register, the pending moves that still read it:
	// it must not be overwritten before.
	waiting := map[machine.Register]int{}
	for n, to := range targets {
		switch from := sources[n]; {
		case from.IsConst:
			constants = append(constants, move{to, from})
		case from.Reg != to.Reg:
			pending = append(pending, move{to, from})
			waiting[from.Register()]++
		}
	}
	c.regs.reserve(targets)
	c.regs.hold(sources) // neither may serve as a temporary
	c.regs.pin(targets)
	for len(pending) > 0 {
		progress := false
		rest := pending[:0]
		for _, m := range pending {
			if waiting[m.to.Register()] > 0 {
				rest = append(rest, m)
				continue
			}
			c.move(m.to, m.from)
			waiting[m.from.Register()]--
			progress = true
		}
		pending = rest
		if !progress {
			// Only cycles are left: keep one register's content aside.
			to := pending[0].to
			aside := c.temp(to.Kind)
			c.move(aside, to)
			for n := range pending {
				if pending[n].from.Register() == to.Register() {
					waiting[to.Register()]--
					pending[n].from = aside
					waiting[aside.Register()]++
				}
			}
		}
	}
	for _, m := range constants {
		c.move(m.to, m.from)
	}
	c.regs.unpin(targets)
	c.regs.release(sources)
}

// move emits one move, or the load of a constant.
func (c *funCompiler) move(to, from machine.Slot) {
	switch {
	case from.IsConst:
		c.load(to, from)
	case from.Reg != to.Reg:
		op := [...]machine.Opcode{machine.OpMovF, machine.OpMovI, machine.OpMovP}[to.Kind]
		c.emit(machine.Instr{Op: op, A: to.Reg, B: from.Reg})
	}
}

func (c *funCompiler) load(to, from machine.Slot) {
	switch from.Kind {
	case layout.F:
		c.emit(machine.Instr{Op: machine.OpLoadF, A: to.Reg, K: bitsOf(from.F)})
	case layout.I:
		c.emit(machine.Instr{Op: machine.OpLoadI, A: to.Reg, K: from.I})
	case layout.P:
		c.emit(machine.Instr{Op: machine.OpLoadP, A: to.Reg, K: c.constant(from.P)})
	}
}

// patchOutgoing turns the provisional numbers of outgoing registers into
// their places above the frame, whose size is known now.
func (c *funCompiler) patchOutgoing() {
	frame := c.fn.Frame
	patch := func(r *uint16, k layout.Kind) {
		if *r >= machine.MaxRegs {
			*r = uint16(int(*r) - machine.MaxRegs + frame.Of(k))
		}
	}
	for pc := range c.fn.Code {
		in := &c.fn.Code[pc]
		for n, field := range [...]*uint16{&in.A, &in.B, &in.C} {
			switch in.Op.Operands()[n] {
			case 'F':
				patch(field, layout.F)
			case 'I':
				patch(field, layout.I)
			case 'P':
				patch(field, layout.P)
			}
		}
		switch in.Op.Operands()[3] {
		case 'F', 'I', 'P':
			r, k := uint16(in.K), map[byte]layout.Kind{'F': layout.F, 'I': layout.I, 'P': layout.P}[in.Op.Operands()[3]]
			patch(&r, k)
			in.K = int64(r)
		}
	}
	for _, list := range c.fn.Lists {
		for n := range list {
			patch(&list[n].Reg, list[n].Kind)
		}
	}
}
