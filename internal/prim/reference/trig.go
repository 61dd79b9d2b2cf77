package reference

import "math/big"

// reduce writes x as q·π/2 + r with |r| ≤ π/4 and q modulo 4.
func reduce(x *big.Float) (q int, r *big.Float) {
	half := new(big.Float).SetPrec(guard).SetMantExp(Pi(), -1)
	n := nearest(new(big.Float).SetPrec(guard).Quo(x, half))
	wide := new(big.Float).SetPrec(guard).SetInt(n)
	wide.Sub(x, wide.Mul(wide, half))
	return int(new(big.Int).And(n, big.NewInt(3)).Int64()), real0().Set(wide)
}

func sinSeries(x *big.Float) *big.Float {
	square := neg(mul(x, x))
	return series(x, func(t *big.Float, k int64) *big.Float {
		return over(mul(t, square), 2*k*(2*k+1))
	})
}

func cosSeries(x *big.Float) *big.Float {
	square := neg(mul(x, x))
	return series(one, func(t *big.Float, k int64) *big.Float {
		return over(mul(t, square), 2*k*(2*k-1))
	})
}

func sinQuadrant(q int, r *big.Float) *big.Float {
	switch q & 3 {
	case 0:
		return sinSeries(r)
	case 1:
		return cosSeries(r)
	case 2:
		return neg(sinSeries(r))
	}
	return neg(cosSeries(r))
}

// Sin returns the sine.
func Sin(x *big.Float) *big.Float { return sinQuadrant(reduce(x)) }

// Cos returns the cosine.
func Cos(x *big.Float) *big.Float {
	q, r := reduce(x)
	return sinQuadrant(q+1, r)
}

// Tan returns the tangent.
func Tan(x *big.Float) *big.Float {
	q, r := reduce(x)
	return div(sinQuadrant(q, r), sinQuadrant(q+1, r))
}

// Atan returns the arc tangent: Taylor's series after halving the angle.
func Atan(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	if abs(x).Cmp(one) > 0 {
		half := scale(Pi(), -1)
		if x.Sign() < 0 {
			half = neg(half)
		}
		return sub(half, Atan(div(one, x)))
	}
	const halvings = 8
	for range halvings {
		x = div(x, add(one, Sqrt(add(one, mul(x, x)))))
	}
	square, power := neg(mul(x, x)), x
	sum := series(x, func(_ *big.Float, k int64) *big.Float {
		power = mul(power, square)
		return over(power, 2*k+1)
	})
	return scale(sum, halvings)
}

// Atan2 returns the angle of the point (x, y), which must not lie on the negative
// abscissa.
func Atan2(y, x *big.Float) *big.Float {
	if x.Sign() > 0 {
		return Atan(div(y, x))
	}
	if y.Sign() == 0 {
		return nil
	}
	half := scale(Pi(), -1)
	if y.Sign() < 0 {
		half = neg(half)
	}
	return sub(half, Atan(div(x, y)))
}

// Asin returns the arc sine.
func Asin(x *big.Float) *big.Float {
	if abs(x).Cmp(one) > 0 {
		return nil
	}
	// tan (y/2) = sin y / (1 + cos y)
	cos := Sqrt(mul(sub(one, x), add(one, x)))
	return scale(Atan(div(x, add(one, cos))), 1)
}

// Acos returns the arc cosine.
func Acos(x *big.Float) *big.Float {
	if abs(x).Cmp(one) > 0 {
		return nil
	}
	if x.Cmp(integer(-1)) == 0 {
		return real0().Set(Pi())
	}
	return scale(Atan(Sqrt(div(sub(one, x), add(one, x)))), 1)
}
