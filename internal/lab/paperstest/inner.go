package paperstest

// Inner lists programs that take derivatives themselves. Each defines f.
var Inner = []Program{
	{Name: "deriv", Fn: "f", At: "0.5",
		Source: "let f (x : Real) : Real = x * deriv sin x"},
	{Name: "R{R{e}}", Fn: "f", At: "2",
		Source: "let g (x : Real) : Real = x^5\nlet f (x : Real) : Real = grad g x"},
	{Name: "R{R{R{e}}}", Fn: "f", At: "2",
		Source: "let f (x : Real) : Real = grad (grad (fun y => y^5)) x"},
	{Name: "deriv of deriv", Fn: "f", At: "2",
		Source: "let f (x : Real) : Real = deriv (deriv (fun y => y^5)) x"},
	{Name: "captured", Fn: "f", At: "1.5",
		Source: "let f (x : Real) : Real = deriv (fun y => x * y * y) (x * x)"},
	{Name: "perturbation confusion", Fn: "f", At: "2",
		Source: "let f (x : Real) : Real = x * deriv (fun y => x + y) 1"},
	{Name: "levels side by side", Fn: "f", At: "1.5",
		Source: "let f (x : Real) : Real = deriv (fun y => y * deriv (fun z => x * z * y) 2 * x) " +
			"3"},
	{Name: "a function as an argument", Fn: "f", At: "2",
		Source: "let newton (g : Real -> Real) (x : Real) : Real = x - g x / deriv g x\nlet f (x " +
			": Real) : Real = newton (newton (fun y => y * y - x)) 1.2"},
	{Name: "gradient descent", Fn: "f", At: "0.3",
		Source: "let rec descend (n : Int) (g : Real -> Real) (x : Real) : Real = if n == 0 then " +
			"x else descend (n - 1) g (x - 0.1 * grad g x)\nlet f (a : Real) : Real = descend 5 " +
			"(fun y => (y - a)^4 + y^2) 1"},
	{Name: "by its own derivative", Fn: "f", At: "0.7",
		Source: "let rec h (n : Int) (x : Real) : Real = if n == 0 then sin x else h (n - 1) x + " +
			"x * deriv (h (n - 1)) x\nlet f (x : Real) : Real = h 3 x"},
	{Name: "a function from data", Fn: "f", At: "0.7",
		Source: "data Layer = Layer (Real -> Real)\nlet f (x : Real) : Real = match Layer (fun y " +
			"=> sin (x * y)) with | Layer g -> deriv g x"},
	{Name: "derivatives in a list", Fn: "f", At: "2",
		Source: "let f (x : Real) : Real = sum [d (fun y => x * y^3) 2 for d in [deriv, grad]]"},
	{Name: "vjp", Fn: "f", At: "0.7",
		Source: "let g ((x, ys) : (Real, []Real)) : []Real = [x * sin y for y in ys]\nlet f (x : " +
			"Real) : (Real, []Real) = vjp g (x, [x, 2 * x, 3]) [1, x, 2]"},
	{Name: "jvp", Fn: "f", At: "0.7",
		Source: "let g ((x, ys) : (Real, []Real)) : []Real = [x * sin y for y in ys]\nlet f (x : " +
			"Real) : []Real = jvp g (x, [x, 2 * x, 3]) (1, [x, x, x * x])"},
	{Name: "jvp of a list", Fn: "f", At: "0.7",
		Source: "let rec g (xs : List Real) : List Real = match xs with | Nil -> Nil | Cons x " +
			"rest -> Cons (x * x * x) (g rest)\nlet f (x : Real) : List Real = jvp g (Cons x " +
			"(Cons (2 * x) Nil)) (Cons 1 (Cons x Nil))"},
	{Name: "vjp of a list", Fn: "f", At: "Cons 0.5 (Cons 2 (Cons 3 Nil))",
		Source: "let rec g (xs : List Real) : Real = match xs with | Nil -> 1 | Cons x rest -> x " +
			"* x * g rest\nlet f (xs : List Real) : List Real = grad g xs"},
	{Name: "jacobian", Fn: "f", At: "0.7",
		Source: "let f (x : Real) : [][]Real = jacobian (fun xs => [xs[0] * xs[1]^2, sin xs[0], " +
			"x * xs[1]]) [x, 2 * x]"},
	{Name: "hessian", Fn: "f", At: "[0.5, 0.3]",
		Source: "let f (xs : []Real) : [][]Real = hessian (fun ys => ys[0]^3 * ys[1] + exp " +
			"ys[1]) xs"},
	{Name: "primitives over arrays", Fn: "f", At: "[0.5, 1.5, -0.75]",
		Source: "let f (xs : []Real) : []Real = grad (fun ys => logsumexp ys * (softmax ys)[0] + " +
			"norm ys) xs"},
	{Name: "sums", Fn: "f", At: "1.5",
		Source: "let f (x : Real) : Real = grad (fun (o : Option Real) => match o with | Some y " +
			"-> y * y * x | None -> x) (Some x) |> (fun r => match r with | Some g -> g | None " +
			"-> 0)"},
	{Name: "a recursive closure", Fn: "f", At: "0.7",
		Source: "let f (x : Real) : Real =\n  let rec power n y = if n == 0 then x else y * " +
			"power (n - 1) y\n  deriv (power 3) x * grad (power 2) 2"},
	{Name: "a partial application", Fn: "f", At: "(0.7, 1.5)",
		Source: "let line (m b x : Real) : Real = m * x^3 + b\nlet f ((m, x) : (Real, Real)) : " +
			"Real = deriv (line m x) x * grad (line (m * m) 1) (deriv (line x m) m)"},
	{Name: "a closure of closures", Fn: "f", At: "0.7",
		Source: "let f (x : Real) : Real =\n  let g = fun y => sin (x * y)\n  let h = fun y => g " +
			"(g y) * x\n  deriv h x * g 2 + h 1"},
	{Name: "a constant", Fn: "f", At: "2",
		Source: "let slope = deriv sin 0.5\nlet f (x : Real) : Real = slope * x * x"},
	{Name: "the value too", Fn: "f", At: "0.7",
		Source: "let f (x : Real) : Real = let (v, g) = valueAndGrad (fun y => exp (x * y)) x in " +
			"v * g"},
	{Name: "branches and loops", Fn: "f", At: "1.25",
		Source: "let f (x : Real) : Real = deriv (fun y => loop z = x while z < 10 do (if z < 2 " +
			"then z * y + x else z * z)) 2"},
	{Name: "not of the argument", Fn: "f", At: "2",
		Source: "let f (x : Real) : Real = x * deriv (fun y => y * y) 3"},
}
