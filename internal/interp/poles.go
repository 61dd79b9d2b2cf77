package interp

import "math"

// Across a pole a bounded function jumps: atan (1 / (x - c)) by π at c, which
// may move. So inside an integrand the side of a pole is a decision like that
// of a comparison (Note [Decisions]), though it changes nothing: the integral
// is split there.

// decidePole notes on which side of its poles a row is.
func (t *tape) decidePole(r *tapeRow, x, y, vx, vy float64) {
	sign := func(operand, value float64) {
		if t.decisions.about(t.mask(operand)) {
			t.decide(truth(!math.Signbit(value)), func() float64 { return operand })
		}
	}
	switch r.prim.Name {
	case "/":
		sign(y, vy)
	case "^": // with a negative exponent, given as vy
		if vy < 0 {
			sign(x, vx)
		}
	case "atan2": // of the ordinate first; it jumps across the negative abscissa
		if vy < 0 {
			sign(x, vx)
		}
	case "tan": // by its own sign, which changes between the same doubles as it does
		nearest := math.Round(vx/(math.Pi/2)) * (math.Pi / 2)
		t.decide(truth(r.one(vx) > 0), func() float64 { return t.difference(x, nearest) })
	default: // of the gamma family, at the integers below 1
		if vx < 0.5 {
			t.decideRounding("floor", x, vx)
		}
	}
}

// offPole moves a bound that lies on a pole, where a bounded function has values
// but no slopes, off it by a rounding error in the given direction, if what the
// slopes are beside it goes on further away: if it does not, they are infinite in
// earnest.
func (c *integralNode) offPole(t *tape, x, direction float64) float64 {
	at := func(offset float64) (linear, bool) {
		l, d := t.m.linearize(c.f, t.value(x)+offset, false)
		return l, d == nil && l.finite()
	}
	if _, ok := at(0); ok {
		return x
	}
	step := math.Abs(t.value(c.from))
	if to := math.Abs(t.value(c.to)); !math.IsInf(to, 0) {
		step = max(step, to)
	}
	step *= direction * epsilon
	near, ok := at(step)
	far, finite := at(256 * step)
	if ok && finite && near.settles(far) {
		return t.m.plus(x, step)
	}
	return x
}

// finite tells whether all derivatives are.
func (l linear) finite() bool { return !math.IsInf(l.largest(), 0) && !math.IsNaN(l.largest()) }

// largest is the absolute value of the largest derivative.
func (l linear) largest() float64 {
	largest := math.Abs(present(l.slope))
	for _, p := range l.captured {
		largest = max(largest, math.Abs(p.d))
	}
	return largest
}

// settles tells whether the derivatives are nearly those further away, and none
// of them grows on the way from there.
func (l linear) settles(far linear) bool {
	size := far.largest()
	same := func(x, y float64) bool {
		return math.Abs(x-y) <= 1e-6*size && math.Abs(x) <= 1.001*math.Abs(y)
	}
	all := same(present(l.slope), present(far.slope)) && len(l.captured) == len(far.captured)
	for k := 0; all && k < len(l.captured); k++ {
		p, q := l.captured[k], far.captured[k]
		all = p.of == q.of && same(p.d, q.d)
	}
	return all
}
