package delta_test

import (
	"context"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// gradientOf makes the gradient of a definition of type S -> Real, by R{e}, a
// definition of a program: a new problem, at the same point.
func gradientOf(t *testing.T, p *papers.Problem) *papers.Problem {
	t.Helper()
	program, r, d := delta.Reverse(p.Program, p.Fun)
	if d != nil {
		t.Fatal(d.Message)
	}
	from, _ := delta.Signature(p.Fun)
	s := core.NewVar("s", from)
	var b core.Builder
	both := delta.Call(&b, "r", r.Use(), s, delta.RealLit(1))
	def := core.FunDef("gradient{"+p.Fun.Name+"}", nil, &core.Lambda{Params: []*core.Var{s}, Body: b.Block(delta.Proj(&b, "ds", both, 1))}, diag.Span{})
	program.Defs = append(program.Defs, def)
	mono, d := opt.Mono(program, opt.Options{Roots: []string{def.Name}, Verify: true})
	if d != nil {
		t.Fatal(d.Message)
	}
	next := *p
	next.Program = mono
	for _, m := range mono.Defs {
		if m.Name == def.Name {
			next.Fun = m
		}
	}
	weight := 1.0
	next.Cotangent = value.MapReals(p.At, func(float64) float64 { weight *= -0.75; return weight })
	return &next
}

// TestTwice translates the output of the translation again, R{R{e}}, which
// §10.4 leaves open: the Hessian times a vector, against differences of the
// gradient and by forward mode over reverse mode.
func TestTwice(t *testing.T) {
	for _, test := range []struct{ name, source, at string }{
		{"cube", "let f (x : Real) : Real = x * x * x", "2"},
		{"two arguments", "let f ((x, y) : (Real, Real)) : Real = x * sin (x * y) + exp y", "(0.7, 0.4)"},
		{"closure", "let f (x : Real) : Real =\n  let g = fun y => x * y * y\n  g (g x)", "1.1"},
		{"array", "let f (xs : []Real) : Real = sum [x * x * x for x in xs] + product xs", "[0.5, 1.5, -0.75]"},
		{"softmax", "let f (xs : []Real) : Real = logsumexp xs * (softmax xs)[0] + norm xs", "[0.5, 1.5, -0.75]"},
		{"list", "let rec f (xs : List Real) : Real =\n  match xs with\n  | Nil -> 1\n  | Cons x rest -> x * x * f rest", "Cons 1.5 (Cons 0.5 (Cons 2 Nil))"},
		{"loop", "let f (x : Real) : Real = loop y = x while y < 10 do y * y + x", "1.25"},
	} {
		t.Run(test.name, func(t *testing.T) {
			once := gradientOf(t, problem(t, test.source, "f", test.at))
			want := reference(t, once)
			for _, s := range delta.Strategies() {
				if s.Name == "reverse2" {
					continue // its deltas of deltas are too large
				}
				answer, d := s.Run(context.Background(), once)
				if d != nil {
					t.Fatalf("%s: %s", s.Name, d.Message)
				}
				if !near(value.RealsOf(answer.Gradient), want, 1e-11) {
					t.Errorf("%s over R{e}: %s, want %v", s.Name, value.Show(answer.Gradient), want)
				}
			}
			if got := reverseInCore(t, once); !near(value.RealsOf(got), want, 1e-11) {
				t.Errorf("R{R{e}}: %s, want %v", value.Show(got), want)
			}
		})
	}
	thrice := gradientOf(t, gradientOf(t, problem(t, "let f (x : Real) : Real = x^5", "f", "1.5")))
	if got := value.RealsOf(reverseInCore(t, thrice))[0] / value.RealsOf(thrice.Cotangent)[0]; !near([]float64{got}, []float64{60 * 1.5 * 1.5}, 1e-12) {
		t.Errorf("the third derivative of x^5 at 1.5 is %v", got)
	}
}
