package exact

import (
	"cmp"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Roots in boxes]. A box is dropped if a result of f is not 0 in it, or if Newton's operator
// leaves nothing of it (Note [Newton's operator in boxes]). Where that proves a root the box is done
// with. Cutting alone never is: at a root on a face of two boxes both remain, however small. So
// Newton's method on points looks for a root from time to time, and a zone around it is sought in
// which the root is the only one. A box in a zone has been dealt with.
//
// The search ends when no box is left: the roots are those of the zones, and there are no others.
// A root that is not isolated, at which the slopes of f are not regular, or on the edge of the range
// leaves boxes that become too small to be cut. The first of them ends the search, unless it is to go
// on for as long as it may: what is found then does not count, but two roots where one was asked for.

// rootsSearch is a search for all roots in a space.
type rootsSearch struct {
	*space
	e       *equations
	left    int // boxes that may be looked at
	todo    []pending
	later   []pending // where f may have no values: they are looked at when nothing else is left
	hand    []pending // the box that is being looked at
	found   []*zone
	single  bool    // one root is wanted: two are enough to know that this is not so
	stuck   []*zone // of each it is not known whether there is a root in it, or only one
	why     string  // that is so, of the first
	trouble trouble

	fails, rests int // Note [Shaving]
}

// pending is a box to be looked at, and how often it was cut.
type pending struct {
	x    cuboid
	cuts int
}

// boxRoots is the roots of f in a box, in their order, with derivatives. If one is wanted, and it is
// not known, there is none in the list.
func (c *ctx) boxRoots(
	at diag.Span, a, b []jet.Jet, f field, single bool,
) ([][]jet.Jet, error) {
	unknown := errUndecided
	if single {
		unknown = nil
	}
	s, err := c.spaceOf(at, a, b, f, diag.NoRoot)
	if err != nil || s == nil {
		return nil, cmp.Or(err, unknown)
	}
	if len(a) == 0 {
		return [][]jet.Jet{{}}, nil
	}
	r := &rootsSearch{space: s, e: s.zeros(), left: c.boxCells(), single: single}
	c.seeks(r)
	floor, tol := c.ignoreOuter(), c.tol
	c.tol = tol.MulFloat(0.25)
	err = r.run()
	c.restore(floor)
	c.tol = tol
	if err != nil {
		return nil, err
	}
	if single && len(r.found) > 1 {
		return nil, diag.Errorf(diag.NoRoot, at, "the function is zero at several places in the box").
			WithHint("in %s, and in %s", s.box(r.found[0].x), s.box(r.found[1].x)).
			WithHint("`roots a b f` gives all of them")
	}
	if len(r.stuck)+len(r.todo)+len(r.later) > 0 {
		what := "whether the function is zero elsewhere in the box is not known: the effort ran out"
		if len(r.stuck) > 0 {
			what = r.why + ", in " + s.box(r.stuck[0].x).String()
		}
		c.report(r.trouble)
		c.report(trouble{code: diag.NoRoot, at: at, what: what, hints: c.hints(r)})
		return nil, unknown
	}
	if single && len(r.found) == 0 {
		return nil, diag.Errorf(diag.NoRoot, at, "the function is zero nowhere in the box")
	}
	slices.SortFunc(r.found, func(p, q *zone) int { return c.compareBoxes(p.x, q.x) })
	var list [][]jet.Jet
	for _, z := range r.found {
		before := c.frame.kinked
		c.frame.kinked = false
		x, err := r.e.lift(z.x)
		if c.frame.kinked {
			c.report(trouble{code: diag.NoRoot, at: at, what: "the function may have a kink where it is zero"})
		}
		c.frame.kinked = c.frame.kinked || before
		if err != nil {
			return nil, err
		}
		list = append(list, s.place(x))
	}
	return list, nil
}

// compareBoxes orders boxes by the first coordinate in which they can be told apart.
func (c *ctx) compareBoxes(x, y cuboid) int {
	for i := range x {
		switch {
		case c.N.Less(x[i], y[i]):
			return -1
		case c.N.Less(y[i], x[i]):
			return 1
		}
	}
	return 0
}

