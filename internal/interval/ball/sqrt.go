package ball

import "math/bits"

// Note [Sqrt]
//
// The midpoint's root comes from an exact integer root, Note [Integer square
// roots]: the radicand is shifted so that its root has prec bits or more; cutting
// it and taking the floor cost one unit each at most. On a ball m ± r inside
// the positive reals, |√(m+d) − √m| = |d|/(√(m+d) + √m) ≤ r/(√m + √(m−r)) ≤ r/√m ; the simpler
// bound r/(√m·(2 − r/m)) is used: √(m−r) ≥ √m·(1 − r/m). If the ball is wide or reaches 0, ends.

// Sqrt sets z to √x; the domain is x ≥ 0.
func (z *Ball) Sqrt(x *Ball, prec uint) *Ball {
	if x.kind == whole {
		return z.halfLine()
	}
	if x.kind != finite && z.improper(x) {
		return z
	}
	if x.rad.m == 0 {
		if x.man.Sign() < 0 {
			return z.SetEmpty()
		}
		part := x.part
		z.sqrtPoint(x, prec)
		z.part = part
		return z
	}
	if x.relWide(wideBits) || x.man.Sign() <= 0 {
		return z.monotoneOn(from0, x, prec, (*Ball).sqrtPoint, false)
	}
	part, r := x.part, x.rad
	m := magIntLow(&x.man, x.exp)
	q := r.div(m) // ≤ 2^-9
	z.sqrtPoint(x, relPrec(prec, x))
	root := magIntLow(&z.man, z.exp)
	z.rad = z.rad.add(r.div(root.mulLow(magPow2(1).subLow(q))))
	z.part = part
	return z.finish(prec)
}

// halfLine sets z to the result of a function whose range is a half-line, because its domain is
// one and the argument is the whole line. It returns z.
func (z *Ball) halfLine() *Ball {
	z.SetWhole()
	z.part = true
	return z
}

// sqrtPoint returns the root of x's midpoint, which is not negative.
func (z *Ball) sqrtPoint(x *Ball, prec uint) *Ball {
	if x.man.Sign() == 0 {
		return z.SetInt64(0)
	}
	// The radicand gets twice as many words as prec bits take, all of them used, and
	// an even exponent.
	const word = bits.UintSize
	want := int64((max(prec, 2) + word - 1) / word * word * 2)
	sh := want - int64(x.man.BitLen())
	if (x.exp-sh)&1 != 0 {
		sh--
	}
	e := (x.exp - sh) / 2
	err := uint64(1)
	exact := true
	sc := getScratch()
	defer sc.put()
	if sh >= 0 {
		sc.a.Lsh(&x.man, uint(sh))
	} else {
		err++
		exact = int64(x.man.TrailingZeroBits()) >= -sh
		sc.a.Rsh(&x.man, uint(-sh))
	}
	sc.root.rootRem(&sc.b, &sc.c, &sc.a)
	exact = exact && sc.c.Sign() == 0
	z.man.Set(&sc.b)
	z.exp, z.rad, z.kind, z.part = e, mag{}, finite, false
	if !exact {
		z.rad = magUp(err, e)
	}
	return z.finish(prec)
}
