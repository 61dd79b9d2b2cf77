package vmath

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// powers defines powers, roots and choices.
var powers = table{
	"cbrt":  one(1, (*emitter).cbrt),
	"hypot": two(1, (*emitter).hypot),
	"pow":   two(1, (*emitter).pow),
	"pow.i": two(1, (*emitter).powInt),
	"max.f": two(0, (*emitter).max),
	"min.f": two(0, (*emitter).min),
	"sign":  one(0, (*emitter).signum),
}

// negative tells whether the sign bit of x is set.
func (m *emitter) negative(x num) truth { return m.op(loop.LtI, m.bits(x), word64(0)) }

// max is the larger; NaN if one is NaN; of zeros, +0.
func (m *emitter) max(x, y num) num {
	same := m.double(m.andi(m.bits(x), m.bits(y)))
	return m.extreme(x, y, m.lt(x, y), m.lt(y, x), same)
}

// min is the smaller; NaN if one is NaN; of zeros, -0.
func (m *emitter) min(x, y num) num {
	same := m.double(m.ori(m.bits(x), m.bits(y)))
	return m.extreme(x, y, m.lt(y, x), m.lt(x, y), same)
}

func (m *emitter) extreme(x, y num, second, first truth, same num) num {
	tie := m.sel(m.eq(x, y), same, m.add(x, y))
	return m.sel(second, y, m.sel(first, x, tie))
}

// signum is -1, 1, or x itself if it is 0 or NaN.
func (m *emitter) signum(x num) num {
	return m.sel(m.lt(x, zero), lit(-1), m.sel(m.lt(zero, x), unit, x))
}

// Note [Powers]
//
// x^y = exp(y·log x) for x > 0, where log x is a pair with an error of 2^-68 or so relative to it:
// log(1 + f) is 2s + 2s³/3 + 2s⁵/5 + s⁷·powTail(s²) with all but the last term computed in pairs.
// For y·log x of at most 746, exp then has an error of 2^-58. An exponent may be a pair too: a
// 64-bit integer is one.

// logDD is log x for a positive x, to more than double precision.
func (m *emitter) logDD(x num) dd {
	a := m.splitAny(x)
	s := m.divDD(dd{a.f, zero}, m.sum(a.f, lit(2)))
	z := m.mulDD(s, s)
	tail := m.mul(z.h, m.poly(z.h, powTail))
	p := m.plus(fraction(2, 5).dd(), tail)
	p = m.addDD(m.mulDD(z, p), fraction(2, 3).dd())
	p = m.mulDD(m.mulDD(z, p), s)
	l := m.addDD(dd{m.add(s.h, s.h), m.add(s.l, s.l)}, p)
	k := m.addDD(dd{m.mul(a.k, lit(ln2Part[0])), zero}, m.prod(a.k, lit(ln2Part[1])))
	return m.addDD(k, l)
}

// fraction is the fraction a/b as a pair.
func fraction(a, b float64) pair {
	q := a / b
	return pair{q, math.FMA(-q, b, a) / b}
}

// expDD is exp of a pair.
func (m *emitter) expDD(a dd) num {
	h := m.atMost(m.atLeast(a.h, expLow), expHigh)
	l := m.sel(m.eq(h, a.h), a.l, zero)
	r := m.reduce(h)
	sum := m.sum(r.r, m.add(r.rl, l))
	r.r, r.rl = sum.h, sum.l
	return m.scale(m.add(unit, m.total(m.expm1Of(r))), r.n)
}

// powPositive is x^y for x > 0, x not 1 or infinite, and a finite y that is a pair.
func (m *emitter) powPositive(x num, y dd) num {
	l := m.logDD(x)
	p := m.prod(y.h, l.h)
	low := m.fma(y.h, l.l, m.fma(y.l, l.h, p.l))
	// An overflow of the product must not make its low part NaN.
	low = m.sel(m.lt(m.abs(p.h), lit(1000)), low, zero)
	return m.expDD(m.fastSum(p.h, low))
}

func (m *emitter) pow(x, y num) num {
	ax := m.abs(x)
	// Beyond 2^70 an exponent is an infinite one, unless x is 1.
	r := m.powPositive(ax, dd{m.atMost(m.atLeast(y, -0x1p70), 0x1p70), zero})
	whole := m.eq(m.floor(y), y)
	half := m.mul(y, lit(0.5))
	odd := m.and(m.and(whole, m.not(m.eq(m.floor(half), half))), m.lt(m.abs(y), lit(0x1p53)))
	r = m.powEnds(x, ax, y, r, odd)
	r = m.sel(m.and(m.and(m.lt(x, zero), m.not(whole)), m.lt(ax, infinite)), notANum, r)
	r = m.sel(m.or(m.eq(x, x), m.eq(y, zero)), r, notANum)
	r = m.sel(m.or(m.eq(y, y), m.eq(x, unit)), r, notANum)
	return r
}

