package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// Note [Sparse systems]. Each of a hundred equations may mention three of the unknowns. Then
//
//   - unknowns that no equation mentions together form a class, and one evaluation along all
//     unknowns of a class gives the slopes by each of them: three evaluations for a tridiagonal
//     system. Slices of all unknowns of a class are excluded by one evaluation, too;
//   - an equation is solved for each of its unknowns, with what is known of the others, and what that
//     excludes is soon known of their neighbours;
//   - Newton's operator multiplies what is not 0;
//   - a box is cut where its other coordinates are narrow already. If two halves of the system were
//     cut each for itself, all combinations of their pieces would have to be looked at.
//
// An equation mentions an unknown if its slope over the whole range is not the set of 0 alone. What
// it does not mention it does not depend on in any part of the range.

// pattern is which coordinates the equations of a system mention.
type pattern struct {
	rows    [][]int // of each equation
	classes [][]int // of which no equation mentions two
}

// findPattern sets the pattern of equations for all coordinates, if they are sparse.
func (e *equations) findPattern() error {
	c := e.c
	if len(e.free) <= fewCoordinates {
		return nil
	}
	_, slopes, err := e.slopes(c.consts(e.whole()))
	if err != nil || slopes == nil {
		return err
	}
	p := &pattern{rows: make([][]int, len(slopes))}
	mentioned := make([][]int, len(e.free)) // the equations that mention a coordinate
	for i, row := range slopes {
		for j, y := range row {
			if !y.Known() || !c.N.IsPoint(y.Val()) || !c.N.Mag(y.Val()).IsZero() {
				p.rows[i] = append(p.rows[i], j)
				mentioned[j] = append(mentioned[j], i)
			}
		}
	}
	class := make([]int, len(e.free))
	for j := range class {
		taken := map[int]bool{}
		for _, i := range mentioned[j] {
			for _, k := range p.rows[i] {
				if k < j {
					taken[class[k]] = true
				}
			}
		}
		for taken[class[j]] {
			class[j]++
		}
		if class[j] == len(p.classes) {
			p.classes = append(p.classes, nil)
		}
		p.classes[class[j]] = append(p.classes[class[j]], j)
	}
	if 2*len(p.classes) <= len(e.free) {
		e.sparse = p
	}
	return nil
}

// slopesByClass is the slopes of a sparse system. They are nil if a jump is undecided.
func (e *equations) slopesByClass(x []jet.Jet) (ys []jet.Jet, rows [][]jet.Jet, err error) {
	c, p := e.c, e.sparse
	rows = make([][]jet.Jet, len(p.rows))
	for i := range rows {
		rows[i] = slices.Repeat([]jet.Jet{c.Zero()}, len(x))
	}
	at := make([]int, len(x)) // the class of a coordinate
	for k, class := range p.classes {
		for _, j := range class {
			at[j] = k
		}
	}
	for k, class := range p.classes {
		tag := c.open(1)
		moving := slices.Clone(x)
		for _, j := range class {
			moving[j] = c.Var(tag, 1, x[j], c.One())
		}
		all, _, err := c.observed(e.f, moving, nil)
		if err == nil {
			ys = make([]jet.Jet, len(all))
			for i, y := range all {
				ys[i] = c.Coeff(y, tag, 0)
				for _, j := range p.rows[i] {
					if at[j] == k {
						rows[i][j] = c.Coeff(y, tag, 1)
					}
				}
			}
		}
		c.close(tag)
		if err != nil {
			return nil, nil, unlessUndecided(err)
		}
	}
	return ys, rows, nil
}

// linear is equations over a box with the point m: their values at x are in at + slopes * (x - m).
type linear struct {
	m      cuboid
	at     []jet.Set
	slopes [][]jet.Set
}

// linearOver is the equations over x, or nil if they are not known.
func (e *equations) linearOver(x cuboid) (*linear, error) {
	c := e.c
	over, rows, err := e.slopesByClass(c.consts(x))
	if err != nil || over == nil || !allKnown(over) {
		return nil, err
	}
	l := &linear{m: c.mid(x), slopes: make([][]jet.Set, len(rows))}
	at, err := e.residual(c.consts(l.m))
	if err != nil || at == nil || !allKnown(at) {
		return nil, err
	}
	for i, row := range rows {
		if !allKnown(row) {
			return nil, nil
		}
		l.at = append(l.at, at[i].Val())
		for _, y := range row {
			if !c.N.Bounded(y.Val()) {
				return nil, nil
			}
			l.slopes[i] = append(l.slopes[i], y.Val())
		}
	}
	return l, nil
}

