package jit

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Lanes of the machine]
//
// A loop with lanes runs w turns in the elements of a vector, and u such vectors side by side, so that the machine has
// independent work. Two loops do this one after the other: one of u·w turns, and one of w turns under a mask. Each is the
// body lowered again, with another u and mask. A loop of few turns, whose number is
// known, is one turn of as many vectors as it needs, under masks: so the lanes share what does not vary. With two
// vectors side by side what is left after the first loop runs at once: as two vectors, the second under a mask, or as one.
//
// A total is u vectors, whose elements are combined after the loop. A buffer that turns add to at an index that they
// share has w accumulators for each element, if the loop is outermost and the buffer is not too long for them to stay in
// the cache; else the elements of the vectors are summed on the spot. Sums for neighbouring elements are made together:
// Note [Sums of lanes].

// lanes is a loop that runs in vectors.
type lanes struct {
	s       *loop.For
	w, u    int
	varies  *loop.VarSet
	local   *loop.VarSet // bound in the body
	i       reg          // the index of the first lane
	parts   []part       // of each vector the lanes that run, nil for all
	private map[*loop.Var]accumulators
	spread  map[reg]reg // scalars that were read from memory, as vectors
	here    map[reg]reg // scalars that the statement being lowered has repeated in all lanes
	sums    []*addends  // what the turns that are lowered side by side add; nil if there are none
}

// accumulators are those of a buffer from outside: where they are, and whether there are none since the buffer is long.
type accumulators struct{ at, none reg }

// longBuffer is the length from which on a buffer has no accumulators.
const longBuffer = 1 << 15

func (o *Options) longest() int64 {
	if o.long > 0 {
		return o.long
	}
	return longBuffer
}

// part is the lanes of a vector that run: a mask, noReg for all, and their number.
type part struct{ mask, n reg }

// mostVectors bounds the vectors side by side.
const mostVectors = 4

// jam is the number of vectors side by side: more for less work, and two in a sequence of turns, each of which waits
// for the one before, or around one whose turns have much to do. Much work around other loops is done for one: more
// would not stay in registers.
func (m *machine) jam(b *loop.Block, sequence bool) int {
	n, inner := 0, false
	loop.Walk(b, func(s loop.Stmt) {
		n++
		switch s := s.(type) {
		case *loop.For:
			inner, sequence = true, sequence || len(s.States) > 0 && len(s.Body.Stmts) > longTurn
		case *loop.While, *loop.Alloc:
			inner = true
		}
	})
	switch {
	case inner && !sequence && n > longBody:
		return 1
	case inner && !sequence && m.avx512:
		return 4
	case inner || sequence:
		return 2
	case n <= 12:
		return 4
	case n <= 80:
		return 2
	}
	return 1
}

// longBody is the statements of a body that has work enough for the machine, and too much for its registers.
const longBody = 160

// longTurn is the statements of a turn that keeps the machine busy while it waits for the one before.
const longTurn = 16

func (l *lowering) width() int {
	if l.lane == nil {
		return 1
	}
	return l.lane.u
}

