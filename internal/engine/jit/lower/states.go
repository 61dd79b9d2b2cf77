package lower

import (
	"github.com/fluxion-lang/fluxion/internal/engine/jit/ir"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Buffers as states]
//
// The buffers that a turn of a loop makes are released at its end, by setting the arena back. A
// buffer that the turn hands to the next must survive that. There are three cases:
//
//   - it is the state itself, perhaps updated in place: it lies below;
//   - the turn makes it with a length that is known before the loop, and the next turn only reads it: the turns write two buffers in
//     alternation. They are made before the loop, but for the one that the loop starts with, if that is long enough and not
//     needed any more. A turn that hands the state on, to another state say, would find it overwritten later;
//   - anything else: at the end of the turn it is copied to where the arena stood before the loop, over
//     the state that is not needed any more (evacuate).

// loopStates is what a loop hands from turn to turn.
type loopStates struct {
	l      *lowering
	states []loop.State
	vals   []*value
	mark   ir.Reg // where the arena stood before the loop; noReg if the body does not allocate
	turns  []*alternation
}

// alternation is the pair of buffers of a state.
type alternation struct {
	buf         *loop.Var // the Alloc of the body
	next, other ir.Reg
}

// findAllocating notes which blocks make buffers, at any depth, and tells whether this one does.
func (l *lowering) findAllocating(b *loop.Block) bool {
	found := false
	inner := func(b *loop.Block) { found = l.findAllocating(b) || found }
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc, *loop.Copy, *loop.Call:
			found = true
		default:
			loop.Blocks(s, inner)
		}
	}
	if found {
		l.allocating[b] = true
	}
	return found
}

// enterStates begins with the states of a loop, whose index is nil if it has a condition.
func (l *lowering) enterStates(index *loop.Var, states []loop.State, body *loop.Block) *loopStates {
	st := &loopStates{l: l, states: states, mark: ir.NoReg, turns: make([]*alternation, len(states))}
	for _, s := range states {
		st.vals = append(st.vals, l.fresh(l.spread(s.Init, s.Var)))
	}
	if !l.allocating[body] {
		return st
	}
	for i, s := range states {
		if !s.Var.Kind.IsBuffer() {
			continue
		}
		y, ok := body.Yield[i].(*loop.Var)
		if !ok {
			continue
		}
		if made := allocOf(body, y); made != nil && before(made.Len, index, states, body) && handings(body, y) == 1 && handings(body, s.Var) == 0 {
			n, lanes := l.atom(made.Len), l.lane != nil && l.lane.varies.Has(y)
			t := &alternation{buf: y, next: l.move(ir.NoReg, l.take(n, lanes))}
			if init := s.Init.(*loop.Var); l.spent.Has(init) && l.lane == nil {
				t.other = l.takeOver(l.vals.Get(init), n)
			} else {
				t.other = l.move(ir.NoReg, l.take(n, lanes))
			}
			st.turns[i] = t
		}
	}
	st.mark = l.load(ir.CtxMem(ir.CtxBump))
	return st
}

// takeOver is the memory of a buffer that is not needed any more, or other memory if it has not
// room for n elements.
func (l *lowering) takeOver(old *value, n ir.Reg) ir.Reg {
	p, short, end := l.newReg(ir.GPR, 8), l.label(), l.label()
	l.cmp(old.n, n)
	l.jcc(ir.CCL, short)
	l.move(p, old.r[0])
	l.jump(end)
	l.mark(short)
	l.move(p, l.take(n, false))
	l.mark(end)
	return p
}

// Spent returns the buffers of a function whose memory the states of loops take: Note [Buffers as
// states].
func Spent(f *loop.Func) *loop.VarSet {
	l := &lowering{}
	l.findSpent(f)
	return &l.spent
}

// findSpent finds the buffers that nothing needs any more once a loop has begun which starts with
// them. The loop is in the block that makes the buffer, and before it the buffer is used by its
// elements only, so that it has no other name.
func (l *lowering) findSpent(f *loop.Func) {
	type buffer struct {
		v     *loop.Var
		block *loop.Block // that makes it
		last  int         // the last statement that uses its elements
		names int         // other uses
		start int         // the loop that starts with it, or -1
	}
	var bufs []*buffer
	var of loop.VarMap[*buffer]
	find := func(a loop.Atom) *buffer {
		if v, ok := a.(*loop.Var); ok && v.Kind.IsBuffer() {
			return of.Get(v)
		}
		return nil
	}
	named := func(a loop.Atom) {
		if b := find(a); b != nil {
			b.names++
		}
	}
	at := 0 // the number of a statement, from the front to the back
	used := func(a loop.Atom) {
		if b := find(a); b != nil {
			b.last = at
		}
	}
	var visit func(b *loop.Block)
	visit = func(b *loop.Block) {
		for _, s := range b.Stmts {
			at++
			switch s := s.(type) {
			case *loop.Load, *loop.Store, *loop.Accum, *loop.Length:
				loop.Uses(s, used)
				continue
			case *loop.Call:
				if len(s.Results) == 0 { // it can only use the elements
					loop.Uses(s, used)
					continue
				}
			case *loop.Alloc:
				made := &buffer{v: s.Var, block: b, start: -1}
				bufs = append(bufs, made)
				of.Set(s.Var, made)
			case *loop.For:
				for _, st := range s.States {
					if made := find(st.Init); made != nil && made.block == b {
						made.start = at
					}
				}
			}
			loop.Uses(s, named)
			loop.Blocks(s, visit)
		}
		for _, a := range b.Yield {
			named(a)
		}
	}
	visit(f.Body)
	for _, b := range bufs {
		if b.names == 1 && b.start > b.last {
			l.spent.Add(b.v)
		}
	}
}

