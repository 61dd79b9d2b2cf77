package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// elements says where the elements of a buffer at an index lie, for each vector: side by side at m,
// or at base + 8·index in m.
type elements struct {
	m      []ir.Mem
	gather bool
}

func (ln *lanes) elements(l *lowering, buf *value, index loop.Atom) elements {
	w := int64(l.m.Width())
	e := elements{m: l.room.mems.take(ln.u)}
	if buf.lanes && !ln.is(index) {
		m := l.uniform(buf, index)
		for u := range ln.u {
			mu := m
			mu.Disp += int32(int64(u) * w)
			e.m[u] = mu
		}
		return e
	}
	sum, c := l.split(index)
	same, varying := l.room.regs.take(len(sum) + 1)[:0], l.room.atoms.take(len(sum))[:0]
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
			mu.Disp += int32(int64(u) * w)
			e.m[u] = mu
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
			idx = l.vop(ir.OpVAddI, l.m.Width(), idx, ln.vectors(l, a)[u])
		}
		if buf.lanes {
			in := ir.Bare(ir.OpVShlImm)
			in.W, in.D, in.A, in.Imm = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), idx, log-3
			l.emit(in)
			iota := ir.Bare(ir.OpVLoad)
			iota.W, iota.D, iota.IsMem, iota.M = l.m.Width(), l.newReg(ir.Vec, l.m.Width()), true, ir.CtxMem(ir.CtxIota)
			l.emit(iota)
			idx = l.vop(ir.OpVAddI, l.m.Width(), in.D, iota.D)
		}
		disp := c << log
		if buf.lanes {
			disp += int64(u) * w
		}
		e.m[u] = ir.Mem{Base: base, Index: idx, Scale: 8, Disp: int32(disp)}
	}
	return e
}

// all is a fresh mask of the lanes of a vector that run, which a gather may clear.
func (ln *lanes) all(l *lowering, u int) ir.Reg {
	if m := ln.mask(u); m != ir.NoReg {
		return l.move(ir.NoReg, m)
	}
	return l.move(ir.NoReg, ln.vectors(l, loop.Truth(true))[0])
}

func (ln *lanes) read(l *lowering, buf *value, index loop.Atom) *value {
	e, out, w := ln.elements(l, buf, index), l.newValue(ln.u), l.m.Width()
	for u, m := range e.m {
		in := ir.Bare(ir.OpVLoad)
		in.IsMem, in.M, in.W = true, m, w
		switch {
		case e.gather:
			in.Op = ir.OpVGather
			switch {
			case l.m.Masks:
				in.K = ln.all(l, u)
			case l.m.KeepsMask:
				in.A = ln.mask(u)
			default:
				in.A = ln.all(l, u)
			}
		case !buf.lanes:
			ln.under(l, u, &in)
		}
		in.D = l.newReg(ir.Vec, w)
		l.emit(in)
		out.r[u] = in.D
	}
	return out
}

// under makes a load or store one of the lanes of a vector that run.
func (ln *lanes) under(l *lowering, u int, in *ir.Inst) {
	m := ln.mask(u)
	switch {
	case m == ir.NoReg:
	case l.m.Masks:
		in.K = m
	case in.Op == ir.OpVLoad:
		in.Op, in.A = ir.OpVMaskLoad, m
	default:
		in.Op, in.C = ir.OpVMaskStore, m
	}
}

func (ln *lanes) write(l *lowering, buf *value, index, x loop.Atom) {
	if ln.collectRow(l, buf, index, x) {
		return
	}
	e, w := ln.elements(l, buf, index), l.m.Width()
	xs := ln.vectors(l, x)
	for u, m := range e.m {
		if e.gather && !l.m.Scatters {
			ln.each(l, u, m.Index, xs[u], func(i, x ir.Reg) {
				in := ir.Bare(ir.OpVStore)
				in.A, in.IsMem, in.M = x, true, ir.Mem{Base: m.Base, Index: i, Scale: 8, Disp: m.Disp}
				l.emit(in)
			})
			continue
		}
		in := ir.Bare(ir.OpVStore)
		in.W, in.A, in.IsMem, in.M = w, xs[u], true, m
		switch {
		case e.gather:
			in.Op, in.K = ir.OpVScatter, ln.all(l, u)
		case !buf.lanes:
			ln.under(l, u, &in)
		}
		l.emit(in)
	}
}

// scratchMem is an element of the frame's room for vectors.
func (l *lowering) scratchMem(k int) ir.Mem {
	return at(ir.FrameBase, int64(l.sig.Scratch)+64*int64(k))
}

func (l *lowering) storeVector(m ir.Mem, r ir.Reg) {
	in := ir.Bare(ir.OpVStore)
	in.W, in.A, in.IsMem, in.M = l.m.Width(), r, true, m
	l.emit(in)
}

// each runs code for each lane of a vector that runs, with its index and its double.
func (ln *lanes) each(l *lowering, u int, index, x ir.Reg, body func(i, x ir.Reg)) {
	l.storeVector(l.scratchMem(0), index)
	l.storeVector(l.scratchMem(1), x)
	one := func(lane func(k int) ir.Mem) { body(l.load(lane(0)), l.loadReal(lane(1))) }
	if ln.mask(u) == ir.NoReg {
		for i := range ln.w {
			one(func(k int) ir.Mem {
				m := l.scratchMem(k)
				m.Disp += int32(8 * i)
				return m
			})
		}
		return
	}
	l.counted(ln.parts[u].n, 0, 1, 1024, func(i ir.Reg) {
		one(func(k int) ir.Mem {
			m := l.scratchMem(k)
			m.Index, m.Scale = i, 8
			return m
		})
	})
}
