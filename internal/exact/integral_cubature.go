package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Cubature]
//
// Problem: an integral over a box is one inside another, and each evaluation of the outer integrand
// is an adaptive search of its own. In
//
//	integral 0 1 (fun x => integral 0 1 (fun y => integral 0 1 (fun z => f x y z)))
//
// the outer integrals cannot be bounded around their cells in the complex plane either, for an
// integral inside is no continuation (Note [Continuations]).
//
// Idea: as long as f is analytic, take all of them at once. As in Note [Exchange], let the
// integrand call inner integrals from a to b, affinely, and let P be the integrand with each of
// them replaced by (b - a) times its own integrand at a + (b - a) s, level by level. Then the whole
// is the integral of P over a box: x goes over the cell, and one s for each level over [0, 1].
//
// On a box Π X_j let f_j be P along the j-th coordinate, the others being anywhere in their
// ranges. Let Q_j be Gauss's rule along it, and I_j the integral. Then
//
//	Π I_j - Π Q_j = Σ_j Q_1 … Q_(j-1) (I_j - Q_j) I_(j+1) … I_d
//
// and since the weights are positive with sum |X_j|, the j-th term is at most the product of the
// other widths times the remainder of one rule for f_j: Note [Ellipses] bounds that with only the
// j-th coordinate complex. A box on which some rule converges too slowly is cut across there. A
// decision whose crossing depends on one coordinate, and on no variable of a derivative, cuts the
// box at the crossing, up to its enclosure, over which the range of P is taken. So it is over small
// boxes with singular points.
//
// All boxes are bounded before the first rule is applied. If some box cannot be, as where a
// crossing depends on two coordinates or moves, the integrals are taken one after the other, and
// the cells beside a crossing of the outer one try again.
//
// Derivatives: over a box P is analytic with every coefficient in the open variables, so that
// Note [Leibniz] holds, and each coefficient has its own bounds.

// errNested ends an evaluation of an integrand that calls an integral, if it was asked to tell.
var errNested = errors.New("an integral inside an integrand")

const (
	// mostLevels is how many levels of integrals inside the outermost are taken at once. Each has
	// numbers of its own, below those of thresholds, after those of exchanges.
	mostLevels = 5
	// mostBoxes is into how many boxes a cubature may cut.
	mostBoxes = 1 << 12
	// nodesOfCall is how many evaluations at nodes count as one call: unlike those of other
	// searches they are known to suffice before they are made.
	nodesOfCall = 16
)

// nests is f, ending with errNested if it calls an integral, unless a cubature was tried on the
// cell.
func (q *quadrature) nests(k *cell, f function) function {
	if k.tried || q.flat || q.c.exchanges > 0 {
		return f
	}
	ends := func(_, _ jet.Jet, _ function) (jet.Jet, error) { return q.c.Unknown(), errNested }
	return q.c.standing(f, stand{0, exchangeSites, ends})
}

// cubature is the integral over one cell of a quadrature and the levels inside.
type cubature struct {
	q      *quadrature
	ranges [][2]int     // the numbers of the integrals of each level
	across []quadrature // along each coordinate
	boxes  []*block     // that are to be integrated, and bounded
	rest   jet.Jet      // over the others, which are narrow
	looks  int          // boxes that may still be bounded
	nodes  float64      // how many nodes there may be in all
}

// block is a part of the box of a cubature.
type block struct {
	x      []cell // the range of each coordinate, and its rule
	part   float64
	forced []forced
	nodes  float64 // of all its rules
}

// levels finds the levels of integrals inside the integrand over a cell. ok is false if some
// integrand is not affine in its integrals there, or there are too many levels.
func (b *cubature) levels(k *cell) (ok bool, err error) {
	c := b.q.c
	x := []jet.Jet{c.Const(c.N.Span(k.lo, k.hi))}
	from := 0
	for depth := 0; ; depth++ {
		met := false
		tag := c.open(2)
		line := c.Const(c.N.Whole())
		free := stand{from, from + exchangeSites, func(_, _ jet.Jet, _ function) (jet.Jet, error) {
			met = true
			return c.Var(tag, 2, line, line), nil
		}}
		y, seen, err := b.observed(c.standing(b.q.f, free), x, k.forced)
		affine := y.Known() && c.Coeff(y, tag, 1).Known() && c.Coeff(y, tag, 2).IsZero()
		c.close(tag)
		switch {
		case err != nil && fatal(err):
			return false, err
		case !met && (err == nil || err == errUndecided):
			return depth > 0, nil
		case err != nil || !affine || seen.kinked || depth == mostLevels:
			return false, nil
		}
		b.ranges = append(b.ranges, [2]int{from, from + exchangeSites})
		from |= exchangeSites << (mostExchanges + depth + 1)
		x = append(x, c.Const(c.N.Span(c.N.Float(0), c.N.Float(1))))
	}
}

