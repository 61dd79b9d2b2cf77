// Package family evaluates special functions of several reals together with all their partial
// derivatives: the incomplete gamma and beta functions and Bessel's functions.
//
// A function is given by one formula over balls, its natural extension. From it the package makes
// the three columns of the table of primitives: doubles, double intervals and balls of any
// precision. It knows nothing of expressions or of the code that differentiates.
package family

import (
	"math"
	"slices"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Function is a function of reals with its partial derivatives. Its integers are the orders of
// differentiation, one for each real, followed by arguments of its own.
type Function struct {
	// extend encloses the function on balls inside its domain, at a working precision of q bits.
	// It returns nil if it cannot. At points the result need not have q good bits.
	extend func(ints []int64, xs []*ball.Ball, q uint) *ball.Ball

	// domain holds for each real the closure of the set where the function is defined. open says
	// whether its lower end is excluded.
	domain []interval.Interval
	open   []bool

	// rising holds for each real the direction in which the function itself is monotone: 1 or -1.
	// It is nil if the function is not monotone.
	rising []int
	// values contains all values of the function itself.
	values interval.Interval

	// limit returns the function at a point where the formula does not hold: at an end of the
	// domain or at infinity.
	limit func(ints []int64, xs []float64) (y float64, ok bool)

	// quick returns the function at a point of doubles inside its domain, within one unit in the
	// last place, if there is a kernel for it. It is nil if there is none.
	quick func(ints []int64, xs []float64) (y float64, ok bool)
}

// maxOrder is the greatest order of differentiation. Beyond it only the whole line is returned.
const maxOrder = 200

// Note [Extending a family]
//
// The formula at points is evaluated with more and more bits until the result has as many
// good ones as were asked for. Over sets of reals X with midpoint m and radii r the mean
// value theorem gives
//
//	f(X) ⊆ f(m) ± Σ_k r_k |∂_k f(X)|
//
// where ∂_k f(X) is the formula of the next order over all of X, evaluated with few bits. The
// formula of f over X is another enclosure; the intersection is taken. A function that is
// monotone in each of its reals lies between its values at two corners of X.

// Multi encloses the function on balls.
func (f *Function) Multi(ints []int64, xs []*ball.Ball, prec uint) *ball.Ball {
	part, exact := false, true
	for _, x := range xs {
		if x.IsEmpty() {
			return ball.New().SetEmpty()
		}
		part = part || x.Partial()
		exact = exact && x.IsExact()
	}
	y, inside := f.multi(ints, xs, prec, exact)
	return y.SetPartial(part || !inside)
}

func (f *Function) multi(ints []int64, xs []*ball.Ball, prec uint, exact bool) (y *ball.Ball,
	inside bool) {
	order, ok := f.order(ints)
	if !ok {
		return ball.New().SetEmpty(), false
	}
	if order > maxOrder {
		return ball.New().SetWhole(), true
	}
	if exact {
		if at := f.place(xs); at == outside {
			return ball.New().SetEmpty(), false
		} else if at == edge {
			return f.atEdge(ints, xs), true
		}
		return f.point(ints, xs, prec), true
	}
	wide := f.anything(order)
	if slices.ContainsFunc(xs, func(x *ball.Ball) bool { return !x.IsFinite() }) {
		return wide, f.place(xs) == interior
	}
	if f.place(xs) != interior {
		if order > 0 || f.rising == nil {
			return wide, false
		}
		xs, inside = f.clip(xs)
		if xs == nil {
			return ball.New().SetEmpty(), false
		}
		return f.corners(ints, xs, prec), inside
	}
	mids := make([]*ball.Ball, len(xs))
	for k, x := range xs {
		mids[k] = ball.New().Mid(x)
	}
	y = f.point(ints, mids, prec)
	for k, x := range xs {
		if x.IsExact() {
			continue
		}
		slope := f.extend(raise(ints, k), xs, slopeBits)
		if slope == nil {
			slope = ball.New().SetWhole()
		}
		slope.Mul(slope, ball.New().Rad(x), slopeBits)
		y.AddRad(y, slope)
	}
	if y.IsFinite() && y.RelBits(64) > 12 {
		return y, true
	}
	if order == 0 && f.rising != nil {
		return f.corners(ints, xs, prec), true
	}
	if other := f.extend(ints, xs, slopeBits); other != nil {
		y.Intersect(y, other, prec)
	}
	return y.Intersect(y, wide, prec), true
}

const slopeBits = 64

// atEdge returns the function at a point at an end of the domain, if the point has coordinates
// that are doubles.
func (f *Function) atEdge(ints []int64, xs []*ball.Ball) *ball.Ball {
	points := make([]float64, len(xs))
	for k, x := range xs {
		points[k] = x.Float64()
		if !ball.FromFloat64(points[k]).LessEq(x) || !x.LessEq(ball.FromFloat64(points[k])) {
			return ball.New().SetWhole()
		}
	}
	v, ok := f.limit(ints, points)
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return ball.New().SetWhole()
	}
	return ball.FromFloat64(v)
}

