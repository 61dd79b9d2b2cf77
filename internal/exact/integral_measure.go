package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Gauss's remainder]. Let f be smooth over the cell X = [lo, hi] of width w, and
// c_k(x) its k-th Taylor coefficient at x. Gauss's rule with n nodes differs from the integral by
//
//	c_2n(ξ) w^(2n+1) (n!)^4 / ((2n+1) (2n)!²)
//
// for some ξ in X. One evaluation with the argument X + w t gives all c_k(X) w^k, scaled
// so that neither end of the range of doubles is near, and so the remainder of
// every rule with up to half as many nodes. The smallest rule whose remainder
// is tolerable is used. The coefficients of f in the open variables are functions of x like f
// itself: each has its own remainder, the coefficient of t^2n in it.
//
// A coefficient that is a structural zero is one at every order: a polynomial has no
// remainder at all.

// tagless is newer than any variable: a jet is a constant in it.
const tagless = jet.Tag(math.MaxInt32)

// measure finds how to integrate over a cell and with what error, and takes
// the decisions that can be proved for the cell as a whole.
func (q *quadrature) measure(k *cell) error {
	for {
		again, err := q.evaluate(k)
		if err != nil {
			return err
		}
		if !again && !k.exchanged {
			return q.improper(k)
		}
		if !again {
			return nil
		}
	}
}

// evaluate evaluates f over a cell: at first with degree 2, which shows whether it is
// smooth, then with as much as the largest rule needs. Again tells that a decision was forced
// or that the cell is found to be smooth.
func (q *quadrature) evaluate(k *cell) (again bool, err error) {
	c := q.c
	if done, err := q.analytic(k); done || err != nil {
		return false, err
	}
	degree := 2
	tol := q.pointTol(k).Max(k.hint)
	if k.smooth {
		degree = 2 * k.most
		tol = tol.Max(q.remainderTol(k))
	}
	coarse, _ := q.coarse(k, &k.work)
	restore, refine := q.asking(tol), c.Over(coarse)
	x := c.N.Span(k.lo, k.hi)
	tag := c.openRange(degree)
	y, seen, err := c.observe(q.f, c.Var(tag, degree, c.Const(x), c.Const(k.w)), k.forced, -1)
	c.close(tag)
	refine()
	restore()
	q.learn(seen)
	if err != nil && err != errUndecided {
		return false, err
	}
	if err == nil {
		q.choose(k, y, tag, degree)
		if !k.bounds.Known() && len(k.forced) > 0 {
			if err := q.relax(k); err != nil {
				return false, err
			}
		}
		if !k.unknown && !q.share(k).Less(k.err) {
			return false, nil
		}
	}
	if q.still(k, seen) {
		return true, nil
	}
	if seen.first.met {
		if again, err := q.decide(k, tag, seen.first); err != nil || again || k.cut != nil {
			return again, err
		}
	}
	if dim := k.unknown || err == nil && q.dim(c.Coeff(y, tag, 2)); dim && seen.edge.met && !seen.first.met {
		if again, err := q.decide(k, tag, seen.edge); err != nil || again || k.cut != nil {
			return again, err
		}
	}
	if done, err := q.exchange(k, tag, seen.fold); done || err != nil {
		k.exchanged = done
		return false, err
	}
	k.undecided, k.doubt = seen.first.met || seen.kinked || len(seen.fold.diffs) > 0, seen.first.at
	k.diffs = nil
	for _, d := range append(seen.fold.diffs, seen.first.diff) {
		if slope := c.Coeff(d, tag, 1); slope.Known() && c.N.Sign(slope.Val()) == 0 && !slope.IsZero() {
			k.diffs = append(k.diffs, c.Coeff(d, tag, 0))
		}
	}
	if err == errUndecided {
		defer q.asking(tol)()
		if y, err = q.branches(c.Const(x), k.forced, seen.first, maxBranches); err != nil {
			return false, err
		}
		q.choose(k, y, tagless, 0)
		return false, nil
	}
	if k.undecided || k.smooth {
		return false, nil
	}
	if q.dim(c.Coeff(y, tag, 2)) {
		return false, nil // so will the higher ones be
	}
	if !q.refused {
		return false, nil // smaller cells have ellipses
	}
	k.smooth, k.most = true, q.nodes(k)
	return true, nil
}

