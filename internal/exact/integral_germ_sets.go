package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Germs as sets: what the searches ask of numbers.

// Sign is the certain sign of x for all u.
func (g germs) Sign(x *ball.Ball) int { return g.sign(g.get(x)) }

// Less tells whether x < y for all u.
func (g germs) Less(x, y *ball.Ball) bool { return g.Sign(g.Sub(y, x)) > 0 }

// withoutConstant is x, whose constant is 0.
func (g germs) withoutConstant(x *ball.Ball) *ball.Ball {
	if _, z, ok := g.split(g.get(x)); ok {
		return g.put(z)
	}
	return x
}

// align writes two germs as one power of u times sets.
func (g germs) align(x, y *ball.Ball) (power germPower, xs, ys *ball.Ball, ok bool) {
	flat := func(x *ball.Ball) (germPower, *ball.Ball, bool) {
		if h := g.get(x); !h.null() {
			return g.flat(h)
		}
		return grains(largestPower), new(ball.Ball), true
	}
	p, xs, ok := flat(x)
	q, ys, also := flat(y)
	if !ok || !also {
		return power, nil, nil, false
	}
	power = lesser(p, q)
	return power, g.bound(term{power: p, c: xs}, power), g.bound(term{power: q, c: ys}, power), true
}

// Hull contains both.
func (g germs) Hull(x, y *ball.Ball) *ball.Ball {
	if !g.moves(x) && !g.moves(y) {
		return g.Multi.Hull(x, y)
	}
	power, xs, ys, ok := g.align(x, y)
	if !ok {
		return g.put(germ{lost: true})
	}
	return g.put(remainder(power, g.Multi.Hull(xs, ys)))
}

// Intersect contains what both have in common.
func (g germs) Intersect(x, y *ball.Ball) *ball.Ball {
	switch {
	case !g.moves(x) && !g.moves(y):
		return g.Multi.Intersect(x, y)
	case !g.moves(y):
		return y
	}
	return x
}

// Ends are doubles on either side of all values.
func (g germs) Ends(x *ball.Ball) (lo, hi float64) {
	lo, hi = g.set(x).Float64s()
	h := g.get(x)
	if !g.moves(x) || h.lost {
		return lo, hi
	}
	_, set, above, below := g.bracket(h)
	least, most := set.Float64s()
	if least >= 0 && !below {
		lo = math.Max(lo, 0)
	}
	if most <= 0 && !above {
		hi = math.Min(hi, 0)
	}
	return lo, hi
}

// IsPoint tells whether x is one real for all u.
func (g germs) IsPoint(x *ball.Ball) bool { return !g.moves(x) && x.IsExact() }

// Bounded tells whether the values are.
func (g germs) Bounded(x *ball.Ball) bool { return g.set(x).IsFinite() }

// Within tells whether x is certainly a part of y.
func (g germs) Within(x, y *ball.Ball) bool {
	return !g.moves(x) && !g.moves(y) && g.Multi.Within(x, y)
}

// Mid is a point near the middle of the values.
func (g germs) Mid(x *ball.Ball) *ball.Ball { return g.Multi.Mid(g.set(x)) }

// Lower is a lower bound of the values.
func (g germs) Lower(x *ball.Ball) *ball.Ball { return g.Multi.Lower(g.set(x)) }

// Upper is an upper bound of the values.
func (g germs) Upper(x *ball.Ball) *ball.Ball { return g.Multi.Upper(g.set(x)) }

// Span contains all from x to y.
func (g germs) Span(x, y *ball.Ball) *ball.Ball {
	xs, ys := g.set(x), g.set(y)
	if !xs.IsFinite() || !ys.IsFinite() {
		return g.Whole()
	}
	return g.Multi.Hull(xs, ys)
}

// Widen is x ± by.
func (g germs) Widen(x *ball.Ball, by jet.Mag) *ball.Ball {
	return g.Add(x, g.Multi.Widen(new(ball.Ball), by))
}

// Float64 is a double near the values.
func (g germs) Float64(x *ball.Ball) float64 { return g.set(x).Float64() }

// Width is at least the width of the values.
func (g germs) Width(x *ball.Ball) jet.Mag { return g.Multi.Width(g.set(x)) }

// Mag is at least every absolute value.
func (g germs) Mag(x *ball.Ball) jet.Mag { return g.Multi.Mag(g.set(x)) }

// Mig is at most every absolute value.
func (g germs) Mig(x *ball.Ball) jet.Mag {
	if h := g.get(x); g.sign(h) != 0 && h.least == nil && h.scale == nil {
		if power, set, _, _ := g.bracket(h); power.isZero() || power.sign() < 0 {
			return g.Multi.Mig(set)
		}
	}
	return jet.Mag{}
}

// String shows the values.
func (g germs) String(x *ball.Ball) string { return g.Multi.String(g.set(x)) }
