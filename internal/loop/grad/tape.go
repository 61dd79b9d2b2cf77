package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Tapes]
//
// A loop with states runs backwards when it is reversed: a turn is run again from the states at its
// beginning, and reversed. The cotangents of the states are the states of that loop. So the loop
// first writes its states to a tape: for each a buffer, with one element a turn for a scalar, and
// with all its elements for a buffer. Its length may change: Note [Lengths that change].
//
// The tape of a loop in a loop is written by the first run of the outer one, if the counts and
// lengths are known in front of that: Note [Saves]. The inner loop is not run again then. Its
// results are at the end of its tape; what its turns stored is stored again by a loop that takes
// the states of each turn from there.
//
// A loop none of whose states is active needs no tape: it is reversed forwards, and carries its
// states again.
//
// A While is run once to count its turns, and then again as a For, unless it is pushed: Note
// [Pushed loops].

// forwards tells whether a loop with states is reversed turn by turn in the order in which it runs.
func (r *reverser) forwards(s *loop.For) bool {
	if s.Parallel {
		return false
	}
	for _, st := range s.States {
		if r.chains[st.Var] != nil || isReal(st.Var.Kind) && (r.act.active(st.Var) || r.act.active(st.Result)) {
			return false
		}
	}
	updates := false
	loop.Walk(s.Body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Load:
			updates = updates || r.chains[s.Buf] != nil
		case *loop.Update:
			updates = true
		}
	})
	return !updates
}

// taped runs a loop and keeps a tape of it.
func (r *reverser) taped(s *loop.For) {
	which := r.changing(s.States)
	r.tapedIn(s, which, r.measured(s, which))
}

// tapedIn is taped for a loop with some states whose lengths change, for which there must be room
// on the tape.
func (r *reverser) tapedIn(s *loop.For, changing []int, rooms []loop.Atom) {
	count := r.b.Let("n", loop.MaxI, r.env.Atom(s.Count), loop.Int(0))
	t := &tape{count: count, nest: []*loop.For{s}, sizes: []loop.Atom{count}}
	t.lens, t.parts = make([]loop.Atom, len(s.States)), make([]*places, len(s.States))
	for i, k := range changing {
		t.parts[k] = r.makePlaces(t, rooms[i])
	}
	for k, st := range s.States {
		c := r.chains[st.Var]
		if st.Var.Kind.IsBuffer() && t.parts[k] == nil && (c == nil || c.state == st.Var) {
			t.lens[k] = r.b.Length(r.env.Atom(st.Init).(*loop.Var))
		}
		if c != nil && c.state == st.Var {
			c.len = t.lens[k]
		}
	}
	r.makeTape(s, t)
	r.saves(s, count)
	outer := r.saving
	r.saving = s
	r.recorded(r.b, s)
	r.saving = outer
}

// makeTape makes the buffers of a tape.
func (r *reverser) makeTape(s *loop.For, t *tape) {
	r.tapes[s] = t
	for k, st := range s.States {
		if r.chains[st.Var] != nil {
			t.bufs = append(t.bufs, nil)
			continue
		}
		sizes, kind := t.sizes, loop.I64s
		if isReal(st.Var.Kind) {
			kind = loop.F64s
		}
		if t.parts[k] != nil {
			sizes = []loop.Atom{t.parts[k].room}
		} else if st.Var.Kind.IsBuffer() {
			sizes = slices.Concat(t.sizes, t.lens[k:k+1])
		}
		t.bufs = append(t.bufs, r.b.Alloc(st.Var.Name+".tape", kind, r.product(sizes), false))
	}
}

// product is a product that fits.
func (r *reverser) product(sizes []loop.Atom) loop.Atom {
	size := sizes[0]
	for _, n := range sizes[1:] {
		r.require(r.b, loop.MulOver, false, size, n)
		size = r.b.Let("size", loop.MulI, size, n)
	}
	return size
}

// recorded runs a loop that writes its tape.
func (r *reverser) recorded(b *loop.Builder, s *loop.For) {
	t := r.tapes[s]
	var next []loop.Atom // where the parts of the tape of the next turn begin
	m := loop.Mapper{Use: r.env.Atom, Bind: r.env.Bind, Block: func(block *loop.Block) *loop.Block {
		var b loop.Builder
		next = r.record(&b, s, t, r.position(&b, t, r.env.Atom(s.Index)), func(st loop.State) *loop.Var { return st.Var })
		body := r.rerunBlock(block)
		b.Add(body.Stmts...)
		return b.Block(body.Yield...)
	}}
	out := m.Stmt(r.without(s)).(*loop.For)
	out.Body.Yield = slices.Insert(out.Body.Yield, len(out.States), next...)
	out.States = slices.Clone(out.States)
	for _, p := range t.parts {
		if p != nil {
			out.States = append(out.States, p.start)
		}
	}
	b.Add(out)
	if t.inner() {
		r.record(b, s, t, r.position(b, t, t.count), func(st loop.State) *loop.Var { return st.Result })
	}
}

