package vmath

// Note [Exponentials]
//
// x = n·log 2 + r with |r| ≤ log 2/2, and exp x = 2^n·exp r. log 2 is taken in two parts, the first
// short, so that x - n·ln2Part[0] is exact; r is a pair. exp r - 1 = r + r²/2 + r³·expTail(r), where
// what follows r is at most a fifth of it, so its rounding error hardly counts beside 1 + r. Where the
// 1 is subtracted again, r²/2 is taken exactly.

// reduced is an argument x = n·log 2 + r + rl.
type reduced struct{ n, r, rl num }

// reduce reduces an argument of at most 2^20.
func (m *emitter) reduce(x num) reduced {
	n := m.sub(m.fma(x, lit(invLn2.h), lit(magic)), lit(magic))
	hi := m.fma(n, lit(-ln2Part[0]), x)
	r := m.fma(n, lit(-ln2Part[1]), hi)
	return reduced{n, r, m.fma(n, lit(-ln2Part[1]), m.sub(hi, r))}
}

// expm1Of is exp(r + rl) - 1 for a reduced argument, as r and the rest.
func (m *emitter) expm1Of(a reduced) dd {
	square := m.mul(a.r, a.r)
	return dd{a.r, m.fma(square, m.fma(a.r, m.halves(a.r, square, expTail), lit(0.5)), a.rl)}
}

// expBounds are beyond where exp overflows and where it is less than half the least subnormal.
const expLow, expHigh = -746, 710

func (m *emitter) exp(x num) num {
	a := m.reduce(m.atMost(m.atLeast(x, expLow), expHigh))
	return m.scale(m.add(unit, m.total(m.expm1Of(a))), a.n)
}

// exp2: x = n + f, and 2^f = exp(f·log 2).
func (m *emitter) exp2(x num) num {
	x = m.atMost(m.atLeast(x, -1080), 1030)
	n := m.round(x)
	f := m.sub(x, n)
	r := m.times(ln2.dd(), f)
	e := m.expm1Of(reduced{n, r.h, r.l})
	return m.scale(m.add(unit, m.total(e)), n)
}

// expm1DD is (exp x - 1)·2^-n and n, for x of at least -40 and at most 710:
// exp x - 1 = 2^n·(exp r - 1 + (1 - 2^-n)).
func (m *emitter) expm1DD(x num) (dd, num) {
	a := m.reduce(x)
	square := m.prod(a.r, m.mul(a.r, lit(0.5)))
	rest := m.fma(m.mul(a.r, m.add(square.h, square.h)), m.poly(a.r, expTail), m.add(square.l, a.rl))
	e := m.fastSum(a.r, square.h)
	t := m.fastSum(unit, m.neg(m.pow2(m.neg(m.atMost(a.n, 100)))))
	s := m.sum(t.h, e.h)
	return m.fastSum(s.h, m.add(m.add(s.l, t.l), m.add(e.l, rest))), a.n
}

// tiny is where sin x, tanh x, expm1 x and the like are x in double precision.
const tiny = 0x1p-54

func (m *emitter) expm1(x num) num {
	e, n := m.expm1DD(m.atMost(m.atLeast(x, -40), expHigh))
	return m.sel(m.lt(m.abs(x), lit(tiny)), x, m.scale(e.h, n))
}

// Note [Decay]
//
// sigmoid x, its slope logistic x and tanh (x/2) are quotients by 1 + exp(-x). With exp(-x) = 2^n·(1 + q), |q| < 1/2,
// w = 2^-|n|, and c = w for n ≤ 0, 1 for n > 0,
//
//	sigmoid x = 1/(1 + w + c·q), times w for n > 0
//	logistic x = w·(1 + q)/(1 + w + c·q)²
//	tanh (x/2) = (1 - w - c·q)/(1 + w + c·q) for x ≥ 0
//
// They are computed from the same parts, so that a target that needs several of them shares those; the slope of tanh x is
// 4 logistic |2 x|. Products by w are exact. 1 + w + c·q is a pair, and so is the numerator of tanh, which is -q for n = 0: there
// q is r and the rest, and nothing is lost where x is small.

