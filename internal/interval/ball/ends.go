package ball

import "math/big"

// Points are balls with radius 0. The ends of a ball are points. As numbers they are dyadic, so
// they are exact, unless midpoint and radius are so far apart that writing out their sum would be
// absurd. Then they are rounded outward.

// absurdGap is the distance in bits between midpoint and radius above which ends
// are rounded outward rather than exact.
const absurdGap = 1 << 14

// ends sets lo and hi to points that enclose x, at the ends of x exactly or
// nearly so (see absurdGap). x must be finite; lo and hi must not alias it.
func (x *Ball) ends(lo, hi *Ball) {
	x.lower(lo)
	x.upper(hi)
}

func (x *Ball) lower(z *Ball) *Ball { return x.end(z, true) }
func (x *Ball) upper(z *Ball) *Ball { return x.end(z, false) }

func (x *Ball) end(z *Ball, low bool) *Ball {
	z.man.Set(&x.man)
	z.exp, z.rad, z.kind, z.part = x.exp, mag{}, finite, false
	if x.rad.m == 0 {
		return z
	}
	var r Ball
	r.man.SetUint64(x.rad.m)
	r.exp = x.rad.e
	z.addSub(z, &r, uint(x.man.BitLen())+absurdGap, low)
	if z.rad.m != 0 {
		z.outward(low)
	}
	return z
}

// outward replaces z = m ± r by a point at or beyond its lower (low) or upper end,
// by less than 2r plus 2^-62 units of m's last place, or of its 4,096th bit.
func (z *Ball) outward(low bool) {
	u := max(z.rad.top(), min(z.exp, z.top()-4096)-64)
	d := z.exp - u
	if d >= 0 {
		z.man.Lsh(&z.man, uint(d))
	} else if -d > int64(z.man.BitLen()) {
		z.man.SetInt64(int64(min(z.man.Sign(), 0)))
	} else {
		z.man.Rsh(&z.man, uint(-d)) // floor
	}
	if low {
		z.man.Sub(&z.man, intOne)
	} else {
		z.man.Add(&z.man, intTwo)
	}
	z.exp, z.rad = u, mag{}
}

var intTwo = big.NewInt(2) // read only

// roundEnds rounds the points lo down and hi up to n bits.
func roundEnds(lo, hi *Ball, n int) {
	if d := lo.man.BitLen() - n; d > 0 {
		lo.man.Rsh(&lo.man, uint(d))
		lo.exp += int64(d)
	}
	if d := hi.man.BitLen() - n; d > 0 {
		hi.man.Neg(&hi.man)
		hi.man.Rsh(&hi.man, uint(d))
		hi.man.Neg(&hi.man)
		hi.exp += int64(d)
	}
}

// cmpPoint compares two points exactly.
func (x *Ball) cmpPoint(y *Ball) int {
	sx, sy := x.man.Sign(), y.man.Sign()
	if sx != sy {
		if sx < sy {
			return -1
		}
		return 1
	}
	if sx == 0 {
		return 0
	}
	if tx, ty := x.top(), y.top(); tx != ty {
		if (tx < ty) == (sx > 0) {
			return -1
		}
		return 1
	}
	if x.exp == y.exp {
		return x.man.Cmp(&y.man)
	}
	var t big.Int
	if d := x.exp - y.exp; d > 0 { // tops agree, so the shift is within a mantissa's length
		return t.Lsh(&x.man, uint(d)).Cmp(&y.man)
	}
	return x.man.Cmp(t.Lsh(&y.man, uint(y.exp-x.exp)))
}

func (z *Ball) minPoint(x *Ball) {
	if x.cmpPoint(z) < 0 {
		z.Set(x)
	}
}

func (z *Ball) maxPoint(x *Ball) {
	if x.cmpPoint(z) > 0 {
		z.Set(x)
	}
}

// setEnds makes z the smallest ball it can that contains the points lo ≤ hi.
func (z *Ball) setEnds(lo, hi *Ball, prec uint) *Ball {
	var d Ball
	d.Sub(hi, lo, 64)
	r := magInt(&d.man, d.exp).add(d.rad)
	z.Add(lo, hi, prec)
	z.exp--
	z.rad = z.rad.add(r).shl(-1)
	z.part = false
	if z.man.Sign() == 0 {
		z.exp = 0
	}
	return z.finish(prec)
}

// SetEnds makes z a ball that contains all reals from a to b: from the least point of a
// to the greatest point of b. It is empty if one of them is, or if all of b lies
// below all of a.
func (z *Ball) SetEnds(a, b *Ball, prec uint) *Ball {
	if z.improper(a, b) {
		return z
	}
	var lo, hi Ball
	a.lower(&lo)
	b.upper(&hi)
	if lo.cmpPoint(&hi) > 0 {
		return z.SetEmpty()
	}
	part := a.part || b.part
	z.setEnds(&lo, &hi, prec)
	z.part = part
	return z
}

// Lower sets z to the lower end of x as a point; x must be finite.
func (z *Ball) Lower(x *Ball) *Ball {
	var t Ball
	x.lower(&t)
	return z.Set(&t)
}

// Upper sets z to the upper end of x as a point; x must be finite.
func (z *Ball) Upper(x *Ball) *Ball {
	var t Ball
	x.upper(&t)
	return z.Set(&t)
}

// Mid sets z to the midpoint of x as a point; x must be finite.
func (z *Ball) Mid(x *Ball) *Ball {
	z.Set(x)
	z.rad, z.part = mag{}, false
	return z
}

// Rad sets z to the radius of x as a point; x must be finite.
func (z *Ball) Rad(x *Ball) *Ball {
	r := x.rad
	z.man.SetUint64(r.m)
	z.exp, z.rad, z.kind, z.part = r.e, mag{}, finite, false
	return z.clamp()
}

// AddRad widens x by the absolute value of e, z = x ± |e|.
func (z *Ball) AddRad(x, e *Ball) *Ball {
	if z.improper(x, e) {
		return z
	}
	r := magInt(&e.man, e.exp).add(e.rad)
	part := x.part || e.part
	z.Set(x)
	z.rad, z.part = z.rad.add(r), part
	return z.clamp()
}

// Hull sets z to a ball that contains x and y.
func (z *Ball) Hull(x, y *Ball, prec uint) *Ball {
	part := x.part || y.part
	switch {
	case x.kind == empty:
		z.Set(y)
		return z.SetPartial(part)
	case y.kind == empty:
		z.Set(x)
		return z.SetPartial(part)
	case z.improper(x, y):
		return z
	}
	var a, b, t Ball
	x.ends(&a, &b)
	a.minPoint(y.lower(&t))
	b.maxPoint(y.upper(&t))
	z.setEnds(&a, &b, prec)
	z.part = part
	return z
}

// Intersect sets z to a ball that contains all points common to x and y, empty if
// there is none.
func (z *Ball) Intersect(x, y *Ball, prec uint) *Ball {
	part := x.part || y.part
	switch {
	case x.kind == empty || y.kind == empty:
		return z.SetEmpty()
	case x.kind == whole:
		z.Set(y)
		return z.SetPartial(part)
	case y.kind == whole:
		z.Set(x)
		return z.SetPartial(part)
	}
	var a, b, t Ball
	x.ends(&a, &b)
	a.maxPoint(y.lower(&t))
	b.minPoint(y.upper(&t))
	if a.cmpPoint(&b) > 0 {
		return z.SetEmpty()
	}
	z.setEnds(&a, &b, prec)
	z.part = part
	return z
}
