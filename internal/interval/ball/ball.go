package ball

import (
	"math"
	"math/big"
)

// A Ball is a closed bounded interval man·2^exp ± rad, or empty, or the whole line. The zero
// value is exactly 0. A Ball must not be copied after use, because its integer would share
// storage with the copy; use Set.
type Ball struct {
	man  big.Int
	exp  int64
	rad  mag
	kind kind
	part bool
	expr *Expr // an expression for the number, or nil: see Named
}

type kind uint8

const (
	finite kind = iota // man·2^exp ± rad
	whole              // all reals
	empty              // no real
)

// maxExp confines exponents, so that sums and differences of a few of them fit
// an int64.
const maxExp = 1 << 60

// New returns the exact ball 0.
func New() *Ball { return new(Ball) }

// Set makes z a copy of x.
func (z *Ball) Set(x *Ball) *Ball {
	if z != x {
		z.man.Set(&x.man)
		z.exp, z.rad, z.kind, z.part, z.expr = x.exp, x.rad, x.kind, x.part, nil
	}
	return z
}

// SetInt64 makes z exactly n.
func (z *Ball) SetInt64(n int64) *Ball {
	z.man.SetInt64(n)
	z.exp, z.rad, z.kind, z.part = 0, mag{}, finite, false
	return z
}

// SetInt makes z exactly n.
func (z *Ball) SetInt(n *big.Int) *Ball {
	z.man.Set(n)
	z.exp, z.rad, z.kind, z.part = 0, mag{}, finite, false
	return z
}

// SetDyadic makes z exactly man·2^exp.
func (z *Ball) SetDyadic(man *big.Int, exp int64) *Ball {
	z.SetInt(man)
	z.exp = exp
	return z.clamp()
}

// SetEmpty makes z the empty set, which is Partial by definition.
func (z *Ball) SetEmpty() *Ball {
	z.man.SetInt64(0)
	z.exp, z.rad, z.kind, z.part = 0, mag{}, empty, true
	return z
}

// SetWhole makes z the whole line.
func (z *Ball) SetWhole() *Ball {
	z.man.SetInt64(0)
	z.exp, z.rad, z.kind, z.part = 0, mag{}, whole, false
	return z
}

// SetFloat64 makes z exactly x, the whole line for ±Inf and empty for NaN.
func (z *Ball) SetFloat64(x float64) *Ball {
	switch {
	case math.IsNaN(x):
		return z.SetEmpty()
	case math.IsInf(x, 0):
		return z.SetWhole()
	case x == 0:
		return z.SetInt64(0)
	}
	b := math.Float64bits(x)
	m := int64(b & (1<<52 - 1))
	e := int64(b >> 52 & 0x7ff)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	for m&1 == 0 {
		m >>= 1
		e++
	}
	if x < 0 {
		m = -m
	}
	z.SetInt64(m)
	z.exp = e - 1075
	return z
}

// FromFloat64 returns the exact ball x.
func FromFloat64(x float64) *Ball { return new(Ball).SetFloat64(x) }

// FromInt64 returns the exact ball n.
func FromInt64(n int64) *Ball { return new(Ball).SetInt64(n) }

// FromFloat64s returns the ball with the ends lo ≤ hi, exactly as long as its
// midpoint and half width are within range: the radius is rounded up to 32 bits.
// A pair with lo > hi or a NaN is empty, one with an infinite end the whole line.
func FromFloat64s(lo, hi float64) *Ball {
	z := new(Ball)
	if !(lo <= hi) {
		return z.SetEmpty()
	}
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return z.SetWhole()
	}
	var a, b Ball
	return z.setEnds(a.SetFloat64(lo), b.SetFloat64(hi), 4096)
}

// IsEmpty reports whether x contains no real.
func (x *Ball) IsEmpty() bool { return x.kind == empty }

// IsWhole reports whether x is the whole line.
func (x *Ball) IsWhole() bool { return x.kind == whole }

// IsFinite reports whether x is bounded and not empty.
func (x *Ball) IsFinite() bool { return x.kind == finite }

// IsExact reports whether x is a single point.
func (x *Ball) IsExact() bool { return x.kind == finite && x.rad.m == 0 }

// Partial reports whether, on the way to x, some operation met a point outside
// its domain. If it is false, every operation was defined on all of its operands.
func (x *Ball) Partial() bool { return x.part }

// SetPartial sets or clears the mark that Partial reports. The empty set keeps it.
func (z *Ball) SetPartial(p bool) *Ball {
	z.part = p || z.kind == empty
	return z
}

// top returns t with |mid| < 2^t, and ≥ 2^(t-1) unless the midpoint is 0, for
// which it is less than any other.
func (x *Ball) top() int64 {
	n := x.man.BitLen()
	if n == 0 {
		return -2 * maxExp
	}
	return x.exp + int64(n)
}

// improper handles operands that are empty or the whole line, for operations whose
// result is then empty or the whole line. It reports whether z was set.
func (z *Ball) improper(xs ...*Ball) bool {
	k, part := finite, false
	for _, x := range xs {
		k = max(k, x.kind)
		part = part || x.part
	}
	switch k {
	case empty:
		z.SetEmpty()
	case whole:
		z.SetWhole()
		z.part = part
	default:
		return false
	}
	return true
}
