package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// MaxElements bounds the length of a buffer, so that its size in bytes cannot overflow.
const MaxElements = 1 << 40

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
func (l *lowering) bytes(n ir.Reg, lanes bool) ir.Reg {
	size := l.imm(ir.OpShl, n, l.scale(lanes))
	return l.imm(ir.OpAnd, l.imm(ir.OpAdd, size, 63), -64)
}

func (l *lowering) alloc(s *loop.Alloc) {
	lanes := l.lane != nil && l.lane.varies.Has(s.Var)
	n := l.atom(s.Len)
	v := l.given.Get(s.Var) // alternating states have a place already
	if v == nil {
		p := ir.NoReg
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
		l.places[a.Var] = l.sig.Results[slices.Index(f.Body.Yield, loop.Atom(a.Var))]
	}
}

// placed takes a place for n elements, or memory of the arena.
func (l *lowering) placed(n ir.Reg, offset int32) ir.Reg {
	p, none, end := l.newReg(ir.GPR, 8), l.label(), l.label()
	l.cmp(n, l.load(at(ir.FrameBase, int64(offset)+8)))
	l.jcc(ir.CCA, none) // a negative n is large too
	l.move(p, l.load(at(ir.FrameBase, int64(offset))))
	l.jump(end)
	l.mark(none)
	l.move(p, l.take(n, false))
	l.mark(end)
	return p
}

// take allocates n elements from the arena.
func (l *lowering) take(n ir.Reg, lanes bool) ir.Reg {
	if v := l.f.Reg(n); v.Home != ir.HomeConst || v.Word < 0 || v.Word > MaxElements {
		l.cmp(n, l.constant(ir.GPR, 8, MaxElements))
		l.jcc(ir.CCA, l.exit(ir.StatusCheck)) // negative ones are large too
	}
	return l.takeBytes(l.bytes(n, lanes))
}

func (l *lowering) takeBytes(size ir.Reg) ir.Reg {
	p := l.load(ir.CtxMem(ir.CtxBump))
	l.store(ir.CtxMem(ir.CtxNeed), size)
	top := l.two(ir.OpAdd, p, size)
	limit := ir.Bare(ir.OpCmp)
	limit.A, limit.IsMem, limit.M = top, true, ir.CtxMem(ir.CtxLimit)
	l.emit(limit)
	l.jcc(ir.CCA, l.exit(ir.StatusArena))
	l.store(ir.CtxMem(ir.CtxBump), top)
	return p
}

func at(base ir.Reg, disp int64) ir.Mem {
	return ir.Mem{Base: base, Index: ir.NoReg, Scale: 1, Disp: int32(disp)}
}

// chunked emits a loop over the 64-byte pieces of size bytes, a multiple of 64, with a poll now and
// then.
func (l *lowering) chunked(size ir.Reg, piece func(offset ir.Reg)) {
	l.counted(size, 0, 64, 256, func(i ir.Reg) { piece(i) })
}

func (l *lowering) zero(p, size ir.Reg) {
	w := l.m.Width()
	z := l.constant(ir.Vec, w, 0)
	l.chunked(size, func(i ir.Reg) {
		for k := int64(0); k < 64; k += int64(w) {
			in := ir.Bare(ir.OpVStore)
			in.W, in.A, in.IsMem, in.M = w, z, true, ir.Mem{Base: p, Index: i, Scale: 1, Disp: int32(k)}
			l.emit(in)
		}
	})
}

