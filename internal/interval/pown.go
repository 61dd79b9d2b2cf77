package interval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Pown returns the tightest enclosure of {a^n}, where a^0 = 1 and negative
// powers leave out a = 0. |n| must be at most 2^31.
func Pown(x Interval, n int) Interval {
	switch {
	case x.IsEmpty():
		return x
	case n == 0:
		return Interval{1, 1}
	case n == 1:
		return x
	case n < 0 && x.Lo == 0 && x.Hi == 0:
		return Empty()
	case n&1 == 0:
		x = Abs(x)
	case x.Lo < 0 && x.Hi <= 0:
		return Neg(Pown(Neg(x), n))
	case x.Lo < 0: // odd power of an interval around zero
		if n < 0 {
			return line
		}
		return Interval{-pownUp(-x.Lo, n), pownUp(x.Hi, n)}
	}
	// x ≥ 0.
	if n < 0 {
		return Interval{pownDn(x.Hi, n), pownUp(x.Lo, n)}
	}
	return Interval{pownDn(x.Lo, n), pownUp(x.Hi, n)}
}

// Note [Tightest powers]
//
// The kernel gives x^n within |n|·2^-99 relative. If rounding both its bounds
// down gives the same double, that is the tightest lower end. It does not only
// when x^n is a double itself or within that distance of one. x = m·2^e with m
// odd: x^n is a double (overflow aside) exactly when n > 0 and m^n < 2^53, or
// m = 1; these are computed in integers. What remains, once in 2^40 or so for
// small n, is decided by evaluating with more bits until the bounds agree,
// which they do because x^n is not a double.

func pownDn(x float64, n int) float64 { return pownEnd(x, n, lower, scaleDn, big.ToNegativeInf) }
func pownUp(x float64, n int) float64 { return pownEnd(x, n, upper, scaleUp, big.ToPositiveInf) }

// pownEnd rounds x^n, for x ≥ 0 and n ≠ 0.
func pownEnd(x float64, n int, end func(kernel.Val) float64, scale func(float64, int) float64,
	mode big.RoundingMode) float64 {
	switch {
	case x == 0 && n < 0, math.IsInf(x, 1) && n > 0:
		return infinity
	case x == 0, math.IsInf(x, 1):
		return 0
	}
	if p, k, ok := exactPower(x, n); ok {
		return scale(p, k)
	}
	v := kernel.PownVal(x, n)
	low, high := v, v
	low.L, low.E = v.L-v.E, 0
	high.L, high.E = v.L+v.E, 0
	a, b := end(low), end(high)
	if a == b {
		return a
	}
	return pownHard(x, n, mode, end(v))
}

// exactPower returns p and k with x^n = p·2^k when p is a double.
func exactPower(x float64, n int) (p float64, k int, ok bool) {
	m, e := math.Frexp(x)
	i := uint64(m * 0x1p53)
	z := bits.TrailingZeros64(i)
	i, e = i>>z, e-53+z
	k = max(min(e, 1<<12), -1<<12) * max(min(n, 1<<13), -1<<13)
	if i == 1 {
		return 1, k, true
	}
	if n < 0 || n > 53 {
		return 0, 0, false
	}
	r := uint64(1)
	for range n {
		hi, lo := bits.Mul64(r, i)
		if hi != 0 || lo >= 1<<53 {
			return 0, 0, false
		}
		r = lo
	}
	return float64(r), k, true
}

// pownHard decides in multi-precision what the kernel could not. If even 10,000 bits do not
// decide, it falls back to the kernel's sound end.
func pownHard(x float64, n int, mode big.RoundingMode, otherwise float64) float64 {
	for prec := uint(300); prec < 10_000; prec *= 4 {
		b := new(big.Float).SetPrec(prec).SetFloat64(x)
		r := new(big.Float).SetPrec(prec).SetInt64(1)
		for i := max(n, -n); i > 0; i >>= 1 {
			if i&1 == 1 {
				r.Mul(r, b)
			}
			b.Mul(b, b)
		}
		if n < 0 {
			r.Quo(new(big.Float).SetPrec(prec).SetInt64(1), r)
		}
		// At most 2^33 roundings' worth of relative error 2^-prec.
		e := new(big.Float).SetMantExp(r, 40-int(prec))
		lo := new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf).Sub(r, e)
		hi := new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf).Add(r, e)
		if a, b := directed(lo, mode), directed(hi, mode); a == b {
			return a
		}
	}
	return otherwise
}

// directed rounds a big.Float to a double, downward or upward.
func directed(v *big.Float, mode big.RoundingMode) float64 {
	f, acc := v.Float64()
	switch {
	case mode == big.ToNegativeInf && acc == big.Above:
		return nextDn(f)
	case mode == big.ToPositiveInf && acc == big.Below:
		return nextUp(f)
	}
	return f
}

// Rootn encloses {a^(1/n)} for n ≠ 0: real n-th roots, of negative numbers too
// when n is odd. Exact roots are exact.
func Rootn(x Interval, n int) Interval {
	switch {
	case n == 0:
		return Empty()
	case n < 0:
		return Recip(Rootn(x, -n))
	case n&1 == 0:
		x = Intersect(x, halfLine)
	case x.Lo < 0 && x.Hi <= 0:
		return Neg(Rootn(Neg(x), n))
	case x.Lo < 0:
		return Interval{-root(-x.Lo, n).Hi, root(x.Hi, n).Hi}
	}
	if x.IsEmpty() {
		return x
	}
	return Interval{root(x.Lo, n).Lo, root(x.Hi, n).Hi}
}

// root encloses x^(1/n) for x ≥ 0, n ≥ 1.
func root(x float64, n int) Interval {
	switch {
	case x == 0 || x == 1 || math.IsInf(x, 1) || n == 1:
		return Interval{x, x}
	case n == 2:
		return Interval{sqrtDn(x), sqrtUp(x)}
	}
	v := kernel.RootnVal(x, n)
	c := v.Nearest()
	if p, k, ok := exactPower(c, n); ok && math.Ldexp(x, -k) == p {
		return Interval{c, c}
	}
	return enclose(v)
}
