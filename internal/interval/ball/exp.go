package ball

import (
	"math"
	"math/big"
)

// Note [Exp]
//
// At a point x: with n = ⌊x/ln 2⌋ and r = x − n·ln 2, e^x = 2^n·(1 + E(r)). In
// fixed point with w fractional bits, x is cut (1 unit), and n·ln 2 is in error by
// 2|n| units; working with as many more bits as n has, and cutting back, this is
// at most 3 units of r (1/4 + 2 + 1). They grow by e^r < 2.01. With expErr from the kernel:
// at most expErr + 8 units of 2^(n-w), where 2^n ≤ e^x.
//
// n is found from a double approximation and then corrected, so that 0 ≤ r < ln 2 + 2^-10
// holds for the fixed-point numbers by comparison, whatever the double said.
//
// On a ball m ± r: e^(m+d) − e^m is at most e^m·(e^r − 1) ≤ e^m·(r + r²) for r ≤ 1.

// absWide reports whether a ball's absolute radius is over 2^-wideBits.
func (x *Ball) absWide() bool { return x.rad.m != 0 && x.rad.top() > -wideBits }

// radPrec limits a precision to what is useful if the result's relative (or absolute) radius will
// be about r.
func radPrec(prec uint, r mag) uint {
	if r.m == 0 {
		return prec
	}
	q := -r.top() + 36
	if q < 36 {
		q = 36
	}
	if q < int64(prec) {
		return uint(q)
	}
	return prec
}

// Exp sets z to e^x.
func (z *Ball) Exp(x *Ball, prec uint) *Ball {
	if x.kind != finite && z.improper(x) {
		return z
	}
	part, r := x.part, x.rad
	if x.absWide() {
		return z.monotone(x, prec, (*Ball).expPoint, false)
	}
	p := radPrec(prec, r)
	z.expPoint(x, p)
	if r.m != 0 && z.kind == finite {
		g := r.add(r.mul(r))
		z.rad = z.rad.add(magInt(&z.man, z.exp).add(z.rad).mul(g))
	}
	z.part = part
	return z.finish(prec)
}

// expPoint sets z to e^mid(x); see Note [Exp].
func (z *Ball) expPoint(x *Ball, prec uint) *Ball {
	t := x.top()
	p := int64(max(prec, 4))
	switch {
	case x.man.Sign() == 0:
		return z.SetInt64(1)
	case t > 59:
		if x.man.Sign() > 0 {
			return z.SetWhole()
		}
		// 0 < e^x < 2^(-2^58)
		z.SetInt64(1)
		z.exp = -maxExp / 4
		z.rad = magPow2(z.exp)
		return z
	case t < -p-2: // |e^x − 1| ≤ 2|x|
		z.SetInt64(1)
		z.rad = magPow2(t + 1)
		return z
	}
	sc := getScratch()
	defer sc.put()
	w := uint(p) + 10
	n := sc.reduceLn2(&sc.a, x, w)
	sc.expFixed(&z.man, &sc.a, w)
	z.exp, z.kind, z.part = n-int64(w), finite, false
	z.rad = magUp(expErr+8, z.exp)
	return z.finish(prec)
}

// reduceLn2 sets r to x − n·ln 2 in [0, ln 2 + 2^-10) with w fractional bits, within
// 3 units, and returns n. x's top must be at most 59.
func (sc *scratch) reduceLn2(r *big.Int, x *Ball, w uint) (n int64) {
	t := x.top()
	extra := uint(max(t, 0)) + 3
	v := w + extra
	fixed(r, x, int64(v))
	if t <= -1 && x.man.Sign() >= 0 { // already 0 ≤ x < 1/2
		r.Rsh(r, extra)
		return 0
	}
	ln2 := &sc.b
	constLn2.fixed(ln2, v)
	if t <= 45 {
		n = int64(math.Floor(x.approx() / math.Ln2))
	} else {
		sc.c.Div(r, ln2)
		n = sc.c.Int64()
	}
	if n != 0 {
		sc.c.SetInt64(n)
		sc.d.Mul(ln2, &sc.c)
		r.Sub(r, &sc.d)
	}
	for r.Sign() < 0 {
		r.Add(r, ln2)
		n--
	}
	for r.Cmp(ln2) > 0 {
		r.Sub(r, ln2)
		n++
	}
	r.Rsh(r, extra)
	return n
}

