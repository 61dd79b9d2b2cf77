package vmath

import "math"

// inverses defines inverses of the circular and hyperbolic functions.
var inverses = table{
	"atan":  one(1, (*emitter).atan),
	"atan2": two(1, (*emitter).atan2),
	"asin":  one(1, (*emitter).asin),
	"acos":  one(1, (*emitter).acos),
	"asinh": one(1, (*emitter).asinh),
	"acosh": one(1, (*emitter).acosh),
	"atanh": one(1, (*emitter).atanh),
}

// Note [Arctangents]
//
// The angle of the point (x, y) with x, y ≥ 0 is one of
//
//	atan(y/x),  π/4 + atan((y - x)/(y + x)),  π/2 + atan(-x/y),
//
// by whether y/x is below tan(π/8), below tan(3π/8), or above, so that the quotient t is at most
// tan(π/8). Then atan t = t + t³·atanTail(t²), where the second term is at most 6 % of the first.

const tanEighth, tanThreeEighths = 0.41421356237309503, 2.414213562373095

// atanOf is base + θ, base a multiple of π/4: the angle of a point with coordinates that are not
// negative, neither both 0 nor infinite.
func (m *emitter) atanOf(y, x num) (steep, middle truth, theta dd) {
	steep = m.lt(m.mul(x, lit(tanThreeEighths)), y)
	middle = m.lt(m.mul(x, lit(tanEighth)), y)
	p, q := m.sum(y, m.neg(x)), m.sum(y, x)
	top := m.selDD(steep, dd{m.neg(x), zero}, m.selDD(middle, p, dd{y, zero}))
	bottom := m.selDD(steep, dd{y, zero}, m.selDD(middle, q, dd{x, zero}))
	t := m.divDD(top, bottom)
	z := m.mul(t.h, t.h)
	return steep, middle, dd{t.h, m.fma(m.mul(z, t.h), m.poly(z, atanTail), t.l)}
}

func (m *emitter) atan(x num) num {
	a := m.atMost(m.abs(x), 0x1p100)
	steep, middle, t := m.atanOf(a, unit)
	base := m.selDD(steep, halfPi.dd(), m.selDD(middle, quarterPi.dd(), dd{zero, zero}))
	s := m.fastSum(base.h, t.h)
	y := m.add(s.h, m.add(s.l, m.add(base.l, t.l)))
	return m.sel(m.lt(a, lit(0x1p-30)), x, m.flip(y, m.sign(x)))
}

// atan2 y x: for a negative x the angle is π less that of (-x, y).
func (m *emitter) atan2(y, x num) num {
	ax, ay := m.abs(x), m.abs(y)
	// Infinite coordinates are beyond all others; what both infinite means is that they are equal.
	eitherInf := m.or(m.eq(ax, infinite), m.eq(ay, infinite))
	ax = m.sel(eitherInf, m.sel(m.eq(ax, infinite), unit, zero), ax)
	ay = m.sel(eitherInf, m.sel(m.eq(m.abs(y), infinite), unit, zero), ay)
	origin := m.and(m.eq(ax, zero), m.eq(ay, zero))
	ax = m.sel(origin, unit, ax)
	// Scaled so that nothing overflows, nor loses digits by underflow unless the angle does.
	larger := m.sel(m.lt(ax, ay), ay, ax)
	factor := m.sel(m.lt(lit(0x1p500), larger), lit(0x1p-600),
		m.sel(m.lt(larger, lit(0x1p-400)), lit(0x1p600), unit))
	sx, sy := m.mul(ax, factor), m.mul(ay, factor)

	steep, middle, t := m.atanOf(sy, sx)
	left := m.negative(x)
	base := m.selDD(left,
		m.selDD(steep, halfPi.dd(), m.selDD(middle, threeQuarterPi.dd(), pi.dd())),
		m.selDD(steep, halfPi.dd(), m.selDD(middle, quarterPi.dd(), dd{zero, zero})))
	turn := m.sel(left, lit(-1), unit)
	s := m.fastSum(base.h, m.mul(t.h, turn))
	angle := m.add(s.h, m.add(s.l, m.fma(t.l, turn, base.l)))
	// A small angle is the quotient, which may underflow.
	quotient := m.div(ay, ax)
	small := m.and(m.not(left), m.lt(quotient, lit(0x1p-30)))
	angle = m.sel(small, quotient, angle)
	angle = m.sel(m.and(m.eq(x, x), m.eq(y, y)), angle, notANum)
	return m.flip(angle, m.sign(y))
}

