package jit

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Rows of lanes]
//
// A loop inside of lanes may write a row for each lane:
//
//	for i lanes { t = mul.i i 26; … for k < 26 { … ; y[t + k] = x } }
//
// The elements that a turn of the inner loop writes lie apart, and take an instruction that writes them one by one. But
// those that a lane writes in neighbouring turns lie side by side. So w turns run together, their vectors are transposed,
// and each lane's elements are written at once. Nothing in the loop reads what it writes, since it is parallel.

// row is the vectors that turns side by side write to the rows of the lanes, and where the first lane's elements are.
type row struct {
	buf     *value
	at      loop.Atom
	to      mem
	stride  int64   // in bytes, from one lane's elements to the next one's
	vectors [][]reg // of each turn
}

// inRows are the places in rows to which turns of a loop inside of lanes write, if they are to be lowered side by side:
// Note [Rows of lanes]. All places in a buffer differ by literals, so that either all of them are written later or none is.
func (ln *lanes) inRows(l *lowering, s *loop.For) map[loop.Atom]bool {
	const mostStatements = 96 // of the vectors of a turn
	n, ok := small(s.Count)
	if !ok || n < int64(ln.w) || !s.Parallel || len(s.Reds) > 0 || len(s.Body.Stmts)*ln.u > mostStatements || !l.m.avx512 {
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

// rowAt is where the first lane's element at an index is, and how far those of the lanes lie apart, if that is known.
func (ln *lanes) rowAt(l *lowering, buf *value, index loop.Atom) (to mem, stride int64, ok bool) {
	sum, c := l.split(index)
	var same []reg
	for _, a := range sum {
		if !ln.is(a) {
			same = append(same, l.atom(a))
			continue
		}
		def := l.defs.Get(a.(*loop.Var))
		if def == nil || def.Op != loop.MulI || def.Args[0] != loop.Atom(ln.s.Index) || stride != 0 {
			return mem{}, 0, false
		}
		n, isSmall := small(def.Args[1])
		if !isSmall || n < int64(ln.w) || n > 1<<16 {
			return mem{}, 0, false
		}
		stride = n
		same = append(same, l.hoist(hoistKey{op: opMul, a: ln.i, word: n}, func() reg { return l.imm(opMul, ln.i, n) }, ln.i))
	}
	if buf.lanes || stride == 0 {
		return mem{}, 0, false
	}
	return l.address(buf.r[0], same, c*8, 3), 8 * stride, true
}

// collectRow notes what a turn writes, for several to write; false if its place is not in a row.
func (ln *lanes) collectRow(l *lowering, buf *value, index, x loop.Atom) bool {
	if ln.places == nil || !ln.places[index] {
		return false
	}
	for _, r := range ln.rows {
		if r.buf == buf && r.at == index {
			r.vectors = append(r.vectors, ln.vectors(l, x))
			return true
		}
	}
	to, stride, ok := ln.rowAt(l, buf, index)
	if ok {
		ln.rows = append(ln.rows, &row{buf, index, to, stride, [][]reg{ln.vectors(l, x)}})
	}
	return ok
}

// rowsTogether lowers a loop whose turns run side by side, w of them, and then one by one.
func (ln *lanes) rowsTogether(l *lowering, s *loop.For, n reg, places map[loop.Atom]bool, turn func(i reg)) {
	i := l.move(noReg, l.constant(gpr, 8, 0))
	turns, size := int64(ln.w), strip(s.Body, ln.u)
	l.countedFrom(i, l.imm(opSub, n, turns-1), turns, max(1, size/turns), func(i reg) {
		ln.places = places
		ln.sideBySide(l, s, i, turns, turn)
		rows := ln.rows
		ln.places, ln.rows = nil, nil
		for _, r := range rows {
			r.write(l)
		}
	})
	l.countedFrom(i, n, 1, size, turn)
}

// write emits the stores of the rows of all lanes.
func (r *row) write(l *lowering) {
	m := r.to
	for u := range r.vectors[0] {
		xs := make([]reg, len(r.vectors))
		for t := range xs {
			xs[t] = r.vectors[t][u]
		}
		for _, x := range l.transposed(xs) {
			l.storeVector(m, x)
			m.disp += int32(r.stride)
		}
	}
}

// transposed are vectors of the elements of eight vectors in each lane.
func (l *lowering) transposed(xs []reg) []reg {
	w := l.m.width()
	pair := func(xs []reg, shuffle func(a, b reg) reg) (out []reg) {
		for i := 0; i < len(xs); i += 2 {
			out = append(out, shuffle(xs[i], xs[i+1]))
		}
		return out
	}
	even := func(a, b reg) reg { return l.vimm(opVPairs, w, a, b, 0x88) }
	odd := func(a, b reg) reg { return l.vimm(opVPairs, w, a, b, 0xdd) }
	out := make([]reg, len(xs))
	for k, op := range []opcode{opVUnpackLow, opVUnpack} {
		// Pair p of a vector is now of lane 2p + k.
		pairs := pair(xs, func(a, b reg) reg { return l.vop(op, w, a, b) })
		for p, first := range []func(a, b reg) reg{even, odd} {
			half := pair(pairs, first)
			out[2*p+k], out[2*p+4+k] = even(half[0], half[1]), odd(half[0], half[1])
		}
	}
	return out
}
