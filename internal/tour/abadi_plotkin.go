package tour

// The stops of A–P: A Simple Differentiable Programming Language. Their
// W.rd_V(x:T. N) is `vjp (fun x => N) V W` here, and W.fd_V(x:T. N) is
// `jvp (fun x => N) V W`.
var abadiPlotkin = []Stop{
	{
		Title: "ReLU by a conditional", Where: "§1",
		Says: "f(x) = if x < 0 then 0 else x is not differentiable at 0; with the partial " +
			"comparison it is undefined there, and differentiable everywhere else",
		Source: "let f (x : Real) : Real = if x < 0 then 0 else x",
		Asks:   []Ask{{"(deriv f (-2), deriv f 2)", "(0, 1)", ""}, {"deriv f 0", "E0803", ""}},
	},
	{
		Title: "A step", Where: "§1",
		Says: "with 1 for x the function is not even continuous, so that it has no derivative " +
			"at 0 either",
		Source: "let step (x : Real) : Real = if x < 0 then 0 else 1",
		Asks: []Ask{{"(deriv step (-2), deriv step 2)", "(0, 0)", ""},
			{"deriv step 0", "E0803", ""}},
	},
	{
		Title: "The identity, by a test for equality", Where: "§1",
		Says: "g(x) = if x = 0 then 0 else x has the derivative 1 at 0; differentiation by " +
			"branches gives the wrong answer 0. Equality of reals is no predicate of the language",
		Asks: []Ask{{"deriv (fun (x : Real) => if x == 0 then 0 else x) 0", "E0312", ""}},
	},
	{
		Title: "Gradients as reverse derivatives", Where: "§2",
		Says: "grad_L(x. N) = 1.rd_L(x. N)",
		Asks: []Ask{
			{"grad (fun (x, y) => x * sin y + x^2) (2, 1)",
				"(4.841470984807897, 1.0806046117362795)", ""},
			{"vjp (fun (x, y) => x * sin y + x^2) (2, 1) 1",
				"(4.841470984807897, 1.0806046117362795)", ""},
		},
	},
	{
		Title: "Forward mode from reverse mode", Where: "§2 and eq. (6)",
		Says: "M.fd_L(x. N) = M.rd_0(y. y.rd_L(x. N)): two reverse derivatives make a forward " +
			"one",
		Source: "let g ((x, y) : (Real, Real)) : (Real, Real) = (x * y, sin x)\nlet fd f x v = " +
			"vjp (fun w => vjp f x w) (zeroLike (f x)) v",
		Asks: []Ask{
			{"fd g (2, 3) (1, 10)", "(23, -0.4161468365471424)", ""},
			{"jvp g (2, 3) (1, 10)", "(23, -0.4161468365471424)", ""},
		},
	},
	{
		Title: "A function defined by its own derivative", Where: "§2",
		Says: "f may occur within rd in the definition of f itself: here f n is the n-th " +
			"derivative of x^5, and 60 x^2 is the third",
		Source: "let rec f (n : Int) (x : Real) : Real = if n == 0 then x^5 else deriv (fun y => " +
			"f (n - 1) y) x",
		Asks: []Ask{{"[f n 2 for n < 7]", "[32, 80, 160, 240, 240, 120, 0]", ""}},
	},
	{
		Title: "The same, evaluated by the figures", Where: "§2 and Figs. 2–6",
		Says: "the operational semantics accommodates it without special complications: f 2 " +
			"asks for the derivative of f 1, which asks for that of f 0, one rd within the other",
		Source: "let rec f (n : Int) (x : Real) : Real = if n == 0 then x^5 else deriv (fun y => " +
			"f (n - 1) y) x\nlet f2 (x : Real) : Real = f 2 x",
		Diff: &Diff{Fun: "f2", At: "2", Want: "240", Only: []string{"trace"},
			Explain: []string{ownDerivation}},
	},
	{
		Title: "Training by gradient descent", Where: "§2",
		Says: "a trained model, from an untrained one and a loss: descend until the loss is " +
			"below a bound. With the model a w and the pair (2, 3) the weight goes to 3/2",
		Source: trainedModel,
		Asks: []Ask{{"(descend w0, currentLoss (descend w0) < maxLoss)", "(1.4996, true)", ""},
			{"myTrainedModel 10", "14.996", ""}},
	},
	{
		Title: "Training is differentiable", Where: "§2",
		Says: "the trained model is a function like any other: each step leaves 1/5 of the " +
			"distance, so that after five steps the result moves by 1/5^5 with the start",
		Source: trainedModel,
		Asks:   []Ask{{"abs (deriv descend w0 - 0.2^5) < 1e-15", "true", ""}},
	},
	{
		Title: "A dot product", Where: "§3",
		Says: "ev(DProd_2)_r ⟨⟨⟨a, b⟩, ⟨a′, b′⟩⟩, c⟩ = ⟨⟨c a′, c b′⟩, ⟨c a, c b⟩⟩, here at a, " +
			"b, a′, b′ = 1, 2, 3, 5 and c = 7",
		Source: "let dprod (u v : (Real, Real)) : Real = inner u v",
		Diff: &Diff{Fun: "dprod", At: "((1, 2), (3, 5))", Cotangent: "7",
			Want: "((21, 35), (7, 14))"},
	},
	{
		Title: "Tracing a conditional", Where: "§3",
		Says: "the value of x decides the guard of if x < 0 then 0 else x, and the trace keeps " +
			"the x of the branch",
		Source: "let f (x : Real) : Real = if x < 0 then 0 else x * x",
		Diff: &Diff{Fun: "f", At: "3", Want: "6", Only: []string{"trace"},
			Explain: []string{"x : real ⊢\n  x * x\n: real"}},
	},
	{
		Title: "Nested differentiation", Where: "§3, after Fig. 6",
		Says: "1.rd_1(x. x × 1.rd_1(y. x + y)) ⇒ 1; a system that confuses perturbations gives 2",
		Asks: []Ask{
			{"vjp (fun x => x * vjp (fun y => x + y) 1 1) 1 1", "1", ""},
			{"deriv (fun x => x * deriv (fun y => x + y) 1) 1", "1", ""},
		},
	},
	{
		Title: "Nested differentiation, by the figures", Where: "§3, Figs. 2–6",
		Says: "the reader may wish to try it: x × 1.rd_1(y. x + y) is evaluated both ways, by ⇒ " +
			"to a value and by ⇝ to a trace, " +
			"and the trace is differentiated, which gives 1.rd_1(x. x × 1.rd_1(y. x + y)) ⇒ 1",
		Source: "let f (x : Real) : Real = x * vjp (fun y => x + y) 1 1",
		Diff: &Diff{Fun: "f", At: "1", Want: "1", Only: []string{"trace"},
			Explain: []string{nestedOrdinary, nestedSymbolic}},
	},
	{
		Title: "Nested differentiation through a function", Where: "§3, after Fig. 6",
		Says: "letrec f(x) = 1.rd_1(y. x + y) in 1.rd_1(x. x + f(x)) ⇒ 1",
		Source: "let f (x : Real) : Real = vjp (fun y => x + y) 1 1\nlet g (x : Real) : Real = x " +
			"+ f x",
		Asks: []Ask{{"vjp (fun x => x + f x) 1 1", "1", ""}},
		Diff: &Diff{Fun: "g", At: "1", Want: "1", Only: []string{"trace"},
			Explain: []string{throughFunction}},
	},
	{
		Title: "A derivative of a derivative, traced", Where: "§3, Figs. 4 and 6",
		Says: "a differential term inside another one is itself evaluated symbolically; only " +
			"A–P's algorithm has rd among its terms",
		Source: "let f (x : Real) : Real = x * deriv (fun y => x * y) 2",
		Diff:   &Diff{Fun: "f", At: "3", Want: "6", Explain: []string{"'.(*)_r_r⟨"}},
	},
	{
		Title: "The derivative of a trace is a trace", Where: "Fig. 6 and Prop. 3.3",
		Says:   "W.R_V(x:T. C) is a trace term of type T, made by the chain rule alone",
		Source: "let f ((x, y) : (Real, Real)) : Real = sin (x * y)",
		Diff: &Diff{Fun: "f", At: "(2, 0.5)", Only: []string{"trace"},
			Explain: []string{"w.sin_r(t)", "t'.(*)_r⟨p.0, p.1⟩", ": real × real"}},
	},
	{
		Title: "Removing a point", Where: "§4.1",
		Says: "max(x, 0) without 0 in its domain is continuously differentiable, with the " +
			"derivative 0 to the left and 1 to the right",
		Asks: []Ask{{"(deriv (fun x => max x 0) (-1e-9), deriv (fun x => max x 0) 1e-9)",
			"(0, 1)", ""}},
	},
	{
		Title: "The two modes are adjoint", Where: "§4.1, eq. (5)",
		Says: "the reverse derivative is the transpose of the forward one: inner products with " +
			"it agree",
		Source: "let g ((x, y) : (Real, Real)) : (Real, Real) = (x * y^2, x / y)",
		Asks: []Ask{{"(inner (jvp g (3, 2) (5, 7)) (11, 13), inner (vjp g (3, 2) (11, 13)) (5, " +
			"7))", "(1108.25, 1108.25)", ""}},
	},
	{
		Title: "The chain rule, both ways", Where: "§4.1, eqs. (7) and (8)",
		Says: "forward derivatives compose in the order of the functions, reverse ones in the " +
			"opposite order",
		Source: "let f ((x, y) : (Real, Real)) : (Real, Real) = (x * y, x + y)\nlet g ((u, v) : " +
			"(Real, Real)) : Real = u^2 * v\nlet p = (2, 3)",
		Asks: []Ask{
			{"(jvp (fun q => g (f q)) p (5, 7), jvp g (f p) (jvp f p (5, 7)))", "(2172, 2172)", ""},
			{"(vjp (fun q => g (f q)) p 1, vjp f p (vjp g (f p) 1))", "((216, 156), (216, 156))",
				""},
		},
	},
	{
		Title: "Two variables, one at a time", Where: "§4.1, eqs. (9) and (10)",
		Says: "the derivative in two variables is made of those in each: this is what deals " +
			"with fan-in",
		Source: "let f (x y : Real) : Real = x^2 * y + exp y",
		Asks: []Ask{{"grad (fun (x, y) => f x y) (3, 0)", "(0, 10)", ""},
			{"(deriv (fun x => f x 0) 3, deriv (f 3) 0)", "(0, 10)", ""}},
	},
	{
		Title: "No reals at all", Where: "§4.1",
		Says: "functions from and to the reals of dimension 0 have derivatives too, which are zero",
		Asks: []Ask{{"vjp (fun () => 2.0) () 1", "()", ""},
			{"jvp (fun (x : Real) => ()) 1 1", "()", ""}},
	},
	{
		Title: "Conditionals", Where: "§4.3, Prop. 4.3",
		Says: "the derivative of a conditional is the conditional of the derivatives, wherever " +
			"its predicate is continuous",
		Source: "let f (x : Real) : Real = if x < 1 then 2 * x - 1 else x * x\nlet df (x : Real) " +
			": Real = if x < 1 then 2 else 2 * x",
		Asks: []Ask{{"[(deriv f x, df x) for x in [-1, 0.5, 1.5, 3]]",
			"[(2, 2), (2, 2), (3, 3), (6, 6)]", ""}},
	},
	{
		Title: "Recursion", Where: "§4.3, Prop. 4.4",
		Says: "the derivative of a recursive function is the recursive function of the " +
			"derivatives: here of x^n = x x^(n - 1)",
		Source: "let rec f (n : Int) (x : Real) : Real = if n == 0 then 1 else x * f (n - 1) " +
			"x\nlet rec df (n : Int) (x : Real) : Real = if n == 0 then 0 else f (n - 1) x + x * " +
			"df (n - 1) x",
		Asks: []Ask{{"[(deriv (f n) 1.5, df n 1.5) for n < 5]",
			"[(0, 0), (1, 1), (3, 3), (6.75, 6.75), (13.5, 13.5)]", ""}},
	},
	{
		Title: "Clarke's derivative of ReLU", Where: "§7",
		Says: "one might use Clarke sub-gradients: that of ReLU at 0 is the interval [0, 1]. " +
			"Exact reals give it; a float derivative is an element of it",
		Asks: []Ask{{"deriv relu 0", "[0, 1]", "1"}, {"deriv relu 0", "0.5", ""}},
	},
	{
		Title: "The cost of Fig. 6", Where: "Fig. 6 (and Delta §7)",
		Says: "the rule for let has the body's derivative twice, so that a chain of lets costs " +
			"exponentially much; the trace itself does not",
		Grow: &Growth{
			Sizes: []int{4, 8, 12, 16, 20}, Strategies: []string{"trace", "compiled"},
			Program: sharingChain,
			Holds:   func(c [][]int64) bool { return multiplied(c, 0, 10) && linear(c, 1) },
		},
	},
}

