package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fluxion-lang/fluxion/internal/check"
	"github.com/fluxion-lang/fluxion/internal/diag"
	"github.com/fluxion-lang/fluxion/internal/syntax"
	"github.com/fluxion-lang/fluxion/internal/types"
)

// world checks modules that import one another, for the cases: the driver's
// work in a few lines.
type world struct {
	t     *testing.T
	files map[string]string
	faces map[string]*check.Interface
	sink  diag.List
}

// check checks the file of a module after those that it imports. Modules see
// the small prelude of the cases.
func (w *world) check(name string) *check.Info {
	module := syntax.Parse(diag.NewFile(name+".flx", w.files[name+".flx"]), &w.sink)
	opts := check.Options{Name: name, Imports: map[*syntax.Import]*check.Interface{}, Libraries: func() map[string]*check.Interface { return w.faces }}
	if name == "prelude" {
		opts.Library = true
	} else {
		opts.Open = []*check.Interface{w.faces["prelude"]}
	}
	for _, imp := range module.Imports {
		path := strings.TrimSuffix(strings.TrimPrefix(imp.Path, "./"), ".flx")
		if _, exists := w.files[path+".flx"]; exists && w.faces[path] == nil {
			w.check(path)
		}
		if face := w.faces[path]; face != nil {
			opts.Imports[imp] = face
		}
	}
	info := check.Check(module, opts, &w.sink)
	w.faces[name] = info.Interface
	return info
}

// TestCheck compares the types and diagnostics of programs with what they
// should be.
func TestCheck(t *testing.T) {
	prelude, err := os.ReadFile("../../testdata/check/prelude.flx")
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	if len(paths) < 120 {
		t.Errorf("only %d cases", len(paths))
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runCase(t, path, string(prelude)) })
	}
}

func runCase(t *testing.T, path, prelude string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, files: map[string]string{"prelude.flx": prelude}, faces: map[string]*check.Interface{}}
	want := map[string]string{}
	kept := archive.Files[:0]
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".flx") {
			w.files[f.Name] = string(f.Data)
			kept = append(kept, f)
		} else {
			want[f.Name] = string(f.Data)
		}
	}
	w.check("prelude")
	if w.sink.Failed() {
		t.Fatalf("the prelude of the cases has errors:\n%s", rendered(&w.sink))
	}
	w.sink = diag.List{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".flx"); ok && name != "in" {
			w.check(name)
		}
	}
	info := w.check("in")
	if !w.sink.Failed() {
		complete(t, info)
	}
	got := map[string]string{"types": typesOf(info), "diagnostics": rendered(&w.sink)}
	if got["types"] == want["types"] && got["diagnostics"] == want["diagnostics"] {
		return
	}
	_, known := want["types"]
	if !*update {
		t.Fatalf("got types\n%s\nwant\n%s\ngot diagnostics\n%s\nwant\n%s", got["types"], want["types"], got["diagnostics"], want["diagnostics"])
	}
	if known && want["diagnostics"] == "" && w.sink.Failed() {
		t.Fatalf("this case had no errors; will not make it one that does:\n%s", got["diagnostics"])
	}
	archive.Files = kept
	for _, section := range []string{"types", "diagnostics"} {
		if got[section] != "" || section == "types" {
			archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(got[section])})
		}
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// typesOf prints the schemes of the values of a module and the type of its
// final expression.
func typesOf(info *check.Info) string {
	var out strings.Builder
	for _, name := range info.Interface.Order {
		if g := info.Interface.Value(name); g != nil {
			p := types.Printer{Sizes: true}
			out.WriteString(name + " : " + p.Scheme(g.Scheme) + "\n")
		}
	}
	if final := info.Module.Final; final != nil {
		out.WriteString("= " + types.Show(info.Types[final.Num()]) + "\n")
	}
	return out.String()
}

// TestCodesCovered: each code that Check reports has a case.
func TestCodesCovered(t *testing.T) {
	var all strings.Builder
	paths, _ := filepath.Glob("../../testdata/check/*.txtar")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, code := range []diag.Code{
		diag.UnknownName, diag.UnknownType, diag.UnknownConstructor, diag.UnknownModule, diag.PrivateName,
		diag.DuplicateDefinition, diag.UnknownMember, diag.TypeAbbreviation, diag.ForwardReference,
		diag.Mismatch, diag.NotAFunction, diag.TooManyArguments, diag.MissingArguments, diag.InfiniteType,
		diag.NoInstance, diag.Ambiguous, diag.NoField, diag.NotARecord, diag.NotIndexable, diag.TupleIndex,
		diag.RealEquality, diag.SizeMismatch, diag.TypeArity, diag.TooGeneral, diag.IntReal,
		diag.ConstructorArity, diag.UnboundTypeVariable, diag.NotDiff, diag.BranchMismatch,
		diag.BadConstraint, diag.TypeTooLarge, diag.RealPattern, diag.BadNumber,
		diag.UnusedName, diag.ShadowedName, diag.UnusedImport, diag.TypeLikeName,
	} {
		if !strings.Contains(all.String(), "["+string(code)+"]") {
			t.Errorf("no case for %s", code)
		}
	}
}
