package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Rows of lanes]
//
// A loop inside of lanes may write a row for each lane:
//
//	for i lanes { t = mul.i i 26; … for k < 26 { … ; y[t + k] = x } }
//
// The elements that a turn of the inner loop writes lie apart, and take an instruction that writes
// them one by one. But those that a lane writes in neighbouring turns lie side by side. So the
// vectors of w turns are transposed, and each lane's elements are written at once. Nothing in the
// loop reads what it writes, since it is parallel.
//
// The turns are lowered side by side, and their vectors stay in registers, if they do little. If
// they do more, they run one by one, and leave their vectors in memory.

// row is the vectors that w turns write to the rows of the lanes, and where the first lane's
// elements are.
type row struct {
	buf     *value
	at      loop.Atom
	to      ir.Mem
	stride  int64      // in bytes, from one lane's elements to the next one's
	vectors [][]ir.Reg // of each turn, if they are side by side
	left    *ir.Mem    // else where the first turn has left them
}

// rowWriter is what is known of a loop inside of lanes whose turns write to rows, while w turns are
// lowered.
type rowWriter struct {
	places map[loop.Atom]bool // the indices in rows
	rows   []*row
	// If the turns leave their vectors in memory: the turn's place for those of the first row, how
	// far the next row's are behind, and what the turn binds.
	left  *ir.Mem
	apart int64
	bound map[loop.Atom]bool
}

