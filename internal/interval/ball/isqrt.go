package ball

import (
	"math"
	"math/big"
	"math/bits"
)

// Note [Integer square roots]
//
// rootWords computes s = ⌊√x⌋ and r = x − s² exactly, by Zimmermann's Karatsuba square root
// ("Karatsuba Square Root", 1999): x, whose word count is even and one of whose top two bits is
// set, is split as x = h·2^2l + x1·2^l + x0, where l is a quarter of it or a little less, in
// whole words; let (s', r') be the root and remainder of h, then
//
//	(q, u) = divmod(r'·2^l + x1, 2s'),   s = s'·2^l + q,   r = u·2^l + x0 − q²
//
// and, if r < 0, one correction s ← s − 1, r ← r + 2s − 1 (with the old s) is enough. Because the
// result is exact, no error analysis is needed where it is used: √x is s exactly
// if r = 0 and lies in (s, s+1) otherwise. A halving costs a division and a square of a
// quarter of the size of x, so a root costs about as much as a division. Splits
// fall on words, so that they are copies rather than shifts, and up to 256 bits
// everything happens in registers.

// isqrt64 returns ⌊√x⌋.
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

// sqrtRem128 returns the root and remainder of hi·2^64 + lo for hi ≥ 2^62. The
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

// sqrtRem256 returns the root s1·2^64 + s0 and the remainder of the number of four words
// (least first) whose top word is at least 2^62. It is Note [Integer square roots]
// with l = 64; ok is false in the rare case that the quotient needs 65 bits.
func sqrtRem256(x *[4]uint64) (s1, s0 uint64, r [3]uint64, ok bool) {
	s1, r1, c := sqrtRem128(x[3], x[2])
	// Divide r'·2^64 + x1 by s', then halve the quotient. r' ≤ 2s'.
	var qh uint64
	for c != 0 || r1 >= s1 {
		var b uint64
		r1, b = bits.Sub64(r1, s1, 0)
		c -= b
		qh++
	}
	if qh > 1 {
		return 0, 0, r, false
	}
	q, u := bits.Div64(r1, x[1], s1)
	var uc uint64
	if q&1 != 0 {
		u, uc = bits.Add64(u, s1, 0)
	}
	q = q>>1 | qh<<63
	// r = (uc, u, x0) − q²
	hi, lo := bits.Mul64(q, q)
	var b uint64
	r[0], b = bits.Sub64(x[0], lo, 0)
	r[1], b = bits.Sub64(u, hi, b)
	top := int64(uc) - int64(b)
	s0 = q
	for top < 0 {
		// r += 2s − 1, s −= 1
		var k uint64
		r[0], k = bits.Add64(r[0], s0<<1, 0)
		r[1], k = bits.Add64(r[1], s1<<1|s0>>63, k)
		top += int64(s1>>63) + int64(k)
		r[0], k = bits.Sub64(r[0], 1, 0)
		r[1], k = bits.Sub64(r[1], 0, k)
		top -= int64(k)
		s0, k = bits.Sub64(s0, 1, 0)
		s1 -= k
	}
	r[2] = uint64(top)
	return s1, s0, r, true
}

// A rooter holds the storage of roots, reused between calls.
type rooter struct {
	x, r  big.Int
	level [40]struct{ d, q, u, t big.Int }
}

// floor sets s to ⌊√x⌋ for x ≥ 0; s must not be x.
func (w *rooter) floor(s, x *big.Int) {
	n := uint(x.BitLen())
	if n == 0 {
		s.SetInt64(0)
		return
	}
	// ⌊√x⌋ = ⌊⌊√(x·4^j)⌋/2^j⌋
	sh := rootShift(n)
	w.x.Lsh(x, sh)
	w.rootRem(s, &w.r, &w.x)
	s.Rsh(s, sh/2)
}

// rootShift returns the least even shift that makes a number of n bits fit for rootRem.
func rootShift(n uint) uint {
	const two = 2 * bits.UintSize
	return ((n+two-1)/two*two - n) &^ 1
}

// rootRem sets s to ⌊√x⌋ and r to x − s², where x has an even number of words and one
// of its top two bits is set; s, r and x are distinct.
func (w *rooter) rootRem(s, r, x *big.Int) {
	if bits.UintSize != 64 { // the plain way, for 32-bit machines
		s.Sqrt(x)
		r.Mul(s, s)
		r.Sub(x, r)
		return
	}
	w.rootWords(s, r, x.Bits(), 0)
}

func (w *rooter) rootWords(s, r *big.Int, x []big.Word, depth int) {
	switch len(x) {
	case 2:
		s0, r0, c := sqrtRem128(uint64(x[1]), uint64(x[0]))
		setWords(s, s0)
		setWords(r, r0, c)
		return
	case 4:
		if s1, s0, rem, ok := sqrtRem256(&[4]uint64{uint64(x[0]), uint64(x[1]), uint64(x[2]),
			uint64(x[3])}); ok {
			setWords(s, s0, s1)
			setWords(r, rem[0], rem[1], rem[2])
			return
		}
	}
	lv := &w.level[depth]
	l := len(x) / 4
	w.rootWords(s, r, x[2*l:], depth+1)
	join(&lv.t, x[l:2*l], r.Bits())
	lv.d.Lsh(s, 1)
	lv.q.QuoRem(&lv.t, &lv.d, &lv.u)
	join(&lv.t, x[:l], lv.u.Bits())
	lv.d.Mul(&lv.q, &lv.q)
	r.Sub(&lv.t, &lv.d)
	lv.d.Lsh(s, uint(l)*bits.UintSize)
	s.Add(&lv.d, &lv.q)
	for r.Sign() < 0 {
		lv.t.Lsh(s, 1)
		r.Add(r, &lv.t)
		r.Sub(r, intOne)
		s.Sub(s, intOne)
	}
}

// join sets z to high·2^(words of low) + low.
func join(z *big.Int, low, high []big.Word) {
	b := append(z.Bits()[:0], low...)
	z.SetBits(append(b, high...))
}

// setWords sets z to the number with these words, least first.
func setWords(z *big.Int, words ...uint64) {
	b := z.Bits()[:0]
	for _, v := range words {
		b = append(b, big.Word(v))
	}
	z.SetBits(b)
}

var intOne = big.NewInt(1) // read only
