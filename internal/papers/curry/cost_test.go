package curry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/curry"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// ops counts what a strategy executes on a member of a family of programs.
func ops(t *testing.T, strategy, source, at string) papers.Ops {
	t.Helper()
	p, _ := problem(t, paperstest.Program{Name: source, Source: source, Fn: "f", At: at})
	answer, d := solve(t, strategy, p)
	if d != nil {
		t.Fatalf("%s: %v", strategy, d)
	}
	if answer.Ops.Primal != answer.Ops.Forward {
		t.Errorf("%s: %+v: a rep-function runs the function and nothing else", strategy, answer.Ops)
	}
	return answer.Ops
}

// nestedClosures is n functions inside one another, each capturing x.
func nestedClosures(n int) string {
	body := "x"
	for i := n; i > 0; i-- {
		body = fmt.Sprintf("(fun y%d => y%d * %s) (x + 1)", i, i, body)
	}
	return "let f (x : Real) : Real = " + body
}

// TestNestedClosures returns the point of §5: the pullback of Fig. 3's curry runs
// the function again, once to learn what is due to its environment and once to
// learn what is due to its argument; so the cost doubles with each function
// inside another. That of Fig. 5 does not.
func TestNestedClosures(t *testing.T) {
	var list, env []int64
	for n := 4; n <= 12; n++ {
		list = append(list, ops(t, "curry-list", nestedClosures(n), "1.1").Backward)
		env = append(env, ops(t, "curry-env", nestedClosures(n), "1.1").Backward)
	}
	for i := 1; i < len(list); i++ {
		if ratio := float64(list[i]) / float64(list[i-1]); ratio < 1.9 || ratio > 3 {
			t.Errorf("curry-list: %v grows by %.2f and not by about 2", list, ratio)
		}
		if env[i]-env[i-1] != env[1]-env[0] {
			t.Errorf("curry-env: %v does not grow linearly", env)
		}
	}
	t.Logf("curry-list %v\ncurry-env  %v", list, env)
}

// TestBudget: what would take too long is refused, by the one strategy alone.
func TestBudget(t *testing.T) {
	p, _ := problem(t, paperstest.Program{Source: nestedClosures(60), Fn: "f", At: "1.01"})
	p.MaxOps = 100_000
	if _, d := solve(t, "curry-list", p); d == nil || d.Code != diag.StrategyBudget {
		t.Errorf("curry-list: %v", d)
	}
	if _, d := solve(t, "curry-env", p); d != nil {
		t.Errorf("curry-env: %v", d)
	}
}

// rnn is §2's example on n inputs.
func rnn(n int) (source, at string) {
	return rnnSource, "((0.5, -0.3), 0.1, " + strings.Repeat("Cons 0.7 (", n) + "Nil" + strings.Repeat(")", n) + ")"
}

const rnnSource = `import list

let rnnCell ((params, hidden, input) : ((Real, Real), Real, Real)) : Real =
  tanh (params[0] * hidden + params[1] * input)

let runRNN (params : (Real, Real)) (initState : Real) (xs : List Real) : Real =
  let g (hid : Real) (input : Real) : Real = rnnCell (params, hid, input)
  list.fold g initState xs

let f ((params, init, xs) : ((Real, Real), Real, List Real)) : Real = runRNN params init xs
`

// TestRNN: on §2's example both are linear in the length of the input. Fig. 3
// runs each cell twice.
func TestRNN(t *testing.T) {
	var costs [2][]papers.Ops
	for i, name := range names {
		for n := 10; n <= 40; n += 10 {
			source, at := rnn(n)
			costs[i] = append(costs[i], ops(t, name, source, at))
		}
	}
	for i, name := range names {
		c := costs[i]
		for k := 2; k < len(c); k++ {
			if c[k].Backward-c[k-1].Backward != c[1].Backward-c[0].Backward {
				t.Errorf("%s: %v is not linear", name, c)
			}
		}
	}
	list, env := costs[0][3], costs[1][3]
	if list.Forward != env.Forward || list.Backward < env.Backward+env.Forward {
		t.Errorf("list %+v, env %+v", list, env)
	}
}

