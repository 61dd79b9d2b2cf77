package exact

import (
	"math"
	"math/big"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/exact/jet"
)

// One step of Note [Flows].

// step moves a box by at most h, and gives by how much; 0 if it cannot. Then it may be known how
// the solution goes on beyond a place where a decision changes.
func (q *flow) step(b *box, at, h float64) (took float64, f fork, err error) {
	m := q.m
	q.stopped, q.met = trouble{}, decision{}
	series, ok, err := q.taylor(q.place(at), b.p, q.order-1)
	restore := q.coarsely()
	defer func() { restore() }()
	around := q.set(*b)
	var wide [][]jet.Jet
	if ok && err == nil {
		wide, ok, err = q.taylor(q.place(at), around, q.order-1)
	}
	if !ok || err != nil {
		if err == nil && q.locates() {
			restore()
			restore = func() {}
			f, err = q.begin(q.set(*b), at, q.met.site)
		}
		q.stop(at, unsmooth)
		return 0, f, err
	}
	h = min(h, q.promising(wide))
	var rest []jet.Jet
	for rest == nil {
		q.met = decision{}
		var during []jet.Jet
		h, during, rest, err = q.fitting(around, at, h)
		switch {
		case err != nil:
			return 0, f, err
		case rest != nil:
			if ok, err = q.holds(m.N.Span(m.N.Float(at), m.N.Float(at+h)), during); err != nil {
				return 0, f, err
			} else if !ok {
				q.stopped, rest, h = trouble{code: diag.EffortSpent, at: q.at, what: notPassed}, nil, h/2
			}
		case !q.locates():
			return 0, f, nil
		default:
			restore()
			f, err = q.crossing(q.set(*b), at, h, q.met.site)
			if restore = q.coarsely(); err != nil || len(f.ways) > 0 {
				return 0, f, err
			}
			h /= 2
		}
		if rest == nil && (h < smallestStep || h <= q.largest*tinyStep) {
			q.stop(at, unsmooth)
			return 0, f, nil
		}
	}
	slope, ok, err := q.slopes(wide, at, h)
	if !ok || err != nil {
		q.stop(at, unsmooth)
		return 0, f, err
	}
	turned := q.product(slope, b.a)
	next, inverse := q.frame(turned, b.r)
	restore()
	restore = func() {}
	// φ(p) and the remainder, as points and what is left.
	left := make([]jet.Jet, len(b.p))
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
	return h, f, q.release(at+h, q.set(*b))
}

// fitting is the largest step that is found, not above h, whose remainder is small enough, with the
// states during it and the remainder. That is nil if there is none, or if a decision is not decided
// during a step of that size.
func (q *flow) fitting(
	around []jet.Jet, at, h float64,
) (step float64, during, rest []jet.Jet, err error) {
	rounding := q.mag(around...).Mul(jet.Exp2(-int64(q.bits)))
	hoped, least := h, q.largest*tinyStep
	if q.brief {
		least = min(leastBrief, h/2)
	}
	for {
		if h = math.Floor(h/smallestStep) * smallestStep; h <= least {
			q.stop(at, "the solution is not enclosed beyond the time %.6g, "+
				"where it or its derivatives seem to grow without bound")
			return 0, nil, nil, nil
		}
		during, rest, err = q.remainder(around, at, h)
		if err != nil || rest == nil && q.met.met {
			return h, nil, nil, err
		}
		allowed, size := q.tol.MulFloat(h).Max(rounding), q.mag(rest...)
		switch {
		case rest == nil:
			h /= 2
		case !allowed.Less(size):
			q.caution, q.largest = min(1, 1.2*q.caution*h/hoped), max(q.largest, h)
			return h, during, rest, nil
		default:
			excess := float64(size.Exp()-allowed.Exp()) / float64(q.order-1)
			h *= min(0.9, max(0.25, 0.9*math.Exp2(-excess)))
		}
	}
}

