package wasm

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// opcodes has the operations that are instructions.
var opcodes = map[*loop.Op][]byte{
	loop.AddF: {0xa0}, loop.SubF: {0xa1}, loop.MulF: {0xa2}, loop.DivF: {0xa3}, loop.NegF: {0x9a},
	loop.AbsF: {0x99},
	loop.Sqrt: {0x9f}, loop.FloorF: {0x9c}, loop.CeilF: {0x9b}, loop.TruncF: {0x9d},
	loop.RoundF: {0x9e},
	loop.EqF:    {0x61}, loop.NeF: {0x62}, loop.LtF: {0x63}, loop.LeF: {0x65},
	loop.AddI: {0x7c}, loop.SubI: {0x7d}, loop.MulI: {0x7e}, loop.AndI: {0x83}, loop.OrI: {0x84},
	loop.XorI: {0x85},
	loop.ShlI: {0x86}, loop.ShrI: {0x87}, loop.ShrU: {0x88},
	loop.EqI: {0x51}, loop.NeI: {0x52}, loop.LtI: {0x53}, loop.LeI: {0x57},
	loop.And: {0x71}, loop.Or: {0x72}, loop.Not: {0x45},
	loop.ToReal: {0xb9}, loop.ToInt: {0xfc, 0x06}, loop.Bits: {0xbd}, loop.FromBits: {0xbf},
	loop.ToWord: {0xad},
}

// op pushes the result of an operation.
func (w *writer) op(op *loop.Op, args []loop.Atom) {
	push := func(order ...int) {
		for _, i := range order {
			w.atom(args[i])
		}
	}
	if f, ok := w.m.math[op]; ok {
		w.all(args)
		w.call(f)
		return
	}
	if code, ok := opcodes[op]; ok {
		w.all(args)
		w.emit(code...)
		return
	}
	switch op {
	case loop.SelF, loop.SelI, loop.SelB:
		push(1, 2, 0)
		w.emit(0x1b)
	case loop.NegI:
		w.int64(0)
		push(0)
		w.emit(0x7d)
	case loop.MaxI:
		push(0, 1, 0, 1)
		w.emit(0x55, 0x1b) // i64.gt_s, select
	case loop.MinI:
		push(0, 1, 0, 1)
		w.emit(0x53, 0x1b)
	case loop.DivI:
		push(0, 1)
		w.call(w.m.floorDiv)
	case loop.ModI: // a - b·(a div b)
		push(0, 1, 0, 1)
		w.call(w.m.floorDiv)
		w.emit(0x7e, 0x7d)
	case loop.AddOver: // the sign of the sum is not that of either term
		push(0)
		push(0, 1)
		w.emit(0x7c, 0x85)
		push(1)
		push(0, 1)
		w.emit(0x7c, 0x85, 0x83)
		w.int64(0)
		w.emit(0x53)
	case loop.SubOver: // the signs differ, and that of the difference is not the first's
		push(0, 1)
		w.emit(0x85)
		push(0)
		push(0, 1)
		w.emit(0x7d, 0x85, 0x83)
		w.int64(0)
		w.emit(0x53)
	case loop.MulOver:
		push(0, 1)
		w.call(w.m.overMul)
	default:
		panic("wasm: no instruction for " + op.Name)
	}
}

func (w *writer) all(args []loop.Atom) {
	for _, a := range args {
		w.atom(a)
	}
}

// helpers adds the functions that statements and operations call.
func (m *module) helpers() {
	// alloc(n): the address of n elements, or -1.
	w := &writer{params: 1}
	next := w.fresh(i64)
	w.get(0)
	w.int64(1 << 28)
	w.emit(0x56, 0x04, empty) // i64.gt_u, if
	w.int32(-1)
	w.emit(0x0f, 0x0b)
	w.top()
	w.emit(0xad) // i64.extend_i32_u
	w.get(0)
	w.int64(3)
	w.emit(0x86, 0x7c) // shl, add
	w.set(next)
	if m.hosted {
		w.get(next)
		w.global(limitGlobal)
		w.emit(0x56, 0x04, empty)
		w.int32(-1)
		w.emit(0x0f, 0x0b)
	}
	w.get(next)
	w.emit(0x3f, 0, 0xad) // memory.size
	w.int64(16)
	w.emit(0x86, 0x56, 0x04, empty) // more than there is
	w.get(next)
	w.int64(65535)
	w.emit(0x7c)
	w.int64(16)
	w.emit(0x88, 0xa7, 0x3f, 0, 0x6b) // pages that are missing
	w.emit(0x40, 0)                   // memory.grow
	w.int32(0)
	w.emit(0x48, 0x04, empty)
	w.int32(-1)
	w.emit(0x0f, 0x0b, 0x0b)
	w.top()
	w.get(next)
	w.emit(0xa7)
	w.setTop()
	m.alloc = m.add([]byte{i64}, []byte{i32}, w.locals, w.code)

	// floorDiv(a, b)
	w = &writer{params: 2}
	q := w.fresh(i64)
	w.get(1)
	w.emit(0x50, 0x04, empty) // b = 0
	w.int64(0)
	w.emit(0x0f, 0x0b)
	w.get(1)
	w.int64(-1)
	w.emit(0x51, 0x04, empty)
	w.int64(0)
	w.get(0)
	w.emit(0x7d, 0x0f, 0x0b)
	w.get(0)
	w.get(1)
	w.emit(0x7f)
	w.set(q)
	w.get(q)
	w.get(0)
	w.get(q)
	w.get(1)
	w.emit(0x7e, 0x52) // not divisible
	w.get(0)
	w.get(1)
	w.emit(0x85)
	w.int64(0)
	w.emit(0x53, 0x71, 0xad, 0x7d) // and of different signs: one less
	m.floorDiv = m.add([]byte{i64, i64}, []byte{i64}, w.locals, w.code)

	// overMul(a, b)
	w = &writer{params: 2}
	w.get(1)
	w.emit(0x50, 0x04, empty)
	w.int32(0)
	w.emit(0x0f, 0x0b)
	w.get(1)
	w.int64(-1)
	w.emit(0x51, 0x04, empty)
	w.get(0)
	w.int64(math.MinInt64)
	w.emit(0x51, 0x0f, 0x0b)
	w.get(0)
	w.get(1)
	w.emit(0x7e)
	w.get(1)
	w.emit(0x7f)
	w.get(0)
	w.emit(0x52)
	m.overMul = m.add([]byte{i64, i64}, []byte{i32}, nil, w.code)
}
