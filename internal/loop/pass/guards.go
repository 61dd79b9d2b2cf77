package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Guards]
//
// A read is in range, and a check before it may be the reason. So reads do not move over checks,
// except those that cannot be about indices and lengths: a condition that is made of comparisons
// of doubles alone.

// guards tells which checks of a block, at any depth, may be the reason why a read is in range.
type guards struct {
	body *loop.Block // nil once its conditions have been looked at
	real loop.VarSet // truth values that are made of comparisons of doubles
}

// are tells whether a check may be the reason why a read is in range.
func (g *guards) are(s *loop.Check) bool {
	g.look()
	return !g.real.HasAtom(s.Cond) // a literal is false, where nothing is to follow
}

// look looks at the conditions of the body, when the first check is asked about.
func (g *guards) look() {
	if g.body != nil {
		g.block(g.body)
		g.body = nil
	}
}

// more adds the checks of a block that was made since.
func (g *guards) more(b *loop.Block) {
	g.look()
	g.block(b)
}

// block looks at truth values in the order in which they are bound.
func (g *guards) block(b *loop.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			if s.Op.Result == loop.Bool && g.comparison(s) {
				g.real.Add(s.Var)
			}
		case *loop.For:
			g.block(s.Body)
			for i, r := range s.Reds {
				if r.Result.Kind == loop.Bool && g.part(r.Init) && g.part(s.Body.Yield[len(s.States)+i]) {
					g.real.Add(r.Result)
				}
			}
		default:
			loop.Blocks(s, g.block)
		}
	}
}

func (g *guards) comparison(s *loop.Let) bool {
	switch s.Op {
	case loop.EqF, loop.NeF, loop.LtF, loop.LeF:
		return true
	case loop.And, loop.Or:
		return g.part(s.Args[0]) && g.part(s.Args[1])
	case loop.Not:
		return g.part(s.Args[0])
	}
	return false
}

// part tells whether a part of a condition tells nothing of integers. A literal does not.
func (g *guards) part(a loop.Atom) bool {
	_, literal := a.(*loop.Const)
	return literal || g.real.HasAtom(a)
}
