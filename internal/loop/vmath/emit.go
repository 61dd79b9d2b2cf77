package vmath

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/loop"
)

// basics defines operations that are a few instructions.
var basics = table{
	"ldexp":    two(0.5, (*emitter).ldexp),
	"inner":    two(0.5, (*emitter).mul),
	"scale":    two(0.5, (*emitter).mul),
	"zeroLike": one(0, func(*emitter, num) num { return zero }),
}

// num, word and truth are atoms: a double, an integer and a Boolean.
type (
	num   = loop.Atom
	word  = loop.Atom
	truth = loop.Atom
)

// emitter writes operations, one after the other.
type emitter struct {
	loop.Builder
	target
}

// Note [Unfused]
//
// A target without fma computes it from some forty operations. Few of its uses need it: the error
// of a product, and a remainder, in which all but the last digits cancel. Those are had from the
// halves of the factors, which takes a third of that. The others save an operation and a rounding
// error that does not count, so that a product and a sum do as well. The definitions for such a
// target keep the bounds of the others (TestAccuracy), but not their last digits.

func (m *emitter) op(o *loop.Op, args ...loop.Atom) loop.Atom { return m.Let("t", o, args...) }

func lit(x float64) num { return loop.Real(x) }
func bitsOf(x float64) word {
	return loop.Int(int64(math.Float64bits(x)))
}

var (
	zero     = lit(0)
	unit     = lit(1)
	infinite = lit(math.Inf(1))
	notANum  = lit(math.NaN())
)

func (m *emitter) add(x, y num) num { return m.op(loop.AddF, x, y) }
func (m *emitter) sub(x, y num) num { return m.op(loop.SubF, x, y) }
func (m *emitter) mul(x, y num) num { return m.op(loop.MulF, x, y) }
func (m *emitter) div(x, y num) num { return m.op(loop.DivF, x, y) }
func (m *emitter) neg(x num) num    { return m.op(loop.NegF, x) }
func (m *emitter) abs(x num) num    { return m.op(loop.AbsF, x) }
func (m *emitter) sqrt(x num) num   { return m.op(loop.Sqrt, x) }
func (m *emitter) floor(x num) num  { return m.op(loop.FloorF, x) }
func (m *emitter) round(x num) num  { return m.op(loop.RoundF, x) }

// fma is x·y + z, and fnma z - x·y, rounded once where the target has that.
func (m *emitter) fma(x, y, z num) num {
	if m.unfused {
		return m.add(m.mul(x, y), z)
	}
	return m.op(loop.Fma, x, y, z)
}

func (m *emitter) fnma(x, y, z num) num {
	if m.unfused {
		return m.sub(z, m.mul(x, y))
	}
	return m.fma(m.neg(x), y, z)
}

// remainder is x·y + z where that is small beside z.
func (m *emitter) remainder(x, y, z num) num {
	if m.unfused {
		p := m.prod(x, y)
		return m.add(m.add(z, p.h), p.l)
	}
	return m.fma(x, y, z)
}

func (m *emitter) lt(x, y num) truth    { return m.op(loop.LtF, x, y) }
func (m *emitter) le(x, y num) truth    { return m.op(loop.LeF, x, y) }
func (m *emitter) eq(x, y num) truth    { return m.op(loop.EqF, x, y) }
func (m *emitter) and(a, b truth) truth { return m.op(loop.And, a, b) }
func (m *emitter) or(a, b truth) truth  { return m.op(loop.Or, a, b) }
func (m *emitter) not(a truth) truth    { return m.op(loop.Not, a) }

func (m *emitter) sel(c truth, x, y num) num { return m.op(loop.SelF, c, x, y) }

// bits and double go between a double and its bits.
func (m *emitter) bits(x num) word   { return m.op(loop.Bits, x) }
func (m *emitter) double(w word) num { return m.op(loop.FromBits, w) }

