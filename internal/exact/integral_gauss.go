package exact

import (
	"math"
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Gauss's nodes]. The nodes of the rule with n nodes are the zeros of Legendre's
// P_n, which has n of them, all in (-1, 1) and symmetric. A double near one is
// improved by Newton's method, each step with twice the bits, to a point x.
// Then an interval Newton step over X = x ± ε proves it: if x - P_n(x)/P_n'(X) lies within X, it
// contains exactly one zero. The intervals of different nodes are disjoint, so
// that they hold all n. The weights are 2 / ((1 - z²) P_n'(z)²) over them.
//
// P_n comes from (k+1) P_(k+1) = (2k+1) x P_k - k P_(k-1). Radii grow by a factor of at most
// 1 + √2 a step (|2x| + 1 bounds it at first, and the sum of both neighbours later), so that
// 1.3 n guard bits keep what is asked. The derivative is n (P_(n-1) - x P_n) / (1 - x²).

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

// legendreZero encloses the i-th largest zero of P_n, i < (n+1)/2, and its weight.
func legendreZero(n, i int, bits uint) (zero, weight *ball.Ball) {
	guard := uint(13*n/10 + 24)
	var x *ball.Ball
	if 2*i+1 == n {
		x = ball.FromInt64(0)
	} else {
		x = ball.FromFloat64(math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5)))
		// The start is right to about 1/n², and a step squares the error.
		for good := uint(6); good < bits; good *= 2 {
			prec := min(2*good, bits) + guard
			p, dp := legendre(n, x, prec)
			x = new(ball.Ball).Sub(x, p.Quo(p, dp, prec), prec)
			x.Mid(x)
		}
	}
	for slack := int64(8); ; slack *= 2 {
		prec := bits + guard
		eps := ball.FromInt64(1)
		around := new(ball.Ball).AddRad(x, eps.Mul2(eps, slack-int64(bits)))
		p, _ := legendre(n, x, prec)
		_, dp := legendre(n, around, prec)
		zero = new(ball.Ball).Sub(x, p.Quo(p, dp, prec), prec)
		if dp.Sign() == 0 || !around.Contains(zero) {
			if slack > int64(bits) {
				panic("exact: a node of Gauss's rule cannot be certified")
			}
			continue
		}
		_, dp = legendre(n, zero, prec)
		one := ball.FromInt64(1)
		w := new(ball.Ball).Sqr(zero, prec)
		w.Sub(one, w, prec)
		dp.Sqr(dp, prec)
		return zero, w.Quo(ball.FromInt64(2), w.Mul(w, dp, prec), prec)
	}
}

// legendre is P_n(x) and its derivative, |x| < 1.
func legendre(n int, x *ball.Ball, prec uint) (p, dp *ball.Ball) {
	last, p := ball.FromInt64(1), new(ball.Ball).Set(x)
	t := new(ball.Ball)
	for k := 1; k < n; k++ {
		t.Mul(x, p, prec)
		t.Mul(t, ball.FromInt64(int64(2*k+1)), prec)
		last.Mul(last, ball.FromInt64(int64(k)), prec)
		last.Sub(t, last, prec)
		last.Quo(last, ball.FromInt64(int64(k+1)), prec)
		last, p = p, last
	}
	// n (P_(n-1) - x P_n) / (1 - x²)
	dp = t.Mul(x, p, prec)
	dp.Sub(last, dp, prec)
	dp.Mul(dp, ball.FromInt64(int64(n)), prec)
	d := new(ball.Ball).Sqr(x, prec)
	return p, dp.Quo(dp, d.Sub(ball.FromInt64(1), d, prec), prec)
}

// nodes is how many nodes the largest rule has. Few digits need few; beyond doubles their number grows
// with the precision, so that an analytic function needs a number of cells that does not.
func (q *quadrature[T]) nodes() int {
	bits := -float64(q.tol.Exp())
	return max(2, int(math.Min(bits/6, 4+bits/12)))
}

// remainderTol is what to ask of searches inside f for the remainder of the largest rule.
func (q *quadrature[T]) remainderTol() jet.Mag {
	return q.pointTol().MulFloat(1 / q.c.N.Float64(q.rule(q.most).remainder))
}
