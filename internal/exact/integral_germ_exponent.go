package exact

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/exact/jet"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Exponents]. Most exponents are multiples of 1/grain, and are integers here. Any other is a
// set of reals t besides: -0.99 as a double is not -99/100, π is not rational, and a parameter may be
// known as an enclosure only. Exponents are compared as sets. Where that does not tell which of two
// is larger, a term is kept beside the other one, and whatever depends on the order is unknown. Two
// exponents are the same if their expressions are (package ball, Note [Expressions]), or if both are
// the same exact number.

const (
	// grain is the unit of exponents: what people write as an exponent is a multiple of it.
	grain = 720_000
	// slack is what a remainder without logarithms gives up for them.
	slack = grain / 8
	// largestPower bounds the exponents of terms.
	largestPower = 1 << 40
)

// exponents is arithmetic on them. Sums of doubles are exact.
var exponents = jet.NewMulti(192)

// germPower is an exponent, (n + t)/grain.
type germPower struct {
	n int64
	t *ball.Ball // nil for 0
}

// grains is the exponent n/grain.
func grains(n int64) germPower { return germPower{n: n} }

// germPowerOf is the exponent p/grain.
func germPowerOf(p *ball.Ball) germPower {
	if r, ok := p.Expr().Rat(); ok && r.IsInt() && r.Num().IsInt64() {
		return grains(r.Num().Int64())
	}
	if near := p.Float64(); p.IsExact() && math.Abs(near) < 1<<53 && p.Equal(ball.FromInt64(int64(near))) {
		return grains(int64(near))
	}
	if p.Expr() == nil {
		p = new(ball.Ball).Set(p).Named(ball.Point(p))
	}
	return germPower{t: p}
}

// plus is x + y.
func (x germPower) plus(y germPower) germPower {
	switch {
	case y.t == nil:
		return germPower{x.n + y.n, x.t}
	case x.t == nil:
		return germPower{x.n + y.n, y.t}
	}
	z := germPowerOf(exponents.Add(x.t, y.t))
	z.n += x.n + y.n
	return z
}

// minus is x - y.
func (x germPower) minus(y germPower) germPower {
	if x.t == y.t {
		return grains(x.n - y.n)
	}
	return x.plus(y.times(-1))
}

// times is k x.
func (x germPower) times(k int64) germPower {
	x.n *= k
	if x.t != nil {
		x.t = exponents.Mul(x.t, exponents.Int(k))
	}
	return x
}

// whole is grain x.
func (x germPower) whole() *ball.Ball {
	if x.t == nil {
		return exponents.Int(x.n)
	}
	return exponents.Add(x.t, exponents.Int(x.n))
}

// number is x.
func (x germPower) number() *ball.Ball { return exponents.Quo(x.whole(), exponents.Int(grain)) }

// sign is the certain sign of x.
func (x germPower) sign() int {
	if x.t != nil {
		return x.whole().Sign()
	}
	switch {
	case x.n > 0:
		return 1
	case x.n < 0:
		return -1
	}
	return 0
}

// isZero tells whether x is certainly 0.
func (x germPower) isZero() bool { return x.t == nil && x.n == 0 }

// below tells whether x < y for certain.
func (x germPower) below(y germPower) bool { return x.minus(y).sign() < 0 }

// near is x as a double, roughly, in units of 1/grain.
func (x germPower) near() float64 {
	if x.t == nil {
		return float64(x.n)
	}
	return x.whole().Float64()
}

// least is a double that is not above grain x.
func (x germPower) least() float64 {
	if x.t == nil {
		return float64(x.n)
	}
	lo, _ := x.whole().Float64s()
	return lo
}

// floor is the largest multiple of 1/grain that is certainly not above x, if x is not too large.
func (x germPower) floor() (y germPower, ok bool) {
	lo := x.least()
	if x.t != nil {
		x = grains(int64(math.Floor(min(max(lo, -1<<61), 1<<61))))
	}
	return x, math.Abs(lo) <= largestPower
}

// lesser is not above x, and not above y: the smaller one if that is known.
func lesser(x, y germPower) germPower {
	switch d := x.minus(y); {
	case d.sign() < 0 || d.isZero():
		return x
	case d.sign() > 0:
		return y
	}
	x, _ = x.floor()
	y, _ = y.floor()
	return grains(min(x.n, y.n))
}
