package kernel

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval/ball"
)

// Note [lgamma]
//
// log|Γ(x)|:
//
//   - 1/2 ≤ x < 3: (x-1)(x-2)·G(x), G from the pieces; relative error below 2^-66.9
//     at the zeros 1 and 2 too.
//   - 3 ≤ x < 16: the pieces.
//   - 0 < x < 1/2: log Γ(1+x) - log x, 1+x an exact double-double. The first term
//     is in (-0.122, 0], the second above 0.69: at most 1.2·2^-67.
//   - x ≥ 16: Stirling, (x-1/2)(log x - 1) + (log 2π - 1)/2 + S(1/x²)/x with 14
//     terms of S, three in double-double; its truncation is below the first
//     term left out, 2^-95, and all else is positive and of relative error 2^-75.
//   - x < 0, no integer: log π - log|x·sin πx| - log Γ(-x). sin πx is accurate
//     to 2^-95 (x modulo 1 is exact), logarithms to 2^-76, log Γ to 2^-66 of its own
//     size; terms may cancel, and E is the sum of the absolute errors.
//     Within reach of a zero the expansion about it takes over (Note [Zeros]);
//     elsewhere |log|Γ|| > 1/64 or so. Below -18.5 the zeros lie nearer to the
//     integers than any double.

const lgammaBudget = 0x1p-65

// LgammaVal encloses log|Γ(x)| for finite x other than 0, -1, -2, ….
func LgammaVal(x float64) Val {
	if x < 0 {
		return lgammaNegative(x)
	}
	if x > 0x1p200 { // x·(log x - 1) but for a factor within 2^-199 of 1
		v := logDD(dd{x, 0}).addF(-1).mulF(x * 0x1p-200).budget(lgammaBudget)
		v.K = 200
		return v
	}
	if x == 1 || x == 2 {
		return exactly(0)
	}
	return lgammaPositive(x).budget(lgammaBudget)
}

// lgammaPositive returns log Γ(x) for 0 < x ≤ 2^200.
func lgammaPositive(x float64) dd {
	switch {
	case x < 0.5:
		return lgammaUnit(twoSum(1, x)).sub(logOf(x))
	case x < 3:
		return lgammaUnit(dd{x, 0})
	case x < 16:
		return at(lgammaPieces[:], -1, dd{x, 0})
	}
	l := logDD(dd{x, 0})
	y := dd{1, 0}.div(dd{x, 0})
	s := polyDD(y.sqr(), stirling[:], 3).mul(y)
	m := l.addF(-1).mul(twoSum(x, -0.5))
	return m.add(halfLog2Pi.addF(-0.5)).add(s)
}

// lgammaUnit returns log Γ(x) for 1/2 ≤ x < 3.
func lgammaUnit(x dd) dd {
	return at(lgammaPieces[:], -1, x).mul(x.addF(-1)).mul(x.addF(-2))
}

// logOf returns log x for any positive double.
func logOf(x float64) dd {
	if x < 0x1p-1000 {
		return logDD(dd{x * 0x1p54, 0}).add(ln2.mulF(-54))
	}
	return logDD(dd{x, 0})
}

func lgammaNegative(x float64) Val {
	if x > -18.5 {
		if v, ok := nearZero(lgammaZeros[:], x); ok {
			return v.budget(lgammaBudget)
		}
	}
	a := -x
	if a < 0x1p-60 { // log|Γ(x)| = -log a + γa + O(a²)
		v := logOf(a).neg().budget(derivedLogBudget)
		v.E += 2 * a
		return v
	}
	s := sinPi(a).abs()
	if a > 0x1p52 {
		return Val{H: math.Inf(1)} // only integers: no value is asked for
	}
	// |x sin πx| is between 2^-60·2^-58 and 2^53.
	l := logDD(s.mulF(a))
	g := lgammaPositive(a)
	r := logPi.sub(l).sub(g)
	// Errors relative to the terms, not to their difference.
	err := (math.Abs(l.h)+2)*derivedLogBudget + math.Abs(g.h)*lgammaBudget
	return Val{r.h, r.l, err, 0}
}

