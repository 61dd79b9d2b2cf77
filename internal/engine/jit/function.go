package jit

// function is a function on virtual registers: a list of instructions with structured loops, in
// pieces of at most pieceSize. A virtual register is written once, except that what a loop hands on
// is written before the loop and again at the end of each turn, and what an If gives in both of its
// blocks. Loops are enclosed by opLoopStart and opLoopEnd, so that intervals need no data-flow
// analysis:
// Note [Intervals].
type function struct {
	name  string
	code  [][]inst
	size  int               // the number of instructions
	pages []*[pageSize]vreg // of the virtual registers, from firstVirtual
	regs  int               // how many there are

	counts []int32 // how often each register is read
	moves  []movement
}

// pageSize is the number of registers of a page.
const pageSize = 1 << 10

// vreg is what is known about a virtual register.
type vreg struct {
	word  int64 // the constant, the offset of the parameter in the frame, or a vector with the same in all lanes if it is homeless
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

func (f *function) reg(r reg) *vreg {
	k := uint32(r - firstVirtual)
	return &f.pages[k/pageSize][k%pageSize]
}

func (f *function) newReg(c class, w uint8, depth int32) reg {
	if f.regs == len(f.pages)*pageSize {
		f.pages = append(f.pages, new([pageSize]vreg))
	}
	r := firstVirtual + reg(f.regs)
	f.regs++
	*f.reg(r) = vreg{class: c, w: w, depth: depth}
	return r
}

// prune removes the instructions that nothing needs.
func (f *function) prune() {
	f.counts = zeros(f.counts, f.regs)
	count := f.counts
	read := func(r reg) {
		if r >= firstVirtual {
			count[r-firstVirtual]++
		}
	}
	for _, piece := range f.code {
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
	f.removeDead()
}

// removeDead removes the instructions without an effect whose result nothing reads, by the counts
// of the registers.
//
// What is read follows what is written, except around loops, where nothing is pure: one pass from
// the end finds all chains.
func (f *function) removeDead() {
	count, compared := f.counts, false // whether what follows reads the flags
	unread := func(r reg) {
		if r >= firstVirtual {
			count[r-firstVirtual]--
		}
	}
	f.size = 0
	for p := len(f.code) - 1; p >= 0; p-- {
		piece := f.code[p]
		kept := len(piece) // what is kept moves to the end of the piece
		for i := len(piece) - 1; i >= 0; i-- {
			in := &piece[i]
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
			default:
				compared = does&reads != 0 || compared && does&compares == 0
				if kept--; i < kept {
					piece[kept] = *in
				}
			}
		}
		f.code[p] = piece[kept:]
		f.size += len(f.code[p])
	}
}

// position is where an instruction is: the number of its piece and that in the piece. Later ones
// are greater.
type position int32

func (f *function) at(p position) *inst { return &f.code[p/pieceSize][p%pieceSize] }

// movement is what coalesce knows of a register.
type movement struct {
	first   position // its first write so far, -1 if there is none
	last    position // its last read so far
	carries int32    // how many instructions carry it
	to      reg      // what it was renamed to, or itself
}

// longLoop is the number of instructions from which on a loop hardly keeps in a register what it
// carries.
const longLoop = 300

// coalesce lets a turn of a loop compute what it hands on in the register of the next turn, where
// the old value is not needed any more:
//
//	y = add s x; …; carry s = y        becomes        s = add s x; …
//
// It may do so if y is first written in the loop, after the last read of s in it. What only
// computed s is dead then, if nothing else reads it.
//
// In a long loop s is the first to go to memory, since it is live all the time. If the turn reads y
// too, as a vector, y keeps its own register, so that what follows does not wait until y has been
// to memory and back.
func (f *function) coalesce() {
	f.moves = sized(f.moves, f.regs)
	of := f.moves
	for i := range of {
		of[i] = movement{first: -1, to: firstVirtual + reg(i)}
	}
	for _, piece := range f.code {
		for i := range piece {
			if in := &piece[i]; in.op == opCarry && in.a >= firstVirtual {
				of[in.a-firstVirtual].carries++
			}
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
	read := func(r *reg, at position) {
		if *r >= firstVirtual {
			named(r).last = at
		}
	}
	var starts []position
	for p, piece := range f.code {
		for i := range piece {
			in, at := &piece[i], position(p*pieceSize+i)
			switch in.op {
			case opLoopStart:
				starts = append(starts, at)
				continue
			case opLoopEnd:
				starts = starts[:len(starts)-1]
				continue
			case opCarry:
				if in.a < firstVirtual || len(starts) == 0 {
					break
				}
				y, s := named(&in.a), named(&in.d)
				v, w := f.reg(in.a), f.reg(in.d)
				if v.class == vec && y.last > y.first && at-starts[len(starts)-1] > longLoop {
					break
				}
				if in.a != in.d && y.first > starts[len(starts)-1] && s.last <= y.first &&
					y.carries == 1 && !f.at(y.first).op.is(early) && !f.at(y.first).overwrites() && v.class == w.class && v.w == w.w {
					f.rename(y.first, at, in.a, in.d)
					y.to = in.d
					s.last = max(s.last, y.last)
					f.counts[in.d-firstVirtual] += f.counts[in.a-firstVirtual] - 1
					in.op = opNone
					continue
				}
			}
			read(&in.a, at)
			read(&in.b, at)
			read(&in.c, at)
			read(&in.k, at)
			if in.isMem {
				read(&in.m.base, at)
				read(&in.m.index, at)
			}
			if in.d >= firstVirtual {
				if m := named(&in.d); m.first < 0 {
					m.first = at
				}
			}
		}
	}
	f.removeDead()
}

// rename gives a register another name in the instructions from one up to another.
func (f *function) rename(from, to position, old, new reg) {
	change := func(r *reg) {
		if *r == old {
			*r = new
		}
	}
	for p := from / pieceSize; p <= to/pieceSize; p++ {
		piece := f.code[p]
		if p == to/pieceSize {
			piece = piece[:to%pieceSize]
		}
		if p == from/pieceSize {
			piece = piece[from%pieceSize:]
		}
		for i := range piece {
			in := &piece[i]
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
}

// sized gives a slice of a length, in the memory of another if that is large enough. Its elements
// are to be set.
func sized[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	return old[:n]
}

// zeros gives n zeros, in the memory of a slice if that is large enough.
func zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	clear(old[:n])
	return old[:n]
}

// roomier is a slice with room for n more. It has twice the length, at least, if it is a new one:
// append would make a long one shorter, and copy it more often, and it would write zeros.
func roomier[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	out := make([]T, len(s), max(64, 2*len(s), len(s)+n))
	copy(out, s)
	return out
}