// inRows are the places in rows to which turns of a loop inside of lanes write, if w turns are to
// write together:
// Note [Rows of lanes]. All places in a buffer differ by literals, so that either all of them are written later or none is.
func (ln *lanes) inRows(l *lowering, s *loop.For) map[loop.Atom]bool {
	n, ok := small(s.Count)
	if !ok || n < int64(ln.w) || !s.Parallel || len(s.Reds) > 0 || !l.m.Rows {
		return nil
	}
	type place struct {
		buf *loop.Var
		by  int64
	}
	defs, seen, bases := map[*loop.Var]*loop.Let{}, map[place]bool{}, map[*loop.Var]loop.Atom{}
	found := map[loop.Atom]bool{}
	for _, x := range s.Body.Stmts {
		switch x := x.(type) {
		case *loop.Let:
			defs[x.Var] = x
		case *loop.Load:
			defs[x.Var] = nil
		case *loop.Store:
			base, by := shift(x.At, defs)
			p := place{x.Buf, by}
			if old, ok := bases[x.Buf]; ok && old != base || seen[p] || by < 0 || by >= 1<<16 {
				return nil
			}
			seen[p], bases[x.Buf] = true, base
			if stride, ok := strideOf(x.At, s.Index, defs); ok && stride == 1 && ln.is(x.At) && ln.outer(x.Buf) {
				found[x.At] = true
			}
		default:
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// mostBeside bounds the statements, of all vectors of a turn, of turns that are lowered side by
// side.
const mostBeside = 96

// besideRows is the most vectors side by side: two if turns leave them in memory, where they share
// the cache with other buffers of the lanes.
func (ln *lanes) besideRows(l *lowering) int {
	most := mostVectors
	loop.Walk(ln.s.Body, func(s loop.Stmt) {
		if f, ok := s.(*loop.For); ok && len(f.Body.Stmts)*ln.u > mostBeside && ln.inRows(l, f) != nil {
			most = 2
		}
	})
	return most
}

// shift gives an integer as another one and a literal that is added to it.
func shift(a loop.Atom, defs map[*loop.Var]*loop.Let) (loop.Atom, int64) {
	by := int64(0)
	for {
		v, ok := a.(*loop.Var)
		if !ok || defs[v] == nil || defs[v].Op != loop.AddI {
			return a, by
		}
		n, ok := small(defs[v].Args[1])
		if !ok {
			return a, by
		}
		a, by = defs[v].Args[0], by+n
	}
}

// rowAt is where the first lane's element at an index is, and how far those of the lanes lie apart,
// if that is known.
func (ln *lanes) rowAt(l *lowering, buf *value, index loop.Atom) (to ir.Mem, stride int64, ok bool) {
	sum, c := l.split(index)
	var same []ir.Reg
	for _, a := range sum {
		if !ln.is(a) {
			same = append(same, l.atom(a))
			continue
		}
		def := l.defs.Get(a.(*loop.Var))
		if def == nil || def.Op != loop.MulI || def.Args[0] != loop.Atom(ln.s.Index) || stride != 0 {
			return ir.Mem{}, 0, false
		}
		n, isSmall := small(def.Args[1])
		if !isSmall || n < int64(ln.w) || n > 1<<16 {
			return ir.Mem{}, 0, false
		}
		stride = n
		same = append(same, l.hoist(hoistKey{op: ir.OpMul, a: ln.i, word: n}, func() ir.Reg { return l.imm(ir.OpMul, ln.i, n) }, ln.i))
	}
	if buf.lanes || stride == 0 {
		return ir.Mem{}, 0, false
	}
	return l.address(buf.r[0], same, c*8, 3), 8 * stride, true
}

// collectRow notes what a turn writes, for several to write; false if its place is not in a row.
func (ln *lanes) collectRow(l *lowering, buf *value, index, x loop.Atom) bool {
	t := ln.rows
	if t == nil || !t.places[index] {
		return false
	}
	if t.left != nil {
		return ln.leave(l, buf, index, x)
	}
	for _, r := range t.rows {
		if r.buf == buf && r.at == index {
			r.vectors = append(r.vectors, ln.vectors(l, x))
			return true
		}
	}
	to, stride, ok := ln.rowAt(l, buf, index)
	if ok {
		t.rows = append(t.rows, &row{buf: buf, at: index, to: to, stride: stride, vectors: [][]ir.Reg{ln.vectors(l, x)}})
	}
	return ok
}

// leave emits the stores of what a turn leaves in memory, for several to write. The place in the
// row is computed again after the turns, and must not depend on what a turn has computed.
func (ln *lanes) leave(l *lowering, buf *value, index, x loop.Atom) bool {
	t := ln.rows
	sum, _ := l.split(index)
	_, _, ok := ln.rowAt(l, buf, index)
	if !ok || slices.ContainsFunc(sum, func(a loop.Atom) bool { return t.bound[a] }) {
		return false
	}
	m := *t.left
	m.Disp += int32(t.apart * int64(len(t.rows)))
	for _, x := range ln.vectors(l, x) {
		l.storeVector(m, x)
		m.Disp += vectorBytes
	}
	t.rows = append(t.rows, &row{buf: buf, at: index})
	return true
}

// vectorBytes is the room of a vector in memory.
const vectorBytes = 64

// rowsTogether lowers a loop of which w turns write to rows together, and those that are left one
// by one.
func (ln *lanes) rowsTogether(l *lowering, s *loop.For, n ir.Reg, places map[loop.Atom]bool, turn func(i ir.Reg)) {
	i := l.move(ir.NoReg, l.constant(ir.GPR, 8, 0))
	turns, size := int64(ln.w), strip(s.Body, ln.u)
	memory, mark := ir.NoReg, ir.NoReg
	if len(s.Body.Stmts)*ln.u > mostBeside {
		mark = l.load(ir.CtxMem(ir.CtxBump))
		memory = l.takeBytes(l.constant(ir.GPR, 8, vectorBytes*turns*int64(ln.u*len(places))))
	}
	l.countedFrom(i, l.imm(ir.OpSub, n, turns-1), turns, max(1, size/turns), func(i ir.Reg) {
		t := &rowWriter{places: places}
		ln.rows = t
		if memory == ir.NoReg {
			ln.sideBySide(l, s, i, turns, turn)
		} else {
			ln.throughMemory(l, s, memory, i, turn)
		}
		ln.rows = nil
		for _, r := range t.rows {
			r.write(l, ln)
		}
	})
	if mark != ir.NoReg {
		l.store(ir.CtxMem(ir.CtxBump), mark)
	}
	l.countedFrom(i, n, 1, size, turn)
}

// throughMemory lowers w turns from i on, one by one, which leave the vectors of rows in memory.
func (ln *lanes) throughMemory(l *lowering, s *loop.For, memory, i ir.Reg, turn func(i ir.Reg)) {
	t := ln.rows
	t.apart, t.bound = int64(vectorBytes*ln.u*ln.w), map[loop.Atom]bool{}
	for _, x := range s.Body.Stmts {
		loop.Defs(x, func(v *loop.Var) { t.bound[v] = true })
	}
	j, stop := l.move(ir.NoReg, i), l.imm(ir.OpAdd, i, int64(ln.w))
	ctx, outer := l.open()
	l.f.Reg(j).Depth = l.depth()
	l.turns(j, stop, 1, l.label(), func(j ir.Reg) {
		offset := l.imm(ir.OpMul, l.two(ir.OpSub, j, i), int64(vectorBytes*ln.u))
		t.left = &ir.Mem{Base: memory, Index: offset, Scale: 1}
		turn(j)
	})
	l.close(ctx, outer)
	l.f.Reg(j).Depth = l.depth()
	l.bind(s.Index, i)
	for k, r := range t.rows {
		r.to, r.stride, _ = ln.rowAt(l, r.buf, r.at)
		r.left = new(at(memory, t.apart*int64(k)))
	}
}

// turns are vector u of each of the turns.
func (r *row) turns(l *lowering, ln *lanes, u int) []ir.Reg {
	xs := make([]ir.Reg, ln.w)
	for t := range xs {
		if r.left == nil {
			xs[t] = r.vectors[t][u]
			continue
		}
		in := ir.Bare(ir.OpVLoad)
		in.W, in.D, in.IsMem, in.M = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), true, *r.left
		in.M.Disp += int32(vectorBytes * (ln.u*t + u))
		l.emit(in)
		xs[t] = in.D
	}
	return xs
}

// write emits the stores of the rows of the lanes that run.
func (r *row) write(l *lowering, ln *lanes) {
	m := r.to
	for u := range ln.u {
		end := l.label()
		for k, x := range l.transposed(r.turns(l, ln, u)) {
			if ln.mask(u) != ir.NoReg {
				l.cmpImm(ln.parts[u].n, int64(k))
				l.jcc(ir.CCLE, end)
			}
			l.storeVector(m, x)
			m.Disp += int32(r.stride)
		}
		l.mark(end)
	}
}

// transposed are vectors of the elements of eight vectors in each lane.
func (l *lowering) transposed(xs []ir.Reg) []ir.Reg {
	w := l.m.Width()
	pair := func(xs []ir.Reg, shuffle func(a, b ir.Reg) ir.Reg) (out []ir.Reg) {
		for i := 0; i < len(xs); i += 2 {
			out = append(out, shuffle(xs[i], xs[i+1]))
		}
		return out
	}
	even := func(a, b ir.Reg) ir.Reg { return l.vimm(ir.OpVPairs, w, a, b, 0x88) }
	odd := func(a, b ir.Reg) ir.Reg { return l.vimm(ir.OpVPairs, w, a, b, 0xdd) }
	out := make([]ir.Reg, len(xs))
	for k, op := range []ir.Opcode{ir.OpVUnpackLow, ir.OpVUnpack} {
		// Pair p of a vector is now of lane 2p + k.
		pairs := pair(xs, func(a, b ir.Reg) ir.Reg { return l.vop(op, w, a, b) })
		for p, first := range []func(a, b ir.Reg) ir.Reg{even, odd} {
			half := pair(pairs, first)
			out[2*p+k], out[2*p+4+k] = even(half[0], half[1]), odd(half[0], half[1])
		}
	}
	return out
}