func (l *lowering) laneLoop(s *loop.For) {
	ln := &lanes{s: s, w: int(l.m.width() / 8), u: l.m.jam(s.Body, l.sequence > 0), varies: loop.Varying(s), local: loop.Local(s),
		private: map[*loop.Var]accumulators{}, spread: map[reg]reg{}, here: map[reg]reg{}}
	n := l.atom(s.Count)
	few := int64(0) // the turns, if they are one of some vectors
	if c := l.f.reg(n); c.home == homeConst && c.word <= int64(mostVectors*ln.w) {
		few, ln.u = max(c.word, 0), 1
		for int64(ln.u*ln.w) < few {
			ln.u *= 2
		}
	}
	inits := make([]reg, len(s.Reds))
	for k, r := range s.Reds {
		inits[k] = l.atom(r.Init)
	}
	if l.depth() == 0 {
		ln.accumulators(l)
	}
	l.lane = ln
	totals := make([]*value, len(s.Reds))
	for k, r := range s.Reds {
		totals[k] = &value{n: noReg}
		for range ln.u {
			totals[k].r = append(totals[k].r, l.move(noReg, ln.vectors(l, loop.Neutral(r.Op))[0]))
		}
	}
	st := l.enterStates(nil, s.Body)
	ln.i = l.move(noReg, l.constant(gpr, 8, 0))
	if few > 0 {
		for k := range int64(ln.u) {
			ln.parts = append(ln.parts, ln.known(l, min(max(few-k*int64(ln.w), 0), int64(ln.w))))
		}
		ln.turn(l, st, totals)
	} else {
		ln.turns(l, n, st, totals)
	}
	ln.parts = nil
	for k, r := range s.Reds {
		sum := totals[k].r[0]
		for _, r2 := range totals[k].r[1:] {
			sum = l.vectorOp(r.Op, l.m.width(), []reg{sum, r2})
		}
		l.bind(r.Result, l.scalarOp(r.Op, []reg{inits[k], ln.combine(l, r.Op, sum)}, nil))
	}
	l.lane = nil
	ln.release(l)
}

// turns lowers a loop of as many vectors as there are side by side, and then what is left.
func (ln *lanes) turns(l *lowering, n reg, st *loopStates, totals []*value) {
	turns := int64(ln.u * ln.w)
	l.countedFrom(ln.i, l.imm(opSub, n, turns-1), turns, strip(ln.s.Body, ln.u), func(reg) { ln.turn(l, st, totals) })
	full := l.constant(gpr, 8, int64(ln.w))
	if ln.u != 2 {
		ln.u = 1
		l.countedFrom(ln.i, n, int64(ln.w), 1, func(reg) {
			rest := l.two(opSub, n, ln.i)
			l.cmp(rest, full)
			rest = l.cmov(ccL, rest, full)
			ln.parts = []part{{ln.first(l, rest), rest}}
			ln.turn(l, st, totals)
		})
		return
	}
	end, few := l.label(), l.label()
	l.cmp(ln.i, n)
	l.jcc(ccGE, end)
	rest := l.two(opSub, n, ln.i)
	second := l.imm(opSub, rest, int64(ln.w))
	l.cmpImm(second, 0)
	l.jcc(ccLE, few)
	ln.parts = []part{{noReg, full}, {ln.first(l, second), second}}
	ln.turn(l, st, totals)
	l.jump(end)
	l.mark(few)
	ln.u, ln.parts = 1, []part{{ln.first(l, rest), rest}}
	ln.turn(l, st, totals)
	l.mark(end)
}

// known is the part of the first n lanes, a constant.
func (ln *lanes) known(l *lowering, n int64) part {
	count := l.constant(gpr, 8, n)
	switch {
	case n == int64(ln.w):
		return part{noReg, count}
	case l.m.avx512:
		return part{l.constant(mask, 8, 1<<n-1), count}
	}
	return part{ln.first(l, count), count}
}

// mask is the mask of a vector, noReg if all of its lanes run.
func (ln *lanes) mask(u int) reg {
	if ln.parts == nil {
		return noReg
	}
	return ln.parts[u].mask
}

// turn lowers the body for the vectors from index i.
func (ln *lanes) turn(l *lowering, st *loopStates, totals []*value) {
	l.apart()
	base := ln.broadcast(l, ln.i, loop.I64)
	iota := none(opVLoad)
	iota.w, iota.d, iota.isMem, iota.m = l.m.width(), l.newReg(vec, l.m.width()), true, ctxMem(ctxIota)
	l.emit(iota)
	index := &value{n: noReg}
	for u := range ln.u {
		r := l.vop(opVAddI, l.m.width(), base, iota.d)
		if u > 0 {
			r = l.vop(opVAddI, l.m.width(), r, l.constant(vec, l.m.width(), int64(u*ln.w)))
		}
		index.r = append(index.r, r)
	}
	l.vals.Set(ln.s.Index, index)
	l.turn(st, ln.s.Body, func() {
		for k, r := range ln.s.Reds {
			t := &value{r: totals[k].r[:ln.u], n: noReg}
			if ln.parts == nil {
				l.total(t, r.Op, ln.s.Body.Yield[k])
				continue
			}
			for u, x := range ln.vectors(l, ln.s.Body.Yield[k]) {
				in := none(opCarry)
				in.d, in.a = t.r[u], l.vectorOp(r.Op, l.m.width(), []reg{t.r[u], ln.masked(l, u, x, r.Op)})
				l.emit(in)
			}
		}
	})
}

