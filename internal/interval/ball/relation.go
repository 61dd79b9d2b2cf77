package ball

// Sign returns 1 if every point of x is positive, −1 if every one is negative, and
// 0 if x contains 0, is empty, or is exactly 0.
func (x *Ball) Sign() int {
	if x.kind != finite || x.ContainsZero() {
		return 0
	}
	return x.man.Sign()
}

// ContainsZero reports whether 0 is a point of x.
func (x *Ball) ContainsZero() bool {
	switch {
	case x.kind != finite:
		return x.kind == whole
	case x.man.Sign() == 0:
		return true
	case x.rad.m == 0:
		return false
	}
	if t := x.top(); x.rad.top() != t {
		return x.rad.top() > t
	}
	var r Ball
	r.man.SetUint64(x.rad.m)
	r.exp = x.rad.e
	var a Ball
	a.man.Abs(&x.man)
	a.exp = x.exp
	return a.cmpPoint(&r) <= 0
}

// Contains reports whether every point of y is a point of x. It may err towards
// false where midpoint and radius are thousands of bits apart.
func (x *Ball) Contains(y *Ball) bool {
	switch {
	case y.kind == empty || x.kind == whole:
		return true
	case x.kind == empty || y.kind == whole:
		return false
	}
	var a, b Ball
	if a.Mid(x).cmpPoint(b.Mid(y)) == 0 {
		return y.rad.cmp(x.rad) <= 0
	}
	return x.innerLower(&a).cmpPoint(y.lower(&b)) <= 0 && y.upper(&b).cmpPoint(
		x.innerUpper(&a)) <= 0
}

// innerLower and innerUpper are like lower and upper, but rounded inward where the
// ends cannot be written exactly.
func (x *Ball) innerLower(z *Ball) *Ball { return x.innerEnd(z, true) }
func (x *Ball) innerUpper(z *Ball) *Ball { return x.innerEnd(z, false) }

func (x *Ball) innerEnd(z *Ball, low bool) *Ball {
	if x.rad.m != 0 && x.man.Sign() != 0 {
		if g := x.rad.top() - x.top(); g > absurdGap/2 || -g > absurdGap/2+int64(x.man.BitLen()) {
			if g < 0 { // a point, as good as
				return z.Mid(x)
			}
			var t Ball // the midpoint hardly counts
			t.rad = mag{x.rad.m - 1, x.rad.e}
			return t.end(z, low)
		}
	}
	return x.end(z, low)
}

// Overlaps reports whether x and y have a point in common. It may err towards true if midpoint
// and radius are thousands of bits apart.
func (x *Ball) Overlaps(y *Ball) bool {
	if x.kind == empty || y.kind == empty {
		return false
	}
	return !x.Less(y) && !y.Less(x)
}

// Less reports whether every point of x is certainly less than every point of y. If it is false,
// nothing follows. It is false if one of them is empty.
func (x *Ball) Less(y *Ball) bool {
	if x.kind != finite || y.kind != finite {
		return false
	}
	var a, b Ball
	return x.upper(&a).cmpPoint(y.lower(&b)) < 0
}

// LessEq reports whether every point of x is at most every point of y.
func (x *Ball) LessEq(y *Ball) bool {
	if x.kind != finite || y.kind != finite {
		return false
	}
	var a, b Ball
	return x.upper(&a).cmpPoint(y.lower(&b)) <= 0
}

// Equal reports whether x and y are the same set written the same way: equal
// midpoints and radii. It ignores the mark Partial.
func (x *Ball) Equal(y *Ball) bool {
	if x.kind != y.kind {
		return false
	}
	if x.kind != finite {
		return true
	}
	var a, b Ball
	return x.rad == y.rad && a.Mid(x).cmpPoint(b.Mid(y)) == 0
}

// NarrowerThan reports whether the width of x, twice its radius, is at most the
// least absolute value in tol. Only finite balls are narrow.
func (x *Ball) NarrowerThan(tol *Ball) bool {
	if x.kind != finite || tol.kind != finite || tol.ContainsZero() {
		return x.IsExact() && tol.kind == finite
	}
	t := magIntLow(&tol.man, tol.exp).subLow(tol.rad)
	return x.rad.shl(1).cmp(t) <= 0
}

// RelBits returns a lower bound of −log2(radius/|midpoint|): the number of bits of
// the midpoint that are certain. It is at most limit, which is what exact balls
// have, and 0 or less for balls that are wider than their magnitude.
func (x *Ball) RelBits(limit int64) int64 {
	if x.kind != finite {
		return -limit
	}
	if x.rad.m == 0 {
		return limit
	}
	return min(limit, max(-limit, x.top()-1-x.rad.top()))
}

// RadExp returns e with radius ≤ 2^e, and false if the ball is exact or not finite.
func (x *Ball) RadExp() (e int64, ok bool) {
	if x.kind != finite || x.rad.m == 0 {
		return 0, false
	}
	return x.rad.top(), true
}
