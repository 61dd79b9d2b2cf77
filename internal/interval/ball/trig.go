package ball

import (
	"math"
	"math/big"
)

// Note [Sine and cosine]
//
// At a point x: with n the integer next to x/(π/2) and r = x − n·π/2, |r| ≤ π/4 or a
// little more. The fixed-point x is cut (1 unit) and n·π/2 is within |n| units (2
// for π, halved); as many more bits as n has, and 3, bring that to 2 units of r.
// sin and 1 − cos have derivatives of at most 1, so both err by sinErr + 2.
// sin x is one of ±sin r, ±cos r by n mod 4.
//
// The result's magnitude: if cos r is wanted it is over 0.7. If sin r is wanted, r
// may be tiny; then everything is done again with as many bits more. An x that is
// not 0 is never a multiple of π, so this ends.
//
// On a ball m ± r: |sin(m+d) − sin m| ≤ |cos m|·r + r²/2 by Taylor, and alike for
// cos, with |cos m| from an evaluation with 32 bits. For wide balls: ends, and ±1 if an
// extremum lies between (as far as can be decided; if not, it is included).

// maxReduce is the largest exponent of an argument that is reduced modulo π/2.
const maxReduce = 1 << 20

// Sin sets z to sin x.
func (z *Ball) Sin(x *Ball, prec uint) *Ball { return z.sine(x, prec, 0) }

// Cos sets z to cos x = sin(x + π/2).
func (z *Ball) Cos(x *Ball, prec uint) *Ball { return z.sine(x, prec, 1) }

// sine sets z to sin(x + shift·π/2).
func (z *Ball) sine(x *Ball, prec uint, shift int64) *Ball {
	if x.kind == empty {
		return z.SetEmpty()
	}
	part, r := x.part, x.rad
	if x.kind == whole || x.top() > maxReduce || r.m != 0 && r.top() > 2 {
		z.setUnit()
		z.part = part
		return z
	}
	if x.absWide() {
		z.sineEnds(x, prec, shift)
		z.part = part
		return z
	}
	var e mag
	q := prec
	if r.m != 0 {
		var c Ball
		c.sinePoint(x, 32, 1-shift)
		e = magInt(&c.man, c.exp).add(c.rad).mul(r).add(r.mul(r).shl(-1))
		q = radPrec(prec, e)
	}
	z.sinePoint(x, q, shift)
	z.rad = z.rad.add(e)
	z.part = part
	return z.finish(prec)
}

// setUnit makes z [−1, 1].
func (z *Ball) setUnit() {
	z.SetInt64(0)
	z.rad = magPow2(0)
}

// sineEnds sets z to the hull of the sine over a wide ball.
func (z *Ball) sineEnds(x *Ball, prec uint, shift int64) *Ball {
	var a, b, fa, fb, lo, hi, t Ball
	x.ends(&a, &b)
	q := min(prec, 96)
	fa.sinePoint(&a, q, shift)
	fb.sinePoint(&b, q, shift)
	fa.lower(&lo)
	fa.upper(&hi)
	lo.minPoint(fb.lower(&t))
	hi.maxPoint(fb.upper(&t))
	// Extrema of sin(x + shift·π/2) are at x = (2j + 1 − shift)·π/2, the value
	// is 1 for even j.
	ja, jb := extremumIndex(&a, shift, true), extremumIndex(&b, shift, false)
	var one Ball
	one.SetInt64(1)
	for j := 0; j < 2; j++ {
		// Is there an integer ≡ j mod 2 in [ja, jb]?
		first := new(big.Int).Set(ja)
		if int(first.Bit(0)) != j {
			first.Add(first, intOne)
		}
		if first.Cmp(jb) <= 0 {
			if j == 0 {
				hi.Set(&one)
			} else {
				t.Neg(&one)
				lo.Set(&t)
			}
		}
	}
	t.SetInt64(1)
	hi.minPoint(&t)
	t.SetInt64(-1)
	lo.maxPoint(&t)
	return z.setEnds(&lo, &hi, prec)
}

// extremumIndex returns an integer at most the least (low), or at least the
// greatest, j with (2j + 1 − shift)·π/2 ≥ x (≤ x): off only if x is within 2^-60 of it.
func extremumIndex(x *Ball, shift int64, low bool) *big.Int {
	var pi, t, h Ball
	q := uint(max(x.top(), 0)) + 64
	t.Quo(x, pi.Pi(q), q) // j = x/π − (1 − shift)/2
	h.SetInt64(shift - 1)
	h.exp = -1
	t.Add(&t, &h, q)
	var e Ball
	if low {
		t.lower(&e)
		return ceilInt(&e)
	}
	t.upper(&e)
	return floorInt(&e)
}

