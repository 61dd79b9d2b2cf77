package family

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Note [Bessel functions]
//
// The functions are of integer order n. Derivatives of order m are sums over neighbours
// (DLMF 10.6.7, 10.29.5):
//
//	J_n^(m) = 2^-m Σ_k (-1)^k C(m, k) J_(n-m+2k),  Y the same,
//	I_n^(m) = 2^-m Σ_k C(m, k) I_(n-m+2k),         K the same with (-1)^m
//
// with J_-n = (-1)^n J_n, Y_-n = (-1)^n Y_n, I_-n = I_n and K_-n = K_n. At points there are two
// ways: power series (DLMF 10.2.2, 10.8.1, 10.25.2, 10.31.1), whose terms for J, Y and K cancel so
// that they take 1.5 x or 3 x bits more; and, where x is large beside n and the precision, the
// expansions in 1/x (DLMF 10.17.3, 10.17.4, 10.40.2), each of whose remainders is at most the first
// term left out once there are n/2 (for K: n) terms (DLMF 10.17(iii), 10.40(ii)).
//
// A power series has the terms t_k = (∓x²/4)^k / (k! (n+k)!). Their ratios fall, so that once
// one is at most 1/4 the rest is at most twice the first term left out, and so it is for
// the sums with ψ(k+1) + ψ(n+k+1), which is at most 2 (k+n+1) and grows by less than
// twice from term to term.
//
// On sets: |J_n| ≤ 1, so that its derivatives are at most 1 too; all derivatives of I_n on x ≥ 0
// rise from 0 or more, since its power series has no negative term; and those of K_n on x > 0 are
// monotone, since K_n is completely monotone.

// BesselJ is the function J_n(x), for any integer n and real x.
var BesselJ = bessel(besselJ, kernel.BesselJ, math.Inf(-1), -1, 1)

// BesselY is the function Y_n(x), for any integer n and x > 0.
var BesselY = bessel(besselY, kernel.BesselY, 0, -1, math.Inf(1))

// BesselI is the modified function I_n(x), for any integer n and real x.
var BesselI = bessel(besselI, kernel.BesselI, math.Inf(-1), 1, math.Inf(1))

// BesselK is the modified function K_n(x), for any integer n and x > 0.
var BesselK = bessel(besselK, kernel.BesselK, 0, 1, math.Inf(1))

// maxBesselOrder bounds n, and maxBesselSeries the arguments of power series.
const (
	maxBesselOrder  = 5000
	maxBesselSeries = 20000
)

// bessel makes a family of a function of order n ≥ 0 that is defined from lo on. sign is the sign
// in the sum over neighbours. No derivative exceeds bound. quick is a kernel of the function
// itself.
func bessel(
	base func(n int64, x *ball.Ball, q uint) *ball.Ball, quick func(n int64, x float64) (
		float64, bool),
	lo float64, sign int, bound float64,
) *Function {
	extend := func(ints []int64, x *ball.Ball, q uint) *ball.Ball {
		m, n := ints[0], ints[1]
		sum, binomial := ball.New(), ball.FromInt64(1)
		for k := int64(0); k <= m; k++ {
			order := n - m + 2*k
			y := base(max(order, -order), x, q)
			if y == nil {
				return nil
			}
			y.Mul(y, binomial, q)
			negative := sign < 0 && k%2 == 1
			if order < 0 && order%2 != 0 && sign < 0 {
				negative = !negative
			}
			if negative {
				y.Neg(y)
			}
			sum.Add(sum, y, q)
			binomial.Mul(binomial, ball.FromInt64(m-k), 1<<12)
			binomial.Quo(binomial, ball.FromInt64(k+1), 1<<12)
		}
		sum.Mul2(sum, -m)
		if lo == 0 && sign > 0 && m%2 == 1 {
			sum.Neg(sum)
		}
		return sum
	}
	monotone := sign > 0
	return &Function{
		quick: func(ints []int64, xs []float64) (float64, bool) {
			if ints[0] != 0 || ints[1] > maxBesselOrder || ints[1] < -maxBesselOrder {
				return 0, false
			}
			return quick(ints[1], xs[0])
		},
		extend: func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball {
			x := xs[0]
			if ints[1] > maxBesselOrder || ints[1] < -maxBesselOrder {
				return nil
			}
			if monotone && !x.IsExact() && x.Sign() > 0 {
				return hull(extend(ints, ball.New().Lower(x), q),
					extend(ints, ball.New().Upper(x), q), q)
			}
			y := extend(ints, x, q)
			if y != nil && bound == 1 && !x.IsExact() {
				y.Intersect(y, ball.FromFloat64s(-1, 1), q)
			}
			return y
		},
		domain: []interval.Interval{{Lo: lo, Hi: math.Inf(1)}},
		open:   []bool{lo == 0},
		values: interval.Interval{Lo: -bound, Hi: bound},
		limit:  func(ints []int64, xs []float64) (float64, bool) { return 0, false },
	}
}

