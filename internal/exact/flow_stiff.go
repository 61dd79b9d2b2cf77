package exact

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/linalg"
)

// Note [Stiff flows]
//
// Problem: in y' = -λ (y - cos t) with λ = 10⁵ the solution is smooth but for its start, yet both
// Picard's operator and Taylor's formula of Note [Flows] need steps of a few 1/λ: they hold for the
// neighbours of the solution as well, which approach it within a time of 1/λ.
//
// Idea: guess the solution, and let the equation pull in what is wrong about the guess. On a part of
// a leg (bridge), with σ from -1 to 1 as its time, let y' = G(σ, y), let u be a polynomial
// (collocate finds one), and let δ = G(σ, u) - u' be its defect, which is enclosed by Taylor's
// formula on jets. The error e = y - u satisfies
//
//	e' = G(σ, u + e) - G(σ, u) + δ = J(σ) e + δ        J = ∫₀¹ ∂G/∂y (σ, u + θ e) dθ
//
// In coordinates e = T z it is z' = M z + T⁻¹ δ, where M = T⁻¹ J T. T is made of eigenvectors of J
// in the middle of the bridge, so that M is nearly diagonal. Let |z_i| ≤ w_i at σ = -1, let Z_i be
// bounds, and suppose that M_ii ≤ μ_i and |M_ij| ≤ m_ij and |(T⁻¹ δ)_i| ≤ d_i for all e in the box
// T Z. Then, as long as z is in Z,
//
//	|z_i|' ≤ μ_i |z_i| + s_i        s_i = d_i + Σ_(j≠i) m_ij Z_j
//	|z_i| ≤ e^((σ+1) μ_i) w_i + s_i ∫₀^(σ+1) e^(μ_i τ) dτ
//
// The bound is monotone in σ. If it is at most Z_i for σ = -1 and σ = 1 and all i, then z stays in
// Z: the operator that makes of a curve e in T Z the solution of the linear equation with J along
// e, and with Z's member in the places j≠i, maps these curves to themselves, and it is compact; its
// fixed point (Schauder) is the solution. For μ_i ≪ 0 the bound at the end is s_i / |μ_i|: what was
// wrong at the start is forgotten, and nothing here asks for a small step.
//
// A pair of eigenvalues a ± ib couples two coordinates by b. Unless b is small they share a bound of
// their Euclidean norm, of which max M_ii + |M_12 + M_21| / 2 is the rate.
//
// Jets: the coefficient of z of each degree satisfies the same equation with the constant
// coefficient of M, and with the lower coefficients of z times the rest of M added to δ. So all
// bounds are jets, and are compared coefficient by coefficient.
//
// A transient is not a polynomial. Steps by Taylor's formula go through it, and leaps are tried now
// and then if many steps remain.

const (
	firstLeap  = 8   // steps before a leap is tried
	mostWait   = 64  // steps between trials
	leapFactor = 8   // a leap is longer than so many steps
	leastGrow  = 1.2 // of a leap after another one
	mostGrow   = 4
	turning    = 0.4 // a pair of coordinates turns by so much at least over half a bridge
	fast       = 2   // a coordinate decays by e^-fast at least over half a bridge
)

// leaps is when a leap is tried.
type leaps struct {
	wait, pause int     // steps until the next trial, and between trials
	size, grow  float64 // of the last leap, or 0 if it failed, and how much longer the next may be
}

