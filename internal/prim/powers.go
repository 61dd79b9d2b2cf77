package prim

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// Note [Powers]. The meaning of `x ** y` and of its derivatives, in both evaluators:
//
//   - x > 0: exp (y log x), with every derivative.
//   - y a whole number that does not vary: x^y, with every derivative in x, where x^y exists. For
//     x < 0 this is a line in the plane of x and y, beside which nothing is defined. So there is
//     no derivative in y there, and `log x` in the rule is NaN.
//   - x = 0 and y > 0: 0. The derivatives in y are 0 while x does not vary. The function ends
//     here, so there is no derivative in x unless y is whole. Floats return the one from the
//     right, which is 0 if y > 1. The evaluator over sets has it only where the base cannot
//     become negative, as in `abs x ** 1.5`.
//
// The rules are these functions, so that their own derivatives are right. In the first, x^(y-1)
// could be 0 where x^y is not, if y < 0; and y x^(y-1) is 0 · ∞ at x = y = 0, where the exponent
// must not vary: 0 √y is 0, and its derivative in y is NaN. In the second, 0 √x is the 0 of x =
// 0, and its derivative in x is NaN.

// powers returns roots, powers, exponentials and logarithms.
func powers() []*Prim {
	return []*Prim{
		{
			ID: E, Name: "e", Scheme: constant,
			Doc:      "The base of the natural logarithm.\ne -- 2.718281828459045",
			Float:    Constant(math.E),
			Interval: tier.Fun0{Double: interval.E, Multi: (*ball.Ball).E},
		},
		{
			ID: Sqrt, Name: "sqrt", SignRule: NeverNegative, Cost: 1, Params: []string{"x"},
			Scheme: real1,
			Doc: "The square root, correctly rounded. NaN below 0.\nsqrt 2 -- " +
				"1.4142135623730951",
			Float:    math.Sqrt,
			Interval: sqrtFun,
			Partials: []string{"0.5 / r"},
			Domain:   "x >= 0", Singular: "x",
			Samples: points(2, 0.25, 1e-10, 1e300, 3e-308),
			Outside: points(-1, -1e-300),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {-1, nan}, {inf, inf}, {nan, nan},
				{tiny, 0x1p-537}},
		},
		{
			ID: Cbrt, Name: "cbrt", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "The cube root, of negative numbers too. Its slope at 0 is infinite.\ncbrt " +
				"(-8) -- -2",
			Float: kernel.Cbrt.Nearest,
			Interval: tier.Fun1{Double: interval.Cbrt, Multi: (*ball.Ball).Cbrt,
				Complex: rectangle.Cbrt},
			Partials: []string{"1 / (3 * r * r)"},
			Singular: "x",
			Samples:  points(2, -8, 1e-10, 1e300, -3e-308),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {27, 3}, {inf, inf}, {-inf, -inf},
				{nan, nan}, {tiny, 0x1p-358}},
		},
		{
			ID: Pow, Name: "**", SignRule: IfAll, Params: []string{"x", "y"}, Scheme: real2,
			Doc: "The real power `exp (y * log x)` of a positive `x`; `0 ** y` is 0 for a " +
				"positive `y`. A whole exponent that does not vary gives " +
				"`x ^ y`, at every `x` that has this power. For an exponent that is an `Int`, " +
				"`^` is the better choice.\n2 ** 0.5 -- 1.4142135623730951",
			Float: kernel.Pow,
			Interval: tier.Fun2{Double: interval.Pow, Multi: (*ball.Ball).Pow,
				Complex: rectangle.Pow},
			// See Note [Powers].
			Feature: &Feature{Within: 2, Size: OfPower},
			Partials: []string{
				"if y < 0 then y * r / x else if x > 0 || x < 0 || y > 0 then y * x ** (y - 1) " +
					"else 0 * sqrt y",
				"if x > 0 || x < 0 then r * log x else if y > 0 then 0 * sqrt x else r * log x",
			},
			Domain: "x > 0 || x >= 0 && y > 0", Singular: "x",
			Samples: [][]float64{{2, 0.5}, {0.1, -3.7}, {10, 300}, {1.0000000001, 1e10},
				{1e-300, 1.01}, {7, 0}, {0.9999999, 1e8}},
			Outside: [][]float64{{-1, 0.5}, {0, -1}, {0, -0.5}},
			Special: [][]float64{{0, 0, 1}, {nan, 0, 1}, {1, nan, 1}, {1, inf, 1}, {-1, inf, 1},
				{-1, -inf, 1}, {0, 0.5, 0}, {negZero, 3, negZero},
				{negZero, 2, 0}, {negZero, -3, -inf}, {0, -0.5, inf}, {-8, 1.0 / 3, nan},
				{-2, 3, -8}, {-2, -2, 0.25}, {0.5, inf, 0}, {0.5, -inf, inf}, {2, inf, inf},
				{2, -inf, 0}, {inf, -1, 0}, {inf, 0.5, inf}, {-inf, 3, -inf}, {-inf, 2.5, inf},
				{-inf, -3, negZero}, {2, 1024, inf}, {2, -1074, tiny},
				{2, -1076, 0}, {-2, 1025, -inf}, {nan, 1, nan}, {2, nan, nan}, {-1, 0x1p53, 1},
				{-1, 0x1p53 - 1, -1}},
		},
		{
			ID: Exp, Name: "exp", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc: "The exponential function. Beyond 709.78 it overflows to infinity.\nexp 1 " +
				"-- 2.718281828459045",
			Float:    kernel.Exp.Nearest,
			Interval: expFun,
			Feature:  between(Widest, -746, 710),
			Partials: []string{"r"},
			Samples:  points(1, -1, 0, 1e-10, 20.5, -30, 709.7, -740),
			Special: [][]float64{{0, 1}, {negZero, 1}, {inf, inf}, {-inf, 0}, {nan, nan},
				{709.782712893384, 1.7976931348622732e308},
				{709.782712893385, inf}, {-745.2, 0}, {tiny, 1}},
		},
		{
			ID: Expm1, Name: "expm1", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "`exp x - 1` without the loss of digits for `x` near 0.\nexpm1 1e-10 -- " +
				"1.00000000005e-10",
			Float: kernel.Expm1.Nearest,
			Interval: tier.Fun1{Double: interval.Expm1, Multi: (*ball.Ball).Expm1,
				Complex: rectangle.Expm1},
			Feature:  between(Widest, -40, 710),
			Partials: []string{"exp x"},
			Germ:     "exp x - 1",
			Samples:  points(1, -1, 1e-10, -1e-10, 0.3, 20.5, -30, 709.7),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, inf}, {-inf, -1}, {nan, nan},
				{tiny, tiny}, {-800, -1}, {710, inf}},
		},
		{
			ID: Exp2, Name: "exp2", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc:   "2 to the power `x`.\nexp2 0.5 -- 1.4142135623730951",
			Float: kernel.Exp2.Nearest,
			Interval: tier.Fun1{Double: interval.Exp2, Multi: (*ball.Ball).Exp2,
				Complex: rectangle.Exp2},
			Feature:  between(Widest, -1076, 1024),
			Partials: []string{"r * log 2"},
			Germ:     "exp (x * log 2)",
			Samples:  points(0.5, -1, 1e-10, 10.25, -30.1, 1023.9, -1060),
			Special: [][]float64{{0, 1}, {10, 1024}, {-1074, tiny}, {1024, inf}, {-1076, 0},
				{inf, inf}, {-inf, 0}, {nan, nan}},
		},
		{
			ID: Log, Name: "log", Params: []string{"x"}, Scheme: real1,
			Doc: "The natural logarithm. Minus infinity at 0 and NaN below.\nlog 2 -- " +
				"0.6931471805599453",
			Float:    kernel.Log.Nearest,
			Interval: logFun,
			Partials: []string{"1 / x"},
			Domain:   "x > 0", Singular: "x",
			Samples: points(2, 0.5, 1.0000001, 0.9999999, 1e-300, 1e300, 1e-310),
			Outside: points(0, -1),
			Special: [][]float64{{1, 0}, {0, -inf}, {negZero, -inf}, {-1, nan}, {inf, inf},
				{-inf, nan}, {nan, nan}, {tiny, -744.4400719213812}},
		},
		{
			ID: Log1p, Name: "log1p", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "`log (1 + x)` without the loss of digits for `x` near 0.\nlog1p 1e-10 -- " +
				"9.999999999500001e-11",
			Float: kernel.Log1p.Nearest,
			Interval: tier.Fun1{Double: interval.Log1p, Multi: (*ball.Ball).Log1p,
				Complex: rectangle.Log1p},
			Partials: []string{"1 / (1 + x)"},
			Domain:   "x > -1",
			Germ:     "log (1 + x)",
			Samples:  points(1, 1e-10, -1e-10, -0.5, -0.999999, 0.3, 1e300),
			Outside:  points(-1, -2),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {-1, -inf}, {-2, nan}, {inf, inf},
				{nan, nan}, {tiny, tiny}},
		},
		{
			ID: Log2, Name: "log2", Params: []string{"x"}, Scheme: real1,
			Doc:   "The logarithm to base 2, exact at powers of 2.\nlog2 8 -- 3",
			Float: kernel.Log2.Nearest,
			Interval: tier.Fun1{Double: interval.Log2, Multi: (*ball.Ball).Log2,
				Complex: rectangle.Log2},
			Partials: []string{"1 / (x * log 2)"},
			Domain:   "x > 0", Singular: "x",
			Germ:    "log x / log 2",
			Samples: points(10, 0.3, 1.0000001, 0.9999999, 1e-300, 1e300, 1e-310),
			Outside: points(0, -1),
			Special: [][]float64{{1, 0}, {8, 3}, {0, -inf}, {-1, nan}, {inf, inf}, {nan, nan},
				{tiny, -1074}, {0x1p1023, 1023}},
		},
		{
			ID: Log10, Name: "log10", Params: []string{"x"}, Scheme: real1,
			Doc:   "The logarithm to base 10.\nlog10 1000 -- 3",
			Float: kernel.Log10.Nearest,
			Interval: tier.Fun1{Double: interval.Log10, Multi: (*ball.Ball).Log10,
				Complex: rectangle.Log10},
			Partials: []string{"1 / (x * log 10)"},
			Domain:   "x > 0", Singular: "x",
			Germ:    "log x / log 10",
			Samples: points(2, 0.3, 1.0000001, 0.9999999, 1e-300, 1e300, 1e-310),
			Outside: points(0, -1),
			Special: [][]float64{{1, 0}, {1000, 3}, {1e22, 22}, {0, -inf}, {-1, nan}, {inf, inf},
				{nan, nan}},
		},
	}
}
