package curry_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/lab/paperstest"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/papers"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// hasFunctions says whether functions are part of a result.
func hasFunctions(v value.Value) bool {
	switch v := v.(type) {
	case value.Func:
		return true
	case value.Tuple:
		for _, e := range v {
			if hasFunctions(e) {
				return true
			}
		}
	case value.Array:
		return hasFunctions(value.Tuple(v))
	case value.Con:
		return hasFunctions(value.Tuple(v.Args))
	case value.Record:
		for _, f := range v {
			if hasFunctions(f.Value) {
				return true
			}
		}
	}
	return false
}

// TestRandomPrograms: on programs that are well typed by construction, with
// the library of data to use, rep-functions give the values and the failures of
// the interpreter, and the two disciplines the same derivative with respect to
// all real literals of the main expression.
func TestRandomPrograms(t *testing.T) {
	w := driver.NewWorld(nil)
	var modules []checktest.Module
	for _, name := range []string{"prelude", "list", "array", "linalg"} {
		var list diag.List
		unit := w.Library(name, &list)
		if name == "prelude" {
			name = ""
		}
		modules = append(modules, checktest.Module{Name: name, Interface: unit.Info.Interface})
	}
	programs := checktest.Programs(modules...)
	property.Check(t, func(t *rapid.T) {
		text := programs.Draw(t, "program").Text()
		var list diag.List
		unit := w.LoadText("in.flx", text, nil, &list)
		if list.Failed() {
			t.Skip("a class that nothing satisfies")
		}
		linked, d := driver.Link(unit)
		if d != nil {
			t.Fatal(d)
		}
		mono, d := opt.Mono(linked, opt.Options{})
		if d != nil {
			t.Skip("too large")
		}
		code, d := interp.Compile(mono)
		if d != nil {
			t.Skip("too large")
		}
		y, failed := code.Run(context.Background(), interp.Limits{Memory: 1 << 28, Depth: 10_000})
		if failed == nil && hasFunctions(y) {
			return
		}
		fun, at := paperstest.OverLiterals(mainOf(mono))
		p := &papers.Problem{Program: mono, Fun: fun, At: at, MaxOps: 200_000}
		if failed == nil {
			p.Cotangent = value.MapReals(y, func(float64) float64 { return 1 })
		}
		var first []float64
		for _, name := range names {
			answer, d := run(name, p)
			if failed != nil {
				if failed.Code != diag.MemoryLimit && failed.Code != diag.DepthLimit && (d == nil || d.Code != failed.Code && d.Code != diag.StrategyLimits) {
					t.Fatalf("%s\n%s gives %v where the interpreter fails: %v", text, name, d, failed)
				}
				return
			}
			if d != nil {
				if d.Code == diag.StrategyBudget || d.Code == diag.StrategyLimits {
					return
				}
				t.Fatalf("%s\n%s: %v", text, name, d)
			}
			if got, want := value.Show(answer.Value), value.Show(y); got != want {
				t.Fatalf("%s\n%s gives %s, the interpreter %s", text, name, got, want)
			}
			gradient := value.RealsOf(answer.Gradient)
			if first == nil {
				first = gradient
			}
			for i, g := range gradient {
				if !close(g, first[i], 1e-9) && !(math.IsNaN(g) && math.IsNaN(first[i])) && g != first[i] {
					t.Fatalf("%s\n%s gives the gradient %v, %s %v", text, name, gradient, names[0], first)
				}
			}
		}
	})
}

// mainOf follows the main definition to the one that it stands for.
func mainOf(p *core.Program) *core.Def {
	if g, ok := p.Main.Body.Result.(*core.Global); ok && len(p.Main.Body.Stmts) == 0 {
		if def := find(p, g.Name); def != nil {
			return def
		}
	}
	return p.Main
}
