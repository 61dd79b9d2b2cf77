package delta_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// inner are programs that take derivatives themselves.
var inner = []struct{ name, source, at string }{
	{"deriv", "let f (x : Real) : Real = x * deriv sin x", "0.5"},
	{"R{R{e}}", "let g (x : Real) : Real = x^5\nlet f (x : Real) : Real = grad g x", "2"},
	{"R{R{R{e}}}", "let f (x : Real) : Real = grad (grad (fun y => y^5)) x", "2"},
	{"deriv of deriv", "let f (x : Real) : Real = deriv (deriv (fun y => y^5)) x", "2"},
	{"captured", "let f (x : Real) : Real = deriv (fun y => x * y * y) (x * x)", "1.5"},
	{"perturbation confusion", "let f (x : Real) : Real = x * deriv (fun y => x + y) 1", "2"},
	{"levels side by side", "let f (x : Real) : Real = deriv (fun y => y * deriv (fun z => x * z * y) 2 * x) 3", "1.5"},
	{"a function as an argument", "let newton (g : Real -> Real) (x : Real) : Real = x - g x / deriv g x\nlet f (x : Real) : Real = newton (newton (fun y => y * y - x)) 1.2", "2"},
	{"gradient descent", "let rec descend (n : Int) (g : Real -> Real) (x : Real) : Real = if n == 0 then x else descend (n - 1) g (x - 0.1 * grad g x)\nlet f (a : Real) : Real = descend 5 (fun y => (y - a)^4 + y^2) 1", "0.3"},
	{"by its own derivative", "let rec h (n : Int) (x : Real) : Real = if n == 0 then sin x else h (n - 1) x + x * deriv (h (n - 1)) x\nlet f (x : Real) : Real = h 3 x", "0.7"},
	{"a function from data", "data Layer = Layer (Real -> Real)\nlet f (x : Real) : Real = match Layer (fun y => sin (x * y)) with | Layer g -> deriv g x", "0.7"},
	{"derivatives in a list", "let f (x : Real) : Real = sum [d (fun y => x * y^3) 2 for d in [deriv, grad]]", "2"},
	{"vjp", "let g ((x, ys) : (Real, []Real)) : []Real = [x * sin y for y in ys]\nlet f (x : Real) : (Real, []Real) = vjp g (x, [x, 2 * x, 3]) [1, x, 2]", "0.7"},
	{"jvp", "let g ((x, ys) : (Real, []Real)) : []Real = [x * sin y for y in ys]\nlet f (x : Real) : []Real = jvp g (x, [x, 2 * x, 3]) (1, [x, x, x * x])", "0.7"},
	{"jvp of a list", "let rec g (xs : List Real) : List Real = match xs with | Nil -> Nil | Cons x rest -> Cons (x * x * x) (g rest)\nlet f (x : Real) : List Real = jvp g (Cons x (Cons (2 * x) Nil)) (Cons 1 (Cons x Nil))", "0.7"},
	{"vjp of a list", "let rec g (xs : List Real) : Real = match xs with | Nil -> 1 | Cons x rest -> x * x * g rest\nlet f (xs : List Real) : List Real = grad g xs", "Cons 0.5 (Cons 2 (Cons 3 Nil))"},
	{"jacobian", "let f (x : Real) : [][]Real = jacobian (fun xs => [xs[0] * xs[1]^2, sin xs[0], x * xs[1]]) [x, 2 * x]", "0.7"},
	{"hessian", "let f (xs : []Real) : [][]Real = hessian (fun ys => ys[0]^3 * ys[1] + exp ys[1]) xs", "[0.5, 0.3]"},
	{"primitives over arrays", "let f (xs : []Real) : []Real = grad (fun ys => logsumexp ys * (softmax ys)[0] + norm ys) xs", "[0.5, 1.5, -0.75]"},
	{"sums", "let f (x : Real) : Real = grad (fun (o : Option Real) => match o with | Some y -> y * y * x | None -> x) (Some x) |> (fun r => match r with | Some g -> g | None -> 0)", "1.5"},
	{"a constant", "let slope = deriv sin 0.5\nlet f (x : Real) : Real = slope * x * x", "2"},
	{"the value too", "let f (x : Real) : Real = let (v, g) = valueAndGrad (fun y => exp (x * y)) x in v * g", "0.7"},
	{"branches and loops", "let f (x : Real) : Real = deriv (fun y => loop z = x while z < 10 do (if z < 2 then z * y + x else z * z)) 2", "1.25"},
	{"not of the argument", "let f (x : Real) : Real = x * deriv (fun y => y * y) 3", "2"},
}

// TestInner: the translations cover programs that take derivatives, by
// expansion, and agree with one another and with the interpreter's own.
func TestInner(t *testing.T) {
	for i, test := range inner {
		t.Run(test.name, func(t *testing.T) {
			p := problem(t, test.source, "f", test.at)
			if p.MaxOps = 1_000_000; i > 3 {
				p.Evaluate = plainly // verified at the first ones
			}
			y, _, d := delta.At(p, p.Program, p.Fun)
			if d != nil {
				t.Fatal(d)
			}
			want := ownGradient(t, p)
			for _, s := range delta.Strategies() {
				answer, d := s.Run(context.Background(), p)
				if d != nil {
					if s.Name != "reverse2" || d.Code != diag.StrategyBudget {
						t.Errorf("%s: %s", s.Name, d.Message)
					}
					continue // by its nature
				}
				if !near(papers.Reals(answer.Value), papers.Reals(y), 1e-12) {
					t.Errorf("%s: the value is %s, want %s", s.Name, value.Show(answer.Value), value.Show(y))
				}
				if !near(papers.Reals(answer.Gradient), want, 1e-11) {
					t.Errorf("%s: the gradient is %s, want %v", s.Name, value.Show(answer.Gradient), want)
				}
			}
		})
	}
}

// ownGradient is the gradient by the language's own vjp.
func ownGradient(t *testing.T, p *papers.Problem) []float64 {
	t.Helper()
	for _, s := range driver.Strategies() {
		if s.Name == "compiled" {
			answer, d := s.Run(context.Background(), p)
			if d != nil {
				t.Fatal(d)
			}
			return papers.Reals(answer.Gradient)
		}
	}
	panic("no such strategy")
}
