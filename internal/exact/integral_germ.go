package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Germs]. No finite number of evaluations over sets bounds x^(-1/2) near 0, or
// exp(-x²) near infinity. So f is evaluated once more, in another number: a germ
// is a function of u in (0, 1], enclosed as
//
//	k + u^p Y,   k and Y sets, p a rational,
//
// for all u at once. The argument is x = a + w u next to an end a of a cell, or x = L / u
// towards infinity, and the rules below keep the powers of u apart that sets would mix up:
//
//	u^p Y · u^q Z = u^(p+q) Y Z          √(u^p Y) = u^(p/2) √Y
//	u^p Y + u^q Z ⊆ u^p (Y + Z [0, 1])   if p <= q
//	log (u^p Y) ⊆ p u^(-1/8) [-8/e, 0] + log Y
//	exp (u^p Y) ⊆ u^(-pc) [0, (c/(e m))^c] for p < 0, Y <= -m < 0 and any c > 0
//
// (the last two because u^δ |log u| <= 1/(e δ) and e^(-z) z^c <= (c/e)^c). What they cannot
// keep is lost, and whatever is computed from it as well.
//
// A logarithm keeps a second form, t log u + r with a set t and a germ r. Sums and constant
// multiples keep it, so that exp finds a power of u in the likelihoods of statistics, exp (2
// log x + 3 log (1 - x)):
//
//	exp (t log u + r) = u^t exp r
//
// A constant k is kept beside a power so that 1 - x at x = 1 - u is u again. Elsewhere
// it is merged: k + u^p Y ⊆ u^0 (k + Y [0, 1]) for p > 0.
//
// The derivatives by what is captured are germs too. That the integral of the derivative is
// that of the integral's needs a bound that is uniform in a neighbourhood of what is captured.
// Each rule gives one, for its conditions are open (a sign of Y, a sign of p), and a factor
// that happens to be [0, 0] keeps its power. The only exception is a constant that vanishes: 1
// - x again. A function that moves the 1 moves the singularity. So a germ remembers that a
// constant vanished, and then derivatives are unknown.

// grain is the unit of the powers of germs: a part of it is every fraction that people
// write as an exponent.
const grain = 720

// lost is the power of a germ of which nothing is known.
const lost = math.MinInt64

// germ is what a ball means besides its set Y, which it is itself.
type germ struct {
	power int64      // of u, in units of 1/grain
	base  *ball.Ball // k, or nil for 0
	log   *logForm   // another form of it, or nil
}

// logForm is the germ `times log u + rest`. rest has no such form.
type logForm struct{ times, rest *ball.Ball }

// germs is arithmetic on germs. A ball without an entry is a constant set.
type germs struct {
	jet.Multi
	of       map[*ball.Ball]germ
	vanished *bool // a constant did
}

var _ jet.Number[*ball.Ball] = germs{}

func newGerms(bits uint) germs {
	return germs{jet.NewMulti(bits), map[*ball.Ball]germ{}, new(bool)}
}

// make gives a set its meaning. y is fresh.
func (g germs) make(y *ball.Ball, power int64, base *ball.Ball) *ball.Ball {
	if power < -1<<32 || power > 1<<32 || !y.IsFinite() || base != nil && !base.IsFinite() {
		return g.lose()
	}
	if power != 0 || base != nil {
		g.of[y] = germ{power: power, base: base}
	}
	return y
}

func (g germs) lose() *ball.Ball {
	y := new(ball.Ball).SetWhole()
	g.of[y] = germ{power: lost}
	return y
}

// upToZero is [0, 1] x.
func (g germs) upToZero(x *ball.Ball) *ball.Ball { return g.Multi.Hull(x, new(ball.Ball)) }

// flat is a germ without a constant.
func (g germs) flat(x *ball.Ball) (power int64, y *ball.Ball) {
	m := g.of[x]
	switch {
	case m.base == nil:
		return m.power, x
	case m.power > 0:
		return 0, g.Multi.Add(m.base, g.upToZero(x))
	}
	return m.power, g.Multi.Add(x, g.upToZero(m.base))
}

// set is the hull of a germ's values, the line if they are not bounded.
func (g germs) set(x *ball.Ball) *ball.Ball {
	power, y := g.flat(x)
	switch {
	case power == 0:
		return y
	case power > 0:
		return g.upToZero(y)
	}
	return g.Whole()
}