// leap is leapBy, if it is time for one and it goes far. step is the length of the last step by Taylor's
// formula.
func (q *flow) leap(l *leaps, b *box, at, step float64) (took float64, err error) {
	left := 1 - at
	if l.wait--; l.wait > 0 || q.partial || left < 2*leapFactor*step {
		return 0, nil
	}
	h := max(2*leapFactor*step, l.grow*l.size)
	if l.size == 0 && l.pause == mostWait {
		h = 64 * leapFactor * step
	}
	h = min(left, h)
	for first := true; h > leapFactor*step; first = false {
		h = math.Floor(h/smallestStep) * smallestStep
		done, err := q.leapBy(b, bridge{at + h/2, h / 2})
		if err != nil {
			return 0, err
		}
		if done {
			l.size, l.pause, l.grow = h, 1, min(mostGrow, 1.5*l.grow)
			if !first {
				l.grow = leastGrow
			}
			return h, nil
		}
		h /= 3
	}
	l.pause = min(mostWait, max(firstLeap, 2*l.pause))
	l.size, l.wait, l.grow = 0, l.pause, mostGrow
	return 0, nil
}

// leapOver leaps to the end of a brief leg.
func (q *flow) leapOver(b *box, at float64) (took float64, err error) {
	if done, err := q.leapBy(b, bridge{(at + 1) / 2, (1 - at) / 2}); !done || err != nil {
		return 0, err
	}
	return 1 - at, nil
}

// leapBy moves a box along a bridge, if it can.
func (q *flow) leapBy(b *box, x bridge) (bool, error) {
	m := q.m
	before := q.stopped
	defer func() { q.stopped, q.met = before, decision{} }()
	u, err := q.collocate(b.p, x, q.order)
	if u == nil || err != nil {
		return false, err
	}
	defect, err := q.defect(u, x)
	if defect == nil || err != nil {
		return false, err
	}
	start, end := make([]jet.Jet, len(u)), make([]jet.Jet, len(u))
	for i := range u {
		start[i], end[i] = m.Sub(b.p[i], q.valueAt(u[i], -1)), q.valueAt(u[i], 1)
	}
	restore := q.coarsely()
	defer func() { restore() }()
	t, err := q.tube(u, defect.over, x)
	if t == nil || err != nil {
		return false, err
	}
	t.start, t.defect = q.apply(t.inverse, start), q.symmetric(q.apply(t.inverse, defect.all))
	t.noise = q.symmetric(q.apply(t.inverse, defect.noise))
	for i, r := range q.apply(q.product(t.inverse, b.a), b.r) {
		t.start[i] = q.symmetric([]jet.Jet{m.Add(t.start[i], r)})[0]
	}
	r, during, err := t.enclose()
	if r == nil || err != nil {
		return false, err
	}
	if !t.precise() {
		return false, nil
	}
	if ok, err := q.holds(t.times.Val(), during); !ok || err != nil {
		return false, err
	}
	p := q.middle(end)
	for i := range end {
		end[i] = m.Sub(end[i], p[i])
	}
	for i, left := range q.apply(t.inverse, end) {
		r[i] = m.Add(r[i], left)
	}
	b.p, b.a, b.r = p, t.basis, r
	restore()
	restore = func() {}
	return true, q.release(x.end(), q.set(*b))
}

// valueAt is a polynomial at a point.
func (q *flow) valueAt(u []jet.Jet, x float64) jet.Jet {
	m := q.m
	sum := m.Zero()
	for k := len(u) - 1; k >= 0; k-- {
		sum = m.Add(m.Scale(sum, m.N.Float(x)), u[k])
	}
	return sum
}

// defect is what is known of a polynomial u on a bridge.
type defect struct {
	all   []jet.Jet // encloses G(σ, u) - u'
	noise []jet.Jet // the part of it that a shorter bridge has, too
	over  []jet.Jet // encloses u
}

// defect is that of a polynomial; nil where G may have a kink.
//
// It is found in parts. Noise in the values of u in the nodes is as large as itself there, but
// Taylor's coefficients of that noise grow so much that a series for the whole bridge would be
// useless.
func (q *flow) defect(u [][]jet.Jet, x bridge) (*defect, error) {
	var d *defect
	for i := range leapParts {
		part, err := q.defectIn(u, x, (2*float64(i)+1)/leapParts-1)
		if part == nil || err != nil {
			return nil, err
		}
		if d == nil {
			d = part
		}
		for k := range u {
			d.all[k] = q.m.Hull(d.all[k], part.all[k])
			d.noise[k] = q.m.Hull(d.noise[k], part.noise[k])
			d.over[k] = q.m.Hull(d.over[k], part.over[k])
		}
	}
	return d, nil
}