// masked is x, of vector u, where a lane runs, and the neutral element of an operation elsewhere.
func (ln *lanes) masked(l *lowering, u int, x reg, op *loop.Op) reg {
	m := ln.mask(u)
	if m == noReg {
		return x
	}
	other := ln.vectors(l, loop.Neutral(op))[0]
	if op.Result == loop.Bool {
		return l.selectMask(m, x, other)
	}
	return l.blend(l.m.width(), m, x, other)
}

// is tells whether an atom varies from lane to lane.
func (ln *lanes) is(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	return ok && ln.varies.Has(v)
}

func (ln *lanes) outer(b *loop.Var) bool { return !ln.local.Has(b) }

func (ln *lanes) isVector(l *lowering, r reg) bool {
	v := l.f.reg(r)
	return v.class == mask || v.w > 8
}

func (ln *lanes) newVector(l *lowering, k loop.Kind) reg {
	if k == loop.Bool {
		return l.newMask(l.m.width())
	}
	return l.newReg(vec, l.m.width())
}

// vectors gives the vectors of an atom; one that does not vary is repeated in all lanes.
func (ln *lanes) vectors(l *lowering, a loop.Atom) []reg {
	if ln.is(a) {
		return l.vals.Get(a.(*loop.Var)).r
	}
	var r reg
	w := l.m.width()
	if c, ok := a.(*loop.Const); ok {
		switch {
		case c.Kind != loop.Bool:
			r = l.constant(vec, w, int64(c.Word()))
		case l.m.avx512:
			r = l.constant(mask, 8, -c.I&0xff)
		default:
			r = l.constant(vec, w, -c.I)
		}
	} else {
		r = ln.broadcast(l, l.atom(a), a.AtomKind())
	}
	out := make([]reg, ln.u)
	for u := range out {
		out[u] = r
	}
	return out
}

// broadcast repeats a scalar in all lanes, as far outside as possible.
func (ln *lanes) broadcast(l *lowering, r reg, k loop.Kind) reg {
	w := l.m.width()
	if v, ok := ln.spread[r]; ok {
		return v
	}
	if v, ok := ln.here[r]; ok {
		return v
	}
	v := l.hoist(hoistKey{op: opVBroadcast, a: r, b: reg(k), w: w}, func() reg {
		switch k {
		case loop.I64:
			return l.vone(opVBroadcast, w, l.vone(opVFromG, 8, r))
		case loop.Bool:
			neg := l.two(opNeg, r, noReg)
			if l.m.avx512 {
				in := none(opKFromG)
				in.d, in.a = l.newReg(mask, 8), l.imm(opAnd, neg, 0xff)
				l.emit(in)
				return in.d
			}
			return l.vone(opVBroadcast, w, l.vone(opVFromG, 8, neg))
		}
		return l.vone(opVBroadcast, w, r)
	}, r)
	ln.here[r] = v
	return v
}

// first is the mask of the first n lanes.
func (ln *lanes) first(l *lowering, n reg) reg {
	if l.m.avx512 {
		in := none(opKFromG)
		in.d, in.a = l.newReg(mask, 8), l.imm(opSub, l.two(opShl, l.constant(gpr, 8, 1), n), 1)
		l.emit(in)
		return in.d
	}
	iota := none(opVLoad)
	iota.w, iota.d, iota.isMem, iota.m = l.m.width(), l.newReg(vec, l.m.width()), true, ctxMem(ctxIota)
	l.emit(iota)
	return l.vop(opVGtI, l.m.width(), ln.broadcast(l, n, loop.I64), iota.d)
}

