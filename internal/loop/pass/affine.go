package pass

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

var one = facts.Poly{{C: 1}}

// ref is a polynomial that stays until the prover is released: a part of its memory for terms. The
// zero ref is none.
type ref struct{ at, n int32 }

// keep makes a polynomial stay.
func (p *prover) keep(e facts.Poly) ref {
	if e == nil {
		return ref{}
	}
	r := ref{int32(len(p.terms)), int32(len(e))}
	p.terms = append(p.terms, e...)
	return r
}

// of is the polynomial that a ref stands for.
func (p *prover) of(r ref) facts.Poly {
	if r.at == 0 {
		return nil
	}
	return p.terms[r.at : r.at+r.n : r.at+r.n]
}

// kept is a polynomial as one that stays.
func (p *prover) kept(e facts.Poly) facts.Poly { return p.of(p.keep(e)) }

// before is what is less by 1 than an integer.
func (p *prover) before(a loop.Atom) ref {
	_, e := p.operand(p.literals[0][:0], a)
	return p.keep(e.Along(p.rooms[0][:0], 1, -1))
}

// times is a b, until the next polynomial is asked for; nil if that is too large.
func (p *prover) times(a, b facts.Poly) facts.Poly {
	return a.Times([2]facts.Poly{p.rooms[0], p.rooms[1]}, p.product, b)
}

// natural tells whether the factors of a monomial are not negative.
func (p *prover) natural(m facts.Mono) bool {
	for ; m != 0; m = m.Rest() {
		if p.vars[m.Last()].Lo < 0 {
			return false
		}
	}
	return true
}

// notNegative tells whether a polynomial is known not to be negative.
func (p *prover) notNegative(e facts.Poly) bool {
	if e == nil {
		return false
	}
	return p.direct(e) || p.byFact(e, p.relevant(e))
}

// sign tells whether a polynomial is known to be at least the first of two numbers and, if it is
// not, whether it is known to be at most the second.
func (p *prover) sign(d facts.Poly, least, most int64) (first, second bool) {
	e := d
	if least != 0 {
		e = d.Along(p.rooms[1][:0], 1, -least)
	}
	if e == nil || p.direct(e) {
		return e != nil, false
	}
	near := p.relevant(d)
	if p.byFact(e, near) {
		return true, false
	}
	e = d.Along(p.rooms[1][:0], -1, most)
	return false, e != nil && (p.direct(e) || p.byFact(e, near))
}

// relevant are the facts that have variables in common with a polynomial, of the last ones, until
// they are asked for again.
func (p *prover) relevant(e facts.Poly) []facts.Poly {
	p.near = p.near[:0]
	vars := e.Variables()
	for i, last := len(p.facts)-1, max(0, len(p.facts)-32); i >= last; i-- {
		if p.facts[i].vars&vars == 0 {
			continue
		}
		if f := p.of(p.facts[i].ref); facts.Related(e, f) {
			p.near = append(p.near, f)
		}
	}
	return p.near
}

// byFact tells whether a polynomial is at least another that is not negative, one of some facts.
func (p *prover) byFact(e facts.Poly, near []facts.Poly) bool {
	for _, f := range near {
		if rest := e.Plus(p.rooms[2][:0], f, -1); rest != nil && p.direct(rest) {
			return true
		}
	}
	return false
}

// direct replaces variables by their bounds, those bound last first, until a constant is left.
func (p *prover) direct(e facts.Poly) bool {
	from := -1 // which of the rooms for sums e is in
	add := int64(0)
	for range 12 {
		if len(e) == 0 || e[0].M == 0 {
			return e.Constant()+add >= 0
		}
		last := e[0].M.Last()
		v := &p.vars[last]
		n := 1
		for n < len(e) && e[n].M.Last() == last {
			n++
		}
		out, in := e[n:], from
		for _, t := range e[:n] {
			rest := t.M.Rest()
			if rest.Last() == last || !p.natural(rest) {
				return false
			}
			bound := p.of(v.upper)
			if t.C > 0 || bound == nil {
				n := v.Hi
				if t.C > 0 {
					n = v.Lo
				}
				if n == 0 {
					continue
				}
				if facts.Abs(n) > facts.MostFactor || facts.Abs(t.C) > facts.MostFactor {
					return false
				}
				if rest == 0 { // mostly; the sum of so few products does not wrap around
					add += n * t.C
					continue
				}
				bound = facts.Const(p.bound[:0], n)
			}
			to := 0
			for to == from || to == in {
				to++
			}
			if out = out.Plus(p.sums[to][:0], bound.Scaled(p.product[:0], facts.Term{M: rest, C: t.C}), 1); out == nil {
				return false
			}
			in = to
		}
		e, from = out, in
	}
	return false
}
