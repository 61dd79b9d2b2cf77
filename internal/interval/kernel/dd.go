package kernel

import "math"

// Note [Double-double arithmetic]
//
// A dd stands for the real number h+l with |l| ≤ ulp(h)/2. The operations are
// those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for
// basic building blocks of double-word arithmetic" (ACM TOMS 44(2), 2017),
// whose relative errors, with u = 2^-53 and as long as nothing underflows or
// overflows, are proved there (and were later checked formally):
//
//	addF  DWPlusFP           2u²
//	add   AccurateDWPlusDW   3u² + 13u³
//	mulF  DWTimesFP3         2u²
//	mul   DWTimesDW2         5u²
//	div   DWDivDW3           9.8u²  (here: DWDivDW2, 15u² + 56u³)
//	sqrt  SQRTDWtoDW         25/8 u²
//
// Every kernel below budgets 2^-102 for each of these, more than 15u². Kernels
// keep |h| within [2^-900, 2^900] while they compute, so that low words do not
// underflow.
//
// Products that must not be fused with a following sum are written
// float64(x*y), and those that must be are written math.FMA, so that results
// are the same on every architecture.

// dd is the unevaluated sum h+l.
type dd struct{ h, l float64 }

// twoSum returns RN(a+b) and its exact error.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum returns the same as twoSum, for |a| ≥ |b| or a = 0.
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd returns RN(a·b) and its exact error.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) neg() dd { return dd{-a.h, -a.l} }

func (a dd) addF(b float64) dd {
	s := twoSum(a.h, b)
	return fastTwoSum(s.h, s.l+a.l)
}

func (a dd) add(b dd) dd {
	s := twoSum(a.h, b.h)
	t := twoSum(a.l, b.l)
	v := fastTwoSum(s.h, s.l+t.h)
	return fastTwoSum(v.h, t.l+v.l)
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mulF(b float64) dd {
	p := float64(a.h * b)
	e := math.FMA(a.h, b, -p)
	return fastTwoSum(p, math.FMA(a.l, b, e))
}

func (a dd) mul(b dd) dd {
	p := float64(a.h * b.h)
	e := math.FMA(a.h, b.h, -p)
	return fastTwoSum(p, e+math.FMA(a.h, b.l, float64(a.l*b.h)))
}

func (a dd) sqr() dd { return a.mul(a) }

func (a dd) div(b dd) dd {
	q := a.h / b.h
	r := b.mulF(q)
	d := (a.h - r.h) + (a.l - r.l)
	return fastTwoSum(q, d/b.h)
}

// sqrt requires a > 0.
func (a dd) sqrt() dd {
	s := math.Sqrt(a.h)
	r := math.FMA(-s, s, a.h) + a.l
	return fastTwoSum(s, r/(2*s))
}

// scale multiplies by a power of two, exactly within range.
func (a dd) scale(p float64) dd { return dd{float64(a.h * p), float64(a.l * p)} }

// abs returns the absolute value.
func (a dd) abs() dd {
	if a.h < 0 {
		return a.neg()
	}
	return a
}

// polyDD evaluates c[0] + c[1]·t + …, the first k terms in double-double; see
// Note [Mixed Horner].
func polyDD(t dd, c []dd, k int) dd {
	n := len(c) - 1
	s := c[n].h
	for i := n - 1; i >= k; i-- {
		s = math.FMA(s, t.h, c[i].h)
	}
	return hornerDD(t, c[:k], s)
}

// hornerDD evaluates c[0] + c[1]·t + … + rest·t^len(c).
func hornerDD(t dd, c []dd, rest float64) dd {
	s := dd{rest, 0}
	for i := len(c) - 1; i >= 0; i-- {
		s = c[i].add(s.mul(t))
	}
	return s
}

// Note [Mixed Horner]
//
// In a_0 + a_1·t + a_2·t² + … with |a_i·t^i| falling quickly, the terms from
// i = k on contribute at most τ = Σ_{i≥k} |a_i·t^i|, and evaluating them in
// plain doubles costs at most 2^-51·τ: each Horner step rounds once, so the
// relative errors (at most 2^-53 a step, plus 2^-53 for a rounded coefficient
// and, when t is a double-double, i·2^-53 for dropping its low word) are
// damped by |t| per step and sum to less than 2^-51 when |a_{i+1}·t/a_i| ≤ 1/8.
// The k leading terms cost 2^-101 of the running sum per step. A kernel that
// says "k terms in double-double" has 2^-51·τ within its budget.

// nearest rounds to a double.
func (a dd) nearest() float64 { return a.h + a.l }

// power returns a^n for n ≥ 0; the relative error grows like n.
func (a dd) power(n int64) dd {
	r := dd{1, 0}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = r.mul(a)
		}
		if n > 1 {
			a = a.mul(a)
		}
	}
	return r
}
