package ball

// Note [Arithmetic]
//
// With x = m ± r and y = n ± s,
//
//	x + y ⊂ (m + n) ± (r + s)
//	x · y ⊂ m·n ± (|m|·s + |n|·r + r·s)
//
// and rounding adds its own part, Note [Rounding]. The first is the exact range.
// The second is the smallest symmetric one around m·n, but the true range is
// not symmetric by 2·r·s: that matters only where both balls are wide
// (relative radius over 2^-8), and there the four products of ends are taken.

// A ball is wide if its radius is over 2^-wideBits of its scale. Then functions take the hull of
// their values at the ends.
const wideBits = 10

// Neg sets z to −x, exactly.
func (z *Ball) Neg(x *Ball) *Ball {
	z.Set(x)
	z.man.Neg(&z.man)
	return z
}

// Add sets z to x + y.
func (z *Ball) Add(x, y *Ball, prec uint) *Ball { return z.addSub(x, y, prec, false) }

// Sub sets z to x − y.
func (z *Ball) Sub(x, y *Ball, prec uint) *Ball { return z.addSub(x, y, prec, true) }

func (z *Ball) addSub(x, y *Ball, prec uint, neg bool) *Ball {
	if (x.kind|y.kind) != finite && z.improper(x, y) {
		return z
	}
	rad := x.rad.add(y.rad)
	part := x.part || y.part
	xt, yt := x.top(), y.top()
	// An operand that lies wholly below the last place of the other is an error
	// term: the sum could not be exact anyway.
	if far := int64(prec) + 40; y.man.Sign() == 0 || xt-yt > far {
		tiny := magInt(&y.man, y.exp)
		z.Set(x)
		z.rad, z.part = rad.add(tiny), part
		return z.finish(prec)
	} else if x.man.Sign() == 0 || yt-xt > far {
		tiny := magInt(&x.man, x.exp)
		z.Set(y)
		if neg {
			z.man.Neg(&z.man)
		}
		z.rad, z.part = rad.add(tiny), part
		return z.finish(prec)
	}
	switch d := x.exp - y.exp; {
	case d == 0:
		addTo(z, x, y, neg)
		z.exp = x.exp
	case d > 0:
		sc := getScratch()
		e := y.exp
		sc.a.Lsh(&x.man, uint(d))
		if neg {
			z.man.Sub(&sc.a, &y.man)
		} else {
			z.man.Add(&sc.a, &y.man)
		}
		z.exp = e
		sc.put()
	default:
		sc := getScratch()
		e := x.exp
		sc.a.Lsh(&y.man, uint(-d))
		if neg {
			z.man.Sub(&x.man, &sc.a)
		} else {
			z.man.Add(&x.man, &sc.a)
		}
		z.exp = e
		sc.put()
	}
	z.kind, z.rad, z.part = finite, rad, part
	return z.finish(prec)
}

func addTo(z, x, y *Ball, neg bool) {
	if neg {
		z.man.Sub(&x.man, &y.man)
	} else {
		z.man.Add(&x.man, &y.man)
	}
}

// relWide reports whether x's radius is over 2^-k of its midpoint.
func (x *Ball) relWide(k int64) bool {
	return x.rad.m != 0 && x.rad.top() > x.top()-k
}

// Mul sets z to x·y.
func (z *Ball) Mul(x, y *Ball, prec uint) *Ball {
	if (x.kind | y.kind) != finite {
		return z.mulImproper(x, y)
	}
	var rad mag
	if x.rad.m != 0 || y.rad.m != 0 {
		if x.relWide(8) && y.relWide(8) {
			return z.mulEnds(x, y, prec)
		}
		if y.rad.m != 0 {
			rad = magInt(&x.man, x.exp).add(x.rad).mul(y.rad)
		}
		if x.rad.m != 0 {
			rad = rad.add(magInt(&y.man, y.exp).mul(x.rad))
		}
	}
	e := x.exp + y.exp
	part := x.part || y.part
	mulInto(z, x, y)
	z.exp, z.rad, z.kind, z.part = e, rad, finite, part
	return z.finish(prec)
}

// mulInto sets z's mantissa to the product, through scratch memory where z is an
// operand, so that its own storage is kept.
func mulInto(z, x, y *Ball) {
	if z != x && z != y {
		z.man.Mul(&x.man, &y.man)
		return
	}
	sc := getScratch()
	sc.a.Mul(&x.man, &y.man)
	z.man.Set(&sc.a)
	sc.put()
}

// mulImproper multiplies improper balls. 0 times the whole line is 0 if the 0 is exact.
func (z *Ball) mulImproper(x, y *Ball) *Ball {
	zero := func(b *Ball) bool { return b.IsExact() && b.man.Sign() == 0 }
	part := x.part || y.part
	if x.kind != empty && y.kind != empty && (zero(x) || zero(y)) {
		z.SetInt64(0)
		z.part = part
		return z
	}
	z.improper(x, y)
	return z
}

// mulEnds returns the hull of the products of ends.
func (z *Ball) mulEnds(x, y *Ball, prec uint) *Ball {
	part := x.part || y.part
	var a, b, c, d, t, lo, hi Ball
	x.ends(&a, &b)
	y.ends(&c, &d)
	q := uint(128) // products of two ends of at most 64 bits are exact
	roundEnds(&a, &b, 64)
	roundEnds(&c, &d, 64)
	lo.Mul(&a, &c, q)
	hi.Set(&lo)
	for _, p := range [3][2]*Ball{{&a, &d}, {&b, &c}, {&b, &d}} {
		t.Mul(p[0], p[1], q)
		lo.minPoint(&t)
		hi.maxPoint(&t)
	}
	z.setEnds(&lo, &hi, prec)
	z.part = part
	return z
}

// Sqr sets z to x², which is tighter than x·x where x is wide.
func (z *Ball) Sqr(x *Ball, prec uint) *Ball {
	if x.kind != finite && z.improper(x) {
		return z
	}
	if !x.relWide(wideBits) {
		return z.Mul(x, x, prec)
	}
	part := x.part
	var a, b Ball
	x.ends(&a, &b)
	roundEnds(&a, &b, 64)
	a.Mul(&a, &a, 128)
	b.Mul(&b, &b, 128)
	if x.ContainsZero() {
		b.maxPoint(&a)
		a.SetInt64(0)
	} else if a.cmpPoint(&b) > 0 {
		a, b = b, a
	}
	z.setEnds(&a, &b, prec)
	z.part = part
	return z
}

// FMA sets z to x·y + w with a single rounding of the midpoint.
func (z *Ball) FMA(x, y, w *Ball, prec uint) *Ball {
	var t Ball
	// The product is formed to full length unless an operand is far longer than
	// the precision asked for.
	t.Mul(x, y, uint(x.man.BitLen()+y.man.BitLen())+2)
	return z.Add(&t, w, prec)
}

// Mul2 sets z to x·2^k, exactly.
func (z *Ball) Mul2(x *Ball, k int64) *Ball {
	z.Set(x)
	if z.kind != finite {
		return z
	}
	k = min(max(k, -3*maxExp), 3*maxExp)
	if z.man.Sign() != 0 {
		z.exp += k
	}
	z.rad = z.rad.shl(k)
	return z.clamp()
}
