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
	return m.reduceBy(m.sub(m.fma(x, lit(invLn2.h), lit(magic)), lit(magic)), x)
}

// reduceBy reduces an argument by n, the whole number that is nearest to x/log 2.
func (m *emitter) reduceBy(n, x num) reduced {
	hi := m.fma(n, lit(-ln2Part[0]), x)
	r := m.fma(n, lit(-ln2Part[1]), hi)
	return reduced{n, r, m.fma(n, lit(-ln2Part[1]), m.sub(hi, r))}
}

// expm1Of is exp(r + rl) - 1 for a reduced argument, as r and the rest.
func (m *emitter) expm1Of(a reduced) dd {
	square := m.mul(a.r, a.r)
	return dd{a.r, m.fma(square, m.fma(a.r, m.halves(a.r, square, expTail), lit(0.5)), a.rl)}
}

// Below expLow exp is less than half the least subnormal, above expHigh it overflows.
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
// sigmoid x, tanh x and their slopes, logistic x and sech2 x, are quotients by 1 + exp(-y), where y is x, or 2|x| for tanh. With
// exp(-y) = 2^n·(1 + q), |q| < 1/2, w = 2^-|n|, and c = w for n ≤ 0, 1 for n > 0,
//
//	sigmoid x = 1/(1 + w + c·q), times w for n > 0
//	logistic x = w·(1 + q)/(1 + w + c·q)²
//	tanh |x| = (1 - w - c·q)/(1 + w + c·q)
//	sech2 x = 4·w·(1 + q)/(1 + w + c·q)²
//
// A function and its slope are computed from the same parts, so that a target that needs both shares those. Products by w
// are exact. 1 + w + c·q is a pair, and so is the numerator of tanh, which is -q for n = 0: there
// q is r and the rest, and nothing is lost where x is small.

// decay is exp(-y) = 2^n·(1 + q), where q is nearly r + rest, and the denominator d = 1 + w + c·q.
type decay struct {
	r, rest, q num
	w, c       num
	d          dd
	inv        num // 1/d, roughly
}

// decayBy is the decay of a reduced argument.
func (m *emitter) decayBy(a reduced, w, c num) decay {
	e := m.expm1Of(a)
	q := m.total(e)
	h := m.fma(c, q, m.add(unit, w))
	l := m.fma(c, q, m.add(m.sub(unit, h), w))
	return decay{e.h, e.l, q, w, c, dd{h, l}, m.div(unit, h)}
}

// decay is that of y = x, and whether n > 0.
func (m *emitter) decay(x num) (d decay, rises truth) {
	a := m.reduce(m.neg(m.atMost(m.atLeast(x, expLow), -expLow)))
	w := m.scale(unit, m.double(m.ori(m.bits(a.n), signBit)))
	rises = m.lt(zero, a.n)
	return m.decayBy(a, w, m.sel(rises, unit, w)), rises
}

// decay2 is that of y = 2|x|: n ≤ 0. x is doubled beside what finds n.
func (m *emitter) decay2(x num) decay {
	x = m.atMost(m.abs(x), -expLow/2)
	n := m.sub(m.fma(m.neg(x), lit(2*invLn2.h), lit(magic)), lit(magic))
	a := m.reduceBy(n, m.neg(m.add(x, x)))
	w := m.scale(unit, n)
	return m.decayBy(a, w, w)
}

// slope is w·(1 + q)/d².
func (m *emitter) slope(d decay) num { return m.mul(m.mul(m.fma(d.w, d.q, d.w), d.inv), d.inv) }

func (m *emitter) sigmoid(x num) num {
	d, rises := m.decay(x)
	rest := m.fnma(d.inv, d.d.l, m.remainder(m.neg(d.inv), d.d.h, unit))
	return m.mul(m.fma(rest, d.inv, d.inv), m.sel(rises, d.w, unit))
}

func (m *emitter) logistic(x num) num {
	d, _ := m.decay(x)
	return m.slope(d)
}

func (m *emitter) tanh(x num) num {
	d := m.decay2(x)
	top := m.sub(unit, d.w)
	h := m.fnma(d.c, d.q, top)
	l := m.fnma(d.c, d.rest, m.fnma(d.c, d.r, m.sub(top, h)))
	t := m.mul(h, d.inv)
	rest := m.add(m.remainder(m.neg(t), d.d.h, h), m.fnma(t, d.d.l, l))
	return m.double(m.ori(m.bits(m.fma(rest, d.inv, t)), m.sign(x)))
}

func (m *emitter) sech2(x num) num { return m.mul(m.slope(m.decay2(x)), lit(4)) }

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
