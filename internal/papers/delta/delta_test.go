package delta_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/papers/paperstest"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// problem makes the problem of a function of a program at a point; the
// cotangent has weights that tell the results apart.
func problem(t testing.TB, source, fn, at string) *papers.Problem {
	t.Helper()
	var sink diag.List
	point := fmt.Sprintf("(fun point => fst (point, %s point)) (%s)", fn, at) // at the type of the argument
	unit := driver.NewWorld(nil).LoadText("program.flx", source+"\n"+point+"\n", nil, &sink)
	if sink.Failed() {
		t.Fatalf("%s\n%v", source, sink.Sorted()[0].Message)
	}
	linked, d := driver.Link(unit)
	if d != nil {
		t.Fatal(d.Message)
	}
	program, d := opt.Mono(linked, opt.Options{Roots: []string{unit.Info.Name + "." + fn}, Verify: true})
	if d != nil {
		t.Fatal(d.Message)
	}
	p := &papers.Problem{Program: program, Evaluate: evaluate, MaxOps: 50_000_000}
	for _, def := range program.Defs {
		if def.Name == unit.Info.Name+"."+fn {
			p.Fun = def
		}
	}
	if p.At, _, d = evaluate(context.Background(), program, 0); d != nil {
		t.Fatal(d.Message)
	}
	y, _, d := delta.At(p, p.Program, p.Fun)
	if d != nil {
		t.Fatal(d.Message)
	}
	weight := 1.0
	p.Cotangent = papers.MapReals(y, func(float64) float64 { weight *= -0.75; return weight })
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

// numeric is the gradient by central differences.
func numeric(t testing.TB, p *papers.Problem) []float64 {
	point, cotangent := papers.Reals(p.At), papers.Reals(p.Cotangent)
	objective := func(xs []float64) float64 {
		moved := *p
		moved.At = papers.WithReals(p.At, xs)
		y, _, d := delta.At(&moved, moved.Program, moved.Fun)
		if d != nil {
			t.Fatal(d.Message)
		}
		total := 0.0
		for i, y := range papers.Reals(y) {
			total += y * cotangent[i]
		}
		return total
	}
	slopes := make([]float64, len(point))
	for i := range point {
		h := 1e-5 * math.Max(1, math.Abs(point[i]))
		up, down := append([]float64{}, point...), append([]float64{}, point...)
		up[i] += h
		down[i] -= h
		slopes[i] = (objective(up) - objective(down)) / (2 * h)
	}
	return slopes
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

// TestPrograms runs every translation on every program: they agree with one
// another and with numeric differentiation, and nothing is refused.
func TestPrograms(t *testing.T) {
	for _, program := range paperstest.Programs {
		t.Run(program.Name, func(t *testing.T) { agree(t, program.Source, program.Fn, program.At) })
	}
}

// agree compares all translations of one program.
func agree(t *testing.T, source, fn, at string) {
	p := problem(t, source, fn, at)
	p.Explain = true
	slopes := numeric(t, p)
	y, _, _ := delta.At(p, p.Program, p.Fun)
	for _, s := range delta.Strategies() {
		answer, d := s.Run(context.Background(), p)
		if d != nil {
			t.Fatalf("%s: %s", s.Name, d.Message)
		}
		if value.Show(answer.Value) != value.Show(y) {
			t.Errorf("%s: the value is %s, want %s", s.Name, value.Show(answer.Value), value.Show(y))
		}
		if !near(papers.Reals(answer.Gradient), slopes, 1e-6) {
			t.Errorf("%s: the gradient is %s, want %v", s.Name, value.Show(answer.Gradient), slopes)
		}
		if !strings.Contains(answer.Explanation, "𝒟{") {
			t.Errorf("%s: nothing is explained", s.Name)
		}
	}
	if g := reverseInCore(t, p); !near(papers.Reals(g), slopes, 1e-6) {
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
