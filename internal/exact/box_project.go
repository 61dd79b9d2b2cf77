package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Projection]. Let S(c, θ) = |r(c, θ)|²/2, where the residuals are affine in c: r = r0(θ) + A(θ) c.
// Let C be the box of c. The least value of S is sought in θ alone, as that of f(θ) = min over C of
// S(·, θ). With g and N the first and second derivatives of S by c at any c'(θ), where N = AᵀA,
//
//	S(c' + d, θ) = S(c', θ) + g d + d N d / 2
//
// which is convex in d. Which bounds of C are active at the minimum is guessed in the middle m of the
// box Θ of θ; J are these coordinates, and F the others. c' is near the minimum at m, on the active
// bounds, and moves with θ - m as the minimum does to first order. For every d that keeps to C,
//
//	S(c' + d, θ) ≥ S(c', θ) - g_F N_FF⁻¹ g_F / 2 + h d_J,   h = g_J - N_JF N_FF⁻¹ g_F
//
// as is seen by minimising over d_F without bounds. It is an equality where d_J = 0 is best, and then
// d_F = -N_FF⁻¹ g_F. If this leads to the inside of C, and h points inwards, for all θ of Θ,
//
//	f = S(c', θ) - g_F N_FF⁻¹ g_F / 2
//
// has derivatives of every order by θ; otherwise they are unknown. How far d_J may go is known from C,
// and if N is regular from S(c' + d, θ) ≤ S(c', θ): |d + N⁻¹ g|² ≤ g N⁻¹ g in the norm of N.
//
// Most of the space is excluded sooner. Where f is at most the least value that was met, or a little
// more, L, no residual is beyond √(2L). Each is linear in c, and narrows its range; if one gets empty,
// f is greater than L all over Θ. What else is concluded from the narrower range holds where f ≤ L: a
// bound of f that is beyond L says only that f is.

// projection is half the sum of squares of a function's results, least in the coordinates in which
// they are affine.
type projection struct {
	c      *ctx
	of     field // of all coordinates
	linear []int
	others []int
	lo, hi cuboid       // of the linear coordinates
	recent []*projected // the last one comes first
	level  *jet.Set     // a point; f is at most that where it is least. Nil for none

	best cuboid  // all coordinates of the point with the least value that was met, nil for none
	low  jet.Set // the value there
}

// projected is what is known of the minimum over a box of the other coordinates.
type projected struct {
	theta, middle cuboid
	at            cuboid      // near the minimum in the middle
	sides         []int       // -1, 1: the bound of a linear coordinate that is active; 0 for none
	moves         [][]jet.Set // of `at` with the other coordinates
	excluded      bool        // f is more than the level
	ok            bool        // the rest is known
	value         jet.Set     // contains f
	inside        bool        // the bounds that are active are proved
	place         cuboid      // contains the minimisers, where f is at most the level
	level         *jet.Set    // nil for none
	harm          []float64   // what is lost in f, by coordinate; nil if it is not known
	near          cuboid      // contains the part of the box where f is at most the level, nil for all
}

// linearIn returns coordinates in which all results of a function are affine together, for all
// values of them and of the others: those whose second derivatives vanish on the whole box. Or they
// vanish on a part of it by the form of the function, not by chance, where it decides nothing by reals:
// then they do elsewhere.
func (c *ctx) linearIn(f field, box cuboid) (list []int, err error) {
	n := c.N
	part := c.mid(box)
	for i, x := range box {
		part[i] = n.Intersect(n.Widen(part[i], n.Width(x).Mul(jet.Exp2(-20))), x)
	}
	for i := range box {
		fits := true
		for _, j := range append(list[:len(list):len(list)], i) {
			none, err := c.affine(f, box, i, j, false)
			if err == nil && !none {
				none, err = c.affine(f, part, i, j, true)
			}
			if err != nil {
				return nil, err
			}
			if fits = fits && none; !fits {
				break
			}
		}
		if fits {
			list = append(list, i)
		}
	}
	return list, nil
}