func (m *emitter) addi(a, b word) word      { return m.op(loop.AddI, a, b) }
func (m *emitter) subi(a, b word) word      { return m.op(loop.SubI, a, b) }
func (m *emitter) andi(a, b word) word      { return m.op(loop.AndI, a, b) }
func (m *emitter) ori(a, b word) word       { return m.op(loop.OrI, a, b) }
func (m *emitter) xori(a, b word) word      { return m.op(loop.XorI, a, b) }
func (m *emitter) shl(a word, n int64) word { return m.op(loop.ShlI, a, loop.Int(n)) }
func (m *emitter) shr(a word, n int64) word { return m.op(loop.ShrU, a, loop.Int(n)) }

func word64(n int64) word { return loop.Int(n) }

// shifted is an exponent field.
func shifted(e int64) word { return loop.Int(e << 52) }

// mantissa masks the bits of the mantissa.
var mantissa = loop.Int(1<<52 - 1)

// signBit is the word with the sign bit alone.
var signBit = loop.Int(math.MinInt64)

// flip negates x where a sign, a word with at most the sign bit, is set.
func (m *emitter) flip(x num, sign word) num { return m.double(m.xori(m.bits(x), sign)) }

// sign is the sign bit of x.
func (m *emitter) sign(x num) word { return m.andi(m.bits(x), signBit) }

// atLeast and atMost bound x, and leave NaN as it is.
func (m *emitter) atLeast(x num, lo float64) num { return m.sel(m.lt(x, lit(lo)), lit(lo), x) }
func (m *emitter) atMost(x num, hi float64) num  { return m.sel(m.lt(lit(hi), x), lit(hi), x) }

// Note [Any scale]
//
// exp x = 2^n·(1 + q) takes x between two bounds first, since ldexp is defined for small n alone.
// There are machines whose ldexp takes every n: it gives 0 or infinity beyond what a double holds,
// and NaN for NaN. Then x needs no bounds, as n is what it should be, if only 1 + q is some
// positive number where x is so large, or infinite, that r = x - n·log 2 is anything. So the second
// bit of r is cleared: that leaves r as it is if |r| < 2, and makes |r| < 2 of everything else.
// That is one operation, which takes a cycle, and not two that take four each and that all others
// wait for. NaN comes back by n.

// within is x between two bounds, unless the target's ldexp takes every n. What is reduced then
// goes through finite.
func (m *emitter) within(x num, lo, hi float64) num {
	if m.scales {
		return x
	}
	return m.atMost(m.atLeast(x, lo), hi)
}

// finite is r if |r| < 2, as it is within bounds, and some such number else.
func (m *emitter) finite(r num) num {
	if !m.scales {
		return r
	}
	return m.double(m.andi(m.bits(r), loop.Int(^(1 << 62))))
}

// magic added to a double of at most 2^50 leaves its nearest whole number in the low bits.
const magic = 0x1.8p52

// ldexp is the definition of the operation: see there.
func (m *emitter) ldexp(x, n num) num {
	k := m.subi(m.bits(m.add(n, lit(magic+2046))), bitsOf(magic))
	half := m.shr(k, 1)
	y := m.mul(x, m.double(m.shl(half, 52)))
	return m.mul(y, m.double(m.shl(m.subi(k, half), 52)))
}

// scale is x·2^n.
func (m *emitter) scale(x, n num) num { return m.op(loop.Ldexp, x, n) }

// pow2 is 2^n for a whole n from -1022 to 1023.
func (m *emitter) pow2(n num) num {
	return m.double(m.shl(m.bits(m.add(n, lit(magic+1023))), 52))
}

// poly is Σ cs[i] x^i, by Estrin's scheme.
func (m *emitter) poly(x num, cs []float64) num {
	powers := []num{x} // x^(2^i)
	for n := 2; n < len(cs); n *= 2 {
		last := powers[len(powers)-1]
		powers = append(powers, m.mul(last, last))
	}
	var sum func(cs []float64) num
	sum = func(cs []float64) num {
		if len(cs) == 1 {
			return lit(cs[0])
		}
		half, k := 1, 0
		for 2*half < len(cs) {
			half, k = 2*half, k+1
		}
		return m.fma(sum(cs[half:]), powers[k], sum(cs[:half]))
	}
	return sum(cs)
}

