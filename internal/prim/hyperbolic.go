package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
)

// hyperbolic returns the hyperbolic functions and their inverses.
func hyperbolic() []*Prim {
	return []*Prim{
		{
			ID: Sinh, Name: "sinh", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "The hyperbolic sine, `(exp x - exp (-x)) / 2`.\nsinh 1 -- " +
				"1.1752011936438014",
			Float: kernel.Sinh.Nearest,
			Interval: tier.Fun1{Double: interval.Sinh, Multi: (*ball.Ball).Sinh,
				Complex: rectangle.Sinh},
			Feature:  between(Widest, -711, 711),
			Partials: []string{"cosh x"},
			Germ:     "(exp x - exp (-x)) / 2",
			Samples:  points(1, -0.5, 1e-8, 20, -300, 710),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, inf}, {-inf, -inf}, {nan, nan},
				{711, inf}, {-711, -inf}, {tiny, tiny}},
		},
		{
			ID: Cosh, Name: "cosh", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc: "The hyperbolic cosine, `(exp x + exp (-x)) / 2`.\ncosh 1 -- " +
				"1.5430806348152437",
			Float: kernel.Cosh,
			Interval: tier.Fun1{Double: interval.Cosh, Multi: (*ball.Ball).Cosh,
				Complex: rectangle.Cosh},
			Feature:  between(Widest, -711, 711),
			Partials: []string{"sinh x"},
			Germ:     "(exp x + exp (-x)) / 2",
			Samples:  points(1, -0.5, 1e-8, 20, -300, 710),
			Special: [][]float64{{0, 1}, {negZero, 1}, {inf, inf}, {-inf, inf}, {nan, nan},
				{711, inf}, {-711, inf}},
		},
		{
			ID: Tanh, Name: "tanh", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc:   "The hyperbolic tangent, `sinh x / cosh x`.\ntanh 1 -- 0.7615941559557649",
			Float: kernel.Tanh.Nearest,
			Interval: tier.Fun1{Double: interval.Tanh, Multi: (*ball.Ball).Tanh,
				Complex: rectangle.Tanh},
			// 1 - r² cancels if r is near 1; then s is (1 - |r|) / 2.
			Feature: between(4, -20, 20),
			Partials: []string{"if r * r < 0.5 then 1 - r * r else let s = sigmoid (if r > 0 " +
				"then -2 * x else 2 * x) in 4 * s * (1 - s)"},
			Germ: "if x > 0 then let e = exp (-2 * x) in (1 - e) / (1 + e) else if x < 0 then " +
				"-(tanh (-x)) else 0 / 0",
			Samples: points(1, -0.5, 1e-8, 5, -20, 30),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, 1}, {-inf, -1}, {nan, nan},
				{30, 1}, {tiny, tiny}},
		},
		{
			ID: Asinh, Name: "asinh", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc:   "The number whose hyperbolic sine is `x`.\nasinh 1 -- 0.881373587019543",
			Float: kernel.Asinh.Nearest,
			Interval: tier.Fun1{Double: interval.Asinh, Multi: (*ball.Ball).Asinh,
				Complex: rectangle.Asinh},
			Partials: []string{"1 / hypot 1 x"},
			Germ: "if x > 0 then log (x + sqrt (1 + x * x)) else if x < 0 then -(asinh (-x)) " +
				"else 0 / 0",
			Samples: points(1, -0.5, 1e-8, 20, -1e300, 1e8),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, inf}, {-inf, -inf}, {nan, nan},
				{tiny, tiny}},
		},
		{
			ID: Acosh, Name: "acosh", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc: "The number at or above 0 whose hyperbolic cosine is `x`.\nacosh 2 -- " +
				"1.3169578969248168",
			Float: kernel.Acosh.Nearest,
			Interval: tier.Fun1{Double: interval.Acosh, Multi: (*ball.Ball).Acosh,
				Complex: rectangle.Acosh},
			Partials: []string{"1 / (sqrt (x - 1) * sqrt (x + 1))"},
			Domain:   "x >= 1",
			Samples:  points(2, 1.5, 1.0000001, 20, 1e300, 1e8),
			Outside:  points(0.5, -2),
			Special:  [][]float64{{1, 0}, {0.5, nan}, {inf, inf}, {-inf, nan}, {nan, nan}},
		},
		{
			ID: Atanh, Name: "atanh", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "The number whose hyperbolic tangent is `x`.\natanh 0.5 -- " +
				"0.5493061443340549",
			Float: kernel.Atanh.Nearest,
			Interval: tier.Fun1{Double: interval.Atanh, Multi: (*ball.Ball).Atanh,
				Complex: rectangle.Atanh},
			Partials: []string{"1 / ((1 - x) * (1 + x))"},
			Domain:   "x > -1 && x < 1",
			Samples:  points(0.5, -0.3, 1e-8, 0.999999, -0.99),
			Outside:  points(1, -1, 2),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {1, inf}, {-1, -inf}, {1.5, nan},
				{nan, nan}, {tiny, tiny}},
		},
	}
}
