package pass

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Late checks]
//
// A derivative checks in every turn of a loop that it is finite and that nothing was tied. Such a
// check guards nothing: what follows it may run if it fails, since the run is discarded anyway. So
// it need not be made in the loop, where it stands in the way of lanes. The loop adds up something
// that is 0 as long as the check holds,
//
//	for i < n { …; check ok; … }
//	→
//	for i < n, add.f from 0.0 { …; late = sel.f ok 0.0 1.0; …; yield late } gives late.1
//	check (eq.f late.1 0.0)
//
// and what it has added up leaves the loop around it in the same way. Whether x is finite is told
// by x * 0, which is 0 or not a number. Checks of indices and of numbers that become integers are
// not like that: only conditions that are made of equalities of reals and of comparisons with
// infinity are late.

// Late moves checks that guard nothing out of loops: Note [Late checks].
func Late(f *loop.Func) {
	l := &later{guardless: map[*loop.Var]bool{}, sizes: map[*loop.Var]loop.Atom{}, finite: map[*loop.Var]loop.Atom{}}
	f.Body = l.block(f.Body, nil)
}

type later struct {
	guardless map[*loop.Var]bool      // conditions that guard nothing
	sizes     map[*loop.Var]loop.Atom // of what a variable is the absolute value
	finite    map[*loop.Var]loop.Atom // of what a condition says that it is finite
}

func (l *later) is(a loop.Atom) bool { v, ok := a.(*loop.Var); return ok && l.guardless[v] }

// failure is the sum of what is 0 unless a check of a block fails; nil if there are none.
type failure struct{ sum loop.Atom }

func (f *failure) add(out *loop.Builder, a loop.Atom) {
	if f.sum != nil {
		a = out.Let("late", loop.AddF, f.sum, a)
	}
	f.sum = a
}

// block rewrites a block. Checks that can leave it are added to leaving, unless that is nil.
func (l *later) block(b *loop.Block, leaving *failure) *loop.Block {
	out := loop.Rebuild(b)
	inner := func(b *loop.Block) *loop.Block { return l.block(b, nil) }
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *loop.Let:
			l.note(s)
			out.Add(s)
		case *loop.Check:
			v, _ := s.Cond.(*loop.Var)
			switch x := l.finite[v]; {
			case leaving == nil || !l.is(s.Cond):
				out.Add(s)
			case x != nil:
				leaving.add(out, out.Let("late", loop.MulF, x, loop.Real(0)))
			default:
				leaving.add(out, out.Let("late", loop.SelF, s.Cond, loop.Real(0), loop.Real(1)))
			}
		case *loop.For:
			fails := &failure{}
			body := l.block(s.Body, fails)
			for i, r := range s.Reds { // whether all are, or one is
				l.guardless[r.Result] = l.is(s.Body.Yield[len(s.States)+i])
			}
			if body == s.Body {
				out.Add(s)
				continue
			}
			y := *s
			y.Body = body
			out.Add(&y)
			if fails.sum == nil {
				continue
			}
			total := loop.NewVar("late", loop.F64)
			y.Body = &loop.Block{Stmts: body.Stmts, Yield: append(slices.Clip(body.Yield), fails.sum)}
			y.Reds = append(slices.Clip(s.Reds), loop.Red{Op: loop.AddF, Init: loop.Real(0), Result: total})
			if leaving != nil {
				leaving.add(out, total)
			} else {
				out.Add(&loop.Check{Cond: out.Let("ok", loop.EqF, total, loop.Real(0))})
			}
		default:
			out.Add(loop.MapBlocks(s, inner))
		}
	}
	return out.Rebuilt(b, b.Yield)
}

// note takes note of what an operation tells about its result.
func (l *later) note(s *loop.Let) {
	switch s.Op {
	case loop.AbsF:
		l.sizes[s.Var] = s.Args[0]
	case loop.EqF, loop.NeF:
		l.guardless[s.Var] = true
	case loop.LtF:
		if k, ok := s.Args[1].(*loop.Const); ok && math.IsInf(k.F, 1) {
			l.guardless[s.Var] = true
			if size, ok := s.Args[0].(*loop.Var); ok && l.sizes[size] != nil {
				l.finite[s.Var] = l.sizes[size]
			}
		}
	case loop.Not:
		l.guardless[s.Var] = l.is(s.Args[0])
	case loop.And, loop.Or:
		l.guardless[s.Var] = l.is(s.Args[0]) && l.is(s.Args[1])
	}
}
