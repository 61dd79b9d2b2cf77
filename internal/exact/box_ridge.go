package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Ridges in boxes]. Where f is largest at a kink its slopes do not vanish, and pieces around it are cut
// until they are narrow, without a proof that there is one place, nor how it moves. Let X be the hull
// of these pieces, d the differences of the decisions that are undecided over X, m of them, and f_σ be
// f with the decisions forced to the signs σ, all over a box Y around X. Suppose that
//
//   - the slopes of d by some m of the free coordinates, the basic ones, are regular over Y, so that d
//     and the other coordinates are coordinates, too;
//   - from every point of X the way to d = 0 with the other coordinates held stays in Y;
//   - each f_σ falls away from d = 0: its derivative by the k-th difference has the sign of -σ_k.
//
// Then f rises on each way, and the places in X where it is largest have d = 0. There all f_σ are
// equal. So these places are where d = 0, and where one f_σ has no slope along the other coordinates
// with d held: as many equations as free coordinates. If Newton's operator proves that they have one
// solution in Y it is the only place in X, and by the same reasons for neighbours of what is
// captured. It is lifted like any other, and the largest value is f_σ there.

// crease is the decisions that are undecided around a peak.
type crease struct {
	*peaksSearch
	held
	sites []int
}

// ridge tries to prove that all pieces hold one place, at a kink. It takes the pieces away then.
func (p *peaksSearch) ridge() (bool, error) {
	c, n := p.c, p.c.N
	rest := p.rest()
	states := slices.Clone(rest[0].states)
	x := rest[0].x
	for _, piece := range rest {
		x = c.hullOf(x, piece.x)
		for i, state := range piece.states {
			if low, high := p.touches(piece.x, i); state == open && (low || high) {
				return false, nil
			} else if state == open {
				state = inner
			}
			if states[i] == open {
				states[i] = inner
			}
			if state != states[i] {
				return false, nil
			}
		}
	}
	_, seen, err := c.observed(p.f, c.consts(x), nil)
	if err != nil {
		return false, unlessUndecided(err)
	}
	k := &crease{peaksSearch: p, sites: seen.kinks}
	k.held = held{space: p.space, free: free(states), zero: k.differences, slopes: k.slopes}
	if m := len(k.sites); m == 0 || m > len(k.free) || m == mostKinks {
		return false, nil
	}
	around := slices.Clone(x)
	for _, i := range k.free {
		wide := n.Widen(x[i], n.Width(x[i]).MulFloat(4))
		around[i] = n.Span(p.clip(n.Lower(wide), i), p.clip(n.Upper(wide), i))
	}
	if ok, err := k.falls(x, around); err != nil || !ok {
		return false, err
	}
	e := k.equations()
	for range newtonSteps {
		now, err := e.contract(around)
		if err != nil || now.empty {
			return false, err
		}
		if now.proved {
			place, err := e.narrow(now.x)
			if err != nil {
				return false, err
			}
			p.hand = rest // until the place is one of the peaks
			p.pieces.list, p.done = nil, nil
			one := &peak{zone: zone{around, place}, states: states, e: e, f: k.forced(k.signs(0))}
			if err := p.add(one); err != nil {
				return false, err
			}
			p.hand = nil
			return true, nil
		}
		if !c.smaller(now.x, around) {
			return false, nil
		}
		around = now.x
	}
	return false, nil
}

// signs is one choice of a side for each decision.
func (k *crease) signs(choice int) []forced {
	list := make([]forced, len(k.sites))
	for j, site := range k.sites {
		list[j] = forced{site, 1 - 2*(choice>>j&1)}
	}
	return list
}

// forced is f with decisions forced, wherever it is evaluated.
func (k *crease) forced(sides []forced) field {
	return func(x []jet.Jet) (ys []jet.Jet, err error) {
		c := k.c
		_, seen, err := c.observeIn(frame{forced: sides, steady: true, watch: -1}, func(y jet.Jet) (jet.Jet, error) {
			var err error
			ys, err = k.f(x)
			return y, err
		}, c.Zero())
		c.inherit(seen)
		return ys, err
	}
}

// differences are those of the decisions.
func (k *crease) differences(x []jet.Jet) ([]jet.Jet, error) {
	c := k.c
	diffs := make([]jet.Jet, len(k.sites))
	for j, site := range k.sites {
		_, seen, err := c.observeIn(frame{watch: site}, func(y jet.Jet) (jet.Jet, error) {
			_, err := k.f(x)
			return y, err
		}, c.Zero())
		if err != nil && !errors.Is(err, errUndecided) {
			return nil, err
		}
		if diffs[j] = c.Unknown(); seen.watched.met {
			diffs[j] = seen.watched.diff
		}
	}
	return diffs, nil
}

// slopes are those of f with the decisions forced, and of the differences.
func (k *crease) slopes(x []jet.Jet) (g []jet.Jet, diffs sample, ok bool, err error) {
	_, g, err = k.c.gradient(k.forced(k.signs(0)), x)
	if err != nil || g == nil {
		return nil, diffs, false, err
	}
	diffs, ok, err = k.c.slopes(k.differences, x)
	return g, diffs, ok, err
}

// falls tells whether f rises from all of x towards the place where the differences are 0, on ways
// that stay in the box around.
func (k *crease) falls(x, around cuboid) (bool, error) {
	c, n := k.c, k.c.N
	diffs, ok, err := c.slopes(k.differences, c.consts(around))
	if err != nil || !ok {
		return false, err
	}
	for _, row := range diffs.rows {
		if row == nil || !allKnown(row) {
			return false, nil
		}
	}
	k.choose(diffs.rows)
	a := make([][]jet.Set, len(k.sites))
	for j, row := range diffs.rows {
		for _, i := range k.basic {
			a[j] = append(a[j], row[i].Val())
		}
	}
	system, ok := jet.NewSystem(n, a)
	if !ok {
		return false, nil
	}
	inverse := system.Inverse()
	start, _, err := c.observed(k.differences, c.consts(x), nil)
	if err != nil || !allKnown(start) {
		return false, err
	}
	for b, i := range k.basic {
		to := x[i]
		for j, d := range start {
			to = n.Sub(to, n.Mul(inverse[b][j], n.Hull(d.Val(), n.Float(0))))
		}
		if !n.Within(to, around[i]) {
			return false, nil
		}
	}
	for choice := range 1 << len(k.sites) {
		sides := k.signs(choice)
		_, g, err := c.gradient(k.forced(sides), c.consts(around))
		if err != nil || g == nil || !allKnown(g) {
			return false, err
		}
		for j := range k.sites {
			slope := n.Float(0)
			for b, i := range k.basic {
				slope = n.Add(slope, n.Mul(g[i].Val(), inverse[b][j]))
			}
			if n.Sign(slope) != -sides[j].side {
				return false, nil
			}
		}
	}
	return true, nil
}