// decay is exp(-x) = 2^n·(1 + q), where q is nearly r + rest, and the denominator d = 1 + w + c·q.
type decay struct {
	r, rest, q num
	w, c       num
	rises      truth // n > 0
	d          dd
	inv        num // 1/d, roughly
}

func (m *emitter) decay(x num) decay {
	a := m.reduce(m.neg(m.atMost(m.atLeast(x, expLow), -expLow)))
	e := m.expm1Of(a)
	q := m.total(e)
	w := m.scale(unit, m.double(m.ori(m.bits(a.n), signBit)))
	rises := m.lt(zero, a.n)
	c := m.sel(rises, unit, w)
	h := m.fma(c, q, m.add(unit, w))
	l := m.fma(c, q, m.add(m.sub(unit, h), w))
	return decay{e.h, e.l, q, w, c, rises, dd{h, l}, m.div(unit, h)}
}

func (m *emitter) sigmoid(x num) num {
	d := m.decay(x)
	rest := m.fnma(d.inv, d.d.l, m.remainder(m.neg(d.inv), d.d.h, unit))
	return m.mul(m.fma(rest, d.inv, d.inv), m.sel(d.rises, d.w, unit))
}

func (m *emitter) logistic(x num) num {
	d := m.decay(x)
	return m.mul(m.mul(m.mul(m.add(unit, d.q), d.inv), d.inv), d.w)
}

func (m *emitter) tanh(x num) num {
	d := m.decay(m.abs(m.add(x, x)))
	top := m.sub(unit, d.w)
	h := m.fnma(d.c, d.q, top)
	l := m.fnma(d.c, d.rest, m.fnma(d.c, d.r, m.sub(top, h)))
	t := m.mul(h, d.inv)
	rest := m.add(m.remainder(m.neg(t), d.d.h, h), m.fnma(t, d.d.l, l))
	return m.double(m.ori(m.bits(m.fma(rest, d.inv, t)), m.sign(x)))
}

// Note [Hyperbolic functions]
//
// With x = n·log 2 + r, C = cosh r and S = sinh r,
//
//	2 sinh x = 2^n·(C·a + S·b),  2 cosh x = 2^n·(C·b + S·a),  a = 1 - 2^-2n, b = 1 + 2^-2n,
//
// where n ≥ 0 for |x|. Nothing cancels: for n = 0 sinh x = S, and for n ≥ 1 the sum is at
// least 0.35. C - 1 and S - r are small beside 1 and r.

// hyperbolic is s·2^n with 2 sinh |x| = s·2^n, or cosh for sinh.
func (m *emitter) hyperbolic(x num, cosh bool) (dd, num) {
	a := m.reduce(m.atMost(m.abs(x), 711))
	z := m.mul(a.r, a.r)
	c := m.mul(z, m.poly(z, coshTail))
	s := m.fma(m.mul(z, a.r), m.poly(z, sinhTail), a.rl)
	c = m.fma(a.r, a.rl, c)
	w := m.pow2(m.neg(m.atMost(m.add(a.n, a.n), 200)))
	p, q := m.fastSum(unit, m.neg(w)), m.add(unit, w)
	if cosh {
		p, q = m.fastSum(unit, w), m.sub(unit, w)
	}
	rq := m.prod(a.r, q)
	sum := m.sum(p.h, rq.h)
	rest := m.add(p.l, m.fma(p.h, c, m.fma(q, s, rq.l)))
	return m.fastSum(sum.h, m.add(sum.l, rest)), a.n
}

func (m *emitter) sinh(x num) num {
	s, n := m.hyperbolic(x, false)
	y := m.flip(m.scale(s.h, m.sub(n, unit)), m.sign(x))
	return m.sel(m.lt(m.abs(x), lit(tiny)), x, y)
}

func (m *emitter) cosh(x num) num {
	s, n := m.hyperbolic(x, true)
	return m.scale(s.h, m.sub(n, unit))
}