func (ln *lanes) let(l *lowering, s *loop.Let) {
	out := &value{n: noReg}
	w := l.m.width()
	for u := range ln.u {
		if r, ok := l.contract(s, w, u, true); ok {
			out.r = append(out.r, r)
			continue
		}
		if n, ok := small(lastOf(s.Args)); ok {
			if r, ok := l.shiftVector(s.Op, w, ln.vectors(l, s.Args[0])[u], n&63); ok {
				out.r = append(out.r, r)
				continue
			}
		}
		args := make([]reg, len(s.Args))
		for i, a := range s.Args {
			args[i] = ln.vectors(l, a)[u]
		}
		out.r = append(out.r, l.vectorOp(s.Op, w, args))
	}
	l.vals.Set(s.Var, out)
}

func lastOf(as []loop.Atom) loop.Atom { return as[len(as)-1] }

// check leaves the code unless a condition holds in all lanes that run.
func (ln *lanes) check(l *lowering, cond loop.Atom) {
	for u, m := range ln.vectors(l, cond) {
		if run := ln.mask(u); run != noReg {
			m = l.selectMask(run, m, ln.vectors(l, loop.Truth(true))[0])
		}
		word, all := reg(0), int64(0xff)
		if l.m.avx512 {
			word = l.imm(opAnd, l.maskWord(m), 0xff)
		} else {
			in := none(opVMoveMask)
			in.w, in.d, in.b = l.m.width(), l.newReg(gpr, 8), m
			l.emit(in)
			word, all = in.d, 1<<ln.w-1
		}
		l.cmpImm(word, all)
		l.jcc(ccNE, l.exit(statusCheck))
	}
}

// place says where the elements of a buffer at an index lie, for each vector: side by side at m, or at
// base + 8·index in m.
type elements struct {
	m      []mem
	gather bool
}

func (ln *lanes) elements(l *lowering, buf *value, index loop.Atom) elements {
	w := int64(l.m.width())
	var e elements
	if buf.lanes && !ln.is(index) {
		m := l.uniform(buf, index)
		for u := range ln.u {
			mu := m
			mu.disp += int32(int64(u) * w)
			e.m = append(e.m, mu)
		}
		return e
	}
	sum, c := l.split(index)
	var same []reg
	var varying []loop.Atom
	for _, a := range sum {
		if ln.is(a) {
			varying = append(varying, a)
		} else {
			same = append(same, l.atom(a))
		}
	}
	if !buf.lanes && len(varying) == 1 && varying[0] == loop.Atom(ln.s.Index) {
		m := l.address(buf.r[0], append(same, ln.i), c*8, 3)
		for u := range ln.u {
			mu := m
			mu.disp += int32(int64(u) * w)
			e.m = append(e.m, mu)
		}
		return e
	}
	e.gather = true
	base := buf.r[0]
	log := l.scale(buf.lanes)
	for _, r := range same {
		base = l.derived(base, r, log)
	}
	for u := range ln.u {
		idx := ln.vectors(l, varying[0])[u]
		for _, a := range varying[1:] {
			idx = l.vop(opVAddI, l.m.width(), idx, ln.vectors(l, a)[u])
		}
		if buf.lanes {
			in := none(opVShlImm)
			in.w, in.d, in.a, in.imm = l.m.width(), l.newReg(vec, l.m.width()), idx, log-3
			l.emit(in)
			iota := none(opVLoad)
			iota.w, iota.d, iota.isMem, iota.m = l.m.width(), l.newReg(vec, l.m.width()), true, ctxMem(ctxIota)
			l.emit(iota)
			idx = l.vop(opVAddI, l.m.width(), in.d, iota.d)
		}
		disp := c << log
		if buf.lanes {
			disp += int64(u) * w
		}
		e.m = append(e.m, mem{base: base, index: idx, scale: 8, disp: int32(disp)})
	}
	return e
}

