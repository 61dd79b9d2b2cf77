package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Note [Flows]
//
// `flow steps f a b y` is the state at the time b of the solution of y' = f t y that is y at the
// time a. The first argument approximates it on doubles; here the solution itself is enclosed. With
// t = a + s (b - a) the equation becomes y' = F s y = (b - a) f t y for s from 0 to 1, so that a
// and b may move like everything else.
//
// A step from s to s + h (Moore, Lohner) starts from a set [y] of states and has three parts:
//
//   - a set Y of all states in the step. If [y] + [0, h] F([s, s+h], Y) is a part of Y, then the
//     solutions that start in [y] exist up to s + h and stay in Y (Picard and Lindelöf);
//   - Taylor's formula. The coefficients y_k of a solution follow from y_(k+1) = F_k / (k + 1), where F_k
//     is a coefficient of F along the series so far: f is evaluated on jets in a new variable.
//     The solution is φ(y) = Σ_(k<N) y_k h^k up to a remainder in y_N(Y) h^N;
//   - the mean value theorem, against the wrapping effect. The set [y] is kept as p + A r, where p are
//     points, A is a matrix of points, and r is a box around 0. Then φ([y]) is in φ(p) + J A r, where J is
//     the derivative of φ over [y], and the next A is the orthogonal factor of the middle of J A.
//     J follows from J' = (∂F/∂y) J as the coefficients of y do.
//
// All of it holds for jets as it does for numbers. The coefficients of a solution in the open
// variables, which are its derivatives by whatever y, a, b and f depend on, are the solution of a
// larger equation, whose right-hand side is F as jets compute it; sets of jets are compared
// coefficient by coefficient. The constant coefficient of J decides about A, and lower coefficients
// enter into higher ones as what is added in each step.
//
// Only p needs the full precision: Y, J and the remainder have 64 bits.

// flow compiles the row.
func (c *compiler[T]) flow(s *core.Let, op *core.Prim, into place) place {
	m, at, state := c.m, s.At, types.Resolve(op.Args[4].Type())
	fun := c.ref(op.Args[1])
	ends, start := c.atoms(op.Args[2:4]).r, c.atom(op.Args[4])
	size := start.shape()
	c.emit(func(f *regs[T]) error {
		y := makeSlots[T](size)
		f.gather(start, y)
		q := &flow[T]{m: m, at: at, state: state, start: y, fun: f.p[fun.part][fun.n].(*closure[T])}
		a, b := f.r[ends[0].part][ends[0].n], f.r[ends[1].part][ends[1].n]
		result, err := q.solve(a, b)
		if err != nil {
			return err
		}
		f.scatter(into, m.replace(state, y, result))
		return nil
	})
	return into
}

// flow is one solution of a differential equation.
type flow[T any] struct {
	m     *machine[T]
	at    diag.Span
	state types.Type
	start slots[T] // the value at the time a, for its shape
	fun   *closure[T]
	a, w  jet.Jet[T] // the time a and the distance b - a
	order int        // of Taylor's formula
	tol   jet.Mag    // what all remainders together should be
	bits  uint       // of the precision

	caution float64 // the size of the last step as a part of what its series promised
	largest float64 // step so far

	stopped trouble // why there is no step; code is "" if a step that is smaller may do
	partial bool    // derivatives of f by what is open are not known
}

// Steps are multiples of smallestStep.
const (
	firstStep    = 1.0 / 16
	smallestStep = 0x1p-40
	tinyStep     = 0x1p-18 // a step that is so much smaller than another shows that there is no way on
	coarseBits   = 64
	leastOrder   = 8
	mostOrder    = 200
	mostRuns     = 3 // with finer tolerances, in search of a narrow result
)

// solve is the reals of the state at the time b.
func (q *flow[T]) solve(a, b jet.Jet[T]) ([]jet.Jet[T], error) {
	m := q.m
	y := m.collect(q.state, q.start)
	unknown := slices.Repeat([]jet.Jet[T]{m.Unknown()}, len(y))
	_, plain := balls(m.N)
	if _, double := any(m.N).(jet.Double); m.refuses() || !double && !plain || !q.known(a, b) || !q.known(y...) {
		return unknown, nil
	}
	defer m.searches()()
	q.a, q.w, q.bits, q.caution = a, m.Sub(b, a), m.N.Bits(), 1
	given := append([]jet.Jet[T]{a, b}, y...)
	q.partial = slices.ContainsFunc(given, func(x jet.Jet[T]) bool { return !m.Complete(x) })
	result, err := q.narrowly(y)
	if err != nil || result != nil || !q.partial {
		if result == nil {
			m.report(q.stopped)
			return unknown, err
		}
		return result, err
	}
	// Without the derivatives, which are unknown.
	floor := m.ignoreOuter()
	q.partial, q.stopped = false, trouble{}
	result, err = q.narrowly(y)
	m.restore(floor)
	if result == nil {
		m.report(q.stopped)
		return unknown, err
	}
	for i := range result {
		result[i] = m.withoutDerivatives(result[i], 1, m.Unknown())
	}
	return result, err
}

