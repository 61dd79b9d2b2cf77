package curry_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var bench = paperstest.NewLab()

// problem makes a problem of a program, with ones for the cotangent, and the
// program compiled, to compare with.
func problem(t testing.TB, p paperstest.Program) (*papers.Problem, *interp.Code) {
	t.Helper()
	prob := bench.Problem(t, p, 10_000_000)
	prob.Cotangent = value.MapReals(prob.Cotangent, func(float64) float64 { return 1 })
	code, d := interp.Compile(prob.Program)
	if d != nil {
		t.Fatal(d)
	}
	return prob, code
}

func find(p *core.Program, name string) *core.Def {
	for _, def := range p.Defs {
		if def.Name == name {
			return def
		}
	}
	return nil
}

func call(t testing.TB, code *interp.Code, p *papers.Problem, at value.Value) value.Value {
	y, d := code.Call(context.Background(), interp.Limits{}, p.Fun.Name, at)
	if d != nil {
		t.Fatal(d)
	}
	return y
}

func close(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// solve runs a strategy by its name.
func solve(t testing.TB, name string, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	t.Helper()
	return run(name, p)
}

func run(name string, p *papers.Problem) (*papers.Answer, *diag.Diagnostic) {
	for _, s := range lab.Strategies() {
		if s.Name == name {
			return s.Run(context.Background(), p)
		}
	}
	panic("no strategy " + name)
}

var names = []string{"curry-list", "curry-env"}

// compare checks that both strategies give the value of the interpreter and a
// gradient that agrees with the reference; and the same one, nearly to the bit.
func compare(t *testing.T, program paperstest.Program) {
	p, code := problem(t, program)
	p.Explain = true
	reference, d := paperstest.Reference(p)
	if d != nil {
		t.Fatal(d)
	}
	want := value.RealsOf(reference)
	var first []float64
	for _, name := range names {
		answer, d := solve(t, name, p)
		if d != nil {
			t.Fatalf("%s: %v", name, d)
		}
		if got, want := value.Show(answer.Value), value.Show(call(t, code, p, p.At)); got != want {
			t.Errorf("%s: value %s, want %s", name, got, want)
		}
		got := value.RealsOf(answer.Gradient)
		if len(got) != len(want) {
			t.Fatalf("%s: gradient %s of %s", name, value.Show(answer.Gradient), value.Show(p.At))
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if !close(got[i], want[i], 1e-11) {
				t.Errorf("%s: gradient %v, the reference is %v", name, got, want)
				break
			}
			if !close(got[i], first[i], 1e-12) {
				t.Errorf("%s: gradient %v, %s gives %v", name, got, names[0], first)
				break
			}
		}
		if !strings.Contains(answer.Explanation, p.Fun.Name+" =\n  ") {
			t.Errorf("%s: explanation\n%s", name, answer.Explanation)
		}
	}
}

// TestPrograms: neither strategy refuses any of the programs.
func TestPrograms(t *testing.T) {
	for i, program := range paperstest.Programs(t) {
		if i%8 > 0 {
			continue // paperstest.TestConformance has them all
		}
		t.Run(program.Name, func(t *testing.T) { compare(t, program) })
	}
}
