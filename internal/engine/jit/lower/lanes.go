package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Lanes of the machine]
//
// A loop with lanes runs w turns in the elements of a vector, and u such vectors side by side, so
// that the machine has independent work. Two loops do this one after the other: one of u·w turns,
// and one of w turns under a mask. Each is the body lowered again, with another u and mask. A loop
// of few turns, whose number is known, is one turn of as many vectors as it needs, under masks: so
// the lanes share what does not vary. With two vectors side by side what is left after the first
// loop runs at once: as two vectors, the second under a mask, or as one. Inside of another loop four
// vectors are followed by two.
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
	i       ir.Reg       // the index of the first lane
	parts   []part       // of each vector the lanes that run, nil for all
	private map[*loop.Var]accumulators
	here    []spread                // scalars that the statement being lowered has repeated in all lanes
	sums    []*addends              // what the turns that are lowered side by side add; nil if there are none
	rows    *rowWriter              // what turns write to rows of the lanes together; nil if they do not
	last    map[*loop.Var]*loop.Let // operations that are done when a turn ends
}

// part is the lanes of a vector that run: a mask, noReg for all, and their number.
type part struct{ mask, n ir.Reg }

// spread is a scalar and the vector with it in all lanes.
type spread struct{ scalar, vector ir.Reg }

// mostVectors bounds the vectors side by side.
const mostVectors = 4

// jam is the number of vectors side by side: more for less work, and two in a sequence of turns,
// each of which waits for the one before, or around one whose turns have much to do. Many
// statements one after the other, around other loops, are run for one: more would not stay in
// registers. A loop inside of another is often short, and what two vectors side by side leave is
// run at once.
func jam(m *ir.Target, b *loop.Block, sequence, nested bool) int {
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
	case inner && !sequence:
		return m.Jammed
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
	ln := &lanes{s: s, w: int(l.m.Width() / 8), u: jam(l.m, s.Body, l.sequence > 0, l.depth() > 0), varies: varies, local: local,
		private: map[*loop.Var]accumulators{}, here: l.room.here[:0]}
	ln.lastTruths(l)
	ln.u = min(ln.u, ln.besideRows(l))
	n := l.atom(s.Count)
	few := int64(0) // the turns, if they are one of some vectors
	if c := l.f.Reg(n); c.Home == ir.HomeConst && c.Word <= int64(mostVectors*ln.w) {
		few, ln.u = max(c.Word, 0), 1
		for int64(ln.u*ln.w) < few {
			ln.u *= 2
		}
	}
	inits := make([]ir.Reg, len(s.Reds))
	for k, r := range s.Reds {
		inits[k] = l.atom(r.Init)
	}
	if l.depth() == 0 && !l.sig.InLoop {
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
			totals[k].r[u] = l.move(ir.NoReg, ln.vectors(l, loop.Neutral(r.Op))[0])
		}
	}
	st := l.enterStates(s.Index, nil, s.Body)
	ln.i = l.move(ir.NoReg, l.constant(ir.GPR, 8, 0))
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
			sum = l.vectorOp(r.Op, l.m.Width(), []ir.Reg{sum, r2})
		}
		l.bind(r.Result, l.scalarOp(r.Op, []ir.Reg{inits[k], ln.combine(l, r.Op, sum)}, nil))
	}
	l.lane, l.room.here = nil, ln.here
	ln.release(l)
}

