package solve

import "math"

// triple is three places l <= m <= r with f(m) >= f(l), f(r): if f is
// continuous it has a local maximum between l and r.
type triple struct{ l, fl, m, fm, r, fr float64 }

// golden is the fraction of the larger part at which golden section looks.
const golden = 0.3819660112501051

// climb narrows a triple until its values cannot be distinguished, or its places are neighbours,
// or enough returns true. It is Brent's method: the vertex of the parabola through the triple
// while that converges, and golden section otherwise. A smooth function is flat around its
// maximum, so the values determine only half of the digits of m, and places nearer than that are
// not evaluated. The limit is lowered only for a peak so sharp that its values still differ.
func (f *meter) climb(t triple, enough func(triple) bool) (triple, error) {
	width := t.r - t.l
	near := math.Max(0x1p-28*math.Max(math.Abs(t.m), width*0x1p-10), ulp(t.m))
	for step := 1; !enough(t) && t.fm-math.Min(t.fl, t.fr) > indistinct*math.Abs(t.fm); step++ {
		for t.r-t.l <= 4*near && near > ulp(t.m) {
			near = math.Max(near/64, ulp(t.m))
		}
		x := t.vertex()
		if step%3 == 0 { // ensure that the triple halves in three steps
			if t.r-t.l > width/2 {
				x = math.NaN()
			}
			width = t.r - t.l
		}
		if !(x > t.l && x < t.r) {
			if t.r-t.m > t.m-t.l {
				x = t.m + golden*(t.r-t.m)
			} else {
				x = t.m - golden*(t.m-t.l)
			}
		}
		if math.Abs(x-t.m) < near { // look next to m, on the wider side
			x = t.m + near
			if t.r-t.m < t.m-t.l {
				x = t.m - near
			}
		}
		if x <= t.l || x >= t.r { // few doubles are left
			if x = math.Nextafter(t.m, t.r); x == t.r {
				x = math.Nextafter(t.m, t.l)
			}
			if x == t.l {
				break
			}
		}
		fx, err := f.at(x)
		if err != nil {
			return t, err
		}
		t = t.with(x, fx)
	}
	return t, nil
}

// vertex returns the vertex of the parabola through the triple. If the parabola is useless it is
// not in (l, r).
func (t triple) vertex() float64 {
	p, q := (t.m-t.l)*(t.fm-t.fr), (t.m-t.r)*(t.fm-t.fl)
	return t.m - ((t.m-t.l)*p-(t.m-t.r)*q)/(2*(p-q))
}

// with narrows the triple by a place inside it.
func (t triple) with(x, fx float64) triple {
	switch {
	case fx > t.fm && x > t.m:
		t.l, t.fl, t.m, t.fm = t.m, t.fm, x, fx
	case fx > t.fm:
		t.r, t.fr, t.m, t.fm = t.m, t.fm, x, fx
	case x > t.m:
		t.r, t.fr = x, fx
	default:
		t.l, t.fl = x, fx
	}
	return t
}

// reach estimates how high f may rise within the triple: four times the steepest slope seen,
// times the width.
func (t triple) reach() float64 {
	slope := math.Max((t.fm-t.fl)/(t.m-t.l), (t.fm-t.fr)/(t.r-t.m))
	return t.fm + 4*slope*math.Max(t.m-t.l, t.r-t.m)
}
