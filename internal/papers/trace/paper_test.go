package trace_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// rd is A–P's W.rd_V(x:T. N), as rd (fun x => N) V W.
const rd = "let rd (f : a -> b) (x : a) (w : b) : a = vjp f x w\n"

// evaluate is ordinary evaluation of a program that may have rd in it.
func evaluate(t *testing.T, source, at string) value.Value {
	t.Helper()
	p, _ := problem(t, paperstest.Program{Name: source, Source: rd + source, Fn: "f", At: at})
	v, _, d := trace.Evaluate(bg, p)
	if d != nil {
		t.Fatalf("%s: %v", source, d)
	}
	return v
}

// gradient is that of the strategy, with ones for the cotangent.
func gradient(t *testing.T, source, at string) value.Value {
	t.Helper()
	p, _ := problem(t, paperstest.Program{Name: source, Source: rd + source, Fn: "f", At: at})
	answer, d := trace.Pruned().Run(bg, p)
	if d != nil {
		t.Fatalf("%s: %v", source, d)
	}
	return answer.Gradient
}

// TestExamples: the examples of A–P, with the values that they print.
func TestExamples(t *testing.T) {
	for _, test := range []struct {
		name, source, at, want string
	}{
		{"§3, nested differentiation",
			"let f (u : Real) : Real = rd (fun (x : Real) => x * rd (fun (y : Real) => x + y) 1 1) 1 1", "0", "1"},
		{"§3, through a function",
			"let g (x : Real) : Real = rd (fun (y : Real) => x + y) 1 1\nlet f (u : Real) : Real = rd (fun (x : Real) => x + g x) 1 1", "0", "1"},
		{"§3, DProd2 of ⟨⟨1, 2⟩, ⟨3, 5⟩⟩ at 7",
			"let dprod ((u, v) : ((Real, Real), (Real, Real))) : Real = inner u v\nlet f (u : ((Real, Real), (Real, Real))) : ((Real, Real), (Real, Real)) = rd dprod u 7",
			"((1, 2), (3, 5))", "((21, 35), (7, 14))"},
		{"§2, forward mode as two reverse modes",
			"let g (x : Real) : Real = x * x * x\nlet f (x : Real) : Real = rd (fun (w : Real) => rd g x w) 0 1", "2", "12"},
		{"§2, a function defined by its own derivative: the second of x^5",
			"let rec g (n : Int) (x : Real) : Real = if n == 0 then x^5 else rd (fun (y : Real) => g (n - 1) y) x 1\nlet f (x : Real) : Real = g 2 x", "2", "160"},
	} {
		if got := value.Show(evaluate(t, test.source, test.at)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestGradientDescent: the gradient descent of A–P §2, on the model a·w: the loss (b − a·w)²
// falls below maxLoss, by the number of steps that the closed form says.
func TestGradientDescent(t *testing.T) {
	const source = `
let model ((a, w) : (Real, Real)) : Real = a * w
let loss ((b, p) : (Real, Real)) : Real = (b - p)^2
let current (w : Real) : Real = loss (3, model (2, w))
let gradLoss (w : Real) : Real = rd current w 1
let rec descend (w : Real) (n : Int) : (Real, Int) = if current w < 1e-4 then (w, n) else descend (w - 0.1 * gradLoss w) (n + 1)
`
	v := evaluate(t, source+"let f (w0 : Real) : (Real, Int) = descend w0 0", "0.25").(value.Tuple)
	// w ↦ w − 0.1·8·(w − 1.5) leaves 0.2 of the distance.
	w, steps := 0.25, 0
	for math.Pow(3-2*w, 2) >= 1e-4 {
		w, steps = 1.5+0.2*(w-1.5), steps+1
	}
	if !near(float64(v[0].(value.Real)), w, 1e-12) || int(v[1].(value.Int)) != steps {
		t.Errorf("descent ends at %s after %s steps, want %v after %d", value.Show(v[0]), value.Show(v[1]), w, steps)
	}
	// Training is differentiable: the result moves by 0.2 for each step.
	g := gradient(t, source+"let f (w0 : Real) : Real = (descend w0 0)[0]", "0.25").(value.Real)
	if want := math.Pow(0.2, float64(steps)); !near(float64(g), want, 1e-12) {
		t.Errorf("through the descent: %v, want %v", g, want)
	}
	// and the loss alone, by the strategy as published: 2·(a·w − b)·a
	p, _ := problem(t, paperstest.Program{Source: rd + source, Fn: "current", At: "0.25"})
	answer, d := trace.Strategies()[0].Run(bg, p)
	if d != nil || answer.Gradient != value.Value(value.Real(-10)) {
		t.Errorf("the loss: %v %v", answer, d)
	}
}

// TestSecondDerivatives: derivatives of every order of every smooth row come from the table: the
// strategy differentiates a program that differentiates the row.
func TestSecondDerivatives(t *testing.T) {
	for _, row := range prim.All() {
		if _, unary := row.Float.(prim.Real1); !unary || len(row.Partials) == 0 || row.Kink != "" {
			continue
		}
		for _, sample := range row.Samples {
			x := sample[0]
			if math.Abs(x) > 5 || math.Abs(x) < 1e-3 {
				continue
			}
			at := fmt.Sprintf("(%v)", x)
			source := fmt.Sprintf("let f (x : Real) : Real = rd (fun (y : Real) => %s y) x 1", row.Name)
			p, _ := problem(t, paperstest.Program{Name: row.Name, Source: rd + source, Fn: "f", At: at})
			answer, d := trace.Strategies()[0].Run(bg, p)
			if d != nil {
				t.Errorf("%s: %v", row.Name, d)
				continue
			}
			h := 1e-5 * math.Abs(x)
			side := func(h float64) float64 {
				p.At = value.Real(x + h)
				v, _, d := trace.Evaluate(bg, p)
				if d != nil {
					t.Fatal(d)
				}
				return float64(v.(value.Real))
			}
			want := (side(h) - side(-h)) / (2 * h)
			got := float64(answer.Gradient.(value.Real))
			if math.Abs(got) < 1e4 && !near(got, want, 1e-5) { // differences are of no use near a pole
				t.Errorf("%s at %v: second derivative %v, numerically %v", row.Name, x, got, want)
			}
		}
	}
	for _, test := range []struct {
		source, at string
		want       []float64
	}{
		{"let f (x : Real) : Real = rd (fun (y : Real) => rd (fun (z : Real) => z^4) y 1) x 1", "2", []float64{48}}, // 24x
		{"let rec g (n : Int) (x : Real) : Real = if n == 0 then x^5 else rd (fun (y : Real) => g (n - 1) y) x 1\nlet f (x : Real) : Real = g 2 x", "2", []float64{240}},
		{"let f ((x, y) : (Real, Real)) : Real = (rd (fun ((a, b) : (Real, Real)) => a * a * b) (x, y) 1)[0]", "(3, 5)", []float64{10, 6}},
		{"let f (xs : []Real) : Real = inner (rd (fun (ys : []Real) => norm ys) xs 1) [1, 0]", "[3, 4]", []float64{0.128, -0.096}},
	} {
		got := value.RealsOf(gradient(t, test.source, test.at))
		if !allNear(got, test.want, 1e-12) {
			t.Errorf("%s: %v, want %v", test.source, got, test.want)
		}
	}
}

// TestPartialComparison: the partial comparison (§1): the approximation to ReLU is undefined at
// 0, and differentiable elsewhere. What does not move may tie.
func TestPartialComparison(t *testing.T) {
	const relu = "let f (x : Real) : Real = if x < 0 then 0 else x"
	for at, want := range map[string]string{"2": "1", "-2": "0"} {
		if got := value.Show(gradient(t, relu, at)); got != want {
			t.Errorf("slope %s at %s, want %s", got, at, want)
		}
	}
	for _, source := range []string{
		relu,
		"let f (x : Real) : Real = let y = x * 2 in if y >= x then y else x",
		"let f (x : Real) : Real = real (floor x) * x",
		"let f (x : Real) : Real = real (round (x + 0.5))",
		"let f (x : Real) : Real = sign x * x",
	} {
		p, _ := problem(t, paperstest.Program{Source: source, Fn: "f", At: "0"})
		if _, d := trace.Strategies()[0].Run(bg, p); d == nil || d.Code != diag.StrategyLimits {
			t.Errorf("%s at 0: %v", source, d)
		}
	}
	const constant = "let f (x : Real) : Real = loop y = x for i < 3 do if real i < 1 then y * x else y + x"
	if got := value.Show(gradient(t, constant, "3")); got != "8" { // x² + 2x
		t.Errorf("a tie of constants: %s", got)
	}
	for at, want := range map[string]string{"(1, 1)": "(0.5, 0.5)", "(2, 1)": "(1, 0)"} { // the table's rule for max
		if got := value.Show(gradient(t, "let f ((x, y) : (Real, Real)) : Real = max x y", at)); got != want {
			t.Errorf("max at %s: %s", at, got)
		}
	}
}

// TestExponential: Fig. 6 differentiates the body of a let twice: the derivative of a chain of n
// lets takes more than 2ⁿ operations, of a function that takes n.
func TestExponential(t *testing.T) {
	chain := func(step string, n int) string {
		var b strings.Builder
		b.WriteString("let f (x0 : Real) : Real =\n  let x1 = x0 * x0\n")
		for i := 2; i <= n; i++ {
			fmt.Fprintf(&b, "  let x%d = %s\n", i, strings.NewReplacer("P", fmt.Sprint("x", i-1), "Q", fmt.Sprint("x", i-2)).Replace(step))
		}
		fmt.Fprintf(&b, "  x%d", n)
		return b.String()
	}
	const sharing, fibonacci = "P + P", "P * Q"
	for _, test := range []struct {
		step        string
		pruned      bool
		exponential bool
	}{
		{sharing, false, true}, // the chain of Delta §7
		{sharing, true, false},
		{fibonacci, false, true},
		{fibonacci, true, true},
	} {
		strategy := trace.Strategies()[0]
		if test.pruned {
			strategy = trace.Pruned()
		}
		var ops []float64
		for n := 4; n <= 12; n += 4 {
			p, _ := problem(t, paperstest.Program{Source: chain(test.step, n), Fn: "f", At: "0.9"})
			answer, d := strategy.Run(bg, p)
			if d != nil {
				t.Fatal(d)
			}
			if answer.Ops.Primal != int64(n) || answer.Ops.Forward != int64(n) {
				t.Errorf("%s, n = %d: %+v", test.step, n, answer.Ops)
			}
			ops = append(ops, float64(answer.Ops.Backward))
		}
		// Four more lets cost 1.6⁴ times as much and more, or at most a
		// constant more.
		growth := ops[2] / ops[1]
		if exponential := growth > 6; exponential != test.exponential || !exponential && ops[2]-ops[1] != ops[1]-ops[0] {
			t.Errorf("%s, pruned %v: %v operations", test.step, test.pruned, ops)
		}
		t.Logf("%s, pruned %v: %v operations for n = 4, 8, 12", test.step, test.pruned, ops)
	}
}

// TestBounds: bounds: of operations, of the size of terms, and by cancellation.
func TestBounds(t *testing.T) {
	published := trace.Strategies()[0]
	p, _ := problem(t, paperstest.Program{Source: "let f (x : Real) : Real = loop y = x for i < 40 do y * x + y", Fn: "f", At: "0.5"})
	if _, d := published.Run(bg, p); d == nil || d.Code != diag.StrategyBudget {
		t.Errorf("a chain of 80 operations: %v", d)
	}
	p.MaxOps = 50
	if _, d := published.Run(bg, p); d == nil || d.Code != diag.StrategyBudget {
		t.Errorf("beyond the bound: %v", d)
	}
	p, _ = problem(t, paperstest.Program{Source: "let f (x : Real) : Real = if x > 0 then loop y = x while y < 2 do y else x", Fn: "f", At: "-1"})
	p.At, p.MaxOps = value.Real(1), 100
	if _, d := published.Run(bg, p); d == nil || d.Code != diag.StrategyBudget {
		t.Errorf("a loop without end: %v", d)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	p.MaxOps = 0
	if _, d := published.Run(ctx, p); d == nil || d.Code != diag.Interrupted {
		t.Errorf("cancelled: %v", d)
	}
}

// TestExplanation: what --explain prints, or how it begins: a function without derivatives in it,
// the first nested example of §3 (whose gradient is that of 1.rd_1(x. x × 1.rd_1(y. x + y))), and
// a function that is defined by its own derivative, at two levels.
func TestExplanation(t *testing.T) {
	for _, test := range []struct{ source, at, want string }{
		{"let f ((x, y) : (Real, Real)) : Real = sin (x * y)", "(2, 0.5)", explanation},
		{"let f (x : Real) : Real = x * rd (fun (y : Real) => x + y) 1 1", "1", nestedExplanation},
		{"let rec g (n : Int) (x : Real) : Real = if n == 0 then x^5 else rd (fun (y : Real) => g (n - 1) y) x 1\nlet f (x : Real) : Real = g 2 x", "2", ownExplanation},
	} {
		p, _ := problem(t, paperstest.Program{Source: rd + test.source, Fn: "f", At: test.at})
		p.Explain = true
		answer, d := trace.Strategies()[0].Run(bg, p)
		if d != nil {
			t.Fatal(d)
		}
		if got := answer.Explanation; !strings.HasPrefix(got, test.want) {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
	// Whatever the derivative, it can be laid out, in either form.
	for _, program := range paperstest.Programs(t) {
		p, _ := problem(t, program)
		p.MaxOps = 5_000
		p.Explain = true
		for _, strategy := range append(trace.Strategies(), trace.Pruned()) {
			if answer, d := strategy.Run(bg, p); d == nil && !strings.Contains(answer.Explanation, "derivative") {
				t.Errorf("%s: %s", program.Name, answer.Explanation)
			}
		}
	}
}

const explanation = `ordinary evaluation (A–P Figs. 2–3)
  {p ↦ (2, 0.5)} ⊢ f(p) ⇒ 0.8414709848078965
    {x ↦ 2, y ↦ 0.5} ⊢ x * y ⇒ 1
    {t ↦ 1} ⊢ sin(t) ⇒ 0.8414709848078965

symbolic evaluation (A–P Figs. 4–5)
  {p ↦ (2, 0.5)} ⊢ f(p) ⇝ C, the trace
    {p ↦ (2, 0.5)} ⊢ p.0 * p.1 ⇝ p.0 * p.1
    {t ↦ 1} ⊢ sin(t) ⇝ sin(t)

trace at p = (2, 0.5) (A–P Figs. 4–5)
p : real × real ⊢
  let t : real = p.0 * p.1 in
  sin(t)
: real

derivative w.R_p(p. trace) (A–P Fig. 6), of 51 nodes where the trace has 9
p : real × real, w : real ⊢
  let t : real = p.0 * p.1 in
    (let d : real = w.sin_r(t) in
     0)
  + (let t' : real = w.sin_r(t) in
     let d1 : real × real = t'.(*)_r⟨p.0, p.1⟩ in
     ⟨d1.0, 0⟩ + ⟨0, d1.1⟩)
: real × real
which is (0.2701511529340699, 1.0806046117362795) where w = 1
`

const nestedExplanation = `ordinary evaluation (A–P Figs. 2–3)
  {x ↦ 1} ⊢ f(x) ⇒ 1
    {x ↦ 1} ⊢ rd(fun y => x + y, 1, 1) ⇒ 1
      {x ↦ 1, x1 ↦ 1, w ↦ 1} ⊢ vjp(fun y => x + y, x1, w) ⇒ 1
        ⊢ 1.rd_1(y : real. 1 + y) ⇒ 1
          ⊢ 1.rd_1(y : real. 1 + y) ⇝ D1
            {y ↦ 1} ⊢ 1 + y ⇝ C1 = 1 + y
              {y ↦ 1} ⊢ 1 + y ⇝ 1 + y
            1.R_1(y : real. C1) = D1 =
                let y1 : real = 1 in
                0 + 1
          ⊢ D1 ⇒ 1
    {x ↦ 1, t ↦ 1} ⊢ x * t ⇒ 1

symbolic evaluation (A–P Figs. 4–5)
  {x ↦ 1} ⊢ f(x) ⇝ C, the trace
    {x ↦ 1} ⊢ rd(fun y => x + y, 1, 1) ⇝ D1
      {x ↦ 1} ⊢ vjp(fun y => x + y, 1, 1) ⇝ D1
        {x ↦ 1} ⊢ 1.rd_1(y : real. x + y) ⇝ D1
          {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ C1 = x + y
            {x ↦ 1, y ↦ 1} ⊢ x + y ⇝ x + y
          1.R_1(y : real. C1) = D1 =
              let y1 : real = 1 in
              0 + 1
        ⊢ D1 ⇒ 1
    {x ↦ 1, t ↦ 1} ⊢ x * t ⇝ x * t

trace at x = 1 (A–P Figs. 4–5)
x : real ⊢
  let t : real =
    let y : real = 1 in
    0 + 1
  in
  x * t
: real

derivative w.R_x(x. trace) (A–P Fig. 6), of 41 nodes where the trace has 10
x : real, w : real ⊢
  let t : real =
    let y : real = 1 in
    0 + 1
  in
    (let d : real × real = w.(*)_r⟨x, t⟩ in
     d.0 + 0)
  + (let t' : real =
       let d1 : real × real = w.(*)_r⟨x, t⟩ in
       0 + d1.1
     in
     let y1 : real = 1 in
       0 + 0
     + (let y1' : real = 0 + 0 in
        0))
: real
which is 1 where w = 1
`

const ownExplanation = `ordinary evaluation (A–P Figs. 2–3)
  {x ↦ 2} ⊢ f(x) ⇒ 160
    {x ↦ 2} ⊢ g(2, x) ⇒ 160
      ⊢ 2 == 0 ⇒ false
      ⊢ if false then … else … ⇒ 160
        {x1 ↦ 2} ⊢ rd(fun y => g(2 - 1, y), x1, 1) ⇒ 160
          {x2 ↦ 2, w ↦ 1} ⊢ vjp(fun y => g(2 - 1, y), x2, w) ⇒ 160
            ⊢ 1.rd_2(y : real. g(2 - 1, y)) ⇒ 160
              ⊢ 1.rd_2(y : real. g(2 - 1, y)) ⇝ D2
                {y ↦ 2} ⊢ g(2 - 1, y) ⇝ C2 = D1
                  ⊢ 2 - 1 ⇝ 1
                  {y ↦ 2} ⊢ g(1, y) ⇝ D1
                    ⊢ 1 == 0 ⇝ false
                    ⊢ if false then … else … ⇝ D1
                      {y ↦ 2} ⊢ rd(fun y => g(1 - 1, y), y, 1) ⇝ D1
                        {y ↦ 2} ⊢ vjp(fun y => g(1 - 1, y), y, 1) ⇝ D1
                          {y ↦ 2} ⊢ 1.rd_y(y : real. g(1 - 1, y)) ⇝ D1
                            {y1 ↦ 2} ⊢ g(1 - 1, y1) ⇝ C1 = (^)_5(y1)
                              ⊢ 1 - 1 ⇝ 0
                              {y1 ↦ 2} ⊢ g(0, y1) ⇝ (^)_5(y1)
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
              ⊢ D2 ⇒ 160
`