// promising is a step whose remainder may be small enough, by the last coefficients of a series.
func (q *flow) promising(series [][]jet.Jet) float64 {
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

// remainder encloses the states of a step of size h and the remainder of Taylor's formula. That is
// nil if the states are not enclosed.
func (q *flow) remainder(around []jet.Jet, at, h float64) (during, rest []jet.Jet, err error) {
	m := q.m
	s := m.Const(m.N.Span(m.N.Float(at), m.N.Float(at+h)))
	during, fits, err := q.states(around, s, h)
	if !fits || err != nil {
		return nil, nil, err
	}
	series, fits, err := q.taylor(s, during, q.order)
	if !fits || err != nil {
		return nil, nil, err
	}
	power := m.PowInt(m.Float(h), int64(q.order))
	for i := range around {
		rest = append(rest, m.Mul(series[i][q.order], power))
	}
	return during, rest, nil
}

// states encloses the states during a step of size h, over the times s.
func (q *flow) states(around []jet.Jet, s jet.Jet, h float64) ([]jet.Jet, bool, error) {
	m := q.m
	during := m.Const(m.N.Span(m.N.Float(0), m.N.Float(h)))
	picard := func(guess []jet.Jet) ([]jet.Jet, bool, error) {
		rates, ok, err := q.field(s, guess)
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
			wider := func(x jet.Set, known bool) (jet.Set, bool) {
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
func (q *flow) taylor(s jet.Jet, y []jet.Jet, degree int) (series [][]jet.Jet, ok bool, err error) {
	m := q.m
	if !q.feedback && degree > 2 {
		if series, err = q.taylorAtOnce(s, y, degree); series != nil || err != nil {
			return series, err == nil, err
		}
	}
	series = make([][]jet.Jet, len(y))
	for i := range y {
		series[i] = append(make([]jet.Jet, 0, degree+1), y[i])
	}
	for k := range degree {
		tag := m.open(max(k, 1))
		rates, seen, ok, err := q.rates(m.Series(tag, max(k, 1), []jet.Jet{s, m.One()}), q.along(tag, k, series))
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

// taylorAtOnce is taylor for an f that hardly depends on the state, nil for another one. It guesses
// all coefficients, and evaluates f along them. If coefficients that follow from that lie in those
// that were guessed, then so do those of the solution: each follows from the ones before it.
func (q *flow) taylorAtOnce(s jet.Jet, y []jet.Jet, degree int) ([][]jet.Jet, error) {
	m := q.m
	guess := make([][]jet.Jet, len(y))
	for i := range y {
		guess[i] = append([]jet.Jet{y[i]}, slices.Repeat([]jet.Jet{m.Float(0)}, degree)...)
	}
	stopped, met := q.stopped, q.met
	defer func() { q.stopped, q.met = stopped, met }()
	for range 3 {
		tag := m.open(degree)
		rates, seen, ok, err := q.rates(m.Series(tag, degree, []jet.Jet{s, m.One()}), q.along(tag, degree, guess))
		m.close(tag)
		if !ok || err != nil || seen.kinked {
			return nil, err
		}
		next, fits := make([][]jet.Jet, len(y)), true
		for i, rate := range rates {
			next[i] = []jet.Jet{y[i]}
			for k := range degree {
				next[i] = append(next[i], m.DivInt(m.Coeff(rate, tag, k), k+1))
			}
			if !q.known(next[i]...) {
				return nil, nil
			}
			fits = fits && q.within(next[i][1:], guess[i][1:])
		}
		if guess = next; fits {
			return guess, nil
		}
	}
	q.feedback = true
	return nil, nil
}

// along is the state as series in tag, up to a degree. It varies with tag, even if the degree is 0:
// a decision on a state is not one on a constant (Note [Equal constants]).
func (q *flow) along(tag jet.Tag, degree int, series [][]jet.Jet) []jet.Jet {
	y := make([]jet.Jet, len(series))
	for i := range series {
		c := slices.Clone(series[i][:degree+1])
		if degree == 0 {
			c = append(c, q.m.One())
		}
		y[i] = q.m.Series(tag, max(degree, 1), c)
	}
	return y
}

// moving makes a time and states vary with tag, at the speeds dy, or 1 if there are none.
func (q *flow) moving(tag jet.Tag, s jet.Jet, y, dy []jet.Jet) (jet.Jet, []jet.Jet) {
	m := q.m
	moved := make([]jet.Jet, len(y))
	for i := range y {
		by := m.One()
		if dy != nil {
			by = dy[i]
		}
		moved[i] = m.Series(tag, 1, []jet.Jet{y[i], by})
	}
	return m.Series(tag, 1, []jet.Jet{s, m.One()}), moved
}

// field is F at a time and a state.
func (q *flow) field(s jet.Jet, y []jet.Jet) (rates []jet.Jet, ok bool, err error) {
	tag := q.m.open(1)
	s, y = q.moving(tag, s, y, nil)
	rates, _, ok, err = q.rates(s, y)
	q.m.close(tag)
	for i := range rates {
		rates[i] = q.m.Coeff(rates[i], tag, 0)
	}
	return rates, ok, err
}

// slopes is the derivative of Taylor's formula without its remainder, by the state at its start,
// where series are its coefficients and h is the step.
func (q *flow) slopes(series [][]jet.Jet, at, h float64) ([][]jet.Jet, bool, error) {
	m, size, degree := q.m, len(series), q.order-1
	field := make([][][]jet.Jet, size) // by column, row and power
	tag := m.open(degree)
	defer m.close(tag)
	y, s := q.along(tag, degree-1, series), m.Series(tag, degree, []jet.Jet{q.place(at), m.One()})
	for j := range size {
		unit := m.open(1)
		moved := slices.Clone(y)
		moved[j] = m.Var(unit, 1, y[j], m.One())
		rates, seen, ok, err := q.rates(s, moved)
		m.close(unit)
		if !ok || err != nil {
			return nil, false, err
		}
		field[j] = make([][]jet.Jet, size)
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
	terms := [][][]jet.Jet{q.identity(size)}
	for k := range degree {
		next := make([][]jet.Jet, size)
		for i := range size {
			next[i] = make([]jet.Jet, size)
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

// place is a number, as one that is known exactly.
func (q *flow) place(at float64) jet.Jet {
	return q.m.Const(q.m.N.Rat(new(big.Rat).SetFloat64(at)))
}

// rates is F at a time and a state, in a frame of its own. If it is not ok, a comparison is
// undecided, or F is not known there.
func (q *flow) rates(s jet.Jet, y []jet.Jet) (rates []jet.Jet, seen frame, ok bool, err error) {
	m := q.m
	if err := m.count(q.fun.code.at); err != nil {
		return nil, seen, false, err
	}
	if m.nested() > maxNested {
		return nil, seen, false, m.tooNested(q.at)
	}
	seen = frame{watch: q.watch, forced: q.forced, steady: true}
	outer, varies := m.frame, m.ZeroIsConstant
	m.frame, m.ZeroIsConstant = &seen, false
	m.used += searchBytes
	t := m.Add(q.a, m.Mul(q.w, s))
	result := makeSlots(shapeOf(q.state))
	args := join(slots{r: []jet.Jet{t}}, m.replace(q.state, q.start, y))
	err = m.call(q.fun, args, []shape{{r: 1}, shapeOf(q.state)}, result)
	m.used -= searchBytes
	m.frame, m.ZeroIsConstant = outer, varies
	if err == errUndecided {
		at := q.at
		if seen.first.met {
			at = seen.first.at
		}
		q.stopped, q.met = trouble{code: diag.EffortSpent, at: at, what: notPassed}, seen.first
		return nil, seen, false, nil
	}
	if err != nil {
		return nil, seen, false, err
	}
	ok = true
	_, err = m.leaves(q.at, q.state, []slots{q.start, result}, func(xs []jet.Jet) jet.Jet {
		rate := m.Mul(q.w, m.Map(xs[1], func(x jet.Set, known bool) (jet.Set, bool) { return x, known })) // without forms
		ok = ok && rate.Known() && m.N.Bounded(rate.Val())
		rates = append(rates, rate)
		return rate
	})
	if !ok && seen.trouble.code != "" {
		q.stopped = seen.trouble
	}
	if seen.kinked {
		q.met = seen.first
	}
	return rates, seen, ok, err
}
