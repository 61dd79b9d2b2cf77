package lower

import (
	"github.com/fluxion-lang/fluxion/internal/loop"
	"github.com/fluxion-lang/fluxion/internal/loop/facts"
)

// Note [Lengths of slices]
//
// The row xs[i*k:(i+1)*k] has the length (i+1)*k - i*k. If the rows of a matrix are such slices,
// their length must be seen to be k, which does not depend on i. So a difference is multiplied out,
// as a polynomial in integers that are not themselves sums or products. Arithmetic wraps around,
// and so do polynomials: what is equal is so modulo 2⁶⁴.

// difference is hi - lo, in terms of integers that are known as far outside as possible.
func (l *lowerer) difference(hi, lo loop.Atom) loop.Atom {
	plain := l.minus(hi, lo)
	forms := facts.Forms{Def: func(v *loop.Var) *loop.Let { return l.defs.Get(v) }, Most: 6}
	d := forms.Of(plain)
	if d == nil {
		return plain
	}
	deepest := 0
	for _, t := range d {
		for _, v := range forms.Factors(t.M) {
			deepest = max(deepest, l.depthOf(v))
		}
	}
	if deepest >= l.depthOf(plain) {
		return plain
	}
	out := loop.Atom(loop.Int(0))
	for _, t := range d {
		x := loop.Atom(loop.Int(t.C))
		for _, v := range forms.Factors(t.M) {
			x = l.times(v, x)
		}
		out = l.plus(out, x)
	}
	return out
}
