package grad

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
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

// tape is where the states of a loop are kept, each in a buffer.
type tape struct {
	bufs  []*loop.Var
	lens  []loop.Atom // of the states that are buffers and steady
	parts []*places   // of the others that are buffers
	count loop.Atom   // of turns, not negative
	nest  []*loop.For // old; the outermost writes the tape, the last is the loop
	sizes []loop.Atom // new: of the nest, in turns on the tape
	block *loop.Block // where the loop stands, if it is an inner one
}

// inner tells whether a tape belongs to a loop in the loop that writes it.
func (t *tape) inner() bool { return len(t.nest) > 1 }

// newState makes a state.
func newState(name string, k loop.Kind, init loop.Atom) loop.State {
	return loop.State{Var: loop.NewVar(name, k), Init: init, Result: loop.NewVar(name, k)}
}

// view says where the elements of an old buffer are: in a part of a new one.
type view struct {
	buf        *loop.Var
	start, len loop.Atom
}

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

// require appends a check of a condition on integers.
func (r *reverser) require(b *loop.Builder, op *loop.Op, is bool, x, y loop.Atom) {
	cond := b.Let("ok", op, x, y)
	if !is {
		cond = b.Let("ok", loop.Not, cond)
	}
	if k, ok := cond.(*loop.Const); !ok || k.I == 0 {
		b.Check(cond, diag.Span{})
	}
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

// loop reverses a loop.
func (r *reverser) loop(s *loop.For) {
	if p := r.pushed[s]; p != nil {
		r.pull(s, p)
		return
	}
	t := r.tapes[s]
	index := loop.NewVar(s.Index.Name, loop.I64)
	out := &loop.For{Index: index, Count: r.env.Atom(s.Count), Parallel: s.Parallel}
	ends := r.enterChains(s)
	live := r.live(s)
	carried := r.carried(s, out)
	captured := r.captured(s.Body)
	forwards := t == nil && r.forwards(s)
	if forwards {
		for _, st := range s.States {
			state := newState(st.Var.Name, st.Var.Kind, r.env.Atom(st.Init))
			out.States = append(out.States, state)
			r.env.Set(st.Var, state.Var)
		}
	}
	chainsAt := len(out.States)
	for _, c := range live {
		st := newState(c.now.Name, loop.F64s, c.now)
		out.States, out.Parallel = append(out.States, st), false
		c.now = st.Var
	}
	var totals totals
	var next []loop.Atom
	var values []*loop.Var
	b, cots, tied := r.inner(s.Body.Stmts, captured, !forwards || !r.calls(s), func() {
		turn := loop.Atom(out.Index)
		if t != nil {
			last := r.b.Let("last", loop.SubI, t.count, loop.Int(1))
			turn = r.b.Let(s.Index.Name, loop.SubI, last, turn)
			r.recall(r.b, s, t, r.position(r.b, t, turn), s.Body, func(st loop.State) *loop.Var { return st.Var })
		}
		r.env.Set(s.Index, turn)
		for _, st := range s.States {
			delete(r.cots, st.Var)
		}
		r.block(s.Body.Stmts, func() {
			for _, i := range carried { // all of them first, since a turn may yield the state of another
				if v := s.States[i].Var; v.Kind.IsBuffer() {
					r.bufs[v] = r.zeros(v)
				}
			}
			for k, i := range carried {
				r.give(s.Body.Yield[i], out.States[k].Var)
			}
			for i, red := range s.Reds {
				r.contribution(red, s.Body.Yield[len(s.States)+i], &totals)
			}
		})
		for _, i := range carried {
			v := s.States[i].Var
			if v.Kind.IsBuffer() {
				next = append(next, r.bufs[v])
			} else {
				next = append(next, orZero(r.cots[v]))
			}
		}
		if forwards {
			next = append(next, r.atoms(s.Body.Yield[:len(s.States)])...)
		}
		for _, c := range live {
			next = append(next, c.now)
		}
		if forwards && r.calls(s) {
			for i, red := range s.Reds {
				x := r.env.Atom(s.Body.Yield[len(s.States)+i])
				values = append(values, totals.add(red.Op, r.env.Atom(red.Init), x, func(*loop.Var) {}))
			}
		}
	})
	for i, v := range captured {
		if cots[i] != nil {
			totals.add(loop.AddF, loop.Real(0), cots[i], func(sum *loop.Var) { r.give(v, sum) })
		}
	}
	if !isFalse(tied) {
		totals.add(loop.Or, loop.Truth(false), tied, func(any *loop.Var) { r.tied = either(r.b, r.tied, any) })
	}
	out.Body = b.Block(append(next, totals.yield...)...)
	out.Reds = totals.reds
	r.b.Add(out)
	for k, c := range live {
		c.now = out.States[chainsAt+k].Result
	}
	ends()
	for k, i := range carried {
		r.give(s.States[i].Init, out.States[k].Result)
	}
	for _, then := range totals.then {
		then()
	}
	for _, red := range s.Reds {
		r.initial(red)
	}
	for _, st := range s.States {
		delete(r.views, st.Var)
	}
	r.forget(s)
	if forwards && r.calls(s) {
		var results []*loop.Var
		var again []*loop.Var
		for i, st := range s.States {
			results, again = append(results, st.Result), append(again, out.States[i].Result)
		}
		for i, red := range s.Reds {
			results, again = append(results, red.Result), append(again, values[i])
		}
		r.settle(s, out, results, again)
	}
}

// carried makes states of the cotangents of a loop's states, and says of which.
func (r *reverser) carried(s, out *loop.For) []int {
	var which []int
	for i, st := range s.States {
		if !isReal(st.Var.Kind) || !r.act.active(st.Var) && !r.act.active(st.Result) || r.chains[st.Var] != nil {
			continue
		}
		state := newState(st.Var.Name+"'", st.Var.Kind, nil)
		if st.Var.Kind.IsBuffer() {
			if r.bufs[st.Result] == nil { // only turns read it
				r.bufs[st.Result] = r.zeros(st.Result)
			}
			state.Init = r.bufs[st.Result]
		} else {
			state.Init = orZero(r.cots[st.Result])
		}
		out.States = append(out.States, state)
		which = append(which, i)
	}
	return which
}

// totals collects the totals of a loop, and what is to be done with them after it.
type totals struct {
	reds  []loop.Red
	yield []loop.Atom
	then  []func()
}

func (t *totals) add(op *loop.Op, init, yield loop.Atom, then func(*loop.Var)) *loop.Var {
	v := loop.NewVar("total", op.Result)
	t.reds = append(t.reds, loop.Red{Op: op, Init: init, Result: v})
	t.yield = append(t.yield, yield)
	t.then = append(t.then, func() { then(v) })
	return v
}

// contribution gives a turn's contribution to a total its cotangent: for a sum that of the
// total; for a maximum or minimum too, if it is the contribution. If that is not so
// for one turn alone, there is a tie.
func (r *reverser) contribution(red loop.Red, yield loop.Atom, t *totals) {
	cot := r.cots[red.Result]
	if cot == nil || !r.act.active(red.Result) {
		return
	}
	switch red.Op {
	case loop.AddF:
		r.give(yield, cot)
	case loop.MaxF, loop.MinF:
		extremum := r.env.Atom(red.Result)
		attains := r.attains(r.env.Atom(yield), extremum)
		r.give(yield, r.b.Let("d", loop.SelF, attains, cot, loop.Real(0)))
		one := r.b.Let("one", loop.SelF, attains, loop.Real(1), loop.Real(0))
		t.add(loop.AddF, loop.Real(0), one, func(n *loop.Var) {
			start := r.attains(r.env.Atom(red.Init), extremum)
			first := r.b.Let("one", loop.SelF, start, loop.Real(1), loop.Real(0))
			many := r.b.Let("many", loop.NeF, r.b.Let("n", loop.AddF, n, first), loop.Real(1))
			r.tied = either(r.b, r.tied, r.b.Let("tie", loop.And, many, matters(r.b, cot)))
		})
	default:
		panic(notCovered("a total by " + red.Op.Name))
	}
}

// attains tells whether a double is the extremum of which it is one. They are compared by their
// bits: in another derivative this is not an undecided comparison.
func (r *reverser) attains(x, extremum loop.Atom) loop.Atom {
	return r.b.Let("attains", loop.EqI, r.b.Let("bits", loop.Bits, x), r.b.Let("bits", loop.Bits, extremum))
}

// initial gives what a total starts with its cotangent.
func (r *reverser) initial(red loop.Red) {
	cot := r.cots[red.Result]
	if cot == nil || !r.act.active(red.Init) {
		return
	}
	if red.Op != loop.AddF {
		attains := r.attains(r.env.Atom(red.Init), r.env.Atom(red.Result))
		cot = r.b.Let("d", loop.SelF, attains, cot, loop.Real(0))
	}
	r.give(red.Init, cot)
}

// count runs a While, and again as a For that has as many turns and is taped; or pushes it.
func (r *reverser) count(s *loop.While) {
	turns := loop.NewVar("turns", loop.I64) // an old variable, for the For
	all := slices.Concat(s.Cond.Stmts, s.Body.Stmts)
	body := &loop.Block{Stmts: all, Yield: s.Body.Yield}
	again := &loop.For{Index: loop.NewVar("t", loop.I64), Count: turns, States: s.States, Body: body}
	r.counted[s] = again
	if sources, ok := r.sources(again); ok {
		r.push(again, s, sources)
		return
	}
	n := newState("turns", loop.I64, loop.Int(0))
	out := r.firstly(s, s.States, all).(*loop.While)
	which := r.changing(s.States)
	more, next := r.measures(out.States, out.Body, s.States, which)
	b := loop.Builder{Stmts: out.Body.Stmts}
	out.Body = b.Block(slices.Concat(out.Body.Yield, next, []loop.Atom{b.Let("n", loop.AddI, n.Var, loop.Int(1))})...)
	out.States = slices.Concat(out.States, more, []loop.State{n})
	r.b.Add(out)
	r.env.Set(turns, n.Result)
	r.tapedIn(again, which, rooms(more))
}

// while reverses a While. Its condition is evaluated once more than its body, and the last time is
// not on the tape.
func (r *reverser) while(s *loop.While) {
	again := r.counted[s]
	for _, st := range s.States {
		r.env.Set(st.Var, r.env.Atom(st.Result))
	}
	saved, slopes, factors, tapes := maps.Clone(r.saved), maps.Clone(r.slopes), maps.Clone(r.factors), maps.Clone(r.tapes)
	r.forget(again)
	r.block(s.Cond.Stmts, func() {})
	r.saved, r.slopes, r.factors, r.tapes = saved, slopes, factors, tapes
	r.loop(again)
}
