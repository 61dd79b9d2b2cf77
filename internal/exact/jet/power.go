package jet

import "math"

// Sqr is x², whose value is never negative.
func (a *Algebra) Sqr(x Jet) Jet { return a.PowInt(x, 2) }

// PowInt is x^n; x^0 is 1. Unknown if n is negative and x may be 0.
func (a *Algebra) PowInt(x Jet, n int64) Jet {
	x = a.live(x)
	switch {
	case n == 0 && x.kind() != unknown:
		return a.One()
	case n == 1 || x.kind() == unknown || n > 0 && x.IsZero():
		return x
	case n < 0 && a.sign(x.Val()) == 0:
		return a.Unknown()
	case x.tail == nil:
		return a.Const(a.powInt(x.Val(), n))
	case n == math.MinInt64: // n - 1 is not an exponent
		return a.unknownIn(a.PowInt(x.Value(), n), []Jet{x})
	case x.tail.deg <= 3:
		// Differentiation is the tightest way, and costs a power for each degree.
		x0 := x.constant()
		f0 := a.PowInt(x0, n)
		if x.tail.deg == 1 {
			if n == 2 {
				return a.chain(x, f0, a.Add(x0, x0))
			}
			return a.chain(x, f0, a.timesInt(a.PowInt(x0, n-1), n))
		}
		slope := a.timesInt(a.PowInt(a.lower(x), n-1), n)
		return a.integrate(x.tail.tag, int(x.tail.deg), f0, a.Mul(slope, a.derivative(x)))
	case n > 0 && (n <= 4 || n*int64(len(x.tail.c)) <= int64(x.tail.deg) || a.sign(x.Val()) == 0):
		// A polynomial stays one, and a low power does not divide: near a zero of x
		// the quotients below are very wide.
		return a.product(x, n)
	}
	return a.powerFrom(x, a.Const(a.N.Int(n)), a.PowInt(x.constant(), n))
}

// timesInt is x n, for any n.
func (a *Algebra) timesInt(x Jet, n int64) Jet { return a.Mul(x, a.Const(a.N.Int(n))) }

// product is x^n by repeated squaring, n > 0.
func (a *Algebra) product(x Jet, n int64) Jet {
	if n == 1 {
		return x
	}
	half := a.product(x, n/2)
	p := a.Mul(half, half)
	if n%2 == 1 {
		p = a.Mul(p, x)
	}
	// The square of a wide value loses its sign in a product.
	p = p.as(a.powInt(x.Val(), n), p.kind())
	return p
}

// powerFrom completes x^r, for r without x's newest variable, from its constant
// coefficient. The others are unknown where x may be 0.
func (a *Algebra) powerFrom(x, r, f0 Jet) Jet {
	x0 := x.constant()
	// x f' = r x' f, so that k x_0 f_k = Σ_{j=1..k} ((r + 1) j - k) x_j f_(k-j).
	c := x.tail.c
	return a.unfold(x, f0, func(_, f []Jet, k int) Jet {
		sum := a.Zero()
		for j := 1; j <= k && j <= len(c); j++ {
			weight := a.Add(a.MulInt(r, j), a.Const(a.N.Int(int64(j-k))))
			sum = a.Add(sum, a.Mul(weight, a.Mul(c[j-1], f[k-j])))
		}
		return a.DivInt(a.Quo(sum, x0), k)
	})
}

