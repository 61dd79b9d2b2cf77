package pass

import (
	"cmp"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// poly is a polynomial in integer variables with integer coefficients: a sum of terms, by decreasing monomials. It
// stands for an integer without wrapping around. nil stands for one of which nothing is known.
type poly []term

type term struct {
	m mono
	c int64
}

// mono is a product of at most three variables: their numbers, which decrease, and then zeros. The number of a variable is
// larger the later it is bound, so that the terms with the variable that was bound last come first.
type mono [3]int32

// mostCoefficient and mostTerms bound polynomials, and mostFactor the coefficients that are multiplied; beyond them nothing is
// known.
const (
	mostCoefficient = 1 << 50
	mostFactor      = 1 << 25
	mostTerms       = 24
)

// constant is a literal, in the memory of another polynomial that is empty.
func constant(out poly, n int64) poly {
	if n == 0 {
		return out
	}
	return append(out, term{c: n})
}

var one = poly{{c: 1}}

// kept is a polynomial as one that stays until the prover is released.
func (p *prover) kept(e poly) poly {
	if e == nil {
		return nil
	}
	n := len(p.terms)
	if n+len(e) > cap(p.terms) {
		p.terms, n = make([]term, 0, 2*cap(p.terms)+len(e)), 0 // those in the old memory stay there
	}
	p.terms = append(p.terms, e...)
	return p.terms[n : n+len(e) : n+len(e)]
}

// before is what is less by 1 than an integer.
func (p *prover) before(a loop.Atom) poly { return p.kept(p.poly(a).plusIn(p.rooms[0][:0], one, -1)) }

// constant is the term without variables.
func (a poly) constant() int64 {
	if n := len(a); n > 0 && a[n-1].m == (mono{}) {
		return a[n-1].c
	}
	return 0
}

func (m mono) compare(o mono) int {
	for i, v := range m {
		if v != o[i] {
			return cmp.Compare(o[i], v)
		}
	}
	return 0
}

func (m mono) has(v int32) bool { return m[0] == v || m[1] == v || m[2] == v }

// plusIn is a + k b, in the memory of another polynomial that is empty; nil if that is too large.
func (a poly) plusIn(out, b poly, k int64) poly {
	if a == nil || b == nil || abs(k) > 1<<12 {
		return nil
	}
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = a[0].m.compare(b[0].m)
		}
		if order < 0 {
			out, a = append(out, a[0]), a[1:]
			continue
		}
		t := b[0]
		if b = b[1:]; abs(t.c) > mostCoefficient {
			return nil
		}
		if t.c *= k; order == 0 {
			t.c += a[0].c
			a = a[1:]
		}
		if abs(t.c) > mostCoefficient {
			return nil
		}
		if t.c != 0 {
			out = append(out, t)
		}
	}
	if len(out) > mostTerms {
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

// scaled is b times a term, in the memory of another polynomial that is empty; nil if that is too large.
func (b poly) scaled(out poly, x term) poly {
	for _, y := range b {
		m, ok := x.m.times(y.m)
		if !ok || abs(x.c) > mostFactor || abs(y.c) > mostFactor {
			return nil
		}
		out = append(out, term{m, x.c * y.c})
	}
	if x.m != (mono{}) {
		slices.SortFunc(out, func(s, t term) int { return s.m.compare(t.m) })
	}
	return out
}

// times is the product of two monomials, and whether there is one.
func (m mono) times(o mono) (mono, bool) {
	var out mono
	i, j := 0, 0
	for k := range out { // the largest of those that are left
		if i < len(m) && (j == len(o) || m[i] >= o[j]) {
			out[k] = m[i]
			i++
		} else {
			out[k] = o[j]
			j++
		}
	}
	return out, (i == len(m) || m[i] == 0) && (j == len(o) || o[j] == 0)
}

// without is a monomial with one factor v less, and whether it had just one.
func (m mono) without(v int32) (mono, bool) {
	switch v {
	case m[0]:
		m = mono{m[1], m[2]}
	case m[1]:
		m = mono{m[0], m[2]}
	default:
		m = mono{m[0], m[1]}
	}
	return m, !m.has(v)
}

// natural tells whether the factors of a monomial are not negative.
func (p *prover) natural(m mono) bool {
	for _, v := range m {
		if v != 0 && p.span(p.vars[v]).lo < 0 {
			return false
		}
	}
	return true
}

// variables is a set of variables: a bit for all whose numbers have the same last six bits.
type variables uint64

func (a poly) variables() variables {
	out := variables(0)
	for _, t := range a {
		for _, v := range t.m {
			if v != 0 {
				out |= 1 << (v % 64)
			}
		}
	}
	return out
}

// related tells whether two polynomials have a variable in common.
func related(a, b poly) bool {
	for _, s := range a {
		for _, v := range s.m {
			if v == 0 {
				continue
			}
			for _, t := range b {
				if t.m.has(v) {
					return true
				}
			}
		}
	}
	return false
}

// notNegative tells whether a polynomial is known not to be negative, perhaps because it is at
// least another that is known not to be.
func (p *prover) notNegative(e poly) bool {
	if p.direct(e) {
		return true
	}
	vars := e.variables()
	for i := len(p.facts) - 1; i >= max(0, len(p.facts)-32); i-- {
		f := &p.facts[i]
		if f.vars&vars != 0 && related(e, f.poly) && p.direct(e.plusIn(p.rooms[2][:0], f.poly, -1)) {
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
		if e == nil {
			return false
		}
		if len(e) == 0 || e[0].m[0] == 0 {
			return e.constant()+add >= 0
		}
		last := e[0].m[0]
		v := p.vars[last]
		n := 0
		for n < len(e) && e[n].m[0] == last {
			n++
		}
		out, in := e[n:], from
		for _, t := range e[:n] {
			rest, once := t.m.without(last)
			if !once || !p.natural(rest) {
				return false
			}
			bound := p.upper.Get(v)
			if t.c > 0 || bound == nil {
				s := p.span(v)
				n := s.hi
				if t.c > 0 {
					n = s.lo
				}
				if n == 0 {
					continue
				}
				if abs(n) > mostFactor || abs(t.c) > mostFactor {
					return false
				}
				if rest == (mono{}) { // mostly; the sum of so few products does not wrap around
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
