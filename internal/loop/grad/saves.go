package grad

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Saves]
//
// A turn of a loop with states that runs again for its reversal would compute anew what the first
// run has computed. What is dear is put on the tape as well: the results of
// operations that cost much, and totals of inner loops. They may stand in a nest of
// parallel loops inside of the turn, if the counts of these are known in front of the loop. What is
// read from a buffer that is updated in place is saved in any case: Note [In place].
//
//	h = tanh (w*h + x)    tape: h before the turn, and tanh's result
//
// What of it the reversal does not read is dead code.

// save is the place on the tape of an old scalar: a buffer, with an element for each turn of
// the loops around it.
type save struct {
	buf  *loop.Var
	nest []*loop.For // old; the first is the loop with states
	lens []loop.Atom // new counts of the loops, not negative
}

// dear is the cost from which on an operation's result is saved.
const dear = 8

// saves makes the places of what a loop saves.
func (r *reverser) saves(s *loop.For, count loop.Atom) {
	bound := map[*loop.Var]bool{s.Index: true}
	loop.Walk(s.Body, func(s loop.Stmt) {
		loop.Params(s, func(v *loop.Var) { bound[v] = true })
		loop.Defs(s, func(v *loop.Var) { bound[v] = true })
	})
	begins := map[*loop.Var]bool{}
	for _, st := range s.States {
		begins[st.Var] = true
	}
	var visit func(b *loop.Block, nest []*loop.For, lens []loop.Atom, parallel bool)
	visit = func(b *loop.Block, nest []*loop.For, lens []loop.Atom, parallel bool) {
		keep := func(v *loop.Var) {
			if _, ok := r.saved[v]; !ok {
				r.saved[v] = r.place(v, nest, lens)
			}
		}
		for _, x := range b.Stmts {
			switch x := x.(type) {
			case *loop.Let:
				if parallel && x.Op.Result == loop.F64 && x.Op.Cost >= dear && r.act.active(x.Var) {
					keep(x.Var)
				}
			case *loop.Load:
				if c := r.chains[x.Buf]; c != nil && begins[c.state] {
					keep(x.Var)
				}
			case *loop.If:
				visit(x.Then, nest, lens, parallel)
				visit(x.Else, nest, lens, parallel)
			case *loop.For:
				for _, red := range x.Reds {
					if parallel && red.Result.Kind == loop.F64 && r.act.active(red.Result) {
						keep(red.Result)
					}
				}
				if v, ok := x.Count.(*loop.Var); !ok || !bound[v] {
					n := r.b.Let("n", loop.MaxI, r.env.Atom(x.Count), loop.Int(0))
					deeper, sizes := slices.Concat(nest, []*loop.For{x}), slices.Concat(lens, []loop.Atom{n})
					visit(x.Body, deeper, sizes, parallel && x.Parallel)
				}
			}
		}
	}
	visit(s.Body, []*loop.For{s}, []loop.Atom{count}, true)
}

func (r *reverser) place(v *loop.Var, nest []*loop.For, lens []loop.Atom) save {
	size := lens[0]
	for _, n := range lens[1:] {
		r.require(r.b, loop.MulOver, false, size, n)
		size = r.b.Let("size", loop.MulI, size, n)
	}
	kind := loop.F64s
	if v.Kind == loop.I64 {
		kind = loop.I64s
	}
	return save{r.b.Alloc(v.Name+".tape", kind, size, false), nest, lens}
}

// index is where a turn's value is.
func (r *reverser) index(b *loop.Builder, s save) loop.Atom {
	at := r.env.Atom(s.nest[0].Index)
	for i, inner := range s.nest[1:] {
		at = b.Let("at", loop.MulI, at, s.lens[i+1])
		at = b.Let("at", loop.AddI, at, r.env.Atom(inner.Index))
	}
	return at
}

// save writes an old scalar to the tape that is being written, if it has a place there.
func (r *reverser) save(b *loop.Builder, v *loop.Var) {
	if at, ok := r.saved[v]; ok {
		b.Store(at.buf, r.index(b, at), r.env.Atom(v))
	}
}

// recalled takes an old scalar from a tape, and tells whether it is on one.
func (r *reverser) recalled(b *loop.Builder, v *loop.Var) bool {
	at, ok := r.saved[v]
	if !ok || at.nest[0] == r.saving {
		return false
	}
	r.env.Subst[v] = b.Load(v.Name, at.buf, r.index(b, at))
	return true
}

// forget forgets the places that a loop has made.
func (r *reverser) forget(s *loop.For) {
	for v, at := range r.saved {
		if at.nest[0] == s {
			delete(r.saved, v)
		}
	}
}
