package exact

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// Enclosure is a real of a result: it lies between two dyadic numbers.
type Enclosure struct {
	Lo, Hi *big.Float // exact; infinite if there is no bound
	Eps    *big.Rat   // the width that was asked for, which the printed ends keep if they can
}

// Enclosures lists the reals of an exact value, from left to right.
func Enclosures(v value.Value) []Enclosure {
	var all []Enclosure
	each := func(vs []value.Value) {
		for _, x := range vs {
			all = append(all, Enclosures(x)...)
		}
	}
	switch v := v.(type) {
	case Enclosure:
		return []Enclosure{v}
	case value.Tuple:
		each(v)
	case value.Array:
		each(v)
	case value.Con:
		each(v.Args)
	case value.Record:
		for _, f := range v {
			all = append(all, Enclosures(f.Value)...)
		}
	}
	return all
}

// Width is the distance of the ends, or nil if that is infinite.
func (e Enclosure) Width() *big.Rat {
	if e.Lo.IsInf() || e.Hi.IsInf() {
		return nil
	}
	return new(big.Rat).Sub(rational(e.Hi), rational(e.Lo))
}

// narrow tells whether the enclosure can be written with ends that differ by
// at most Eps.
func (e Enclosure) narrow() bool {
	w := e.Width()
	return w != nil && w.Cmp(e.Eps) <= 0
}

func rational(x *big.Float) *big.Rat {
	q, _ := x.Rat(nil)
	if q == nil { // a zero
		q = new(big.Rat)
	}
	return q
}

// Fluxion is [lo, hi] in decimal, rounded outward, with as few digits as keep the
// difference within Eps; where the ends are further apart than that, with two
// digits of their difference.
func (e Enclosure) Fluxion() string {
	lo, hi := e.Decimals()
	return "[" + lo + ", " + hi + "]"
}

// Decimals is the two ends.
func (e Enclosure) Decimals() (lo, hi string) {
	w := e.Width()
	if w == nil {
		return e.halfLine()
	}
	allowed := e.Eps
	if w.Cmp(allowed) > 0 {
		allowed = new(big.Rat).Mul(w, big.NewRat(11, 10))
	}
	a, b := rational(e.Lo), rational(e.Hi)
	// The first number of digits at which the outward rounding fits. Both ends
	// are dyadic, so that there is one; but a few digits more than the
	// tolerance has are all that is tried if the tolerance leaves room.
	for digits := digitsOf(allowed) - 1; ; digits++ {
		m, n := scaled(a, digits, false), scaled(b, digits, true)
		width := new(big.Rat).SetInt(new(big.Int).Sub(n, m))
		if width.Mul(width, power10(-digits)).Cmp(allowed) <= 0 {
			return decimal(m, digits), decimal(n, digits)
		}
	}
}

func (e Enclosure) halfLine() (lo, hi string) {
	lo, hi = "-inf", "inf"
	if !e.Lo.IsInf() {
		lo = decimal(scaled(rational(e.Lo), 10, false), 10)
	}
	if !e.Hi.IsInf() {
		hi = decimal(scaled(rational(e.Hi), 10, true), 10)
	}
	return lo, hi
}

// digitsOf is the number of decimals that show a magnitude q > 0, or fewer; of 0 it is
// large.
func digitsOf(q *big.Rat) int {
	if q.Sign() == 0 {
		return 0
	}
	bits := q.Denom().BitLen() - q.Num().BitLen() // q is about 2^-bits
	return int(float64(bits)*0.30103) - 1
}

// power10 is 10^n, for any n.
func power10(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// scaled is q 10^digits, rounded down or up.
func scaled(q *big.Rat, digits int, up bool) *big.Int {
	p := new(big.Rat).Mul(q, power10(digits))
	n, rest := new(big.Int).DivMod(p.Num(), p.Denom(), new(big.Int)) // rounds down: the denominator is positive
	if up && rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// decimal writes n 10^-digits.
func decimal(n *big.Int, digits int) string {
	sign, text := "", n.String()
	if n.Sign() < 0 {
		sign, text = "-", text[1:]
	}
	trimmed := strings.TrimRight(text, "0")
	if trimmed == "" {
		return "0"
	}
	digits -= len(text) - len(trimmed)
	point := len(trimmed) - digits // where the point stands among the digits
	switch {
	case point > 21 || point < -5:
		head, tail := trimmed[:1], trimmed[1:]
		if tail != "" {
			tail = "." + tail
		}
		return sign + head + tail + "e" + strconv.Itoa(point-1)
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + trimmed
	case point >= len(trimmed):
		return sign + trimmed + strings.Repeat("0", point-len(trimmed))
	}
	return sign + trimmed[:point] + "." + trimmed[point:]
}
