package prim

import (
	"fmt"
	"math"
	"strings"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/family"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// notPole is a condition that holds where the gamma function and related ones have no pole:
// everywhere but at 0, -1, -2, ….
const notPole = "x > 0 || x > real (floor x)"

// The derivatives of erfcx.

func erfcxDerivative(n int64, x float64) float64 {
	return family.Erfcx.Float([]int64{n}, []float64{x})
}

func erfcxInterval(x interval.Interval, n int64) interval.Interval {
	return family.Erfcx.Double([]int64{n}, []interval.Interval{x})
}

func erfcxBall(z, x *ball.Ball, n int64, prec uint) *ball.Ball {
	return z.Set(family.Erfcx.Multi([]int64{n}, []*ball.Ball{x}, prec))
}

func erfcxMulti(z, x *ball.Ball, prec uint) *ball.Ball { return erfcxBall(z, x, 0, prec) }

// erfcxSlope returns the text of the derivative of erfcx for doubles x of 2 or more: that of the
// sum of Note [Derivatives of erfcx] of package kernel, in z = 1/x², which is accurate at every
// order.
func erfcxSlope() string {
	var sum strings.Builder
	for k := kernel.ErfcxNodes - 1; k >= 0; k-- {
		t := (float64(k) + 0.5) * kernel.ErfcxStep
		weight := 2 * kernel.ErfcxStep / math.Pi * kernel.Exp.Nearest(-t*t)
		fmt.Fprintf(&sum, "let a = %v * z in let b = 1 + a in "+
			"let s = s + %v * (1 - a) / (b * b) in ", t*t, weight)
	}
	return "let y = if x < 2 then 2 else x in let z = 1 / (y * y) in let s = 0 in " +
		sum.String() + "-(z * s)"
}

// special returns the special functions.
func special() []*Prim {
	return []*Prim{
		{
			ID: Erf, Name: "erf", SignRule: IfAll, Params: []string{"x"}, Scheme: real1,
			Doc: "The error function, 2/√π times the integral of `exp (-(t^2))` from 0 to " +
				"`x`.\nerf 1 -- 0.8427007929497149",
			Float: kernel.Erf.Nearest,
			Interval: tier.Fun1{Double: interval.Erf, Multi: (*ball.Ball).Erf,
				Complex: rectangle.Erf},
			Feature:  between(4, -6, 6),
			Partials: []string{"2 / sqrt pi * exp (-(x * x))"},
			Germ:     "if x > 0 then 1 - erfc x else if x < 0 then erfc (-x) - 1 else 0 / 0",
			Samples:  points(1, -0.5, 1e-8, 0.9, 3, -5),
			Special: [][]float64{{0, 0}, {negZero, negZero}, {inf, 1}, {-inf, -1},
				{nan, nan}, {7, 1}},
		},
		{
			ID: Erfc, Name: "erfc", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc: "`1 - erf x` without the loss of digits for large `x`.\nerfc 5 -- " +
				"1.537459794428035e-12",
			Float: kernel.Erfc.Nearest,
			Interval: tier.Fun1{Double: interval.Erfc, Multi: (*ball.Ball).Erfc,
				Complex: rectangle.Erfc},
			Feature:  between(4, -6, 28),
			Partials: []string{"-(2 / sqrt pi * exp (-(x * x)))"},
			Germ: "if x > 0 then exp (-(x * x)) * erfcx x else if x < 0 then 2 - erfc (-x) else " +
				"0 / 0",
			Samples: points(1, -0.5, 1e-8, 0.9, 3, -5, 10, 20, 26),
			Special: [][]float64{{0, 1}, {inf, 0}, {-inf, 2}, {nan, nan}, {-7, 2}, {28, 0}},
		},
		{
			ID: Erfcx, Name: "erfcx", SignRule: NeverNegative, Params: []string{"x"}, Scheme: real1,
			Doc: "`exp (x^2) * erfc x`, without overflow or loss of digits. For large `x` it is " +
				"about `1 / (x * sqrt pi)`, where `erfc x` is 0 on doubles.\nerfcx 100 -- " +
				"0.005641613782989433",
			Float: kernel.Erfcx.Nearest,
			Interval: tier.Fun1{Double: interval.Erfcx, Multi: erfcxMulti,
				Complex: rectangle.Erfcx},
			Feature: between(4, -27, 6),
			// The first rule cancels for large x; the two meet where no program looks by design.
			Partials: []string{"if x < 2.0313 then 2 * x * r - 2 / sqrt pi else " +
				"builtin.erfcxDerivative 1 x"},
			Germ:    "if x < 0 then 2 * exp (x * x) - erfcx (-x) else 0 / 0",
			Samples: points(1, -0.5, 1e-8, 0.9, 3, -5, 10, 28.5, 100, 1e10, -26),
			Special: [][]float64{{0, 1}, {negZero, 1}, {inf, 0}, {-inf, inf}, {nan, nan},
				{-27, inf}, {largest, 3.138408733985445e-309}},
		},
		{
			ID: ErfcxDerivative, Name: "erfcxDerivative", Hidden: true, Params: []string{"n", "x"},
			Scheme: types.Mono(types.Funs(types.Real, types.Int, types.Real)),
			Doc: "The `n`-th derivative of `erfcx`.\n" +
				"builtin.erfcxDerivative 1 100 -- -0.000056410497625993184",
			Float:    erfcxDerivative,
			Interval: tier.FunInt{Double: erfcxInterval, Multi: erfcxBall},
			Partials: []string{"builtin.erfcxDerivative (n + 1) x"},
			Domain:   "n >= 0",
			// The definition is for n = 1, which is the only order that the rule of erfcx names.
			Definition: erfcxSlope(), Regular: "n == 1 && x >= 2",
			Samples: [][]float64{{0, 1}, {0, -5}, {1, 3}, {1, -0.5}, {2, 3}, {3, 10}, {4, 2.5},
				{1, 1e10}, {2, 100}, {7, 0.9}},
			Outside: [][]float64{{-1, 1}},
			Special: [][]float64{{0, 0, 1}, {1, inf, negZero}, {2, inf, 0}, {1, -inf, -inf},
				{0, nan, nan}, {-1, 1, nan}},
		},
		{
			ID: Lgamma, Name: "lgamma", Params: []string{"x"}, Scheme: real1,
			Doc: "The logarithm of the absolute value of the gamma function; `exp (lgamma (n + " +
				"1))` is n factorial. Infinite at 0, -1, -2, ….\n" +
				"lgamma 10 -- 12.801827480081469",
			Float:    kernel.Lgamma,
			Interval: tier.Fun1{Double: interval.Lgamma, Multi: (*ball.Ball).Lgamma},
			Partials: []string{"digamma x"},
			Domain:   notPole,
			Samples: points(10, 0.5, 1e-8, 1.0001, 0.9999, 1.9999, 2.0001, 1.46, 100, 1e5, -0.5,
				-2.457, -9.9),
			Outside: points(0, -1, -20),
			Special: [][]float64{{1, 0}, {2, 0}, {0, inf}, {negZero, inf}, {-3, inf}, {inf, inf},
				{-inf, inf}, {nan, nan}, {3e305, inf}, {-1e300, inf}},
		},
		{
			ID: Digamma, Name: "digamma", Params: []string{"x"}, Scheme: real1,
			Doc: "The derivative of `lgamma`. NaN at -1, -2, …, where it has poles of both " +
				"signs.\ndigamma 1 -- -0.5772156649015329",
			Float:    digamma,
			Interval: tier.Fun1{Double: interval.Digamma, Multi: (*ball.Ball).Digamma},
			Partials: []string{"polygamma 1 x"},
			Domain:   notPole,
			Samples:  points(1, 0.5, 1e-8, 1.4616, 1.4617, 10, 1e5, -0.5, -0.504, -9.9),
			Outside:  points(0, -1, -20),
			Special: [][]float64{{0, -inf}, {negZero, inf}, {-1, nan}, {inf, inf}, {-inf, nan},
				{nan, nan}, {-1e300, nan}},
		},
		{
			ID: Polygamma, Name: "polygamma", Params: []string{"n", "x"},
			Scheme: types.Mono(types.Funs(types.Real, types.Int, types.Real)),
			Doc: "The `n`-th derivative of `digamma`, so that `polygamma 0` is `digamma`. NaN if " +
				"`n` is negative, " +
				"and at those of the poles 0, -1, -2, … where the two sides differ in " +
				"sign.\npolygamma 1 1 -- 1.6449340668482264",
			Float:    polygamma,
			Interval: tier.FunInt{Double: polygammaInterval, Multi: polygammaBall},
			Partials: []string{"polygamma (n + 1) x"},
			Domain:   "n >= 0 && (" + notPole + ")",
			Samples: [][]float64{{0, 1}, {1, 1}, {2, 0.5}, {3, 10}, {1, -0.5}, {2, -3.3},
				{2, -2.5}, {20, -2.5}, {5, 1e-3}, {10, 30}, {1, 1e5}, {4, -9.9}},
			Outside: [][]float64{{-1, 1}, {1, 0}, {1, -2}},
			Special: [][]float64{{1, 0, inf}, {1, negZero, inf}, {2, 0, -inf}, {2, negZero, inf},
				{1, -1, inf}, {2, -1, nan}, {1, inf, 0}, {2, inf, negZero}, {1, -inf, nan},
				{-1, 2, nan}, {1, nan, nan},
				{0, 0, -inf}, {0, inf, inf}},
		},
	}
}

// digamma adds to the kernel the infinity on either side of the pole at 0.
func digamma(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), -x)
	}
	return kernel.Digamma(x)
}

func polygamma(n int64, x float64) float64 {
	if n == 0 {
		return digamma(x)
	}
	return kernel.Polygamma(n, x)
}
