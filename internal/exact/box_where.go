package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// Note [Constraints]. The largest value of f in a box is sought where functions g are not negative.
// The pieces are those of Note [Optima in boxes]. One all over which every g is positive is treated
// like any other, for which f counts as known only where that is so: then ascent and proofs keep to
// such places. On the rest some constraints are tight: they may be 0 or negative.
//
//   - A piece on which some g is negative is dropped, and linear bounds of g and f cut off its
//     sides.
//   - A piece is dropped if the best place that is proved must be better than all of it:
//     Note [Concave weights].
//   - Only a point at which every g is proved not to be negative counts as the best one.
//   - At a local maximum there are u ≥ 0, not all 0, with u₀ f' + Σ uₖ gₖ' = 0, where uₖ = 0 unless
//     gₖ is 0 there, and bounds of the box are constraints like any other (Fritz John). So there is
//     none in a piece if along one direction f and all tight g rise, everywhere in it, and bounds
//     that the piece touches are not left. The direction is sought by numbers and checked by sets:
//     it is the point nearest to 0 in the hull of the slopes at the middle. Its weights are a guess
//     at u.
//   - A place is proved by Note [Held functions]: the g that are active are 0 there, and f has no
//     slope along them. It is the only local maximum in a zone around it if, all over the zone, the
//     other g are positive, the slopes of the active ones are independent, and their multipliers,
//     with those of the bounds that the place is on, have the sign of u and not 0. For then every
//     local maximum in the zone has the same active constraints: it is on their surface, where
//     Newton's operator proves that there is one such place.
//
// The last condition also makes the place a function of what is captured, near it: its derivatives
// are those of the equations. If some constraint is just met without being needed, or active ones
// depend on each other, nothing is proved. The pieces around the place remain then, and enclose it.

// constrained is a search for the places where f is largest under constraints.
type constrained struct {
	*peaksSearch
	all    field     // of coordinates: f, and the constraints
	count  int       // of constraints
	alone  []*peak   // the places that were proved with their zones
	summit *weighted // Note [Concave weights], of the best of them, nil for none
	misses int       // tests by it that failed in a row
	skips  int       // boxes until the next one
	fails  int       // places that could not be proved
	rests  int       // boxes until the next one is tried
}

// boxArgmaxWhere is the place in a box where the first result of a function is largest among those
// where no other result is negative.
func (c *ctx) boxArgmaxWhere(at diag.Span, a, b []jet.Jet, all field) ([][]jet.Jet, error) {
	n := c.N
	// within is f where all constraints are positive.
	within := func(x []jet.Jet) ([]jet.Jet, error) {
		ys, err := all(x)
		if err != nil || len(ys) == 0 {
			return ys, err
		}
		for _, y := range ys[1:] {
			if !y.Known() || n.Sign(y.Val()) <= 0 {
				return []jet.Jet{c.Unknown()}, nil
			}
		}
		return ys[:1], nil
	}
	s, err := c.spaceOf(at, a, b, within, diag.NoOptimum)
	if err != nil || s == nil {
		return nil, err
	}
	w := &constrained{peaksSearch: s.peaks(), count: -1}
	w.all = func(x []jet.Jet) ([]jet.Jet, error) {
		ys, err := all(s.place(x))
		if err == nil && w.count >= 0 && len(ys) != w.count+1 {
			return nil, diag.Errorf(diag.ShapesDiffer, at,
				"the number of constraints differs from place to place: %d and %d",
				w.count, len(ys)-1)
		}
		return ys, err
	}
	ys, seen, err := c.over(w.all, c.consts(c.mid(w.whole())), 0)
	switch {
	case err != nil:
		return nil, err
	case len(ys) == 0:
		c.report(seen.trouble)
		return nil, nil
	}
	w.count = len(ys) - 1
	w.before = w.look
	if err := w.run(); err != nil {
		return nil, err
	}
	if len(w.peaks)+len(w.rest()) == 0 {
		return nil, diag.Errorf(diag.NoOptimum, at, "no point of the box satisfies the constraints")
	}
	if !w.some {
		c.report(w.trouble)
		c.report(trouble{code: diag.NoOptimum, at: at,
			what: "no point that satisfies the constraints was found in the box",
			hints: append(c.hints(w.peaksSearch),
				"a point cannot be proved to satisfy an equation: solve it for a coordinate")})
		return nil, nil
	}
	return w.theOne(w.all, w.why())
}

