package family

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// series is a power series in two small variables, truncated: the coefficient of ε^i δ^j for
// i ≤ n and j ≤ m. Parameters of a function are a + ε and b + δ, so that derivatives by them are
// coefficients times factorials.
type series struct {
	n, m int
	c    []*ball.Ball
	q    uint // working precision
}

func newSeries(n, m int, q uint) *series {
	s := &series{n: n, m: m, c: make([]*ball.Ball, (n+1)*(m+1)), q: q}
	for i := range s.c {
		s.c[i] = ball.New()
	}
	return s
}

// at returns the coefficient of ε^i δ^j.
func (s *series) at(i, j int) *ball.Ball { return s.c[i*(s.m+1)+j] }

// each visits the indices, smaller ones first.
func (s *series) each(visit func(i, j int)) {
	for i := range s.n + 1 {
		for j := range s.m + 1 {
			visit(i, j)
		}
	}
}

// linear is y + u ε + v δ. u and v may be nil, which means 0.
type linear struct{ y, u, v *ball.Ball }

// times multiplies by a linear factor, in place.
func (s *series) times(f linear) {
	for i := s.n; i >= 0; i-- {
		for j := s.m; j >= 0; j-- {
			c := s.at(i, j)
			c.Mul(c, f.y, s.q)
			if f.u != nil && i > 0 {
				c.Add(c, ball.New().Mul(s.at(i-1, j), f.u, s.q), s.q)
			}
			if f.v != nil && j > 0 {
				c.Add(c, ball.New().Mul(s.at(i, j-1), f.v, s.q), s.q)
			}
		}
	}
}

// over divides by y + ε, in place.
func (s *series) over(y *ball.Ball) {
	s.each(func(i, j int) {
		c := s.at(i, j)
		if i > 0 {
			c.Sub(c, s.at(i-1, j), s.q)
		}
		c.Quo(c, y, s.q)
	})
}

// scale multiplies by a number, in place.
func (s *series) scale(y *ball.Ball) {
	for _, c := range s.c {
		c.Mul(c, y, s.q)
	}
}

// add adds t, in place.
func (s *series) add(t *series) {
	for i, c := range s.c {
		c.Add(c, t.c[i], s.q)
	}
}

func (s *series) clone() *series {
	t := newSeries(s.n, s.m, s.q)
	for i, c := range s.c {
		t.c[i].Set(c)
	}
	return t
}

// product returns the coefficient of ε^n δ^m of s t.
func (s *series) product(t *series) *ball.Ball {
	sum := ball.New()
	s.each(func(i, j int) {
		sum.Add(sum, ball.New().Mul(s.at(i, j), t.at(s.n-i, s.m-j), s.q), s.q)
	})
	return sum
}

// exp returns e^s: i e_ij = Σ p s_pq e_(i-p)(j-q), and the same in δ for i = 0.
func (s *series) exp() *series {
	e := newSeries(s.n, s.m, s.q)
	e.at(0, 0).Exp(s.at(0, 0), s.q)
	s.each(func(i, j int) {
		if i+j == 0 {
			return
		}
		sum := e.at(i, j)
		for p := 0; p <= i; p++ {
			for r := 0; r <= j; r++ {
				weight, of := p, i
				if i == 0 {
					weight, of = r, j
				}
				if weight == 0 {
					continue
				}
				t := ball.New().Mul(s.at(p, r), e.at(i-p, j-r), s.q)
				t.Mul(t, ball.FromInt64(int64(weight)), s.q)
				sum.Add(sum, t.Quo(t, ball.FromInt64(int64(of)), s.q), s.q)
			}
		}
	})
	return e
}

// lgamma adds sign log Γ(y + u ε + v δ), where u and v are 0 or 1: the coefficient of ε^i δ^j
// is ψ^(i+j-1)(y)/(i! j!).
func (s *series) lgamma(sign int, y *ball.Ball, u, v bool) {
	s.each(func(i, j int) {
		if i > 0 && !u || j > 0 && !v {
			return
		}
		t := ball.New()
		if i+j == 0 {
			t.Lgamma(y, s.q)
		} else {
			t.Polygamma(int64(i+j-1), y, s.q)
			t.Quo(t, factorial(i), s.q)
			t.Quo(t, factorial(j), s.q)
		}
		if sign < 0 {
			t.Neg(t)
		}
		s.at(i, j).Add(s.at(i, j), t, s.q)
	})
}

func factorial(n int) *ball.Ball {
	f := ball.FromInt64(1)
	for k := 2; k <= n; k++ {
		f.Mul(f, ball.FromInt64(int64(k)), 1<<16)
	}
	return f
}

// derivative returns the last coefficient times the factorials.
func derivative(n, m int, c *ball.Ball, q uint) *ball.Ball {
	c.Mul(c, factorial(n), q)
	return c.Mul(c, factorial(m), q)
}

