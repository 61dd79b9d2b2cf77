package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Centred residuals]. With τ = θ - m, residuals and columns are taken as
//
//	r_i(c', θ) ∈ ρ_i + σ_i τ + e_i      A_ij(θ) ∈ α_ij + β_ij τ
//
// where ρ, σ and α are points, e is of second order, and β is over Θ. The sums over i in S and g are
// formed for each power of τ by itself. The linear terms of g nearly cancel, by the choice of c'. So
// what is lost in f is of second order in the width of Θ.

// centred is residuals and columns in the terms of Note [Centred residuals], over a box.
type centred struct {
	off     []jet.Set   // τ
	rho     cuboid      // at the middle
	sigma   [][]jet.Set // points: by other coordinate and row
	rest    cuboid      // e
	alpha   []cuboid    // by column
	beta    [][]cuboid  // by other coordinate and column
	columns []cuboid    // over the box
	plain   cuboid      // the residuals over the box where the linear coordinates do not move
}

// centre finishes a projection; q is what the residuals are in the middle.
func (p *projection) centre(k *projected, q residuals) error {
	s, ok, err := p.spread(k, q)
	if err != nil || !ok {
		return err
	}
	p.follow(k, s)
	p.conclude(k, s)
	return nil
}

// spread evaluates the residuals over a box; sigma does not know of the moves of linear coordinates,
// and rest is not known.
func (p *projection) spread(k *projected, q residuals) (s *centred, ok bool, err error) {
	c, n := p.c, p.c.N
	s = &centred{rho: valuesOf(q.rows), plain: valuesOf(q.rows), off: make([]jet.Set, len(k.theta)),
		sigma: make([][]jet.Set, len(k.theta)), beta: make([][]cuboid, len(k.theta))}
	for _, column := range q.columns {
		s.alpha = append(s.alpha, valuesOf(column))
		s.columns = append(s.columns, valuesOf(column))
	}
	for t, x := range k.theta {
		s.off[t] = n.Sub(x, k.middle[t])
		s.sigma[t] = slices.Repeat([]jet.Set{n.Float(0)}, len(s.rho))
		s.beta[t] = slices.Repeat([]cuboid{s.sigma[t]}, len(s.alpha))
		if n.IsPoint(x) {
			continue
		}
		tag := c.open(1)
		moving := c.consts(k.theta)
		moving[t] = c.Var(tag, 1, moving[t], c.One())
		var z residuals
		z, ok, err = p.apart(moving, c.consts(k.at))
		by, over := z.coefficient(c, tag, 1), z.coefficient(c, tag, 0)
		c.close(tag)
		if err != nil || !ok || !by.known() {
			return nil, false, err
		}
		s.sigma[t], s.plain = valuesOf(by.rows), valuesOf(over.rows)
		s.beta[t] = make([]cuboid, len(s.alpha))
		for j, column := range by.columns {
			s.beta[t][j] = valuesOf(column)
			s.columns[j] = valuesOf(over.columns[j])
		}
	}
	for j, column := range s.columns {
		for i := range column {
			x := s.alpha[j][i]
			for t, off := range s.off {
				x = n.Add(x, n.Mul(s.beta[t][j][i], off))
			}
			if both := n.Intersect(x, column[i]); !n.IsEmpty(both) {
				column[i] = both
			}
		}
	}
	return s, true, nil
}

// coefficient is one of the coefficients of residuals and columns.
func (q residuals) coefficient(c *ctx, tag jet.Tag, i int) residuals {
	of := func(xs []jet.Jet) []jet.Jet {
		ys := make([]jet.Jet, len(xs))
		for k, x := range xs {
			ys[k] = c.Coeff(x, tag, i)
		}
		return ys
	}
	y := residuals{rows: of(q.rows)}
	for _, column := range q.columns {
		y.columns = append(y.columns, of(column))
	}
	return y
}

// known tells whether all of it has values.
func (q residuals) known() bool {
	return allKnown(q.rows) && !slices.ContainsFunc(q.columns, func(x []jet.Jet) bool { return !allKnown(x) })
}