// run searches until the place is as narrow as c.tol.
func (w *constrained) run() error {
	c := w.c
	c.seeks(w.peaksSearch)
	tol := c.tol
	defer c.restore(c.ignoreOuter())
	defer func() { c.tol = tol }()
	c.tol = tol.MulFloat(0.25)
	c.tells(w.peaksSearch)
	if err := w.climb(c.mid(w.whole())); err != nil {
		return err
	}
	if err := w.raise(tol); err != nil {
		return err
	}
	w.prune()
	return w.settle(tol)
}

// why says why there is not one place.
func (w *constrained) why() string {
	narrow := w.c.boxWidth(w.whole()).MulFloat(0x1p-8)
	if len(w.peaks) <= 1 && w.c.boxWidth(w.hull()).Less(narrow) {
		return "the optimum may be where constraints depend on each other, are not needed, " +
			"or have kinks"
	}
	return severalPlaces
}

// fine tells whether a constraint certainly holds.
func (w *constrained) fine(y jet.Jet) bool {
	n := w.c.N
	return y.Known() && (n.Sign(y.Val()) > 0 || n.Mag(y.Val()).IsZero())
}

// feasible tells whether all constraints certainly hold.
func (w *constrained) feasible(ys []jet.Jet) bool {
	return !slices.ContainsFunc(ys[1:], func(y jet.Jet) bool { return !w.fine(y) })
}

// look is a first look at a piece, and all of it unless no constraint is tight.
func (w *constrained) look(x *piece) (then next, along int, err error) {
	c, n := w.c, w.c.N
	if w.settled(x.x) {
		return drop, -1, nil
	}
	if below, err := w.beneath(x.x); err != nil || below {
		return drop, -1, err
	}
	ys, seen, err := c.over(w.all, c.consts(x.x), w.count+1)
	if err != nil {
		return refine, -1, err
	}
	sets := make([]jet.Set, len(ys))
	for k, y := range ys {
		if sets[k] = n.Whole(); y.Known() {
			sets[k] = y.Val()
		}
	}
	tight, ok := w.tight(sets)
	if !ok {
		return drop, -1, nil
	}
	if len(tight) == 0 {
		return refine, -1, nil
	}
	if x.y = n.Intersect(sets[0], x.y); n.IsEmpty(x.y) || w.lower(x.y) {
		return drop, -1, nil
	}
	if x.known = x.known || ys[0].Known(); !x.known && w.trouble.code == "" {
		w.trouble = seen.trouble
	}
	m := c.mid(x.x)
	at, _, err := c.over(w.all, c.consts(m), w.count+1)
	if err != nil {
		return refine, -1, err
	}
	if err := w.met(m, at); err != nil {
		return refine, -1, err
	}
	s, ok, err := c.slopes(w.all, c.consts(x.x))
	if err != nil {
		return refine, -1, err
	}
	if !ok {
		return halve, -1, nil
	}
	for k := range sets {
		if at[k].Known() && s.rows[k] != nil && allKnown(s.rows[k]) {
			sets[k] = n.Intersect(sets[k], c.meanValue(at[k].Val(), s.rows[k], x.x, m))
		} else {
			s.rows[k] = nil
		}
		if n.IsEmpty(sets[k]) {
			return drop, -1, nil
		}
	}
	if x.y = n.Intersect(sets[0], x.y); n.IsEmpty(x.y) || w.lower(x.y) {
		return drop, -1, nil
	}
	if tight, ok = w.tight(sets); !ok {
		return drop, -1, nil
	}
	narrower, ok := w.shorten(x.x, m, at, s.rows, tight)
	switch {
	case !ok:
		return drop, -1, nil
	case c.smaller(narrower, x.x):
		x.x = narrower
		return keep, -1, nil
	}
	x.x = narrower
	then, err = w.weigh(x, m, s.rows, tight)
	return then, -1, err
}

// lower tells whether all of y is less than the best value.
func (w *constrained) lower(y jet.Set) bool { return w.some && w.c.N.Less(y, w.best) }

