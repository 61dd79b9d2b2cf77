package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval/kernel"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// softmaxRule returns the derivative of softmax, a symmetric matrix, times v: r[i] * (v[i] -
// mean), where mean is that of v with the weights r. If one weight is near 1 the difference
// cancels, unless v has mean 0 up to rounding.
func softmaxRule(v string) string {
	return "let mean = inner r " + v + " in let e = [x - mean for x in " + v +
		"] in let rest = inner r e in " +
		"[r[i] * (e[i] - rest) for i < length r]"
}

// arrays returns the rows that take a whole array of reals.
func arrays() []*Prim {
	n := size("n")
	xs := []string{"xs"}
	fold := forAll(types.Funs(types.Real, array(n, types.Real)))
	return []*Prim{
		{
			ID: Logsumexp, Name: "logsumexp", Params: xs, Scheme: fold,
			Doc: "The logarithm of the sum of the exponentials, without overflow. Minus " +
				"infinity for an empty array.\nlogsumexp [1000, 1000] -- 1000.6931471805599",
			Float:       kernel.LogSumExp,
			Interval:    logsumexpFun,
			Pushforward: []string{"inner (softmax xs) dxs"},
			Pullback:    []string{"scale br (softmax xs)"},
			Samples: [][]float64{{1, 2, 3}, {0.5}, {1000, 1000, 990}, {-1000, -1001},
				{0, -50, -1e3, 3}},
		},
		{
			ID: Softmax, Name: "softmax", Params: xs,
			Scheme: forAll(types.Funs(array(n, types.Real), array(n, types.Real))),
			Doc: "The exponentials divided by their sum, without overflow: positive " +
				"weights whose sum is 1.\nsoftmax [0, 0] -- [0.5, 0.5]",
			Float:       kernel.Softmax,
			Interval:    softmaxFun,
			Pushforward: []string{softmaxRule("dxs")},
			Pullback:    []string{softmaxRule("br")},
			Samples: [][]float64{{1, 2, 3}, {0.5}, {1000, 1000, 990}, {-1000, -1001},
				{0, -50, -1e3, 3}, {0, 30}},
		},
		{
			ID: Norm, Name: "norm", SignRule: NeverNegative, Params: xs, Scheme: fold, Hidden: true,
			Doc: "The Euclidean length, without overflow or underflow. Its derivative at " +
				"the zero vector is the unit ball, of which floats take the centre.\nnorm [3, 4] " +
				"-- 5",
			Float:       kernel.Norm,
			Interval:    normFun,
			Pushforward: []string{"if r <= 0 then 0 else inner [x / r for x in xs] dxs"},
			Pullback:    []string{"if r <= 0 then [0 for x in xs] else [br * (x / r) for x in xs]"},
			Kink:        "builtin.norm xs = 0", KinkRule: "the Clarke derivative is the unit ball",
			KinkKind: NormKink,
			Samples: [][]float64{{3, 4}, {-2}, {1, 2, 3, 4, 5}, {3e200, 4e200},
				{3e-200, 0, -4e-200}},
		},
	}
}
