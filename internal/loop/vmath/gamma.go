package vmath

import "math"

// gammas defines lgamma and its derivative.
var gammas = table{
	"lgamma":  one(2, (*emitter).lgamma),
	"digamma": one(2, (*emitter).digamma),
}

// Note [Log gamma]
//
// For x from 0 to 7.5, y = x - k with k = round(x) - 2 lies in [1.5, 2.5], and log Γ(x) differs
// from log Γ(y) = d·lgammaPoly(d), d = y - 2, by the logarithm of y(y + 1)…(y + k - 1), or of x or
// x(x + 1) if k is negative. Beyond, Stirling's series serves. One logarithm serves both. For x <
// 0,
//
//	log|Γ(x)| = log(π/(a·|sin πa|)) - log Γ(a),  a = -x.

const stirlingFrom = 7.5

// lgammaOf is log Γ(x) for x > 0.
func (m *emitter) lgammaOf(x num) dd {
	large := m.le(lit(stirlingFrom), x)
	b := m.sel(large, lit(2), x)
	k := m.sub(m.round(b), lit(2))
	k = m.sel(m.lt(b, lit(0.5)), lit(-2), k)
	d := m.sum(b, m.neg(m.add(k, lit(2)))) // exact, but for b below 1/2
	below := m.lt(k, zero)

	// The product, as a pair.
	next := m.sum(b, unit)
	product := m.selDD(m.lt(k, lit(-1)), m.times(next, b), dd{b, zero})
	up := dd{unit, zero}
	for i := range 5 {
		factor := m.sel(m.lt(lit(float64(i)), k), m.sub(b, lit(float64(i+1))), unit)
		if i == 0 {
			up = dd{factor, zero}
		} else {
			up = m.times(up, factor)
		}
	}
	product = m.selDD(below, product, up)
	y, shift := m.normal(m.sel(large, x, product.h))
	s := m.splitLog(dd{y, m.sel(large, zero, product.l)})
	s.k = m.sub(s.k, shift)
	log := m.renormal(m.logOf(s))

	c := m.plus(lgammaPolyPairs[1].dd(), m.mul(d.h, m.poly(d.h, lgammaPoly)))
	c = m.addDD(lgammaPolyPairs[0].dd(), m.times(c, d.h))
	small := m.addDD(m.times(c, d.h), m.selDD(below, m.negDD(log), log))

	// (x - ½)(log x - 1) - ½ + log(2π)/2 + stirlingTail(1/x²)/x.
	inv := m.div(unit, x)
	main := m.times(m.plus(log, lit(-1)), m.sub(x, lit(0.5)))
	main = m.addDD(m.plus(main, lit(-0.5)), halfLog2Pi.dd())
	main = m.plus(main, m.mul(inv, m.poly(m.mul(inv, inv), stirlingTail)))
	return m.selDD(large, main, small)
}

// sinCosPi gives |sin πa| and |cos πa| from the distance r of a from the nearest integer.
func (m *emitter) sinCosPi(r num) (sin, cos dd) {
	ar := m.abs(r)
	far := m.lt(lit(0.25), ar)
	t := m.times(pi.dd(), m.sel(far, m.sub(lit(0.5), ar), ar))
	s, c := m.renormal(m.sinOf(t)), m.renormal(m.cosOf(t))
	return m.selDD(far, c, s), m.selDD(far, s, c)
}

func (m *emitter) lgamma(x num) num {
	a := m.abs(x)
	finite := m.atMost(a, math.MaxFloat64)
	g := m.lgammaOf(m.sel(m.eq(a, zero), unit, finite))
	right := m.total(g)

	r := m.sub(a, m.round(a))
	sin, _ := m.sinCosPi(r)
	near := m.sel(m.lt(a, lit(0x1p60)), a, unit)
	w := m.divDD(pi.dd(), m.times(sin, m.sel(m.lt(near, lit(0x1p-60)), unit, near)))
	mirrored := m.addDD(m.renormal(m.logOf(m.splitLog(w))), m.negDD(g))

	left := m.and(m.lt(x, lit(-0x1p-60)), m.lt(a, infinite))
	y := m.sel(left, m.sel(m.eq(r, zero), infinite, m.total(mirrored)), right)
	// Γ overflows long before its logarithm, which does so from here on.
	y = m.sel(m.or(m.lt(lit(2.5563e305), a), m.eq(a, zero)), infinite, y)
	return m.sel(m.eq(x, x), y, x)
}

