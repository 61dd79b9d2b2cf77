package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// equations are as many as there are free coordinates: that f is 0, for roots, or that the slopes
// of f by the free coordinates are, for optima. The other coordinates are at bounds.
type equations struct {
	*space
	free []int
	// residual is what should be 0; slopes is the same with its derivatives by the free
	// coordinates. Both are nil if they are not known.
	residual func(x []jet.Jet) ([]jet.Jet, error)
	slopes   func(x []jet.Jet) ([]jet.Jet, [][]jet.Jet, error)
	sparse   *pattern // Note [Sparse systems]; nil if they are not, or not known to be
}

// zeros are the equations of a root.
func (s *space) zeros() *equations {
	e := &equations{space: s}
	for i := range s.lo {
		e.free = append(e.free, i)
	}
	e.residual = func(x []jet.Jet) ([]jet.Jet, error) {
		ys, _, err := s.c.observed(s.f, x, nil)
		if err != nil {
			return nil, unlessUndecided(err)
		}
		return ys, nil
	}
	e.slopes = func(x []jet.Jet) ([]jet.Jet, [][]jet.Jet, error) {
		all, ok, err := s.c.slopes(s.f, x)
		if !ok || slices.ContainsFunc(all.rows, func(row []jet.Jet) bool { return row == nil }) {
			return nil, nil, err
		}
		return all.ys, all.rows, err
	}
	return e
}

// stationary are the equations of a place where f has no slope along the free coordinates.
func (s *space) stationary(free []int) *equations {
	chosen := func(row []jet.Jet) []jet.Jet {
		some := make([]jet.Jet, len(free))
		for k, i := range free {
			some[k] = row[i]
		}
		return some
	}
	e := &equations{space: s, free: free}
	e.residual = func(x []jet.Jet) ([]jet.Jet, error) {
		_, g, err := s.c.gradient(s.f, x)
		if err != nil || g == nil {
			return nil, err
		}
		return chosen(g), nil
	}
	e.slopes = func(x []jet.Jet) ([]jet.Jet, [][]jet.Jet, error) {
		g, rows, err := s.c.curves(s.f, x, free)
		if err != nil || g == nil {
			return nil, nil, err
		}
		for k := range rows {
			rows[k] = chosen(rows[k])
		}
		return chosen(g), rows, nil
	}
	return e
}

// Note [Newton's operator in boxes]. Let r be the residual, J contain its slopes over the box X
// (Note [Slopes over boxes]), m be a point of X, and Y any matrix of points, chosen near the inverse
// of J. For every zero x in X
//
//	0 = Y r(x) ∈ Y r(m) + Y J (x - m)
//
// Solved for one coordinate after the other, with what is known of the others (Gauss and Seidel),
// this narrows X, or shows that there is no zero in it. With
//
//	K = m - Y r(m) + (I - Y J) (X - m)
//
// x - Y r(x) is in K for all x of X. If K is inside X there is a zero, by Brouwer's theorem, and
// since I - Y J is then a contraction in the norm that X gives, there is only one (Krawczyk, Moore).
// All of it holds for each point of what is captured: the zero is a function of it.

// contraction is what Newton's operator makes of a box.
type contraction struct {
	x      cuboid
	empty  bool        // there is no zero in the box
	proved bool        // there is one, and only one
	rows   [][]jet.Jet // the slopes over the box, nil if they are not known
	// krawczyk is K of the free coordinates, nil if it is not known
	krawczyk cuboid
}

// contract applies Newton's operator to a box.
func (e *equations) contract(x cuboid) (k contraction, err error) {
	c, n := e.c, e.c.N
	k.x = x
	m := c.mid(x)
	over, rows, err := e.slopesAt(c.consts(x))
	if err != nil || over == nil || !allKnown(over) {
		return k, err
	}
	for _, row := range rows {
		if !allKnown(row) {
			return k, nil
		}
	}
	k.rows = rows
	for _, r := range over {
		if n.Sign(r.Val()) != 0 {
			k.empty = true
			return k, nil
		}
	}
	at, err := e.residual(c.consts(m))
	if err != nil || at == nil || !allKnown(at) {
		return k, err
	}
	off := make([]jet.Set, len(e.free)) // X - m
	for j, i := range e.free {
		off[j] = n.Sub(x[i], m[i])
	}
	a := make([][]jet.Set, len(rows))
	for i, row := range rows {
		a[i] = make([]jet.Set, len(row))
		y := at[i].Val()
		for j := range row {
			a[i][j] = row[j].Val()
			y = n.Add(y, n.Mul(a[i][j], off[j]))
		}
		if n.Sign(y) != 0 {
			k.empty = true
			return k, nil
		}
	}
	inverse := jet.NearInverse(n, a)
	if inverse == nil {
		return k, nil
	}
	return e.narrowed(k, m, at, off, a, inverse)
}

