package exact

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// The roots. What they may assume and must do:
//
//   - a, b and what f captures may depend on any open variable, and may be wide: the result
//     encloses the root for every point of them, and its derivatives in all open
//     variables (implicit function theorem; c.order() says how far, jet.Part
//     takes a jet apart by total degree);
//   - a search along the argument ignores outer variables (ignoreOuter) and opens one of
//     its own for the slope; each evaluation runs in a frame of its own (observe);
//   - where existence is not proved yet and more effort may prove it the result is
//     unknown, with the reason reported; where it is disproved for every point a
//     *diag.Diagnostic says so;
//   - c.tol is the width to reach in every coefficient, c.effort.cells the number of cells.
//
// Note [What a root is]. With the sign of f as it is to the left, λS §5.2.2 has
//
//	cutRoot f   = [sup {x : f x > 0}, inf {x : f x < 0}]
//	firstRoot f = [sup {x : f > 0 up to x}, inf {x : f < 0 at some place up to x}]
//
// intervals that are one point if f crosses zero and does nothing else. They speak of signs
// only: a jump across zero is a change of sign like any other. The bounds of firstRoot are
// taken in [0, 1], so that sup {} is 0 and inf {} is 1: if f touches zero and does not cross it
// the root is [touch, 1], and if it first reaches zero at 1 it is 1. If f is 0 at 0 the sign to
// the left is none, neither of them has it, and the root is [0, inf {x : f x ≠ 0}]. If f is
// never zero and has one sign there is no root: that is an error.
//
// `root a b f` is the hull of the zeros of f between a and b, where its signs differ; f must be
// defined all over that range, or a pole would pass for a zero. A result that is not a point
// has no derivatives.

// root is where f, whose signs at a and b differ, crosses zero.
func (c *ctx) root(at diag.Span, a, b jet.Jet, f function) (jet.Jet, error) {
	n := c.N
	if !a.Known() || !b.Known() || !n.Bounded(a.Val()) || !n.Bounded(b.Val()) {
		return c.Unknown(), nil
	}
	if n.Less(b.Val(), a.Val()) {
		a, b = b, a
	}
	s := c.newScan(f)
	floor := c.ignoreOuter()
	lo, hi, err := s.ends(a.Val(), b.Val())
	if err == nil && lo.sign*hi.sign < 0 && n.Less(a.Val(), b.Val()) {
		err = s.run(lo, hi, false)
	}
	c.restore(floor)
	switch {
	case err != nil:
		return c.Unknown(), err
	case lo.sign*hi.sign > 0:
		return c.Unknown(), diag.Errorf(diag.NoRoot, at, "the function has the same sign at both ends of the range").
			WithHint("it is %s at the lower end and %s at the upper", n.String(lo.y), n.String(hi.y))
	case lo.sign == 0 && s.isZero(lo) || hi.sign == 0 && s.isZero(hi):
		return c.rootAtEnd(at, f, a, b, lo, hi)
	case len(s.found) == 0:
		return s.refuse(at, "the sign of the function at an end of the range is not known")
	}
	if !s.defined() {
		return s.refuse(at, mayJump)
	}
	if err := c.several(at, s.found); err != nil {
		return c.Unknown(), err
	}
	return c.resolve(at, f, s.found, "the function may be zero at several places in the range")
}

// ends evaluates f over the ends of a range. What is certain of a wide end is
// certain of its inner end; the scan leaves out the rest, which then has no zero.
func (s *scan) ends(a, b jet.Set) (lo, hi node, err error) {
	if lo, err = s.nodeOver(s.c.N.Upper(a), a); err == nil {
		hi, err = s.nodeOver(s.c.N.Lower(b), b)
	}
	return lo, hi, err
}

// isZero tells whether f is exactly zero at a node.
func (s *scan) isZero(x node) bool { return x.sign == 0 && s.c.N.IsPoint(x.y) }

// several is an error if f is certain to cross zero more than once.
func (c *ctx) several(at diag.Span, found []stretch) error {
	var crossed []jet.Set
	for _, st := range found {
		if st.crossed {
			crossed = append(crossed, c.N.Span(st.lo.x, st.hi.x))
		}
	}
	if len(crossed) < 2 {
		return nil
	}
	return diag.Errorf(diag.NoRoot, at, "the function crosses zero more than once").
		WithHint("once in %s, and again in %s", c.N.String(crossed[0]), c.N.String(crossed[len(crossed)-1]))
}

