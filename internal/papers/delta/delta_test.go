package delta_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var bench = paperstest.NewLab()

// problem makes the problem of a function of a program at a point; the
// cotangent has weights that tell the results apart.
func problem(t testing.TB, source, fn, at string) *papers.Problem {
	t.Helper()
	p := bench.Problem(t, paperstest.Program{Name: fn, Source: source, Fn: fn, At: at}, 50_000_000)
	p.Evaluate = evaluate
	weight := 1.0
	p.Cotangent = value.MapReals(p.Cotangent, func(float64) float64 { weight *= -0.75; return weight })
	return p
}

// evaluate verifies a program, prints it and reads it back, and runs it.
func evaluate(ctx context.Context, p *core.Program, maxOps int64) (value.Value, int64, *diag.Diagnostic) {
	if err := core.Verify(p, core.Mono); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, core.Print(p)))
	}
	if text := core.Print(p); len(text) < 100_000 {
		again, d := core.Parse("again.core", text)
		if d != nil || core.Print(again) != text {
			panic(fmt.Sprintf("%v\n%s", d, text))
		}
	}
	code, d := interp.CompileWith(p, interp.Options{Count: true})
	if d != nil {
		return nil, 0, d
	}
	m := code.NewMachine()
	defer m.Release()
	v, d := m.Run(ctx, interp.DefaultLimits())
	return v, m.Stats().Prims, d
}

// reference returns the gradient without any derivative.
func reference(t testing.TB, p *papers.Problem) []float64 {
	t.Helper()
	v, d := paperstest.Reference(p)
	if d != nil {
		t.Fatal(d)
	}
	return value.RealsOf(v)
}

func near(xs, ys []float64, tolerance float64) bool {
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !(math.Abs(xs[i]-ys[i]) <= tolerance*math.Max(1, math.Abs(ys[i]))) {
			return false
		}
	}
	return true
}

// reverseInCore runs R{e} of Fig. 15 as one program, with the map of Fig. 10.
func reverseInCore(t testing.TB, p *papers.Problem) value.Value {
	t.Helper()
	program, f, d := delta.Reverse(p.Program, p.Fun)
	if d != nil {
		t.Fatal(d.Message)
	}
	v, _, d := delta.At(p, program, f)
	if d != nil {
		t.Fatal(d.Message)
	}
	return v.(value.Tuple)[1]
}

// TestPrograms runs every translation on a part of the programs, verifies what
// it makes and reads it back: they agree with one
// another and with the reference, and nothing is refused.
func TestPrograms(t *testing.T) {
	for i, program := range paperstest.Programs(t) {
		if i%16 > 0 {
			continue // paperstest.TestConformance has them all
		}
		t.Run(program.Name, func(t *testing.T) { agree(t, program.Source, program.Fn, program.At) })
	}
}

// agree compares all translations of one program.
func agree(t *testing.T, source, fn, at string) {
	p := problem(t, source, fn, at)
	p.Explain, p.MaxOps = true, 1_000_000
	slopes := reference(t, p)
	y, _, _ := delta.At(p, p.Program, p.Fun)
	for _, s := range delta.Strategies() {
		answer, d := s.Run(context.Background(), p)
		if d != nil {
			if s.Name == "reverse2" && d.Code == diag.StrategyBudget {
				continue // by its nature
			}
			t.Fatalf("%s: %s", s.Name, d.Message)
		}
		if value.Show(answer.Value) != value.Show(y) {
			t.Errorf("%s: the value is %s, want %s", s.Name, value.Show(answer.Value), value.Show(y))
		}
		if !near(value.RealsOf(answer.Gradient), slopes, 1e-11) {
			t.Errorf("%s: the gradient is %s, want %v", s.Name, value.Show(answer.Gradient), slopes)
		}
		if !strings.Contains(answer.Explanation, "𝒟{") {
			t.Errorf("%s: nothing is explained", s.Name)
		}
	}
	if g := reverseInCore(t, p); !near(value.RealsOf(g), slopes, 1e-11) {
		t.Errorf("R{e}: the gradient is %s, want %v", value.Show(g), slopes)
	}
}

func strategy(name string) papers.Strategy {
	for _, s := range delta.Strategies() {
		if s.Name == name {
			return s
		}
	}
	panic("no such strategy")
}
