package wasm

import (
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Vectors]
//
// A loop with lanes (Note [Lanes] of package loop) runs in vectors of two doubles or integers: in u
// vectors side by side, then in single ones, and the turn that may be left by itself. What varies
// from lane to lane is u locals of type v128; a Boolean is all bits of its lane. A variable that is
// the index of the loop plus something shared is kept as its value in the first lane, so that loads
// and stores at it are those of neighbours.
//
// A buffer that is made in the body and varies has 2u elements for each of its own, side by side.
// One from outside that all lanes add to at the same index has two sums for each element, if the
// loop is outermost; they are added to it after the loop.

// lanes is a loop that runs in vectors, or the definition of an operation on vectors.
type lanes struct {
	u       int // vectors side by side
	varies  *loop.VarSet
	local   *loop.VarSet            // bound in the body
	first   map[*loop.Var]bool      // kept as the value in the first lane
	private map[*loop.Var]*loop.Var // the sums for buffers from outside
	summed  []*loop.Var             // those buffers
}

// width is the number of lanes, and shift the logarithm of the bytes that an element takes in all
// of them.
func (ln *lanes) width() int64 { return 2 * int64(ln.u) }

func (ln *lanes) shift() int64 { return 3 + int64(bits.TrailingZeros(uint(2*ln.u))) }

// vectorises tells whether a loop runs in vectors here.
func (w *writer) vectorises(s *loop.For) bool {
	if !s.Lanes || w.lane != nil || w.math != nil {
		return false
	}
	if n, ok := s.Count.(*loop.Const); ok && n.I < 2 {
		return false
	}
	varies, local, ok := loop.Vectorises(s, w.m.deterministic)
	loop.Walk(s.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Update:
			ok = ok && varies.Has(s.Var) == varies.Has(s.Buf) && local.Has(s.Buf)
		case *loop.Copy:
			ok = ok && varies.Has(s.Var) == (varies.Has(s.Buf) && local.Has(s.Buf))
		}
	})
	return ok
}

// laneLoops writes the turns of a loop that fill vectors, and sets from to the number of the first
// one that is left. The totals have their first values. It tells whether a turn may be left.
func (w *writer) laneLoops(s *loop.For, from, count local) bool {
	ln := &lanes{u: 2, varies: loop.Varying(s), local: loop.Local(s),
		first:   map[*loop.Var]bool{s.Index: true},
		private: map[*loop.Var]*loop.Var{}}
	if w.depth == 0 {
		ln.u = 4
		w.makeSums(ln, s.Body)
	}
	n, known := s.Count.(*loop.Const)
	if !known || n.I >= ln.width() {
		w.laneLoop(s, ln, from, count)
	}
	left := !known || n.I%ln.width() != 0
	if left && (!known || n.I%ln.width() > 1) {
		ln.u = 1
		w.laneLoop(s, ln, from, count)
		left = !known || n.I%2 != 0
	}
	w.addSums(ln)
	return left
}

func (w *writer) laneLoop(s *loop.For, ln *lanes, from, count local) {
	w.lane = ln
	t := &turns{index: s.Index, body: s.Body, step: ln.width(), mark: -1}
	for _, r := range s.Reds {
		total := loop.NewVar(r.Result.Name, r.Result.Kind)
		ln.varies.Add(total)
		w.value(loop.Neutral(r.Op), total)
		w.pop(w.bind(total), total)
		t.reds = append(t.reds, loop.Red{Op: r.Op, Result: total})
	}
	whole := w.fresh(i64)
	w.get(count)
	w.int64(-ln.width())
	w.emit(0x83) // i64.and
	w.set(whole)
	w.turns(t, from, whole)
	for i, r := range s.Reds {
		for lane := range int(ln.width()) {
			x := w.extracted(t.reds[i].Result, lane/2, lane%2)
			w.op(r.Op, []loop.Atom{r.Result, x})
			w.set(w.at[r.Result])
		}
	}
	w.lane = nil
}

// extracted is a lane of a vector as a variable that does not vary.
func (w *writer) extracted(a loop.Atom, k, lane int) *loop.Var {
	x := loop.NewVar("lane", a.AtomKind())
	w.vector(a, k)
	w.extract(x.Kind, lane)
	w.set(w.bind(x))
	return x
}

