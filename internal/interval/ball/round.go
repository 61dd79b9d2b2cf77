package ball

import "math/big"

// Note [Rounding]
//
// Every operation ends in finish, which cuts the midpoint to the working precision and adds
// what was cut off to the radius. Cutting is towards zero, so it moves the midpoint by less
// than one unit of the last place kept; nothing is added when all bits that are cut are zero,
// so that exact results stay exact. Bits of the midpoint below the last bit of the radius (a
// relative 2^-31 of it) carry no information and are cut as well: wide balls have short
// midpoints and are cheap.

// finish rounds z to prec bits as Note [Rounding] says, and confines exponents.
func (z *Ball) finish(prec uint) *Ball {
	n := z.man.BitLen()
	if n == 0 {
		z.exp = 0
		return z.clamp()
	}
	drop := int64(n) - int64(max(prec, 2))
	if z.rad.m != 0 {
		if t := z.rad.e - z.exp; t > drop && (t >= 64 || drop > 0) {
			drop = t
		}
	}
	if drop > 0 {
		if drop >= int64(n) {
			z.rad = z.rad.add(magInt(&z.man, z.exp))
			z.man.SetInt64(0)
			z.exp = 0
			return z.clamp()
		}
		if int64(z.man.TrailingZeroBits()) < drop {
			z.rad = z.rad.add(magPow2(z.exp + drop))
		}
		truncRsh(&z.man, &z.man, uint(drop))
		z.exp += drop
	}
	return z.clamp()
}

// clamp replaces what leaves the range of exponents by something larger within it.
func (z *Ball) clamp() *Ball {
	if z.kind != finite {
		return z
	}
	if t := z.top(); t > maxExp || z.rad.m != 0 && z.rad.top() > maxExp {
		p := z.part
		z.SetWhole()
		z.part = p
		return z
	} else if z.man.Sign() == 0 {
		z.exp = 0
	} else if t < -maxExp {
		z.man.SetInt64(0)
		z.exp = 0
		z.rad = z.rad.add(magPow2(-maxExp))
	}
	if z.rad.m != 0 && z.rad.e < -maxExp-64 {
		z.rad = magPow2(-maxExp)
	}
	return z
}

// truncRsh sets z to x/2^n, rounded towards zero. (big.Int.Rsh rounds down, which
// costs two more passes for negative numbers.)
func truncRsh(z, x *big.Int, n uint) {
	if x.Sign() >= 0 {
		z.Rsh(x, n)
		return
	}
	if z != x {
		z.Neg(x)
	} else {
		z.Neg(z)
	}
	z.Rsh(z, n)
	z.Neg(z)
}

// fixed sets z to man·2^(exp+w) rounded towards zero, the fixed-point form of x's
// midpoint with w fractional bits, and reports whether that is exact.
func fixed(z *big.Int, x *Ball, w int64) (exact bool) {
	d := x.exp + w
	if d >= 0 {
		z.Lsh(&x.man, uint(d))
		return true
	}
	exact = int64(x.man.TrailingZeroBits()) >= -d || x.man.Sign() == 0
	if -d >= int64(x.man.BitLen()) {
		z.SetInt64(0)
		return exact
	}
	truncRsh(z, &x.man, uint(-d))
	return exact
}
