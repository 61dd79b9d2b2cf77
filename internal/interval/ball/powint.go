package ball

// Note [Integer powers]
//
// At a point, x^n by repeated squaring with balls at prec + 2·log2 n + 8 bits: every
// multiplication errs by a relative 2^(1-q) at most and there are at most 2·log2 n;
// an error in an early square is amplified by the rest of the exponent, in all by
// at most n. The radii account for all this by themselves; the extra bits only keep
// the result tight. An exact product that fits stays exact.
//
// On a ball: odd powers are increasing, even ones have a minimum at 0, so the hull of the ends,
// with 0 if it is inside, is the range. For narrow balls the derivative bound n·|x|^(n-1)·r is
// what ball multiplication computes, so the same repeated squaring is applied to the ball.
// Negative n: the reciprocal of x^-n, undefined at 0; 0^0 = 1.

// PowInt sets z to x^n.
func (z *Ball) PowInt(x *Ball, n int64, prec uint) *Ball {
	if n == 0 {
		part := x.part
		if x.kind == empty {
			return z.SetEmpty()
		}
		z.SetInt64(1)
		z.part = part
		return z
	}
	if x.kind == empty {
		return z.SetEmpty()
	}
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	q := prec + 2*uint(bitLen64(max(n, -max(n, -1<<62)))) + 8
	if n < 0 {
		// The power must not lose the sign of x, or the reciprocal is the whole line.
		if x.ContainsZero() {
			if x.IsExact() {
				return z.SetEmpty()
			}
			z.SetWhole()
			z.part = true
			return z
		}
		var t Ball
		t.powUint(x, u, q)
		if t.kind != finite || t.ContainsZero() {
			// Beyond the range of exponents, or too wide: use 1/x first.
			t.Recip(x, q)
			t.powUint(&t, u, q)
			z.Set(&t)
			return z.finish(prec)
		}
		return z.Quo(FromInt64(1), &t, prec)
	}
	if x.kind == whole {
		part := x.part
		z.SetWhole() // a half-line for even n
		z.part = part
		return z
	}
	var t Ball
	t.powUint(x, u, q)
	z.Set(&t)
	return z.finish(prec)
}

// powUint sets z to x^u for u ≥ 1 and finite x. z must not be x, unless x is narrow or exact.
func (z *Ball) powUint(x *Ball, u uint64, q uint) *Ball {
	if x.relWide(wideBits) || x.relWide(wideBits+int64(bitLen64(int64(u>>1)))) {
		part := x.part
		f := func(z, y *Ball, p uint) *Ball { return z.powChain(y, u, p) }
		if u&1 != 0 {
			return z.monotone(x, q, f, false)
		}
		var m Ball
		m.Abs(x)
		var a, b Ball
		m.ends(&a, &b)
		from0.clip(&a, &b)
		z.between(&a, &b, q, f, false)
		z.part = part
		return z
	}
	var b Ball
	b.Set(x)
	return z.powChain(&b, u, q)
}

// powChain computes x^u by left-to-right binary powering. x must not be z.
func (z *Ball) powChain(x *Ball, u uint64, q uint) *Ball {
	z.Set(x)
	for i := bitLen64(int64(u>>1)) - 1; i >= 0; i-- {
		z.Mul(z, z, q)
		if u>>uint(i)&1 != 0 {
			z.Mul(z, x, q)
		}
	}
	return z
}
