package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Note [Taylor's rule]. With hundreds of digits Gauss's rule has hundreds of nodes, and to find
// them costs more than to integrate. The alternative is the power series at the middle m of the
// cell, up to an even degree N: if |f| <= M on the disc around m whose radius is r times half
// the width w, Cauchy's bound of the coefficients is |c_k| <= M (2 / (r w))^k, and the terms from N
// on, of which the odd ones vanish, contribute at most
//
//	Σ_{even k>=N} w M r^-k / (k+1) <= w M r^-N / ((N+1) (1 - r^-2))
//
// to the integral w Σ c_2k(m) (w/2)^2k / (2k+1). It needs a higher degree than Gauss's rule, but
// only one evaluation. Which one is cheaper depends on how dense the series inside f are: exp(-x²)
// takes N multiplications, exp(sin x) takes N²/2. So the multiplications are counted in two short
// series; their number is α N + β N².

const (
	// manyNodes is from which number of nodes on Taylor's rule is considered.
	manyNodes = 24
	// callWork is how many multiplications an elementary function takes, roughly.
	callWork = 40
	// nodeWork multiplications find one of n nodes, and one more for each nodeSteps.
	nodeWork, nodeSteps = 80, 12
	// sampleDegree is the degree of the shorter series in which the work is counted.
	sampleDegree = 16
)

// work is how much an evaluation did.
type work struct{ products, calls int }

// tally is the second tier, counting.
type tally struct {
	jet.Multi
	work *work
}

var _ jet.Arithmetic[*ball.Ball] = tally{}

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

// ApplyFamily is f at the integers and the reals.
func (t tally) ApplyFamily(f tier.FunFamily, ints []int64, xs []*ball.Ball) *ball.Ball {
	t.work.calls++
	return t.Multi.ApplyFamily(f, ints, xs)
}

// balls tells whether numbers are balls that mean what they say: neither doubles nor
// germs.
func balls(number jet.Number) (jet.Multi, bool) {
	if b, ok := number.(jet.Balls); ok {
		switch n := b.Of.(type) {
		case jet.Multi:
			return n, true
		case tally:
			return n.Multi, true
		}
	}
	return jet.Multi{}, false
}

// coarse is a number for what is computed over a cell, which is wide anyway: 64 bits beyond
// those that tell its ends apart are plenty for a remainder. It counts the work.
func (q *quadrature) coarse(k *cell, counted *work) (n jet.Number, apart int64) {
	n = q.c.N
	if _, plain := balls(n); !plain {
		return n, 0
	}
	apart = max(n.Mag(q.original(n.Span(k.lo, k.hi))).Exp()-n.Mag(k.w).Exp(), 0)
	bits := 64 + uint(min(apart, 1<<20))
	*counted = work{}
	return jet.Balls{Of: tally{jet.NewMulti(min(bits, n.Bits())), counted}}, apart
}

// preferTaylor uses Taylor's rule for a cell for which Gauss's is good enough, if it costs less.
func (q *quadrature) preferTaylor(k *cell) error {
	gauss := k.n * (k.work.calls*callWork + k.work.products + 1)
	if !haveNodes(ruleKey{k.n, q.c.N.Bits()}) {
		gauss += k.n * (nodeWork + k.n/nodeSteps)
	}
	var sample [2]int
	for i := range sample {
		var counted work
		coarse, _ := q.coarse(k, &counted)
		restore := q.c.Over(coarse)
		_, err := q.series(k, (i+1)*sampleDegree)
		restore()
		if err != nil {
			return err
		}
		sample[i] = counted.products
	}
	dense := float64(sample[1]-2*sample[0]) / (2 * sampleDegree * sampleDegree)
	sparse := float64(sample[0])/sampleDegree - dense*sampleDegree
	radius := func(i int) float64 { return 1 + float64(i*i)/16 }
	at, n, b, err := q.best(k, 4, func(i int) (a, b float64, nodes func(bits float64) int) {
		r := radius(i)
		return r, r, func(bits float64) int {
			return 2 * max(1, int(math.Ceil(bits/math.Log2(r)/2)))
		}
	})
	degree := float64(n)
	if err != nil || at == 0 || (sparse+dense*degree)*degree > float64(gauss) {
		return err
	}
	r := radius(at)
	factor := shrinking(r, n).MulFloat(1 / float64(n+1) / (1 - 1/r/r) * (1 + 0x1p-40))
	k.taylor, k.beyond = n, q.within(b, factor.Mul(q.c.N.Mag(k.w)))
	return nil
}

// series is f as a series in s, of the given degree, at m + w s where m is the middle of a cell. It
// is unknown if a decision is.
func (q *quadrature) series(k *cell, degree int) ([]jet.Jet, error) {
	c := q.c
	defer q.asking(q.pointTol(k))()
	mid := c.N.Mul(c.N.Add(k.lo, k.hi), c.N.Float(0.5)) // contains the middle
	tag := c.openRange(degree)
	y, seen, err := c.observe(q.f, c.Var(tag, degree, c.Const(mid), c.Const(k.w)), k.forced, -1)
	c.close(tag)
	if err == errUndecided {
		y, err = c.Unknown(), nil
	}
	q.learn(seen)
	coefficients := make([]jet.Jet, degree+1)
	for i := range coefficients {
		coefficients[i] = c.Coeff(y, tag, i)
	}
	return coefficients, err
}

// taylor is the integral over a cell by Taylor's rule.
func (q *quadrature) taylor(k *cell) (jet.Jet, error) {
	c := q.c
	y, err := q.series(k, k.taylor-1)
	sum := c.Zero()
	for i := (len(y) - 1) / 2 * 2; i >= 0; i -= 2 {
		sum = c.Add(c.Scale(sum, c.N.Float(0.25)), c.DivInt(y[i], i+1))
	}
	return c.Add(c.Scale(sum, k.w), k.beyond), err
}
