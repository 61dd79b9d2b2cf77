package exact

import (
	"math"
	"math/big"
	mathbits "math/bits"
	"sync"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Gauss's nodes]. The nodes of the rule with n nodes are the zeros of Legendre's P_n,
// which has n of them, all in (-1, 1) and symmetric. Newton's method on doubles leads to a
// number x of one word near a zero. P_n(x) and P_n'(x) come from
//
//	(k+1) P_(k+1) = (2k+1) x P_k - k P_(k-1),   P_n' = n (P_(n-1) - x P_n) / (1 - x²)
//
// with as many bits as are wanted, at the cost of products with words only. The equation
// (1 - x²) P_n'' - 2x P_n' + n (n+1) P_n = 0 gives the further Taylor coefficients a_j of P_n at x
// from the first two:
//
//	(j+1) (j+2) (1 - x²) a_(j+2) = 2 (j+1)² x a_(j+1) - (n (n+1) - j (j+1)) a_j
//
// Since x is so near to the zero, few of them are needed, and less and less of their bits: no
// coefficient is larger than at 1, where it is A_j = (n+j)! / ((n-j)! j!² 2^j). Newton's method on
// this series ends at a point z. With many bits x has two words, found in the same way. (Johansson
// and Mezzarobba, Fast and rigorous computation of Gauss–Legendre nodes, evaluate P_n itself.)
//
// Let M bound |P_n''| on [-1, 1]: it is 2 A_2 = (n-1) n (n+1) (n+2) / 8. If |P_n(z)| <= ε
// (|P_n'(z)| - ε M) then P_n has exactly one zero within ε of z, for it is monotone there and
// changes sign. The intervals of different nodes are disjoint, as the order of the computed ones
// shows, so that they hold all n. The weights are 2 / ((1 - z²) P_n'(z)²).
//
// The recurrence is done in fixed point. A product is cut off to a unit and a quotient as well, so
// that the computed values satisfy (k+1) p_(k+1) = (2k+1) x p_k - k p_(k-1) + η_k with |η_k| <=
// 3 (k+1) units (the product is used twice). The errors e_k satisfy the same
// recurrence from e_0 = e_1 = 0 (x has no more bits than the units), and their generating
// function E(z), with g(z) = (1 - 2xz + z²)^(-1/2) = Σ P_k z^k, the differential equation
// (E/g)' = g Σ η_k z^k. Hence
//
//	E = g ∫ g Σ η_k z^k dz,   |e_n| <= Σ_{m<=n} (1/m) Σ_{l<m} |η_l| <= (3/4) n (n+3) units
//
// since no |P_k| exceeds 1.

// gaussRule integrates over [0, 1].
type gaussRule struct{ nodes, weights []jet.Set }

// ballRule is a gaussRule on balls.
type ballRule struct{ nodes, weights []*ball.Ball }

// ruleKey names a rule: by the number of its nodes and their precision.
type ruleKey struct {
	n    int
	bits uint
}

// gaussRules are those that were needed so far, as balls. They last: nothing about them depends on
// a program. If they take more than mostNodeBytes they are forgotten.
var gaussRules = struct {
	sync.Mutex
	of    map[ruleKey]*ballRule
	bytes int
}{of: map[ruleKey]*ballRule{}}

const mostNodeBytes = 1 << 26

// haveNodes tells whether a rule is known already.
func haveNodes(key ruleKey) bool {
	gaussRules.Lock()
	defer gaussRules.Unlock()
	return gaussRules.of[key] != nil
}

// gaussNodes is a rule as balls.
func gaussNodes(key ruleKey) *ballRule {
	gaussRules.Lock()
	defer gaussRules.Unlock()
	r := gaussRules.of[key]
	if r == nil {
		r = newGaussRule(key)
		if gaussRules.bytes += key.n * int(key.bits) / 4; gaussRules.bytes > mostNodeBytes {
			clear(gaussRules.of)
			gaussRules.bytes = 0
		}
		gaussRules.of[key] = r
	}
	return r
}

// rule is the rule with n nodes.
func (q *quadrature) rule(n int) *gaussRule {
	c := q.c
	key := ruleKey{n, c.N.Bits()}
	r := c.rules[key]
	if r == nil {
		of := func(xs []*ball.Ball) []jet.Set {
			ys := make([]jet.Set, len(xs))
			for i, x := range xs {
				ys[i] = c.fromBall(x)
			}
			return ys
		}
		known := gaussNodes(key)
		r = &gaussRule{of(known.nodes), of(known.weights)}
		if c.rules == nil {
			c.rules = map[ruleKey]*gaussRule{}
		}
		c.rules[key] = r
	}
	return r
}

// newGaussRule computes a rule.
func newGaussRule(key ruleKey) *ballRule {
	n, bits := key.n, key.bits+8
	r := &ballRule{make([]*ball.Ball, n), make([]*ball.Ball, n)}
	for i := range (n + 1) / 2 {
		z, weight := legendreZero(n, i, bits)
		// 0 < (1 - z)/2 < 1/2 < (1 + z)/2
		left := new(ball.Ball).Sub(ball.FromInt64(1), z, bits+8)
		right := new(ball.Ball).Add(ball.FromInt64(1), z, bits+8)
		r.nodes[i] = left.Mul2(left, -1)
		r.nodes[n-1-i] = right.Mul2(right, -1)
		weight = new(ball.Ball).Set(weight)
		r.weights[i] = weight.Mul2(weight, -1)
		r.weights[n-1-i] = r.weights[i]
	}
	return r
}

// fromBall is a ball as a set of the number at hand.
func (c *ctx) fromBall(x *ball.Ball) jet.Set {
	if c.OnBalls() {
		return jet.OfBall(x)
	}
	lo, hi := x.Float64s()
	return c.N.Span(c.N.Float(lo), c.N.Float(hi))
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
	if 2*i+1 == n { // by symmetry
		_, dp := legendre(n, new(ball.Ball), bits+32)
		return new(ball.Ball), dp.Quo(ball.FromInt64(2), dp.Sqr(dp, bits), bits)
	}
	x := legendreFloat(n, math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)))
	near := fixed(ball.FromFloat64(x), wordBits)
	lost := 2*uint(mathbits.Len(uint(n))) + 4 // by a step, since P_n'' / P_n' grows like n²
	bits += lost + 8
	has := uint(wordBits)
	if bits > manyBits { // two words are better
		const two = 2*wordBits + wordBits/4
		near = fixed(legendreSeries(n, near, has, 2*two).zero(has, two+slackBits, lost), two)
		has = two
	}
	series := legendreSeries(n, near, has, bits)
	return series.certify(series.zero(has, (bits+3*lost)/2, lost), bits)
}