// all is a fresh mask of the lanes of a vector that run, which a gather may clear.
func (ln *lanes) all(l *lowering, u int) reg {
	if m := ln.mask(u); m != noReg {
		return l.move(noReg, m)
	}
	return l.move(noReg, ln.vectors(l, loop.Truth(true))[0])
}

func (ln *lanes) read(l *lowering, buf *value, index loop.Atom) *value {
	e, out, w := ln.elements(l, buf, index), &value{n: noReg}, l.m.width()
	for u, m := range e.m {
		in := none(opVLoad)
		in.isMem, in.m, in.w = true, m, w
		switch {
		case e.gather:
			in.op = opVGather
			switch {
			case l.m.avx512:
				in.k = ln.all(l, u)
			case l.m.neon: // it does not clear the mask
				in.a = ln.mask(u)
			default:
				in.a = ln.all(l, u)
			}
		case !buf.lanes:
			ln.under(l, u, &in)
		}
		in.d = l.newReg(vec, w)
		l.emit(in)
		out.r = append(out.r, in.d)
	}
	return out
}

// under makes a load or store one of the lanes of a vector that run.
func (ln *lanes) under(l *lowering, u int, in *inst) {
	m := ln.mask(u)
	switch {
	case m == noReg:
	case l.m.avx512:
		in.k = m
	case in.op == opVLoad:
		in.op, in.a = opVMaskLoad, m
	default:
		in.op, in.c = opVMaskStore, m
	}
}

func (ln *lanes) write(l *lowering, buf *value, index, x loop.Atom) {
	e, w := ln.elements(l, buf, index), l.m.width()
	xs := ln.vectors(l, x)
	for u, m := range e.m {
		if e.gather && !l.m.avx512 {
			ln.each(l, u, m.index, xs[u], func(i, x reg) {
				in := none(opVStore)
				in.a, in.isMem, in.m = x, true, mem{base: m.base, index: i, scale: 8, disp: m.disp}
				l.emit(in)
			})
			continue
		}
		in := none(opVStore)
		in.w, in.a, in.isMem, in.m = w, xs[u], true, m
		switch {
		case e.gather:
			in.op, in.k = opVScatter, ln.all(l, u)
		case !buf.lanes:
			ln.under(l, u, &in)
		}
		l.emit(in)
	}
}

// scratchMem is an element of the frame's room for vectors.
func (l *lowering) scratchMem(k int) mem {
	return at(frameBase, int64(l.sig.scratch)+64*int64(k))
}

func (l *lowering) storeVector(m mem, r reg) {
	in := none(opVStore)
	in.w, in.a, in.isMem, in.m = l.m.width(), r, true, m
	l.emit(in)
}

// each runs code for each lane of a vector that runs, with its index and its double.
func (ln *lanes) each(l *lowering, u int, index, x reg, body func(i, x reg)) {
	l.storeVector(l.scratchMem(0), index)
	l.storeVector(l.scratchMem(1), x)
	one := func(lane func(k int) mem) { body(l.load(lane(0)), l.loadReal(lane(1))) }
	if ln.mask(u) == noReg {
		for i := range ln.w {
			one(func(k int) mem {
				m := l.scratchMem(k)
				m.disp += int32(8 * i)
				return m
			})
		}
		return
	}
	l.counted(ln.parts[u].n, 0, 1, 1024, func(i reg) {
		one(func(k int) mem {
			m := l.scratchMem(k)
			m.index, m.scale = i, 8
			return m
		})
	})
}