// floorInt returns ⌊x⌋ of a point.
func floorInt(x *Ball) *big.Int {
	z := new(big.Int)
	if x.exp >= 0 {
		return z.Lsh(&x.man, uint(x.exp))
	}
	if -x.exp > int64(x.man.BitLen())+1 {
		return z.SetInt64(int64(min(x.man.Sign(), 0)))
	}
	return z.Rsh(&x.man, uint(-x.exp))
}

// ceilInt returns ⌈x⌉ of a point.
func ceilInt(x *Ball) *big.Int {
	var t Ball
	t.Neg(x)
	z := floorInt(&t)
	return z.Neg(z)
}

// sinePoint sets z to sin(x + shift·π/2) at x's midpoint, to a relative precision.
func (z *Ball) sinePoint(x *Ball, prec uint, shift int64) *Ball {
	p := int64(max(prec, 4))
	t := x.top()
	if t < -p/2-2 { // sin x = x ± |x|³/6, cos x = 1 ± x²/2
		if shift != 0 {
			z.SetInt64(1)
			if t > -2*maxExp {
				z.rad = magPow2(2*max(t, -maxExp/2) - 1)
			}
			return z
		}
		if x.man.Sign() == 0 {
			return z.SetInt64(0)
		}
		r := magPow2(3*max(t, -maxExp/4) - 2)
		if t < -maxExp/4 { // keep the size relative
			r = magPow2(t - 2*p)
		}
		z.Set(x)
		z.rad, z.part = r, false
		return z.finish(prec)
	}
	sc := getScratch()
	defer sc.put()
	extra := int64(0)
	if t < 0 && shift == 0 {
		extra = -t
	}
	for {
		w := uint(p + 11 + extra)
		n := sc.reducePi(&sc.e, x, w)
		n = (n + shift) & 3
		neg := sc.e.Sign() < 0
		sc.e.Abs(&sc.e)
		if n&1 == 0 {
			if have := int64(sc.e.BitLen()); have < p+9 {
				extra += p + 11 - have
				continue
			}
			sc.sinCosFixed(&z.man, &sc.d, &sc.e, w)
			if neg != (n == 2) {
				z.man.Neg(&z.man)
			}
		} else {
			sc.sinCosFixed(nil, &sc.d, &sc.e, w)
			z.man.Lsh(intOne, w)
			z.man.Sub(&z.man, &sc.d)
			if n == 3 {
				z.man.Neg(&z.man)
			}
		}
		z.exp, z.kind, z.part = -int64(w), finite, false
		z.rad = magUp(sinErr+2, z.exp)
		return z.finish(prec)
	}
}

// reducePi sets r to x − n·π/2 with |r| ≤ 0.79, w fractional bits, within 2 units,
// and returns n mod 4.
func (sc *scratch) reducePi(r *big.Int, x *Ball, w uint) (n int64) {
	t := x.top()
	if t < 0 { // |x| < 1/2
		fixed(r, x, int64(w))
		return 0
	}
	extra := uint(t) + 3
	v := w + extra
	fixed(r, x, int64(v))
	half := &sc.b
	constPi.fixed(half, v)
	half.Rsh(half, 1)
	quarter := sc.a.Rsh(half, 1)
	if t <= 40 {
		n = int64(math.Floor(x.approx()*(2/math.Pi) + 0.5))
		sc.c.SetInt64(n)
		sc.d.Mul(half, &sc.c)
		r.Sub(r, &sc.d)
	} else {
		sc.d.Add(r, quarter)
		sc.c.Div(&sc.d, half)
		n = int64(sc.c.Bit(0) | sc.c.Bit(1)<<1)
		sc.d.Mul(half, &sc.c)
		r.Sub(r, &sc.d)
	}
	for r.Cmp(quarter) > 0 {
		r.Sub(r, half)
		n++
	}
	quarter.Neg(quarter)
	for r.Cmp(quarter) < 0 {
		r.Add(r, half)
		n--
	}
	truncRsh(r, r, extra)
	return n & 3
}

// SinCos sets s to sin x and c to cos x. s and c must be distinct; either may be x.
func SinCos(s, c, x *Ball, prec uint) {
	var t Ball
	t.Sin(x, prec)
	c.Cos(x, prec)
	s.Set(&t)
}
