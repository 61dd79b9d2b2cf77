package solve

import "math"

// A tail is a part of the range that ends at a place that no rule can reach in one step: a
// singular end, or infinity. It is cut into panels whose distance from the origin shrinks (or
// grows) eightfold from one to the next. Panels are added until what remains beyond the last is
// known well enough.
//
// Note [Tails]: near an algebraic end, f ~ t^α with t the distance from it (or from the origin,
// towards infinity), the integrals over the panels form a geometric series, and with f ~ t^α·(c0
// + c1·t + …), or with a factor log t, a sum of such series. Two things follow. In the coordinate
// w with t = T·8^±w the integrand of a panel is an exponential, for which Gauss–Kronrod is exact
// to roundoff. And Wynn's epsilon algorithm, which is exact for sums of geometric series, finds
// the sum of all panels from a few. This matters at ends other than 0, as in ∫ (1-x)^-1/2 up to
// 1: doubles near 1 are too sparse to come close enough for the remainder to be negligible.
type tail struct {
	origin    float64
	direction float64 // ±1: on which side of the origin it lies
	scale     float64 // distance at which the first panel begins
	outward   bool    // towards infinity, away from the origin
	fewest    int     // panels it must have
	most      int     // panels it can have
	parts     int     // cells a new panel is divided into

	panels []sums
	// doubted is the number of panels when extrapolation from them was refuted. confirmed says
	// that it was tried and not refuted.
	doubted   int
	confirmed bool
	ended     bool // whether it must not be extended
	slow      int  // panels in a row over which f hardly decayed
	used      int  // how many panels its integral is computed from

	total   sums    // its integral
	restErr float64 // the uncertainty of what is beyond the panels used
	relies  bool    // whether restErr rests on extrapolation
	restKey float64 // restErr relative to what is tolerable; 0 to give up
}

const (
	// slowDecay is the ratio of successive panels above which a tail does not seem to converge. f
	// ~ t^-0.9995 at an end has this ratio.
	slowDecay = 0.999
	// patience is how many such panels in a row make the tail hopeless. By then the distance has
	// changed by a factor of 10^36.
	patience = 40
	// window is the number of panels that extrapolation uses.
	window = 14
	// resolution is the least number of doubles between an origin and the nearest panel.
	resolution = 64
)

// endTail returns the tail of a range at origin of the given length.
func endTail(origin, direction, length float64) *tail {
	t := &tail{origin: origin, direction: direction, scale: length, fewest: 4, parts: 1}
	nearest := math.Max(resolution*ulp(origin), 0x1p-1000)
	t.most = int(math.Log2(length/nearest) / 3)
	return t
}

// infiniteTail returns the tail from origin+scale to infinity.
func infiniteTail(origin, scale float64, fewest int) *tail {
	t := &tail{origin: origin, direction: 1, scale: scale, outward: true, fewest: fewest, parts: 2}
	t.most = int((1000 - math.Log2(scale)) / 3)
	return t
}

// place returns the point at coordinate w of a panel, and dx/dw.
func (t *tail) place(panel int, w float64) (x, weight float64) {
	var distance float64
	if t.outward {
		distance = math.Ldexp(t.scale*math.Exp2(3*w), 3*panel)
	} else {
		distance = math.Ldexp(t.scale*math.Exp2(-3*w), -3*panel)
	}
	return t.origin + t.direction*distance, 3 * math.Ln2 * distance
}

// limit returns the place where the tail leads.
func (t *tail) limit() float64 {
	if t.outward {
		return math.Inf(1)
	}
	return t.origin
}

// settle computes the tail's integral from its panels. It uses the number of panels that leaves
// the least uncertainty: near an end other than 0 the last panels are noisy, and extrapolating
// from fewer is better.
func (t *tail) settle(tolerable float64) {
	n := len(t.panels)
	best := math.Inf(1)
	for k := n; k >= min(n, t.fewest) && k > n-window; k-- {
		r := remainder(t.panels[:k], n > t.doubted)
		if n < t.fewest {
			r.err = math.Inf(1)
		}
		var candidate sums
		for _, p := range t.panels[:k] {
			p.err, p.stuck = p.err*r.amplification, p.stuck*r.amplification
			candidate.addAll(&p)
		}
		add(&candidate.value, &candidate.lost, r.value)
		candidate.abs += math.Abs(r.value)
		if t.ended {
			candidate.stuck += r.err
		} else {
			candidate.err += r.err
		}
		worst := ratio(candidate.uncertainty(), tolerable)
		if worst < best && t.consistent(k, r.value) || k == n {
			best, t.used, t.total = worst, k, candidate
			t.restErr, t.relies, t.restKey = r.err, r.value != 0, ratio(r.err, tolerable)
		}
	}
	if t.ended {
		t.restKey = 0
	}
}

// consistent reports whether the estimate of what lies beyond the first k panels agrees with the
// panels that follow.
func (t *tail) consistent(k int, rest float64) bool {
	if k == len(t.panels) {
		return true
	}
	left, allowed := rest, remainder(t.panels, false).err
	for _, p := range t.panels[k:] {
		left -= p.value
		allowed += p.uncertainty()
	}
	return math.Abs(left) <= allowed
}

