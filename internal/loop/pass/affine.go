package pass

import (
	"cmp"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// poly is a polynomial in integer variables with integer coefficients: a sum of terms, by
// decreasing monomials. It stands for an integer without wrapping around. nil stands for one of
// which nothing is known.
type poly []term

type term struct {
	m mono
	c int64
}

// mono is a product of at most three variables: their numbers of 21 bits each, the largest in the
// highest bits, and then zeros. The number of a variable is larger the later it is bound, so that
// the terms with the variable that was bound last come first.
type mono uint64

const (
	numberBits = 21
	mostNumber = 1<<numberBits - 1 // variables that are bound later are not part of polynomials
)

// last is the number of the factor that was bound last, 0 if there is none, and rest the other
// factors.
func (m mono) last() int32 { return int32(m >> (2 * numberBits)) }
func (m mono) rest() mono  { return m << numberBits & (1<<(3*numberBits) - 1) }

// ofVariable is a product of one variable.
func ofVariable(number int32) mono { return mono(number) << (2 * numberBits) }

// mostCoefficient and mostTerms bound polynomials, and mostFactor the coefficients that are
// multiplied; beyond them nothing is known.
const (
	mostCoefficient = 1 << 50
	mostFactor      = 1 << 25
	mostTerms       = 24
)

// constant adds a term without variables to a polynomial that has none.
func constant(out poly, n int64) poly {
	if n == 0 {
		return out
	}
	return append(out, term{c: n})
}

// literal is a literal, in the memory of another polynomial that is empty; nil if it is too large.
func literal(out poly, n int64) poly {
	if abs(n) > mostCoefficient {
		return nil
	}
	return constant(out, n)
}

var one = poly{{c: 1}}

// ref is a polynomial that stays until the prover is released: a part of its memory for terms. The
// zero ref is none.
type ref struct{ at, n int32 }

// keep makes a polynomial stay.
func (p *prover) keep(e poly) ref {
	if e == nil {
		return ref{}
	}
	r := ref{int32(len(p.terms)), int32(len(e))}
	p.terms = append(p.terms, e...)
	return r
}

// of is the polynomial that a ref stands for.
func (p *prover) of(r ref) poly {
	if r.at == 0 {
		return nil
	}
	return p.terms[r.at : r.at+r.n : r.at+r.n]
}

// kept is a polynomial as one that stays.
func (p *prover) kept(e poly) poly { return p.of(p.keep(e)) }

// before is what is less by 1 than an integer.
func (p *prover) before(a loop.Atom) ref {
	_, e := p.operand(p.literals[0][:0], a)
	return p.keep(e.along(p.rooms[0][:0], 1, -1))
}

// constant is the term without variables.
func (a poly) constant() int64 {
	if n := len(a); n > 0 && a[n-1].m == 0 {
		return a[n-1].c
	}
	return 0
}

func (m mono) has(v int32) bool {
	for ; m != 0; m = m.rest() {
		if m.last() == v {
			return true
		}
	}
	return false
}

// plusIn is a + k b for k = ±1, in the memory of another polynomial that is empty; nil if that is
// too large.
func (a poly) plusIn(out, b poly, k int64) poly {
	if a == nil || b == nil {
		return nil
	}
	i := 0
	for j := range b {
		t := term{b[j].m, k * b[j].c}
		for i < len(a) && a[i].m > t.m {
			out = append(out, a[i])
			i++
		}
		if i < len(a) && a[i].m == t.m {
			t.c += a[i].c
			i++
		}
		if abs(t.c) > mostCoefficient {
			return nil
		}
		if t.c != 0 {
			out = append(out, t)
		}
	}
	if out = append(out, a[i:]...); len(out) > mostTerms {
		return nil
	}
	return out
}

// along is k a + n for k = ±1, in the memory of another polynomial that is empty; nil if that is
// too large.
func (a poly) along(out poly, k, n int64) poly {
	if a == nil {
		return nil
	}
	if last := len(a) - 1; last >= 0 && a[last].m == 0 {
		n += k * a[last].c
		a = a[:last]
	}
	for _, t := range a {
		out = append(out, term{t.m, k * t.c})
	}
	if out = constant(out, n); abs(n) > mostCoefficient || len(out) > mostTerms {
		return nil
	}
	return out
}

func abs(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	return max(n, -n)
}

// times is a b, until the next polynomial is asked for; nil if that is too large.
func (p *prover) times(a, b poly) poly {
	if a == nil || b == nil || len(a)*len(b) > mostTerms {
		return nil
	}
	out := p.rooms[0][:0]
	for i, x := range a {
		out = out.plusIn(p.rooms[(i+1)%2][:0], b.scaled(p.product[:0], x), 1)
	}
	return out
}

// scaled is b times a term, in the memory of another polynomial that is empty; nil if that is too
// large.
func (b poly) scaled(out poly, x term) poly {
	for _, y := range b {
		m, ok := x.m.times(y.m)
		if !ok || abs(x.c) > mostFactor || abs(y.c) > mostFactor {
			return nil
		}
		out = append(out, term{m, x.c * y.c})
	}
	if x.m != 0 {
		slices.SortFunc(out, func(s, t term) int { return cmp.Compare(t.m, s.m) })
	}
	return out
}

// times is the product of two monomials, and whether there is one.
func (m mono) times(o mono) (mono, bool) {
	out := mono(0)
	for shift := 2 * numberBits; shift >= 0; shift -= numberBits { // the largest of those that are left
		if m < o {
			m, o = o, m
		}
		out |= mono(m.last()) << shift
		m = m.rest()
	}
	return out, m == 0 && o == 0
}

// without is a monomial with one factor v, which it has, less, and whether it had just one.
func (m mono) without(v int32) (mono, bool) {
	shift := 2 * numberBits
	for int32(m>>shift&mostNumber) != v {
		shift -= numberBits
	}
	low := m & (1<<shift - 1)
	m = m>>(shift+numberBits)<<(shift+numberBits) | low<<numberBits
	return m, !m.has(v)
}

// natural tells whether the factors of a monomial are not negative.
func (p *prover) natural(m mono) bool {
	for ; m != 0; m = m.rest() {
		if p.vars[m.last()].lo < 0 {
			return false
		}
	}
	return true
}

// variables is a set of variables: a bit for all whose numbers have the same last six bits.
type variables uint64

// set is the set of a variable.
func set(number int32) variables { return 1 << (number % 64) }

func (a poly) variables() variables {
	out := variables(0)
	for _, t := range a {
		for m := t.m; m != 0; m = m.rest() {
			out |= set(m.last())
		}
	}
	return out
}

// related tells whether two polynomials have a variable in common.
func related(a, b poly) bool {
	for _, s := range a {
		for m := s.m; m != 0; m = m.rest() {
			for _, t := range b {
				if t.m.has(m.last()) {
					return true
				}
			}
		}
	}
	return false
}

// notNegative tells whether a polynomial is known not to be negative.
func (p *prover) notNegative(e poly) bool {
	if e == nil {
		return false
	}
	return p.direct(e) || p.byFact(e, p.relevant(e))
}

// sign tells whether a polynomial is known to be at least the first of two numbers and, if it is
// not, whether it is known to be at most the second.
func (p *prover) sign(d poly, least, most int64) (first, second bool) {
	e := d
	if least != 0 {
		e = d.along(p.rooms[1][:0], 1, -least)
	}
	if e == nil || p.direct(e) {
		return e != nil, false
	}
	facts := p.relevant(d)
	if p.byFact(e, facts) {
		return true, false
	}
	e = d.along(p.rooms[1][:0], -1, most)
	return false, e != nil && (p.direct(e) || p.byFact(e, facts))
}

// relevant are the facts that have variables in common with a polynomial, of the last ones, until
// they are asked for again.
func (p *prover) relevant(e poly) []poly {
	p.near = p.near[:0]
	vars := e.variables()
	for i, last := len(p.facts)-1, max(0, len(p.facts)-32); i >= last; i-- {
		if p.facts[i].vars&vars == 0 {
			continue
		}
		if f := p.of(p.facts[i].ref); related(e, f) {
			p.near = append(p.near, f)
		}
	}
	return p.near
}

// byFact tells whether a polynomial is at least another that is not negative, one of some facts.
func (p *prover) byFact(e poly, facts []poly) bool {
	for _, f := range facts {
		if rest := e.plusIn(p.rooms[2][:0], f, -1); rest != nil && p.direct(rest) {
			return true
		}
	}
	return false
}

// direct replaces variables by their bounds, those bound last first, until a constant is left.
func (p *prover) direct(e poly) bool {
	from := -1 // which of the rooms for sums e is in
	add := int64(0)
	for range 12 {
		if len(e) == 0 || e[0].m == 0 {
			return e.constant()+add >= 0
		}
		last := e[0].m.last()
		v := &p.vars[last]
		n := 1
		for n < len(e) && e[n].m.last() == last {
			n++
		}
		out, in := e[n:], from
		for _, t := range e[:n] {
			rest := t.m.rest()
			if rest.last() == last || !p.natural(rest) {
				return false
			}
			bound := p.of(v.upper)
			if t.c > 0 || bound == nil {
				n := v.hi
				if t.c > 0 {
					n = v.lo
				}
				if n == 0 {
					continue
				}
				if abs(n) > mostFactor || abs(t.c) > mostFactor {
					return false
				}
				if rest == 0 { // mostly; the sum of so few products does not wrap around
					add += n * t.c
					continue
				}
				bound = constant(p.bound[:0], n)
			}
			to := 0
			for to == from || to == in {
				to++
			}
			if out = out.plusIn(p.sums[to][:0], bound.scaled(p.product[:0], term{rest, t.c}), 1); out == nil {
				return false
			}
			in = to
		}
		e, from = out, in
	}
	return false
}
