package pass

import "github.com/fluxion-lang/fluxion/internal/loop"

// Note [Guards]
//
// An access to a buffer is in range, and a check before it may be the reason. It may stand in a
// loop: the derivative of a loop accesses what each turn of the loop has checked, and checks
// nothing itself.
//
//	for i < n, add.f from 0.0 { k = ks[i]; check (lt.i k m); x = xs[k]; yield x } gives total
//	for i < n { k = ks[i]; xs'[k] += cot }
//
// So accesses do not move over checks, nor over statements that have checks in them, except those
// that cannot be about indices and lengths: a condition that is made of comparisons of doubles
// alone. The turn of a loop is guarded by what comes before the loop and by the same turn of loops
// before it, so that the two loops may become one. A function that is called may have checks.
//
// An Alloc need not be guarded: a run that asks for a length below 0 or for too much ends as if a
// check had failed.

// guards tells which checks of a block, at any depth, may be the reason why an access is in range.
type guards struct {
	body *loop.Block // nil once its conditions have been looked at
	real loop.VarSet // truth values that are made of comparisons of doubles
}

// in tells whether a statement is or has a check that may be the reason why an access behind it is
// in range.
func (g *guards) in(s loop.Stmt) bool {
	switch s.(type) {
	case *loop.Let, *loop.Load: // most are
		return false
	}
	return g.are(s) || loop.AnyWithin(s, g.are)
}

func (g *guards) are(s loop.Stmt) bool {
	switch s := s.(type) {
	case *loop.Check:
		g.look()
		return !g.real.HasAtom(s.Cond) // a literal is false, where nothing is to follow
	case *loop.Call:
		return true
	}
	return false
}

// accesses tells whether a statement reads or writes elements of buffers.
func accesses(s loop.Stmt) bool { return isAccess(s) || loop.AnyWithin(s, isAccess) }

func isAccess(s loop.Stmt) bool {
	switch s.(type) {
	case *loop.Load, *loop.Store, *loop.Accum, *loop.Update, *loop.Call:
		return true
	}
	return false
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
