package exact

import (
	"math"
	"math/big"
	mathbits "math/bits"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Gauss's nodes]. The nodes of the rule with n nodes are the zeros of Legendre's P_n,
// which has n of them, all in (-1, 1) and symmetric. A double near one is improved by Newton's
// method, each step with twice the bits, to a point x. Let M bound |P_n''| on [-1, 1]: it is
// largest at 1, where it is (n-1) n (n+1) (n+2) / 8. If |P_n(x)| <= ε (|P_n'(x)| - ε M) then
// P_n has exactly one zero within ε of x, for it is monotone there and changes sign. The
// intervals of different nodes are disjoint, as the order of the computed ones shows, so that
// they hold all n. The weights are 2 / ((1 - z²) P_n'(z)²).
//
// P_n comes from (k+1) P_(k+1) = (2k+1) x P_k - k P_(k-1) in fixed point. A product is cut off
// to a unit and a quotient as well, so that the computed values satisfy (k+1) p_(k+1) = (2k+1)
// x p_k - k p_(k-1) + η_k with |η_k| <= 3 (k+1) units. The errors e_k satisfy the same
// recurrence from e_0 = e_1 = 0 (x has no more bits than the units), and their generating
// function E(z), with g(z) = (1 - 2xz + z²)^(-1/2) = Σ P_k z^k, the differential equation
// (E/g)' = g Σ η_k z^k. Hence
//
//	E = g ∫ g Σ η_k z^k dz,   |e_n| <= Σ_{m<=n} (1/m) Σ_{l<m} |η_l| <= (3/4) n (n+3) units
//
// since no |P_k| exceeds 1. (Johansson and Mezzarobba, Fast and rigorous computation of
// Gauss–Legendre nodes, have the same bound.) The derivative is n (P_(n-1) - x P_n) / (1 - x²).

// gaussRule integrates over [0, 1].
type gaussRule[T any] struct {
	nodes, weights []T
	remainder      T // (n!)^4 / ((2n+1) (2n)!²), of Note [Gauss's remainder]
}

// ruleKey names a rule: by the number of its nodes and their precision.
type ruleKey struct {
	n    int
	bits uint
}

// rule is the rule with n nodes; it is computed once a context.
func (q *quadrature[T]) rule(n int) *gaussRule[T] {
	c := q.c
	key := ruleKey{n, c.N.Bits()}
	if c.rules == nil {
		c.rules = map[ruleKey]*gaussRule[T]{}
	}
	r := c.rules[key]
	if r == nil {
		r = &gaussRule[T]{remainder: c.N.Rat(gaussRemainder(n))}
		c.rules[key] = r
	}
	return r
}

// fill computes the nodes of a rule, if it has none yet.
func (r *gaussRule[T]) fill(number jet.Number[T], n int) {
	if r.nodes != nil {
		return
	}
	bits := number.Bits() + 8
	r.nodes, r.weights = make([]T, n), make([]T, n)
	half := ball.FromFloat64(0.5)
	for i := range (n + 1) / 2 {
		z, weight := legendreZero(n, i, bits)
		// 0 < (1 - z)/2 < 1/2 < (1 + z)/2
		left := new(ball.Ball).Sub(ball.FromInt64(1), z, bits+8)
		right := new(ball.Ball).Add(ball.FromInt64(1), z, bits+8)
		r.nodes[i] = fromBall(number, left.Mul(left, half, bits+8))
		r.nodes[n-1-i] = fromBall(number, right.Mul(right, half, bits+8))
		w := fromBall(number, weight.Mul(weight, half, bits+8))
		r.weights[i], r.weights[n-1-i] = w, w
	}
}

// fromBall is a ball as a number.
func fromBall[T any](number jet.Number[T], x *ball.Ball) T {
	if same, ok := any(x).(T); ok {
		return same
	}
	lo, hi := x.Float64s()
	return number.Span(number.Float(lo), number.Float(hi))
}

// gaussRemainder is (n!)^4 / ((2n+1) (2n)!²).
func gaussRemainder(n int) *big.Rat {
	f := new(big.Int).MulRange(1, int64(n))
	g := new(big.Int).MulRange(1, int64(2*n))
	num := new(big.Int).Exp(f, big.NewInt(4), nil)
	den := new(big.Int).Mul(g, g)
	return new(big.Rat).SetFrac(num, den.Mul(den, big.NewInt(int64(2*n+1))))
}

// legendreZero encloses the i-th largest zero of P_n, i < (n+1)/2, and its weight, to
// about the given number of bits.
func legendreZero(n, i int, bits uint) (zero, weight *ball.Ball) {
	lost := 2*uint(mathbits.Len(uint(n))) + 4 // by a step, since P_n'' / P_n' grows like n²
	bits += lost + 8
	x := 0.0
	if 2*i+1 < n {
		x = legendreFloat(n, math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)))
	}
	steps := []uint{bits}
	for last := bits; last > 40; steps = append(steps, last) {
		last = (last+lost)/2 + 1
	}
	z := fixed(ball.FromFloat64(x), 50)
	for k := len(steps) - 2; k >= 0; k-- {
		p, dp := legendre(n, z, steps[k]+16)
		z = fixed(p.Sub(z, p.Quo(p, dp, steps[k]+16), steps[k]+16), steps[k])
	}
	return certify(n, z, bits)
}

