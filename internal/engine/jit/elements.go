package jit

import "github.com/fluxion-lang/fluxion/internal/loop"

// elements says where the elements of a buffer at an index lie, for each vector: side by side at m,
// or at base + 8·index in m.
type elements struct {
	m      []mem
	gather bool
}

func (ln *lanes) elements(l *lowering, buf *value, index loop.Atom) elements {
	w := int64(l.m.width())
	e := elements{m: l.room.mems.take(ln.u)}
	if buf.lanes && !ln.is(index) {
		m := l.uniform(buf, index)
		for u := range ln.u {
			mu := m
			mu.disp += int32(int64(u) * w)
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
			mu.disp += int32(int64(u) * w)
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
		e.m[u] = mem{base: base, index: idx, scale: 8, disp: int32(disp)}
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
	e, out, w := ln.elements(l, buf, index), l.newValue(ln.u), l.m.width()
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
		out.r[u] = in.d
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
	if ln.collectRow(l, buf, index, x) {
		return
	}
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