// order returns the sum of the orders of differentiation; ok is false if one is negative.
func (f *Function) order(ints []int64) (n int64, ok bool) {
	for _, k := range ints[:len(f.domain)] {
		if k < 0 {
			return 0, false
		}
		n += min(k, maxOrder+1)
	}
	return n, true
}

// raise returns the orders with that of the k-th real increased by one.
func raise(ints []int64, k int) []int64 {
	ints = slices.Clone(ints)
	ints[k]++
	return ints
}

// anything returns an enclosure of all values.
func (f *Function) anything(order int64) *ball.Ball {
	if order == 0 && f.values.IsBounded() {
		return ball.FromFloat64s(f.values.Lo, f.values.Hi)
	}
	return ball.New().SetWhole()
}

// place says where arguments lie.
type place uint8

const (
	interior place = iota // every point inside the domain, not at an end of it
	edge                  // at an end, or some points not inside
	outside               // no point in the domain
)

func (f *Function) place(xs []*ball.Ball) place {
	at := interior
	for k, x := range xs {
		if !x.IsFinite() {
			at = max(at, edge)
			continue
		}
		d := f.domain[k]
		for _, end := range []float64{d.Lo, d.Hi} {
			if math.IsInf(end, 0) {
				continue
			}
			e := ball.FromFloat64(end)
			in, out := e.Less(x), x.Less(e)
			if end == d.Hi {
				in, out = out, in
			} else if f.open[k] {
				out = out || x.LessEq(e)
			}
			switch {
			case out:
				return outside
			case !in:
				at = edge
			}
		}
	}
	return at
}

// clip cuts balls to the domain. It returns nil if nothing is left; all reports whether nothing
// was cut off. It keeps an excluded end.
func (f *Function) clip(xs []*ball.Ball) (cut []*ball.Ball, all bool) {
	cut, all = slices.Clone(xs), true
	for k, x := range xs {
		lo, hi := ball.New().Lower(x), ball.New().Upper(x)
		if d := f.domain[k]; d.Lo > math.Inf(-1) {
			if e := ball.FromFloat64(d.Lo); lo.Less(e) || f.open[k] && lo.LessEq(e) {
				lo, all = e, false
			}
		}
		if d := f.domain[k]; d.Hi < math.Inf(1) {
			if e := ball.FromFloat64(d.Hi); e.Less(hi) {
				hi, all = e, false
			}
		}
		if hi.Less(lo) {
			return nil, false
		}
		cut[k] = ball.New().SetEnds(lo, hi, 4096)
	}
	return cut, all
}

// corners encloses a monotone function on balls.
func (f *Function) corners(ints []int64, xs []*ball.Ball, prec uint) *ball.Ball {
	least, most := make([]*ball.Ball, len(xs)), make([]*ball.Ball, len(xs))
	for k, x := range xs {
		least[k], most[k] = ball.New().Lower(x), ball.New().Upper(x)
		if f.rising[k] < 0 {
			least[k], most[k] = most[k], least[k]
		}
	}
	end := func(xs []*ball.Ball) *ball.Ball {
		if f.place(xs) == interior {
			return f.point(ints, xs, prec)
		}
		return f.anything(0)
	}
	y := ball.New().SetEnds(end(least), end(most), prec)
	return y.Intersect(y, f.anything(0), prec)
}

