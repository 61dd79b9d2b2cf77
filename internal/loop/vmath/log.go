package vmath

import "math"

// logarithms defines logarithms.
var logarithms = table{
	"log":   one(1, (*emitter).log),
	"log2":  one(1, (*emitter).log2),
	"log10": one(1, (*emitter).log10),
	"log1p": one(1, (*emitter).log1p),
}

// Note [Logarithms]
//
// x = 2^k·(1 + f) with 1 + f in [√½, √2), and log x = k·log 2 + log(1 + f). With s = f/(2 + f),
//
//	log(1 + f) = 2 atanh s = f - f²/2 + s·(f²/2 + s²·logTail(s²)).
//
// f - f²/2 is computed as a pair; the last term is at most a tenth of the result.

// rootHalf is a double just below √½, from which mantissas are taken.
const rootHalf = 0x1.6a09e667f3bccp-1

// split is a positive number 2^k·(1 + f + fl).
type split struct{ k, f, fl num }

// splitLog splits a.h + a.l, where a.h is normal and positive.
func (m *emitter) splitLog(a dd) split {
	bias := int64(math.Float64bits(rootHalf))
	w := m.subi(m.bits(a.h), bitsOf(rootHalf))
	// The exponent, with 2048 added to keep it positive, as the low bits of a double.
	e := m.shr(m.addi(w, shifted(2048)), 52)
	k := m.sub(m.double(m.ori(e, bitsOf(0x1p52))), lit(0x1p52+2048))
	mant := m.double(m.addi(m.andi(w, mantissa), word64(bias)))
	f := m.sub(mant, unit)
	if a.l == nil {
		return split{k, f, nil}
	}
	s := m.fastSum(f, m.scale(a.l, m.neg(k)))
	return split{k, s.h, s.l}
}

// log1pDD is log(1 + f + fl), for 1 + f in [√½, √2].
func (m *emitter) log1pDD(f, fl num) dd {
	h := m.prod(m.mul(f, lit(0.5)), f)
	s := m.div(f, m.add(f, lit(2)))
	z := m.mul(s, s)
	tail := m.mul(s, m.fma(z, m.poly(z, logTail), h.h))
	a := m.fastSum(f, m.neg(h.h))
	rest := m.sub(m.add(a.l, tail), h.l)
	if fl != nil {
		rest = m.add(rest, m.fnma(f, fl, fl))
	}
	return dd{a.h, rest}
}

// logOf is the logarithm of what was split.
func (m *emitter) logOf(a split) dd {
	l := m.log1pDD(a.f, a.fl)
	s := m.fastSum(m.mul(a.k, lit(ln2Part[0])), l.h)
	return dd{s.h, m.add(m.fma(a.k, lit(ln2Part[1]), l.l), s.l)}
}

// normal is a positive x as y·2^-shift with a normal y.
func (m *emitter) normal(x num) (y, shift num) {
	small := m.lt(x, lit(0x1p-1022))
	return m.sel(small, m.mul(x, lit(0x1p54)), x), m.sel(small, lit(54), zero)
}

// logEnds puts the values at 0, at infinity and outside of the domain in the place of y.
func (m *emitter) logEnds(x, y num) num {
	y = m.sel(m.lt(zero, x), y, m.sel(m.eq(x, zero), lit(math.Inf(-1)), notANum))
	return m.sel(m.eq(x, infinite), x, y)
}

func (m *emitter) splitAny(x num) split {
	y, shift := m.normal(x)
	a := m.splitLog(dd{y, nil})
	a.k = m.sub(a.k, shift)
	return a
}

func (m *emitter) log(x num) num {
	return m.logEnds(x, m.total(m.logOf(m.splitAny(x))))
}

// log2 x = k + log(1 + f)/log 2.
func (m *emitter) log2(x num) num {
	a := m.splitAny(x)
	p := m.mulDD(m.renormal(m.log1pDD(a.f, nil)), invLn2.dd())
	s := m.fastSum(a.k, p.h)
	return m.logEnds(x, m.add(s.h, m.add(s.l, p.l)))
}

func (m *emitter) log10(x num) num {
	a := m.splitAny(x)
	p := m.mulDD(m.renormal(m.log1pDD(a.f, nil)), invLn10.dd())
	s := m.fastSum(m.mul(a.k, lit(log10of2[0])), p.h)
	return m.logEnds(x, m.add(s.h, m.add(s.l, m.fma(a.k, lit(log10of2[1]), p.l))))
}

// log1pOf is log(1 + w), for w > -1.
func (m *emitter) log1pOf(w dd) dd {
	u := m.sum(unit, w.h)
	return m.logOf(m.splitLog(dd{u.h, m.add(u.l, w.l)}))
}

func (m *emitter) log1p(x num) num {
	y := m.total(m.log1pOf(dd{m.atMost(x, math.MaxFloat64), zero}))
	y = m.sel(m.lt(lit(-1), x), y, m.sel(m.eq(x, lit(-1)), lit(math.Inf(-1)), notANum))
	y = m.sel(m.eq(x, infinite), x, y)
	return m.sel(m.lt(m.abs(x), lit(tiny)), x, y)
}

// renormal makes l small beside h.
func (m *emitter) renormal(a dd) dd { return m.fastSum(a.h, a.l) }