// Note [Digamma]
//
// For x from 0 to 7, ψ(x) = ψ(y) + 1/y + … + 1/(y + k - 1) with y = x - k in [1, 2), or ψ(x + 1) -
// 1/x below 1; ψ(y) = (y - x₀)·digammaPoly(y - 3/2), where x₀ is the zero. Beyond, the asymptotic
// series serves. For x < 0, ψ(x) = ψ(a) + 1/a + π·cot πa with a = -x.

const asymptoticFrom = 7

func (m *emitter) digammaOf(x num) dd {
	large := m.le(lit(asymptoticFrom), x)
	b := m.sel(large, lit(1.5), x)
	k := m.sub(m.floor(b), unit)
	k = m.sel(m.lt(b, unit), lit(-1), k)
	d := m.sub(b, m.add(k, lit(1.5)))

	// The sum of reciprocals is one fraction.
	below := m.lt(k, zero)
	top, bottom := dd{zero, zero}, dd{unit, zero}
	for i := range 5 {
		used := m.lt(lit(float64(i)), k)
		f := m.sel(used, m.sub(b, lit(float64(i+1))), unit)
		top = m.addDD(m.times(top, f), m.selDD(used, bottom, dd{zero, zero}))
		bottom = m.times(bottom, f)
	}
	top = m.selDD(below, dd{lit(-1), zero}, top)
	bottom = m.selDD(below, dd{b, zero}, bottom)
	shift := m.divDD(top, bottom)

	y := m.sum(m.sub(b, m.sel(below, zero, k)), m.sel(below, unit, zero))
	fromZero := m.plus(m.plus(y, lit(-digammaZero[0])), lit(-digammaZero[1]))
	c := m.fastSum(lit(digammaPolyPairs[0].h), m.mul(d, m.poly(d, digammaPoly)))
	c.l = m.add(c.l, lit(digammaPolyPairs[0].l))
	small := m.addDD(m.mulDD(c, fromZero), shift)

	s := m.splitLog(dd{x, zero})
	inv := m.div(unit, x)
	z := m.mul(inv, inv)
	main := m.plus(m.renormal(m.logOf(s)), m.mul(inv, lit(-0.5)))
	main = m.plus(main, m.neg(m.mul(z, m.poly(z, digammaTail))))
	return m.selDD(large, main, small)
}

func (m *emitter) digamma(x num) num {
	a := m.atMost(m.abs(x), math.MaxFloat64)
	// So near to 0, ψ(x) is -1/x.
	small := m.lt(a, lit(0x1p-60))
	g := m.digammaOf(m.sel(small, unit, a))
	r := m.sub(a, m.round(a))
	sin, cos := m.sinCosPi(r)
	cot := m.mulDD(m.divDD(cos, sin), pi.dd())
	cot = m.selDD(m.lt(r, zero), m.negDD(cot), cot)
	b := m.sel(small, unit, a)
	mirrored := m.addDD(m.addDD(g, cot), m.divDD(dd{unit, zero}, dd{b, zero}))
	mirrored.h = m.sel(m.eq(r, zero), notANum, mirrored.h)
	y := m.sel(m.lt(x, zero), mirrored.h, m.total(g))
	y = m.sel(m.eq(x, infinite), x, y)
	y = m.sel(m.eq(x, lit(math.Inf(-1))), notANum, y)
	return m.sel(small, m.div(lit(-1), x), y)
}
