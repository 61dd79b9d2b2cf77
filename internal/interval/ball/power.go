package ball

import "math/big"

// Note [Pow]
//
// x^y = exp(y·log x) for x > 0. In that expression x and y occur once each and
// every step is the exact range of its operands up to rounding, so composition is
// tight for wide operands too. The product of magnitude 2^t loses t bits of relative
// precision in exp, hence t more. Where x reaches down to 0, log x is a half-line and the
// range is found by monotonicity: for y ≥ 0, x^y on (0, h] goes from 0 to
// h^y. Whole exponents use repeated multiplication, which is exact where it fits.

// Pow sets z to the real power x^y; the domain is x > 0, and x = 0 with y > 0, as in
// IEEE 1788. (PowInt also takes negative x.)
func (z *Ball) Pow(x, y *Ball, prec uint) *Ball {
	if x.kind == empty || y.kind == empty {
		return z.SetEmpty()
	}
	part := x.part || y.part
	if x.kind == whole || y.kind == whole {
		return z.halfLine()
	}
	var lo, hi Ball
	x.ends(&lo, &hi)
	if hi.man.Sign() < 0 {
		return z.SetEmpty()
	}
	if lo.man.Sign() > 0 {
		if n, ok := smallInt(y); ok {
			z.PowInt(x, n, prec)
		} else {
			z.powLog(x, y, prec)
		}
		z.part = z.part || part
		return z
	}
	// x reaches 0.
	var yl, yh, t Ball
	y.ends(&yl, &yh)
	part = part || lo.man.Sign() < 0 || yl.man.Sign() <= 0
	if hi.man.Sign() == 0 { // only x = 0 is left, with the positive part of y
		if yh.man.Sign() <= 0 {
			return z.SetEmpty()
		}
		z.SetInt64(0)
		z.part = part
		return z
	}
	if yl.man.Sign() < 0 {
		return z.halfLine()
	}
	if yh.man.Sign() == 0 { // x^0 for x > 0
		z.SetInt64(1)
		z.part = part
		return z
	}
	t.powLog(&hi, y, prec)
	if t.kind != finite {
		z.SetWhole()
		z.part = part
		return z
	}
	t.upper(&hi)
	z.setEnds(lo.SetInt64(0), &hi, prec)
	z.part = part
	return z
}

// smallInt returns y if it is exactly an integer of at most 40 bits: for more the
// logarithm is as good.
func smallInt(y *Ball) (n int64, ok bool) {
	if y.rad.m != 0 || y.top() > 40 {
		return 0, false
	}
	if y.man.Sign() == 0 {
		return 0, true
	}
	if y.exp < 0 && int64(y.man.TrailingZeroBits()) < -y.exp {
		return 0, false
	}
	return floorInt(y).Int64(), true
}

func (z *Ball) powLog(x, y *Ball, prec uint) *Ball {
	var l Ball
	l.Log(x, 32)
	q := prec + guard
	if t := l.top() + y.top(); t > 0 {
		q += uint(min(t, 80))
	}
	l.Log(x, q)
	l.Mul(&l, y, q)
	return z.Exp(&l, prec)
}

// Hypot sets z to √(x² + y²).
func (z *Ball) Hypot(x, y *Ball, prec uint) *Ball {
	if z.improper(x, y) {
		return z
	}
	q := prec + guard
	// Exact squares keep Pythagorean triples exact.
	exactBits := func(x *Ball) uint { return uint(min(2*int64(x.man.BitLen())+2, 4*int64(q))) }
	var a, b Ball
	a.Sqr(x, max(q, exactBits(x)))
	b.Sqr(y, max(q, exactBits(y)))
	a.Add(&a, &b, max(q, exactBits(x)+exactBits(y)))
	return z.Sqrt(&a, prec)
}

// Note [Cbrt]
//
// An exact integer cube root of a radicand of 3·(prec+1) bits: s = ⌊∛n⌋ with n − s³ as the
// proof, so that the result is within one unit (two with the cut radicand) and exact on
// cubes. The root comes from that of the leading bits by one Newton step, s ← s − (s³ − n)/(3s²),
// which doubles the good bits, and is then corrected by comparison. On a
// ball the derivative is 1/(3·∛x²).

// Cbrt sets z to the cube root of x, of negative x too.
func (z *Ball) Cbrt(x *Ball, prec uint) *Ball {
	if z.improper(x) {
		return z
	}
	return z.smooth(x, prec, (*Ball).cbrtPoint, func(d, x *Ball) {
		if x.ContainsZero() {
			d.SetWhole()
			return
		}
		var a Ball
		a.Abs(x)
		a.Log(&a, slopeBits)
		a.Mul(&a, FromInt64(-2), slopeBits)
		a.Quo(&a, FromInt64(3), slopeBits)
		d.Exp(&a, slopeBits)
		d.Quo(d, FromInt64(3), slopeBits)
	}, false)
}

func (z *Ball) cbrtPoint(x *Ball, prec uint) *Ball {
	if x.man.Sign() == 0 {
		return z.SetInt64(0)
	}
	neg := x.man.Sign() < 0
	sh := 3*(int64(max(prec, 2))+1) - int64(x.man.BitLen())
	for (x.exp-sh)%3 != 0 {
		sh++
	}
	e := (x.exp - sh) / 3
	var n, s, r big.Int
	n.Abs(&x.man)
	exact := true
	if sh >= 0 {
		n.Lsh(&n, uint(sh))
	} else {
		exact = int64(n.TrailingZeroBits()) >= -sh
		n.Rsh(&n, uint(-sh))
	}
	cbrtInt(&s, &n)
	r.Mul(&s, &s)
	r.Mul(&r, &s)
	exact = exact && r.Cmp(&n) == 0
	z.man.Set(&s)
	if neg {
		z.man.Neg(&z.man)
	}
	z.exp, z.rad, z.kind, z.part = e, mag{}, finite, false
	if !exact {
		z.rad = magPow2(e + 1)
	}
	return z.finish(prec)
}

// cbrtInt sets s to ⌊∛n⌋ for n ≥ 0.
func cbrtInt(s, n *big.Int) {
	b := n.BitLen()
	if b <= 48 {
		u := n.Uint64()
		r := uint64(0)
		for bit := uint64(1) << 16; bit > 0; bit >>= 1 {
			if c := r | bit; c*c*c <= u {
				r = c
			}
		}
		s.SetUint64(r)
		return
	}
	k := uint(b)/6 - 1
	var h, t, q big.Int
	h.Rsh(n, 3*k)
	cbrtInt(s, &h)
	s.Add(s, intOne) // from above, Newton's step stays above
	s.Lsh(s, k)
	for {
		// t = (2s + n/s²)/3; once it does not fall, s is the root.
		q.Mul(s, s)
		t.Quo(n, &q)
		t.Add(&t, s)
		t.Add(&t, s)
		t.Quo(&t, intThree)
		if t.Cmp(s) >= 0 {
			return
		}
		s.Set(&t)
	}
}

var intThree = big.NewInt(3) // read only