// relax bounds f over a cell without forcing decisions. Forcing narrows, but can leave
// a domain by as little as rounding: √|x| has values at 0, and √(-x) has none to the right of it.
func (q *quadrature) relax(k *cell) error {
	y, err := q.relaxed(q.c.N.Span(k.lo, k.hi), k.forced)
	if err == nil && y.Known() {
		q.choose(k, y, tagless, 0)
	}
	return err
}

// relaxed is f over a set without forced decisions.
func (q *quadrature) relaxed(x jet.Set, forced []forced) (jet.Jet, error) {
	if len(forced) == 0 {
		return q.c.Unknown(), nil
	}
	y, _, err := q.c.observe(q.f, q.c.Const(x), nil, -1)
	if err == errUndecided {
		return q.c.Unknown(), nil
	}
	return y, err
}

// choose selects the rule for a cell from f's series over it: the smallest whose
// remainder is tolerable, or else the one with the least.
func (q *quadrature) choose(k *cell, y jet.Jet, tag jet.Tag, degree int) {
	c := q.c
	k.bounds = c.Scale(c.Coeff(y, tag, 0), k.w)
	k.n = 0
	k.err, k.unknown = q.spread(k.bounds)
	share := q.share(k)
	if degree >= 1 {
		q.centred(k, c.Coeff(y, tag, 1))
	}
	for n := 1; 2*n <= degree && (k.unknown || share.Less(k.err)); n++ {
		r := c.Scale(c.Coeff(y, tag, 2*n), c.N.Mul(k.w, c.N.Rat(gaussRemainder(n))))
		err, unknown := q.spread(r)
		if !r.Known() || unknown && !k.unknown || k.n > 0 && !err.Less(k.err) || k.n == 0 && k.err.Less(err) {
			continue
		}
		k.n, k.remainder, k.err, k.unknown = n, r, err, unknown
	}
}

// Note [Centred form]. If f has slopes in F over a cell with middle m, be it for kinks or for
// second derivatives that are unknown, f(x) lies in f(m) + F (x - m) (Lebourg), and
// the integral in w f(m) + (F - F) w²/8, half of it from either side of m. This is
// Gauss's rule with one node and another remainder.

// centred uses the centred form for a cell if it is better than the range of f. slope is
// that over the cell, times its width.
func (q *quadrature) centred(k *cell, slope jet.Jet) {
	c := q.c
	r := c.Scale(c.Sub(slope, slope), c.N.Mul(k.w, c.N.Float(0.125)))
	if err, unknown := q.spread(r); r.Known() && (!unknown || k.unknown) && err.Less(k.err) {
		k.n, k.remainder, k.err, k.unknown = 1, r, err, unknown
	}
}

// apply is the integral over a cell by its rule.
func (q *quadrature) apply(k *cell) (jet.Jet, error) {
	c := q.c
	if k.taylor > 0 {
		if y, err := q.taylor(k); err != nil || c.narrow(y, q.share(k).MulFloat(4)) {
			return y, err
		}
	}
	defer q.asking(q.pointTol(k))()
	rule := q.rule(k.n)
	sum := c.Zero()
	for i, s := range rule.nodes {
		y, seen, err := c.observe(q.f, c.Const(c.N.Add(k.lo, c.N.Mul(k.w, s))), k.forced, -1)
		if err == errUndecided {
			return c.Unknown(), nil
		}
		if err != nil {
			return y, err
		}
		q.learn(seen)
		sum = c.Add(sum, c.Scale(y, rule.weights[i]))
	}
	return c.Add(c.Scale(sum, k.w), k.remainder), nil
}
