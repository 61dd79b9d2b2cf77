package wasm

import (
	"encoding/binary"

	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/vmath"
)

// vectorOpcodes has the operations that are instructions on vectors, behind the prefix 0xfd.
var vectorOpcodes = map[*loop.Op][]byte{
	loop.AddF: {0xf0}, loop.SubF: {0xf1}, loop.MulF: {0xf2}, loop.DivF: {0xf3}, loop.NegF: {0xed},
	loop.AbsF: {0xec},
	loop.Sqrt: {0xef}, loop.FloorF: {0x75}, loop.CeilF: {0x74}, loop.TruncF: {0x7a},
	loop.RoundF: {0x94},
	loop.EqF:    {0x47}, loop.NeF: {0x48}, loop.LtF: {0x49}, loop.LeF: {0x4b},
	loop.AddI: {0xce}, loop.SubI: {0xd1}, loop.MulI: {0xd5}, loop.NegI: {0xc1}, loop.AndI: {0x4e},
	loop.OrI: {0x50}, loop.XorI: {0x51},
	loop.EqI: {0xd6}, loop.NeI: {0xd7}, loop.LtI: {0xd8}, loop.LeI: {0xda},
	loop.And: {0x4e}, loop.Or: {0x50}, loop.Not: {0x4d},
	loop.Bits: {}, loop.FromBits: {}, loop.ToWord: {0xc1},
}

var shifts = map[*loop.Op]byte{loop.ShlI: 0xcb, loop.ShrI: 0xcc, loop.ShrU: 0xcd}

// simd writes instructions on vectors without immediates, or the first part of one.
func (w *writer) simd(codes ...byte) {
	for _, c := range codes {
		w.emit(append([]byte{0xfd}, leb(int64(c))...)...)
	}
}

// vector pushes vector k of an atom; one that does not vary is repeated in all lanes.
func (w *writer) vector(a loop.Atom, k int) {
	v, isVar := a.(*loop.Var)
	switch {
	case !isVar:
		c := a.(*loop.Const)
		word := c.Word()
		if c.Kind == loop.Bool {
			word = -word
		}
		w.pair(word, word)
	case w.isFirst(v):
		w.get(w.at[v])
		w.simd(0x12)
		w.pair(uint64(2*k), uint64(2*k+1))
		w.simd(0xce)
	case w.varying(v):
		w.get(w.at[v] + local(k))
	default:
		w.get(w.at[v])
		w.repeat(v.Kind)
	}
}

// pair pushes a constant vector.
func (w *writer) pair(first, second uint64) {
	w.simd(0x0c)
	w.code = binary.LittleEndian.AppendUint64(w.code, first)
	w.code = binary.LittleEndian.AppendUint64(w.code, second)
}

// repeat makes a vector of the scalar on the stack.
func (w *writer) repeat(k loop.Kind) {
	switch k {
	case loop.F64:
		w.simd(0x14)
	case loop.I64:
		w.simd(0x12)
	default:
		w.emit(0xad)
		w.simd(0x12, 0xc1)
	}
}

// extract makes a scalar of a lane of the vector on the stack.
func (w *writer) extract(k loop.Kind, lane int) {
	switch k {
	case loop.F64:
		w.simd(0x21)
	default:
		w.simd(0x1d)
	}
	w.emit(byte(lane))
	if k == loop.Bool {
		w.emit(0xa7)
		w.int32(1)
		w.emit(0x71)
	}
}

