package driver_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var seeds = flag.Int64("derivatives", 30, "how many random functions are differentiated")

// derived runs a program in one way of compiling it.
func derived(t *testing.T, text string, opts interp.Options) (value.Value, *diag.Diagnostic) {
	t.Helper()
	var list diag.List
	unit := driver.NewWorld(nil).LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%v", text, list.Sorted()[0])
	}
	result, d := driver.Run(context.Background(), unit, driver.Settings{Limits: interp.DefaultLimits(), Compile: opts})
	return result.Value, d
}

// closeReals reports whether the reals of two values agree, relative to the
// largest of them.
func closeReals(a, b value.Value, tolerance float64) bool {
	xs, ys := value.RealsOf(a), value.RealsOf(b)
	if len(xs) != len(ys) {
		return false
	}
	scale := 1.0
	for _, x := range xs {
		scale = max(scale, math.Abs(x))
	}
	for k, x := range xs {
		if d := math.Abs(x - ys[k]); !(d <= tolerance*scale) && x != ys[k] && !(math.IsNaN(x) && math.IsNaN(ys[k])) {
			return false
		}
	}
	return true
}

// TestDerivativesAgree: random functions of arrays have the same derivatives by compiled code and on the tape, element by
// element, forwards and backwards, to the second order.
func TestDerivativesAgree(t *testing.T) {
	t.Parallel()
	n := *seeds
	failed := 0
	for seed := range n {
		g := &calculus{Rand: rand.New(rand.NewSource(seed)), length: 24 + int(seed%9), nested: seed%3 == 0, pointed: seed%2 == 0}
		if seed%5 == 4 {
			g.length = 3
		}
		f := g.function(3 + int(seed%3))
		text := fmt.Sprintf("let f : []Real -> Real = %s\nlet p = %s\nlet d = %s\nlet e = %s\n", f, g.point(), g.point(), g.point())
		first := text + "(valueAndGrad f p, jvp f p d, inner (grad f p) d)\n"
		second := text + "(inner (grad (fun v => inner (grad f v) d) p) e, inner (grad (fun v => jvp f v d) p) e, jvp (fun v => inner (grad f v) d) p e, jvp (fun v => jvp f v d) p e)\n"
		for order, program := range []string{first, second} {
			whole, d := derived(t, program, interp.Options{Engine: portableEngine, Eager: true})
			each, e := derived(t, program, interp.Options{})
			if d != nil || e != nil {
				// As a whole, an array of one real many times has elements that are
				// tied, and an array of rounded reals depends on them; element by
				// element the first are the same and the second constant.
				alike := d != nil && e != nil && d.Code == e.Code
				stricter := d != nil && (d.Code == diag.TiedKink || d.Code == diag.TiedComparison && strings.Contains(f, "floor"))
				if !alike && !stricter {
					t.Errorf("seed %d: whole %v, each %v\n%s", seed, d, e, program)
				}
				failed++
				continue
			}
			if !closeReals(whole, each, 1e-9) {
				t.Errorf("seed %d: whole %s\neach %s\n%s", seed, value.Show(whole), value.Show(each), program)
			}
			xs := value.RealsOf(whole)
			if order == 0 {
				xs = xs[len(xs)-2:]
			}
			scale := 1.0
			for _, x := range value.RealsOf(whole) {
				scale = max(scale, math.Abs(x))
			}
			for _, x := range xs {
				if math.Abs(x-xs[0]) > 1e-9*scale {
					t.Errorf("seed %d: order %d: %v\n%s", seed, order+1, xs, program)
					break
				}
			}
		}
	}
	t.Logf("%d of %d failed to have a derivative", failed, 2*n)
}

// TestDerivativesAreRight: along a line, random functions of arrays have the derivative that
// central differences in high precision give, and so says the paper's `delta`.
func TestDerivativesAreRight(t *testing.T) {
	t.Parallel()
	n := *seeds
	var delta papers.Strategy
	for _, s := range lab.Strategies() {
		if s.Name == "delta" {
			delta = s
		}
	}
	compared, byDelta := 0, 0
	for seed := range n {
		g := &calculus{Rand: rand.New(rand.NewSource(seed + 1_000_000)), length: 24 + int(seed%9), pointed: seed%2 == 0}
		source := fmt.Sprintf("let f : []Real -> Real = %s\nlet g (x : Real) : Real = f [p + x * d for (p, d) in zip %s %s]\n", g.function(3), g.point(), g.point())
		ours, d := derived(t, source+"(deriv g 0, grad g 0)\n", interp.Options{Engine: portableEngine, Eager: true})
		if d != nil {
			continue // at a tie, which a reference does not know
		}
		problem := paperstest.NewLab().Problem(t, paperstest.Program{Source: source + "0\n", Fn: "g", At: "0.0"}, 100_000)
		reference, d := paperstest.Reference(problem)
		if d != nil {
			continue // a comparison that is not decided
		}
		want := value.RealsOf(reference)[0]
		for _, x := range value.RealsOf(ours) {
			if math.Abs(x-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("seed %d: got %v, want %v\n%s", seed, x, want, source)
			}
		}
		compared++
		if answer, d := lab.Solve(context.Background(), delta, problem); d == nil {
			byDelta++
			if x := value.RealsOf(answer.Gradient)[0]; math.Abs(x-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("seed %d: delta gives %v, want %v\n%s", seed, x, want, source)
			}
		}
	}
	t.Logf("%d of %d were compared with differences, %d with delta", compared, n, byDelta)
}