// Note [Arcsines]
//
// For |x| ≤ ½, asin x = x + x³·asinTail(x²). Beyond, asin x = π/2 - 2 asin s with s² = (1 - |x|)/2
// ≤ ¼, and acos x = 2 asin s, or π - 2 asin s for a negative x. s is a pair.

// asinOf is asin |x| for |x| ≤ ½, and otherwise asin s; beyond tells which.
func (m *emitter) asinOf(x num) (beyond truth, a dd) {
	ax := m.abs(x)
	beyond = m.lt(lit(0.5), ax)
	z := m.mul(m.sub(unit, ax), lit(0.5))
	s := m.sqrtDD(dd{z, zero})
	s = m.selDD(m.eq(z, zero), dd{zero, zero}, s)
	z = m.sel(beyond, z, m.mul(ax, ax))
	s = m.selDD(beyond, s, dd{ax, zero})
	return beyond, dd{s.h, m.fma(m.mul(z, s.h), m.poly(z, asinTail), s.l)}
}

func (m *emitter) asin(x num) num {
	beyond, a := m.asinOf(x)
	s := m.fastSum(lit(halfPi.h), m.mul(a.h, lit(-2)))
	outer := m.add(s.h, m.add(s.l, m.fma(a.l, lit(-2), lit(halfPi.l))))
	y := m.sel(beyond, outer, m.total(a))
	return m.sel(m.lt(m.abs(x), lit(0x1p-30)), x, m.flip(y, m.sign(x)))
}

func (m *emitter) acos(x num) num {
	beyond, a := m.asinOf(x)
	left := m.negative(x)
	turn := m.sel(left, unit, lit(-1)) // of the small angle, from π/2
	base := m.selDD(beyond, m.selDD(left, pi.dd(), dd{zero, zero}), halfPi.dd())
	turn = m.sel(beyond, m.mul(turn, lit(-2)), turn)
	s := m.fastSum(base.h, m.mul(a.h, turn))
	return m.add(s.h, m.add(s.l, m.fma(a.l, turn, base.l)))
}

// Note [Inverse hyperbolic functions]
//
// They are logarithms of 1 + w, with w as a pair:
//
//	asinh a = log(1 + w),    w = a + a²/(1 + √(1 + a²))
//	acosh x = log(1 + w),    w = t + √(2t + t²),   t = x - 1
//	atanh a = ½ log(1 + w),  w = 2a/(1 - a)
//
// and for a large argument log(2a). Small ones are what they are applied to.

// large is from where √(1 + a²) is a.
const large = 0x1p30

func (m *emitter) asinh(x num) num {
	a := m.abs(x)
	big := m.lt(lit(large), a)
	b := m.sel(big, unit, a)
	square := m.prod(b, b)
	root := m.sqrtDD(m.plus(square, unit))
	w := m.plus(m.divDD(square, m.plus(root, unit)), b)
	y := m.total(m.logEither(big, a, w))
	return m.sel(m.lt(a, lit(0x1p-28)), x, m.flip(m.sel(m.eq(a, infinite), a, y), m.sign(x)))
}

// logEither is log 2a or log(1 + w).
func (m *emitter) logEither(big truth, a num, w dd) dd {
	u := m.sum(unit, w.h)
	u.l = m.add(u.l, w.l)
	// Halved, 2a does not overflow, and log 2 is added twice.
	s := m.splitLog(m.selDD(big, dd{a, zero}, u))
	s.k = m.add(s.k, m.sel(big, unit, zero))
	return m.logOf(s)
}

func (m *emitter) acosh(x num) num {
	big := m.lt(lit(large), x)
	t := m.sub(m.sel(big, lit(2), x), unit)
	root := m.sqrtDD(m.plus(m.prod(t, t), m.add(t, t)))
	y := m.total(m.logEither(big, x, m.plus(root, t)))
	y = m.sel(m.eq(x, unit), zero, y)
	y = m.sel(m.lt(x, unit), notANum, y)
	return m.sel(m.eq(x, infinite), x, y)
}

func (m *emitter) atanh(x num) num {
	a := m.abs(x)
	w := m.divDD(dd{m.add(a, a), zero}, m.sum(unit, m.neg(a)))
	y := m.mul(m.total(m.log1pOf(w)), lit(0.5))
	y = m.sel(m.lt(a, unit), y, m.sel(m.eq(a, unit), lit(math.Inf(1)), notANum))
	return m.sel(m.lt(a, lit(0x1p-28)), x, m.flip(y, m.sign(x)))
}
