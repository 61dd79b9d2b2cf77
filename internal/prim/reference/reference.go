// Package reference computes the elementary and special functions slowly and accurately with
// math/big, by textbook series and identities. Tests compare the kernels with it. It shares no
// code, no constant and, where possible, no formula with them.
//
// Arguments are exact. A result has at least 200 correct bits relative to its size, also near the
// zeros of the functions at a double. Functions return nil outside their domain.
package reference

import (
	"math"
	"math/big"
	"sync"
)

// Prec is the precision of the arithmetic. 400 bits leave room for what the identities below
// lose.
const Prec = 400

// guard is the precision of π: enough to reduce the largest double, with Prec bits to spare.
const guard = 1024 + 2*Prec

// New returns an exact double.
func New(x float64) *big.Float { return real0().SetFloat64(x) }

func real0() *big.Float              { return new(big.Float).SetPrec(Prec) }
func integer(n int64) *big.Float     { return real0().SetInt64(n) }
func add(x, y *big.Float) *big.Float { return real0().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return real0().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return real0().Mul(x, y) }
func div(x, y *big.Float) *big.Float { return real0().Quo(x, y) }
func neg(x *big.Float) *big.Float    { return real0().Neg(x) }
func abs(x *big.Float) *big.Float    { return real0().Abs(x) }

// scale returns x · 2^k.
func scale(x *big.Float, k int) *big.Float { return real0().SetMantExp(x, k) }

// over returns x / n.
func over(x *big.Float, n int64) *big.Float { return div(x, integer(n)) }

var one = integer(1)

// below reports whether |x| < 2^k.
func below(x *big.Float, k int) bool { return x.Sign() == 0 || x.MantExp(nil) <= k }

// nearest returns the integer nearest to x.
func nearest(x *big.Float) *big.Int {
	half := big.NewFloat(0.5)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := new(big.Float).SetPrec(guard).Add(x, half).Int(nil)
	return n
}

func isInteger(x *big.Float) bool { return x.IsInt() }

// series sums terms until they no longer matter. next(t, k) returns the term after t, with index
// k.
func series(first *big.Float, next func(t *big.Float, k int64) *big.Float) *big.Float {
	sum, t := real0().Set(first), first
	for k := int64(1); t.Sign() != 0; k++ {
		t = next(t, k)
		if t.Sign() == 0 || t.MantExp(nil) < sum.MantExp(nil)-Prec-2 {
			break
		}
		sum.Add(sum, t)
	}
	return sum
}

// Pi is π, by Machin's formula, to the precision of argument reduction.
var Pi = sync.OnceValue(func() *big.Float {
	at := func(n int64) *big.Float { // atan 1/n
		x := new(big.Float).SetPrec(guard+20).Quo(big.NewFloat(1), new(big.Float).SetInt64(n))
		power, sum := new(big.Float).Copy(x), new(big.Float).Copy(x)
		square := new(big.Float).SetPrec(guard+20).Mul(x, x)
		for k := int64(3); power.MantExp(nil) > -guard-20; k += 2 {
			power.Mul(power, square).Neg(power)
			sum.Add(sum, new(big.Float).SetPrec(guard+20).Quo(power, new(big.Float).SetInt64(k)))
		}
		return sum
	}
	a, b := at(5), at(239)
	a.Mul(a, big.NewFloat(16))
	return a.Sub(a, b.Mul(b, big.NewFloat(4)))
})

// Ln2 is log 2 = 2 atanh 1/3.
var Ln2 = sync.OnceValue(func() *big.Float { return scale(atanhSeries(over(one, 3)), 1) })

// atanhSeries returns Σ x^(2k+1) / (2k+1).
func atanhSeries(x *big.Float) *big.Float {
	square, power := mul(x, x), x
	return series(x, func(_ *big.Float, k int64) *big.Float {
		power = mul(power, square)
		return over(power, 2*k+1)
	})
}

// Sqrt returns the square root.
func Sqrt(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return nil
	}
	return real0().Sqrt(x)
}

// Cbrt returns the cube root, by Newton's method.
func Cbrt(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	m := real0()
	e := x.MantExp(m)
	for e%3 != 0 {
		m, e = scale(m, -1), e+1
	}
	start, _ := m.Float64()
	y := New(math.Cbrt(start))
	for range 4 { // 50, 100, 200, 400 bits
		y = over(add(scale(y, 1), div(m, mul(y, y))), 3)
	}
	return scale(y, e/3)
}

// Hypot returns √(x² + y²).
func Hypot(x, y *big.Float) *big.Float { return Sqrt(add(mul(x, x), mul(y, y))) }

// PowInt returns x^n, by repeated multiplication.
func PowInt(x *big.Float, n int64) *big.Float {
	if n < 0 {
		if x.Sign() == 0 {
			return nil
		}
		return div(one, mul(x, PowInt(x, -(n+1)))) // -n may not fit
	}
	r, square := integer(1), x
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = mul(r, square)
		}
		square = mul(square, square)
	}
	return r
}
