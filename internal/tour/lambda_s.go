package tour

// The stops of λS: Computable Semantics for Differentiable Programming with Higher-Order
// Functions and Datatypes. Its tangent_R is `tangentReal` here, and its tangentTo_R is
// `tangentFun`. Each value is asked for at the paper's eps, and then at one that is out of its
// reach.
var lambdaS = []Stop{
	{
		Title: "A derivative through an integral and a kink", Where: "§1",
		Says: "f(c) = ∫₀¹ ReLU(x − c) dx has the derivative f′(0.6) = −0.4, although the slope " +
			"of ReLU is an interval where x = c. Its second derivative is beyond the paper: " +
			"there the integrand's is ⊥, but here the kink is located and moved along",
		Asks: []Ask{
			{"deriv (fun c => integral01 (fun x => relu (x - c))) 0.6", "[-0.407, -0.398]", "1e-2"},
			{"deriv (fun c => integral01 (fun x => relu (x - c))) 0.6", "-0.4", "1e-12"},
			{"deriv (deriv (fun c => integral01 (fun x => relu (x - c)))) 0.6", "1", "1e-12"},
		},
	},
	{
		Title: "Ray tracing", Where: "§2, Fig. 1",
		Says: "the brightness of the circle around (1, −3/4), seen from the origin to the " +
			"right under a light at (1, 1), is in [2.587289, 2.587299]",
		Wrong: "the published program evaluates the second partial derivative at the wrong " +
			"point, and as printed Fig. 1c reverses the normal and not the light, which makes " +
			"the brightness 0. With the gradient of Fig. 1b and both vectors pointing away from " +
			"the surface it is 1.5818",
		Source: figure1,
		Asks: []Ask{
			{"raytrace gradient (circle (1, -3/4) 1) (1, 1) (1, 0)", "1.58183571413877542065…",
				"1e-5"},
			{"raytrace gradient (circle (1, -3/4) 1) (1, 1) (1, 0)", "1.58183571413877542065…",
				"1e-20"},
			{"raytraceAsPrinted (circle (1, -3/4) 1) (1, 1) (1, 0)", "0", "1e-20"},
		},
	},
	{
		Title: "Moving the circle up", Where: "§2",
		Says: "the derivative with respect to the height of the circle is in [1.3477, 1.3484], " +
			"so that moving it up makes it brighter",
		Wrong: "the same slip; and `circle (0, y)` means `circle (1, y)`. The derivative is " +
			"−4.535…: moving the circle up makes it darker",
		Source: figure1,
		Asks: []Ask{
			{"deriv (fun y => raytrace gradient (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)",
				"-4.53501175649235322513…", "1e-3"},
			{"deriv (fun y => raytrace gradient (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)",
				"-4.53501175649235322513…", "1e-20"},
			{"deriv (deriv (fun y => raytrace gradient (circle (1, y) 1) (1, 1) (1, 0))) (-3/4)",
				"-69.0325561850094093499…", "1e-12"},
		},
	},
	{
		Title: "Both again, with the published slip", Where: "§2",
		Says:   "what the paper prints comes out when its slip is written out by hand",
		Source: figure1 + "\n" + publishedGradient,
		Asks: []Ask{
			{"raytrace gradientAsPublished (circle (1, -3/4) 1) (1, 1) (1, 0)",
				"[2.587289, 2.587299]", "1e-5"},
			{"raytrace gradientAsPublished (circle (1, -3/4) 1) (1, 1) (1, 0)",
				"2.58729411714278783029…", "1e-20"},
			{"deriv (fun y => raytrace gradientAsPublished (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)",
				"[1.3477, 1.3484]", "1e-3"},
			{"deriv (fun y => raytrace gradientAsPublished (circle (1, y) 1) (1, 1) (1, 0)) (-3/4)",
				"1.34803216630158334323…", "1e-20"},
		},
	},
	{
		Title: "The implicit function theorem", Where: "§2.1",
		Says: "deriv tStar y = −f_y / f_t = −y / (tStar y − 1), roughly −1.1 at y = −3/4; the " +
			"three are equal as programs",
		Source: "let f (t y : Real) : Real = 1 - (t - 1)^2 - y^2\nlet tStar (y : Real) : Real = " +
			"firstRoot (fun t => f t y)",
		Asks: []Ask{
			{"deriv tStar (-3/4)", "-1.13389341902768…", "1e-12"},
			{"-(deriv (fun y => f (tStar (-3/4)) y) (-3/4)) / deriv (fun t => f t (-3/4)) (tStar " +
				"(-3/4))", "-1.13389341902768…", "1e-12"},
			{"3/4 / (tStar (-3/4) - 1)", "-1.13389341902768…", "1e-12"},
		},
	},
	{
		Title: "The normal of a circle", Where: "§2.2",
		Says: "the negative gradient of 1 − x² − y² is (2x, 2y), at (1/√2, 1/√2) the direction " +
			"(2/√2, 2/√2)",
		Source: figure1,
		Asks: []Ask{{"-(gradient (circle (0, 0) 1) (1 / sqrt 2, 1 / sqrt 2))",
			"(1.414213562373095048801…, 1.414213562373095048801…)", "1e-12"}},
	},
	{
		Title: "The derivative of ReLU at 0", Where: "§2.3",
		Says: "it is [0, 1]: with eps = 2 that is the answer, with eps = 1e-1 the search for a " +
			"narrower one does not end. Here it ends with a report of the kink",
		Asks: []Ask{
			{"deriv relu 0", "[0, 1]", "2"},
			{"deriv relu 0", "E0901", "1e-1"},
		},
		Diff: &Diff{Fun: "f", At: "0", Only: []string{"tower"},
			Explain: []string{"∂/∂x    [0, 1]\n", "∂²/∂x²  ⊥\n"}},
		Source: "let f (x : Real) : Real = relu x",
	},
	{
		Title: "A line of light", Where: "§2.3",
		Says: "the slope of the integrand at the kink is [−1, 0]; deriv brightness (1/2) is in " +
			"[−0.4476, −0.4469], and maximal: any precision can be had",
		Source: brightness,
		Asks: []Ask{
			{"deriv (fun y => max 0 ((1/2 - y) / sqrt (1 + (1/2 - y)^2))) (1/2)", "[-1, 0]", "2"},
			{"deriv brightness (1/2)", "[-0.4476, -0.4469]", "1e-3"},
			{"deriv brightness (1/2)", "-0.447213595499957939281834733746…", "1e-30"},
		},
	},
	{
		Title: "deriv, by tangents", Where: "§3",
		Says: "deriv f x = snd (tangent_R.to (tangent f (tangent_R.from (x, 1))))",
		Source: "let derivative (f : Real -> Real) (x : Real) : Real = snd (tangentReal.to " +
			"(tangent f (tangentReal.from (x, 1))))",
		Asks: []Ask{{"derivative sin 1", "0.54030230586813971740…", "1e-12"},
			{"derivative (derivative sin) 1", "-0.84147098480789650665…", "1e-12"}},
	},
	{
		Title: "The tower of max", Where: "§4.3.2",
		Says: "the first derivative is dx where x > y, dy where x < y, and the hull of both " +
			"where they are equal; the second is 0, or ⊥ at the tie",
		Wrong: "the middle case is printed as y < x; it means x < y",
		Asks: []Ask{
			{"deriv (fun t => max (2 + 3 * t) (1 + 5 * t)) 0", "3", "1e-12"},
			{"deriv (fun t => max (1 + 3 * t) (2 + 5 * t)) 0", "5", "1e-12"},
			{"deriv (fun t => max (1 + 3 * t) (1 + 5 * t)) 0", "[3, 5]", "3"},
			{"deriv (deriv (fun t => max (2 + 3 * t) (1 + 5 * t))) 0", "0", "1e-12"},
			{"deriv (deriv (fun t => max (1 + 3 * t) (1 + 5 * t))) 0", "E0901", "3"},
		},
	},
	{
		Title: "The derivative of a derivative", Where: "§4.3.3",
		Says: "f′⁽¹⁾((x, v); (dx, dv)) = f⁽²⁾(v, dx) + f⁽¹⁾(dv): the operator ′ considers " +
			"changes of the direction too",
		Source: "let f (x : Real) : Real = exp (sin x)\nlet f' ((x, v) : (Real, Real)) : Real = " +
			"deriv f x * v",
		Asks: []Ask{{"jvp f' (1, 2) (3, 5) - (deriv (deriv f) 1 * 2 * 3 + deriv f 1 * 5)", "0",
			"1e-12"}},
	},
	{
		Title: "Faà di Bruno", Where: "§4.4",
		Says:   "(g ∘ f)⁽³⁾ = g⁽³⁾ f′³ + 3 g⁽²⁾ f⁽²⁾ f′ + g′ f⁽³⁾",
		Source: "let (f, g) = (exp, sin)\nlet d (h : Real -> Real) (x : Real) : Real = deriv h x",
		Asks: []Ask{{
			"d (d (d (fun x => g (f x)))) 0.7 - (d (d (d g)) (f 0.7) * (d f 0.7)^3 + 3 * d (d g) " +
				"(f 0.7) * d (d f) 0.7 * d f 0.7 + d g (f 0.7) * d (d (d f)) 0.7)",
			"0", "1e-12",
		}},
	},
	{
		Title: "The chain rule of Clarke", Where: "Prop. 4.4",
		Says: "max x 0 + min 0 x is the identity. Its derivative at 0 is [0, 2], of which 1 is a " +
			"specialization: [0, 2] ⊑ 1. Production finds the 1",
		Asks: []Ask{
			{"deriv (fun x => max x 0 + min 0 x) 0", "[0, 2]", "3"},
			{"deriv (fun x => max x 0 + min 0 x) 0", "1", ""},
		},
	},
	{
		Title: "Pairs and products at kinks", Where: "Props. 4.7, 4.8",
		Says: "the derivative of a pair lies in the product of the derivatives, and that of a " +
			"product in what the product rule gives; both may be larger than what the pair or " +
			"the product has: |x| − |x| is 0, and |x| (|x| − 1) has the slopes [−1, 1] at 0",
		Asks: []Ask{
			{"deriv (fun x => let (u, v) = (abs x, abs x) in u - v) 0", "[-2, 2]", "5"},
			{"deriv (fun x => abs x * (abs x - 1)) 0", "[-1, 1]", "3"},
		},
	},
	{
		Title: "Integrals are linear", Where: "§5.2.1",
		Says:   "every derivative of an integral is the integral of the derivative",
		Source: "let f (c x : Real) : Real = sin (c * x) * exp (x - c)",
		Asks: []Ask{
			{"deriv (fun c => integral01 (fun x => f c x)) 2 - integral01 (fun x => deriv (fun c " +
				"=> f c x) 2)", "0", "1e-12"},
			{"integral01 (fun x => 3 * x + 5 * exp x) - (3 * integral01 (fun x => x) + 5 * " +
				"integral01 exp)", "0", "1e-12"},
		},
	},
	{
		Title: "Roots", Where: "§5.2.2",
		Says: "cutRoot finds the root of a function that is positive to its left and negative " +
			"to its right, firstRoot the first one in [0, 1]; derivatives are those of the " +
			"implicit function theorem",
		Wrong: "§3 describes cutRoot with the signs exchanged; the upper bound of firstRoot says " +
			"f(γ, x) and means f(γ, q); and Fig. 9's surfaces are negative outside, where rays " +
			"start: here firstRoot is the first change of sign in either direction",
		Asks: []Ask{
			{"cutRoot (fun x => 2 - x^3)", "1.25992104989487316476…", "1e-12"},
			{"deriv (fun c => cutRoot (fun x => c - x^3)) 2", "0.20998684164914552746…", "1e-12"},
			{"deriv (deriv (fun c => cutRoot (fun x => c - x^3))) 2", "-0.06999561388304850915…",
				"1e-12"},
			{"firstRoot (fun x => (x - 1/3) * (x - 2/3))", "[0.33333333, 0.33333334]", "1e-12"},
			{"firstRoot (fun x => (1/3 - x) * (x - 2/3))", "[0.33333333, 0.33333334]", "1e-12"},
		},
	},
	{
		Title: "Roots that are cuts", Where: "§5.2.2",
		Says: "firstRoot f is the interval from sup {x | f > 0 up to x} to inf {x | f < 0 " +
			"somewhere up to x}, within [0, 1]: a root at an end is one, and a function that " +
			"touches zero has the interval from the touch to the crossing, or to 1. Derivatives " +
			"of integrals see roots come from an end of their range",
		Wrong: "if f has one sign and is never zero the cut is 1, which is not a root: here that " +
			"is an error",
		Asks: []Ask{
			{"firstRoot (fun t => 1 - t)", "1", "1e-12"},
			{"firstRoot (fun t => t)", "0", "1e-12"},
			{"firstRoot (fun x => (x - 1/2)^2 * (3/4 - x))", "[0.5, 0.75]", "0.5"},
			{"firstRoot (fun x => (x - 1/2)^2)", "[0.5, 1]", "0.51"},
			{"firstRoot (fun x => 1 + x)", "E0809", "1"},
			{"deriv (fun c => integral01 (fun x => firstRoot (fun t => c * x - t))) 0.5",
				"0.5", "1e-12"},
		},
	},
	{
		Title: "Optima", Where: "§5.2.3",
		Says: "argmax01 is the hull of the maximizing arguments; where there is one, it moves by " +
			"the implicit function theorem in the interior and not at all at an end; the " +
			"derivative of max01 is that of f ∘ argmax01. With several maximizers it is ⊥ in the " +
			"paper and here Danskin's hull over them",
		Asks: []Ask{
			{"argmax01 (fun x => (x - 1/2)^2)", "[0, 1]", "2"},
			{"deriv (fun c => argmax01 (fun x => x * (c - x))) 1", "0.5", "1e-12"},
			{"deriv (fun c => argmax01 (fun x => x * (c - x))) 3", "0", "1e-12"},
			{"deriv (fun c => max01 (fun x => x * (c - x))) 1", "0.5", "1e-12"},
			{"deriv (deriv (fun c => max01 (fun x => x * (c - x)))) 1", "0.5", "1e-12"},
			{"deriv (fun c => max01 (fun x => c * x)) 0", "[0, 1]", "2"},
		},
	},
	{
		Title: "Tangents of a product", Where: "§5.3, Prop. 5.1",
		Says: "the vector (0, 1) moving in the direction (1, 0) is one tangent, whether it is " +
			"written as a pair of tangents or as the curve (0, 1) + t (1, 0): what a function " +
			"makes of it is the same",
		Asks: []Ask{
			{"tangentReal.to (tangent (fun (x, y) => exp x * y) (tangentProd.from " +
				"(tangentReal.from (0, 1), tangentReal.from (1, 0))))", "(1, 1)", "1e-12"},
			{"tangentReal.to (tangent (fun t => let (x, y) = (0 + t * 1, 1 + t * 0) in exp x * " +
				"y) (tangentReal.from (0, 1)))", "(1, 1)", "1e-12"},
			{"let (u, v) = tangentProd.to (tangentProd.from (tangentReal.from (1, 2), " +
				"tangentReal.from (3, 4))) in (tangentReal.to u, tangentReal.to v)",
				"((1, 2), (3, 4))", "1e-12"},
		},
	},
	{
		Title: "tangent is a functor", Where: "§5.3, Prop. 5.2",
		Says: "tangent (g ∘ f) = tangent g ∘ tangent f; Tan ℜ is ℜ × ℜ, and its first component " +
			"is the base point",
		Asks: []Ask{
			{"tangentReal.to (tangent (fun x => sin (exp x)) (tangentReal.from (1, 2)))",
				"(0.4107812905029…, -4.9566994659104…)", "1e-12"},
			{"tangentReal.to (tangent sin (tangent exp (tangentReal.from (1, 2))))",
				"(0.4107812905029…, -4.9566994659104…)", "1e-12"},
			{"(tangentReal.to (tangentReal.from (3, 5)), tangentValue (tangentReal.from (3, 5)))",
				"((3, 5), 3)", "1e-12"},
		},
	},
	{
		Title: "Tangents of functions", Where: "§5.3, Prop. 5.3",
		Says: "Tan (A → ℜ) is (A → ℜ) × (A → ℜ) as long as functions give real numbers. It is " +
			"not where they may give ⊥: x + 0 · ⊥ = ⊥",
		Asks: []Ask{
			{"let (f, df) = tangentFun.to (tangentFun.from (fun x => x^2, sin)) in (f 3, df 3)",
				"(9, 0.14112000805986…)", "1e-12"},
			{"let (f, _) = tangentFun.to (tangentFun.from (fun x => x^2, fun x => 1 / x)) in f 0",
				"E0904", "1e-12"},
		},
	},
	{
		Title: "Equality", Where: "§6",
		Says: "1/5 + 2/5 = 3/5 and (sqrt 2)² = 2: enclosures overlap, whatever the precision. " +
			"Doubles give 0.6000000000000001 and 2.0000000000000004",
		Asks: []Ask{
			{"sqrt 2", "[1.4142135623729, 1.4142135623733]", "1e-12"},
			{"(sqrt 2)^2", "[1.9999999999991, 2.0000000000009]", "1e-12"},
			{"(sqrt 2)^2", "2", "1e-50"},
			{"1/5 + 2/5", "0.6", "1e-50"},
			{"1/5 + 2/5 < 3/5", "E0902", "1e-12"},
			{"((sqrt 2)^2, 1/5 + 2/5)", "(2.0000000000000004, 0.6000000000000001)", ""},
		},
	},
	{
		Title: "Distributions", Where: "§7.1, Fig. 8",
		Says: "the uniform distribution has mass 1, mean 1/2 and variance 1/12; the change has " +
			"mass 0",
		Source: figure8,
		Asks: []Ask{
			{"(totalMass uniform, mean uniform, variance uniform, totalMass change)",
				"(1, 0.5, 0.083333333333333333333…, 0)", "1e-12"},
			{"mean (measToProb (bind uniform (fun x => bind (factor x) (fun _ => dirac x))))",
				"0.66666666666666666666…", "1e-12"},
			{"mean (bind (bernoulli 0.25) (fun yes => dirac (if yes then 8 else 0)))",
				"2", "1e-12"},
			{"(totalMass zero, mean (add zero (map sin uniform)))", "(0, 0.45969769413186…)",
				"1e-12"},
			{"bind (dirac 3) (fun x => map (fun u => u + x) uniform) (fun x => x^2) - map (fun u " +
				"=> u + 3) uniform (fun x => x^2)", "0", "1e-12"},
			{"bind uniform dirac exp - uniform exp", "0", "1e-12"},
		},
	},
	{
		Title: "How mean and variance change", Where: "§7.1",
		Says: "der mean uniform change is in [0.0829, 0.0837], in fact 1/12; der variance " +
			"uniform change is in [−0.005, 0.004], in fact 0, as the laws of derivatives say",
		Wrong:  "the outer conversion of footnote 5 is tangent_R.to",
		Source: figure8,
		Asks: []Ask{
			{"der mean uniform change", "[0.0829, 0.0837]", "1e-3"},
			{"der mean uniform change", "0.083333333333333333333333333333…", "1e-30"},
			{"der variance uniform change", "[-0.005, 0.004]", "1e-2"},
			{"der variance uniform change", "0", "1e-30"},
			{"change (fun x => x^2) - 2 * mean uniform * mean change", "0", "1e-12"},
		},
	},
	{
		Title: "A corner has no normal", Where: "§7.2, Fig. 9",
		Says: "the union of two offset circles has a corner where they meet, and there no " +
			"unique normal: the gradient is the hull of both",
		Source: figure1,
		Asks: []Ask{
			{"gradient (union (circle (-1, 0) 2) (circle (1, 0) 2)) (0, sqrt 3)",
				"([-2, 2], -3.4641016151377…)", "5"},
			{"gradient (union (circle (-1, 0) 2) (circle (1, 0) 2)) (3, 0)", "(-4, 0)", "1e-12"},
			{"firstRoot (fun t => intersection (circle (1, 0) 1) (complement (circle (0, 0) " +
				"0.5)) (t, 0.1))", "0.48989794855663…", "1e-12"},
			{"-(gradient (halfplane (3, 4)) (8, -6))", "(-3, -4)", "1e-12"},
			{"firstRoot (fun t => union (circle (2, 0) 1) (halfplane (2, -1)) (t, 1/2))",
				"0.25", "1e-12"},
		},
	},
	{
		Title: "Hausdorff distance", Where: "§7.3, Fig. 10",
		Says:   "the L and the quarter circle are √2 − 1 apart, in [0.4138, 0.4145]",
		Source: figure10,
		Asks: []Ask{
			{"hausdorffDist dist lShape (quarterCircle 0)", "[0.4138, 0.4145]", "1e-3"},
			{"hausdorffDist dist lShape (quarterCircle 0)", "0.414213562373095…", "1e-12"},
		},
	},
	{
		Title: "Its derivative", Where: "§7.3",
		Says: "as the quarter circle moves up, the distance changes by something in [−0.752, " +
			"−0.664], in fact −1/√2; the farthest point is the corner, an end of both lines of " +
			"the L",
		Source: figure10,
		Asks: []Ask{
			{"deriv (fun y => hausdorffDist dist lShape (quarterCircle y)) 0",
				"[-0.752, -0.664]", "1e-1"},
			{"deriv (fun y => hausdorffDist dist lShape (quarterCircle y)) 0",
				"-0.70710678118654…", "1e-8"},
		},
	},
	{
		Title: "The laws of maximizers", Where: "§7.3",
		Says: "a maximizer gives k for the constant k, and for the larger of two functions the " +
			"larger of both maxima",
		Source: figure10,
		Asks: []Ask{
			{"quarterCircle 0 (fun _ => 3)", "3", "1e-12"},
			{"lShape (fun _ => 3)", "3", "1e-12"},
			{"quarterCircle 0 (fun p => max (p[0] + 2 * p[1]) (2 * p[0] - p[1])) - max " +
				"(quarterCircle 0 (fun p => p[0] + 2 * p[1])) (quarterCircle 0 (fun p => 2 * " +
				"p[0] - p[1]))", "0", "1e-12"},
		},
	},
	{
		Title: "Shapes form a monad", Where: "§7.3, Fig. 10",
		Says: "point and indexedUnion are return and bind; a square is the union of the lines " +
			"above the points of an interval, and its farthest corner from (0, 1/3) is (1, 1)",
		Source: figure10,
		Asks: []Ask{
			{"indexedUnion (point (1/2)) (fun x => map (fun y => x * y) unitInterval) sin - map " +
				"(fun y => 1/2 * y) unitInterval sin", "0", "1e-12"},
			{"indexedUnion (quarterCircle 0) point (fun p => p[0] + p[1])",
				"1.41421356237309…", "1e-12"},
			{"sup (indexedUnion unitInterval (fun x => map (fun y => (x, y)) unitInterval)) (fun " +
				"p => dist p (0, 1/3))", "1.20185042515466…", "1e-6"},
			{"deriv (fun y => sup lShape (fun p => inf (point (0, y)) (fun q => dist p q))) 0",
				"-0.70710678118654…", "1e-12"},
		},
	},
	{
		Title: "Recursion on what is discrete", Where: "§8.1",
		Says: "conditionals and recursion are about Booleans and natural numbers: they may not " +
			"depend on a real, whose comparison is not decided at a tie",
		Source: "let rec power (n : Int) (x : Real) : Real = if n == 0 then 1 else x * power (n " +
			"- 1) x",
		Asks: []Ask{
			{"deriv (fun x => power 10 x) 1", "10", "1e-12"},
			{"deriv (fun (x : Real) => if x < 0 then 0 else x) 0", "E0902", "1e-3"},
		},
	},
}

