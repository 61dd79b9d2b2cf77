package vmath

// exponentials defines exponentials and what is made of them.
var exponentials = table{
	"exp":      one(1, (*emitter).exp),
	"exp2":     one(1, (*emitter).exp2),
	"expm1":    one(1, (*emitter).expm1),
	"sinh":     one(1, (*emitter).sinh),
	"cosh":     one(1, (*emitter).cosh),
	"tanh":     one(1, (*emitter).tanh),
	"sigmoid":  one(1, (*emitter).sigmoid),
	"logistic": one(8, (*emitter).logistic),
	"sech2":    one(8, (*emitter).sech2),
}

// Note [Exponentials]
//
// x = n·log 2 + r with |r| ≤ log 2/2, and exp x = 2^n·exp r. log 2 is taken in two parts, the first
// short, so that x - n·ln2Part[0] is exact; r is a pair. exp r - 1 = r + r²/2 + r³·expTail(r),
// where what follows r is at most a fifth of it, so its rounding error hardly counts beside 1 + r.
// Where the 1 is subtracted again, r²/2 is taken exactly.
//
// exp and sigmoid do without the second part of r. They take exp r - 1 of the first part, as one
// double q. In units of 2^-53, q is off by at most
//
//	(1 + q)/4  for the second part of r, which is at most 2^-55
//	1/4        for rounding q, which is below 1/2
//	0.07       for r², for the two operations before q, and for the polynomial
//
// The unit is an ulp of 1 + q for r < 0, where 1 + q ≥ √½: the sum is largest near r = -0.34, 0.498
// ulps (TestShort), and rounding 1 + q adds half an ulp. For r ≥ 0 an ulp is twice that. Products
// that are rounded before they are added would make it more than an ulp, so the definitions for
// targets without fma keep the second part.

// reduced is an argument x = n·log 2 + r + rl.
type reduced struct{ n, r, rl num }

// multiple is the whole number that is nearest to x/log 2, for x of at most 2^20.
func (m *emitter) multiple(x num) num {
	return m.sub(m.fma(x, lit(invLn2.h), lit(magic)), lit(magic))
}

// reduce reduces an argument of at most 2^20.
func (m *emitter) reduce(x num) reduced {
	n := m.multiple(x)
	hi := m.fma(n, lit(-ln2Part[0]), x)
	r := m.fma(n, lit(-ln2Part[1]), hi)
	return reduced{n, r, m.fma(n, lit(-ln2Part[1]), m.sub(hi, r))}
}

// expm1Of is exp(r + rl) - 1 for a reduced argument, as r and the rest.
func (m *emitter) expm1Of(a reduced) dd { return dd{a.r, m.expRest(a.r, a.rl)} }

// expRest is exp r - 1 - r + more.
func (m *emitter) expRest(r, more num) num {
	square := m.mul(r, r)
	return m.fma(square, m.fma(r, m.halves(r, square, expTail), lit(0.5)), more)
}

// expm1By is exp(x - n·log 2) - 1 as a pair. Its first part is x - n·ln2Part[0]: that is exact, and
// the difference from r is so small that it is rounded with the rest.
func (m *emitter) expm1By(n, x num) dd {
	hi, less := m.fma(n, lit(-ln2Part[0]), x), m.mul(n, lit(-ln2Part[1]))
	return dd{hi, m.expRest(m.add(hi, less), less)}
}

// short is the n of an argument that is within bounds, and q = exp r - 1.
func (m *emitter) short(x num) (n, q num) {
	n = m.multiple(x)
	if m.unfused {
		return n, m.total(m.expm1By(n, x))
	}
	r := m.finite(m.fma(n, lit(-ln2Part[1]), m.fma(n, lit(-ln2Part[0]), x)))
	return n, m.expRest(r, r)
}

// Below expLow exp is less than half the least subnormal, above expHigh it overflows.
const expLow, expHigh = -746, 710

