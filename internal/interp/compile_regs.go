package interp

import "github.com/fluxion-lang/fluxion/internal/interp/layout"

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
		if b.low >= maxRegs {
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
func (r *registers) fresh(k layout.Kind) slot { return slot{kind: k, reg: r[k].alloc()} }

func (r *registers) hold(slots []slot) {
	for _, s := range slots {
		if !s.isConst && s.reg < maxRegs {
			r[s.kind].refs[s.reg]++
		}
	}
}

func (r *registers) release(slots []slot) {
	for _, s := range slots {
		if !s.isConst && s.reg < maxRegs {
			b := &r[s.kind]
			b.refs[s.reg]--
			if b.refs[s.reg] == 0 && int(s.reg) < b.low {
				b.low = int(s.reg)
			}
		}
	}
}

func (r *registers) pin(slots []slot) {
	for _, s := range slots {
		if s.reg < maxRegs {
			r[s.kind].pinned[s.reg]++
		}
	}
}

func (r *registers) unpin(slots []slot) {
	for _, s := range slots {
		if s.reg < maxRegs {
			b := &r[s.kind]
			b.pinned[s.reg]--
			if b.pinned[s.reg] == 0 && int(s.reg) < b.low {
				b.low = int(s.reg)
			}
		}
	}
}

// reserve makes sure that registers, given by number, exist.
func (r *registers) reserve(slots []slot) {
	for _, s := range slots {
		b := &r[s.kind]
		for s.reg < maxRegs && int(s.reg) >= len(b.refs) {
			b.refs = append(b.refs, 0)
			b.pinned = append(b.pinned, 0)
		}
	}
}

// unreferenced tells whether a register can be overwritten: no live variable
// refers to it.
func (r *registers) unreferenced(s slot) bool {
	return !s.isConst && (s.reg >= maxRegs || r[s.kind].refs[s.reg] == 0)
}

// out is the n-th outgoing register of a kind.
func (r *registers) out(k layout.Kind, n int) slot {
	b := &r[k]
	if n >= 0x10000-maxRegs {
		panic(tooManyRegisters{})
	}
	b.outs = max(b.outs, n+1)
	return slot{kind: k, reg: uint16(maxRegs + n)}
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
func (c *funCompiler) moves(targets, sources []slot) {
	type move struct{ to, from slot }
	var pending, constants []move
	// waiting counts, for each register, the pending moves that still read it:
	// it must not be overwritten before.
	waiting := map[operand]int{}
	for n, to := range targets {
		switch from := sources[n]; {
		case from.isConst:
			constants = append(constants, move{to, from})
		case from.reg != to.reg:
			pending = append(pending, move{to, from})
			waiting[from.operand()]++
		}
	}
	c.regs.reserve(targets)
	c.regs.hold(sources) // neither may serve as a temporary
	c.regs.pin(targets)
	for len(pending) > 0 {
		progress := false
		rest := pending[:0]
		for _, m := range pending {
			if waiting[m.to.operand()] > 0 {
				rest = append(rest, m)
				continue
			}
			c.move(m.to, m.from)
			waiting[m.from.operand()]--
			progress = true
		}
		pending = rest
		if !progress {
			// Only cycles are left: keep one register's content aside.
			to := pending[0].to
			aside := c.temp(to.kind)
			c.move(aside, to)
			for n := range pending {
				if pending[n].from.operand() == to.operand() {
					waiting[to.operand()]--
					pending[n].from = aside
					waiting[aside.operand()]++
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
func (c *funCompiler) move(to, from slot) {
	switch {
	case from.isConst:
		c.load(to, from)
	case from.reg != to.reg:
		op := [...]opcode{opMovF, opMovI, opMovP}[to.kind]
		c.emit(instr{op: op, a: to.reg, b: from.reg})
	}
}

func (c *funCompiler) load(to, from slot) {
	switch from.kind {
	case layout.F:
		c.emit(instr{op: opLoadF, a: to.reg, k: bitsOf(from.f)})
	case layout.I:
		c.emit(instr{op: opLoadI, a: to.reg, k: from.i})
	case layout.P:
		c.emit(instr{op: opLoadP, a: to.reg, k: c.constant(from.p)})
	}
}

// patchOutgoing turns the provisional numbers of outgoing registers into
// their places above the frame, whose size is known now.
func (c *funCompiler) patchOutgoing() {
	frame := c.fn.frame
	patch := func(r *uint16, k layout.Kind) {
		if *r >= maxRegs {
			*r = uint16(int(*r) - maxRegs + frame.Of(k))
		}
	}
	for pc := range c.fn.code {
		in := &c.fn.code[pc]
		for n, field := range [...]*uint16{&in.a, &in.b, &in.c} {
			switch opTable[in.op].operands[n] {
			case 'F':
				patch(field, layout.F)
			case 'I':
				patch(field, layout.I)
			case 'P':
				patch(field, layout.P)
			}
		}
		switch opTable[in.op].operands[3] {
		case 'F', 'I', 'P':
			r, k := uint16(in.k), map[byte]layout.Kind{'F': layout.F, 'I': layout.I, 'P': layout.P}[opTable[in.op].operands[3]]
			patch(&r, k)
			in.k = int64(r)
		}
	}
	for _, list := range c.fn.lists {
		for n := range list {
			patch(&list[n].reg, list[n].kind)
		}
	}
}
