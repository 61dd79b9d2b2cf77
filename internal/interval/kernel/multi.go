package kernel

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [Near zeros]
//
// Where two terms of a kernel cancel, a double-double has no bits to spare: the
// error is relative to the terms and not to their difference. There the
// kernels ask the multi-precision tier, whose functions take as many bits as it
// needs for a relative radius of 2^(4-multiBits). This is slow (some 10 µs and more) and
// allocates; but it happens only for a few arguments in a thousand, unless
// somebody looks for zeros.
//
// With k chosen so that 1/2 ≤ |mid|·2^-k < 1, H is the midpoint rounded to a double, L
// the rest rounded, and the ball less H and L, exact but for a radius far below
// 2^-110, contains f(x)·2^-k - H - L. E is twice the larger end of that and
// 2^-100 more, as Note [Budgets] asks. So the Val is sound whatever the ball's
// radius; that it is narrow follows from the ball's own contract.

// multiBits is the precision asked for: that of a double-double and some.
const multiBits = 120

// multi turns a function of the multi-precision tier, evaluated at a point, into a Val.
func multi(b *ball.Ball) Val {
	if !b.IsFinite() {
		return Val{E: math.Inf(1)}
	}
	man, exp := b.Dyadic()
	k := exp + int64(man.BitLen())
	b.Mul2(b, -k)
	h := b.Float64()
	b.Sub(b, ball.FromFloat64(h), 4*multiBits)
	l := b.Float64()
	b.Sub(b, ball.FromFloat64(l), 4*multiBits)
	lo, hi := b.Float64s()
	return Val{h, l, 2*math.Max(hi, -lo) + math.Abs(h)*0x1p-100, int(k)}
}