// figure1 is λS Figs. 1 and 9, with the normal and the light in the directions that they must
// have. raytrace takes as an argument the gradient to use.
const figure1 = `type Surface a = a -> Real

let dot (x y : Real^2) : Real = x[0] * y[0] + x[1] * y[1]
let scaleBy (c : Real) (x : Real^2) : Real^2 = (c * x[0], c * x[1])
let norm2 (x : Real^2) : Real = x[0]^2 + x[1]^2
let normalize (x : Real^2) : Real^2 = scaleBy (1 / sqrt (norm2 x)) x

let gradient (f : Surface (Real^2)) (x : Real^2) : Real^2 =
  (deriv (fun z => f (z, x[1])) x[0], deriv (fun z => f (x[0], z)) x[1])

let circle (c : Real^2) (r : Real) : Surface (Real^2) =
  fun x => r^2 - (x[0] - c[0])^2 - (x[1] - c[1])^2
let halfplane (normal : Real^2) : Surface (Real^2) = fun x => dot normal x
let union (s t : Surface a) : Surface a = fun x => max (s x) (t x)
let intersection (s t : Surface a) : Surface a = fun x => min (s x) (t x)
let complement (s : Surface a) : Surface a = fun x => -(s x)

let raytrace gradient (s : Surface (Real^2)) (lightPos rayDirection : Real^2) : Real =
  let tStar = firstRoot (fun t => s (scaleBy t rayDirection))
  let y = scaleBy tStar rayDirection
  let normal : Real^2 = -(gradient s y)
  let surfToLight = lightPos - y
  max 0 (dot (normalize normal) (normalize surfToLight)) / (norm2 y * norm2 surfToLight)

let raytraceAsPrinted (s : Surface (Real^2)) (lightPos rayDirection : Real^2) : Real =
  let tStar = firstRoot (fun t => s (scaleBy t rayDirection))
  let y = scaleBy tStar rayDirection
  let normal = -(gradient s y)
  let lightToSurf = y - lightPos
  max 0 (dot (normalize normal) (normalize lightToSurf)) / (norm2 y * norm2 lightToSurf)`