// leapParts is a power of two.
const leapParts = 8

// defectIn is defect for σ within 1/leapParts of a place.
func (q *flow) defectIn(u [][]jet.Jet, x bridge, place float64) (*defect, error) {
	m, degree := q.m, 2*(len(u[0])-1)/3+1
	near, _, err := q.rateSeries(u, x, m.Float(place), degree)
	if near == nil || err != nil {
		return nil, err
	}
	restore := q.coarsely()
	defer restore()
	part := m.N.Span(m.N.Float(place-1.0/leapParts), m.N.Float(place+1.0/leapParts))
	rest, over, err := q.rateSeries(u, x, m.Const(part), degree+1)
	if rest == nil || err != nil {
		return nil, err
	}
	d := &defect{over: over}
	unit := m.Const(m.N.Span(m.N.Float(-1), m.N.Float(1)))
	for i := range u {
		sum, noise := m.Mul(rest[i][degree+1], unit), m.Zero()
		middle := q.middle(near[i])
		for k := degree; k >= 0; k-- {
			c := near[i][k]
			noise = m.Add(noise, m.Mul(m.Sub(c, middle[k]), unit))
			if k > 0 {
				c = m.Mul(c, unit)
			}
			sum = m.Add(sum, c)
		}
		d.all = append(d.all, m.Scale(sum, m.N.Float(leapParts)))
		d.noise = append(d.noise, m.Scale(noise, m.N.Float(leapParts)))
	}
	return d, nil
}

// rateSeries is Taylor's coefficients of G(σ, u) - u' around a set of σ, in units of 1/leapParts,
// and u there.
func (q *flow) rateSeries(
	u [][]jet.Jet, x bridge, sigma jet.Jet, degree int,
) (series [][]jet.Jet, over []jet.Jet, err error) {
	m := q.m
	tag := m.open(degree + 1)
	defer m.close(tag)
	moving := m.Series(tag, degree+1, []jet.Jet{sigma, m.Float(1.0 / leapParts)})
	y := make([]jet.Jet, len(u))
	for i := range u {
		y[i] = m.Zero()
		for k := len(u[i]) - 1; k >= 0; k-- {
			y[i] = m.Add(m.Mul(y[i], moving), u[i][k])
		}
		over = append(over, m.Coeff(y[i], tag, 0))
	}
	s := m.Add(m.Float(x.mid), m.Scale(moving, m.N.Float(x.half)))
	rates, seen, ok, err := q.rates(s, y)
	if !ok || seen.kinked || err != nil {
		return nil, nil, err
	}
	series = make([][]jet.Jet, len(u))
	for i := range u {
		for k := range degree + 1 {
			c := m.Scale(m.Coeff(rates[i], tag, k), m.N.Float(x.half/leapParts))
			c = m.Sub(c, m.Scale(m.Coeff(y[i], tag, k+1), m.N.Int(int64(k+1))))
			if !m.Complete(c) {
				return nil, nil, nil
			}
			series[i] = append(series[i], c)
		}
	}
	return series, over, nil
}

// tube is the neighbourhood u + T Z of a polynomial, over the times of a bridge.
type tube struct {
	q                    *flow
	x                    bridge
	times                jet.Jet
	over                 []jet.Jet   // the polynomial
	basis                [][]jet.Jet // T
	inverse              [][]jet.Jet
	pairs                []bool    // whether a coordinate shares its bound with the next one
	start, defect, noise []jet.Jet // in the coordinates z
	forgets              []bool    // whether a coordinate decays by e^-fast over half a bridge
	weight               []jet.Jet // of the defect in the bounds at the end
	added                []jet.Jet // what the defect adds to z at the end
}

