package reference

import (
	"math/big"
	"sync"
)

// Erf returns the error function, by the series without cancellation
//
//	2/√π e^(-x²) Σ 2^k x^(2k+1) / (1·3·5·…·(2k+1)).
func Erf(x *big.Float) *big.Float {
	if !below(x, 5) {
		return integer(int64(x.Sign())) // within 2^-1400
	}
	return erfWide(x, Prec)
}

func erfWide(x *big.Float, prec uint) *big.Float {
	wide := func() *big.Float { return new(big.Float).SetPrec(prec) }
	square := wide().Mul(x, x)
	// Σ, and e^(-x²) as the reciprocal of another series of positive terms.
	term, sum := wide().Set(x), wide().Set(x)
	power, exp := wide().SetInt64(1), wide().SetInt64(1)
	for k := int64(1); ; k++ {
		power.Quo(power.Mul(power, square), wide().SetInt64(k))
		exp.Add(exp, power)
		term.Quo(term.Mul(term, wide().SetMantExp(square, 1)), wide().SetInt64(2*k+1))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(prec) && power.MantExp(
			nil) < exp.MantExp(nil)-int(prec) {
			break
		}
	}
	sum.Quo(sum, exp)
	sum.Quo(sum, wide().Sqrt(wide().Set(Pi())))
	return sum.SetMantExp(sum, 1)
}

// Erfc returns 1 - erf x, at a precision that makes up for the cancellation.
func Erfc(x *big.Float) *big.Float {
	if !below(x, 5) {
		if x.Sign() > 0 {
			return real0()
		}
		return integer(2)
	}
	f, _ := x.Float64()
	prec := uint(Prec + 1.5*f*f)
	wide := erfWide(x, prec)
	return real0().Set(wide.Sub(new(big.Float).SetPrec(prec).SetInt64(1), wide))
}

// Erfcx returns e^(x²) erfc x for x above -700. For large x it is the continued fraction
//
//	1/√π 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + …)))).
func Erfcx(x *big.Float) *big.Float {
	if below(x, 5) {
		return mul(Exp(mul(x, x)), Erfc(x))
	}
	if x.Sign() < 0 {
		y := Exp(mul(x, x))
		if y == nil {
			return nil
		}
		return scale(y, 1) // erfc x is 2 within 2^-1400
	}
	y := x
	for k := int64(600); k > 0; k-- {
		y = add(x, div(scale(integer(k), -1), y))
	}
	return div(one, mul(y, real0().Sqrt(real0().Set(Pi()))))
}

// ErfcxDerivative returns the derivative of order n of Erfcx: W' = 2x W - 2/√π, and the derivatives
// of this equation. Their terms cancel for large x, so they are summed with many bits there.
func ErfcxDerivative(n int64, x *big.Float) *big.Float {
	f, _ := x.Float64()
	if n < 0 || f < -700 || f > 1e15 {
		return nil
	}
	if f > 30 {
		// 2/√π (-2)^n Σ (-1)^k (n+2k)!/(k! (2x)^(n+2k+1)), until the terms are negligible.
		t := div(scale(one, 1), real0().Sqrt(real0().Set(Pi())))
		t = div(t, scale(x, 1))
		for k := int64(1); k <= n; k++ {
			t = neg(div(mul(t, integer(k)), x))
		}
		square := scale(mul(x, x), 2)
		return series(t, func(t *big.Float, k int64) *big.Float {
			return neg(div(mul(t, integer((n+2*k-1)*(n+2*k))), mul(integer(k), square)))
		})
	}
	w := Erfcx(x)
	slope := div(scale(one, 1), real0().Sqrt(real0().Set(Pi())))
	last := real0()
	for k := range n {
		next := mul(scale(x, 1), w)
		if k == 0 {
			next = sub(next, slope)
		}
		last, w = w, add(next, mul(integer(2*k), last))
	}
	return w
}

// shift is the argument from which on the asymptotic series are used. Their smallest term there
// is e^(-2π·shift), below 2^-600.
const shift = 70

