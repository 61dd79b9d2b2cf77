package kernel

import "math"

// Note [log]
//
// x = 2^k·m with m in [0.707, 1.414), and c = logTable[i].c near 1/m, so
// log x = k·log 2 - log c + log(1+r) with r = m·c - 1 exactly rh+rl (rh is
// exact by Sterbenz, rl is the FMA's residual, |rl| ≤ 2^-53). c is 1 when m lies
// in [127.5/128, 1+1/128), where |r| < 2^-7; elsewhere |r| < 2^-7.9 and
// |log m| > 2^-8, |log m| > 1.4·|r|, so the result never cancels.
//
// k·ln2Head + head is a multiple of 2^-42 below 2^10, exact; the tails add
// less than 2^-86 of error (they are below 2^-32).
//
// log(1+r) = rh - rh²/2 + [rl(1 - rh + rh²) - e/2 + rh³·P(rh)] with e the FMA's
// residual of rh² and P = 1/3 - rh/4 + … up to rh⁷/10; left out is rh^11/11
// (2^-73.4 of rh) and rh³·rl. The bracket is below 2^-15.4·|rh| and rounded a
// few times: 2^-67 of the result when c = 1; when c ≠ 1 it is below 2^-24.6 and
// the result above 2^-8, for 2^-68. With rh - rh²/2 and the head exact sums,
// the relative error is below 2^-66.3; the budget is 2^-65.

const logBudget = 0x1p-64

// logReduce returns k, the table entry and the mantissa for positive finite x.
func logReduce(x float64) (k, i int, m float64) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		k = -54
	}
	b := math.Float64bits(x)
	k += int(b>>52) - 1023
	i = int(b>>45) & 127
	// 1 if the mantissa is to be halved: a coin toss, so no branch.
	half := uint64(logSplit-1-i) >> 63
	return k + int(half), i, math.Float64frombits(b&(1<<52-1) | (1023-half)<<52)
}

// Log is the natural logarithm.
var Log = Monotone{LogVal, 0, inf, exactly(-inf), exactly(inf)}

// LogVal encloses log x for finite x > 0.
func LogVal(x float64) Val {
	k, i, m := logReduce(x)
	e := &logTable[i]
	p := float64(m * e.c)
	rl := math.FMA(m, e.c, -p)
	rh := p - 1
	kf := float64(k)
	r2 := float64(rh * rh)
	r2l := math.FMA(rh, rh, -r2)
	// P in two interleaved halves, to shorten the chain.
	a := math.FMA(math.FMA(math.FMA(1.0/9, r2, 1.0/7), r2, 1.0/5), r2, 1.0/3)
	b := math.FMA(math.FMA(math.FMA(-1.0/10, r2, -1.0/8), r2, -1.0/6), r2, -1.0/4)
	q := math.FMA(b, rh, a)
	t := math.FMA(kf, ln2Tail, e.tail) + math.FMA(rl, r2-rh, rl)
	t = math.FMA(-0.5, r2l, t)
	s := fastTwoSum(float64(kf*ln2Head)+e.head, rh)
	u := fastTwoSum(s.h, -0.5*r2)
	l := s.l + u.l + math.FMA(float64(rh*r2), q, t)
	return Val{H: u.h, L: l, E: math.Abs(u.h) * logBudget}
}

// Note [Accurate log]
//
// logDD is Note [log] with r a normalised double-double and the terms r, r²/2,
// r³/3 and r⁴/4 in double-double; the rest, from r⁵/5 on, is below 2^-30 of r
// and costs 2^-81 (Note [Mixed Horner]), what is left out (r^14/14) 2^-94. The
// tails round at 2^-86 beside a result above 2^-8 (k = 0) or 0.34·|k|, for 2^-78;
// its cancellation is at most 1.7-fold. A relative error ρ of x adds ρ/|log x|,
// for x a double-double of relative error 2^-102 at most 2^-94. Relative error
// below 2^-76, for x.h normal.

