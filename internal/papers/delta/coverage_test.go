package delta_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// corners are what the shared programs leave out, above all of what the
// translations treat in a way of their own.
var corners = []struct{ name, source, at string }{
	{"accumulate", "import array\nlet f (xs : []Real) : []Real = array.accumulate [x * 2 for x in xs] [0, 2, 0] [xs[1] * xs[2], xs[0], 3]", "[0.5, 1.5, 2]"},
	{"scatter", "import array\nlet f (xs : []Real) : []Real = array.scatter xs [1] [xs[0] * xs[2]]", "[0.5, 1.5, 2]"},
	{"sort by reals", "import array\nlet f (xs : []Real) : []Real = array.sort [sin x for x in xs]", "[0.5, 1.5, -1]"},
	{"flatten", "import array\nlet f (xs : []Real) : Real = let ys = array.flatten [[x, x * x] for x in xs] in ys[1] * ys[2]", "[0.5, 1.5]"},
	{"show", "let f (x : Real) : Real = if show (x, [x]) == \"\" then x else x * x", "2"},
	{"rounding", "let f (x : Real) : Real = x * real (floor x) + real (round (x * x))", "2.3"},
	{"constants", "let table = [1, 2, 3 * 4]\nlet f (x : Real) : Real = x * sum table + pi", "2"},
	{"constant functions", "let line (m x : Real) : Real = m * x\nlet double = line (1 + 1)\nlet ops = [double, fun x => x * x]\nlet f (x : Real) : Real = ops[0] x * ops[1] (double x)", "1.5"},
	{"function constant", "let f = andThen sin exp", "0.5"},
	{"data with reals", "data Shape = Circle Real | Box Real Real | Many (List Shape)\nlet rec area (s : Shape) : Real =\n  match s with\n  | Circle r -> pi * r * r\n  | Box w h -> w * h\n  | Many ss -> total ss\nand total (ss : List Shape) : Real =\n  match ss with\n  | Nil -> 0\n  | Cons s rest -> area s + total rest\nlet f (s : Shape) : Real = area s", "Many (Cons (Circle 2) (Cons (Box 3 4) Nil))"},
	{"data with functions", "data Layer = Layer (Real -> Real) Int\nlet f (x : Real) : Real =\n  match Layer (fun y => x * y) 3 with\n  | Layer g n -> g (g (real n))", "1.5"},
	{"data of results", "let rec powers (n : Int) (x y : Real) : List Real = if n == 0 then Nil else Cons y (powers (n - 1) x (x * y))\nlet f (x : Real) : List Real = powers 4 x x", "1.5"},
	{"data in arrays", "let f (xs : [](Option Real)) : [](Option Real) = [mapOption (fun y => y * y) x for x in xs]", "[Some 2, None, Some 3]"},
	{"carried through", "let f (s : {n : Int, xs : []Real, name : String, on : Bool}) : (Real, Int, String) = (if s.on then s.xs[s.n] ^ s.n else 0, s.n, s.name)", "{n = 1, xs = [3, 4], name = \"a\", on = true}"},
	{"no real in the argument", "let f (n : Int) : Real = real n * 2", "3"},
	{"no real in the result", "let f (x : Real) : Int = floor x", "2.5"},
	{"empty arrays", "let f (xs : []Real) : Real = sum (scan (fun a x => a * x) 1 xs) + sum [x * x for x in xs]", "[]"},
	{"scan", "let f (xs : []Real) : []Real = scan (fun a x => a * x + 1) 1 xs", "[2, 3, 4]"},
	{"scan of pairs", "let f (xs : []Real) : [](Real, Int) = scan (fun (a, n) x => (a * x, n + 1)) (1, 0) xs", "[2, 3, 4]"},
	{"while", "let f (x : Real) : Real = loop y = x while sin y < 0.99 do y + x * 0.1", "0.5"},
	{"while without lets", "let f (x : Real) : Real = (loop (y, n) = (x, 0) while n < 3 do (y, n + 1))[0] * 2", "0.5"},
	{"state in the condition only", "let f (x : Real) : Real = (loop (y, n) = (x, 0) while real n * x < 2 do (y, n + 1))[0] * 2", "0.7"},
	{"matrix", "let f (m : [][]Real) : [][]Real = [[sum [a * b for (a, b) in zip row other] for other in m] for row in m]", "[[1, 2], [3, 4], [5, 6]]"},
	{"softmax of rows", "let f (m : [][]Real) : [][]Real = [softmax row for row in m]", "[[1, 2], [0.5, -1]]"},
	{"tail call", "let rec go (n : Int) (x y : Real) : Real = if n == 0 then y else go (n - 1) x (y * x)\nlet f (x : Real) : Real = go 10 x 1", "1.1"},
	{"special functions", "let f (x : Real) : Real = lgamma x + erf x + polygamma 1 x + digamma x", "1.5"},
	{"reduce of tuples", "let f (xs : []Real) : (Real, Real) = reduce (fun (a, b) (c, d) => (a * c, a * d + b)) (1, 0) [(x, sin x) for x in xs]", "[0.5, 1.5, 2]"},
}

