package interval

import (
	"fmt"
	"math/big"
	"strings"
)

// Note [Literals]
//
// Parse reads the interval literals of IEEE 1788-2015 §9.7 without decorations,
// and the forms that Format and FormatError print:
//
//	[lo, hi]   [x]   [,]   [lo,]   [,hi]   []   [empty]   [entire]
//	m?r        m?rE  m?ru  m?rd    m?      m??  m??u      m??d
//	x          a ± b   a +/- b
//
// Numbers are decimal or hexadecimal with an exponent, or p/q of two integers,
// or inf, infinity; case does not matter. Every finite number is read exactly,
// as a rational, and rounded outward once. m?r is m plus or minus r units of
// the last digit of m (half a unit when r is left out), u and d take only the
// upper or lower half, ?? is unbounded.

// maxExponent bounds the exponents that Parse reads, so that a short text cannot ask for a number
// of a billion digits. Values with larger exponents are far out of the range of doubles, unless
// their digits compensate, and those are bounded likewise.
const (
	maxExponent = 20_000
	maxDigits   = 20_000
)

// Parse returns the tightest interval that contains what s denotes; see
// Note [Literals]. Ends in the wrong order are an error, unless they lie between
// the same two doubles; then these are the result, as the standard allows.
func Parse(s string) (Interval, error) {
	p := strings.ToLower(strings.TrimSpace(s))
	v, err := parse(p)
	if err != nil {
		return Empty(), fmt.Errorf("interval %q: %w", s, err)
	}
	return v, nil
}

func parse(s string) (Interval, error) {
	if len(s) > maxDigits {
		return Empty(), fmt.Errorf("too long")
	}
	if strings.HasPrefix(s, "[") {
		if !strings.HasSuffix(s, "]") {
			return Empty(), fmt.Errorf("no closing bracket")
		}
		return parseBrackets(strings.TrimSpace(s[1 : len(s)-1]))
	}
	if m, r, ok := strings.Cut(s, "?"); ok {
		return parseUncertain(m, r)
	}
	for _, sep := range []string{"±", "+/-"} {
		if m, r, ok := strings.Cut(s, sep); ok {
			return parsePlusMinus(m, r)
		}
	}
	x, err := parseRat(s)
	if err != nil {
		return Empty(), err
	}
	return FromRat(x), nil
}

func parseBrackets(s string) (Interval, error) {
	switch s {
	case "", "empty":
		return Empty(), nil
	case "entire":
		return Entire(), nil
	}
	a, b, two := strings.Cut(s, ",")
	if !two {
		x, err := parseRat(s)
		if err != nil {
			return Empty(), err
		}
		return FromRat(x), nil
	}
	r := Entire()
	lo, err := parseEnd(a, "-")
	if err != nil {
		return Empty(), err
	}
	hi, err := parseEnd(b, "+")
	if err != nil {
		return Empty(), err
	}
	if lo != nil {
		r.Lo = FromRat(lo).Lo
	}
	if hi != nil {
		r.Hi = FromRat(hi).Hi
	}
	if r.Lo > r.Hi {
		return Empty(), fmt.Errorf("ends out of order")
	}
	return r, nil
}

// parseEnd parses an end. It returns nil for the infinity of the given sign, which may be
// omitted.
func parseEnd(s, sign string) (*big.Rat, error) {
	s = strings.TrimSpace(s)
	bare := strings.TrimPrefix(s, sign)
	if s == "" || ((bare == "inf" || bare == "infinity") && (bare != s || sign == "+")) {
		return nil, nil
	}
	return parseRat(s)
}

