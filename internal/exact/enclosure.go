package exact

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/value"
)

// Enclosure is a real of a result: it lies between two dyadic numbers.
type Enclosure struct {
	Lo, Hi *big.Float // exact, see maxExponent; infinite if there is no bound
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

// narrower is what two enclosures of one value know together. The first may be nil.
func narrower(v, w value.Value) value.Value {
	each := func(vs, ws []value.Value) []value.Value {
		if len(vs) != len(ws) {
			return ws
		}
		all := make([]value.Value, len(ws))
		for k := range ws {
			all[k] = narrower(vs[k], ws[k])
		}
		return all
	}
	switch w := w.(type) {
	case Enclosure:
		if v, ok := v.(Enclosure); ok {
			return v.and(w)
		}
	case value.Unknown:
		if v != nil {
			return v
		}
	case value.Tuple:
		if v, ok := v.(value.Tuple); ok {
			return value.Tuple(each(v, w))
		}
	case value.Array:
		if v, ok := v.(value.Array); ok {
			return value.Array(each(v, w))
		}
	case value.Con:
		if v, ok := v.(value.Con); ok && v.Name == w.Name {
			return value.Con{Name: w.Name, Args: each(v.Args, w.Args)}
		}
	case value.Record:
		if v, ok := v.(value.Record); ok && len(v) == len(w) {
			all := make(value.Record, len(w))
			for k, f := range w {
				all[k] = value.Field{Name: f.Name, Value: narrower(v[k].Value, f.Value)}
			}
			return all
		}
	}
	return w
}

// and is the numbers in both of two enclosures of one real.
func (e Enclosure) and(f Enclosure) Enclosure {
	both := f
	if e.Lo.Cmp(f.Lo) > 0 {
		both.Lo = e.Lo
	}
	if e.Hi.Cmp(f.Hi) < 0 {
		both.Hi = e.Hi
	}
	return both
}

// narrow tells whether every real of a value is.
func narrow(v value.Value) bool {
	return !slices.ContainsFunc(Enclosures(v), func(e Enclosure) bool { return !e.narrow() })
}

// unbounded is a real of which nothing is known.
func unbounded(eps *big.Rat) Enclosure {
	return Enclosure{float(math.Inf(-1)), float(math.Inf(1)), eps}
}

// Width is the distance of the ends, rounded up in its last bits, or nil if that is infinite.
func (e Enclosure) Width() *big.Rat {
	if e.Lo.IsInf() || e.Hi.IsInf() {
		return nil
	}
	w := new(big.Float).SetPrec(64).SetMode(big.ToPositiveInf).Sub(e.Hi, e.Lo)
	q, _ := w.Rat(nil)
	return q
}

// narrow tells whether the enclosure can be written with ends that differ by
// at most Eps.
func (e Enclosure) narrow() bool {
	w := e.Width()
	return w != nil && w.Cmp(e.Eps) <= 0
}

// Fluxion is [lo, hi] in decimal, rounded outward, with as few digits as keep the
// difference within Eps; where the ends are further apart than that, with two
// digits of their difference.
func (e Enclosure) Fluxion() string {
	lo, hi := e.Decimals()
	return "[" + lo + ", " + hi + "]"
}

// JSON is the pair of the ends, as strings: numbers of JSON are read as doubles.
func (e Enclosure) JSON() json.RawMessage {
	lo, hi := e.Decimals()
	return json.RawMessage(`["` + lo + `","` + hi + `"]`)
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
	// The first number of digits at which the outward rounding fits. Both ends
	// are dyadic, so that there is one; but a few digits more than the
	// tolerance has are all that is tried if the tolerance leaves room.
	for digits := digitsOf(allowed) - 1; ; digits++ {
		m, n := scaled(e.Lo, digits, false), scaled(e.Hi, digits, true)
		width, bound := new(big.Int).Sub(n, m), new(big.Int).Set(allowed.Num())
		width.Mul(width, allowed.Denom())
		if digits < 0 {
			width.Mul(width, power10(-digits))
		} else {
			bound.Mul(bound, power10(digits))
		}
		if width.Cmp(bound) <= 0 {
			return decimal(m, digits), decimal(n, digits)
		}
	}
}

// halfLine is the ends where one of them is infinite; the other has ten digits.
func (e Enclosure) halfLine() (lo, hi string) {
	lo, hi = "-inf", "inf"
	if !e.Lo.IsInf() {
		lo = tenDigits(e.Lo, false)
	}
	if !e.Hi.IsInf() {
		hi = tenDigits(e.Hi, true)
	}
	return lo, hi
}

// tenDigits is x with ten decimals, or ten digits if it is large, rounded down or up.
func tenDigits(x *big.Float, up bool) string {
	digits := 10 - int(0.30103*float64(max(0, x.MantExp(nil))))
	return decimal(scaled(x, digits, up), digits)
}

// digitsOf is the number of decimals that show a magnitude q > 0, or fewer.
func digitsOf(q *big.Rat) int {
	bits := q.Denom().BitLen() - q.Num().BitLen() // q is about 2^-bits
	return int(float64(bits)*0.30103) - 1
}

// power10 is 10^n, for n >= 0.
func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// scaled is x 10^digits, rounded down or up. It is a quotient of integers, not of big.Rat,
// which would look for common factors of a million bits.
func scaled(x *big.Float, digits int, up bool) *big.Int {
	mantissa := new(big.Float)
	exp := x.MantExp(mantissa) - int(x.MinPrec())
	num, _ := mantissa.SetMantExp(mantissa, int(x.MinPrec())).Int(nil) // x is num 2^exp
	den := big.NewInt(1)
	if digits < 0 {
		den = power10(-digits)
	} else {
		num.Mul(num, power10(digits))
	}
	if exp < 0 {
		den.Lsh(den, uint(-exp))
	} else {
		num.Lsh(num, uint(exp))
	}
	n, rest := new(big.Int).DivMod(num, den, new(big.Int)) // rounds down: the denominator is positive
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

// MapEnclosures is a value with its sets replaced.
func MapEnclosures(v value.Value, f func(Enclosure) value.Value) value.Value {
	each := func(vs []value.Value) []value.Value {
		out := make([]value.Value, len(vs))
		for i, v := range vs {
			out[i] = MapEnclosures(v, f)
		}
		return out
	}
	switch v := v.(type) {
	case Enclosure:
		return f(v)
	case value.Tuple:
		return value.Tuple(each(v))
	case value.Array:
		return value.Array(each(v))
	case value.Con:
		return value.Con{Name: v.Name, Args: each(v.Args)}
	case value.Record:
		out := make(value.Record, len(v))
		for i, field := range v {
			out[i] = value.Field{Name: field.Name, Value: MapEnclosures(field.Value, f)}
		}
		return out
	}
	return v
}

// Outward is a double at x, or beyond it on a side: -1 is below, 1 above.
func Outward(x *big.Float, side int) float64 {
	d, accuracy := x.Float64()
	if int(accuracy) == -side {
		return math.Nextafter(d, math.Inf(side))
	}
	return d
}
