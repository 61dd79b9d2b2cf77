package ir

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
)

// Function is a function on virtual registers: a list of instructions with structured loops, in
// pieces of at most pieceSize. A virtual register is written once, except that what a loop hands on
// is written before the loop and again at the end of each turn, and what an If gives in both of its
// blocks. Loops are enclosed by opLoopStart and opLoopEnd, so that intervals need no data-flow
// analysis:
// Note [Intervals].
type Function struct {
	Name  string
	Code  [][]Inst
	Size  int               // the number of instructions
	pages []*[pageSize]vreg // of the virtual registers, from firstVirtual
	Regs  int               // how many there are

	counts []int32 // how often each register is read
	moves  []movement
}

// PieceSize is the most instructions of a piece.
const PieceSize = 256

// pageSize is the number of registers of a page.
const pageSize = 1 << 10

// vreg is what is known about a virtual register.
type vreg struct {
	// Word is the constant, the offset of the parameter in the frame, or, if the register is
	// homeless, what each lane of the vector holds.
	Word  int64
	Depth int32 // the loops around the place where it is computed
	Class Class
	W     uint8 // bytes: 8, 32 or 64
	Home  home
}

// home is where a register's value lies in memory from the start.
type home uint8

const (
	Homeless home = iota
	HomeConst
	HomeParam
)

func (f *Function) Reg(r Reg) *vreg {
	k := uint32(r - FirstVirtual)
	return &f.pages[k/pageSize][k%pageSize]
}

func (f *Function) NewReg(c Class, w uint8, depth int32) Reg {
	if f.Regs == len(f.pages)*pageSize {
		f.pages = append(f.pages, new([pageSize]vreg))
	}
	r := FirstVirtual + Reg(f.Regs)
	f.Regs++
	*f.Reg(r) = vreg{Class: c, W: w, Depth: depth}
	return r
}

// Prune removes the instructions that nothing needs.
func (f *Function) Prune() {
	f.counts = reuse.Zeros(f.counts, f.Regs)
	count := f.counts
	read := func(r Reg) {
		if r >= FirstVirtual {
			count[r-FirstVirtual]++
		}
	}
	for _, piece := range f.Code {
		for i := range piece {
			in := &piece[i]
			read(in.A)
			read(in.B)
			read(in.C)
			read(in.K)
			if in.IsMem {
				read(in.M.Base)
				read(in.M.Index)
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
func (f *Function) removeDead() {
	count, compared := f.counts, false // whether what follows reads the flags
	unread := func(r Reg) {
		if r >= FirstVirtual {
			count[r-FirstVirtual]--
		}
	}
	f.Size = 0
	for p := len(f.Code) - 1; p >= 0; p-- {
		piece := f.Code[p]
		kept := len(piece) // what is kept moves to the end of the piece
		for i := len(piece) - 1; i >= 0; i-- {
			in := &piece[i]
			does := flags[in.Op]
			switch {
			case in.Op == OpNone:
			case does&compares != 0 && !compared, does&pure != 0 && in.D >= FirstVirtual &&
				count[in.D-FirstVirtual] == 0:
				unread(in.A)
				unread(in.B)
				unread(in.C)
				unread(in.K)
				if in.IsMem {
					unread(in.M.Base)
					unread(in.M.Index)
				}
			default:
				compared = does&reads != 0 || compared && does&compares == 0
				if kept--; i < kept {
					piece[kept] = *in
				}
			}
		}
		f.Code[p] = piece[kept:]
		f.Size += len(f.Code[p])
	}
}

// position is where an instruction is: the number of its piece and that in the piece. Later ones
// are greater.
type position int32

func (f *Function) at(p position) *Inst { return &f.Code[p/PieceSize][p%PieceSize] }

// movement is what coalesce knows of a register.
type movement struct {
	first   position // its first write so far, -1 if there is none
	last    position // its last read so far
	carries int32    // how many instructions carry it
	to      Reg      // what it was renamed to, or itself
}

// longLoop is the number of instructions from which on a loop hardly keeps in a register what it
// carries.
const longLoop = 300

// Coalesce lets a turn of a loop compute what it hands on in the register of the next turn, where
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
func (f *Function) Coalesce() {
	f.moves = reuse.Sized(f.moves, f.Regs)
	of := f.moves
	for i := range of {
		of[i] = movement{first: -1, to: FirstVirtual + Reg(i)}
	}
	for _, piece := range f.Code {
		for i := range piece {
			if in := &piece[i]; in.Op == OpCarry && in.A >= FirstVirtual {
				of[in.A-FirstVirtual].carries++
			}
		}
	}
	named := func(r *Reg) *movement { // what r is called now
		m := &of[*r-FirstVirtual]
		for m.to != *r {
			*r = m.to
			m = &of[*r-FirstVirtual]
		}
		return m
	}
	read := func(r *Reg, at position) {
		if *r >= FirstVirtual {
			named(r).last = at
		}
	}
	var starts []position
	for p, piece := range f.Code {
		for i := range piece {
			in, at := &piece[i], position(p*PieceSize+i)
			switch in.Op {
			case OpLoopStart:
				starts = append(starts, at)
				continue
			case OpLoopEnd:
				starts = starts[:len(starts)-1]
				continue
			case OpCarry:
				if in.A < FirstVirtual || len(starts) == 0 {
					break
				}
				y, s := named(&in.A), named(&in.D)
				v, w := f.Reg(in.A), f.Reg(in.D)
				if v.Class == Vec && y.last > y.first && at-starts[len(starts)-1] > longLoop {
					break
				}
				if in.A != in.D && y.first > starts[len(starts)-1] && s.last <= y.first &&
					y.carries == 1 && !f.at(y.first).Op.Is(Early) && !f.at(y.first).Overwrites() &&
					v.Class == w.Class && v.W == w.W {
					f.rename(y.first, at, in.A, in.D)
					y.to = in.D
					s.last = max(s.last, y.last)
					f.counts[in.D-FirstVirtual] += f.counts[in.A-FirstVirtual] - 1
					in.Op = OpNone
					continue
				}
			}
			read(&in.A, at)
			read(&in.B, at)
			read(&in.C, at)
			read(&in.K, at)
			if in.IsMem {
				read(&in.M.Base, at)
				read(&in.M.Index, at)
			}
			if in.D >= FirstVirtual {
				if m := named(&in.D); m.first < 0 {
					m.first = at
				}
			}
		}
	}
	f.removeDead()
}

// rename gives a register another name in the instructions from one up to another.
func (f *Function) rename(from, to position, old, new Reg) {
	change := func(r *Reg) {
		if *r == old {
			*r = new
		}
	}
	for p := from / PieceSize; p <= to/PieceSize; p++ {
		piece := f.Code[p]
		if p == to/PieceSize {
			piece = piece[:to%PieceSize]
		}
		if p == from/PieceSize {
			piece = piece[from%PieceSize:]
		}
		for i := range piece {
			in := &piece[i]
			change(&in.D)
			change(&in.A)
			change(&in.B)
			change(&in.C)
			change(&in.K)
			if in.IsMem {
				change(&in.M.Base)
				change(&in.M.Index)
			}
		}
	}
}
