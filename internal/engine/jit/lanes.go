package jit

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Lanes of the machine]
//
// A loop with lanes runs w turns in the elements of a vector, and u such vectors side by side, so
// that the machine has independent work. Two loops do this one after the other: one of u·w turns,
// and one of w turns under a mask. Each is the body lowered again, with another u and mask. A loop
// of few turns, whose number is known, is one turn of as many vectors as it needs, under masks: so
// the lanes share what does not vary. With two vectors side by side what is left after the first
// loop runs at once: as two vectors, the second under a mask, or as one.
//
// A total is u vectors, whose elements are combined after the loop; one of truths is one vector. A
// buffer that turns add to at an index that they share has w accumulators for each element, if the
// loop is outermost and the buffer is not too long for them to stay in the cache; else the elements
// of the vectors are summed on the spot. Sums for neighbouring elements are made together:
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
	here    []spread                // scalars that the statement being lowered has repeated in all lanes
	sums    []*addends              // what the turns that are lowered side by side add; nil if there are none
	rows    *rowWriter              // what turns write to rows of the lanes together; nil if they do not
	last    map[*loop.Var]*loop.Let // operations that are done when a turn ends
}

// part is the lanes of a vector that run: a mask, noReg for all, and their number.
type part struct{ mask, n reg }

// spread is a scalar and the vector with it in all lanes.
type spread struct{ scalar, vector reg }

// mostVectors bounds the vectors side by side.
const mostVectors = 4

// jam is the number of vectors side by side: more for less work, and two in a sequence of turns,
// each of which waits for the one before, or around one whose turns have much to do. Many
// statements one after the other, around other loops, are run for one: more would not stay in
// registers. A loop inside of another is often short, and what two vectors side by side leave is
// run at once.
func (m *machine) jam(b *loop.Block, sequence, nested bool) int {
	n, longest, inner := 0, len(b.Stmts), false
	loop.Walk(b, func(s loop.Stmt) {
		n++
		switch s := s.(type) {
		case *loop.For:
			longest = max(longest, len(s.Body.Stmts))
			inner, sequence = true, sequence || len(s.States) > 0 && len(s.Body.Stmts) > longTurn
		case *loop.While, *loop.Alloc:
			inner = true
		}
	})
	switch {
	case inner && !sequence && longest > longBody:
		return 1
	case inner && !sequence && m.avx512:
		return 4
	case inner || sequence:
		return 2
	case n <= 12 && !nested:
		return 4
	case n <= 80:
		return 2
	}
	return 1
}

// longBody is the statements of a body that has work enough for the machine, and too much for its
// registers.
const longBody = 80

// longTurn is the statements of a turn that keeps the machine busy while it waits for the one
// before.
const longTurn = 16

func (l *lowering) width() int {
	if l.lane == nil {
		return 1
	}
	return l.lane.u
}

func (l *lowering) laneLoop(s *loop.For, varies, local *loop.VarSet) {
	ln := &lanes{s: s, w: int(l.m.width() / 8), u: l.m.jam(s.Body, l.sequence > 0, l.depth() > 0), varies: varies, local: local,
		private: map[*loop.Var]accumulators{}, here: l.room.here[:0]}
	ln.lastTruths(l)
	ln.u = min(ln.u, ln.besideRows(l))
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
	if l.depth() == 0 && !l.sig.inLoop {
		ln.accumulators(l)
	}
	l.lane = ln
	totals := make([]*value, len(s.Reds))
	for k, r := range s.Reds {
		totals[k] = l.newValue(ln.u)
		if r.Op.Result == loop.Bool { // there are few registers for masks
			totals[k] = l.newValue(1)
		}
		for u := range totals[k].r {
			totals[k].r[u] = l.move(noReg, ln.vectors(l, loop.Neutral(r.Op))[0])
		}
	}
	st := l.enterStates(s.Index, nil, s.Body)
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
	l.lane, l.room.here = nil, ln.here
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
	index := l.newValue(ln.u)
	for u := range ln.u {
		r := l.vop(opVAddI, l.m.width(), base, iota.d)
		if u > 0 {
			r = l.vop(opVAddI, l.m.width(), r, l.constant(vec, l.m.width(), int64(u*ln.w)))
		}
		index.r[u] = r
	}
	l.vals.Set(ln.s.Index, index)
	l.turn(st, ln.s.Body, func() {
		for k, r := range ln.s.Reds {
			if r.Op.Result == loop.Bool {
				ln.truths(l, totals[k].r[0], r.Op, ln.s.Body.Yield[k])
				continue
			}
			t := l.newValue(0)
			t.r = totals[k].r[:ln.u]
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

// truths adds the truths of a turn to a total.
func (ln *lanes) truths(l *lowering, total reg, op *loop.Op, a loop.Atom) {
	all, last := total, (*loop.Let)(nil)
	if v, ok := a.(*loop.Var); ok {
		last = ln.last[v]
	}
	for u := range ln.u {
		x := noReg
		if last != nil {
			x = ln.vector(l, last, u)
		} else {
			x = ln.vectors(l, a)[u]
		}
		all = l.vectorOp(op, l.m.width(), []reg{all, ln.masked(l, u, x, op)})
	}
	in := none(opCarry)
	in.d, in.a = total, all
	l.emit(in)
}

// lastTruths finds the operations whose results are only added to totals of truths. Each vector of
// these is computed when it is added: there are few registers for masks, and the totals should have
// one.
func (ln *lanes) lastTruths(l *lowering) {
	for k, r := range ln.s.Reds {
		a := ln.s.Body.Yield[k]
		if r.Op.Result != loop.Bool || !ln.is(a) || l.count.Get(a.(*loop.Var)) != 1 {
			continue
		}
		for _, x := range ln.s.Body.Stmts {
			if let, ok := x.(*loop.Let); ok && let.Var == a {
				if ln.last == nil {
					ln.last = map[*loop.Var]*loop.Let{}
				}
				ln.last[let.Var] = let
			}
		}
	}
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
	out := l.room.regs.take(ln.u)
	for u := range out {
		out[u] = r
	}
	return out
}

// broadcast repeats a scalar in all lanes, as far outside as possible.
func (ln *lanes) broadcast(l *lowering, r reg, k loop.Kind) reg {
	w := l.m.width()
	if v := l.f.reg(r); v.home == homeless && v.word != 0 {
		return reg(v.word)
	}
	for _, s := range ln.here {
		if s.scalar == r {
			return s.vector
		}
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
	ln.here = append(ln.here, spread{r, v})
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
	if ln.last[s.Var] != nil {
		return
	}
	out := l.newValue(ln.u)
	for u := range ln.u {
		out.r[u] = ln.vector(l, s, u)
	}
	l.vals.Set(s.Var, out)
}

// vector is vector u of the result of an operation.
func (ln *lanes) vector(l *lowering, s *loop.Let, u int) reg {
	w := l.m.width()
	if r, ok := l.contract(s, w, u, true); ok {
		return r
	}
	if n, ok := small(lastOf(s.Args)); ok {
		if r, ok := l.shiftVector(s.Op, w, ln.vectors(l, s.Args[0])[u], n&63); ok {
			return r
		}
	}
	args := l.room.regs.take(len(s.Args))
	for i, a := range s.Args {
		args[i] = ln.vectors(l, a)[u]
	}
	return l.vectorOp(s.Op, w, args)
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
