package jit

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// maxElements bounds the length of a buffer, so that its size in bytes cannot overflow.
const maxElements = 1 << 40

// scale is the logarithm of the bytes that an element of a buffer takes.
func (l *lowering) scale(lanes bool) int64 {
	if !lanes {
		return 3
	}
	log := int64(3)
	for n := l.lane.u * l.lane.w; n > 1; n /= 2 {
		log++
	}
	return log
}

// bytes is the size of a buffer, rounded up to 64.
func (l *lowering) bytes(n reg, lanes bool) reg {
	size := l.imm(opShl, n, l.scale(lanes))
	return l.imm(opAnd, l.imm(opAdd, size, 63), -64)
}

func (l *lowering) alloc(s *loop.Alloc) {
	lanes := l.lane != nil && l.lane.varies.Has(s.Var)
	n := l.atom(s.Len)
	v := l.given.Get(s.Var) // alternating states have a place already
	if v == nil {
		p := noReg
		if offset, ok := l.places[s.Var]; ok {
			p = l.placed(n, offset)
		} else {
			p = l.take(n, lanes)
		}
		v = l.buffer(p, n, lanes)
	}
	l.vals.Set(s.Var, v)
	if s.Zero {
		l.zero(v.r[0], l.bytes(n, lanes))
	}
}

// Note [Places]
//
// A result that the caller has a place for is written there from the start, and not copied. Where a
// result will lie in the frame, there is the address and the capacity of its place before: the code
// takes the place instead of memory of the arena if it is large enough. The capacity is a multiple
// of 64 bytes, as the sizes of buffers are. There is none if an argument lies at the place.

// findPlaces notes which buffers of the entry have places: those that it makes itself and gives
// once.
func (l *lowering) findPlaces(f *loop.Func) {
	l.places = map[*loop.Var]int32{}
	for _, s := range f.Body.Stmts {
		a, ok := s.(*loop.Alloc)
		if !ok || !once(f.Body.Yield, a.Var) {
			continue
		}
		l.places[a.Var] = l.sig.results[slices.Index(f.Body.Yield, loop.Atom(a.Var))]
	}
}

// placed takes a place for n elements, or memory of the arena.
func (l *lowering) placed(n reg, offset int32) reg {
	p, none, end := l.newReg(gpr, 8), l.label(), l.label()
	l.cmp(n, l.load(at(frameBase, int64(offset)+8)))
	l.jcc(ccA, none) // a negative n is large too
	l.move(p, l.load(at(frameBase, int64(offset))))
	l.jump(end)
	l.mark(none)
	l.move(p, l.take(n, false))
	l.mark(end)
	return p
}

// take allocates n elements from the arena.
func (l *lowering) take(n reg, lanes bool) reg {
	if v := l.f.reg(n); v.home != homeConst || v.word < 0 || v.word > maxElements {
		l.cmp(n, l.constant(gpr, 8, maxElements))
		l.jcc(ccA, l.exit(statusCheck)) // negative ones are large too
	}
	return l.takeBytes(l.bytes(n, lanes))
}

func (l *lowering) takeBytes(size reg) reg {
	p := l.load(ctxMem(ctxBump))
	l.store(ctxMem(ctxNeed), size)
	top := l.two(opAdd, p, size)
	limit := none(opCmp)
	limit.a, limit.isMem, limit.m = top, true, ctxMem(ctxLimit)
	l.emit(limit)
	l.jcc(ccA, l.exit(statusArena))
	l.store(ctxMem(ctxBump), top)
	return p
}

func at(base reg, disp int64) mem { return mem{base: base, index: noReg, scale: 1, disp: int32(disp)} }

// chunked emits a loop over the 64-byte pieces of size bytes, a multiple of 64, with a poll now and
// then.
func (l *lowering) chunked(size reg, piece func(offset reg)) {
	l.counted(size, 0, 64, 256, func(i reg) { piece(i) })
}

func (l *lowering) zero(p, size reg) {
	w := l.m.width()
	z := l.constant(vec, w, 0)
	l.chunked(size, func(i reg) {
		for k := int64(0); k < 64; k += int64(w) {
			in := none(opVStore)
			in.w, in.a, in.isMem, in.m = w, z, true, mem{base: p, index: i, scale: 1, disp: int32(k)}
			l.emit(in)
		}
	})
}

