package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Held functions]. Let d be m functions of the free coordinates that are 0 at the place that
// is sought, and let their slopes by m of these, the basic ones, be a regular matrix D. Then d and
// the other coordinates are coordinates, too, and f has no slope along the surface d = 0 where
//
//	f' - λ d' = 0 by the other coordinates,    with λ D = f' by the basic ones
//
// These, with d = 0, are as many equations as there are free coordinates. λ is the vector of the
// multipliers: the slope of f by d with the other coordinates held. It is not an unknown of its
// own, so the place is lifted as any other zero is.

// held is f on the surface on which some functions are 0.
type held struct {
	space        *space
	free         []int
	basic, other []int // of the free coordinates
	// zero are the functions that are 0.
	zero field
	// slopes are the slopes of f, and zero with its slopes.
	slopes func(x []jet.Jet) (g []jet.Jet, zero sample, ok bool, err error)
}

// choose chooses the basic coordinates: those along which the functions have the largest slopes, by
// elimination on numbers.
func (h *held) choose(rows [][]jet.Jet) {
	n := h.space.c.N
	w := make([][]float64, len(rows))
	for j, row := range rows {
		for _, i := range h.free {
			w[j] = append(w[j], n.Float64(row[i].Val()))
		}
	}
	h.basic, h.other = nil, nil
	taken := make([]bool, len(h.free))
	size := func(x float64) float64 { return max(x, -x) }
	for j := range w {
		best := -1
		for i := range h.free {
			if !taken[i] && (best < 0 || size(w[j][i]) > size(w[j][best])) {
				best = i
			}
		}
		taken[best] = true
		h.basic = append(h.basic, h.free[best])
		for l := j + 1; l < len(w) && w[j][best] != 0; l++ {
			factor := w[l][best] / w[j][best]
			for i := range w[l] {
				w[l][i] -= factor * w[j][i]
			}
		}
	}
	for i, coordinate := range h.free {
		if !taken[i] {
			h.other = append(h.other, coordinate)
		}
	}
}

// equations are those of the place: Note [Held functions].
func (h *held) equations() *equations {
	c := h.space.c
	e := &equations{space: h.space, free: h.free}
	e.residual = func(x []jet.Jet) ([]jet.Jet, error) {
		ys, _, err := c.observed(h.conditions, x, nil)
		if err != nil {
			return nil, unlessUndecided(err)
		}
		return ys, nil
	}
	e.slopes = func(x []jet.Jet) ([]jet.Jet, [][]jet.Jet, error) {
		all, ok, err := c.slopes(h.conditions, x)
		if err != nil || !ok {
			return nil, nil, err
		}
		rows := make([][]jet.Jet, len(all.rows))
		for j, row := range all.rows {
			if row == nil {
				return nil, nil, nil
			}
			for _, i := range h.free {
				rows[j] = append(rows[j], row[i])
			}
		}
		return all.ys, rows, nil
	}
	return e
}

// conditions are the functions, and the slopes of f along the other coordinates with these held.
func (h *held) conditions(x []jet.Jet) ([]jet.Jet, error) {
	c := h.space.c
	if len(h.other) == 0 {
		return h.zero(x)
	}
	unknown := slices.Repeat([]jet.Jet{c.Unknown()}, len(h.free))
	g, zero, ok, err := h.slopes(x)
	if err != nil {
		return nil, err
	}
	if !ok || slices.ContainsFunc(zero.rows, func(row []jet.Jet) bool { return row == nil }) {
		return unknown, nil
	}
	a, b := make([][]jet.Jet, len(h.basic)), make([][]jet.Jet, len(h.basic))
	for l, i := range h.basic {
		for _, row := range zero.rows {
			a[l] = append(a[l], row[i])
		}
		b[l] = []jet.Jet{g[i]}
	}
	weights, ok := c.Solve(a, b)
	if !ok {
		return unknown, nil
	}
	all := zero.ys
	for _, i := range h.other {
		slope := g[i]
		for j, row := range zero.rows {
			slope = c.Sub(slope, c.Mul(row[i], weights[j][0]))
		}
		all = append(all, slope)
	}
	return all, nil
}
