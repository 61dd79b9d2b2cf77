package delta_test

import (
	"context"
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/papers/delta"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

var decimal = regexp.MustCompile(`\b[0-9]+\.[0-9]+(?:e-?[0-9]+)?\b`)

// TestRandomPrograms: on programs that are well typed by construction, as
// functions of a factor of their literals, all translations are well typed,
// give the value of the program bit for bit, and agree on the derivative.
// -rapid.checks=10000 looks longer.
func TestRandomPrograms(t *testing.T) {
	w := driver.NewWorld(nil)
	var modules []checktest.Module
	for _, name := range []string{"prelude", "list", "array"} {
		var sink diag.List
		unit := w.Library(name, &sink)
		if name == "prelude" {
			name = ""
		}
		modules = append(modules, checktest.Module{Name: name, Interface: unit.Info.Interface})
	}
	programs := checktest.Programs(modules...)
	property.Check(t, func(t *rapid.T) {
		program := programs.Draw(t, "program")
		if functions(program.Type) {
			return
		}
		source := program.Decls + "let f (x : Real) = " + decimal.ReplaceAllString("("+program.Final+")", "($0 * x)") + "\n1\n"
		p := randomProblem(t, w, source)
		if p == nil {
			return
		}
		y, ops, d := delta.At(p, p.Program, p.Fun)
		if d != nil || ops > 2000 {
			return // an error of the program's own, or more than is worth it
		}
		p.Cotangent = value.MapReals(y, func(float64) float64 { return 0.5 })
		var first []float64
		for _, s := range delta.Strategies() {
			if s.Name == "reverse2" && ops > 50 {
				continue // it may be exponential
			}
			answer, d := s.Run(context.Background(), p)
			if d != nil {
				if d.Code == diag.StrategyLimits {
					continue
				}
				t.Fatalf("%s\n%s: %s", source, s.Name, d.Message)
			}
			if got, want := value.Show(answer.Value), value.Show(y); got != want {
				t.Fatalf("%s\n%s: the value is %s, want %s", source, s.Name, got, want)
			}
			g := value.RealsOf(answer.Gradient)
			if math.IsNaN(g[0]) || math.IsInf(g[0], 0) {
				continue // 0 times infinity is a matter of the order
			}
			if first == nil {
				first = g
			}
			if !near(g, first, 1e-9) {
				t.Fatalf("%s\n%s: the derivative is %v, want %v", source, s.Name, g, first)
			}
		}
	})
}

func functions(ty types.Type) bool {
	found := false
	var walk func(types.Type) types.Type
	walk = func(t types.Type) types.Type {
		t = types.Resolve(t)
		if _, is := t.(*types.Fun); is {
			found = true
		}
		return types.Map(t, walk)
	}
	walk(ty)
	return found
}

// randomProblem returns the problem of f at 1, or nil if f is not to be had.
func randomProblem(t *rapid.T, w *driver.World, source string) *papers.Problem {
	defer w.Forget()
	var sink diag.List
	unit := w.LoadText("program.flx", source, nil, &sink)
	if sink.Failed() {
		t.Fatalf("%s\n%s", source, sink.Sorted()[0].Message)
	}
	linked, d := driver.Link(unit)
	if d != nil {
		t.Fatal(d.Message)
	}
	name := unit.Info.Name + ".f"
	for _, def := range linked.Defs {
		if def.Name == name && len(def.Params) > 0 {
			return nil // nothing decides its type
		}
	}
	program, d := opt.Mono(linked, opt.Options{Roots: []string{name}, Verify: true})
	if d != nil {
		return nil
	}
	for _, def := range program.Defs {
		if def.Name == name {
			return &papers.Problem{Program: program, Fun: def, At: value.Real(1), Evaluate: evaluate, MaxOps: 50_000_000}
		}
	}
	return nil
}
