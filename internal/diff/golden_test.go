package diff_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/diff"
	"github.com/fluxion-lang/fluxion/internal/driver"
	"github.com/fluxion-lang/fluxion/internal/opt"
)

var update = flag.Bool("update", false, "write what the derivatives are into the cases")

// Each case has a program (in) that defines f, and the derivatives of f as
// core (pullback, pushforward, forward), or why there is none.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		// A world of its own, since the names of modules are numbered.
		t.Run(filepath.Base(name), func(t *testing.T) { golden(t, driver.NewWorld(nil), name) })
	}
}

func golden(t *testing.T, world *driver.World, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	part := sections(string(text))
	p, fun := prepared(t, world, part["in"])
	got := map[string]string{
		"pullback":    derivative(t, fun, diff.Pullback),
		"pushforward": derivative(t, fun, diff.Pushforward),
		"forward":     forward(t, p, fun),
	}
	if !*update {
		for key, out := range got {
			if out != part[key] {
				t.Errorf("%s became\n%s", key, out)
			}
		}
		return
	}
	var b strings.Builder
	b.WriteString(part[""] + "-- in --\n" + part["in"])
	for _, key := range []string{"pullback", "pushforward", "forward"} {
		b.WriteString("-- " + key + " --\n" + got[key])
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// derivative prints a derivative, which must verify.
func derivative(t *testing.T, fun *core.Lambda, by func(*core.Lambda) (*core.Lambda, error)) string {
	t.Helper()
	d, err := by(fun)
	if err != nil {
		return err.Error() + "\n"
	}
	p := &core.Program{Defs: []*core.Def{core.FunDef("f", nil, d, diag.Span{})}}
	if err := core.Verify(p, core.Mono); err != nil {
		t.Errorf("%v\n%s", err, core.Print(p))
	}
	return core.Print(p)
}

// forward prints the translation to dual numbers.
func forward(t *testing.T, p *core.Program, fun *core.Lambda) string {
	t.Helper()
	dual, err := diff.Forward(p, fun)
	if err != nil {
		return err.Error() + "\n"
	}
	if err := core.Verify(dual, core.Mono); err != nil {
		t.Errorf("%v\n%s", err, core.Print(dual))
	}
	return core.Print(&core.Program{Defs: dual.Defs})
}

// function is the definition f of a program, as an evaluator would get it.
func function(t *testing.T, world *driver.World, text string) *core.Lambda {
	t.Helper()
	_, fun := prepared(t, world, text)
	return fun
}

// prepared is function, with the program that the definition belongs to.
func prepared(t *testing.T, world *driver.World, text string) (*core.Program, *core.Lambda) {
	t.Helper()
	var list diag.List
	unit := world.LoadText("f.flx", text+"\n()\n", nil, &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	program, d := driver.Link(unit)
	if d != nil {
		t.Fatal(d)
	}
	name := unit.Info.Name + ".f"
	program, d = opt.Prepare(program, opt.Options{Roots: []string{name}})
	if d != nil {
		t.Fatal(d)
	}
	fun := defined(program, name)
	if fun == nil {
		t.Fatal("no definition f")
	}
	return program, fun
}

// sections splits a case at its lines of the form "-- name --"; what stands
// before the first is section "".
func sections(text string) map[string]string {
	parts, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		if inner, ok := strings.CutPrefix(line, "-- "); ok {
			if inner, ok := strings.CutSuffix(inner, " --\n"); ok {
				name = inner
				continue
			}
		}
		parts[name] += line
	}
	return parts
}