// rootAtEnd is the hull of the zeros when f is zero at an end: there is one for what is
// captured and for the end, but perhaps none for their neighbours, hence no derivative. `root a
// 1 (fun x => x)` does not exist if a is more than 0.
func (c *ctx) rootAtEnd(at diag.Span, f function, a, b jet.Jet, lo, hi node) (jet.Jet, error) {
	s := c.newScan(f)
	floor := c.ignoreOuter()
	err := s.run(lo, hi, false)
	c.restore(floor)
	if err != nil {
		return c.Unknown(), err
	}
	from, to := hi.x, lo.x // of the hull
	var ends []jet.Jet     // at which f is zero
	if s.isZero(lo) {
		from, ends = lo.x, append(ends, a)
	}
	if s.isZero(hi) {
		to, ends = hi.x, append(ends, b)
	}
	if !s.defined() {
		return s.refuse(at, mayJump)
	}
	for _, st := range s.found {
		if c.N.Less(st.lo.x, from) {
			from = st.lo.x
		}
		if c.N.Less(to, st.hi.x) {
			to = st.hi.x
		}
	}
	c.report(trouble{code: diag.NoRoot, at: at, what: "the function is zero at an end of the range"})
	return c.pinned(f, c.N.Span(from, to), ends...)
}

// cutRoot is where f, positive to the left and negative to the right, crosses
// zero on the whole line.
func (c *ctx) cutRoot(at diag.Span, f function) (jet.Jet, error) {
	s := c.newScan(f)
	floor := c.ignoreOuter()
	lo, hi, err := s.bracket()
	if err == nil && lo.sign > 0 && hi.sign < 0 {
		err = s.run(lo, hi, false)
	}
	c.restore(floor)
	switch {
	case err != nil:
		return c.Unknown(), err
	case lo.sign < 0:
		return c.Unknown(), diag.Errorf(diag.NoRoot, at, "the function is negative to the left and positive to the right").
			WithHint("it is %s at %s, and %s at %s", c.N.String(lo.y), c.N.String(lo.x), c.N.String(hi.y), c.N.String(hi.x)).
			WithHint("for a range and any signs there is `root a b f`")
	case len(s.found) == 0:
		return s.refuse(at, "no place was found where the function is positive, with one to its right where it is negative")
	}
	if err := c.several(at, s.found); err != nil {
		return c.Unknown(), err
	}
	return c.resolve(at, f, s.found, "the function may change its sign at several places, or stay at zero")
}

// bracket searches for a place where f is positive with one to its right where it is
// negative, among 0 and the powers of 2. If nothing but the reverse is found it gives that; if
// not even that, a node without a sign.
func (s *scan) bracket() (lo, hi node, err error) {
	var positive, negative node // the nearest to each other
	var positiveAt, negativeAt float64
	wanted := func(x float64) bool { // a sign there may complete the bracket
		return positive.sign == 0 && negative.sign == 0 ||
			positive.sign != 0 && x > positiveAt || negative.sign != 0 && x < negativeAt
	}
	reach := min(64<<min(s.c.effort.rung, 4), 1000)
	for _, direction := range []bool{true, false} {
		for k := -1; k <= reach; k++ {
			points := []float64{math.Ldexp(1, k), -math.Ldexp(1, k)}
			if k < 0 {
				points = []float64{0}
			}
			for _, x := range points {
				if wanted(x) != direction {
					continue
				}
				v, err := s.node(s.c.N.Float(x))
				switch {
				case err != nil && !fatal(err): // f need not be defined all along the line
				case err != nil:
					return lo, hi, err
				case v.sign > 0:
					positive, positiveAt = v, x
				case v.sign < 0:
					negative, negativeAt = v, x
				}
				switch {
				case positive.sign == 0 || negative.sign == 0:
				case direction:
					return positive, negative, nil
				default:
					return negative, positive, nil
				}
			}
		}
	}
	return lo, hi, nil
}

