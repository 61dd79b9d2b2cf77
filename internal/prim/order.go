package prim

import "github.com/fluxion-lang/fluxion/internal/types"

// comparisons holds equality and order. == and != have no Float column because
// Real is not in Eq: equality of reals is not computable. At Bool, String and
// structured types back ends implement the rows by name.
func comparisons() []*Prim {
	eq, cmp := param("a", types.Eq), param("a", types.Cmp)
	equality := forAll(types.Funs(types.Bool, eq, eq))
	order := forAll(types.Funs(types.Bool, cmp, cmp))
	const tie = "the comparison is undefined; differentiating through it is an error"
	xy := []string{"x", "y"}
	samples := [][]float64{{1, 2}, {2, 1}, {-1e300, 1e-300}}
	return []*Prim{
		{
			Name: "==", Params: xy, Scheme: equality,
			Doc: "Whether two values are equal. There is no equality of reals: write `abs (x - y) < eps`.\n(1 : Int) == 1 -- true",
			Int: func(x, y int64) bool { return x == y },
		},
		{
			Name: "!=", Params: xy, Scheme: equality,
			Doc: "Whether two values differ. There is no equality of reals: write `abs (x - y) > eps`.\n\"one\" != \"two\" -- true",
			Int: func(x, y int64) bool { return x != y },
		},
		{
			Name: "<", Params: xy, Scheme: order,
			Doc:   "Whether the first value is smaller. Tuples and arrays are compared from the left; on reals all comparisons are undefined at a tie.\n1 < 2 -- true",
			Float: func(x, y float64) bool { return x < y },
			Int:   func(x, y int64) bool { return x < y },
			Kink:  "x = y", KinkRule: tie, Samples: samples,
		},
		{
			Name: "<=", Params: xy, Scheme: order,
			Doc:   "Whether the first value is smaller or equal; on reals the same as `<`, undefined at a tie.\n1 <= 2 -- true",
			Float: func(x, y float64) bool { return x <= y },
			Int:   func(x, y int64) bool { return x <= y },
			Kink:  "x = y", KinkRule: tie, Samples: samples,
		},
		{
			Name: ">", Params: xy, Scheme: order,
			Doc:   "Whether the first value is larger; on reals undefined at a tie.\n1 > 2 -- false",
			Float: func(x, y float64) bool { return x > y },
			Int:   func(x, y int64) bool { return x > y },
			Kink:  "x = y", KinkRule: tie, Samples: samples,
		},
		{
			Name: ">=", Params: xy, Scheme: order,
			Doc:   "Whether the first value is larger or equal; on reals the same as `>`, undefined at a tie.\n1 >= 2 -- false",
			Float: func(x, y float64) bool { return x >= y },
			Int:   func(x, y int64) bool { return x >= y },
			Kink:  "x = y", KinkRule: tie, Samples: samples,
		},
		{
			Name: "not", Params: []string{"a"}, Scheme: types.Mono(types.Funs(types.Bool, types.Bool)),
			Doc:   "The opposite truth value.\nnot true -- false",
			Float: func(a bool) bool { return !a },
		},
	}
}
