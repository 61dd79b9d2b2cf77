package wasm

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Parts]
//
// Browsers compile a function quickly at first, and well, in the background, when it has turned out
// to take time; the good code runs from the next call on. A function that runs for long in one call
// would never have it. So an outer loop is a function of its own, which is called for a part of the
// turns at a time:
//
//	part(from, to, mark, captured…, states…, totals…) → status, next, states…, totals…
//
// Loops that are deeper than outerLoops are written in place: calling them would cost more.

const (
	outerLoops = 2
	partTurns  = 1 << 10
	checkTurns = 1 << 14 // of an innermost loop in place, between polls
	never      = math.MaxInt64
)

// turns are those of a loop. A While has a condition; its count is never, and its index is set to
// that when it ends.
type turns struct {
	index  *loop.Var // or nil
	cond   *loop.Block
	body   *loop.Block
	states []loop.State
	reds   []loop.Red
	step   int64 // turns at a time
	mark   local // -1 if turns make no buffers
}

func (w *writer) loop(s *loop.For) {
	t := &turns{index: s.Index, body: s.Body, states: s.States, reds: s.Reds, step: 1, mark: -1}
	from, count := w.fresh(i64), w.fresh(i64)
	w.int64(0)
	w.set(from)
	w.atom(s.Count)
	w.set(count)
	w.begin(s.States)
	for _, r := range s.Reds {
		w.value(r.Init, r.Result)
		w.pop(w.bind(r.Result), r.Result)
	}
	if !w.vectorises(s) || w.laneLoops(s, from, count) {
		w.turns(t, from, count)
	}
}

func (w *writer) while(s *loop.While) {
	t := &turns{cond: s.Cond, body: s.Body, states: s.States, step: 1, mark: -1}
	from, count := w.fresh(i64), w.fresh(i64)
	w.int64(0)
	w.set(from)
	w.int64(never)
	w.set(count)
	w.begin(s.States)
	w.turns(t, from, count)
}

// turns writes the turns of a loop from one number to another. States and totals have their first
// values.
func (w *writer) turns(t *turns, from, count local) {
	if allocates(t.body) || t.cond != nil && allocates(t.cond) {
		t.mark = w.fresh(i32)
		w.top()
		w.set(t.mark)
	}
	if w.depth >= outerLoops || w.math != nil {
		w.inPlace(t, from, count)
		return
	}
	part, captured := w.part(t)
	to := w.fresh(i64)
	w.emit(0x02, empty, 0x03, empty) // block, loop
	w.get(from)
	w.get(count)
	w.emit(0x59, 0x0d, 1) // i64.ge_s, br_if out
	left := func() {
		w.get(count)
		w.get(from)
		w.emit(0x7d)
	}
	w.get(from)
	w.least(left, func() { w.int64(partTurns) })
	w.emit(0x7c)
	w.set(to)
	w.spend(func() {
		w.get(to)
		w.get(from)
		w.emit(0x7d, 0xa7) // i64.sub, i32.wrap_i64
	})
	w.get(from)
	w.get(to)
	if t.mark >= 0 {
		w.get(t.mark)
	}
	for _, v := range slices.Concat(captured, t.carried()) {
		w.push(v)
	}
	w.call(part)
	for _, v := range slices.Backward(t.carried()) {
		w.pop(w.at[v], v)
	}
	w.set(from)
	w.pass()
	w.emit(0x0c, 0, 0x0b, 0x0b)
}

// carried are the variables that a turn hands to the next.
func (t *turns) carried() []*loop.Var {
	out := variables(t.states)
	for _, r := range t.reds {
		out = append(out, r.Result)
	}
	return out
}

// least pushes the smaller of two integers.
func (w *writer) least(a, b func()) {
	a()
	b()
	a()
	b()
	w.emit(0x53, 0x1b) // i64.lt_s, select
}