func hull(x, y *ball.Ball, q uint) *ball.Ball {
	if x == nil || y == nil {
		return nil
	}
	return x.Hull(x, y, q)
}

// ---- power series

// ascending sums (±x²/4)^k / (k! (n+k)!) times (x/2)^n. With psi each term is multiplied by
// ψ(k+1) + ψ(n+k+1). It returns nil if x is too large.
func ascending(n int64, x *ball.Ball, negative, psi bool, q uint) *ball.Ball {
	_, size := ball.New().Abs(x).Float64s()
	if size > maxBesselSeries {
		return nil
	}
	square := ball.New().Sqr(x, q)
	square.Mul2(square, -2)
	if negative {
		square.Neg(square)
	}
	// (x/2)^n / n!
	t := ball.New().PowInt(ball.New().Mul2(x, -1), n, q)
	weight := ball.New() // H_k + H_(n+k) - 2γ
	weight.EulerGamma(q)
	weight.Mul2(weight, 1)
	weight.Neg(weight)
	for i := int64(1); i <= n; i++ {
		t.Quo(t, ball.FromInt64(i), q)
		weight.Add(weight, ball.New().Recip(ball.FromInt64(i), q), q)
	}
	sum, bits, peak := ball.New(), 0.0, 0.0
	for k := int64(0); ; k++ {
		ratio := size * size / 4 / float64((k+1)*(n+k+1))
		if bits < peak-float64(q) && ratio < 0.24 {
			rest := ball.New().Mul2(t, 1)
			if psi {
				rest.Mul(rest, ball.FromInt64(2*(k+n+1)), q)
			}
			return sum.AddRad(sum, rest)
		}
		term := t
		if psi {
			term = ball.New().Mul(t, weight, q)
			weight.Add(weight, ball.New().Recip(ball.FromInt64(k+1), q), q)
			weight.Add(weight, ball.New().Recip(ball.FromInt64(n+k+1), q), q)
		}
		sum.Add(sum, term, q)
		t.Mul(t, square, q)
		t.Quo(t, ball.FromInt64((k+1)*(n+k+1)), q)
		bits += math.Log2(ratio)
		peak = max(peak, bits)
		if ratio == 0 {
			return sum.AddRad(sum, ball.New().Mul(t, ball.FromInt64(4*(k+n+2)), q))
		}
	}
}

// cancels reports whether the terms of a power series on a set are so much larger than their sum
// that the sum has no good digits. Its error is that of the set times up to e^|x|.
func cancels(x *ball.Ball) bool {
	if x.IsExact() {
		return false
	}
	_, size := ball.New().Abs(x).Float64s()
	_, rad := ball.New().Rad(x).Float64s()
	return size > 16 && size+math.Log(rad) > 0
}

// finiteSum returns Σ_(k<n) (n-k-1)!/k! (±x²/4)^k times (x/2)^-n.
func finiteSum(n int64, x *ball.Ball, negative bool, q uint) *ball.Ball {
	square := ball.New().Sqr(x, q)
	square.Mul2(square, -2)
	if negative {
		square.Neg(square)
	}
	sum := ball.New()
	if n == 0 {
		return sum
	}
	t := factorialAt(n-1, q)
	for k := int64(0); k < n; k++ {
		sum.Add(sum, t, q)
		if k+1 < n {
			t.Mul(t, square, q)
			t.Quo(t, ball.FromInt64((k+1)*(n-k-1)), q)
		}
	}
	return sum.Quo(sum, ball.New().PowInt(ball.New().Mul2(x, -1), n, q), q)
}

func factorialAt(n int64, q uint) *ball.Ball {
	f := ball.FromInt64(1)
	for k := int64(2); k <= n; k++ {
		f.Mul(f, ball.FromInt64(k), q)
	}
	return f
}

// more returns the working precision of a series whose terms cancel.
func more(q uint, x *ball.Ball, rate float64) uint {
	_, size := ball.New().Abs(x).Float64s()
	return q + uint(rate*min(size, maxBesselSeries)) + 32
}

// ---- expansions in 1/x

