package interval

import "github.com/fluxion-lang/fluxion/internal/interval/kernel"

// Note [Extrema of sin]
//
// Let q(x) = ⌊x/(π/2)⌋ modulo 4, which the kernel's reduction gives exactly. An
// interval of width at least 2π has range [-1, 1]. In a narrower one the
// quadrant numbers of the ends, modulo 4, and whether they wrapped around
// tell which multiples of π/2 lie inside: walking from q(Lo) to q(Hi) crosses
// one each step, and equal quadrants mean either none (width below π/2) or
// all four (width above 3π/2), which the width decides without needing to be
// exact. No multiple of π/2 but 0 is a double, so it never matters whether an
// end belongs to the quadrant below or above; at 0 sin is monotone and cos is
// 1 there anyway.
//
// sin has its maximum between quadrants 0 and 1 and its minimum between 2
// and 3; cos x is sin(x + π/2), that is, quadrants shifted by one.

// twoPiDn lies below 2π, closer than any width that rounds to it. Widths are rounded to nearest
// before the comparison.
const twoPiDn = 0x1.921fb54442d17p2

// wave encloses sin (shift 0) or cos (shift 1).
func wave(x Interval, shift int) Interval {
	w := x.Hi - x.Lo
	if !(w < twoPiDn) {
		if x.IsEmpty() {
			return x
		}
		return unit
	}
	u, a := kernel.Wave(x.Lo, shift)
	v, b := u, a
	if x.Lo != x.Hi {
		v, b = kernel.Wave(x.Hi, shift)
	}
	steps := (b - a) & 3
	if steps == 0 && w > 3 {
		steps = 4
	}
	r := unit
	if steps == 0 { // monotone: rising in quadrants 3 and 0
		if a == 1 || a == 2 {
			u, v = v, u
		}
		r = Interval{lower(u), upper(v)}
	} else {
		if trough := (2-a)&3 < steps; !trough { // none from quadrant 2 to 3
			r.Lo = min(lower(u), lower(v))
		}
		if peak := -a&3 < steps; !peak { // none from quadrant 0 to 1
			r.Hi = max(upper(u), upper(v))
		}
	}
	if r.Lo < -1 {
		r.Lo = -1
	}
	if r.Hi > 1 {
		r.Hi = 1
	}
	return r
}

// Sin encloses {sin a}.
func Sin(x Interval) Interval { return wave(x, 0) }

// Cos encloses {cos a}.
func Cos(x Interval) Interval { return wave(x, 1) }

// Tan encloses {tan a}; the whole line when a pole lies inside.
func Tan(x Interval) Interval {
	if x.IsEmpty() {
		return x
	}
	w := x.Hi - x.Lo
	if !(w < 3.15) {
		return line
	}
	// Poles lie between quadrants 0 and 1, and 2 and 3.
	a, b := kernel.Quadrant(x.Lo), kernel.Quadrant(x.Hi)
	steps := (b - a) & 3
	if (steps == 0 && w > 1.6) || a&1 == 0 && steps >= 1 || a&1 == 1 && steps >= 2 {
		return line
	}
	return Interval{lower(kernel.TanVal(x.Lo)), upper(kernel.TanVal(x.Hi))}
}
