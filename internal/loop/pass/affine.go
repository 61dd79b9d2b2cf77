package pass

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// poly is a polynomial in integer variables with integer coefficients: a sum of monomials. It
// stands for an integer without wrapping around.
type poly map[mono]int64

// mono is a product of at most three variables, in the order of their numbers; the others are nil.
type mono [3]*loop.Var

// mostCoefficient and mostTerms bound polynomials; beyond them nothing is known.
const (
	mostCoefficient = 1 << 50
	mostTerms       = 24
)

func constant(n int64) poly {
	if n == 0 {
		return poly{}
	}
	return poly{mono{}: n}
}

// plus is a + k b, or nil if that is too large.
func (a poly) plus(b poly, k int64) poly {
	if a == nil || b == nil {
		return nil
	}
	out := poly{}
	for m, c := range a {
		out[m] = c
	}
	for m, c := range b {
		sum := out[m] + k*c
		if abs(c) > mostCoefficient || abs(k) > 1<<12 || abs(sum) > mostCoefficient {
			return nil
		}
		if out[m] = sum; sum == 0 {
			delete(out, m)
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

// times is a b, or nil if that is too large.
func (p *prover) times(a, b poly) poly {
	if a == nil || b == nil || len(a)*len(b) > mostTerms {
		return nil
	}
	out := poly{}
	for m, c := range a {
		for n, d := range b {
			vars := append(m.vars(), n.vars()...)
			if len(vars) > 3 || abs(c) > 1<<25 || abs(d) > 1<<25 {
				return nil
			}
			out[p.mono(vars)] += c * d
		}
	}
	for m, c := range out {
		if c == 0 {
			delete(out, m)
		}
	}
	return out
}

func (m mono) vars() []*loop.Var {
	n := 0
	for n < len(m) && m[n] != nil {
		n++
	}
	return slices.Clone(m[:n])
}

// mono is the product of some variables.
func (p *prover) mono(vars []*loop.Var) mono {
	slices.SortFunc(vars, func(a, b *loop.Var) int { return p.order[a] - p.order[b] })
	var m mono
	copy(m[:], vars)
	return m
}

// last is the variable of a polynomial that was bound last, nil for a constant.
func (p *prover) last(e poly) *loop.Var {
	var found *loop.Var
	for m := range e {
		for _, v := range m.vars() {
			if found == nil || p.order[v] > p.order[found] {
				found = v
			}
		}
	}
	return found
}

// without is a monomial with one factor v less, and whether it had just one.
func (p *prover) without(m mono, v *loop.Var) (mono, bool) {
	vars := m.vars()
	i := slices.Index(vars, v)
	rest := slices.Delete(vars, i, i+1)
	return p.mono(rest), !slices.Contains(rest, v)
}

// natural tells whether the factors of a monomial are not negative.
func (p *prover) natural(m mono) bool {
	for _, v := range m.vars() {
		if p.span(v).lo < 0 {
			return false
		}
	}
	return true
}

// notNegative tells whether a polynomial is known not to be negative, perhaps because it is at
// least another that is known not to be.
func (p *prover) notNegative(e poly) bool {
	if p.direct(e) {
		return true
	}
	for i := len(p.facts) - 1; i >= max(0, len(p.facts)-32); i-- {
		if p.direct(e.plus(p.facts[i], -1)) {
			return true
		}
	}
	return false
}

// direct replaces variables by their bounds, those bound last first, until a constant is left.
func (p *prover) direct(e poly) bool {
	for range 12 {
		if e == nil {
			return false
		}
		v := p.last(e)
		if v == nil {
			return e[mono{}] >= 0
		}
		out := poly{}
		for m, c := range e {
			if !slices.Contains(m.vars(), v) {
				out = out.plus(poly{m: c}, 1)
				continue
			}
			rest, once := p.without(m, v)
			if !once || !p.natural(rest) {
				return false
			}
			bound := p.upper[v]
			if c > 0 || bound == nil {
				s := p.span(v)
				n := s.hi
				if c > 0 {
					n = s.lo
				}
				if abs(n) > mostCoefficient {
					return false
				}
				bound = constant(n)
			}
			out = out.plus(p.times(poly{rest: c}, bound), 1)
		}
		e = out
	}
	return false
}