// affine tells whether the second derivatives by two coordinates vanish on a box; with everywhere, so
// that they do everywhere.
func (c *ctx) affine(f field, x cuboid, i, j int, everywhere bool) (bool, error) {
	first, moving := c.open(2), c.consts(x)
	moving[i] = c.Var(first, 2, moving[i], c.One())
	second := first
	if i != j {
		second = c.open(1)
		moving[j] = c.Var(second, 1, moving[j], c.One())
	}
	ys, seen, err := c.observed(f, moving, nil)
	none := err == nil && !seen.kinked && len(seen.kinks) == 0 && !(everywhere && (seen.decides || seen.ranges > 0))
	for _, y := range ys {
		bend := c.Coeff(c.Coeff(y, second, 1), first, 1)
		if i == j {
			bend = c.Coeff(y, first, 2)
		}
		none = none && bend.Known() && c.N.Mag(bend.Val()).IsZero() && (!everywhere || bend.IsZero())
	}
	if i != j {
		c.close(second)
	}
	c.close(first)
	return none, unlessUndecided(err)
}

// least is -f, for a search for its largest value.
func (p *projection) least(theta []jet.Jet) ([]jet.Jet, error) {
	c := p.c
	if !allKnown(theta) {
		return []jet.Jet{c.Unknown()}, nil
	}
	k, err := p.project(valuesOf(theta))
	if err != nil {
		return nil, err
	}
	if !k.ok {
		return []jet.Jet{c.Unknown()}, nil
	}
	y := c.Const(k.value)
	switch {
	case !slices.ContainsFunc(theta, c.Moves):
	case k.inside:
		y, err = p.exactly(theta, k)
	default:
		y = c.withoutDerivatives(y, 1, theta...)
	}
	if err != nil {
		return nil, err
	}
	return []jet.Jet{c.Neg(y)}, nil
}

// exactly is f with its derivatives, where the active bounds are proved.
func (p *projection) exactly(theta []jet.Jet, k *projected) (jet.Jet, error) {
	c := p.c
	at := c.consts(k.at)
	for j, moves := range k.moves {
		for i, by := range moves {
			off := c.Sub(theta[i], c.Const(k.middle[i]))
			at[j] = c.Add(at[j], c.Mul(c.Const(by), off))
		}
	}
	q, ok, err := p.around(theta, at)
	if err != nil || !ok {
		return c.Unknown(), err
	}
	free := k.free()
	bends, right := make([][]jet.Jet, len(free)), make([][]jet.Jet, len(free))
	for i, j := range free {
		for _, l := range free {
			bends[i] = append(bends[i], c.product(q.columns[j], q.columns[l]))
		}
		right[i] = []jet.Jet{c.product(q.columns[j], q.rows)}
	}
	if len(free) == 0 {
		return p.within(c.halfSquares(q.rows), k.value), nil
	}
	step, ok := c.Solve(bends, right)
	if !ok {
		return c.Unknown(), nil
	}
	half := c.Zero()
	for i := range free {
		half = c.Add(half, c.Mul(right[i][0], step[i][0]))
	}
	y := c.Sub(c.halfSquares(q.rows), c.DivInt(half, 2))
	return p.within(y, k.value), nil
}

// within is y, whose value is known to be in another set, too.
func (p *projection) within(y jet.Jet, value jet.Set) jet.Jet {
	if !y.Known() {
		return p.c.withoutDerivatives(p.c.Const(value), 1, y)
	}
	if both := p.c.N.Intersect(value, y.Val()); !p.c.N.IsEmpty(both) {
		value = both
	}
	return y.WithVal(value)
}

// free is the coordinates that are not at active bounds.
func (k *projected) free() (list []int) {
	for j, side := range k.sides {
		if side == 0 {
			list = append(list, j)
		}
	}
	return list
}

// learn remembers a point with the least value so far.
func (p *projection) learn(theta, at cuboid, q residuals) {
	n := p.c.N
	y := p.c.halfSquares(q.rows).Val()
	if !n.Bounded(y) || p.best != nil && !n.Less(n.Upper(y), n.Upper(p.low)) {
		return
	}
	p.best, p.low = valuesOf(p.join(p.c.consts(theta), p.c.consts(at))), y
}

// join arranges all coordinates.
func (p *projection) join(theta, linear []jet.Jet) []jet.Jet {
	x := make([]jet.Jet, len(p.linear)+len(p.others))
	for k, i := range p.others {
		x[i] = theta[k]
	}
	for k, i := range p.linear {
		x[i] = linear[k]
	}
	return x
}

// residuals are those at a place, and their slopes by the linear coordinates.
type residuals struct {
	rows    []jet.Jet
	columns [][]jet.Jet
}

