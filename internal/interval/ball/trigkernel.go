package ball

import "math/big"

// Note [Sine kernel]
//
// sinCosFixed computes sin r and 1 − cos r for 0 ≤ r ≤ 0.79 (π/4 and a little) in fixed point
// with w fractional bits, within sinErr units each.
//
// For tiny r both Taylor series are summed as they are. Otherwise, with s halvings
// t = r/2^s, the series of V(t) = 1 − cos t in y = t² is summed and V(2t) =
// 2V(2 − V) = 4V − 2V² applied s times; then sin r = √(V(2−V)). Working with
// V rather than with the cosine avoids cancellation for small angles.
//
// Error, in units 2^-v with v = w + 2s + k + 2, where 2^-k-1 ≤ r: the series errs by seriesErr,
// which includes 1 for y; doubling turns e into at most 4e + 2e²2^-v + 2 ≤ 4e + 3, so V errs by
// 4^s·(seriesErr + 1). The root: V(2−V) errs by at most twice that plus 1, and its root by that
// over 2·sin r ≥ 2·0.9·2^-(k+1) (as sin r ≥ 0.9 r): in all at most 2^(2s+k+1)·(seriesErr +
// 2)/0.9 + 1 units 2^-v, less than 2^(2s+k)·58 + 1, or 15 units 2^-w; V itself less. One more
// for the cut: sinErr = 20 covers both.
//
// In the direct case: sin r = r·Σ(−1)^j y^j/(2j+1)!, where the sum errs by seriesErr
// units and r ≤ 1/4; V directly. Both are within seriesErr + 2.

// sinErr bounds the error of sinCosFixed, in units of the last place.
const sinErr = seriesErr + 4 // 28

// sinCosFixed sets sin to sin r and ver to 1 − cos r within sinErr units. sin may be
// nil if it is not wanted. r, sin and ver are not in sc's series storage.
func (sc *scratch) sinCosFixed(sin, ver, r *big.Int, w uint) {
	n := uint(r.BitLen())
	if n == 0 {
		if sin != nil {
			sin.SetInt64(0)
		}
		ver.SetInt64(0)
		return
	}
	k := uint(0) // 2^-(k+1) ≤ r < 2^-k
	if n < w {
		k = w - n
	}
	s := halvings(w) * 3 / 4
	if k >= 2 && k >= s {
		sc.tmp.Mul(r, r)
		y := &sc.pow[0]
		y.Rsh(&sc.tmp, w)
		if sin != nil {
			sc.sumFactorial(sin, y, w, divSin, true, 0)
			sc.tmp.Mul(sin, r)
			sin.Rsh(&sc.tmp, w)
		}
		sc.sumFactorial(ver, y, w, divCos, true, 1)
		ver.Neg(ver)
		return
	}
	s = max(s, 1+k) - k
	v := w + 2*s + k + 2
	// t = r·2^-s with v bits is r shifted by v−w−s; y = t² >> v.
	t := &sc.pow[0]
	sc.acc.Lsh(r, v-w-s)
	sc.tmp.Mul(&sc.acc, &sc.acc)
	t.Rsh(&sc.tmp, v)
	sc.sumFactorial(ver, t, v, divCos, true, 1)
	ver.Neg(ver)
	for i := uint(0); i < s; i++ {
		sc.tmp.Mul(ver, ver)
		sc.acc.Rsh(&sc.tmp, v-1)
		ver.Lsh(ver, 2)
		ver.Sub(ver, &sc.acc)
	}
	if sin != nil {
		sc.tmp.Mul(ver, ver)
		sc.acc.Lsh(ver, v+1)
		sc.acc.Sub(&sc.acc, &sc.tmp)
		sc.root.floor(sin, &sc.acc)
		sin.Rsh(sin, v-w)
	}
	ver.Rsh(ver, v-w)
}