// tight is the constraints that may be 0 or negative; ok is false if one certainly is negative.
func (w *constrained) tight(sets []jet.Set) (list []int, ok bool) {
	for k := 1; k < len(sets); k++ {
		switch w.c.N.Sign(sets[k]) {
		case -1:
			return nil, false
		case 0:
			list = append(list, k)
		}
	}
	return list, true
}

// met learns the values at a point, and climbs from one that is better than all others. As long as
// no point satisfies the constraints, one is sought from others now and then.
func (w *constrained) met(m cuboid, at []jet.Jet) error {
	switch {
	case at[0].Known() && w.feasible(at):
		if w.improve(m, at[0].Val()) {
			return w.climb(m)
		}
	case !w.some && w.looked&(w.looked-1) == 0:
		return w.climb(m)
	}
	return nil
}

// shorten cuts off what linear bounds of f and of tight constraints exclude; ok is false if that is
// all of the piece.
func (w *constrained) shorten(
	x, m cuboid, at []jet.Jet, rows [][]jet.Jet, tight []int,
) (shorter cuboid, ok bool) {
	n := w.c.N
	x = slices.Clone(x)
	low := make([]jet.Set, len(rows))
	for _, k := range tight {
		low[k] = n.Float(0)
	}
	if low[0] = n.Whole(); w.some && n.Bounded(w.best) {
		low[0] = n.Lower(w.best)
	}
	for _, k := range append([]int{0}, tight...) {
		if rows[k] == nil || !n.Bounded(low[k]) {
			continue
		}
		terms := make([]jet.Set, len(x))
		for i, r := range rows[k] {
			terms[i] = n.Mul(r.Val(), n.Sub(x[i], m[i]))
		}
		for i, r := range rows[k] {
			rest := n.Sub(at[k].Val(), low[k]) // what the term of x[i] must not outweigh
			for j, term := range terms {
				if j != i {
					rest = n.Add(rest, term)
				}
			}
			if n.Sign(r.Val()) == 0 || !n.Bounded(rest) || !n.Bounded(terms[i]) {
				continue
			}
			least, most := n.Neg(n.Upper(rest)), n.Upper(terms[i])
			if n.Less(most, least) {
				return x, false
			}
			term := n.Span(least, n.Hull(least, most))
			x[i] = n.Intersect(x[i], n.Add(m[i], n.Quo(term, r.Val())))
			if n.IsEmpty(x[i]) {
				return x, false
			}
			terms[i] = n.Mul(r.Val(), n.Sub(x[i], m[i]))
		}
	}
	return x, true
}

// weigh drops a piece if f and all tight constraints rise along one direction. Otherwise it tries
// to prove the place that the weights hint at, and cuts the piece.
func (w *constrained) weigh(x *piece, m cuboid, rows [][]jet.Jet, tight []int) (next, error) {
	smear := w.smear(x.x, rows, tight)
	for _, k := range append([]int{0}, tight...) {
		if rows[k] == nil {
			w.cut(*x, smear)
			return drop, nil
		}
	}
	d, u := w.direction(x.x, rows, tight, true)
	if w.rises(x.x, d, rows, tight) {
		return drop, nil
	}
	if x.cuts%len(x.x) == 0 {
		if w.rests--; w.rests < 0 {
			states, active := u.guess()
			proved, err := w.prove(m, states, active)
			if err != nil {
				return refine, err
			}
			if w.fails++; proved {
				w.fails = 0
			}
			w.rests = 1<<min(w.fails, 5) - 1
			if proved && w.settled(x.x) {
				return drop, nil
			}
		}
	}
	w.cut(*x, smear)
	return drop, nil
}

// smear is by how much the slopes of f and of tight constraints change them over the piece, each as
// a part of its size: along which coordinate the piece is to be cut.
func (w *constrained) smear(x cuboid, rows [][]jet.Jet, tight []int) []jet.Jet {
	n := w.c.N
	most := make([]float64, len(x))
	for _, k := range append([]int{0}, tight...) {
		size := 0.0
		for i, r := range rows[k] {
			size = max(size, n.Mag(r.Val()).Mul(n.Width(x[i])).Float())
		}
		for i, r := range rows[k] {
			if part := n.Mag(r.Val()).Float() / size; part > most[i] && !math.IsInf(part, 0) {
				most[i] = part
			}
		}
	}
	row := make([]jet.Jet, len(x))
	for i := range x {
		row[i] = w.c.Const(n.Float(most[i]))
	}
	return row
}