// TestRecursiveClosure: a local function that calls itself is run again for
// each call around a call by Fig. 3, which is quadratic, and not by Fig. 5.
func TestRecursiveClosure(t *testing.T) {
	family := func(name string) (costs [3]int64) {
		for i := range costs {
			source := fmt.Sprintf("let f (x : Real) : Real =\n  let rec go (n : Int) (y : Real) : Real = if n == 0 then y else go (n - 1) (y * x)\n  go %d x", 20<<i)
			costs[i] = ops(t, name, source, "0.99").Backward
		}
		return costs
	}
	if c := family("curry-list"); c[2]-c[1] < 3*(c[1]-c[0]) {
		t.Errorf("curry-list: %v is not quadratic", c)
	}
	if c := family("curry-env"); c[2]-c[1] != 2*(c[1]-c[0]) {
		t.Errorf("curry-env: %v is not linear", c)
	}
}

// TestLinear: curry-env executes at most a few operations for each of the
// function's own, on loops, recursion, folds and arrays alike.
func TestLinear(t *testing.T) {
	for _, family := range []string{
		"let f (x : Real) : Real = loop y = x for i < %d do sin (y * x)",
		"let rec go (n : Int) (x : Real) : Real = if n == 0 then x else sin (x * go (n - 1) x)\nlet f (x : Real) : Real = go %d x",
		"let f (x : Real) : Real = sum [sin (x * real i) for i < %d]",
		"let f (x : Real) : Real = let xs = [x * real i for i < %d] in loop s = 0 for i < length xs do s + xs[i] * xs[0]",
		"let f (x : Real) : Real = fold (fun a b => a * x + b) x [real i * x for i < %d]",
		"let rec iterate (n : Int) (g : Real -> Real) (x : Real) : Real = if n == 0 then x else iterate (n - 1) g (g x)\nlet f (x : Real) : Real = iterate %d (fun y => y * x + 1) x",
	} {
		for _, name := range names {
			small, large := ops(t, name, fmt.Sprintf(family, 100), "0.3"), ops(t, name, fmt.Sprintf(family, 800), "0.3")
			if large.Backward > 9*small.Backward || name == "curry-env" && large.Backward > 6*large.Forward {
				t.Errorf("%s: %+v for 100, %+v for 800\n%s", name, small, large, family)
			}
		}
	}
}

// TestDepth: deep recursion is differentiated, deeper one refused, and neither
// is the end of the process. Loops have no depth.
func TestDepth(t *testing.T) {
	recursion := "let rec go (n : Int) (x : Real) : Real = if n == 0 then x else x + go (n - 1) x\nlet f (x : Real) : Real = go %d x"
	for _, name := range names {
		p, _ := problem(t, paperstest.Program{Source: fmt.Sprintf(recursion, 20_000), Fn: "f", At: "2"})
		answer, d := solve(t, name, p)
		if d != nil || value.Show(answer.Gradient) != "20001" {
			t.Fatalf("%s: %v %v", name, answer, d)
		}
		p, _ = problem(t, paperstest.Program{Source: fmt.Sprintf(recursion, 120_000), Fn: "f", At: "2"})
		if _, d := solve(t, name, p); d == nil || d.Code != diag.StrategyLimits {
			t.Errorf("%s: %v", name, d)
		}
	}
	p, _ := problem(t, paperstest.Program{Source: "let f (x : Real) : Real = loop y = 0 for i < 200000 do y + x", Fn: "f", At: "2"})
	if answer, d := solve(t, "curry-env", p); d != nil || value.Show(answer.Gradient) != "200000" {
		t.Errorf("%v %v", answer, d)
	}
}

// TestFailures: a program that fails gives its diagnostic, with the place.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		body string
		code diag.Code
	}{
		{"[x][3]", diag.IndexOutOfRange},
		{"sum [x, x][1:5]", diag.BadSlice},
		{"fail \"no\"", diag.Failure},
		{"x * real (div 1 (floor x - 2))", diag.DivisionByZero},
		{"sum [a * b for (a, b) in zip [x for i < floor x] [x for i < 3]]", diag.SizesDiffer},
		{"sum [x for i < floor x - 9]", diag.NegativeSize},
		{"x * real (2 ^ (60 + floor x) * 4)", diag.IntOverflow},
		{"real (floor (x * 1e30))", diag.NoInt},
	} {
		source := "let f (x : Real) : Real = if x < 0 then x else " + c.body
		p, _ := problem(t, paperstest.Program{Source: source, Fn: "f", At: "-1"})
		p.At = value.Real(2.5)
		for _, name := range names {
			if _, d := solve(t, name, p); d == nil || d.Code != c.code || !d.Span.Known() {
				t.Errorf("%s: %s: %v, want %s", name, c.body, d, c.code)
			}
		}
	}
}

