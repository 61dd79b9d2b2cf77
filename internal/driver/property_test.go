package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/core/coretest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestWellTypedPrograms: programs that are well typed by construction pass
// every stage, and however they are evaluated and laid out they mean the same.
// -rapid.checks=10000 looks longer.
func TestWellTypedPrograms(t *testing.T) {
	w := NewWorld(nil)
	var modules []checktest.Module
	for _, name := range LibraryNames() {
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
	programs := checktest.Programs(modules...)
	rapid.Check(t, func(t *rapid.T) {
		program := programs.Draw(t, "program")
		p := prepared{t: t, w: w}
		p.load(program.Text())
		want, failed := p.reference()
		if failed == diag.TimeLimit || failed == diag.DepthLimit {
			return // beyond what the reference can do
		}
		got := p.run(core.Mono)
		if got != want {
			t.Fatalf("evaluates to %s, but the reference to %s", got, want)
		}

		text := syntax.Format(p.unit.AST, syntax.FormatOptions{Width: 60})
		formatted := prepared{t: t, w: w}
		formatted.load(text)
		if !syntax.Equal(p.unit.AST, formatted.unit.AST) {
			t.Fatalf("is another program when laid out:\n%s", text)
		}
		if again := formatted.run(core.Mono); failed == "" && again != want {
			t.Fatalf("evaluates to %s, but laid out to %s:\n%s", want, again, text)
		}
		if failed == "" && !strings.Contains(want, "<function") {
			p.readBack(program.Decls, want)
		}
	})
}

// prepared is a program on its way through the stages.
type prepared struct {
	t    *rapid.T
	w    *World
	unit *Unit
	mono *core.Program
}

func (p *prepared) load(text string) {
	var list diag.List
	p.unit = p.w.LoadText("in.flx", text, nil, &list)
	if list.Failed() {
		p.t.Fatalf("%s\n%s", text, rendered(&list))
	}
	linked, d := Link(p.unit)
	p.succeeds(d)
	if err := core.Verify(linked, core.Poly); err != nil {
		p.t.Fatalf("%s\n%v", text, err)
	}
	p.mono, d = opt.Mono(linked, opt.Options{Verify: true})
	p.succeeds(d)
}

func (p *prepared) succeeds(d *diag.Diagnostic) {
	if d != nil {
		p.t.Fatalf("%s\n%s", p.unit.File.Text, d)
	}
}
