package ball

import (
	"math"
	"math/big"
	"math/bits"
)

// Note [Integer square roots]
//
// sqrtRem computes s = ⌊√x⌋ and r = x − s² exactly, by Zimmermann's Karatsuba
// square root: with x = a·4^k·... split as x = h·2^(2l) + x1·2^l + x0, where h has
// at least half of the bits and its leading quarter is not empty (its top one or
// two bits are set), let (s', r') = sqrtRem(h), then
//
//	(q, u) = divmod(r'·2^l + x1, 2s'),   s = s'·2^l + q,   r = u·2^l + x0 − q²
//
// and, if r < 0, one correction s ← s − 1, r ← r + 2s + 1 (with the new s) is enough. Because the
// result is exact, no error analysis is needed where it is used: √x is s exactly
// if r = 0 and lies in (s, s+1) otherwise. One recursion per halving costs a
// division and a square of a quarter of the size of x, so that it is as fast as
// division. The base case works on machine words.

// isqrt64 is ⌊√x⌋.
func isqrt64(x uint64) uint64 {
	s := uint64(math.Sqrt(float64(x)))
	// float64(x) and Sqrt each err by a relative 2^-53, so s is off by one at most.
	for s > math.MaxUint32 || s*s > x {
		s--
	}
	for s < math.MaxUint32 && (s+1)*(s+1) <= x {
		s++
	}
	return s
}

// sqrtRem128 is the root and remainder of hi·2^64 + lo for hi ≥ 2^62. The
// remainder is carry·2^64 + r.
func sqrtRem128(hi, lo uint64) (s, r uint64, carry uint64) {
	s1 := isqrt64(hi)
	r1 := hi - s1*s1 // ≤ 2·s1 < 2^33
	// (q, u) = divmod(r1·2^32 + x1, 2·s1)
	n1, n0 := r1>>32, r1<<32|lo>>32
	var q, u uint64
	d := 2 * s1
	if n1 >= d { // cannot be: n1 ≤ 1 and d ≥ 2^32
		q, u = math.MaxUint64, 0
	} else {
		q, u = bits.Div64(n1, n0, d)
	}
	// s may reach 2^64 when q = 2^32; then the correction brings it back.
	if q >= 1<<32 {
		u += (q - (1<<32 - 1)) * d
		q = 1<<32 - 1
	}
	s = s1<<32 + q
	// r = u·2^32 + (lo mod 2^32) − q²
	rh, rl := u>>32, u<<32|lo&math.MaxUint32
	var b uint64
	rl, b = bits.Sub64(rl, q*q, 0)
	rh, b = bits.Sub64(rh, 0, b)
	for b != 0 {
		// s ← s−1, r ← r + 2s − 1 with the old s
		var c uint64
		rl, c = bits.Add64(rl, s<<1, 0)
		rh, c = bits.Add64(rh, s>>63, c)
		b -= c
		rl, c = bits.Sub64(rl, 1, 0)
		rh, c = bits.Sub64(rh, 0, c)
		b += c
		s--
	}
	return s, rl, rh
}

// A rooter holds the storage of sqrtRem, reused between calls.
type rooter struct {
	level [40]struct{ q, u, t big.Int }
}

// sqrtRem sets s to ⌊√x⌋ and r to x − s², for x ≥ 0; s, r and x are distinct.
func (w *rooter) sqrtRem(s, r, x *big.Int) {
	n := x.BitLen()
	if n <= 62 {
		u := x.Uint64()
		q := isqrt64(u)
		s.SetUint64(q)
		r.SetUint64(u - q*q)
		return
	}
	// Shift by an even amount so that the bit length is a multiple of 4·(a power
	// of 2), with one of the two top bits set; undo at the end.
	sh := uint(0)
	if bl := (n + 3) &^ 3; bl > n+1 {
		sh = uint(bl-n) &^ 1
	}
	if sh == 0 {
		w.root(s, r, x, 0)
		return
	}
	t := &w.level[len(w.level)-1].t
	t.Lsh(x, sh)
	w.root(s, r, t, 0)
	// ⌊√x⌋ = ⌊⌊√(x·4^j)⌋ / 2^j⌋
	s.Rsh(s, sh/2)
	r.Sub(x, w.level[0].q.Mul(s, s))
}

// root is sqrtRem for bit lengths n with n ≡ 0 or −1 modulo 4.
func (w *rooter) root(s, r, x *big.Int, depth int) {
	n := uint(x.BitLen()+3) &^ 3
	if n <= 128 {
		w.base(s, r, x)
		return
	}
	lv := &w.level[depth]
	// The low half has 2l bits, l chosen so that the high half is a multiple of 4
	// bits long as well.
	l := n / 4
	if (n-2*l)&3 != 0 {
		l--
	}
	q, u, t := &lv.q, &lv.u, &lv.t
	q.Rsh(x, 2*l)
	w.root(s, r, q, depth+1)
	// r ← r·2^l + x1
	t.Rsh(x, l)
	lowBits(t, t, l)
	r.Lsh(r, l)
	r.Or(r, t)
	t.Lsh(s, 1)
	q.QuoRem(r, t, u)
	s.Lsh(s, l)
	s.Add(s, q)
	lowBits(t, x, l)
	u.Lsh(u, l)
	u.Or(u, t)
	t.Mul(q, q)
	r.Sub(u, t)
	for r.Sign() < 0 {
		t.Lsh(s, 1)
		r.Add(r, t)
		r.Sub(r, intOne)
		s.Sub(s, intOne)
	}
}

// base is the machine-word case, 60 < BitLen(x) ≤ 128.
func (w *rooter) base(s, r, x *big.Int) {
	var hi, lo uint64
	for i, v := range x.Bits() {
		b := uint(i) * bits.UintSize
		if b < 64 {
			lo |= uint64(v) << b
		} else {
			hi |= uint64(v) << (b - 64)
		}
	}
	sh := uint(0)
	if hi == 0 {
		hi, lo, sh = lo, 0, 64
	}
	if z := uint(bits.LeadingZeros64(hi)) &^ 1; z > 0 {
		hi = hi<<z | lo>>(64-z)
		lo <<= z
		sh += z
	}
	q, rem, carry := sqrtRem128(hi, lo)
	if sh == 0 {
		s.SetUint64(q)
		r.SetUint64(carry)
		if carry != 0 {
			r.Lsh(r, 64)
			r.Or(r, w.level[len(w.level)-2].t.SetUint64(rem))
		} else {
			r.SetUint64(rem)
		}
		return
	}
	s.SetUint64(q >> (sh / 2))
	t := &w.level[len(w.level)-2].t
	r.Sub(x, t.Mul(s, s))
}

// lowBits sets z to x mod 2^n for x ≥ 0, without building a mask.
func lowBits(z, x *big.Int, n uint) {
	w := x.Bits()
	k := int(n / bits.UintSize)
	if k >= len(w) {
		if z != x {
			z.Set(x)
		}
		return
	}
	rem := n % bits.UintSize
	m := k
	if rem != 0 {
		m++
	}
	zw := append(z.Bits()[:0], w[:m]...)
	if rem != 0 {
		zw[k] &= 1<<rem - 1
	}
	z.SetBits(zw)
}

var intOne = big.NewInt(1) // read only
