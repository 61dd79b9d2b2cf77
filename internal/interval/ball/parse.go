package ball

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Note [Text]
//
// A ball is written as
//
//	1.25            a decimal: the exact rational, enclosed
//	[1.2, 1.3]      its ends
//	1.25 ± 0.05     (or +/-) midpoint and radius
//	[empty]  [entire]
//
// Reading encloses the exact set that the text denotes: decimals are rounded
// outward. Writing rounds outward too. So reading what was written encloses the
// ball, whatever the number of digits. The mark Partial is not written.

var errSyntax = errors.New("not a number, an interval [lo, hi] or digits ± error")

// Parse reads a ball in one of the forms of Note [Text], with prec bits.
func Parse(s string, prec uint) (*Ball, error) {
	z := new(Ball)
	t := strings.TrimSpace(s)
	fail := func() (*Ball, error) { return nil, fmt.Errorf("%q: %w", abbreviate(s), errSyntax) }
	if body, ok := strings.CutPrefix(t, "["); ok {
		body, ok = strings.CutSuffix(body, "]")
		if !ok {
			return fail()
		}
		switch strings.TrimSpace(body) {
		case "empty":
			return z.SetEmpty(), nil
		case "entire":
			return z.SetWhole(), nil
		}
		l, h, two := strings.Cut(body, ",")
		if !two {
			h = l
		}
		var a, b Ball
		if !a.setDecimal(strings.TrimSpace(l), prec) || !b.setDecimal(strings.TrimSpace(h), prec) ||
			b.Less(&a) {
			return fail()
		}
		return z.SetEnds(&a, &b, prec), nil
	}
	m, e, pm := strings.Cut(t, "±")
	if !pm {
		m, e, pm = strings.Cut(t, "+/-")
	}
	if !z.setDecimal(strings.TrimSpace(m), prec) {
		return fail()
	}
	if pm {
		var r Ball
		if !r.setDecimal(strings.TrimSpace(e), 64) || r.man.Sign() < 0 {
			return fail()
		}
		z.AddRad(z, &r)
	}
	return z, nil
}

func abbreviate(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// setDecimal reads [+-]digits[.digits][e[+-]digits] and reports whether it could.
func (z *Ball) setDecimal(s string, prec uint) bool {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	var exp int64
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.ParseInt(s[i+1:], 10, 56)
		if err != nil {
			return false
		}
		exp = e
		s = s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole + frac
	if digits == "" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	exp -= int64(len(frac))
	var m big.Int
	if _, ok := m.SetString(digits, 10); !ok {
		return false
	}
	if neg {
		m.Neg(&m)
	}
	var d, p Ball
	d.SetInt(&m)
	if m.Sign() == 0 || exp == 0 {
		z.Set(&d)
		z.finish(prec)
		return true
	}
	p.pow10(max(exp, -exp), prec+8)
	if exp > 0 {
		z.Mul(&d, &p, prec)
	} else {
		z.Quo(&d, &p, prec)
	}
	return true
}

// pow10 sets z to 10^n, exactly as long as that is not much longer than prec.
func (z *Ball) pow10(n int64, prec uint) *Ball {
	if n <= int64(prec)+64 {
		z.SetInt64(0)
		z.man.Exp(big.NewInt(5), big.NewInt(n), nil)
		z.exp = n
		return z
	}
	return z.PowInt(FromInt64(10), n, prec)
}