// point returns the function at a point inside the domain.
func (f *Function) point(ints []int64, xs []*ball.Ball, prec uint) *ball.Ball {
	order, _ := f.order(ints)
	limit := 8*prec + 1024
	for q := prec + 24; ; {
		y := f.extend(ints, xs, q)
		if y == nil || !y.IsFinite() {
			return f.anything(order)
		}
		good := y.RelBits(1 << 40)
		if good >= int64(prec) || q >= limit {
			return y.Add(y, ball.New(), prec)
		}
		if good <= 0 { // then it is unknown how many bits are missing
			q *= 2
		} else {
			q += prec - uint(good) + 8
		}
		q = min(q, limit)
	}
}

// ---- doubles

// doubleBits is the precision at which doubles are computed.
const doubleBits = 66

// Double encloses the function on intervals.
func (f *Function) Double(ints []int64, xs []interval.Interval) interval.Interval {
	order, ok := f.order(ints)
	if !ok {
		return interval.Empty()
	}
	least, most := make([]float64, len(xs)), make([]float64, len(xs))
	balls := make([]*ball.Ball, len(xs))
	points := true
	for k, x := range xs {
		x = interval.Intersect(x, f.domain[k])
		if x.IsEmpty() || f.open[k] && x.Hi <= f.domain[k].Lo {
			return interval.Empty()
		}
		least[k], most[k] = x.Lo, x.Hi
		points = points && x.Lo == x.Hi
		balls[k] = ball.FromFloat64s(x.Lo, x.Hi)
	}
	switch {
	case points:
		return f.at(ints, least, order)
	case order == 0 && f.rising != nil:
		for k := range xs {
			if f.rising[k] < 0 {
				least[k], most[k] = most[k], least[k]
			}
		}
		return interval.Interval{Lo: f.at(ints, least, 0).Lo, Hi: f.at(ints, most, 0).Hi}
	}
	y := f.Multi(ints, balls, doubleBits)
	if !y.IsFinite() {
		return interval.Entire()
	}
	lo, hi := y.Float64s()
	return f.cut(interval.Interval{Lo: lo, Hi: hi}, order)
}

// cut intersects the function itself with its range.
func (f *Function) cut(y interval.Interval, order int64) interval.Interval {
	if order == 0 {
		return interval.Intersect(y, f.values)
	}
	return y
}

// at encloses the function at a point.
func (f *Function) at(ints []int64, xs []float64, order int64) interval.Interval {
	if v, ok := f.limit(ints, xs); ok {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return interval.Entire()
		}
		return interval.Point(v)
	}
	if slices.ContainsFunc(xs, func(x float64) bool {
		return math.IsInf(x, 0)
	}) || order > maxOrder {
		return f.cut(interval.Entire(), order)
	}
	y := f.point(ints, exactly(xs), doubleBits)
	if !y.IsFinite() {
		return f.cut(interval.Entire(), order)
	}
	lo, hi := y.Float64s()
	return f.cut(interval.Interval{Lo: lo, Hi: hi}, order)
}

func exactly(xs []float64) []*ball.Ball {
	balls := make([]*ball.Ball, len(xs))
	for k, x := range xs {
		balls[k] = ball.FromFloat64(x)
	}
	return balls
}

// Float returns the function at doubles. It is rounded to nearest except for one case in a
// thousand. It returns NaN outside the domain and where fewer than 45 bits are known.
func (f *Function) Float(ints []int64, xs []float64) float64 {
	order, ok := f.order(ints)
	if !ok || order > maxOrder {
		return math.NaN()
	}
	for k, x := range xs {
		if d := f.domain[k]; !(x >= d.Lo && x <= d.Hi) || f.open[k] && x == d.Lo {
			return math.NaN()
		}
	}
	if v, ok := f.limit(ints, xs); ok {
		return v
	}
	if slices.ContainsFunc(xs, func(x float64) bool { return math.IsInf(x, 0) }) {
		return math.NaN()
	}
	if f.quick != nil {
		if y, ok := f.quick(ints, xs); ok {
			return y
		}
	}
	return f.nearest(ints, xs)
}

// nearest returns the function at a point inside its domain, by the formula, or NaN if that is
// not known.
func (f *Function) nearest(ints []int64, xs []float64) float64 {
	y := f.point(ints, exactly(xs), doubleBits)
	if !y.IsFinite() || y.RelBits(64) < 45 {
		if lo, hi := y.Float64s(); y.IsFinite() && lo >= -math.SmallestNonzeroFloat64 &&
			hi <= math.SmallestNonzeroFloat64 {
			return 0
		}
		return math.NaN()
	}
	return y.Float64()
}
