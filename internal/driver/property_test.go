package driver

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestWellTypedPrograms: programs that are well typed by construction pass
// every stage; they never get stuck; and laid out anew, or with the result
// written in their place, they mean the same. -rapid.checks=10000 looks longer.
func TestWellTypedPrograms(t *testing.T) {
	w := NewWorld(nil)
	programs := checktest.Programs(libraries(t, w)...)
	property.Check(t, func(t *rapid.T) {
		program := programs.Draw(t, "program")
		unit := loaded(t, w, program.Text())
		want, end := reference(t, unit)
		if end == diag.TimeLimit || end == diag.DepthLimit || end == diag.StrategyLimits {
			return // more than the reference is made for
		}
		got, code := evaluated(unit)
		if end != "" && !strings.Contains(want, " at in.flx") && code == end {
			got = want // what fails in the library may be put where it is called from
		}
		if got != want {
			t.Fatalf("%s\nevaluates to\n%s\nbut the reference to\n%s", unit.File.Text, got, want)
		}

		formatted := loaded(t, w, syntax.Format(unit.AST, syntax.FormatOptions{Width: 60}))
		if !syntax.Equal(unit.AST, formatted.AST) {
			t.Fatalf("%s\nis another program when laid out:\n%s", unit.File.Text, formatted.File.Text)
		}
		again, endAgain := evaluated(formatted)
		if end != endAgain || end == "" && again != want {
			t.Fatalf("%s\nevaluates to\n%s\nwhen laid out, and before to\n%s", formatted.File.Text, again, want)
		}

		if end == "" && !strings.Contains(want, "<function") {
			read := loaded(t, w, fmt.Sprintf("%slet nan = 0 / 0\nlet inf = 1 / 0\n(%s : %s)\n", program.Decls, want, types.Show(program.Type)))
			if again, _ := evaluated(read); again != want {
				t.Fatalf("%s\nreads back as\n%s", read.File.Text, again)
			}
		}
	})
}

// libraries returns the modules that are about data, for programs to use. The numerical ones are
// about functions that do not fit at random.
func libraries(t *testing.T, w *World) []checktest.Module {
	var modules []checktest.Module
	for _, name := range []string{"array", "linalg", "list", prelude} {
		var list diag.List
		unit := w.Library(name, &list)
		if list.Failed() {
			t.Fatal(rendered(&list))
		}
		if name == prelude {
			name = ""
		}
		modules = append(modules, checktest.Module{Name: name, Interface: unit.Info.Interface})
	}
	return modules
}

// loaded returns a program that the checker must accept.
func loaded(t *rapid.T, w *World, text string) *Unit {
	var list diag.List
	unit := w.LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		t.Fatalf("%s\n%s", text, rendered(&list))
	}
	return unit
}

// reference returns what core's executable semantics says of a program that
// nothing has optimised; both levels of core are verified on the way.
func reference(t *rapid.T, unit *Unit) (string, diag.Code) {
	linked, d := Link(unit)
	if d != nil {
		t.Fatalf("%s\n%v", unit.File.Text, d)
	}
	if err := core.Verify(linked, core.Poly); err != nil {
		t.Fatalf("%s\n%v", unit.File.Text, err)
	}
	program, d := opt.Mono(linked, opt.Options{Verify: true})
	if d != nil {
		t.Fatalf("%s\n%v", unit.File.Text, d)
	}
	v, d := coretest.Eval(program)
	if d != nil {
		return failure(d), d.Code
	}
	result := coretest.Export(v, program.Main.Type)
	if _, isFunction := result.(value.Func); isFunction {
		result = value.Func{Type: typeOf(unit)}
	}
	return value.Show(result), ""
}

// evaluated returns what a user gets.
func evaluated(unit *Unit) (string, diag.Code) {
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits(), Verify: true})
	if d != nil {
		return failure(d), d.Code
	}
	return value.Show(result.Value), ""
}

// failure returns the part of an error that is semantics: what and where.
func failure(d *diag.Diagnostic) string { return fmt.Sprintf("%s at %s", d.Code, d.Span) }

func rendered(list *diag.List) string {
	var b bytes.Buffer
	diag.RenderAll(&b, list, diag.Options{})
	return b.String()
}
