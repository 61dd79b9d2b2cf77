package solve

import "math"

// Root returns the zero of f between a <= b, where f has opposite signs (or is
// zero at one of them, which then is the root; a before b). df, the derivative
// of f, may be nil; it only speeds up the search. Of the doubles around the
// crossing the result is the one where |f| is smallest. f may be infinite at
// some points, since only its sign counts there. Errors: *NoSignChange, *Jump,
// *FlatZero, *BadValue, *BadRange, *OutOfEvals, and those of f and df.
func Root(f, df Func, a, b float64, o Options) (float64, error) {
	if !(a <= b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN(), &BadRange{a, b}
	}
	r := newRootFinder(f, df, o)
	fa, err := r.f.at(a)
	if err != nil {
		return math.NaN(), r.failure(err)
	}
	fb, err := r.f.at(b)
	if err != nil {
		return math.NaN(), r.failure(err)
	}
	return r.between(a, fa, b, fb)
}

// Cut returns the zero of a function on the whole line that is positive to the
// left of it and negative to the right. The errors are those of Root and
// *WrongSigns.
func Cut(f, df Func, o Options) (float64, error) {
	r := newRootFinder(f, df, o)
	x, err := r.cut()
	return x, r.failure(err)
}

// rootFinder finds one root.
type rootFinder struct {
	f, df *meter // df is nil if there is none

	// The bracket: f has opposite signs at lo and hi.
	lo, flo, hi, fhi float64
	// Where the search began, and the size of f there.
	a, b, scale float64
}

func newRootFinder(f, df Func, o Options) *rootFinder {
	o = o.withDefaults()
	r := &rootFinder{f: newMeter(f, Function, o), lo: math.NaN(), hi: math.NaN()}
	if df != nil {
		r.df = newMeter(df, Derivative, o)
	}
	return r
}

// failure turns errBudget into an error that holds what is known.
func (r *rootFinder) failure(err error) error {
	if err != errBudget {
		return err
	}
	x, fx := r.best()
	return &OutOfEvals{Evals: r.f.evals, X: x, FX: fx, Lo: r.lo, Hi: r.hi}
}

// best returns the end of the bracket where |f| is smaller.
func (r *rootFinder) best() (x, fx float64) {
	if math.Abs(r.flo) <= math.Abs(r.fhi) {
		return r.lo, r.flo
	}
	return r.hi, r.fhi
}

// between returns the root in [a, b].
func (r *rootFinder) between(a, fa, b, fb float64) (float64, error) {
	switch {
	case fa == 0:
		return a, nil
	case fb == 0:
		return b, nil
	case math.Signbit(fa) == math.Signbit(fb):
		e := &NoSignChange{A: a, B: b, FA: fa, FB: fb, X: a, FX: fa, Searched: 2}
		if math.Abs(fb) < math.Abs(fa) {
			e.X, e.FX = b, fb
		}
		return math.NaN(), e
	}
	r.lo, r.flo, r.hi, r.fhi = a, fa, b, fb
	r.a, r.b = a, b
	r.scale = finiteMax(fa, fb)
	x, err := r.narrow()
	return x, r.failure(err)
}

// finiteMax returns the larger absolute value, of those that are finite, or 0.
func finiteMax(y, z float64) float64 {
	y, z = math.Abs(y), math.Abs(z)
	if math.IsInf(y, 0) {
		y = 0
	}
	if math.IsInf(z, 0) {
		z = 0
	}
	return math.Max(y, z)
}

// Note [Narrowing the bracket]: each step proposes a point: by Newton's method from the better
// end if there is a derivative, else by Brent's inverse quadratic interpolation where that is
// safe (in Chandrupatla's form, whose test of safety needs no history), else by a secant. If the
// proposal is not in the bracket, it is the middle. Three guards ensure that it ends. The
// proposal is moved off an end by some doubles, and by twice as many whenever that did not catch
// the root, so that the bracket closes from both sides. Three steps that do not divide the
// bracket by 8 are followed by a bisection. After 40 steps the middle has as many doubles to the
// left as to the right, so at most 64 more steps are needed, wherever on the line the root is.
const arithmeticSteps = 40

// narrow closes the bracket until its ends are neighbours.
func (r *rootFinder) narrow() (float64, error) {
	// x1 is the newest end of the bracket, x2 the other one, x3 the one before x1.
	x1, f1, x2, f2 := r.hi, r.fhi, r.lo, r.flo
	x3, f3 := x2, f2
	push := 1
	size := math.Inf(1) // of the bracket, up to three steps ago
	for step := 0; math.Nextafter(r.lo, r.hi) != r.hi; step++ {
		x := middle(r.lo, r.hi, step >= arithmeticSteps)
		bisect := false
		if step%3 == 0 {
			now := distance(r.lo, r.hi, step >= arithmeticSteps)
			bisect = now > size/8 && step != arithmeticSteps
			size = now
		}
		if !bisect {
			proposal, ok, err := r.propose(x1, f1, x2, f2, x3, f3)
			if err != nil {
				return math.NaN(), err
			}
			if ok {
				var pushed bool
				x, pushed = r.moveOff(proposal, push)
				if pushed {
					push *= 2
				} else {
					push = 1
				}
			}
		}
		fx, err := r.f.at(x)
		if err != nil {
			return math.NaN(), err
		}
		if fx == 0 {
			return r.flat(x)
		}
		if math.Signbit(fx) == math.Signbit(f1) {
			x3, f3 = x1, f1
		} else {
			x3, f3, x2, f2 = x2, f2, x1, f1
			push = 1
		}
		x1, f1 = x, fx
		if math.Signbit(fx) == math.Signbit(r.flo) {
			r.lo, r.flo = x, fx
		} else {
			r.hi, r.fhi = x, fx
		}
	}
	return r.judge()
}