// run searches until nothing is left to be looked at.
func (r *rootsSearch) run() error {
	r.todo = []pending{{x: r.whole()}}
	if err := r.e.findPattern(); err != nil {
		return err
	}
	most := 1
	if r.c.effort.patient {
		most = mostStuck
	}
	for r.left > 0 && len(r.stuck) < most && (!r.single || len(r.found) < 2) {
		r.c.tells(r)
		p, ok := r.next()
		if !ok {
			break
		}
		r.hand = []pending{p}
		r.left--
		r.looks(p.x)
		if err := r.look(p); err != nil {
			return err
		}
		r.hand = nil
	}
	return nil
}

// next takes a box to be looked at. A search that goes on for as long as it may looks for places where
// f has values: the largest boxes come first, as long as they are not too many.
func (r *rootsSearch) next() (p pending, ok bool) {
	from := &r.todo
	if len(*from) == 0 {
		if from = &r.later; r.c.effort.patient && 0 < len(r.later) && len(r.later) < mostLater {
			p, r.later = r.later[0], r.later[1:]
			return p, true
		}
	}
	last := len(*from) - 1
	if last < 0 {
		return p, false
	}
	p, *from = (*from)[last], (*from)[:last]
	return p, true
}

const mostLater = 1 << 12

// look drops a box, narrows it or cuts it.
func (r *rootsSearch) look(p pending) error {
	c := r.c
	for _, z := range slices.Concat(r.found, r.stuck) {
		if c.withinBox(p.x, z.all) {
			return nil
		}
	}
	ys, seen, err := c.over(r.f, c.consts(p.x), len(p.x))
	if err != nil {
		return err
	}
	known := allKnown(ys)
	for _, y := range ys {
		if y.Known() && c.N.Sign(y.Val()) != 0 {
			return nil
		}
	}
	if !known && r.trouble.code == "" {
		r.trouble = seen.trouble
	}
	// What is narrower than anything that is asked for is not narrowed for ever.
	wide := c.tol.Mul(jet.Exp2(-finest)).Less(c.boxWidth(p.x))
	var rows [][]jet.Jet
	if known && r.e.sparse != nil {
		x, empty, err := r.e.propagate(p.x)
		if err != nil || empty {
			return err
		}
		if wide && c.smaller(x, p.x) {
			r.todo = append(r.todo, pending{x, p.cuts})
			return nil
		}
		p.x = x
	}
	if known {
		k, err := r.e.contract(p.x)
		if err != nil || k.empty {
			return err
		}
		if k.proved {
			x, err := r.e.narrow(k.x)
			if err != nil {
				return err
			}
			return r.add(&zone{p.x, x})
		}
		if wide && c.smaller(k.x, p.x) {
			r.todo = append(r.todo, pending{k.x, p.cuts})
			return nil
		}
		p.x, rows = k.x, k.rows
		if shaved, empty, err := r.shave(p.x); err != nil || empty {
			return err
		} else if wide && c.smaller(shaved, p.x) {
			r.todo = append(r.todo, pending{shaved, p.cuts})
			return nil
		}
	}
	var left, right cuboid
	i := r.longest(p.x, rows)
	if r.e.sparse != nil {
		i = r.e.front(p.x)
	}
	cuts := i >= 0 && p.cuts <= mostCuts(len(p.x)) && wide
	if cuts {
		left, right, cuts = c.halves(p.x, i)
	}
	if rows != nil && (!cuts || p.cuts%len(p.x) == 0) {
		done, err := r.seek(p.x)
		if err != nil || done {
			return err
		}
	}
	if !cuts {
		why := mayJump
		if known {
			why = "the function may be zero where its slopes are not regular, or on the edge of the range"
		}
		r.leave(&zone{p.x, p.x}, why)
		return nil
	}
	to := &r.todo
	if !known {
		to = &r.later
	}
	*to = append(*to, pending{right, p.cuts + 1}, pending{left, p.cuts + 1})
	return nil
}