// vectorOp pushes vector k of the result of an operation.
func (w *writer) vectorOp(op *loop.Op, args []loop.Atom, k int) {
	push := func(order ...int) {
		for _, i := range order {
			w.vector(args[i], k)
		}
	}
	all := func() {
		for i := range args {
			push(i)
		}
	}
	// whether the sum or difference has another sign than two vectors
	over := func(code byte, signs ...int) {
		result := w.fresh(v128)
		push(0, 1)
		w.simd(code)
		w.set(result)
		push(0)
		w.get(result)
		w.simd(0x51)
		push(signs...)
		if len(signs) == 1 {
			w.get(result)
		}
		w.simd(0x51, 0x4e)
		w.pair(0, 0)
		w.simd(0xd8)
	}
	if f, ok := w.m.vectors[op]; ok {
		all()
		w.call(f)
		return
	}
	if codes, ok := vectorOpcodes[op]; ok {
		all()
		w.simd(codes...)
		return
	}
	if code, ok := shifts[op]; ok && !w.varying(args[1]) {
		push(0)
		w.atom(args[1])
		w.emit(0xa7)
		w.simd(code)
		return
	}
	switch op {
	case loop.SelF, loop.SelI, loop.SelB:
		push(1, 2, 0)
		w.simd(0x52)
	case loop.MaxI:
		push(0, 1, 0, 1)
		w.simd(0xd9, 0x52)
	case loop.MinI:
		push(0, 1, 0, 1)
		w.simd(0xd8, 0x52)
	case loop.AddOver:
		over(0xce, 1)
	case loop.SubOver:
		over(0xd1, 0, 1)
	default:
		w.laneByLane(op, args, k)
	}
}

// laneByLane pushes a vector of an operation that there is for scalars only.
func (w *writer) laneByLane(op *loop.Op, args []loop.Atom, k int) {
	for lane := range 2 {
		scalars := make([]loop.Atom, len(args))
		for i, a := range args {
			scalars[i] = a
			if w.varying(a) {
				scalars[i] = w.extracted(a, k, lane)
			}
		}
		w.op(op, scalars)
		switch {
		case lane == 0:
			w.repeat(op.Result)
		case op.Result == loop.F64:
			w.simd(0x22)
			w.emit(1)
		default:
			if op.Result == loop.Bool {
				w.emit(0xad)
				w.int64(-1)
				w.emit(0x7e)
			}
			w.simd(0x1e)
			w.emit(1)
		}
	}
}

// checkVector pushes whether a condition fails in some lane.
func (w *writer) checkVector(cond loop.Atom) {
	w.vector(cond, 0)
	for k := 1; k < w.lane.u; k++ {
		w.vector(cond, k)
		w.simd(0x4e)
	}
	w.simd(0xc3) // i64x2.all_true
	w.emit(0x45)
}

// defineVector adds the definition of an operation on vectors.
func (m *module) defineVector(def *loop.Func, op *loop.Op) int {
	w := &writer{m: m, at: map[*loop.Var]local{}, math: op,
		lane: &lanes{u: 1, varies: &loop.VarSet{}, first: map[*loop.Var]bool{}}}
	params := make([]byte, len(def.Params))
	for i, p := range def.Params {
		w.at[p], params[i] = local(i), v128
		w.lane.varies.Add(p)
	}
	loop.Walk(def.Body, func(s loop.Stmt) { loop.Defs(s, w.lane.varies.Add) })
	w.params = len(params)
	w.stmts(def.Body)
	w.vector(def.Body.Yield[0], 0)
	return m.add(params, []byte{v128}, w.locals, w.code)
}

// scalarsInstead returns the results of the definition on scalars, lane by lane, if the i32 that it
// pops is not 0.
func (w *writer) scalarsInstead() {
	w.emit(0x04, empty)
	for lane := range 2 {
		for p := range w.params {
			w.get(local(p))
			w.extract(w.math.Args[p], lane)
		}
		w.call(w.m.math[w.math])
		if lane == 0 {
			w.repeat(loop.F64)
		} else {
			w.simd(0x22)
			w.emit(1)
		}
	}
	w.emit(0x0f, 0x0b)
}

// definition is that of an operation that is not an instruction, or nil.
func (m *module) definition(op *loop.Op) *loop.Func {
	switch {
	case op == loop.Fma:
		return fma()
	case m.deterministic:
		return vmath.Define(op)
	}
	return vmath.DefineUnfused(op)
}
