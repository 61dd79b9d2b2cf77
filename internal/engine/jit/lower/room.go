package lower

import (
	"sync"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/engine/jit/reuse"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// code is a list of instructions in pieces, so that the code of a loop becomes a part of that
// around it without being copied.
type code struct{ first, last *piece }

// piece is some instructions of a code, of which the last is being filled.
type piece struct {
	code []ir.Inst
	next *piece
}

// leastPiece is the least room that is worth being kept when a piece is cut.
const leastPiece = 8

// slab has room for slices that live as long as the lowering of a function.
type slab[T any] struct {
	chunks [][]T
	used   int // how many chunks are
	rest   []T // what is left of the last of them
}

// slabSize is the number of elements of a chunk.
const slabSize = 512

// take gives a slice of n zeros.
func (s *slab[T]) take(n int) []T {
	if n > slabSize {
		return make([]T, n)
	}
	if len(s.rest) < n {
		if s.used == len(s.chunks) {
			s.chunks = append(s.chunks, make([]T, slabSize))
		}
		s.rest = s.chunks[s.used]
		s.used++
	}
	out := s.rest[:n:n]
	s.rest = s.rest[n:]
	return out
}

// reset takes all slices back.
func (s *slab[T]) reset() {
	for _, chunk := range s.chunks[:s.used] {
		clear(chunk)
	}
	s.used, s.rest = 0, nil
}

// room is the memory of a lowering, which it leaves to the next.
type room struct {
	f      ir.Function
	memory [][]ir.Inst // of pieces, all of it
	free   [][]ir.Inst // what is not used
	pieces slab[piece]
	ctxs   []*loopCtx
	vals   slab[value]
	regs   slab[ir.Reg]
	atoms  slab[loop.Atom]
	mems   slab[ir.Mem]
	sum    []loop.Atom // for split
	here   []spread    // for lanes
}

var lowerings = sync.Pool{New: func() any {
	l := &lowering{room: &room{}}
	l.f = &l.room.f
	return l
}}

// release gives the memory of a lowering whose code has been emitted back, for others.
func (l *lowering) release() {
	l.vals.Clear()
	l.given.Clear()
	l.defs.Clear()
	l.count.Clear()
	l.closed(l.top)
	r := l.room
	r.f.Name, r.f.Regs, r.f.Code = "", 0, r.f.Code[:0]
	r.free = append(r.free[:0], r.memory...)
	r.pieces.reset()
	r.vals.reset()
	r.regs.reset()
	r.atoms.reset()
	r.mems.reset()
	clear(r.sum[:cap(r.sum)])
	*l = lowering{room: r, f: &r.f, vals: l.vals, given: l.given, defs: l.defs, count: l.count}
	lowerings.Put(l)
}

// emit adds an instruction to the code that is being made.
func (l *lowering) emit(in ir.Inst) { l.emitTo(l.out, in) }

func (l *lowering) emitTo(to *code, in ir.Inst) {
	p := to.last
	if p == nil || len(p.code) == cap(p.code) {
		p = l.room.append(to, l.room.unused())
	}
	p.code = append(p.code, in)
}

// unused is memory for a piece.
func (r *room) unused() []ir.Inst {
	n := len(r.free) - 1
	if n < 0 {
		p := make([]ir.Inst, 0, ir.PieceSize)
		r.memory = append(r.memory, p)
		return p
	}
	p := r.free[n]
	r.free = r.free[:n]
	return p
}

// append adds an empty piece to a code.
func (r *room) append(to *code, memory []ir.Inst) *piece {
	p := &r.pieces.take(1)[0]
	p.code = memory
	if to.first == nil {
		to.first = p
	} else {
		to.last.next = p
	}
	to.last = p
	return p
}

// cut ends the piece that is being filled, and gives what is left of its memory.
func (c *code) cut() []ir.Inst {
	if c.last == nil {
		return nil
	}
	n := len(c.last.code)
	rest := c.last.code[n:n]
	c.last.code = c.last.code[:n:n]
	return rest
}

// add adds all of another code, whose memory that is left is free then.
func (r *room) add(to, from *code) {
	if from.first == nil {
		return
	}
	if rest := from.cut(); cap(rest) >= leastPiece {
		r.free = append(r.free, rest)
	}
	rest := to.cut()
	if to.first == nil {
		to.first = from.first
	} else {
		to.last.next = from.first
	}
	to.last = from.last
	if cap(rest) > 0 {
		r.append(to, rest) // goes on behind the other
	}
	*from = code{}
}

// newCtx is an empty loopCtx.
func (l *lowering) newCtx() *loopCtx {
	r := l.room
	n := len(r.ctxs) - 1
	if n < 0 {
		return &loopCtx{hoists: map[hoistKey]ir.Reg{}}
	}
	ctx := r.ctxs[n]
	r.ctxs = r.ctxs[:n]
	return ctx
}

// closed takes back one whose code is a part of another. A large map takes long to clear, and is
// not kept.
func (l *lowering) closed(ctx *loopCtx) {
	if ctx == nil {
		return
	}
	if len(ctx.hoists) > 64 {
		ctx.hoists = map[hoistKey]ir.Reg{}
	}
	clear(ctx.hoists)
	ctx.pre, ctx.body = code{}, code{}
	l.room.ctxs = append(l.room.ctxs, ctx)
}

// finish makes a code that of the function, without the instructions that nothing needs.
func (r *room) finish(c *code) {
	n := 0
	for p := c.first; p != nil; p = p.next {
		n++
	}
	r.f.Code = reuse.Roomier(r.f.Code, n)
	for p := c.first; p != nil; p = p.next {
		if len(p.code) > 0 {
			r.f.Code = append(r.f.Code, p.code)
		}
	}
	r.f.Prune()
}

// newValue is a value of some registers, which are to be set.
func (l *lowering) newValue(n int) *value {
	v := &l.room.vals.take(1)[0]
	v.r, v.n = l.room.regs.take(n), ir.NoReg
	return v
}

// scalar is the value of one register.
func (l *lowering) scalar(r ir.Reg) *value {
	v := l.newValue(1)
	v.r[0] = r
	return v
}

// buffer is the value of an address and a length.
func (l *lowering) buffer(p, n ir.Reg, lanes bool) *value {
	v := l.scalar(p)
	v.n, v.lanes = n, lanes
	return v
}
