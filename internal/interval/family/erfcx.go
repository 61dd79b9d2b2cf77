package family

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Note [Scaled error function]
//
// erfcx x = e^(x²) erfc x is 2/√π ∫ e^(-s²-2sx) ds over s > 0, so that its derivatives are
//
//	erfcx^(n) x = 2/√π (-2)^n ∫ s^n e^(-s²-2sx) ds
//
// None changes its sign, and their absolute values fall. They are computed in two ways. Where x is
// large, e^(-s²) is expanded:
//
//	2/√π (-2)^n Σ_k (-1)^k (n+2k)! / (k! (2x)^(n+2k+1))
//
// The partial sums of e^(-s²) enclose it, so the remainder is at most the first term left out.
// Elsewhere W' = 2x W - 2/√π and W^(k+1) = 2x W^(k) + 2k W^(k-1), with more bits for what cancels.

// Erfcx is the function erfcx on the reals.
var Erfcx = &Function{
	extend: func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball {
		n, x := ints[0], xs[0]
		if x.IsExact() {
			return erfcx(n, x, q)
		}
		return hull(erfcx(n, ball.New().Lower(x), q), erfcx(n, ball.New().Upper(x), q), q)
	},
	domain: []interval.Interval{interval.Entire()},
	open:   []bool{false},
	rising: []int{-1},
	values: interval.Interval{Lo: 0, Hi: math.Inf(1)},
	limit: func(ints []int64, xs []float64) (float64, bool) {
		sign := float64(1 - 2*(ints[0]%2))
		switch {
		case math.IsInf(xs[0], 1):
			return math.Copysign(0, sign), true
		case math.IsInf(xs[0], -1):
			return math.Copysign(math.Inf(1), sign), true
		}
		return 0, false
	},
	quick: func(ints []int64, xs []float64) (float64, bool) {
		return kernel.ErfcxDerivative(ints[0], xs[0])
	},
}

// erfcx returns the derivative of order n at a point.
func erfcx(n int64, x *ball.Ball, q uint) *ball.Ball {
	at := x.Float64()
	if at > math.Sqrt(float64(q))+float64(n)+2 { // then the terms fall to e^-q
		return erfcxFar(n, x, q)
	}
	more := uint(max(float64(n)*(2*math.Log2(1+math.Abs(at))+2), 0))
	if at > 0 {
		more += uint(3*at*at) + 16 // e^(x²) erfc x is as small as its factors are large
	}
	p := q + more + 16
	square := ball.New().Sqr(x, p+uint(2*max(math.Log2(1+math.Abs(at)), 0)))
	w := ball.New().Mul(ball.New().Exp(square, p), ball.New().Erfc(x, p), p)
	slope := ball.New().Sqrt(ball.New().Pi(p), p)
	slope.Quo(ball.FromInt64(-2), slope, p)
	twice := ball.New().Mul2(x, 1)
	last := ball.New()
	for k := range n {
		next := ball.New().Mul(twice, w, p)
		if k == 0 {
			next.Add(next, slope, p)
		}
		next.Add(next, ball.New().Mul(ball.FromInt64(2*k), last, p), p)
		last, w = w, next
	}
	return w
}

// erfcxFar sums the expansion of Note [Scaled error function].
func erfcxFar(n int64, x *ball.Ball, q uint) *ball.Ball {
	p := q + 16
	inverse := ball.New().Recip(ball.New().Mul2(x, 1), p)
	z := ball.New().Sqr(inverse, p)
	term := ball.FromInt64(1)
	for k := range n { // n!/(2x)^(n+1), with the signs of the derivative
		term.Mul(term, ball.FromInt64(-2*(k+1)), p)
		term.Mul(term, inverse, p)
	}
	term.Mul(term, inverse, p)
	first := ball.New().Set(term)
	sum := ball.New()
	for k := int64(0); ; k++ {
		size := ball.New().Mul2(term, int64(p))
		if small := size.Quo(size, first, 32); ball.New().Abs(small).Less(ball.FromInt64(1)) ||
			k > 4*int64(p) {
			break
		}
		sum.Add(sum, term, p)
		term.Mul(term, z, p)
		term.Mul(term, ball.FromInt64(-(n+2*k+1)*(n+2*k+2)), p)
		term.Quo(term, ball.FromInt64(k+1), p)
	}
	sum.AddRad(sum, term)
	root := ball.New().Sqrt(ball.New().Pi(p), p)
	return sum.Quo(sum.Mul2(sum, 1), root, p)
}
