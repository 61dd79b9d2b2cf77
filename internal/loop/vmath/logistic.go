package vmath

// logistics defines softplus and logaddexp.
var logistics = table{
	"softplus":  one(1, (*emitter).softplus),
	"logaddexp": two(1, (*emitter).logaddexp),
}

// Note [Log1p of exp]
//
// softplus x = max(x, 0) + log(1 + e) and logaddexp x y = max(x, y) + log(1 + e), where e = exp(-d)
// with d = |x| or |x - y|. e and log(1 + e) are pairs.

// log1pExp is log(1 + exp(-d)) for d ≥ 0.
func (m *emitter) log1pExp(d dd) dd {
	h := m.neg(m.atMost(d.h, -expLow))
	a := m.reduce(h)
	r := m.sum(a.r, m.sub(a.rl, m.sel(m.lt(d.h, lit(-expLow)), d.l, zero)))
	a.r, a.rl = r.h, r.l
	e := m.expm1Of(a)
	s := m.sum(unit, e.h)
	p := m.fastSum(s.h, m.add(s.l, e.l))
	w := dd{m.scale(p.h, a.n), m.scale(p.l, a.n)}
	l := m.log1pOf(w)
	small := m.lt(w.h, lit(tiny))
	return m.selDD(small, w, l)
}

func (m *emitter) softplus(x num) num {
	l := m.log1pExp(dd{m.abs(x), zero})
	top := m.sel(m.lt(x, zero), zero, x)
	s := m.sum(top, l.h)
	y := m.add(s.h, m.add(s.l, l.l))
	return m.sel(m.eq(m.abs(x), infinite), top,
		m.sel(m.lt(l.h, lit(0x1p-1000)), m.add(top, l.h), y))
}

func (m *emitter) logaddexp(x, y num) num {
	less := m.lt(x, y)
	top, low := m.sel(less, y, x), m.sel(less, x, y)
	d := m.sum(top, m.neg(low))
	l := m.log1pExp(d)
	s := m.sum(top, l.h)
	r := m.add(s.h, m.add(s.l, l.l))
	r = m.sel(m.or(m.eq(m.abs(top), infinite), m.eq(m.abs(low), infinite)), top, r)
	return m.sel(m.and(m.eq(x, x), m.eq(y, y)), r, notANum)
}