// around evaluates the residuals; ok is false where they are not known.
func (p *projection) around(theta, at []jet.Jet) (q residuals, ok bool, err error) {
	c := p.c
	tags := make([]jet.Tag, len(at))
	linear := make([]jet.Jet, len(at))
	for j := range at {
		tags[j] = c.open(1)
		linear[j] = c.Var(tags[j], 1, at[j], c.One())
	}
	ys, err := p.of(p.join(theta, linear))
	q.rows, q.columns = slices.Clone(ys), make([][]jet.Jet, len(at))
	for i, y := range ys {
		for j := len(at) - 1; j >= 0; j-- {
			slope := c.Coeff(y, tags[j], 1)
			for k := j - 1; k >= 0; k-- {
				slope = c.Coeff(slope, tags[k], 0) // the rest is 0
			}
			q.columns[j] = append(q.columns[j], slope)
			y = c.Coeff(y, tags[j], 0)
		}
		q.rows[i] = y
	}
	for j := len(at) - 1; j >= 0; j-- {
		c.close(tags[j])
	}
	return q, err == nil && q.known(), err
}

// product is the inner product of two vectors.
func (c *ctx) product(x, y []jet.Jet) jet.Jet {
	sum := c.Zero()
	for i := range x {
		sum = c.Add(sum, c.Mul(x[i], y[i]))
	}
	return sum
}

// apart is around in a frame of its own.
func (p *projection) apart(theta, at []jet.Jet) (q residuals, ok bool, err error) {
	_, _, err = p.c.observeIn(frame{watch: -1}, func(x jet.Jet) (jet.Jet, error) {
		var err error
		q, ok, err = p.around(theta, at)
		return x, err
	}, p.c.Zero())
	return q, ok && err == nil, unlessUndecided(err)
}

// mostRecent is how many projections are remembered: of a box, and of its middle.
const mostRecent = 2

// project finds what is known of the minimum over a box.
func (p *projection) project(theta cuboid) (*projected, error) {
	c, n := p.c, p.c.N
	for _, k := range p.recent {
		if c.withinBox(theta, k.theta) && c.withinBox(k.theta, theta) {
			return k, nil
		}
	}
	k := &projected{theta: theta, middle: c.mid(theta), sides: make([]int, len(p.linear))}
	for j := range p.linear {
		k.place = append(k.place, n.Span(p.lo[j], p.hi[j]))
		k.at = append(k.at, n.Mid(k.place[j]))
	}
	if len(p.recent) > 0 {
		k.at = p.recent[0].at
	}
	p.recent = append([]*projected{k}, p.recent[:min(len(p.recent), mostRecent-1)]...)
	if err := p.exclude(k); err != nil || k.excluded {
		return k, err
	}
	middle := c.consts(k.middle)
	q, ok, err := p.apart(middle, c.consts(k.at))
	if err != nil || !ok {
		return k, err
	}
	k.at, k.sides = p.boxed(q, k.at)
	if q.rows, ok, err = p.evaluated(middle, c.consts(k.at)); err != nil || !ok {
		return k, err
	}
	p.learn(k.middle, k.at, q)
	return k, p.centre(k, q)
}

// exclude narrows the linear coordinates to where f may be at most the level, unless it is more
// everywhere. Residuals that are not known, as near poles, are left out.
func (p *projection) exclude(k *projected) error {
	c, n := p.c, p.c.N
	if p.level == nil || !slices.ContainsFunc(k.theta, func(x jet.Set) bool { return !n.IsPoint(x) }) {
		return nil
	}
	q, _, err := p.apart(c.consts(k.theta), c.consts(p.lo))
	if err != nil {
		return err
	}
	level := *p.level
	k.level = &level
	twice := n.Upper(n.Mul(level, n.Float(2)))
	most := n.Upper(c.Sqrt(c.Const(twice)).Val())
	within := n.Span(n.Neg(most), most)
	sum := n.Float(0)
	for sweep := range sweeps {
		for i, row := range q.rows {
			known := row.Known() && n.Bounded(row.Val())
			for _, column := range q.columns {
				known = known && column[i].Known() && n.Bounded(column[i].Val())
			}
			if !known {
				continue
			}
			all := row.Val()
			for j, column := range q.columns {
				all = n.Add(all, n.Mul(column[i].Val(), n.Sub(k.place[j], p.lo[j])))
			}
			if sweep == sweeps-1 {
				sum = n.Add(sum, p.square(all))
			}
			if n.IsEmpty(n.Intersect(all, within)) || n.Less(twice, sum) {
				k.excluded = true
				return nil
			}
			for j := range k.place {
				a := q.columns[j][i].Val()
				if n.Sign(a) == 0 {
					continue
				}
				x := n.Sub(within, row.Val()) // what the j-th coordinate gives
				for l, column := range q.columns {
					if l != j {
						x = n.Sub(x, n.Mul(column[i].Val(), n.Sub(k.place[l], p.lo[l])))
					}
				}
				x = n.Intersect(k.place[j], n.Add(p.lo[j], n.Quo(x, a)))
				if n.IsEmpty(x) {
					k.excluded = true
					return nil
				}
				if n.Bounded(x) {
					k.place[j] = x
				}
			}
		}
	}
	return nil
}

