package prim

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// Text evaluates a row on texts and single numbers, whose result does not vary continuously.
// Arguments are string, int64, float64 or []int64. Results are string, int64 (for Int and Bool),
// float64, []int64 or []*big.Rat (for an array of Real). A problem other than "" says why there
// is no result.
//
// In exact evaluation a real argument is an enclosure: see Digits.
type Text = func(args []any) (result any, problem string)

// Digits writes a number with n digits after the point, or says why it cannot. Exact evaluation
// uses it to compare the texts of both ends of an enclosure.
type Digits = func(n int64, x *big.Rat) (text, problem string)

// texts returns the rows on texts.
func texts() []*Prim {
	integers := array(types.AnySize, types.Int)
	format := types.Mono(types.Funs(types.String, types.Int, types.Real))
	return []*Prim{
		{
			ID: Fixed, Name: "fixed", Params: []string{"digits", "x"}, Scheme: format,
			Doc: "A number as text with so many digits after the point, rounded to the nearest, " +
				"and to the even one of two equally near. Exact evaluation gives digits that are " +
				"certain, or an error.\nfixed 2 3.14159 -- \"3.14\"",
			Text: formatted(fixedDigits), Digits: fixedDigits,
		},
		{
			ID: Scientific, Name: "scientific", Params: []string{"digits", "x"}, Scheme: format,
			Doc: "A number as text with a power of ten, and so many digits after the point; it " +
				"is rounded as by `fixed`.\nscientific 2 12345 -- \"1.23e4\"",
			Text: formatted(scientificDigits), Digits: scientificDigits,
		},
		{
			ID: IsNaN, Name: "isNaN", Total: true, Params: []string{"x"},
			Scheme: types.Mono(types.Funs(types.Bool, types.Real)),
			Doc: "Whether a double is not a number. Exact evaluation has no such numbers: it " +
				"reports the operation that has no value.\nisNaN (sqrt (-1)) -- true",
			Text: func(args []any) (any, string) {
				if math.IsNaN(args[0].(float64)) {
					return int64(1), ""
				}
				return int64(0), ""
			},
		},
		{
			ID: Infinity, Name: "infinity", Total: true, Params: []string{"sign"},
			Scheme: types.Mono(types.Funs(types.Real, types.Int)), Hidden: true,
			Doc: "The infinity of a sign, which is a double and not a real.\nbuiltin.infinity 1 " +
				"-- inf",
			Text: func(args []any) (any, string) { return math.Inf(int(args[0].(int64))), "" },
		},
		{
			ID: StringRunes, Name: "stringRunes", Total: true, Params: []string{"s"},
			Scheme: types.Mono(types.Funs(integers, types.String)), Hidden: true,
			Doc: "The numbers of the characters of a text.\nbuiltin.stringRunes \"aé\" -- [97, " +
				"233]",
			Text: func(args []any) (any, string) {
				numbers := []int64{}
				for _, r := range args[0].(string) {
					numbers = append(numbers, int64(r))
				}
				return numbers, ""
			},
		},
		{
			ID: StringFromRunes, Name: "stringFromRunes", Params: []string{"numbers"},
			Scheme: types.Mono(types.Funs(types.String, integers)), Hidden: true,
			Doc: "The text of the characters with the given numbers.\nbuiltin.stringFromRunes " +
				"[97, 233] -- \"aé\"",
			Text: fromRunes,
		},
		{
			ID: ParseReal, Name: "parseReal", Total: true, Params: []string{"s"},
			Scheme: types.Mono(types.Funs(array(types.AnySize, types.Real), types.String)),
			Hidden: true,
			Doc: "The number that a text denotes, or no number.\nbuiltin.parseReal \"0.5\" -- " +
				"[0.5]",
			Text: parseReal,
		},
		{
			ID: TextOf, Name: "text", Kind: Expanded, Params: []string{"x"},
			Scheme: forAll(types.Funs(types.String, param("a", 0))), Hidden: true,
			Doc: "A value inside a text: a text as it is, and another value as by `show`. Known " +
				"types decide which.\nbuiltin.text 2 -- \"2\"",
		},
	}
}

const maxTextDigits = 1000

// formatted returns the float column of a row that writes digits.
func formatted(digits Digits) Text {
	return func(args []any) (any, string) {
		x := args[1].(float64)
		switch {
		case math.IsNaN(x):
			return "nan", ""
		case math.IsInf(x, 0):
			return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"), ""
		}
		text, problem := digits(args[0].(int64), new(big.Rat).SetFloat64(x))
		return strings.ToLower(text), problem
	}
}

func fixedDigits(n int64, x *big.Rat) (text, problem string) {
	if n < 0 || n > maxTextDigits {
		return "", fmt.Sprintf("a number can be written with 0 to %d digits after the point, not "+
			"with %d", maxTextDigits, n)
	}
	scaled := new(big.Int).Abs(x.Num())
	scaled.Mul(scaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil))
	q, r := new(big.Int).QuoRem(scaled, x.Denom(), new(big.Int))
	if c := r.Lsh(r, 1).Cmp(x.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	sign := ""
	if x.Sign() < 0 && q.Sign() != 0 {
		sign = "-"
	}
	digits := q.String()
	if n == 0 {
		return sign + digits, ""
	}
	digits = strings.Repeat("0", max(0, int(n)+1-len(digits))) + digits
	point := len(digits) - int(n)
	return sign + digits[:point] + "." + digits[point:], ""
}

