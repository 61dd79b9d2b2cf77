package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Beyond]
//
// Problem: sin (1/x) has 16,000 oscillations between 1e-5 and 1, and cells follow each of them.
// Next to the singularity at 0 a germ would integrate nearly all of them at once (Note [Waves]),
// but 0 does not belong to the range.
//
// Idea: let p be a point beside the range. Then
//
//	∫ from a to b = ∫ from p to b - ∫ from p to a
//
// if both integrals on the right exist, and the same holds for their derivatives by what is
// captured, since p does not move. The first has its singularity at an end; the second is one germ.
//
// When: a quadrature has cut many cells, some cell shows an oscillation, and f is unknown over a
// set that begins at an end of its range. Bisection takes that set to a point. Nothing rests on the
// choice of p but the cost. The first integral on the right looks no further: a singularity that is
// no number of the machine, as π/2, is never reached.

// manyCells is how many cells a quadrature cuts before it looks beyond its range.
const manyCells = 64

// longRule is a number of nodes, or of terms of a series, that shows an oscillation.
const longRule = 128

// oscillates tells whether some cell needs a long rule.
func (q *quadrature[T]) oscillates() bool {
	long := func(k *cell[T]) bool { return max(k.n, k.taylor) > longRule }
	return slices.ContainsFunc(q.done, long) || slices.ContainsFunc(q.open, long)
}

// beyondRange integrates over a cell as a difference of integrals from a point beside it, if it
// can. Doubles have no germs: what is known of the cell must do, and balls will do better.
func (q *quadrature[T]) beyondRange(k *cell[T]) (y jet.Jet[T], ok bool, err error) {
	c := q.c
	y = c.Unknown()
	if !q.oscillates() {
		return y, false, nil
	}
	_, plain := balls(c.N)
	for _, sign := range []float64{1, -1} {
		near, far := k.lo, k.hi
		if sign < 0 {
			near, far = far, near
		}
		p, found, err := q.singular(near, -sign*c.N.Float64(c.N.Sub(k.hi, k.lo))/8, k.forced)
		switch {
		case err != nil:
			return y, false, err
		case !found:
			continue
		case !plain:
			return k.bounds, true, nil
		}
		between := func(a, b T) *cell[T] {
			if sign < 0 {
				a, b = b, a
			}
			return &cell[T]{lo: a, hi: b, w: c.N.Sub(b, a), part: 1, forced: k.forced}
		}
		gap := between(c.N.Float(p), near)
		rest, ok, err := q.germ(gap, c.N.Float(p), q.beside(gap, sign), grain, false)
		if err != nil && fatal(err) {
			return y, false, err
		}
		rest = c.Scale(rest, gap.w)
		if err != nil || !ok || !c.narrow(rest, q.tol.MulFloat(0.25)) {
			continue
		}
		all := newQuadrature(c, q.at, q.f)
		all.tol, all.cells, all.inside = q.tol.MulFloat(0.5), q.cells, true
		whole, err := all.run(between(c.N.Float(p), far))
		if err != nil && fatal(err) {
			return y, false, err
		}
		if y = c.Sub(whole, rest); err == nil && c.narrow(y, q.tol) {
			return y, true, nil
		}
	}
	return c.Unknown(), false, nil
}

// singular is a point beside an end of the range, at most a distance with a sign away, next to
// which f is unknown.
func (q *quadrature[T]) singular(end T, distance float64, forced []forced) (p float64, ok bool, err error) {
	c := q.c
	near := c.N.Float64(end)
	unknown := func(from, to float64) bool {
		y, _, failure := c.observe(q.f, c.Const(c.N.Span(c.N.Float(min(from, to)), c.N.Float(max(from, to)))), forced, -1)
		if failure != nil && fatal(failure) {
			err = failure
		}
		return failure == nil && !y.Known()
	}
	far := near + distance
	if math.IsInf(far, 0) || !unknown(near, far) {
		return 0, false, err
	}
	for err == nil && math.Abs(far-near) > math.Abs(distance)*0x1p-50 {
		mid := near + (far-near)/2
		if mid == near || mid == far {
			break
		}
		if unknown(near, mid) {
			far = mid
		} else {
			near = mid
		}
	}
	return simplest(min(near, far), max(near, far)), err == nil, err
}