// Pow is the real power x ** y: defined for x > 0, and at x = 0 for y > 0. There it has derivatives
// only if inside tells that x varies without becoming negative, or if x does not vary.
func (a *Algebra) Pow(x, y Jet, inside bool) Jet {
	x, y = a.live(x), a.live(y)
	switch {
	case x.kind() == unknown:
		return x
	case y.kind() == unknown:
		return y
	case a.sign(x.Val()) <= 0 && !(a.NonNegative(x.Val()) && a.sign(y.Val()) > 0):
		return a.Unknown()
	}
	tag, deg := newer(x, y)
	positive := a.sign(x.Val()) > 0
	switch {
	case tag == 0:
		return a.Const(a.N.Apply2(powFun, x.Val(), y.Val()))
	case !positive && x.tail == nil && a.N.IsPoint(x.Val()):
		return a.Float(0)
	case !positive && (!inside || y.tail != nil): // nothing but the value
		return a.unknownIn(a.Pow(x.Value(), y.Value(), true), []Jet{x, y})
	case y.tail == nil || y.tail.tag != tag: // y is constant, as seen from tag
		f0 := a.Pow(x.constant(), y, inside)
		if deg > 3 && positive {
			return a.powerFrom(x, y, f0)
		}
		slope := a.Mul(y, a.Pow(a.lower(x), a.Sub(y, a.One()), inside))
		return a.integrate(tag, deg, f0, a.Mul(slope, a.derivative(x)))
	}
	// e^(y log x), but for the constant coefficient.
	z := a.Mul(y, a.Log(x))
	f0 := a.Pow(a.Coeff(x, tag, 0), a.Coeff(y, tag, 0), inside)
	if z.Newest() != tag {
		return f0
	}
	return a.unfold(z, f0, func(dz, f []Jet, k int) Jet { return a.DivInt(a.dot(dz, f, k), k) })
}

// Hypot is the length of (x, y). At the origin its first derivatives are
// enclosed by those of the unit disc, and the higher ones unknown; kink tells
// that the origin is among the points of x and y.
func (a *Algebra) Hypot(x, y Jet) (z Jet, kink bool) {
	x, y = a.live(x), a.live(y)
	switch {
	case x.kind() == unknown:
		return x, false
	case y.kind() == unknown:
		return y, false
	}
	val := a.N.Apply2(hypotFun, x.Val(), y.Val())
	if x.tail == nil && y.tail == nil {
		return a.Const(val), false
	}
	if a.sign(x.Val()) == 0 && a.sign(y.Val()) == 0 {
		return a.clarkeNorm(val, []Jet{x, y}), true
	}
	return a.rootOfSum(val, a.Add(a.Sqr(x), a.Sqr(y))), false
}

// rootOfSum is the square root of a positive jet whose value is known better.
func (a *Algebra) rootOfSum(val Set, sum Jet) Jet {
	if sum.tail == nil {
		return a.Const(val)
	}
	return a.sqrtFrom(sum, a.rootOfSum(val, sum.constant()))
}

// ---- calculus in the newest variable

// derivative is x' by its newest variable, of a degree less by one.
func (a *Algebra) derivative(x Jet) Jet {
	dx := a.weighted(x)
	if x.tail.deg == 1 {
		return dx[0]
	}
	return a.Series(x.tail.tag, int(x.tail.deg)-1, append([]Jet(nil), dx...))
}

// lower is x as a series of a degree less by one in its newest variable.
func (a *Algebra) lower(x Jet) Jet { return a.cut(x, x.tail.tag, int(x.tail.deg)-1) }

// cut is x as a series of the given degree in tag, its newest variable or a newer
// one.
func (a *Algebra) cut(x Jet, tag Tag, deg int) Jet {
	if x.tail == nil || x.tail.tag != tag {
		return x
	}
	low := x.constant()
	if deg <= 0 {
		return low
	}
	c := x.tail.c[:min(deg, len(x.tail.c))]
	low.tail = &tail{tag: tag, deg: int32(deg), low: low.tail, c: c}
	return low
}

// integrate is the series with the given constant coefficient whose derivative
// by tag is df, of a degree less by one than deg.
func (a *Algebra) integrate(tag Tag, deg int, f0, df Jet) Jet {
	if f0.kind() == unknown {
		return f0
	}
	f := make([]Jet, deg+1)
	f[0] = f0
	for k := 1; k <= deg; k++ {
		f[k] = a.DivInt(a.Coeff(df, tag, k-1), k)
	}
	return a.Series(tag, deg, f)
}