// with is f at x, where the integrals of each level are replaced.
func (b *cubature) with(f function, x []jet.Jet) (jet.Jet, error) {
	for l := range x[1:] {
		r := b.ranges[l]
		f = b.q.c.standing(f, b.q.c.sampled(r[0], r[1], x[l+1], mostExchanges+l+1))
	}
	return f(x[0])
}

// at is P at x.
func (b *cubature) at(x []jet.Jet) (jet.Jet, error) { return b.with(b.q.f, x) }

// observed evaluates f at x, where the integrals of each level are replaced, in a frame of its own.
func (b *cubature) observed(
	f function, x []jet.Jet, sides []forced,
) (y jet.Jet, seen frame, err error) {
	first := func(jet.Jet) (jet.Jet, error) { return b.with(f, x) }
	return b.q.c.observe(first, x[0], sides, -1)
}

// cubature integrates over a cell and the levels inside at once, if it can.
func (q *quadrature) cubature(k *cell) (y jet.Jet, ok bool, err error) {
	c := q.c
	b := &cubature{q: q, rest: c.Zero(), looks: min(mostBoxes, q.cells)}
	b.nodes = float64(c.effort.calls-c.calls) / 2 * nodesOfCall
	if ok, err := b.levels(k); !ok || err != nil {
		return c.Unknown(), false, err
	}
	all := &block{part: k.part, forced: k.forced, x: []cell{{lo: k.lo, hi: k.hi}}}
	for range b.ranges {
		all.x = append(all.x, cell{lo: c.N.Float(0), hi: c.N.Float(1)})
	}
	if err := b.prepare(all); err != nil {
		return c.Unknown(), false, err
	}
	if ok, err := b.bound(all); !ok || err != nil {
		return c.Unknown(), false, err
	}
	y = b.rest
	for _, part := range b.boxes {
		z, err := b.integrate(part)
		if err != nil || !c.Complete(z) {
			if err == errUndecided || err != nil && !fatal(err) {
				err = nil
			}
			return c.Unknown(), false, err
		}
		y = c.Add(y, z)
	}
	return y, true, nil
}

// prepare makes the quadratures along the coordinates. They need not be more exact than what P, at
// a point, makes of the whole.
func (b *cubature) prepare(all *block) error {
	c, q := b.q.c, b.q
	mid := make([]jet.Jet, len(all.x))
	for j, k := range all.x {
		mid[j] = c.Const(c.N.Mid(c.N.Span(k.lo, k.hi)))
	}
	tol := q.tol.MulFloat(3) // cells are to have a quarter, and boxes may have more
	y, seen, err := b.observed(q.f, mid, all.forced)
	if err != nil && fatal(err) {
		return err
	}
	if err == nil && !seen.kinked && c.Complete(y) {
		least, any := jet.Mag{}, false
		c.Each(c.Scale(y, b.volume(all, -1)), func(_ int, x jet.Set, _ bool) bool {
			if w := c.N.Width(x); !any || w.Less(least) {
				least, any = w, true
			}
			return true
		})
		tol = tol.Max(least)
	}
	b.across = make([]quadrature, len(all.x))
	for j := range b.across {
		along := newQuadrature(c, q.at, nil)
		along.tol, along.flat = tol, true
		b.across[j] = *along
	}
	return nil
}

// volume is the product of the widths of a box, but for one coordinate.
func (b *cubature) volume(of *block, without int) jet.Set {
	n := b.q.c.N
	v := n.Float(1)
	for j := range of.x {
		if j != without {
			v = n.Mul(v, n.Sub(of.x[j].hi, of.x[j].lo))
		}
	}
	return v
}

// bound finds rules for a box, or cuts it. ok is false if it is not to be integrated.
func (b *cubature) bound(of *block) (ok bool, err error) {
	c := b.q.c
	if b.looks--; b.looks < 0 {
		return false, nil
	}
	for j := range of.x {
		k := &of.x[j]
		k.w = c.N.Sub(k.hi, k.lo)
		k.size = c.N.Float64(k.w)
		k.part, k.forced = of.part/float64(len(of.x)), of.forced
	}
	worst, most := -1, jet.Mag{}
	singular := -1 // the longest side along which P is not analytic
	of.nodes = 1
	for j := range of.x {
		q, k := &b.across[j], &of.x[j]
		q.f = b.along(of, j)
		decided, err := q.analytic(k)
		if q.refused || err != nil {
			return false, err
		}
		switch {
		case !decided && singular < 0:
			if settled, ok, err := b.settle(of, j); settled || err != nil {
				return ok, err
			}
			singular = j
			continue
		case !decided && of.x[singular].size < k.size:
			singular = j
			continue
		case !decided || singular >= 0:
			continue
		}
		if k.unknown {
			return false, nil
		}
		if err := b.fewer(q, k); err != nil {
			return false, err
		}
		of.nodes *= float64(k.n)
		if q.share(k).Less(k.err) && (worst < 0 || most.Less(k.err)) {
			worst, most = j, k.err
		}
	}
	if singular >= 0 {
		worst = singular
	}
	if worst < 0 {
		if b.nodes -= of.nodes; b.nodes < 0 {
			return false, nil
		}
		b.boxes = append(b.boxes, of)
		return true, nil
	}
	return b.halve(of, worst)
}

