package ball

import (
	"math/big"
	"math/bits"
)

// Note [Factorial series]
//
// sumFactorial sums, in fixed point with w fractional bits,
//
//	S = Σ_{k0 ≤ k < N} σ^k y^k / D(k),   D(k) = d(1)·…·d(k),   d(k) ≥ k,
//
// for 0 ≤ y ≤ 1/4 and a sign σ = ±1, by Paterson and Stockmeyer's (rectangular)
// splitting: the powers y … y^m are computed once, the terms of a block of m
// consecutive k are gathered with word-size coefficients, and blocks are joined by
// a multiplication with y^m each. Coefficients: within a group of consecutive
// indices with greatest L, acc holds D(L)·(sum so far), and the term k has the coefficient
// D(L)/D(k), an integer; before that outgrows a word, acc is divided by it and a
// new group begins.
//
// Error, in units 2^-w. All of it is counted on the scale of S, where acc's error
// counts 1/D(L) ≤ 1/D(k):
//
//   - The power y^i: e(1) = 0 and e(a+b) ≤ y^b·e(a) + y^a·e(b) + 1 ≤ 2, as y ≤ 1/4.
//   - The term k: coefficient times e(i), so at most 2/D(k).
//   - Joining a block at k: multiplies the old error by at most 1/4, adds at most
//     e(m)·|partial sum| ≤ 2·(4/3)/D(k) and one cut, 1/D(k).
//   - Beginning a group at k: one cut, 1/D(k).
//   - The tail: N is such that y^N/D(N) ≤ 1 unit, and terms fall by 1/4 or more:
//     at most 4/3.
//
// Since Σ 1/D(k) ≤ e, the total is at most (2 + 8/3 + 1 + 1)·e + 1 + 4/3 < 21 units;
// seriesErr = 24 leaves room for an error of 1 unit in y, which changes S by
// at most Σ k y^(k-1)/D(k) ≤ 2 units. (Errors of either sign are covered.)

// seriesErr bounds the error of sumFactorial, in units of the last place.
const seriesErr = 24

// A divisors says which series sumFactorial sums: d(k) = D(k)/D(k−1).
type divisors uint8

const (
	divExp divisors = iota // k:          D = k!
	divCos                 // (2k−1)·2k:  D = (2k)!
	divSin                 // 2k(2k+1):   D = (2k+1)!
	divErf                 // 2k+1:       D = (2k+1)!!
)

func (d divisors) at(k uint64) uint64 {
	switch d {
	case divExp:
		return k
	case divCos:
		return (2*k - 1) * (2 * k)
	case divSin:
		return 2 * k * (2*k + 1)
	}
	return 2*k + 1
}

// terms returns N with y^N/D(N) ≤ 2^-w, given y < 2^-k.
func (d divisors) terms(w uint, k uint) int {
	var n, lg uint
	for lg < w {
		n++
		lg += k + uint(bits.Len64(d.at(uint64(n)))) - 1
	}
	return int(n)
}

// babySteps balances powers against block joins: about √(N) of the former, as a
// join costs the same multiplication.
func babySteps(n int) int {
	m := 1
	for m*m < n && m < maxBaby {
		m++
	}
	return m
}

// sumFactorial sets z to S of Note [Factorial series] within seriesErr units. z and
// y must not be sc.acc, sc.tmp, sc.coef or in sc.pow[1:].
func (sc *scratch) sumFactorial(z, y *big.Int, w uint, d divisors, alternate bool, k0 int) {
	k := uint(0)
	if n := uint(y.BitLen()); n < w {
		k = w - n
	}
	n := d.terms(w, k)
	if y.Sign() == 0 {
		n = 1
	}
	sc.sumBlocks(z, y, w, d, alternate, k0, n)
}

// sumBlocks runs the loop of Note [Factorial series] for n terms, for any y.
func (sc *scratch) sumBlocks(z, y *big.Int, w uint, d divisors, alternate bool, k0, n int) {
	m := babySteps(n)
	pow := &sc.pow
	pow[1].Set(y)
	for i := 2; i <= m; i++ {
		a := &pow[i/2]
		sc.tmp.Mul(a, &pow[i-i/2])
		pow[i].Rsh(&sc.tmp, w)
	}
	acc, tmp, coef := &sc.acc, &sc.tmp, &sc.coef
	acc.SetInt64(0)
	c := uint64(1)
	for k := n - 1; k >= k0; k-- {
		i := k % m
		coef.SetUint64(c)
		if i == 0 {
			tmp.Lsh(coef, w)
		} else {
			tmp.Mul(&pow[i], coef)
		}
		if alternate && k&1 != 0 {
			acc.Sub(acc, tmp)
		} else {
			acc.Add(acc, tmp)
		}
		if i == 0 && k > 0 {
			tmp.Mul(acc, &pow[m])
			acc.Rsh(tmp, w)
		}
		if k == 0 {
			break
		}
		f := d.at(uint64(k))
		if hi, lo := bits.Mul64(c, f); hi == 0 && lo>>(bits.UintSize-1)>>1 == 0 {
			c = lo
		} else {
			acc.Quo(acc, coef)
			c = f
		}
	}
	z.Quo(acc, coef.SetUint64(c))
}
