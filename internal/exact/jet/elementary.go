package jet

import (
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/prim"
)

// Note [Recurrences]. Let f = F(x) for jets, x a series in its newest variable t
// with coefficients x_0, x_1, …. The constant coefficient of f is F(x_0), a jet in
// older variables, and the others follow from a differential equation that F
// satisfies: from f' = x' g, where ' is differentiation by t,
//
//	k f_k = Σ_{j=1..k} j x_j g_(k-j)
//
// and g is f itself (exp), or is computed along with f (tan: 1 + f²), or is a
// jet that does not involve f (atan: 1 / (1 + x²)). Because the sum ends at the
// degree of x, a short series costs little however long its result is.
//
// The functions below are those whose g involves f; all others follow from the
// partial derivatives in the table of primitives, by Lift.

// fun1 and fun2 are the base enclosures of a row of the table.
func fun1(row prim.ID) tier.Fun1 { return row.Row().Interval.(tier.Fun1) }
func fun2(row prim.ID) tier.Fun2 { return row.Row().Interval.(tier.Fun2) }

var (
	expFun     = fun1(prim.Exp)
	exp2Fun    = fun1(prim.Exp2)
	logFun     = fun1(prim.Log)
	sqrtFun    = fun1(prim.Sqrt)
	cbrtFun    = fun1(prim.Cbrt)
	sinFun     = fun1(prim.Sin)
	cosFun     = fun1(prim.Cos)
	sinhFun    = fun1(prim.Sinh)
	coshFun    = fun1(prim.Cosh)
	tanFun     = fun1(prim.Tan)
	tanhFun    = fun1(prim.Tanh)
	sigmoidFun = fun1(prim.Sigmoid)
	hypotFun   = fun2(prim.Hypot)
	powFun     = fun2(prim.Pow)
	powIntFun  = prim.PowInt.Row().Interval.(tier.FunInt)
)

// base applies a function that is defined on all of x, a jet without variables.
func (a *Algebra) base(f tier.Fun1, x Jet) Jet {
	if x.kind() != unknown {
		x = a.Const(a.N.Apply1(f, x.Val()))
	}
	return x
}

// unfold completes a series from its constant coefficient f0: next gives the
// k-th coefficient from those before it and from the j x_j (the first of which
// is x_1).
func (a *Algebra) unfold(x, f0 Jet, next func(dx, f []Jet, k int) Jet) Jet {
	if f0.kind() == unknown {
		return f0
	}
	deg := int(x.tail.deg)
	dx := a.weighted(x)
	f := make([]Jet, 1, deg+1)
	f[0] = f0
	for k := 1; k <= deg; k++ {
		f = append(f, next(dx, f, k))
	}
	return a.Series(x.tail.tag, deg, f)
}

// weighted is the series of t x': the coefficients j x_j from j = 1 on.
func (a *Algebra) weighted(x Jet) []Jet {
	if len(x.tail.c) == 1 {
		return x.tail.c
	}
	dx := make([]Jet, len(x.tail.c))
	for j, c := range x.tail.c {
		dx[j] = a.MulInt(c, j+1)
	}
	return dx
}

// chain is a series of degree 1: f0 + x_1 slope t.
func (a *Algebra) chain(x, f0, slope Jet) Jet {
	t := a.series(x.tail.tag, 1, 1)
	t.c[0] = a.Mul(x.tail.c[0], slope)
	return a.with(t, f0)
}

// Exp is e^x.
func (a *Algebra) Exp(x Jet) Jet { return a.exponential(a.live(x), expFun, a.One()) }

// Exp2 is 2^x.
func (a *Algebra) Exp2(x Jet) Jet {
	return a.exponential(a.live(x), exp2Fun, a.Const(a.N.Apply1(logFun, a.N.Float(2))))
}

