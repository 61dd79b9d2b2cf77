package ball

import (
	"math/big"
	"math/bits"
)

// Note [Exponential kernel]
//
// expm1Fixed computes E = e^r − 1 for 0 ≤ r < 3/4 in fixed point with w fractional
// bits. With s halvings t = r/2^s, it sums the Taylor series of e^t − 1, then
// applies E(2t) = E(t)·(2 + E(t)) s times. The constant 1 is never added, so that a
// small r leads to short integers, and the result is as accurate relative to E
// as an absolute error of 2^-w allows: exp and expm1 are the same code.
//
// The work is done with v = w + s bits, where t is the same integer as r. Error in
// units 2^-v: the series errs by at most seriesErr. Doubling turns an error e
// into at most 2(1+E)e + e²·2^-v + 1 ≤ 2(1+E)e + 2. The product of the factors 1+E = e^t,
// e^2t, … e^(r/2) is less than e^r < 2.12. So after s doublings the error is at most
// 2^s·2.12·(seriesErr + 2) < 56·2^s, that is 56 units 2^-w, and the final cut
// costs one more.

// expErr bounds the error of expm1Fixed, in units of the last place.
const expErr = (seriesErr+2)*9/4 + 2 // 60

// halvings returns the number of argument halvings that balances the squarings against
// the terms of the series: about 2·p^0.29, measured.
func halvings(p uint) uint {
	n := bits.Len(p)
	if n >= len(halvingTable) {
		return halvingTable[len(halvingTable)-1] + uint(6*(n-len(halvingTable)+1))
	}
	lo, hi := halvingTable[n-1], halvingTable[n]
	base := uint(1) << (n - 1)
	return lo + (hi-lo)*(p-base)/base
}

// halvingTable[i] is for p = 2^i.
var halvingTable = [...]uint{3, 3, 3, 4, 5, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48}

// expm1Fixed sets z to e^r − 1 within expErr units. z and r must not be in sc's series storage.
func (sc *scratch) expm1Fixed(z, r *big.Int, w uint) {
	s := sc.expSeries(z, r, w)
	v := w + s
	for range s {
		sc.tmp.Mul(z, z)
		sc.acc.Rsh(&sc.tmp, v)
		z.Lsh(z, 1)
		z.Add(z, &sc.acc)
	}
	z.Rsh(z, s)
}

// expFixed sets z to e^r within expErr units, like expm1Fixed. Where r is not tiny it
// squares e^t itself, which saves two passes a doubling; the error is the same.
func (sc *scratch) expFixed(z, r *big.Int, w uint) {
	s := sc.expSeries(z, r, w)
	v := w + s
	z.Add(z, sc.tmp.Lsh(intOne, v))
	for range s {
		sc.tmp.Mul(z, z)
		z.Rsh(&sc.tmp, v)
	}
	z.Rsh(z, s)
}

// expSeries sets z to e^t − 1 with t = r/2^s and w + s bits, and returns s.
func (sc *scratch) expSeries(z, r *big.Int, w uint) (s uint) {
	k := uint(0) // r < 2^-k
	if n := uint(r.BitLen()); n < w {
		k = w - n
	}
	s = halvings(w)
	if k < s {
		s -= k
	} else {
		s = 0
	}
	for k+s < 2 {
		s++
	}
	sc.sumFactorial(z, r, w+s, divExp, false, 1)
	return s
}