// fewer takes as many nodes as the error of a rule takes, on the best of the ellipses near the one
// that was found: nodes are dear in several dimensions.
func (b *cubature) fewer(q *quadrature, k *cell) error {
	if k.err.IsZero() { // a polynomial
		return nil
	}
	n, found := b.q.c.N, rhos[k.rho]
	for _, factor := range nearRhos {
		rho := found * factor
		of, decided, err := q.around(k, (rho+1/rho)/2, (rho-1/rho)/2)
		if err != nil {
			return err
		}
		if !decided || of.most.IsInf() || rho < 1.25 {
			continue
		}
		for nodes := k.n; nodes >= 2; nodes-- {
			remainder := q.within(of, ellipseError(rho, nodes).Mul(n.Mag(k.w)))
			wrong, unknown := q.spread(remainder)
			if unknown || q.share(k).Less(wrong) {
				break
			}
			k.n, k.remainder, k.err = nodes, remainder, wrong
		}
	}
	return nil
}

// nearRhos are the ellipses near another one, as parts of its ρ.
var nearRhos = []float64{1, 0.8, 0.9, 1.1, 1.2, 1.3}

// along is P along a coordinate of a box, times the widths of the others.
func (b *cubature) along(of *block, j int) function {
	c := b.q.c
	volume, x := b.volume(of, j), make([]jet.Jet, len(of.x))
	for i, k := range of.x {
		x[i] = c.Const(c.N.Span(k.lo, k.hi))
	}
	return func(at jet.Jet) (jet.Jet, error) {
		x := slices.Clone(x)
		x[j] = at
		y, err := b.at(x)
		return c.Scale(y, volume), err
	}
}

// halve cuts a box across a coordinate.
func (b *cubature) halve(of *block, j int) (ok bool, err error) {
	c := b.q.c
	k := &of.x[j]
	mid := b.across[j].middle(k)
	if !c.N.Less(k.lo, mid) || !c.N.Less(mid, k.hi) {
		return false, nil
	}
	return b.both(b.part(of, j, k.lo, mid, of.forced), b.part(of, j, mid, k.hi, of.forced))
}

// part is half of a box.
func (b *cubature) part(of *block, j int, lo, hi jet.Set, sides []forced) *block {
	part := &block{x: make([]cell, len(of.x)), part: of.part / 2, forced: sides}
	for i := range of.x {
		part.x[i] = cell{lo: of.x[i].lo, hi: of.x[i].hi, rho: of.x[i].rho}
	}
	part.x[j].lo, part.x[j].hi = lo, hi
	return part
}

func (b *cubature) both(left, right *block) (bool, error) {
	if ok, err := b.bound(left); !ok || err != nil {
		return false, err
	}
	return b.bound(right)
}

// settle looks at a box along whose j-th coordinate P is not known to be analytic. It cuts the box
// at the crossing of the first decision that is undecided, if there is one. Otherwise P is
// singular: the box is settled if its range is good enough.
func (b *cubature) settle(of *block, j int) (settled, ok bool, err error) {
	first, depends, err := b.undecided(of)
	switch {
	case err != nil || depends == several:
		return true, false, err
	case depends != none:
		ok, err := b.divide(of, depends, first)
		return true, ok, err
	}
	ok, err = b.between(of, j, of.x[j].lo, of.x[j].hi)
	return ok, ok, err
}

