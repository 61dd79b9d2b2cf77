package ball

// Note [Mean value form]
//
// A function f that is evaluated at points only becomes one of balls m ± r in two
// ways. With an enclosure D of f' over the ball, f(m) ± r·|D| contains the range
// and exceeds it by the relative width of D; so it is used if D is narrow, and
// costs one evaluation at full precision. Otherwise the ball is so wide, or so near
// to a singularity, that f' varies, and the values at the ends are taken, for which
// f must be monotone there. D is computed with 48 bits from the function's own
// derivative rule, on the ball rounded to 64 bits, so it is cheap.

const slopeBits = 48

// smooth extends f from points to balls by Note [Mean value form]. slope sets d to
// an enclosure of f' over x; an improper d says that it cannot. f is monotone on x.
// For exact x it is f. x is finite and inside the domain of f.
func (z *Ball) smooth(x *Ball, prec uint, f pointFunc, slope func(d, x *Ball),
	decreasing bool) *Ball {
	part := x.part
	if x.rad.m == 0 {
		f(z, x, prec)
		z.part = part
		return z
	}
	var s, d Ball
	s.Set(x)
	s.finish(64)
	slope(&d, &s)
	if d.kind != finite || d.part && !part || d.relWide(8) {
		return z.monotone(x, prec, f, decreasing)
	}
	e := x.rad.mul(magInt(&d.man, d.exp).add(d.rad))
	q := prec
	if q > 160 { // how much precision is useful
		f(&d, x, 64)
		if t := d.top() - e.top() + 36; d.kind == finite && t < int64(prec) {
			q = uint(max(t, 40))
		}
	}
	f(z, x, q)
	if z.kind == finite {
		z.rad = z.rad.add(e)
	}
	z.part = z.part || part
	return z.finish(prec)
}

// tighten evaluates f with more and more bits until the result has prec good ones,
// for functions with zeros that cannot be foreseen. It gives up when eight times
// the precision, and a thousand bits, do not suffice.
func (z *Ball) tighten(x *Ball, prec uint, f pointFunc) *Ball {
	limit := 8*prec + 1024
	for q := prec + 8; ; {
		f(z, x, q)
		good := z.RelBits(1 << 40)
		if z.kind != finite || good >= int64(prec) || q >= limit {
			return z.finish(prec)
		}
		// Missing bits, and some; a result that contains 0 says nothing, so double.
		if good <= 0 {
			q *= 2
		} else {
			q += prec - uint(good) + 8
		}
		q = min(q, limit)
	}
}
