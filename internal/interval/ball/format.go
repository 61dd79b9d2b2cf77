package ball

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// String returns PlusMinus with at most 60 digits.
func (x *Ball) String() string { return x.PlusMinus(60) }

// Interval writes x as [lo, hi], rounded outward, with just enough digits to show
// its width (the text is wider by a tenth of the radius at each end at most), and
// at most maxDigits significant ones in the longer end.
func (x *Ball) Interval(maxDigits int) string {
	if s, ok := x.improperText(); ok {
		return s
	}
	d := x.place(maxDigits)
	lo, hi := x.decimals(d)
	return "[" + decimal(lo, d) + ", " + decimal(hi, d) + "]"
}

// PlusMinus writes x as digits ± error, error with two digits or so, digits up to
// the same place, and at most maxDigits of them. An exact ball with a short
// decimal form is written without an error.
func (x *Ball) PlusMinus(maxDigits int) string {
	if s, ok := x.improperText(); ok {
		return s
	}
	d := x.place(maxDigits)
	lo, hi := x.decimals(d)
	// The middle of [lo, hi] in units 10^d, and an error that reaches both.
	var m, e big.Int
	m.Add(lo, hi)
	m.Rsh(&m, 1)
	e.Sub(hi, &m)
	if lo.Sub(&m, lo); lo.Cmp(&e) > 0 {
		e.Set(lo)
	}
	if e.Sign() == 0 {
		return decimal(&m, d)
	}
	return decimal(&m, d) + " ± " + scientific(&e, d)
}

func (x *Ball) improperText() (string, bool) {
	switch x.kind {
	case empty:
		return "[empty]", true
	case whole:
		return "[entire]", true
	}
	return "", false
}

// log10of2 is just less than log10(2)·2^62.
const log10of2 = 1388255822130839283

// place chooses the decimal place d of the last digit: 10^d is at most a tenth of
// the radius, unless that would take over maxDigits digits. Any choice is sound.
func (x *Ball) place(maxDigits int) int64 {
	t := x.top()
	if x.rad.m != 0 {
		t = max(t, x.rad.top())
	}
	if x.man.Sign() == 0 && x.rad.m == 0 {
		return 0
	}
	cap := floorLog10(t) - int64(max(maxDigits, 1)) + 1
	if x.rad.m == 0 {
		// An exact decimal has −exp digits after the point.
		if x.exp >= 0 {
			return max(0, cap)
		}
		tz := int64(x.man.TrailingZeroBits())
		return max(min(x.exp+tz, 0), cap)
	}
	return max(floorLog10(x.rad.top()-1)-1, cap)
}

// floorLog10 returns approximately ⌊log10 2^t⌋.
func floorLog10(t int64) int64 {
	p := new(big.Int).Mul(big.NewInt(t), big.NewInt(log10of2))
	return p.Rsh(p, 62).Int64()
}

// decimals returns integers with lo·10^d ≤ x ≤ hi·10^d.
func (x *Ball) decimals(d int64) (lo, hi *big.Int) {
	var p, n, e Ball
	if d <= 0 && -d < 1<<20 && x.exp < 1<<20 {
		// exact, with only the radius rounded
		p.pow10(-d, 1<<21)
		n.Mul(x, &p, uint(x.man.BitLen()+p.man.BitLen()+1))
	} else {
		digits := max(x.top(), -2*maxExp) // bits of the quotient
		if x.rad.m != 0 {
			digits = max(digits, x.rad.top())
		}
		q := uint(min(max(digits-bitsOf10(d), 0), 1<<22)) + 64
		p.pow10(max(d, -d), q)
		if d > 0 {
			n.Quo(x, &p, q)
		} else {
			n.Mul(x, &p, q)
		}
	}
	lo = floorInt(n.lower(&e))
	hi = ceilInt(n.upper(&e))
	return lo, hi
}

// log2of10 is just less than log2(10)·2^60.
const log2of10 = 3829922337353294527

// bitsOf10 returns approximately log2 10^d.
func bitsOf10(d int64) int64 {
	p := new(big.Int).Mul(big.NewInt(d), big.NewInt(log2of10))
	return p.Rsh(p, 60).Int64()
}

// decimal writes m·10^d, plainly where that is short.
func decimal(m *big.Int, d int64) string {
	s := m.String()
	neg := ""
	if s[0] == '-' {
		neg, s = "-", s[1:]
	}
	n := int64(len(s))
	switch {
	case m.Sign() == 0:
		return "0"
	case d == 0, d > 0 && n+d <= 21:
		return neg + s + strings.Repeat("0", int(d))
	case d < 0 && -d < n:
		return neg + s[:n+d] + "." + s[n+d:]
	case d < 0 && -d-n <= 6:
		return neg + "0." + strings.Repeat("0", int(-d-n)) + s
	}
	return neg + scientificText(s, d)
}

// scientific writes m·10^d for m > 0: plainly if very short, else with an exponent.
func scientific(m *big.Int, d int64) string {
	s := m.String()
	if n := int64(len(s)); d <= 0 && -d < n+3 && n-d < 8 {
		return decimal(m, d)
	}
	return scientificText(s, d)
}

func scientificText(s string, d int64) string {
	e := d + int64(len(s)) - 1
	if len(s) > 1 {
		s = s[:1] + "." + s[1:]
	}
	return s + "e" + strconv.FormatInt(e, 10)
}

// Format implements fmt.Formatter for %v and %s: with a precision, as in %.30v, that many digits.
func (x *Ball) Format(f fmt.State, _ rune) {
	n, ok := f.Precision()
	if !ok {
		n = 60
	}
	fmt.Fprint(f, x.PlusMinus(n))
}