// approx returns the midpoint as a double, without a guaranteed error.
func (x *Ball) approx() float64 {
	if x.man.Sign() == 0 {
		return 0
	}
	m, e, _ := topBits(&x.man)
	e += x.exp
	f := math.Ldexp(float64(m), int(max(min(e, 5000), -5000)))
	if x.man.Sign() < 0 {
		f = -f
	}
	return f
}

// Expm1 sets z to e^x − 1.
func (z *Ball) Expm1(x *Ball, prec uint) *Ball {
	if x.kind != finite && z.improper(x) {
		return z
	}
	return z.smooth(x, prec, (*Ball).expm1Point, func(d, x *Ball) { d.Exp(x, slopeBits) }, false)
}

// relPrec limits a precision for roots, which keep relative errors: with q good
// bits of x, q + 36 are enough.
func relPrec(prec uint, x *Ball) uint {
	if x.rad.m == 0 {
		return prec
	}
	return uint(min(max(x.top()-x.rad.top(), 0)+36, int64(prec)))
}

// expm1Point sets z to e^x − 1 at x's midpoint. For small |x| the kernel computes E directly;
// e^-x − 1 = −E/(1+E).
func (z *Ball) expm1Point(x *Ball, prec uint) *Ball {
	t := x.top()
	p := int64(max(prec, 4))
	switch {
	case x.man.Sign() == 0:
		return z.SetInt64(0)
	case t > 0:
		z.expPoint(x, prec+2)
		var one Ball
		return z.Sub(z, one.SetInt64(1), prec)
	case 2*t < -p+t-2: // |e^x − 1 − x| ≤ x² for |x| ≤ 1
		z.Set(x)
		z.rad, z.part = magPow2(2*t), false
		return z.finish(prec)
	}
	neg := x.man.Sign() < 0
	sc := getScratch()
	defer sc.put()
	w := uint(p+12) + uint(-t)
	fixed(&sc.a, x, int64(w))
	sc.a.Abs(&sc.a)
	if t == 0 { // 1/2 ≤ |x| < 1: E(x) = E(x/2)(2 + E(x/2))
		sc.b.Rsh(&sc.a, 1)
		sc.expm1Fixed(&sc.c, &sc.b, w)
		sc.b.Mul(&sc.c, &sc.c)
		sc.b.Rsh(&sc.b, w)
		sc.c.Lsh(&sc.c, 1)
		sc.c.Add(&sc.c, &sc.b)
	} else {
		sc.expm1Fixed(&sc.c, &sc.a, w)
	}
	// The cut of x counts 1 unit and grows by e; doubling turns expErr + 1 + 2 into at most
	// 2·1.65·(expErr + 3) + 2.
	const err = 4*expErr + 16
	if !neg {
		z.man.Set(&sc.c)
		z.exp, z.kind, z.part = -int64(w), finite, false
		z.rad = magUp(err, -int64(w))
		return z.finish(prec)
	}
	// The derivative of E/(1+E) is at most 1; one more for the division.
	sc.b.Lsh(intOne, w)
	sc.b.Add(&sc.b, &sc.c)
	sc.c.Lsh(&sc.c, w)
	z.man.Quo(&sc.c, &sc.b)
	z.man.Neg(&z.man)
	z.exp, z.kind, z.part = -int64(w), finite, false
	z.rad = magUp(err+1, -int64(w))
	return z.finish(prec)
}