// solveEach narrows x by each equation, solved for each of the coordinates that it mentions, up and
// down the list; empty tells that nothing is left.
func (e *equations) solveEach(l *linear, x cuboid) (empty bool) {
	n := e.c.N
	for pass := range 2 {
		for k := range l.at {
			i := k
			if pass == 1 {
				i = len(l.at) - 1 - k
			}
			for _, j := range e.sparse.rows[i] {
				rest := l.at[i]
				for _, o := range e.sparse.rows[i] {
					if o != j {
						rest = n.Add(rest, n.Mul(l.slopes[i][o], n.Sub(x[o], l.m[o])))
					}
				}
				if !e.meets(x, j, e.quotient(l.m[j], rest, l.slopes[i][j])) {
					return true
				}
			}
		}
	}
	return false
}

// meets narrows a coordinate of x to what it has in common with y, and tells whether that is
// anything.
func (e *equations) meets(x cuboid, j int, y jet.Set) bool {
	n := e.c.N
	both := n.Intersect(x[j], y)
	if n.IsEmpty(both) {
		return false
	}
	if n.Width(both).Less(n.Width(x[j])) && n.Bounded(both) {
		x[j] = both
	}
	return true
}

// Note [Weighted combinations]. Any combination y of the equations may be solved for a coordinate.
// Newton's operator combines them such that all other coordinates cancel, which is best in a small
// box. In a large one the slopes vary, and a combination of many equations adds up what they leave
// open, while a coordinate that is narrow need not cancel. Let W have the radii of the coordinates, J
// the middles of the slopes, and D the radii of what slopes leave open in each equation. Then
//
//	y = (J W² Jᵀ + D²)⁻¹ J_j
//
// leaves the smallest sum of squares in what is solved for the coordinate j. This is Kalman's filter,
// with the box as what is known before and the equations as measurements; it becomes Newton's operator
// as D vanishes. A chain of equations is followed for as long as that says something: in Bratu's
// problem, x[i - 1] - 2 x[i] + x[i + 1] + h² exp x[i] = 0, from a narrow x[0] to its neighbours, whose
// widths grow by their distance, while solving one equation after the other more than doubles them.

// combine narrows x by weighted combinations; empty tells that nothing is left.
func (e *equations) combine(l *linear, x cuboid) (empty bool, err error) {
	n := e.c.N
	size := len(l.at)
	w := make([]float64, size)
	for j := range w {
		w[j] = n.Width(x[j]).Float() / 2
	}
	mid := make([][]float64, size)
	open := make([]float64, size)
	for i, row := range l.slopes {
		mid[i] = make([]float64, size)
		for _, j := range e.sparse.rows[i] {
			mid[i][j] = n.Float64(row[j])
			open[i] += n.Width(row[j]).Float() / 2 * w[j]
		}
	}
	scale := make([]float64, size) // of each equation
	for i, row := range mid {
		sum := open[i] * open[i]
		for _, j := range e.sparse.rows[i] {
			sum += row[j] * row[j] * w[j] * w[j]
		}
		if scale[i] = 1 / math.Sqrt(sum); math.IsInf(scale[i], 0) || math.IsNaN(scale[i]) {
			return false, nil
		}
	}
	normal := linalg.Array{Rank: 2, Rows: make([][]float64, size)}
	right := linalg.Array{Rank: 2, Rows: make([][]float64, size)}
	for i := range mid {
		normal.Rows[i], right.Rows[i] = make([]float64, size), make([]float64, size)
		for k := range mid {
			for _, j := range e.sparse.rows[i] {
				normal.Rows[i][k] += mid[i][j] * mid[k][j] * w[j] * w[j] * scale[i] * scale[k]
			}
		}
		normal.Rows[i][i] += open[i]*open[i]*scale[i]*scale[i] + 1e-12
		for _, j := range e.sparse.rows[i] {
			right.Rows[i][j] = mid[i][j] * w[j] * scale[i]
		}
	}
	solved, d := linalg.Solve(linalg.Unlimited, []linalg.Array{normal, right})
	if d != nil {
		return false, nil
	}
	for j := range w {
		if err := e.c.cancel(e.at); err != nil {
			return false, err
		}
		most := 0.0
		for i := range solved.Rows {
			most = max(most, math.Abs(solved.Rows[i][j]))
		}
		sum, by := n.Float(0), slices.Repeat([]jet.Set{n.Float(0)}, size)
		for i := range solved.Rows {
			y := solved.Rows[i][j]
			if !(math.Abs(y) > 1e-10*most) {
				continue // it would hardly change anything
			}
			times := n.Float(y * scale[i])
			sum = n.Add(sum, n.Mul(times, l.at[i]))
			for _, k := range e.sparse.rows[i] {
				by[k] = n.Add(by[k], n.Mul(times, l.slopes[i][k]))
			}
		}
		for k, slope := range by {
			if k != j {
				sum = n.Add(sum, n.Mul(slope, n.Sub(x[k], l.m[k])))
			}
		}
		if !e.meets(x, j, e.quotient(l.m[j], sum, by[j])) {
			return true, nil
		}
	}
	return false, nil
}

