package grad

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Saves]
//
// A turn of a loop with states that runs again for its reversal would compute anew what the first
// run has computed. What is dear is put on the tape as well: the results of
// operations that cost much, and totals of inner loops. They may stand in a nest of
// parallel loops inside of the turn, if the counts of these are known in front of the loop.
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
	var visit func(b *loop.Block, nest []*loop.For, lens []loop.Atom)
	visit = func(b *loop.Block, nest []*loop.For, lens []loop.Atom) {
		for _, x := range b.Stmts {
			switch x := x.(type) {
			case *loop.Let:
				if x.Op.Result == loop.F64 && x.Op.Cost >= dear && r.act.active(x.Var) {
					r.saved[x.Var] = r.place(x.Var, nest, lens)
				}
			case *loop.For:
				for _, red := range x.Reds {
					if red.Result.Kind == loop.F64 && r.act.active(red.Result) {
						r.saved[red.Result] = r.place(red.Result, nest, lens)
					}
				}
				if v, ok := x.Count.(*loop.Var); x.Parallel && (!ok || !bound[v]) {
					n := r.b.Let("n", loop.MaxI, r.env.Atom(x.Count), loop.Int(0))
					visit(x.Body, append(nest[:len(nest):len(nest)], x), append(lens[:len(lens):len(lens)], n))
				}
			}
		}
	}
	visit(s.Body, []*loop.For{s}, []loop.Atom{count})
}

func (r *reverser) place(v *loop.Var, nest []*loop.For, lens []loop.Atom) save {
	size := lens[0]
	for _, n := range lens[1:] {
		r.require(r.b, loop.MulOver, false, size, n)
		size = r.b.Let("size", loop.MulI, size, n)
	}
	return save{r.b.Alloc(v.Name+".tape", loop.F64s, size, false), nest, lens}
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

// forget forgets the places that a loop has made.
func (r *reverser) forget(s *loop.For) {
	for v, at := range r.saved {
		if at.nest[0] == s {
			delete(r.saved, v)
		}
	}
}
