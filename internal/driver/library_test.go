package driver

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/value"
)

// TestLibraryIsClean keeps the library free of errors and lints.
func TestLibraryIsClean(t *testing.T) {
	w := NewWorld(nil)
	var list diag.List
	for _, name := range LibraryNames() {
		w.Library(name, &list)
	}
	if found := list.Sorted(); len(found) > 0 {
		var b bytes.Buffer
		diag.RenderAll(&b, &list, diag.Options{})
		t.Error(b.String())
	}
}

// TestLibraryConcurrent: modules of the library that several worlds load at once are what they are one by one, and the worlds
// share them.
func TestLibraryConcurrent(t *testing.T) {
	forget := func() {
		libraryMu.Lock()
		defer libraryMu.Unlock()
		libraryModules = map[string]*libraryModule{}
	}
	names := LibraryNames()
	forget()
	want := map[string]string{}
	for w, list := NewWorld(nil), (&diag.List{}); len(names) > len(want); {
		name := names[len(want)]
		want[name] = core.Print(w.Library(name, list).Core)
	}
	for range 4 {
		forget()
		units := make([][]*Unit, 4)
		var wait sync.WaitGroup
		for k := range units {
			wait.Go(func() {
				var list diag.List
				w := NewWorld(func(string) (string, error) { return "import nn\nimport dist\nlet x = sum [1, 2]\nx", nil })
				if unit := w.LoadFile("program.flx", &list); unit.Core == nil {
					t.Error("there is no core")
				}
				for i := range names {
					units[k] = append(units[k], w.Library(names[(i+5*k)%len(names)], &list))
				}
			})
		}
		wait.Wait()
		for k := range units {
			for i, unit := range units[k] {
				name := names[(i+5*k)%len(names)]
				if unit != units[0][(i+5*k)%len(names)] {
					t.Errorf("%s is not shared", name)
				}
				if core.Print(unit.Core) != want[name] {
					t.Errorf("%s has another core", name)
				}
			}
		}
	}
}

// TestLibraryNames: a module of a program that has the name of one of the library is another one, whatever is loaded first.
func TestLibraryNames(t *testing.T) {
	texts := map[string]string{
		"array.flx": "let reverse n = n + 1\nlet double x = 2 * x\n",
		"main.flx":  "import \"./array.flx\" as mine\nimport array\n(mine.double 2, mine.reverse 3, array.reverse [1, 2])",
	}
	w := NewWorld(func(path string) (string, error) { return texts[path], nil })
	var list diag.List
	unit := w.LoadFile("main.flx", &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits()})
	if d != nil {
		t.Fatal(d)
	}
	if got := value.Show(result.Value); got != "(4, 4, [2, 1])" {
		t.Error(got)
	}
}

// TestDocumentation holds every public name to a documentation with an
// example, and every example to its value: a line `> EXPR -- VALUE`.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	w := NewWorld(nil)
	for _, entry := range w.AllEntries() {
		t.Run(entry.Name, func(t *testing.T) {
			if entry.Doc == "" {
				t.Fatal("has no documentation")
			}
			examples := 0
			for line := range strings.Lines(entry.Doc) {
				example, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
				if !ok {
					continue
				}
				examples++
				expr, want, ok := strings.Cut(example, " -- ")
				if !ok {
					t.Fatalf("%s has no value", example)
				}
				if got := evaluate(t, w, expr); got != strings.TrimSpace(want) {
					t.Errorf("%s is %s, the documentation says %s", expr, got, want)
				}
			}
			isType := strings.HasPrefix(entry.Type, "type ") || strings.HasPrefix(entry.Type, "data ")
			if examples == 0 && !isType {
				t.Error("has no example")
			}
			if strings.HasPrefix(entry.Name, "array.") && !strings.Contains(entry.Doc, "Cost: ") {
				t.Error("does not say what it costs")
			}
		})
	}
}

// evaluate gives the value of an expression that may use any module of the
// library, or the first line of what is wrong with it.
func evaluate(t *testing.T, w *World, expr string) string {
	t.Helper()
	var list diag.List
	unit := w.LoadText("../../testdata/data/example", expr, nil, &list)
	if list.Failed() {
		return list.Sorted()[0].Error()
	}
	result, d := Run(context.Background(), unit, Settings{Limits: interp.DefaultLimits(), Verify: true})
	if d != nil {
		return "error " + string(d.Code)
	}
	return value.Show(result.Value)
}
