package exact

import (
	"math/big"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Note [Taylor's rule]. With hundreds of digits Gauss's rule has hundreds of nodes, and to find
// them costs more than to integrate. The alternative is the power series at the middle m of the
// cell: for even N, and some ξ for every s,
//
//	f(m + w s) = Σ_{k<N} c_k(m) (w s)^k + c_N(ξ) (w s)^N
//
// so that the integral, over |s| <= 1/2, is w times Σ c_2k(m) w^2k / ((2k+1) 4^k) plus
// c_N(X) w^N / ((N+1) 2^N): s^N has one sign, and intervals are convex. It needs a higher degree
// than Gauss's rule, but only one evaluation. Which one is cheaper
// depends on how dense the series inside f are: exp(-x²) takes N multiplications, exp(sin x)
// takes N²/2. So the multiplications are counted while the series over the
// cell is computed, with few bits, for the remainder.

const (
	// manyNodes is from which number of nodes on Taylor's rule is considered.
	manyNodes = 24
	// callWork is how many multiplications an elementary function takes, roughly.
	callWork = 60
	// nodeWork times n² multiplications find the nodes of the rule with n.
	nodeWork = 2
)

// work is how much an evaluation did.
type work struct{ products, calls int }

// tally is the second tier, counting.
type tally struct {
	jet.Multi
	work *work
}

var _ jet.Number[*ball.Ball] = tally{}

// Mul is x y.
func (t tally) Mul(x, y *ball.Ball) *ball.Ball {
	t.work.products++
	return t.Multi.Mul(x, y)
}

// Quo is x / y.
func (t tally) Quo(x, y *ball.Ball) *ball.Ball {
	t.work.products++
	return t.Multi.Quo(x, y)
}

// Apply1 is f x.
func (t tally) Apply1(f tier.Fun1, x *ball.Ball) *ball.Ball {
	t.work.calls++
	return t.Multi.Apply1(f, x)
}

// Apply2 is f x y.
func (t tally) Apply2(f tier.Fun2, x, y *ball.Ball) *ball.Ball {
	t.work.calls++
	return t.Multi.Apply2(f, x, y)
}

// balls tells whether numbers are balls that mean what they say: neither doubles nor
// germs.
func balls[T any](number jet.Number[T]) (jet.Multi, bool) {
	switch n := any(number).(type) {
	case jet.Multi:
		return n, true
	case tally:
		return n.Multi, true
	}
	return jet.Multi{}, false
}

// coarsely lowers the precision of numbers: what is computed over a cell is wide
// anyway, and 64 bits beyond those that tell its ends apart are plenty for a
// remainder. It counts the work, and gives what restores the precision.
func (q *quadrature[T]) coarsely(k *cell[T], counted *work) (restore func()) {
	c := q.c
	full := c.N
	if _, plain := balls(full); !plain {
		return func() {}
	}
	apart := c.N.Mag(q.original(c.N.Span(k.lo, k.hi))).Exp() - c.N.Mag(k.w).Exp()
	bits := 64 + uint(min(max(apart, 0), 1<<20))
	*counted = work{}
	coarse := tally{jet.NewMulti(min(bits, full.Bits())), counted}
	if n, ok := any(coarse).(jet.Number[T]); ok {
		c.N = n
	}
	return func() { c.N = full }
}

// preferTaylor uses Taylor's rule for a cell for which Gauss's is good
// enough, if it is too, and costs less.
func (q *quadrature[T]) preferTaylor(k *cell[T], y jet.Jet[T], tag jet.Tag, degree int) {
	c := q.c
	share := q.share(k)
	gauss := k.n * (k.work.calls*callWork + 1)
	if q.rule(k.n).nodes == nil {
		gauss += nodeWork * k.n * k.n
	}
	if gauss < k.work.products {
		return
	}
	for n := 2 * k.n; n <= degree; n += 2 {
		factor := big.NewRat(1, int64(n+1))
		factor.Mul(factor, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(n))))
		r := c.Scale(c.Coeff(y, tag, n), c.N.Mul(k.w, c.N.Rat(factor)))
		if err, unknown := q.spread(r); !unknown && !share.Less(err) {
			k.taylor, k.remainder, k.err = n, r, err
			return
		}
	}
}

// taylor is the integral over a cell by Taylor's rule.
func (q *quadrature[T]) taylor(k *cell[T]) (jet.Jet[T], error) {
	c := q.c
	defer q.asking(q.pointTol(k))()
	mid := c.N.Mul(c.N.Add(k.lo, k.hi), c.N.Float(0.5)) // contains the middle
	degree := k.taylor - 1
	tag := c.openRange(degree)
	y, seen, err := c.observe(q.f, c.Var(tag, degree, c.Const(mid), c.Const(k.w)), k.forced, -1)
	c.close(tag)
	if err == errUndecided {
		return c.Unknown(), nil
	}
	if err != nil {
		return y, err
	}
	q.learn(seen)
	sum := c.Zero()
	for i := degree - degree%2; i >= 0; i -= 2 {
		sum = c.Add(c.Scale(sum, c.N.Float(0.25)), c.DivInt(c.Coeff(y, tag, i), i+1))
	}
	return c.Add(c.Scale(sum, k.w), k.remainder), nil
}