// follow lets the linear coordinates that are free move with the others as the minimum does, to first
// order, and finishes sigma and rest.
func (p *projection) follow(k *projected, s *centred) {
	n := p.c.N
	free := k.free()
	k.moves = make([][]jet.Set, len(k.at))
	for j := range k.moves {
		k.moves[j] = slices.Repeat([]jet.Set{n.Float(0)}, len(s.off))
	}
	some := make([]cuboid, len(free))
	for l, j := range free {
		some[l] = s.alpha[j]
	}
	if inverse := jet.NearInverse(n, p.gram(some)); inverse != nil {
		for t := range s.off {
			for l, j := range free {
				move := n.Float(0)
				for v, i := range free {
					slope := n.Float(0)
					for row := range s.rho {
						slope = n.Add(slope, n.Add(n.Mul(s.alpha[i][row], n.Mid(s.sigma[t][row])),
							n.Mul(n.Mid(s.beta[t][i][row]), s.rho[row])))
					}
					move = n.Sub(move, n.Mul(inverse[l][v], slope))
				}
				if n.Bounded(move) {
					k.moves[j][t] = n.Mid(move)
				}
			}
		}
	}
	s.rest = make(cuboid, len(s.rho))
	for i := range s.rho {
		rest := n.Sub(s.rho[i], n.Mid(s.rho[i]))
		s.rho[i] = n.Mid(s.rho[i])
		for t, off := range s.off {
			slope := s.sigma[t][i]
			for _, j := range free {
				slope = n.Add(slope, n.Mul(s.alpha[j][i], k.moves[j][t]))
			}
			s.sigma[t][i] = n.Mid(slope)
			rest = n.Add(rest, n.Mul(n.Sub(slope, s.sigma[t][i]), off))
		}
		for _, j := range free {
			column, by := n.Float(0), n.Float(0)
			for t, off := range s.off {
				column = n.Add(column, n.Mul(s.beta[t][j][i], off))
				by = n.Add(by, n.Mul(k.moves[j][t], off))
			}
			rest = n.Add(rest, n.Mul(column, by))
		}
		s.rest[i] = rest
	}
}

// slopes is the derivatives of the sum of squares by the linear coordinates, over the box.
func (p *projection) slopes(s *centred) []jet.Set {
	n := p.c.N
	slopes := make([]jet.Set, len(s.alpha))
	for j, alpha := range s.alpha {
		sum := n.Float(0)
		for i, rho := range s.rho {
			sum = n.Add(sum, n.Add(n.Mul(alpha[i], rho), n.Mul(s.columns[j][i], s.rest[i])))
		}
		for t, off := range s.off {
			linear := n.Float(0)
			for i, rho := range s.rho {
				linear = n.Add(linear, n.Add(n.Mul(alpha[i], s.sigma[t][i]), n.Mul(s.beta[t][j][i], rho)))
			}
			sum = n.Add(sum, n.Mul(linear, off))
			for u, other := range s.off {
				quadratic := n.Float(0)
				for i, by := range s.beta[t][j] {
					quadratic = n.Add(quadratic, n.Mul(by, s.sigma[u][i]))
				}
				both := n.Mul(off, other)
				if t == u {
					both = p.square(off)
				}
				sum = n.Add(sum, n.Mul(quadratic, both))
			}
		}
		slopes[j] = sum
	}
	return slopes
}

// conclude bounds f and the minimisers over the box.
func (p *projection) conclude(k *projected, s *centred) {
	n := p.c.N
	slopes, bends := p.slopes(s), p.gram(s.columns)
	from := slices.Clone(k.at) // where the linear coordinates have moved to
	for j := range from {
		for t, off := range s.off {
			from[j] = n.Add(from[j], n.Mul(k.moves[j][t], off))
		}
	}
	p.confine(k, from, slopes, bends)
	free := k.free()
	some := make([][]jet.Set, len(free))
	right := make([]jet.Set, len(free))
	for l, j := range free {
		right[l] = n.Neg(slopes[j])
		for _, i := range free {
			some[l] = append(some[l], bends[j][i])
		}
	}
	rest := n.Float(0) // f without the squares of residuals of Note [Centred residuals]
	for i, row := range s.rho {
		for t, off := range s.off {
			row = n.Add(row, n.Mul(s.sigma[t][i], off))
		}
		rest = n.Add(rest, n.Mul(row, s.rest[i]))
	}
	system, regular := jet.NewSystem(n, some)
	if !regular {
		for j, slope := range slopes {
			rest = n.Add(rest, n.Mul(slope, n.Sub(k.place[j], from[j])))
		}
	} else {
		k.inside = true
		steps := system.Solve(right)
		square := n.Float(0)
		for l, j := range free {
			square = n.Add(square, n.Mul(right[l], steps[l]))
			x := n.Add(from[j], steps[l])
			k.inside = k.inside && n.Less(p.lo[j], x) && n.Less(x, p.hi[j])
		}
		for j, side := range k.sides {
			if side == 0 {
				continue
			}
			slope := slopes[j]
			for l, i := range free {
				slope = n.Add(slope, n.Mul(bends[j][i], steps[l]))
			}
			rest = n.Add(rest, n.Mul(slope, n.Sub(k.place[j], from[j])))
			k.inside = k.inside && n.Sign(slope) == -side
		}
		if !n.Bounded(square) {
			rest = n.Whole()
		} else {
			rest = n.Sub(rest, n.Hull(n.Float(0), n.Quo(square, n.Float(2))))
		}
		if k.inside {
			k.place = from
			for l, j := range free {
				k.place[j] = n.Add(from[j], steps[l])
			}
		}
	}
	least := n.Float(0)
	if n.Bounded(rest) {
		least = p.quadratic(k, s, n.Lower(rest))
	}
	if k.level != nil && n.Less(*k.level, least) {
		k.excluded = true
		return
	}
	highest := n.Float(0)
	for _, x := range s.plain {
		highest = n.Add(highest, n.Quo(p.square(x), n.Float(2)))
	}
	if k.ok = n.Bounded(highest); k.ok {
		k.value = n.Span(least, n.Upper(highest))
	}
}

