package kernel

import "math"

// The functions below round a kernel's value to nearest. They are within one unit in the last
// place of the true value (0.51 or so in practice) and treat special arguments as Go's math does:
// NaN outside the domain, limits at infinities, and odd functions keep signed zeros.

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// Sin returns the sine of x radians.
func Sin(x float64) float64 { return periodic(x, SinVal) }

// Cos returns the cosine of x radians.
func Cos(x float64) float64 { return periodic(x, CosVal) }

// Tan returns the tangent of x radians.
func Tan(x float64) float64 { return periodic(x, TanVal) }

// periodic rounds f at a finite x. There are no limits at infinity.
func periodic(x float64, f func(float64) Val) float64 {
	if x-x != 0 {
		return nan
	}
	return keepZero(x, f(x).Nearest())
}

// Atan2 returns the angle of the point (x, y), with the conventions of
// math.Atan2 for zeros and infinities.
func Atan2(y, x float64) float64 {
	if x != x || y != y || x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Atan2(y, x) // only multiples of π/4: correctly rounded there
	}
	return Atan2Val(y, x).Nearest()
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 { return HalfCosh.Nearest(math.Abs(x)) }

// Hypot returns √(x²+y²).
func Hypot(x, y float64) float64 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return inf
	}
	if x != x || y != y {
		return nan
	}
	return HypotVal(x, y).Nearest()
}

// Pow returns x^y, with the special cases of math.Pow.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case x == 0 || x-x != 0 || y-y != 0:
		return math.Pow(x, y) // zeros, infinities and NaN only
	case x < 0:
		if y != math.Floor(y) {
			return nan
		}
		r := Pow(-x, y)
		if math.Mod(y, 2) != 0 {
			r = -r
		}
		return r
	case y == math.Floor(y) && math.Abs(y) <= 1024:
		return PownVal(x, int(y)).Nearest()
	}
	return PowVal(x, y).Nearest()
}

// Pown returns x^n.
func Pown(x float64, n int) float64 {
	if n == 0 || x == 1 {
		return 1
	}
	if x == 0 || x-x != 0 || n > 1<<31 || n < -1<<31 {
		return math.Pow(x, float64(n))
	}
	return PownVal(x, n).Nearest()
}

// Lgamma returns log|Γ(x)|, +Inf at 0, -1, -2, ….
func Lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0) || (x <= 0 && x == math.Floor(x)):
		return inf
	}
	return LgammaVal(x).Nearest()
}

// Digamma returns ψ(x), the derivative of log Γ; NaN at 0, -1, -2, … and -Inf.
func Digamma(x float64) float64 {
	switch {
	case x != x || (x <= 0 && x == math.Floor(x)):
		return nan
	case x > math.MaxFloat64:
		return x
	}
	return DigammaVal(x).Nearest()
}

// Polygamma returns the n-th derivative of ψ at x; n = 0 is Digamma, and n > 1000 comes without
// a proved bound. At the poles 0, -1, -2, … it is +Inf for odd n; for even n ≥ 2 it is ∓Inf at
// ±0 and NaN at the others, where the two sides differ. It is NaN for n < 0 and at -Inf.
func Polygamma(n int64, x float64) float64 {
	even := n%2 == 0
	switch {
	case n == 0:
		return Digamma(x)
	case n < 0 || x != x || x < -math.MaxFloat64:
		return nan
	case x > math.MaxFloat64:
		if even {
			return math.Copysign(0, -1)
		}
		return 0
	case x == 0 && even:
		return math.Copysign(inf, -x)
	case x <= 0 && x == math.Floor(x):
		if even {
			return nan
		}
		return inf
	case n > 1000:
		return polygammaLarge(n, x)
	}
	return PolygammaVal(int(n), x).Nearest()
}

// LogAddExp returns log(exp(x)+exp(y)).
func LogAddExp(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return nan
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Max(x, y)
	}
	return LogAddExpVal(x, y).Nearest()
}
