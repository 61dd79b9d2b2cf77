package exact

import (
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Repeated derivatives]
//
// Problem: deriv (deriv (deriv f)) a opens three variables and runs f at a + t + u + v. A jet in n
// variables of degree 1 has 2^n coefficients, though f has only n derivatives.
//
// Idea: f depends on the sum of the variables only. The inner derivative is asked for at the point
// a + t, where t is the newest variable, of degree n. It needs no variable of its own: with
//
//	f(a + t) = Σ c_k t^k   up to degree n + 1,   f'(a + t) = Σ (k+1) c_(k+1) t^k   up to degree n
//
// both follow from one run with the degree of t raised by 1. So the n-th derivative runs f once,
// on a series of degree n.
//
// What must hold: jets that were made before have the lower degree, and must not meet those with
// the higher one. So f must not depend on t but by its argument, which its captured values show.
// Other variables are of no concern: a and the c_k may depend on them.

// repeats tells whether x is the newest variable plus something older, the direction is that of the
// variable, and the function does not depend on it otherwise.
func (d *derivation) repeats(x slots, direction []jet.Jet) bool {
	m := d.m
	tag := jet.Tag(len(m.degrees))
	if d.from != types.Real || tag == 0 || tag < m.Floor || m.ranging[tag-1] || m.stops && !m.derives[tag-1] {
		return false
	}
	one := func(x jet.Jet) bool { return x.Newest() == 0 && m.same(x, m.One()) }
	point := x.r[0]
	return point.Newest() == tag && point.Degree(tag) == 1 && one(m.Coeff(point, tag, 1)) &&
		one(direction[0]) && !slots{p: []any{d.fun}}.depend(tag, map[any]bool{})
}

// anew evaluates the function at x, which repeats: its value, and its derivative.
func (d *derivation) anew(x slots) (value, tangent slots, err error) {
	m := d.m
	tag := x.r[0].Newest()
	degree := m.degrees[tag-1]
	m.degrees[tag-1]++
	defer func() { m.degrees[tag-1]-- }()
	at := slots{r: []jet.Jet{m.Var(tag, degree+1, m.Coeff(x.r[0], tag, 0), m.One())}}
	result := makeSlots(shapeOf(d.to))
	m.used += searchBytes
	err = m.call(d.fun, at, d.shapes, result)
	m.used -= searchBytes
	if err != nil {
		return value, tangent, err
	}
	lower := func(coefficient func(y jet.Jet, k int) jet.Jet) (slots, error) {
		return m.leaves(d.at, d.to, []slots{result}, func(ys []jet.Jet) jet.Jet {
			c := make([]jet.Jet, degree+1)
			for k := range c {
				c[k] = coefficient(ys[0], k)
			}
			return m.Plain(m.Series(tag, degree, c))
		})
	}
	value, err = lower(func(y jet.Jet, k int) jet.Jet { return m.Coeff(y, tag, k) })
	if err != nil {
		return value, tangent, err
	}
	tangent, err = lower(func(y jet.Jet, k int) jet.Jet {
		return m.MulInt(m.Coeff(y, tag, k+1), k+1)
	})
	return value, tangent, err
}

// mostSeen is how many references are followed.
const mostSeen = 1 << 10

// depend tells whether a value may depend on a variable. Seen is the references that were met.
func (v slots) depend(tag jet.Tag, seen map[any]bool) bool {
	for _, x := range v.r {
		if x.Has(tag) {
			return true
		}
	}
	for _, p := range v.p {
		if seen[p] {
			continue
		}
		if seen[p] = true; len(seen) > mostSeen {
			return true
		}
		switch p := p.(type) {
		case nil, string:
		case *closure:
			if p.slots.depend(tag, seen) || p.args.depend(tag, seen) {
				return true
			}
		case *array:
			if p.depend(tag, seen) {
				return true
			}
		case *data:
			if p.depend(tag, seen) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
