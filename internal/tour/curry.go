package tour

import "fmt"

// The stops of Curry: The Differentiable Curry.
var curry = []Stop{
	{
		Title: "A recurrent network", Where: "§2",
		Says: "runRNN folds a closure over the parameters through a list; the closure is a " +
			"partial application, and must back-propagate to what it captured",
		Source: "import list\n\nlet rnnCell ((params, hidden, input) : ((Real, Real), Real, " +
			"Real)) : Real =\n  tanh (params[0] * hidden + params[1] * input)\n\nlet runRNN " +
			"(params : (Real, Real)) (initState : Real) (xs : List Real) : Real =\n  let g hid " +
			"input = rnnCell (params, hid, input)\n  list.fold g initState xs",
		Diff: &Diff{
			Fun: "runRNN", At: "((0.5, -0.3), 0.1, Cons 1 (Cons 0.5 (Cons (-1) Nil)))",
			Explain: []string{"list.fold<Real, Real>", "curry[hid input]"},
		},
	},
	{
		Title: "Translation to combinators", Where: "§3.1, Fig. 1",
		Says: "a variable is a projection, an abstraction curry of its body, an application " +
			"prod and eval",
		Source: "let f (x : Real) : Real =\n  let g = fun y => x * y\n  g (g 2)",
		Diff: &Diff{Fun: "f", At: "3", Want: "12", Only: []string{"curry-list", "curry-env"},
			Explain: []string{"curry[x]", "curry[y] (⟨π x, π y⟩ ; (*))", "; eval"}},
	},
	{
		Title: "The rep-function of a product", Where: "§3.2, Fig. 2",
		Says:   "mult (x1, x2) = (x1 * x2, λg. (x2 * g, x1 * g))",
		Source: "let mult (x1 x2 : Real) : Real = x1 * x2",
		Diff:   &Diff{Fun: "mult", At: "(3, 5)", Cotangent: "2", Want: "(10, 6)"},
	},
	{
		Title: "The rep-function of a projection", Where: "§3.2, Fig. 2",
		Says:   "proj_left (a, b) = (a, λg. (g, 0))",
		Source: "let projLeft ((a, b) : (Real, Real)) : Real = a",
		Diff:   &Diff{Fun: "projLeft", At: "(3, 5)", Cotangent: "2", Want: "(2, 0)"},
	},
	{
		Title: "vjp", Where: "§3.2, Fig. 2, and §6.1",
		Says: "vjp f x gb = snd (f x) gb; the paper's language cannot type it, since it has no " +
			"ordinary arrows. Here it is an ordinary function, and can be passed and returned",
		Asks: []Ask{{"map (fun d => d (fun x => x^3) 2 1) [vjp, jvp]", "[12, 12]", ""}},
	},
	{
		Title: "vjp inside programs", Where: "§6.1",
		Says: "a program that uses vjp is to be differentiable too, which the paper leaves " +
			"open: the pullback of vjp is that of the primitives that it runs. What the " +
			"derivative of a function owes to what the function captured is not a list of its " +
			"calls, so that it is an entry of its own in the list",
		Source: "let f (x : Real) : Real =\n  let g = fun y => x^2 * y^3\n  vjp g 2 1",
		Diff: &Diff{Fun: "f", At: "0.5", Want: "12", Explain: []string{
			"curry[y] has the tangent [env(12)]", "curry[y] has the tangent env(12)"}},
	},
	{
		Title: "Partial application", Where: "§4.1, Fig. 4",
		Says: "(λxb. f (a, xb)) b and f (a, b) are equal forward, and have equal " +
			"back-propagators",
		Source: "let f ((a, b) : (Real, Real)) : Real = sin a * b^2\nlet foo1 ((a, b) : (Real, " +
			"Real)) : Real = (fun xb => f (a, xb)) b\nlet foo2 ((a, b) : (Real, Real)) : Real = " +
			"f (a, b)",
		Asks: []Ask{{"(grad foo1 (0.5, 3), grad foo2 (0.5, 3))", "((7.898243057013355, " +
			"2.876553231625218), (7.898243057013355, 2.876553231625218))", ""}},
		Diff: &Diff{Fun: "foo1", At: "(0.5, 3)", Want: "(7.898243057013355, 2.876553231625218)"},
	},
	{
		Title: "Forgetting results", Where: "§4.1, Fig. 4",
		Says: "fst (f x, g x) and f x have equal back-propagators, although g gets the tangent " +
			"[(x, 0)] in one and [] in the other",
		Source: "let foo1 ((a, b, x) : (Real, Real, Real)) : Real =\n  let f = fun y => a * y\n  " +
			"let g = fun y => b * y\n  fst (f x, g x)\nlet foo2 ((a, b, x) : (Real, Real, Real)) " +
			": Real =\n  let f = fun y => a * y\n  f x",
		Asks: []Ask{{"(grad foo1 (2, 3, 0.5), grad foo2 (2, 3, 0.5))", "((0.5, 0, 2), (0.5, 0, 2))",
			""}},
		Diff: &Diff{Fun: "foo1", At: "(2, 3, 0.5)", Want: "(0.5, 0, 2)",
			Explain: []string{"curry[y2] has the tangent [(0.5, 0)]"}},
	},
	{
		Title: "Summing results", Where: "§4.1, Fig. 4",
		Says: "f x + f x and let y = f x in y + y have equal back-propagators, although f gets " +
			"[(x, g), (x, g)] in one and [(x, g + g)] in the other",
		Source: "let foo1 ((a, x) : (Real, Real)) : Real =\n  let f = fun y => a * y\n  f x + f " +
			"x\nlet foo2 ((a, x) : (Real, Real)) : Real =\n  let f = fun y => a * y\n  let y = f " +
			"x\n  y + y",
		Asks: []Ask{{"(grad foo1 (2, 0.5), grad foo2 (2, 0.5))", "((1, 4), (1, 4))", ""}},
		Diff: &Diff{Fun: "foo1", At: "(2, 0.5)", Want: "(1, 4)",
			Explain: []string{"curry[y] has the tangent [(0.5, 1), (0.5, 1)]"}},
	},
	{
		Title: "Tangents of functions are lists of calls", Where: "§4, Fig. 3",
		Says: "T[τ ⇝ σ] = [(τ, T[σ])]: each call with its argument and what is asked of its " +
			"result",
		Source: "let f (x : Real) : Real =\n  let g = fun y => x * y\n  g 3 * g 5",
		Diff: &Diff{Fun: "f", At: "2", Want: "60", Only: []string{"curry-list"},
			Explain: []string{"curry[y] has the tangent [(3, 10), (5, 6)]"}},
	},
	{
		Title: "Tangents of functions are tangents of environments", Where: "§5, Fig. 5",
		Says: "T[v : τ ⇝ σ] is the tangent of what v captured; different functions of one type " +
			"have different ones",
		Source: "let f (x : Real) : Real =\n  let g = fun y => x * y\n  g 3 * g 5",
		Diff: &Diff{Fun: "f", At: "2", Want: "60", Only: []string{"curry-env"},
			Explain: []string{"curry[y] has the tangent env(60)"}},
	},
	{
		Title: "Redundant computation", Where: "§5",
		Says: "the pullback of Fig. 3's curry involves a full forward computation of the " +
			"function, so that functions inside functions cost exponentially much; Fig. 5's does " +
			"not",
		Grow: &Growth{
			Sizes: []int{2, 4, 6, 8, 10, 12}, Strategies: []string{"curry-list", "curry-env",
				"compiled"},
			Program: func(n int) (string, string) {
				body := "x"
				for i := n; i > 0; i-- {
					body = fmt.Sprintf("(fun y%d => y%d * %s) (x + 1)", i, i, body)
				}
				return "let f (x : Real) : Real = " + body, "1.1"
			},
			Holds: func(c [][]int64) bool {
				return multiplied(c[1:], 0, 3) && linear(c, 1) && linear(c, 2)
			},
		},
	},
	{
		Title: "Control flow, recursion and data", Where: "§6.2",
		Says: "the same approach can introduce control flow and recursion, and richer " +
			"algebraic types may be possible: here all at once",
		Source: "data Tree = Leaf Real | Node Tree Tree\nlet rec total (t : Tree) : Real =\n  " +
			"match t with\n  | Leaf x -> if x < 1 then x else x * x\n  | Node l r -> total l * " +
			"total r",
		Diff: &Diff{Fun: "total", At: "Node (Leaf 0.5) (Node (Leaf 3) (Leaf 2))",
			Want: "Node (Leaf 36) (Node (Leaf 12) (Leaf 18))"},
	},
	{
		Title: "Discrete types", Where: "Appendix, Fig. 6",
		Says: "the tangents of Int, Bool and tensors of integers are Unit: they take no part",
		Source: "let f (n : Int) (b : Bool) (ks : []Int) (x : Real) : Real = if b then x^n * " +
			"real ks[0] else x",
		Diff: &Diff{Fun: "f", At: "(3, true, [5, 7], 2)", Want: "(3, true, [5, 7], 60)"},
	},
}
