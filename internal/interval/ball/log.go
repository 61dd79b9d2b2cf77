package ball

import (
	"math"
	"math/big"
)

// Note [Log]
//
// At a point x = 2^n·f with 3/4 ≤ f < 3/2: log x = n·ln 2 + log f. Given any y0,
//
//	log f = y0 + 2 atanh(u),   u = (f − e^y0)/(f + e^y0)
//
// is an identity, so y0 needs no proof: it is a double, or this function at an eighth of the
// precision. What counts is that u, as computed, is small, and the number of terms
// of the series follows from the bits it has.
//
// In units 2^-w: for y0 ≥ 0 (f ≥ 1), e^y0 comes from the kernel with at most expErr; for y0 <
// 0, g = f·e^|y0| is compared with 1 instead, u = (g − 1)/(g + 1), and g errs by at most
// expErr·f + 1. The denominator exceeds 3/2 and u is less than 1/8, so that u errs by at most
// (expErr + 2)(1 + 1/8)/(3/2) + 1 < 50; f itself is cut, 1 unit, which is in this. atanh is
// steeper by less than 1.02 and the series has errors of its own, Note [Odd series], at most 25
// while it has at most 16 terms. Doubling, at most 2·(51 + 25) = 152: logErr = 160.
//
// For |x − 1| < 2^-k the result is about 2^-k, and w has k bits more. If k is at
// least an eighth of the precision, then y0 = 0 and the series alone does it.

// logErr bounds the error of logFixed, in units of the last place.
const logErr = 160

// Note [Odd series]
//
// oddSeries sums u ± u³/3 + u⁵/5 ± … for |u| < 2^-k, k ≥ 3, in fixed point with w
// bits. With v = u² cut (1 unit), each power p(j+1) = p(j)·v, cut, errs by at
// most 1/4 of the former error + 1, so at most 4/3 in all and, divided by 2j+1 and cut, at most 1.5
// units for the first terms and 1.2 later. Terms with (2j+1)·k > w are less than a unit
// together and are dropped. J terms thus err by at most 1.5·J + 1; with
// J ≤ w/(2k) + 1. Callers bound J.

// oddSeries sets z to atanh(u) or atan(u) within 1.5·J + 1 units, and returns J. z
// and u must not be sc.acc, sc.tmp, sc.coef, sc.pow.
func (sc *scratch) oddSeries(z, u *big.Int, w uint, alternate bool) (terms int) {
	p, v, t := &sc.pow[0], &sc.pow[1], &sc.tmp
	n := uint(u.BitLen())
	acc := &sc.acc
	acc.Set(u)
	terms = 1
	if n == 0 {
		z.Set(acc)
		return
	}
	k := w - n
	t.Mul(u, u)
	v.Rsh(t, w)
	p.Set(u)
	for j := uint(1); (2*j+1)*k <= w; j++ {
		t.Mul(p, v)
		truncRsh(p, t, w)
		sc.coef.SetUint64(uint64(2*j + 1))
		t.Quo(p, &sc.coef)
		if alternate && j&1 != 0 {
			acc.Sub(acc, t)
		} else {
			acc.Add(acc, t)
		}
		terms++
	}
	z.Set(acc)
	return
}

// Log sets z to the natural logarithm of x; the domain is x > 0. If x reaches 0,
// the range is a half-line, and the result the whole line.
func (z *Ball) Log(x *Ball, prec uint) *Ball {
	return z.logOf(x, prec, (*Ball).logPoint, magPow2(0))
}

// logOf does what logarithms of all bases have in common. f is the logarithm at a point. scale
// bounds 1/log b, so the derivative is at most scale/x.
func (z *Ball) logOf(x *Ball, prec uint, f pointFunc, scale mag) *Ball {
	if x.kind == whole {
		return z.halfLine()
	}
	if x.kind != finite && z.improper(x) {
		return z
	}
	part, r := x.part, x.rad
	if r.m == 0 {
		if x.man.Sign() <= 0 {
			return z.SetEmpty()
		}
		f(z, x, prec)
		z.part = part
		return z
	}
	if x.man.Sign() <= 0 || x.ContainsZero() {
		var hi Ball
		if x.upper(&hi).man.Sign() <= 0 {
			return z.SetEmpty()
		}
		return z.halfLine()
	}
	if x.relWide(wideBits) {
		return z.monotone(x, prec, f, false)
	}
	// |log(m+d) − log m| ≤ r/(m − r), for base e
	d := r.div(magIntLow(&x.man, x.exp).subLow(r)).mul(scale)
	// The logarithm has as many bits before the point as the exponent has.
	f(z, x, min(prec, radPrec(prec, d)+uint(bitLen64(x.top()))))
	z.rad = z.rad.add(d)
	z.part = part
	return z.finish(prec)
}

// logPoint returns the logarithm of x's midpoint, which is positive.
func (z *Ball) logPoint(x *Ball, prec uint) *Ball {
	// x = 2^n·f, 3/4 ≤ f < 3/2
	n := x.top()
	m, _, _ := topBits(&x.man)
	if m < 3<<62 { // f would be in [1/2, 3/4)
		n--
	}
	if n != 0 {
		return z.logScaled(x, n, prec)
	}
	var d, one Ball
	d.Sub(x, one.SetInt64(1), uint(x.man.BitLen())+66) // exact: the exponents are close
	return z.log1pNear(&d, prec)
}