// Note [Series of the incomplete functions]
//
// Both incomplete functions are a factor times a series of positive terms:
//
//	P(a, x)   = x^a e^-x / Γ(a+1) · Σ_k x^k / ((a+1) … (a+k))
//	I_x(a, b) = x^a (1-x)^b Γ(a+b) / (Γ(a+1) Γ(b)) · Σ_k x^k (a+b) … (a+b+k-1) / ((a+1) … (a+k))
//
// (DLMF 8.7.1, 8.17.8). The terms obey t_k = t_(k-1) x p_k / (a + k) with p_k = 1 or
// p_k = a + b + k - 1. As power series in ε and δ, the changes of a and b, they
// obey the same rule, and the coefficients of the sum give the derivatives by a and b.
//
// The rest after N terms: on the circles |ε| = |δ| = ρ, with ρ less than a and b,
//
//	|t_k| ≤ u_k,  u_k = u_(k-1) r_k,  r_k = x (p_k + 2ρ) / (a - ρ + k)   (without 2ρ for P)
//
// so by Cauchy's estimate the coefficient of ε^i δ^j of the rest is at most ρ^-(i+j) Σ u_k. As r_k
// is monotone in k and tends to x (or to 0), all ratios after N are at most R = max(r_(N+1), x),
// and Σ_(k≥N) u_k ≤ u_N / (1 - R). If no derivative is asked for, ρ is 0. How many terms to take is
// decided on doubles and decides only how wide the result is.

// maxTerms bounds the number of terms.
const maxTerms = 1 << 19

// rhoOf returns the radius of the circles of Note [Series of the incomplete functions].
func rhoOf(order int, a, b *ball.Ball) float64 {
	if order == 0 {
		return 0
	}
	least, _ := a.Float64s()
	if b != nil {
		l, _ := b.Float64s()
		least = min(least, l)
	}
	return min(least, 1) / 2
}

// terms sums the series of Note [Series of the incomplete functions] at x, for the orders n and
// m. b is nil for P. It returns nil if that takes too many terms.
func terms(n, m int, a, b, x *ball.Ball, q uint) *series {
	rho := rhoOf(n+m, a, b)
	count, ok := countTerms(n+m, rho, a, b, x, q, maxTerms)
	if !ok {
		return nil
	}
	one, radius := ball.FromInt64(1), ball.FromFloat64(rho)
	sum, t := newSeries(n, m, q), newSeries(n, m, q)
	t.at(0, 0).SetInt64(1)
	u, low := ball.FromInt64(1), ball.New()
	below := ball.New().Sub(a, radius, 64) // a - ρ
	above := ball.New()                    // a + b - 1 + 2ρ
	var ab *ball.Ball
	if b != nil {
		ab = ball.New().Sub(ball.New().Add(a, b, 2*q), one, 2*q)
		above.Add(ab, ball.New().Mul2(radius, 1), 64)
	}
	ratio := func(k *ball.Ball) *ball.Ball {
		r := ball.New().Quo(x, ball.New().Add(below, k, 64), 64)
		if b != nil {
			r.Mul(r, ball.New().Add(above, k, 64), 64)
		}
		return r
	}
	at, k := ball.New(), ball.New()
	for i := int64(1); i <= count; i++ {
		sum.add(t)
		k.SetInt64(i)
		if b != nil {
			t.times(linear{at.Add(ab, k, q), one, one})
		}
		t.scale(x)
		t.over(at.Add(a, k, q))
		if n+m > 0 {
			u.Mul(u, low.Set(ratio(k)), 64)
		}
	}
	if n+m == 0 {
		u.Set(t.at(0, 0))
	}
	r := ratio(k.SetInt64(count + 1))
	if b != nil {
		r.Max(r, x, 64)
	}
	r.Sub(one, r, 64)
	if r.Sign() <= 0 {
		return nil
	}
	u.Quo(u, r, 64)
	for i := range n + 1 {
		rest := ball.New().Set(u)
		for j := range m + 1 {
			sum.at(i, j).AddRad(sum.at(i, j), rest)
			rest.Quo(rest, radius, 64)
		}
		if i < n {
			u.Quo(u, radius, 64)
		}
	}
	return sum
}

// countTerms returns how many terms make the remainder small compared with the sum, if that is
// less than limit. Sizes are powers of 2, because logarithms would cost more than the terms.
func countTerms(order int, rho float64, a, b, x *ball.Ball, q uint, limit int) (int64, bool) {
	_, xs := x.Float64s()
	as, _ := a.Float64s()
	above := 0.0
	if b != nil {
		_, bs := b.Float64s()
		above = as + bs - 1 + 2*rho
	}
	goal := -int(q)
	if order > 0 {
		goal += order * (math.Ilogb(rho) - 1)
	}
	t, size, largest := 1.0, 0, 0 // the term is at most t · 2^size, and t < 1 after the first
	for k := 1; k < limit; k++ {
		r := xs / (as - rho + float64(k))
		if b != nil {
			r = max(r*(above+float64(k)), 0)
		}
		last := r
		if b != nil {
			last = max(r, xs)
		}
		if last < 1 && size-math.Ilogb(1-last) < largest+goal {
			return int64(k - 1), true
		}
		if r == 0 {
			t, size = 0, math.MinInt32
			continue
		}
		mantissa, exponent := math.Frexp(t * r)
		t, size = mantissa, size+exponent
		largest = max(largest, size-1)
	}
	return 0, false
}
