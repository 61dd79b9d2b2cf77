package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Slopes over boxes]. The derivatives by the coordinates come from variables of the search,
// one after the other if there are few, and else from forms (jet's Note [Forms]): one evaluation,
// and one pullback for each result. Where forms lose a derivative, which several kinks do to them,
// the variables are taken after all. By Lebourg's theorem, which needs no more than that f is
// Lipschitz, f(x) - f(m) is a product of these slopes with x - m for all x and m of the box: kinks do
// no harm.

// fewCoordinates is up to how many coordinates one evaluation for each of them is cheaper.
const fewCoordinates = 3

// sample is f over a box: its results, and for each of them its slopes, nil if they are not known.
type sample struct {
	ys   []jet.Jet
	rows [][]jet.Jet
	seen frame
}

// slopes evaluates f at x with its slopes by the coordinates. Where a jump is undecided ok is false.
func (c *ctx) slopes(f field, x []jet.Jet) (s sample, ok bool, err error) {
	if len(x) > fewCoordinates {
		s, ok, err = c.pulled(f, x)
		if err != nil || !ok || !slices.ContainsFunc(s.rows, func(row []jet.Jet) bool { return row == nil }) {
			return s, ok, err
		}
	}
	return c.pushed(f, x)
}

// pushed is slopes by one variable for each coordinate.
func (c *ctx) pushed(f field, x []jet.Jet) (s sample, ok bool, err error) {
	for j := range x {
		tag := c.open(1)
		moving := slices.Clone(x)
		moving[j] = c.Var(tag, 1, x[j], c.One())
		ys, seen, err := c.observed(f, moving, nil)
		if j == 0 && err == nil {
			s = sample{ys: make([]jet.Jet, len(ys)), rows: make([][]jet.Jet, len(ys)), seen: seen}
		}
		for i, y := range ys {
			s.ys[i] = c.Coeff(y, tag, 0)
			s.rows[i] = append(s.rows[i], c.Coeff(y, tag, 1))
		}
		c.close(tag)
		if err != nil {
			return s, false, unlessUndecided(err)
		}
	}
	return s, len(x) > 0, nil
}

// pulled is slopes by forms.
func (c *ctx) pulled(f field, x []jet.Jet) (s sample, ok bool, err error) {
	layer, tag := c.open(0), c.open(1)
	moving := make([]jet.Jet, len(x))
	for k := range x {
		moving[k] = c.Var(tag, 1, x[k], c.Input(layer, k))
	}
	ys, seen, err := c.observed(f, moving, nil)
	s = sample{ys: make([]jet.Jet, len(ys)), rows: make([][]jet.Jet, len(ys)), seen: seen}
	forms := make([]jet.Jet, len(ys))
	for i, y := range ys {
		s.ys[i], forms[i] = c.Plain(c.Coeff(y, tag, 0)), c.Coeff(y, tag, 1)
	}
	c.close(tag)
	c.close(layer)
	if err != nil {
		return s, false, unlessUndecided(err)
	}
	for i := range ys {
		if row, known := c.Pullback(len(x), forms[i:i+1], []jet.Jet{c.One()}); known {
			s.rows[i] = row
		}
	}
	return s, true, nil
}

// unlessUndecided is the error, unless it only says that something is undecided.
func unlessUndecided(err error) error {
	if errors.Is(err, errUndecided) {
		return nil
	}
	return err
}

// gradient is the derivative of a function of one result, nil if it is not known.
func (c *ctx) gradient(f field, x []jet.Jet) (y jet.Jet, g []jet.Jet, err error) {
	s, ok, err := c.slopes(f, x)
	if err != nil || !ok {
		return c.Unknown(), nil, err
	}
	return s.ys[0], s.rows[0], nil
}

// curves is the gradient of a function of one result and, for each of some coordinates, the
// derivative of the gradient by it; nil if they are not known.
func (c *ctx) curves(f field, x []jet.Jet, by []int) (g []jet.Jet, rows [][]jet.Jet, err error) {
	for _, j := range by {
		tag := c.open(1)
		moving := slices.Clone(x)
		moving[j] = c.Var(tag, 1, x[j], c.One())
		_, all, err := c.gradient(f, moving)
		row := make([]jet.Jet, len(all))
		g = make([]jet.Jet, len(all))
		for i, y := range all {
			g[i], row[i] = c.Coeff(y, tag, 0), c.Coeff(y, tag, 1)
		}
		c.close(tag)
		if err != nil || all == nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
	return g, rows, nil
}

// meanValue encloses f over the box x: y is f at the point m, and slopes those over x.
func (c *ctx) meanValue(y jet.Set, slopes []jet.Jet, x, m cuboid) jet.Set {
	n := c.N
	for i := range x {
		y = n.Add(y, n.Mul(slopes[i].Val(), n.Sub(x[i], m[i])))
	}
	return y
}

// allKnown tells whether all of some jets have values.
func allKnown(xs []jet.Jet) bool {
	return !slices.ContainsFunc(xs, func(x jet.Jet) bool { return !x.Known() })
}