// logDD returns log x for positive normal x.
func logDD(x dd) dd {
	k, i, m := logReduce(x.h)
	e := &logTable[i]
	ml := math.Ldexp(x.l, -k)
	r := twoProd(m, e.c)
	r = fastTwoSum(r.h-1, math.FMA(ml, e.c, r.l))
	z := log1pSeries(r)
	kf := float64(k)
	s := fastTwoSum(float64(kf*ln2Head)+e.head, math.FMA(kf, ln2Tail, e.tail))
	return s.add(z)
}

// log1pSeries returns log(1+r) for |r| < 2^-6.9.
func log1pSeries(r dd) dd {
	r2 := r.sqr()
	p := polyDD(r.neg(), reciprocal[3:14], 2)
	return r.add(r2.scale(-0.5)).add(r2.mul(r).mul(p))
}

// Note [log1p]
//
// For |y| < 1/8, log(1+y) = 2·atanh(z) with z = y/(2+y), |z| < 2^-3.9, and
// atanh z = z(1 + z²/3 + z⁴/5 + …) to z^24/25, four terms in double-double
// (τ < 2^-34): relative error below 2^-84. Elsewhere |log(1+y)| > 0.117 and 1+y
// is a double-double with relative error 2^-102, so logDD's 2^-76 stands.

// log1pDD returns log(1+y) for y.h > -1, |y.h| < 2^900, of relative error
// below 2^-76; y must not be so small that its low word underflows.
func log1pDD(y dd) dd {
	if math.Abs(y.h) < 0.125 {
		return atanhSeries(y.div(y.addF(2))).scale(2)
	}
	return logDD(y.addF(1))
}

// atanhSeries returns atanh z for |z| ≤ 1/8 (left out: z^26/27 < 2^-82).
func atanhSeries(z dd) dd {
	return polyDD(z.sqr(), oddReciprocal[:13], 4).mul(z)
}

// derivedLogBudget covers logDD, a scaling by a constant and slack.
const derivedLogBudget = 0x1p-74

// Log1p is log(1+x), which is accurate near 0.
var Log1p = Monotone{Log1pVal, -1, inf, exactly(-inf), exactly(inf)}

// Log1pVal encloses log(1+x) for finite x > -1.
func Log1pVal(x float64) Val {
	switch {
	case math.Abs(x) < tinyEven:
		return aboveOrBelow(x, -1)
	case x > 0x1p200:
		return LogVal(x) // log(1+1/x) < 2^-200 is within its slack
	}
	return log1pDD(dd{x, 0}).budget(derivedLogBudget)
}

// logScaled encloses log(x)·c for x > 0.
func logScaled(x float64, c dd) Val {
	k := 0.0
	if x < 0x1p-1000 {
		x *= 0x1p54
		k = -54
	}
	v := logDD(dd{x, 0})
	if k != 0 { // log x < -600: no cancellation
		v = v.add(ln2.mulF(k))
	}
	return v.mul(c).budget(derivedLogBudget)
}

// Log2 is the binary logarithm.
var Log2 = Monotone{Log2Val, 0, inf, exactly(-inf), exactly(inf)}

// Log2Val encloses log₂ x for finite x > 0; powers of two are exact.
func Log2Val(x float64) Val {
	if m, e := math.Frexp(x); m == 0.5 {
		return exactly(float64(e - 1))
	}
	return logScaled(x, invLn2)
}

// Log10 is the decimal logarithm.
var Log10 = Monotone{Log10Val, 0, inf, exactly(-inf), exactly(inf)}

// Log10Val encloses log₁₀ x for finite x > 0; exact for 1, 10, …, 10^22.
func Log10Val(x float64) Val {
	if x >= 1 && x <= 1e22 {
		p := 1.0
		for n := 0; p <= x; n, p = n+1, p*10 {
			if p == x {
				return exactly(float64(n))
			}
			if n == 22 {
				break
			}
		}
	}
	return logScaled(x, invLn10)
}
