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

	counts []int32 // how often each register is read
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
	f.regs = append(roomier(f.regs), vreg{class: c, w: w, depth: depth})
	return firstVirtual + reg(len(f.regs)-1)
}

// gather makes the function's code of pieces, without the instructions that nothing needs.
func (f *function) gather(pieces [][]inst) {
	f.counts = zeros(f.counts, len(f.regs))
	count := f.counts
	read := func(r reg) {
		if r >= firstVirtual {
			count[r-firstVirtual]++
		}
	}
	for _, piece := range pieces {
		for i := range piece {
			in := &piece[i]
			read(in.a)
			read(in.b)
			read(in.c)
			read(in.k)
			if in.isMem {
				read(in.m.base)
				read(in.m.index)
			}
		}
	}
	kept, compared := 0, false
	for p := len(pieces) - 1; p >= 0; p-- {
		var n int
		n, compared = f.removeDead(pieces[p], compared)
		kept += n
	}
	f.code = slices.Grow(f.code[:0], kept)
	for _, piece := range pieces {
		f.code = compact(f.code, piece)
	}
}

// removeDead makes opNone of the instructions without an effect whose result nothing reads, and tells how many are left.
// compared tells whether what follows reads the flags; it gives the same for what comes before.
//
// What is read follows what is written, except around loops, where nothing is pure: one pass from the end finds all chains.
func (f *function) removeDead(code []inst, compared bool) (kept int, before bool) {
	count := f.counts
	unread := func(r reg) {
		if r >= firstVirtual {
			count[r-firstVirtual]--
		}
	}
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		does := flags[in.op]
		switch {
		case in.op == opNone:
		case does&compares != 0 && !compared, does&pure != 0 && in.d >= firstVirtual && count[in.d-firstVirtual] == 0:
			unread(in.a)
			unread(in.b)
			unread(in.c)
			unread(in.k)
			if in.isMem {
				unread(in.m.base)
				unread(in.m.index)
			}
			in.op = opNone
		default:
			compared = does&reads != 0 || compared && does&compares == 0
			kept++
		}
	}
	return kept, compared
}

// compact appends code without opNone. The code may be what follows in the memory of the list.
func compact(to, code []inst) []inst {
	for len(code) > 0 {
		n := 0
		for n < len(code) && code[n].op != opNone {
			n++
		}
		to = append(to, code[:n]...)
		for n < len(code) && code[n].op == opNone {
			n++
		}
		code = code[n:]
	}
	return to
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
// It may do so if y is first written in the loop, after the last read of s in it. What only computed s is dead then, if nothing else
// reads it.
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
	named := func(r *reg) *movement { // what r is called now
		m := &of[*r-firstVirtual]
		for m.to != *r {
			*r = m.to
			m = &of[*r-firstVirtual]
		}
		return m
	}
	read := func(r *reg, i int32) {
		if *r >= firstVirtual {
			named(r).last = i
		}
	}
	var starts []int32
	for at := range f.code {
		in, i := &f.code[at], int32(at)
		switch in.op {
		case opLoopStart:
			starts = append(starts, i)
			continue
		case opLoopEnd:
			starts = starts[:len(starts)-1]
			continue
		case opCarry:
			if in.a < firstVirtual || len(starts) == 0 {
				break
			}
			y, s := named(&in.a), named(&in.d)
			if v, w := f.reg(in.a), f.reg(in.d); in.a != in.d && y.first > starts[len(starts)-1] && s.last <= y.first &&
				y.carries == 1 && !f.code[y.first].op.is(early) && v.class == w.class && v.w == w.w {
				f.rename(f.code[y.first:at], in.a, in.d)
				y.to = in.d
				s.last = max(s.last, y.last)
				f.counts[in.d-firstVirtual] += f.counts[in.a-firstVirtual] - 1
				in.op = opNone
				continue
			}
		}
		read(&in.a, i)
		read(&in.b, i)
		read(&in.c, i)
		read(&in.k, i)
		if in.isMem {
			read(&in.m.base, i)
			read(&in.m.index, i)
		}
		if in.d >= firstVirtual {
			if m := named(&in.d); m.first < 0 {
				m.first = i
			}
		}
	}
	if kept, _ := f.removeDead(f.code, false); kept < len(f.code) {
		f.code = compact(f.code[:0], f.code)
	}
}

// rename gives a register another name in code.
func (f *function) rename(code []inst, old, new reg) {
	change := func(r *reg) {
		if *r == old {
			*r = new
		}
	}
	for i := range code {
		in := &code[i]
		change(&in.d)
		change(&in.a)
		change(&in.b)
		change(&in.c)
		change(&in.k)
		if in.isMem {
			change(&in.m.base)
			change(&in.m.index)
		}
	}
}

// roomier is a slice with room for more. A full one is given as much again: append would give a long one less,
// and copy it more often.
func roomier[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(64, len(s)))
}

// zeros gives n zeros, in the memory of a slice if that is large enough.
func zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}