// narrowed finishes a contraction, given an inverse.
func (e *equations) narrowed(
	k contraction, m cuboid, at []jet.Jet, off []jet.Set, a, inverse [][]jet.Set,
) (contraction, error) {
	c, n := e.c, e.c.N
	x := k.x
	k.x, k.proved, k.krawczyk = slices.Clone(x), true, slices.Clone(x)
	for i, row := range inverse {
		if len(inverse) > manyEquations { // a row of the product takes long
			if err := c.cancel(e.at); err != nil {
				return k, err
			}
		}
		b := n.Float(0)
		by := make([]jet.Set, len(row))
		for j := range row {
			by[j] = n.Float(0)
		}
		for l, y := range row {
			b = n.Add(b, n.Mul(y, at[l].Val()))
			for k := range e.mentions(l) {
				j := e.mentioned(l, k)
				by[j] = n.Add(by[j], n.Mul(y, a[l][j]))
			}
		}
		v := e.free[i]
		krawczyk, rest := n.Sub(m[v], b), b
		for j := range by {
			d := by[j]
			if i == j {
				d = n.Sub(d, n.Float(1))
			} else {
				rest = n.Add(rest, n.Mul(by[j], n.Sub(k.x[e.free[j]], m[e.free[j]])))
			}
			krawczyk = n.Sub(krawczyk, n.Mul(d, off[j]))
		}
		k.krawczyk[v] = krawczyk
		k.proved = k.proved && n.Less(n.Lower(x[v]), krawczyk) && n.Less(krawczyk, n.Upper(x[v]))
		for _, next := range []jet.Set{krawczyk, e.quotient(m[v], rest, by[i])} {
			both := n.Intersect(k.x[v], next)
			if n.IsEmpty(both) {
				k.empty = true
				return k, nil
			}
			if n.Width(both).Less(n.Width(k.x[v])) && c.N.Bounded(both) {
				k.x[v] = both
			}
		}
	}
	return k, nil
}

// mentions is on how many free coordinates an equation may depend, and mentioned is one of them.
func (e *equations) mentions(i int) int {
	if e.sparse != nil {
		return len(e.sparse.rows[i])
	}
	return len(e.free)
}

func (e *equations) mentioned(i, k int) int {
	if e.sparse != nil {
		return e.sparse.rows[i][k]
	}
	return k
}

// slopesAt is slopes, by as few evaluations as there may be.
func (e *equations) slopesAt(x []jet.Jet) ([]jet.Jet, [][]jet.Jet, error) {
	if e.sparse != nil {
		return e.slopesByClass(x)
	}
	return e.slopes(x)
}

// manyEquations is from how many equations on a limit is asked for within a step.
const manyEquations = 16

// quotient is m - y/by, or the line if by may be 0.
func (e *equations) quotient(m, y, by jet.Set) jet.Set {
	n := e.c.N
	if n.Sign(by) == 0 {
		return n.Whole()
	}
	return n.Sub(m, n.Quo(y, by))
}

// narrow makes the box of the one zero as narrow as c.tol, or as it gets.
func (e *equations) narrow(x cuboid) (cuboid, error) {
	c := e.c
	tol := c.tol
	defer func() { c.tol = tol }()
	x, err := e.focus(x)
	if err != nil {
		return x, err
	}
	for range newtonSteps {
		if c.boxWidth(x).Less(tol) && c.order() == 0 {
			return x, nil
		}
		k, err := e.contract(x)
		if err != nil || k.empty {
			return x, err
		}
		before := x
		x = k.x
		if !c.smaller(x, before) {
			return x, nil
		}
		if w := c.boxWidth(x).MulFloat(0x1p-10); w.Less(c.tol) && !w.IsZero() {
			c.tol = w // what is inside of f must not be in the way
		}
	}
	return x, nil
}

