package exact

import (
	"errors"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Boxes]. Roots and optima of functions of several reals are searched by branch and bound, as
// those of one: a box is dropped when it is proved to hold none, narrowed by Newton's operator, and
// otherwise cut. All of it holds for every point of what is captured at once. What the files have:
//
//	box.go          the space that is searched, with f on it; its primitives
//	box_slopes.go   f over boxes, with its slopes and curvatures
//	box_newton.go   systems of equations: contraction, proofs, and roots as power series
//	box_sparse.go   systems of many equations, each of few unknowns
//	box_roots.go    all roots in a box
//	box_optimum.go  the largest value in a box, and its places
//	box_where.go    the places of the largest value under constraints
//	box_concave.go  what a proved place excludes where the problem is convex
//	box_held.go     equations on surfaces on which functions are 0
//	box_derive.go   the derivatives of these
//	box_least.go    the least value of a function that no program searches: that of a fit
//	box_project.go  sums of squares, least in the coordinates in which they are affine
//	box_centred.go  their bounds over boxes, to second order
//	box_known.go    what is known of a search at any time
//
// They keep to what root.go says: searches ignore outer variables, c.tol is the width to reach, and
// what is not proved is unknown, with the reason reported.

// cuboid is a set for each coordinate.
type cuboid []jet.Set

// field is a function of several reals, as function is one of one.
type field func(x []jet.Jet) ([]jet.Jet, error)

// space is a box with a function on it. A coordinate whose bounds are points goes from one to the
// other; otherwise it goes from 0 to 1, and stands for what lies between them: Note [The range of an
// optimum].
type space struct {
	c      *ctx
	at     diag.Span
	ends   [2][]jet.Jet
	affine []bool
	lo, hi cuboid // points: the range of each coordinate
	of     field  // of places

	looked int   // boxes that were looked at
	traced []Box // they, if somebody wants them
}

// boxSearch compiles a primitive that searches in a box.
func (c *compiler) boxSearch(s *core.Let, op *core.Prim, into place) place {
	m, at, row := c.m, s.At, op.Prim.ID
	a, b, fun := c.ref(op.Args[0]), c.ref(op.Args[1]), c.ref(op.Args[2])
	c.emit(func(f *regs) error {
		given := func(o operand) any { return f.p[o.part][o.n] }
		lo, hi := given(a).(*array), given(b).(*array)
		found, err := m.searchBox(row, at, lo.r, hi.r, given(fun).(*closure))
		if err != nil {
			return err
		}
		switch row {
		case prim.BoxMaxOver:
			f.r[local][into.r[0].n] = found[0][0]
		case prim.BoxRoots:
			f.p[local][into.p[0].n] = m.matrix(found).p[0]
		default:
			f.p[local][into.p[0].n] = m.matrix(found).p[0].(*array).p[0]
		}
		return nil
	})
	return into
}

// searchBox runs a primitive that searches in a box: it gives one value for the maximum, else
// places. How many roots there are must be known, or it fails.
func (m *machine) searchBox(
	row prim.ID, at diag.Span, a, b []jet.Jet, fun *closure,
) (found [][]jet.Jet, err error) {
	size := len(a)
	if row == prim.BoxMaxOver {
		size = 1
	}
	unknown := [][]jet.Jet{slices.Repeat([]jet.Jet{m.Unknown()}, size)}
	if len(a) != len(b) {
		return nil, diag.Errorf(diag.ShapesDiffer, at, "a box from %d reals to %d", len(a), len(b))
	}
	if m.refuses() {
		if row == prim.BoxRoots {
			return nil, errUndecided
		}
		return unknown, nil
	}
	around := m.telling
	defer func() { m.telling = around }()
	outermost := m.within == 0
	m.telling = outermost
	defer m.searches()()
	var f field
	switch row {
	case prim.BoxRoot, prim.BoxRoots:
		f = m.system(fun, len(a))
	default:
		f = m.arrayField(fun, row != prim.BoxArgmaxWhere)
	}
	hidden := func(x []jet.Jet) (y []jet.Jet, err error) {
		w := m.watch
		m.watch = nil
		y, err = f(x)
		m.watch = w
		return y, err
	}
	touched, err := m.watching(m.watch, func() (err error) {
		switch row {
		case prim.BoxRoot, prim.BoxRoots:
			found, err = m.boxRoots(at, a, b, hidden, row == prim.BoxRoot)
		case prim.BoxMaxOver:
			found, err = m.boxMaximum(at, a, b, hidden)
		case prim.BoxArgmaxOver:
			found, err = m.boxArgmax(at, a, b, hidden)
		case prim.BoxArgmaxWhere:
			found, err = m.boxArgmaxWhere(at, a, b, hidden)
		}
		return err
	})
	if outermost {
		err = m.endSought(at, err)
	}
	if err != nil {
		return nil, err
	}
	if found == nil && row != prim.BoxRoots {
		return unknown, nil
	}
	if touched {
		if err := m.steadyAll(at, found, a, b, f); err != nil {
			return nil, err
		}
	}
	if m.fragile() {
		for _, place := range found {
			for k, x := range place {
				place[k] = m.withoutDerivatives(x, 1, m.Unknown())
			}
		}
	}
	return found, nil
}

