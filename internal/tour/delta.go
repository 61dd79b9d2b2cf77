package tour

import (
	"fmt"
	"strings"
)

// The stops of Delta: Provably Correct, Asymptotically Efficient, Higher-Order
// Reverse-Mode Automatic Differentiation.
var delta = []Stop{
	{
		Title: "Scaling at every type", Where: "§2",
		Says: "⊗ multiplies the real-valued fields of a value, and leaves the others: at sums it " +
			"keeps the constructor",
		Asks: []Ask{{"scaleReal 2 (3.0, (7 : Int), Some 1.5, \"a\")", "(6, 7, Some 3, \"a\")", ""}},
	},
	{
		Title: "Correctness of both modes", Where: "Fig. 2 and Lemma 1",
		Says: "F{e} multiplies the Jacobian with a tangent, R{e} a cotangent with the " +
			"Jacobian, so that dt • F{e}(s, ds) = R{e}(s, dt) • ds",
		Source: "let e ((x, y) : (Real, Real)) : (Real, Real) = (x * y, x + y^2)",
		Asks: []Ask{{"(inner (5, 7) (jvp e (2, 3) (11, 13)), inner (vjp e (2, 3) (5, 7)) (11, " +
			"13))", "(918, 918)", ""}},
	},
	{
		Title: "The Forward Plan and the Reverse Plan", Where: "§3.2",
		Says: "the Jacobian has a column for each input, which a call of F{e} gives, and a row " +
			"for each output, which a call of R{e} gives",
		Source: "let e (xs : [2]Real) : [3]Real = [xs[0] * xs[1], xs[0]^2, xs[1]]\nlet onehot n " +
			"i = [if j == i then 1 else 0 for j < n]\nlet columns (xs : [2]Real) = [jvp e xs " +
			"(onehot 2 j) for j < 2]\nlet rows (xs : [2]Real) = [vjp e xs (onehot 3 i) for i < 3]",
		Asks: []Ask{
			{"columns [2, 5]", "[[5, 4, 0], [2, 0, 1]]", ""},
			{"rows [2, 5]", "[[5, 2], [4, 0], [0, 1]]", ""},
			{"jacobian e [2, 5]", "[[5, 2], [4, 0], [0, 1]]", ""},
		},
	},
	{
		Title: "Dual numbers", Where: "§4.1, Fig. 3",
		Says: "𝒟→ replaces each real by a pair, and a product by (x × y, y × dx + x × dy); " +
			"everything else stays",
		Source: "let f ((x, y) : (Real, Real)) : Real = x * y",
		Diff: &Diff{Fun: "f", At: "(3, 5)", Want: "(5, 3)", Only: []string{"forward"},
			Explain: []string{
				"def \"𝒟{example.f}\" : ((Real, Real), (Real, Real)) -> (Real, Real)"}},
	},
	{
		Title: "Higher-order programs", Where: "§4.1 and §5.3",
		Says: "lambdas translate to lambdas and applications to applications, in every one of " +
			"the translations: there is no difficulty with functions",
		Source: "let twice (g : Real -> Real) : Real -> Real = fun x => g (g x)\nlet f (x : " +
			"Real) : Real = twice (twice (fun y => y * x)) x",
		Diff: &Diff{Fun: "f", At: "2", Want: "80"},
	},
	{
		Title: "Whole gradients", Where: "§5.2 and §6",
		Says: "with a whole gradient beside each real every operation takes and makes vectors: " +
			"the cost grows with the square of the number of inputs, as it does for forward " +
			"mode, which runs once an input",
		Grow: &Growth{
			Sizes: []int{8, 16, 32, 64}, Strategies: []string{"forward", "reverse1", "delta",
				"compiled"},
			Program: func(n int) (string, string) {
				return "let f (xs : []Real) : Real = sum [x * x for x in xs]",
					fmt.Sprintf("[real i for i < %d]", n)
			},
			Holds: func(c [][]int64) bool {
				return multiplied(c, 0, 3) && multiplied(c, 1, 3) && !multiplied(c, 2, 2.1) &&
					!multiplied(c, 3, 2.1)
			},
		},
	},
	{
		Title: "A zero out of thin air", Where: "§6",
		Says: "with sums in S, the zero gradient has the shape of the argument that the " +
			"program was given",
		Source: "let f (s : Option Real) : Real =\n  match s with\n  | Some x -> 2\n  | None -> 3",
		Diff:   &Diff{Fun: "f", At: "Some 5", Want: "Some 0"},
	},
	{
		Title: "The loss of sharing", Where: "§7",
		Says: "f = λx. let y = e in y + y has Add ȳ ȳ for its Delta, and evaluation cannot " +
			"know that the two are the same",
		Source: "let f (x : Real) : Real =\n  let y = x * 3\n  y + y",
		Diff: &Diff{Fun: "f", At: "2", Want: "6", Only: []string{"reverse2"},
			Explain: []string{"Add (Add (Scale 3 (OneHot x)) (Scale 2 (Zero))) (Add (Scale 3 " +
				"(OneHot x)) (Scale 2 (Zero)))"}},
	},
	{
		Title: "The sharing chain", Where: "§7",
		Says: "let x1 = x + x in let x2 = x1 + x1 in …: without sharing evaluation is " +
			"exponential in the length, with it linear",
		Grow: &Growth{
			Sizes: []int{4, 8, 12, 16, 20, 24}, Strategies: []string{"trace", "reverse1",
				"reverse2", "delta", "compiled"}, Program: sharingChain,
			Holds: func(c [][]int64) bool {
				return multiplied(c, 2, 10) && linear(c, 3) && linear(c, 4)
			},
		},
	},
	{
		Title: "Explicit sharing", Where: "§7.1, Figs. 9 and 10",
		Says:   "each new Delta gets a binding of its own, and a use is a Var",
		Source: "let f (x : Real) : Real =\n  let y = x * x\n  y + y",
		Diff: &Diff{Fun: "f", At: "3", Want: "12", Only: []string{"delta"},
			Explain: []string{"Let x1 = Add (Scale 3 (Var x)) (Scale 3 (Var x)) in\nLet x2 = Add " +
				"(Var x1) (Var x1) in\n"}},
	},
	{
		Title: "Linear time", Where: "§7.4",
		Says: "the translated program and the evaluation of its Delta take time linear in the " +
			"run time of the program: here of a loop of n turns, with a closure in it",
		Grow: &Growth{
			Sizes: []int{1000, 2000, 3000, 4000}, Strategies: []string{"delta", "compiled"},
			Program: closureLoop,
			Holds:   func(c [][]int64) bool { return linear(c, 0) && linear(c, 1) },
		},
	},
	{
		Title: "Linear memory", Where: "§7.4",
		Says: "each translated operation allocates a constant number of cells, and evaluation " +
			"one for each variable: on the same loop, the memory too is linear in the run time",
		Grow: &Growth{
			Memory: true, Sizes: []int{1000, 2000, 3000, 4000}, Strategies: []string{"delta"},
			Program: closureLoop,
			Holds:   func(c [][]int64) bool { return c[0][0] > 0 && linear(c, 0) },
		},
	},
	{
		Title: "Separate compilation", Where: "§7.5",
		Says: "the translation of a function of a library does not mention the main " +
			"expression, nor its argument's type: it is made once, and kept for every program " +
			"that imports it",
		Source: "import list\nlet f (xs : List Real) : Real = list.fold (fun a x => a * x) 1 xs",
		Diff: &Diff{Fun: "f", At: "Cons 2 (Cons 3 Nil)", Want: "Cons 3 (Cons 2 Nil)",
			Only: []string{"delta"}, Explain: []string{"-- of module list\n\ndef " +
				"\"𝒟{list.fold<Real, Real>}\"", "-- of module example\n\ndef \"𝒟{example.f}\"",
				"@\"𝒟{list.fold<Real, Real>}\""}},
	},
	{
		Title: "Rotating a vector by a quaternion", Where: "§8, Fig. 12",
		Says:   "the worked example at its point: 40 lets, of Add, Scale, Zero and Var alone",
		Source: quaternion,
		Diff: &Diff{
			Fun: "rotateX", At: "({x = 1.1, y = 2.2, z = 3.3, w = 4.4}, {x = 5.5, y = 6.6, z = " +
				"7.7})", Only: nil,
			Explain: []string{"Add (Scale 6.6 (Var p[0].y)) (Scale 2.2 (Var p[1].y))",
				"Add (Scale 4.4 (Var p[0].w)) (Scale 4.4 (Var p[0].w))"},
		},
	},
	{
		Title: "R{e} is the Jacobian, transposed", Where: "§9, Theorem 3",
		Says:   "for every closed e : ℝᵃ → ℝ, R{e}(s, dt) = dt · J e(s)",
		Source: "let e ((x, y, z) : (Real, Real, Real)) : Real = x * y + sin z",
		Diff:   &Diff{Fun: "e", At: "(2, 3, 0)", Cotangent: "10", Want: "(30, 20, 10)"},
	},
	{
		Title: "More primitives", Where: "§10.1",
		Says: "𝒟{sin} scales by cos x, and 𝒟{cos} by -(sin x), computed on the way forward: " +
			"the Delta records no operation",
		Source: "let f (x : Real) : Real = sin x * cos x",
		Diff: &Diff{Fun: "f", At: "0", Want: "1", Only: []string{"delta"},
			Explain: []string{"Scale 1 (Var x)", "Scale (-0) (Var x)"}},
	},
	{
		Title: "Arrays", Where: "§10.2",
		Says: "build and index translate to build and index of pairs; a computation an element " +
			"runs in sequence",
		Source: "let f (xs : []Real) : Real =\n  let ys = [xs[i] * xs[0] for i < length xs]\n  " +
			"ys[0] + ys[2]",
		Diff: &Diff{Fun: "f", At: "[2, 3, 5]", Want: "[9, 0, 2]"},
	},
	{
		Title: "Recursion", Where: "§10.3",
		Says: "inductive types and folds are likely unproblematic, and general recursion takes " +
			"a larger proof: the translations cover both",
		Source: "let rec power (x : Real) (n : Int) : Real = if n == 0 then 1 else x * power x " +
			"(n - 1)\nlet f (x : Real) : Real = power x 5",
		Diff: &Diff{Fun: "f", At: "2", Want: "80"},
	},
	{
		Title: "Higher-order derivatives", Where: "§10.4",
		Says: "running the transformation twice, R{R{e}}, is not possible, says the paper, " +
			"since its source language lacks what its target has. Here both are core, and " +
			"derivatives of every order are ordinary expressions",
		Source: "let f (x : Real) : Real = x^5",
		Asks: []Ask{{"(deriv f 2, deriv (deriv f) 2, grad (grad (grad f)) 2)",
			"(80, 160, 240)", ""}},
	},
	{
		Title: "R{R{e}}", Where: "§10.4",
		Says:   "and the translations are run twice: R of a program that takes R of another",
		Source: "let e (x : Real) : Real = x^5\nlet f (x : Real) : Real = grad e x",
		Diff: &Diff{Fun: "f", At: "2", Want: "160", Only: []string{"forward", "reverse1",
			"reverse2", "delta", "compiled"}, Explain: []string{"def \"𝒟{expand{example.e}}\"",
			"Scale 32 (Var x)"}},
	},
	{
		Title: "Arguments of any first-order type", Where: "§11",
		Says: "the main expression may take an integer and two vectors of different sizes, as " +
			"any S → T without functions",
		Source: "let e (xs : []Real) (n : Int) (ys : []Real) : Real = xs[n] * sum ys",
		Diff:   &Diff{Fun: "e", At: "([1, 2, 3], 1, [4, 5])", Want: "([0, 9, 0], 1, [2, 2])"},
	},
}