// firstRoot is the first zero or sign change of f on [0, 1].
func (c *ctx) firstRoot(at diag.Span, f function, fun any) (jet.Jet, error) {
	in, hits := c.frame, false
	if fun != nil && in.hit.fun == fun {
		sites := in.sites
		defer func() { in.sites = sites }()
		in.sites, hits = in.hit.first, in.sideOf(in.hit.first+2) < 0
	}
	s, err := c.firstTurn(at, f, fun)
	switch {
	case err != nil:
		return c.Unknown(), err
	case len(s.found) == 0:
		return c.Unknown(), diag.Errorf(diag.NoRoot, at, "the function is not zero between 0 and 1, and does not change its sign").
			WithHint("`hit f` is an Option: nothing where there is no root")
	case !s.certainRoot() && !hits:
		return s.refuse(at, unknownWhetherZero)
	}
	why := "the function may touch zero before it crosses it"
	if last := &s.found[len(s.found)-1]; last.pinned {
		why = "the function is zero at an end of the range"
		if err := s.lose(last); err != nil {
			return c.Unknown(), err
		}
	} else if !s.turns {
		last.crossed, last.hi = false, node{x: c.N.Float(1), y: c.N.Whole()}
		why = "the function may touch zero without crossing it"
	}
	return c.resolve(at, f, s.found, why)
}

// lose widens a root at 0 to where neighbours of what is captured may have their first one: they may
// have none at 0. What is decided by the value holds for them only then.
func (s *scan) lose(root *stretch) error {
	c := s.c
	if c.order() == 0 || c.N.Less(c.N.Float(0), root.lo.x) {
		return nil
	}
	v, err := c.expand(s.f, c.Const(root.lo.x), 0)
	if err == nil && c.varies(v.y) {
		root.hi, root.pinned = node{x: c.N.Float(1), y: c.N.Whole()}, false
	}
	return err
}

// hit is a function and the sites of its decisions: its signs at 0 and 1, and its least value (Note
// [Thresholds]).
type hit struct {
	fun   any // a closure
	first int // of the three sites
}

// crosses tells whether f has a firstRoot, and up to where f matters for that; errUndecided if it
// is not known, with the reason reported.
func (c *ctx) crosses(at diag.Span, f function, fun any) (yes bool, reach jet.Set, err error) {
	c.frame.hit = hit{fun, c.frame.sites}
	s, err := c.firstTurn(at, f, fun)
	site := c.frame.sites // of the least value
	c.frame.sites++
	if err != nil {
		return false, reach, err
	}
	if c.frame.watch == site {
		c.frame.watched, err = c.least(at, site, s.signs[0], f)
	}
	if forced := c.frame.sideOf(site); !s.turns && forced != 0 && s.signs[0]*s.signs[1] > 0 {
		return forced < 0, c.N.Float(1), err
	}
	if doubt, doubtful, err := s.doubt(at, site); err != nil || doubtful {
		_, _ = s.refuse(at, unknownWhetherZero)
		if doubt.diff.Known() && !c.frame.first.met {
			c.frame.first = doubt
		}
		return false, reach, cmp.Or(err, errUndecided)
	}
	reach = c.N.Float(1)
	if s.turns {
		reach = s.found[len(s.found)-1].hi.x
	}
	return s.certainRoot(), reach, err
}

// doubt is the decision about a root that is open, if one is. If f touches zero and does not cross
// it there is a root, but neighbours of what is captured may have none.
func (s *scan) doubt(at diag.Span, site int) (decision, bool, error) {
	touches := s.certainRoot() && !s.turns && s.c.order() > 0
	if s.turns || len(s.found) == 0 || s.certainRoot() && !touches {
		return decision{}, false, nil
	}
	for i, e := range s.edges {
		if e.jump = true; s.signs[i] == 0 && !touches {
			return e, true, nil
		}
	}
	e, err := s.c.least(at, site, s.signs[0], s.f)
	return e, !touches || !e.diff.Known() || s.c.varies(e.diff), err
}

// least is the decision by the least value on [0, 1] of f, or of -f if the sign of f at 0 is -1.
func (c *ctx) least(at diag.Span, site, sign int, f function) (decision, error) {
	line := domain{c: c, lo: c.N.Float(0), hi: c.N.Float(1), ends: [2]jet.Jet{c.Float(0), c.Float(1)}, number: -1}
	line.f = func(t jet.Jet) (jet.Jet, error) {
		y, err := f(t)
		if sign >= 0 {
			y = c.Neg(y)
		}
		return y, err
	}
	line.of = line.f
	most, _, err := c.observe(func(jet.Jet) (jet.Jet, error) { return line.maximum(at) }, c.Zero(), nil, -1)
	return decision{met: true, site: site, jump: true, at: at, diff: c.Neg(most)}, err
}

