package jet

import (
	"maps"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Clarke]. Where it is not known which argument of a maximum is larger, λS
// §4.3.2 gives its tower: the value is the larger one, the first derivatives lie in the
// hull of those of the two arguments, and the higher ones are unknown.
// (The paper's middle case reads y < x; it means x < y.) This is sound for every
// point of wide arguments: where one is larger its derivative is the hull's
// member, where they are equal the Clarke derivative is the hull itself.
// Composition is Faà di Bruno's formula over intervals, which the arithmetic of
// jets is.

var (
	maxFun = fun2(prim.Max)
	minFun = fun2(prim.Min)
	absFun = fun1(prim.Abs)
)

// Max is the maximum of two jets of which it is not known which one is larger.
func (a *Algebra) Max(x, y Jet) Jet { return a.either(maxFun, x, y) }

// Min is the minimum of two jets of which it is not known which one is smaller.
func (a *Algebra) Min(x, y Jet) Jet { return a.either(minFun, x, y) }

func (a *Algebra) either(f tier.Fun2, x, y Jet) Jet {
	x, y = a.live(x), a.live(y)
	switch {
	case x.kind() == unknown:
		return x
	case y.kind() == unknown:
		return y
	case x.Parallel(y):
		return x.WithVal(a.N.Apply2(f, x.Val(), y.Val()))
	}
	return a.clarke(a.N.Apply2(f, x.Val(), y.Val()), x, y)
}

// Abs is the absolute value of a jet whose sign is not known.
func (a *Algebra) Abs(x Jet) Jet {
	x = a.live(x)
	if x.kind() == unknown {
		return x
	}
	hull := func(cs []Jet) Jet { return a.Hull(cs[0], a.Neg(cs[0])) }
	return a.firstOrder(a.N.Apply1(absFun, x.Val()), []Jet{x}, hull, a.allSigns)
}

// clarke is the tower with the given value whose first derivatives lie in the
// hull of those of x and y.
func (a *Algebra) clarke(val Set, x, y Jet) Jet {
	hull := func(cs []Jet) Jet { return a.Hull(cs[0], cs[1]) }
	return a.firstOrder(val, []Jet{x, y}, hull, func(cs []Jet, vague func(Set) Jet) Jet {
		return a.hullForms(cs[0], cs[1], vague(a.unit()))
	})
}

// clarkeNorm is the tower of the length of a vector that may be 0, from its value:
// the derivative along v lies in [-|v|, |v|].
func (a *Algebra) clarkeNorm(val Set, xs []Jet) Jet {
	disc := func(cs []Jet) Jet {
		sum := a.zero
		for _, c := range cs {
			if c.kind() == unknown {
				return c
			}
			sum = a.N.Apply2(hypotFun, sum, c.Val())
		}
		return a.Const(a.N.Hull(sum, a.neg(sum)))
	}
	return a.firstOrder(val, xs, disc, a.allSigns)
}

// allSigns is the form Σ [-1, 1] c, where the factors have unknown derivatives.
func (a *Algebra) allSigns(cs []Jet, vague func(Set) Jet) Jet {
	sum := a.Zero()
	for _, c := range cs {
		sum = a.Add(sum, a.Mul(c, vague(a.N.Hull(a.neg(a.one), a.one))))
	}
	return sum
}

// firstOrder makes a tower of which the value and the first derivatives are
// known: combine gives the derivative in a variable from those of the
// arguments, and forms does so for a reverse variable, with vague to make a factor of a set whose
// derivatives are unknown. All higher ones that are not structural zeros are unknown.
func (a *Algebra) firstOrder(
	val Set, xs []Jet, combine func([]Jet) Jet, forms func([]Jet, func(Set) Jet) Jet,
) Jet {
	top := newest(xs)
	if top == nil {
		return a.Const(val)
	}
	lower := make([]Jet, len(xs)) // as seen from the newest variable
	slopes := make([]Jet, len(xs))
	values := make([]Jet, len(xs))
	for i, x := range xs {
		lower[i] = a.Coeff(x, top.tag, 0)
		slopes[i] = a.Coeff(x, top.tag, 1)
		values[i] = slopes[i].Value()
	}
	others := append(lower[:len(lower):len(lower)], slopes...)
	c := make([]Jet, top.deg+1)
	c[0] = a.firstOrder(val, lower, combine, forms)
	c[1] = a.unknownIn(combine(values), others)
	if slices.ContainsFunc(slopes, func(s Jet) bool { return s.term() != nil }) {
		c[1] = guided(c[1], forms(slopes, func(set Set) Jet { return a.unknownIn(a.Const(set), others) }))
	}
	for i := 2; i < len(c); i++ {
		c[i] = a.Unknown()
	}
	return a.Series(top.tag, int(top.deg), c)
}

// unknownIn is x, a jet without variables, with unknown coefficients in every
// variable that the others depend on.
func (a *Algebra) unknownIn(x Jet, others []Jet) Jet {
	degrees := map[Tag]int{}
	for _, y := range others {
		a.collect(y, degrees)
	}
	for _, tag := range slices.Sorted(maps.Keys(degrees)) {
		c := make([]Jet, degrees[tag]+1)
		c[0] = x
		for i := 1; i < len(c); i++ {
			c[i] = a.Unknown()
		}
		if len(c) == 2 {
			c[1] = a.Mul(a.Slopes(tag, others...), a.Unknown())
		}
		x = a.Series(tag, degrees[tag], c)
	}
	return x
}

// collect finds the variables of a jet and their degrees.
func (a *Algebra) collect(x Jet, degrees map[Tag]int) {
	for t := a.live(x).tail; t != nil && t.tag >= a.Floor; t = t.low {
		degrees[t.tag] = int(t.deg)
		for _, c := range t.c {
			a.collect(c, degrees)
		}
	}
}

// newest is the tail of the newest variable among jets, or nil.
func newest(xs []Jet) *tail {
	var top *tail
	for _, x := range xs {
		if x.tail != nil && (top == nil || x.tail.tag > top.tag) {
			top = x.tail
		}
	}
	return top
}