// closureLoop returns a loop of n turns, with a closure in it.
func closureLoop(n int) (source, at string) {
	return fmt.Sprintf("let f (x : Real) : Real =\n  let step = fun y => sin (x * y) + x\n  loop "+
		"y = x for _ < %d do step y", n), "0.3"
}

// sharingChain returns the program of §7: x1 = x0 + x0, x2 = x1 + x1, …
func sharingChain(n int) (source, at string) {
	var b strings.Builder
	b.WriteString("let f (x0 : Real) : Real =\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "  let x%d = x%d + x%d\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "  x%d", n)
	return b.String(), "1"
}

const quaternion = `type V = {x : Real, y : Real, z : Real}
type Q = {w : Real, x : Real, y : Real, z : Real}
let dot (p q : V) : Real = p.x * q.x + p.y * q.y + p.z * q.z
let scaled (k : Real) (v : V) : V = {x = k * v.x, y = k * v.y, z = k * v.z}
let cross (a b : V) : V =
  {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}
let rotate (v : V) (q : Q) : V =
  let u = {x = q.x, y = q.y, z = q.z}
  scaled (2 * dot u v) u + scaled (q.w * q.w - dot u u) v + scaled (2 * q.w) (cross u v)
let rotateX ((q, v) : (Q, V)) : Real = (rotate v q).x`
