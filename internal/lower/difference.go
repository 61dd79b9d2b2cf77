package lower

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// Note [Lengths of slices]
//
// The row xs[i*k:(i+1)*k] has the length (i+1)*k - i*k. If the rows of a matrix are such slices,
// their length must be seen to be k, which does not depend on i. So a difference is multiplied out,
// as a polynomial in integers that are not themselves sums or products. Arithmetic wraps around,
// and so do polynomials: what is equal is so modulo 2⁶⁴.

// sumOfProducts is a polynomial: a sum of products of integers, each with a factor.
type sumOfProducts []productOf

type productOf struct {
	factor int64
	of     []*loop.Var
}

// The most terms and factors of a polynomial that is looked at.
const (
	mostTerms   = 16
	mostFactors = 4
)

// difference is hi - lo, in terms of integers that are known as far outside as possible.
func (l *lowerer) difference(hi, lo loop.Atom) loop.Atom {
	plain := l.minus(hi, lo)
	d := l.expanded(plain, 6)
	if d == nil {
		return plain
	}
	deepest := 0
	for _, t := range d {
		for _, v := range t.of {
			deepest = max(deepest, l.depthOf(v))
		}
	}
	if deepest >= l.depthOf(plain) {
		return plain
	}
	out := loop.Atom(loop.Int(0))
	for _, t := range d {
		x := loop.Atom(loop.Int(t.factor))
		for _, v := range t.of {
			x = l.times(v, x)
		}
		out = l.plus(out, x)
	}
	return out
}

// expanded is an integer as a polynomial, its definition followed so many steps; nil if that is too
// large.
func (l *lowerer) expanded(a loop.Atom, steps int) sumOfProducts {
	if c, ok := a.(*loop.Const); ok {
		if c.I == 0 {
			return sumOfProducts{}
		}
		return sumOfProducts{{factor: c.I}}
	}
	v := a.(*loop.Var)
	def := l.defs.Get(v)
	if def == nil || steps == 0 || def.Op != loop.AddI && def.Op != loop.SubI && def.Op != loop.MulI {
		return sumOfProducts{{factor: 1, of: []*loop.Var{v}}}
	}
	x, y := l.expanded(def.Args[0], steps-1), l.expanded(def.Args[1], steps-1)
	if x == nil || y == nil || len(x)*len(y) > mostTerms || len(x)+len(y) > mostTerms {
		return nil
	}
	out := sumOfProducts{}
	switch def.Op {
	case loop.AddI, loop.SubI:
		sign := int64(1)
		if def.Op == loop.SubI {
			sign = -1
		}
		out = slices.Clone(x)
		for _, t := range y {
			out = out.plus(productOf{sign * t.factor, t.of})
		}
	case loop.MulI:
		for _, s := range x {
			for _, t := range y {
				if len(s.of)+len(t.of) > mostFactors {
					return nil
				}
				out = out.plus(productOf{s.factor * t.factor, slices.Concat(s.of, t.of)})
			}
		}
	}
	return out
}

// plus adds a term, to one with the same variables if there is one.
func (s sumOfProducts) plus(t productOf) sumOfProducts {
	for i, u := range s {
		if sameVars(u.of, t.of) {
			if u.factor += t.factor; u.factor == 0 {
				return slices.Delete(s, i, i+1)
			}
			s[i] = u
			return s
		}
	}
	return append(s, t)
}

// sameVars tells whether two products have the same variables, in any order.
func sameVars(a, b []*loop.Var) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, v := range a {
		i := slices.Index(rest, v)
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
