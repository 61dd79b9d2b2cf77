package trace_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers/trace"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// differential makes the texts of random programs with derivatives in them.
type differential struct {
	*rand.Rand
	rds  int // derivatives written so far
	next int // number of the next variable
}

func (g *differential) fresh() string {
	g.next++
	return fmt.Sprint("v", g.next)
}

// real returns an expression of type Real over variables, with at most so many
// derivatives one within the other.
func (g *differential) real(vars []string, depth, rds int) string {
	if depth <= 0 {
		if g.IntN(5) == 0 {
			return fmt.Sprintf("%.2f", 0.2+g.Float64())
		}
		return vars[g.IntN(len(vars))]
	}
	sub := func(more ...string) string {
		return g.real(append(vars[:len(vars):len(vars)], more...), depth-1, rds)
	}
	small := func() string { return g.real(vars, depth-2, rds) }
	kinds := 7
	if rds > 0 {
		kinds = 14
	}
	x := g.fresh()
	body := func(more ...string) string {
		g.rds++
		return g.real(append(vars[:len(vars):len(vars)], more...), depth-1, rds-1)
	}
	switch g.IntN(kinds) {
	case 0:
		return fmt.Sprintf("(%s + %s)", sub(), small())
	case 1:
		return fmt.Sprintf("(%s * %s)", sub(), small())
	case 2:
		return fmt.Sprintf("(%s (%s))", []string{"sin", "tanh", "exp", "atan"}[g.IntN(4)], small())
	case 3:
		return fmt.Sprintf("(let %s = %s in %s)", x, small(), sub(x))
	case 4:
		return fmt.Sprintf("(if %s < %s then %s else %s)", small(), small(), sub(), small())
	case 5:
		return fmt.Sprintf("(let h%s z = %s in h%s (%s))", x, sub("z"), x, small())
	case 6:
		return fmt.Sprintf("(g %d %s)", g.IntN(3), vars[g.IntN(len(vars))])
	case 7, 8:
		return fmt.Sprintf("(deriv (fun %s => %s) (%s))", x, body(x), small())
	case 9, 10:
		return fmt.Sprintf("(vjp (fun %s => %s) (%s) (%s))", x, body(x), small(), small())
	case 11:
		return fmt.Sprintf("(fst (vjp (fun (%s, b) => %s) (%s, %s) (%s)))", x, body(x, "b"), small(), small(), small())
	case 12:
		return fmt.Sprintf("(vjp (fun %s => (%s, %s)) (%s) (1, 0.5))", x, body(x), x, small())
	}
	return fmt.Sprintf("(let h%s z = %s in deriv h%s (%s))", x, body("z"), x, small())
}

// program returns a function f, which may call a recursive g that may ask for its
// own derivative.
func (g *differential) program() string {
	step := "g (n - 1) (sin x)"
	if g.IntN(2) == 0 {
		step = "deriv (fun y => g (n - 1) y) x"
	}
	base := strings.ReplaceAll(smooth(g.Rand, []string{"x"}, 2), "-(", "-1 * (")
	return fmt.Sprintf("let rec g (n : Int) (x : Real) : Real = if n == 0 then %s else x * %s\nlet f (x : Real) : Real = %s\n",
		base, step, g.real([]string{"x"}, 4, 2))
}

// TestTheoremsInside: the propositions of A–P §3 on random programs with rd: nested, capturing,
// of functions that are defined by their own derivatives.
func TestTheoremsInside(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 40
	}
	strategies := lab.Strategies()
	compiled := strategies[len(strategies)-1]
	var traced, refused, over, differentials int
	for seed := range n {
		g := &differential{Rand: rand.New(rand.NewPCG(uint64(seed), 36))}
		source := g.program()
		if g.rds == 0 {
			continue
		}
		at := fmt.Sprintf("%.3f", 0.1+g.Float64())
		p, code := problem(t, paperstest.Program{Name: source, Source: source, Fn: "f", At: at})
		p.MaxOps = 10_000
		v, _, d := trace.Evaluate(bg, p)
		tr, _, d2 := trace.Symbolic(bg, p)

		// Prop. 3.5, interpolation: M ⇒ V if and only if M ⇝ C and C ⇒ V. A tie is
		// undefined where a variable of differentiation moves it, so that only
		// symbolic evaluation may see one; neither may need more than it is given.
		if d != nil || d2 != nil {
			switch {
			case d2 != nil && d2.Code == diag.StrategyLimits && strings.Contains(d2.Message, "undefined here"):
				refused++
			case d2 != nil && d2.Code == diag.StrategyBudget:
				over++
			default:
				t.Errorf("seed %d: ⇒ ends with %v, ⇝ with %v\n%s", seed, d, d2, source)
			}
			continue
		}
		traced++
		differentials += g.rds
		x, c := tr.Var, tr.Body
		rho := map[*trace.Var]trace.Val{x: trace.RealPart(p.At)}
		got, _, d := trace.Eval(bg, c, rho, 0)
		if d != nil || !same(got, trace.RealPart(v)) {
			t.Errorf("seed %d: M ⇒ %s, C ⇒ %v (%v)\n%s", seed, value.Show(v), got, d, source)
		}

		// Prop. 3.4, determinacy: the value is that of an evaluator that knows nothing
		// of traces, and a second symbolic evaluation gives the same trace.
		if y, d := code.Call(bg, interp.Limits{}, p.Fun.Name, p.At); d == nil && !near(float64(y.(value.Real)), float64(v.(value.Real)), 1e-9) {
			t.Errorf("seed %d: %s, in interp %s\n%s", seed, value.Show(v), value.Show(y), source)
		}
		if again, _, d := trace.Symbolic(bg, p); d != nil || trace.Show(again.Body) != trace.Show(c) {
			t.Errorf("seed %d: two traces (%v)\n%s", seed, d, source)
		}

		// Prop. 3.6, type safety: C has the type of M; Prop. 3.3: so has its derivative.
		ty, err := trace.Check([]*trace.Var{x}, c)
		if err != nil || !trace.Equal(ty, typeOfVal(trace.RealPart(v))) {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, source, trace.Show(c))
		}
		w := &trace.Var{Name: "w", Type: ty}
		derivative := trace.ReversePruned(w, x, x, c, 1<<14)
		if derivative == nil {
			continue
		}
		if got, err := trace.Check([]*trace.Var{x, w}, derivative); err != nil || !trace.Equal(got, x.Type) {
			t.Fatalf("seed %d: the derivative: %v\n%s", seed, err, source)
		}
		// and it is the derivative that the language has.
		rho[w] = 1.0
		slope, _, d := trace.Eval(bg, derivative, rho, 0)
		if d != nil {
			t.Fatalf("seed %d: %v", seed, d)
		}
		answer, d := lab.Solve(bg, compiled, p)
		if d == nil && !near(slope.(float64), value.RealsOf(answer.Gradient)[0], 1e-9) {
			t.Errorf("seed %d: slope %v, in interp %s\n%s", seed, slope, value.Show(answer.Gradient), source)
		}
	}
	t.Logf("%d programs with %d derivatives inside; %d refused at a tie, %d beyond the bound", traced, differentials, refused, over)
	if traced < n*2/5 {
		t.Errorf("only %d programs were traced", traced)
	}
}

// same compares values bit for bit, and takes NaN for NaN.
func same(v, w trace.Val) bool {
	x, ok := v.(float64)
	y, ok2 := w.(float64)
	if ok && ok2 {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	}
	return reflect.DeepEqual(v, w)
}
