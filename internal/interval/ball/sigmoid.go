package ball

// Sigmoid sets z to 1/(1 + e^-x).
func (z *Ball) Sigmoid(x *Ball, prec uint) *Ball {
	switch x.kind {
	case empty:
		return z.SetEmpty()
	case whole: // [0, 1]
		part := x.part
		z.setEnds(FromInt64(0), FromInt64(1), prec)
		z.part = part
		return z
	}
	return z.smooth(x, prec, (*Ball).sigmoidPoint, func(d, x *Ball) {
		// s(1−s) = 1/(2 + 2·cosh x)
		d.Cosh(x, slopeBits)
		d.Add(d, FromInt64(1), slopeBits)
		d.Mul2(d, 1)
		d.Recip(d, slopeBits)
	}, false)
}

// sigmoidPoint sets z to the sigmoid of x's midpoint. With e = e^-|x|: 1/(1+e) or e/(1+e).
func (z *Ball) sigmoidPoint(x *Ball, prec uint) *Ball {
	var m, e, t Ball
	m.Mid(x)
	neg := m.man.Sign() < 0
	q := prec + guard
	e.Exp(m.Neg(m.Abs(&m)), q)
	t.Add(&e, FromInt64(1), q)
	if neg {
		return z.Quo(&e, &t, prec)
	}
	return z.Recip(&t, prec)
}

// Softplus sets z to log(1 + e^x).
func (z *Ball) Softplus(x *Ball, prec uint) *Ball {
	if z.improper(x) {
		return z
	}
	return z.smooth(x, prec, (*Ball).softplusPoint, func(d, x *Ball) {
		d.Sigmoid(x, slopeBits)
	}, false)
}

// softplusPoint sets z to the softplus of x's midpoint: max(x, 0) + log1p(e^-|x|), a sum of
// positive terms.
func (z *Ball) softplusPoint(x *Ball, prec uint) *Ball {
	var m, e Ball
	m.Mid(x)
	q := prec + guard
	pos := m.man.Sign() > 0
	e.Neg(e.Abs(&m))
	e.Exp(&e, q)
	e.Log1p(&e, q)
	if pos {
		return z.Add(&m, &e, prec)
	}
	return z.Set(&e).finish(prec)
}

// LogAddExp sets z to log(e^x + e^y). It grows with both, so its range is between
// the values at the lower and at the upper ends.
func (z *Ball) LogAddExp(x, y *Ball, prec uint) *Ball {
	if z.improper(x, y) {
		return z
	}
	part := x.part || y.part
	if x.rad.m == 0 && y.rad.m == 0 {
		z.logAddExpPoint(x, y, prec)
		z.part = part
		return z
	}
	var xl, xh, yl, yh, a, b, lo, hi Ball
	x.ends(&xl, &xh)
	y.ends(&yl, &yh)
	a.logAddExpPoint(&xl, &yl, prec)
	b.logAddExpPoint(&xh, &yh, prec)
	if a.kind != finite || b.kind != finite {
		z.SetWhole()
	} else {
		z.setEnds(a.lower(&lo), b.upper(&hi), prec)
	}
	z.part = part
	return z
}

// logAddExpPoint sets z to log(e^x + e^y) at the midpoints: max + softplus(−|x−y|), with more
// bits if the two terms cancel.
func (z *Ball) logAddExpPoint(x, y *Ball, prec uint) *Ball {
	var m, n Ball
	m.Mid(x)
	n.Mid(y)
	if m.cmpPoint(&n) < 0 {
		m, n = n, m
	}
	return z.tighten(&m, prec, func(z, x *Ball, q uint) *Ball {
		var d Ball
		d.Sub(&n, x, q+guard)
		d.Softplus(&d, q)
		return z.Add(&d, x, q)
	})
}
