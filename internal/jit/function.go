package jit

import "slices"

// function is a function on virtual registers: a list of instructions with structured loops. A virtual
// register is written once, except that what a loop hands on is written before the
// loop and again at the end of each turn, and what an If gives in both of its blocks. Loops
// are enclosed by opLoopStart and opLoopEnd, so that intervals need no data-flow analysis:
// Note [Intervals].
type function struct {
	name string
	code []inst
	regs []vreg // the virtual registers, from firstVirtual

	counts []int32 // memory of removeDead
	moves  []movement
}

// vreg is what is known about a virtual register.
type vreg struct {
	word  int64 // the constant, or the offset of the parameter in the frame
	depth int32 // the loops around the place where it is computed
	class class
	w     uint8 // bytes: 8, 32 or 64
	home  home
}

// home is where a register's value lies in memory from the start.
type home uint8

const (
	homeless home = iota
	homeConst
	homeParam
)

func (f *function) reg(r reg) *vreg { return &f.regs[r-firstVirtual] }

func (f *function) newReg(c class, w uint8, depth int32) reg {
	f.regs = append(f.regs, vreg{class: c, w: w, depth: depth})
	return firstVirtual + reg(len(f.regs)-1)
}

// reads are the registers that an instruction reads, with those below firstVirtual that stand for none.
func (in *inst) reads() [6]*reg {
	base, index := &noRegister, &noRegister
	if in.isMem {
		base, index = &in.m.base, &in.m.index
	}
	return [...]*reg{&in.a, &in.b, &in.c, &in.k, base, index}
}

// noRegister is read and never written.
var noRegister = noReg

// removeDead removes the instructions without an effect whose result nothing reads.
func (f *function) removeDead() {
	f.counts = slices.Grow(f.counts[:0], len(f.regs))
	count := f.counts[:len(f.regs)]
	clear(count)
	read := func(r reg) {
		if r >= firstVirtual {
			count[r-firstVirtual]++
		}
	}
	for i := range f.code {
		in := &f.code[i]
		read(in.a)
		read(in.b)
		read(in.c)
		read(in.k)
		if in.isMem {
			read(in.m.base)
			read(in.m.index)
		}
	}
	// What is read follows what is written, except around loops, where nothing is pure: one pass
	// from the end finds all chains.
	compared := false // whether the flags are read
	dead := func(in *inst) bool {
		return in.op == opNone || in.op.is(compares) && !compared ||
			in.op.is(pure) && in.d >= firstVirtual && count[in.d-firstVirtual] == 0
	}
	for i := len(f.code) - 1; i >= 0; i-- {
		in := &f.code[i]
		if dead(in) {
			for _, r := range in.reads() {
				if *r >= firstVirtual {
					count[*r-firstVirtual]--
				}
			}
			in.op = opNone
			continue
		}
		compared = in.op.is(reads) || compared && !in.op.is(compares)
	}
	n := 0
	for i := range f.code {
		if in := &f.code[i]; in.op != opNone {
			if n < i {
				f.code[n] = *in
			}
			n++
		}
	}
	f.code = f.code[:n]
}

// movement is what coalesce knows of a register.
type movement struct {
	first   int32 // its first write so far, -1 if there is none
	last    int32 // its last read so far
	carries int32 // how many instructions carry it
	to      reg   // what it was renamed to, or itself
}

// coalesce lets a turn of a loop compute what it hands on in the register of the next turn, where
// the old value is not needed any more:
//
//	y = add s x; …; carry s = y        becomes        s = add s x; …
//
// It may do so if y is first written in the loop, after the last read of s in it.
func (f *function) coalesce() {
	f.moves = slices.Grow(f.moves[:0], len(f.regs))
	of := f.moves[:len(f.regs)]
	for i := range of {
		of[i] = movement{first: -1, to: firstVirtual + reg(i)}
	}
	for i := range f.code {
		if in := &f.code[i]; in.op == opCarry && in.a >= firstVirtual {
			of[in.a-firstVirtual].carries++
		}
	}
	find := func(r reg) reg { // what r is called
		to := of[r-firstVirtual].to
		for next := of[to-firstVirtual].to; next != to; next = of[to-firstVirtual].to {
			to = next
		}
		return to
	}
	var starts []int32
	for at := range f.code {
		in, i := &f.code[at], int32(at)
		for _, r := range in.reads() {
			if *r >= firstVirtual {
				*r = find(*r)
			}
		}
		if in.d >= firstVirtual {
			in.d = find(in.d)
		}
		switch in.op {
		case opLoopStart:
			starts = append(starts, i)
		case opLoopEnd:
			starts = starts[:len(starts)-1]
		case opCarry:
			if in.a < firstVirtual || in.a == in.d || len(starts) == 0 {
				break
			}
			y, s := &of[in.a-firstVirtual], &of[in.d-firstVirtual]
			if v, w := f.reg(in.a), f.reg(in.d); y.first > starts[len(starts)-1] && s.last <= y.first && y.carries == 1 &&
				!f.code[y.first].op.is(early) && v.class == w.class && v.w == w.w {
				f.rename(y.first, i, in.a, in.d)
				y.to = in.d
				s.last = max(s.last, y.last)
				in.op = opNone
				continue
			}
		}
		for _, r := range in.reads() {
			if *r >= firstVirtual {
				of[*r-firstVirtual].last = i
			}
		}
		if in.d >= firstVirtual && of[in.d-firstVirtual].first < 0 {
			of[in.d-firstVirtual].first = i
		}
	}
}

func (f *function) rename(from, to int32, old, new reg) {
	for i := from; i < to; i++ {
		in := &f.code[i]
		for _, r := range in.reads() {
			if *r == old {
				*r = new
			}
		}
		if in.d == old {
			in.d = new
		}
	}
}
