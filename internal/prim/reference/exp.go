package reference

import (
	"math"
	"math/big"
)

// Exp returns e^x for |x| < 2^20, by Taylor's series after halving, and squaring.
func Exp(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return integer(1)
	}
	if !below(x, 20) {
		return nil
	}
	n := nearest(div(x, Ln2()))
	const halvings = 20
	r := scale(sub(x, mul(real0().SetInt(n), Ln2())), -halvings)
	y := series(one, func(t *big.Float, k int64) *big.Float { return over(mul(t, r), k) })
	for range halvings {
		y = mul(y, y)
	}
	return scale(y, int(n.Int64()))
}

// Expm1 returns e^x - 1.
func Expm1(x *big.Float) *big.Float {
	if !below(x, -10) {
		if y := Exp(x); y != nil {
			return sub(y, one)
		}
		return nil
	}
	return series(x, func(t *big.Float, k int64) *big.Float { return over(mul(t, x), k+1) })
}

// Log returns the natural logarithm, by Halley's method on Exp.
func Log(x *big.Float) *big.Float {
	if x.Sign() <= 0 {
		return nil
	}
	if d := sub(x, one); below(d, -10) {
		return Log1p(d)
	}
	m := real0()
	e := x.MantExp(m)
	start, _ := m.Float64()
	y := New(math.Log(start))
	for range 3 { // 50, 150, 450 bits
		exp := Exp(y)
		y = add(y, scale(div(sub(m, exp), add(m, exp)), 1))
	}
	return add(y, mul(integer(int64(e)), Ln2()))
}

// Log1p returns log (1 + x).
func Log1p(x *big.Float) *big.Float {
	if !below(x, -10) {
		return Log(add(one, x))
	}
	return scale(atanhSeries(div(x, add(integer(2), x))), 1)
}

// Pow returns e^(y log x) for x > 0.
func Pow(x, y *big.Float) *big.Float {
	log := Log(x)
	if log == nil {
		return nil
	}
	return Exp(mul(y, log))
}

// Sinh returns the hyperbolic sine.
func Sinh(x *big.Float) *big.Float {
	t := Expm1(abs(x))
	if t == nil {
		return nil
	}
	y := scale(add(t, div(t, add(t, one))), -1)
	if x.Sign() < 0 {
		return neg(y)
	}
	return y
}

// Cosh returns the hyperbolic cosine.
func Cosh(x *big.Float) *big.Float {
	t := Exp(x)
	if t == nil {
		return nil
	}
	return scale(add(t, div(one, t)), -1)
}

// Tanh returns the hyperbolic tangent.
func Tanh(x *big.Float) *big.Float {
	t := Expm1(scale(x, 1))
	if t == nil { // 1 - |tanh x| is below 2^-Prec
		return integer(int64(x.Sign()))
	}
	return div(t, add(t, integer(2)))
}

// Asinh returns log (x + √(x² + 1)).
func Asinh(x *big.Float) *big.Float {
	a, square := abs(x), mul(x, x)
	y := Log1p(add(a, div(square, add(one, Sqrt(add(one, square))))))
	if x.Sign() < 0 {
		return neg(y)
	}
	return y
}

// Acosh returns log (x + √(x² - 1)).
func Acosh(x *big.Float) *big.Float {
	t := sub(x, one)
	if t.Sign() < 0 {
		return nil
	}
	return Log1p(add(t, Sqrt(mul(t, add(t, integer(2))))))
}

// Atanh returns ½ log ((1+x) / (1-x)).
func Atanh(x *big.Float) *big.Float {
	if abs(x).Cmp(one) >= 0 {
		return nil
	}
	return scale(Log1p(div(scale(x, 1), sub(one, x))), -1)
}

// Sigmoid returns 1 / (1 + e^-x).
func Sigmoid(x *big.Float) *big.Float {
	t := Exp(neg(x))
	if t == nil {
		return nil
	}
	return div(one, add(one, t))
}

// Softplus returns log (1 + e^x).
func Softplus(x *big.Float) *big.Float {
	t := Exp(x)
	if t == nil {
		return nil
	}
	return Log1p(t)
}

// LogSumExp returns log (Σ e^x) of at least one number.
func LogSumExp(xs ...*big.Float) *big.Float {
	largest := xs[0]
	for _, x := range xs {
		if x.Cmp(largest) > 0 {
			largest = x
		}
	}
	sum := real0()
	for _, x := range xs {
		t := Exp(sub(x, largest))
		if t == nil {
			continue // e^(-2^20) is negligible beside 1
		}
		sum.Add(sum, t)
	}
	return add(largest, Log(sum))
}