// publishedGradient contains the error of the authors' program.
const publishedGradient = `let gradientAsPublished (f : Surface (Real^2)) (x : Real^2) : Real^2 =
  (deriv (fun z => f (z, x[0])) x[0], deriv (fun z => f (x[1], z)) x[0])`

const brightness = `let brightness (y : Real) : Real =
  integral01 (fun y0 => max 0 ((y0 - y) / sqrt (1 + (y0 - y)^2)))`

// figure8 is λS Fig. 8, and the example of §7.1.
const figure8 = `type Integral a = (a -> Real) -> Real

let dirac (x : a) : Integral a = fun f => f x
let bind (x : Integral a) (f : a -> Integral b) : Integral b = fun k => x (fun a => f a k)
let zero (_ : a -> Real) : Real = 0
let add (x y : Integral a) : Integral a = fun f => x f + y f
let map (f : a -> b) (e : Integral a) : Integral b = fun k => e (fun x => k (f x))
let factor (x : Real) : Integral () = fun f => f () * x
let measToProb (e : Integral a) : Integral a = fun f => e f / e (fun _ => 1)
let bernoulli (p : Real) : Integral Bool = fun f => p * f true + (1 - p) * f false
let uniform (f : Real -> Real) : Real = integral01 f
let totalMass (mu : Integral a) : Real = mu (fun _ => 1)
let mean (mu : Integral Real) : Real = mu (fun x => x)
let variance (mu : Integral Real) : Real = mu (fun x => (x - mean mu)^2)

let change (f : Real -> Real) : Real = integral01 (fun x => (x - 1/2) * f x)
let der (f : Integral a -> Real) (x dx : Integral a) : Real =
  snd (tangentReal.to (tangent f (tangentFun.from (x, dx))))`