const trainedModel = `let a = 2
let b = 3
let w0 = 0.25
let rate = 0.1
let maxLoss = 1e-6
let myUntrainedModel ((x, w) : (Real, Real)) : Real = x * w
let myLoss ((y, p) : (Real, Real)) : Real = (y - p)^2
let currentLoss (w : Real) : Real = myLoss (b, myUntrainedModel (a, w))
let gradLoss (w : Real) : Real = grad (fun w' => currentLoss w') w
let rec descend (w : Real) : Real = if currentLoss w < maxLoss then w else descend (w - rate * gradLoss w)
let myTrainedModel (x : Real) : Real = myUntrainedModel (x, descend w0)`

const ownDerivation = `ordinary evaluation (A–P Figs. 2–3)
  {x ↦ 2} ⊢ f2(x) ⇒ 160
    {x ↦ 2} ⊢ f(2, x) ⇒ 160
      ⊢ 2 == 0 ⇒ false
      ⊢ if false then … else … ⇒ 160
        {x1 ↦ 2} ⊢ deriv(fun y => f(2 - 1, y), x1) ⇒ 160
          ⊢ 1.rd_2(y : real. f(2 - 1, y)) ⇒ 160
            ⊢ 1.rd_2(y : real. f(2 - 1, y)) ⇝ D2
              {y ↦ 2} ⊢ f(2 - 1, y) ⇝ C2 = D1
                ⊢ 2 - 1 ⇝ 1
                {y ↦ 2} ⊢ f(1, y) ⇝ D1
                  ⊢ 1 == 0 ⇝ false
                  ⊢ if false then … else … ⇝ D1
                    {y ↦ 2} ⊢ deriv(fun y => f(1 - 1, y), y) ⇝ D1
                      {y ↦ 2} ⊢ 1.rd_y(y : real. f(1 - 1, y)) ⇝ D1
                        {y1 ↦ 2} ⊢ f(1 - 1, y1) ⇝ C1 = (^)_5(y1)
                          ⊢ 1 - 1 ⇝ 0
                          {y1 ↦ 2} ⊢ f(0, y1) ⇝ (^)_5(y1)
                            ⊢ 0 == 0 ⇝ true
                            ⊢ if true then … else … ⇝ (^)_5(y1)
                              {y1 ↦ 2} ⊢ y1 ^ 5 ⇝ (^)_5(y1)
                        1.R_y(y1 : real. C1) = D1 =
                            let y2 : real = y in
                            1.(^)_5_r(y2)
                      ⊢ D1 ⇒ 80
              1.R_2(y : real. C2) = D2 =
                  let y3 : real = 2 in
                  let y4 : real = y3 in
                    (let d : real × real = 1.(^)_5_r_r⟨y4, 1⟩ in
                     0 + 0)
                  + (let d1 : real × real = 1.(^)_5_r_r⟨y4, 1⟩ in
                     d1.0 + 0)
            ⊢ D2 ⇒ 160`