// powEnds puts in the values of |x|^y where x is 0, infinite or of absolute value 1, or y is 0, and
// the sign of a power of a negative x.
func (m *emitter) powEnds(x, ax, y, r num, odd truth) num {
	grows := m.lt(zero, y)
	r = m.sel(m.eq(ax, zero), m.sel(grows, zero, infinite), r)
	r = m.sel(m.eq(ax, infinite), m.sel(grows, infinite, zero), r)
	r = m.sel(m.or(m.eq(ax, unit), m.eq(y, zero)), unit, r)
	return m.sel(odd, m.flip(r, m.sign(x)), r)
}

// powInt is x^n. n is the sum of two doubles, its upper and lower 32 bits.
func (m *emitter) powInt(x num, n word) num {
	low := m.sub(m.double(m.ori(m.andi(n, word64(1<<32-1)), bitsOf(0x1p52))), lit(0x1p52))
	high := m.ori(m.shr(m.xori(n, signBit), 32), bitsOf(0x1p84))
	top := m.sub(m.double(high), lit(0x1p84+0x1p63))
	y := m.fastSum(top, low)
	ax := m.abs(x)
	r := m.powEnds(x, ax, y.h, m.powPositive(ax, y), m.isOdd(n))
	return m.sel(m.or(m.eq(x, x), m.eq(y.h, zero)), r, notANum)
}

// Note [Roots]
//
// For cbrt, x = 2^3k·2^j·u with u in [1, 2) and j = 0, 1 or 2. y = u^(-1/3) starts as a polynomial
// with an error of 2^-16, which two steps of third order bring below 2^-53; u·y² is then the root,
// corrected once more by the remainder, in pairs because of the factor 2^(j/3).

func (m *emitter) cbrt(x num) num {
	ax := m.abs(x)
	a, shift := m.normal(ax)
	w := m.bits(a)
	e := m.sub(m.double(m.ori(m.shr(w, 52), bitsOf(0x1p52))), lit(0x1p52+1023))
	e = m.sub(e, shift)
	u := m.double(m.ori(m.andi(w, mantissa), bitsOf(1)))
	k := m.floor(m.mul(m.add(e, lit(0.25)), lit(1.0/3)))
	j := m.fnma(k, lit(3), e)
	y := m.poly(u, cbrtStart)
	for range 2 {
		d := m.fnma(m.mul(u, m.mul(y, y)), y, unit)
		y = m.fma(m.mul(y, d), m.fma(d, lit(2.0/9), lit(1.0/3)), y)
	}
	c := m.mul(u, m.mul(y, y))
	square := m.prod(c, c)
	rest := m.sub(m.remainder(m.neg(square.h), c, u), m.mul(square.l, c))
	root := m.fastSum(c, m.mul(rest, m.mul(m.mul(y, y), lit(1.0/3))))
	one, two := m.eq(j, unit), m.eq(j, lit(2))
	root = m.mulDD(root, m.selDD(two, cbrt4.dd(), m.selDD(one, cbrt2.dd(), dd{unit, zero})))
	r := m.flip(m.mul(root.h, m.pow2(k)), m.sign(x))
	return m.sel(m.and(m.lt(zero, ax), m.lt(ax, infinite)), r, x)
}

func (m *emitter) hypot(x, y num) num {
	ax, ay := m.abs(x), m.abs(y)
	swap := m.lt(ax, ay)
	a, b := m.sel(swap, ay, ax), m.sel(swap, ax, ay)
	huge, small := m.lt(lit(0x1p500), a), m.lt(a, lit(0x1p-400))
	factor := m.sel(huge, lit(0x1p-600), m.sel(small, lit(0x1p600), unit))
	back := m.sel(huge, lit(0x1p600), m.sel(small, lit(0x1p-600), unit))
	a, b = m.mul(a, factor), m.mul(b, factor)
	p, q := m.prod(a, a), m.prod(b, b)
	s := m.fastSum(p.h, q.h)
	root := m.sqrtDD(dd{s.h, m.add(s.l, m.add(p.l, q.l))})
	r := m.mul(m.sel(m.eq(a, zero), zero, root.h), back)
	either := m.or(m.eq(ax, infinite), m.eq(ay, infinite))
	return m.sel(either, infinite, m.sel(m.and(m.eq(x, x), m.eq(y, y)), r, notANum))
}