// settled tells whether a piece is in the zone of a place that was proved.
func (w *constrained) settled(x cuboid) bool {
	return slices.ContainsFunc(w.alone, func(k *peak) bool { return w.c.withinBox(x, k.all) })
}

// rises tells whether f and all tight constraints certainly rise along d, all over x, on which no
// bound that x touches is left.
func (w *constrained) rises(x cuboid, d []float64, rows [][]jet.Jet, tight []int) bool {
	n := w.c.N
	for i := range x {
		if low, high := w.touches(x, i); low && d[i] < 0 || high && d[i] > 0 {
			return false
		}
	}
	for _, k := range append([]int{0}, tight...) {
		sum := n.Float(0)
		for i, r := range rows[k] {
			if d[i] != 0 {
				sum = n.Add(sum, n.Mul(n.Float(d[i]), r.Val()))
			}
		}
		if n.Sign(sum) <= 0 {
			return false
		}
	}
	return true
}

// weights are those of the point of a hull of slopes that is nearest to 0.
type weights struct {
	of          float64 // f
	constraints map[int]float64
	states      []coordinate // the bounds with weights
}

// guess is the bounds and the constraints that have weights.
func (u weights) guess() (states []coordinate, active []int) {
	for k, weight := range u.constraints {
		if weight > weightless {
			active = append(active, k)
		}
	}
	slices.Sort(active)
	return u.states, active
}

const weightless = 1e-7

// direction is the point nearest to 0 in the hull of the slopes of f, unless this is to be left
// out, of some constraints, and of the distances from bounds that x touches. Coordinates are
// measured by the range.
func (w *constrained) direction(
	x cuboid, rows [][]jet.Jet, tight []int, aim bool,
) (d []float64, u weights) {
	n := w.c.N
	extent := make([]float64, len(x))
	u = weights{constraints: map[int]float64{}, states: slices.Repeat([]coordinate{inner}, len(x))}
	var hull [][]float64
	var put []func(weight float64) // where the weight of a point goes
	bound := func(i int, sign float64, state coordinate) {
		v := make([]float64, len(x))
		v[i] = sign
		hull = append(hull, v)
		put = append(put, func(weight float64) {
			if weight > weightless {
				u.states[i] = state
			}
		})
	}
	for i := range x {
		low, high := w.touches(x, i)
		if low && high {
			continue // it can go neither way
		}
		extent[i] = n.Float64(n.Sub(w.hi[i], w.lo[i]))
		if low {
			bound(i, 1, atLow)
		} else if high {
			bound(i, -1, atHigh)
		}
	}
	slope := func(k int, to func(weight float64)) {
		v := make([]float64, len(x))
		size := 0.0
		for i, r := range rows[k] {
			v[i] = n.Float64(r.Val()) * extent[i]
			size = math.Hypot(size, v[i])
		}
		if size == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
			size = 1
			clear(v)
		}
		for i := range v {
			v[i] /= size
		}
		hull, put = append(hull, v), append(put, to)
	}
	if aim {
		slope(0, func(weight float64) { u.of = weight })
	}
	for _, k := range tight {
		slope(k, func(weight float64) { u.constraints[k] = weight })
	}
	d, by := nearest(hull, len(x))
	for k, weight := range by {
		put[k](weight)
	}
	for i := range d {
		d[i] *= extent[i]
	}
	return d, u
}

// nearest is the point of the hull of some points that is nearest to 0, and its weights: weight
// moves from the point that is farthest along it to the one that is least far.
func nearest(hull [][]float64, size int) (d, by []float64) {
	d, by = make([]float64, size), make([]float64, len(hull))
	if len(hull) == 0 {
		return d, by
	}
	copy(d, hull[0])
	by[0] = 1
	product := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	const most, fine = 300, 1e-14
	for range most {
		from, to := -1, -1
		far, near := math.Inf(-1), math.Inf(1)
		for k, v := range hull {
			y := product(v, d)
			if by[k] > 0 && y > far {
				from, far = k, y
			}
			if y < near {
				to, near = k, y
			}
		}
		if from < 0 || to < 0 || far-near < fine || near > 0.9*product(d, d) {
			break
		}
		step := make([]float64, size)
		for i := range step {
			step[i] = hull[to][i] - hull[from][i]
		}
		part := min(by[from], (far-near)/product(step, step))
		if part == by[from] {
			by[from] = 0
		} else {
			by[from] -= part
		}
		by[to] += part
		for i := range d {
			d[i] += part * step[i]
		}
	}
	return d, by
}

