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

// A rising function increases on its domain. The domain's finite ends belong
// to it unless open is set; the range's ends are the limits, and no result
// leaves it.
type rising struct {
	f        func(float64) kernel.Val
	dom, rng Interval
	open     bool
}

// on evaluates the function on x.
func (g *rising) on(x Interval) Interval {
	if !(x.Lo >= g.dom.Lo && x.Hi <= g.dom.Hi) {
		x = Intersect(x, g.dom)
		if x.IsEmpty() {
			return x
		}
	}
	if g.open && (x.Hi == g.dom.Lo || x.Lo == g.dom.Hi) {
		return Empty() // only an end that is not in the domain
	}
	r := g.rng
	if x.Lo != g.dom.Lo || (!g.open && !math.IsInf(x.Lo, 0)) {
		if lo := lower(g.f(x.Lo)); lo > r.Lo {
			r.Lo = lo
		}
	}
	if x.Hi != g.dom.Hi || (!g.open && !math.IsInf(x.Hi, 0)) {
		if hi := upper(g.f(x.Hi)); hi < r.Hi {
			r.Hi = hi
		}
	}
	return r
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
