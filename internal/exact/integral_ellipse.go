package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
)

// Note [Ellipses]. Let f be analytic, and |f| <= M, on the ellipse with foci -1 and 1 whose
// half axes are (ρ ± 1/ρ)/2, ρ > 1. Then Gauss's rule with n >= 2 nodes on [-1, 1] differs from
// the integral by at most
//
//	(64/15) M ρ^(-2n) / (1 - ρ^(-2))
//
// Proof. With x = (z + 1/z)/2 the ellipse is |z| = ρ, and f is a Laurent series in z: f = Σ a_k
// T_k, where Cauchy's integral on |z| = ρ gives |a_k| <= 2 M ρ^-k. The rule is exact for T_k with k
// < 2n, and for odd k by symmetry. For even k >= 2n the integral of T_k is 2/(k² - 1) in size, at
// most 2/15, and the rule gives no more than 2, because its weights are positive, with sum 2, and
// |T_k| <= 1 at its nodes. So the difference is at most the sum of 2 M ρ^-k (2 + 2/15) over the
// even k >= 2n. (Petras, Self-validating integration and approximation of piecewise analytic
// functions; Trefethen, Approximation Theory and Approximation Practice, Thm 19.3; Johansson,
// Numerical integration in arbitrary-precision ball arithmetic.)
//
// The ellipse around a cell lies in a rectangle, on which one evaluation of f's continuation (Note
// [Continuations]) gives M; if it gives None, a smaller ρ may do, or several smaller rectangles. A
// larger ρ needs fewer nodes until M becomes too large. Only the logarithm of M matters, so that
// doubles are good enough, whatever the precision of the integral. Cutting a cell in two about
// doubles ρ: it pays where ρ is less than 2. The coefficients of f in the open variables are
// functions of x like f itself, each with an M of its own.
//
// Where f has no continuation that can be computed, the remainder comes from f's Taylor
// coefficients (Note [Gauss's remainder]).

// rhos are the ellipses that are tried, beyond the first, which is none.
var rhos = func() (all []float64) {
	all = []float64{1, 1.5}
	for rho := 2.0; rho <= 1<<16; rho *= 2 {
		all = append(all, rho, 1.5*rho)
	}
	return all
}()

// usualRho is where to begin: ρ = 4.
const usualRho = 4

// manyBits is the precision from which on nodes cost so much that bounds should be sharp.
const manyBits = 512

// bound is how large f is around a cell.
type bound struct {
	sizes  jet.Jet // for each coefficient of f
	most   jet.Mag // the largest
	degree int     // of f, if it is a polynomial
}

// analytic finds the rule for a cell around which f is analytic. Done tells that it did; if
// no rule is good enough the cell is to be cut.
func (q *quadrature) analytic(k *cell) (done bool, err error) {
	if q.refused {
		return false, nil
	}
	c := q.c
	if k.rho == 0 {
		k.rho = usualRho
	}
	rho, n, b, err := q.best(k, k.rho, func(i int) (a, b float64, nodes func(bits float64) int) {
		rho := rhos[i]
		return (rho + 1/rho) / 2, (rho - 1/rho) / 2, func(bits float64) int {
			return max(2, int(math.Ceil(bits/(2*math.Log2(rho)))))
		}
	})
	if err != nil || rho == 0 {
		k.rho = 0
		return false, err
	}
	if b.degree < 2*n {
		k.n, k.taylor = b.degree/2+1, 0
		k.remainder, k.err, k.unknown = c.Zero(), jet.Mag{}, false
		return true, nil
	}
	enough := 2.0
	if c.N.Bits() > manyBits {
		enough = 3 // nodes are dear
	}
	if least := rhos[rho]; least < enough { // no more than that takes: the cell is to be cut
		n = max(2, int(float64(n)*math.Log2(least)/math.Log2(enough)))
	}
	k.rho, k.n, k.taylor = rho, n, 0
	k.remainder = q.within(b, ellipseError(rhos[rho], n).Mul(c.N.Mag(k.w)))
	k.err, k.unknown = q.spread(k.remainder)
	if n >= manyNodes && !k.unknown && !q.share(k).Less(k.err) {
		err = q.preferTaylor(k)
	}
	return true, err
}

// region gives the half axes of the i-th ellipse in units of half the width of a cell, and how many
// nodes a rule takes for an error that is so many bits less than M w.
type region = func(i int) (a, b float64, nodes func(bits float64) int)

// best is the ellipse around a cell for which a rule takes the fewest nodes, by its number, which
// is 0 if f is not analytic on any. It begins with the given one.
func (q *quadrature) best(k *cell, i int, of region) (at, nodes int, b bound, err error) {
	decided := true
	try := func(i int) bool {
		var now bound
		width, height, count := of(i)
		if now, decided, err = q.around(k, width, height); !decided || now.most.IsInf() {
			return false
		}
		n := count(q.bits(k, now))
		if at > 0 && n >= nodes {
			return false
		}
		at, nodes, b = i, n, now
		return true
	}
	climb := func(i int) {
		for i < len(rhos) && try(i) && nodes > 2 && b.degree >= 2*nodes {
			i++
		}
	}
	if climb(i); at == 0 && decided && !q.refused {
		climb(1)
	} else if at == i {
		for i--; i > 0 && try(i); i-- {
		}
	}
	return at, nodes, b, err
}

// bits is how much smaller than the bound the error is to be, in bits: as small as the cell's
// share of the tolerance, or as numbers can tell.
func (q *quadrature) bits(k *cell, b bound) float64 {
	n := q.c.N
	largest := jet.Mag{}
	q.c.Each(k.bounds, func(_ int, c jet.Set, _ bool) bool {
		largest = largest.Max(n.Mag(c))
		return true
	})
	least := max(q.share(k).Exp(), largest.Exp()-int64(n.Bits()))
	return float64(b.most.Mul(n.Mag(k.w)).Exp() - least + 4)
}