// turn is what firstTurn has found out about a closure, for a certifier: `hit f` asks whether there
// is a root and then for the root, which are two searches there.
type turn struct {
	fun     any
	tol     jet.Mag
	scan    scan
	touched bool // f has touched an edge
}

// firstTurn scans [0, 1] up to the first change of sign. If there may be none it tries to prove
// that f touches zero.
func (c *ctx) firstTurn(at diag.Span, f function, fun any) (*scan, error) {
	kept := fun != nil && c.frame == c.outermost
	if t := c.turn; kept && t != nil && t.fun == fun && t.tol == c.tol {
		s := t.scan
		s.found = slices.Clone(s.found)
		c.touched = c.touched || t.touched
		return &s, nil
	}
	s, err := c.scanFirst(at, f)
	if kept && err == nil {
		c.turn = &turn{fun, c.tol, *s, c.touched}
		c.turn.scan.found = slices.Clone(s.found)
	}
	return s, err
}

// scanFirst is firstTurn, done anew.
func (c *ctx) scanFirst(at diag.Span, f function) (*scan, error) {
	s := c.newScan(f)
	lo, first, err := s.end(at, 0)
	if err != nil {
		return s, err
	}
	hi, last, err := s.end(at, 1)
	if err != nil && fatal(err) { // what is beyond the first root does not matter
		return s, err
	}
	s.edges, s.signs = [2]decision{first, last}, [2]int{lo.sign, hi.sign}
	floor := c.ignoreOuter()
	err = s.run(lo, hi, true)
	if err == nil && !s.certainRoot() {
		err = s.touch()
	}
	c.restore(floor)
	if err != nil {
		return s, err
	}
	if c.meet(first); !s.turns {
		c.meet(last)
	}
	if s.fromZero || !s.turns { // neighbours may have no root: Note [Moving edges]
		c.touch(at, first.diff)
		c.touch(at, last.diff)
	}
	return s, nil
}

// end is f at an end of the range, which is a point, as a node and as an edge that the frame has
// not met: a threshold (Note [Thresholds]).
func (s *scan) end(at diag.Span, x float64) (node, decision, error) {
	c := s.c
	n := node{x: c.N.Float(x), y: c.N.Whole()}
	y, seen, err := c.observeIn(frame{watch: -1, fixed: c.frame.fixed}, s.f, c.Const(n.x))
	if err != nil {
		y = c.Unknown()
	}
	if errors.Is(err, errUndecided) {
		err = nil
	}
	e := c.edgeOf(at, y)
	if !y.Known() {
		s.learn(seen.trouble)
		return n, e, err
	}
	n.y = e.diff.Val()
	if n.sign = c.N.Sign(n.y); n.sign == 0 {
		n.sign = c.frame.sideOf(e.site)
	}
	n.pins = n.sign == 0 && c.N.IsPoint(n.y)
	return n, e, err
}

// touch evaluates f at the simplest point of each open cell: if it is exactly zero there, f touches
// zero.
func (s *scan) touch() error {
	n := s.c.N
	for _, st := range s.found {
		x := n.Float(simplest(n.Float64(st.lo.x), n.Float64(st.hi.x)))
		if n.Less(x, st.lo.x) || n.Less(st.hi.x, x) {
			continue
		}
		v, err := s.node(x)
		if err != nil {
			return err
		}
		if s.visit(v); s.certainRoot() {
			return nil
		}
	}
	return nil
}

// simplest is the point from lo to hi with the fewest bits behind the point.
func simplest(lo, hi float64) float64 {
	for grain := 1.0; grain > 0x1p-60; grain /= 2 {
		if x := math.Ceil(lo/grain) * grain; x <= hi {
			return x
		}
	}
	return lo
}

