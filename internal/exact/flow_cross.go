package exact

import (
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Crossings of solutions]
//
// Problem: f may have a kink or a jump where a difference g of it is 0, and a solution goes
// through that place. An example is
//
//	flow steps (fun t y => if y < c then 2 else 1) 0 1 0
//
// Picard's operator and Taylor's formula of Note [Flows] need an f that is smooth around the
// solution. The value at the end depends smoothly on c all the same.
//
// Idea: go with the smooth function to which f extends from this side, to the time T at which g is
// 0 along this extended solution; from there go with the function of the other side. T and the
// state at T are jets, and the second part is a solution between times that move, which Note
// [Flows] covers:
//
//	              g > 0  :  g < 0
//	   ───────●──────────●──────────●───     y(b) = Φ₂(T, b, Φ₁(a, T, y))
//	          a          T          b        g(T, Φ₁(a, T, y)) = 0
//	           f = f₁    :  f = f₂
//
// A site of a frame (Note [Frames]) is forced to one side: then f is f₁ on both sides of g = 0.
//
// Proof. Let σ be the sign of g at the start of a step, where it is decided, and let φ be the
// extended solution, whose field is f with the site forced to σ. Suppose that over the step φ is
// enclosed, that the derivative of g along φ has the sign -σ at all times of the step, and that g
// has the sign -σ at its end. Then g has one zero T along φ. Up to T the field of φ is f, so that φ
// is the solution. From T on let ψ be the solution of the field with the site forced to -σ. Suppose
// that the derivative of g along ψ has the sign -σ over a step: then g has the sign -σ
// after T, and ψ is a solution of the equation. There is no other one: any solution is
// absolutely continuous, goes through the same state at T, and g falls there along both
// fields, and so along each solution. All of these are strict inequalities over closed sets, so
// that they hold for the neighbours of what is captured too: T is an implicit function of that, by
// Note [Lifting], and the state at b is a composition of smooth functions. Its derivatives
// are those of the composition. In the first derivative the jump of f times the speed of T appears
// by itself.
//
// A site is forced as long as its difference may be 0 (holds, release). Its number means the same
// throughout, because the states of adjacent steps overlap, and on the overlap the sites before it are
// decided alike. The sites after it may be others on the other side, so that they are forced no
// longer.
//
// Where g has the same strict sign of its derivative for both fields, T exists. Otherwise a
// solution may slide along g = 0, or touch it, or there may be several, and the result is unknown.
//
// Ends. The difference may be 0 at the start or at the end of the solution, or so near that it
// is not decided whether T is before or after it. Then both ways to go on are gone (fork): with T
// and without it. Both are smooth as long as T is near the end, on either side of it, and each true
// value is that of one of them; at T = b they agree, for Φ₂(T, T, ·) is the identity. If nothing
// moves g at the end, the same holds for all neighbours, and the result with its derivatives is in
// the hull of both. Otherwise the value as a function of what moves is continuous and
// consists of two smooth pieces: its Clarke derivative is in the hull of those of
// the pieces, and the higher ones are unknown (Note [Clarke]). If g is exactly 0 there, and nothing
// moves it, there is one way.

// Note [Landings]
//
// The time T of a crossing is a set. If the next leg begins at T, the time of the next crossing is T
// plus a time that depends on T in turn, and twice as wide as T even if it depends on nothing: after
// fifty crossings nothing is known. So a short leg leads from T to a point, with the states there
// as wide as they are. What is captured moves them and no longer the time.
//
// The next crossing is often about as far away as the last one was: the first step is a bit longer.

const notPassed = "a solution is followed where its equation is smooth, and through places where " +
	"this decision changes if it passes them at once; here it may slide, touch or begin to part"

// way is how a solution may go on: along another leg from the states y, unless it has ended.
type way struct {
	leg   leg
	y     []jet.Jet
	ended bool
}

// fork is the ways of which a solution goes one: which one depends on the sign of a difference.
type fork struct {
	ways []way
	diff jet.Jet
}

// either is the states at the end, by one of two ways.
func (q *flow) either(f fork) ([]jet.Jet, error) {
	m := q.m
	var ends [2][]jet.Jet
	for i, w := range f.ways {
		ends[i] = w.y
		if !w.ended {
			var err error
			q.leg = w.leg
			if ends[i], err = q.run(w.y); err != nil || ends[i] == nil {
				return nil, err
			}
		}
	}
	for i, x := range ends[0] {
		y := ends[1][i]
		if m.Moves(f.diff) {
			ends[0][i] = m.Max(x, y).WithVal(m.N.Hull(x.Val(), y.Val()))
		} else {
			ends[0][i] = m.Hull(x, y)
		}
	}
	return ends[0], nil
}