const (
	// wordBits is how many bits the point has, at first, at which P_n is expanded.
	wordBits = 50
	// slackBits is how many of them may be wrong.
	slackBits = 6
)

// localSeries is P_n around a point, for arguments up to 2^-reach.
type localSeries struct {
	n     int
	x     *ball.Ball   // the point
	a     []*ball.Ball // the coefficients
	reach float64
	gain  float64 // term j is at most 2^(-gain j)
}

// legendreSeries expands P_n at x, a point that has the given number of bits.
func legendreSeries(n int, x *ball.Ball, has, bits uint) localSeries {
	p, dp := legendre(n, x, bits+16)
	s := localSeries{n: n, x: x, a: []*ball.Ball{p, dp}, reach: float64(has) - slackBits}
	s.gain = s.reach + 1 - 2*math.Log2(float64(n)+1) // A_j <= (n (n+1) / 2)^j
	y := oneLessSquare(x, 4*has)
	for j, terms := 0, s.terms(bits); j+2 < terms; j++ {
		prec := s.bits(bits, j)
		up := new(ball.Ball).Mul(s.a[j+1], x, prec)
		up.Mul(up, ball.FromInt64(2*int64(j+1)*int64(j+1)), prec)
		down := ball.FromInt64(int64(n)*int64(n+1) - int64(j)*int64(j+1))
		down.Mul(s.a[j], down, prec)
		up.Sub(up, down, prec)
		up.Quo(up, down.Mul(y, ball.FromInt64(int64(j+1)*int64(j+2)), 5*has), prec)
		s.a = append(s.a, up)
	}
	return s
}

