package prim

import "github.com/fluxion-lang/fluxion/internal/types"

// comparisons returns equality and order. == and != have no Float column, because Real is not in
// Eq: equality of reals is not computable. At Bool, String and structured types engines implement
// the rows.
func comparisons() []*Prim {
	eq, cmp := param("a", types.Eq), param("a", types.Cmp)
	equality := forAll(types.Funs(types.Bool, eq, eq))
	order := forAll(types.Funs(types.Bool, cmp, cmp))
	const tie = "the comparison is undefined; differentiating through it is an error"
	xy := []string{"x", "y"}
	samples := [][]float64{{1, 2}, {2, 1}, {-1e300, 1e-300}}
	return []*Prim{
		{
			ID: Eq, Name: "==", Params: xy, Scheme: equality, Order: Equal,
			Doc: "Whether two values are equal. There is no equality of reals: write `abs (x - " +
				"y) < eps`.\n(1 : Int) == 1 -- true",
			Int: func(x, y int64) bool { return x == y },
		},
		{
			ID: Ne, Name: "!=", Params: xy, Scheme: equality, Order: Less | Greater,
			Doc: "Whether two values differ. There is no equality of reals: write `abs (x - y) > " +
				"eps`.\n\"one\" != \"two\" -- true",
			Int: func(x, y int64) bool { return x != y },
		},
		{
			ID: Lt, Name: "<", Cost: 1, Params: xy, Scheme: order, Order: Less,
			Doc: "Whether the first value is smaller. Tuples and arrays are compared from the " +
				"left; on reals all comparisons are undefined at a tie.\n1 < 2 -- true",
			Float: func(x, y float64) bool { return x < y },
			Int:   func(x, y int64) bool { return x < y },
			Kink:  "x = y", KinkRule: tie, KinkKind: TieKink, Samples: samples,
		},
		{
			ID: Le, Name: "<=", Cost: 1, Params: xy, Scheme: order, Order: Less | Equal,
			Doc: "Whether the first value is smaller or equal; on reals the same as `<`, " +
				"undefined at a tie.\n1 <= 2 -- true",
			Float: func(x, y float64) bool { return x <= y },
			Int:   func(x, y int64) bool { return x <= y },
			Kink:  "x = y", KinkRule: tie, KinkKind: TieKink, Samples: samples,
		},
		{
			ID: Gt, Name: ">", Cost: 1, Params: xy, Scheme: order, Order: Greater,
			Doc: "Whether the first value is larger; on reals undefined at a tie.\n1 > 2 -- " +
				"false",
			Float: func(x, y float64) bool { return x > y },
			Int:   func(x, y int64) bool { return x > y },
			Kink:  "x = y", KinkRule: tie, KinkKind: TieKink, Samples: samples,
		},
		{
			ID: Ge, Name: ">=", Cost: 1, Params: xy, Scheme: order, Order: Greater | Equal,
			Doc: "Whether the first value is larger or equal; on reals the same as `>`, " +
				"undefined at a tie.\n1 >= 2 -- false",
			Float: func(x, y float64) bool { return x >= y },
			Int:   func(x, y int64) bool { return x >= y },
			Kink:  "x = y", KinkRule: tie, KinkKind: TieKink, Samples: samples,
		},
		{
			ID: Not, Name: "not", Cost: 1, Params: []string{"a"},
			Scheme: types.Mono(types.Funs(types.Bool, types.Bool)),
			Doc:    "The opposite truth value.\nnot true -- false",
			Float:  func(a bool) bool { return !a },
		},
	}
}
