package rectangle

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
)

// cut reports whether x may meet the negative reals or 0, where logarithms and roots are not
// analytic.
func (x Rect) cut() bool { return x.IsNone() || !(x.Re.Lo > 0) && x.Im.Contains(0) }

// Exp returns e^x.
func Exp(x Rect) Rect {
	r := interval.Exp(x.Re)
	return Rect{interval.Mul(r, interval.Cos(x.Im)), interval.Mul(r, interval.Sin(x.Im))}
}

// Expm1 returns e^x - 1.
func Expm1(x Rect) Rect { return Sub(Exp(x), Real(one)) }

// Exp2 returns 2^x.
func Exp2(x Rect) Rect { return Exp(x.scale(interval.Log(interval.Point(2)))) }

// Log returns the principal logarithm.
func Log(x Rect) Rect {
	if x.cut() {
		return None()
	}
	return Rect{interval.Log(interval.Hypot(x.Re, x.Im)), interval.Atan2(x.Im, x.Re)}
}

// Log1p returns log (1 + x).
func Log1p(x Rect) Rect { return Log(Add(Real(one), x)) }

// Log2 returns the logarithm to base 2.
func Log2(x Rect) Rect { return logTo(2, x) }

// Log10 returns the logarithm to base 10.
func Log10(x Rect) Rect { return logTo(10, x) }

func logTo(base float64, x Rect) Rect {
	return Log(x).scale(interval.Recip(interval.Log(interval.Point(base))))
}

// Sqrt returns the principal square root.
func Sqrt(x Rect) Rect {
	if x.cut() {
		return None()
	}
	r := interval.Sqrt(interval.Hypot(x.Re, x.Im))
	angle := interval.Mul(half, interval.Atan2(x.Im, x.Re))
	return Rect{interval.Mul(r, interval.Cos(angle)), interval.Mul(r, interval.Sin(angle))}
}

// Cbrt returns the cube root, which is real on the reals of either sign. The reals in x determine
// the branch.
func Cbrt(x Rect) Rect {
	switch {
	case !x.Im.Contains(0):
		return None()
	case x.Re.Hi < 0:
		return Neg(Cbrt(Neg(x)))
	}
	return Exp(Log(x).scale(interval.Recip(interval.Point(3))))
}

// Pow returns e^(y log x).
func Pow(x, y Rect) Rect { return Exp(Mul(y, Log(x))) }

// Hypot returns the square root of x² + y².
func Hypot(x, y Rect) Rect { return Sqrt(Add(Sqr(x), Sqr(y))) }

// Sin returns the sine.
func Sin(x Rect) Rect {
	return Rect{
		interval.Mul(interval.Sin(x.Re), interval.Cosh(x.Im)),
		interval.Mul(interval.Cos(x.Re), interval.Sinh(x.Im)),
	}
}

// Cos returns the cosine.
func Cos(x Rect) Rect {
	return Rect{
		interval.Mul(interval.Cos(x.Re), interval.Cosh(x.Im)),
		interval.Neg(interval.Mul(interval.Sin(x.Re), interval.Sinh(x.Im))),
	}
}

// Tan returns the tangent, -i tanh (i x).
func Tan(x Rect) Rect { return Neg(Tanh(x.timesI()).timesI()) }

// Sinh returns the hyperbolic sine, -i sin (i x).
func Sinh(x Rect) Rect { return Neg(Sin(x.timesI()).timesI()) }

// Cosh returns the hyperbolic cosine, cos (i x).
func Cosh(x Rect) Rect { return Cos(x.timesI()) }

// Tanh returns the hyperbolic tangent.
func Tanh(x Rect) Rect {
	switch {
	case x.Re.Lo > 0: // 2 / (1 + e^(-2x)) - 1, where nothing overflows
		return Sub(twice(Sigmoid(twice(x))), Real(one))
	case x.Re.Hi < 0:
		return Neg(Tanh(Neg(x)))
	}
	a, b := interval.Add(x.Re, x.Re), interval.Add(x.Im, x.Im)
	d := interval.Add(interval.Cosh(a), interval.Cos(b))
	if !(d.Lo > 0) {
		return None()
	}
	return Rect{interval.Div(interval.Sinh(a), d), interval.Div(interval.Sin(b), d)}
}

