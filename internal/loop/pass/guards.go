package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Guards]
//
// A read is in range, and a check before it may be the reason. So reads do not move over checks,
// except those that cannot be about indices and lengths: a condition that is made of comparisons
// of doubles alone.

// guards finds the checks of a block, at any depth, that may be the reason why a read is in range.
func guards(b *loop.Block) map[*loop.Check]bool {
	out := map[*loop.Check]bool{}
	if !checking(b) {
		return out
	}
	g := &guarding{liveness: newLiveness(b), done: map[*loop.Var]bool{}}
	loop.Walk(b, func(s loop.Stmt) {
		if s, ok := s.(*loop.Check); ok {
			out[s] = g.of(s.Cond)
		}
	})
	g.release()
	return out
}

type guarding struct {
	*liveness
	done map[*loop.Var]bool // whether a truth value may tell something of integers
}

func (g *guarding) of(a loop.Atom) bool {
	v, ok := a.(*loop.Var)
	if !ok {
		return true // false, where nothing is to follow
	}
	if is, ok := g.done[v]; ok {
		return is
	}
	g.done[v] = true
	is := true
	stmt, n := g.def(v)
	switch s := stmt.(type) {
	case *loop.Let:
		switch s.Op {
		case loop.EqF, loop.NeF, loop.LtF, loop.LeF:
			is = false
		case loop.And, loop.Or:
			is = g.part(s.Args[0]) || g.part(s.Args[1])
		case loop.Not:
			is = g.part(s.Args[0])
		}
	case *loop.For:
		if k := n - len(s.States); k >= 0 {
			is = g.part(s.Reds[k].Init) || g.part(s.Body.Yield[n])
		}
	}
	g.done[v] = is
	return is
}

// part is of for a part of a condition, where a literal tells nothing.
func (g *guarding) part(a loop.Atom) bool {
	_, literal := a.(*loop.Const)
	return !literal && g.of(a)
}
