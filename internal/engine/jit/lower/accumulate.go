package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// accumulators are those of a buffer from outside: where they are, and whether there are none since
// the buffer is long.
type accumulators struct{ at, none ir.Reg }

// longBuffer is the length from which on a buffer has no accumulators.
const longBuffer = 1 << 15

func (o *Options) longest() int64 {
	if o.Long > 0 {
		return o.Long
	}
	return longBuffer
}

// accum adds to elements of a buffer.
func (ln *lanes) accum(l *lowering, s *loop.Accum, buf *value) {
	w := l.m.Width()
	if ln.sums != nil && ln.shares(s) {
		ln.collect(l, s, buf)
		return
	}
	if p, ok := ln.private[s.Buf]; ok {
		long, end := l.label(), l.label()
		l.cmpImm(p.none, 0)
		l.jcc(ir.CCNE, long)
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
				in := ir.Bare(ir.OpVLoad)
				in.W, in.D, in.IsMem, in.M = w, l.newReg(ir.Vec, w), true, m
				ln.under(l, u, &in)
				l.emit(in)
				st := ir.Bare(ir.OpVStore)
				st.W, st.A, st.IsMem, st.M = w, l.vop(ir.OpVAdd, w, in.D, ln.vectors(l, s.Value)[u]), true, m
				ln.under(l, u, &st)
				l.emit(st)
			}
			return
		}
		ln.add(l, s, e.m)
		return
	}
	for u, m := range e.m {
		ln.each(l, u, m.Index, ln.vectors(l, s.Value)[u], func(i, x ir.Reg) {
			to := ir.Mem{Base: m.Base, Index: i, Scale: 8, Disp: m.Disp}
			in := ir.Bare(ir.OpVStore)
			in.A, in.IsMem, in.M = l.vop(ir.OpVAdd, 8, l.loadReal(to), x), true, to
			l.emit(in)
		})
	}
}

// add adds vectors to memory: each to its own place, or all to one.
func (ln *lanes) add(l *lowering, s *loop.Accum, to []ir.Mem) {
	w := l.m.Width()
	sum := ir.NoReg
	for u := range ln.u {
		if u < len(to) {
			load := ir.Bare(ir.OpVLoad)
			load.W, load.D, load.IsMem, load.M = w, l.newReg(ir.Vec, w), true, to[u]
			l.emit(load)
			sum = load.D
		}
		if p, ok := l.product(s.Value, u, true); ok && ln.mask(u) == ir.NoReg {
			sum = l.plus(w, sum, p)
		} else {
			sum = l.vop(ir.OpVAdd, w, sum, ln.masked(l, u, ln.vectors(l, s.Value)[u], loop.AddF))
		}
		if u < len(to)-1 || u == ln.u-1 {
			l.storeVector(to[min(u, len(to)-1)], sum)
		}
	}
}

// addSum adds the elements of all vectors to one element.
func (ln *lanes) addSum(l *lowering, s *loop.Accum, m ir.Mem) {
	sum := ln.sumOfVectors(l, s)
	in := ir.Bare(ir.OpVStore)
	in.A, in.IsMem, in.M = l.vop(ir.OpVAdd, 8, l.loadReal(m), ln.combine(l, loop.AddF, sum)), true, m
	l.emit(in)
}

// sumOfVectors is the sum of the vectors that a statement adds to one element.
func (ln *lanes) sumOfVectors(l *lowering, s *loop.Accum) ir.Reg {
	w := l.m.Width()
	sum := ir.NoReg
	for u := range ln.u {
		if p, ok := l.product(s.Value, u, true); ok && ln.mask(u) == ir.NoReg && u > 0 {
			sum = l.plus(w, sum, p)
			continue
		}
		x := ln.masked(l, u, ln.vectors(l, s.Value)[u], loop.AddF)
		if u > 0 {
			x = l.vop(ir.OpVAdd, w, sum, x)
		}
		sum = x
	}
	return sum
}

// elementsOf addresses the w accumulators of an element.
func elementsOf(l *lowering, p ir.Reg, index loop.Atom, w int) []ir.Mem {
	log := int64(3)
	for n := w; n > 1; n /= 2 {
		log++
	}
	sum, c := l.split(index)
	regs := make([]ir.Reg, len(sum))
	for i, a := range sum {
		regs[i] = l.atom(a)
	}
	return []ir.Mem{l.address(p, regs, c<<log, log)}
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
		zero := l.constant(ir.GPR, 8, 0)
		l.cmpImm(l.vals.Get(b).n, l.opts.longest())
		n := l.imm(ir.OpMul, l.cmov(ir.CCG, zero, l.vals.Get(b).n), int64(ln.w))
		p := l.take(n, false)
		l.zero(p, l.bytes(n, false))
		l.cmpImm(l.vals.Get(b).n, l.opts.longest())
		ln.private[b] = accumulators{p, l.set(ir.CCG)}
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
		w := l.m.Width()
		l.cmpImm(buf.n, l.opts.longest())
		n := l.cmov(ir.CCG, l.constant(ir.GPR, 8, 0), buf.n)
		l.counted(n, 0, 1, 256, func(i ir.Reg) {
			from := l.imm(ir.OpMul, i, int64(w))
			in := ir.Bare(ir.OpVLoad)
			in.W, in.D, in.IsMem, in.M = w, l.newReg(ir.Vec, w), true, ir.Mem{Base: p.at, Index: from, Scale: 1}
			l.emit(in)
			to := ir.Mem{Base: buf.r[0], Index: i, Scale: 8}
			st := ir.Bare(ir.OpVStore)
			st.A, st.IsMem, st.M = l.vop(ir.OpVAdd, 8, l.loadReal(to), ln.combine(l, loop.AddF, in.D)), true, to
			l.emit(st)
		})
	})
}

// combine folds the elements of a vector.
func (ln *lanes) combine(l *lowering, op *loop.Op, r ir.Reg) ir.Reg {
	if op.Result == loop.Bool {
		word, all := ir.Reg(0), int64(0xff)
		if l.m.Masks {
			word = l.imm(ir.OpAnd, l.maskWord(r), 0xff)
		} else {
			in := ir.Bare(ir.OpVMoveMask)
			in.W, in.D, in.B = l.m.Width(), l.newReg(ir.GPR, 8), r
			l.emit(in)
			word, all = in.D, 1<<ln.w-1
		}
		if op == loop.And {
			l.cmpImm(word, all)
			return l.set(ir.CCE)
		}
		l.cmpImm(word, 0)
		return l.set(ir.CCNE)
	}
	for w := l.m.Width(); w > 16; w /= 2 {
		in := ir.Bare(ir.OpVHigh)
		in.W, in.D, in.A, in.Imm = w, l.newReg(ir.Vec, w/2), r, 1
		l.emit(in)
		r = l.vectorOp(op, w/2, []ir.Reg{r, in.D})
	}
	high := l.vop(ir.OpVUnpack, 16, r, r)
	if op.Result == loop.I64 {
		return l.scalarOp(op, []ir.Reg{l.toWord(r), l.toWord(high)}, nil)
	}
	return l.scalarOp(op, []ir.Reg{r, high}, nil)
}