// narrowly is the state at the end, as narrow as is asked if finer tolerances lead there; nil if
// there is none.
func (q *flow[T]) narrowly(y []jet.Jet[T]) (best []jet.Jet[T], err error) {
	m := q.m
	if q.partial {
		return nil, nil
	}
	q.tol = m.tol.MulFloat(0.25)
	for range mostRuns {
		size := jet.MagOf(1).Max(q.mag(y...))
		rounding := size.Mul(jet.Exp2(-int64(m.N.Bits())))
		q.tol = q.tol.Max(rounding)
		digits := float64(size.Exp() - q.tol.Exp())
		q.order = min(leastOrder+int(0.27*digits), mostOrder)
		result, err := q.run(y)
		if err != nil || result == nil {
			return best, err
		}
		width := q.width(result...)
		if best == nil || width.Less(q.width(best...)) {
			best = result
		}
		if !m.tol.Less(width) || !rounding.Less(q.tol) || width.IsInf() {
			break
		}
		q.tol = q.tol.MulFloat(max(0x1p-200, m.tol.Float()/width.Float()) / 4)
	}
	return best, nil
}

const unsmooth = "a solution is enclosed where its equation is smooth, which it may not be at the time %.6g"

// box is a set of states: p + a r.
type box[T any] struct {
	p, r []jet.Jet[T]
	a    [][]jet.Jet[T]
}

// run goes from the start to the end. The result is nil if it does not arrive.
func (q *flow[T]) run(y []jet.Jet[T]) ([]jet.Jet[T], error) {
	m := q.m
	b := box[T]{p: q.middle(y), a: q.identity(len(y))}
	for i := range y {
		b.r = append(b.r, m.Sub(y[i], b.p[i]))
	}
	for at, h := 0.0, firstStep; at < 1; {
		took, err := q.step(&b, at, min(h, 1-at))
		if err != nil || took == 0 {
			return nil, err
		}
		at += took
		if h = 4 * took; at < 1 && h < smallestStep {
			h = smallestStep
		}
	}
	return q.set(b), nil
}

// set is the states of a box, each real by itself.
func (q *flow[T]) set(b box[T]) []jet.Jet[T] {
	all := q.apply(b.a, b.r)
	for i := range all {
		all[i] = q.m.Add(b.p[i], all[i])
	}
	return all
}

// step moves a box by at most h, and gives by how much; 0 if it cannot.
func (q *flow[T]) step(b *box[T], at, h float64) (float64, error) {
	m := q.m
	q.stopped = trouble{}
	series, ok, err := q.taylor(m.Float(at), b.p, q.order-1)
	if !ok || err != nil {
		q.stop(at, unsmooth)
		return 0, err
	}
	restore := q.coarsely()
	defer func() { restore() }()
	around := q.set(*b)
	wide, ok, err := q.taylor(m.Float(at), around, q.order-1)
	if !ok || err != nil {
		q.stop(at, unsmooth)
		return 0, err
	}
	h, rest, err := q.fitting(around, at, min(h, q.promising(wide)))
	if rest == nil || err != nil {
		return 0, err
	}
	slope, ok, err := q.slopes(wide, at, h)
	if !ok || err != nil {
		q.stop(at, unsmooth)
		return 0, err
	}
	turned := q.product(slope, b.a)
	next, inverse := q.frame(turned, b.r)
	restore()
	restore = func() {}
	// φ(p) and the remainder, as points and what is left.
	left := make([]jet.Jet[T], len(b.p))
	for i := range b.p {
		end := m.Zero()
		for k := q.order - 1; k >= 0; k-- {
			end = m.Add(m.Scale(end, m.N.Float(h)), series[i][k])
		}
		left[i] = m.Add(end, rest[i])
	}
	b.p = q.middle(left)
	for i := range left {
		left[i] = m.Sub(left[i], b.p[i])
	}
	r, added := q.apply(q.product(inverse, turned), b.r), q.apply(inverse, left)
	for i := range r {
		r[i] = m.Add(r[i], added[i])
	}
	b.a, b.r = next, r
	return h, nil
}