// Note [sin πx]
//
// x modulo 2 is exact, and so is f = x - n/128 for the nearest n, so
// sin πx = sin(nπ/128)·cos πf + cos(nπ/128)·sin πf with πf a double-double and
// all products in double-double; the series (to degree 21, three terms in
// double-double, |πf| < 2^-6.3, τ < 2^-48) cost 2^-98. The sum cancels at most by
// half. Relative error below 2^-95.

// sinPi returns sin πx for 2^-900 < |x| < 2^53; cosPi returns cos πx.
func sinPi(x float64) dd { return sinPiShifted(x, 0) }
func cosPi(x float64) dd { return sinPiShifted(x, 64) }

func sinPiShifted(x float64, shift int) dd {
	x = math.Mod(x, 2)
	t := math.RoundToEven(x * 128)
	n := int(t) + shift
	r := piDD.mulF(x - t/128)
	r2 := r.sqr().neg()
	s := polyDD(r2, sinhSeries[:], 3).mul(r)
	if n&127 == 0 {
		if n&128 != 0 {
			return s.neg()
		}
		return s
	}
	c := polyDD(r2, coshSeries[:], 3)
	return sinAt(n).mul(c).add(sinAt(n + 64).mul(s))
}

// Note [digamma]
//
// ψ(x):
//
//   - 1 ≤ x < 2: (x-x₀)·D(x), x₀ its zero in three parts, D from the pieces: 2^-66.9.
//   - 2 ≤ x < 16: the pieces.
//   - 0 < x < 1: ψ(1+x) - 1/x, the second below -1 and the first in (-0.58, 0.43):
//     at most 0.75·2^-67 relative.
//   - x ≥ 16: log x - 1/2x - Σ B_2i/(2i·x^2i), 14 terms, truncation below the next,
//     2^-90: relative error 2^-75.
//   - x < 0: ψ(1-x) + π·cot(-πx), which may cancel; E is the sum of the absolute
//     errors. Near its zeros down to -24 the expansion about them takes
//     over (Note [Zeros]); further left, where more than 6 bits cancel, Note [Near
//     zeros], so that E stays below 2^-58 of the value.

const digammaBudget = 0x1p-65

// DigammaVal encloses ψ(x) for finite x other than 0, -1, -2, ….
func DigammaVal(x float64) Val {
	switch {
	case math.Abs(x) < 0x1p-200: // -1/x but for a factor within 2^-199 of 1
		m, e := math.Frexp(x)
		v := dd{-1, 0}.div(dd{m, 0}).budget(digammaBudget)
		v.K = -e
		return v
	case x < 0:
		return digammaNegative(x)
	}
	return digammaPositive(dd{x, 0}).budget(digammaBudget)
}

// digammaPositive returns ψ(x) for x ≥ 2^-200.
func digammaPositive(x dd) dd {
	switch {
	case x.h < 1:
		return digammaPositive(x.addF(1)).sub(dd{1, 0}.div(x))
	case x.h < 2:
		z := minusParts(x, digammaZeroPart0, digammaZeroPart1, digammaZeroPart2)
		return at(digammaPieces[:], 0, x).mul(z)
	case x.h < 16:
		return at(digammaPieces[:], 0, x)
	}
	y := dd{1, 0}.div(x)
	if y.h < 0x1p-200 {
		return logDD(x)
	}
	y2 := y.sqr()
	return logDD(x).sub(y.scale(0.5)).sub(polyDD(y2, psiSeries[:], 3).mul(y2))
}

func digammaNegative(x float64) Val {
	if x > -24 {
		if v, ok := nearZero(digammaZeros[:], x); ok {
			return v.budget(digammaBudget)
		}
	}
	p := digammaPositive(twoSum(1, -x))
	c := cosPi(-x).mul(piDD).div(sinPi(-x))
	r := p.add(c)
	if math.Abs(r.h) < math.Abs(p.h)*0x1p-6 {
		return multi(new(ball.Ball).Digamma(ball.FromFloat64(x), multiBits))
	}
	err := math.Abs(p.h)*digammaBudget + math.Abs(c.h)*0x1p-90 + math.Abs(r.h)*0x1p-99
	return Val{r.h, r.l, err, 0}
}

