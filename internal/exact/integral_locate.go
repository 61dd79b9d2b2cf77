package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Crossings]. Let d be the difference at the first undecided decision of a cell,
// with a slope that has one sign over the cell X, for every point of what is
// captured. Then d is strictly monotone along the cell, and its signs at the ends
// decide:
//
//   - Rising, and positive at the lower end: positive on all of X. The decision is
//     forced. If d does not drift there with an open variable it suffices that it is not
//     negative, for single points do not count. If it does drift
//     this would be wrong: the crossing may move into the cell, and the derivatives of what it
//     leaves behind would be missed. (Arguments of integrands around this one do not count, for
//     they stay within their cells: Note [Thresholds]. Nor does a variable all of whose
//     coefficients are 0, by which the crossing moves by less than its powers show,
//     provided that f is bounded beyond the crossing. Nor does c in c x at x = 0,
//     which is 0 for every c. Where it does drift there are two cases: Note [Sides].)
//   - Strictly opposite signs: there is exactly one crossing r, strictly inside, for every
//     point of what is captured and of a neighbourhood. Let R = [r-, r+] enclose its value and
//     f_l, f_r be f with the decision forced to either side. Then
//
//     ∫_X f = ∫_lo^r- f_l + ∫_r-^r f_l + ∫_r^r+ f_r + ∫_r+^hi f_r
//
//     where the outer two are cells again, with fixed ends, and the inner two are
//     strips (Note [Strips]) along which r moves. The cells are on the proved sides of every
//     crossing in R, so that an evaluation in them can never find the
//     decision to be the other way; and over R, which contains the crossing, it is never
//     found at all and the forced side is taken. So f_l and f_r are the same
//     functions wherever they are evaluated.
//
// The strips carry what plain Leibniz misses: f_l - f_r at the crossing times its speed.
// This also refines λS, whose second derivative of an integral over a kink
// is unknown.

// decide forces a decision over a cell, and says so, or finds its crossing.
func (q *quadrature) decide(k *cell, tag jet.Tag, first decision) (forcedIt bool, err error) {
	c := q.c
	slope := c.Coeff(first.diff, tag, 1)
	if !slope.Known() || len(k.forced) >= maxForced {
		return false, nil
	}
	rise := c.N.Sign(slope.Val())
	if rise == 0 {
		return q.constant(k, tag, first), nil
	}
	d := q.difference(k.forced, first.site)
	var end [2]jet.Jet
	var rising [2]jet.Set // the same, with the sign that makes them rise
	for i, x := range []jet.Set{k.lo, k.hi} {
		if end[i], err = d(c.Const(x)); err != nil || !end[i].Known() {
			return false, err
		}
		if rising[i] = end[i].Val(); rise < 0 {
			rising[i] = c.N.Neg(rising[i])
		}
	}
	sign := [2]int{c.N.Sign(rising[0]), c.N.Sign(rising[1])}
	if least, _ := c.N.Ends(rising[0]); least >= 0 {
		if stays, err := q.stays(k, first.site, k.lo, end[0], -rise); err != nil {
			return false, err
		} else if stays {
			sign[0] = 1
		}
	}
	if _, most := c.N.Ends(rising[1]); most <= 0 {
		if stays, err := q.stays(k, first.site, k.hi, end[1], rise); err != nil {
			return false, err
		} else if stays {
			sign[1] = -1
		}
	}
	var touches [2]bool // an end, of which only others know that the crossing is inside
	for i, x := range []jet.Set{k.lo, k.hi} {
		if settled := sign[1-i] == 2*i-1; sign[i] == 0 && !settled {
			if tied, err := q.tie(k, first, i, x, end[i], rise); err != nil {
				return false, err
			} else if tied {
				sign[i] = 1 - 2*i
				continue
			}
			sign[i] = rise * q.entry(first, i, x, end[i])
			touches[i] = true
		}
	}
	side := 0
	switch {
	case sign[0] > 0:
		side = rise
	case sign[1] < 0:
		side = -rise
	case sign[0] < 0 && sign[1] > 0:
		return false, q.cross(k, d, first.site, rise, touches)
	default:
		return false, nil
	}
	k.forced = with(k.forced, first.site, side)
	return true, nil
}

// constant forces a decision that does not depend on the argument, if the frame around the
// integral knows how.
func (q *quadrature) constant(k *cell, tag jet.Tag, first decision) (forcedIt bool) {
	if first.diff.Has(tag) {
		return false
	}
	for i, x := range []jet.Set{k.lo, k.hi} {
		if side := q.entry(first, i, x, first.diff); side != 0 {
			k.forced = with(k.forced, first.site, side)
			return true
		}
	}
	return false
}

