package exact_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/exact"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/stop"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestFormsAndForward compares gradients by forms with those of forward mode, for random functions
// with kinks, closures and searches: they have a point in common, and one is found where the other
// is.
func TestFormsAndForward(t *testing.T) {
	found := 0
	for round := range property.Rounds(100) {
		g := functionGen{rand: rand.New(rand.NewPCG(1, uint64(round)))}
		body := g.expr(3, []string{"x[0]", "x[1]", "x[2]"})
		operator := g.of("grad f", "grad f", "grad (fun x => inner x (grad f x))", "hessian f")
		text := fmt.Sprintf("let f x = %s in (%s) [%s, %s, %s]", body, operator, g.number(), g.number(), g.number())
		forward, df := evaluateIn(t, text, exact.Forward)
		forms, dr := evaluateIn(t, text, exact.Reverse)
		if forward == nil || forms == nil {
			continue
		}
		excused := df != nil && df.Code == diag.TimeLimit || dr != nil && dr.Code == diag.TimeLimit
		if dr != nil && strings.HasPrefix(dr.Message, "which side this takes") {
			excused = true // a tie that some inputs move and others do not
		}
		ys := reals(forms)
		for i, x := range reals(forward) {
			y := ys[i]
			switch {
			case x.Hi.Cmp(y.Lo) < 0 || y.Hi.Cmp(x.Lo) < 0:
				t.Errorf("%s: component %d is %s in forward mode and %s by forms", text, i, x.Fluxion(), y.Fluxion())
			case !excused && width(x) < 1e-8 && width(y) > 1e-8:
				t.Errorf("%s: component %d is %s in forward mode, and by forms only %s", text, i, x.Fluxion(), y.Fluxion())
			case width(y) < 1e-8:
				found++
			}
		}
	}
	if found == 0 {
		t.Error("nothing was compared")
	}
}

// TestFormsAtKinks: where kinks are met once, and are few, the gradient by forms is the hull that
// forward mode has.
func TestFormsAtKinks(t *testing.T) {
	for _, f := range []string{
		"max x[0] x[1]", "max (3 * x[0]) (x[0] + 2 * x[1])", "exp (max (3 * x[0]) (x[0] + 2 * x[1]) - 3) * x[2]",
		"abs (x[0] - x[1]) * x[2] + min x[1] x[2]", "max (max x[0] x[1]) (x[2] * x[0])", "norm [x[0] - 1, x[1] - 1]",
		"let m = max x[0] (x[1] * x[2]) in m * m + sin m", "root 0 9 (fun s => s - max x[0] x[1])",
		"maxOver (-1) 1 (fun s => s * s * x[0] + (s + 3) * (x[1] - x[2]))", "integral 0 (max x[0] x[1]) (fun s => s * x[2])",
	} {
		text := fmt.Sprintf("grad (fun x => %s) [1, 1, 1]", f)
		forward, _ := evaluateIn(t, text, exact.Forward)
		forms, _ := evaluateIn(t, text, exact.Reverse)
		xs, ys := reals(forward), reals(forms)
		if len(xs) != 3 || len(ys) != 3 {
			t.Errorf("%s: %v and %v", text, forward, forms)
			continue
		}
		for i, x := range xs {
			if y := ys[i]; !near(x.Lo, y.Lo) || !near(x.Hi, y.Hi) {
				t.Errorf("%s: component %d is %s in forward mode and %s by forms", text, i, x.Fluxion(), y.Fluxion())
			}
		}
	}
}

func near(x, y *big.Float) bool {
	a, _ := x.Float64()
	b, _ := y.Float64()
	return math.Abs(a-b) < 1e-8
}

// evaluateIn runs a text in a mode.
func evaluateIn(t testing.TB, text string, mode exact.Mode) (value.Value, *diag.Diagnostic) {
	ctx, done := stop.Within(context.Background(), 200*time.Millisecond)
	defer done()
	return exact.Run(ctx, prepared(t, text), exact.Options{
		Eps: big.NewRat(1, 1e9), Mode: mode,
	})
}