// exponential is a function f with f' = rate f.
func (a *Algebra) exponential(x Jet, f tier.Fun1, rate Jet) Jet {
	if x.tail == nil {
		return a.base(f, x)
	}
	f0 := a.exponential(x.constant(), f, rate)
	if x.tail.deg == 1 {
		return a.chain(x, f0, a.Mul(rate, f0))
	}
	return a.unfold(x, f0, func(dx, f []Jet, k int) Jet {
		return a.DivInt(a.Mul(rate, a.dot(dx, f, k)), k)
	})
}

// Log is the natural logarithm, unknown unless x is positive.
func (a *Algebra) Log(x Jet) Jet {
	x = a.live(x)
	switch {
	case x.kind() != unknown && a.sign(x.Val()) <= 0:
		return a.Unknown()
	case x.tail == nil:
		return a.base(logFun, x)
	}
	x0 := x.constant()
	f0 := a.Log(x0)
	if x.tail.deg == 1 {
		return a.chain(x, f0, a.Quo(a.One(), x0))
	}
	// x l' = x', so that k x_0 l_k = k x_k - Σ_{0<j<k} (k-j) l_(k-j) x_j.
	c := x.tail.c
	return a.unfold(x, f0, func(dx, l []Jet, k int) Jet {
		sum := a.Zero()
		for j := 1; j < k && j <= len(c); j++ {
			sum = a.Sub(sum, a.Mul(c[j-1], a.MulInt(l[k-j], k-j)))
		}
		if k <= len(dx) {
			sum = a.Add(sum, dx[k-1])
		}
		return a.DivInt(a.Quo(sum, x0), k)
	})
}

// Sqrt is the square root, unknown unless x is at or above 0. Its derivatives
// are unknown where x may be 0.
func (a *Algebra) Sqrt(x Jet) Jet {
	x = a.live(x)
	switch {
	case x.kind() != unknown && !a.NonNegative(x.Val()):
		return a.Unknown()
	case x.tail == nil:
		return a.base(sqrtFun, x)
	}
	return a.sqrtFrom(x, a.Sqrt(x.constant()))
}

// sqrtFrom completes the square root of x from its constant coefficient.
func (a *Algebra) sqrtFrom(x, f0 Jet) Jet {
	twice := a.MulInt(f0, 2)
	if x.tail.deg == 1 {
		return a.chain(x, f0, a.Quo(a.One(), twice))
	}
	// s² = x, so that 2 s_0 s_k = x_k - Σ_{0<j<k} s_j s_(k-j).
	c := x.tail.c
	return a.unfold(x, f0, func(_, s []Jet, k int) Jet {
		sum := a.Zero()
		if k <= len(c) {
			sum = c[k-1]
		}
		sum = a.Sub(sum, a.autoconvolve(s, k))
		return a.Quo(sum, twice)
	})
}

// autoconvolve is Σ_{0<j<k} s_j s_(k-j), by symmetry at half the cost.
func (a *Algebra) autoconvolve(s []Jet, k int) Jet {
	sum := a.Zero()
	for j := 1; 2*j < k; j++ {
		sum = a.Add(sum, a.Mul(s[j], s[k-j]))
	}
	sum = a.MulInt(sum, 2)
	if k%2 == 0 && k > 0 {
		sum = a.Add(sum, a.Sqr(s[k/2]))
	}
	return sum
}

// Cbrt is the cube root. Its derivatives are unknown where x may be 0.
func (a *Algebra) Cbrt(x Jet) Jet {
	x = a.live(x)
	if x.tail == nil {
		return a.base(cbrtFun, x)
	}
	third := a.DivInt(a.One(), 3)
	return a.powerFrom(x, third, a.Cbrt(x.constant()))
}

// Sin is the sine.
func (a *Algebra) Sin(x Jet) Jet {
	s, _ := a.circular(a.live(x), sinFun, cosFun, -1)
	return s
}

// Cos is the cosine.
func (a *Algebra) Cos(x Jet) Jet {
	_, c := a.circular(a.live(x), sinFun, cosFun, -1)
	return c
}

// Sinh is the hyperbolic sine.
func (a *Algebra) Sinh(x Jet) Jet {
	s, _ := a.circular(a.live(x), sinhFun, coshFun, 1)
	return s
}

