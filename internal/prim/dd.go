package prim

import "math"

// dd is the number h + l, with |l| at most half an ulp of h: about 106 bits.
// Products that must not be fused with a following sum are wrapped in
// float64(…), as the language specification provides.
type dd struct{ h, l float64 }

// float rounds to the nearest double.
func (a dd) float() float64 { return a.h + a.l }

func (a dd) neg() dd { return dd{-a.h, -a.l} }

// twoSum is the exact sum (Knuth).
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum is the exact sum when |a| ≥ |b| or a = 0 (Dekker).
func fastTwoSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// twoProd is the exact product, barring underflow.
func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.h, b.h), twoSum(a.l, b.l)
	s = fastTwoSum(s.h, s.l+t.h)
	return fastTwoSum(s.h, s.l+t.l)
}

func (a dd) addf(b float64) dd {
	s := twoSum(a.h, b)
	return fastTwoSum(s.h, s.l+a.l)
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) mul(b dd) dd {
	p := twoProd(a.h, b.h)
	return fastTwoSum(p.h, math.FMA(a.h, b.l, math.FMA(a.l, b.h, p.l)))
}

func (a dd) mulf(b float64) dd {
	p := twoProd(a.h, b)
	return fastTwoSum(p.h, math.FMA(a.l, b, p.l))
}

func (a dd) div(b dd) dd {
	q := a.h / b.h
	r := a.sub(b.mulf(q))
	return fastTwoSum(q, r.h/b.h)
}

// scale multiplies by a power of two, which is exact.
func (a dd) scale(c float64) dd { return dd{a.h * c, a.l * c} }

// powi is a^n for n ≥ 0; the relative error grows like n.
func (a dd) powi(n int64) dd {
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