// legendreFloat improves a zero of P_n in doubles, as far as they go.
func legendreFloat(n int, x float64) float64 {
	for range 4 {
		last, now := 1.0, x
		for k := 1; k < n; k++ {
			last, now = now, (float64(2*k+1)*x*now-float64(k)*last)/float64(k+1)
		}
		x -= now * (1 - x*x) / (float64(n) * (last - x*now))
	}
	return x
}

// certify encloses the zero of P_n near x, and its weight.
func certify(n int, x *ball.Ball, bits uint) (zero, weight *ball.Ball) {
	p, dp := legendre(n, x, bits)
	curve := ball.FromInt64(int64(n-1) * int64(n))
	curve.Mul(curve, ball.FromInt64(int64(n+1)*int64(n+2)), 64)
	curve.Mul2(curve, -3)
	if x.Equal(new(ball.Ball)) && n%2 == 1 { // by symmetry
		return x, dp.Quo(ball.FromInt64(2), dp.Sqr(dp, bits), bits)
	}
	for slack := int64(0); ; slack++ {
		if slack > int64(bits) {
			panic("exact: a node of Gauss's rule cannot be certified")
		}
		eps := ball.FromInt64(1)
		eps.Mul2(eps, slack-int64(bits))
		slope := new(ball.Ball).AddRad(dp, new(ball.Ball).Mul(eps, curve, 64)) // P_n' within eps of x
		reach := new(ball.Ball).Abs(slope)
		if slope.Sign() == 0 || !new(ball.Ball).Abs(p).Less(reach.Mul(reach, eps, 64)) {
			continue
		}
		zero = new(ball.Ball).AddRad(x, eps)
		w := new(ball.Ball).Sqr(zero, bits)
		w.Sub(ball.FromInt64(1), w, bits)
		slope.Sqr(slope, bits)
		return zero, w.Quo(ball.FromInt64(2), w.Mul(w, slope, bits), bits)
	}
}

// fixed is the midpoint of x, cut off to the given number of bits after the point.
func fixed(x *ball.Ball, bits uint) *ball.Ball {
	return new(ball.Ball).SetDyadic(units(x, bits), -int64(bits))
}

// units is the midpoint of x in units of 2^-bits, cut off.
func units(x *ball.Ball, bits uint) *big.Int {
	man, exp := x.Dyadic()
	if shift := exp + int64(bits); shift >= 0 {
		return man.Lsh(man, uint(shift))
	} else {
		return man.Rsh(man, uint(-shift))
	}
}

// legendre encloses P_n and its derivative at the point x, |x| < 1, n > 0.
func legendre(n int, x *ball.Ball, bits uint) (p, dp *ball.Ball) {
	z, exp := x.Dyadic() // shorter than bits, if x is not that exact yet
	last, now := new(big.Int).Lsh(big.NewInt(1), bits), units(x, bits)
	var t, factor big.Int
	for k := int64(1); k < int64(n); k++ {
		t.Mul(z, now)
		if exp < 0 {
			t.Rsh(&t, uint(-exp))
		}
		t.Mul(&t, factor.SetInt64(2*k+1))
		last.Mul(last, factor.SetInt64(k))
		last.Sub(&t, last)
		last.Quo(last, factor.SetInt64(k+1))
		last, now = now, last
	}
	wrong := ball.FromInt64(int64(n)*int64(n+3)*3/4 + 1)
	wrong.Mul2(wrong, -int64(bits))
	p, before := new(ball.Ball).SetDyadic(now, -int64(bits)), new(ball.Ball).SetDyadic(last, -int64(bits))
	p.AddRad(p, wrong)
	before.AddRad(before, wrong)
	// n (P_(n-1) - x P_n) / (1 - x²)
	dp = new(ball.Ball).Mul(x, p, bits)
	dp.Sub(before, dp, bits)
	dp.Mul(dp, ball.FromInt64(int64(n)), bits)
	d := new(ball.Ball).Sqr(x, bits)
	return p, dp.Quo(dp, d.Sub(ball.FromInt64(1), d, bits), bits)
}

// nodes is how many nodes the largest rule for a cell has. Few digits need few; beyond doubles
// their number grows with the digits asked of the cell, so that an analytic function needs a
// number of cells that does not.
func (q *quadrature[T]) nodes(k *cell[T]) int {
	largest := jet.Mag{}
	q.c.Each(k.bounds, func(_ int, c T, known bool) bool {
		if known {
			largest = largest.Max(q.c.N.Mag(c))
		}
		return true
	})
	bits := float64(min(largest.Exp()-q.share(k).Exp(), int64(q.c.N.Bits())))
	return max(2, int(math.Min(bits/6, 4+bits/8)))
}

// remainderTol is what to ask of searches inside f for the remainder of the largest rule.
func (q *quadrature[T]) remainderTol(k *cell[T]) jet.Mag {
	return q.pointTol(k).MulFloat(1 / q.c.N.Float64(q.rule(k.most).remainder))
}
