package prim

import "github.com/fluxion-lang/fluxion/internal/types"

// calculus returns the rows for derivatives, integrals, roots and optima. They take functions, so
// each engine implements them: package interp on doubles, package exact on sets of reals. The
// library wraps each in documented functions, and defines by them what needs no primitive of its
// own.
//
// A tangent or a cotangent of a value of type s has type s. Its reals are the components, and its
// other leaves are those of the value.
func calculus() []*Prim {
	s, t := param("s", types.Diff), param("t", types.Diff)
	n, m := size("n"), size("m")
	real := types.Type(types.Real)
	function := types.Funs(real, real)
	v := param("v", types.Vec)
	field := types.Funs(v, real, v)
	vector := array(types.AnySize, real)
	j := param("j", 0)
	partials := forAll(types.Funs(j, types.Funs(t, s), s))
	partials.Jacobians = []types.Jacobian{{Source: s, Target: t, Result: j}}
	differences := array(types.AnySize, real)
	onBox, box := types.Funs(real, v), types.Funs(real, vector)
	system := types.Funs(vector, vector)
	rows := []*Prim{
		{
			ID: Reverse, Name: "reverse", Kind: Derivation, Params: []string{"f", "x", "bt"},
			Scheme: forAll(types.Funs(pair(t, s), types.Funs(t, s), s, t)),
			Doc: "The value of `f` at `x`, and the cotangent of `x` that belongs to the " +
				"cotangent `bt` of the value.\nbuiltin.reverse sin 0 2 -- (0, 2)",
		},
		{
			ID: Forward, Name: "forward", Kind: Derivation, Params: []string{"f", "x", "dx"},
			Scheme: forAll(types.Funs(pair(t, t), types.Funs(t, s), s, s)),
			Doc: "The value of `f` at `x`, and the tangent of the value that belongs to the " +
				"tangent `dx` of `x`.\nbuiltin.forward sin 0 2 -- (0, 2)",
		},
		{
			ID: Jacobian, Name: "jacobian", Kind: Derivation, Params: []string{"f", "xs"},
			Scheme: forAll(types.Funs(array(m, array(n, real)),
				types.Funs(array(m, real), array(n, real)), array(n, real))),
			Doc: "The matrix of partial derivatives, one row a result.\nbuiltin.jacobian (fun xs " +
				"=> [xs[0] * xs[1]]) [2, 3] -- [[3, 2]]",
		},
		{
			ID: Partials, Name: "partials", Kind: Expanded, Params: []string{"f", "x"},
			Scheme: partials,
			Doc: "The derivative of `f` at `x` as a value: by components of tuples and " +
				"records, with gradients in the place of reals for others.\nbuiltin.partials " +
				"(fun (x, y) => x * y) (2, 3) -- (3, 2)",
		},
		{
			ID: Integral, Name: "integral", Kind: Search, Params: []string{"a", "b", "f"},
			Scheme: forAll(types.Funs(real, v, v, onBox)),
			Doc: "The integral of `f` over the box between `a` and `b`.\nbuiltin.integral 0 1 " +
				"(fun x => x^2) -- 0.3333333333333333",
		},
		{
			ID: IntegralFrom, Name: "integralFrom", Kind: Search, Params: []string{"a", "f"},
			Scheme: types.Mono(types.Funs(real, real, function)),
			Doc: "The integral of `f` from `a` to infinity.\nbuiltin.integralFrom 1 (fun x => " +
				"1 / x^2) -- 1",
		},
		{
			ID: Root, Name: "root", Kind: Search, Params: []string{"a", "b", "f"},
			Scheme: forAll(types.Funs(v, v, v, types.Funs(v, v))),
			Doc: "Where `f` is zero between `a` and `b`: for a real, where it changes its " +
				"sign.\nbuiltin.root 0 3 (fun x => x^2 - 4) -- 2",
		},
		{
			ID: CutRoot, Name: "cutRoot", Kind: Search, Params: []string{"f"},
			Scheme: types.Mono(types.Funs(real, function)),
			Doc: "Where `f`, positive to the left and negative to the right, crosses " +
				"zero.\nbuiltin.cutRoot (fun x => 2 - x) -- 2",
		},
		{
			ID: FirstRoot, Name: "firstRoot", Kind: Search, Params: []string{"f"},
			Scheme: types.Mono(types.Funs(real, function)),
			Doc: "The first root of `f` between 0 and 1: a change of its sign, or a zero at " +
				"an end.\nbuiltin.firstRoot (fun x => x - 0.5) -- 0.5",
		},
		{
			ID: Crosses, Name: "crosses", Kind: Search, Params: []string{"f"},
			Scheme: types.Mono(types.Funs(types.Bool, function)),
			Doc: "Whether `f` has a first root between 0 and 1.\nbuiltin.crosses (fun x => x " +
				"- 0.5) -- true",
		},
		{
			ID: MaxOver, Name: "maxOver", Kind: Search, Params: []string{"a", "b", "f"},
			Scheme: forAll(types.Funs(real, v, v, onBox)),
			Doc: "The largest value of `f` between `a` and `b`.\nbuiltin.maxOver 0 2 (fun x " +
				"=> x * (2 - x)) -- 1",
		},
		{
			ID: ArgmaxOver, Name: "argmaxOver", Kind: Search, Params: []string{"a", "b", "f"},
			Scheme: forAll(types.Funs(v, v, v, onBox)),
			Doc: "Where `f` is largest between `a` and `b`.\nbuiltin.argmaxOver 0 2 (fun x => " +
				"x * (2 - x)) -- 1",
		},
		{
			ID: Roots, Name: "roots", Kind: Expanded, Params: []string{"a", "b", "f"},
			Scheme: forAll(types.Funs(array(types.AnySize, v), v, v, types.Funs(v, v))),
			Doc: "All places between `a` and `b` where `f` is zero, in their " +
				"order.\nbuiltin.roots 0 3 (fun x => x^2 - 4) -- [2]",
		},
		{
			ID: ArgmaxWhere, Name: "argmaxWhere", Kind: Expanded,
			Params: []string{"a", "b", "constraints", "f"},
			Scheme: forAll(types.Funs(v, v, v, types.Funs(vector, v), onBox)),
			Doc: "Where `f` is largest between `a` and `b` among the places where no constraint " +
				"is negative.\nbuiltin.argmaxWhere 0 2 (fun x => [1 - x]) (fun x => x) -- 1",
		},
		{
			ID: BoxRoot, Name: "boxRoot", Kind: Search, Over: Root,
			Params: []string{"a", "b", "f"},
			Scheme: types.Mono(types.Funs(vector, vector, vector, system)),
			Doc: "The one place in the box between `a` and `b` where `f` is " +
				"zero.\nbuiltin.boxRoot [0, 0] [1, 1] (fun x => [x[0] - 0.5, x[1] - x[0]]) -- " +
				"[0.5, 0.5]",
		},
		{
			ID: BoxRoots, Name: "boxRoots", Kind: Search, Over: Roots,
			Params: []string{"a", "b", "f"},
			Scheme: types.Mono(types.Funs(array(types.AnySize, vector), vector, vector, system)),
			Doc: "All places in the box between `a` and `b` where `f` is zero, in their " +
				"order.\nbuiltin.boxRoots [-3] [3] (fun x => [x[0]^2 - 4]) -- [[-2], [2]]",
		},
		{
			ID: BoxMaxOver, Name: "boxMaxOver", Kind: Search, Over: MaxOver,
			Params: []string{"a", "b", "f"},
			Scheme: types.Mono(types.Funs(real, vector, vector, box)),
			Doc: "The largest value of `f` in the box between `a` and `b`.\nbuiltin.boxMaxOver " +
				"[0, 0] [1, 2] (fun x => x[0] * x[1]) -- 2",
		},
		{
			ID: BoxArgmaxOver, Name: "boxArgmaxOver", Kind: Search, Over: ArgmaxOver,
			Params: []string{"a", "b", "f"},
			Scheme: types.Mono(types.Funs(vector, vector, vector, box)),
			Doc: "The place in the box between `a` and `b` where `f` is " +
				"largest.\nbuiltin.boxArgmaxOver [0, 0] [1, 2] (fun x => x[0] * x[1]) -- [1, 2]",
		},
		{
			ID: BoxArgmaxWhere, Name: "boxArgmaxWhere", Kind: Search, Over: ArgmaxWhere,
			Params: []string{"a", "b", "f"},
			Scheme: types.Mono(types.Funs(vector, vector, vector, types.Funs(vector, vector))),
			Doc: "The place in the box between `a` and `b` where the first result of `f` is " +
				"largest among those where no other is negative.\nbuiltin.boxArgmaxWhere [0, 0] " +
				"[1, 1] (fun x => [x[0] * x[1], 0.5 - x[0]]) -- [0.5, 1]",
		},
		{
			ID: Flow, Name: "flow", Kind: Trajectory, Params: []string{"steps", "f", "a", "b", "y"},
			Scheme: forAll(types.Funs(v, types.Funs(v, field, real, real, v), field, real,
				real, v)),
			Doc: "The state at `b` of the solution of `y' = f t y` that is `y` at `a`. On " +
				"doubles it is what `steps f a b y` gives, " +
				"which approximates it; exact evaluation encloses the solution.\nbuiltin.flow " +
				"(fun f a b y => y + (b - a) * f a y) (fun _ y => y) 0 1 1 -- 2",
		},
		{
			ID: Jumps, Name: "jumps", Kind: Trajectory, Params: []string{"f"},
			Scheme: forAll(types.Funs(types.Bool, field)),
			Doc: "Whether `f`, the right-hand side of a differential equation, may compare or " +
				"round reals, as `max`, `min` and `abs` do too.\nbuiltin.jumps (fun t (y " +
				": Real) => if t < 1 then y else 0) -- true",
		},
		{
			ID: Sided, Name: "sided", Kind: Trajectory, Params: []string{"f", "sides", "t", "y"},
			Scheme: forAll(
				types.Funs(&types.Tuple{Elems: []types.Type{v, differences, differences}}, field,
					differences, real, v)),
			Doc: "`f t y`, with the differences of the reals that it compares and that depend on " +
				"`t` or `y`, in order, and their signs as the comparisons " +
				"were decided: by `sides`, and where these end by the differences. `max`, `min`, " +
				"`abs` and `sign` compare too. A rounding has two entries: the " +
				"first is half more than the integer, twice, and the second a difference that is " +
				"positive up to the next jumps.\n" +
				"builtin.sided (fun t (y : Real) => if t < 1 then y else 0) [-1] 3 5 -- (5, [2], " +
				"[-1])",
		},
		{
			ID: Encloses, Name: "encloses", Kind: Expanded, Params: []string{"unit"},
			Scheme: types.Mono(types.Funs(types.Bool, types.Unit)),
			Doc:    "Whether evaluation is exact.\nbuiltin.encloses () -- false",
		},
		{
			ID: Narrow, Name: "narrow", Kind: Trajectory,
			Params: []string{"f", "t", "y", "dt", "dy"},
			Scheme: forAll(types.Funs(types.Bool, field, real, v, real, v)),
			Doc: "Whether `f` may have a feature between `f (t - dt) (y - dy)` and `f t y` that " +
				"is too narrow to be seen from there, as far as arguments " +
				"of `exp` and of what is like it tell.\nbuiltin.narrow (fun t (y : Real) => exp " +
				"(-(t / 0.01)^2)) 1 0 0.5 0 -- true",
		},
		{
			ID: WithDerivative, Name: "withDerivative", Kind: Rule, Slope: Told,
			Params: []string{"f", "df", "x"},
			Scheme: forAll(types.Funs(t, types.Funs(t, s), types.Funs(t, s, s), s)),
			Doc: "`f x`, whose tangent is `df x dx` for a tangent `dx` of `x`, and whose " +
				"cotangents are by the transpose of `df x`.\nbuiltin.withDerivative sin (fun x " +
				"dx => cos x * dx) 0 -- 0",
		},
		{
			ID: WithPullback, Name: "withPullback", Kind: Rule, Slope: Told,
			Params: []string{"f", "bf", "x"},
			Scheme: forAll(types.Funs(t, types.Funs(t, s), types.Funs(s, s, t), s)),
			Doc: "`f x`, where the cotangent of `x` is `bf x bt` for a cotangent `bt` of the " +
				"value, and tangents are by the transpose of `bf x`.\nbuiltin.withPullback sin " +
				"(fun x bt => cos x * bt) 0 -- 0",
		},
		{
			ID: WithEnclosure, Name: "withEnclosure", Kind: Rule, Slope: Told,
			Params: []string{"f", "g", "x"},
			Scheme: forAll(types.Funs(t, types.Funs(t, s), types.Funs(pair(t, t), pair(s, s)), s)),
			Doc: "`f x`, which for `x` between `lo` and `hi` lies between the two values of " +
				"`g (lo, hi)`.\nbuiltin.withEnclosure exp (fun (lo, hi) => (exp lo, exp hi)) 0 " +
				"-- 1",
		},
		{
			ID: Checkpoint, Name: "checkpoint", Kind: Rule, Params: []string{"f", "x"},
			Scheme: forAll(types.Funs(t, types.Funs(t, s), s)),
			Doc: "`f x`, which a derivative runs again instead of keeping what it has " +
				"computed.\nbuiltin.checkpoint sin 0 -- 0",
		},
		{
			ID: Converging, Name: "converging", Kind: Rule, Params: []string{"find", "again", "x"},
			Scheme: forAll(types.Funs(t, types.Funs(t, s), types.Funs(t, types.Int, t), s)),
			Doc: "`find x`, whose derivatives are those of `again n y`, where `y` is `find x` as " +
				"a constant and `n` derivatives are in progress. " +
				"The values of both are the same. Nothing but `find x` runs where nothing is " +
				"differentiated.\nbuiltin.converging (fun c => c) (fun _ y => y) 1 -- 1",
		},
		{
			ID: Correction, Name: "correction", Kind: Rule, Params: []string{"solve", "v"},
			Scheme: types.Mono(types.Funs(vector, types.Funs(vector, vector), vector)),
			Doc: "A zero for each element of `v`, whose tangents and cotangents are `solve` of " +
				"those of `v`. The map `solve` is linear and symmetric; " +
				"what it captures is a constant to it.\nbuiltin.correction (fun v => v) [0] -- [0]",
		},
		{
			ID: StopGradient, Name: "stopGradient", Kind: Leaves, Slope: Stopped,
			Params: []string{"x"}, Scheme: endo(types.Diff, 1),
			Doc: "The value itself, as a constant: its tangents and cotangents are " +
				"0.\nbuiltin.stopGradient (3, true) -- (3, true)",
		},
		{
			ID: AddReal, Name: "addReal", Kind: Leaves, Params: []string{"u", "v"},
			Scheme: endo(types.Diff, 2),
			Doc: "The sum of corresponding reals of two values of one shape; other leaves are " +
				"the first one's.\nbuiltin.addReal (1, true) (2, false) -- (3, true)",
		},
		{
			ID: ScaleReal, Name: "scaleReal", Kind: Leaves, Params: []string{"c", "v"},
			Scheme: forAll(types.Funs(s, real, s)),
			Doc: "A value with every real multiplied.\nbuiltin.scaleReal 2 (3, true) -- (6, " +
				"true)",
		},
		{
			ID: InnerReal, Name: "innerReal", Kind: Leaves, Params: []string{"u", "v"},
			Scheme: forAll(types.Funs(real, s, s)),
			Doc: "The sum of the products of corresponding reals of two values of one " +
				"shape.\nbuiltin.innerReal (1, true) (2, false) -- 2",
		},
		{
			ID: Deviation, Name: "deviation", Kind: Leaves, Params: []string{"absolute", "relative",
				"e", "u", "v"},
			Scheme: forAll(types.Funs(real, real, real, s, s, s)),
			Doc: "The mean square of the reals of `e`, each relative to `absolute` and to " +
				"`relative` times the size of those of `u` and `v`. " +
				"In a derivative, of each real of `e` it is the largest of this and of the same " +
				"for the tangents of all derivatives in progress, " +
				"along a generic direction of their variables. It has no " +
				"derivative.\nbuiltin.deviation 1 0 (3, 1) (0, 0) (0, 0) -- 5",
		},
		{
			ID: Reals, Name: "reals", Kind: Leaves, Params: []string{"v"},
			Scheme: forAll(types.Funs(array(types.AnySize, real), s)),
			Doc: "The reals in a value, from left to right.\nbuiltin.reals (1, [2, 3]) -- [1, " +
				"2, 3]",
		},
		{
			ID: WithReals, Name: "withReals", Kind: Leaves, Params: []string{"v", "xs"},
			Scheme: forAll(types.Funs(s, s, array(types.AnySize, real))),
			Doc: "A value with its reals, from left to right, replaced.\nbuiltin.withReals " +
				"(1, true) [5] -- (5, true)",
		},
	}
	for _, row := range rows {
		row.Hidden = true
	}
	return rows
}
