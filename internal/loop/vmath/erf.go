package vmath

// errorFunctions defines error functions.
var errorFunctions = table{
	"erf":   one(2, (*emitter).erf),
	"erfc":  one(2, (*emitter).erfc),
	"erfcx": one(2, (*emitter).erfcx),
}

// Note [Error functions]
//
// For a = |x|, erfc a = exp(-a²)·G/(1 + 2a), where G = (1 + 2a)·exp(a²)·erfc a lies between 1 and
// 1.2 and is a polynomial in t = (a - 3.75)/(a + 3.75). a² and the factors are pairs. erf x is x +
// x·erfTail(x²) below 1 and 1 - erfc a beyond; erfc x is 1 - erf x near 0.
//
// erfcx x = exp(x²)·erfc x is G/(1 + 2a) for x from 0 to 28, and 2·exp(a²) less that for x < 0.
// Beyond 28 it is 1/(x√π)·(1 - z·(1 - 3z·(1 - 5z·…))) with z = 1/(2x²) < 2^-10, of which eight
// terms matter.

// expOf returns exp(x) of a pair as p·2^n, for |x| ≤ 2^20.
func (m *emitter) expOf(x dd) (p dd, n num) {
	r := m.reduce(x.h)
	s := m.sum(r.r, m.add(r.rl, x.l))
	e := m.expm1Of(reduced{r.n, s.h, s.l})
	one := m.sum(unit, e.h)
	return m.fastSum(one.h, m.add(one.l, e.l)), r.n
}

// erfcxOf returns exp(a²)·erfc a as a pair, for a from 0 to 28.
func (m *emitter) erfcxOf(a num) dd {
	t := m.divDD(m.sum(a, lit(-3.75)), m.sum(a, lit(3.75)))
	q := m.poly(t.h, erfcPoly)
	// t.l matters only times the slope, which is about the linear coefficient.
	g := m.fastSum(lit(erfcPolyPairs[0].h), m.mul(t.h, q))
	g.l = m.add(g.l, m.fma(t.l, lit(erfcPoly[0]), lit(erfcPolyPairs[0].l)))
	return m.divDD(g, m.sum(unit, m.add(a, a)))
}

// erfcOf returns erfc a as p·2^n, for a from 0 to 28.
func (m *emitter) erfcOf(a num) (p dd, n num) {
	exp, n := m.expOf(m.negDD(m.prod(a, a)))
	return m.mulDD(exp, m.erfcxOf(a)), n
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

func (m *emitter) erfcx(x num) num {
	a := m.abs(x)
	near := m.atMost(a, 28)
	w := m.erfcxOf(near)
	exp, n := m.expOf(m.prod(near, near))
	scale := m.pow2(m.atLeast(m.neg(n), -1000))
	twice := dd{m.add(exp.h, exp.h), m.add(exp.l, exp.l)}
	s := m.fastSum(twice.h, m.neg(m.mul(w.h, scale)))
	left := m.scale(m.add(s.h, m.fnma(w.l, scale, m.add(s.l, twice.l))), n)

	z := m.div(lit(0.5), m.mul(a, a))
	rest := num(unit)
	for k := 13.0; k > 1; k -= 2 {
		rest = m.fnma(m.mul(lit(k), z), rest, unit)
	}
	root := pair{twoOverRootPi.h / 2, twoOverRootPi.l / 2}
	q := m.div(lit(root.h), a)
	less := m.div(m.add(m.remainder(m.neg(q), a, lit(root.h)), lit(root.l)), a)
	less = m.sub(less, m.mul(q, m.mul(z, rest)))
	far := m.add(q, m.sel(m.lt(a, lit(0x1p500)), less, zero))
	right := m.sel(m.lt(lit(28), a), far, m.total(w))
	return m.sel(m.lt(x, zero), left, right)
}