// fitting is the largest step that is found, not above h, whose remainder is small enough, and the
// remainder. That is nil if there is none.
func (q *flow[T]) fitting(around []jet.Jet[T], at, h float64) (step float64, rest []jet.Jet[T], err error) {
	rounding := q.mag(around...).Mul(jet.Exp2(-int64(q.bits)))
	hoped := h
	for {
		if h = math.Floor(h/smallestStep) * smallestStep; h <= q.largest*tinyStep {
			q.stop(at, "the solution is not enclosed beyond the time %.6g, "+
				"where it or its derivatives seem to grow without bound")
			return 0, nil, nil
		}
		size, fits, err := q.remainder(around, at, h, &rest)
		if err != nil {
			return 0, nil, err
		}
		allowed := q.tol.MulFloat(h).Max(rounding)
		switch {
		case !fits:
			h /= 2
		case !allowed.Less(size):
			q.caution, q.largest = min(1, 1.2*q.caution*h/hoped), max(q.largest, h)
			return h, rest, nil
		default:
			excess := float64(size.Exp()-allowed.Exp()) / float64(q.order-1)
			h *= min(0.9, max(0.25, 0.9*math.Exp2(-excess)))
		}
	}
}

// promising is a step whose remainder may be small enough, by the last coefficients of a series.
func (q *flow[T]) promising(series [][]jet.Jet[T]) float64 {
	h := 1.0
	for k := max(2, q.order-3); k < q.order; k++ {
		size := jet.Mag{}
		for i := range series {
			size = size.Max(q.mag(series[i][k]))
		}
		if !size.IsZero() {
			h = min(h, math.Exp2(float64(q.tol.Exp()-size.Exp())/float64(k-1)))
		}
	}
	return q.caution * h
}

// remainder encloses the states of a step of size h and the remainder of Taylor's formula, whose
// size it gives. It fits if the states are enclosed.
func (q *flow[T]) remainder(
	around []jet.Jet[T], at, h float64, rest *[]jet.Jet[T],
) (size jet.Mag, fits bool, err error) {
	m := q.m
	s := m.Const(m.N.Span(m.N.Float(at), m.N.Float(at+h)))
	states, fits, err := q.states(around, s, h)
	if !fits || err != nil {
		return size, false, err
	}
	series, fits, err := q.taylor(s, states, q.order)
	if !fits || err != nil {
		return size, false, err
	}
	power := m.PowInt(m.Float(h), int64(q.order))
	*rest = make([]jet.Jet[T], len(around))
	for i := range around {
		(*rest)[i] = m.Mul(series[i][q.order], power)
	}
	return q.mag(*rest...), true, nil
}

// states encloses the states during a step of size h, over the times s.
func (q *flow[T]) states(around []jet.Jet[T], s jet.Jet[T], h float64) ([]jet.Jet[T], bool, error) {
	m := q.m
	during := m.Const(m.N.Span(m.N.Float(0), m.N.Float(h)))
	picard := func(guess []jet.Jet[T]) ([]jet.Jet[T], bool, error) {
		rates, _, ok, err := q.rates(s, guess)
		if !ok || err != nil {
			return nil, false, err
		}
		for i := range rates {
			rates[i] = m.Add(around[i], m.Mul(during, rates[i]))
		}
		return rates, true, nil
	}
	guess := around
	for range 6 {
		next, ok, err := picard(guess)
		if !ok || err != nil {
			return nil, false, err
		}
		if q.within(next, guess) {
			return next, true, nil
		}
		for i := range next {
			wider := func(x T, known bool) (T, bool) {
				return m.N.Widen(x, m.N.Width(x).MulFloat(0.2).Max(jet.Exp2(-200))), known
			}
			next[i] = m.Map(m.Hull(next[i], around[i]), wider)
		}
		guess = next
	}
	return nil, false, nil
}

// taylor is the coefficients of each real of the state, up to a degree, along the solution that is
// y at s; ok is false if f has none.
func (q *flow[T]) taylor(s jet.Jet[T], y []jet.Jet[T], degree int) (series [][]jet.Jet[T], ok bool, err error) {
	m := q.m
	series = make([][]jet.Jet[T], len(y))
	for i := range y {
		series[i] = append(make([]jet.Jet[T], 0, degree+1), y[i])
	}
	for k := range degree {
		tag := m.open(max(k, 1))
		rates, seen, ok, err := q.rates(m.Series(tag, max(k, 1), []jet.Jet[T]{s, m.One()}), q.along(tag, k, series))
		m.close(tag)
		if !ok || err != nil {
			return nil, false, err
		}
		for i, rate := range rates {
			next := m.DivInt(m.Coeff(rate, tag, k), k+1)
			if !next.Known() || seen.kinked {
				q.stopped = seen.trouble
				return nil, false, nil
			}
			if !m.Complete(next) {
				q.partial = true
				return nil, false, nil
			}
			series[i] = append(series[i], next)
		}
	}
	return series, true, nil
}

