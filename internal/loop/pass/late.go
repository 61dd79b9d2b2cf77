package pass

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Late checks]
//
// A derivative checks in every turn of a loop that it is finite and that nothing was tied. Such a check
// guards nothing: what follows it may run if it fails, since the run is discarded anyway. So it need not
// be made in the loop, where it stands in the way of lanes. The loop counts the turns in which it fails,
//
//	for i < n { …; check ok; … }
//	→
//	for i < n, add.f from 0.0 { …; late = sel.f ok 0.0 1.0; …; yield late } gives late.1
//	check (eq.f late.1 0.0)
//
// and the check after the loop leaves the loop around it in the same way. Checks of indices and of
// numbers that become integers are not like that: only conditions that are made of equalities of reals
// and of comparisons with infinity are late.

// Late moves checks that guard nothing out of loops: Note [Late checks].
func Late(f *loop.Func) { f.Body = guardless{}.late(f.Body, nil) }

// guardless are conditions that guard nothing.
type guardless map[*loop.Var]bool

func (g guardless) is(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && g[v] }

// late rewrites a block. Conditions of checks that leave it are added to leaving, unless that is nil.
func (g guardless) late(b *loop.Block, leaving *[]loop.Atom) *loop.Block {
	out := loop.Rebuild(b)
	inner := func(b *loop.Block) *loop.Block { return g.late(b, nil) }
	check := func(c *loop.Check) {
		if leaving != nil && g.is(c.Cond) {
			*leaving = append(*leaving, c.Cond)
			return
		}
		out.Add(c)
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			switch s.Op {
			case loop.EqF, loop.NeF:
				g[s.Var] = true
			case loop.LtF:
				k, ok := s.Args[1].(*loop.Const)
				g[s.Var] = ok && math.IsInf(k.F, 1)
			case loop.Not:
				g[s.Var] = g.is(s.Args[0])
			case loop.And, loop.Or:
				g[s.Var] = g.is(s.Args[0]) && g.is(s.Args[1])
			}
			out.Add(s)
		case *loop.Check:
			check(s)
		case *loop.For:
			y := *s
			var conditions []loop.Atom
			y.Body = g.late(s.Body, &conditions)
			for i, r := range s.Reds { // whether all are, or one is
				g[r.Result] = g.is(s.Body.Yield[len(s.States)+i])
			}
			if len(conditions) == 0 {
				if y.Body == s.Body {
					out.Add(s)
				} else {
					out.Add(&y)
				}
				continue
			}
			body := &loop.Builder{}
			for _, inside := range y.Body.Stmts {
				body.Add(inside)
			}
			all := conditions[0]
			for _, c := range conditions[1:] {
				all = body.Let("ok", loop.And, all, c)
			}
			fails := body.Let("late", loop.SelF, all, loop.Real(0), loop.Real(1))
			y.Body = body.Block(append(append([]loop.Atom{}, y.Body.Yield...), fails)...)
			total := loop.NewVar("late", loop.F64)
			y.Reds = append(append([]loop.Red{}, s.Reds...), loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: total})
			out.Add(&y)
			ok := loop.NewVar("ok", loop.Bool)
			out.Add(&loop.Let{Var: ok, Op: loop.EqF, Args: []loop.Atom{total, loop.Real(0)}})
			g[ok] = true
			check(&loop.Check{Cond: ok})
		default:
			out.Add(loop.MapBlocks(s, inner))
		}
	}
	return out.Rebuilt(b, b.Yield)
}