// move64 copies a multiple of 64 bytes upwards from the start: the destination may overlap what
// lies below the source.
func (l *lowering) move64(to, from, size reg) {
	w := l.m.width()
	l.chunked(size, func(i reg) {
		var parts []reg
		for k := int64(0); k < 64; k += int64(w) {
			in := none(opVLoad)
			in.w, in.d, in.isMem, in.m = w, l.newReg(vec, w), true, mem{base: from, index: i, scale: 1, disp: int32(k)}
			l.emit(in)
			parts = append(parts, in.d)
		}
		for k, r := range parts {
			in := none(opVStore)
			in.w, in.a, in.isMem, in.m = w, r, true, mem{base: to, index: i, scale: 1, disp: int32(k) * int32(w)}
			l.emit(in)
		}
	})
}

func (l *lowering) copyBuffer(s *loop.Copy) {
	from := l.vals.Get(s.Buf)
	p := l.take(from.n, from.lanes)
	l.vals.Set(s.Var, l.buffer(p, from.n, from.lanes))
	if from.lanes {
		l.move64(p, from.r[0], l.bytes(from.n, true))
		return
	}
	// A buffer that is a parameter cannot be read beyond its end.
	w := l.m.width()
	whole := l.imm(opAnd, from.n, -int64(w/8))
	i := l.move(noReg, l.constant(gpr, 8, 0))
	l.countedFrom(i, whole, int64(w/8), 1024, func(i reg) { l.copyElements(p, from.r[0], i, w) })
	l.countedFrom(i, from.n, 1, 1024, func(i reg) { l.copyElements(p, from.r[0], i, 8) })
}

func (l *lowering) copyElements(to, from, i reg, w uint8) {
	in := none(opVLoad)
	in.w, in.d, in.isMem, in.m = w, l.newReg(vec, w), true, mem{base: from, index: i, scale: 8}
	l.emit(in)
	st := none(opVStore)
	st.w, st.a, st.isMem, st.m = w, in.d, true, mem{base: to, index: i, scale: 8}
	l.emit(st)
}

// evacuate moves buffers that were made since the arena stood at mark down to it, and releases all
// else. The values given are where they are then; a buffer from before mark stays where it is.
func (l *lowering) evacuate(mark reg, bufs []*value) []*value {
	if len(bufs) == 0 {
		l.store(ctxMem(ctxBump), mark)
		return nil
	}
	// First a copy of each above everything, in order; then all of them down.
	top := l.load(ctxMem(ctxBump))
	moved, out := make([]reg, len(bufs)), make([]*value, len(bufs))
	for i, b := range bufs {
		old, past := l.label(), l.label()
		moved[i] = l.newReg(gpr, 8)
		out[i] = l.buffer(moved[i], b.n, b.lanes)
		l.cmp(b.r[0], mark)
		l.jcc(ccB, old)
		size := l.bytes(b.n, b.lanes)
		p := l.takeBytes(size)
		l.move64(p, b.r[0], size)
		l.move(moved[i], l.two(opAdd, l.two(opSub, p, top), mark))
		l.jump(past)
		l.mark(old)
		l.move(moved[i], b.r[0])
		l.mark(past)
	}
	end := l.load(ctxMem(ctxBump))
	size := l.two(opSub, end, top)
	l.move64(mark, top, size)
	l.store(ctxMem(ctxBump), l.two(opAdd, mark, size))
	return out
}

// terms splits an index into summands and a constant.
func (l *lowering) terms(a loop.Atom, sign int64, depth int, constant *int64, out *[]loop.Atom) bool {
	if c, ok := a.(*loop.Const); ok {
		*constant += sign * c.I
		return true
	}
	if def := l.defs.Get(a.(*loop.Var)); def != nil && depth < 6 {
		switch def.Op {
		case loop.AddI:
			if sign > 0 {
				return l.terms(def.Args[0], sign, depth+1, constant, out) && l.terms(def.Args[1], sign, depth+1, constant, out)
			}
		case loop.SubI:
			if c, ok := def.Args[1].(*loop.Const); ok {
				*constant -= sign * c.I
				return l.terms(def.Args[0], sign, depth+1, constant, out)
			}
		}
	}
	if sign < 0 {
		return false
	}
	*out = append(*out, a)
	return true
}

// split gives the summands of an index and its constant, if that fits a displacement.
func (l *lowering) split(a loop.Atom) ([]loop.Atom, int64) {
	var c int64
	sum := &l.room.sum
	if *sum = (*sum)[:0]; !l.terms(a, 1, 0, &c, sum) || c <= -1<<20 || c >= 1<<20 {
		*sum, c = append((*sum)[:0], a), 0
	}
	out := l.room.atoms.take(len(*sum))
	copy(out, *sum)
	return out, c
}

