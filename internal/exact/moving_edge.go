package exact

import (
	"maps"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Moving edges]. An optimum, a `root` and a `firstRoot` exist only if f is defined all over
// the range. In
//
//	deriv (fun c => maxOver 0 1 (fun x => sqrt (x - c))) 0
//
// it is, up to the edge of the domain of `sqrt`, and the maximum is 1. But if c becomes positive,
// f is undefined below c, and there is no maximum: the derivative does not exist. The maximiser 1
// does not show this, and the search ignores c.
//
// So a row whose domain is closed records that its argument may lie at the edge (ctx.touched). If
// that happens in a search whose result is to have derivatives, f is evaluated over the range once
// more, with the outer variables, to find those that move the edge. The result has no derivatives
// in them.
//
// Let the domain be g >= 0, and let 0 be in the enclosure of g over a cell. For neighbours of what
// is captured g stays in the domain over the cell
//
//   - if g does not depend on it, or is never negative by its form, as `abs (x - c)` is; or
//   - if the slope of g along the cell has a sign, so that g is least at an end, and is there
//     positive or as in the first case. This is so with c * x at 0, where c = 1.
//
// Otherwise the cell is cut, and finally the edge is taken to move. An argument of an integrand
// does not leave its cell and moves nothing. An integral of such an f decides for itself: its
// derivatives are unknown if they may not exist. What a search finds in its own range it hands on
// to the search around it. A `firstRoot` at an end of its range, where f is zero, exists up to an
// edge as well. A `cutRoot` is about signs only, and f need not be defined everywhere.

// edgeWatch is what an evaluation of a function over a part of its range records about edges.
type edgeWatch struct {
	along jet.Tag          // the argument of the function, 0 if it is fixed
	moves map[jet.Tag]bool // the variables that move an edge
}

// mostEdgeCuts is how often a range may be halved to find out whether an edge moves.
const mostEdgeCuts = 8

// touch records that a row is defined where x >= 0, if 0 may be there. What a rule of the table
// touches its row has touched before.
func (c *ctx) touch(at diag.Span, x jet.Jet) {
	if c.frame.text != noText || !x.Known() || c.N.Sign(x.Val()) != 0 {
		return
	}
	c.touched = true
	if c.watch == nil {
		return
	}
	if along := c.watch.along; along > 0 {
		slope := c.Coeff(c.Upto(x, along), along, 1)
		if slope.Known() && c.N.Sign(slope.Val()) != 0 {
			return
		}
	}
	c.edgeMoves(at, x.Has)
}

// edgeMoves records that an edge moves with variables.
func (c *ctx) edgeMoves(at diag.Span, with func(jet.Tag) bool) {
	for i, ranging := range c.ranging {
		tag := jet.Tag(i + 1)
		if tag >= c.Floor && tag != c.watch.along && !ranging && with(tag) {
			c.watch.moves[tag] = true
			c.report(trouble{code: diag.EffortSpent, at: at, what: edgeInRange})
		}
	}
}

const edgeInRange = "the edge of the domain may move into the range that is searched"

// watching runs an evaluation that records in w, and tells whether some row touched the edge of its
// domain.
func (c *ctx) watching(w *edgeWatch, eval func() error) (touched bool, err error) {
	before, around := c.touched, c.watch
	c.touched, c.watch = false, w
	err = eval()
	touched = c.touched
	c.touched, c.watch = before || touched, around
	return touched, err
}

// unwatched is f for a search of its own: what f touches the result of that search will show.
func (c *ctx) unwatched(f function) function {
	return func(x jet.Jet) (y jet.Jet, err error) {
		w := c.watch
		c.watch = nil
		y, err = f(x)
		c.watch = w
		return y, err
	}
}

// integrated takes note of edges inside an integral, of which y is the result: they may move if its
// derivatives are unknown.
func (c *ctx) integrated(at diag.Span, y jet.Jet) {
	if c.watch == nil {
		return
	}
	if along := c.watch.along; along > 0 {
		y = c.Coeff(c.Upto(y, along), along, 0)
	}
	if !c.Complete(y) {
		c.edgeMoves(at, y.Has)
	}
}

