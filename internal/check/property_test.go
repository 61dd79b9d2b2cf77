package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/check/checktest"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/property"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// TestWellTyped: the checker accepts programs that are well typed by
// construction, gives them their type, and leaves nothing open. Package driver
// does the same with programs that use the library, and runs them.
func TestWellTyped(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		program := checktest.Programs().Draw(t, "program")
		text := program.Text()
		var sink diag.List
		module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
		info := check.Check(module, check.Options{Name: "in"}, &sink)
		if sink.Failed() {
			t.Fatalf("%s\n%s", text, rendered(&sink))
		}
		if got, want := (&types.Printer{}).Type(info.Types[module.Final.Num()]), types.Show(program.Type); got != want {
			t.Fatalf("%s\nhas type %s, not %s", text, got, want)
		}
		complete(t, info)
	})
}

// complete fails if the Info leaves something open.
func complete(t interface{ Fatalf(string, ...any) }, info *check.Info) {
	for i, typ := range info.Types {
		var walk func(types.Type) types.Type
		walk = func(u types.Type) types.Type {
			u = types.Resolve(u)
			if _, ok := u.(*types.Meta); ok {
				t.Fatalf("node %d has the unsolved type %s", i, types.Show(typ))
			}
			return types.Map(u, walk)
		}
		if typ != nil {
			walk(typ)
		}
	}
	for _, use := range info.Uses {
		if use == nil {
			continue
		}
		params := -1
		switch o := use.Object.(type) {
		case *check.Local:
			params = len(o.Scheme.Params)
		case *check.Global:
			params = len(o.Scheme.Params)
		case *check.Primitive:
			params = len(o.Prim.Scheme.Params)
		case *check.Constructor:
			params = len(o.Con.Data.Params)
		}
		if params != len(use.Inst) {
			t.Fatalf("a use of %#v has %d types for %d parameters", use.Object, len(use.Inst), params)
		}
	}
}

// TestInfoComplete: after a successful check nothing is left open, in the
// library of constructs that the cases are.
func TestInfoComplete(t *testing.T) {
	info := checkText(t, generated(100))
	complete(t, info)
}

// TestMutations: programs with a piece removed are rejected or accepted, but
// never break the checker.
func TestMutations(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "-- in.flx --\n")
		text, _, _ = strings.Cut(text, "-- types --")
		words := strings.Fields(text)
		for i := 0; i < len(words); i += 3 {
			mutate(strings.Replace(text, words[i], "", 1))
			mutate(strings.Replace(text, words[i], "f", 1))
		}
	}
}

func mutate(text string) {
	var sink diag.List
	module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
	check.Check(module, check.Options{Name: "in"}, &sink)
	rendered(&sink)
}

// FuzzCheck: whatever the text, the checker ends and gives an Info.
func FuzzCheck(f *testing.F) {
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "-- in.flx --\n")
		text, _, _ = strings.Cut(text, "-- types --")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var sink diag.List
		module := syntax.Parse(diag.NewFile("in.flx", text), &sink)
		info := check.Check(module, check.Options{Name: "in", Library: true}, &sink)
		if info == nil || info.Interface == nil {
			t.Fatal("no interface")
		}
		if !sink.Failed() {
			complete(t, info)
		}
		rendered(&sink)
	})
}
