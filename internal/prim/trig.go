package prim

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// trigonometry returns the circular functions and their inverses.
func trigonometry() []*Prim {
	return []*Prim{
		{
			ID: Pi, Name: "pi", Scheme: constant,
			Doc: "The ratio of a circle's circumference to its diameter.\npi -- " +
				"3.141592653589793",
			Float:    Constant(math.Pi),
			Interval: tier.Fun0{Double: interval.Pi, Multi: (*ball.Ball).Pi},
		},
		{
			ID: Sin, Name: "sin", Params: []string{"x"}, Scheme: real1,
			Doc: "The sine of an angle in radians, accurate for angles of any size.\nsin 1 " +
				"-- 0.8414709848078965",
			Float: kernel.Sin,
			Interval: tier.Fun1{Double: interval.Sin, Multi: (*ball.Ball).Sin,
				Complex: rectangle.Sin},
			Partials: []string{"cos x"},
			Samples:  points(1, -0.5, 3.14159265, 1e-8, 100, -1e5, 1e15, 1e22),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {math.Pi, 1.2246467991473532e-16},
				{inf, nan}, {-inf, nan}, {nan, nan}, {tiny, tiny}, {1e22, -0.8522008497671888}},
		},
		{
			ID: Cos, Name: "cos", Params: []string{"x"}, Scheme: real1,
			Doc: "The cosine of an angle in radians, accurate for angles of any size.\ncos " +
				"1 -- 0.5403023058681398",
			Float: kernel.Cos,
			Interval: tier.Fun1{Double: interval.Cos, Multi: (*ball.Ball).Cos,
				Complex: rectangle.Cos},
			Partials: []string{"-(sin x)"},
			Samples:  points(1, -0.5, 1.57079632, 1e-8, 100, -1e5, 1e15, 1e22),
			Special: [][]float64{{0, 1}, {negZero, 1}, {math.Pi / 2, 6.123233995736766e-17},
				{inf, nan}, {-inf, nan}, {nan, nan}},
		},
		{
			ID: Tan, Name: "tan", Params: []string{"x"}, Scheme: real1,
			Doc: "The tangent of an angle in radians, accurate for angles of any size.\ntan " +
				"1 -- 1.5574077246549023",
			Float: kernel.Tan,
			Interval: tier.Fun1{Double: interval.Tan, Multi: (*ball.Ball).Tan,
				Complex: rectangle.Tan},
			Feature:  between(1, math.Inf(-1), math.Inf(1)),
			Partials: []string{"1 + r * r"},
			Domain:   "cos x > 0 || cos x < 0",
			Germ:     "sin x / cos x",
			Samples:  points(1, -0.5, 1.57, 1e-8, 100, -1e5, 3.1415),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {math.Pi / 2, 16331239353195370},
				{inf, nan}, {nan, nan}, {tiny, tiny}},
		},
		{
			ID: Asin, Name: "asin", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc:   "The angle in [-pi/2, pi/2] whose sine is `x`.\nasin 1 -- 1.5707963267948966",
			Float: kernel.Asin.Nearest,
			Interval: tier.Fun1{Double: interval.Asin, Multi: (*ball.Ball).Asin,
				Complex: rectangle.Asin},
			Partials: []string{"1 / sqrt ((1 - x) * (1 + x))"},
			Domain:   "x >= -1 && x <= 1",
			Samples:  points(0.5, -0.3, 1e-8, 0.999999, -0.99),
			Outside:  points(1.5, -2),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {1, math.Pi / 2}, {-1, -math.Pi / 2},
				{1.5, nan}, {nan, nan}, {tiny, tiny}},
		},
		{
			ID: Acos, Name: "acos", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc:   "The angle in [0, pi] whose cosine is `x`.\nacos 0 -- 1.5707963267948966",
			Float: kernel.Acos.Nearest,
			Interval: tier.Fun1{Double: interval.Acos, Multi: (*ball.Ball).Acos,
				Complex: rectangle.Acos},
			Partials: []string{"-(1 / sqrt ((1 - x) * (1 + x)))"},
			Domain:   "x >= -1 && x <= 1",
			Samples:  points(0.5, -0.3, 1e-8, 0.999999, -0.99),
			Outside:  points(1.5, -2),
			Special:  [][]float64{{1, 0}, {0, math.Pi / 2}, {-1, math.Pi}, {-1.5, nan}, {nan, nan}},
		},
		{
			ID: Atan, Name: "atan", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "The angle in (-pi/2, pi/2) whose tangent is `x`.\natan 1 -- " +
				"0.7853981633974483",
			Float: kernel.Atan.Nearest,
			Interval: tier.Fun1{Double: interval.Atan, Multi: (*ball.Ball).Atan,
				Complex: rectangle.Atan},
			// x * x could be out of range.
			Partials: []string{"if x > 1 || x < -1 then 1 / (x + 1 / x) / x else 1 / (1 + x * x)"},
			Germ: "if x > 0 then pi / 2 - atan (1 / x) else if x < 0 then -(pi / 2) - atan " +
				"(1 / x) else 0 / 0",
			Samples: points(1, -0.3, 1e-8, 10, -1e5),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, math.Pi / 2},
				{-inf, -math.Pi / 2}, {nan, nan}, {tiny, tiny}},
		},
		{
			ID: Atan2, Name: "atan2", Params: []string{"y", "x"}, Scheme: real2,
			Doc: "The angle in [-pi, pi] of the point with abscissa `x` and ordinate `y`; mind " +
				"the order. It jumps across the negative abscissa, " +
				"where the sign of a zero `y` decides.\natan2 1 (-1) -- 2.356194490192345",
			Float:    kernel.Atan2,
			Interval: tier.Fun2{Double: interval.Atan2, Multi: (*ball.Ball).Atan2},
			// Dividing twice by the distance cannot overflow; dividing by its square can. Across
			// the jump there is no derivative, but along it there is.
			Partials: []string{
				"if y > 0 || y < 0 || x > 0 then x / hypot x y / hypot x y else 0 / 0",
				"-(y / hypot x y / hypot x y)",
			},
			Domain: "x > 0 || y > 0 || y < 0",
			Samples: [][]float64{{1, 1}, {1, -1}, {-2, -3}, {-0.5, 2}, {1e-8, 1}, {3e200, 4e200},
				{2, 1e-5}},
			Outside: [][]float64{{0, 0}, {0, -1}},
			Special: [][]float64{{0, 1, 0}, {negZero, 1, negZero}, {0, -1, math.Pi},
				{negZero, -1, -math.Pi}, {0, 0, 0}, {negZero, negZero, -math.Pi},
				{0, negZero, math.Pi},
				{1, 0, math.Pi / 2}, {-1, 0, -math.Pi / 2}, {1, inf, 0}, {1, -inf, math.Pi},
				{inf, 1, math.Pi / 2}, {inf, inf, math.Pi / 4},
				{-inf, -inf, -3 * math.Pi / 4}, {nan, 1, nan}, {1, nan, nan}},
		},
	}
}