func scientificDigits(n int64, x *big.Rat) (text, problem string) {
	exponent := int64(0)
	if x.Sign() != 0 {
		// The lengths of the numerator and the denominator give the exponent, or one too much.
		exponent = int64(len(new(big.Int).Abs(x.Num()).String()) - len(x.Denom().String()))
		if scaled(x, exponent).Cmp(big.NewRat(1, 1)) < 0 {
			exponent--
		}
	}
	for {
		m := new(big.Rat).Quo(x, powerOfTen(exponent))
		if text, problem = fixedDigits(n, m); problem != "" {
			return "", problem
		}
		if digits := strings.TrimPrefix(text, "-"); len(digits) < 2 || digits[1] == '.' {
			return text + "e" + strconv.FormatInt(exponent, 10), ""
		}
		exponent++ // it was rounded up to 10
	}
}

// scaled returns |x| / 10^exponent.
func scaled(x *big.Rat, exponent int64) *big.Rat {
	return new(big.Rat).Quo(new(big.Rat).Abs(x), powerOfTen(exponent))
}

func powerOfTen(n int64) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(n, -n)), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

func fromRunes(args []any) (any, string) {
	var b strings.Builder
	for _, n := range args[0].([]int64) {
		if n < 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			return nil, fmt.Sprintf("no character has the number %d", n)
		}
		b.WriteRune(rune(n))
	}
	return b.String(), ""
}

// parseReal parses a decimal number as programs write it, with a sign: digits, a point between
// digits, an exponent. The bounds are those of literals.
func parseReal(args []any) (any, string) {
	s := args[0].(string)
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	ok := len(s)-len(strings.TrimLeft(s, "+-")) <= 1 && isDigits(whole) &&
		(!point || isDigits(fraction)) && len(s) <= 10_000
	if scientific {
		n, err := strconv.Atoi(exponent)
		ok = ok && err == nil && isDigits(strings.TrimLeft(exponent, "+-")) && -10_000 <= n &&
			n <= 10_000
	}
	if !ok {
		return []*big.Rat{}, ""
	}
	q, ok := new(big.Rat).SetString(s)
	if !ok {
		return []*big.Rat{}, ""
	}
	return []*big.Rat{q}, ""
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// characters returns the rows on the code points of characters.
func characters() []*Prim {
	char := func(id ID, name, doc string, f func(r rune) rune) *Prim {
		eval := func(a int64) (int64, diag.Code) {
			if a < 0 || a > utf8.MaxRune {
				return a, ""
			}
			return int64(f(rune(a))), ""
		}
		return &Prim{ID: id, Name: name, Params: []string{"c"},
			Scheme: types.Mono(types.Funs(types.Int, types.Int)), Doc: doc, Hidden: true,
			Float: eval, Int: eval}
	}
	return []*Prim{
		char(UpperCase, "upperCase", "The number of the capital of a letter, and of any other "+
			"character itself.\nbuiltin.upperCase 97 -- 65", unicode.ToUpper),
		char(LowerCase, "lowerCase", "The number of the small letter of a capital, and of any "+
			"other character itself.\nbuiltin.lowerCase 65 -- 97", unicode.ToLower),
		char(IsBlank, "isBlank", "Whether a character is white space: 1 or 0.\nbuiltin.isBlank "+
			"32 -- 1", func(r rune) rune {
			if unicode.IsSpace(r) {
				return 1
			}
			return 0
		}),
	}
}

// bitwise returns the rows on the bits of an Int, in two's complement.
func bitwise() []*Prim {
	row := func(id ID, name, doc string, f Int2) *Prim {
		return &Prim{ID: id, Name: name, Params: []string{"a", "b"}, Scheme: int2, Doc: doc,
			Hidden: true, Float: f, Int: f}
	}
	shift := func(by func(a int64, n uint) int64) Int2 {
		return func(a, n int64) (int64, diag.Code) {
			if n < 0 {
				return 0, diag.NegativeExponent
			}
			return by(a, uint(min(n, 64))), ""
		}
	}
	return []*Prim{
		row(BitAnd, "bitAnd", "The bits that both numbers have.\nbuiltin.bitAnd 12 10 -- 8",
			func(a, b int64) (int64, diag.Code) {
				return a & b, ""
			}),
		row(BitOr, "bitOr", "The bits that one of the numbers has.\nbuiltin.bitOr 12 10 -- 14",
			func(a, b int64) (int64, diag.Code) {
				return a | b, ""
			}),
		row(BitXor, "bitXor", "The bits that exactly one of the numbers has.\nbuiltin.bitXor 12 "+
			"10 -- 6", func(a, b int64) (int64, diag.Code) {
			return a ^ b, ""
		}),
		row(ShiftLeft, "shiftLeft", "The bits moved up by so many places.\nbuiltin.shiftLeft 3 2 "+
			"-- 12", shift(func(a int64, n uint) int64 {
			return a << n
		})),
		row(ShiftRight, "shiftRight", "The bits moved down by so many places; the sign "+
			"stays.\nbuiltin.shiftRight (-12) 2 -- -3", shift(func(a int64, n uint) int64 {
			return a >> n
		})),
	}
}
