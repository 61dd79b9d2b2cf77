package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Concave weights]. Let x* be a place that is proved (Note [Constraints]), λ ≥ 0 its
// multipliers, and L = f + Σ λₖ gₖ. Wherever the constraints hold L is at least f, and at x* they
// are equal. No slope of L at x* leads upward in the box: it is 0 along free coordinates, and has
// the sign of the multipliers of bounds along others. So where L is concave, on the way from x* to
// a point x, f(x) ≤ L(x) ≤ L(x*) = f(x*), and x is lower if L bends all over the box of x*. Nothing
// else is sought in a piece if L is concave all over the hull of it and x*. Of a convex problem
// that is the whole box at once, in any dimension.
//
// L is concave where the pivots of its second derivatives, by elimination on sets, are negative. A
// coordinate that no other is mixed with may have a pivot that reaches 0.

// weighted is L at the best place that is proved.
type weighted struct {
	at *peak
	of field // L
}

// weighted makes L from the multipliers of active constraints at k; nil if it does not bend there.
func (w *constrained) weighted(k *peak, active []int, list []jet.Set) (*weighted, error) {
	c := w.c
	of := func(x []jet.Jet) ([]jet.Jet, error) {
		ys, err := w.all(x)
		if err != nil {
			return nil, err
		}
		sum := ys[0]
		for j, u := range list {
			sum = c.Add(sum, c.Mul(c.Const(u), ys[active[j]]))
		}
		return []jet.Jet{sum}, nil
	}
	l := &weighted{k, of}
	if ok, err := w.bends(l, k.x, true); err != nil || !ok {
		return nil, err
	}
	return l, nil
}

// bends tells whether L is concave all over x.
func (w *constrained) bends(l *weighted, x cuboid, strictly bool) (bool, error) {
	c, n := w.c, w.c.N
	some := make([]int, 0, len(x))
	for i := range x {
		if n.Less(w.lo[i], w.hi[i]) {
			some = append(some, i)
		}
	}
	_, rows, err := c.curves(l.of, c.consts(x), some)
	if err != nil || rows == nil {
		return false, err
	}
	a := make([][]jet.Set, len(some))
	for j, row := range rows {
		for _, i := range some {
			if !row[i].Known() {
				return false, nil
			}
			a[j] = append(a[j], row[i].Val())
		}
	}
	for k := range a {
		mixed := func(y jet.Set) bool { return !n.Mag(y).IsZero() }
		alone := !slices.ContainsFunc(a[k][k+1:], mixed)
		switch {
		case n.Sign(a[k][k]) < 0:
		case !strictly && alone && n.Bounded(a[k][k]) && !n.Less(n.Float(0), n.Upper(a[k][k])):
			continue
		default:
			return false, nil
		}
		for i := k + 1; i < len(a); i++ {
			for j := i; j < len(a); j++ {
				product := n.Mul(a[k][i], a[k][j])
				if i == j {
					product = c.Sqr(c.Const(a[k][i])).Val()
				}
				a[i][j] = n.Sub(a[i][j], n.Quo(product, a[k][k]))
			}
		}
	}
	return true, nil
}

// beneath tells whether the best place that is proved is better than all others of x.
func (w *constrained) beneath(x cuboid) (bool, error) {
	if w.summit == nil {
		return false, nil
	}
	if w.skips--; w.skips >= 0 {
		return false, nil
	}
	ok, err := w.bends(w.summit, w.c.hullOf(x, w.summit.at.x), false)
	if w.misses++; ok {
		w.misses = 0
	}
	w.skips = 1<<min(w.misses, 5) - 1
	return ok, err
}