// locates tells whether what is not decided is a decision whose change is looked for.
func (q *flow) locates() bool { return q.met.met && !q.extends }

// with is what is forced where a site is as well. Later sites are not.
func (l leg) with(site, side int) []forced {
	var all []forced
	for _, f := range l.forced {
		if f.site < site {
			all = append(all, f)
		}
	}
	return append(all, forced{site, side})
}

// guard is the difference at a site, for a time and states. It is unknown if f does not come to it.
// All of them vary along solutions (Note [Equal constants]).
func (q *flow) guard(of []forced, site int, s jet.Jet, y []jet.Jet) (jet.Jet, error) {
	m, inner := q.m, *q
	inner.forced, inner.watch = of, site
	tag := m.open(1)
	defer m.close(tag)
	s, y = q.moving(tag, s, y, nil)
	_, seen, _, err := inner.rates(s, y)
	if err != nil || !seen.watched.met {
		return m.Unknown(), err
	}
	return m.Coeff(seen.watched.diff, tag, 0), nil
}

// speed is the sign of the derivative of a difference along the solutions in a set of states over
// the times s, or 0.
func (q *flow) speed(of []forced, site int, s jet.Set, y []jet.Jet) (int, error) {
	m := q.m
	defer m.restore(m.ignoreOuter())
	rates, err := q.allRates(of, m.Const(s), y, 0)
	if err != nil || rates == nil {
		return 0, err
	}
	tag := m.open(1)
	defer m.close(tag)
	when, moved := q.moving(tag, m.Const(s), y, rates)
	d, err := q.guard(of, site, when, moved)
	if d = m.Coeff(d, tag, 1); err != nil || !d.Known() {
		return 0, err
	}
	return m.N.Sign(d.Val()), nil
}

// allRates is the hull of F for all outcomes of what is not decided; nil if there are too many of
// them.
func (q *flow) allRates(
	of []forced, s jet.Jet, y []jet.Jet, depth int,
) ([]jet.Jet, error) {
	inner := *q
	inner.forced, inner.met = of, decision{}
	rates, ok, err := inner.field(s, y)
	if ok || err != nil || !inner.met.met || depth == mostUndecided {
		return rates, err
	}
	var all []jet.Jet
	for _, side := range []int{1, -1} {
		some, err := q.allRates(append(slices.Clone(of), forced{inner.met.site, side}), s, y, depth+1)
		if err != nil || some == nil {
			return nil, err
		}
		if all == nil {
			all = some
		}
		for i := range all {
			all[i] = q.m.Hull(all[i], some[i])
		}
	}
	return all, nil
}

const mostUndecided = 4

// holds tells whether all that is forced is so during a step after a place where it changed.
func (q *flow) holds(s jet.Set, during []jet.Jet) (bool, error) {
	if q.extends {
		return true, nil
	}
	for _, f := range q.forced {
		if sign, err := q.speed(q.forced, f.site, s, during); err != nil || sign != f.side {
			return false, err
		}
	}
	return true, nil
}

// release forces no more what is decided in a set of states.
func (q *flow) release(at float64, y []jet.Jet) error {
	if q.extends || len(q.forced) == 0 {
		return nil
	}
	defer q.m.restore(q.m.ignoreOuter())
	for i := len(q.forced) - 1; i >= 0; i-- {
		f := q.forced[i]
		d, err := q.guard(q.forced, f.site, q.place(at), y)
		if err != nil {
			return err
		}
		if d.Known() && q.m.N.Sign(d.Val()) == f.side {
			q.forced = slices.Delete(slices.Clone(q.forced), i, i+1)
		}
	}
	return nil
}

// course is a solution that is extended beyond a place where a decision changes, as a function of
// the time since its start, in parts of a distance.
type course struct {
	q        *flow
	from, by jet.Jet
	h        float64 // the distance as a part of the leg
	y        []jet.Jet
	forced   []forced
	site     int
}

// course begins at a part of a leg, and goes over another part of it.
func (q *flow) course(y []jet.Jet, at, h float64, of []forced, site int) course {
	m := q.m
	return course{q, m.Add(q.a, m.Mul(q.w, q.place(at))), m.Mul(q.w, q.place(h)), h, y, of, site}
}

