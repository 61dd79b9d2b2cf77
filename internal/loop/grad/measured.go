package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Lengths that change]
//
// A buffer that is a state may have another length in each turn, as in
//
//	for k < n, v = vs { m = sub.i n k; w = alloc m; …; yield w }
//
// On the tape, the buffers of all turns lie one behind the other. Two more buffers say where that
// of a turn begins, and how long it is. The loop is first run to find the sum of the lengths, which
// is the length of the tape; a While does so while it counts its turns. That run costs little where
// the lengths do not depend on what the buffers hold, since the rest of it is dead code. The
// cotangent of the state has the length of the turn too.
//
// An inner loop with such a state does not write to the tape of an outer one: it is recorded when a
// turn of that is reversed.

// changing gives the numbers of the states of a loop whose lengths may change.
func (r *reverser) changing(states []loop.State) []int {
	var which []int
	for k, st := range states {
		if st.Var.Kind.IsBuffer() && r.chains[st.Var] == nil && r.changes(st.Var) {
			which = append(which, k)
		}
	}
	return which
}

// changes tells whether a state, which is a buffer, may change its length.
func (r *reverser) changes(state *loop.Var) bool {
	if r.unsteady == nil {
		r.unsteady = changing(r.fun)
	}
	return r.unsteady(state)
}

// measured runs a loop, and gives the sum of the lengths of some of its states over all turns, and
// of those in the end.
func (r *reverser) measured(s *loop.For, which []int) []loop.Atom {
	if len(which) == 0 {
		return nil
	}
	out := r.firstly(s, s.States, s.Body.Stmts).(*loop.For)
	more, next := r.measures(out.States, out.Body, s.States, which)
	out.Body.Yield = slices.Insert(out.Body.Yield, len(out.States), next...)
	out.States = slices.Concat(out.States, more)
	r.b.Add(out)
	return rooms(more)
}

// firstly is a loop that is run before its states are recorded. It does nothing to buffers from
// outside.
func (r *reverser) firstly(s loop.Stmt, states []loop.State, body []loop.Stmt) loop.Stmt {
	local := r.local
	r.local = allocated(body)
	out := r.mapper().Stmt(r.without(s))
	r.local = local
	return loop.WithStates(out, func(now []loop.State) []loop.State {
		now = slices.Clone(now)
		at := 0
		for _, st := range states {
			if r.gone(st.Var) != nil {
				continue
			}
			if r.chains[st.Var] != nil {
				whole := loop.NewVar(st.Var.Name, st.Var.Kind)
				r.b.Add(&loop.Copy{Var: whole, Buf: now[at].Init.(*loop.Var)})
				now[at].Init = whole
			}
			at++
		}
		return now
	})
}

// measures makes two states for each of some old ones, of a loop that has the given states and body
// now: the length, and the sum of the lengths. It also gives what a turn yields for them.
func (r *reverser) measures(now []loop.State, body *loop.Block, old []loop.State, which []int) (more []loop.State, next []loop.Atom) {
	lens := map[*loop.Var]*loop.Var{}
	b := loop.Builder{Stmts: body.Stmts}
	var yields []*loop.Var
	for _, k := range which {
		for _, st := range old[:k] {
			if r.gone(st.Var) != nil {
				k--
			}
		}
		n := newState("len", loop.I64, r.b.Length(now[k].Init.(*loop.Var)))
		lens[now[k].Var] = n.Var
		more = append(more, n, newState("room", loop.I64, n.Init))
		yields = append(yields, body.Yield[k].(*loop.Var))
	}
	for i, v := range yields {
		n := lengthIn(&b, v, lens)
		next = append(next, n, b.Let("room", loop.AddI, more[2*i+1].Var, n))
	}
	body.Stmts = b.Stmts
	return more, next
}

// rooms are the sums of the lengths that a loop with measures gives.
func rooms(measures []loop.State) []loop.Atom {
	var out []loop.Atom
	for i := 1; i < len(measures); i += 2 {
		out = append(out, measures[i].Result)
	}
	return out
}

// lengthIn emits the length of a new buffer at the end of the block that is being built. The
// lengths of some buffers from outside are known. It does not need what the buffer holds, if it can
// be found without.
func lengthIn(b *loop.Builder, buf *loop.Var, known map[*loop.Var]*loop.Var) loop.Atom {
	if n := known[buf]; n != nil {
		return n
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Alloc:
			if s.Var == buf {
				return s.Len
			}
		case *loop.Copy:
			if s.Var == buf {
				return lengthIn(b, s.Buf, known)
			}
		case *loop.If:
			if k := slices.Index(s.Results, buf); k >= 0 {
				n := loop.NewVar("n", loop.I64)
				for _, side := range []*loop.Block{s.Then, s.Else} {
					inner := loop.Builder{Stmts: side.Stmts}
					y := lengthIn(&inner, side.Yield[k].(*loop.Var), known)
					side.Stmts, side.Yield = inner.Stmts, append(slices.Clone(side.Yield), y)
				}
				s.Results = append(slices.Clone(s.Results), n)
				return n
			}
		}
	}
	return b.Length(buf)
}

// makePlaces makes the tape of a state whose length may change.
func (r *reverser) makePlaces(t *tape, room loop.Atom) *places {
	return &places{r.b.Alloc("start.tape", loop.I64s, t.count, false), r.b.Alloc("len.tape", loop.I64s, t.count, false), room,
		newState("start", loop.I64, loop.Int(0))}
}

// notePlace notes where a turn's part of the tape begins, and how long it is. It gives where that
// of the next turn begins.
func (r *reverser) notePlace(b *loop.Builder, p *places, turn loop.Atom, n loop.Atom) (next loop.Atom) {
	next = b.Let("start", loop.AddI, p.start.Var, n)
	r.require(b, loop.LeI, true, next, p.room)
	b.Store(p.starts, turn, p.start.Var)
	b.Store(p.lens, turn, n)
	return next
}