// address addresses element at of a buffer, where the summands do not vary from lane to lane. The
// sum of the summands that are known outside of the loop is part of the base.
func (l *lowering) address(p reg, sum []reg, disp, log int64) mem {
	if len(sum) == 0 {
		return at(p, disp)
	}
	inner := 0 // the summand that changes most often
	for i, r := range sum {
		if l.f.reg(r).depth >= l.f.reg(sum[inner]).depth {
			inner = i
		}
	}
	base := p
	for i, r := range sum {
		if i != inner {
			base = l.derived(base, r, log)
		}
	}
	r := sum[inner]
	if log == 3 {
		return mem{base: base, index: r, scale: 8, disp: int32(disp)}
	}
	key := hoistKey{op: opShl, a: r, word: log}
	scaled, ok := l.scaled[key]
	if !ok {
		scaled = l.hoist(key, func() reg { return l.imm(opShl, r, log) }, r)
		if l.scaled != nil {
			l.scaled[key] = scaled
		}
	}
	return mem{base: base, index: scaled, scale: 1, disp: int32(disp)}
}

// derived is the address p + (r << log), computed as far outside as possible.
func (l *lowering) derived(p, r reg, log int64) reg {
	return l.hoist(hoistKey{op: opLea, a: p, b: r, word: log}, func() reg {
		in := none(opLea)
		in.isMem, in.m = true, mem{base: p, index: r, scale: 8}
		if log != 3 {
			in.m.index, in.m.scale = l.imm(opShl, r, log), 1
		}
		in.d = l.newReg(gpr, 8)
		l.emit(in)
		return in.d
	}, p, r)
}

// uniform addresses an element at an index that does not vary.
func (l *lowering) uniform(buf *value, index loop.Atom) mem {
	sum, c := l.split(index)
	regs := l.room.regs.take(len(sum))
	for i, a := range sum {
		regs[i] = l.atom(a)
	}
	log := l.scale(buf.lanes)
	return l.address(buf.r[0], regs, c<<log, log)
}

// read loads an element.
func (l *lowering) read(b *loop.Var, index loop.Atom, k loop.Kind) *value {
	buf := l.vals.Get(b)
	if l.lane != nil && (buf.lanes || l.lane.is(index)) {
		return l.lane.read(l, buf, index)
	}
	m := l.uniform(buf, index)
	if k == loop.F64 {
		r := l.loadReal(m)
		if l.lane != nil { // if it is to be a vector, it is read as one
			in := none(opVBroadcast)
			in.w, in.d, in.isMem, in.m = l.m.width(), l.newReg(vec, l.m.width()), true, m
			l.emit(in)
			l.f.reg(r).word = int64(in.d)
		}
		return l.scalar(r)
	}
	return l.scalar(l.load(m))
}

func (l *lowering) loadReal(m mem) reg {
	in := none(opVLoad)
	in.d, in.isMem, in.m = l.newReg(vec, 8), true, m
	l.emit(in)
	return in.d
}

// write stores an element.
func (l *lowering) write(b *loop.Var, index, x loop.Atom) {
	buf := l.vals.Get(b)
	if l.lane != nil && (buf.lanes || l.lane.is(index)) {
		l.lane.write(l, buf, index, x)
		return
	}
	l.storeAtom(l.uniform(buf, index), x)
}

// storeAtom stores a scalar that does not vary from lane to lane.
func (l *lowering) storeAtom(m mem, x loop.Atom) {
	in := none(opStore)
	in.isMem, in.m = true, m
	if n, ok := small(x); ok {
		in.isImm, in.imm = true, n
	} else {
		in.a = l.atom(x)
		if l.f.reg(in.a).class == vec {
			in.op = opVStore
		}
	}
	l.emit(in)
}

func (l *lowering) accum(s *loop.Accum) {
	buf := l.vals.Get(s.Buf)
	if l.lane != nil && (buf.lanes || l.lane.is(s.At) || l.lane.is(s.Value) || l.lane.outer(s.Buf)) {
		l.lane.accum(l, s, buf)
		return
	}
	m := l.uniform(buf, s.At)
	old := l.loadReal(m)
	var sum reg
	if p, ok := l.product(s.Value, 0, false); ok {
		sum = l.plus(8, old, p)
	} else {
		sum = l.vop(opVAdd, 8, old, l.atom(s.Value))
	}
	in := none(opVStore)
	in.a, in.isMem, in.m = sum, true, m
	l.emit(in)
}