// propagate narrows a box by what is local, as long as that helps and somebody may want it narrower.
func (e *equations) propagate(x cuboid) (narrower cuboid, empty bool, err error) {
	c := e.c
	for {
		before := slices.Clone(x)
		l, err := e.linearOver(x)
		if err != nil || l == nil {
			return x, false, err
		}
		if x = slices.Clone(x); e.solveEach(l, x) {
			return x, true, nil
		}
		if !c.smaller(x, before) {
			if empty, err := e.combine(l, x); err != nil || empty {
				return x, empty, err
			}
		}
		if !c.smaller(x, before) || c.boxWidth(x).Less(c.tol.Mul(jet.Exp2(-finest))) {
			return x, false, nil
		}
	}
}

// shaveClasses cuts slices off all coordinates of a class at once: Note [Shaving].
func (r *rootsSearch) shaveClasses(x cuboid) (shaved cuboid, empty bool, err error) {
	c, n, p := r.c, r.c.N, r.e.sparse
	shaved = slices.Clone(x)
	part := make([]float64, len(x))
	for _, class := range p.classes {
		for _, low := range []bool{true, false} {
			for _, j := range class {
				part[j] = 0x1p-3
			}
			for range mostSlices {
				near, rest := slices.Clone(shaved), slices.Clone(shaved)
				tried, excluded := make([]bool, len(x)), make([]bool, len(x))
				for _, j := range class {
					if part[j] < 0x1p-5 {
						continue
					}
					tried[j] = true
					lo, hi := n.Lower(shaved[j]), n.Upper(shaved[j])
					step := n.Mul(n.Sub(hi, lo), n.Float(part[j]))
					if low {
						cut := n.Mid(n.Add(lo, step))
						near[j], rest[j] = n.Span(lo, cut), n.Span(cut, hi)
					} else {
						cut := n.Mid(n.Sub(hi, step))
						near[j], rest[j] = n.Span(cut, hi), n.Span(lo, cut)
					}
				}
				if !slices.Contains(tried, true) {
					break
				}
				ys, _, err := c.over(r.f, c.consts(near), len(x))
				if err != nil {
					return x, false, err
				}
				for i, y := range ys {
					if !y.Known() || n.Sign(y.Val()) == 0 {
						continue
					}
					of := -1
					for _, j := range p.rows[i] {
						if tried[j] {
							of = j
						}
					}
					if of < 0 { // whatever the slices are
						return x, true, nil
					}
					excluded[of] = true
				}
				for j := range x {
					switch {
					case excluded[j]:
						shaved[j], part[j] = rest[j], min(2*part[j], 0.5)
					case tried[j]:
						part[j] /= 4
					}
				}
			}
		}
	}
	return shaved, false, nil
}

// front is the coordinate along which the box of a sparse system is cut: the widest one of the
// equation whose coordinates are narrowest, among those in which one is not narrow already. It is -1
// if the box is a point.
func (e *equations) front(x cuboid) int {
	n := e.c.N
	part := make([]float64, len(x)) // of the range
	for j := range x {
		part[j] = n.Width(x[j]).Float() / max(n.Mag(n.Sub(e.hi[j], e.lo[j])).Float(), 0x1p-1000)
	}
	narrow := slices.Max(part) / 64
	best, least := -1, math.Inf(1)
	for _, row := range e.sparse.rows {
		sum, widest := 0.0, -1
		for _, j := range row {
			sum += part[j]
			if widest < 0 || part[j] > part[widest] {
				widest = j
			}
		}
		if widest >= 0 && part[widest] > narrow && sum < least {
			best, least = widest, sum
		}
	}
	return best
}