// halves is Σ cs[i] x^i, the even and the odd powers apart, by Horner's scheme. It has fewer
// products than poly, and fewer numbers at a time.
func (m *emitter) halves(x, square num, cs []float64) num {
	var sums [2]num
	for i := len(cs) - 1; i >= 0; i-- {
		if s := &sums[i%2]; *s == nil {
			*s = lit(cs[i])
		} else {
			*s = m.fma(*s, square, lit(cs[i]))
		}
	}
	return m.fma(sums[1], x, sums[0])
}

// Note [Pairs]
//
// A dd is an unevaluated sum h + l of two doubles, l small beside h. The functions below keep about
// 100 bits as long as nothing overflows or underflows; where only a correction is wanted they
// drop what is below it.

// dd is a sum of two doubles.
type dd struct{ h, l num }

// pair is a constant as a sum of two doubles.
type pair struct{ h, l float64 }

func (p pair) dd() dd { return dd{lit(p.h), lit(p.l)} }

// sum is x + y exactly.
func (m *emitter) sum(x, y num) dd {
	s := m.add(x, y)
	b := m.sub(s, x)
	return dd{s, m.add(m.sub(x, m.sub(s, b)), m.sub(y, b))}
}

// fastSum is x + y exactly, if the exponent of x is not below that of y, or x is 0.
func (m *emitter) fastSum(x, y num) dd {
	s := m.add(x, y)
	return dd{s, m.sub(y, m.sub(s, x))}
}

// prod is x·y exactly.
func (m *emitter) prod(x, y num) dd {
	p := m.mul(x, y)
	if !m.unfused {
		return dd{p, m.fma(x, y, m.neg(p))}
	}
	a, b := m.split(x), m.split(y)
	e := m.add(m.sub(m.mul(a.h, b.h), p), m.mul(a.h, b.l))
	return dd{p, m.add(m.add(e, m.mul(a.l, b.h)), m.mul(a.l, b.l))}
}

// split is x as a sum of two numbers of half the digits.
func (m *emitter) split(x num) dd {
	h := m.double(m.andi(m.bits(x), loop.Int(-1<<27)))
	return dd{h, m.sub(x, h)}
}

// total is the double nearest to a pair.
func (m *emitter) total(a dd) num { return m.add(a.h, a.l) }

// plus is a + x.
func (m *emitter) plus(a dd, x num) dd {
	s := m.sum(a.h, x)
	return m.fastSum(s.h, m.add(s.l, a.l))
}

// addDD is a + b.
func (m *emitter) addDD(a, b dd) dd {
	s := m.sum(a.h, b.h)
	return m.fastSum(s.h, m.add(s.l, m.add(a.l, b.l)))
}

// mulDD is a·b.
func (m *emitter) mulDD(a, b dd) dd {
	p := m.prod(a.h, b.h)
	return m.fastSum(p.h, m.fma(a.h, b.l, m.fma(a.l, b.h, p.l)))
}

// times is a·x.
func (m *emitter) times(a dd, x num) dd {
	p := m.prod(a.h, x)
	return m.fastSum(p.h, m.fma(a.l, x, p.l))
}

// divDD is a/b.
func (m *emitter) divDD(a, b dd) dd {
	inv := m.div(unit, b.h)
	q := m.mul(a.h, inv)
	rest := m.add(m.remainder(m.neg(q), b.h, a.h), m.fnma(q, b.l, a.l))
	return m.fastSum(q, m.mul(rest, inv))
}

// sqrtDD is √a for a > 0; for a = 0 it is NaN.
func (m *emitter) sqrtDD(a dd) dd {
	s := m.sqrt(a.h)
	rest := m.add(m.remainder(m.neg(s), s, a.h), a.l)
	return m.fastSum(s, m.div(rest, m.add(s, s)))
}

// negDD is -a.
func (m *emitter) negDD(a dd) dd { return dd{m.neg(a.h), m.neg(a.l)} }

// selDD selects one of two pairs.
func (m *emitter) selDD(c truth, a, b dd) dd { return dd{m.sel(c, a.h, b.h), m.sel(c, a.l, b.l)} }