// leg is that up to u.
func (c course) leg(u jet.Jet) leg {
	w := c.q.m.Mul(c.by, u)
	return leg{a: c.from, b: c.q.m.Add(c.from, w), w: w, forced: c.forced, extends: true, brief: true}
}

// states is the states at u; nil if they are not enclosed.
func (c course) states(u jet.Jet) ([]jet.Jet, error) {
	inner := *c.q
	inner.leg = c.leg(u)
	y, err := inner.run(c.y)
	c.q.partial = inner.partial
	return y, err
}

// guard is the difference at u.
func (c course) guard(u jet.Jet) (jet.Jet, error) {
	y, err := c.states(u)
	if err != nil || y == nil {
		return c.q.m.Unknown(), err
	}
	inner := *c.q
	inner.leg = c.leg(u)
	return inner.guard(c.forced, c.site, c.q.m.One(), y)
}

// zero is where the difference, which has the sign side at lo, is 0 between lo and hi. It is known
// if the difference has the other sign at hi, and its derivative has a sign between them.
func (c course) zero(lo, hi float64, side int) (u jet.Jet, ok bool, err error) {
	e := equation{c.q.m.ctx, c.guard, 0}
	cell, ok, err := c.locate(e, lo, hi, side)
	if !ok || err != nil {
		return u, false, err
	}
	u, err = e.lift(cell)
	return u, err == nil, err
}

// locate encloses a zero, without regard to what is captured.
func (c course) locate(e equation, lo, hi float64, side int) (cell jet.Set, ok bool, err error) {
	m := c.q.m
	defer m.restore(m.ignoreOuter())
	for i, end := range []float64{lo, hi} {
		d, err := c.guard(m.Float(end))
		if err != nil || !d.Known() || m.N.Sign(d.Val()) != side*(1-2*i) {
			return cell, false, err
		}
	}
	cell = m.N.Span(m.N.Float(lo), m.N.Float(hi))
	slope, err := e.slope(m.Const(cell))
	if err != nil || !slope.Known() || m.N.Sign(slope.Val()) != -side {
		return cell, false, err
	}
	cell, err = e.newton(cell, slope.Val())
	return cell, err == nil, err
}

// beyond is the way on from u, where the difference changes away from side.
func (c course) beyond(u jet.Jet, side int) (f fork, err error) {
	m := c.q.m
	y, err := c.states(u)
	if err != nil || y == nil {
		return f, err
	}
	t := m.Add(c.from, m.Mul(c.by, u))
	next := leg{a: t, b: c.q.b, w: m.Sub(c.q.b, t), forced: c.q.with(c.site, -side)}
	return fork{ways: []way{{y: y, leg: next}}}, nil
}

// land goes on from a time that is not a point to a point a little later: Note [Landings]. from is the
// time at which the leg before began. It does nothing if there is no way.
func (q *flow) land(y []jet.Jet, from jet.Jet) ([]jet.Jet, error) {
	m, whole := q.m, q.leg
	length, last := m.N.Float64(q.w.Val()), m.N.Float64(m.Sub(q.a, from).Val())
	if q.extends || q.brief || length == 0 || last/length > 1 || last/length < smallestStep {
		return y, nil
	}
	first := crossAhead * last / length
	q.first = first
	point := m.N.Mid(m.Add(q.a, m.Float(last*landing)).Val())
	next := leg{a: q.a, b: m.Const(point), w: m.Sub(m.Const(point), q.a), forced: q.forced, brief: true}
	rest := m.Sub(q.b, m.Const(point))
	if side := m.N.Sign(next.w.Val()); side == 0 || side != m.N.Sign(rest.Val()) {
		return y, nil
	}
	q.leg = next
	f, err := q.travel(y)
	if err != nil || len(f.ways) != 1 || !f.ways[0].ended {
		q.stopped, q.leg = trouble{}, whole
		q.first = first
		return y, err
	}
	q.leg = leg{a: next.b, b: whole.b, w: rest, forced: q.forced}
	q.first = first
	return f.ways[0].y, nil
}

// landing is the length of the leg to a point, as a part of the leg before.
const landing = 1.0 / 64

// crossAhead is the length of the first step after a crossing, as a part of the leg before.
const crossAhead = 1.25