func (m *emitter) exp(x num) num {
	n, q := m.short(m.within(x, expLow, expHigh))
	return m.scale(m.add(unit, q), n)
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
	rest := m.fma(m.mul(a.r, m.add(square.h, square.h)), m.poly(a.r, expTail),
		m.add(square.l, a.rl))
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
// sigmoid x, tanh x and their slopes, logistic x and sech2 x, are quotients by 1 + exp(-y), where y
// is x, or 2|x| for tanh. With exp(-y) = 2^n·(1 + q), |q| < 1/2, w = 2^-|n|, and c = w for n ≤ 0, 1
// for n > 0,
//
//	sigmoid x = 1/(1 + w + c·q), times w for n > 0
//	logistic x = w·(1 + q)/(1 + w + c·q)²
//	tanh |x| = (1 - w - c·q)/(1 + w + c·q)
//	sech2 x = 4·w·(1 + q)/(1 + w + c·q)²
//
// A function and its slope are computed from the same parts, so that a target that needs both
// shares those. Products by w are exact. 1 + w + c·q is a pair, and so is the numerator of tanh,
// which is -q for n = 0: there q is nearly e, a pair, and nothing is lost where x is small.

// decay is exp(-y) = 2^n·(1 + q), and the denominator d = 1 + w + c·q.
type decay struct {
	q, w, c num
	d       dd
	inv     num // 1/d, roughly
}

// decay is that of y = x, and whether n > 0. Where 1 + w is not exact, q may be much larger than w:
// what 1 + w lacks comes last.
func (m *emitter) decay(x num) (d decay, rises truth) {
	n, q := m.short(m.neg(m.within(x, expLow, -expLow)))
	w := m.scale(unit, m.double(m.ori(m.bits(n), signBit)))
	rises = m.lt(zero, n)
	c := m.sel(rises, unit, w)
	u := m.add(unit, w)
	h := m.fma(c, q, u)
	l := m.add(m.fma(c, q, m.sub(u, h)), m.sub(w, m.sub(u, unit)))
	return decay{q, w, c, dd{h, l}, m.div(unit, h)}, rises
}

// decay2 is that of y = 2|x|, with e: n ≤ 0. x is doubled beside what finds n.
func (m *emitter) decay2(x num) (d decay, e dd) {
	x = m.atMost(m.abs(x), -expLow/2)
	n := m.sub(m.fma(m.neg(x), lit(2*invLn2.h), lit(magic)), lit(magic))
	e = m.expm1By(n, m.neg(m.add(x, x)))
	q, w := m.total(e), m.scale(unit, n)
	h := m.fma(w, q, m.add(unit, w))
	l := m.fma(w, q, m.add(m.sub(unit, h), w))
	return decay{q, w, w, dd{h, l}, m.div(unit, h)}, e
}

// slope is w·(1 + q)/d².
func (m *emitter) slope(d decay) num { return m.mul(m.mul(m.fma(d.w, d.q, d.w), d.inv), d.inv) }

func (m *emitter) sigmoid(x num) num {
	d, rises := m.decay(x)
	rest := m.fnma(d.inv, d.d.l, m.remainder(m.neg(d.inv), d.d.h, unit))
	s := m.fma(rest, d.inv, d.inv)
	return m.sel(rises, m.mul(s, d.w), s)
}

func (m *emitter) logistic(x num) num {
	d, _ := m.decay(x)
	return m.slope(d)
}

func (m *emitter) tanh(x num) num {
	d, e := m.decay2(x)
	top := m.sub(unit, d.w)
	h := m.fnma(d.c, d.q, top)
	l := m.fnma(d.c, e.l, m.fnma(d.c, e.h, m.sub(top, h)))
	t := m.mul(h, d.inv)
	rest := m.add(m.remainder(m.neg(t), d.d.h, h), m.fnma(t, d.d.l, l))
	return m.double(m.ori(m.bits(m.fma(rest, d.inv, t)), m.sign(x)))
}

func (m *emitter) sech2(x num) num {
	d, _ := m.decay2(x)
	return m.mul(m.slope(d), lit(4))
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
