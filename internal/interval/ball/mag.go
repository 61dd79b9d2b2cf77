package ball

import (
	"math/big"
	"math/bits"
)

// Note [Magnitudes]
//
// A radius is a mag: m·2^e with m = 0 or 2^31 ≤ m < 2^32. Thirty-two bits are
// plenty for an error bound, every product of two fits a uint64, and the
// exponent of its own lets a radius be far below or far above the midpoint.
//
// Functions here round UP unless their name ends in Low, in which case they
// round down. One rounding changes the value by a relative 2^-31 at most, in
// the direction of its name: this is the only property that callers rely on.

// A mag is a non-negative bound; see Note [Magnitudes]. The zero value is 0.
type mag struct {
	m uint64
	e int64
}

// magUp returns the least mag that is at least m·2^e.
func magUp(m uint64, e int64) mag {
	if m == 0 {
		return mag{}
	}
	n := bits.Len64(m)
	if n <= 32 {
		return mag{m << (32 - n), e - int64(32-n)}
	}
	sh := n - 32
	r := m >> sh
	if r<<sh != m {
		r++
		if r == 1<<32 {
			r >>= 1
			sh++
		}
	}
	return mag{r, e + int64(sh)}
}

// magLow returns the greatest mag that is at most m·2^e.
func magLow(m uint64, e int64) mag {
	if m == 0 {
		return mag{}
	}
	n := bits.Len64(m)
	if n <= 32 {
		return mag{m << (32 - n), e - int64(32-n)}
	}
	return mag{m >> (n - 32), e + int64(n-32)}
}

// magPow2 returns 2^e exactly.
func magPow2(e int64) mag { return mag{1 << 31, e - 31} }

// top returns t with a < 2^t, and a ≥ 2^(t-1); a must not be 0.
func (a mag) top() int64 { return a.e + 32 }

// topBits returns the leading 64 bits of |x| as m·2^e, m having its top bit set,
// and whether anything was cut off below. x must not be 0.
func topBits(x *big.Int) (m uint64, e int64, cut bool) {
	n := x.BitLen()
	if n <= 64 {
		var u uint64
		w := x.Bits()
		for i := len(w) - 1; i >= 0; i-- {
			u = u<<(bits.UintSize-1)<<1 | uint64(w[i])
		}
		return u << (64 - n), int64(n - 64), false
	}
	w := x.Bits()
	if bits.UintSize == 64 {
		hi, lo := uint64(w[len(w)-1]), uint64(w[len(w)-2])
		z := bits.LeadingZeros64(hi)
		m = hi << z
		if z > 0 {
			m |= lo >> (64 - z)
		}
		return m, int64(n - 64), true // something may be cut off; saying so is safe
	}
	var t big.Int
	t.Rsh(t.Abs(x), uint(n-64))
	return t.Uint64(), int64(n - 64), true
}

// magInt bounds |x|·2^e from above.
func magInt(x *big.Int, e int64) mag {
	if x.Sign() == 0 {
		return mag{}
	}
	m, d, cut := topBits(x)
	if cut {
		m >>= 1 // room for the increment
		return magUp(m+1, e+d+1)
	}
	return magUp(m, e+d)
}

// magIntLow bounds |x|·2^e from below.
func magIntLow(x *big.Int, e int64) mag {
	if x.Sign() == 0 {
		return mag{}
	}
	m, d, _ := topBits(x)
	return magLow(m, e+d)
}

// shl returns a·2^k, exactly.
func (a mag) shl(k int64) mag {
	if a.m == 0 {
		return a
	}
	return mag{a.m, a.e + k}
}

func (a mag) add(b mag) mag {
	if b.m == 0 {
		return a
	}
	if a.m == 0 {
		return b
	}
	if a.e < b.e {
		a, b = b, a
	}
	d := a.e - b.e
	m := a.m
	if d >= 32 {
		m++
	} else {
		m += (b.m + (1<<d - 1)) >> d
	}
	return magUp(m, a.e)
}

func (a mag) mul(b mag) mag { return magUp(a.m*b.m, a.e+b.e) }

func (a mag) mulLow(b mag) mag { return magLow(a.m*b.m, a.e+b.e) }

// div returns an upper bound of a/b, where b is a lower bound of the divisor and is
// not 0.
func (a mag) div(b mag) mag {
	if a.m == 0 {
		return a
	}
	n := a.m << 31
	q := n / b.m
	if q*b.m != n {
		q++
	}
	return magUp(q, a.e-b.e-31)
}

// subLow returns a lower bound of a - b, or 0 where that is not positive.
func (a mag) subLow(b mag) mag {
	if b.m == 0 {
		return a
	}
	if a.cmp(b) <= 0 {
		return mag{}
	}
	// a > b and both normalised, so a.e ≥ b.e. Thirty more bits of a make the
	// cut of b harmless.
	d := a.e - b.e
	m := a.m << 30
	if d >= 62 {
		m--
	} else {
		bm := b.m << 30
		m -= (bm + (1<<d - 1)) >> d
	}
	return magLow(m, a.e-30)
}

// sub returns an upper bound of max(a-b, 0).
func (a mag) sub(b mag) mag {
	if b.m == 0 {
		return a
	}
	if a.cmp(b) <= 0 {
		return mag{}
	}
	d := a.e - b.e
	m := a.m << 30
	if d < 62 {
		m -= (b.m << 30) >> d
	}
	return magUp(m, a.e-30)
}

// sqrt returns an upper bound of the square root.
func (a mag) sqrt() mag {
	if a.m == 0 {
		return a
	}
	m, e := a.m<<30, a.e-30
	if e&1 != 0 {
		m, e = m<<1, e-1
	}
	s := isqrt64(m)
	if s*s != m {
		s++
	}
	return magUp(s, e/2)
}

// cmp compares exactly.
func (a mag) cmp(b mag) int {
	switch {
	case a.m == 0 || b.m == 0:
		switch {
		case a.m > b.m:
			return 1
		case a.m < b.m:
			return -1
		}
		return 0
	case a.e != b.e:
		if a.e > b.e {
			return 1
		}
		return -1
	case a.m > b.m:
		return 1
	case a.m < b.m:
		return -1
	}
	return 0
}

func magMax(a, b mag) mag {
	if a.cmp(b) >= 0 {
		return a
	}
	return b
}