// Note [Shaving]. A slice at an end of a coordinate, with all of the others, is a box like any other.
// Where Newton's operator is of no use because slopes over a wide box say nothing, a result of f may
// still have one sign on the slice: 2 x (x - 3) beyond the sum of its neighbours, say. Slices are cut
// off as long as that is so, each twice as wide as the one before. It pays for large systems of
// equations that mention few unknowns each. If it fails it is tried less often.

// shave cuts slices off that hold no root; empty tells that nothing is left.
func (r *rootsSearch) shave(x cuboid) (shaved cuboid, empty bool, err error) {
	c, n := r.c, r.c.N
	if r.e.sparse != nil {
		return r.shaveClasses(x)
	}
	if r.rests > 0 {
		r.rests--
		return x, false, nil
	}
	shaved = slices.Clone(x)
	for i := range x {
		for _, low := range []bool{true, false} {
			for tries, part := 0, 0x1p-3; tries < mostSlices && part >= 0x1p-5; tries++ {
				lo, hi := n.Lower(shaved[i]), n.Upper(shaved[i])
				step := n.Mul(n.Sub(hi, lo), n.Float(part))
				slice, rest := n.Span(lo, n.Mid(n.Add(lo, step))), n.Span(n.Mid(n.Add(lo, step)), hi)
				if !low {
					slice, rest = n.Span(n.Mid(n.Sub(hi, step)), hi), n.Span(lo, n.Mid(n.Sub(hi, step)))
				}
				near := slices.Clone(shaved)
				near[i] = slice
				ys, _, err := c.over(r.f, c.consts(near), len(x))
				if err != nil {
					return x, false, err
				}
				if !slices.ContainsFunc(ys, func(y jet.Jet) bool { return y.Known() && n.Sign(y.Val()) != 0 }) {
					part /= 4
					continue
				}
				shaved[i] = rest
				if part *= 2; part > 0.5 {
					part = 0.5
				}
			}
		}
	}
	if r.fails++; c.smaller(shaved, x) {
		r.fails = 0
	}
	r.rests = 1<<min(r.fails, 6) - 1
	return shaved, false, nil
}

// mostSlices is how many slices are tried at an end.
const mostSlices = 6

// mostCuts is how often a box of n coordinates may be cut: below the precision of doubles in all of
// them there is nothing to be found.
func mostCuts(n int) int { return 60 * n }

// mostStuck is how many boxes may be given up by a search that goes on for as long as it may.
const mostStuck = 64

// leave gives a box up.
func (r *rootsSearch) leave(z *zone, why string) {
	if r.stuck = append(r.stuck, z); len(r.stuck) == 1 {
		r.why = why
	}
}

// seek looks for a root near the middle of a box. It tells whether that settles the box.
func (r *rootsSearch) seek(x cuboid) (bool, error) {
	c := r.c
	m, err := r.e.approach(c.mid(x))
	if err != nil || m == nil {
		return false, err
	}
	for _, z := range r.found {
		if c.withinBox(m, z.all) {
			return false, nil
		}
	}
	z, err := r.e.prove(m)
	if err != nil || z == nil {
		return false, err
	}
	if err := r.add(z); err != nil {
		return false, err
	}
	return c.withinBox(x, z.all), nil
}

// add takes a root into the list, unless it is there or outside of the range.
func (r *rootsSearch) add(z *zone) error {
	c, n := r.c, r.c.N
	for i := range z.x {
		if n.Less(z.x[i], r.lo[i]) || n.Less(r.hi[i], z.x[i]) {
			return nil
		}
		if !n.Less(r.lo[i], z.x[i]) || !n.Less(z.x[i], r.hi[i]) {
			r.leave(z, "the function may be zero on the edge of the range")
			return nil
		}
	}
	for _, other := range r.found {
		switch {
		case c.withinBox(z.x, other.all) || c.withinBox(other.x, z.all):
			return nil // it is the one root there
		case !c.apart(z.x, other.x):
			r.leave(z, "two places where the function is zero cannot be told apart")
			return nil
		}
	}
	r.found = append(r.found, z)
	return nil
}
