package ball

// Note [Division]
//
// With x = m ± r and y = n ± s, 0 outside y, for x' in x and y' in y:
//
//	|x'/y' − m/n| = |(x'−m)·n − m·(y'−n)| / (|n|·|y'|) ≤ (r + |m/n|·s) / (|n| − s)
//
// The quotient of midpoints is an integer division of enough bits, cut towards
// zero, so less than one unit off, and exact if the remainder vanishes. The bound
// exceeds the true range by a relative s/|n|; if y is wide the quotients of ends
// are taken.

// Quo sets z to x/y. If y contains 0 the result is the whole line and Partial, or
// empty if y is exactly 0.
func (z *Ball) Quo(x, y *Ball, prec uint) *Ball {
	part := x.part || y.part
	switch {
	case x.kind == empty || y.kind == empty:
		return z.SetEmpty()
	case y.ContainsZero():
		if y.IsExact() {
			return z.SetEmpty()
		}
		z.SetWhole()
		z.part = true
		return z
	case x.kind != finite:
		z.SetWhole()
		z.part = part
		return z
	}
	if y.relWide(wideBits) {
		return z.quoEnds(x, y, prec)
	}
	if x.man.Sign() == 0 {
		rad := x.rad.div(magIntLow(&y.man, y.exp).subLow(y.rad))
		z.SetInt64(0)
		z.rad, z.part = rad, part
		return z.clamp()
	}
	// Shift so that the quotient has prec+1 or prec+2 bits.
	p := int64(max(prec, 2))
	if x.rad.m != 0 || y.rad.m != 0 { // no more digits than the radius justifies
		acc := p
		if x.rad.m != 0 {
			acc = min(acc, x.top()-x.rad.top())
		}
		if y.rad.m != 0 {
			acc = min(acc, y.top()-y.rad.top())
		}
		p = min(p, max(acc, 0)+36)
	}
	xn, yn := &x.man, &y.man
	sh := p + 1 - int64(xn.BitLen()) + int64(yn.BitLen())
	sc := getScratch()
	exact := true
	e := x.exp - y.exp - sh
	if sh >= 0 {
		sc.a.Lsh(xn, uint(sh))
	} else {
		exact = int64(xn.TrailingZeroBits()) >= -sh
		truncRsh(&sc.a, xn, uint(-sh))
	}
	rx, ry := x.rad, y.rad
	var den mag
	if rx.m != 0 || ry.m != 0 {
		den = magIntLow(&y.man, y.exp).subLow(ry)
	}
	sc.c.QuoRem(&sc.a, yn, &sc.b)
	exact = exact && sc.b.Sign() == 0
	z.man.Set(&sc.c)
	sc.put()
	z.exp, z.rad, z.kind, z.part = e, mag{}, finite, part
	if !exact {
		z.rad = magPow2(e + 1) // cutting the dividend costs one more unit
	}
	if den.m != 0 {
		q := magInt(&z.man, e).add(magPow2(e + 1))
		z.rad = z.rad.add(rx.add(q.mul(ry)).div(den))
	}
	return z.finish(prec)
}

func (z *Ball) quoEnds(x, y *Ball, prec uint) *Ball {
	part := x.part || y.part
	var a, b, c, d, t, u, lo, hi Ball
	x.ends(&a, &b)
	y.ends(&c, &d)
	q := uint(96) // y is wide, so more would be wasted
	for i, p := range [4][2]*Ball{{&a, &c}, {&a, &d}, {&b, &c}, {&b, &d}} {
		t.Quo(p[0], p[1], q)
		if i == 0 {
			t.lower(&lo)
			t.upper(&hi)
			continue
		}
		lo.minPoint(t.lower(&u))
		hi.maxPoint(t.upper(&u))
	}
	z.setEnds(&lo, &hi, prec)
	z.part = part
	return z
}

// Recip sets z to 1/x, like Quo.
func (z *Ball) Recip(x *Ball, prec uint) *Ball {
	var one Ball
	return z.Quo(one.SetInt64(1), x, prec)
}