// sweeps is how often each residual narrows the linear coordinates.
const sweeps = 2

// boxed is the minimum of a convex quadratic function in the box, nearly: coordinates that would
// leave the box go to its bounds, and come back where the function falls inwards.
func (p *projection) boxed(q residuals, from cuboid) (at cuboid, sides []int) {
	n := p.c.N
	slopes, hessian := p.normal(q)
	sides = make([]int, len(from))
	at = slices.Clone(from)
	for range 4*len(from) + 4 {
		var free []int
		for j, side := range sides {
			switch side {
			case -1:
				at[j] = p.lo[j]
			case 1:
				at[j] = p.hi[j]
			default:
				at[j] = from[j]
				free = append(free, j)
			}
		}
		slope := func(j int) jet.Set { // at `at`
			s := slopes[j]
			for k := range at {
				s = n.Add(s, n.Mul(hessian[j][k], n.Sub(at[k], from[k])))
			}
			return n.Mid(s)
		}
		bends := make([][]jet.Set, len(free))
		right := make([]jet.Set, len(free))
		for i, j := range free {
			right[i] = slope(j)
			for _, k := range free {
				bends[i] = append(bends[i], hessian[j][k])
			}
		}
		inverse := jet.NearInverse(n, bends)
		if inverse == nil {
			break
		}
		beyond := false
		for i, j := range free {
			step := n.Float(0)
			for k := range free {
				step = n.Add(step, n.Mul(inverse[i][k], right[k]))
			}
			at[j] = n.Mid(n.Sub(at[j], step))
			switch {
			case !n.Less(p.lo[j], at[j]):
				sides[j], beyond = -1, true
			case !n.Less(at[j], p.hi[j]):
				sides[j], beyond = 1, true
			}
		}
		if beyond {
			continue
		}
		worst, most := -1, 0.0
		for j, side := range sides {
			width := n.Float64(n.Sub(p.hi[j], p.lo[j]))
			if wrong := float64(side) * n.Float64(slope(j)) * width; side != 0 && wrong > most {
				worst, most = j, wrong
			}
		}
		if worst < 0 {
			return at, sides
		}
		sides[worst] = 0
	}
	for j := range at {
		switch {
		case !n.Bounded(at[j]):
			at[j] = from[j]
		case n.Less(at[j], p.lo[j]):
			at[j] = p.lo[j]
		case n.Less(p.hi[j], at[j]):
			at[j] = p.hi[j]
		}
	}
	return at, sides
}

// normal is the first and second derivatives of the sum of squares by the linear coordinates.
func (p *projection) normal(q residuals) (slopes []jet.Set, bends [][]jet.Set) {
	for _, column := range q.columns {
		slopes = append(slopes, p.c.product(column, q.rows).Val())
	}
	columns := make([]cuboid, len(q.columns))
	for j, column := range q.columns {
		columns[j] = valuesOf(column)
	}
	return slopes, p.gram(columns)
}

// gram is the inner products of columns.
func (p *projection) gram(columns []cuboid) [][]jet.Set {
	n := p.c.N
	products := make([][]jet.Set, len(columns))
	for j := range columns {
		products[j] = make([]jet.Set, len(columns))
		for k := range j + 1 {
			sum := n.Float(0)
			for i, x := range columns[j] {
				if j == k {
					sum = n.Add(sum, p.square(x))
				} else {
					sum = n.Add(sum, n.Mul(x, columns[k][i]))
				}
			}
			products[j][k], products[k][j] = sum, sum
		}
	}
	return products
}

// square is the squares of a set.
func (p *projection) square(x jet.Set) jet.Set { return p.c.Sqr(p.c.Const(x)).Val() }
