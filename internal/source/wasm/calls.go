package wasm

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Calls]
//
// A call makes room for the results of the function, and frees it with everything that the function
// has made as soon as they are in locals, as a loop does after a turn: buffers among the results
// are moved.

func (w *writer) callFunction(s *loop.Call) {
	mark := w.fresh(i32)
	area := w.fresh(i32, i64)
	w.top()
	w.set(mark)
	w.spend(func() { w.int32(1) })
	if w.m.hosted {
		w.global(depthGlobal)
		w.emit(0x45)
		w.fail(Failed)
		w.global(depthGlobal)
		w.int32(-1)
		w.emit(0x6a)
		w.setGlobal(depthGlobal)
	}
	w.int64(int64(len(s.Results)))
	w.make(area, 0)
	w.all(s.Args)
	w.get(area)
	w.call(w.m.index(s.Func))
	w.pass()
	if w.m.hosted {
		w.global(depthGlobal)
		w.int32(1)
		w.emit(0x6a)
		w.setGlobal(depthGlobal)
	}
	for i, v := range s.Results {
		load := func(offset int, code ...byte) {
			w.get(area)
			w.emit(append(code, leb(int64(8*i+offset))...)...)
		}
		switch v.Kind {
		case loop.F64:
			load(0, 0x2b, 3)
		case loop.I64:
			load(0, 0x29, 3)
		case loop.Bool:
			load(0, 0x28, 2)
		default:
			load(0, 0x28, 2)
			load(4, 0x35, 2)
		}
		w.pop(w.bind(v), v)
	}
	w.release(mark, s.Results)
}
