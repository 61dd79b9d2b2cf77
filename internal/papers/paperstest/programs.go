// Package paperstest has the programs on which the published algorithms are
// compared: with numeric differentiation, and with one another.
package paperstest

// Program is a function to differentiate at a point where it is smooth.
type Program struct {
	Name   string
	Source string // definitions
	Fn     string // one of them, of one argument and not polymorphic
	At     string // an expression for the argument
}

// Programs are small and between them use all of the language. A strategy
// that does not cover one refuses it.
var Programs = []Program{
	// arithmetic and mathematics
	{"square", "let f (x : Real) : Real = x * x", "f", "3"},
	{"polynomial", "let f (x : Real) : Real = 3 * x^4 - 2 * x^2 + x - 7", "f", "1.3"},
	{"quotient", "let f (x : Real) : Real = (1 + x) / (2 - x * x)", "f", "0.4"},
	{"transcendental", "let f (x : Real) : Real = exp (sin x) * log (1 + x * x) + tanh x", "f", "0.7"},
	{"powers", "let f (x y : Real) : Real = x ** y + sqrt (x * y)\nlet g ((x, y) : (Real, Real)) : Real = f x y", "g", "(1.7, 2.3)"},
	{"constant", "let f (x : Real) : Real = 42", "f", "1"},
	{"identity", "let f (x : Real) : Real = x", "f", "2.5"},
	{"two arguments", "let f ((x, y) : (Real, Real)) : Real = x * sin y + y / x", "f", "(1.5, 0.5)"},
	{"pair of results", "let f ((x, y) : (Real, Real)) : (Real, Real) = (x * y, x - y * y)", "f", "(2, 3)"},
	{"smooth rows", "let f (x : Real) : Real = sigmoid x + softplus x + atan x + sinh (x / 2)", "f", "0.3"},
	{"choice of a branch", "let f (x : Real) : Real = if x > 0 then x * x else -x", "f", "1.2"},
	{"nested choice", "let f (x : Real) : Real = if x < 0 then exp x else if x < 1 then x^3 else log x", "f", "0.6"},
	{"maximum of two", "let f ((x, y) : (Real, Real)) : Real = max x y * min x y + abs (x - y)", "f", "(1, 2)"},
	{"clamped", "let f (x : Real) : Real = max 0 (min 1 x) * x", "f", "0.25"},

	// sharing
	{"sharing", "let f (x : Real) : Real = let y = x * x in let z = y + y in z * z + z", "f", "1.1"},
	{"tower of sharing", "let f (x : Real) : Real =\n  let a = x * x\n  let b = a * a\n  let c = b * b\n  let d = c * c\n  d + c + b + a", "f", "1.01"},
	{"unused", "let f ((x, y) : (Real, Real)) : Real = let z = exp y in x * 2", "f", "(1, 2)"},

	// functions
	{"call", "let g (x : Real) : Real = x * x + 1\nlet f (x : Real) : Real = g (g x) * g x", "f", "0.5"},
	{"closure over a real", "let f (x : Real) : Real =\n  let scaleBy = fun y => x * y\n  scaleBy 3 + scaleBy x", "f", "2"},
	{"closure called twice", "let f ((x, y) : (Real, Real)) : Real =\n  let g = fun z => sin (x * z) + y\n  g (g y)", "f", "(0.5, 0.25)"},
	{"nested closures", "let f (x : Real) : Real =\n  let g = fun y => (let h = fun z => x * y * z in h (x + y))\n  g (x * x)", "f", "0.9"},
	{"partial application", "let h (a b c : Real) : Real = a * b + b * c + c * a * a\nlet f ((x, y) : (Real, Real)) : Real =\n  let g = h x\n  let k = g y\n  k 2 + g 1 x", "f", "(1.5, -0.5)"},
	{"over-application", "let pick (a : Real) : Real -> Real -> Real = if a > 0 then (fun x => fun y => a * x + y) else (fun x => fun y => x * y)\nlet f (x : Real) : Real = pick x x (x * x) + pick (-x) x 3", "f", "0.8"},
	{"composition", "let compose (f : Real -> Real) (g : Real -> Real) : Real -> Real = fun x => g (f x)\nlet f (x : Real) : Real = compose (compose sin exp) (fun y => y * x) x", "f", "0.4"},
	{"function twice", "let twice (g : a -> a) : a -> a = fun x => g (g x)\nlet f (x : Real) : Real = twice (twice (fun y => y * x + 1)) x", "f", "0.6"},
	{"functions in a tuple", "let f ((x, y) : (Real, Real)) : Real =\n  let p = (fun a => a * x, fun a => a + y)\n  p[0] (p[1] x) * p[1] (p[0] y)", "f", "(1.1, 0.3)"},
	{"functions in an array", "let f (x : Real) : Real =\n  let gs = [fun y => y * x, sin, fun y => y + x]\n  sum [g x for g in gs]", "f", "0.7"},
	{"chosen function", "let f ((x, y) : (Real, Real)) : Real =\n  let g = if x > y then (fun a => a * x) else (fun a => a * y * y)\n  g (x + y)", "f", "(0.4, 0.9)"},
	{"returned closure", "let line (m c : Real) : Real -> Real = fun x => m * x + c\nlet f ((m, c) : (Real, Real)) : Real = let g = line m c in g (g 2)", "f", "(1.5, 0.5)"},
	{"church numeral", "let two (s : Real -> Real) (z : Real) : Real = s (s z)\nlet f (x : Real) : Real = two (two (fun y => y * y - x)) x", "f", "0.5"},

	// recursion
	{"power by recursion", "let rec pow (x : Real) (n : Int) : Real = if n == 0 then 1 else x * pow x (n - 1)\nlet f (x : Real) : Real = pow x 7", "f", "1.1"},
	{"local recursion", "let f (x : Real) : Real =\n  let rec go (n : Int) (acc : Real) : Real = if n == 0 then acc else go (n - 1) (acc * x + 1)\n  go 6 x", "f", "0.9"},
	{"mutual recursion", "let rec even (n : Int) (x : Real) : Real = if n == 0 then x else odd (n - 1) (x * x)\nand odd (n : Int) (x : Real) : Real = if n == 0 then -x else even (n - 1) (sin x)\nlet f (x : Real) : Real = even 5 x + odd 4 x", "f", "0.8"},
	{"local mutual recursion", "let f (x : Real) : Real =\n  let rec up (n : Int) (y : Real) : Real = if n == 0 then y else down (n - 1) (y + x)\n  and down (n : Int) (y : Real) : Real = if n == 0 then y * x else up (n - 1) (y * x)\n  up 5 1", "f", "1.2"},
	{"recursion on reals", "let rec halve (x : Real) : Real = if x < 1 then x * x else halve (x / 2)\nlet f (x : Real) : Real = halve x + halve (3 * x)", "f", "5"},
	{"branching recursion", "let rec fib (n : Int) (x : Real) : Real = if n < 2 then x + real n else fib (n - 1) x * fib (n - 2) (x * 0.5)\nlet f (x : Real) : Real = fib 6 x", "f", "0.9"},
	{"recursive higher-order", "let rec iterate (n : Int) (g : Real -> Real) (x : Real) : Real = if n == 0 then x else iterate (n - 1) g (g x)\nlet f (x : Real) : Real = iterate 4 (fun y => y * x + sin y) x", "f", "0.5"},

	// data
	{"option", "let f (x : Real) : Real =\n  let o = if x > 0 then Some (x * x) else None\n  match o with\n  | Some y -> y * x\n  | None -> 0", "f", "1.5"},
	{"sum of a list", "import list\nlet f (xs : List Real) : Real = list.fold (fun acc x => acc + x * x) 0 xs", "f", "Cons 1 (Cons 2 (Cons 3 Nil))"},
	{"list product", "let rec prod (xs : List Real) : Real =\n  match xs with\n  | Nil -> 1\n  | Cons x rest -> x * prod rest\nlet f (x : Real) : Real = prod (Cons x (Cons (x + 1) (Cons 3 Nil)))", "f", "0.5"},
	{"list map and fold", "import list\nlet f ((x, xs) : (Real, List Real)) : Real = list.fold (fun a b => a * x + b) 0 (list.map (fun y => y * x) xs)", "f", "(0.5, Cons 1 (Cons 2 (Cons 3 Nil)))"},
	{"list of results", "import list\nlet f (x : Real) : List Real = list.map (fun y => y * x) (Cons 1 (Cons x Nil))", "f", "3"},
	{"tree", "data Tree = Leaf Real | Node Tree Tree\nlet rec total (t : Tree) : Real =\n  match t with\n  | Leaf x -> x * x\n  | Node l r -> total l * total r + 1\nlet f (t : Tree) : Real = total t", "f", "Node (Leaf 2) (Node (Leaf 3) (Leaf 0.5))"},
	{"expression interpreter", "data Expr = Var | Num Real | Add Expr Expr | Mul Expr Expr | Sin Expr\nlet rec eval (e : Expr) (x : Real) : Real =\n  match e with\n  | Var -> x\n  | Num c -> c\n  | Add a b -> eval a x + eval b x\n  | Mul a b -> eval a x * eval b x\n  | Sin a -> sin (eval a x)\nlet f ((e, x) : (Expr, Real)) : Real = eval e x", "f", "(Add (Mul Var (Num 3)) (Sin (Mul Var Var)), 0.7)"},
	{"data with default", "data Shape = Circle Real | Square Real | Point\nlet area (s : Shape) : Real =\n  match s with\n  | Circle r -> pi * r * r\n  | Square a -> a * a\n  | _ -> 0\nlet f (x : Real) : Real = area (Circle x) + area (Square x) + area Point", "f", "1.2"},
	{"functions in data", "data Step = Step (Real -> Real) | Stop\nlet run (s : Step) (x : Real) : Real =\n  match s with\n  | Step g -> g x\n  | Stop -> x\nlet f (x : Real) : Real = run (Step (fun y => y * x)) (run Stop x)", "f", "1.4"},
	{"list of closures", "import list\nlet f (x : Real) : Real =\n  let gs = Cons (fun y => x * y) (Cons sin (Cons (fun y => y + x) Nil))\n  list.fold (fun acc g => g acc) x gs", "f", "0.6"},

	// records
	{"record", "let f (p : {x : Real, y : Real}) : Real = p.x * p.x + p.x * p.y", "f", "{x = 2, y = 3}"},
	{"record update", "let f (p : {x : Real, y : Real}) : {x : Real, y : Real} = {p with y = p.x * p.y}", "f", "{x = 2, y = 3}"},
	{"nested records", "let f (s : {pos : (Real, Real), mass : Real}) : Real = let (x, y) = s.pos in s.mass * (x * x + y * y)", "f", "{mass = 2, pos = (1, 0.5)}"},
	{"vector arithmetic", "let f ((u, v) : ((Real, Real), (Real, Real))) : Real = inner (u + 2 .* v) (u - v)", "f", "((1, 2), (0.5, -1))"},

	// arrays
	{"array sum", "let f (xs : [3]Real) : Real = sum [x * x for x in xs]", "f", "[1, 2, 3]"},
	{"array build", "let f (x : Real) : []Real = [x * real i + sin x for i < 4]", "f", "0.5"},
	{"dot product", "let f ((xs, ys) : ([3]Real, [3]Real)) : Real = sum [a * b for (a, b) in zip xs ys]", "f", "([1, 2, 3], [4, 5, 6])"},
	{"index and slice", "let f (xs : []Real) : Real = xs[0] * xs[2] + sum xs[1:3] * xs[1]", "f", "[1.5, 2, -0.5, 4]"},
	{"array fold", "let f (xs : []Real) : Real = fold (fun acc x => acc * 0.5 + sin x) 1 xs", "f", "[0.1, 0.2, 0.3]"},
	{"array reduce", "let f (xs : []Real) : Real = reduce (fun a b => a * b) 1 xs", "f", "[1.5, 2, 3]"},
	{"array scan", "let f (xs : []Real) : []Real = scan (fun acc x => acc * x + x) 1 xs", "f", "[0.5, 2, 1.5]"},
	{"matrix times vector", "let f ((m, v) : ([2][2]Real, [2]Real)) : []Real = [sum [a * b for (a, b) in zip row v] for row in m]", "f", "([[1, 2], [3, 4]], [0.5, -1])"},
	{"arrays of arrays", "let f (x : Real) : Real = sum [sum [x * real i + real j * x * x for j < 3] for i < 2]", "f", "0.7"},
	{"array of pairs", "let f (ps : [](Real, Real)) : Real = sum [a * sin b for (a, b) in ps]", "f", "[(1, 0.5), (2, 0.25)]"},
	{"gather", "let f (xs : []Real) : Real = sum [sum row for row in [xs[i] * xs[j] for i < 3, j < 3]]", "f", "[1, 2, 3]"},
	{"softmax", "let f (xs : []Real) : Real = (softmax xs)[0] + logsumexp xs * norm xs", "f", "[0.5, -0.5, 1]"},
	{"append and sort", "import array\nlet f (xs : []Real) : Real = let ys = array.sort xs in sum [ys[i] * real (i + 1) for i < length ys]", "f", "[3, 1, 2]"},

	// loops
	{"for loop", "let f (x : Real) : Real = loop acc = 1 for i < 5 do acc * x + real i", "f", "0.9"},
	{"while loop", "let f (a : Real) : Real = loop x = a while abs (x * x - a) > 1e-9 do (x + a / x) / 2", "f", "2"},
	{"loop with two states", "let f (x : Real) : Real =\n  let (a, b) = loop (a, b) = (x, 1) for _ < 6 do (b, a * b + x)\n  a + b", "f", "0.3"},
	{"data-dependent loop", "let f (x : Real) : Real = loop y = x while y < 10 do y * 1.5 + x", "f", "1"},
	{"loop over an array", "let f ((x, xs) : (Real, []Real)) : Real = loop acc = x for y in xs do acc * y + x", "f", "(0.5, [1, 2, 3])"},
	{"loop of closures", "let f (x : Real) : Real =\n  let g = loop g = (fun y => y * x) for i < 3 do fun y => g y + real i * x\n  g x", "f", "0.5"},
	{"euler steps", "let f ((k, y0) : (Real, Real)) : Real = loop y = y0 for _ < 10 do y - 0.1 * k * y", "f", "(0.7, 2)"},

	// larger
	{"runRNN", "import list\nlet rnnCell ((params, hidden, input) : ((Real, Real), Real, Real)) : Real = tanh (params[0] * hidden + params[1] * input)\nlet runRNN (params : (Real, Real)) (initState : Real) (xs : List Real) : Real =\n  let g (hid : Real) (input : Real) : Real = rnnCell (params, hid, input)\n  list.fold g initState xs\nlet f ((params, init, xs) : ((Real, Real), Real, List Real)) : Real = runRNN params init xs", "f", "((0.5, -0.3), 0.1, Cons 1 (Cons 0.5 (Cons (-1) Nil)))"},
	{"perceptron", "let layer (w : [2][2]Real) (b : [2]Real) (x : []Real) : []Real = [tanh (sum [a * c for (a, c) in zip row x] + bi) for (row, bi) in zip w b]\nlet f ((w, b) : ([2][2]Real, [2]Real)) : Real = sum (layer w b (layer w b [1, -1]))", "f", "([[0.1, 0.2], [0.3, -0.4]], [0.5, -0.5])"},
	{"quadratic form", "let f (v : (Real, Real, Real)) : Real =\n  let (x, y, z) = v\n  let q = fun (a : Real) => fun (b : Real) => a * a + b * b\n  q x y * q y z * q z x", "f", "(1, 2, 0.5)"},
	{"kinetic energy", "let f (bodies : []{m : Real, v : (Real, Real)}) : Real = sum [0.5 * b.m * inner b.v b.v for b in bodies]", "f", "[{m = 2, v = (1, 2)}, {m = 0.5, v = (-1, 3)}]"},
	{"mixed with integers", "let f ((n, x) : (Int, Real)) : Real = x ^ n * real n", "f", "(3, 1.5)"},
	{"cps", "let rec powK (x : Real) (n : Int) (k : Real -> Real) : Real = if n == 0 then k 1 else powK x (n - 1) (fun r => k (r * x))\nlet f (x : Real) : Real = powK x 5 (fun r => r + x)", "f", "1.1"},
}