// move64 copies a multiple of 64 bytes upwards from the start: the destination may overlap what
// lies below the source.
func (l *lowering) move64(to, from, size ir.Reg) {
	w := l.m.Width()
	l.chunked(size, func(i ir.Reg) {
		var parts []ir.Reg
		for k := int64(0); k < 64; k += int64(w) {
			in := ir.Bare(ir.OpVLoad)
			in.W, in.D, in.IsMem, in.M = w, l.newReg(ir.Vec, w), true, ir.Mem{Base: from, Index: i, Scale: 1, Disp: int32(k)}
			l.emit(in)
			parts = append(parts, in.D)
		}
		for k, r := range parts {
			in := ir.Bare(ir.OpVStore)
			in.W, in.A, in.IsMem, in.M = w, r, true, ir.Mem{Base: to, Index: i, Scale: 1, Disp: int32(k) * int32(w)}
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
	w := l.m.Width()
	whole := l.imm(ir.OpAnd, from.n, -int64(w/8))
	i := l.move(ir.NoReg, l.constant(ir.GPR, 8, 0))
	l.countedFrom(i, whole, int64(w/8), 1024, func(i ir.Reg) { l.copyElements(p, from.r[0], i, w) })
	l.countedFrom(i, from.n, 1, 1024, func(i ir.Reg) { l.copyElements(p, from.r[0], i, 8) })
}

func (l *lowering) copyElements(to, from, i ir.Reg, w uint8) {
	in := ir.Bare(ir.OpVLoad)
	in.W, in.D, in.IsMem, in.M = w, l.newReg(ir.Vec, w), true, ir.Mem{Base: from, Index: i, Scale: 8}
	l.emit(in)
	st := ir.Bare(ir.OpVStore)
	st.W, st.A, st.IsMem, st.M = w, in.D, true, ir.Mem{Base: to, Index: i, Scale: 8}
	l.emit(st)
}

// evacuate moves buffers that were made since the arena stood at mark down to it, and releases all
// else. The values given are where they are then; a buffer from before mark stays where it is.
func (l *lowering) evacuate(mark ir.Reg, bufs []*value) []*value {
	if len(bufs) == 0 {
		l.store(ir.CtxMem(ir.CtxBump), mark)
		return nil
	}
	// First a copy of each above everything, in order; then all of them down.
	top := l.load(ir.CtxMem(ir.CtxBump))
	moved, out := make([]ir.Reg, len(bufs)), make([]*value, len(bufs))
	for i, b := range bufs {
		old, past := l.label(), l.label()
		moved[i] = l.newReg(ir.GPR, 8)
		out[i] = l.buffer(moved[i], b.n, b.lanes)
		l.cmp(b.r[0], mark)
		l.jcc(ir.CCB, old)
		size := l.bytes(b.n, b.lanes)
		p := l.takeBytes(size)
		l.move64(p, b.r[0], size)
		l.move(moved[i], l.two(ir.OpAdd, l.two(ir.OpSub, p, top), mark))
		l.jump(past)
		l.mark(old)
		l.move(moved[i], b.r[0])
		l.mark(past)
	}
	end := l.load(ir.CtxMem(ir.CtxBump))
	size := l.two(ir.OpSub, end, top)
	l.move64(mark, top, size)
	l.store(ir.CtxMem(ir.CtxBump), l.two(ir.OpAdd, mark, size))
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
func (l *lowering) address(p ir.Reg, sum []ir.Reg, disp, log int64) ir.Mem {
	if len(sum) == 0 {
		return at(p, disp)
	}
	inner := 0 // the summand that changes most often
	for i, r := range sum {
		if l.f.Reg(r).Depth >= l.f.Reg(sum[inner]).Depth {
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
		return ir.Mem{Base: base, Index: r, Scale: 8, Disp: int32(disp)}
	}
	key := hoistKey{op: ir.OpShl, a: r, word: log}
	scaled, ok := l.scaled[key]
	if !ok {
		scaled = l.hoist(key, func() ir.Reg { return l.imm(ir.OpShl, r, log) }, r)
		if l.scaled != nil {
			l.scaled[key] = scaled
		}
	}
	return ir.Mem{Base: base, Index: scaled, Scale: 1, Disp: int32(disp)}
}

// derived is the address p + (r << log), computed as far outside as possible.
func (l *lowering) derived(p, r ir.Reg, log int64) ir.Reg {
	return l.hoist(hoistKey{op: ir.OpLea, a: p, b: r, word: log}, func() ir.Reg {
		in := ir.Bare(ir.OpLea)
		in.IsMem, in.M = true, ir.Mem{Base: p, Index: r, Scale: 8}
		if log != 3 {
			in.M.Index, in.M.Scale = l.imm(ir.OpShl, r, log), 1
		}
		in.D = l.newReg(ir.GPR, 8)
		l.emit(in)
		return in.D
	}, p, r)
}

// uniform addresses an element at an index that does not vary.
func (l *lowering) uniform(buf *value, index loop.Atom) ir.Mem {
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
			in := ir.Bare(ir.OpVBroadcast)
			in.W, in.D, in.IsMem, in.M = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), true, m
			l.emit(in)
			l.f.Reg(r).Word = int64(in.D)
		}
		return l.scalar(r)
	}
	return l.scalar(l.load(m))
}

func (l *lowering) loadReal(m ir.Mem) ir.Reg {
	in := ir.Bare(ir.OpVLoad)
	in.D, in.IsMem, in.M = l.newReg(ir.Vec, 8), true, m
	l.emit(in)
	return in.D
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
func (l *lowering) storeAtom(m ir.Mem, x loop.Atom) {
	in := ir.Bare(ir.OpStore)
	in.IsMem, in.M = true, m
	if n, ok := small(x); ok {
		in.IsImm, in.Imm = true, n
	} else {
		in.A = l.atom(x)
		if l.f.Reg(in.A).Class == ir.Vec {
			in.Op = ir.OpVStore
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
	var sum ir.Reg
	if p, ok := l.product(s.Value, 0, false); ok {
		sum = l.plus(8, old, p)
	} else {
		sum = l.vop(ir.OpVAdd, 8, old, l.atom(s.Value))
	}
	in := ir.Bare(ir.OpVStore)
	in.A, in.IsMem, in.M = sum, true, m
	l.emit(in)
}