// tube is the coordinates for a bridge; nil if there are none.
func (q *flow) tube(u [][]jet.Jet, over []jet.Jet, x bridge) (*tube, error) {
	m, size := q.m, len(u)
	center := make([]jet.Jet, size)
	for i := range u {
		center[i] = u[i][0]
	}
	slopes, ok, err := q.gradients(m.Float(x.mid), q.values(center))
	if !ok || err != nil {
		return nil, err
	}
	rows := make([][]float64, size)
	for i := range rows {
		for j := range rows {
			rows[i] = append(rows[i], x.half*m.N.Float64(slopes[i][j].Val()))
		}
	}
	t := &tube{q: q, x: x, over: over, pairs: make([]bool, size),
		times: m.Const(m.N.Span(m.N.Float(x.start()), m.N.Float(x.end())))}
	t.basis, t.inverse = q.identity(size), q.identity(size)
	re, im, vectors, ok := linalg.EigenBasis(rows)
	if !ok || !finite(vectors) {
		return t, nil
	}
	sets := make([][]jet.Set, size)
	for i, row := range vectors {
		for _, v := range row {
			sets[i] = append(sets[i], m.N.Float(v))
		}
	}
	if system, ok := jet.NewSystem(m.N, sets); ok {
		t.basis, t.inverse = q.constants(sets), q.constants(system.Inverse())
		for k := 0; k < size-1; k++ {
			if t.pairs[k] = im[k] != 0 && (re[k] < -fast || math.Abs(im[k]) > turning); t.pairs[k] {
				k++
			}
		}
	}
	return t, nil
}

// precise tells whether what the defect adds is small, or noise. What the equation forgets does not
// add up.
func (t *tube) precise() bool {
	q := t.q
	for _, forgets := range []bool{false, true} {
		allowed := q.tol.MulFloat(2 * t.x.half)
		if forgets {
			allowed = q.tol.MulFloat(1.0 / 16)
		}
		added, noise := slices.Clone(t.added), slices.Clone(t.added)
		for k := range added {
			if t.forgets[k] != forgets {
				added[k] = q.m.Zero()
			}
			noise[k] = q.m.Mul(t.weight[k], t.noise[k])
		}
		least := q.mag(q.apply(t.basis, noise)...).MulFloat(mostNoise)
		if allowed.Max(least).Less(q.mag(q.apply(t.basis, added)...)) {
			return false
		}
	}
	return true
}

// mostNoise is how many times as large as the noise a defect may be in a bridge that is not
// shortened.
const mostNoise = 32

// enclose is bounds of z at the end, and the states during the bridge. They are nil if none are
// found.
func (t *tube) enclose() (end, during []jet.Jet, err error) {
	q, m := t.q, t.q.m
	guess := t.start
	for range 8 {
		states := q.apply(t.basis, guess)
		for i := range states {
			states[i] = m.Add(t.over[i], states[i])
		}
		slopes, ok, err := q.slopesOver(t.times, states)
		if !ok || err != nil {
			return nil, nil, err
		}
		end, next, ok := t.bounds(q.product(t.inverse, q.product(slopes, t.basis)), guess)
		if !ok {
			return nil, nil, nil
		}
		if q.within(next, guess) {
			return end, states, nil
		}
		for i := range next {
			next[i] = m.Map(next[i], func(x jet.Set, known bool) (jet.Set, bool) {
				return m.N.Widen(x, m.N.Width(x).MulFloat(0.1).Max(jet.Exp2(-200))), known
			})
		}
		guess = next
	}
	return nil, nil, nil
}

