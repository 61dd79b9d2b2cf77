package degenerate

import (
	"math"
	"math/big"
)

// Integrals of polynomials are the easy ones for every rule of quadrature. Those with the weight
// exp (k x) are not, and have a closed form as well: the sum of coefficients times
// exponentials of germs. Exponentials of different rational numbers are linearly independent over
// ℚ (Lindemann and Weierstrass), so that even these are compared exactly.

// A term is coefficient * exp(exponent).
type term struct{ coefficient, exponent germ }

// A combination is a sum of rationals times exponentials of the rationals that are its keys.
type combination map[string]*big.Rat

// terms evaluates an expression in which weighted integrals may occur as summands.
func (o *oracle) terms(e *Expr) []term {
	switch {
	case e.op == "+" || e.op == "-":
		list := o.terms(e.args[0])
		for _, t := range o.terms(e.args[1]) {
			if e.op == "-" {
				t.coefficient = t.coefficient.negated()
			}
			list = append(list, t)
		}
		return list
	case e.op == "weighted":
		return o.weighted(e)
	case e.op == "*" && e.args[1].op == "weighted":
		list := o.weighted(e.args[1])
		for i := range list {
			list[i].coefficient = list[i].coefficient.times(o.eval(e.args[0]))
		}
		return list
	}
	return []term{{o.eval(e), integer(0)}}
}

// weighted integrates by parts: on a piece, the integral of P(δ) exp(k δ) is Q(δ) exp(k δ) with
// Q = P/k - DP/k² + D²P/k³ - ….
func (o *oracle) weighted(e *Expr) []term {
	low, high := o.eval(e.args[0]), o.eval(e.args[1])
	var list []term
	sign := int64(o.sign(high.plus(-1, low)))
	switch sign {
	case 0:
		return nil
	case -1:
		low, high = high, low
	}
	k := integer(int64(e.n))
	for _, p := range o.sweep(low, high, e.name, e.args[2]) {
		primitive := func(at, d germ) term {
			c := p.coefficients(1)
			q, factor := integer(0), integer(sign).over(k)
			for len(c) > 0 {
				q = q.plus(1, factor.times(horner(c, d)))
				for j := 1; j < len(c); j++ {
					c[j-1] = c[j].times(integer(int64(j)))
				}
				c = c[:len(c)-1]
				factor = factor.over(k).negated()
			}
			return term{q, at.times(k)}
		}
		start := primitive(p.start, integer(0))
		start.coefficient = start.coefficient.negated()
		list = append(list, primitive(p.start.plus(1, p.length), p.length), start)
	}
	return list
}

// derivatives adds those of a term, by c = c₀ + side*ε. It reports whether all are finite.
func (t term) derivatives(list []combination, side int64) bool {
	c, ok := t.coefficient.taylor(len(list))
	if !ok {
		return false
	}
	u, ok := t.exponent.taylor(len(list))
	if !ok {
		return false
	}
	key := u[0].RatString()
	u[0] = new(big.Rat)
	e := exponential(u)
	factor := big.NewRat(1, 1)
	for k := range list {
		if k > 0 {
			factor.Mul(factor, big.NewRat(int64(k)*side, 1))
		}
		sum := new(big.Rat)
		for j := range k + 1 {
			sum.Add(sum, new(big.Rat).Mul(c[j], e[k-j]))
		}
		list[k].add(key, sum.Mul(sum, factor))
	}
	return true
}

// exponential is exp of a power series that starts with 0: e' = u' e.
func exponential(u []*big.Rat) []*big.Rat {
	e := make([]*big.Rat, len(u))
	e[0] = big.NewRat(1, 1)
	for k := 1; k < len(u); k++ {
		e[k] = new(big.Rat)
		for j := 1; j <= k; j++ {
			t := new(big.Rat).Mul(u[j], e[k-j])
			e[k].Add(e[k], t.Mul(t, big.NewRat(int64(j), int64(k))))
		}
	}
	return e
}

func (s combination) add(key string, q *big.Rat) {
	if old := s[key]; old != nil {
		q = new(big.Rat).Add(old, q)
	}
	if s[key] = q; q.Sign() == 0 {
		delete(s, key)
	}
}

func (s combination) equals(t combination) bool {
	for key, q := range s {
		if r := t[key]; r == nil || r.Cmp(q) != 0 {
			return false
		}
	}
	return len(s) == len(t)
}

func (s combination) rational() bool {
	return len(s) == 0 || len(s) == 1 && s["0"] != nil
}

// value returns the sum, with exponentials as doubles.
func (s combination) value() *big.Rat {
	sum := new(big.Rat)
	for key, q := range s {
		u, _ := new(big.Rat).SetString(key)
		x, _ := u.Float64()
		sum.Add(sum, new(big.Rat).Mul(q, new(big.Rat).SetFloat64(math.Exp(x))))
	}
	return sum
}