// turns lowers a loop of as many vectors as there are side by side, and then what is left.
func (ln *lanes) turns(l *lowering, n ir.Reg, st *loopStates, totals []*value) {
	turns := int64(ln.u * ln.w)
	l.countedFrom(ln.i, l.imm(ir.OpSub, n, turns-1), turns, strip(ln.s.Body, ln.u), func(ir.Reg) { ln.turn(l, st, totals) })
	full := l.constant(ir.GPR, 8, int64(ln.w))
	if ln.u == 4 && l.depth() > 0 { // a loop inside of another is often short
		ln.u, turns = 2, turns/2
		two := strip(ln.s.Body, ln.u)
		l.countedFrom(ln.i, l.imm(ir.OpSub, n, turns-1), turns, two, func(ir.Reg) { ln.turn(l, st, totals) })
	}
	if ln.u != 2 {
		ln.u = 1
		l.countedFrom(ln.i, n, int64(ln.w), 1, func(ir.Reg) {
			rest := l.two(ir.OpSub, n, ln.i)
			l.cmp(rest, full)
			rest = l.cmov(ir.CCL, rest, full)
			ln.parts = []part{{ln.first(l, rest), rest}}
			ln.turn(l, st, totals)
		})
		return
	}
	end, few := l.label(), l.label()
	l.cmp(ln.i, n)
	l.jcc(ir.CCGE, end)
	rest := l.two(ir.OpSub, n, ln.i)
	second := l.imm(ir.OpSub, rest, int64(ln.w))
	l.cmpImm(second, 0)
	l.jcc(ir.CCLE, few)
	ln.parts = []part{{ir.NoReg, full}, {ln.first(l, second), second}}
	ln.turn(l, st, totals)
	l.jump(end)
	l.mark(few)
	ln.u, ln.parts = 1, []part{{ln.first(l, rest), rest}}
	ln.turn(l, st, totals)
	l.mark(end)
}

// known is the part of the first n lanes, a constant.
func (ln *lanes) known(l *lowering, n int64) part {
	count := l.constant(ir.GPR, 8, n)
	switch {
	case n == int64(ln.w):
		return part{ir.NoReg, count}
	case l.m.Masks:
		return part{l.constant(ir.Mask, 8, 1<<n-1), count}
	}
	return part{ln.first(l, count), count}
}

// mask is the mask of a vector, noReg if all of its lanes run.
func (ln *lanes) mask(u int) ir.Reg {
	if ln.parts == nil {
		return ir.NoReg
	}
	return ln.parts[u].mask
}

// turn lowers the body for the vectors from index i.
func (ln *lanes) turn(l *lowering, st *loopStates, totals []*value) {
	l.apart()
	base := ln.broadcast(l, ln.i, loop.I64)
	iota := ir.Bare(ir.OpVLoad)
	iota.W, iota.D, iota.IsMem, iota.M = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), true, ir.CtxMem(ir.CtxIota)
	l.emit(iota)
	index := l.newValue(ln.u)
	for u := range ln.u {
		r := l.vop(ir.OpVAddI, l.m.Width(), base, iota.D)
		if u > 0 {
			r = l.vop(ir.OpVAddI, l.m.Width(), r, l.constant(ir.Vec, l.m.Width(), int64(u*ln.w)))
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
				in := ir.Bare(ir.OpCarry)
				in.D, in.A = t.r[u], l.vectorOp(r.Op, l.m.Width(), []ir.Reg{t.r[u], ln.masked(l, u, x, r.Op)})
				l.emit(in)
			}
		}
	})
}

