package interval

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// lower returns the greatest double below every value that v allows, up to the rounding of v's
// own bound (kernel's Note [Budgets]). upper mirrors it.
//
// With a scale factor the two roundings compose without loss: the scaled grid is a subset of the
// unscaled one, so rounding down twice is the same as rounding down once.
func lower(v kernel.Val) float64 {
	r := addDn(v.H, v.L-v.E)
	if v.K != 0 {
		return scaleDn(r, v.K)
	}
	return r
}

func upper(v kernel.Val) float64 {
	r := addUp(v.H, v.L+v.E)
	if v.K != 0 {
		return scaleUp(r, v.K)
	}
	return r
}

// enclose returns the interval that v allows.
func enclose(v kernel.Val) Interval { return Interval{lower(v), upper(v)} }

// rangeOf encloses a function on x from its values at the ends of x. No result leaves the range,
// which lies between the limits at the ends of the domain.
func rangeOf(f *kernel.Monotone, x Interval) Interval {
	if !(x.Lo >= f.Lo && x.Hi <= f.Hi) {
		x = Intersect(x, Interval{f.Lo, f.Hi})
		if x.IsEmpty() {
			return x
		}
	}
	if x.Hi == f.Lo && math.IsInf(f.AtLo.H, 0) || x.Lo == f.Hi && math.IsInf(f.AtHi.H, 0) {
		return Empty() // only an end that is not in the domain
	}
	a, b, least, most := f.At(x.Lo), f.At(x.Hi), f.AtLo, f.AtHi
	if least.H > most.H {
		a, b, least, most = b, a, most, least
	}
	return Interval{math.Max(lower(a), lower(least)), math.Min(upper(b), upper(most))}
}

var (
	infinity = math.Inf(1)
	line     = Interval{-infinity, infinity}
	halfLine = Interval{0, infinity}
	unit     = Interval{-1, 1}
)

// Enclosures of π/2, π and e: neighbouring doubles.
var (
	halfPi = Interval{0x1.921fb54442d18p0, 0x1.921fb54442d19p0}
	pi     = Interval{0x1.921fb54442d18p1, 0x1.921fb54442d19p1}
	euler  = Interval{0x1.5bf0a8b145769p1, 0x1.5bf0a8b14576ap1}
)

// Pi returns the tightest enclosure of π.
func Pi() Interval { return pi }

// E returns the tightest enclosure of Euler's number e.
func E() Interval { return euler }
