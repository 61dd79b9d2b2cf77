package wasm

import "github.com/fluxion-lang/fluxion/internal/loop"

func (w *writer) stmts(b *loop.Block) {
	for _, s := range b.Stmts {
		w.stmt(s)
	}
}

func (w *writer) stmt(s loop.Stmt) {
	w.m.watch.Step()
	switch s := s.(type) {
	case *loop.Let:
		if w.varying(s.Var) {
			w.letVector(s)
			return
		}
		w.op(s.Op, s.Args)
		w.set(w.bind(s.Var))
	case *loop.Alloc:
		w.alloc(s)
	case *loop.Length:
		w.get(w.at[s.Buf] + 1)
		w.set(w.bind(s.Var))
	case *loop.Load:
		if w.varying(s.Var) {
			w.loadVector(s)
			return
		}
		w.address(s.Buf, s.At)
		w.load(s.Buf.Kind)
		w.set(w.bind(s.Var))
	case *loop.Store:
		w.write(s.Buf, s.At, s.Value)
	case *loop.Accum:
		if w.inLanes(s.Buf) {
			w.accumVector(s)
			return
		}
		w.address(s.Buf, s.At)
		w.address(s.Buf, s.At)
		w.load(s.Buf.Kind)
		w.atom(s.Value)
		w.emit(0xa0, 0x39, 3, 0)
	case *loop.Update:
		w.write(s.Buf, s.At, s.Value)
		w.at[s.Var] = w.at[s.Buf]
	case *loop.Copy:
		w.copy(s)
	case *loop.Call:
		w.callFunction(s)
	case *loop.For:
		w.loop(s)
	case *loop.While:
		w.while(s)
	case *loop.If:
		for _, v := range s.Results {
			w.bind(v)
		}
		w.atom(s.Cond)
		w.emit(0x04, empty)
		w.branch(s.Then, s.Results)
		w.emit(0x05)
		w.branch(s.Else, s.Results)
		w.emit(0x0b)
	case *loop.Check:
		if w.varying(s.Cond) {
			w.checkVector(s.Cond)
		} else {
			w.atom(s.Cond)
			w.emit(0x45)
		}
		switch {
		case w.math == nil:
			w.fail(Failed)
			return
		case w.lane != nil:
			w.scalarsInstead()
			return
		}
		for i, name := range imports { // an angle that is too large: vmath's Note [Large angles]
			if name == w.math.Name {
				w.emit(0x04, empty)
				w.get(0)
				w.call(i)
				w.emit(0x0f, 0x0b)
			}
		}
	}
}

func (w *writer) branch(b *loop.Block, results []*loop.Var) {
	w.stmts(b)
	for i, a := range b.Yield {
		w.value(a, results[i])
		w.pop(w.at[results[i]], results[i])
	}
}

// address pushes the address of an element, or of the first of those of all lanes.
func (w *writer) address(buf *loop.Var, at loop.Atom) { w.scaled(buf, at, w.elementShift(buf)) }

// scaled pushes the address of an element of 2^shift bytes.
func (w *writer) scaled(buf *loop.Var, at loop.Atom, shift int64) {
	w.get(w.at[buf])
	w.atom(at)
	w.emit(0xa7) // i32.wrap_i64
	w.int32(shift)
	w.emit(0x74, 0x6a) // shift and add
}

func (w *writer) load(k loop.Kind) {
	if k == loop.F64s {
		w.emit(0x2b, 3, 0)
	} else {
		w.emit(0x29, 3, 0)
	}
}

func (w *writer) write(buf *loop.Var, at, value loop.Atom) {
	if w.vectorial(buf) || w.varying(at) {
		w.storeVector(buf, at, value)
		return
	}
	w.address(buf, at)
	w.atom(value)
	if buf.Kind == loop.F64s {
		w.emit(0x39, 3, 0)
	} else {
		w.emit(0x37, 3, 0)
	}
}

// make makes a buffer whose number of elements is on the stack, each of them 2^spread times, and
// fails if there is no room.
func (w *writer) make(l local, spread int64) {
	w.set(l + 1)
	w.get(l + 1)
	if spread > 0 {
		w.int64(spread)
		w.emit(0x86) // i64.shl
	}
	w.call(w.m.alloc)
	w.set(l)
	w.get(l)
	w.int32(0)
	w.emit(0x48) // i32.lt_s
	w.fail(Memory)
}

// size pushes the bytes of a buffer.
func (w *writer) size(l local, spread int64) {
	w.get(l + 1)
	w.emit(0xa7)
	w.int32(3 + spread)
	w.emit(0x74)
}

// clear makes the elements of a buffer zeros.
func (w *writer) clear(l local, spread int64) {
	w.get(l)
	w.int32(0)
	w.size(l, spread)
	w.emit(0xfc, 0x0b, 0) // memory.fill
}

func (w *writer) alloc(s *loop.Alloc) {
	w.atom(s.Len)
	w.int64(0)
	w.emit(0x53) // i64.lt_s
	w.fail(Failed)
	w.atom(s.Len)
	l, spread := w.bind(s.Var), w.spread(s.Var)
	w.make(l, spread)
	if s.Zero {
		w.clear(l, spread)
	}
}

func (w *writer) copy(s *loop.Copy) {
	from := w.at[s.Buf]
	l := w.bind(s.Var)
	spread := w.spread(s.Var)
	w.get(from + 1)
	w.make(l, spread)
	w.move(l, from, spread)
}

// move copies the elements of a buffer to another.
func (w *writer) move(to, from local, spread int64) {
	w.get(to)
	w.get(from)
	w.size(to, spread)
	w.emit(0xfc, 0x0a, 0, 0) // memory.copy
}

// release frees what was made since a mark. Buffers of variables that are among it move: out of the
// way, and then to behind the mark.
func (w *writer) release(mark local, kept []*loop.Var) {
	if mark < 0 {
		return
	}
	each := func(f func(l local, spread int64)) {
		for _, v := range kept {
			if !v.Kind.IsBuffer() {
				continue
			}
			w.get(w.at[v])
			w.get(mark)
			w.emit(0x4f, 0x04, empty) // i32.ge_u, if
			f(w.at[v], w.spread(v))
			w.emit(0x0b)
		}
	}
	again := func(l local, spread int64) {
		t := w.fresh(i32, i64)
		w.get(l + 1)
		w.make(t, spread)
		w.move(t, l, spread)
		w.get(t)
		w.set(l)
	}
	each(again)
	w.get(mark)
	w.setTop()
	each(again)
}