// steady is y, the result of a search for a root or an optimum of f between a and b, without its
// derivatives in variables that move an edge.
func (c *ctx) steady(at diag.Span, y, a, b jet.Jet, f function) (jet.Jet, error) {
	moves, err := c.movingEdges(at, a, b, f)
	if err != nil {
		return c.Unknown(), err
	}
	return c.Add(y, c.termsOf(c.Unknown(), func(tag jet.Tag) jet.Jet {
		if moves[tag] {
			return c.Unknown()
		}
		return c.Zero()
	})), nil
}

// movingEdges finds the variables that move an edge of the domain of f between a and b, where f is
// defined.
func (c *ctx) movingEdges(
	at diag.Span, a, b jet.Jet, f function,
) (moves map[jet.Tag]bool, err error) {
	if c.order() == 0 {
		return nil, nil
	}
	if c.N.Less(b.Val(), a.Val()) {
		a, b = b, a
	}
	d, err := c.domainOf(at, a, b, f)
	if err != nil {
		return nil, err
	}
	s := edgeSearch{domain: d, at: at, moves: map[jet.Tag]bool{}}
	if d == nil {
		for i := range c.degrees {
			s.moves[jet.Tag(i+1)] = true
		}
		return s.moves, nil
	}
	for _, end := range d.ends {
		if err := s.point(d.of, end); err != nil {
			return nil, err
		}
	}
	if d.c.N.Less(d.lo, d.hi) {
		err = s.cell(d.lo, d.hi, mostEdgeCuts)
	}
	if c.watch != nil { // of the search around this one
		c.edgeMoves(at, func(tag jet.Tag) bool { return s.moves[tag] })
	}
	return s.moves, err
}

// edgeSearch is a search for edges that move.
type edgeSearch struct {
	*domain
	at    diag.Span
	moves map[jet.Tag]bool // the variables found
}

// cell searches between two points, at which it has searched already.
func (s *edgeSearch) cell(lo, hi jet.Set, cuts int) error {
	c, n := s.c, s.c.N
	if s.complete() {
		return nil
	}
	tag := c.open(1)
	found, seen, err := s.over(s.f, c.Var(tag, 1, c.Const(n.Span(lo, hi)), c.One()), tag)
	c.close(tag)
	if err != nil {
		return err
	}
	maps.DeleteFunc(found, func(tag jet.Tag, _ bool) bool { return s.moves[tag] })
	if len(found) == 0 {
		return nil
	}
	m := c.aside(lo, hi)
	if cuts == 0 || !n.Less(lo, m) || !n.Less(m, hi) {
		s.learn(found, seen)
		return nil
	}
	if err := s.point(s.f, c.Const(m)); err != nil {
		return err
	}
	if err := s.cell(lo, m, cuts-1); err != nil {
		return err
	}
	return s.cell(m, hi, cuts-1)
}

// complete tells whether all variables have been found.
func (s *edgeSearch) complete() bool {
	for i, ranging := range s.c.ranging {
		if tag := jet.Tag(i + 1); tag >= s.c.Floor && !ranging && !s.moves[tag] {
			return false
		}
	}
	return true
}

// point searches at a point.
func (s *edgeSearch) point(f function, x jet.Jet) error {
	found, seen, err := s.over(f, x, 0)
	s.learn(found, seen)
	return err
}

// learn takes note of variables that move an edge.
func (s *edgeSearch) learn(found map[jet.Tag]bool, seen frame) {
	if len(found) > 0 {
		s.c.report(seen.trouble)
		maps.Copy(s.moves, found)
	}
}

// over evaluates f at x, which varies with the given variable or is fixed. If f may have no value
// there every variable may move an edge.
func (s *edgeSearch) over(
	f function, x jet.Jet, along jet.Tag,
) (moves map[jet.Tag]bool, seen frame, err error) {
	c := s.c
	w := &edgeWatch{along: along, moves: map[jet.Tag]bool{}}
	var y jet.Jet
	_, err = c.watching(w, func() (err error) {
		y, seen, err = c.observeIn(frame{watch: -1, fixed: along == 0}, f, x)
		if err != nil && !fatal(err) {
			y, err = c.Unknown(), nil
		}
		if err == nil && !y.Known() {
			c.edgeMoves(s.at, func(jet.Tag) bool { return true })
		}
		return err
	})
	return w.moves, seen, err
}
