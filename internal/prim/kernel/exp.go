package kernel

import "math"

// expm1Small is expm1 r for |r| ≤ 0.35, to about 95 bits: the Taylor series at
// r/256, and eight squarings in the form (1+u)² - 1 = 2u + u², which keeps the
// digits of a small u.
func expm1Small(r dd) dd {
	t := r.scale(1.0 / 256)
	// From t^6 on, a double is enough: those terms are below 2^-57 of t.
	f := &invFactorial
	tail := f[6].h + t.h*(f[7].h+t.h*(f[8].h+t.h*f[9].h))
	p := f[5].addf(t.h * tail)
	p = f[4].add(p.mul(t))
	p = f[3].add(p.mul(t))
	p = dd{0.5, 0}.add(p.mul(t))
	u := t.add(p.mul(t).mul(t))
	for range 8 {
		u = u.scale(2).add(u.mul(u))
	}
	return u
}

// expdd is exp x as a number near 1 times 2^k, for |x| < 800.
func expdd(x dd) (m dd, k int) {
	n := math.RoundToEven(x.h * invLn2.h)
	r := twoSum(x.h, -n*ln2x3[0]) // both terms exact, and the sum as well
	r = r.add(twoProd(-n, ln2x3[1])).addf(-n * ln2x3[2]).addf(x.l)
	return expm1Small(r).addf(1), int(n)
}

// Exp is e^x, within 2 ulp, also where the result is subnormal.
func Exp(x float64) float64 {
	switch {
	case -700 < x && x < 700 || x != x:
		return math.Exp(x)
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	// Go's Exp gives +Inf on (709.44, 709.78].
	m, k := expdd(dd{x, 0})
	return m.ldexp(k)
}

// Exp2 is 2^x.
func Exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= 1024:
		return math.Inf(1)
	case x < -1080:
		return 0
	}
	n := math.RoundToEven(x)
	return expm1Small(ln2.mulf(x - n)).addf(1).ldexp(int(n))
}

// Expm1 is e^x - 1 without cancellation.
func Expm1(x float64) float64 { return math.Expm1(x) }

// logdd is log x for finite x > 0.
func logdd(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	log := lognear1(m)
	if e != 0 {
		n := float64(e)
		tail := twoProd(n, ln2x3[1]).addf(n * ln2x3[2])
		log = dd{n * ln2x3[0], 0}.add(tail).add(log)
	}
	return log
}

// logOf is log x for a double-double x > 0 whose parts are normal.
func logOf(x dd) dd { return logdd(x.h).addf(x.l / x.h) }

// lognear1 is log m for m in [√½, √2], with full relative accuracy.
func lognear1(m float64) dd {
	f := m - 1 // exact
	if math.Abs(f) < 1.0/64 {
		// log m = 2 atanh s, s = f / (2 + f).
		s := dd{f, 0}.div(twoSum(2, f))
		z := s.mul(s)
		// From s^9 on, a double is enough.
		tail := 1.0/9 + z.h*(1.0/11+z.h*(1.0/13+z.h*(1.0/15+z.h*(1.0/17))))
		p := invOdd[3].addf(z.h * tail)
		p = invOdd[2].add(p.mul(z))
		p = invOdd[1].add(p.mul(z))
		return s.add(s.mul(z).mul(p)).scale(2)
	}
	// One Newton step from a double: log m = y + log (m e^-y), and the last
	// logarithm is that of a number within 2^-50 of 1.
	y := math.Log(m)
	exp, k := expdd(dd{-y, 0})
	d := exp.scale(math.Ldexp(1, k)).mulf(m).addf(-1)
	return twoSum(y, d.h).addf(d.l - d.h*d.h/2)
}

// Log is the natural logarithm, within 1 ulp.
func Log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		// Go's Log is wrong for subnormal arguments.
		return logdd(x).float()
	}
	return math.Log(x)
}

// Log1p is log (1 + x) without cancellation.
func Log1p(x float64) float64 { return math.Log1p(x) }

// Log2 is the logarithm to base 2; it is exact at powers of two, and near 1,
// where Go's is not.
func Log2(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return logdd(x).mul(invLn2).float()
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return logdd(x).mul(invLn10).float()
}
