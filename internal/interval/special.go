package interval

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
)

// Erf encloses {erf a}.
func Erf(x Interval) Interval { return rangeOf(&kernel.Erf, x) }

// Erfc encloses {1 - erf a}.
func Erfc(x Interval) Interval { return rangeOf(&kernel.Erfc, x) }

// Erfcx encloses {e^(a²)·erfc a}.
func Erfcx(x Interval) Interval { return rangeOf(&kernel.Erfcx, x) }

// Digamma encloses {ψ(a) : a ≠ 0, -1, -2, …}.
func Digamma(x Interval) Interval {
	if x.IsEmpty() {
		return x
	}
	return betweenPoles(x, kernel.DigammaVal)
}

// betweenPoles returns f on x. Between any two of the poles 0, -1, -2, …, and right of them, f
// rises from -∞ to ∞.
func betweenPoles(x Interval, f func(float64) kernel.Val) Interval {
	loPole, hiPole := isPole(x.Lo), isPole(x.Hi)
	if x.Lo == x.Hi && loPole {
		return Empty()
	}
	if x.Lo == -infinity || poleInside(x) {
		return line
	}
	r := line
	if !loPole {
		r.Lo = lower(f(x.Lo))
	}
	if !hiPole && x.Hi < infinity {
		r.Hi = upper(f(x.Hi))
	}
	return r
}

// isPole reports whether x is 0, -1, -2, ….
func isPole(x float64) bool { return x <= 0 && x == math.Floor(x) }

// poleInside reports whether a pole lies strictly between the ends of x.
func poleInside(x Interval) bool {
	return x.Lo < 0 && math.Floor(x.Lo)+1 < x.Hi && math.Floor(x.Lo)+1 <= 0
}

// Note [Minima of lgamma]
//
// f = log|Γ| is convex between neighbouring poles and falls to a minimum in
// each gap, at the zero of f' = ψ. So on an interval without a pole inside,
// its upper end is the larger of the end values, and its lower end the smaller
// one unless the minimum lies inside, which the signs of ψ at the ends tell.
//
// On the positive axis the minimum is a constant. Left of zero, for any a in
// the gap, f” = ψ' ≥ 1/t² + 1/(1-t)² ≥ 8 (t the distance to the nearer pole), so
// the zero of ψ is within |ψ(a)|/8 of a, and f there is at least
// f(a) - ψ(a)²/8; a few Newton steps bring a so near that this is far below
// the error of f(a). The minima fall from gap to gap to the left (|Γ(x-1)| =
// |Γ(x)|/|x-1|, and |x-1| > 1 there), so of several gaps inside an interval the
// leftmost one with its minimum inside counts; the part of a gap at Lo whose
// minimum is outside is rising, so its least value is f(Lo).

// Lgamma encloses {log|Γ(a)| : a ≠ 0, -1, -2, …}.
func Lgamma(x Interval) Interval {
	switch {
	case x.IsEmpty():
		return x
	case x.Lo >= 0 && x.Hi > 0:
		return lgammaRight(x)
	case x.Lo == x.Hi && isPole(x.Lo):
		return Empty()
	case x.Lo < -0x1p52:
		return lgammaFar(x)
	}
	r := Interval{infinity, infinity}
	if x.Hi > 0 {
		r.Lo = lgammaRight(Interval{0, x.Hi}).Lo
	} else if !isPole(x.Hi) {
		r.Lo = lower(kernel.LgammaVal(x.Hi))
	}
	if !isPole(x.Lo) {
		r.Lo = math.Min(r.Lo, lower(kernel.LgammaVal(x.Lo)))
	}
	// The leftmost gap is (g, g+1); its minimum is inside if ψ < 0 at Lo,
	// possibly, (or Lo
	// is the pole g) and either x goes on or ψ > 0 at Hi, possibly.
	g := math.Floor(x.Lo)
	if isPole(x.Lo) || lower(kernel.DigammaVal(x.Lo)) < 0 {
		if x.Hi >= g+1 || upper(kernel.DigammaVal(x.Hi)) > 0 {
			r.Lo = math.Min(r.Lo, lgammaDip(g))
		}
	} else if x.Hi > g+1 && g+1 < 0 {
		// The minimum of the gap at Lo is outside; the next gap's may be inside.
		if x.Hi >= g+2 || isPole(x.Hi) || upper(kernel.DigammaVal(x.Hi)) > 0 {
			r.Lo = math.Min(r.Lo, lgammaDip(g+1))
		}
	}
	if !poleInside(x) && !isPole(x.Lo) && !isPole(x.Hi) {
		r.Hi = math.Max(upper(kernel.LgammaVal(x.Lo)), upper(kernel.LgammaVal(x.Hi)))
	}
	return r
}

// lgammaRight does the work of Lgamma for x.Lo ≥ 0 and x.Hi > 0.
func lgammaRight(x Interval) Interval {
	at := func(v float64) Interval {
		if v == 0 || v == infinity {
			return Interval{infinity, infinity}
		}
		return enclose(kernel.LgammaVal(v))
	}
	a, b := at(x.Lo), at(x.Hi)
	zero, least := kernel.LgammaMinimum()
	lo := math.Min(a.Lo, b.Lo)
	if x.Lo <= zero && zero < x.Hi { // the minimum lies between zero and its successor
		lo = lower(least)
	}
	return Interval{lo, math.Max(a.Hi, b.Hi)}
}