// Note [polygamma]
//
// ψ^(n)(x) = (-1)^(n+1)·n!·ζ(s, x), s = n+1. For x > 0, with X = x+N ≥ s+20,
//
//	ζ(s,x)·x^s = Σ_{k<N} (x/(x+k))^s + (x/X)^s·(X/(s-1) + 1/2 + Σ_j b_j·(s)_(2j-1)·X^(1-2j)),
//
// b_j = B_2j/(2j)!. (x+k)^-s is completely monotone, so the truncation after 16
// terms is below the next one, which at X ≥ s+20 is below 2^-80 of X/(s-1). All
// terms but the alternating ones (whose sum is below 1/12·s/X) are positive.
// A power costs s·2^-101 (Note [pown]), sums and products less than
// (N+64)·2^-101 together, N ≤ s+20.

//
// For x < 0 let f and g be the distances from the poles left and right of x. The terms
// left of f's pole on are ζ(s, f), those before it the first of (-1)^s·ζ(s, g), all but
// ζ(s, 1-x). The lesser of f and g, which is b, is a double, the other one an exact
// double-double, and all is scaled by b^s. The three sums are below 4 together.
// For odd n they make at least 1. For even n they have a zero near the middle of the gap: where
// they make less than 2^-6, Note [Near zeros] takes over. So errors grow by 2^8 at
// most; truncation, below 2^-80·b²/22 < 2^-86 of 1, and rounding stay below the budget.
// In the very middle f = g, and for even n only ψ^(n)(1-x) is left.

// PolygammaVal encloses the n-th derivative of ψ for 1 ≤ n ≤ 1002 and finite x
// other than 0, -1, -2, ….
func PolygammaVal(n int, x float64) Val {
	if x > 0x1p300 { // (n-1)!·x^-n but for a factor within n/x of 1
		return polygammaVal(n, dd{1, 0}, n-1, x, -n)
	}
	s := n + 1
	if x < 0 {
		if s%2 == 1 && math.Abs(x-math.RoundToEven(x)) == 0.5 { // that difference is exact
			a := twoSum(1, -x)
			return polygammaVal(n, hurwitz(s, a, a.h), n, a.h, -s)
		}
		sum, b := hurwitzLeft(s, x)
		if math.Abs(sum.h) < 0x1p-6 {
			return multi(new(ball.Ball).Polygamma(int64(n), ball.FromFloat64(x), multiBits))
		}
		return polygammaVal(n, sum, n, b, -s)
	}
	sum := dd{1, 0}
	if x > 0x1p-300 { // else every further term is below 2^-300
		sum = hurwitz(s, dd{x, 0}, x)
	}
	return polygammaVal(n, sum, n, x, -s)
}

// hurwitzLeft returns ζ(s, x)·b^s for x < 0, b being the distance from the nearest pole.
func hurwitzLeft(s int, x float64) (sum dd, b float64) {
	pole := math.RoundToEven(x)
	b = math.Abs(x - pole)
	f, g := dd{b, 0}, twoSum(1, -b)
	if x < pole {
		f, g = g, f
	}
	left, right := dd{}, dd{1, 0}
	if b > 0x1p-300 {
		left = hurwitz(s, g, b).sub(hurwitz(s, twoSum(1, -x), b))
		right = hurwitz(s, f, b)
	} else if x < pole { // all other terms are below 2^-300
		left, right = right, left
	}
	if s%2 == 1 {
		left = left.neg()
	}
	return right.add(left), b
}