// ---- ascent

// climb looks for a better point from m, and proves the place where it ends. From a point that does
// not satisfy the constraints it looks for one that does.
func (w *constrained) climb(m cuboid) error {
	c, n := w.c, w.c.N
	here, rows, err := w.valuesAt(m)
	if err != nil {
		return err
	}
	length := 0x1p-2
	tries := 0
	for range climbSteps {
		if rows == nil {
			return nil
		}
		good := w.violation(here) == 0
		var near []int
		for k := 1; k <= w.count; k++ {
			reach := 0.0
			for i, r := range rows[k] {
				reach = math.Hypot(reach, n.Float64(r.Val())*n.Float64(n.Sub(w.hi[i], w.lo[i])))
			}
			if here[k] <= length*reach {
				near = append(near, k)
			}
		}
		d, u := w.direction(m, rows, near, good)
		if states, active := u.guess(); good && u.of > weightless && tries < mostTries {
			tries++
			if proved, err := w.prove(m, states, active); err != nil || proved {
				return err
			}
		}
		better := false
		for ; length > climbFinest && !better; length /= 4 {
			to := slices.Clone(m)
			size := 0.0
			for i := range d {
				if extent := n.Float64(n.Sub(w.hi[i], w.lo[i])); extent > 0 {
					size = math.Hypot(size, d[i]/extent)
				}
			}
			for i := range d {
				if step := length * d[i] / size; step == step && !math.IsInf(step, 0) {
					to[i] = w.clip(n.Mid(n.Add(m[i], n.Float(step))), i)
				}
			}
			there, next, err := w.valuesAt(to)
			if err != nil {
				return err
			}
			if good {
				better = w.violation(there) == 0 && there[0] > here[0]
			} else {
				better = w.violation(there) < w.violation(here)
			}
			if better {
				m, here, rows = to, there, next
			}
		}
		if !better {
			return nil
		}
		length = min(16*length, 0x1p-2)
	}
	return c.cancel(w.at)
}

// mostTries is how many places an ascent tries to prove.
const mostTries = 10

// valuesAt is f and the constraints at a point, near their middles, with their slopes, which are
// nil if some are not known. The point may be the best.
func (w *constrained) valuesAt(m cuboid) (ys []float64, rows [][]jet.Jet, err error) {
	c := w.c
	ys = slices.Repeat([]float64{math.NaN()}, w.count+1)
	s, ok, err := c.slopes(w.all, c.consts(m))
	if err != nil || !ok {
		return ys, nil, err
	}
	for k, y := range s.ys {
		if !y.Known() || s.rows[k] == nil || !allKnown(s.rows[k]) {
			return ys, nil, nil
		}
		ys[k] = c.N.Float64(y.Val())
	}
	if w.feasible(s.ys) {
		w.improve(m, s.ys[0].Val())
	} else if w.violation(ys) == 0 {
		ys[0] = math.Inf(-1) // it is not certain that all constraints hold
	}
	return ys, s.rows, nil
}

// violation is how much constraints are violated; NaN if that is not known.
func (w *constrained) violation(ys []float64) (most float64) {
	for _, y := range ys[1:] {
		most = max(most, -y)
	}
	return most
}

// ---- proofs