// prepared is the program of a text.
func prepared(t testing.TB, text string) *core.Program {
	t.Helper()
	var list diag.List
	unit := library.LoadText("test.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s: %v", text, list.Sorted()[0])
	}
	program, d := driver.Prepare(context.Background(), unit, false)
	if d != nil {
		t.Fatal(d)
	}
	return program
}

func width(e exact.Enclosure) float64 {
	lo, _ := e.Lo.Float64()
	hi, _ := e.Hi.Float64()
	return hi - lo
}

// functionGen generates functions.
type functionGen struct {
	rand  *rand.Rand
	names int
}

func (g *functionGen) of(texts ...string) string { return texts[g.rand.IntN(len(texts))] }

func (g *functionGen) number() string { return g.of("0", "1", "1/2", "-1", "0.3", "2", "1.7") }

// expr is an expression in variables.
func (g *functionGen) expr(depth int, vars []string) string {
	if depth == 0 {
		if g.rand.IntN(4) == 0 {
			return g.of("1", "0.5", "2", "(-1)")
		}
		return g.of(vars...)
	}
	sub := func() string { return g.expr(depth-1, vars) }
	fresh := func() (variable, body string) {
		g.names++
		v := fmt.Sprintf("s%d", g.names)
		return v, g.expr(depth-1, append(vars[:len(vars):len(vars)], v, v))
	}
	switch g.rand.IntN(22) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", sub(), sub())
	case 2, 3:
		return fmt.Sprintf("(%s * %s)", sub(), sub())
	case 4:
		return fmt.Sprintf("(%s - %s)", sub(), sub())
	case 5:
		return fmt.Sprintf("(%s / (1 + (%s)^2))", sub(), sub())
	case 6, 7:
		return fmt.Sprintf("%s (%s)", g.of("sin", "exp", "tanh", "atan", "sigmoid", "cos"), sub())
	case 8:
		return fmt.Sprintf("sqrt (1 + (%s)^2)", sub())
	case 9:
		return fmt.Sprintf("max (%s) (%s)", sub(), sub())
	case 10:
		return fmt.Sprintf("abs (%s)", sub())
	case 11:
		v, body := fresh()
		return fmt.Sprintf("integral 0 1 (fun %s => %s)", v, body)
	case 12:
		v, body := fresh()
		return fmt.Sprintf("integral (%s) 2 (fun %s => %s)", sub(), v, body)
	case 13:
		v, body := fresh()
		return fmt.Sprintf("root (-9) 9 (fun %s => 3 * %s + sin (%s))", v, v, body)
	case 14:
		v, body := fresh()
		return fmt.Sprintf("maxOver (-1) 1 (fun %s => sin (%s) - 2 * %s^2)", v, body, v)
	case 15:
		v, body := fresh()
		return fmt.Sprintf("argmaxOver (-2) 2 (fun %s => sin (%s) - 2 * %s^2)", v, body, v)
	case 16:
		return fmt.Sprintf("(if %s < %s then %s else %s)", sub(), sub(), sub(), sub())
	case 17:
		v, body := fresh()
		return fmt.Sprintf("(let h %s = %s in h (%s) * h (%s))", v, body, sub(), sub())
	case 18:
		return fmt.Sprintf("sum [%s * real i for i < 3]", sub())
	case 19:
		v, body := fresh()
		return fmt.Sprintf("deriv (fun %s => %s) (%s)", v, body, sub())
	case 20:
		g.names++
		v := fmt.Sprintf("s%d", g.names)
		body := g.expr(depth-1, append(vars[:len(vars):len(vars)], v+"[0]", v+"[1]"))
		return fmt.Sprintf("sum (grad (fun %s => %s * %s[1]) [%s, %s])", v, body, v, sub(), sub())
	}
	return fmt.Sprintf("norm [%s, %s]", sub(), sub())
}