// makeSums makes the sums for the buffers from outside that all lanes add to at the same index.
func (w *writer) makeSums(ln *lanes, body *loop.Block) {
	alone := map[*loop.Var]bool{}
	var order []*loop.Var
	loop.Walk(body, func(s loop.Stmt) {
		a, ok := s.(*loop.Accum)
		if !ok || ln.local.Has(a.Buf) {
			return
		}
		at, isVar := a.At.(*loop.Var)
		if _, known := alone[a.Buf]; !known {
			alone[a.Buf] = true
			order = append(order, a.Buf)
		}
		alone[a.Buf] = alone[a.Buf] && !(isVar && ln.varies.Has(at))
	})
	for _, b := range order {
		if !alone[b] {
			continue
		}
		sums := loop.NewVar(b.Name, loop.F64s)
		w.get(w.at[b] + 1)
		w.int64(1)
		w.emit(0x86) // i64.shl
		w.make(w.bind(sums), 0)
		w.clear(w.at[sums], 0)
		ln.private[b] = sums
		ln.summed = append(ln.summed, b)
	}
}

// addSums adds the sums to their buffers.
func (w *writer) addSums(ln *lanes) {
	for _, b := range ln.summed {
		sums := ln.private[b]
		i, end, from := w.fresh(i32), w.fresh(i32), w.fresh(i32)
		w.get(w.at[b])
		w.set(i)
		w.get(w.at[b])
		w.size(w.at[b], 0)
		w.emit(0x6a)
		w.set(end)
		w.get(w.at[sums])
		w.set(from)
		w.emit(0x02, empty, 0x03, empty) // block, loop
		w.get(i)
		w.get(end)
		w.emit(0x4f, 0x0d, 1) // i32.ge_u, br_if out
		w.get(i)
		w.get(i)
		w.emit(0x2b, 3, 0)
		w.get(from)
		w.emit(0x2b, 3, 0)
		w.get(from)
		w.emit(0x2b, 3, 8, 0xa0, 0xa0, 0x39, 3, 0) // the two sums, added to the element
		step := func(l local, bytes int64) {
			w.get(l)
			w.int32(bytes)
			w.emit(0x6a)
			w.set(l)
		}
		step(i, 8)
		step(from, 16)
		w.emit(0x0c, 0, 0x0b, 0x0b)
	}
}

// varying tells whether an atom varies from lane to lane.
func (w *writer) varying(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	return ok && w.lane != nil && w.lane.varies.Has(v)
}

// vectorial tells whether a buffer has an element for each lane.
func (w *writer) vectorial(buf *loop.Var) bool { return w.varying(buf) && w.lane.local.Has(buf) }

// inLanes tells whether what is added to a buffer is added in lanes: unless the buffer is one of a
// turn that all lanes share.
func (w *writer) inLanes(buf *loop.Var) bool {
	return w.lane != nil && (w.lane.varies.Has(buf) || !w.lane.local.Has(buf))
}

// isFirst tells whether an atom is kept as its value in the first lane.
func (w *writer) isFirst(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	return ok && w.lane != nil && w.lane.first[v]
}

// letVector writes a Let whose variable varies.
func (w *writer) letVector(s *loop.Let) {
	if w.neighbours(s) {
		w.lane.first[s.Var] = true
		w.op(s.Op, s.Args)
		w.set(w.bind(s.Var))
		return
	}
	l := w.bind(s.Var)
	for k := range w.lane.u {
		w.vectorOp(s.Op, s.Args, k)
		w.set(l + local(k))
	}
}

// neighbours tells whether an operation moves the index of the lanes by something shared.
func (w *writer) neighbours(s *loop.Let) bool {
	if s.Op != loop.AddI && s.Op != loop.SubI {
		return false
	}
	a, b := s.Args[0], s.Args[1]
	return w.isFirst(a) && !w.varying(b) || s.Op == loop.AddI && w.isFirst(b) && !w.varying(a)
}

// loadVector writes a Load whose variable varies.
func (w *writer) loadVector(s *loop.Load) {
	l := w.bind(s.Var)
	for k := range w.lane.u {
		if w.together(s.Buf, s.At) {
			w.address(s.Buf, s.At)
			w.simd(0x00)
			w.offset(16 * k)
		} else {
			w.addressOf(s.Buf, s.At, k, 1)
			w.addressOf(s.Buf, s.At, k, 0)
			w.simd(0x0a) // v128.load64_splat
			w.offset(w.laneOffset(s.Buf, k, 0))
			w.simd(0x57) // v128.load64_lane
			w.offset(w.laneOffset(s.Buf, k, 1))
			w.emit(1)
		}
		w.set(l + local(k))
	}
}