// align writes two germs with the lower one of their powers.
func (g germs) align(x, y *ball.Ball) (power int64, xs, ys *ball.Ball) {
	p, xs := g.flat(x)
	q, ys := g.flat(y)
	switch {
	case p < q:
		return p, xs, g.upToZero(ys)
	case q < p:
		return q, g.upToZero(xs), ys
	}
	return p, xs, ys
}

func (g germs) isLost(x *ball.Ball) bool { return g.of[x].power == lost }

// split is a germ as constant and rest; a constant set has no rest.
func (g germs) split(x *ball.Ball) (base, rest *ball.Ball, power int64) {
	m, ok := g.of[x]
	if !ok {
		return x, nil, 0
	}
	return m.base, x, m.power
}

// join is the inverse of split.
func (g germs) join(base, rest *ball.Ball, power int64) *ball.Ball {
	if rest == nil {
		return new(ball.Ball).Set(base)
	}
	if base != nil && base.IsExact() && base.ContainsZero() {
		*g.vanished = true
		base = nil
	}
	return g.make(new(ball.Ball).Set(rest), power, base)
}

// withLog gives a germ that is also `times log u + rest` that form.
func (g germs) withLog(x, times, rest *ball.Ball) *ball.Ball {
	if m, ok := g.of[x]; ok && m.power != lost && !g.isLost(rest) {
		m.log = &logForm{times, rest}
		g.of[x] = m
	}
	return x
}

// Add is x + y.
func (g germs) Add(x, y *ball.Ball) *ball.Ball {
	sum := g.sum(x, y)
	times, rest := new(ball.Ball), []*ball.Ball{x, y}
	found := false
	for k, part := range rest {
		if l := g.of[part].log; l != nil {
			times, rest[k], found = g.Multi.Add(times, l.times), l.rest, true
		}
	}
	if !found {
		return sum
	}
	return g.withLog(sum, times, g.sum(rest[0], rest[1]))
}

// sum is x + y without its logarithms.
func (g germs) sum(x, y *ball.Ball) *ball.Ball {
	if g.isLost(x) || g.isLost(y) {
		return g.lose()
	}
	bx, rx, p := g.split(x)
	by, ry, q := g.split(y)
	base := bx
	if bx == nil {
		base = by
	} else if by != nil {
		base = g.Multi.Add(bx, by)
	}
	switch {
	case rx == nil:
		rx, p = ry, q
	case ry == nil:
	case p <= q:
		if p < q {
			ry = g.upToZero(ry)
		}
		rx = g.Multi.Add(rx, ry)
	default:
		rx, p = g.Multi.Add(g.upToZero(rx), ry), q
	}
	if rx != nil && p <= 0 && base != nil { // a constant beside a pole is of no use
		rx = g.Multi.Add(rx, g.upToZero(base))
		base = nil
	}
	return g.join(base, rx, p)
}

// Sub is x - y.
func (g germs) Sub(x, y *ball.Ball) *ball.Ball { return g.Add(x, g.Neg(y)) }

// Neg is -x.
func (g germs) Neg(x *ball.Ball) *ball.Ball {
	m, ok := g.of[x]
	y := g.Multi.Neg(x)
	if !ok {
		return y
	}
	if m.power == lost {
		return g.lose()
	}
	if m.base != nil {
		m.base = g.Multi.Neg(m.base)
	}
	y = g.make(y, m.power, m.base)
	if l := m.log; l != nil {
		return g.withLog(y, g.Multi.Neg(l.times), g.Neg(l.rest))
	}
	return y
}

// Mul is x y.
func (g germs) Mul(x, y *ball.Ball) *ball.Ball {
	product := g.product(x, y)
	if g.of[x].log == nil {
		x, y = y, x
	}
	if _, moves := g.of[y]; g.of[x].log == nil || moves {
		return product
	}
	l := g.of[x].log
	return g.withLog(product, g.Multi.Mul(l.times, y), g.product(l.rest, y))
}