// prove tries to prove the place near m where some coordinates are at bounds and some constraints
// are active. It tells whether a zone around it is known.
func (w *constrained) prove(m cuboid, states []coordinate, active []int) (bool, error) {
	c, n := w.c, w.c.N
	m = slices.Clone(m)
	for i, state := range states {
		switch state {
		case atLow:
			m[i] = w.lo[i]
		case atHigh:
			m[i] = w.hi[i]
		}
	}
	some := free(states)
	if len(active) > len(some) {
		return false, nil
	}
	h := &held{space: w.space, free: some, zero: w.picked(active)}
	h.slopes = func(x []jet.Jet) (g []jet.Jet, zero sample, ok bool, err error) {
		s, ok, err := c.slopes(w.all, x)
		if err != nil || !ok || s.rows[0] == nil {
			return nil, zero, false, err
		}
		for _, k := range active {
			zero.ys, zero.rows = append(zero.ys, s.ys[k]), append(zero.rows, s.rows[k])
		}
		return s.rows[0], zero, true, nil
	}
	_, zero, ok, err := h.slopes(c.consts(m))
	unknown := func(row []jet.Jet) bool { return row == nil || !allKnown(row) }
	if err != nil || !ok || slices.ContainsFunc(zero.rows, unknown) {
		return false, err
	}
	h.choose(zero.rows)
	var e *equations
	switch {
	case len(active) > 0:
		e = h.equations()
	case len(some) > 0:
		e = w.stationary(some)
	}
	if e != nil {
		near, err := e.approach(m)
		if err != nil || near == nil {
			return false, err
		}
		m = near
	}
	if w.settled(m) {
		return true, nil
	}
	if at, _, err := c.over(w.all, c.consts(m), w.count+1); err != nil || !at[0].Known() {
		return false, err
	} else if y := n.Float64(at[0].Val()); w.some && y < n.Float64(w.best)-0x1p-20*math.Abs(y) {
		return false, nil // nothing is largest there
	}
	k, err := w.zoned(h, e, m, states, active)
	if err != nil || k == nil {
		return false, err
	}
	if e != nil {
		if k.x, err = e.narrow(k.x); err != nil {
			return false, err
		}
	}
	better, err := w.found(&peak{zone: *k, states: states, e: e, firm: true})
	if err != nil || !better {
		return true, err
	}
	s, ok, err := c.slopes(w.all, c.consts(k.x))
	if err != nil || !ok {
		return true, err
	}
	if list, ok := w.multipliers(h, s.rows, active); ok {
		w.summit, err = w.weighted(w.alone[len(w.alone)-1], active, list)
	}
	return true, err
}

// zoned looks for a zone around a place: a large one first, and then, since that of a place which
// captured sets move may be long and thin, one that grows from a small one. It is nil if none is
// found.
func (w *constrained) zoned(
	h *held, e *equations, m cuboid, states []coordinate, active []int,
) (best *zone, err error) {
	n := w.c.N
	// try says whether a box is a zone, and where the place is not yet known to be in it.
	try := func(all cuboid) (z *zone, k contraction, err error) {
		ok, err := w.lonely(h, all, states, active)
		if err != nil || !ok {
			return nil, contraction{empty: true}, err
		}
		face := slices.Clone(m)
		for _, i := range free(states) {
			face[i] = all[i]
		}
		if e == nil {
			return &zone{all, face}, k, nil
		}
		if k, err = e.contract(face); err != nil || !k.proved || k.empty {
			return nil, k, err
		}
		return &zone{all, k.x}, k, nil
	}
	extent := make([]jet.Mag, len(m))
	for i := range m {
		extent[i] = n.Mag(n.Sub(w.hi[i], w.lo[i]))
	}
	all := slices.Clone(m)
	for _, size := range []int64{1, 2, 3, 4, 5, 7, 9, 12, 16, 20} {
		for i := range m {
			all[i] = w.near(m[i], extent[i].Mul(jet.Exp2(-size)), i)
		}
		if z, _, err := try(slices.Clone(all)); err != nil || z != nil {
			return z, err
		}
	}
	for i := range m {
		all[i] = w.near(m[i], extent[i].Mul(jet.Exp2(10-int64(n.Bits()))), i)
	}
	for range inflations {
		z, k, err := try(slices.Clone(all))
		if err != nil || k.empty || z == nil && best != nil {
			return best, err
		}
		if z != nil {
			best = z
		}
		for i := range m {
			radius := n.Width(all[i])
			if k.krawczyk != nil && states[i] == inner {
				radius = radius.Max(n.Mag(n.Sub(k.krawczyk[i], m[i])))
			}
			all[i] = w.near(m[i], radius.MulFloat(2), i)
		}
	}
	return best, nil
}