// focus is a small part of the box of the one zero that holds it, if Newton's method on points
// leads there: from a large box the operator converges slowly.
func (e *equations) focus(x cuboid) (cuboid, error) {
	c, n := e.c, e.c.N
	m, err := e.approach(c.mid(x))
	if err != nil || m == nil || !c.withinBox(m, x) {
		return x, err
	}
	for _, size := range []int64{24, 16, 10, 6, 3} {
		near := slices.Clone(m)
		for _, i := range e.free {
			near[i] = n.Intersect(n.Widen(m[i], n.Width(x[i]).Mul(jet.Exp2(-size))), x[i])
		}
		k, err := e.contract(near)
		if err != nil {
			return x, err
		}
		if k.proved && !k.empty {
			return k.x, nil
		}
	}
	return x, nil
}

// newtonSteps bounds the steps of Newton's method, which doubles the digits.
const newtonSteps = 40

// smaller tells whether some coordinate of x is narrower than in y by three tenths at least.
func (c *ctx) smaller(x, y cuboid) bool {
	for i := range x {
		if c.shrunk(x[i], y[i]) {
			return true
		}
	}
	return false
}

// approach takes steps of Newton's method on points, within the range. It is nil if they do not
// come to rest.
func (e *equations) approach(m cuboid) (cuboid, error) {
	c, n := e.c, e.c.N
	last := jet.InfMag()
	for range newtonSteps {
		at, rows, err := e.slopesAt(c.consts(m))
		if err != nil || at == nil || !allKnown(at) {
			return nil, err
		}
		a := make([][]jet.Set, len(rows))
		for i, row := range rows {
			if !allKnown(row) {
				return nil, nil
			}
			for _, x := range row {
				a[i] = append(a[i], x.Val())
			}
		}
		inverse := jet.NearInverse(n, a)
		if inverse == nil {
			return nil, nil
		}
		next := slices.Clone(m)
		step, size := jet.Mag{}, jet.Mag{}
		for i, row := range inverse {
			d := n.Float(0)
			for j, y := range row {
				d = n.Add(d, n.Mul(y, at[j].Val()))
			}
			v := e.free[i]
			to := n.Sub(m[v], d)
			if !n.Bounded(to) {
				return nil, nil
			}
			next[v] = n.Mid(to)
			// d itself is wide if what is captured is
			step, size = step.Max(n.Mag(n.Sub(next[v], m[v]))), size.Max(n.Mag(next[v]))
		}
		m = e.clipped(next)
		fine := size.Mul(jet.Exp2(-int64(n.Bits()) + 6))
		if step.Less(fine) || step.IsZero() || last.MulFloat(0.5).Less(step) && last.Less(jet.Exp2(-20)) {
			return m, nil
		}
		if last.MulFloat(4).Less(step) {
			return nil, nil
		}
		last = step
	}
	return nil, nil
}

// zone is a box in which a zero is the only one, and x encloses it.
type zone struct{ all, x cuboid }

// prove looks for a zone around a point that is nearly a zero: a large one, since the search has
// nothing to do in it. It is nil if none is found.
func (e *equations) prove(m cuboid) (*zone, error) {
	n := e.c.N
	for _, size := range []int64{1, 2, 3, 5, 7, 10, 14, 20} {
		all := slices.Clone(m)
		for _, i := range e.free {
			all[i] = e.around(m[i], n.Mag(n.Sub(e.hi[i], e.lo[i])).Mul(jet.Exp2(-size)), i)
		}
		k, err := e.contract(all)
		if err != nil {
			return nil, err
		}
		if k.proved && !k.empty {
			x, err := e.narrow(k.x)
			return &zone{all, x}, err
		}
	}
	return e.inflate(m)
}

