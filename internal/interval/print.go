package interval

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Note [Printing]
//
// A bounded interval is printed on the decimal grid 10^-p, its ends rounded
// outward exactly (as rationals), so the text denotes a superset and parsing
// it gives a superset again. p is chosen so that two digits of half the width
// show: 10^-p is at most a twentieth of the width, and printing widens by less
// than a tenth. A point is printed with 17 significant digits, or exactly if it has
// no more.

// pointDigits is the number of significant digits shown of a point.
const pointDigits = 17

// String returns x as [lo, hi], outward-rounded, with just enough digits to
// show its width; [x] for a point whose decimal form is short, [empty],
// [entire], and inf for an infinite end. Parse reads it back to a superset.
func (x Interval) String() string {
	switch {
	case x.IsEmpty():
		return "[empty]"
	case x.IsEntire():
		return "[entire]"
	case math.IsInf(x.Lo, 0):
		return "[-inf, " + endText(x.Hi, true) + "]"
	case math.IsInf(x.Hi, 0):
		return "[" + endText(x.Lo, false) + ", inf]"
	}
	p := grid(x)
	lo, hi := onGrid(x.Lo, p, false), onGrid(x.Hi, p, true)
	if lo.Cmp(hi) == 0 {
		return "[" + decimal(lo, p) + "]"
	}
	return "[" + decimal(lo, p) + ", " + decimal(hi, p) + "]"
}

// PlusMinus returns x as "digits ± error" with two or three digits of error, or as
// String does when x is not bounded. Parse reads it back to a superset.
func (x Interval) PlusMinus() string {
	if x.IsEmpty() || !x.IsBounded() {
		return x.String()
	}
	p := grid(x)
	lo, hi := onGrid(x.Lo, p, false), onGrid(x.Hi, p, true)
	mid := new(big.Int).Add(lo, hi)
	mid.Rsh(mid, 1)
	rad := new(big.Int).Sub(hi, mid)
	if d := new(big.Int).Sub(mid, lo); d.Cmp(rad) > 0 {
		rad = d
	}
	if rad.Sign() == 0 {
		return decimal(mid, p)
	}
	return decimal(mid, p) + " ± " + decimal(rad, p)
}

// endText returns one finite end, outward-rounded to 17 digits.
func endText(x float64, up bool) string {
	p := grid(Interval{x, x})
	return decimal(onGrid(x, p, up), p)
}

// grid chooses p of Note [Printing] for a bounded interval.
func grid(x Interval) int {
	if x.Lo == x.Hi {
		if x.Lo == 0 {
			return 0
		}
		return pointDigits - 1 - exponent10(x.Lo)
	}
	// The width may overflow; half of it does not.
	w := x.Hi/2 - x.Lo/2
	if w == 0 { // neighbouring subnormals
		w = math.SmallestNonzeroFloat64
	}
	p := 1 - exponent10(w)
	// Never more digits than a double can tell apart.
	if m := x.Mag(); m > 0 {
		p = min(p, pointDigits+1-exponent10(m))
	}
	return p
}

// exponent10 returns ⌊log₁₀|x|⌋ for finite x ≠ 0.
func exponent10(x float64) int {
	s := strconv.FormatFloat(x, 'e', -1, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return e
}

// onGrid returns x·10^p rounded to an integer, downward or upward.
func onGrid(x float64, p int, up bool) *big.Int {
	r := new(big.Rat).SetFloat64(x)
	if p >= 0 {
		r.Mul(r, new(big.Rat).SetInt(pow10(p)))
	} else {
		r.Quo(r, new(big.Rat).SetInt(pow10(-p)))
	}
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // floor
	if up && m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// decimal writes n·10^-p, with an exponent where plain digits would need many zeros. It keeps
// zeros after the point, because they show the grid.
func decimal(n *big.Int, p int) string {
	if n.Sign() == 0 {
		return "0"
	}
	sign, d := "", n.String()
	if d[0] == '-' {
		sign, d = "-", d[1:]
	}
	if len(d) >= pointDigits { // a point with fewer digits than asked for
		t := strings.TrimRight(d, "0")
		p -= len(d) - len(t)
		d = t
	}
	e := len(d) - 1 - p // exponent of the leading digit
	switch {
	case e < -5 || e > 20 || p < 0 && e >= pointDigits:
		s := d[:1]
		if len(d) > 1 {
			s += "." + d[1:]
		}
		return sign + s + "e" + strconv.Itoa(e)
	case p <= 0:
		return sign + d + strings.Repeat("0", -p)
	case e < 0:
		return sign + "0." + strings.Repeat("0", -e-1) + d
	}
	return sign + d[:e+1] + "." + d[e+1:]
}