const nestedOrdinary = `ordinary evaluation (A–P Figs. 2–3)
  {x ↦ 1} ⊢ f(x) ⇒ 1
    {x ↦ 1} ⊢ vjp(fun y => x + y, 1, 1) ⇒ 1
      ⊢ 1.rd_1(y : real. 1 + y) ⇒ 1
        ⊢ 1.rd_1(y : real. 1 + y) ⇝ D1
          {y ↦ 1} ⊢ 1 + y ⇝ C1 = 1 + y
            {y ↦ 1} ⊢ 1 + y ⇝ 1 + y
          1.R_1(y : real. C1) = D1 =
              let y1 : real = 1 in
              0 + 1
        ⊢ D1 ⇒ 1
    {x ↦ 1, t ↦ 1} ⊢ x * t ⇒ 1`

const nestedSymbolic = `symbolic evaluation (A–P Figs. 4–5)
  {x ↦ 1} ⊢ f(x) ⇝ C, the trace
    {x ↦ 1} ⊢ vjp(fun y => x + y, 1, 1) ⇝ D1
      {x ↦ 1} ⊢ 1.rd_1(y : real. x + y) ⇝ D1
        {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ C1 = x + y
          {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ x + y
        1.R_1(y : real. C1) = D1 =
            let y1 : real = 1 in
            0 + 1
      ⊢ D1 ⇒ 1
    {x ↦ 1, t ↦ 1} ⊢ x * t ⇝ x * t`

const throughFunction = `symbolic evaluation (A–P Figs. 4–5)
  {x ↦ 1} ⊢ g(x) ⇝ C, the trace
    {x ↦ 1} ⊢ f(x) ⇝ D1
      {x ↦ 1} ⊢ vjp(fun y => x + y, 1, 1) ⇝ D1
        {x ↦ 1} ⊢ 1.rd_1(y : real. x + y) ⇝ D1
          {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ C1 = x + y
            {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ x + y
          1.R_1(y : real. C1) = D1 =
              let y1 : real = 1 in
              0 + 1
        ⊢ D1 ⇒ 1
    {x ↦ 1, t ↦ 1} ⊢ x + t ⇝ x + t`