// allocOf finds the Alloc of a buffer among the statements of a block.
func allocOf(b *loop.Block, v *loop.Var) *loop.Alloc {
	for _, s := range b.Stmts {
		if a, ok := s.(*loop.Alloc); ok && a.Var == v {
			return a
		}
	}
	return nil
}

func once(as []loop.Atom, v *loop.Var) bool {
	n := 0
	for _, a := range as {
		if a == loop.Atom(v) {
			n++
		}
	}
	return n == 1
}

// handings counts the places of a block in which a buffer may become known by another name: what
// blocks yield, the states of loops, calls and updates.
func handings(b *loop.Block, v *loop.Var) int {
	n := 0
	use := func(a loop.Atom) {
		if a == loop.Atom(v) {
			n++
		}
	}
	yields := func(b *loop.Block) {
		for _, a := range b.Yield {
			use(a)
		}
	}
	yields(b)
	loop.Walk(b, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.Call:
			if len(s.Results) > 0 { // else it can only use the elements
				loop.Uses(s, use)
			}
		case *loop.For, *loop.While, *loop.Update:
			loop.Uses(s, use)
		}
		loop.Blocks(s, yields)
	})
	return n
}

// before tells whether an atom that a turn of a loop uses, but not in its inner blocks, has its
// value before the loop. That it has been lowered does not tell: a loop in a loop with lanes is
// lowered several times.
func before(a loop.Atom, index *loop.Var, states []loop.State, body *loop.Block) bool {
	inside := a == loop.Atom(index)
	for _, s := range states {
		inside = inside || a == loop.Atom(s.Var)
	}
	for _, s := range body.Stmts {
		loop.Defs(s, func(v *loop.Var) { inside = inside || a == loop.Atom(v) })
	}
	return !inside
}

// deepen notes that the states change in the loop that was opened.
func (st *loopStates) deepen() {
	for _, v := range st.vals {
		for _, r := range v.r {
			st.l.f.Reg(r).Depth = st.l.depth()
		}
		if v.n != ir.NoReg {
			st.l.f.Reg(v.n).Depth = st.l.depth()
		}
	}
	for _, t := range st.turns {
		if t != nil {
			st.l.f.Reg(t.next).Depth, st.l.f.Reg(t.other).Depth = st.l.depth(), st.l.depth()
		}
	}
}

// turn lowers a turn of the loop; totals takes its contributions.
func (l *lowering) turn(st *loopStates, body *loop.Block, totals func()) {
	st.deepen()
	for i, s := range st.states {
		l.vals.Set(s.Var, st.vals[i])
		if t := st.turns[i]; t != nil {
			l.given.Set(t.buf, l.buffer(t.next, l.atom(allocOf(body, t.buf).Len), l.lane != nil && l.lane.varies.Has(t.buf)))
		}
	}
	l.block(body)
	if l.err != nil {
		return
	}
	for _, t := range st.turns {
		if t != nil {
			l.given.Set(t.buf, nil)
		}
	}
	totals()
	next := make([]*value, len(st.states))
	var moving []*value
	var at []int
	for i, s := range st.states {
		next[i] = l.spread(body.Yield[i], s.Var)
		if s.Var.Kind.IsBuffer() && st.mark != ir.NoReg && st.turns[i] == nil && next[i] != st.vals[i] {
			moving, at = append(moving, next[i]), append(at, i)
		}
	}
	if st.mark != ir.NoReg {
		// A state that stays must not be overwritten by those that move.
		if len(moving) > 0 {
			moving, at = moving[:0], at[:0]
			for i, s := range st.states {
				if s.Var.Kind.IsBuffer() && st.turns[i] == nil {
					moving, at = append(moving, next[i]), append(at, i)
				}
			}
		}
		for k, v := range l.evacuate(st.mark, moving) {
			next[at[k]] = v
		}
	}
	l.carry(st, next)
	for _, t := range st.turns {
		if t != nil {
			old := l.move(ir.NoReg, t.next)
			l.move(t.next, t.other)
			l.move(t.other, old)
		}
	}
}

// carry moves the next values into the registers of the states, all at once.
func (l *lowering) carry(st *loopStates, next []*value) {
	if len(st.vals) == 0 {
		return
	}
	mine := map[ir.Reg]bool{}
	for _, v := range st.vals {
		for _, r := range v.r {
			mine[r] = true
		}
		if v.n != ir.NoReg {
			mine[v.n] = true
		}
	}
	for _, t := range st.turns {
		if t != nil {
			mine[t.next], mine[t.other] = true, true
		}
	}
	type pair struct{ d, a ir.Reg }
	var pairs []pair
	add := func(d, a ir.Reg) {
		if d == a || d == ir.NoReg {
			return
		}
		if mine[a] {
			a = l.move(ir.NoReg, a)
		}
		pairs = append(pairs, pair{d, a})
	}
	for i, v := range st.vals {
		for u := range v.r {
			add(v.r[u], next[i].r[u])
		}
		add(v.n, next[i].n)
	}
	for _, p := range pairs {
		in := ir.Bare(ir.OpCarry)
		in.D, in.A = p.d, p.a
		l.emit(in)
	}
}

// leaveStates binds the results to copies of the states. What lives on after the loop is then
// apart from what the loop changes: it can go to memory while the states stay in registers.
func (l *lowering) leaveStates(st *loopStates) {
	for i, s := range st.states {
		l.vals.Set(s.Result, l.fresh(st.vals[i]))
	}
}
