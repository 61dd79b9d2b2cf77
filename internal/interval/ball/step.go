package ball

import "math/big"

// This file has functions that jump. The range over a ball lies between the values at its ends,
// which are exact integers.

// Floor sets z to the hull of ⌊x⌋.
func (z *Ball) Floor(x *Ball, prec uint) *Ball { return z.step(x, prec, floorInt) }

// Ceil sets z to the hull of ⌈x⌉.
func (z *Ball) Ceil(x *Ball, prec uint) *Ball { return z.step(x, prec, ceilInt) }

// Round sets z to the hull of the integers nearest to x, the even one of two.
func (z *Ball) Round(x *Ball, prec uint) *Ball { return z.step(x, prec, roundEvenInt) }

// RoundAway sets z to the hull of the integers nearest to x, of two the one
// farther from 0.
func (z *Ball) RoundAway(x *Ball, prec uint) *Ball { return z.step(x, prec, roundAwayInt) }

// Trunc sets z to the hull of x rounded towards 0.
func (z *Ball) Trunc(x *Ball, prec uint) *Ball {
	return z.step(x, prec, func(x *Ball) *big.Int {
		if x.man.Sign() < 0 {
			return ceilInt(x)
		}
		return floorInt(x)
	})
}

// Signum sets z to the hull of the signs −1, 0, 1 of x's points.
func (z *Ball) Signum(x *Ball) *Ball {
	if x.kind == whole {
		part := x.part
		z.setUnit()
		z.part = part
		return z
	}
	return z.step(x, 64, func(x *Ball) *big.Int { return big.NewInt(int64(x.man.Sign())) })
}

// Beyond 2^hugeStep, every end that is not an integer is treated as one.
const hugeStep = 1 << 24

func (z *Ball) step(x *Ball, prec uint, f func(*Ball) *big.Int) *Ball {
	if z.improper(x) {
		return z
	}
	part := x.part
	if x.top() > hugeStep {
		// Writing out the integers would be absurd; x ± 1 contains them.
		z.Add(x, FromInt64(0), prec)
		z.rad = z.rad.add(magPow2(0))
		z.part = part
		return z.finish(prec)
	}
	if x.rad.m == 0 {
		z.SetInt(f(x))
		z.part = part
		return z.finish(prec)
	}
	var a, b, lo, hi Ball
	x.ends(&a, &b)
	lo.SetInt(f(&a))
	hi.SetInt(f(&b))
	z.setEnds(&lo, &hi, prec)
	z.part = part
	return z
}

// roundEvenInt returns ⌊x + 1/2⌋, less one if x + 1/2 is an odd integer.
func roundEvenInt(x *Ball) *big.Int {
	h, tie := halfUp(x)
	if tie && h.Bit(0) != 0 {
		h.Sub(h, intOne)
	}
	return h
}

func roundAwayInt(x *Ball) *big.Int {
	h, tie := halfUp(x)
	if tie && x.man.Sign() < 0 {
		h.Sub(h, intOne)
	}
	return h
}

// halfUp returns ⌊x + 1/2⌋ of a point, and whether x + 1/2 is an integer.
func halfUp(x *Ball) (h *big.Int, tie bool) {
	// ⌊x + 1/2⌋ = ⌊(⌊2x⌋ + 1)/2⌋, and it is a tie if 2x is an odd integer.
	var d, t Ball
	d.Mid(x)
	if d.man.Sign() != 0 {
		d.exp++
	}
	h = floorInt(&d)
	t.SetInt(h)
	tie = h.Bit(0) != 0 && t.cmpPoint(&d) == 0
	h.Add(h, intOne)
	h.Rsh(h, 1)
	return h, tie
}