func twice(x Rect) Rect { return Add(x, x) }

// Sigmoid returns 1 / (1 + e^-x).
func Sigmoid(x Rect) Rect {
	if x.Re.Hi < 0 {
		return Sub(Real(one), Sigmoid(Neg(x)))
	}
	return Recip(Add(Real(one), Exp(Neg(x))))
}

// Softplus returns log (1 + e^x), between its singularities at πi and -πi.
func Softplus(x Rect) Rect {
	switch {
	case !(x.Im.Lo > -3 && x.Im.Hi < 3):
		return None()
	case x.Re.Lo > 0:
		return Add(x, Softplus(Neg(x)))
	}
	return Log1p(Exp(x))
}

// Asin returns the arcsine, -i log (i x + √(1 - x²)).
func Asin(x Rect) Rect {
	return Neg(Log(Add(x.timesI(), Sqrt(Sub(Real(one), Sqr(x))))).timesI())
}

// Acos returns the arccosine, π/2 - asin x.
func Acos(x Rect) Rect {
	return Sub(Real(interval.Mul(half, interval.Pi())), Asin(x))
}

// Atan returns the arctangent, -i atanh (i x).
func Atan(x Rect) Rect { return Neg(Atanh(x.timesI()).timesI()) }

// Asinh returns log (x + √(1 + x²)), for negative x as an odd function.
func Asinh(x Rect) Rect {
	if x.Re.Hi < 0 {
		return Neg(Asinh(Neg(x)))
	}
	return Log(Add(x, Sqrt(Add(Real(one), Sqr(x)))))
}

// Acosh returns log (x + √(x - 1) √(x + 1)).
func Acosh(x Rect) Rect {
	return Log(Add(x, Mul(Sqrt(Sub(x, Real(one))), Sqrt(Add(x, Real(one))))))
}

// Atanh returns half the difference of the logarithms of 1 + x and 1 - x.
func Atanh(x Rect) Rect {
	return Sub(Log(Add(Real(one), x)), Log(Sub(Real(one), x))).scale(half)
}

// Erf returns the error function. Along the vertical from a point a of the line to a + ib, its
// derivative 2/√π e^(-z²) is at most 2/√π e^(b²-a²).
func Erf(x Rect) Rect {
	return aside(interval.Erf(x.Re), x)
}

// Erfc returns 1 - erf x.
func Erfc(x Rect) Rect {
	return aside(interval.Erfc(x.Re), x)
}

// Erfcx returns e^(x²) erfc x. Its derivative is -4/√π ∫ s e^(-s²-2sx) ds over s > 0, so that on
// the vertical through a point a of the line it is at most as large as at a; there it is
// 2/√π - 2a erfcx a, which is at most 2/√π for a ≥ 0.
func Erfcx(x Rect) Rect {
	on := interval.Erfcx(x.Re)
	left := interval.Interval{Lo: math.Max(-x.Re.Lo, 0), Hi: math.Max(-x.Re.Lo, 0)}
	slope := interval.Div(interval.Point(2), interval.Sqrt(interval.Pi()))
	slope = interval.Add(slope, interval.Mul(interval.Add(left, left), on))
	far := interval.Mul(slope, interval.Abs(x.Im)).Hi
	off := interval.Interval{Lo: -far, Hi: far}
	return Rect{interval.Add(on, off), off}
}

// aside returns all points that differ from the real values `on` by at most the variation of erf
// along verticals.
func aside(on interval.Interval, x Rect) Rect {
	grows := interval.Exp(interval.Sub(interval.Sqr(x.Im), interval.Sqr(x.Re)))
	slope := interval.Div(interval.Point(2), interval.Sqrt(interval.Pi()))
	far := interval.Mul(interval.Mul(slope, grows), interval.Abs(x.Im)).Hi
	off := interval.Interval{Lo: -far, Hi: far}
	return Rect{interval.Add(on, off), off}
}