// bernoulli returns the Bernoulli numbers of even index, B(2k) at k.
var bernoulli = sync.OnceValue(func() []*big.Float {
	const count = 2 * shift
	// Σ over j ≤ m of C(m+1, j) B(j) is 0.
	b := make([]*big.Rat, count+1)
	b[0] = big.NewRat(1, 1)
	for m := 1; m <= count; m++ {
		b[m] = new(big.Rat)
		if m > 1 && m%2 == 1 {
			continue
		}
		for j := range m {
			if b[j].Sign() != 0 {
				c := new(big.Int).Binomial(int64(m+1), int64(j))
				b[m].Add(b[m], new(big.Rat).Mul(new(big.Rat).SetInt(c), b[j]))
			}
		}
		b[m].Quo(b[m], big.NewRat(-int64(m+1), 1))
	}
	even := make([]*big.Float, count/2+1)
	for k := range even {
		even[k] = real0().SetRat(b[2*k])
	}
	return even
})

// isPole reports whether x is 0, -1, -2, ….
func isPole(x *big.Float) bool { return x.Sign() <= 0 && isInteger(x) }

// Lgamma returns log |Γ(x)|, by the recurrence and Stirling's series.
func Lgamma(x *big.Float) *big.Float {
	if isPole(x) {
		return nil
	}
	if x.Sign() < 0 {
		// |Γ(x) Γ(1-x)| = π / |sin πx|
		return sub(Log(div(Pi(), abs(sinPi(x)))), Lgamma(sub(one, x)))
	}
	product, limit := integer(1), integer(shift)
	for x.Cmp(limit) < 0 {
		product = mul(product, x)
		x = add(x, one)
	}
	log, half := Log(x), New(0.5)
	sum := sub(mul(sub(x, half), log), x)
	sum.Add(sum, mul(half, Log(scale(Pi(), 1))))
	power, square := x, mul(x, x)
	for k := int64(1); int(k) < len(bernoulli()); k++ {
		sum.Add(sum, over(div(bernoulli()[k], power), 2*k*(2*k-1)))
		power = mul(power, square)
	}
	return sub(sum, Log(product))
}

// sinPi returns sin πx. It subtracts the nearest integer first, which is exact.
func sinPi(x *big.Float) *big.Float {
	n := real0().SetInt(nearest(x))
	sin := Sin(mul(Pi(), sub(x, n)))
	if !isInteger(scale(n, -1)) {
		return neg(sin)
	}
	return sin
}

// Digamma returns the derivative of Lgamma, by the recurrence and the asymptotic
// series.
func Digamma(x *big.Float) *big.Float {
	if isPole(x) {
		return nil
	}
	if x.Sign() < 0 {
		// ψ(x) = ψ(1-x) - π cot πx
		f := sub(x, real0().SetInt(nearest(x)))
		return sub(Digamma(sub(one, x)), div(Pi(), Tan(mul(Pi(), f))))
	}
	sum, limit := real0(), integer(shift)
	for x.Cmp(limit) < 0 {
		sum.Sub(sum, div(one, x))
		x = add(x, one)
	}
	sum.Add(sum, sub(Log(x), div(New(0.5), x)))
	square := mul(x, x)
	power := square
	for k := int64(1); int(k) < len(bernoulli()); k++ {
		sum.Sub(sum, over(div(bernoulli()[k], power), 2*k))
		power = mul(power, square)
	}
	return sum
}

// Polygamma returns the n-th derivative of Digamma for n ≥ 1 and x above -1000, by the series
// itself and its asymptotic remainder.
func Polygamma(n int64, x *big.Float) *big.Float {
	if n < 1 || isPole(x) || x.Cmp(integer(-1000)) < 0 {
		return nil
	}
	sum, limit := real0(), integer(shift+n)
	for x.Cmp(limit) < 0 {
		sum.Add(sum, div(one, PowInt(x, n+1)))
		x = add(x, one)
	}
	factorial := real0().SetInt(new(big.Int).MulRange(1, n))
	sum = mul(sum, factorial)
	// (n-1)!/x^n + n!/2x^(n+1) + Σ B2k (2k+n-1)! / ((2k)! x^(2k+n))
	power := PowInt(x, n)
	sum.Add(sum, over(div(factorial, power), n))
	sum.Add(sum, div(scale(factorial, -1), mul(power, x)))
	square := mul(x, x)
	for k := int64(1); int(k) < len(bernoulli()); k++ {
		power = mul(power, square)
		c := real0().SetInt(new(big.Int).MulRange(2*k+1, 2*k+n-1))
		sum.Add(sum, mul(bernoulli()[k], div(c, power)))
	}
	if n%2 == 0 {
		return neg(sum)
	}
	return sum
}