// storeVector writes to a buffer that varies, or at an index that does.
func (w *writer) storeVector(buf *loop.Var, at, value loop.Atom) {
	for k := range w.lane.u {
		if w.together(buf, at) {
			w.address(buf, at)
			w.vector(value, k)
			w.simd(0x0b)
			w.offset(16 * k)
			continue
		}
		for lane := range 2 {
			w.addressOf(buf, at, k, lane)
			w.vector(value, k)
			w.simd(0x5b) // v128.store64_lane
			w.offset(w.laneOffset(buf, k, lane))
			w.emit(byte(lane))
		}
	}
}

// accumVector adds to a buffer in lanes.
func (w *writer) accumVector(s *loop.Accum) {
	sum := func() { // of all vectors
		w.vector(s.Value, 0)
		for k := 1; k < w.lane.u; k++ {
			w.vector(s.Value, k)
			w.simd(0xf0)
		}
	}
	switch sums := w.lane.private[s.Buf]; {
	case sums != nil:
		w.scaled(sums, s.At, 4)
		w.scaled(sums, s.At, 4)
		w.simd(0x00)
		w.offset(0)
		sum()
		w.simd(0xf0, 0x0b)
		w.offset(0)
	case !w.vectorial(s.Buf) && !w.varying(s.At): // one element for all lanes
		total := w.fresh(v128)
		sum()
		w.set(total)
		w.address(s.Buf, s.At)
		w.address(s.Buf, s.At)
		w.emit(0x2b, 3, 0)
		for lane := range 2 {
			w.get(total)
			w.extract(loop.F64, lane)
		}
		w.emit(0xa0, 0xa0, 0x39, 3, 0)
	case w.together(s.Buf, s.At):
		for k := range w.lane.u {
			w.address(s.Buf, s.At)
			w.address(s.Buf, s.At)
			w.simd(0x00)
			w.offset(16 * k)
			w.vector(s.Value, k)
			w.simd(0xf0, 0x0b)
			w.offset(16 * k)
		}
	default: // lanes may add to the same element
		for lane := range int(w.lane.width()) {
			k, lane := lane/2, lane%2
			at := w.laneOffset(s.Buf, k, lane)
			w.addressOf(s.Buf, s.At, k, lane)
			w.addressOf(s.Buf, s.At, k, lane)
			w.emit(0x2b)
			w.offset(at)
			w.vector(s.Value, k)
			w.extract(loop.F64, lane)
			w.emit(0xa0, 0x39)
			w.offset(at)
		}
	}
}

// together tells whether the elements of all lanes at an index lie side by side.
func (w *writer) together(buf *loop.Var, at loop.Atom) bool {
	if w.vectorial(buf) {
		return !w.varying(at)
	}
	return w.isFirst(at)
}

// addressOf pushes the address of the element of a lane, but for laneOffset.
func (w *writer) addressOf(buf *loop.Var, at loop.Atom, k, lane int) {
	w.get(w.at[buf])
	w.vector(at, k)
	w.extract(loop.I64, lane)
	w.emit(0xa7)
	w.int32(w.elementShift(buf))
	w.emit(0x74, 0x6a)
}

// laneOffset is where the element of a lane is among those of all lanes.
func (w *writer) laneOffset(buf *loop.Var, k, lane int) int {
	if w.vectorial(buf) {
		return 16*k + 8*lane
	}
	return 0
}

// elementShift is the logarithm of the bytes of an element, of all lanes if the buffer varies.
func (w *writer) elementShift(buf *loop.Var) int64 {
	if w.vectorial(buf) {
		return w.lane.shift()
	}
	return 3
}

// spread is the logarithm of the number of lanes that a buffer has elements for.
func (w *writer) spread(buf *loop.Var) int64 { return w.elementShift(buf) - 3 }

// offset ends an access to memory: it is aligned to 8 bytes, and so far behind the address.
func (w *writer) offset(bytes int) { w.emit(append([]byte{3}, leb(int64(bytes))...)...) }