// figure10 is λS Fig. 10.
const figure10 = `type Maximizer a = (a -> Real) -> Real

let point (x : a) : Maximizer a = fun f => f x
let indexedUnion (ka : Maximizer a) (kb : a -> Maximizer b) : Maximizer b = fun f => ka (fun a => kb a f)
let union (k1 k2 : Maximizer a) : Maximizer a = fun f => max (k1 f) (k2 f)
let map (g : a -> b) (k : Maximizer a) : Maximizer b = fun f => k (fun a => f (g a))
let sup (k : Maximizer a) (f : a -> Real) : Real = k f
let inf (k : Maximizer a) (f : a -> Real) : Real = -(k (fun x => -(f x)))
let hausdorffDist (d : a -> a -> Real) (k1 k2 : Maximizer a) : Real =
  max (sup k1 (fun x1 => inf k2 (fun x2 => d x1 x2))) (sup k2 (fun x2 => inf k1 (fun x1 => d x1 x2)))

let unitInterval (f : Real -> Real) : Real = max01 f
let quarterCircle (y : Real) : Maximizer (Real^2) =
  map (fun theta => (cos (pi / 2 * theta), sin (pi / 2 * theta) + y)) unitInterval
let lShape (f : Real^2 -> Real) : Real =
  union (map (fun x => (x, 1)) unitInterval) (map (fun y => (1, y)) unitInterval) f
let dist (a b : Real^2) : Real = sqrt ((a[0] - b[0])^2 + (a[1] - b[1])^2)`