// system is a closure of n reals in an array that gives as many.
func (m *machine) system(cl *closure, n int) field {
	of := m.arrayField(cl, false)
	return func(x []jet.Jet) ([]jet.Jet, error) {
		ys, err := of(x)
		if err == nil && len(ys) != n {
			return nil, diag.Errorf(diag.ShapesDiffer, cl.code.at,
				"a function of %d reals gives %d: a root needs as many", n, len(ys))
		}
		return ys, err
	}
}

// arrayField is a closure of reals in an array that gives a real, or reals in an array.
func (m *machine) arrayField(cl *closure, real bool) field {
	shapes := []shape{{p: 1}}
	size := shape{p: 1}
	if real {
		size = shape{r: 1}
	}
	return func(x []jet.Jet) ([]jet.Jet, error) {
		if err := m.count(cl.code.at); err != nil {
			return nil, err
		}
		if m.nested() > maxNested {
			return nil, m.tooNested(cl.code.at)
		}
		m.used += searchBytes
		defer func() { m.used -= searchBytes }()
		y := makeSlots(size)
		if err := m.call(cl, slots{p: []any{&array{len(x), slots{r: x}}}}, shapes, y); err != nil {
			return nil, err
		}
		if real {
			return y.r, nil
		}
		return y.p[0].(*array).r, nil
	}
}

// spaceOf is nil, with the reason reported, if it is not certain that the box is one. The bounds of
// a root may be in any order.
func (c *ctx) spaceOf(
	at diag.Span, a, b []jet.Jet, f field, code diag.Code,
) (*space, error) {
	n := c.N
	s := &space{c: c, at: at, of: f, affine: make([]bool, len(a))}
	s.ends = [2][]jet.Jet{slices.Clone(a), slices.Clone(b)}
	for i := range a {
		if !a[i].Known() || !b[i].Known() {
			c.report(trouble{code: code, at: at, what: "a bound of the box is not a real number"})
			return nil, nil
		}
		x, y := a[i].Val(), b[i].Val()
		if code == diag.NoRoot && n.Less(y, x) {
			s.ends[0][i], s.ends[1][i] = b[i], a[i]
			x, y = y, x
		}
		points := n.IsPoint(x) && n.IsPoint(y) && !c.varies(a[i]) && !c.varies(b[i])
		switch {
		case n.Less(y, x):
			return nil, diag.Errorf(code, at, "an upper bound of the box is below the lower one").
				WithHint("they are %s and %s", n.String(x), n.String(y))
		case !n.Bounded(x) || !n.Bounded(y) || !n.Less(x, y) && !points:
			c.report(trouble{code: code, at: at, what: "it is not known whether the bounds are in order"})
			return nil, nil
		case points:
			s.lo, s.hi = append(s.lo, x), append(s.hi, y)
		default:
			s.affine[i] = true
			s.lo, s.hi = append(s.lo, n.Float(0)), append(s.hi, n.Float(1))
		}
	}
	return s, nil
}

// f is the function of the coordinates.
func (s *space) f(x []jet.Jet) ([]jet.Jet, error) { return s.of(s.place(x)) }

// place is where coordinates lie between the bounds.
func (s *space) place(x []jet.Jet) []jet.Jet {
	y := make([]jet.Jet, len(x))
	for i := range x {
		d := domain{c: s.c, ends: [2]jet.Jet{s.ends[0][i], s.ends[1][i]}, affine: s.affine[i]}
		y[i] = d.place(x[i])
	}
	return y
}

// boxCells is into how many pieces a box may be cut.
func (c *ctx) boxCells() int {
	switch {
	case c.effort.patient:
		return manyCells
	case c.N.Bits() == doubleBits:
		return 16 * c.effort.cells
	}
	return 2 * c.effort.cells
}

// manyCells is how many they are where only a limit of the run is to end a search.
const manyCells = 1 << 28

// ---- boxes

// whole is the box that is searched.
func (s *space) whole() cuboid {
	x := make(cuboid, len(s.lo))
	for i := range x {
		x[i] = s.c.N.Span(s.lo[i], s.hi[i])
	}
	return x
}

// consts is a box as an argument.
func (c *ctx) consts(x cuboid) []jet.Jet {
	xs := make([]jet.Jet, len(x))
	for i := range x {
		xs[i] = c.Const(x[i])
	}
	return xs
}

// mid is a point of a box.
func (c *ctx) mid(x cuboid) cuboid {
	m := make(cuboid, len(x))
	for i := range x {
		m[i] = c.N.Mid(x[i])
	}
	return m
}