// propose returns a point likely to be near the root, if there is one in the
// bracket.
func (r *rootFinder) propose(x1, f1, x2, f2, x3, f3 float64) (x float64, ok bool, err error) {
	if r.df != nil {
		best, value := r.best()
		slope, err := r.slope(best)
		if err != nil {
			return 0, false, err
		}
		if x = best - value/slope; x >= r.lo && x <= r.hi && !math.IsInf(value, 0) && slope != 0 {
			return x, true, nil
		}
	}
	xi, phi := (x1-x2)/(x3-x2), (f1-f2)/(f3-f2)
	if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
		t := f1/(f2-f1)*(f3/(f2-f3)) + (x3-x1)/(x2-x1)*(f1/(f3-f1))*(f2/(f3-f2))
		x = x1 + t*(x2-x1)
	} else {
		// The line through the two newest points. If f has a kink at its root, the line on the
		// one side is a good guide, and the other misleads.
		x = x1 - f1/(f3-f1)*(x3-x1)
	}
	return x, x >= r.lo && x <= r.hi, nil
}

// slope evaluates the derivative. It returns 0 for an unusable one.
func (r *rootFinder) slope(x float64) (float64, error) {
	s, err := r.df.at(x)
	if _, bad := err.(*BadValue); bad || math.IsInf(s, 0) {
		return 0, nil
	}
	return s, err
}

// moveOff moves a point so that at least push doubles are between it and the ends of the bracket
// (or it is the middle of few), and reports whether it moved the point.
func (r *rootFinder) moveOff(x float64, push int) (float64, bool) {
	lo, hi, i := index(r.lo), index(r.hi), index(x)
	room := int64(push)
	if uint64(hi-lo) < 2*uint64(room) {
		return fromIndex(lo + int64(uint64(hi-lo)/2)), true
	}
	switch {
	case uint64(i-lo) < uint64(room):
		return fromIndex(lo + room), true
	case uint64(hi-i) < uint64(room):
		return fromIndex(hi - room), true
	}
	return x, false
}

// flat handles a zero of f that was hit exactly, at x. Roundoff may make f zero at doubles around
// it too, and underflow between numbers outside of the range searched. The middle of these is the
// root.
func (r *rootFinder) flat(x float64) (float64, error) {
	left, err := r.lastZero(x, r.lo)
	if err != nil {
		return math.NaN(), err
	}
	right, err := r.lastZero(x, r.hi)
	if err != nil {
		return math.NaN(), err
	}
	width := right - left
	if width > 1e-6*math.Max(math.Abs(left), math.Abs(right)) && width > 1e-12*(r.b-r.a) {
		return math.NaN(), &FlatZero{left, right}
	}
	return middle(left, right, false), nil
}

// lastZero returns the last double up to which f is zero, on the way from zero, where f is zero,
// to end, where it is not.
func (r *rootFinder) lastZero(zero, end float64) (float64, error) {
	in, out := index(zero), index(end)
	sign := int64(1)
	if out < in {
		sign = -1
	}
	isZero := func(i int64) (bool, error) {
		y, err := r.f.at(fromIndex(i))
		return y == 0, err
	}
	// Gallop, then bisect; what is between is counted without a sign, since it
	// may be more than an int64 holds.
	gap := func() uint64 {
		if sign < 0 {
			return uint64(in - out)
		}
		return uint64(out - in)
	}
	galloping := true
	for step := uint64(1); gap() > 1; {
		if !galloping || step > gap()/2 {
			galloping = false
			step = gap() / 2
		}
		next := in + sign*int64(step)
		zero, err := isZero(next)
		if err != nil {
			return 0, err
		}
		if zero {
			in = next
		} else {
			out, galloping = next, false
		}
		step *= 2
	}
	return fromIndex(in), nil
}

// judge handles a bracket whose ends are neighbouring doubles. If the sign change is that of a
// zero, the better end is the root. Around a zero |f| grows with the distance from it; at a jump
// it does not, and at a pole it falls. Values that are already tiny are not questioned: they may
// be roundoff, which has no shape.
func (r *rootFinder) judge() (float64, error) {
	x, fx := r.best()
	jump := &Jump{Lo: r.lo, Hi: r.hi, FLo: r.flo, FHi: r.fhi}
	if math.IsInf(fx, 0) {
		jump.Pole = true
		return x, jump
	}
	if math.Abs(fx) <= 1e-6*r.scale {
		return x, nil
	}
	away := int64(1 << 14)
	if x == r.lo {
		away = -away
	}
	far, err := r.f.at(math.Max(r.a, math.Min(fromIndex(index(x)+away), r.b)))
	if err != nil {
		return math.NaN(), err
	}
	switch size := math.Abs(far / fx); {
	case size > 1.5:
		return x, nil
	case size < 0.99:
		jump.Pole = true
	}
	return x, jump
}
