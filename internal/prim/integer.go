package prim

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"strings"
)

// integers returns the rows that are only about Int. Arithmetic on Int is the Int column of the
// overloaded rows; its evaluators are below. Only mix wraps around, because it is about bits.
func integers() []*Prim {
	return []*Prim{
		{
			ID: Div, Name: "div", Params: []string{"a", "b"}, Scheme: int2,
			Doc: "The quotient of two integers, rounded down, so that `a = b * div a b + mod a " +
				"b`. Dividing by 0 is an error.\ndiv (-7) 2 -- -4",
			Float: divInt, Int: divInt,
		},
		{
			ID: Mod, Name: "mod", Params: []string{"a", "b"}, Scheme: int2,
			Doc: "What remains of `a` after `div a b`; it has the sign of `b`. A remainder by " +
				"0 is an error.\nmod (-7) 2 -- 1",
			Float: modInt, Int: modInt,
		},
		{
			ID: Mix, Name: "mix", Params: []string{"seed", "n"}, Scheme: int2, Hidden: true,
			Doc: "The output of the generator SplitMix64 at position `n`, counted from 0, " +
				"after it was started from `seed`: 64 bits, as a signed integer.\nbuiltin.mix " +
				"1234567 0 -- 6457827717110365317",
			Float: mixInt, Int: mixInt,
		},
	}
}

func addInt(a, b int64) (int64, diag.Code) {
	s := a + b
	// A sum overflowed if it differs in sign from both terms.
	if (s^a)&(s^b) < 0 {
		return 0, diag.IntOverflow
	}
	return s, ""
}

func subInt(a, b int64) (int64, diag.Code) {
	d := a - b
	if (a^b)&(d^a) < 0 {
		return 0, diag.IntOverflow
	}
	return d, ""
}

func negInt(a int64) (int64, diag.Code) {
	if a == math.MinInt64 {
		return 0, diag.IntOverflow
	}
	return -a, ""
}

func absInt(a int64) (int64, diag.Code) {
	if a < 0 {
		return negInt(a)
	}
	return a, ""
}

func mulInt(a, b int64) (int64, diag.Code) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 {
		return 0, diag.IntOverflow
	}
	if a < 0 != (b < 0) {
		if lo > 1<<63 {
			return 0, diag.IntOverflow
		}
		return -int64(lo), "" // 1<<63 wraps to MinInt64, as it should
	}
	if lo >= 1<<63 {
		return 0, diag.IntOverflow
	}
	return int64(lo), ""
}

// magnitude returns |a|. For MinInt64 only an unsigned number can hold it.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func powInt(a, n int64) (int64, diag.Code) {
	if n < 0 {
		return 0, diag.NegativeExponent
	}
	result, code := int64(1), diag.Code("")
	for {
		if n&1 != 0 {
			if result, code = mulInt(result, a); code != "" {
				return 0, code
			}
		}
		if n >>= 1; n == 0 {
			return result, ""
		}
		// The square may overflow only if it is used. It is used, because n has a bit left.
		if a, code = mulInt(a, a); code != "" {
			return 0, code
		}
	}
}

func maxInt(a, b int64) (int64, diag.Code) { return max(a, b), "" }
func minInt(a, b int64) (int64, diag.Code) { return min(a, b), "" }

// divInt divides and rounds down, while Go rounds towards 0.
func divInt(a, b int64) (int64, diag.Code) {
	switch {
	case b == 0:
		return 0, diag.DivisionByZero
	case a == math.MinInt64 && b == -1:
		return 0, diag.IntOverflow
	}
	q := a / b
	if r := a % b; r != 0 && r < 0 != (b < 0) {
		q--
	}
	return q, ""
}

func modInt(a, b int64) (int64, diag.Code) {
	if b == 0 {
		return 0, diag.DivisionByZero
	}
	r := a % b // MinInt64 % -1 is 0 in Go
	if r != 0 && r < 0 != (b < 0) {
		r += b
	}
	return r, ""
}

// mixInt is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014, Fig. 17) with random access. Its state after n steps is the seed plus n + 1 times
// the golden gamma. For each seed it is a bijection of n.
func mixInt(seed, n int64) (int64, diag.Code) {
	const goldenGamma = 0x9e3779b97f4a7c15
	z := uint64(seed) + (uint64(n)+1)*goldenGamma
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int64(z ^ z>>31), ""
}

// Failure returns the error for the code that an evaluator of Int returned.
func (p *Prim) Failure(at diag.Span, code diag.Code, args ...int64) *diag.Diagnostic {
	text := p.application(args)
	switch code {
	case diag.DivisionByZero:
		return diag.Errorf(code, at, "division by zero: %s", text)
	case diag.NegativeExponent:
		return diag.Errorf(code, at, "an Int has no negative power: %s", text).
			WithHint("a Real has: convert the base by `real`")
	case diag.IntOverflow:
		return diag.Errorf(code, at, "%s is beyond the 64 bits of an Int", text).
			WithHint("reals reach further: `real n` converts")
	}
	return diag.Errorf(code, at, "%s has no value", text)
}

// application returns an operation on integers as programs write it.
func (p *Prim) application(args []int64) string {
	words := make([]string, len(args))
	for n, a := range args {
		if words[n] = fmt.Sprint(a); a < 0 && (n > 0 || len(args) == 1 || p.ID == PowInt) {
			words[n] = "(" + words[n] + ")"
		}
	}
	switch {
	case p.ID == Neg:
		return "-" + words[0]
	case len(args) == 2 && !('a' <= p.Name[0] && p.Name[0] <= 'z'):
		return words[0] + " " + p.Name + " " + words[1]
	}
	return p.Name + " " + strings.Join(words, " ")
}
