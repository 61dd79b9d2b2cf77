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