// oneLessSquare is 1 - x².
func oneLessSquare(x *ball.Ball, bits uint) *ball.Ball {
	y := new(ball.Ball).Sqr(x, bits)
	return y.Sub(ball.FromInt64(1), y, bits)
}

// terms is how many of them matter, at least 2.
func (s localSeries) terms(bits uint) int { return int(float64(bits)/s.gain) + 2 }

// bits is the precision of the j-th coefficient.
func (s localSeries) bits(bits uint, j int) uint {
	return uint(max(32, float64(bits)+16-s.gain*float64(j)))
}

// at encloses P_n and its derivative at a distance z from the point.
func (s localSeries) at(z *ball.Ball, bits uint) (p, dp *ball.Ball) {
	p, dp = new(ball.Ball), new(ball.Ball)
	terms := min(s.terms(bits), len(s.a))
	for j := terms - 1; j >= 0; j-- {
		prec := s.bits(bits, j-1) // the derivative needs so many
		dp.Add(dp.Mul(dp, z, prec), p, prec)
		p.Add(p.Mul(p, z, prec), s.a[j], prec)
	}
	// The bounds of the terms beyond shrink by half at least, even times j.
	rest := func(shift float64) *ball.Ball {
		r := ball.FromInt64(int64(terms))
		return r.Mul2(r, 1+int64(math.Ceil(shift-s.gain*float64(terms))))
	}
	return p.AddRad(p, rest(0)), dp.AddRad(dp, rest(s.reach))
}

// zero is the zero of P_n near the point, to about the given number of bits.
func (s localSeries) zero(has, bits, lost uint) *ball.Ball {
	z := new(ball.Ball)
	for has -= slackBits; has < bits; has = 2*has - lost {
		goal := min(2*has, bits+lost)
		p, dp := s.at(z, goal)
		z = fixed(p.Sub(z, p.Quo(p, dp, goal), goal), goal)
	}
	return z.Add(z, s.x, 2*bits+lost)
}