// Note [Kinks that stay]. In
//
//	deriv (fun c => integral 0 1 (fun x => abs c + exp (-(x^2)))) 0
//
// which side `abs` takes is not known, and no cut of the range will tell. But the side is the same
// for all x: the difference depends on nothing but what derivatives are taken by. For every c beside
// the tie the integrand is one of two functions, both of which are smooth in x and within the hull,
// with all their coefficients. A rule is linear, and so is its remainder: applied to the hull it
// encloses the integrals of both, and their derivatives. So the kink counts as none along x. Nor
// does one of two constants, as for c = 0 that does not vary.
//
// A derivative that is taken inside of the integrand is another matter: of deriv abs 0 each x may
// have another member of the hull. Nor is it so for a difference that moves with the argument
// of a search around the integral, which is to find out about the kink.

// outer tells whether the difference of a kink depends on nothing but variables of derivatives
// that are taken outside of all searches.
func (c *ctx) outer(diff jet.Jet) bool { return diff.Known() && diff.Newest() < c.inside }

// tied tells the frame around the integral of a tie, unless that has one or it may not be exact.
func (q *quadrature) tied(d decision) {
	if around := q.c.frame; !around.tie.met && q.c.N.IsPoint(d.diff.Val()) {
		around.tie = d
	}
}

// still takes decisions about kinks that stay.
func (q *quadrature) still(k *cell, seen frame) (forcedIt bool) {
	for _, d := range seen.still {
		side := hull
		for i, x := range []jet.Set{k.lo, k.hi} {
			if side == hull {
				side = q.entry(d, i, x, d.diff)
			}
		}
		k.forced = with(k.forced, d.site, side)
		if side == hull && d.diff.Newest() > 0 {
			q.tied(decision{met: true, site: -1, at: d.at, diff: d.diff.Value()})
		}
	}
	return len(seen.still) > 0
}

// stays tells whether a difference that has no wrong sign at an end x of a cell, but may be 0
// there, lets no crossing into the cell that derivatives would miss. across is the sign beyond
// the crossing.
func (q *quadrature) stays(k *cell, site int, x jet.Set, diff jet.Jet, across int) (bool, error) {
	c := q.c
	depends, drifts := c.drift(diff)
	if drifts || !depends {
		return !drifts, nil
	}
	fixed, err := q.differenceIn(frame{forced: k.forced, watch: site, fixed: true})(c.Const(x))
	if err != nil {
		return false, err
	}
	if depends, _ = c.drift(fixed); !depends && fixed.Known() {
		return true, nil
	}
	y, _, err := c.observe(q.f, c.Const(x), with(k.forced, site, across), -1)
	if err != nil && !fatal(err) {
		return false, nil
	}
	return y.Known(), err
}

// drift tells whether x depends on an open variable that may leave a cell, and whether some
// coefficient in one is not 0.
func (c *ctx) drift(x jet.Jet) (depends, drifts bool) {
	tag := x.Newest()
	if tag == 0 || tag < c.Floor {
		return false, false
	}
	depends, drifts = c.drift(c.Coeff(x, tag, 0))
	for i := 1; i <= x.Degree(tag); i++ {
		k := c.Coeff(x, tag, i)
		if c.ranging[tag-1] {
			kDepends, kDrifts := c.drift(k)
			depends, drifts = depends || kDepends, drifts || kDrifts
			continue
		}
		depends = true
		drifts = drifts || !c.Vanishes(k)
	}
	return depends, drifts
}

// maxForced bounds the decisions that are forced on one cell.
const maxForced = 4096

// with adds a forced decision to others, which stay as they are.
func with(old []forced, site, side int) []forced {
	return append(old[:len(old):len(old)], forced{site, side})
}

// cross cuts a cell at the one crossing of d in it, which may touch some of its ends.
func (q *quadrature) cross(k *cell, d function, site, rise int, touches [2]bool) error {
	c := q.c
	defer q.asking(q.tol.MulFloat(1.0 / 16))()
	r, ok, err := c.crossing(c.N.Span(k.lo, k.hi), d, touches)
	if err != nil || !ok || !r.Known() || !c.N.Bounded(r.Val()) {
		return err
	}
	if c.Moves(r) && c.N.IsPoint(r.Val()) {
		// Strips without width would not show a singularity, which moves. And a constant that is
		// exactly 0 passes for one that vanished by chance: Note [Germs].
		r = r.WithVal(c.N.Widen(r.Val(), c.N.Mag(k.w).Mul(jet.Exp2(-int64(c.N.Bits())))))
	}
	if (touches[0] || c.N.Less(k.lo, c.N.Lower(r.Val()))) && (touches[1] || c.N.Less(c.N.Upper(r.Val()), k.hi)) {
		k.cut = &crossing{at: r, site: site, left: with(k.forced, site, -rise), right: with(k.forced, site, rise)}
	}
	return nil
}