// Cosh is the hyperbolic cosine.
func (a *Algebra) Cosh(x Jet) Jet {
	_, c := a.circular(a.live(x), sinhFun, coshFun, 1)
	return c
}

// circular is a pair of functions with s' = c and c' = sign s.
func (a *Algebra) circular(x Jet, sin, cos tier.Fun1, sign int) (s, c Jet) {
	if x.tail == nil {
		return a.base(sin, x), a.base(cos, x)
	}
	s0, c0 := a.circular(x.constant(), sin, cos, sign)
	if s0.kind() == unknown {
		return s0, c0
	}
	signed := func(x Jet) Jet {
		if sign < 0 {
			return a.Neg(x)
		}
		return x
	}
	if x.tail.deg == 1 {
		return a.chain(x, s0, c0), a.chain(x, c0, signed(s0))
	}
	deg := int(x.tail.deg)
	dx := a.weighted(x)
	ss, cs := make([]Jet, deg+1), make([]Jet, deg+1)
	ss[0], cs[0] = s0, c0
	for k := 1; k <= deg; k++ {
		ss[k] = a.DivInt(a.dot(dx, cs, k), k)
		cs[k] = signed(a.DivInt(a.dot(dx, ss, k), k))
	}
	return a.Series(x.tail.tag, deg, ss), a.Series(x.tail.tag, deg, cs)
}

// Tan is the tangent, unknown unless x contains no pole.
func (a *Algebra) Tan(x Jet) Jet {
	x = a.live(x)
	if x.kind() != unknown && (!a.N.Bounded(x.Val()) || a.sign(a.N.Apply1(cosFun, x.Val())) == 0) {
		return a.Unknown()
	}
	return a.riccati(x, tanFun, func(f []Jet, k int) Jet { // 1 + f²
		return a.plusOne(a.square(f, k), k)
	})
}

// Tanh is the hyperbolic tangent.
func (a *Algebra) Tanh(x Jet) Jet {
	return a.riccati(a.live(x), tanhFun, func(f []Jet, k int) Jet { // 1 - f²
		return a.plusOne(a.Neg(a.square(f, k)), k)
	})
}

// Sigmoid is 1 / (1 + e^-x).
func (a *Algebra) Sigmoid(x Jet) Jet {
	return a.riccati(a.live(x), sigmoidFun, func(f []Jet, k int) Jet { // f - f²
		if k == 0 {
			return a.Mul(f[0], a.Sub(a.One(), f[0]))
		}
		return a.Sub(f[k], a.square(f, k))
	})
}

// riccati is a function with f' = g x', where g is a polynomial in f: slope gives
// the k-th coefficient of g from those of f up to the k-th.
func (a *Algebra) riccati(x Jet, fun tier.Fun1, slope func(f []Jet, k int) Jet) Jet {
	if x.tail == nil {
		return a.base(fun, x)
	}
	f0 := a.riccati(x.constant(), fun, slope)
	g := make([]Jet, 0, x.tail.deg)
	return a.unfold(x, f0, func(dx, f []Jet, k int) Jet {
		g = append(g, slope(f, k-1))
		return a.DivInt(a.dot(dx, g, k), k)
	})
}

// square is the k-th coefficient of f².
func (a *Algebra) square(f []Jet, k int) Jet {
	if k == 0 {
		return a.Sqr(f[0])
	}
	return a.Add(a.MulInt(a.Mul(f[0], f[k]), 2), a.autoconvolve(f, k))
}

// plusOne adds 1 to the constant coefficient.
func (a *Algebra) plusOne(x Jet, k int) Jet {
	if k == 0 {
		return a.Add(x, a.One())
	}
	return x
}

// NonNegative tells whether no point of x is negative.
func (a *Algebra) NonNegative(x Set) bool {
	if a.sign(x) > 0 {
		return true
	}
	lo, _ := a.N.Ends(x)
	return lo >= 0 || a.N.Bounded(x) && a.sign(a.N.Lower(x)) >= 0 && !a.N.IsEmpty(x)
}
