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
//
// Infinity is a point beside every range that is long enough: sin x² oscillates 10^11 times up to 1e6,
// and ∫ from 0 to 1e6 = ∫ from 0 to ∞ - ∫ from 1e6 to ∞, where the last one is one germ. This is
// right even if the integrals to infinity do not exist, as those of sin x and of x + cos x do
// not, for what is subtracted need only be a function F with F' = -f (endless): far out, f is a sum
// of waves, of powers with logarithms, and of an absolutely integrable remainder. For waves F is
// what integration by parts leaves if its parts at infinity are left out (formal), and for c u^(s-1)
// log^k u, where s < 0, what the formula for s > 0 says. F does not depend on where a germ begins, nor
// on how often parts are taken: a sum of waves and powers is absolutely integrable only if those
// are that are not cancelled, and for them F is the integral. For s = 0 there is no such F.

// looks are how many cells a quadrature cuts before it looks to infinity, before it looks beside its
// range, and before it leaves a function to balls that is too hard for doubles.
var looks = [...]int{8, 64, 512}

// longRule is a number of nodes, or of terms of a series, that shows an oscillation.
const longRule = 128

// oscillates tells whether some cell needs a long rule.
func (q *quadrature) oscillates() bool {
	long := func(k *cell) bool { return max(k.n, k.taylor) > longRule }
	return slices.ContainsFunc(q.done, long) || slices.ContainsFunc(q.open, long)
}

// beyondRange integrates over a cell as a difference of integrals from a point beside it, if it
// can. Doubles have no germs: what is known of the cell must do, and balls will do better.
func (q *quadrature) beyondRange(k *cell) (y jet.Jet, ok bool, err error) {
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
		between := func(a, b jet.Set) *cell {
			if sign < 0 {
				a, b = b, a
			}
			return &cell{lo: a, hi: b, w: c.N.Sub(b, a), part: 1, forced: k.forced}
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

// farRange integrates over a cell as a difference of integrals to infinity, if it can.
func (q *quadrature) farRange(k *cell) (y jet.Jet, ok bool, err error) {
	c := q.c
	y = c.Unknown()
	if _, plain := balls(c.N); !plain || q.pivoted != nil {
		return y, false, nil
	}
	sum, near := c.Zero(), cell{lo: k.lo, hi: k.hi, part: 1, forced: k.forced}
	for _, sign := range []float64{1, -1} {
		f, from, to := q.f, k.lo, k.hi
		if sign < 0 {
			f = func(x jet.Jet) (jet.Jet, error) { return q.f(c.Neg(x)) }
			from, to = c.N.Neg(k.hi), c.N.Neg(k.lo)
		}
		if c.N.Sign(to) <= 0 {
			continue
		}
		far := newQuadrature(c, q.at, f)
		far.tol, far.cells, far.endless = q.tol.MulFloat(0.125), q.cells, true
		rest := &cell{lo: to, tail: true, forced: k.forced}
		if err = far.boundTail(rest); err == nil && c.narrow(rest.bounds, far.tol) {
			tail := &cell{lo: from, tail: true, part: 0.5, forced: k.forced}
			known := false
			if c.N.Sign(from) > 0 {
				err = far.boundTail(tail)
				known = tail.bounds.Known()
			}
			if err == nil && !known {
				tail, err = far.findTail(from, k.forced)
			}
			if end := tail.lo; err == nil && c.N.Less(end, to) {
				if y, err = far.run(tail); err == nil {
					sum, ok = c.Add(sum, c.Sub(y, rest.bounds)), true
					if sign < 0 {
						near.lo = c.N.Neg(end)
					} else {
						near.hi = end
					}
				}
			}
		}
		if err != nil && fatal(err) {
			return c.Unknown(), false, err
		}
	}
	if !ok {
		return c.Unknown(), false, nil
	}
	if !c.N.Less(near.lo, near.hi) {
		return sum, c.narrow(sum, q.tol), nil
	}
	rest := newQuadrature(c, q.at, q.f)
	rest.tol, rest.cells, rest.inside = q.tol.MulFloat(0.5), q.cells, true
	y, err = rest.run(&near)
	if err != nil && fatal(err) {
		return y, false, err
	}
	y = c.Add(sum, y)
	return y, err == nil && c.narrow(y, q.tol), nil
}

// tooHard tells whether cutting a cell on doubles has not made its error much smaller, and gives what
// is known of it. Then f oscillates from end to end, and balls may know another way. Nothing is known
// of the whole of a cell that was cut at a crossing.
func (q *quadrature) tooHard(k *cell) (y jet.Jet, ok bool, err error) {
	if k.cut != nil || k.exchanged {
		return q.c.Unknown(), false, nil
	}
	var sum jet.Mag
	for _, k := range q.open {
		sum = sum.Add(k.err)
	}
	_, plain := balls(q.c.N)
	return k.bounds, !plain && k.err.MulFloat(1.0/16).Less(sum), nil
}

// singular is a point beside an end of the range, at most a distance with a sign away, next to
// which f is unknown.
func (q *quadrature) singular(end jet.Set, distance float64, forced []forced) (p float64, ok bool, err error) {
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
