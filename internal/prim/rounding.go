package prim

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// rounding returns the conversions between Int and Real, which are all explicit.
func rounding() []*Prim {
	const (
		fits = "-(2^63) <= x && x < 2^63"
		jump = "the value jumps; differentiating through it is an error"
	)
	outside := points(0x1p63, -0x1p64, 1e300)
	return []*Prim{
		{
			ID: Real, Name: "real", Cost: 1, Params: []string{"n"},
			Scheme: types.Mono(types.Funs(types.Real, types.Int)),
			Doc: "The integer as a real, rounded to the nearest double if it is beyond " +
				"2^53.\nreal 3 -- 3",
			Float:   func(n int64) float64 { return float64(n) },
			Samples: points(3, -7, 0x1p53),
		},
		{
			ID: Floor, Name: "floor", Params: []string{"x"}, Scheme: toInt,
			Doc: "The largest integer at or below `x`. NaN and reals beyond 64 bits are an " +
				"error.\nfloor (-2.5) -- -3",
			Float: toInteger(math.Floor), Domain: fits,
			Interval: tier.Fun1{Double: interval.Floor, Multi: (*ball.Ball).Floor,
				Complex: rectangle.Nowhere},
			Kink: "x = real (floor x)", KinkRule: jump, KinkKind: JumpKink,
			Early:   always(0),
			Samples: points(2.5, -2.5, 1e15+0.5), Outside: outside,
		},
		{
			ID: Ceil, Name: "ceil", Params: []string{"x"}, Scheme: toInt,
			Doc: "The smallest integer at or above `x`. NaN and reals beyond 64 bits are an " +
				"error.\nceil 2.1 -- 3",
			Float: toInteger(math.Ceil), Domain: fits,
			Interval: tier.Fun1{Double: interval.Ceil, Multi: (*ball.Ball).Ceil,
				Complex: rectangle.Nowhere},
			Kink: "x = real (ceil x)", KinkRule: jump, KinkKind: JumpKink,
			Early:   always(1),
			Samples: points(2.5, -2.5, 1e15+0.5), Outside: outside,
		},
		{
			ID: Round, Name: "round", Params: []string{"x"}, Scheme: toInt,
			Doc: "The nearest integer, and of two equally near ones the even one. NaN and " +
				"reals beyond 64 bits are an error.\nround 2.5 -- 2",
			Float: toInteger(math.RoundToEven), Domain: fits,
			Interval: tier.Fun1{Double: interval.RoundToEven, Multi: (*ball.Ball).Round,
				Complex: rectangle.Nowhere},
			Kink: "x = real (floor x) + 0.5", KinkRule: jump, KinkKind: JumpKink,
			Early:   always(0.5),
			Samples: points(2.6, -2.6, 1e15+0.25), Outside: outside,
		},
		{
			ID: Trunc, Name: "trunc", Params: []string{"x"}, Scheme: toInt,
			Doc: "The integer part: the nearest integer towards 0. NaN and reals beyond 64 " +
				"bits are an error.\ntrunc (-2.5) -- -2",
			Float: toInteger(math.Trunc), Domain: fits,
			Interval: tier.Fun1{Double: interval.Trunc, Multi: (*ball.Ball).Trunc,
				Complex: rectangle.Nowhere},
			Kink: "x = real (trunc x)", KinkRule: jump, KinkKind: JumpKink,
			Early:   truncEarly,
			Samples: points(2.5, -2.5, 1e15+0.5), Outside: outside,
		},
		{
			ID: Sign, Name: "sign", Params: []string{"x"}, Scheme: real1,
			Doc:   "-1 for a negative number, 1 for a positive one, 0 for 0.\nsign (-2.5) -- -1",
			Float: sign,
			Interval: tier.Fun1{Double: interval.Sign, Multi: exactly((*ball.Ball).Signum),
				Complex: rectangle.Nowhere},
			Partials: []string{"0"},
			Kink:     "x = 0", KinkRule: jump, KinkKind: JumpKink,
			Samples: points(2.5, -1e-300, 1e300),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, 1}, {-inf, -1}, {nan, nan},
				{tiny, 1}},
		},
	}
}

func always(early float64) func(int64) float64 { return func(int64) float64 { return early } }

// truncEarly makes trunc 0 from -1 to 1.
func truncEarly(n int64) float64 {
	if n <= 0 {
		return 1
	}
	return 0
}

// toInteger returns the evaluator of a rounding.
func toInteger(rounded func(float64) float64) ToInt {
	return func(x float64) (int64, diag.Code) {
		// The comparison is false for NaN. 2^63 - 1 is not a double, so the upper bound is
		// strict.
		if r := rounded(x); -0x1p63 <= r && r < 0x1p63 {
			return int64(r), ""
		}
		return 0, diag.NoInt
	}
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // a zero, or NaN
}