// product is x y without its logarithms.
func (g germs) product(x, y *ball.Ball) *ball.Ball {
	if g.isLost(x) || g.isLost(y) {
		return g.lose()
	}
	bx, rx, p := g.split(x)
	by, ry, q := g.split(y)
	if bx == nil || by == nil || rx == nil && ry == nil {
		px, xs := g.flat(x)
		py, ys := g.flat(y)
		return g.make(g.Multi.Mul(xs, ys), px+py, nil)
	}
	// (a + A)(b + B) = a b + (a B + b A + A B)
	base := g.Multi.Mul(bx, by)
	var sum *ball.Ball
	if ry != nil {
		sum = g.make(g.Multi.Mul(bx, ry), q, nil)
	}
	if rx != nil {
		part := g.make(g.Multi.Mul(by, rx), p, nil)
		if sum != nil {
			sum = g.sum(g.sum(sum, part), g.make(g.Multi.Mul(rx, ry), p+q, nil))
		} else {
			sum = part
		}
	}
	return g.sum(base, sum)
}

// Quo is x / y, where y is not 0.
func (g germs) Quo(x, y *ball.Ball) *ball.Ball {
	quotient := g.quotient(x, y)
	if _, moves := g.of[y]; g.of[x].log == nil || moves {
		return quotient
	}
	l := g.of[x].log
	return g.withLog(quotient, g.Multi.Quo(l.times, y), g.quotient(l.rest, y))
}

// quotient is x / y without its logarithms.
func (g germs) quotient(x, y *ball.Ball) *ball.Ball {
	if g.isLost(x) || g.isLost(y) {
		return g.lose()
	}
	if bx, rx, p := g.split(x); bx != nil && rx != nil {
		if by, ry, _ := g.split(y); ry == nil {
			return g.make(g.Multi.Quo(rx, by), p, g.Multi.Quo(bx, by))
		}
	}
	p, xs := g.flat(x)
	q, ys := g.flat(y)
	return g.make(g.Multi.Quo(xs, ys), p-q, nil)
}

// ---- sets

// Sign is the certain sign of x for all u.
func (g germs) Sign(x *ball.Ball) int {
	if g.isLost(x) {
		return 0
	}
	_, y := g.flat(x)
	return y.Sign()
}

// Less tells whether x < y for all u.
func (g germs) Less(x, y *ball.Ball) bool { return g.Sign(g.Sub(y, x)) > 0 }

// Hull contains both.
func (g germs) Hull(x, y *ball.Ball) *ball.Ball {
	if g.isLost(x) || g.isLost(y) {
		return g.lose()
	}
	power, xs, ys := g.align(x, y)
	return g.make(g.Multi.Hull(xs, ys), power, nil)
}

// Intersect contains what both have in common.
func (g germs) Intersect(x, y *ball.Ball) *ball.Ball {
	_, moves := g.of[x]
	_, turns := g.of[y]
	switch {
	case !moves && !turns:
		return g.Multi.Intersect(x, y)
	case !turns:
		return y
	}
	return x
}

// Ends are doubles on either side of all values.
func (g germs) Ends(x *ball.Ball) (lo, hi float64) {
	power, y := g.flat(x)
	lo, hi = y.Float64s()
	switch {
	case power == lost:
		return math.Inf(-1), math.Inf(1)
	case power > 0:
		return math.Min(lo, 0), math.Max(hi, 0)
	case power < 0:
		if lo < 0 {
			lo = math.Inf(-1)
		}
		if hi > 0 {
			hi = math.Inf(1)
		}
	}
	return lo, hi
}

// IsPoint tells whether x is one real for all u.
func (g germs) IsPoint(x *ball.Ball) bool { _, ok := g.of[x]; return !ok && x.IsExact() }

// Bounded tells whether the values are.
func (g germs) Bounded(x *ball.Ball) bool { return g.set(x).IsFinite() }

// Within tells whether x is certainly a part of y.
func (g germs) Within(x, y *ball.Ball) bool {
	_, moves := g.of[x]
	_, turns := g.of[y]
	return !moves && !turns && g.Multi.Within(x, y)
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
	if power, y := g.flat(x); power != lost && power <= 0 {
		return g.Multi.Mig(y)
	}
	return jet.Mag{}
}

// String shows the values.
func (g germs) String(x *ball.Ball) string { return g.Multi.String(g.set(x)) }