// TestCancelled: a run ends soon after its context does.
func TestCancelled(t *testing.T) {
	p, _ := problem(t, paperstest.Program{Source: "let f (x : Real) : Real = loop y = x while y > 0 do y + 1", Fn: "f", At: "-1"})
	p.At, p.MaxOps = value.Real(1), 0
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range curry.Strategies() {
		if _, d := s.Run(ctx, p); d == nil || d.Code != diag.Interrupted {
			t.Errorf("%s: %v", s.Name, d)
		}
	}
}

// TestExplanation shows §2's example as combinators: g is curry of the cell in
// the environment (params), and is handed to fold.
func TestExplanation(t *testing.T) {
	source, at := rnn(1)
	p := paperstest.NewLab().Problem(t, paperstest.Program{Source: source, Fn: "f", At: at}, 1_000_000)
	p.Explain = true
	answer, d := solve(t, "curry-env", p)
	if d != nil {
		t.Fatal(d)
	}
	want := `program.f =
  curry[p] (⟨program.runRNN, π p ; π₁, π p ; π₂, π p ; π₃⟩ ; eval)

program.runRNN =
  curry[params initState xs] (
      ⟨
        list.fold<Real, Real>,
          ⟨π params⟩
        ; curry[hid input] (⟨program.rnnCell, ⟨π params, π hid, π input⟩⟩ ; eval),
        π initState,
        π xs⟩
    ; eval)

program.rnnCell =
  curry[p] (
      ⟨π p, params = π p ; π₁⟩
    ; ⟨⟨⟨π params ; π₁, π p ; π₂⟩ ; (*), ⟨π params ; π₂, π p ; π₃⟩ ; (*)⟩ ; (+)⟩
    ; (tanh))

list.fold<Real, Real> =
  curry[f z xs] (
      ⟨π f, π z, π xs⟩
    ; case (
        Nil → π z |
        Cons x rest → ⟨list.fold<Real, Real>, π f, ⟨π f, π z, π x⟩ ; eval, π rest⟩ ; eval))

at ((0.5, -0.3), 0.1, Cons 0.7 Nil) the value is -0.15864850429749888
curry[hid input] has the tangent env((0.09748306520841665, 0.6823814564589166))
the pullback takes 1 to ((0.09748306520841665, 0.6823814564589166), 0.48741532604208326, Cons(-0.29244919562524996, 0))
`
	if answer.Explanation != want {
		t.Errorf("got\n%s", answer.Explanation)
	}
	answer, d = solve(t, "curry-list", p)
	if d != nil {
		t.Fatal(d)
	}
	if want := "\ncurry[hid input] has the tangent [(0.1 0.7, 1)]\n"; !strings.Contains(answer.Explanation, want) {
		t.Errorf("got\n%s", answer.Explanation)
	}
}

// TestCotangentOfAnotherShape is refused.
func TestCotangentOfAnotherShape(t *testing.T) {
	p, _ := problem(t, paperstest.Program{Source: "let f (x : Real) : (Option Real, []Real) = (Some x, [x])", Fn: "f", At: "1"})
	some := value.Con{Name: "Some", Args: []value.Value{value.Real(1)}}
	for _, cotangent := range []value.Tuple{
		{value.Con{Name: "None"}, value.Reals{1}},
		{some, value.Reals{}},
		{some, value.Reals{1, 2}},
	} {
		p.Cotangent = cotangent
		for _, name := range names {
			if _, d := solve(t, name, p); d == nil || d.Code != diag.StrategyLimits {
				t.Errorf("%s: %v: %v", name, cotangent, d)
			}
		}
	}
}