// quadratic is a point below |ρ + σ τ|²/2 + rest over the box. It also narrows the box to where that
// is at most the level: to the ellipsoid of these τ.
func (p *projection) quadratic(k *projected, s *centred, rest jet.Set) jet.Set {
	c, n := p.c, p.c.N
	var moving []int
	middle, plane := n.Float(0), n.Float(0)
	for _, rho := range s.rho {
		middle = n.Add(middle, n.Quo(p.square(rho), n.Float(2)))
	}
	var slopes []jet.Set
	var columns []cuboid
	for t, off := range s.off {
		if n.IsPoint(k.theta[t]) {
			continue
		}
		slope := n.Float(0)
		for i, rho := range s.rho {
			slope = n.Add(slope, n.Mul(rho, s.sigma[t][i]))
		}
		plane = n.Add(plane, n.Mul(slope, off))
		moving, slopes, columns = append(moving, t), append(slopes, slope), append(columns, s.sigma[t])
	}
	least := n.Float(0)
	raise := func(y jet.Set) {
		if n.Bounded(y) && n.Less(least, n.Lower(y)) {
			least = n.Lower(y)
		}
	}
	raise(n.Add(n.Add(middle, plane), rest)) // the squares of τ are not negative
	system, ok := jet.NewSystem(n, p.gram(columns))
	if !ok || len(moving) == 0 {
		return least
	}
	lowest := middle // over all τ
	right := make([]jet.Set, len(moving))
	for l, slope := range slopes {
		right[l] = n.Neg(slope)
	}
	steps := system.Solve(right)
	for l, slope := range slopes {
		lowest = n.Add(lowest, n.Quo(n.Mul(slope, steps[l]), n.Float(2)))
	}
	raise(n.Add(lowest, rest))
	if k.level == nil {
		return least
	}
	room := n.Mul(n.Sub(n.Sub(*k.level, rest), lowest), n.Float(2))
	if !n.Bounded(room) || !n.Less(n.Float(0), n.Upper(room)) {
		return least
	}
	k.near = slices.Clone(k.theta)
	inverse := system.Inverse()
	for l, t := range moving {
		size := n.Mul(n.Upper(room), inverse[l][l])
		if !n.Bounded(size) || !n.Less(n.Float(0), n.Upper(size)) {
			continue
		}
		radius := n.Upper(c.Sqrt(c.Const(n.Upper(size))).Val())
		x := n.Add(n.Add(k.middle[t], steps[l]), n.Span(n.Neg(radius), radius))
		k.near[t] = n.Intersect(k.near[t], x)
	}
	return least
}

// confine narrows the place of the minimisers to steps that lead to no larger values.
func (p *projection) confine(k *projected, from cuboid, slopes []jet.Set, bends [][]jet.Set) {
	c, n := p.c, p.c.N
	system, ok := jet.NewSystem(n, bends)
	if !ok {
		return
	}
	right := make([]jet.Set, len(slopes))
	for j, slope := range slopes {
		right[j] = n.Neg(slope)
	}
	steps := system.Solve(right)
	square := n.Float(0)
	for j, step := range steps {
		square = n.Add(square, n.Mul(right[j], step))
	}
	inverse := system.Inverse()
	for j, step := range steps {
		most := n.Mul(square, inverse[j][j])
		if !n.Bounded(most) || !n.Less(n.Float(0), n.Upper(most)) {
			return
		}
		radius := n.Upper(c.Sqrt(c.Const(n.Upper(most))).Val())
		near := n.Add(n.Add(from[j], step), n.Span(n.Neg(radius), radius))
		if both := n.Intersect(k.place[j], near); !n.IsEmpty(both) {
			k.place[j] = both
		}
	}
}