// crossing encloses the one zero of d within the cell x, and its derivatives in all open
// variables. The caller has proved that d is strictly monotone over the cell
// and has strictly opposite signs at its ends, for every point of what is captured. Integrals cut
// cells there; ok is false if it cannot be separated from the ends, but for those that it
// may touch.
func (c *ctx) crossing(x jet.Set, d function, touches [2]bool) (r jet.Jet, ok bool, err error) {
	e := equation{c: c, f: d}
	floor := c.ignoreOuter()
	slope, err := e.slope(c.Const(x))
	if err == nil && slope.Known() && c.N.Sign(slope.Val()) != 0 {
		lo, hi := c.N.Lower(x), c.N.Upper(x)
		if x, err = e.newton(x, slope.Val()); err == nil {
			ok = (touches[0] || c.N.Less(lo, x)) && (touches[1] || c.N.Less(x, hi))
		}
	}
	c.restore(floor)
	if err != nil || !ok {
		return c.Unknown(), false, err
	}
	r, err = e.lift(x)
	return r, err == nil, err
}

// ---- from stretches to roots

func (c *ctx) newScan(f function) *scan {
	// Values need cells as narrow as the result; derivatives need a proof that f
	// is monotone, for which cells must be narrower than the distance to the
	// next zero of its slope.
	least := c.tol.MulFloat(0.25)
	if c.order() > 0 {
		least = least.Mul(jet.Exp2(-24))
	}
	return &scan{c: c, f: f, least: least, cells: c.effort.cells}
}

// resolve gives the root that lies in the hull of the stretches (at least one):
// narrow and with derivatives if f crosses zero once there, and else that hull, with
// the reason why.
func (c *ctx) resolve(at diag.Span, f function, found []stretch, why string) (jet.Jet, error) {
	e := equation{c: c, f: f}
	floor, tol := c.ignoreOuter(), c.tol
	x, single, err := e.narrow(found)
	c.restore(floor)
	root := c.Const(x)
	switch {
	case err != nil:
	case single:
		before := c.frame.kinked
		c.frame.kinked = false
		if root, err = e.lift(x); c.frame.kinked {
			c.report(trouble{code: diag.NoRoot, at: at, what: "the function may have a kink where it is zero"})
		}
		c.frame.kinked = c.frame.kinked || before
	default:
		root, err = c.pinned(f, x)
		c.report(trouble{code: diag.NoRoot, at: at, what: why})
	}
	c.tol = tol
	return root, err
}

// narrow is the hull of the stretches, or the narrowest enclosure of the one zero there;
// c.tol is then what lifting needs.
func (e equation) narrow(found []stretch) (x jet.Set, single bool, err error) {
	n := e.c.N
	lo, last := found[0].lo, found[len(found)-1]
	x = n.Span(lo.x, last.hi.x)
	slope := last.slope
	if single = len(found) == 1 && last.crossed; !single && lo.sign*last.hi.sign < 0 {
		s, err := e.slope(e.c.Const(x))
		if err != nil {
			return x, false, err
		}
		single, slope = s.Known() && n.Sign(s.Val()) != 0, s.Val()
	}
	switch {
	case single:
		e.c.need(slope)
		x, err = e.newton(x, slope)
	case last.crossed:
		e.c.need(last.slope)
		end, err := e.newton(n.Span(last.lo.x, last.hi.x), last.slope)
		return n.Span(lo.x, end), false, err
	}
	return x, single, err
}

// pinned is a result of which only the value is known to lie in x: its derivatives in the
// variables that f depends on there, or one of the ends that hold it, are unknown.
func (c *ctx) pinned(f function, x jet.Set, ends ...jet.Jet) (jet.Jet, error) {
	if c.order() == 0 {
		return c.Const(x), nil
	}
	v, err := c.expand(f, c.Const(x), 0)
	return c.withoutDerivatives(c.Const(x), 1, append(ends, v.y)...), err
}

// need lowers c.tol to what the residual of an equation must have for its zero to
// be within c.tol.
func (c *ctx) need(slope jet.Set) {
	if mig := c.N.Mig(slope); mig.Less(jet.Exp2(0)) {
		c.tol = c.tol.Mul(mig)
	}
	c.tol = c.tol.MulFloat(0.25)
}

const unknownWhetherZero = "whether the function is zero anywhere between 0 and 1 is not known"

const mayJump = "the function may be undefined, or jump, in the range"

// defined tells whether f has values wherever it may be zero.
func (s *scan) defined() bool {
	return !slices.ContainsFunc(s.found, func(st stretch) bool { return !st.defined })
}

// refuse reports why the root is unknown.
func (s *scan) refuse(at diag.Span, why string) (jet.Jet, error) {
	s.c.report(s.trouble)
	s.c.report(trouble{code: diag.NoRoot, at: at, what: why})
	return s.c.Unknown(), nil
}
