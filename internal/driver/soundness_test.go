package driver

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/prim"
	"github.com/fluxion-lang/fluxion/internal/types"
)

var (
	inCode    = regexp.MustCompile("`([^`]+)`")
	qualified = regexp.MustCompile(`^(?:(\w+)\.)?([\w*]+)$`)
)

// guarded returns the functions, as module.name, and the modules that the table of approximations
// in docs/soundness.md has a row for. A name without a module belongs to the module before it.
func guarded(t *testing.T) map[string]bool {
	text, err := os.ReadFile("../../docs/soundness.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## Library functions that approximate\n")
	section, _, _ = strings.Cut(section, "\n## ")
	names := map[string]bool{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		module := prelude
		for _, code := range inCode.FindAllStringSubmatch(cells[1], -1) {
			m := qualified.FindStringSubmatch(code[1])
			switch {
			case m == nil:
				t.Errorf("the table of approximations has %s for a function", code[0])
			case m[1] != "":
				module = m[1]
				names[module+"."+m[2]] = true
			default:
				names[module+"."+m[2]], names[m[2]] = true, true
			}
		}
	}
	if !ok || len(names) == 0 {
		t.Fatal("docs/soundness.md has no table of approximations")
	}
	return names
}

// approximant tells what makes a definition of the library approximate: what it says itself, a
// search, a trajectory, an iteration, or a loop over reals without a fixed number of steps.
func approximant(u *Unit, def *core.Def) (why string) {
	if _, name, _ := strings.Cut(def.Name, "."); u.Info.Interface.Value(name) != nil &&
		strings.Contains(u.Info.Interface.Value(name).Doc, approximates) {
		return "it says so"
	}
	core.Walk(def.Body, func(s core.Stmt) {
		let, ok := s.(*core.Let)
		if !ok {
			return
		}
		switch op := let.Op.(type) {
		case *core.Prim:
			kind := op.Prim.Kind
			if kind == prim.Search || kind == prim.Trajectory || op.Prim.ID == prim.Converging {
				why = op.Prim.Name
			}
		case *core.Loop:
			_, while := op.Head.(*core.While)
			if while && strings.Contains(types.Show(op.State.Ty), "Real") {
				why = "a loop over reals"
			}
		}
	})
	return why
}

// TestApproximationsAreGuarded: docs/soundness.md says who guards each function of the library that
// approximates, and names no other.
func TestApproximationsAreGuarded(t *testing.T) {
	names := guarded(t)
	defs, reasons := map[string]*core.Def{}, map[string]string{}
	for _, name := range LibraryNames() {
		unit, sink := libraryNamed(name).load()
		if sink.Failed() {
			t.Fatal(sink.Sorted()[0])
		}
		for _, def := range unit.Core.Defs {
			defs[def.Name], reasons[def.Name] = def, approximant(unit, def)
		}
	}
	for name := range names {
		_, short, of := strings.Cut(name, ".")
		if of && short != "*" && defs[name] == nil && libraryNamed(short) == nil {
			t.Errorf("docs/soundness.md names %s, which is not in the library", name)
		}
	}
	// what a definition is made of, but for what the table has a row for
	var reach func(name string, seen map[string]bool) string
	reach = func(name string, seen map[string]bool) (why string) {
		if seen[name] || defs[name] == nil {
			return ""
		}
		seen[name] = true
		if why = reasons[name]; why != "" {
			return why
		}
		core.Atoms(defs[name].Body, func(a core.Atom) {
			g, ok := a.(*core.Global)
			if !ok || why != "" {
				return
			}
			if !names[g.Name] {
				why = reach(g.Name, seen)
			}
		})
		return why
	}
	for name := range defs {
		module, short, _ := strings.Cut(name, ".")
		if strings.HasPrefix(short, "_") || names[name] || names[module] || names[module+".*"] {
			continue
		}
		if why := reach(name, map[string]bool{}); why != "" {
			t.Errorf("docs/soundness.md does not say who guards %s (%s)", name, why)
		}
	}
}
