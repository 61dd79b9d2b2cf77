package ball

// A domain is a closed interval of integers' width that a function is defined on.
type domain uint8

const (
	from0   domain = iota // [0, ∞)
	from1                 // [1, ∞)
	plusMin               // [−1, 1]
)

// clip cuts the points lo ≤ hi to a domain. It reports whether something was cut
// off, and whether anything is left. Ends, not balls, are clipped: a ball's radius
// is rounded up and could stick out again.
func (d domain) clip(lo, hi *Ball) (cut, left bool) {
	var e Ball
	switch d {
	case from1:
		e.SetInt64(1)
	case plusMin:
		e.SetInt64(-1)
	}
	if lo.cmpPoint(&e) < 0 {
		if hi.cmpPoint(&e) < 0 {
			return true, false
		}
		lo.Set(&e)
		cut = true
	}
	if e.SetInt64(1); d == plusMin && hi.cmpPoint(&e) > 0 {
		if lo.cmpPoint(&e) > 0 {
			return true, false
		}
		hi.Set(&e)
		cut = true
	}
	return cut, true
}

// A pointFunc evaluates a function at the midpoint of x, ignoring its radius.
type pointFunc func(z, x *Ball, prec uint) *Ball

// monotone sets z to the hull of f at the ends of x, for an f that is monotone on x.
func (z *Ball) monotone(x *Ball, prec uint, f pointFunc, decreasing bool) *Ball {
	part := x.part
	var a, b Ball
	x.ends(&a, &b)
	z.between(&a, &b, prec, f, decreasing)
	z.part = z.part || part
	return z
}

// monotoneOn is monotone for an f that is defined on d only.
func (z *Ball) monotoneOn(d domain, x *Ball, prec uint, f pointFunc, decreasing bool) *Ball {
	part := x.part
	var a, b Ball
	x.ends(&a, &b)
	cut, left := d.clip(&a, &b)
	if !left {
		return z.SetEmpty()
	}
	z.between(&a, &b, prec, f, decreasing)
	z.part = part || cut
	return z
}

// between sets z to the hull of f at two points between which it is monotone. It
// begins with a low precision, which is enough for most wide balls.
func (z *Ball) between(a, b *Ball, prec uint, f pointFunc, decreasing bool) *Ball {
	if decreasing {
		a, b = b, a
	}
	var fa, fb, lo, hi Ball
	for q := uint(96); ; q = prec {
		q = min(q, prec)
		f(&fa, a, q)
		f(&fb, b, q)
		if fa.kind != finite || fb.kind != finite {
			return z.SetWhole()
		}
		fa.lower(&lo)
		fb.upper(&hi)
		z.setEnds(&lo, &hi, prec)
		e := magMax(fa.rad, fb.rad)
		if q == prec || e.m == 0 || e.top()+20 < z.rad.top() {
			return z
		}
	}
}
