package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// smooth returns compositions that have a row of their own, because written out they would
// overflow or lose all their digits.
func smooth() []*Prim {
	return []*Prim{
		{
			ID: Sigmoid, Name: "sigmoid", SignRule: NeverNegative, Params: []string{"x"},
			Scheme: real1,
			Doc: "The logistic function, `1 / (1 + exp (-x))`, without overflow.\nsigmoid 0 " +
				"-- 0.5",
			Float: kernel.Sigmoid.Nearest,
			Interval: tier.Fun1{Double: interval.Sigmoid, Multi: (*ball.Ball).Sigmoid,
				Complex: rectangle.Sigmoid},
			// 1 - r cancels if r is near 1.
			Feature:  between(Widest, -746, 40),
			Partials: []string{"r * sigmoid (-x)"},
			Germ:     "1 / (1 + exp (-x))",
			Samples:  points(0, 1, -0.5, 10, -20, 30, -700),
			Special: [][]float64{{negZero, 0.5}, {inf, 1}, {-inf, 0}, {nan, nan}, {800, 1},
				{-800, 0}},
		},
		{
			ID: Softplus, Name: "softplus", SignRule: NeverNegative, Params: []string{"x"},
			Scheme: real1,
			Doc: "`log (1 + exp x)` without overflow: a smooth version of `max 0 " +
				"x`.\nsoftplus 0 -- 0.6931471805599453",
			Float: kernel.Softplus.Nearest,
			Interval: tier.Fun1{Double: interval.Softplus, Multi: (*ball.Ball).Softplus,
				Complex: rectangle.Softplus},
			Feature:  between(Widest, -746, 40),
			Partials: []string{"sigmoid x"},
			Germ:     "log (1 + exp x)",
			Samples:  points(0, 1, -0.5, 10, -20, -700, 800),
			Special:  [][]float64{{inf, inf}, {-inf, 0}, {nan, nan}, {800, 800}, {-800, 0}},
		},
		{
			ID: Logaddexp, Name: "logaddexp", Params: []string{"x", "y"}, Scheme: real2,
			Doc: "`log (exp x + exp y)` without overflow: adds numbers that are known by " +
				"their logarithms.\nlogaddexp 0 0 -- 0.6931471805599453",
			Float:    kernel.LogAddExp,
			Interval: logAddExpFun,
			// exp (x - r) would lose the digits of a large x.
			Partials: []string{"sigmoid (x - y)", "sigmoid (y - x)"},
			Samples: [][]float64{{0, 0}, {1, 2}, {-1, -0.5}, {1000, 1000.5}, {-1000, -990},
				{5, -40}, {-0.7, -0.68}},
			Special: [][]float64{{inf, inf, inf}, {-inf, -inf, -inf}, {inf, -inf, inf},
				{-inf, inf, inf}, {-inf, 3, 3}, {3, -inf, 3}, {inf, 0, inf}, {nan, 0, nan},
				{0, nan, nan},
				{1000, -1000, 1000}},
		},
		{
			ID: Hypot, Name: "hypot", SignRule: NeverNegative, Params: []string{"x", "y"},
			Scheme: real2,
			Doc: "The length of the vector (`x`, `y`), without overflow. Its derivative at " +
				"the origin is the unit disc, of which floats take the centre.\nhypot 3 4 -- 5",
			Float: kernel.Hypot,
			Interval: tier.Fun2{Double: interval.Hypot, Multi: (*ball.Ball).Hypot,
				Complex: rectangle.Hypot},
			// x / r, or NaN where r is NaN. Where x dominates it is near ±1, and its own
			// derivative y² / r³ would be a difference that cancels.
			Partials: []string{
				"if r <= 0 then 0 else if y * y < 0.36 * x * x then sign x / hypot 1 (y / x) " +
					"else x / r",
				"if r <= 0 then 0 else if x * x < 0.36 * y * y then sign y / hypot 1 (x / y) " +
					"else y / r",
			},
			Kink: "hypot x y = 0", KinkRule: "the Clarke derivative is the unit disc",
			KinkKind: NormKink,
			Samples: [][]float64{{3, 4}, {-1, 1e-3}, {1e200, 1e200}, {3e-200, -4e-200}, {0, 2},
				{1, 1e-20}},
			Special: [][]float64{{0, 0, 0}, {negZero, negZero, 0}, {inf, nan, inf},
				{nan, -inf, inf}, {nan, 1, nan}, {-inf, 0, inf}, {tiny, 0, tiny},
				{largest, largest, inf},
				{3 * tiny, 4 * tiny, 5 * tiny}},
		},
	}
}
