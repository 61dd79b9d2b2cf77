package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Bessel germs]. Towards infinity Bessel's functions of an integer order n are waves (DLMF
// 10.17.3 and 10.17.4): with ω = x - nπ/2 - π/4
//
//	J_n(x) = √(2/(πx)) (P cos ω - Q sin ω),  Y_n(x) = √(2/(πx)) (P sin ω + Q cos ω)
//
// where P and Q are the even and the odd terms of Σ ±a_k(n)/x^k. If there are at least n/2 terms
// in each, what is left out is at most the next term (DLMF 10.17(iii)), for every x > 0.
// Derivatives are sums over neighbours, as in package family.

// mostBessel bounds the order of a function with a germ, and of its derivative.
const mostBessel = 24

// bessel is the derivative of some degree of J_n or Y_n at a germ that tends to infinity; nil for
// others.
func (g germs) bessel(row prim.ID, degree, n int64, x *ball.Ball) *ball.Ball {
	h := g.full(x)
	if h.lost || h.scale != nil || len(h.terms) == 0 || h.terms[0].power.sign() >= 0 ||
		degree > mostBessel || n > mostBessel || n < -mostBessel || g.Sign(x) <= 0 {
		return nil
	}
	c, s := g.function(prim.Cos, x), g.function(prim.Sin, x)
	inverse := g.Quo(g.Int(1), x)
	sum, binomial := g.Int(0), g.Int(1)
	for k := range degree + 1 {
		order := n - degree + 2*k
		negative := k%2 == 1
		if order < 0 {
			order = -order
			negative = negative != (order%2 == 1)
		}
		even, odd := g.hankel(order, inverse)
		cos, sin := g.Add(c, s), g.Sub(s, c) // of ω, times √2, for order 0
		for range order % 4 {
			cos, sin = sin, g.Neg(cos)
		}
		if row == prim.BesselY { // cos (ω - π/2) = sin ω
			cos, sin = sin, g.Neg(cos)
		}
		part := g.Mul(binomial, g.Sub(g.Mul(even, cos), g.Mul(odd, sin)))
		if negative {
			part = g.Neg(part)
		}
		sum = g.Add(sum, part)
		binomial = g.Multi.Quo(g.Multi.Mul(binomial, g.Int(degree-k)), g.Int(k+1))
	}
	root := g.function(prim.Sqrt, g.Mul(x, new(ball.Ball).Pi(g.Prec)))
	amplitude := g.Symbol(g.Quo(g.Int(1), root)) // so that products of two show what cancels
	return g.Mul(sum, g.Mul(amplitude, new(ball.Ball).Mul2(g.Int(1), -degree)))
}

// hankel is P and Q of an order, where 1/x is given.
func (g germs) hankel(n int64, inverse *ball.Ball) (even, odd *ball.Ball) {
	sums, t := [2]*ball.Ball{g.Int(0), g.Int(0)}, g.Int(1)
	last := 2 * max(n/2+1, germTerms/2)
	for k := range last + 2 {
		part := t
		if k%4 > 1 {
			part = g.Neg(t)
		}
		if k >= last {
			part = g.Mul(t, g.put(remainder(grains(0), ball.FromFloat64s(-1, 1))))
		}
		sums[k%2] = g.Add(sums[k%2], part)
		// a_(k+1)/a_k = (4n² - (2k+1)²) / (8 (k+1))
		ratio := g.Multi.Quo(g.Int(4*n*n-(2*k+1)*(2*k+1)), g.Int(8*(k+1)))
		t = g.Mul(g.Mul(t, ratio), inverse)
	}
	return sums[0], sums[1]
}

// around is a family of one real at a germ without singular terms, by Taylor's series; nil if it is
// not analytic on all values.
func (g germs) around(f tier.FunFamily, ints []int64, x *ball.Ball) *ball.Ball {
	k, z, ok := g.split(g.get(x))
	set := g.set(x)
	if !ok || !set.IsFinite() {
		return nil
	}
	at, factorial := make([]*ball.Ball, germTerms+1), g.Int(1)
	ints = slices.Clone(ints)
	for i := range at {
		from := k
		if i == germTerms {
			from = set
		}
		y := g.Multi.ApplyFamily(f, ints, []*ball.Ball{from})
		if !y.IsFinite() {
			return nil
		}
		if k.Vanishes() && isNought(y) {
			y = g.Int(0)
		}
		at[i] = g.Multi.Quo(y, factorial)
		factorial = g.Multi.Mul(factorial, g.Int(int64(i+1)))
		ints[0]++
	}
	return g.put(g.compose(at[:germTerms], at[germTerms], z))
}