// expansion sums a_k(n)/x^k for all k. With split, it sums the even and the odd ones separately,
// with the signs of J and Y. It returns nil if x is not large enough for q bits.
func expansion(n int64, x *ball.Ball, split bool, q uint) (even, odd *ball.Ball) {
	lo, _ := x.Float64s()
	if !(lo > float64(q)/2 && lo > float64(n)*float64(n)) {
		return nil, nil
	}
	even, odd = ball.New(), ball.New()
	t := ball.FromInt64(1)
	eight := ball.New().Recip(ball.New().Mul2(x, 3), q)
	last := [2]*ball.Ball{}
	for k := int64(0); k < 4*int64(lo); k++ {
		enough := k > n+2
		if split {
			enough = k > n+4 // in either sum more than n/2 + 1
		}
		size, limit := ball.New().Abs(t), ball.New().Mul2(ball.FromInt64(1), -int64(q)-2)
		if enough && size.Less(limit) {
			// t is the first term left out of the sum it would join.
			if last[k%2] == nil {
				last[k%2] = ball.New().Set(t)
			}
			if !split {
				return even.AddRad(even, t), odd
			}
			if last[0] != nil && last[1] != nil {
				return even.AddRad(even, last[0]), odd.AddRad(odd, last[1])
			}
		} else if last[k%2] == nil {
			into, negative := even, false
			if split {
				negative = k%4 > 1
				if k%2 == 1 {
					into = odd
				}
			}
			if negative {
				into.Sub(into, t, q)
			} else {
				into.Add(into, t, q)
			}
		}
		// a_(k+1)/a_k = (4n² - (2k+1)²) / (8 (k+1))
		t.Mul(t, ball.FromInt64(4*n*n-(2*k+1)*(2*k+1)), q)
		t.Quo(t, ball.FromInt64(k+1), q)
		t.Mul(t, eight, q)
	}
	return nil, nil
}

// waves are cos ω and sin ω for ω = x - nπ/2 - π/4, times √(2/(πx)).
func waves(n int64, x *ball.Ball, q uint) (cos, sin *ball.Ball) {
	s, c := ball.New().Sin(x, q), ball.New().Cos(x, q)
	cos, sin = ball.New().Add(c, s, q), ball.New().Sub(s, c, q) // times √2, for n = 0
	for range n % 4 {
		cos, sin = sin, ball.New().Neg(cos)
	}
	root := ball.New().Pi(q)
	root.Mul(root, x, q)
	root.Sqrt(root, q)
	return cos.Quo(cos, root, q), sin.Quo(sin, root, q)
}

// ---- the functions at points, and on small sets

func besselJ(n int64, x *ball.Ball, q uint) *ball.Ball {
	positive := ball.New().Abs(x)
	if even, odd := expansion(n, positive, true, q); even != nil {
		cos, sin := waves(n, positive, q)
		y := ball.New().Sub(cos.Mul(cos, even, q), sin.Mul(sin, odd, q), q)
		if x.Sign() < 0 && n%2 == 1 {
			y.Neg(y)
		}
		return y
	}
	if cancels(x) {
		return ball.FromFloat64s(-1, 1)
	}
	return ascending(n, x, true, false, more(q, x, 1.45))
}

func besselI(n int64, x *ball.Ball, q uint) *ball.Ball {
	return ascending(n, x, false, false, q+32)
}

func besselY(n int64, x *ball.Ball, q uint) *ball.Ball {
	if even, odd := expansion(n, x, true, q); even != nil {
		cos, sin := waves(n, x, q)
		return ball.New().Add(sin.Mul(sin, even, q), cos.Mul(cos, odd, q), q)
	}
	if cancels(x) {
		return nil
	}
	w := more(q, x, 1.45)
	j, sum := ascending(n, x, true, false, w), ascending(n, x, true, true, w)
	if j == nil || sum == nil {
		return nil
	}
	y := ball.New().Log(ball.New().Mul2(x, -1), w)
	y.Mul(y, j, w)
	y.Mul2(y, 1)
	y.Sub(y, sum, w)
	y.Sub(y, finiteSum(n, x, false, w), w)
	return y.Quo(y, ball.New().Pi(w), q)
}

func besselK(n int64, x *ball.Ball, q uint) *ball.Ball {
	if even, _ := expansion(n, x, false, q); even != nil {
		root := ball.New().Pi(q)
		root.Quo(root, ball.New().Mul2(x, 1), q)
		root.Sqrt(root, q)
		e := ball.New().Exp(ball.New().Neg(x), q)
		even.Mul(even, root, q)
		return even.Mul(even, e, q)
	}
	w := more(q, x, 2.9)
	i, sum := ascending(n, x, false, false, w), ascending(n, x, false, true, w)
	if i == nil || sum == nil {
		return nil
	}
	y := ball.New().Log(ball.New().Mul2(x, -1), w)
	y.Mul(y, i, w)
	y.Neg(y)
	y.Add(y, sum.Mul2(sum, -1), w)
	if n%2 == 1 {
		y.Neg(y)
	}
	s := finiteSum(n, x, true, w)
	return y.Add(y, s.Mul2(s, -1), q)
}