// bounds is the bounds of z at the end and during the bridge, as long as it is in a guess, where
// by is M but for the length of the bridge.
func (t *tube) bounds(by [][]jet.Jet, guess []jet.Jet) (end, during []jet.Jet, ok bool) {
	q, m, size := t.q, t.q.m, len(guess)
	end, during = make([]jet.Jet, size), make([]jet.Jet, size)
	t.added, t.weight, t.forgets = make([]jet.Jet, size), make([]jet.Jet, size), make([]bool, size)
	half := m.N.Float(t.x.half)
	for i := range by {
		for j := range by {
			by[i][j] = m.Scale(by[i][j], half)
		}
	}
	for i := 0; i < size; {
		group := []int{i}
		if t.pairs[i] {
			group = append(group, i+1)
		}
		start, defect, sum := t.norm(t.start, group), t.norm(t.defect, group), m.Zero()
		for _, k := range group {
			for j := range size {
				slope := by[k][j]
				if slices.Contains(group, j) {
					slope = slope.WithVal(m.N.Float(0))
				}
				sum = m.Add(sum, m.Mul(slope, guess[j]))
			}
		}
		sum = m.Add(defect, sum)
		rate := by[i][i].Val()
		if len(group) == 2 {
			turn := m.N.Mul(m.N.Add(by[i][i+1].Val(), by[i+1][i].Val()), m.N.Float(0.5))
			turn = m.N.Hull(turn, m.N.Neg(turn))
			rate = m.N.Add(m.N.Hull(rate, by[i+1][i+1].Val()), turn)
		}
		decay, weight, fits := t.growth(rate)
		if !fits {
			return nil, nil, false
		}
		last := q.symmetric([]jet.Jet{m.Add(m.Mul(decay, start), m.Mul(weight, sum))})[0]
		most := q.symmetric([]jet.Jet{m.Hull(start, last)})[0]
		for _, k := range group {
			end[k], during[k] = last, most
			t.added[k], t.weight[k] = m.Mul(weight, defect), weight
			t.forgets[k] = m.Less(rate, m.N.Float(-fast))
		}
		i += len(group)
	}
	return end, during, true
}

// norm bounds the Euclidean norm of some coordinates.
func (t *tube) norm(z []jet.Jet, group []int) jet.Jet {
	m := t.q.m
	most := z[group[0]]
	if len(group) == 2 {
		most = m.Mul(m.Hull(most, z[group[1]]), m.Float(1.4142135623730952))
	}
	return t.q.symmetric([]jet.Jet{most})[0]
}

// growth is upper bounds of e^(2μ) and of the integral of e^(μτ) for τ from 0 to 2.
func (t *tube) growth(rate jet.Set) (decay, weight jet.Jet, ok bool) {
	m := t.q.m
	if !m.N.Bounded(rate) {
		return decay, weight, false
	}
	mu := m.N.Upper(rate)
	if m.N.Float64(mu) > mostGrowth {
		return decay, weight, false
	}
	decay = m.Const(m.N.Upper(m.Exp(m.Scale(m.Const(mu), m.N.Float(2))).Val()))
	switch {
	case m.Less(mu, m.N.Float(-0.5)):
		weight = m.Quo(m.One(), m.Neg(m.Const(mu)))
	case m.N.Sign(mu) > 0:
		weight = m.Scale(decay, m.N.Float(2))
	default:
		weight = m.Scale(m.Const(m.N.Upper(m.N.Hull(decay.Val(), m.N.Float(1)))), m.N.Float(2))
	}
	return decay, m.Const(m.N.Upper(weight.Val())), true
}

// mostGrowth bounds the exponent of what a bridge may let grow.
const mostGrowth = 4

// symmetric is the hull of each coefficient and its negative.
func (q *flow) symmetric(xs []jet.Jet) []jet.Jet {
	m := q.m
	all := make([]jet.Jet, len(xs))
	for i, x := range xs {
		all[i] = m.Map(x, func(c jet.Set, known bool) (jet.Set, bool) {
			return m.N.Hull(c, m.N.Neg(c)), known
		})
	}
	return all
}
