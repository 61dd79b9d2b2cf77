package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// integer finds out what is known of the result of an operation.
func (p *prover) integer(v *variable, s *loop.Let) {
	a := s.Args
	switch s.Op {
	case loop.AddI, loop.SubI, loop.MulI:
		x, e := p.operand(p.literals[0][:0], a[0])
		y, f := p.operand(p.literals[1][:0], a[1])
		both, fits := facts.Exact(s.Op, x, y)
		if !fits {
			return
		}
		switch s.Op {
		case loop.AddI:
			e = e.Plus(p.rooms[0][:0], f, 1)
		case loop.SubI:
			e = e.Plus(p.rooms[0][:0], f, -1)
		default:
			e = p.times(e, f)
		}
		v.Span, v.poly = both, p.keep(e)
	case loop.SelI:
		p.chosen(v, a[1], a[2])
	case loop.ToWord:
		v.Span = facts.Result(s.Op, facts.Anywhere, facts.Anywhere)
	case loop.MinI, loop.MaxI, loop.DivI, loop.ModI, loop.AndI, loop.ShrI:
		x, y := p.span(a[0]), p.span(a[1])
		v.Span = facts.Result(s.Op, x, y)
		switch {
		case s.Op == loop.ModI && y.Lo > 0:
			v.upper = p.before(a[1])
		case s.Op == loop.MinI && x.Hi <= y.Lo, s.Op == loop.MaxI && x.Lo >= y.Hi:
			v.poly = p.ref(a[0])
		case s.Op == loop.MinI && y.Hi <= x.Lo, s.Op == loop.MaxI && y.Lo >= x.Hi:
			v.poly = p.ref(a[1])
		case s.Op == loop.MinI:
			least := a[0]
			if _, ok := least.(*loop.Const); ok {
				least = a[1]
			}
			v.upper = p.ref(least)
		}
	}
}

// chosen takes note that a variable is one of two integers.
func (p *prover) chosen(v *variable, a, b loop.Atom) {
	x, y := p.span(a), p.span(b)
	v.Span = x.Hull(y)
	switch {
	case x.Hi <= y.Lo:
		v.upper = p.ref(b)
	case y.Hi <= x.Lo:
		v.upper = p.ref(a)
	}
}

// branched takes note of the integers that a branch gives. Of what is bound in a branch nothing is
// known behind it.
func (p *prover) branched(s *loop.If) {
	before := func(a loop.Atom, result *loop.Var) bool {
		v, ok := a.(*loop.Var)
		return !ok || p.order.Get(v) > 0 && p.order.Get(v) < p.order.Get(result)
	}
	for i, v := range s.Results {
		a, b := s.Then.Yield[i], s.Else.Yield[i]
		if v.Kind == loop.I64 && before(a, v) && before(b, v) {
			p.chosen(p.variable(v), a, b)
		}
	}
}