// TestCorners is TestPrograms for the corners.
func TestCorners(t *testing.T) {
	for _, c := range corners {
		t.Run(c.name, func(t *testing.T) { agree(t, c.source, "f", c.at) })
	}
}

// TestRefused: what is not covered is named, with its place.
func TestRefused(t *testing.T) {
	p := problem(t, "let f (x : Real) : Real = if show (fun y => x * y, x) == \"\" then x else x * x", "f", "2")
	for _, s := range delta.Strategies() {
		_, d := s.Run(context.Background(), p)
		if d == nil || d.Code != diag.StrategyLimits || d.Span.File == nil {
			t.Errorf("%s: %v", s.Name, d)
		}
	}
}

// TestRefusedCall: what is inside a function of the library is refused where
// the program calls that, not where the function that calls it begins.
func TestRefusedCall(t *testing.T) {
	source := "let f (x : Real) : Real = x * integral01 (fun t => t * x)"
	p := problem(t, source, "f", "2")
	for _, s := range delta.Strategies() {
		_, d := s.Run(context.Background(), p)
		if d == nil || int(d.Span.Start) != strings.Index(source, "integral01") {
			t.Errorf("%s: %v", s.Name, d)
		}
	}
}

// TestBudget: what needs more operations than allowed is stopped, or said to
// have needed them.
func TestBudget(t *testing.T) {
	p := problem(t, "let f (x : Real) : Real = loop y = x for _ < 10 do y + y", "f", "2")
	p.MaxOps = 12
	for _, s := range delta.Strategies() {
		if _, d := s.Run(context.Background(), p); d == nil || d.Code != diag.StrategyBudget {
			t.Errorf("%s: %v", s.Name, d)
		}
	}
}

// TestUnusualPoints: points that no literal denotes.
func TestUnusualPoints(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)} {
		p := problem(t, "let f (x : Real) : Real = atan2 x (-1) * 2", "f", "1")
		p.At, p.Cotangent = value.Real(x), value.Real(1)
		for _, s := range delta.Strategies() {
			answer, d := s.Run(context.Background(), p)
			if d != nil {
				t.Fatal(d.Message)
			}
			if got, want := value.Show(answer.Value), value.Show(value.Real(math.Atan2(x, -1)*2)); got != want {
				t.Errorf("%s: f %v = %s, want %s", s.Name, x, got, want)
			}
		}
	}
}

// TestExponential: what would take for ever is refused at once.
func TestExponential(t *testing.T) {
	p := problem(t, "let f (x : Real) : Real = loop y = x for _ < 80 do y + y", "f", "2")
	_, d := strategy("reverse2").Run(context.Background(), p)
	if d == nil || d.Code != diag.StrategyBudget {
		t.Errorf("%v", d)
	}
}

// TestLongRun: a Delta of many thousand lets is evaluated and shown without
// trouble.
func TestLongRun(t *testing.T) {
	p := problem(t, "let f (x : Real) : Real = loop y = x for _ < 50_000 do y * x / x + 1e-9", "f", "2")
	p.Explain = true
	answer, d := strategy("delta").Run(context.Background(), p)
	if d != nil {
		t.Fatal(d.Message)
	}
	if !near(value.RealsOf(answer.Gradient), value.RealsOf(p.Cotangent), 1e-3) {
		t.Errorf("the gradient is %s", value.Show(answer.Gradient))
	}
	if n := strings.Count(answer.Explanation, "\n"); n > 2000 {
		t.Errorf("the explanation has %d lines", n)
	}
}
