package prim

import (
	"math"

	"github.com/fluxion-lang/fluxion/internal/interval"
	"github.com/fluxion-lang/fluxion/internal/interval/ball"
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/interval/rectangle"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// arithmetic returns the overloaded operators. Their Float column is the action on a real. On
// tuples, records and arrays they act componentwise.
func arithmetic() []*Prim {
	vec, num := param("a", types.Vec), param("a", types.Num)
	return []*Prim{
		{
			ID: Add, Name: "+", Leaf: Add, Neutral: Neutral{0, true, true}, SignRule: IfAll,
			Cost: 1, Params: []string{"x", "y"}, Scheme: endo(types.Add, 2),
			Doc: "The sum, componentwise on tuples, records and arrays. A sum of `Int`s " +
				"beyond 64 bits is an error.\n2 + 3 -- 5",
			Float:    func(x, y float64) float64 { return x + y },
			Interval: tier.Fun2{Double: interval.Add, Multi: (*ball.Ball).Add},
			Int:      addInt,
			Partials: []string{"1", "1"},
			Samples:  [][]float64{{2, 3}, {-1.5, 0.25}, {1e10, -1e-10}, {0, 0}},
			Special: [][]float64{{inf, -inf, nan}, {negZero, negZero, negZero}, {negZero, 0, 0},
				{largest, largest, inf}, {nan, 1, nan}},
		},
		{
			ID: Sub, Name: "-", Leaf: Sub, Neutral: Neutral{0, false, true}, Cost: 1,
			Params: []string{"x", "y"}, Scheme: endo(types.Add, 2),
			Doc: "The difference, componentwise on tuples, records and arrays. After an " +
				"operand `-` is always binary: `f -x` subtracts.\n2 - 3 -- -1",
			Float:    func(x, y float64) float64 { return x - y },
			Interval: tier.Fun2{Double: interval.Sub, Multi: (*ball.Ball).Sub},
			Int:      subInt,
			Partials: []string{"1", "-1"},
			Samples:  [][]float64{{2, 3}, {-1.5, 0.25}, {1e10, -1e-10}, {0, 0}},
			Special: [][]float64{{inf, inf, nan}, {negZero, 0, negZero}, {1, 1, 0},
				{-largest, largest, -inf}},
		},
		{
			ID: Neg, Name: "neg", Leaf: Neg, Cost: 1, Params: []string{"x"},
			Scheme: endo(types.Add, 1),
			Doc: "Unary minus as a function, componentwise on tuples, records and " +
				"arrays.\nneg 2 -- -2",
			Float:    func(x float64) float64 { return -x },
			Interval: tier.Fun1{Double: interval.Neg, Multi: exactly((*ball.Ball).Neg)},
			Int:      negInt,
			Partials: []string{"-1"},
			Samples:  points(2, -0.5, 1e300, 1e-300),
			Special:  [][]float64{{0, negZero}, {negZero, 0}, {inf, -inf}, {nan, nan}},
		},
		{
			ID: Mul, Name: "*", Leaf: Mul, Neutral: Neutral{1, true, true}, SignRule: Product,
			Cost: 1, Params: []string{"x", "y"}, Scheme: endo(types.Num, 2),
			Doc: "The product, element by element on arrays. To multiply a tuple, record or " +
				"array by a number use `scale` or `.*`; the product of matrices is " +
				"`linalg.matMul`.\n[1, 2] * [3, 4] -- [3, 8]",
			Float:    func(x, y float64) float64 { return x * y },
			Interval: tier.Fun2{Double: interval.Mul, Multi: (*ball.Ball).Mul},
			Int:      mulInt,
			Partials: []string{"y", "x"},
			Samples:  [][]float64{{2, 3}, {-1.5, 0.25}, {1e150, 1e-150}, {0, 4}},
			Special: [][]float64{{0, inf, nan}, {negZero, 3, negZero}, {1e200, 1e200, inf},
				{tiny, 0.5, 0}},
		},
		{
			ID: Quo, Name: "/", Leaf: Quo, Neutral: Neutral{1, false, true}, SignRule: IfAll,
			Cost: 1, Params: []string{"x", "y"}, Scheme: endo(types.Num|types.Vec, 2),
			Doc: "The quotient of two reals, element by element on arrays. For integers " +
				"there are `div` and `mod`.\n1 / 4 -- 0.25",
			Float:    func(x, y float64) float64 { return x / y },
			Interval: tier.Fun2{Double: interval.Div, Multi: (*ball.Ball).Quo},
			Feature:  &Feature{Arg: 1, Within: 2, Size: OfItself},
			Partials: []string{"1 / y", "-(r / y)"},
			Domain:   "y > 0 || y < 0", Singular: "y",
			Samples: [][]float64{{1, 3}, {-2.5, 0.5}, {1e-3, -7}, {3, 1e-5}},
			Outside: [][]float64{{1, 0}, {0, 0}},
			Special: [][]float64{{1, 0, inf}, {1, negZero, -inf}, {0, 0, nan}, {inf, inf, nan},
				{1, inf, 0}, {-1, inf, negZero}},
		},
		{
			ID: PowInt, Name: "^", SignRule: Power, Leaf: PowInt, Neutral: Neutral{1, false, true},
			Params: []string{"x", "n"}, Scheme: forAll(types.Funs(num, num, types.Int)),
			Doc: "The integer power, of each element of an array. `x^0` is 1 for every `x`; a " +
				"negative exponent gives the reciprocal of a `Real` and is an error for an " +
				"`Int`.\n" +
				"2^10 -- 1024",
			Float:    kernel.PowInt,
			Interval: powFun,
			Int:      powInt,
			// Without the first test, x^0 would have the slope 0 · ∞ at 0. Without the second,
			// x^(n-1) could be 0 where x^n is not.
			Feature: &Feature{Within: 2, Size: OfPower},
			Partials: []string{
				"if n == 0 then 0 else if n > 0 then real n * x^(n - 1) else real n * r / x"},
			Domain: "n >= 0 || x > 0 || x < 0", Singular: "x",
			Samples: [][]float64{{2, 10}, {-1.5, 3}, {0.5, -4}, {3, 0}, {0, 0}, {0, 1}, {0, 2},
				{1.0000001, 1000}, {-7, 1}},
			Outside: [][]float64{{0, -1}, {0, -2}},
			Special: [][]float64{{0, 0, 1}, {nan, 0, 1}, {inf, 0, 1}, {negZero, 3, negZero},
				{negZero, 2, 0}, {negZero, -3, -inf},
				{0, -2, inf}, {inf, -1, 0}, {-inf, 3, -inf}, {-1, 1 << 62, 1}, {2, 1023, 0x1p1023},
				{2, -1074, tiny}, {2, -1075, 0}, {2, 1024, inf},
				{-2, -1074, tiny}, {nan, 1, nan}},
		},
		{
			ID: Abs, Name: "abs", Leaf: Abs, SignRule: NeverNegative, Cost: 1,
			Params: []string{"x"}, Scheme: endo(types.Num, 1),
			Doc: "The absolute value, of each element of an array. Its derivative at 0 is " +
				"the interval from -1 to 1, of which floats take the middle.\nabs (-2) -- 2",
			Float: math.Abs,
			Interval: tier.Fun1{Double: interval.Abs, Multi: exactly((*ball.Ball).Abs),
				Complex: rectangle.Nowhere},
			Int:      absInt,
			Partials: []string{"sign x"},
			Kink:     "x = 0", KinkRule: "the Clarke derivative is [-1, 1]", KinkKind: AbsKink,
			Samples: points(2, -0.5, 1e-300, -1e300),
			Special: [][]float64{{negZero, 0}, {-inf, inf}, {nan, nan}},
		},
		{
			ID: Max, Name: "max", Leaf: Max, SignRule: IfAny, Cost: 1, Params: []string{"x", "y"},
			Scheme: endo(types.Num, 2),
			Doc: "The larger of two numbers, element by element on arrays; `maximum xs` is " +
				"the largest element of one. NaN if either is NaN.\nmax 2 3 -- 3",
			Float: func(x, y float64) float64 { return max(x, y) },
			Interval: tier.Fun2{Double: interval.Max, Multi: (*ball.Ball).Max,
				Complex: rectangle.Neither},
			Int: maxInt,
			Partials: []string{"if x > y then 1 else if x < y then 0 else 0.5",
				"if x > y then 0 else if x < y then 1 else 0.5"},
			Kink: "x = y", KinkRule: "the Clarke derivative is every (t, 1 - t) with t in [0, 1]",
			KinkKind: MaxKink,
			Samples:  [][]float64{{2, 3}, {1, -1}, {-1e300, 1e-300}},
			Special: [][]float64{{negZero, 0, 0}, {0, negZero, 0}, {inf, nan, nan}, {nan, 1, nan},
				{-inf, 1, 1}},
		},
		{
			ID: Min, Name: "min", Leaf: Min, SignRule: IfAll, Cost: 1, Params: []string{"x", "y"},
			Scheme: endo(types.Num, 2),
			Doc: "The smaller of two numbers, element by element on arrays; `minimum xs` is " +
				"the smallest element of one. NaN if either is NaN.\nmin 2 3 -- 2",
			Float: func(x, y float64) float64 { return min(x, y) },
			Interval: tier.Fun2{Double: interval.Min, Multi: (*ball.Ball).Min,
				Complex: rectangle.Neither},
			Int: minInt,
			Partials: []string{"if x < y then 1 else if x > y then 0 else 0.5",
				"if x < y then 0 else if x > y then 1 else 0.5"},
			Kink: "x = y", KinkRule: "the Clarke derivative is every (t, 1 - t) with t in [0, 1]",
			KinkKind: MinKink,
			Samples:  [][]float64{{2, 3}, {1, -1}, {-1e300, 1e-300}},
			Special: [][]float64{{negZero, 0, negZero}, {0, negZero, negZero}, {-inf, nan, nan},
				{nan, 1, nan}, {inf, 1, 1}},
		},
		{
			ID: Scale, Name: "scale", Leaf: Mul, SignRule: Product, Params: []string{"c", "v"},
			Scheme: forAll(types.Funs(vec, types.Real, vec)),
			Doc: "Multiplies every real in a tuple, record or array by a number. The " +
				"operator `.*` is the same function.\nscale 2 (1, 3) -- (2, 6)",
			Float:    func(c, v float64) float64 { return c * v },
			Interval: tier.Fun2{Double: interval.Mul, Multi: (*ball.Ball).Mul},
			Partials: []string{"v", "c"},
			Samples:  [][]float64{{2, 3}, {-1.5, 0.25}, {0, 4}},
			Special:  [][]float64{{0, inf, nan}, {negZero, 3, negZero}},
		},
		{
			ID: Inner, Name: "inner", SignRule: Product, Params: []string{"u", "v"},
			Scheme: forAll(types.Funs(types.Real, vec, vec)),
			Doc: "The inner product: the sum of the products of corresponding reals.\ninner " +
				"(1, 2) (3, 4) -- 11",
			Float:    func(u, v float64) float64 { return u * v },
			Interval: tier.Fun2{Double: interval.Mul, Multi: (*ball.Ball).Mul},
			Partials: []string{"v", "u"},
			Samples:  [][]float64{{2, 3}, {-1.5, 0.25}, {0, 4}},
			Special:  [][]float64{{0, inf, nan}},
		},
		{
			ID: ZeroLike, Name: "zeroLike", Leaf: Zero, SignRule: NeverNegative,
			Params: []string{"v"}, Scheme: endo(types.Vec, 1),
			Doc:      "A value of the same shape with every real 0.\nzeroLike (1, 2) -- (0, 0)",
			Float:    func(float64) float64 { return 0 },
			Partials: []string{"0"},
			Samples:  points(3, -1),
			Special:  [][]float64{{nan, 0}, {inf, 0}, {negZero, 0}},
		},
		{
			ID: Zero, Name: "zero", Scheme: forAll(vec),
			Doc: "The zero of a type whose shape is fixed; `zeroLike` serves the others.\n(1, " +
				"2) + zero -- (1, 2)",
			Float: Constant(0),
		},
	}
}
