package exact

import (
	"math"
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
//
// That is too much near a valley, where f hardly grows and Σ |ρ_i e_i| is large. There e is taken as
//
//	e_i ∈ Σ_{t ≤ u} κ_itu τ_t τ_u + small
//
// with κ from the second derivatives over Θ, and σ in the middle. The sums Σ ρ_i κ_itu are nearly
// points, the curvature that f has besides |σ τ|²/2, and what is lost is of third order.

// centred is residuals and columns in the terms of Note [Centred residuals], over a box.
type centred struct {
	off     []jet.Set   // τ
	rho     cuboid      // at the middle
	sigma   [][]jet.Set // points: by other coordinate and row
	round   cuboid      // what is lost in ρ by rounding
	rest    cuboid      // e
	small   cuboid      // what e has besides κ, if that is known
	curved  [][]jet.Set // the sums of ρ κ, for u ≤ t; nil if κ is not known
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
	if k.excluded || !k.ok || p.narrow(k.value) {
		return nil
	}
	if ok, err = p.curve(k, s); err == nil && ok {
		p.conclude(k, s)
	}
	return err
}

// narrow tells whether a value is known well enough.
func (p *projection) narrow(y jet.Set) bool {
	n := p.c.N
	return n.Width(y).Less(n.Mag(y).Mul(jet.Exp2(-20)))
}

// evaluated is the residuals, in a frame of their own; ok is false where they are not known.
func (p *projection) evaluated(theta, at []jet.Jet) (ys []jet.Jet, ok bool, err error) {
	_, _, err = p.c.observeIn(frame{watch: -1}, func(x jet.Jet) (jet.Jet, error) {
		var err error
		ys, err = p.of(p.join(theta, at))
		ys = slices.Clone(ys)
		return x, err
	}, p.c.Zero())
	return ys, err == nil && allKnown(ys), unlessUndecided(err)
}

// derivative is the coefficients of the residuals by one or two of the other coordinates, at a place
// where the linear ones do not move.
func (p *projection) derivative(theta cuboid, at []jet.Jet, by ...int) (y cuboid, ok bool, err error) {
	c := p.c
	moving := c.consts(theta)
	tags, orders := make([]jet.Tag, 0, 2), []int{1, 1}
	if len(by) == 2 && by[0] == by[1] {
		by, orders = by[:1], []int{2}
	}
	for k, t := range by {
		tags = append(tags, c.open(orders[k]))
		moving[t] = c.Var(tags[k], orders[k], moving[t], c.One())
	}
	ys, ok, err := p.evaluated(moving, at)
	for _, x := range ys {
		for k := len(tags) - 1; k >= 0; k-- {
			x = c.Coeff(x, tags[k], orders[k])
		}
		if ok = ok && x.Known(); ok {
			y = append(y, x.Val())
		}
	}
	for k := len(tags) - 1; k >= 0; k-- {
		c.close(tags[k])
	}
	return y, ok, err
}

// curve takes e to second order.
func (p *projection) curve(k *projected, s *centred) (bool, error) {
	n := p.c.N
	at := p.c.consts(k.at)
	free := k.free()
	s.rest = slices.Repeat([]jet.Set{n.Float(0)}, len(s.rho))
	s.small = slices.Clone(s.rest)
	sigma := make([][]jet.Set, len(s.off))
	s.curved = make([][]jet.Set, len(s.off))
	harm := make([]float64, len(s.off))
	for t, off := range s.off {
		sigma[t] = slices.Repeat([]jet.Set{n.Float(0)}, len(s.rho))
		s.curved[t] = slices.Repeat([]jet.Set{n.Float(0)}, t+1)
		if n.IsPoint(k.theta[t]) {
			continue
		}
		slopes, ok, err := p.derivative(k.middle, at, t)
		if err != nil || !ok {
			return false, err
		}
		for i, slope := range slopes {
			for _, j := range free {
				slope = n.Add(slope, n.Mul(s.alpha[j][i], k.moves[j][t]))
			}
			sigma[t][i] = n.Mid(slope)
			s.small[i] = n.Add(s.small[i], n.Mul(n.Sub(slope, sigma[t][i]), off))
		}
		for u, other := range s.off[:t+1] {
			if n.IsPoint(k.theta[u]) {
				continue
			}
			kappa, ok, err := p.derivative(k.theta, at, t, u)
			if err != nil || !ok {
				return false, err
			}
			both := n.Mul(off, other)
			if t == u {
				both = p.square(off)
			}
			sum, loss := n.Float(0), 0.0
			for i, x := range kappa {
				for _, j := range free {
					x = n.Add(x, n.Mul(s.beta[t][j][i], k.moves[j][u]))
					if t != u {
						x = n.Add(x, n.Mul(s.beta[u][j][i], k.moves[j][t]))
					}
				}
				product := n.Mul(s.rho[i], x)
				sum = n.Add(sum, product)
				loss += n.Mag(product).Float()
				s.rest[i] = n.Add(s.rest[i], n.Mul(x, both))
			}
			s.curved[t][u] = sum
			loss *= n.Mag(both).Float()
			harm[t] += loss
			harm[u] += loss
		}
	}
	k.harm = harm
	s.sigma = sigma
	for i := range s.rest {
		s.small[i] = n.Add(s.small[i], s.round[i])
		s.rest[i] = n.Add(s.rest[i], s.small[i])
	}
	return true, nil
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
	s.round, s.rest = make(cuboid, len(s.rho)), make(cuboid, len(s.rho))
	for i := range s.rho {
		s.round[i] = n.Sub(s.rho[i], n.Mid(s.rho[i]))
		rest := s.round[i]
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
	rest := n.Float(0) // f without what is quadratic in τ: Note [Centred residuals]
	for i, rho := range s.rho {
		moved := n.Float(0)
		for t, off := range s.off {
			moved = n.Add(moved, n.Mul(s.sigma[t][i], off))
		}
		here := s.rest[i]
		if s.curved != nil {
			here = s.small[i]
		}
		rest = n.Add(rest, n.Add(n.Mul(rho, here), n.Mul(moved, s.rest[i])))
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
		least = p.quadratic(k, s, rest)
	}
	if k.level != nil && n.Less(*k.level, least) {
		k.excluded = true
		return
	}
	highest := n.Float(0)
	for _, x := range s.plain {
		highest = n.Add(highest, n.Quo(p.square(x), n.Float(2)))
	}
	if k.ok { // by a conclusion before this one
		if n.Less(n.Lower(k.value), least) {
			k.value = n.Span(least, n.Upper(k.value))
		}
	} else if k.ok = n.Bounded(highest); k.ok {
		k.value = n.Span(least, n.Upper(highest))
	}
}

// quadratic is a point below |ρ + σ τ|²/2 + Σ ρ κ τ τ + rest over the box. It also narrows the box to
// where that is at most the level: to an ellipsoid.
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
	bends := p.gram(columns)
	curved, rest := p.bend(s, moving, bends, rest)
	least := n.Float(0)
	raise := func(y jet.Set) {
		if n.Bounded(y) && n.Less(least, n.Lower(y)) {
			least = n.Lower(y)
		}
	}
	raise(n.Add(n.Add(middle, plane), n.Add(curved, rest))) // the squares of σ τ are not negative
	rest = n.Lower(rest)
	system, ok := jet.NewSystem(n, bends)
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
	if k.near == nil {
		k.near = slices.Clone(k.theta)
	}
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

// bend adds the curvature Σ ρ κ to the second derivatives of |σ τ|²/2, so that they stay positive
// definite, and what is lost by that to the rest. It also gives Σ ρ κ τ τ without what went to the rest.
func (p *projection) bend(
	s *centred, moving []int, bends [][]jet.Set, rest jet.Set,
) (curved, left jet.Set) {
	c, n := p.c, p.c.N
	curved, left = n.Float(0), rest
	if s.curved == nil {
		return curved, left
	}
	product := func(t, u int) jet.Set {
		if t == u {
			return p.square(s.off[t])
		}
		return n.Mul(s.off[t], s.off[u])
	}
	more := make([][]jet.Set, len(moving)) // points
	for l, t := range moving {
		more[l] = make([]jet.Set, len(moving))
		for v, u := range moving[:l+1] {
			x := n.Mid(s.curved[t][u])
			left = n.Add(left, n.Mul(n.Sub(s.curved[t][u], x), product(t, u)))
			curved = n.Add(curved, n.Mul(x, product(t, u)))
			if l == v {
				x = n.Mul(x, n.Float(2))
			}
			more[l][v], more[v][l] = x, x
		}
	}
	sum := func() (all [][]jet.Set, definite bool) {
		all, jets := make([][]jet.Set, len(moving)), make([][]jet.Jet, len(moving))
		for l := range all {
			for v, x := range more[l] {
				all[l] = append(all[l], n.Add(bends[l][v], x))
			}
			jets[l] = c.consts(all[l])
		}
		_, definite = c.Cholesky(jets)
		return all, definite
	}
	all, definite := sum()
	if !definite {
		// With this much on its diagonal, what is added has no negative eigenvalue.
		for l, t := range moving {
			missing, width := -n.Float64(more[l][l]), n.Float64(n.Upper(s.off[t]))
			for v, u := range moving {
				if v != l {
					ratio := n.Float64(n.Upper(s.off[u])) / width
					missing += math.Abs(n.Float64(more[l][v])) * ratio
				}
			}
			if missing > 0 {
				x := n.Float(missing * (1 + 0x1p-20))
				more[l][l] = n.Mid(n.Add(more[l][l], x))
				left = n.Sub(left, n.Mul(x, n.Quo(product(t, t), n.Float(2))))
			}
		}
		if all, definite = sum(); !definite {
			return n.Float(0), n.Add(left, curved)
		}
	}
	copy(bends, all)
	return curved, left
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