// clipped is the point x of the space, or the one of the range that is next to it.
func (s *space) clipped(x cuboid) cuboid {
	n := s.c.N
	x = slices.Clone(x)
	for i := range x {
		switch {
		case n.Less(x[i], s.lo[i]):
			x[i] = s.lo[i]
		case n.Less(s.hi[i], x[i]):
			x[i] = s.hi[i]
		}
	}
	return x
}

// withinBox tells whether a box is certainly a part of another.
func (c *ctx) withinBox(x, y cuboid) bool {
	for i := range x {
		if !c.N.Within(x[i], y[i]) {
			return false
		}
	}
	return true
}

// apart tells whether two boxes certainly have nothing in common.
func (c *ctx) apart(x, y cuboid) bool {
	for i := range x {
		if c.N.Less(x[i], y[i]) || c.N.Less(y[i], x[i]) {
			return true
		}
	}
	return false
}

// boxWidth is the largest width of a coordinate.
func (c *ctx) boxWidth(x cuboid) (w jet.Mag) {
	for i := range x {
		w = w.Max(c.N.Width(x[i]))
	}
	return w
}

// hullOf is the smallest box that contains both.
func (c *ctx) hullOf(x, y cuboid) cuboid {
	z := make(cuboid, len(x))
	for i := range z {
		z[i] = c.N.Hull(x[i], y[i])
	}
	return z
}

// halves cuts a box along a coordinate; ok is false if it is too narrow for the precision.
func (c *ctx) halves(x cuboid, i int) (left, right cuboid, ok bool) {
	n := c.N
	lo, hi := n.Lower(x[i]), n.Upper(x[i])
	m := c.aside(lo, hi)
	if !n.Less(lo, m) || !n.Less(m, hi) {
		return x, x, false
	}
	left, right = slices.Clone(x), slices.Clone(x)
	left[i], right[i] = n.Span(lo, m), n.Span(m, hi)
	return left, right, true
}

// longest is the coordinate along which a box is to be cut: where it is widest, measured by the
// sizes of slopes if they are known, else by the range. It is -1 if the box is a point.
func (s *space) longest(x cuboid, rows [][]jet.Jet) int {
	n := s.c.N
	best, most := -1, 0.0
	for i := range x {
		w := n.Width(x[i])
		extent := n.Width(n.Sub(s.hi[i], s.lo[i])).Add(n.Mag(n.Sub(s.hi[i], s.lo[i])))
		part := w.Float() / max(extent.Float(), 0x1p-1000)
		if w.IsZero() {
			continue
		}
		smear := part
		if rows != nil {
			smear = 0
			for _, row := range rows {
				if row != nil && row[i].Known() {
					smear = max(smear, n.Mag(row[i].Val()).Mul(w).Float())
				}
			}
			smear = max(smear*(1+part), 0x1p-40*part)
		}
		if best < 0 || smear > most {
			best, most = i, smear
		}
	}
	return best
}

// ---- evaluation

// observed evaluates f at x in a frame of its own.
func (c *ctx) observed(f field, x []jet.Jet, sides []forced) (ys []jet.Jet, seen frame, err error) {
	_, seen, err = c.observeIn(frame{forced: sides, watch: -1}, func(y jet.Jet) (jet.Jet, error) {
		var err error
		ys, err = f(x)
		return y, err
	}, c.Zero())
	return ys, seen, err
}

// mostSides is how many undecided decisions are followed on both sides.
const mostSides = 5

// over encloses f over x, where results of a function of the given number of results are unknown if
// more jumps are undecided than can be followed on both sides.
func (c *ctx) over(f field, x []jet.Jet, results int) (ys []jet.Jet, seen frame, err error) {
	return c.overSides(f, x, results, nil)
}

func (c *ctx) overSides(
	f field, x []jet.Jet, results int, sides []forced,
) (ys []jet.Jet, seen frame, err error) {
	ys, seen, err = c.observed(f, x, sides)
	switch {
	case err == nil || fatal(err):
		return ys, seen, err
	case !errors.Is(err, errUndecided):
		if len(sides) == 0 {
			return nil, seen, err
		}
		fallthrough // it fails on a side that x may not be on
	case len(sides) == mostSides || !seen.first.met:
		return slices.Repeat([]jet.Jet{c.Unknown()}, results), seen, nil
	}
	for _, side := range []int{-1, 1} {
		taken := append(sides[:len(sides):len(sides)], forced{seen.first.site, side})
		zs, _, err := c.overSides(f, x, results, taken)
		if err != nil {
			return nil, seen, err
		}
		if ys == nil {
			ys = slices.Clone(zs)
			continue
		}
		for k := range ys {
			ys[k] = c.Hull(ys[k], zs[k])
		}
	}
	return ys, seen, nil
}