// certify encloses the zero of P_n near x, which tells half of its bits, and its weight.
func (s localSeries) certify(x *ball.Ball, bits uint) (zero, weight *ball.Ball) {
	n := int64(s.n)
	z := new(ball.Ball).Sub(x, s.x, 2*bits)
	if top := new(ball.Ball).Abs(z); !top.Mul2(top, int64(s.reach)).Less(ball.FromInt64(1)) {
		panic("exact: a node of Gauss's rule is not where it should be")
	}
	p, dp := s.at(z, bits)
	// The second derivative at x, and bounds of the second and of half the third anywhere:
	// 2 A_2 and 3 A_3.
	bend := new(ball.Ball).Mul(x, dp, bits)
	bend.Mul2(bend, 1)
	bend.Sub(bend, new(ball.Ball).Mul(ball.FromInt64(n*(n+1)), p, bits), bits)
	bend.Quo(bend, oneLessSquare(x, bits), bits)
	curve := ball.FromInt64((n - 1) * n)
	curve.Mul(curve, ball.FromInt64((n+1)*(n+2)), 64)
	twist := new(ball.Ball).Mul(curve, ball.FromInt64((n-2)*(n+3)), 64)
	twist.Quo(twist, ball.FromInt64(16), 64)
	curve.Mul2(curve, -3)
	// One more step of Newton's, by d: P_n and its derivative at x + d.
	d := fixed(new(ball.Ball).Quo(new(ball.Ball).Neg(p), dp, bits), bits)
	x = new(ball.Ball).Add(x, d, 2*bits)
	rise := new(ball.Ball).Mul(bend, d, bits)
	beyond := new(ball.Ball).Mul(twist, new(ball.Ball).Sqr(d, 64), 64)
	p.Add(p, new(ball.Ball).Mul(dp, d, bits), bits)
	p.Add(p, new(ball.Ball).Mul(new(ball.Ball).Mul2(rise, -1), d, bits), bits)
	p.AddRad(p, new(ball.Ball).Abs(new(ball.Ball).Mul(beyond, d, 64)))
	dp.Add(dp, rise, bits)
	dp.AddRad(dp, beyond)
	for slack := int64(0); ; slack++ {
		if slack > int64(bits) {
			panic("exact: a node of Gauss's rule cannot be certified")
		}
		eps := ball.FromInt64(1)
		eps.Mul2(eps, slack-int64(bits))
		// P_n' within eps of x
		slope := new(ball.Ball).AddRad(dp, new(ball.Ball).Mul(eps, curve, 64))
		reach := new(ball.Ball).Abs(slope)
		if slope.Sign() == 0 || !new(ball.Ball).Abs(p).Less(reach.Mul(reach, eps, 64)) {
			continue
		}
		zero = new(ball.Ball).AddRad(x, eps)
		w := oneLessSquare(zero, bits)
		slope.Sqr(slope, bits)
		return zero, w.Quo(ball.FromInt64(2), w.Mul(w, slope, bits), bits)
	}
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
	z, exp := x.Dyadic()
	last, now := new(big.Int).Lsh(big.NewInt(1), bits), units(x, bits)
	var t, factor big.Int
	for k := int64(1); k < int64(n); k++ {
		// x P_k + (x P_k - P_(k-1)) k / (k+1)
		t.Mul(now, z)
		if exp < 0 {
			t.Rsh(&t, uint(-exp))
		}
		last.Sub(&t, last)
		t.Add(&t, last)
		last.Quo(last, factor.SetInt64(k+1))
		last.Sub(&t, last)
		last, now = now, last
	}
	wrong := ball.FromInt64(int64(n)*int64(n+3)*3/4 + 1)
	wrong.Mul2(wrong, -int64(bits))
	p = new(ball.Ball).SetDyadic(now, -int64(bits))
	before := new(ball.Ball).SetDyadic(last, -int64(bits))
	p.AddRad(p, wrong)
	before.AddRad(before, wrong)
	// n (P_(n-1) - x P_n) / (1 - x²)
	dp = new(ball.Ball).Mul(x, p, bits)
	dp.Sub(before, dp, bits)
	dp.Mul(dp, ball.FromInt64(int64(n)), bits)
	return p, dp.Quo(dp, oneLessSquare(x, bits), bits)
}

// nodes is how many nodes the largest rule for a cell has. Few digits need few; beyond doubles
// their number grows with the digits asked of the cell, so that an analytic function needs a
// number of cells that does not.
func (q *quadrature) nodes(k *cell) int {
	largest := jet.Mag{}
	q.c.Each(k.bounds, func(_ int, c jet.Set, known bool) bool {
		if known {
			largest = largest.Max(q.c.N.Mag(c))
		}
		return true
	})
	bits := float64(min(largest.Exp()-q.share(k).Exp(), int64(q.c.N.Bits())))
	return max(2, int(math.Min(bits/6, 4+bits/8)))
}

// remainderTol is what to ask of searches inside f for the remainder of the largest rule.
func (q *quadrature) remainderTol(k *cell) jet.Mag {
	remainder, _ := gaussRemainder(k.most).Float64()
	return q.pointTol(k).MulFloat(1 / remainder)
}
