package ball

// Abs sets z to |x|.
func (z *Ball) Abs(x *Ball) *Ball {
	switch {
	case x.kind != finite:
		return z.Set(x)
	case x.rad.m == 0 || !x.ContainsZero():
		z.Set(x)
		z.man.Abs(&z.man)
		return z
	}
	// [0, |m| + r]
	part := x.part
	var a, b Ball
	x.ends(&a, &b)
	a.man.Neg(&a.man)
	b.maxPoint(&a)
	a.SetInt64(0)
	z.setEnds(&a, &b, 64)
	z.part = part
	return z
}

// Max sets z to the greater of x and y.
func (z *Ball) Max(x, y *Ball, prec uint) *Ball {
	if z.improper(x, y) {
		return z
	}
	part := x.part || y.part
	switch {
	case y.LessEq(x):
		z.Set(x)
	case x.LessEq(y):
		z.Set(y)
	default:
		var a, b, t Ball
		x.ends(&a, &b)
		a.maxPoint(y.lower(&t))
		b.maxPoint(y.upper(&t))
		z.setEnds(&a, &b, prec)
	}
	z.part = part
	return z.finish(prec)
}

// Min sets z to the lesser of x and y.
func (z *Ball) Min(x, y *Ball, prec uint) *Ball {
	var a, b Ball
	return z.Neg(z.Max(a.Neg(x), b.Neg(y), prec))
}