// truths adds the truths of a turn to a total.
func (ln *lanes) truths(l *lowering, total ir.Reg, op *loop.Op, a loop.Atom) {
	all, last := total, (*loop.Let)(nil)
	if v, ok := a.(*loop.Var); ok {
		last = ln.last[v]
	}
	for u := range ln.u {
		x := ir.NoReg
		if last != nil {
			x = ln.vector(l, last, u)
		} else {
			x = ln.vectors(l, a)[u]
		}
		all = l.vectorOp(op, l.m.Width(), []ir.Reg{all, ln.masked(l, u, x, op)})
	}
	in := ir.Bare(ir.OpCarry)
	in.D, in.A = total, all
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
func (ln *lanes) masked(l *lowering, u int, x ir.Reg, op *loop.Op) ir.Reg {
	m := ln.mask(u)
	if m == ir.NoReg {
		return x
	}
	other := ln.vectors(l, loop.Neutral(op))[0]
	if op.Result == loop.Bool {
		return l.selectMask(m, x, other)
	}
	return l.blend(l.m.Width(), m, x, other)
}

// is tells whether an atom varies from lane to lane.
func (ln *lanes) is(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	return ok && ln.varies.Has(v)
}

func (ln *lanes) outer(b *loop.Var) bool { return !ln.local.Has(b) }

func (ln *lanes) isVector(l *lowering, r ir.Reg) bool {
	v := l.f.Reg(r)
	return v.Class == ir.Mask || v.W > 8
}

func (ln *lanes) newVector(l *lowering, k loop.Kind) ir.Reg {
	if k == loop.Bool {
		return l.newMask(l.m.Width())
	}
	return l.newReg(ir.Vec, l.m.Width())
}

// vectors gives the vectors of an atom; one that does not vary is repeated in all lanes.
func (ln *lanes) vectors(l *lowering, a loop.Atom) []ir.Reg {
	if ln.is(a) {
		return l.vals.Get(a.(*loop.Var)).r
	}
	var r ir.Reg
	w := l.m.Width()
	if c, ok := a.(*loop.Const); ok {
		switch {
		case c.Kind != loop.Bool:
			r = l.constant(ir.Vec, w, int64(c.Word()))
		case l.m.Masks:
			r = l.constant(ir.Mask, 8, -c.I&0xff)
		default:
			r = l.constant(ir.Vec, w, -c.I)
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
func (ln *lanes) broadcast(l *lowering, r ir.Reg, k loop.Kind) ir.Reg {
	w := l.m.Width()
	if v := l.f.Reg(r); v.Home == ir.Homeless && v.Word != 0 {
		return ir.Reg(v.Word)
	}
	for _, s := range ln.here {
		if s.scalar == r {
			return s.vector
		}
	}
	v := l.hoist(hoistKey{op: ir.OpVBroadcast, a: r, b: ir.Reg(k), w: w}, func() ir.Reg {
		switch k {
		case loop.I64:
			return l.vone(ir.OpVBroadcast, w, l.vone(ir.OpVFromG, 8, r))
		case loop.Bool:
			neg := l.two(ir.OpNeg, r, ir.NoReg)
			if l.m.Masks {
				in := ir.Bare(ir.OpKFromG)
				in.D, in.A = l.newReg(ir.Mask, 8), l.imm(ir.OpAnd, neg, 0xff)
				l.emit(in)
				return in.D
			}
			return l.vone(ir.OpVBroadcast, w, l.vone(ir.OpVFromG, 8, neg))
		}
		return l.vone(ir.OpVBroadcast, w, r)
	}, r)
	ln.here = append(ln.here, spread{r, v})
	return v
}

// first is the mask of the first n lanes.
func (ln *lanes) first(l *lowering, n ir.Reg) ir.Reg {
	if l.m.Masks {
		in := ir.Bare(ir.OpKFromG)
		in.D, in.A = l.newReg(ir.Mask, 8), l.imm(ir.OpSub, l.two(ir.OpShl, l.constant(ir.GPR, 8, 1), n), 1)
		l.emit(in)
		return in.D
	}
	iota := ir.Bare(ir.OpVLoad)
	iota.W, iota.D, iota.IsMem, iota.M = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), true, ir.CtxMem(ir.CtxIota)
	l.emit(iota)
	return l.vop(ir.OpVGtI, l.m.Width(), ln.broadcast(l, n, loop.I64), iota.D)
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
func (ln *lanes) vector(l *lowering, s *loop.Let, u int) ir.Reg {
	w := l.m.Width()
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
		if run := ln.mask(u); run != ir.NoReg {
			m = l.selectMask(run, m, ln.vectors(l, loop.Truth(true))[0])
		}
		word, all := ir.Reg(0), int64(0xff)
		if l.m.Masks {
			word = l.imm(ir.OpAnd, l.maskWord(m), 0xff)
		} else {
			in := ir.Bare(ir.OpVMoveMask)
			in.W, in.D, in.B = l.m.Width(), l.newReg(ir.GPR, 8), m
			l.emit(in)
			word, all = in.D, 1<<ln.w-1
		}
		l.cmpImm(word, all)
		l.jcc(ir.CCNE, l.exit(ir.StatusCheck))
	}
}
