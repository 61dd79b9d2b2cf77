package ball

// Tan sets z to tan x. If x contains a pole the result is the whole line, Partial.
func (z *Ball) Tan(x *Ball, prec uint) *Ball {
	if x.kind == empty {
		return z.SetEmpty()
	}
	if x.kind == whole || x.top() > maxReduce || x.rad.m != 0 && x.rad.top() > 1 {
		return z.halfLine() // some pole is inside, or nothing is known
	}
	if x.rad.m != 0 {
		// Poles are the extrema of the sine.
		var a, b Ball
		x.ends(&a, &b)
		if extremumIndex(&a, 0, true).Cmp(extremumIndex(&b, 0, false)) <= 0 {
			return z.halfLine()
		}
	}
	return z.smooth(x, prec, tanPoint, func(d, x *Ball) {
		d.Cos(x, slopeBits)
		d.Sqr(d, slopeBits)
		d.Recip(d, slopeBits)
	}, false)
}

func tanPoint(z, x *Ball, prec uint) *Ball {
	var m, s, c Ball
	m.Mid(x)
	q := prec + guard
	SinCos(&s, &c, &m, q)
	return z.Quo(&s, &c, prec)
}

// Asin sets z to the inverse sine of x; the domain is [−1, 1].
func (z *Ball) Asin(x *Ball, prec uint) *Ball {
	return z.arc(x, prec, (*Ball).asinPoint, false)
}

// Acos sets z to the inverse cosine of x; the domain is [−1, 1].
func (z *Ball) Acos(x *Ball, prec uint) *Ball {
	return z.arc(x, prec, (*Ball).acosPoint, true)
}

func (z *Ball) arc(x *Ball, prec uint, f pointFunc, decreasing bool) *Ball {
	if x.kind == empty {
		return z.SetEmpty()
	}
	if x.kind == whole {
		z.between(FromInt64(-1), FromInt64(1), prec, f, decreasing)
		z.part = true
		return z
	}
	if x.rad.m == 0 && x.outsideUnit(false) {
		return z.SetEmpty()
	}
	if x.rad.m != 0 && !x.insideUnit() {
		return z.monotoneOn(plusMin, x, prec, f, decreasing)
	}
	return z.smooth(x, prec, f, func(d, x *Ball) {
		unitProduct(d, x)
		d.Sqrt(d, slopeBits)
		d.Recip(d, slopeBits)
		if decreasing {
			d.Neg(d)
		}
	}, decreasing)
}

// asinPoint sets z to asin x at x's midpoint. asin x = atan(x/√((1−x)(1+x))), and ±π/2 at ±1.
func (z *Ball) asinPoint(x *Ball, prec uint) *Ball {
	var a, s, t Ball
	a.Mid(x)
	q := prec + guard
	s.Sub(FromInt64(1), &a, q)
	t.Add(FromInt64(1), &a, q)
	s.Mul(&s, &t, q)
	if s.man.Sign() == 0 {
		neg := a.man.Sign() < 0
		z.Mul2(z.Pi(prec), -1)
		if neg {
			z.Neg(z)
		}
		return z
	}
	s.Sqrt(&s, q)
	s.Quo(&a, &s, q)
	return z.Atan(&s, prec)
}

// acosPoint sets z to acos x at x's midpoint. acos x = 2 atan(√((1−x)/(1+x))), and π at −1.
func (z *Ball) acosPoint(x *Ball, prec uint) *Ball {
	var a, s, t Ball
	a.Mid(x)
	q := prec + guard
	s.Sub(FromInt64(1), &a, q)
	t.Add(FromInt64(1), &a, q)
	if t.man.Sign() == 0 {
		return z.Pi(prec)
	}
	s.Quo(&s, &t, q)
	s.Sqrt(&s, q)
	z.Atan(&s, prec)
	return z.Mul2(z, 1)
}

// Note [Atan2]
//
// The angle is continuous off the half-line y = 0, x ≤ 0. On a box that does not
// meet the cut from below (that is, unless x has a negative point and y has
// both a negative and a non-negative one) the extreme angles are at corners, so the
// range is their hull; a box that does cross gets [−π, π]. The origin, where the
// angle is undefined, adds nothing to the closure except the mark Partial. Where one
// coordinate keeps its sign, atan of a quotient is used: x and y occur in
// it once, so it is as tight.

// Atan2 sets z to the angle of the point with abscissa x and ordinate y, in
// (−π, π]; the domain is all but the origin.
func (z *Ball) Atan2(y, x *Ball, prec uint) *Ball {
	if x.kind == empty || y.kind == empty {
		return z.SetEmpty()
	}
	part := x.part || y.part
	q := prec + guard
	var t Ball
	turn := func(halves int64) { // z ← halves·π/2 + z
		var pi Ball
		pi.Pi(q)
		pi.Mul(&pi, FromInt64(halves), q)
		z.Add(z, pi.Mul2(&pi, -1), prec)
		z.part = part
	}
	bounded := x.kind == finite && y.kind == finite
	switch {
	case bounded && x.Sign() > 0:
		t.Quo(y, x, q)
		z.Atan(&t, prec)
		z.part = part
		return z
	case bounded && y.Sign() != 0:
		s := int64(y.Sign())
		t.Quo(x, y, q)
		z.Atan(t.Neg(&t), q)
		turn(s)
		return z
	}
	both0 := x.ContainsZero() && y.ContainsZero()
	if both0 && x.IsExact() && y.IsExact() {
		return z.SetEmpty()
	}
	part = part || both0
	var xl, xh, yl, yh Ball
	if bounded {
		x.ends(&xl, &xh)
		y.ends(&yl, &yh)
	}
	if !bounded || xl.man.Sign() < 0 && yl.man.Sign() < 0 && yh.man.Sign() >= 0 {
		z.Pi(q)
		r := magInt(&z.man, z.exp).add(z.rad)
		z.SetInt64(0)
		z.rad, z.part = r, part
		return z
	}
	if bounded && x.Sign() < 0 { // and y ≥ 0
		t.Quo(y, x, q)
		z.Atan(&t, q)
		turn(2)
		return z
	}
	var h, c Ball
	h.SetEmpty()
	for _, p := range [4][2]*Ball{{&yl, &xl}, {&yl, &xh}, {&yh, &xl}, {&yh, &xh}} {
		if p[0].man.Sign() != 0 || p[1].man.Sign() != 0 {
			c.Atan2(p[0], p[1], q)
			h.Hull(&h, &c, q)
		}
	}
	z.Set(&h)
	z.part = part
	return z.finish(prec)
}