// accum adds to elements of a buffer.
func (ln *lanes) accum(l *lowering, s *loop.Accum, buf *value) {
	w := l.m.width()
	if ln.sums != nil && ln.shares(s) {
		ln.collect(l, s, buf)
		return
	}
	if p, ok := ln.private[s.Buf]; ok {
		long, end := l.label(), l.label()
		l.cmpImm(p.none, 0)
		l.jcc(ccNE, long)
		ln.add(l, s, elementsOf(l, p.at, s.At, ln.w))
		l.jump(end)
		l.mark(long)
		ln.addSum(l, s, l.uniform(buf, s.At))
		l.mark(end)
		return
	}
	if !buf.lanes && !ln.is(s.At) { // one element for all lanes
		ln.addSum(l, s, l.uniform(buf, s.At))
		return
	}
	e := ln.elements(l, buf, s.At)
	if !e.gather {
		if ln.parts != nil && !buf.lanes {
			for u, m := range e.m {
				in := none(opVLoad)
				in.w, in.d, in.isMem, in.m = w, l.newReg(vec, w), true, m
				ln.under(l, u, &in)
				l.emit(in)
				st := none(opVStore)
				st.w, st.a, st.isMem, st.m = w, l.vop(opVAdd, w, in.d, ln.vectors(l, s.Value)[u]), true, m
				ln.under(l, u, &st)
				l.emit(st)
			}
			return
		}
		ln.add(l, s, e.m)
		return
	}
	for u, m := range e.m {
		ln.each(l, u, m.index, ln.vectors(l, s.Value)[u], func(i, x reg) {
			to := mem{base: m.base, index: i, scale: 8, disp: m.disp}
			in := none(opVStore)
			in.a, in.isMem, in.m = l.vop(opVAdd, 8, l.loadReal(to), x), true, to
			l.emit(in)
		})
	}
}

// add adds vectors to memory: each to its own place, or all to one.
func (ln *lanes) add(l *lowering, s *loop.Accum, to []mem) {
	w := l.m.width()
	sum := noReg
	for u := range ln.u {
		if u < len(to) {
			load := none(opVLoad)
			load.w, load.d, load.isMem, load.m = w, l.newReg(vec, w), true, to[u]
			l.emit(load)
			sum = load.d
		}
		if p, ok := l.product(s.Value, u, true); ok && ln.mask(u) == noReg {
			sum = l.plus(w, sum, p)
		} else {
			sum = l.vop(opVAdd, w, sum, ln.masked(l, u, ln.vectors(l, s.Value)[u], loop.AddF))
		}
		if u < len(to)-1 || u == ln.u-1 {
			l.storeVector(to[min(u, len(to)-1)], sum)
		}
	}
}

// addSum adds the elements of all vectors to one element.
func (ln *lanes) addSum(l *lowering, s *loop.Accum, m mem) {
	sum := ln.sumOfVectors(l, s)
	in := none(opVStore)
	in.a, in.isMem, in.m = l.vop(opVAdd, 8, l.loadReal(m), ln.combine(l, loop.AddF, sum)), true, m
	l.emit(in)
}

// sumOfVectors is the sum of the vectors that a statement adds to one element.
func (ln *lanes) sumOfVectors(l *lowering, s *loop.Accum) reg {
	w := l.m.width()
	sum := noReg
	for u := range ln.u {
		if p, ok := l.product(s.Value, u, true); ok && ln.mask(u) == noReg && u > 0 {
			sum = l.plus(w, sum, p)
			continue
		}
		x := ln.masked(l, u, ln.vectors(l, s.Value)[u], loop.AddF)
		if u > 0 {
			x = l.vop(opVAdd, w, sum, x)
		}
		sum = x
	}
	return sum
}

// elementsOf addresses the w accumulators of an element.
func elementsOf(l *lowering, p reg, index loop.Atom, w int) []mem {
	log := int64(3)
	for n := w; n > 1; n /= 2 {
		log++
	}
	sum, c := l.split(index)
	regs := make([]reg, len(sum))
	for i, a := range sum {
		regs[i] = l.atom(a)
	}
	return []mem{l.address(p, regs, c<<log, log)}
}