// watch records how the newest panel decays, and ends a hopeless tail.
func (t *tail) watch() {
	n := len(t.panels)
	if n >= 2 && t.panels[n-1].abs > slowDecay*t.panels[n-2].abs {
		t.slow++
	} else {
		t.slow = 0
	}
	if n >= t.most || t.slow >= patience {
		t.ended = true
	}
}

// ratio returns err/tolerable, and 0 if both are 0.
func ratio(err, tolerable float64) float64 {
	if err <= tolerable {
		if tolerable == 0 {
			return 0
		}
		return err / tolerable
	}
	if tolerable == 0 || math.IsNaN(err) {
		return math.Inf(1)
	}
	return err / tolerable
}

// beyond holds what is known about a tail beyond its panels.
type beyond struct {
	value, err float64
	// amplification is the factor by which errors of the panels are magnified in the sum of the
	// tail.
	amplification float64
}

// remainder estimates the integral beyond the panels, by extrapolation if that is allowed.
func remainder(panels []sums, extrapolate bool) beyond {
	n := len(panels)
	if n < 3 {
		return beyond{err: math.Inf(1), amplification: 1}
	}
	a, b, c := panels[n-3].abs, panels[n-2].abs, panels[n-1].abs
	if b == 0 && c == 0 {
		return beyond{amplification: 1}
	}
	decay := math.Max(b/a, c/b) // NaN where both are zero
	if !(decay <= slowDecay) {
		return beyond{err: math.Inf(1), amplification: 1}
	}
	// If the decay continues as it is, what remains is c·(q + q² + …). It may slow down a little,
	// hence the factor.
	crude := beyond{err: 4 * c * decay / (1 - decay), amplification: 1}
	first := max(0, n-window)
	sums := make([]float64, n-first)
	s := 0.0
	for i := range panels[first:] {
		s += panels[first+i].value
		sums[i] = s
	}
	if drift := math.Abs(c/b - b/a); !extrapolate || decay > 0.9 && drift > 1e-6*(1-decay) {
		// If the decay slows down, as for 1/(t·log²t), whose sums converge like 1/n,
		// extrapolation does not see it.
		return crude
	}
	limit, err := wynn(sums)
	// The last changes of the table are a guide to its error, not a bound.
	fine := beyond{value: limit - s, err: 16 * err, amplification: 1 / (1 - decay)}
	fine.err += floor * c * fine.amplification
	if math.Abs(fine.value) <= crude.err && fine.err < crude.err {
		return fine
	}
	return crude
}

// wynn returns the limit of a sequence by the epsilon algorithm, with an uncertainty: that of the
// column of the table that changes least at its end.
func wynn(s []float64) (limit, err float64) {
	limit, err = s[len(s)-1], math.Inf(1)
	previous := make([]float64, len(s)+1)
	column := append([]float64(nil), s...)
	for order := 0; len(column) >= 3; order++ {
		if n := len(column); order%2 == 0 {
			last := math.Abs(column[n-1] - column[n-2])
			before := math.Abs(column[n-2] - column[n-3])
			if e := last + before/16; e < err {
				limit, err = column[n-1], e
			}
		}
		next := make([]float64, len(column)-1)
		for i := range next {
			difference := column[i+1] - column[i]
			if difference == 0 {
				return limit, err
			}
			next[i] = previous[i+1] + 1/difference
		}
		previous, column = column, next
	}
	return limit, err
}

// Note [Looking ahead]: extrapolation assumes that f continues as it does over the panels.
// 1/√(t+δ) does not: for t above δ it looks like 1/√t. So before a result that rests on
// extrapolation is returned, f is evaluated further along, at distances up to 8^32 times smaller
// (or larger). Its slope in logarithmic coordinates must be the same there. Otherwise more panels
// are added, until the slope has settled or what remains is negligible.
const slopeChange = 0.1

// confirmed looks ahead in all tails that need it, and reports whether all are confirmed.
func (g *integrator) confirmed() bool {
	all := true
	for _, t := range g.tails {
		if t.confirmed || t.ended || !t.relies {
			continue
		}
		if t.confirmed = g.lookAhead(t); !t.confirmed {
			t.doubted = len(t.panels)
			all = false
		}
	}
	return all
}

// lookAhead reports whether f continues as over the last panels of t. An error at such a remote
// place is not an error of the integral; it only fails to confirm.
func (g *integrator) lookAhead(t *tail) bool {
	n := len(t.panels)
	size := func(panel int) (float64, bool) {
		y, err := g.end(t, panel, 0)
		return math.Log2(math.Abs(y)), err == nil
	}
	before, ok := size(n - 1)
	if !ok {
		return false
	}
	here, ok := size(n)
	if !ok {
		return false
	}
	for step := 2; step <= 32 && n+step < t.most; step *= 2 {
		there, ok := size(n + step)
		if !ok {
			return false
		}
		expected := here + (here-before)*float64(step)
		if expected >= -900 && !(math.Abs(there-expected) <= slopeChange*3*float64(step)) {
			return false
		}
	}
	return true
}