// within is the jet of which each coefficient is at most factor times the size of f's.
func (q *quadrature) within(b bound, factor jet.Mag) jet.Jet {
	n := q.c.N
	return q.c.Map(b.sizes, func(size jet.Set, _ bool) (jet.Set, bool) {
		return n.Widen(n.Float(0), n.Mag(size).Mul(factor)), true
	})
}

// tile is a rectangle near a cell, in units of half its width from its middle.
type tile struct {
	re, im interval.Interval
	depth  int // how often it was cut
}

// cover is rectangles that together cover the upper half of an ellipse with the given half
// axes: by symmetry f is as large in the lower one. With many digits there are three of them, from
// a point on it at 0, 30, 60 and 90 degrees to the next.
func (q *quadrature) cover(a, b float64) (all []tile) {
	sides := [][2]float64{{1, 1}}
	if q.c.N.Bits() > manyBits {
		sides = [][2]float64{{1, 0.5}, {0.8661, 0.8661}, {0.5, 1}}
	}
	const up = 1 + 0x1p-40
	for _, s := range sides {
		all = append(all, tile{
			re: interval.Interval{Lo: -a * s[0] * up, Hi: a * s[0] * up},
			im: interval.Interval{Lo: 0, Hi: b * s[1] * up},
		})
	}
	return all
}

// maxTiles bounds the number of rectangles for one ellipse with many digits, and maxCuts how
// often one is cut.
const maxTiles, maxCuts = 64, 4

// around bounds f on the ellipse around a cell whose half axes are a and b times half the
// width, and finds the range of f over the cell. It is not decided if f meets a kink or
// has no value on the cell. With many digits, a tile on which f is not known to be analytic is
// cut.
func (q *quadrature) around(k *cell, a, b float64) (all bound, decided bool, err error) {
	c := q.c
	tiles := q.cover(a, b)
	for i := 0; i < len(tiles); i++ {
		n, x := q.continuation(k, tiles[i])
		restore := c.Over(n)
		y, seen, err := c.observe(q.nests(k, q.f), c.Const(x), k.forced, -1)
		restore()
		q.flat = q.flat || err != errNested && !k.tried && q.c.exchanges == 0
		q.refused = q.refused || n.refused
		if err == errUndecided || err == nil && (seen.kinked || !y.Known()) {
			return all, false, nil
		}
		if err != nil {
			return all, false, err
		}
		now := bound{}
		now.sizes = c.Map(y, func(x jet.Set, known bool) (jet.Set, bool) {
			z := n.of(x)
			size := n.around(z).Mag()
			if !known {
				size = math.Inf(1)
			}
			now.degree = max(now.degree, z.degree)
			now.most = now.most.Max(jet.MagOf(size))
			return c.N.Float(min(size, math.MaxFloat64)), true
		})
		if now.most.IsInf() {
			small := len(tiles) >= maxTiles || tiles[i].depth >= maxCuts
			if q.refused || small || c.N.Bits() <= manyBits {
				return now, true, nil
			}
			tiles = append(tiles, tiles[i].cut()...)
			continue
		}
		if all.most.IsZero() {
			all = now
		} else {
			all.most = all.most.Max(now.most)
			all.sizes = c.Hull(all.sizes, now.sizes)
		}
		on := c.Map(y, func(x jet.Set, _ bool) (jet.Set, bool) { v, _ := n.on(x); return v, true })
		k.bounds = c.Scale(on, k.w)
	}
	return all, true, nil
}

// cut is a rectangle in four.
func (p tile) cut() (all []tile) {
	halves := func(x interval.Interval) [2]interval.Interval {
		return [2]interval.Interval{{Lo: x.Lo, Hi: x.Mid()}, {Lo: x.Mid(), Hi: x.Hi}}
	}
	for _, re := range halves(p.re) {
		for _, im := range halves(p.im) {
			all = append(all, tile{re, im, p.depth + 1})
		}
	}
	return all
}

// narrowBits is by how many bits the width of a cell may be less than its place before rectangles
// are relative to its middle.
const narrowBits = 20

// continuation is the points of a rectangle, and a number for continuations.
func (q *quadrature) continuation(k *cell, p tile) (continuations, jet.Set) {
	coarse, apart := q.coarse(k, &k.work)
	n := newContinuations(coarse, apart > narrowBits)
	lo, hi := coarse.Ends(k.w)
	unit := interval.Mul(interval.Point(0.5), interval.Interval{Lo: lo, Hi: hi})
	middle := coarse.Mul(coarse.Add(k.lo, k.hi), coarse.Float(0.5)) // contains it
	z := continuation{
		on: coarse.Span(k.lo, k.hi), base: middle, based: true, degree: 1,
		off: rectangle.Rect{Re: interval.Mul(unit, p.re), Im: interval.Mul(unit, p.im)},
	}
	if !n.narrow {
		z.off, z.based = n.around(z), false
	}
	return n, n.make(z)
}

// ellipseError is the factor of M w in the error of the rule with n >= 2 nodes for a cell of width
// w.
func ellipseError(rho float64, n int) jet.Mag {
	return shrinking(rho, 2*n).MulFloat(32.0 / 15 / (1 - 1/rho/rho) * (1 + 0x1p-40))
}

// shrinking is rho^-n, rounded up.
func shrinking(rho float64, n int) jet.Mag {
	shrink := jet.Exp2(0)
	for power := jet.MagOf(1 / rho * (1 + 0x1p-50)); n > 0; n >>= 1 {
		if n&1 == 1 {
			shrink = shrink.Mul(power)
		}
		power = power.Mul(power)
	}
	return shrink
}
