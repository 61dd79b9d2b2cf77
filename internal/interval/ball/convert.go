package ball

import (
	"math"
	"math/big"
)

// Float64s returns the tightest doubles lo ≤ hi that enclose x: infinite for the
// whole line and where x leaves the range of doubles, NaN for the empty set.
func (x *Ball) Float64s() (lo, hi float64) {
	switch x.kind {
	case empty:
		return math.NaN(), math.NaN()
	case whole:
		return math.Inf(-1), math.Inf(1)
	}
	var a Ball
	lo = x.lower(&a).floatDown()
	x.upper(&a)
	a.man.Neg(&a.man)
	hi = -a.floatDown()
	if hi == 0 {
		hi = 0 // not −0
	}
	return lo, hi
}

// floatDown returns the greatest double that is at most the point x.
func (x *Ball) floatDown() float64 {
	s := x.man.Sign()
	if s == 0 {
		return 0
	}
	t := x.top()
	if t > 1024 {
		if s > 0 {
			return math.MaxFloat64
		}
		return math.Inf(-1)
	}
	q := max(t-53, -1074) // the exponent of a unit in the last place
	d := x.exp - q
	var m big.Int
	switch {
	case d >= 0: // then x has at most 53 bits
		m.Lsh(&x.man, uint(d))
	case -d > int64(x.man.BitLen()):
		m.SetInt64(int64(min(s, 0)))
	default:
		m.Rsh(&x.man, uint(-d)) // floor
	}
	return math.Ldexp(float64(m.Int64()), int(q))
}

// Float64 returns a double near the midpoint. It is only for display and for choosing where to
// look next.
func (x *Ball) Float64() float64 {
	if x.kind == empty {
		return math.NaN()
	}
	return x.approx()
}

// SetRat makes z an enclosure of r, exact if r is dyadic and fits.
func (z *Ball) SetRat(r *big.Rat, prec uint) *Ball {
	var a, b Ball
	return z.Quo(a.SetInt(r.Num()), b.SetInt(r.Denom()), prec)
}

// FromRat returns an enclosure of r.
func FromRat(r *big.Rat, prec uint) *Ball { return new(Ball).SetRat(r, prec) }

// SetFloat makes z exactly f: the whole line if f is infinite.
func (z *Ball) SetFloat(f *big.Float) *Ball {
	if f.IsInf() {
		return z.SetWhole()
	}
	if f.Sign() == 0 {
		return z.SetInt64(0)
	}
	var m big.Float
	e := f.MantExp(&m)
	n := int(f.MinPrec())
	m.SetMantExp(&m, n) // an integer of n bits
	z.SetInt64(0)
	m.Int(&z.man)
	z.exp = int64(e) - int64(n)
	return z
}

// Dyadic returns the midpoint as man·2^exp; the integer is a copy. x must be finite.
func (x *Ball) Dyadic() (man *big.Int, exp int64) {
	return new(big.Int).Set(&x.man), x.exp
}