// lgammaFar handles intervals that reach below -2^52, where every double is
// a pole: the least value in the gap right of Lo is hugely negative and only
// bounded by that of the far side.
func lgammaFar(x Interval) Interval {
	if x.Lo == x.Hi {
		return Empty()
	}
	// |Γ(a)| = π/|sin πa|/Γ(1-a) > 1/Γ(3-Lo) for every a ≥ Lo.
	if x.Lo == -infinity {
		return line
	}
	return Interval{-upper(kernel.LgammaVal(3 - x.Lo)), infinity}
}

// lgammaDip returns a lower bound of log|Γ| on (g, g+1), g a negative integer ≥ -2^52.
func lgammaDip(g float64) float64 {
	// ψ(a) = ψ(1-a) - π·cot πa is zero where a-g = atan2(π, ψ(1-a))/π, which hardly
	// depends on the a on its right-hand side. Any a in the gap will do.
	a := g + 0.5
	for range 4 {
		a = g + math.Atan2(math.Pi, kernel.Digamma(1-a))/math.Pi
	}
	if !(a > g && a < g+1) { // no double inside: |Γ| > 1/Γ(3-g)
		return -upper(kernel.LgammaVal(3 - g))
	}
	// ψ(a) within 10^-12: a-g is exact, ψ(1-a) < 37, and near its zero the cotangent is
	// below 12, so that its argument's rounding grows by less than 2^10.
	psi := func(a float64) float64 {
		return kernel.Digamma(1-a) - math.Pi/kernel.Tan(math.Pi*(a-g))
	}
	for range 3 { // Newton, with ψ' ≈ π²/sin²
		s := math.Sin(math.Pi * (a - g))
		next := a - psi(a)*s*s/(math.Pi*math.Pi)
		if !(next > g && next < g+1) {
			break
		}
		a = next
	}
	v := kernel.LgammaVal(a)
	p := math.Abs(psi(a))*1.001 + 1e-12
	v.E += float64(p*p) / 4
	return lower(v)
}

// Polygamma encloses {ψ^(n)(a) : a ≠ 0, -1, -2, …}, the n-th derivative of ψ, for
// n ≥ 0. Orders above 1000 are only bounded by the whole line.
//
// Left of 0 it rises from -∞ to ∞ between any two poles if n is even; if n is
// odd it is as Note [Ranges of polygamma] says. On the positive axis it is monotone with the
// sign of (-1)^(n+1).
func Polygamma(n int, x Interval) Interval {
	val := func(a float64) kernel.Val { return kernel.PolygammaVal(n, a) }
	switch {
	case x.IsEmpty() || n < 0 || (x.Lo == x.Hi && isPole(x.Lo)):
		return Empty()
	case n == 0:
		return Digamma(x)
	case n > 1000:
		return line
	case x.Lo < 0 && n%2 == 0:
		return betweenPoles(x, val)
	case x.Lo < 0:
		return polygammaLeft(n, x)
	}
	// |ψ^(n)| falls from ∞ at 0 to 0 at ∞.
	r := halfLine
	if x.Hi < infinity {
		v := val(x.Hi)
		r.Lo = math.Max(0, math.Min(math.Abs(lower(v)), math.Abs(upper(v))))
	}
	if x.Lo > 0 {
		v := val(x.Lo)
		r.Hi = math.Max(math.Abs(lower(v)), math.Abs(upper(v)))
	}
	if n%2 == 0 {
		return Neg(r)
	}
	return r
}

// Note [Ranges of polygamma]
//
// For odd n, ψ^(n) is positive and convex between neighbouring poles, with a
// minimum at the zero of ψ^(n+1), and falls to 0 on the positive axis. From
// ψ^(n)(a-1) = ψ^(n)(a) + n!/(a-1)^(n+1) the minima fall from gap to gap to the right.
// So the least value on an interval is that at an end, or in the rightmost gap whose
// minimum is inside: the last gap it reaches, or, if ψ^(n+1) < 0 at Hi so that ψ^(n)
// falls towards Hi there, the one before. In the gap of Lo the minimum is inside
// only if ψ^(n+1) < 0 at Lo; else ψ^(n) rises from Lo on.
//
// Left of -2^52, where every double is a pole, the minimum of the gap right of
// -2^52 is a lower bound; it differs from the limit at -∞ by a relative 2^-54.

// polygammaLeft does the work of Polygamma for odd n and x.Lo < 0.
func polygammaLeft(n int, x Interval) Interval {
	if x.Hi == infinity {
		return halfLine
	}
	at := func(a float64) Interval {
		if isPole(a) {
			return Interval{infinity, infinity}
		}
		return enclose(kernel.PolygammaVal(n, a))
	}
	a, b := at(x.Lo), at(x.Hi)
	r := Interval{math.Min(a.Lo, b.Lo), math.Max(a.Hi, b.Hi)}
	if poleInside(x) {
		r.Hi = infinity
	}
	slope := func(a float64) Interval { return enclose(kernel.PolygammaVal(n+1, a)) }
	g := math.Ceil(math.Min(x.Hi, 0)) - 1 // the gap is (g, g+1)
	if x.Hi < g+1 && slope(x.Hi).Hi <= 0 {
		g--
	}
	if x.Lo <= g || (x.Lo < g+1 && slope(x.Lo).Lo < 0) {
		r.Lo = math.Min(r.Lo, lower(kernel.PolygammaMinimum(n, math.Max(g, -0x1p52))))
	}
	return r
}
