package vmath

// errorFunctions defines error functions.
var errorFunctions = table{
	"erf":  one(2, (*emitter).erf),
	"erfc": one(2, (*emitter).erfc),
}

// Note [Error functions]
//
// For a = |x|, erfc a = exp(-a²)·G/(1 + 2a), where G = (1 + 2a)·exp(a²)·erfc a lies between 1 and
// 1.2 and is a polynomial in t = (a - 3.75)/(a + 3.75). a² and the factors are pairs. erf x is x +
// x·erfTail(x²) below 1 and 1 - erfc a beyond; erfc x is 1 - erf x near 0.

// erfcOf is erfc a as p·2^n, for a from 0 to 28.
func (m *emitter) erfcOf(a num) (p dd, n num) {
	square := m.prod(a, a)
	r := m.reduce(m.neg(square.h))
	s := m.sum(r.r, m.sub(r.rl, square.l))
	e := m.expm1Of(reduced{r.n, s.h, s.l})
	one := m.sum(unit, e.h)
	exp := m.fastSum(one.h, m.add(one.l, e.l))

	t := m.divDD(m.sum(a, lit(-3.75)), m.sum(a, lit(3.75)))
	q := m.poly(t.h, erfcPoly)
	// t.l matters only times the slope, which is about the linear coefficient.
	g := m.fastSum(lit(erfcPolyPairs[0].h), m.mul(t.h, q))
	g.l = m.add(g.l, m.fma(t.l, lit(erfcPoly[0]), lit(erfcPolyPairs[0].l)))
	return m.mulDD(exp, m.divDD(g, m.sum(unit, m.add(a, a)))), r.n
}

func (m *emitter) erf(x num) num {
	a := m.atMost(m.abs(x), 7)
	p, n := m.erfcOf(a)
	w := m.pow2(n)
	outer := m.sub(unit, m.mul(p.h, w))
	inner := m.fma(a, m.poly(m.mul(a, a), erfTail), a)
	y := m.flip(m.sel(m.lt(a, unit), inner, outer), m.sign(x))
	// Where x·erfTail would be subnormal, the product with 2/√π is rounded once.
	y = m.sel(m.lt(a, lit(0x1p-40)), m.erfTiny(x), y)
	return m.sel(m.eq(x, zero), x, y)
}

// erfTiny is x·2/√π, also where it is subnormal.
func (m *emitter) erfTiny(x num) num {
	p := m.times(twoOverRootPi.dd(), m.mul(x, lit(0x1p100)))
	return m.mul(p.h, lit(0x1p-100))
}

func (m *emitter) erfc(x num) num {
	a := m.atMost(m.abs(x), 28)
	p, n := m.erfcOf(a)
	w := m.pow2(m.atLeast(n, -1000))
	s := m.fastSum(lit(2), m.neg(m.mul(p.h, w)))
	left := m.add(s.h, m.fnma(p.l, w, s.l))
	y := m.sel(m.lt(x, zero), left, m.scale(m.total(p), n))
	inner := m.fastSum(unit, m.neg(x))
	near := m.add(inner.h, m.fnma(x, m.poly(m.mul(a, a), erfTail), inner.l))
	return m.sel(m.lt(a, lit(0.25)), near, y)
}
