package ball

import (
	"math/big"
	"sync"
	"sync/atomic"
)

// Note [Bernoulli numbers]
//
// B(2k) = (−1)^(k−1)·2k·T(k)/(4^k(4^k − 1)) with the tangent numbers T(k), which
// come from a triangle of small multiplications (Brent and Harvey, "Fast computation of
// Bernoulli, Tangent and Secant numbers", 2011). The denominator in lowest terms is
// the product of the primes q with (q−1) | 2k (von Staudt and Clausen), so the
// numerator is an exact quotient. The table is cached like the constants.

// A bernoulli is B(2k) = num/den in lowest terms.
type bernoulli struct {
	num big.Int
	den big.Int
}

var (
	bernoulliLock  sync.Mutex
	bernoulliTable atomic.Pointer[[]bernoulli] // index k; entry 0 is not used
)

// bernoullis returns a table of B(2k) for k ≤ n at least. It must not be changed.
func bernoullis(n int) []bernoulli {
	if t := bernoulliTable.Load(); t != nil && len(*t) > n {
		return *t
	}
	bernoulliLock.Lock()
	defer bernoulliLock.Unlock()
	if t := bernoulliTable.Load(); t != nil && len(*t) > n {
		return *t
	}
	n = max(32, n+n/2)
	t := make([]big.Int, n+1)
	t[1].SetInt64(1)
	var f, g big.Int
	for k := 2; k <= n; k++ {
		t[k].Mul(&t[k-1], f.SetInt64(int64(k-1)))
	}
	for k := 2; k <= n; k++ {
		for j := k; j <= n; j++ {
			t[j].Mul(&t[j], f.SetInt64(int64(j-k+2)))
			if j > k {
				t[j].Add(&t[j], g.Mul(&t[j-1], f.SetInt64(int64(j-k))))
			}
		}
	}
	table := make([]bernoulli, n+1)
	for k := 1; k <= n; k++ {
		b := &table[k]
		b.den.SetInt64(1)
		for q := int64(2); q <= int64(2*k+1); q++ {
			if int64(2*k)%(q-1) == 0 && f.SetInt64(q).ProbablyPrime(0) { // exact below 2^64
				b.den.Mul(&b.den, &f)
			}
		}
		b.num.Mul(&t[k], f.SetInt64(int64(2*k)))
		b.num.Mul(&b.num, &b.den)
		b.num.Rsh(&b.num, uint(2*k))
		g.Lsh(intOne, uint(2*k))
		b.num.Quo(&b.num, g.Sub(&g, intOne))
		if k%2 == 0 {
			b.num.Neg(&b.num)
		}
	}
	bernoulliTable.Store(&table)
	return table
}