// divide cuts a box at the crossing of a decision, which depends on one coordinate.
func (b *cubature) divide(of *block, depends int, first undecidedIn) (ok bool, err error) {
	c := b.q.c
	q, k := &b.across[depends], &of.x[depends]
	q.f = b.along(of, depends)
	k.cut = nil
	forcedIt, err := q.decide(k, first.tag, first.decision)
	switch {
	case err != nil:
		return false, err
	case forcedIt:
		of.forced = k.forced
		return b.bound(of)
	case k.cut == nil:
		return false, nil
	}
	n := c.N
	before, after := n.Lower(k.cut.at.Val()), n.Upper(k.cut.at.Val())
	if n.Less(before, k.lo) {
		before = k.lo
	}
	if n.Less(k.hi, after) {
		after = k.hi
	}
	if n.Less(before, after) {
		if ok, err := b.between(of, depends, before, after); !ok || err != nil {
			return false, err
		}
	}
	for _, part := range []*block{
		b.part(of, depends, k.lo, before, k.cut.left),
		b.part(of, depends, after, k.hi, k.cut.right),
	} {
		if x := part.x[depends]; n.Less(x.lo, x.hi) {
			if ok, err := b.bound(part); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// On how many coordinates a difference depends, if not on one.
const (
	none    = -1
	several = -2
)

// undecidedIn is a decision, and the variable of the coordinate that it depends on.
type undecidedIn struct {
	decision
	tag jet.Tag
}

// undecided is the first decision that is undecided over a box, and which coordinate it depends
// on: several of them, if it moves with a variable of a derivative, or P has no value.
func (b *cubature) undecided(of *block) (first undecidedIn, depends int, err error) {
	c := b.q.c
	x := make([]jet.Jet, len(of.x))
	tags := make([]jet.Tag, len(of.x))
	for j, k := range of.x {
		tags[j] = c.openRange(1)
		x[j] = c.Var(tags[j], 1, c.Const(c.N.Span(k.lo, k.hi)), c.Const(k.w))
	}
	y, seen, err := b.observed(b.q.f, x, of.forced)
	for _, tag := range slices.Backward(tags) {
		c.close(tag)
	}
	switch {
	case err != nil && fatal(err):
		return first, several, err
	case !seen.first.met && err == nil && !seen.kinked && y.Known():
		return first, none, nil
	case !seen.first.met || !seen.first.diff.Known():
		return first, several, nil
	}
	diff := seen.first.diff
	depends = none
	for j, tag := range tags {
		if diff.Has(tag) && depends != none {
			return first, several, nil
		} else if diff.Has(tag) {
			depends = j
		}
	}
	if depends == none {
		return first, several, nil
	}
	tag := tags[depends]
	value, slope := c.Coeff(diff, tag, 0), c.Coeff(diff, tag, 1)
	if c.Moves(value) || c.Moves(slope) {
		return first, several, nil
	}
	seen.first.diff = c.Var(tags[0], 1, value, slope)
	return undecidedIn{seen.first, tags[0]}, depends, nil
}

// between adds the integral over a small part of a box, on which a decision is undecided or P is
// singular, as the range of P. ok is false if that is too wide.
func (b *cubature) between(of *block, j int, lo, hi jet.Set) (ok bool, err error) {
	c := b.q.c
	q := &b.across[j]
	x := c.Const(c.N.Span(lo, hi))
	y, seen, err := c.observe(q.f, x, of.forced, -1)
	if err == errUndecided {
		y, err = q.branches(x, of.forced, seen.first, maxBranches)
	}
	if err != nil || !c.Complete(y) {
		return false, err
	}
	y = c.Scale(y, c.N.Sub(hi, lo))
	if widest, _ := q.spread(y); q.tol.MulFloat(1.0 / 32 * of.part).Less(widest) {
		return false, nil
	}
	b.rest = c.Add(b.rest, y)
	return true, nil
}

// integrate applies the rules of a box: an integral of each level is the sum over the nodes.
func (b *cubature) integrate(of *block) (jet.Jet, error) {
	c := b.q.c
	calls := c.calls
	defer func() { c.calls = calls + int64(of.nodes)/nodesOfCall + 1 }()
	sum := func(j int, f function) (jet.Jet, error) {
		k, all := &of.x[j], c.Zero()
		rule := b.q.rule(k.n)
		for i, s := range rule.nodes {
			y, err := f(c.Const(c.N.Add(k.lo, c.N.Mul(k.w, s))))
			if err != nil {
				return y, err
			}
			c.calls = calls
			all = c.Add(all, c.Scale(y, rule.weights[i]))
		}
		return c.Scale(all, k.w), nil
	}
	f := b.q.f
	for l, r := range b.ranges {
		mean := func(f function) (jet.Jet, error) { return sum(l+1, f) }
		f = c.standing(f, c.replaced(r[0], r[1], mostExchanges+l+1, mean))
	}
	y, err := sum(0, func(x jet.Jet) (jet.Jet, error) {
		y, seen, err := c.observe(f, x, of.forced, -1)
		b.q.learn(seen)
		return y, err
	})
	for _, k := range of.x {
		y = c.Add(y, k.remainder)
	}
	return y, err
}
