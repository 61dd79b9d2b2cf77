package exact

import (
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
//
// Steps are short where the equation is stiff: Note [Stiff flows].
//
// Where f has a kink or a jump the solution is cut: Note [Crossings of solutions].

// flow compiles the row.
func (c *compiler) flow(s *core.Let, op *core.Prim, into place) place {
	m, at, state := c.m, s.At, types.Resolve(op.Args[4].Type())
	fun := c.ref(op.Args[1])
	ends, start := c.atoms(op.Args[2:4]).r, c.atom(op.Args[4])
	size := start.shape()
	c.emit(func(f *regs) error {
		y := makeSlots(size)
		f.gather(start, y)
		q := &flow{m: m, at: at, state: state, start: y, fun: f.p[fun.part][fun.n].(*closure)}
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
type flow struct {
	m     *machine
	at    diag.Span
	state types.Type
	start slots // the value at the time a, for its shape
	fun   *closure
	order int     // of Taylor's formula
	tol   jet.Mag // what all remainders together should be
	bits  uint    // of the precision

	leg
	caution float64 // the size of the last step as a part of what its series promised
	largest float64 // step so far

	chebyshev [][]jet.Set // Chebyshev's polynomials from T_1 on, each less its value at -1

	watch   int      // the site whose difference the next evaluations of f record; -1 for none
	met     decision // what was not decided when f was evaluated
	stopped trouble  // why there is no step; code is "" if a step that is smaller may do
	inner   bool     // it is a part of a search

	feedback bool // f depends on the state
	partial  bool // derivatives of f by what is open are not known
}

// leg is a part of a solution along which f is smooth.
type leg struct {
	a, b, w jet.Jet  // the times at its ends, and b - a
	forced  []forced // decisions of f: Note [Crossings of solutions]
	extends bool     // f is the smooth function that these decisions make of it
	brief   bool     // there is no way if it takes more than a few steps
	first   float64  // the length of the first step, as a part of the leg; 0 if nothing is known of it
}

// Steps are multiples of smallestStep.
const (
	firstStep    = 1.0 / 16
	smallestStep = 0x1p-40
	tinyStep     = 0x1p-18 // a step that is so much smaller than another shows that there is no way on
	coarseBits   = 64
	leastOrder   = 8
	mostOrder    = 200
	mostBrief    = 4        // steps of a brief leg
	leastBrief   = 1.0 / 32 // the first of them
	mostRuns     = 3        // with finer tolerances, in search of a narrow result
)

// solve is the reals of the state at the time b.
func (q *flow) solve(a, b jet.Jet) ([]jet.Jet, error) {
	m := q.m
	y := m.collect(q.state, q.start)
	unknown := slices.Repeat([]jet.Jet{m.Unknown()}, len(y))
	_, plain := balls(m.N)
	if _, double := m.N.(jet.Double); m.refuses() || !double && !plain || !q.known(a, b) || !q.known(y...) {
		return unknown, nil
	}
	if t, ok := m.tedious[q.fun.code]; ok {
		m.report(t)
		return unknown, nil
	}
	q.inner = m.within > 0
	defer m.searches()()
	q.bits, q.watch, q.leg = m.N.Bits(), -1, leg{a: a, b: b, w: m.Sub(b, a)}
	if len(y) == 0 || m.stays(q.w) {
		return y, nil
	}
	given := append([]jet.Jet{a, b}, y...)
	q.partial = slices.ContainsFunc(given, func(x jet.Jet) bool { return !m.Complete(x) })
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
func (q *flow) narrowly(y []jet.Jet) (best []jet.Jet, err error) {
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
		result, err := q.runs(y)
		if err != nil || result == nil {
			return best, err
		}
		width := q.width(result...)
		idle := best != nil && !width.Less(q.width(best...).MulFloat(0.5))
		if best == nil || width.Less(q.width(best...)) {
			best = result
		}
		if idle {
			break
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
type box struct {
	p, r []jet.Jet
	a    [][]jet.Jet
}

// runs goes from the start to the end. An end that is wide is reached by a leg of its own, for a leg
// of wide length is wide from its start.
func (q *flow) runs(y []jet.Jet) ([]jet.Jet, error) {
	m, whole := q.m, q.leg
	near := m.Const(m.N.Lower(q.b.Val()))
	if m.N.Sign(q.w.Val()) < 0 {
		near = m.Const(m.N.Upper(q.b.Val()))
	}
	length := m.Sub(near, q.a)
	enough := m.N.Mag(length.Val()).MulFloat(0x1p-20)
	if m.N.Sign(length.Val()) == 0 || m.N.Width(q.b.Val()).Less(enough) {
		return q.run(y)
	}
	defer func() { q.leg = whole }()
	q.leg = leg{a: q.a, b: near, w: length}
	y, err := q.run(y)
	if err != nil || y == nil {
		return nil, err
	}
	q.leg = leg{a: near, b: whole.b, w: m.Sub(whole.b, near), brief: true}
	return q.run(y)
}

// run goes from the start to the end of the leg. The result is nil if it does not arrive.
func (q *flow) run(y []jet.Jet) ([]jet.Jet, error) {
	defer func(first leg) { q.leg = first }(q.leg)
	for {
		f, err := q.travel(y)
		if err != nil || len(f.ways) == 0 {
			return nil, err
		}
		if len(f.ways) > 1 {
			return q.either(f)
		}
		from := q.a
		if y = f.ways[0].y; f.ways[0].ended {
			return y, nil
		}
		q.leg = f.ways[0].leg
		if y, err = q.land(y, from); err != nil {
			return nil, err
		}
	}
}

// travel goes along a leg, to its end or to where a decision changes. There are no ways if it does
// not arrive.
func (q *flow) travel(y []jet.Jet) (fork, error) {
	m := q.m
	b := box{p: q.middle(y), a: q.identity(len(y))}
	for i := range y {
		b.r = append(b.r, m.Sub(y[i], b.p[i]))
	}
	h := firstStep
	switch {
	case q.brief:
		h = 1
	case q.first > 0:
		h = min(h, q.first)
	}
	q.caution, q.largest = 1, 0
	calls := m.calls
	stiff := leaps{wait: firstLeap, grow: mostGrow}
	for at, count := 0.0, 0; at < 1; count++ {
		if q.brief && count == mostBrief {
			return fork{}, nil
		}
		if q.tires(count, q.m.calls-calls) {
			return fork{}, q.tire(b.p, at, h/4, count)
		}
		if count > 0 && !q.brief {
			took, err := q.leap(&stiff, &b, at, h/4)
			if err != nil {
				return fork{}, err
			}
			if took > 0 {
				at += took
				continue
			}
		}
		took, f, err := q.step(&b, at, min(h, 1-at))
		if err == nil && took == 0 && q.brief && len(f.ways) == 0 {
			took, err = q.leapOver(&b, at)
		}
		if err != nil || took == 0 {
			return f, err
		}
		at += took
		if h = 4 * took; at < 1 && h < smallestStep {
			h = smallestStep
		}
	}
	return fork{ways: []way{{y: q.set(b), ended: true}}}, nil
}

// set is the states of a box, each real by itself.
func (q *flow) set(b box) []jet.Jet {
	all := q.apply(b.a, b.r)
	for i := range all {
		all[i] = q.m.Add(b.p[i], all[i])
	}
	return all
}