// accumulators makes private accumulators for the buffers from outside that all turns add to.
func (ln *lanes) accumulators(l *lowering) {
	shared, other := map[*loop.Var]bool{}, map[*loop.Var]bool{}
	together := map[*loop.Accum]bool{} // those that need no accumulators: Note [Sums of lanes]
	var order []*loop.Var
	loop.Walk(ln.s.Body, func(s loop.Stmt) {
		if inner, ok := s.(*loop.For); ok && ln.together(l, inner) {
			for _, s := range inner.Body.Stmts {
				if a, ok := s.(*loop.Accum); ok {
					together[a] = true
				}
			}
		}
		if a, ok := s.(*loop.Accum); ok && ln.outer(a.Buf) && !together[a] {
			if ln.is(a.At) {
				other[a.Buf] = true
			} else if !shared[a.Buf] {
				shared[a.Buf] = true
				order = append(order, a.Buf)
			}
		}
	})
	for _, b := range order {
		if other[b] {
			continue
		}
		zero := l.constant(gpr, 8, 0)
		l.cmpImm(l.vals.Get(b).n, l.opts.longest())
		n := l.imm(opMul, l.cmov(ccG, zero, l.vals.Get(b).n), int64(ln.w))
		p := l.take(n, false)
		l.zero(p, l.bytes(n, false))
		l.cmpImm(l.vals.Get(b).n, l.opts.longest())
		ln.private[b] = accumulators{p, l.set(ccG)}
	}
}

// release adds the private accumulators to their buffers.
func (ln *lanes) release(l *lowering) {
	loop.Walk(ln.s.Body, func(s loop.Stmt) {
		a, ok := s.(*loop.Accum)
		if !ok {
			return
		}
		p, ok := ln.private[a.Buf]
		if !ok {
			return
		}
		delete(ln.private, a.Buf)
		buf := l.vals.Get(a.Buf)
		w := l.m.width()
		l.cmpImm(buf.n, l.opts.longest())
		n := l.cmov(ccG, l.constant(gpr, 8, 0), buf.n)
		l.counted(n, 0, 1, 256, func(i reg) {
			from := l.imm(opMul, i, int64(w))
			in := none(opVLoad)
			in.w, in.d, in.isMem, in.m = w, l.newReg(vec, w), true, mem{base: p.at, index: from, scale: 1}
			l.emit(in)
			to := mem{base: buf.r[0], index: i, scale: 8}
			st := none(opVStore)
			st.a, st.isMem, st.m = l.vop(opVAdd, 8, l.loadReal(to), ln.combine(l, loop.AddF, in.d)), true, to
			l.emit(st)
		})
	})
}

// combine folds the elements of a vector.
func (ln *lanes) combine(l *lowering, op *loop.Op, r reg) reg {
	if op.Result == loop.Bool {
		word, all := reg(0), int64(0xff)
		if l.m.avx512 {
			word = l.imm(opAnd, l.maskWord(r), 0xff)
		} else {
			in := none(opVMoveMask)
			in.w, in.d, in.b = l.m.width(), l.newReg(gpr, 8), r
			l.emit(in)
			word, all = in.d, 1<<ln.w-1
		}
		if op == loop.And {
			l.cmpImm(word, all)
			return l.set(ccE)
		}
		l.cmpImm(word, 0)
		return l.set(ccNE)
	}
	for w := l.m.width(); w > 16; w /= 2 {
		in := none(opVHigh)
		in.w, in.d, in.a, in.imm = w, l.newReg(vec, w/2), r, 1
		l.emit(in)
		r = l.vectorOp(op, w/2, []reg{r, in.d})
	}
	high := l.vop(opVUnpack, 16, r, r)
	if op.Result == loop.I64 {
		return l.scalarOp(op, []reg{l.toWord(r), l.toWord(high)}, nil)
	}
	return l.scalarOp(op, []reg{r, high}, nil)
}
