package degenerate

import (
	"errors"
	"math/big"
)

// Note [Germs of real numbers]. The one-sided limits of S at c₀ are read off its value at
// c₀ + ε, where ε is positive and smaller than every positive rational. Inside an integral over x
// that value is needed for all x of a range. The oracle sweeps the range: from a place p it
// evaluates the integrand at p + δ, where δ is smaller than every positive number of ℚ(ε). The
// result is a polynomial in δ, and each comparison of a polynomial u in δ on the way is decided
// as it is next to p, and stays so up to the smallest positive zero of u. So up to the smallest
// of these zeros the integrand is that polynomial; there the sweep goes on. A range inside
// the range adds a δ₂ that is smaller than all of these, and its comparisons are decided by
// those of the coefficients, which are functions of x with zeros of their own.
//
// So an enclosed expression is a polynomial in δ₁, δ₂, … over ℚ(ε), and its sign is the sign of its
// largest term (monomial.less). Everything is exact. What leaves these functions (a zero that
// is not rational, a division by what depends on x) is unsupported, and the case is not used.

// A germ is num/den, where den is a polynomial in ε alone whose lowest coefficient is 1.
type germ struct{ num, den poly }

// errUnsupported reports what the oracle cannot compute, errUndefined what has no value.
var (
	errUnsupported = errors.New("unsupported")
	errUndefined   = errors.New("undefined")
)

var one = constant(big.NewRat(1, 1))

func number(q *big.Rat) germ { return germ{constant(q), one} }

func integer(n int64) germ { return number(big.NewRat(n, 1)) }

func (a germ) zero() bool { return a.num.zero() }

func (a germ) plus(s int64, b germ) germ {
	if len(a.den) == 1 && len(b.den) == 1 && a.den[monomial{}] != nil && b.den[monomial{}] != nil {
		return germ{a.num.plus(s, b.num), one}
	}
	return reduced(a.num.times(b.den).plus(s, b.num.times(a.den)), a.den.times(b.den))
}

func (a germ) times(b germ) germ { return reduced(a.num.times(b.num), a.den.times(b.den)) }

func (a germ) negated() germ { return germ{poly{}.plus(-1, a.num), a.den} }

func (a germ) half() germ { return germ{a.num.scale(big.NewRat(1, 2)), a.den} }

// over returns a/b.
func (a germ) over(b germ) germ {
	switch {
	case b.zero():
		panic(errUndefined)
	case b.num.only():
		return reduced(a.num.times(b.den), a.den.times(b.num))
	}
	if q, ok := a.num.divide(b.num); ok {
		return reduced(q.times(b.den), a.den)
	}
	panic(errUnsupported)
}

// reduced returns num/den in nearly canonical form: factors ε are cancelled, and so is den where
// it divides num.
func reduced(num, den poly) germ {
	if num.zero() {
		return germ{num, one}
	}
	if len(den) == 1 && den[monomial{}] != nil {
		return germ{num.scale(new(big.Rat).Inv(den[monomial{}])), one}
	}
	low := func(p poly) uint8 {
		least := uint8(255)
		for m := range p {
			least = min(least, m[0])
		}
		return least
	}
	if k := min(low(num), low(den)); k > 0 {
		num, den = num.shifted(k), den.shifted(k)
	}
	if q, ok := num.divide(den); ok {
		return germ{q, one}
	}
	c := new(big.Rat).Inv(den[den.lead()])
	return germ{num.scale(c), den.scale(c)}
}

// shifted returns p / ε^k.
func (p poly) shifted(k uint8) poly {
	q := make(poly, len(p))
	for m, c := range p {
		m[0] -= k
		q[m] = c
	}
	return q
}

// standard returns the value of a where every infinitesimal is 0.
func (a germ) standard() *big.Rat {
	d := a.den[monomial{}]
	if d == nil {
		panic(errUnsupported)
	}
	q := new(big.Rat)
	if n := a.num[monomial{}]; n != nil {
		q.Quo(n, d)
	}
	return q
}

// taylor returns the first n coefficients of the power series of a in ε; false if there is none.
func (a germ) taylor(n int) ([]*big.Rat, bool) {
	at := func(p poly, k int) *big.Rat {
		if c := p[monomial{uint8(k)}]; c != nil {
			return c
		}
		return new(big.Rat)
	}
	d0 := at(a.den, 0)
	if d0.Sign() == 0 {
		return nil, false
	}
	list := make([]*big.Rat, n)
	for k := range list {
		c := new(big.Rat).Set(at(a.num, k))
		for j := range k {
			c.Sub(c, new(big.Rat).Mul(list[j], at(a.den, k-j)))
		}
		list[k] = c.Quo(c, d0)
	}
	return list, true
}
