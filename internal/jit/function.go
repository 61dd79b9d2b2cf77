package jit

// function is a function on virtual registers: a list of instructions with structured loops. A virtual
// register is written once, except that what a loop hands on is written before the
// loop and again at the end of each turn, and what an If gives in both of its blocks. Loops
// are enclosed by opLoopStart and opLoopEnd, so that intervals need no data-flow analysis:
// Note [Intervals].
type function struct {
	name string
	code []inst
	regs []vreg // the virtual registers, from firstVirtual
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

// uses calls g with each virtual register that an instruction reads.
func (in *inst) uses(g func(r *reg)) {
	for _, r := range [...]*reg{&in.a, &in.b, &in.c, &in.k} {
		if *r >= firstVirtual {
			g(r)
		}
	}
	if in.isMem {
		if in.m.base >= firstVirtual {
			g(&in.m.base)
		}
		if in.m.index >= firstVirtual {
			g(&in.m.index)
		}
	}
}

// removeDead removes the instructions without an effect whose result nothing reads.
func (f *function) removeDead() {
	count := make([]int32, len(f.regs))
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
			in.uses(func(r *reg) { count[*r-firstVirtual]-- })
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

// coalesce lets a turn of a loop compute what it hands on in the register of the next turn, where
// the old value is not needed any more:
//
//	y = add s x; …; carry s = y        becomes        s = add s x; …
//
// It may do so if y is first written in the loop, after the last read of s in it.
func (f *function) coalesce() {
	first := make([]int32, len(f.regs)) // the first write of each register
	last := make([]int32, len(f.regs))  // its last read so far
	carries := make([]int32, len(f.regs))
	for i := range first {
		first[i] = -1
	}
	for i := range f.code {
		if in := &f.code[i]; in.op == opCarry && in.a >= firstVirtual {
			carries[in.a-firstVirtual]++
		}
	}
	to := map[reg]reg{}
	var find func(r reg) reg
	find = func(r reg) reg {
		if s, ok := to[r]; ok {
			s = find(s)
			to[r] = s
			return s
		}
		return r
	}
	var starts []int32
	for at := range f.code {
		in, i := &f.code[at], int32(at)
		in.uses(func(r *reg) { *r = find(*r) })
		if in.d >= firstVirtual {
			in.d = find(in.d)
		}
		switch in.op {
		case opLoopStart:
			starts = append(starts, i)
		case opLoopEnd:
			starts = starts[:len(starts)-1]
		}
		if in.op == opCarry && in.a >= firstVirtual && in.a != in.d && len(starts) > 0 {
			y, s := in.a-firstVirtual, in.d-firstVirtual
			if first[y] > starts[len(starts)-1] && last[s] <= first[y] && carries[y] == 1 && !f.code[first[y]].op.is(early) &&
				f.regs[y].class == f.regs[s].class && f.regs[y].w == f.regs[s].w {
				f.rename(first[y], i, in.a, in.d)
				to[in.a] = in.d
				last[s] = max(last[s], last[y])
				in.op = opNone
				continue
			}
		}
		in.uses(func(r *reg) { last[*r-firstVirtual] = i })
		if in.d >= firstVirtual && first[in.d-firstVirtual] < 0 {
			first[in.d-firstVirtual] = i
		}
	}
}

func (f *function) rename(from, to int32, old, new reg) {
	for i := from; i < to; i++ {
		in := &f.code[i]
		in.uses(func(r *reg) {
			if *r == old {
				*r = new
			}
		})
		if in.d == old {
			in.d = new
		}
	}
}