// crossing is how the solution goes on from a step of size h during which a decision is not
// decided, though it is at the start. There are no ways if it is not known to change once.
func (q *flow) crossing(y []jet.Jet, at, h float64, site int) (f fork, err error) {
	m := q.m
	side, err := q.side(q.forced, site, q.place(at), y)
	if err != nil || side == 0 {
		return f, err
	}
	c := q.course(y, at, h, q.with(site, side), site)
	end, err := c.guard(m.One())
	if err != nil || !end.Known() {
		return f, err
	}
	switch m.N.Sign(end.Val()) {
	case 0:
		if at+h == 1 {
			return c.last(end, side)
		}
	case -side:
		u, ok, err := c.zero(0, 1, side)
		if err != nil {
			return f, err
		}
		if ok {
			return c.beyond(u, side)
		}
	}
	return f, nil
}

// side is the sign of a difference, or 0.
func (q *flow) side(of []forced, site int, s jet.Jet, y []jet.Jet) (int, error) {
	d, err := q.guard(of, site, s, y)
	if err != nil || !d.Known() {
		return 0, err
	}
	return q.m.N.Sign(d.Val()), nil
}

// last is the ways of a solution at whose end the difference d may be 0.
func (c course) last(d jet.Jet, side int) (f fork, err error) {
	q, m := c.q, c.q.m
	y, err := c.states(m.One())
	if err != nil || y == nil {
		return f, err
	}
	ended := []way{{y: y, ended: true}}
	if m.stays(d) {
		slope, err := c.slope(0, 1)
		if slope == -side {
			f.ways = ended
		}
		return f, err
	}
	u, ok, err := c.zero(0, 1.5, side)
	if !ok || err != nil {
		return f, err
	}
	f, err = c.beyond(u, side)
	if err != nil || len(f.ways) == 0 {
		return f, err
	}
	// The rest may go backwards. It is short.
	rest := *q
	rest.leg = f.ways[0].leg
	rest.extends, rest.brief = true, true
	across, err := rest.run(f.ways[0].y)
	if err != nil || across == nil {
		return fork{}, err
	}
	during := make([]jet.Jet, len(y))
	for i := range y {
		during[i] = m.Hull(f.ways[0].y[i], across[i])
	}
	// of the leg that this is a step of: u is near 1, and the distances are h times as long
	when := m.N.Span(m.N.Float(1), m.Add(m.One(), m.Scale(m.Sub(u, m.One()), m.N.Float(c.h))).Val())
	sign, err := q.speed(rest.forced, c.site, when, during)
	if err != nil || sign != -side {
		return fork{}, err
	}
	return fork{ways: append(ended, way{y: across, ended: true}), diff: d}, nil
}

// slope is the sign of the derivative of the difference from lo to hi, or 0.
func (c course) slope(lo, hi float64) (int, error) {
	m := c.q.m
	defer m.restore(m.ignoreOuter())
	slope, err := equation{m.ctx, c.guard, 0}.slope(m.Const(m.N.Span(m.N.Float(lo), m.N.Float(hi))))
	if err != nil || !slope.Known() {
		return 0, err
	}
	return m.N.Sign(slope.Val()), nil
}

// stays tells whether a difference is 0, for all neighbours of what is captured.
func (c *ctx) stays(d jet.Jet) bool {
	return c.isNull(d) || !c.Moves(d) && c.same(d, c.Zero())
}

// begin is the ways of a solution from a place at which a decision is not decided.
func (q *flow) begin(y []jet.Jet, at float64, site int) (f fork, err error) {
	m := q.m
	if f.diff, err = q.guard(q.forced, site, q.place(at), y); err != nil || !f.diff.Known() {
		return f, err
	}
	after := 0
	for _, side := range []int{1, -1} {
		sign, err := q.speed(q.with(site, side), site, m.N.Float(at), y)
		if err != nil || sign == 0 || sign == -after {
			return f, err
		}
		after = sign
	}
	c := q.course(y, at, 1, q.with(site, -after), site)
	rest := leg{a: c.from, b: q.b, w: m.Sub(q.b, c.from), forced: q.with(site, after)}
	here := fork{ways: []way{{y: y, leg: rest}}}
	if m.stays(f.diff) {
		return here, nil
	}
	for h := (1 - at) / 4; h >= smallestStep; h /= 8 {
		c := q.course(y, at, h, q.with(site, -after), site)
		u, ok, err := c.zero(-1, 1, -after)
		if err != nil {
			return f, err
		}
		if ok {
			later, err := c.beyond(u, -after)
			if len(later.ways) > 0 {
				f.ways = append(here.ways, later.ways...)
			}
			return f, err
		}
	}
	return f, nil
}