// position is the number of a turn on a tape, in the turns of the loops around that are under way.
func (r *reverser) position(b *loop.Builder, t *tape, turn loop.Atom) loop.Atom {
	last := len(t.nest) - 1
	if last == 0 {
		return turn
	}
	at := b.Let("at", loop.MulI, r.index(b, t.nest[:last], t.sizes[:last]), t.sizes[last])
	return b.Let("at", loop.AddI, at, turn)
}

// record writes the states, or their results, to the tape. It gives where the parts of the tape of
// the next turn begin, for states whose lengths may change.
func (r *reverser) record(b *loop.Builder, s *loop.For, t *tape, turn loop.Atom, of func(loop.State) *loop.Var) (next []loop.Atom) {
	for k, st := range s.States {
		if t.bufs[k] == nil {
			continue
		}
		now := r.env.Atom(of(st))
		switch st.Var.Kind {
		case loop.F64, loop.I64:
			b.Store(t.bufs[k], turn, now)
		case loop.Bool:
			b.Store(t.bufs[k], turn, b.Let("w", loop.ToWord, now))
		default:
			from := now.(*loop.Var)
			var start, n loop.Atom
			if p := t.parts[k]; p != nil {
				start, n = p.start.Var, b.Length(from)
				next = append(next, r.notePlace(b, p, turn, n))
			} else {
				r.require(b, loop.EqI, true, b.Length(from), t.lens[k])
				start, n = b.Let("start", loop.MulI, turn, t.lens[k]), t.lens[k]
			}
			b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
				b.Store(t.bufs[k], b.Let("at", loop.AddI, start, i), b.Load("x", from, i))
			})
		}
	}
	return next
}

// recall binds the states, or their results, to what the tape has of a turn. Body is where they are
// used.
func (r *reverser) recall(b *loop.Builder, s *loop.For, t *tape, turn loop.Atom, body *loop.Block,
	of func(loop.State) *loop.Var) {
	for k, st := range s.States {
		if t.bufs[k] == nil {
			continue
		}
		v := of(st)
		switch v.Kind {
		case loop.F64, loop.I64:
			r.env.Set(v, b.Load(v.Name, t.bufs[k], turn))
		case loop.Bool:
			w := b.Load("w", t.bufs[k], turn)
			r.env.Set(v, b.Let(v.Name, loop.NeI, w, loop.Int(0)))
		default:
			start, n := t.part(b, k, turn)
			if onlyLoaded(body, v) {
				r.views[v] = view{buf: t.bufs[k], start: start, len: n}
				continue
			}
			whole := b.Alloc(v.Name, v.Kind, n, false)
			b.Parallel("i", n, func(b *loop.Builder, i *loop.Var) {
				b.Store(whole, i, b.Load("x", t.bufs[k], b.Let("at", loop.AddI, start, i)))
			})
			r.env.Set(v, whole)
		}
	}
}

// part says where the part of the tape that belongs to a state, a buffer, begins in a turn, and how
// long it is.
func (t *tape) part(b *loop.Builder, k int, turn loop.Atom) (start, n loop.Atom) {
	if p := t.parts[k]; p != nil {
		return b.Load("start", p.starts, turn), b.Load("n", p.lens, turn)
	}
	return b.Let("start", loop.MulI, turn, t.lens[k]), t.lens[k]
}

// replay does again what a loop does whose tape is written: it binds its results, and stores what
// the turns store.
func (r *reverser) replay(b *loop.Builder, s *loop.For) {
	t := r.tapes[s]
	r.recall(b, s, t, r.position(b, t, t.count), t.block, func(st loop.State) *loop.Var { return st.Result })
	for _, red := range s.Reds {
		r.recalled(b, red.Result)
	}
	inside, stores := allocated(s.Body.Stmts), false
	writes(s, func(buf *loop.Var) { stores = stores || r.local[buf] && !inside[buf] })
	if !stores {
		return
	}
	var body loop.Builder
	index := loop.NewVar(s.Index.Name, loop.I64)
	r.env.Set(s.Index, index)
	r.recall(&body, s, t, r.position(&body, t, index), s.Body, func(st loop.State) *loop.Var { return st.Var })
	for _, x := range s.Body.Stmts {
		r.rerun(&body, x)
	}
	b.Add(&loop.For{Index: index, Count: r.env.Atom(s.Count), Parallel: true, Body: body.Block()})
	for _, st := range s.States {
		delete(r.views, st.Var)
	}
}

// onlyLoaded tells whether a block uses a buffer only by its elements and its length.
func onlyLoaded(b *loop.Block, buf *loop.Var) bool {
	n := 0
	loop.AllUses(b, func(a loop.Atom) {
		if a == loop.Atom(buf) {
			n++
		}
	})
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Load:
			if s.Buf == buf {
				n--
			}
		case *loop.Length:
			if s.Buf == buf {
				n--
			}
		}
	})
	return n == 0
}