// near is the points of the range of a coordinate that are near to one of them.
func (w *constrained) near(m jet.Set, radius jet.Mag, i int) jet.Set {
	n := w.c.N
	wide := n.Widen(m, radius)
	if !n.Bounded(wide) {
		return n.Span(w.lo[i], w.hi[i])
	}
	return n.Span(w.clip(n.Lower(wide), i), w.clip(n.Upper(wide), i))
}

// picked is some of the constraints.
func (w *constrained) picked(active []int) field {
	return func(x []jet.Jet) ([]jet.Jet, error) {
		all, err := w.all(x)
		if err != nil {
			return nil, err
		}
		var some []jet.Jet
		for _, k := range active {
			some = append(some, all[k])
		}
		return some, nil
	}
}

// lonely tells whether every local maximum in x has the same bounds and active constraints.
func (w *constrained) lonely(
	h *held, x cuboid, states []coordinate, active []int,
) (bool, error) {
	c, n := w.c, w.c.N
	for i, state := range states {
		low, high := w.touches(x, i)
		if low && state != atLow || high && state != atHigh {
			return false, nil
		}
	}
	s, ok, err := c.slopes(w.all, c.consts(x))
	if err != nil || !ok {
		return false, err
	}
	m := c.mid(x)
	at, _, err := c.over(w.all, c.consts(m), w.count+1)
	if err != nil {
		return false, err
	}
	for k := range at {
		if !at[k].Known() || !s.ys[k].Known() || s.rows[k] == nil || !allKnown(s.rows[k]) {
			return false, nil
		}
		y := n.Intersect(s.ys[k].Val(), c.meanValue(at[k].Val(), s.rows[k], x, m))
		if k > 0 && !slices.Contains(active, k) && n.Sign(y) <= 0 {
			return false, nil
		}
	}
	multipliers, ok := w.multipliers(h, s.rows, active)
	if !ok {
		return false, nil
	}
	for _, u := range multipliers {
		if n.Sign(u) <= 0 {
			return false, nil
		}
	}
	for i, state := range states {
		if state == inner {
			continue
		}
		slope := s.rows[0][i].Val()
		for j, k := range active {
			slope = n.Add(slope, n.Mul(multipliers[j], s.rows[k][i].Val()))
		}
		if sign := n.Sign(slope); state == atLow && sign >= 0 || state == atHigh && sign <= 0 {
			return false, nil
		}
	}
	return true, nil
}

// multipliers are those of the active constraints where f and they have certain slopes; ok is false
// if they are not known.
func (w *constrained) multipliers(
	h *held, rows [][]jet.Jet, active []int,
) (list []jet.Set, ok bool) {
	n := w.c.N
	if len(active) == 0 {
		return nil, true
	}
	a, b := make([][]jet.Set, len(active)), make([]jet.Set, len(active))
	for l, i := range h.basic {
		for _, k := range active {
			a[l] = append(a[l], rows[k][i].Val())
		}
		b[l] = n.Neg(rows[0][i].Val())
	}
	system, ok := jet.NewSystem(n, a)
	if !ok {
		return nil, false
	}
	return system.Solve(b), true
}

// found takes a place that is proved into the list, and tells whether it is the best.
func (w *constrained) found(k *peak) (better bool, err error) {
	c, n := w.c, w.c.N
	w.alone = append(w.alone, k)
	s, ok, err := c.slopes(w.all, c.consts(k.x))
	if err != nil {
		return false, err
	}
	m := c.mid(k.x)
	at, _, err := c.over(w.all, c.consts(m), w.count+1)
	if err != nil {
		return false, err
	}
	k.y = n.Whole()
	if ok && s.ys[0].Known() && at[0].Known() {
		k.y = s.ys[0].Val()
		if s.rows[0] != nil && allKnown(s.rows[0]) {
			k.y = n.Intersect(k.y, c.meanValue(at[0].Val(), s.rows[0], k.x, m))
		}
	}
	better = w.improve(k.x, k.y)
	same := func(other *peak) bool {
		return slices.Equal(other.states, k.states) &&
			(c.withinBox(other.x, k.all) || c.withinBox(k.x, other.all))
	}
	if w.peaks = slices.DeleteFunc(w.peaks, same); !w.lower(k.y) {
		w.peaks = append(w.peaks, k)
	}
	return better, nil
}
