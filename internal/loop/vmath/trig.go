package vmath

import (
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/loop"
)

// circular defines circular functions.
var circular = table{
	"sin": one(1, (*emitter).sin),
	"cos": one(1, (*emitter).cos),
	"tan": one(1, (*emitter).tan),
}

// Note [Angles]
//
// x = n·π/2 + r with |r| ≤ π/4 or slightly more. π/2 is taken in three parts, of which the first
// has 51 bits. x - n·halfPiPart[0] is then exact: it is at most 1 and a multiple of 2^-51, or of
// the last place of x, which is not below 2^-53 unless n = 0. The second part is multiplied exactly
// and the third to double precision, so that r is known to within 2^-112 for x up to 2^40; no
// double of that size is nearer to a multiple of π/2 than 2^-60.

// maxAngle is the largest angle that is reduced: Note [Large angles].
const maxAngle = 0x1p40

// angle is a reduced angle; the low bits of quadrant are n.
type angle struct {
	r        dd
	quadrant word
}

func (m *emitter) reduceAngle(x num) angle {
	a := m.abs(x)
	m.Check(m.or(m.le(a, lit(maxAngle)), m.or(m.eq(a, infinite), m.op(loop.NeF, a, a))),
		diag.Span{})
	t := m.fma(x, lit(twoOverPi.h), lit(magic))
	n := m.sub(t, lit(magic))
	k := m.neg(n)
	w := m.prod(k, lit(halfPiPart[1]))
	s := m.sum(m.remainder(k, lit(halfPiPart[0]), x), w.h)
	return angle{m.fastSum(s.h, m.fma(k, lit(halfPiPart[2]), m.add(s.l, w.l))), m.bits(t)}
}

// sinOf and cosOf are the sine and cosine of a reduced angle.
func (m *emitter) sinOf(r dd) dd {
	z := m.mul(r.h, r.h)
	cube := m.mul(z, r.h)
	return dd{r.h, m.fma(cube, m.poly(z, sinTail), m.fma(m.mul(z, lit(-0.5)), r.l, r.l))}
}

func (m *emitter) cosOf(r dd) dd {
	z := m.prod(r.h, r.h)
	w := m.fastSum(unit, m.mul(z.h, lit(-0.5)))
	low := m.fma(z.l, lit(-0.5), m.fma(m.neg(r.h), r.l, w.l))
	return dd{w.h, m.fma(m.mul(z.h, z.h), m.poly(z.h, cosTail), low)}
}

// isOdd tells whether the last bit of w is set.
func (m *emitter) isOdd(w word) truth {
	return m.op(loop.NeI, m.andi(w, word64(1)), word64(0))
}

// bit1 is bit 1 of w as a sign.
func (m *emitter) bit1(w word) word { return m.shl(m.andi(w, word64(2)), 62) }

func (m *emitter) sin(x num) num {
	a := m.reduceAngle(x)
	y := m.total(m.selDD(m.isOdd(a.quadrant), m.cosOf(a.r), m.sinOf(a.r)))
	return m.sel(m.lt(m.abs(x), lit(tiny)), x, m.flip(y, m.bit1(a.quadrant)))
}

func (m *emitter) cos(x num) num {
	a := m.reduceAngle(x)
	y := m.total(m.selDD(m.isOdd(a.quadrant), m.sinOf(a.r), m.cosOf(a.r)))
	return m.flip(y, m.bit1(m.addi(a.quadrant, word64(1))))
}

// tan r is the quotient; a quadrant further it is -cos r/sin r.
func (m *emitter) tan(x num) num {
	a := m.reduceAngle(x)
	s, c := m.renormal(m.sinOf(a.r)), m.renormal(m.cosOf(a.r))
	odd := m.isOdd(a.quadrant)
	y := m.total(m.divDD(m.selDD(odd, c, s), m.selDD(odd, s, c)))
	return m.sel(m.lt(m.abs(x), lit(tiny)), x, m.flip(y, m.shl(a.quadrant, 63)))
}