// part is the function that runs a part of the turns, and the variables that it is given beside
// those that are carried.
func (w *writer) part(t *turns) (index int, captured []*loop.Var) {
	carried := t.carried()
	for _, b := range []*loop.Block{t.cond, t.body} {
		if b == nil {
			continue
		}
		for _, v := range loop.Free(b) {
			if v != t.index && !slices.Contains(carried, v) && !slices.Contains(captured, v) {
				captured = append(captured, v)
			}
		}
	}
	if w.lane != nil {
		for _, b := range w.lane.summed {
			captured = append(captured, w.lane.private[b])
		}
	}
	p := &writer{m: w.m, at: map[*loop.Var]local{}, depth: w.depth, lane: w.lane}
	params, results := []byte{i64, i64}, []byte{i32, i64}
	inner := *t
	if t.mark >= 0 {
		inner.mark = local(len(params))
		params = append(params, i32)
	}
	for _, v := range slices.Concat(captured, carried) {
		p.at[v] = local(len(params))
		params = append(params, w.types(v)...)
	}
	for _, v := range carried {
		results = append(results, w.types(v)...)
	}
	p.params, p.beside = len(params), results[1:]
	p.inPlace(&inner, 0, 1)
	p.int32(OK)
	p.get(0)
	for _, v := range carried {
		p.push(v)
	}
	return w.m.add(params, results, p.locals, p.code), captured
}

// inPlace writes the turns from one number to another. The first one is then that of the next turn.
func (w *writer) inPlace(t *turns, from, to local) {
	if t.index != nil {
		w.at[t.index] = from
	}
	deep := w.depth >= outerLoops // otherwise the caller of the part has spent fuel
	innermost := t.cond == nil && isInnermost(t.body)
	if deep && innermost {
		w.spend(func() { // for all turns, or those until the first check
			w.least(func() { w.get(to) }, func() { w.int64(checkTurns) })
			w.emit(0xa7)
		})
	}
	w.emit(0x02, empty, 0x03, empty)
	w.get(from)
	w.get(to)
	w.emit(0x59, 0x0d, 1)
	w.depth++
	if t.cond != nil {
		w.stmts(t.cond)
		w.atom(t.cond.Yield[0])
		w.emit(0x45, 0x04, empty)
		w.int64(never)
		w.set(from)
		w.emit(0x0c, 2, 0x0b)
	}
	w.stmts(t.body)
	w.depth--
	for i, r := range t.reds {
		args := []loop.Atom{r.Result, t.body.Yield[len(t.states)+i]}
		if !w.varying(r.Result) {
			w.op(r.Op, args)
			w.set(w.at[r.Result])
			continue
		}
		for k := range w.lane.u {
			w.vectorOp(r.Op, args, k)
			w.set(w.at[r.Result] + local(k))
		}
	}
	w.advance(t.states, t.body.Yield)
	w.release(t.mark, variables(t.states))
	w.get(from)
	w.int64(t.step)
	w.emit(0x7c)
	w.set(from)
	switch {
	case !deep:
	case !innermost:
		w.spend(func() { w.int32(1) })
	case w.m.hosted && w.math == nil:
		w.get(from)
		w.int64(checkTurns - 1)
		w.emit(0x83, 0x50, 0x04, empty) // if it is a multiple of checkTurns
		w.spend(func() { w.int32(checkTurns) })
		w.emit(0x0b)
	}
	w.emit(0x0c, 0, 0x0b, 0x0b)
}

// isInnermost tells whether a block has no loops and calls in it.
func isInnermost(b *loop.Block) bool {
	yes := true
	loop.Walk(b, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.For, *loop.While, *loop.Call:
			yes = false
		}
	})
	return yes
}

// begin gives states their first values.
func (w *writer) begin(states []loop.State) {
	for _, st := range states {
		w.value(st.Init, st.Var)
		w.pop(w.bind(st.Var), st.Var)
		w.at[st.Result] = w.at[st.Var]
	}
}

// advance gives states their next values, all at once, by the stack.
func (w *writer) advance(states []loop.State, next []loop.Atom) {
	for i, st := range states {
		w.value(next[i], st.Var)
	}
	for _, st := range slices.Backward(states) {
		w.pop(w.at[st.Var], st.Var)
	}
}

// variables are those of states in the body.
func variables(states []loop.State) []*loop.Var {
	var out []*loop.Var
	for _, st := range states {
		out = append(out, st.Var)
	}
	return out
}

// allocates tells whether a block makes buffers.
func allocates(b *loop.Block) bool {
	found := false
	loop.Walk(b, func(s loop.Stmt) {
		switch s.(type) {
		case *loop.Alloc, *loop.Copy, *loop.Call:
			found = true
		}
	})
	return found
}