// inflate looks for a zone whose sides are as different as the coordinates are: from a point that is
// nearly a zero by Newton's operator alone, made larger as long as that proves it. It is nil if none
// is found.
func (e *equations) inflate(m cuboid) (best *zone, err error) {
	c, n := e.c, e.c.N
	all := slices.Clone(m)
	for _, i := range e.free {
		tiny := n.Mag(m[i]).Mul(jet.Exp2(8 - int64(n.Bits()))).Add(jet.Exp2(-2 * int64(n.Bits())))
		all[i] = e.around(m[i], tiny, i)
	}
	for range inflations {
		k, err := e.contract(all)
		if err != nil || k.empty {
			return best, err
		}
		if k.proved {
			x, err := e.narrow(k.x)
			if err != nil {
				return best, err
			}
			best = &zone{all, x}
		} else if best != nil {
			return best, nil
		}
		next := slices.Clone(all)
		for _, i := range e.free {
			radius := n.Width(all[i])
			if k.krawczyk != nil {
				radius = radius.Max(n.Mag(n.Sub(k.krawczyk[i], m[i])))
			}
			next[i] = e.around(m[i], radius.MulFloat(4), i)
		}
		if all = next; c.boxWidth(all).IsInf() {
			return best, nil
		}
	}
	return best, nil
}

// inflations bounds how often a zone is made larger.
const inflations = 24

// around is the points of the range of a coordinate that are near to one of them.
func (e *equations) around(m jet.Set, radius jet.Mag, i int) jet.Set {
	n := e.c.N
	wide := n.Widen(m, radius)
	if !n.Bounded(wide) {
		return n.Span(e.lo[i], e.hi[i])
	}
	return n.Span(e.clip(n.Lower(wide), i), e.clip(n.Upper(wide), i))
}

// clip is the point x, or the bound that it is beyond.
func (s *space) clip(x jet.Set, i int) jet.Set {
	switch n := s.c.N; {
	case n.Less(x, s.lo[i]):
		return s.lo[i]
	case n.Less(s.hi[i], x):
		return s.hi[i]
	}
	return x
}

// Note [Lifting systems]. The zero as a power series in the open variables follows as in one
// dimension (Note [Lifting]): the terms of degree k + 1 to 2k + 1 of the zero are those of -J⁻¹ r(T),
// where T is the sum of those up to k, and the slopes J are regular over the box of the zero.

// lift is the zero as a power series in the open variables, where its value lies in x.
func (e *equations) lift(x cuboid) ([]jet.Jet, error) {
	c := e.c
	t := c.consts(x)
	order, forms := c.liftedBy()
	for done := 0; done < order; done = 2*done + 1 {
		step, err := e.step(t, done+1, c.reverse, func(r jet.Jet) jet.Jet {
			return c.degreesOf(r, done+1, order)
		})
		if err != nil || step == nil {
			return t, err
		}
		for k, i := range e.free {
			t[i] = c.Sub(t[i], c.degreesOf(step[k], done+1, min(2*done+1, order)))
		}
	}
	for _, tag := range forms {
		newer := func(other jet.Tag) bool { return c.reverse(other) && other > tag }
		step, err := e.step(t, 1, newer, func(r jet.Jet) jet.Jet {
			_, r = c.Split(r, func(other jet.Tag) bool { return other == tag })
			return r
		})
		if err != nil || step == nil {
			return t, err
		}
		for k, i := range e.free {
			t[i] = c.Sub(t[i], step[k])
		}
	}
	return t, nil
}

// step is J⁻¹ r at t for a part of the residual r, without the terms in some variables. If it is
// not known it is nil, and the terms of t of total degree from lo on are unknown.
func (e *equations) step(
	t []jet.Jet, lo int, without func(jet.Tag) bool, part func(jet.Jet) jet.Jet,
) ([]jet.Jet, error) {
	c := e.c
	at, rows, err := e.slopes(t)
	if err != nil {
		return nil, err
	}
	known := at != nil && allKnown(at)
	right := make([][]jet.Jet, len(at))
	for i := range right {
		r, _ := c.Split(at[i], without)
		right[i] = []jet.Jet{part(r)}
		known = known && allKnown(rows[i])
		row := slices.Clone(rows[i])
		for j := range row {
			row[j], _ = c.Split(row[j], without)
		}
		rows[i] = row
	}
	if known {
		if solved, ok := c.Solve(rows, right); ok {
			step := make([]jet.Jet, len(solved))
			for i := range solved {
				step[i] = solved[i][0]
			}
			return step, nil
		}
	}
	if at == nil {
		at = []jet.Jet{c.Unknown()}
	}
	for _, i := range e.free {
		t[i] = c.withoutDerivatives(t[i], lo, at...)
	}
	return nil, nil
}
