package interp

import "math"

// Note [Decisions]
//
// Where an integrand compares, takes the maximum or rounds, and what it
// compares depends on the variable of integration, it has a kink or a jump
// there, at a place that may move with a variable of a derivative. So the
// integrand runs with the variable on the tape and a log of its decisions.
// Between two points with different decisions lies a place where one of them
// changes; bisection finds it, and the integral is split there. The place is
// the root of the difference that was compared, and so is differentiable; on
// either side the integrand is the same straight-line program, and at the
// place itself each side is evaluated with its decisions *forced*. That gives
// the terms "jump × speed of the crossing" of moving jumps, which the
// derivative of the integrand does not know, and full accuracy at kinks.
//
// Where the sides are equal not at a place but all over a piece, as in
// max (s * x) 0 at s = 0, nothing is decided: a kink is then one of the sort of
// Note [Ties], and a comparison or rounding has no derivative.

// decisions is a log of what a run of an integrand decides.
type decisions struct {
	level   levels  // of the variable of integration
	region  region  // that begins with it
	forced  []int64 // the outcomes to take, unless nil
	taken   []int64
	want    int     // the decision whose difference is asked for, or -1
	differs float64 // that difference, which may be boxed

	compare bool   // for equal sides, to be noted in tied
	tied    []bool // the decisions with equal sides all over the piece

	mask levels // what the last decision was about
}

// about tells whether a decision on such reals belongs to the log.
func (d *decisions) about(mask levels) bool {
	d.mask = mask
	return mask&d.level != 0
}

// watched are the derivatives that nobody takes, because the integrand is only
// looked at.
func (d *decisions) watched() levels {
	switch {
	case d == nil:
		return 0
	case d.forced == nil:
		return d.level
	}
	return 0
}

// decide notes a decision and gives its outcome.
func (t *tape) decide(outcome int64, difference func() float64) int64 {
	d := t.decisions
	n := len(d.taken)
	if n < len(d.forced) {
		outcome = d.forced[n]
	}
	d.taken = append(d.taken, outcome)
	if d.compare {
		d.tied = append(d.tied, t.value(difference()) == 0)
	}
	if n == d.want {
		d.differs = difference()
	}
	return outcome
}

// standoff tells whether the last decision is no decision: its sides are equal
// all over the piece of the integral, but not where a variable of a derivative
// moves them apart.
func (d *decisions) standoff() bool {
	n := len(d.taken) - 1
	return !d.compare && n >= 0 && n < len(d.tied) && d.tied[n] && d.mask&d.region.outside != 0
}

// undecided tells whether the last decision was none, and has to be an error.
func (t *tape) undecided() bool {
	return t.searched && t.decisions.standoff() && t.decisions.mask&t.decisions.region.outside&t.asked() != 0
}

func (t *tape) difference(x, y float64) float64 { return t.apply(t.minus, x, y, 0) }

// decideKink decides a maximum, minimum, absolute value or sign; the result
// is then one of the operands.
func (t *tape) decideKink(r *tapeRow, x, y, vx, vy float64) (result float64, done bool) {
	if math.IsNaN(vx) || math.IsNaN(vy) {
		return 0, false
	}
	switch r.kink {
	case kinkMax:
		first := t.decide(truth(vx > vy), func() float64 { return t.difference(x, y) }) != 0
		return choice(first, x, y), !t.decisions.standoff()
	case kinkMin:
		first := t.decide(truth(vx < vy), func() float64 { return t.difference(x, y) }) != 0
		return choice(first, x, y), !t.decisions.standoff()
	case kinkAbs:
		positive := t.decide(truth(vx > 0), func() float64 { return x }) != 0
		if t.decisions.standoff() {
			return 0, false
		}
		if positive {
			return x, true
		}
		return t.apply(t.negated, x, 0, 0), true
	case kinkNorm:
		// With one operand that is 0 always, it is the absolute value of the other.
		switch {
		case y == 0:
			return t.apply(t.absolute, x, 0, 0), true
		case x == 0:
			return t.apply(t.absolute, y, 0, 0), true
		}
	case kinkJump:
		positive := t.decide(truth(vx > 0), func() float64 { return x }) != 0
		if t.undecided() {
			t.fail(jumpTie(r.prim.Name, vx))
		}
		return choice(positive, 1, -1), true
	case kinkPole:
		t.decidePole(r, x, y, vx, vy)
	}
	return 0, false
}

func choice(first bool, x, y float64) float64 {
	if first {
		return x
	}
	return y
}

// decideNorm is decideKink for the norm of an array.
func (t *tape) decideNorm(xs []float64) (result float64, done bool) {
	only := -1
	for k, x := range xs {
		if x == 0 {
			continue
		}
		if only >= 0 {
			return 0, false
		}
		only = k
	}
	if only < 0 {
		return 0, false
	}
	return t.apply(t.absolute, xs[only], 0, 0), true
}

// decideRounding decides to which integer a real is rounded, and gives a real
// that is rounded so. Crossing from one integer to the next, the difference is
// to the boundary between them.
func (t *tape) decideRounding(name string, x, v float64) float64 {
	offset := 0.0 // of the boundaries from the integers
	whole := math.Floor(v)
	switch name {
	case "ceil":
		whole = math.Ceil(v)
	case "round":
		whole, offset = math.RoundToEven(v), 0.5
	case "trunc":
		whole = math.Trunc(v)
	}
	if math.IsNaN(v) || math.Abs(v) >= 1<<62 {
		return v
	}
	nearest := math.Floor(v+0.5-offset) + offset
	n := t.decide(int64(whole), func() float64 { return t.difference(x, nearest) })
	return float64(n)
}

// firstDifference is where two logs differ first.
func firstDifference(a, b []int64) int {
	for k := range min(len(a), len(b)) {
		if a[k] != b[k] {
			return k
		}
	}
	return min(len(a), len(b))
}

func sameDecisions(a, b []int64) bool {
	return len(a) == len(b) && firstDifference(a, b) == len(a)
}