// Note [Minima of polygamma]
//
// For odd n the derivative f = ψ^(n) is a sum of even powers: positive and convex between two
// poles. For any a there, f is at least f(a) - f'(a)²/2c where c is the least value of f”; and
// f” ≥ (n+2)!·(t^-(n+3) + (1-t)^-(n+3)) ≥ (n+2)!·2^(n+4), t being the distance from a pole. In
// terms of S(n) = |ζ(n+1, a)|·b^(n+1), of which n! b^-(n+1) S(n) = f(a) and S(n) ≥ 1, the
// second term is
//
//	f(a) · (n+1)/(n+2) · S(n+1)²/S(n) · b^-(n+3)/2^(n+5) ≤ f(a) · S(n+1)²·(2b)^-(n+3)/4.
//
// It is quadratic in the distance of a from the minimum. Newton's steps a +
// b·S(n+1)/((n+2)·S(n+2)) begin in the middle, which is near: beyond it only the terms of
// ζ(n+2, 1-a) tell it from the minimum. That the nearest double is some 2^-54·|a| off matters
// little: farther left the minimum is nearer to the middle, at a distance of a^-2 or less.

// PolygammaMinimum encloses the least value of ψ^(n), n odd, 1 ≤ n ≤ 1000, between
// the poles g and g+1, -2^52 ≤ g ≤ -1.
func PolygammaMinimum(n int, g float64) Val {
	a := g + 0.5
	slope, b := hurwitzLeft(n+2, a)
	for range 5 {
		curve, _ := hurwitzLeft(n+3, a)
		next := a + b*slope.h/(float64(n+2)*curve.h)
		if next == a || !(next > g && next < g+1) {
			break
		}
		a = next
		slope, b = hurwitzLeft(n+2, a)
	}
	v := PolygammaVal(n, a)
	t := math.Abs(slope.h)*1.001 + 0x1p-80
	v.E += v.H * t * t * Pown(2*b, -n-3)
	return v
}

// polygammaVal returns ±sum·m!·x^e, the sign being that of the n-th derivative. Powers and
// factorials may be out of range where their product is not.
func polygammaVal(n int, sum dd, m int, x float64, e int) Val {
	p, k := pownDD(x, e)
	sum, k = normal(sum, k)
	for i := 2; i <= m; i++ {
		sum, k = normal(sum.mulF(float64(i)), k)
	}
	r := sum.mul(p)
	if n%2 == 0 {
		r = r.neg()
	}
	v := r.budget(float64(n+65) * 0x1p-79)
	v.K = min(max(k, -4000), 4000)
	return v
}

// hurwitz returns ζ(s, a)·b^s for 2^-300 < b ≤ a ≤ 2^300.
func hurwitz(s int, a dd, b float64) dd {
	bd := dd{b, 0}
	sum := dd{}
	for a.h < float64(s+20) {
		sum = sum.add(powDD(bd.div(a), s))
		a = a.addF(1)
	}
	y := dd{1, 0}.div(a)
	y2 := y.sqr()
	f := dd{float64(s), 0}.mul(y) // (s)_(2j-1)·X^(1-2j)
	tail := dd{}
	for j, b := range eulerMaclaurin {
		tail = tail.add(b.mul(f))
		f = f.mul(y2).mulF(float64(s + 2*j + 1)).mulF(float64(s + 2*j + 2))
	}
	tail = tail.add(a.div(dd{float64(s - 1), 0})).addF(0.5)
	if a != bd {
		tail = tail.mul(powDD(bd.div(a), s))
	}
	return sum.add(tail)
}

// powDD returns a^n for 0 < a ≤ 1; a result below 2^-900 counts as 0.
func powDD(a dd, n int) dd {
	r := dd{1, 0}
	for {
		if n&1 == 1 {
			r = r.mul(a)
		}
		if n >>= 1; n == 0 {
			return r
		}
		a = a.sqr()
		if a.h < 0x1p-900 || r.h < 0x1p-900 {
			return dd{}
		}
	}
}

// LgammaMinimum returns the greatest double below the point where log Γ is
// least on the positive axis (the zero of ψ), and encloses the least value.
func LgammaMinimum() (below float64, least Val) {
	below = digammaZeroPart0
	if digammaZeroPart1 < 0 {
		below = math.Nextafter(below, 0)
	}
	return below, lgammaMin.budget(0x1p-99)
}
