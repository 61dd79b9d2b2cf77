package prim

import (
	"github.com/fluxion-lang/fluxion/internal/interval/family"
	"github.com/fluxion-lang/fluxion/internal/interval/tier"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// families returns the special functions that Note [Families] describes. The prelude wraps the
// functions themselves, whose orders of differentiation are 0.
func families() []*Prim {
	const positive = "a > 0 && x >= 0"
	return []*Prim{
		familyRow(GammaP, "gammaP", family.GammaP, []string{"n", "m"}, []string{"a", "x"}, Prim{
			Doc: "The derivative, of order `n` by `a` and `m` by `x`, of the regularised lower " +
				"incomplete gamma function P(a, x).\n" +
				"builtin.gammaP 0 0 3 5 -- 0.8753479805169189",
			Domain: "n >= 0 && m >= 0 && " + positive,
			Samples: [][]float64{{0, 0, 3, 5}, {0, 0, 0.5, 0.01}, {1, 0, 3, 5}, {2, 0, 0.7, 2.5},
				{0, 1, 20, 17}, {1, 2, 3, 5}, {0, 3, 1, 0.25}},
			Outside: [][]float64{{0, 0, 0, 1}, {0, 0, 1, -1}, {-1, 0, 1, 1}},
			Special: [][]float64{{0, 0, 2, 0, 0}, {0, 0, 2, inf, 1}, {1, 0, 2, inf, 0},
				{0, 1, 1, 0, 1}, {0, 1, 3, 0, 0}, {0, 1, 0.5, 0, inf}, {0, 0, 2, 1000, 1},
				{0, 0, -1, 2, nan}, {0, 0, nan, 2, nan}, {0, 0, 2, nan, nan}},
		}),
		familyRow(GammaQ, "gammaQ", family.GammaQ, []string{"n", "m"}, []string{"a", "x"}, Prim{
			Doc: "The derivative, of order `n` by `a` and `m` by `x`, of the regularised upper " +
				"incomplete gamma function Q(a, x) = 1 - P(a, x).\n" +
				"builtin.gammaQ 0 0 3 5 -- 0.12465201948308114",
			Domain: "n >= 0 && m >= 0 && " + positive,
			Samples: [][]float64{{0, 0, 3, 5}, {0, 0, 0.5, 30}, {1, 0, 3, 25}, {0, 1, 20, 17},
				{1, 2, 3, 5}},
			Outside: [][]float64{{0, 0, 0, 1}, {0, 0, 1, -1}, {0, -1, 1, 1}},
			Special: [][]float64{{0, 0, 2, 0, 1}, {0, 0, 2, inf, 0}, {0, 1, 1, 0, -1},
				{0, 1, 0.5, 0, -inf}, {0, 0, 2, 1000, 0}, {0, 0, -1, 2, nan}, {0, 0, 2, nan, nan}},
		}),
		familyRow(BetaI, "betaI", family.BetaI, []string{"i", "j", "m"}, []string{"a", "b", "x"},
			Prim{
				Doc: "The derivative, of order `i` by `a`, `j` by `b` and `m` by `x`, of the " +
					"regularised incomplete beta function I_x(a, b).\n" +
					"builtin.betaI 0 0 0 2 3 0.5 -- 0.6875",
				Domain: "i >= 0 && j >= 0 && m >= 0 && a > 0 && b > 0 && x >= 0 && x <= 1",
				Samples: [][]float64{{0, 0, 0, 2, 3, 0.5}, {0, 0, 0, 0.5, 0.25, 0.9},
					{1, 0, 0, 2, 3, 0.3}, {0, 1, 0, 2, 3, 0.3}, {0, 2, 0, 3, 0.75, 0.7},
					{0, 0, 1, 20, 17, 0.4}, {1, 1, 2, 2, 3, 0.7}},
				Outside: [][]float64{{0, 0, 0, 0, 1, 0.5}, {0, 0, 0, 1, -1, 0.5},
					{0, 0, 0, 1, 1, 1.5}, {0, 0, -1, 1, 1, 0.5}},
				Special: [][]float64{{0, 0, 0, 2, 3, 0, 0}, {0, 0, 0, 2, 3, 1, 1},
					{1, 0, 0, 2, 3, 1, 0}, {0, 0, 1, 1, 3, 0, 3}, {0, 0, 1, 2, 3, 0, 0},
					{0, 0, 1, 2, 0.5, 1, inf},
					{0, 0, 0, 2, 3, -1, nan}, {0, 0, 0, 2, nan, 0.5, nan}},
			}),
		familyRow(BesselJ, "besselJ", family.BesselJ, []string{"m", "n"}, []string{"x"}, Prim{
			Doc: "The `m`-th derivative of the Bessel function J of integer order " +
				"`n`.\nbuiltin.besselJ 0 0 1 -- 0.7651976865579666",
			Domain: "m >= 0",
			Samples: [][]float64{{0, 0, 1}, {0, 3, -2.5}, {1, 1, 10}, {2, -1, 0.5}, {0, 2, 150},
				{3, 5, 1000}},
			Outside: [][]float64{{-1, 0, 1}},
			Special: [][]float64{{0, 0, 0, 1}, {0, 1, 0, 0}, {1, 1, 0, 0.5}, {0, 0, nan, nan}},
		}),
		familyRow(BesselY, "besselY", family.BesselY, []string{"m", "n"}, []string{"x"}, Prim{
			Doc: "The `m`-th derivative of the Bessel function Y of integer order `n`, for " +
				"`x` above 0.\nbuiltin.besselY 0 0 1 -- 0.08825696421567696",
			Domain: "m >= 0 && x > 0",
			Samples: [][]float64{{0, 0, 1}, {0, 3, 2.5}, {1, 1, 10}, {2, -1, 0.5}, {0, 2, 150},
				{3, 5, 1000}},
			Outside: [][]float64{{0, 0, 0}, {0, 0, -1}, {-1, 0, 1}},
			Special: [][]float64{{0, 0, -1, nan}, {0, 0, nan, nan}},
		}),
		familyRow(BesselI, "besselI", family.BesselI, []string{"m", "n"}, []string{"x"}, Prim{
			Doc: "The `m`-th derivative of the modified Bessel function I of integer order " +
				"`n`.\nbuiltin.besselI 0 0 1 -- 1.2660658777520084",
			Domain:  "m >= 0",
			Samples: [][]float64{{0, 0, 1}, {0, 3, -2.5}, {1, 1, 10}, {2, -1, 0.5}, {0, 2, 150}},
			Outside: [][]float64{{-1, 0, 1}},
			Special: [][]float64{{0, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 800, inf}, {0, 0, nan, nan}},
		}),
		familyRow(BesselK, "besselK", family.BesselK, []string{"m", "n"}, []string{"x"}, Prim{
			Doc: "The `m`-th derivative of the modified Bessel function K of integer order " +
				"`n`, for `x` above 0.\nbuiltin.besselK 0 0 1 -- 0.42102443824070834",
			Domain:  "m >= 0 && x > 0",
			Samples: [][]float64{{0, 0, 1}, {0, 3, 2.5}, {1, 1, 10}, {2, -1, 0.5}, {0, 2, 150}},
			Outside: [][]float64{{0, 0, 0}, {0, 0, -1}, {-1, 0, 1}},
			Special: [][]float64{{0, 0, -1, nan}, {0, 0, 1e4, 0}, {0, 0, nan, nan}},
		}),
	}
}

// familyRow completes a row with the columns that follow from its family.
func familyRow(id ID, name string, f *family.Function, ints, reals []string, row Prim) *Prim {
	row.ID = id
	return rowOf(name, ints, reals, f.Float, tier.FunFamily{Double: f.Double, Multi: f.Multi}, row)
}

// rowOf completes a row with the columns that follow from the evaluators of its family.
func rowOf(name string, ints, reals []string, float Family, sets tier.FunFamily, row Prim) *Prim {
	row.Name = name
	row.Params = append(ints, reals...)
	params := make([]types.Type, 0, len(row.Params))
	for range ints {
		params = append(params, types.Int)
	}
	for range reals {
		params = append(params, types.Real)
	}
	row.Scheme = types.Mono(types.Funs(types.Real, params...))
	row.Float = float
	row.Interval = sets
	row.Partials = raised(name, row.Params, len(reals))
	row.Hidden = true
	complete(&row)
	return &row
}
