package data

import (
	"math"
	"strconv"
	"strings"
)

// number is a decimal that was read.
type number struct {
	near   float64
	digits int // significant digits, without leading zeros
}

// verdict says what is wrong with a text that should be a number.
type verdict uint8

const (
	isNumber verdict = iota
	notANumber
	outOfRange // beyond the range of doubles
	notFinite  // nan or inf
)

// powers lists the powers of ten that doubles hold exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// maxExponent bounds written exponents. The rational of a longer one would fill the memory.
const maxExponent = 9999

// sureDigits is how many digits of any decimal survive conversion to a double and back.
const sureDigits = 15

// parseNumber parses a decimal: an optional sign, digits with an optional point, and an optional
// exponent.
func parseNumber(text []byte) (number, verdict) {
	at, n := 0, len(text)
	negative := false
	if n > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		at = 1
	}
	mantissa, digits, exponent, any := uint64(0), 0, 0, false
	for ; at < n && text[at]-'0' <= 9; at++ {
		any = true
		if digits > 0 || text[at] != '0' {
			digits++
			mantissa = mantissa*10 + uint64(text[at]-'0')
		}
	}
	if at < n && text[at] == '.' {
		for at++; at < n && text[at]-'0' <= 9; at++ {
			any = true
			exponent--
			if digits > 0 || text[at] != '0' {
				digits++
				mantissa = mantissa*10 + uint64(text[at]-'0')
			}
		}
	}
	if !any {
		return number{}, unusual(text)
	}
	if at < n && text[at]|0x20 == 'e' {
		at++
		sign, e := 1, 0
		if at < n && (text[at] == '-' || text[at] == '+') {
			if text[at] == '-' {
				sign = -1
			}
			at++
		}
		if at == n {
			return number{}, notANumber
		}
		for ; at < n && text[at]-'0' <= 9; at++ {
			if e = e*10 + int(text[at]-'0'); e > maxExponent {
				return number{}, outOfRange
			}
		}
		exponent += sign * e
	}
	if at < n {
		return number{}, notANumber
	}
	if digits <= sureDigits && -22 <= exponent && exponent <= 22 {
		x := float64(mantissa)
		if exponent < 0 {
			x /= powers[-exponent]
		} else {
			x *= powers[exponent]
		}
		if negative {
			x = -x
		}
		return number{x, digits}, isNumber
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return number{}, outOfRange
	}
	return number{x, digits}, isNumber
}

// unusual returns the verdict on a text without digits.
func unusual(text []byte) verdict {
	if len(text) < 12 {
		switch strings.ToLower(strings.TrimLeft(string(text), "+-")) {
		case "nan", "inf", "infinity":
			return notFinite
		}
	}
	return notANumber
}

// spelling returns the text of a number, or "" if the shortest decimal of its double denotes the
// same number.
func (x number) spelling(text []byte) string {
	if a := math.Abs(x.near); x.digits == 0 || x.digits <= sureDigits && 1e-290 < a && a < 1e290 {
		return ""
	}
	s := string(text)
	if d, e := normal(s); x.near != 0 {
		if d2, e2 := normal(strconv.FormatFloat(x.near, 'e', -1, 64)); d == d2 && e == e2 {
			return ""
		}
	}
	return s
}

// normal returns a decimal as digits without zeros at either end, and the power of ten of the
// first digit.
func normal(s string) (digits string, exponent int) {
	s = strings.ToLower(strings.TrimLeft(s, "+-"))
	mantissa, power, _ := strings.Cut(s, "e")
	exponent, _ = strconv.Atoi(power)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent += len(whole) - (len(whole+fraction) - len(digits)) - 1
	return strings.TrimRight(digits, "0"), exponent
}

// parseInt reads an integer.
func parseInt(text []byte) (int64, verdict) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err == nil:
		return n, isNumber
	case err.(*strconv.NumError).Err == strconv.ErrRange:
		return 0, outOfRange
	}
	return 0, notANumber
}

// special parses a number that is not finite, as Fluxion writes it.
func special(text []byte) (number, bool) {
	switch string(text) {
	case "nan":
		return number{near: math.NaN()}, true
	case "inf":
		return number{near: math.Inf(1)}, true
	case "-inf":
		return number{near: math.Inf(-1)}, true
	}
	return number{}, false
}
