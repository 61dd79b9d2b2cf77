package driver

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/core"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/interp"
	"github.com/fluxion-lang/fluxion/internal/opt"
	"github.com/fluxion-lang/fluxion/internal/types"
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

// forgetLibrary makes the process load the library anew.
func forgetLibrary() {
	libraryMu.Lock()
	defer libraryMu.Unlock()
	libraryModules = map[string]*libraryModule{}
}

// wholeLibrary returns the core of each module of the library as a whole.
func wholeLibrary(t *testing.T) map[string]string {
	want := map[string]string{}
	for _, name := range LibraryNames() {
		var list diag.List
		want[name] = core.Print(NewWorld(nil).Library(name, &list).Core)
		if list.Failed() {
			t.Fatal(list.Sorted()[0])
		}
	}
	return want
}

// elaboratedApart returns the core of a module of the library of which each definition is checked
// and elaborated by itself, in the order that permute gives.
func elaboratedApart(name string, permute func(n int) []int) string {
	m := libraryNamed(name)
	program := &core.Program{Datas: m.unit.Core.Datas}
	for _, i := range permute(len(m.definitions)) {
		m.definitions[i].elaborated()
	}
	for _, d := range m.definitions {
		program.Defs = append(program.Defs, d.core...)
	}
	return core.Print(program)
}

// TestLibraryApart: definitions of the library that are checked and elaborated by themselves, in
// any order, are what the module as a whole has, and have the same types.
func TestLibraryApart(t *testing.T) {
	want := wholeLibrary(t)
	for seed := range uint64(3) {
		forgetLibrary()
		random := rand.New(rand.NewPCG(seed, 0))
		names := LibraryNames()
		for _, i := range random.Perm(len(names)) {
			name := names[i]
			if got := elaboratedApart(name, random.Perm); got != want[name] {
				t.Errorf("%s has another core:\n%s", name, got)
			}
			var list diag.List
			whole := NewWorld(nil).Library(name, &list).Info.Interface
			face := libraryNamed(name).unit.Info.Interface
			if !slices.Equal(face.Order, whole.Order) {
				t.Errorf("%s has the names %q and %q", name, face.Order, whole.Order)
			}
			printer := types.Printer{Sizes: true}
			for name, global := range whole.All() {
				other := face.Value(name)
				if other == nil || printer.Scheme(other.Scheme) != printer.Scheme(global.Scheme) || other.Doc != global.Doc ||
					other.At != global.At || other.QName != global.QName {
					t.Errorf("%s is another one", global.QName)
				}
			}
		}
	}
}

// TestLibraryConcurrent: what several worlds ask of the library at once is what it is one by one,
// and the worlds share it.
func TestLibraryConcurrent(t *testing.T) {
	want := wholeLibrary(t)
	names := LibraryNames()
	for range 4 {
		forgetLibrary()
		units := make([][]*Unit, 4)
		var wait sync.WaitGroup
		for k := range units {
			wait.Go(func() {
				var list diag.List
				w := NewWorld(func(string) (string, error) { return "import nn\nimport dist\nlet x = sum [1, 2]\nx", nil })
				if unit := w.LoadFile("program.flx", &list); unit.Core == nil || len(Gather(unit).Defs) == 0 {
					t.Error("there is no core")
				}
				random := rand.New(rand.NewPCG(uint64(k), 0))
				for i := range names {
					name := names[(i+5*k)%len(names)]
					units[k] = append(units[k], w.Library(name, &list))
					if elaboratedApart(name, random.Perm) != want[name] {
						t.Errorf("%s has another core", name)
					}
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
					t.Errorf("%s has another core as a whole", name)
				}
			}
		}
	}
}

// TestLibraryReached: of the library a linked program has what it reaches, and no more.
func TestLibraryReached(t *testing.T) {
	w := NewWorld(func(string) (string, error) { return "import array\narray.all even [2, 4]", nil })
	var list diag.List
	unit := w.LoadFile("program.flx", &list)
	if list.Failed() {
		t.Fatal(list.Sorted()[0])
	}
	linked, d := Link(unit)
	if d != nil {
		t.Fatal(d)
	}
	var names []string
	for _, def := range linked.Defs {
		names = append(names, def.Name)
	}
	if want := []string{"prelude.even", "array.any", "array.all", "program.$main"}; !slices.Equal(names, want) {
		t.Errorf("linked are %q", names)
	}
}

// TestLibraryUnreached: definitions of the library that a program does not reach make no difference
// to it, for the programs of testdata/run: whatever opt looks for by its name is linked.
func TestLibraryUnreached(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/run/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	compared := 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var list diag.List
		unit := NewWorld(archiveReader(archive)).LoadFile("in.flx", &list)
		if unit == nil || list.Failed() {
			continue
		}
		linked, d := Link(unit)
		if d != nil {
			continue
		}
		all := &core.Program{Main: linked.Main, Datas: linked.Datas}
		for _, u := range unit.withImports() {
			all.Defs = append(all.Defs, u.Core.Defs...)
			if u.library != nil {
				for _, d := range u.library.definitions {
					all.Defs = append(all.Defs, d.elaborated()...)
				}
			}
		}
		if unit.Core.Main != nil {
			all.Defs = append(all.Defs, unit.Core.Main)
		}
		got, d := opt.Prepare(linked, opt.Options{})
		if d != nil {
			continue
		}
		want, d := opt.Prepare(all, opt.Options{})
		if d != nil {
			t.Errorf("%s: %v", path, d)
			continue
		}
		if compared++; core.Print(got) != core.Print(want) {
			t.Errorf("%s is another program", path)
		}
	}
	if compared < 100 {
		t.Errorf("only %d programs were compared", compared)
	}
}

// TestLibraryNames: a module of a program that has the name of one of the library is another one,
// whatever is loaded first.
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

// evaluate returns the value of an expression that may use any module of the
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

// BenchmarkLibrary loads a small program in a process that does not have the library yet.
func BenchmarkLibrary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		forgetLibrary()
		var list diag.List
		w := NewWorld(func(string) (string, error) { return "import array\nsum (array.sort [2, 1, 3])", nil })
		if len(Gather(w.LoadFile("program.flx", &list)).Defs) == 0 {
			b.Fatal("nothing is linked")
		}
	}
}
