package ball

import "math/big"

// Log1p sets z to log(1 + x); the domain is x > −1.
func (z *Ball) Log1p(x *Ball, prec uint) *Ball {
	if x.kind == whole {
		return z.halfLine()
	}
	if z.improper(x) {
		return z
	}
	minus1 := FromInt64(-1)
	if x.LessEq(minus1) {
		return z.SetEmpty()
	}
	if !minus1.Less(x) {
		return z.halfLine()
	}
	return z.smooth(x, prec, (*Ball).log1pPoint, func(d, x *Ball) {
		d.Add(x, FromInt64(1), slopeBits)
		d.Recip(d, slopeBits)
	}, false)
}

func (z *Ball) log1pPoint(x *Ball, prec uint) *Ball {
	var d Ball
	d.Mid(x)
	if t := d.top(); t <= -2 || t == -1 && d.man.Sign() > 0 {
		return z.log1pNear(&d, prec)
	}
	// 1 + x is away from 1, or the sum is exact enough: a relative rounding of it
	// is an absolute one of the logarithm, which is over 1/4 in size.
	d.Add(&d, FromInt64(1), prec+guard)
	return z.Log(&d, prec)
}

// Log2 sets z to the logarithm of x to base 2, exact at powers of 2.
func (z *Ball) Log2(x *Ball, prec uint) *Ball {
	return z.logOf(x, prec, (*Ball).log2Point, magUp(3098164010, -31)) // ⌈2^31/ln 2⌉
}

func (z *Ball) log2Point(x *Ball, prec uint) *Ball {
	if n := x.man.BitLen(); int(x.man.TrailingZeroBits()) == n-1 {
		return z.SetInt64(x.exp + int64(n) - 1).finish(prec)
	}
	var t Ball
	z.logPoint(x, prec+guard)
	return z.Quo(z, t.Ln2(prec+guard), prec)
}

// Log10 sets z to the logarithm of x to base 10, exact at powers of 10 (that is,
// positive ones: the others are not dyadic).
func (z *Ball) Log10(x *Ball, prec uint) *Ball {
	return z.logOf(x, prec, (*Ball).log10Point, magUp(3730561194, -33)) // ⌈2^33/ln 10⌉
}

func (z *Ball) log10Point(x *Ball, prec uint) *Ball {
	if n, ok := powerOf10(x); ok {
		return z.SetInt64(n).finish(prec)
	}
	var t Ball
	z.logPoint(x, prec+guard)
	return z.Quo(z, t.Ln10(prec+guard), prec)
}

// powerOf10 recognises 10^n = 5^n·2^n at a positive point.
func powerOf10(x *Ball) (n int64, ok bool) {
	tz := x.man.TrailingZeroBits()
	n = x.exp + int64(tz)
	if n < 0 || n > int64(x.man.BitLen()) {
		return 0, false
	}
	var p, m big.Int
	p.Exp(big.NewInt(5), big.NewInt(n), nil)
	return n, m.Rsh(&x.man, tz).Cmp(&p) == 0
}

var constLn10 = constant{compute: func(z *big.Int, w uint) {
	var t Ball
	t.logPoint(FromInt64(10), w+8)
	fixed(z, &t, int64(w))
}}

// Ln10 sets z to the natural logarithm of 10.
func (z *Ball) Ln10(prec uint) *Ball { return constLn10.ball(z, prec) }

// Exp2 sets z to 2^x, exact at integers.
func (z *Ball) Exp2(x *Ball, prec uint) *Ball {
	return z.power(x, prec, func(z, x *Ball, prec uint) *Ball {
		return z.exp2Point(x, prec)
	}, (*Ball).Ln2)
}

// Exp10 sets z to 10^x, exact at integers where that fits.
func (z *Ball) Exp10(x *Ball, prec uint) *Ball {
	return z.power(x, prec, func(z, x *Ball, prec uint) *Ball {
		return z.exp10Point(x, prec)
	}, (*Ball).Ln10)
}

// power extends b^x to balls. Its slope is log b times itself.
func (z *Ball) power(x *Ball, prec uint, f pointFunc,
	logBase func(z *Ball, prec uint) *Ball) *Ball {
	if z.improper(x) {
		return z
	}
	return z.smooth(x, prec, f, func(d, x *Ball) {
		var l Ball
		logBase(&l, slopeBits)
		d.Mul(x, &l, slopeBits)
		d.Exp(d, slopeBits)
		d.Mul(d, &l, slopeBits)
	}, false)
}

// exp2Point sets z to 2^x at x's midpoint. 2^(n+f) = 2^n·e^(f·ln 2).
func (z *Ball) exp2Point(x *Ball, prec uint) *Ball {
	if x.top() > 59 {
		var t Ball
		t.Mid(x)
		return z.Exp(&t, prec) // it overflows or underflows in any case
	}
	n := floorInt(x).Int64()
	var f, t Ball
	f.Mid(x)
	f.Sub(&f, FromInt64(n), max(uint(x.man.BitLen())+64, prec+guard)) // exact, or as good as
	if f.man.Sign() == 0 {
		z.SetInt64(1)
	} else {
		q := prec + guard
		f.Mul(&f, t.Ln2(q), q)
		z.Exp(&f, prec)
	}
	return z.Mul2(z, n)
}

func (z *Ball) exp10Point(x *Ball, prec uint) *Ball {
	var m, t Ball
	m.Mid(x)
	if x.top() > 59 {
		return z.Exp(&m, prec)
	}
	if x.exp >= 0 || int64(x.man.TrailingZeroBits()) >= -x.exp {
		n := floorInt(x).Int64()
		t.pow10(max(n, -n), prec+guard)
		if n >= 0 {
			return z.Set(&t).finish(prec)
		}
		return z.Recip(&t, prec)
	}
	q := prec + guard + uint(max(x.top()+2, 0))
	m.Mul(&m, t.Ln10(q), q)
	return z.Exp(&m, prec)
}