// difference is the difference at a site as a function of the argument. That has a variable
// even where it is a point: otherwise `floor` would choose a side on its jump (Note
// [Rounding]), which may not be the side of the cell, and the site would be another one.
func (q *quadrature) difference(forced []forced, site int) function {
	return q.differenceIn(frame{forced: forced, watch: site})
}

// differenceIn is the difference at the site that a frame watches.
func (q *quadrature) differenceIn(in frame) function {
	c := q.c
	return func(x jet.Jet) (jet.Jet, error) {
		tag := c.openRange(1)
		_, seen, err := c.observeIn(in, q.f, c.Var(tag, 1, x, c.One()))
		c.close(tag)
		switch {
		case err != nil && fatal(err):
			return c.Unknown(), err
		case seen.watched.met:
			return c.Coeff(seen.watched.diff, tag, 0), nil
		}
		return c.Unknown(), nil
	}
}

// fatal tells whether an error ends the run, rather than say something about a
// point or a branch.
func fatal(err error) bool {
	var d *diag.Diagnostic
	switch {
	case errors.Is(err, errUndecided):
		return false
	case errors.As(err, &d):
		switch d.Code {
		case diag.TimeLimit, diag.MemoryLimit, diag.Interrupted, diag.WrongRule:
			return true
		}
		return false
	}
	return true
}

// Note [Jumps]. Over a cell where a comparison is undecided and its crossing cannot
// be located each point takes one of the branches, whichever, so that the
// value lies in the hull of both. Its derivatives lie in the
// hull of theirs for variables that do not move the comparison; those by
// variables that move it are unknown, for a jump passes through the cell. (At points of
// equality the comparison has no value; a crossing is such a point, and single points do
// not count. Where two sides are equal all along a cell the hull never shrinks but for
// branches that agree.)

// maxBranches is how many undecided comparisons are followed both ways.
const maxBranches = 6

// branches is f at x where the given comparison is undecided.
func (q *quadrature) branches(x jet.Jet, forced []forced, undecided decision, depth int) (jet.Jet, error) {
	c := q.c
	if depth == 0 {
		return c.Unknown(), nil
	}
	var both [2]jet.Jet
	moves := false // it was met with another argument, whose own variable does not count
	for i, side := range []int{-1, 1} {
		taken := with(forced, undecided.site, side)
		y, seen, err := c.observe(q.f, x, taken, undecided.site)
		d := seen.watched.diff
		moves = moves || !seen.watched.met || !d.Known() || c.Moves(d)
		if err == errUndecided {
			y, err = q.branches(x, taken, seen.first, depth-1)
		}
		if err != nil {
			if fatal(err) {
				return y, err
			}
			y = c.Unknown() // a branch that fails need not be taken
		}
		both[i] = y
	}
	y := c.Hull(both[0], both[1])
	if !y.Known() || !moves {
		return y, nil
	}
	return c.dimmed(y, undecided.diff), nil
}

// dimmed is y with unknown coefficients of all terms that move x.
func (c *ctx) dimmed(y, x jet.Jet) jet.Jet { return c.Add(y, c.termsOf(y, c.movers(x))) }

// movers gives for each variable an unknown coefficient, if x depends on it or is unknown, and else
// 0.
func (c *ctx) movers(x jet.Jet) func(jet.Tag) jet.Jet {
	return func(tag jet.Tag) jet.Jet {
		switch {
		case x.Known() && !x.Has(tag):
			return c.Zero()
		case c.reverse(tag):
			return c.Mul(c.Slopes(tag, x), c.Unknown())
		}
		return c.Unknown()
	}
}

// termsOf is the sum of all terms in which a variable occurs that has a mover, an unknown
// coefficient, and besides it variables that y depends on: all of them, if y is unknown.
func (c *ctx) termsOf(y jet.Jet, mover func(jet.Tag) jet.Jet) jet.Jet {
	sum := c.Zero()
	for i, degree := range c.degrees {
		tag := jet.Tag(i + 1)
		if tag < c.Floor {
			continue
		}
		rest := c.Zero()
		switch {
		case c.reverse(tag):
			rest = c.Mul(c.Slopes(tag, y), sum)
		case !y.Known() || y.Has(tag):
			rest = sum
		}
		series := []jet.Jet{sum}
		if degree > 0 {
			series = append(series, slices.Repeat([]jet.Jet{c.Add(mover(tag), rest)}, degree)...)
		}
		sum = c.Series(tag, degree, series)
	}
	return sum
}