// parseUncertain reads m?r with its optional parts.
func parseUncertain(m, r string) (Interval, error) {
	mid, err := parseDecimal(m)
	if err != nil {
		return Empty(), err
	}
	if strings.ContainsAny(m, "ex/") {
		return Empty(), fmt.Errorf("exponent before the question mark")
	}
	unit := new(big.Rat).SetInt64(1)
	if _, frac, ok := strings.Cut(m, "."); ok {
		unit.SetFrac(big.NewInt(1), pow10(len(frac)))
	}
	r, exp, hasExp := strings.Cut(r, "e")
	scale := big.NewRat(1, 1)
	if hasExp {
		if scale, err = parseDecimal("1e" + exp); err != nil {
			return Empty(), err
		}
	}
	up, down := true, true
	if n := len(r); n > 0 {
		switch r[n-1] {
		case 'u':
			r, down = r[:n-1], false
		case 'd':
			r, up = r[:n-1], false
		}
	}
	rad := new(big.Rat)
	unbounded := false
	switch {
	case r == "":
		rad.SetFrac64(1, 2)
	case r == "?":
		unbounded = true
	default:
		if strings.Trim(r, "0123456789") != "" {
			return Empty(), fmt.Errorf("bad radius %q", r)
		}
		rad.SetString(r)
	}
	rad.Mul(rad, unit)
	lo, hi := new(big.Rat).Set(mid), new(big.Rat).Set(mid)
	if down {
		lo.Sub(lo, rad)
	}
	if up {
		hi.Add(hi, rad)
	}
	v := Interval{FromRat(lo.Mul(lo, scale)).Lo, FromRat(hi.Mul(hi, scale)).Hi}
	if unbounded && down {
		v.Lo = -infinity
	}
	if unbounded && up {
		v.Hi = infinity
	}
	return v, nil
}

// parsePlusMinus reads a ± b.
func parsePlusMinus(m, r string) (Interval, error) {
	mid, err := parseRat(m)
	if err != nil {
		return Empty(), err
	}
	rad, err := parseRat(r)
	if err != nil {
		return Empty(), err
	}
	if rad.Sign() < 0 {
		return Empty(), fmt.Errorf("negative radius")
	}
	lo, hi := new(big.Rat).Sub(mid, rad), new(big.Rat).Add(mid, rad)
	return Interval{FromRat(lo).Lo, FromRat(hi).Hi}, nil
}

// parseRat reads a number exactly: p/q, decimal or hexadecimal.
func parseRat(s string) (*big.Rat, error) {
	s = strings.TrimSpace(s)
	if p, q, ok := strings.Cut(s, "/"); ok {
		n, ok1 := new(big.Int).SetString(strings.TrimPrefix(p, "+"), 10)
		d, ok2 := new(big.Int).SetString(strings.TrimPrefix(q, "+"), 10)
		if !ok1 || !ok2 || d.Sign() <= 0 {
			return nil, fmt.Errorf("bad number %q", s)
		}
		return new(big.Rat).SetFrac(n, d), nil
	}
	return parseDecimal(s)
}

// parseDecimal reads a decimal or hexadecimal number with an exponent.
func parseDecimal(s string) (*big.Rat, error) {
	bad := fmt.Errorf("bad number %q", s)
	digits := "0123456789.+-e"
	marker := "e"
	if strings.Contains(s, "0x") {
		digits += "abcdfxp"
		marker = "p"
	}
	if s == "" || strings.Trim(s, digits) != "" {
		return nil, bad
	}
	if _, e, ok := strings.Cut(s, marker); ok {
		n, ok := new(big.Int).SetString(strings.TrimPrefix(e, "+"), 10)
		if !ok {
			return nil, bad
		}
		if !n.IsInt64() || n.Int64() > maxExponent || n.Int64() < -maxExponent {
			return nil, fmt.Errorf("exponent of %q out of range", s)
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, bad
	}
	return r, nil
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// FromRat returns the tightest interval that contains r.
func FromRat(r *big.Rat) Interval {
	f, exact := r.Float64()
	switch {
	case exact:
		return Interval{f, f}
	case f-f != 0: // overflow
		if f > 0 {
			return Interval{nextDn(f), f}
		}
		return Interval{f, nextUp(f)}
	}
	if new(big.Rat).SetFloat64(f).Cmp(r) < 0 {
		return Interval{f, nextUp(f)}
	}
	return Interval{nextDn(f), f}
}

// FromInt returns the tightest interval that contains n.
func FromInt(n *big.Int) Interval { return FromRat(new(big.Rat).SetInt(n)) }