// logScaled returns log(2^n·f) for n ≠ 0; then |log x| > 1/4.
func (z *Ball) logScaled(x *Ball, n int64, prec uint) *Ball {
	p := max(prec, 4)
	sc := getScratch()
	defer sc.put()
	if x.man.TrailingZeroBits() == uint(x.man.BitLen()-1) { // a power of 2
		z.SetInt64(x.top() - 1)
		var t Ball
		return z.Mul(z, t.Ln2(p+4), prec)
	}
	w := p + 12
	nb := uint(bitLen64(n))
	v := w + nb // ln 2 needs as many more bits as n has
	var f Ball
	f.man.Set(&x.man)
	f.exp = x.exp - n
	fixed(&sc.a, &f, int64(w))
	sc.logFixed(&sc.e, &sc.a, w, p)
	constLn2.fixed(&sc.a, v)
	sc.b.SetInt64(n)
	sc.c.Mul(&sc.a, &sc.b)
	truncRsh(&sc.c, &sc.c, nb)
	z.man.Add(&sc.c, &sc.e)
	z.exp, z.kind, z.part = -int64(w), finite, false
	z.rad = magUp(logErr+3, -int64(w))
	return z.finish(prec)
}

func bitLen64(n int64) int {
	k := 0
	for u := uint64(max(n, -n)); u > 0; u >>= 1 {
		k++
	}
	return k
}

// log1pNear returns log(1 + d) for a point d in [−1/4, 1/2].
func (z *Ball) log1pNear(d *Ball, prec uint) *Ball {
	p := int64(max(prec, 4))
	t := d.top()
	switch {
	case d.man.Sign() == 0:
		return z.SetInt64(0)
	case t < -p-2: // |log(1+d) − d| ≤ d² for |d| ≤ 1/2
		z.Set(d)
		z.rad, z.part = magPow2(2*t), false
		return z.finish(prec)
	}
	k := max(-t, 0) // 2^(-k-1) ≤ |d| < 2^-k
	w := uint(p + k + 12)
	sc := getScratch()
	defer sc.put()
	fixed(&sc.a, d, int64(w))
	if 8*k >= p && k >= 3 {
		// u = d/(2+d); at most p/(2k)+2 ≤ 6 terms or so.
		sc.b.Lsh(intTwo, w)
		sc.b.Add(&sc.b, &sc.a)
		sc.c.Lsh(&sc.a, w)
		sc.d.Quo(&sc.c, &sc.b)
		j := sc.oddSeries(&sc.e, &sc.d, w, false)
		sc.e.Lsh(&sc.e, 1)
		z.man.Set(&sc.e)
		z.rad = magUp(uint64(2*(3*j/2+1)+6), -int64(w)) // u: the cut of d and of the quotient
	} else {
		sc.b.Lsh(intOne, w)
		sc.a.Add(&sc.a, &sc.b)
		sc.logFixed(&z.man, &sc.a, w, uint(p))
		z.rad = magUp(logErr, -int64(w))
	}
	z.exp, z.kind, z.part = -int64(w), finite, false
	return z.finish(prec)
}

// logFixed sets z to log f for 3/4 ≤ f < 3/2 in fixed point with w bits, within logErr;
// p is the precision that says how good a start pays. z and f are not sc.b … sc.d.
func (sc *scratch) logFixed(z, f *big.Int, w, p uint) {
	one := sc.pow[2].Lsh(intOne, w)
	eps := new(big.Int).Sub(f, one)
	y0 := new(big.Int)
	const direct = 1100 // to which a double is good enough a start
	if w <= direct {
		// log1p of the difference, a double with 50 good bits.
		d := fixedToFloat(eps, w)
		floatToFixed(y0, math.Log1p(d), w)
	} else {
		h := w / 8
		inner := getScratch()
		fh := new(big.Int).Rsh(f, w-h-16)
		inner.logFixed(y0, fh, h+16, h)
		inner.put()
		y0.Lsh(y0, w-h-16)
	}
	neg := y0.Sign() < 0
	e := &sc.b
	sc.c.Abs(y0)
	sc.expFixed(e, &sc.c, w)
	one = sc.c.Lsh(intOne, w)
	num, den := &sc.d, e
	if neg {
		sc.tmp.Mul(f, e)
		sc.acc.Rsh(&sc.tmp, w)
		num.Sub(&sc.acc, one)
		den.Add(&sc.acc, one)
	} else {
		num.Sub(f, e)
		den.Add(f, e)
	}
	quoShort(&sc.c, num, den, w, &sc.tmp)
	j := sc.oddSeries(num, &sc.c, w, false)
	if j > 16 {
		panic("fluxion bug: ball: the start of a logarithm was useless")
	}
	num.Lsh(num, 1)
	z.Add(y0, num)
}

// quoShort sets z to num·2^w/den for |num| much smaller than den ≥ 2^w, where the
// quotient needs no more bits than num has: den is cut to that length first. Cutting
// den to b+8 bits where num has b changes the quotient by less than 2^-6 unit.
func quoShort(z, num, den *big.Int, w uint, t *big.Int) {
	b := uint(num.BitLen()) + 8
	cut := uint(0)
	if n := uint(den.BitLen()); n > b {
		cut = n - b
	}
	if cut >= w {
		cut = w
	}
	t.Rsh(den, cut)
	num.Lsh(num, w-cut)
	z.Quo(num, t)
}

// fixedToFloat returns x·2^-w, rounded in an unspecified way.
func fixedToFloat(x *big.Int, w uint) float64 {
	var b Ball
	b.man = *x // only read, and it does not outlive x
	b.exp = -int64(w)
	return b.approx()
}

// floatToFixed sets z to y·2^w, cut.
func floatToFixed(z *big.Int, y float64, w uint) {
	var b Ball
	b.SetFloat64(y)
	fixed(z, &b, int64(w))
}