// along is the state as series in tag, up to a degree.
func (q *flow[T]) along(tag jet.Tag, degree int, series [][]jet.Jet[T]) []jet.Jet[T] {
	y := make([]jet.Jet[T], len(series))
	for i := range series {
		y[i] = q.m.Series(tag, max(degree, 1), slices.Clone(series[i][:degree+1]))
	}
	return y
}

// slopes is the derivative of Taylor's formula without its remainder, by the state at its start,
// where series are its coefficients and h is the step.
func (q *flow[T]) slopes(series [][]jet.Jet[T], at, h float64) ([][]jet.Jet[T], bool, error) {
	m, size, degree := q.m, len(series), q.order-1
	field := make([][][]jet.Jet[T], size) // by column, row and power
	tag := m.open(degree)
	defer m.close(tag)
	y, s := q.along(tag, degree-1, series), m.Series(tag, degree, []jet.Jet[T]{m.Float(at), m.One()})
	for j := range size {
		unit := m.open(1)
		moved := slices.Clone(y)
		moved[j] = m.Var(unit, 1, y[j], m.One())
		rates, seen, ok, err := q.rates(s, moved)
		m.close(unit)
		if !ok || err != nil {
			return nil, false, err
		}
		field[j] = make([][]jet.Jet[T], size)
		for i := range size {
			slope := m.Coeff(rates[i], unit, 1)
			for k := range degree {
				c := m.Coeff(slope, tag, k)
				if !c.Known() || seen.kinked {
					q.stopped = seen.trouble
					return nil, false, nil
				}
				field[j][i] = append(field[j][i], c)
			}
		}
	}
	// The coefficients of J, each from those before.
	terms := [][][]jet.Jet[T]{q.identity(size)}
	for k := range degree {
		next := make([][]jet.Jet[T], size)
		for i := range size {
			next[i] = make([]jet.Jet[T], size)
			for j := range size {
				sum := m.Zero()
				for l := range k + 1 {
					for c := range size {
						if x := terms[k-l][c][j]; !x.IsZero() && !field[c][i][l].IsZero() {
							sum = m.Add(sum, m.Mul(field[c][i][l], x))
						}
					}
				}
				next[i][j] = m.DivInt(sum, k+1)
			}
		}
		terms = append(terms, next)
	}
	total := terms[degree]
	for k := degree - 1; k >= 0; k-- {
		for i := range size {
			for j := range size {
				total[i][j] = m.Add(m.Scale(total[i][j], m.N.Float(h)), terms[k][i][j])
			}
		}
	}
	return total, true, nil
}

// rates is F at a time and a state, in a frame of its own. If it is not ok, a comparison is
// undecided, or F is not known there.
func (q *flow[T]) rates(s jet.Jet[T], y []jet.Jet[T]) (rates []jet.Jet[T], seen frame[T], ok bool, err error) {
	m := q.m
	if err := m.count(q.fun.code.at); err != nil {
		return nil, seen, false, err
	}
	if m.nested() > maxNested {
		return nil, seen, false, m.tooNested(q.at)
	}
	seen = frame[T]{watch: -1}
	outer, varies := m.frame, m.ZeroIsConstant
	m.frame, m.ZeroIsConstant = &seen, false
	m.used += searchBytes
	t := m.Add(q.a, m.Mul(q.w, s))
	result := makeSlots[T](shapeOf(q.state))
	args := join(slots[T]{r: []jet.Jet[T]{t}}, m.replace(q.state, q.start, y))
	err = m.call(q.fun, args, []shape{{r: 1}, shapeOf(q.state)}, result)
	m.used -= searchBytes
	m.frame, m.ZeroIsConstant = outer, varies
	if err == errUndecided {
		at := q.at
		if seen.first.met {
			at = seen.first.at
		}
		q.stopped = trouble{diag.EffortSpent, at,
			"a solution is enclosed where its equation is smooth, and this comparison is not decided"}
		return nil, seen, false, nil
	}
	if err != nil {
		return nil, seen, false, err
	}
	ok = true
	_, err = m.leaves(q.at, q.state, []slots[T]{q.start, result}, func(xs []jet.Jet[T]) jet.Jet[T] {
		rate := m.Mul(q.w, m.Map(xs[1], func(x T, known bool) (T, bool) { return x, known })) // without forms
		ok = ok && rate.Known() && m.N.Bounded(rate.Val())
		rates = append(rates, rate)
		return rate
	})
	if !ok && seen.trouble.code != "" {
		q.stopped = seen.trouble
	}
	return rates, seen, ok, err
}
